#pragma once

#include <string>

// Kept out of line, so that only one file depends on where the tree lies and
// compiled tests can be shared between trees.
namespace txscope::test {

/// The root of the source tree.
[[nodiscard]] std::string source_dir();
/// Whether a file of examples/ belongs to a case of `race`: its SQL is no
/// application by itself.
[[nodiscard]] inline bool is_race_case(const std::string& path) {
  return path.find("/examples/race/") != std::string::npos;
}
/// The built `txscope`.
[[nodiscard]] std::string binary();

}  // namespace txscope::test
