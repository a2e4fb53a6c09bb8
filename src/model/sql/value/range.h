#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "model/sql/type.h"
#include "model/sql/value/value.h"

namespace txscope::sql {

/// What a Value of Kind::Range is: integers, numerics, dates or timestamps
/// between two bounds.
struct Range {
  bool is_empty = false;
  Value lower;  ///< NULL: none
  Value upper;
  bool has_lower = true;  ///< the bound itself is in it
  bool has_upper = false;
};

[[nodiscard]] Range range_of(const Value& value);

/// Why two bounds make no range.
enum class RangeFault : std::uint8_t {
  None,
  Order,   ///< the lower bound is above the upper one
  Integer  ///< or Date: a bound that is moved does not fit its type any more
};
/// The value in the form in which PostgreSQL keeps it: of integers and dates
/// with the lower bound in it and the upper one not; no bound is not in it;
/// what has nothing in it is empty.  NULL if there is a fault.
[[nodiscard]] Value make_range(Range range, TypeName element,
                               RangeFault& fault);

/// The order of two values that ranges are made of.
[[nodiscard]] int compare_elements(const Value& a, const Value& b);
/// PostgreSQL's order: empty ones first, then by lower and upper bounds.
[[nodiscard]] int compare_ranges(const Range& a, const Range& b);
[[nodiscard]] bool overlap(const Range& a, const Range& b);
[[nodiscard]] bool contains(const Range& a, const Range& b);
[[nodiscard]] bool contains(const Range& range, const Value& element);
/// All of `a` is below all of `b`; so never if one is empty.
[[nodiscard]] bool is_before(const Range& a, const Range& b);

/// A range as it is written: [1,5), empty, ["2024-01-01 10:00",).
struct RangeText {
  bool is_empty = false;
  std::optional<std::string> lower;
  std::optional<std::string> upper;
  bool has_lower = true;
  bool has_upper = false;
};
[[nodiscard]] std::optional<RangeText> split_range(std::string_view text);
[[nodiscard]] std::string range_text(const Value& range);

}  // namespace txscope::sql
