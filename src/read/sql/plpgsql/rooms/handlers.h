#pragma once

#include "read/sql/plpgsql/rooms/pl_room.h"

namespace txscope::sql::plpgsql {

/// EXCEPTION WHEN ... THEN ...
class Handlers : public PlRoom {
 public:
  using PlRoom::PlRoom;

  void handlers(PlBlock body, Span start, PlBlock& out);

 private:
  std::vector<std::string> conditions();
};

}  // namespace txscope::sql::plpgsql
