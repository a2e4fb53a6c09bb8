#pragma once

#include "read/sql/plpgsql/rooms/pl_room.h"

namespace txscope::sql::plpgsql {

/// GET DIAGNOSTICS, of an error or of the last statement.
class Diagnostics : public PlRoom {
 public:
  using PlRoom::PlRoom;

  void get_diagnostics(PlBlock& out);

 private:
  void stacked_diagnostics(Span start, PlBlock& out);
};

}  // namespace txscope::sql::plpgsql
