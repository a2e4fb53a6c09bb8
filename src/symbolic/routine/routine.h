#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/last_ends.h"
#include "base/budget.h"
#include "model/sql/application.h"
#include "symbolic/query/query.h"
#include "symbolic/routine/path.h"

namespace txscope::symbolic {

/// What the statements of a routine are run on.
class RoutineDatabase {
 public:
  virtual ~RoutineDatabase() = default;
  [[nodiscard]] virtual std::vector<ResultRow> query(
      const sql::Query& select) = 0;
  /// INSERT, UPDATE or DELETE: how many rows it changes.
  [[nodiscard]] virtual smt::Term execute(
      const sql::DbStatement& statement) = 0;
  /// How many rows an UPDATE has found that were so already.
  [[nodiscard]] virtual smt::Term unchanged() const = 0;
  /// Of RETURNING.
  [[nodiscard]] virtual const std::vector<ResultRow>& returned() const = 0;
  /// A block with handlers begins.
  virtual void begin_block() = 0;
  /// It ends; where `fails`, what it wrote is undone.
  virtual void end_block(smt::Term fails) = 0;
};

struct RoutineContext {
  const sql::Application& application;
  std::uint64_t rounds = 8;  ///< of loops whose end depends on inputs
  const Budget& budget;
  unsigned depth = 0;  ///< of calls
  /// What comes when the routine at hand is over.
  analysis::Behind behind = analysis::Behind::Nothing;
};

/// What a routine leaves.
struct RoutineEnd {
  std::vector<SqlTerm> slots;
  SqlTerm result;  ///< of a function
};

/// The slots of a routine that is called with arguments.
[[nodiscard]] std::vector<SqlTerm> slots_of(SqlTerms& terms,
                                            const sql::Routine& routine,
                                            std::span<const SqlTerm> arguments);

/// Runs a routine's statements once, all paths side by side.  `path.alive` says
/// when the statement at hand runs; variables and rows change under it, and how
/// paths end is added to it.  Throws Unsupported.
[[nodiscard]] RoutineEnd run_routine(RoutineContext& context,
                                     SymbolicPath& path, RoutineDatabase& on,
                                     const sql::Routine& routine,
                                     std::vector<SqlTerm> slots);

}  // namespace txscope::symbolic
