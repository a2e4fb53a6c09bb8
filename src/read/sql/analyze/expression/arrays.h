#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "read/sql/analyze/room.h"

namespace txscope::sql::analyzer {

/// Arrays and ranges: what makes them, subscripts, their operators and
/// functions.
class Arrays : public Room {
 public:
  using Room::Room;

  Expr array_of_rows(const PgQuery__SubLink& node);
  Expr any_of(Expr value, Expr array, std::string_view op, bool is_all,
              Span at);
  Expr array_expr(const PgQuery__AArrayExpr& node, std::optional<Type> wanted);
  Expr indirection(const PgQuery__AIndirection& node);
  Expr any_array(const PgQuery__AExpr& node);
  std::optional<Expr> array_function(const PgQuery__FuncCall& node,
                                     std::string_view name, Span at);
  std::optional<Expr> container_operator(std::string_view op, Expr& a, Expr& b,
                                         Span at);
  std::optional<Expr> range_function(const PgQuery__FuncCall& node,
                                     std::string_view name, Span at);
  /// lower(range), isempty(range), ...
  std::optional<Expr> property_of_range(std::string_view name, Expr& range,
                                        Span at);
  std::optional<Expr> range_operator(std::string_view op, Expr& a, Expr& b,
                                     Span at);
};

}  // namespace txscope::sql::analyzer
