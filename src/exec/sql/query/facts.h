#pragma once

#include <cstdint>
#include <functional>

#include "model/sql/expr.h"

namespace txscope::sql {

/// What an expression or query depends on.
struct Facts {
  /// Relations of the query that the expression stands in; bit 63 stands for
  /// all from there on.
  std::uint64_t relations = 0;
  /// How many queries out the furthest name reaches; 0: none, the value of a
  /// subquery is the same wherever it is evaluated.
  std::uint32_t reach = 0;
  /// Has a subquery or a call of a function, which may scan tables.
  bool has_query = false;
  /// One of those is not the same for all rows of the query.
  bool has_open_query = false;
};

[[nodiscard]] Facts facts_of(const Expr& expr);
/// Of a subquery; `relations` are those of the query around it.
[[nodiscard]] Facts facts_of(const Query& query);

/// Calls `on_column` for every column of the query that `expr` stands in,
/// wherever it is named.
void for_each_column(const Expr& expr,
                     const std::function<void(const Expr&)>& on_column);

}  // namespace txscope::sql
