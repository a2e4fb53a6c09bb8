#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "model/sql/value/value.h"

namespace txscope::audit {

/// How much may be spent on the numbers of all columns together, in sums.
struct ValueEffort {
  std::uint64_t left = std::uint64_t{1} << 24;
};

/// The numbers that a column of a row can ever have which is only set to
/// constants and added to.
///
/// Definition.  A version is a start (what the setup left, what an INSERT or a
/// SET to a constant gave), or another version and what one statement added to
/// it.  A statement ran once, so no version counts it twice: a value is a start
/// and the sum of some of what was added, each at most once.  This holds at
/// every level, as each shows a statement one version of a row.
/// Method.  All such sums where they are few; where not, the interval between
/// the least and the most, and what they leave when divided by the greatest
/// common divisor of everything added and of the distances between starts.
/// Invariant.  What is not in the set was never the value of the column.
/// Cost.  Each addition goes once over the sums so far, of which there are at
/// most kFew.
class ValueSet {
 public:
  static constexpr std::size_t kFew = 4096;

  void start(std::int64_t value);
  /// What one statement added.
  void add(std::int64_t value);
  /// After the last of both.
  void finish(ValueEffort& effort);

  /// Without a start there is no value at all.
  [[nodiscard]] bool empty() const { return starts_.empty(); }
  [[nodiscard]] bool contains(std::int64_t value) const;

 private:
  [[nodiscard]] std::optional<std::vector<std::int64_t>> sums(
      ValueEffort& effort) const;

  std::vector<std::int64_t> starts_;
  std::vector<std::int64_t> added_;
  /// All, ascending; empty: too many.
  std::vector<std::int64_t> few_;
  sql::Int128 least_ = 0;
  sql::Int128 most_ = 0;
  std::uint64_t divisor_ = 0;  ///< 0: nothing is ever added
};

}  // namespace txscope::audit
