#pragma once

#include <string>

#include "model/history.h"

namespace txscope::check {

/// Why there is nothing in a history that a level could forbid, in a few words
/// that follow "holds of nothing:"; empty if there is something.  A level
/// judges the reads of transactions that committed (and of aborted ones, where
/// the history judges them).  So it holds of every history without such a read,
/// whatever the database did: that is no answer.  One pass over the operations,
/// up to the first such read.
[[nodiscard]] std::string why_nothing_to_check(const History& history);

}  // namespace txscope::check
