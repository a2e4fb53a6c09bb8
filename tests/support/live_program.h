#pragma once

#include <string>
#include <vector>

#include "base/random.h"
#include "model/product/profile.h"

namespace txscope::test {

/// A small application of plain statements, in pieces that can be left out.
struct LiveProgram {
  std::string tables;  ///< CREATE TABLE and the first rows
  std::vector<std::vector<std::string>> sessions;  ///< one transaction each

  [[nodiscard]] std::string text() const;
  /// The same with one statement or one session less, in all ways.
  [[nodiscard]] std::vector<LiveProgram> smaller() const;
};

/// Two or three sessions on a table or two with up to three rows: by key and by
/// scan, with locks, duplicates, foreign keys; what the product understands.
[[nodiscard]] LiveProgram random_live_program(Random& random, Product product);

}  // namespace txscope::test
