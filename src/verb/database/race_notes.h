#pragma once

#include <string>
#include <vector>

#include "verb/answer/detail.h"

namespace txscope::verb {

/// Failures that come of no error of the database, and never one after the
/// other: a program that finds something that it does not expect, a crash.
void add_notes_of_failures(const RaceDetail& detail,
                           std::vector<std::string>& notes);

/// Which endpoint and which line of the source a request is, where comments in
/// its statements say so (sqlcommenter, marginalia).
void add_notes_of_origins(const RaceDetail& detail,
                          std::vector<std::string>& notes);

}  // namespace txscope::verb
