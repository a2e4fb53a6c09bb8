#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "read/sql/analyze/room.h"

namespace txscope::sql::analyzer {

/// FROM: tables, views, joins, subqueries and functions that give rows.
class FromClause : public Room {
 public:
  using Room::Room;

  std::optional<Target> rows_target(const Node& value);
  Relation view_target(const PgQuery__RangeVar& node, const View& written);
  std::optional<Expr> shown_rows(std::optional<Expr> where);
  void from_clause(Query& query, const PgQuery__SelectStmt& node);
  std::vector<std::uint32_t> from_item(Query& query, const Node& node,
                                       bool is_right_side);
  std::uint32_t add_table(Query& query, const PgQuery__RangeVar& node);
  void add_relation(Query& query, Relation relation, RelationNames names);

 private:
  std::shared_ptr<Query> rows_of_call(const PgQuery__FuncCall& call);
  std::uint32_t add_function(Query& query, const PgQuery__RangeFunction& node);
  std::shared_ptr<Query> recordset(const PgQuery__FuncCall& call,
                                   const std::string& name,
                                   const PgQuery__RangeFunction& node);
  std::shared_ptr<Query> set_function(SetKind kind, const std::string& name,
                                      std::vector<Expr> args, Span at);
  std::shared_ptr<Query> rows_of_own(const PgQuery__FuncCall& call);
  std::vector<std::uint32_t> join(Query& query, const PgQuery__JoinExpr& node,
                                  bool is_right_side);
  std::uint32_t add_subquery(Query& query, const PgQuery__RangeSubselect& node);
  void check_full_join(const Join& join, const std::vector<std::uint32_t>& left,
                       std::uint32_t right);
  /// `shown`: where * begins to show this join.
  Expr using_condition(const PgQuery__JoinExpr& node, std::size_t shown,
                       const std::vector<std::uint32_t>& left,
                       const std::vector<std::uint32_t>& right);
};

}  // namespace txscope::sql::analyzer
