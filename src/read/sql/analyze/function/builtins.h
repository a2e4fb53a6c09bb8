#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "read/sql/analyze/room.h"

namespace txscope::sql::analyzer {

/// Functions of texts, times and JSON, and those that are only a table's row.
class Builtins : public Room {
 public:
  using Room::Room;

  std::optional<Expr> time_arithmetic(Op op, Expr& a, Expr& b, Span at,
                                      std::string_view name);
  std::optional<Expr> more_builtin(const PgQuery__FuncCall& node,
                                   std::string_view name, Span at);
  Expr row_as_json(std::vector<Target> row, Type type, Span at) const;
  Expr now(Type type, Span at) const;
  Expr sql_value(const PgQuery__SQLValueFunction& node);

 private:
  std::optional<Expr> plain_function(const PgQuery__FuncCall& node,
                                     std::string_view name, Span at);
  std::optional<Expr> time_function(const PgQuery__FuncCall& node,
                                    std::string_view name, Span at);
  std::optional<Expr> json_function(const PgQuery__FuncCall& node,
                                    std::string_view name, Span at);
  std::optional<Expr> other_function(const PgQuery__FuncCall& node,
                                     std::string_view name, Span at);
  std::optional<Expr> make_interval(const PgQuery__FuncCall& node, Span at);
  std::optional<Expr> overlaps(const PgQuery__FuncCall& node, Span at);
};

}  // namespace txscope::sql::analyzer
