#pragma once

#include "read/sql/plpgsql/rooms/pl_room.h"

namespace txscope::sql::plpgsql {

/// RAISE and ASSERT.
class Raises : public PlRoom {
 public:
  using PlRoom::PlRoom;

  void raise(PlBlock& out);
  void assertion(PlBlock& out);
  void set_sqlstate(PlRaise& raise, std::string_view code, Span where) const;
  std::string constant_text(std::size_t i);

 private:
  void raise_message(PlRaise& raise, PlBlock& out);
  void raise_options(PlRaise& raise, PlBlock& out);
};

}  // namespace txscope::sql::plpgsql
