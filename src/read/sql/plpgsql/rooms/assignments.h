#pragma once

#include "read/sql/plpgsql/rooms/pl_room.h"

namespace txscope::sql::plpgsql {

/// What is assigned to, and what to it.
class Assignments : public PlRoom {
 public:
  using PlRoom::PlRoom;

  Binding assignable(std::size_t& i, Span& at);
  Targets targets(std::size_t& i, std::size_t end);
  void row_assignment(const Binding& target, Span where, Span start,
                      std::size_t end, PlBlock& out);
  void assignment(PlBlock& out);

 private:
  void item_assignment(PlBlock& out);
};

}  // namespace txscope::sql::plpgsql
