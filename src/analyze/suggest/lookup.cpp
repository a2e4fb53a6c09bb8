#include "analyze/suggest/lookup.h"

#include <algorithm>

namespace txscope::analyze {
namespace {

using sql::Expr;
using sql::Op;

bool add_equality(const Expr& e, Lookup& to) {
  if (e.op == Op::And)
    return std::all_of(e.args.begin(), e.args.end(),
                       [&](const Expr& arg) { return add_equality(arg, to); });
  if (e.op != Op::Equal) return false;
  for (const std::size_t side : {0, 1}) {
    const Expr& column = without_casts(e.args[side]);
    const Expr& value = without_casts(e.args[1 - side]);
    if (column.op != Op::Column || column.level != 0) continue;
    if (value.op == Op::Constant && !value.value.is_null())
      to.rows.fixed.emplace_back(column.index, value.value);
    else if (value.op == Op::Variable)
      to.by.emplace(column.index, value_name(value));
    else
      return false;
    return true;
  }
  return false;
}

}  // namespace

std::string value_name(const Expr& e) {
  const Expr& inner = without_casts(e);
  if (inner.op == Op::Variable) return "$" + std::to_string(inner.index);
  if (inner.op == Op::Constant && !inner.value.is_null())
    return to_string(inner.value);
  return "";
}

std::optional<Lookup> lookup_of(const sql::Query& query) {
  if (query.relations.size() != 1 || !query.where ||
      query.relations[0].table == kNone<TableId> || query.having ||
      !query.group_by.empty())
    return std::nullopt;
  Lookup lookup;
  lookup.rows.table = query.relations[0].table;
  if (!add_equality(*query.where, lookup)) return std::nullopt;
  return lookup;
}

}  // namespace txscope::analyze
