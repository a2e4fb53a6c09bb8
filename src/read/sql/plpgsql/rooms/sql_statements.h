#pragma once

#include "read/sql/plpgsql/rooms/pl_room.h"

namespace txscope::sql::plpgsql {

/// Statements that go to the database as they are.
class SqlStatements : public PlRoom {
 public:
  using PlRoom::PlRoom;

  void sql_statement(PlBlock& out);
  void perform(PlBlock& out);
  void call(PlBlock& out);

 private:
  std::optional<Span> cut_into(std::size_t from, std::size_t to,
                               Targets& targets, bool& is_strict);
  [[nodiscard]] bool is_of_others(const Tree& tree) const;
};

}  // namespace txscope::sql::plpgsql
