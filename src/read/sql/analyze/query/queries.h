#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "read/sql/analyze/room.h"

namespace txscope::sql::analyzer {

/// SELECT: its list, groups, order and locks.
class Queries : public Room {
 public:
  using Room::Room;

  std::shared_ptr<Query> query(const PgQuery__SelectStmt& node);
  /// `max_rows`: more are never looked at; 0: all are.
  std::shared_ptr<Query> subquery(const Node* node, Span at,
                                  std::uint64_t max_rows = 0);
  std::vector<Target> target_list(NodeList nodes);
  SortKey sort_key(const PgQuery__SortBy& item, Expr e);
  void order_by(Query& query, NodeList nodes);
  void limit(Query& query, const PgQuery__SelectStmt& node);

 private:
  void refuse_clauses(const PgQuery__SelectStmt& node);
  void expand_star(const PgQuery__ColumnRef& ref, std::vector<Target>& targets);
  void group_by(Query& query, NodeList nodes);
  std::optional<Expr> output_column(const Query& query, const Node& node,
                                    std::string_view clause);
  void locking(Query& query, NodeList nodes);
  void distinct_on(Query& query, NodeList nodes);

  /// The SELECT of an EXISTS, which may have no columns.
  const PgQuery__SelectStmt* bare_ = nullptr;
};

}  // namespace txscope::sql::analyzer
