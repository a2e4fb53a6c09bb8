#pragma once

#include <cstdint>
#include <vector>

#include "model/sql/routine.h"

namespace txscope::sql {

enum class Do : std::uint8_t {
  Assign,
  Execute,     ///< asks the database, then stores what it answers
  Call,        ///< enters a routine; its Return or End leaves it
  JumpUnless,  ///< to `target` unless `condition` is true
  Jump,
  NoCase,      ///< no arm of a CASE was taken: an error
  EnterLoop,   ///< `hidden` counts its rounds
  Round,       ///< one more
  EnterRange,  ///< FOR over a range: hidden + 1, 2, 3: current, last, step
  TestRange,   ///< to `target` at its end; else sets the variable
  NextRange,   ///< to `target` unless it overflows
  EnterRows,   ///< asks the database; `cursor` gets the rows
  NextRow,     ///< to `target` at the end; else sets the variables
  LeaveLoop,   ///< forgets what the loop remembered
  LeaveFor,    ///< so, too; FOUND says whether there was a round
  Return,
  End,  ///< of the body: RETURN without saying so
  Raise,
  Open,
  Fetch,
  Close,
  RowCount,
  EnterTry,   ///< begins a sub-transaction; `hidden`: which of `handlers`
  LeaveTry,   ///< it succeeded
  Savepoint,  ///< SAVEPOINT, ROLLBACK TO, RELEASE
  SetConstraints,
  EndTransaction,
};

inline constexpr std::uint32_t kNoCursor = 0xffffffffu;

struct Instruction {
  Do what = Do::End;
  /// The instruction to go on at; of a loop its number of hidden slots.
  std::uint32_t target = 0;
  std::uint32_t hidden = 0;
  std::uint32_t cursor = 0;
  const PlStatement* statement = nullptr;
  const Expr* condition = nullptr;
};

/// One routine as flat code.  Slots beyond the variables are hidden: what loops
/// remember.  Cursors beyond the declared ones are those of FOR loops.
struct RoutineCode {
  const Routine* routine = nullptr;
  std::vector<Instruction> instructions;
  std::uint32_t slots = 0;
  std::uint32_t cursors = 0;
  /// By block with handlers: where each handler begins.
  std::vector<std::vector<std::uint32_t>> handlers;
};

[[nodiscard]] RoutineCode compile_routine(const Routine& routine);

}  // namespace txscope::sql
