#include "exec/sql/aggregate.h"

#include "exec/sql/cast.h"
#include "exec/sql/compare.h"
#include "exec/sql/numeric.h"
#include "exec/sql/real.h"

namespace txscope::sql {

void Accumulator::add(const Aggregate& aggregate, const Value& value,
                      Halt& halt) {
  if (aggregate.kind == AggregateKind::CountRows) {
    ++count_;
    return;
  }
  if (value.is_null()) return;
  if (aggregate.is_distinct && !seen_.insert(canonical(value)).second) return;
  ++count_;
  switch (aggregate.kind) {
    case AggregateKind::Sum:
    case AggregateKind::Avg:
      if (value.kind() == Kind::Float) {
        value_ =
            count_ == 1 ? value : real_arithmetic(Op::Add, value_, value, halt);
        break;
      }
      value_ =
          add_numeric(count_ == 1 ? Value::integer(0) : value_, value, halt);
      break;
    // Of values that compare equal, as 1.0 and 1.00, the last one counts.
    case AggregateKind::Min:
      if (count_ == 1 || compare(value_, value) >= 0) value_ = value;
      break;
    case AggregateKind::Max:
      if (count_ == 1 || compare(value_, value) <= 0) value_ = value;
      break;
    case AggregateKind::BoolAnd:
      value_ =
          Value::boolean((count_ == 1 || value_.is_true()) && value.is_true());
      break;
    case AggregateKind::BoolOr:
      value_ =
          Value::boolean((count_ > 1 && value_.is_true()) || value.is_true());
      break;
    default: break;
  }
}

Value Accumulator::result(const Aggregate& aggregate, Halt& halt) const {
  switch (aggregate.kind) {
    case AggregateKind::CountRows:
    case AggregateKind::Count: return Value::integer(count_);
    case AggregateKind::Avg:
      if (count_ == 0) return {};
      if (value_.kind() == Kind::Float)
        return Value::real(value_.real() / static_cast<double>(count_));
      return divide_numeric(value_, Value::integer(count_), halt);
    case AggregateKind::Sum:
      return cast(value_, aggregate.type, CastContext::Explicit, halt);
    default: return value_;
  }
}

}  // namespace txscope::sql
