#pragma once

#include "read/sql/plpgsql/rooms/pl_room.h"

namespace txscope::sql::plpgsql {

/// IF, CASE, loops, EXIT.
class Controls : public PlRoom {
 public:
  using PlRoom::PlRoom;

  void if_statement(PlBlock& out);
  void case_statement(PlBlock& out);
  void loop_statement(const std::string& label, PlBlock& out);
  void while_statement(const std::string& label, PlBlock& out);
  void for_statement(const std::string& label, PlBlock& out);
  void foreach_statement(const std::string& label, PlBlock& out);
  void exit_statement(PlBlock& out, bool is_continue);

 private:
  void for_range(const Label& label, std::size_t name, std::size_t dots,
                 std::size_t loop, PlBlock& out, Span at);
  void for_query(const Label& label, const Targets& targets, PlBlock& out,
                 Span at);
  void for_cursor(const Label& label, std::size_t name, PlBlock& out, Span at);
  PlBlock loop_body(const Label& label);
};

}  // namespace txscope::sql::plpgsql
