#include "engine/innodb/key_order.h"

#include <algorithm>

namespace txscope::engine {
namespace {

/// Whether WHERE says what the column is, so that there is nothing to sort.
bool is_fixed(const sql::Expr& where, std::uint32_t column) {
  using sql::Op;
  if (where.op == Op::And) {
    return std::any_of(
        where.args.begin(), where.args.end(),
        [&](const sql::Expr& part) { return is_fixed(part, column); });
  }
  const auto is_it = [&](const sql::Expr& e) {
    return e.op == Op::Column && e.level == 0 && e.index == column;
  };
  const auto is_known = [](const sql::Expr& e) {
    return e.op == Op::Constant || e.op == Op::Variable;
  };
  return where.op == Op::Equal &&
         ((is_it(where.args[0]) && is_known(where.args[1])) ||
          (is_it(where.args[1]) && is_known(where.args[0])));
}

}  // namespace

KeyOrder key_order(const std::vector<sql::SortKey>& order_by,
                   const std::optional<sql::Expr>& where,
                   const sql::Table& table) {
  if (order_by.empty()) return KeyOrder::Ascending;
  if (!table.has_primary_key) return KeyOrder::None;
  const auto& key = table.unique.front().columns;
  bool is_descending = false;
  std::size_t i = 0;
  for (const sql::SortKey& sort : order_by) {
    if (i == key.size()) break;
    const bool is_column =
        sort.expr.op == sql::Op::Column && sort.expr.level == 0;
    if (is_column && where && is_fixed(*where, sort.expr.index)) continue;
    if (i == 0) is_descending = sort.is_descending;
    if (!is_column || sort.expr.index != key[i] ||
        sort.is_descending != is_descending) {
      return KeyOrder::None;
    }
    ++i;
  }
  return is_descending ? KeyOrder::Descending : KeyOrder::Ascending;
}

}  // namespace txscope::engine
