#pragma once

#include <string>

// Kept out of line, so that only one file depends on where the tree lies and
// compiled tests can be shared between trees.
namespace txscope::test {

/// The root of the source tree.
[[nodiscard]] std::string source_dir();
/// The built `txscope`.
[[nodiscard]] std::string binary();

}  // namespace txscope::test
