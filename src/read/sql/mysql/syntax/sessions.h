#pragma once

#include "read/sql/mysql/syntax/room.h"

namespace txscope::sql::syntax {

/// TRUNCATE, CALL, transactions, SET.
class Sessions : public Room {
 public:
  using Room::Room;

  Node* truncate();
  Node* call_statement();
  Node* transaction();
  Node* set_statement();

 private:
  void assignment();
};

}  // namespace txscope::sql::syntax
