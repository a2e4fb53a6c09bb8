#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "read/sql/analyze/room.h"

namespace txscope::sql::analyzer {

/// Values: constants, conditions, casts, subqueries; whatever has no room of
/// its own goes on from here.
class Expressions : public Room {
 public:
  using Room::Room;

  Expr expr(const Node* node);
  Expr boolean(const Node* node, std::string_view where);
  /// Refuses a subquery in what we would evaluate several times.
  void refuse_query(const Expr& e, std::string_view where) const;
  std::vector<Expr> exprs(NodeList nodes);
  /// Converts all to their common type.
  Type match(std::vector<Expr>& all, std::string_view what);

  /// An expression over the columns of a row (CHECK), or of no table.
  Expr of_row(const Node& node, const Table* table,
              TableId id = kNone<TableId>);

 private:
  Expr dispatch(const Node& node);
  Expr column_ref(const PgQuery__ColumnRef& ref);
  Expr constant_of(const PgQuery__AConst& node);
  Expr bool_expr(const PgQuery__BoolExpr& node);
  Expr case_expr(const PgQuery__CaseExpr& node);
  Expr boolean_test(const PgQuery__BooleanTest& node);
  Expr null_test(const PgQuery__NullTest& node);
  std::optional<Expr> record_null_test(const PgQuery__NullTest& node);
  Expr type_cast(const PgQuery__TypeCast& node);
  std::optional<Expr> number_of_bits(const PgQuery__TypeCast& node,
                                     const Type& to);
  Expr sub_link(const PgQuery__SubLink& node);
  std::optional<Expr> known_exists(const PgQuery__SubLink& node, Span at) const;
  Expr in_query(const PgQuery__SubLink& node);
};

}  // namespace txscope::sql::analyzer
