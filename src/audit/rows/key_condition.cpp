#include "audit/rows/key_condition.h"

#include <algorithm>
#include <limits>

#include "exec/sql/query/halt.h"
#include "exec/sql/value/cast.h"
#include "exec/sql/value/compare.h"
#include "exec/sql/value/numeric.h"
#include "model/sql/mysql/function.h"
#include "model/sql/mysql/types.h"

namespace txscope::audit {

using sql::Expr;
using sql::Op;
using sql::Row;
using sql::Value;

bool is_whole(const Value& value) {
  if (value.kind() == sql::Kind::Integer) return true;
  if (value.kind() != sql::Kind::Numeric) return false;
  const Value least = sql::canonical(value);
  return least.scale() == 0 &&
         least.digits() >= std::numeric_limits<std::int64_t>::min() &&
         least.digits() <= std::numeric_limits<std::int64_t>::max();
}

std::int64_t whole(const Value& value) {
  return value.kind() == sql::Kind::Integer
             ? value.integer()
             : static_cast<std::int64_t>(sql::canonical(value).digits());
}

const Expr* converted_number(const Expr& e) {
  if (e.op != Op::Builtin) return nullptr;
  const sql::mysql::Sort sort = sql::mysql::sort_of(e.type);
  if (sort != sql::mysql::Sort::Integer && sort != sql::mysql::Sort::Decimal)
    return nullptr;
  switch (static_cast<sql::mysql::Function>(e.index)) {
    case sql::mysql::Function::Convert:
    case sql::mysql::Function::ConvertOrFail:
    case sql::mysql::Function::Assign: return &e.args[0];
    default: return nullptr;
  }
}

namespace {

/// A whole number as that type has it; none: it has not.
std::optional<Value> converted(const Value& value, const sql::Type& type) {
  if (!is_whole(value)) return std::nullopt;
  if (sql::mysql::sort_of(type) == sql::mysql::Sort::Decimal) {
    constexpr int kMostDigits = 19;
    if (type.size != 0 && type.size - type.scale < kMostDigits)
      return std::nullopt;
    return Value::numeric(whole(value), 0);
  }
  const auto range = sql::mysql::range_of(type);
  if (whole(value) < range.low || whole(value) > range.high)
    return std::nullopt;
  return Value::integer(whole(value));
}

}  // namespace

std::optional<Value> constant(const Expr& e, const sql::LogStatement& s) {
  if (const Expr* number = converted_number(e)) {
    const auto value = constant(*number, s);
    return value ? converted(*value, e.type) : std::nullopt;
  }
  switch (e.op) {
    case Op::Constant: return e.value;
    case Op::Variable:
      if (e.index == 0 || e.index > s.parameters.size()) return std::nullopt;
      return s.parameters[e.index - 1];
    case Op::Cast: {
      const auto value = constant(e.args[0], s);
      if (!value) return std::nullopt;
      sql::Halt halt;
      const Value result = sql::cast(*value, e.type,
                                     e.index == 1 ? sql::CastContext::Assignment
                                                  : sql::CastContext::Explicit,
                                     halt);
      if (halt.is_set()) return std::nullopt;
      return result;
    }
    case Op::Add:
    case Op::Subtract: {
      const auto a = constant(e.args[0], s);
      const auto b = constant(e.args[1], s);
      if (!a || !b || !is_whole(*a) || !is_whole(*b)) return std::nullopt;
      std::int64_t result = 0;
      if (e.op == Op::Add
              ? __builtin_add_overflow(whole(*a), whole(*b), &result)
              : __builtin_sub_overflow(whole(*a), whole(*b), &result))
        return std::nullopt;
      // Of parameters without a type the sum may be numeric.
      const bool is_integer =
          a->kind() == sql::Kind::Integer && b->kind() == sql::Kind::Integer;
      return is_integer ? Value::integer(result) : Value::numeric(result, 0);
    }
    case Op::Negate: {
      const auto value = constant(e.args[0], s);
      if (!value || value->kind() != sql::Kind::Integer) return std::nullopt;
      return Value::integer(-value->integer());
    }
    default: return std::nullopt;
  }
}

bool is_column(const Expr& e, std::uint32_t column) {
  if (e.op == Op::Cast) return is_column(e.args[0], column);
  const Expr* number = converted_number(e);
  if (number != nullptr &&
      sql::mysql::sort_of(number->type) == sql::mysql::Sort::Integer)
    return is_column(*number, column);
  return e.op == Op::Column && e.level == 0 && e.relation == 0 &&
         e.index == column;
}

namespace {

void collect_conjuncts(const Expr& e, std::vector<const Expr*>& all) {
  if (e.op != Op::And) return all.push_back(&e);
  for (const Expr& arg : e.args) collect_conjuncts(arg, all);
}

}  // namespace

std::vector<const Expr*> conjuncts(const std::optional<Expr>& where) {
  std::vector<const Expr*> all;
  if (where) collect_conjuncts(*where, all);
  return all;
}

namespace {

/// Whether an expression is made of constants and variables alone.
bool has_no_row(const Expr& e) {
  switch (e.op) {
    case Op::Constant:
    case Op::Variable: return true;
    case Op::Cast:
    case Op::Add:
    case Op::Subtract:
    case Op::Negate:
      return std::all_of(e.args.begin(), e.args.end(), has_no_row);
    default: return false;
  }
}

}  // namespace

bool wants_one_key(const sql::Table& table, const std::optional<Expr>& where) {
  if (!table.has_primary_key) return false;
  const auto& key = table.unique[0].columns;
  const auto all = conjuncts(where);
  if (all.size() != key.size()) return false;
  return std::all_of(key.begin(), key.end(), [&](std::uint32_t column) {
    return std::any_of(all.begin(), all.end(), [&](const Expr* e) {
      if (e->op != Op::Equal) return false;
      const Expr& a = e->args[0];
      const Expr& b = e->args[1];
      return (is_column(a, column) && has_no_row(b)) ||
             (is_column(b, column) && has_no_row(a));
    });
  });
}

std::optional<Row> key_of(const sql::Table& table,
                          const std::optional<Expr>& where,
                          const sql::LogStatement& s,
                          std::vector<const Expr*>& rest) {
  rest = conjuncts(where);
  if (!table.has_primary_key) return std::nullopt;
  Row key;
  for (const std::uint32_t column : table.unique[0].columns) {
    std::optional<Value> found;
    for (auto e = rest.begin(); e != rest.end() && !found; ++e) {
      if ((*e)->op != Op::Equal) continue;
      for (const int side : {0, 1}) {
        const Expr& a = (*e)->args[static_cast<std::size_t>(side)];
        const Expr& b = (*e)->args[static_cast<std::size_t>(1 - side)];
        if (!is_column(a, column)) continue;
        found = constant(b, s);
        if (found) break;
      }
      if (found) {
        rest.erase(e);
        break;
      }
    }
    if (!found || found->is_null()) return std::nullopt;
    key.push_back(sql::canonical(*found));
  }
  return key;
}

}  // namespace txscope::audit
