#pragma once

#include <cstdint>

#include "model/sql/expr.h"
#include "model/sql/walk.h"

namespace txscope::sql {

/// The same value whatever the row: structure and names, not places.
[[nodiscard]] bool is_same(const Expr& a, const Expr& b);
[[nodiscard]] bool is_same(const WindowCall& a, const WindowCall& b);
/// PARTITION BY and ORDER BY are.
[[nodiscard]] bool has_same_order(const WindowCall& a, const WindowCall& b);
/// Whether it names a column of the query that is `level`s out.
[[nodiscard]] bool mentions_column(const Expr& e, std::uint32_t level);
[[nodiscard]] bool has_aggregate(const Expr& e);
[[nodiscard]] bool has_window(const Expr& e);
[[nodiscard]] bool has_query(const Expr& e);

/// The expressions of a query, with the number of queries around them up to
/// that which stands `level`s out of it; those of subqueries inside them are
/// the caller's.
template <class Visit>
void for_each_expr(const Query& query, std::uint32_t level, Visit visit) {
  for_each_part(
      query, [&](const Expr& e) { visit(e, level); },
      [&](const Query& inside) { for_each_expr(inside, level + 1, visit); });
}

}  // namespace txscope::sql
