#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "read/sql/analyze/room.h"

namespace txscope::sql::analyzer {

/// Other words for what there is: SIMILAR TO, BETWEEN SYMMETRIC, ANY, settings.
class Synonyms : public Room {
 public:
  using Room::Room;

  std::optional<Expr> more_function(const PgQuery__FuncCall& node,
                                    std::string_view name, Span at);
  Expr between_symmetric(const PgQuery__AExpr& node);
  Expr similar(const PgQuery__AExpr& node);
  Expr power(Expr a, Expr b, Span at);
  /// x LIKE ANY (ARRAY[...]): each item by itself.
  Expr any_pattern(const PgQuery__AExpr& node);
  /// x < ANY (SELECT ...)
  Expr any_row(const PgQuery__SubLink& node);

 private:
  std::optional<Expr> setting(const PgQuery__FuncCall& node,
                              std::string_view name, Span at);
  std::optional<Expr> json_path_function(const PgQuery__FuncCall& node,
                                         std::string_view name, Span at);
};

}  // namespace txscope::sql::analyzer
