#pragma once

#include "read/sql/plpgsql/rooms/pl_room.h"

namespace txscope::sql::plpgsql {

/// DECLARE: variables, records, cursors.
class Declarations : public PlRoom {
 public:
  using PlRoom::PlRoom;

  void declarations(PlBlock& out, bool is_nested);

 private:
  void declaration(PlBlock& out, bool is_nested);
  void cursor_declaration(const std::string& name, Span at);
  void scalar_declaration(const std::string& name, Span at, bool is_constant,
                          PlBlock& out, bool is_nested);
  bool row_declaration(const std::string& name, Span at, std::size_t from,
                       std::size_t to);
  Type declared_type(std::size_t from, std::size_t to);
  void add_row(const std::string& name, const Table& table, Span at);
};

}  // namespace txscope::sql::plpgsql
