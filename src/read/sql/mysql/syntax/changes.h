#pragma once

#include "read/sql/mysql/syntax/room.h"

namespace txscope::sql::syntax {

/// INSERT, REPLACE, UPDATE, DELETE.
class Changes : public Room {
 public:
  using Room::Room;

  Node* insert(bool replaces);
  Node* update();
  Node* remove();
  /// (1, 2), (3, DEFAULT)
  PgQuery__SelectStmt* value_rows();

 private:
  List set_items();
  PgQuery__OnConflictClause* on_duplicate();
  void returning(std::size_t& count, Node**& items);
  bool name_columns(PgQuery__JoinExpr& join);
  Node* all_joined(const List& tables);
  Node* split_target(Node* tables, std::string_view wanted, List& others,
                     List& conditions);
  Node* all_of(const List& conditions);
  [[nodiscard]] std::string_view table_with(const List& tables,
                                            std::string_view column) const;
};

}  // namespace txscope::sql::syntax
