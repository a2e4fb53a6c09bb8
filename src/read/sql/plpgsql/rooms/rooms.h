#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "read/sql/plpgsql/rooms/assignments.h"
#include "read/sql/plpgsql/rooms/blocks.h"
#include "read/sql/plpgsql/rooms/commands.h"
#include "read/sql/plpgsql/rooms/controls.h"
#include "read/sql/plpgsql/rooms/cursors.h"
#include "read/sql/plpgsql/rooms/declarations.h"
#include "read/sql/plpgsql/rooms/diagnostics.h"
#include "read/sql/plpgsql/rooms/handlers.h"
#include "read/sql/plpgsql/rooms/raises.h"
#include "read/sql/plpgsql/rooms/returns.h"
#include "read/sql/plpgsql/rooms/sql_statements.h"
#include "read/sql/plpgsql/rooms/transaction_steps.h"

namespace txscope::sql::plpgsql {

/// Who reads which statements of a body, and what they know of where they are.
struct Rooms {
  Rooms(RoutineBuilder& of, const std::vector<Token>& body)
      : builder(of), tokens(body) {}
  Rooms(const Rooms&) = delete;
  Rooms& operator=(const Rooms&) = delete;

  RoutineBuilder& builder;
  const std::vector<Token>& tokens;
  std::size_t at = 0;  ///< the next token
  std::uint32_t nesting = 0;
  std::vector<Label> labels;  ///< of blocks and loops around, innermost last
  std::vector<std::size_t> declared_records;  ///< of the block we are in
  std::vector<PlRaise::Again> handling;       ///< the handlers that we are in
  std::vector<std::string> savepoints;        ///< of a script, so far

  Blocks blocks{*this};
  Declarations declarations{*this};
  Controls controls{*this};
  Handlers handlers{*this};
  Diagnostics diagnostics{*this};
  TransactionSteps transactions{*this};
  Assignments assignments{*this};
  SqlStatements sql{*this};
  Returns returns{*this};
  Cursors cursors{*this};
  Commands commands{*this};
  Raises raises{*this};
};

}  // namespace txscope::sql::plpgsql
