#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/random.h"

namespace txscope::testing {

/// A statement of a random program: a line, or a header with blocks.
struct RandomStatement {
  std::string text;
  bool has_block = false;
  std::vector<RandomStatement> body = {};
  std::vector<RandomStatement> otherwise = {};
};

/// A `.txn` program as lists that a shrinker can cut pieces from.
struct RandomProgram {
  std::vector<std::string> declarations;
  std::vector<std::vector<std::vector<RandomStatement>>> sessions;
  std::vector<std::string> properties;

  [[nodiscard]] std::string text() const;
};

struct RandomProgramOptions {
  std::size_t sessions = 3;
  std::size_t txns = 5;    ///< in all sessions together, at most
  std::size_t reads = 8;   ///< in the text, at most
  bool has_aborts = true;  ///< and assumptions, and asserts
  bool has_faults = false;
};

[[nodiscard]] RandomProgram random_program(Random& random,
                                           const RandomProgramOptions& options);

/// Cuts sessions, transactions, statements and properties for as long as
/// `fails` stays true.
[[nodiscard]] RandomProgram shrink(
    RandomProgram program,
    const std::function<bool(const RandomProgram&)>& fails);

}  // namespace txscope::testing
