#pragma once

#include "read/sql/plpgsql/rooms/pl_room.h"

namespace txscope::sql::plpgsql {

/// RETURN of functions, procedures and triggers.
class Returns : public PlRoom {
 public:
  using PlRoom::PlRoom;

  void return_statement(PlBlock& out);

 private:
  void return_rows(Span start, PlBlock& out);
  void copy_row(Span span, Span start, PlBlock& out);
  void return_row(Span start, Span span, PlBlock& out);
  void return_from_trigger(Span start, PlBlock& out);
};

}  // namespace txscope::sql::plpgsql
