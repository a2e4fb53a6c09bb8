#pragma once

#include <cstdint>
#include <vector>

#include "symbolic/routine/routine.h"
#include "symbolic/tables/tables.h"

namespace txscope::symbolic {

/// What a write sets off: the row triggers of its table, and generated columns,
/// which are such triggers, too.
class SymbolicTriggers {
 public:
  enum class Change : std::uint8_t { Insert, Update, Delete };
  /// A row that a statement inserts, changes or deletes `when`.
  struct Event {
    TableId table;
    Change change = Change::Insert;
    std::vector<std::uint32_t> columns;  ///< that an UPDATE sets
    smt::Term when;
    TermRow old;  ///< not of an INSERT
    TermRow now;  ///< not of a DELETE
  };

  SymbolicTriggers(SymbolicPath& path, SymbolicTables& tables,
                   RoutineContext& context, RoutineDatabase& on)
      : path_(path), tables_(tables), context_(context), on_(on) {}

  /// Why those of a table that is written are not followed; empty: they are.
  [[nodiscard]] static const char* refusal(const sql::Application& application,
                                           const sql::Table& table);
  [[nodiscard]] bool has_any(TableId table) const {
    return !tables_.schema().at(table).triggers.empty();
  }

  /// Those before the row, which may change `event.now`, fail, or leave the row
  /// out: `event.when` has the paths that go on.
  void before(Event& event);
  /// The change has been made: those after it are due.
  void note(Event event);
  /// The statement is over.
  void after();
  /// A trigger has run statements, between which an engine lets others in.
  [[nodiscard]] bool has_run_statements() const { return has_run_statements_; }

 private:
  [[nodiscard]] std::vector<const sql::Trigger*> fired(const Event& event,
                                                       bool is_before) const;
  [[nodiscard]] std::vector<SqlTerm> arguments(const Event& event) const;
  std::vector<SqlTerm> run(const sql::Trigger& trigger, const Event& event);

  SymbolicPath& path_;
  SymbolicTables& tables_;
  RoutineContext& context_;
  RoutineDatabase& on_;
  std::vector<Event> due_;
  bool has_run_statements_ = false;
};

}  // namespace txscope::symbolic
