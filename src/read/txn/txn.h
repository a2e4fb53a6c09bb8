#pragma once

#include <string>

#include "base/result.h"
#include "model/program.h"

namespace txscope::read {

/// Reads a `.txn` program: docs/explore.md has the grammar.  `file` is its name
/// in messages and places.  The first mistake is reported, with its place, its
/// line and a hint.
[[nodiscard]] Result<Program> read_txn(std::string file, std::string text);

}  // namespace txscope::read
