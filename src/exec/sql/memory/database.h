#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "exec/sql/query/evaluate.h"
#include "exec/sql/routine/process.h"
#include "exec/sql/writer/session_numbers.h"

namespace txscope::sql {

struct TableRows;

/// The tables of an application in memory, for one session at a time: every
/// statement with all constraints, transactions that can be rolled back.  The
/// reference for serial runs, and what the setup is run on.  A value: copies
/// are cheap (tables are shared until written) and independent.
class MemoryDatabase {
 public:
  /// Empty tables, sequences at their start.
  explicit MemoryDatabase(const Routines& routines);

  /// The application's setup, run on empty tables.
  [[nodiscard]] static Evaluated<MemoryDatabase> after_setup(
      const Routines& routines, const Budget& budget);

  /// Runs a step of the setup.
  [[nodiscard]] Evaluated<Done> run_step(const SetupStep& step,
                                         const Budget& budget);
  [[nodiscard]] const Routines& routines() const { return *routines_; }

  /// Runs one statement.  A failing one changes nothing but sequences.
  [[nodiscard]] Evaluated<StatementResult> execute(
      const DbStatement& statement, std::span<const Value> slots,
      const Budget& budget, std::uint64_t max_rows = 0,
      const ConstraintModes* modes = nullptr,
      const std::vector<Value>* settings = nullptr);

  /// Runs a whole transaction: commits, or rolls back on an error.
  struct Ran {
    Request::Kind kind = Request::Kind::Returned;  ///< never Statement
    Process process;                               ///< as it ended
    StatementResult last;                          ///< of its last statement
  };
  [[nodiscard]] Ran run(const Call& call, const Budget& budget);

  /// The rows of then; numbers of sequences that were taken since stay taken.
  void roll_back_to(const MemoryDatabase& then) { tables_ = then.tables_; }

  /// Whether a property's condition is true here: its value (false, NULL).
  /// `variables` are the values of Property::variables.
  [[nodiscard]] Evaluated<Value> holds(const Property& property,
                                       std::span<const Value> variables,
                                       const Budget& budget) const;

  /// By primary key; without one in the order of insertion.
  [[nodiscard]] std::vector<Row> rows(TableId table) const;
  /// Numbers taken so far, by sequence: what the next one will be.
  [[nodiscard]] std::span<const std::int64_t> sequences() const {
    return sequences_;
  }

  /// The same rows and the same numbers to come.
  [[nodiscard]] std::uint64_t hash() const;
  friend bool operator==(const MemoryDatabase&, const MemoryDatabase&);

 private:
  const Routines* routines_;
  std::vector<std::shared_ptr<const TableRows>> tables_;
  std::vector<std::int64_t> sequences_;
  SessionNumbers numbers_;            ///< of the call that runs
  bool leaves_foreign_keys_ = false;  ///< as Database's
  std::size_t setup_position_ = static_cast<std::size_t>(-1);
};

/// Runs the calls of all sessions one after the other: `order` names the
/// session whose next call runs.
struct SerialRun {
  MemoryDatabase database;
  std::vector<MemoryDatabase::Ran> ran;  ///< by position in `order`
};
[[nodiscard]] SerialRun run_serially(const MemoryDatabase& initial,
                                     const Application& application,
                                     std::span<const std::uint32_t> order,
                                     const Budget& budget);

}  // namespace txscope::sql
