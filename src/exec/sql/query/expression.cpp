#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>

#include "exec/sql/builtin/builtin.h"
#include "exec/sql/query/evaluation.h"
#include "exec/sql/query/fold.h"
#include "exec/sql/query/plans.h"
#include "exec/sql/value/cast.h"
#include "exec/sql/value/compare.h"
#include "exec/sql/value/date.h"
#include "exec/sql/value/numeric.h"
#include "exec/sql/value/real.h"
#include "exec/sql/value/text.h"
#include "exec/sql/value/times.h"
#include "exec/sql/writer/sequence_value.h"
#include "model/sql/value/collation.h"
#include "model/sql/value/leading_number.h"
#include "model/sql/value/parse_value.h"

namespace txscope::sql {
namespace {

/// Texts are kept for the life of the process.
constexpr std::size_t kMaxText = std::size_t{1} << 20;

bool is_comparison(Op op) { return op >= Op::Equal && op <= Op::GreaterEqual; }

bool compares(Op op, int order) {
  switch (op) {
    case Op::Equal: return order == 0;
    case Op::NotEqual: return order != 0;
    case Op::Less: return order < 0;
    case Op::LessEqual: return order <= 0;
    case Op::Greater: return order > 0;
    default: return order >= 0;
  }
}

/// MySQL has a code of its own for what it computes.
Value out_of_range(const Type& type, Halt& halt) {
  if (type.of != 0) return halt.raise("1690", "BIGINT value is out of range");
  return halt.raise("22003", to_string(Type{type.name}) + " out of range");
}

/// `a = b` with NULL unknown.
Value equal(const Value& a, const Value& b) {
  if (a.is_null() || b.is_null()) return {};
  return Value::boolean(compare(a, b) == 0);
}

}  // namespace

Value Evaluation::eval(const Expr& e, const Scope& scope) {
  switch (e.op) {
    case Op::Constant: return e.value;
    case Op::Variable: return slots_[e.index];
    case Op::Column: {
      const Scope* s = &scope;
      for (std::uint32_t i = e.level; i > 0; --i) s = s->outer;
      return (*s->rows[e.relation])[e.index];
    }
    case Op::Aggregate: {
      const Scope* s = &scope;
      for (std::uint32_t i = e.level; i > 0; --i) s = s->outer;
      return s->aggregates[e.index];
    }
    case Op::Window: return scope.windows[e.index];
    default: break;
  }
  if (depth_ >= kMaxDepth)
    return halt_.raise_ours("an expression that nests too deep");
  const bool was_set = halt_.is_set();
  ++depth_;
  const Value value = compute(e, scope);
  --depth_;
  if (!halt_.is_set()) return value;
  if (halt_.is_error() && !was_set && folds_) {
    // An operand that planning has made superfluous does not fail.
    if (const auto known = folded(routines_, e, constants())) {
      halt_.clear();
      return *known;
    }
  }
  halt_.place(e.at);
  return {};
}

bool Evaluation::are_true(std::span<const Expr* const> conjuncts,
                          const Scope& scope) {
  return std::all_of(conjuncts.begin(), conjuncts.end(),
                     [&](const Expr* e) { return is_true(*e, scope); });
}

Value Evaluation::compute(const Expr& e, const Scope& scope) {
  switch (e.op) {
    case Op::And: return conjunction(e, scope, false);
    case Op::Or: return conjunction(e, scope, true);
    case Op::Not:
    case Op::IsNull:
    case Op::IsTrue:
    case Op::IsFalse:
    case Op::Negate:
    case Op::Lower:
    case Op::Upper:
    case Op::Length:
    case Op::Abs:
    case Op::Floor:
    case Op::Ceil:
    case Op::Cast: return unary(e, scope);
    case Op::Round:
      if (e.args.size() == 1) return unary(e, scope);
      return binary(e, scope);
    case Op::Like: return like_match(e, scope);
    case Op::Case:
    case Op::Coalesce: return choose(e, scope);
    case Op::Greatest:
    case Op::Least: return extreme(e, scope);
    case Op::Scalar: return scalar(e, scope);
    case Op::Exists: return exists(e, scope);
    case Op::InQuery: return in_query(e, scope);
    case Op::InList: return in_list(e, scope);
    case Op::Builtin: return builtin(e, scope);
    case Op::Function: return call(e, scope);
    default: return binary(e, scope);
  }
}

Value Evaluation::conjunction(const Expr& e, const Scope& scope, bool is_or) {
  bool has_null = false;
  for (const Expr& arg : e.args) {
    const Value v = eval(arg, scope);
    if (v.is_null())
      has_null = true;
    else if (v.is_true() == is_or)
      return v;
    if (halt_.is_set()) return {};
  }
  return has_null ? Value() : Value::boolean(!is_or);
}

Value Evaluation::unary(const Expr& e, const Scope& scope) {
  const Value v = eval(e.args[0], scope);
  if (e.op == Op::IsNull) return Value::boolean(v.is_null());
  if (e.op == Op::IsTrue) return Value::boolean(v.is_true());
  if (e.op == Op::IsFalse) return Value::boolean(!v.is_null() && !v.is_true());
  if (v.is_null() || halt_.is_set()) return {};
  const bool is_numeric = v.kind() == Kind::Numeric;
  switch (e.op) {
    case Op::Not: return Value::boolean(!v.is_true());
    case Op::Abs:
      if (is_numeric) return v.digits() < 0 ? negate_numeric(v) : v;
      if (v.kind() == Kind::Float)
        return Value::real(std::fabs(v.real()), v.scale() != 0);
      if (v.kind() == Kind::Integer && v.integer() >= 0) return v;
      [[fallthrough]];
    case Op::Negate:
      if (is_numeric) return negate_numeric(v);
      if (v.kind() == Kind::Float)
        return Value::real(-v.real(), v.scale() != 0);
      if (v.kind() == Kind::Interval) return negate_interval(v, halt_);
      return integers(e, 0, v.integer());
    case Op::Lower: return lower(v);
    case Op::Upper: return upper(v);
    case Op::Length:
      return Value::integer(static_cast<std::int64_t>(length(v.text())));
    case Op::Floor:
      if (v.kind() == Kind::Float) return Value::real(std::floor(v.real()));
      return is_numeric ? floor_numeric(v) : v;
    case Op::Ceil:
      if (v.kind() == Kind::Float) return Value::real(std::ceil(v.real()));
      return is_numeric ? ceil_numeric(v) : v;
    case Op::Round:
      if (v.kind() == Kind::Float) return Value::real(std::rint(v.real()));
      return is_numeric ? round_numeric(v, 0, halt_) : v;
    default:
      if (e.index == kLeadingNumber)
        return v.kind() == Kind::Text ? leading_number(v.text()) : v;
      return cast(
          v, e.type,
          e.index == 1 ? CastContext::Assignment : CastContext::Explicit,
          halt_);
  }
}

Value Evaluation::binary(const Expr& e, const Scope& scope) {
  const Value a = eval(e.args[0], scope);
  const Value b = eval(e.args[1], scope);
  if (e.op == Op::IsDistinct) {
    if (a.is_null() || b.is_null())
      return Value::boolean(a.is_null() != b.is_null());
    return Value::boolean(compare(a, b) != 0);
  }
  if (e.op == Op::NullIf) {
    if (a.is_null() || b.is_null()) return a;
    return compare(a, b) == 0 ? Value() : a;
  }
  if (a.is_null() || b.is_null() || halt_.is_set()) return {};
  if (is_comparison(e.op)) return Value::boolean(compares(e.op, compare(a, b)));
  if (e.op == Op::Concat) {
    if (a.text().size() + b.text().size() > kMaxText)
      return halt_.raise_ours("a text of more than 1 MB");
    return Value::text(a.text() + b.text());
  }
  if (e.op == Op::Round) return round_numeric(a, b.integer(), halt_);
  return arithmetic(e, a, b);
}

Value Evaluation::builtin(const Expr& e, const Scope& scope) {
  std::vector<Value> args;
  args.reserve(e.args.size());
  for (const Expr& arg : e.args) args.push_back(eval(arg, scope));
  if (halt_.is_set()) return {};
  if (static_cast<Builtin>(e.index) == Builtin::Setting) {
    const auto number = static_cast<std::size_t>(args[0].integer());
    if (settings_ == nullptr || number >= settings_->size()) return {};
    return (*settings_)[number];
  }
  if (is_volatile(static_cast<Builtin>(e.index)))
    return sequence_value(e, args[0], store_, halt_);
  return call_builtin(e, args, halt_);
}

Value Evaluation::arithmetic(const Expr& e, const Value& a, const Value& b) {
  const auto is_time = [](const Value& v) {
    return v.kind() >= Kind::Timestamp && v.kind() <= Kind::Interval;
  };
  if (is_time(a) || is_time(b)) return time_arithmetic(e.op, a, b, halt_);
  if (a.kind() == Kind::Float) return real_arithmetic(e.op, a, b, halt_);
  if (a.kind() == Kind::Date || b.kind() == Kind::Date) {
    if (e.op == Op::Add) return fit_date(a.integer() + b.integer(), halt_);
    const std::int64_t days = a.integer() - b.integer();
    if (b.kind() == Kind::Date) return Value::integer(days);
    return fit_date(days, halt_);
  }
  if (a.kind() == Kind::Integer && b.kind() == Kind::Integer)
    return integers(e, a.integer(), b.integer());
  switch (e.op) {
    case Op::Add: return add_numeric(a, b, halt_);
    case Op::Subtract: return subtract_numeric(a, b, halt_);
    case Op::Multiply: return multiply_numeric(a, b, halt_);
    case Op::Divide: return divide_numeric(a, b, halt_);
    default: return modulo_numeric(a, b, halt_);
  }
}

Value Evaluation::integers(const Expr& e, std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  bool overflows = false;
  switch (e.op) {
    case Op::Add: overflows = __builtin_add_overflow(a, b, &result); break;
    case Op::Multiply: overflows = __builtin_mul_overflow(a, b, &result); break;
    case Op::Divide:
    case Op::Modulo:
      if (b == 0) return halt_.raise("22012", "division by zero");
      if (b == -1) {  // the smallest number has no opposite
        if (e.op == Op::Divide)
          overflows = __builtin_sub_overflow(0, a, &result);
      } else {
        result = e.op == Op::Divide ? a / b : a % b;
      }
      break;
    default: overflows = __builtin_sub_overflow(a, b, &result); break;
  }
  if (overflows || !fits(result, e.type.name))
    return out_of_range(e.type, halt_);
  return Value::integer(result);
}

Value Evaluation::choose(const Expr& e, const Scope& scope) {
  if (e.op == Op::Coalesce) {
    for (const Expr& arg : e.args) {
      const Value v = eval(arg, scope);
      if (!v.is_null() || halt_.is_set()) return v;
    }
    return {};
  }
  std::size_t i = 0;
  for (; i + 1 < e.args.size(); i += 2) {
    const bool is_taken = is_true(e.args[i], scope);
    if (halt_.is_set()) return {};
    if (is_taken) return eval(e.args[i + 1], scope);
  }
  return i < e.args.size() ? eval(e.args[i], scope) : Value();
}

Value Evaluation::extreme(const Expr& e, const Scope& scope) {
  Value best;
  for (const Expr& arg : e.args) {
    const Value v = eval(arg, scope);
    if (halt_.is_set()) return {};
    if (v.is_null()) continue;
    if (best.is_null()) {
      best = v;
      continue;
    }
    const int order = compare(v, best);
    if (e.op == Op::Greatest ? order > 0 : order < 0) best = v;
  }
  return best;
}

Value Evaluation::like_match(const Expr& e, const Scope& scope) {
  const Value text = eval(e.args[0], scope);
  const Value pattern = eval(e.args[1], scope);
  const Value escape =
      e.args.size() > 2 ? eval(e.args[2], scope) : Value::text("\\");
  if (text.is_null() || pattern.is_null() || escape.is_null() || halt_.is_set())
    return {};
  const auto collation =
      joint_collation(static_cast<std::uint16_t>(text.scale()),
                      static_cast<std::uint16_t>(pattern.scale()));
  if (collation != kGeneralCi)
    return like(text.text(), pattern.text(), escape.text(), halt_);
  return like(weights(text.text(), collation),
              weights(pattern.text(), collation),
              weights(escape.text(), collation), halt_);
}

// PostgreSQL makes an array of two or more elements without columns, all of
// which are evaluated, and joins the others to it by OR.
Value Evaluation::in_list(const Expr& e, const Scope& scope) {
  const Value v = eval(e.args[0], scope);
  bool has_null = false;
  bool is_found = false;
  const auto look_at = [&](const Expr& element) {
    const Value equals = equal(v, eval(element, scope));
    has_null |= equals.is_null();
    is_found |= equals.is_true();
  };
  const auto is_plain = [](const Expr& element) {
    return element.op == Op::Constant || element.op == Op::Variable ||
           element.op == Op::Column;
  };
  const bool is_all_plain =
      std::all_of(e.args.begin() + 1, e.args.end(), is_plain);
  if (is_all_plain) {
    for (std::size_t i = 1; i < e.args.size() && !is_found; ++i)
      look_at(e.args[i]);
  } else {
    const auto has_column = [](const Expr& element) {
      return facts_of(element).relations != 0;
    };
    const auto eager =
        std::count_if(e.args.begin() + 1, e.args.end(),
                      [&](const Expr& arg) { return !has_column(arg); });
    for (std::size_t i = 1; i < e.args.size() && eager > 1; ++i)
      if (!has_column(e.args[i])) look_at(e.args[i]);
    for (std::size_t i = 1; i < e.args.size() && !is_found; ++i)
      if (eager <= 1 || has_column(e.args[i])) look_at(e.args[i]);
  }
  if (is_found) return Value::boolean(true);
  return has_null ? Value() : Value::boolean(false);
}

Evaluation::Subquery& Evaluation::subquery(const Expr& e) {
  for (const auto& known : subqueries_)
    if (known->expr == &e) return *known;
  subqueries_.push_back(std::make_unique<Subquery>());
  subqueries_.back()->expr = &e;
  const auto known = routines_.plans().is_constant(*e.query);
  subqueries_.back()->is_constant =
      known ? *known : facts_of(*e.query).reach == 0;
  return *subqueries_.back();
}

Value Evaluation::scalar(const Expr& e, const Scope& scope) {
  Subquery& cached = subquery(e);
  if (cached.is_known) return cached.value;
  const std::vector<Row> rows = rows_of(*e.query, &scope, 2);
  if (halt_.is_set()) return {};
  if (rows.size() > 1)
    return halt_.raise(
        "21000",
        "more than one row returned by a subquery used as an expression");
  cached.value = rows.empty() ? Value() : rows[0][0];
  cached.is_known = cached.is_constant;
  return cached.value;
}

Value Evaluation::exists(const Expr& e, const Scope& scope) {
  Subquery& cached = subquery(e);
  if (cached.is_known) return cached.value;
  const Value value = Value::boolean(!rows_of(*e.query, &scope, 1).empty());
  if (halt_.is_set()) return {};
  cached.value = value;
  cached.is_known = cached.is_constant;
  return value;
}

Value Evaluation::in_query(const Expr& e, const Scope& scope) {
  Row row;
  row.reserve(e.args.size());
  for (const Expr& arg : e.args) row.push_back(eval(arg, scope));
  Subquery& cached = subquery(e);
  if (cached.is_constant) run_in_query(e, scope, cached);
  if (halt_.is_set()) return {};
  if (cached.is_known) return in_rows(row, cached.rows);
  return in_rows(row, rows_of(*e.query, &scope, 0));
}

void Evaluation::run_in_query(const Expr& e, const Scope& scope,
                              Subquery& cached) {
  if (cached.is_known) return;
  cached.rows = rows_of(*e.query, &scope, 0);
  cached.is_known = !halt_.is_set();
}

void Evaluation::run_subqueries(const Expr& e, const Scope& scope) {
  for (const Expr& arg : e.args) run_subqueries(arg, scope);
  if (e.query == nullptr || halt_.is_set()) return;
  if (e.op == Op::InQuery)
    run_in_query(e, scope, subquery(e));
  else
    (void)eval(e, scope);
}

Value Evaluation::in_rows(const Row& row, std::span<const Row> rows) {
  bool has_null = false;
  for (const Row& other : rows) {
    bool is_unknown = false;
    bool is_equal = true;
    for (std::size_t i = 0; i < row.size() && is_equal; ++i) {
      const Value equals = equal(row[i], other[i]);
      is_unknown |= equals.is_null();
      is_equal = equals.is_null() || equals.is_true();
    }
    if (is_equal && !is_unknown) return Value::boolean(true);
    has_null |= is_equal;
  }
  return has_null ? Value() : Value::boolean(false);
}

}  // namespace txscope::sql
