#include "model/sql/value/range.h"

#include <array>
#include <limits>

#include "model/sql/value/numeric_order.h"
#include "model/sql/value/parse_value.h"

namespace txscope::sql {
namespace {

constexpr unsigned kEmpty = 1;
constexpr unsigned kHasLower = 2;
constexpr unsigned kHasUpper = 4;

struct Bound {
  const Value& value;
  bool is_in;
  bool is_lower;
};
Bound lower_bound_of(const Range& r) { return {r.lower, r.has_lower, true}; }
Bound upper_bound_of(const Range& r) { return {r.upper, r.has_upper, false}; }

/// Where bounds stand: a lower one that is not in it is just above its value,
/// an upper one just below.
int compare_bounds(const Bound& a, const Bound& b) {
  const auto end = [](const Bound& bound) { return bound.is_lower ? -1 : 1; };
  if (a.value.is_null() || b.value.is_null()) {
    if (a.value.is_null() && b.value.is_null())
      return a.is_lower == b.is_lower ? 0 : end(a);
    return a.value.is_null() ? end(a) : -end(b);
  }
  if (const int order = compare_elements(a.value, b.value); order != 0)
    return order;
  const auto shift = [&](const Bound& bound) {
    return bound.is_in ? 0 : -end(bound);
  };
  return shift(a) - shift(b);
}

bool is_discrete(TypeName element) {
  return element == TypeName::Integer || element == TypeName::BigInt ||
         element == TypeName::Date;
}

/// The next integer or day; false: there is none.
bool step(Value& bound, TypeName element) {
  const std::int64_t value = bound.integer();
  constexpr std::int64_t kLastDay = 2145031948;  // 5874897-12-31
  if (element == TypeName::Date) {
    if (value >= kLastDay) return false;
    bound = Value::date(value + 1);
    return true;
  }
  if (value == std::numeric_limits<std::int64_t>::max() ||
      !fits(value + 1, element)) {
    return false;
  }
  bound = Value::integer(value + 1);
  return true;
}

Value empty_range() {
  const std::array<Value, 2> none;
  return Value::range(none, kEmpty);
}

/// No value lies between the bounds.
bool has_nothing(const Range& r) {
  if (r.lower.is_null() || r.upper.is_null()) return false;
  return compare_elements(r.lower, r.upper) == 0 &&
         !(r.has_lower && r.has_upper);
}

}  // namespace

int compare_elements(const Value& a, const Value& b) {
  if (a.kind() == Kind::Numeric) return compare_numeric(a, b);
  return a.integer() < b.integer() ? -1 : a.integer() > b.integer() ? 1 : 0;
}

Range range_of(const Value& value) {
  const auto& bounds = value.items();
  const unsigned flags = value.flags();
  return {(flags & kEmpty) != 0, bounds[0], bounds[1], (flags & kHasLower) != 0,
          (flags & kHasUpper) != 0};
}

Value make_range(Range range, TypeName element, RangeFault& fault) {
  fault = RangeFault::None;
  if (range.is_empty) return empty_range();
  if (range.lower.is_null()) range.has_lower = false;
  if (range.upper.is_null()) range.has_upper = false;
  const bool is_bounded = !range.lower.is_null() && !range.upper.is_null();
  if (is_bounded && compare_elements(range.lower, range.upper) > 0) {
    fault = RangeFault::Order;
    return {};
  }
  if (has_nothing(range)) return empty_range();
  if (is_discrete(element)) {
    const bool moves_lower = !range.lower.is_null() && !range.has_lower;
    if ((moves_lower && !step(range.lower, element)) ||
        (range.has_upper && !step(range.upper, element))) {
      fault = RangeFault::Integer;
      return {};
    }
    range.has_lower = !range.lower.is_null();
    range.has_upper = false;
    if (has_nothing(range)) return empty_range();
  }
  const std::array<Value, 2> bounds = {range.lower, range.upper};
  return Value::range(bounds, (range.has_lower ? kHasLower : 0) |
                                  (range.has_upper ? kHasUpper : 0));
}

int compare_ranges(const Range& a, const Range& b) {
  if (a.is_empty || b.is_empty)
    return static_cast<int>(b.is_empty) - static_cast<int>(a.is_empty);
  const int order = compare_bounds(lower_bound_of(a), lower_bound_of(b));
  return order != 0 ? order
                    : compare_bounds(upper_bound_of(a), upper_bound_of(b));
}

bool overlap(const Range& a, const Range& b) {
  return !a.is_empty && !b.is_empty &&
         compare_bounds(lower_bound_of(a), upper_bound_of(b)) <= 0 &&
         compare_bounds(lower_bound_of(b), upper_bound_of(a)) <= 0;
}

bool contains(const Range& a, const Range& b) {
  if (b.is_empty) return true;
  return !a.is_empty &&
         compare_bounds(lower_bound_of(a), lower_bound_of(b)) <= 0 &&
         compare_bounds(upper_bound_of(a), upper_bound_of(b)) >= 0;
}

bool contains(const Range& range, const Value& element) {
  return contains(range, Range{false, element, element, true, true});
}

bool is_before(const Range& a, const Range& b) {
  return !a.is_empty && !b.is_empty &&
         compare_bounds(upper_bound_of(a), lower_bound_of(b)) < 0;
}

}  // namespace txscope::sql
