#include "audit/rows/key_condition.h"

#include "exec/sql/query/halt.h"
#include "exec/sql/value/cast.h"
#include "exec/sql/value/compare.h"
#include "exec/sql/value/numeric.h"

namespace txscope::audit {

using sql::Expr;
using sql::Op;
using sql::Row;
using sql::Value;

std::optional<Value> constant(const Expr& e, const sql::LogStatement& s) {
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
      std::int64_t result = 0;
      if (!a || !b || a->kind() != sql::Kind::Integer ||
          b->kind() != sql::Kind::Integer ||
          (e.op == Op::Add
               ? __builtin_add_overflow(a->integer(), b->integer(), &result)
               : __builtin_sub_overflow(a->integer(), b->integer(), &result)))
        return std::nullopt;
      return Value::integer(result);
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
