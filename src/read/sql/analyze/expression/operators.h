#pragma once

#include <string>
#include <string_view>

#include "read/sql/analyze/room.h"

namespace txscope::sql::analyzer {

/// What stands between values: comparisons, arithmetic, patterns, lists.
class Operators : public Room {
 public:
  using Room::Room;

  Expr a_expr(const PgQuery__AExpr& node);
  Expr binary(std::string_view op, Expr a, Expr b, Span at);
  Expr comparison(Op op, Expr a, Expr b, Span at, std::string_view name);
  Expr arithmetic(Op op, Expr a, Expr b, Span at, std::string_view name);
  void check_ordered(Op op, const Type& type, Span at,
                     std::string_view name) const;
  Expr concatenation(Expr a, Expr b, Span at);
  Expr regular_expression(std::string_view op, Expr a, Expr b, Span at);
  [[noreturn]] void no_operator(std::string_view op, const Expr& a,
                                const Expr& b, Span at);

 private:
  /// NULLIF of MySQL.
  Expr null_if(Expr a, Expr b, Span at);
  Expr like(const PgQuery__AExpr& node);
  Expr between(const PgQuery__AExpr& node);
  Expr in_list(const PgQuery__AExpr& node);
  Expr row_in_list(const PgQuery__AExpr& node);
  Expr scalar_in_list(const PgQuery__AExpr& node);
  Expr unary(std::string_view op, const Node* operand, Span at);
};

}  // namespace txscope::sql::analyzer
