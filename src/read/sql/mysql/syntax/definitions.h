#pragma once

#include "read/sql/mysql/syntax/room.h"

namespace txscope::sql::syntax {

/// CREATE and DROP.
class Definitions : public Room {
 public:
  using Room::Room;

  Node* create();
  Node* drop();

 private:
  Node* create_sequence();
  Node* create_view();
  Node* create_routine(bool is_procedure);
  Node* create_trigger();
  void definer();
};

}  // namespace txscope::sql::syntax
