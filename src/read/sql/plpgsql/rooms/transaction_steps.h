#pragma once

#include "read/sql/plpgsql/rooms/pl_room.h"

namespace txscope::sql::plpgsql {

/// Savepoints of a script, SET CONSTRAINTS.
class TransactionSteps : public PlRoom {
 public:
  using PlRoom::PlRoom;

  void savepoint(PlSavepoint::Kind kind, PlBlock& out);
  void set_constraints(PlBlock& out);
};

}  // namespace txscope::sql::plpgsql
