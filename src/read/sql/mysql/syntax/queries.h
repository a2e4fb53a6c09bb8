#pragma once

#include "read/sql/mysql/syntax/room.h"

namespace txscope::sql::syntax {

/// SELECT, with everything around it.
class Queries : public Room {
 public:
  using Room::Room;

  Node* select_statement();
  Node* query_expression();
  List select_items();
  List order_by();
  List from_list();
  /// What LIMIT and OFFSET say.
  Node* limit();
  [[nodiscard]] bool is_query_start() const;

 private:
  PgQuery__SelectStmt* query_term();
  PgQuery__SelectStmt* query_primary();
  PgQuery__SelectStmt* plain_select();
  void fetch_first(PgQuery__SelectStmt& select);
  void order_and_limit(PgQuery__SelectStmt& select);
  void locking(PgQuery__SelectStmt& select);
  PgQuery__WithClause* with_clause();
  void into();
  Node* joined_table();
  Node* table_factor();
  [[nodiscard]] bool is_joined_query() const;
};

}  // namespace txscope::sql::syntax
