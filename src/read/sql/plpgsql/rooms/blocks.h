#pragma once

#include "read/sql/plpgsql/rooms/pl_room.h"

namespace txscope::sql::plpgsql {

/// Blocks, the statements in them, and which kind each is.
class Blocks : public PlRoom {
 public:
  using PlRoom::PlRoom;

  void block(const std::string& label, PlBlock& out);
  void statements(PlBlock& out, bool is_loop = false);
  void statement(PlBlock& out);

 private:
  void reset_records(PlBlock& out, Span at);
  bool simple_statement(std::string_view word, PlBlock& out);
  bool set_setting();
  [[noreturn]] void unsupported_statement(std::string_view word);
};

}  // namespace txscope::sql::plpgsql
