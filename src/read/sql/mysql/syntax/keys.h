#pragma once

#include <string>

#include "read/sql/mysql/syntax/room.h"

namespace txscope::sql::syntax {

/// Keys, indexes and constraints.
class Keys : public Room {
 public:
  using Room::Room;

  /// A key or a constraint of a table, in CREATE TABLE or behind ADD; false: it
  /// is a column.
  bool table_constraint(List& elements, PgQuery__RangeVar* table);
  Node* create_index(bool is_unique);
  PgQuery__Constraint* constraint(PgQuery__ConstrType kind, std::int32_t where);
  /// REFERENCES t (a) ON DELETE ...
  void reference(PgQuery__Constraint& constraint);

 private:
  void index_options();
  Node* index(PgQuery__RangeVar* table, const std::string& name,
              bool is_unique);
  List key_parts();
};

}  // namespace txscope::sql::syntax
