#include "exec/sql/builtin/builtin.h"
#include "exec/sql/value/range_value.h"

namespace txscope::sql {
namespace {

/// int4range(lower, upper [, bounds]) and the like.
Value constructed(const Expr& e, std::span<const Value> args, Halt& halt) {
  Range range;
  range.lower = args[0];
  range.upper = args[1];
  if (args.size() > 2) {
    if (args[2].is_null()) {
      return halt.raise("22000",
                        "range constructor flags argument must not be null");
    }
    const std::string& flags = args[2].text();
    if (flags != "[)" && flags != "[]" && flags != "(]" && flags != "()")
      return halt.raise("42601", "invalid range bound flags");
    range.has_lower = flags[0] == '[';
    range.has_upper = flags[1] == ']';
  }
  return made_range(range, e.type.element, halt);
}

}  // namespace

Value made_range(const Range& range, TypeName element, Halt& halt) {
  RangeFault fault = RangeFault::None;
  const Value made = make_range(range, element, fault);
  switch (fault) {
    case RangeFault::None: break;
    case RangeFault::Order:
      return halt.raise("22000",
                        "range lower bound must be less than or equal to range "
                        "upper bound");
    case RangeFault::Integer:
      if (element == TypeName::Date)
        return halt.raise("22008", "date out of range");
      return halt.raise("22003", to_string(Type{element}) + " out of range");
  }
  return made;
}

Value call_range(const Expr& e, std::span<const Value> args, Halt& halt) {
  const auto function = static_cast<Builtin>(e.index);
  if (function == Builtin::MakeRange) return constructed(e, args, halt);
  const Range range = range_of(args[0]);
  switch (function) {
    case Builtin::RangeLower: return range.lower;
    case Builtin::RangeUpper: return range.upper;
    case Builtin::RangeIsEmpty: return Value::boolean(range.is_empty);
    case Builtin::RangeLowerIn: return Value::boolean(range.has_lower);
    case Builtin::RangeUpperIn: return Value::boolean(range.has_upper);
    case Builtin::RangeLowerOpen:
      return Value::boolean(!range.is_empty && range.lower.is_null());
    case Builtin::RangeUpperOpen:
      return Value::boolean(!range.is_empty && range.upper.is_null());
    case Builtin::RangeHas: return Value::boolean(contains(range, args[1]));
    case Builtin::RangeContains:
      return Value::boolean(contains(range, range_of(args[1])));
    case Builtin::RangeOverlaps:
      return Value::boolean(overlap(range, range_of(args[1])));
    case Builtin::RangeBefore:
      return Value::boolean(is_before(range, range_of(args[1])));
    default: return {};
  }
}

}  // namespace txscope::sql
