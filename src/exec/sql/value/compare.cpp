#include "exec/sql/value/compare.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "exec/sql/value/numeric.h"
#include "model/sql/value/calendar.h"
#include "model/sql/value/collation.h"
#include "model/sql/value/interval.h"
#include "model/sql/value/range.h"

namespace txscope::sql {

namespace {

/// NaN equals itself and is larger than all others.
int compare_reals(double a, double b) {
  if (std::isnan(a) || std::isnan(b))
    return static_cast<int>(std::isnan(a)) - static_cast<int>(std::isnan(b));
  return a < b ? -1 : a > b ? 1 : 0;
}

/// Item by item, NULLs last, then the shorter one first.
int compare_arrays(const Value& a, const Value& b) {
  const auto& x = a.items();
  const auto& y = b.items();
  for (std::size_t i = 0; i < std::min(x.size(), y.size()); ++i) {
    const int order = x[i].is_null() || y[i].is_null()
                          ? static_cast<int>(x[i].is_null()) -
                                static_cast<int>(y[i].is_null())
                          : compare(x[i], y[i]);
    if (order != 0) return order;
  }
  return x.size() < y.size() ? -1 : x.size() > y.size() ? 1 : 0;
}

}  // namespace

int compare(const Value& a, const Value& b) {
  if (a.kind() == Kind::Numeric || b.kind() == Kind::Numeric)
    return compare_numeric(a, b);
  if (a.kind() == Kind::Text) {
    if (a == b) return 0;
    const std::uint16_t collation =
        joint_collation(static_cast<std::uint16_t>(a.scale()),
                        static_cast<std::uint16_t>(b.scale()));
    return compare_texts(a.text(), b.text(), collation);
  }
  if (a.kind() == Kind::Float) return compare_reals(a.real(), b.real());
  if (a.kind() == Kind::Array || a.kind() == Kind::Row)
    return compare_arrays(a, b);
  if (a.kind() == Kind::Range) return compare_ranges(range_of(a), range_of(b));
  if (a.kind() == Kind::Interval) {
    const Int128 x = length_of(a);
    const Int128 y = length_of(b);
    return x < y ? -1 : x > y ? 1 : 0;
  }
  return a.integer() < b.integer() ? -1 : a.integer() > b.integer() ? 1 : 0;
}

Value canonical(const Value& value) {
  switch (value.kind()) {
    case Kind::Numeric: return strip_zeros(value);
    case Kind::Text: {
      const auto collation = static_cast<std::uint16_t>(value.scale());
      return is_padded(collation)
                 ? Value::text(sort_key(value.text(), collation))
                 : value;
    }
    case Kind::Float:
      // -0 equals 0.
      return Value::real(value.real() == 0 ? 0 : value.real());
    case Kind::Interval: {
      const Int128 length = length_of(value);
      const auto days = static_cast<std::int32_t>(length / kMicrosPerDay);
      return Value::interval(0, days,
                             static_cast<std::int64_t>(length % kMicrosPerDay));
    }
    case Kind::Array:
    case Kind::Row: {
      std::vector<Value> items;
      for (const Value& item : value.items()) items.push_back(canonical(item));
      return value.kind() == Kind::Row ? Value::row(items)
                                       : Value::array(items);
    }
    case Kind::Range: {
      const auto& bounds = value.items();
      const std::array<Value, 2> same = {canonical(bounds[0]),
                                         canonical(bounds[1])};
      return Value::range(same, value.flags());
    }
    default: return value;
  }
}

}  // namespace txscope::sql
