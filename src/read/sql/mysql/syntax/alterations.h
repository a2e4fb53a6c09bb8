#pragma once

#include "read/sql/mysql/syntax/room.h"

namespace txscope::sql::syntax {

/// ALTER TABLE and RENAME TABLE.
class Alterations : public Room {
 public:
  using Room::Room;

  Node* alter_table();
  Node* rename_table();
  Node* command(PgQuery__AlterTableType kind, std::string_view name, Node* def);

 private:
  void alter(PgQuery__RangeVar* table, List& commands);
  void redefine(const std::string& old, List& commands,
                PgQuery__RangeVar* table);
};

}  // namespace txscope::sql::syntax
