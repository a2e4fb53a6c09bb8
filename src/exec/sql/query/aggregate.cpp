#include "exec/sql/query/aggregate.h"

#include <algorithm>
#include <string>

#include "exec/sql/value/cast.h"
#include "exec/sql/value/numeric.h"
#include "exec/sql/value/real.h"
#include "exec/sql/value/row_order.h"
#include "exec/sql/value/to_json.h"
#include "model/sql/builtin.h"
#include "model/sql/value/json.h"

namespace txscope::sql {
namespace {

bool collects(AggregateKind kind) { return kind >= AggregateKind::ArrayAgg; }

/// What was collected, in the order of ORDER BY inside the aggregate.
std::vector<Value> sorted(const Aggregate& aggregate,
                          std::vector<Value> items) {
  const std::size_t first =
      aggregate.kind == AggregateKind::JsonObjectAgg ? 2 : 1;
  const auto is_before = [&](const Value& a, const Value& b) {
    for (std::size_t k = 0; k < aggregate.order.size(); ++k) {
      const auto [is_descending, nulls_first] = aggregate.order[k];
      const int order =
          compare_sorted(a.items()[first + k], b.items()[first + k],
                         is_descending, nulls_first);
      if (order != 0) return order < 0;
    }
    return false;
  };
  std::stable_sort(items.begin(), items.end(), is_before);
  return items;
}

std::string joined(const std::vector<Value>& items) {
  std::string all;
  bool is_first = true;
  for (const Value& item : items) {
    const auto& parts = item.items();
    if (!is_first && !parts.back().is_null()) all += parts.back().text();
    is_first = false;
    all += parts[0].text();
  }
  return all;
}

Value collected(const Aggregate& aggregate, const std::vector<Value>& items,
                Halt& halt) {
  const std::vector<Value> all = sorted(aggregate, items);
  const Expr& argument = *aggregate.argument;
  // FILTER is a CASE around it.
  const std::vector<Expr>& args =
      argument.op == Op::Case ? argument.args[1].args : argument.args;
  if (aggregate.kind == AggregateKind::ArrayAgg) {
    std::vector<Value> values;
    values.reserve(all.size());
    for (const Value& item : all) values.push_back(item.items()[0]);
    return Value::array(values);
  }
  if (aggregate.kind == AggregateKind::StringAgg)
    return Value::text(joined(all));
  const bool is_object = aggregate.kind == AggregateKind::JsonObjectAgg;
  // PostgreSQL puts rows and arrays on lines of their own.
  const bool has_rows =
      !is_object &&
      (args[0].type.name == TypeName::Array ||
       (args[0].op == Op::Builtin &&
        args[0].index == static_cast<std::uint32_t>(Builtin::RowToJson)));
  std::string text;
  for (const Value& item : all) {
    const auto& parts = item.items();
    if (!text.empty()) text += has_rows ? ", \n " : ", ";
    if (is_object) {
      if (parts[0].is_null())
        return halt.raise("22004", "field name must not be null");
      text += quoted_json(to_string(parts[0])) + " : " +
              json_of(parts[1], args[1].type);
    } else {
      text += json_of(parts[0], args[0].type);
    }
  }
  text = is_object ? "{ " + text + " }" : "[" + text + "]";
  if (aggregate.type.name == TypeName::Jsonb)
    text = canonical_json(text).value_or(text);
  return Value::text(text);
}

}  // namespace

void Accumulator::add(const Aggregate& aggregate, const Value& value,
                      Halt& halt) {
  if (aggregate.kind == AggregateKind::CountRows) {
    ++count_;
    return;
  }
  if (value.is_null()) return;
  if (aggregate.kind == AggregateKind::StringAgg && value.items()[0].is_null())
    return;
  if (aggregate.is_distinct && !seen_.insert(canonical(value)).second) return;
  ++count_;
  if (collects(aggregate.kind)) {
    items_.push_back(value);
    return;
  }
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
  if (collects(aggregate.kind))
    return items_.empty() ? Value() : collected(aggregate, items_, halt);
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
