#pragma once

#include "read/sql/plpgsql/rooms/pl_room.h"

namespace txscope::sql::plpgsql {

/// OPEN, FETCH, CLOSE.
class Cursors : public PlRoom {
 public:
  using PlRoom::PlRoom;

  Cursor& cursor_at(std::size_t i);
  void open_bound(Cursor& cursor, Span at, PlBlock& out);
  void open_cursor(PlBlock& out);
  void fetch(PlBlock& out);
  void close_cursor(PlBlock& out);
  void check_no_lock(const DbStatement& query, Span at) const;
};

}  // namespace txscope::sql::plpgsql
