#include "exec/sql/query/frame.h"

#include <algorithm>

#include "exec/sql/value/compare.h"
#include "exec/sql/value/numeric.h"
#include "exec/sql/value/times.h"

namespace txscope::sql {
namespace {

using Bound = FrameBound::Kind;

constexpr std::int64_t kMicrosecondsPerDay = 86'400'000'000;

Value as_timestamp(const Value& value) {
  if (value.kind() != Kind::Date) return value;
  return Value::timestamp(value.integer() * kMicrosecondsPerDay);
}

Value zero_like(const Value& offset) {
  if (offset.kind() == Kind::Interval) return Value::interval(0, 0, 0);
  if (offset.kind() == Kind::Numeric) return Value::numeric(0, 0);
  return Value::integer(0);
}

}  // namespace

std::pair<std::size_t, std::size_t> Frames::of(std::size_t row) {
  const std::size_t start = edge(call_.frame.start, row, false);
  const std::size_t end = edge(call_.frame.end, row, true);
  return {start, std::max(start, end)};
}

bool Frames::excludes(std::size_t row, std::size_t other) const {
  const bool is_peer = partition_.group_of[row] == partition_.group_of[other];
  switch (call_.frame.exclusion) {
    case Frame::Exclusion::Nothing: return false;
    case Frame::Exclusion::CurrentRow: return row == other;
    case Frame::Exclusion::Group: return is_peer;
    case Frame::Exclusion::Ties: return is_peer && row != other;
  }
  return false;
}

std::size_t Frames::edge(const FrameBound& bound, std::size_t row,
                         bool is_end) {
  if (bound.kind == Bound::UnboundedPreceding) return 0;
  if (bound.kind == Bound::UnboundedFollowing) return partition_.size();
  const Value& offset = is_end ? end_offset_ : start_offset_;
  const bool is_range = call_.frame.unit == Frame::Unit::Range;
  if (is_range && bound.kind != Bound::CurrentRow)
    return in_range(bound, row, is_end);
  const std::int64_t count =
      bound.kind == Bound::CurrentRow ? 0 : offset.integer();
  return call_.frame.unit == Frame::Unit::Rows
             ? in_rows(bound, row, is_end, count)
             : in_groups(bound, row, is_end, count);
}

std::size_t Frames::in_rows(const FrameBound& bound, std::size_t row,
                            bool is_end, std::int64_t offset) const {
  const std::size_t size = partition_.size();
  const std::size_t from = row + (is_end ? 1 : 0);
  const auto by = static_cast<std::uint64_t>(offset);
  if (bound.kind == Bound::Preceding) return by > from ? 0 : from - by;
  return by > size - from ? size : from + by;
}

std::size_t Frames::in_groups(const FrameBound& bound, std::size_t row,
                              bool is_end, std::int64_t offset) const {
  const std::size_t groups = partition_.groups.size() - 1;
  const std::size_t from = partition_.group_of[row] + (is_end ? 1 : 0);
  const auto by = static_cast<std::uint64_t>(offset);
  const std::size_t group = bound.kind == Bound::Preceding
                                ? (by > from ? 0 : from - by)
                            : by > groups - from ? groups
                                                 : from + by;
  return partition_.groups[group];
}

/// NULLs are as far from all other values as can be, and near each other.
std::size_t Frames::in_range(const FrameBound& bound, std::size_t row,
                             bool is_end) {
  const bool nulls_first = call_.order_by[0].nulls_first;
  const Value& base = partition_.key(row);
  std::size_t& at = is_end ? range_end_ : range_start_;
  for (; at < partition_.size() && !halt_.is_set(); ++at) {
    const Value& value = partition_.key(at);
    bool stops = false;
    if (!value.is_null() && !base.is_null())
      stops = reaches(bound, value, base, is_end) != is_end;
    else if (is_end)
      stops = nulls_first ? !value.is_null() : !base.is_null();
    else
      stops = nulls_first ? !value.is_null() || base.is_null()
                          : value.is_null() || !base.is_null();
    if (stops) break;
  }
  return at;
}

/// Whether a value is not beyond the bound, seen from the row.
bool Frames::reaches(const FrameBound& bound, const Value& value,
                     const Value& base, bool is_end) {
  const Value& offset = is_end ? end_offset_ : start_offset_;
  if (compare(offset, zero_like(offset)) < 0) {
    (void)halt_.raise("22013",
                      "invalid preceding or following size in window function");
    return true;
  }
  const bool is_descending = call_.order_by[0].is_descending;
  const bool subtracts = (bound.kind == Bound::Preceding) != is_descending;
  const bool wants_less = is_end != is_descending;
  Value limit;
  if (base.kind() == Kind::Integer) {
    std::int64_t sum = 0;
    const bool overflows =
        subtracts
            ? __builtin_sub_overflow(base.integer(), offset.integer(), &sum)
            : __builtin_add_overflow(base.integer(), offset.integer(), &sum);
    if (overflows) return subtracts ? !wants_less : wants_less;
    limit = Value::integer(sum);
  } else if (base.kind() == Kind::Numeric) {
    limit = subtracts ? subtract_numeric(base, offset, halt_)
                      : add_numeric(base, offset, halt_);
  } else {
    limit = time_arithmetic(subtracts ? Op::Subtract : Op::Add,
                            as_timestamp(base), offset, halt_);
  }
  if (halt_.is_set()) return true;
  const int order = compare(as_timestamp(value), limit);
  return wants_less ? order <= 0 : order >= 0;
}

}  // namespace txscope::sql
