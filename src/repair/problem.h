#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/product/profile.h"
#include "model/repair.h"
#include "model/sql/application.h"

namespace txscope::repair {

/// What goes wrong, and where: all that kinds of repairs look at.
struct Problem {
  enum class Kind : std::uint8_t { Race, Deadlock };
  Kind kind = Kind::Race;
  /// The user's text, that is edited; places are places in it.
  std::string_view text;
  bool is_mysql = false;  ///< it is in MySQL's syntax
  /// Null: the text is a `.txn` program.
  const sql::Application* application = nullptr;
  /// The level in use; null: one of theory, where a lock is a plain read.
  const Profile* profile = nullptr;
  /// Statements of the run that shows it, in its order; of a `.txn` program its
  /// reads.
  std::vector<Span> steps;
  /// What the run's transactions are; empty: any.
  std::vector<sql::RoutineId> routines;
  /// Statements that are no steps of the run are not to be changed.
  bool has_only_steps = false;
  /// Levels that could be used instead, the weakest first.
  std::vector<const Profile*> levels;
  /// Transactions that `--@ level` can give one of them, each alone; empty: a
  /// level is for all.
  std::vector<std::string> transactions;
};

/// One change of the text, or of the level.
struct Change {
  std::string what;  ///< in words
  std::vector<Edit> edits;
  std::vector<Repair::Lock> locks;
  std::string level;  ///< instead of edits
};

/// The statements that the run's transactions send to the database: those of
/// the run first, in its order, then all others.
[[nodiscard]] std::vector<const sql::DbStatement*> statements_of(
    const Problem& problem);
/// Those of them that may be changed.
[[nodiscard]] std::vector<const sql::DbStatement*> changeable_statements_of(
    const Problem& problem);
/// The routines of the run's transactions, or all.
[[nodiscard]] std::vector<const sql::Routine*> routines_of(
    const Problem& problem);
/// The routine that has a statement; null: none.
[[nodiscard]] const sql::Routine* routine_with(const Problem& problem,
                                               const sql::DbStatement& one);

/// "line 12", or "line 12 of shop.sql" where the text is of several files.
[[nodiscard]] std::string line_of(const Problem& problem, Span at);

/// A statement of DDL at the end of the file that makes a table.
[[nodiscard]] Edit at_the_end(const Problem& problem, const sql::Table& table,
                              const std::string& statement);

/// Of an application in SQL; the rest is to be filled in.
[[nodiscard]] Problem problem_of(const sql::Application& application,
                                 const Profile* profile);

}  // namespace txscope::repair
