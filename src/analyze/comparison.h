#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyze/analysis.h"

namespace txscope::analyze {

/// What became of a finding when the code was changed.
enum class Fate : std::uint8_t {
  Proved,   ///< gone; its pairs are safe for all inputs
  Tried,    ///< gone, with the arguments that were tried
  Remains,  ///< still there
  Kept,     ///< its rules are kept now, but no serial order gives what happens
  Unknown,  ///< a pair is undecided, or a transaction has another name now
};
[[nodiscard]] std::string_view name(Fate fate);

struct FindingFate {
  std::size_t before = 0;  ///< of the earlier findings
  Fate fate = Fate::Unknown;
  std::optional<std::size_t> now;  ///< of Remains, Kept: a present finding
  std::string why;                 ///< of Unknown
};

/// Is the fix right?  Findings of the code as it was, held against the code as
/// it is.
///
/// Definition.  A finding remains if one of the same kind is there that has its
/// id, or shares a pair of transactions (by name) and a table at fault.
struct Comparison {
  std::string before;  ///< what it was compared with
  std::vector<RaceFinding> earlier;
  std::vector<FindingFate> fates;  ///< one per earlier finding
  std::vector<std::size_t> fresh;  ///< present findings that were not there
  /// Why nothing was looked at in the code as it was; empty: something was.
  std::string nothing_before;
  std::size_t undecided_before = 0;  ///< pairs of the code as it was
  std::size_t pairs_before = 0;
  /// Errors and deadlocks that pairs did not have: "buy x buy: 40001".
  std::vector<std::string> costs;
};

[[nodiscard]] Comparison compare(const Analysis& before, const Analysis& now);

}  // namespace txscope::analyze
