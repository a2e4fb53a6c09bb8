#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "exec/sql/query/halt.h"
#include "model/sql/expr.h"

namespace txscope::sql {

/// The rows of a partition in their order, as far as frames need them.
struct PartitionShape {
  /// Where the groups of rows that ORDER BY holds equal begin, then the size.
  std::vector<std::size_t> groups;
  std::vector<std::size_t> group_of;  ///< by row
  /// The value of the first ORDER BY key of a row.
  std::function<const Value&(std::size_t)> key;
  [[nodiscard]] std::size_t size() const { return group_of.size(); }
};

/// Where the frame of each row of a partition begins and ends, EXCLUDE aside.
/// Ask in the order of the rows: the ends of RANGE only move forward.
class Frames {
 public:
  /// `start` and `end` are the values of the offsets, if there are some.
  Frames(const WindowCall& call, const PartitionShape& partition, Value start,
         Value end, Halt& halt)
      : call_(call),
        partition_(partition),
        start_offset_(start),
        end_offset_(end),
        halt_(halt) {}

  /// First row, and the one after the last.
  [[nodiscard]] std::pair<std::size_t, std::size_t> of(std::size_t row);
  /// Whether EXCLUDE takes `other` out of the frame of `row`.
  [[nodiscard]] bool excludes(std::size_t row, std::size_t other) const;

 private:
  std::size_t edge(const FrameBound& bound, std::size_t row, bool is_end);
  std::size_t in_rows(const FrameBound& bound, std::size_t row, bool is_end,
                      std::int64_t offset) const;
  std::size_t in_groups(const FrameBound& bound, std::size_t row, bool is_end,
                        std::int64_t offset) const;
  std::size_t in_range(const FrameBound& bound, std::size_t row, bool is_end);
  bool reaches(const FrameBound& bound, const Value& value, const Value& base,
               bool is_end);

  const WindowCall& call_;
  const PartitionShape& partition_;
  Value start_offset_;
  Value end_offset_;
  Halt& halt_;
  std::size_t range_start_ = 0;
  std::size_t range_end_ = 0;
};

}  // namespace txscope::sql
