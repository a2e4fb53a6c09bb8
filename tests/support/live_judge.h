#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "support/live_database.h"

namespace txscope::test {

/// Where our engine and a live server differ.
struct LiveDifference {
  std::string problem;  ///< it could not be compared, and why
  std::uint64_t interleavings = 0;
  bool is_exhaustive = true;  ///< all that can happen did
  std::size_t live = 0;       ///< outcomes
  std::size_t ours = 0;
  /// What the server did and the engine says cannot happen, with its trace.
  std::vector<std::string> missing;
  /// What the engine says and no interleaving showed.
  std::vector<std::string> invented;

  [[nodiscard]] bool is_equal() const {
    return missing.empty() && invented.empty();
  }
};

/// Compares all outcomes: per transaction its end, per statement its rows, and
/// the final rows.  Whether an engine aborts more at postgresql:serializable
/// than the server did is not asked, since that depends on how it stores its
/// locks; `invented` is empty also where not everything that can happen did.
[[nodiscard]] LiveDifference compare_live(const sql::Application& application,
                                          const Profile& level,
                                          const LiveOptions& options = {});

/// For a failing test: everything, at most three of each.
[[nodiscard]] std::string to_string(const LiveDifference& difference);

}  // namespace txscope::test
