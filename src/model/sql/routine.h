#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/result.h"
#include "model/sql/statement.h"

namespace txscope::sql {

using RoutineId = Id<struct RoutineTag>;
using CursorId = Id<struct CursorTag>;
using LabelId = Id<struct LoopTag>;

struct PlStatement;
using PlBlock = std::vector<PlStatement>;

// The statements of PL/pgSQL.  Variables are slots; a record or %ROWTYPE is one
// slot per field.  Expr here never looks at tables: an expression that does was
// turned into an Execute that puts its value into a hidden slot first, and a
// call of an own VOLATILE function into a CallRoutine likewise (refused where
// that would change when it is evaluated, as under AND or CASE).

struct PlAssign {
  std::uint32_t slot = 0;
  Expr value;  ///< cast to the variable's type
};
/// Sends a statement; `into` gets the columns of its first row.
struct PlExecute {
  DbStatement statement;
  std::vector<std::uint32_t> into;  ///< slots; empty: rows are thrown away
  std::vector<Type> into_types;     ///< to which the columns are cast
  bool is_strict = false;           ///< exactly one row, else an error
  bool allows_none = false;     ///< of these: MySQL's, where none is no error
  bool is_expression = false;   ///< does not set FOUND or ROW_COUNT
  bool counts_changes = false;  ///< MySQL's ROW_COUNT: rows that are new now
};
struct PlCall {
  RoutineId routine;
  std::vector<Expr> arguments;
  /// Slots that get a function's value or a procedure's OUT and INOUT
  /// parameters, in order; empty: thrown away.
  std::vector<std::uint32_t> into;
  /// PERFORM f(...) and SELECT f(...) INTO set FOUND and ROW_COUNT.
  bool sets_found = false;
};
struct PlIf {
  struct Arm {
    Expr condition;
    PlBlock body;
    /// What has to run before `condition` can be evaluated.
    PlBlock before;
  };
  std::vector<Arm> arms;
  PlBlock otherwise;
  /// A CASE statement without ELSE: an error if no arm is taken.
  bool must_match = false;
};
/// LOOP; WHILE has a condition, evaluated before each round after `before`.
struct PlLoop {
  LabelId label;  ///< every loop has one of its own
  std::optional<Expr> condition;
  PlBlock before;
  PlBlock body;
};
/// FOR i IN [REVERSE] from..to [BY step]
struct PlForRange {
  LabelId label;
  std::uint32_t slot = 0;
  Expr from;
  Expr to;
  std::optional<Expr> step;
  bool is_reverse = false;
  PlBlock body;
};
/// FOR r IN query | FOR r IN cursor.  All rows are those of the moment when it
/// started.  FOUND afterwards: whether there was a round.
struct PlForRows {
  LabelId label;
  std::optional<CursorId> cursor;  ///< opened for the loop, closed after it
  DbStatement query;
  std::vector<std::uint32_t> into;
  std::vector<Type> into_types;
  PlBlock body;
};
struct PlExit {
  LabelId label;
  bool is_continue = false;
  /// EXIT of a labelled block that is no loop has the block's label.
};
/// A labelled BEGIN block that is no loop, for EXIT.
struct PlLabelled {
  LabelId label;
  PlBlock body;
};
struct PlReturn {
  std::optional<Expr> value;
};
/// RAISE EXCEPTION: the transaction ends here, aborted.  (NOTICE and the like
/// do nothing and are left out.)  SQLSTATE 00000 is the ROLLBACK of a script.
struct PlRaise {
  std::string message;  ///< format with % for each argument
  std::vector<Expr> arguments;
  std::string sqlstate = "P0001";
  /// RAISE alone, in a handler: the error in its slots again.
  struct Again {
    std::uint32_t state_slot = 0;
    std::uint32_t message_slot = 0;
  };
  std::optional<Again> again = {};
};
/// BEGIN ... EXCEPTION WHEN ... END: `body` is a sub-transaction.  An error in
/// it undoes what it wrote; then the first handler that names the error runs.
struct PlTry {
  struct Handler {
    /// SQLSTATEs; one that ends in 000 stands for its class.  Empty: OTHERS,
    /// all but assert_failure and query_canceled.
    std::vector<std::string> conditions;
    PlBlock body;
  };
  PlBlock body;
  std::vector<Handler> handlers;
  std::uint32_t state_slot = 0;    ///< SQLSTATE in the handlers
  std::uint32_t message_slot = 0;  ///< SQLERRM
  /// All handlers do nothing but raise an error: whatever commits, commits as
  /// if there were none.
  bool raises_again = false;
  /// MySQL's: no sub-transaction.  What was done before the statement that
  /// failed stays, and transactions may end inside of it.
  bool keeps_work = false;
};
/// SAVEPOINT and the like of a script.  An error goes on at the next ROLLBACK
/// TO that can be done.
struct PlSavepoint {
  enum class Kind : std::uint8_t { Set, RollBackTo, Release };
  Kind kind = Kind::Set;
  std::string name;
};
/// SET CONSTRAINTS; no names: ALL.
struct PlSetConstraints {
  std::vector<std::string> names;
  bool is_deferred = false;
};
/// COMMIT or ROLLBACK in a procedure: a new transaction begins.
struct PlEnd {
  bool is_commit = true;
};
struct PlOpen {
  CursorId cursor;
  DbStatement query;
};
/// FETCH [NEXT] FROM c INTO ...; FOUND says whether there was a row.
struct PlFetch {
  CursorId cursor;
  std::vector<std::uint32_t> into;
  std::vector<Type> into_types;
};
struct PlClose {
  CursorId cursor;
};
/// GET DIAGNOSTICS slot = ROW_COUNT
struct PlRowCount {
  std::uint32_t slot = 0;
};
struct PlStatement {
  Span at;  ///< without the blocks inside it
  std::variant<PlAssign, PlExecute, PlCall, PlIf, PlLoop, PlForRange, PlForRows,
               PlExit, PlLabelled, PlReturn, PlRaise, PlOpen, PlFetch, PlClose,
               PlRowCount, PlTry, PlSavepoint, PlSetConstraints, PlEnd>
      what;
};

struct Variable {
  std::string name;  ///< "v", "r.field"; empty: hidden
  Type type;
  bool is_constant = false;
  bool is_not_null = false;
  Span at;
};

struct CursorVariable {
  std::string name;
  /// name CURSOR FOR ...: what it opens is known to the whole transaction by
  /// that name.  Else a refcursor.
  bool is_bound = false;
};

/// FOUND is a variable like others, at this slot of every routine.
inline constexpr std::uint32_t kFoundSlot = 0;

enum class Volatility : std::uint8_t { Volatile, Stable, Immutable };

/// A procedure, a function, or a script (the statements between BEGIN and
/// COMMIT of a session's annotation, as a procedure without parameters).
/// Slots: FOUND, then the parameters, then everything else.
struct Routine {
  std::string name;
  bool is_function = false;
  Volatility volatility = Volatility::Volatile;
  std::vector<Variable> variables;
  std::uint32_t parameters = 0;  ///< slots 1 .. parameters
  /// OUT and INOUT parameters, whose values the caller gets.
  std::vector<std::uint32_t> out_slots;
  Type result;  ///< of a function
  /// Its value is the row of its OUT slots; `result` is void.
  bool returns_row = false;
  std::vector<CursorVariable> cursors;
  std::uint32_t labels = 0;
  PlBlock body;
  Span at;
  bool is_script = false;  ///< of a session: BEGIN; ... COMMIT;
  bool is_block = false;   ///< DO, which the setup runs once
  /// Why it cannot run, if so: its body was not read.
  std::shared_ptr<const Error> problem;
};

}  // namespace txscope::sql
