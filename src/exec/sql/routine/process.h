#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/budget.h"
#include "exec/sql/query/sql_error.h"
#include "exec/sql/writer/deferred_checks.h"
#include "model/sql/application.h"

namespace txscope::sql {

class ScanWatcher;

class Plans;
struct RoutineCode;

/// The routines of an application, compiled once to flat code, and the plans of
/// its statements; immutable and shared by everything that runs it.  The
/// application must outlive it and stay where it is.
class Routines {
 public:
  /// `loop_bound`: how many rounds a loop makes at most each time it is
  /// entered; then the execution is cut.
  explicit Routines(const Application& application,
                    std::uint64_t loop_bound = 1000);
  ~Routines();
  Routines(Routines&&) noexcept;

  [[nodiscard]] const Application& application() const { return application_; }
  [[nodiscard]] std::uint64_t loop_bound() const { return loop_bound_; }
  [[nodiscard]] const RoutineCode& at(RoutineId r) const;
  [[nodiscard]] const Plans& plans() const { return *plans_; }
  /// Some routine has LOCK TABLE: every statement locks its tables, too.
  [[nodiscard]] bool locks_tables() const { return locks_tables_; }

  /// Some of these foreign keys is of the table, or leads to it.
  [[nodiscard]] bool is_linked(TableId table, WhichKeys which) const {
    return which == WhichKeys::All ? linked_[table.index]
                                   : deferred_[table.index];
  }

  /// From now on every scan of a statement is told to `watcher`.  Not while
  /// several threads use it.
  void watch(ScanWatcher* watcher) { watcher_ = watcher; }
  [[nodiscard]] ScanWatcher* watcher() const { return watcher_; }

 private:
  const Application& application_;
  std::uint64_t loop_bound_;
  std::vector<RoutineCode> codes_;
  std::unique_ptr<Plans> plans_;
  ScanWatcher* watcher_ = nullptr;
  bool locks_tables_ = false;
  std::vector<bool> deferred_;  ///< by table: is_linked()
  std::vector<bool> linked_;
};

/// What a process wants next.
struct Request {
  enum class Kind : std::uint8_t {
    Statement,  ///< run `statement` with Process::slots(), then answer()
    Returned,   ///< the call is over: commit
    Failed,     ///< Process::error(): roll back
    Cut,        ///< a loop reached its bound: the execution is not decided
    Spent,      ///< the budget is: so, too
    // Then proceed().
    Savepoint,   ///< a sub-transaction begins: `depth` are open then
    Release,     ///< those deeper than `depth` succeeded
    RollBackTo,  ///< what those deeper than `depth` wrote is undone
    Commit,      ///< in the middle of a call: a new transaction begins
    RollBack,    ///< so, too
  };
  Kind kind = Kind::Returned;
  const DbStatement* statement = nullptr;
  /// Inside a STABLE or IMMUTABLE function, after its first statement: this one
  /// sees what the statement before it saw.
  bool reuses_snapshot = false;
  /// SELECT ... INTO stops after the first row (STRICT: the second), so that it
  /// neither evaluates nor locks the rows behind; 0: all.
  std::uint64_t max_rows = 0;
  /// Sub-transactions that are open after it.
  std::uint32_t depth = 0;
  /// Of RollBackTo: the last of these was undone, too, and begins again.
  bool reopens = false;
  /// Of RollBackTo: just a statement that failed, of which a server of MySQL
  /// undoes what it wrote and keeps the locks.
  bool is_of_statement = false;
  /// Of a statement: what SET CONSTRAINTS said; none: nothing.
  const ConstraintModes* modes = nullptr;
  /// Of a statement: Builtin::Setting; none: all are NULL.
  const std::vector<Value>* settings = nullptr;
  /// `statement`, if it is the process that made it: what COMMIT looks at.
  std::shared_ptr<const DbStatement> made = {};

  /// It is about sub-transactions: nothing for a client to wait for.
  [[nodiscard]] bool is_nesting() const {
    return kind == Kind::Savepoint || kind == Kind::Release ||
           kind == Kind::RollBackTo;
  }
};

/// What a statement gave.  `count`: rows affected, or rows selected;
/// `unchanged`: how many of those that an UPDATE affected were so already.
struct StatementResult {
  std::vector<Row> rows;
  std::uint64_t count = 0;
  std::uint64_t unchanged = 0;
  std::vector<DeferredChange> deferred = {};  ///< COMMIT has to look at them

  /// As it is told to a client.
  friend bool operator==(const StatementResult& a, const StatementResult& b) {
    return a.rows == b.rows && a.count == b.count;
  }
};

/// One running call, from one database statement to the next.  A value: copies
/// go on independently, equal ones go on equally.  It touches no database; the
/// rows of its cursors and FOR loops are those that answer() brought.
///
///     for (Request r = process.run(budget); r.kind == Kind::Statement;
///          r = process.run(budget))
///       process.answer(database.execute(*r.statement, process.slots()));
class Process {
 public:
  Process(const Routines& routines, const Call& call);
  /// Inside of a call whose settings these are.
  Process(const Routines& routines, RoutineId routine,
          std::span<const Value> arguments,
          const std::vector<Value>* settings = nullptr);

  /// Runs until the next database statement or the end.  Asked again without an
  /// answer it says the same again.  `depth`: how deep an evaluation is already
  /// that runs a function.
  Request run(const Budget& budget, unsigned depth = 0);
  /// The result of the statement that was asked for.  What fails in taking it
  /// (STRICT, a cast) is what the next run() says.
  void answer(const StatementResult& result);

  /// Or the error that it ended with; the next run() says whether that is the
  /// end.
  void fail(const SqlError& error);
  /// What was asked for, other than a statement, is done.
  void proceed();

  /// The variables of the routine that runs; after Returned those of the call's
  /// own routine in the end (its OUT parameters among them).
  [[nodiscard]] std::span<const Value> slots() const;
  /// The statement of the routine that runs now, for reports.
  [[nodiscard]] Span at() const;
  /// A function's value, after Returned.
  [[nodiscard]] const Value& result() const { return result_; }
  /// After Failed, or while is_failing().
  [[nodiscard]] const SqlError& error() const { return *error_; }
  /// Its open sub-transactions.
  [[nodiscard]] std::size_t depth() const;
  /// What its statements left to COMMIT.
  [[nodiscard]] std::span<const DeferredChange> deferred() const {
    return deferred_;
  }
  /// Something failed, and a handler or a savepoint may still go on.
  [[nodiscard]] bool is_failing() const { return error_.has_value(); }

  [[nodiscard]] std::uint64_t hash() const;
  friend bool operator==(const Process&, const Process&);

 private:
  friend class Interpreter;

  /// Where one routine stands; its slots begin at `base`, its cursors (and FOR
  /// loops over rows) at `cursors`.
  struct Frame {
    RoutineId routine;
    std::uint32_t pc = 0;
    std::uint32_t base = 0;
    std::uint32_t cursors = 0;
    /// A STABLE or IMMUTABLE function whose snapshot is taken already.
    bool has_snapshot = false;
    std::uint64_t row_count = 0;

    friend bool operator==(const Frame&, const Frame&) = default;
  };
  struct Rows {
    std::vector<Row> rows;
    std::uint64_t hash = 0;
  };
  struct Cursor {
    std::shared_ptr<const Rows> rows;  ///< none: not open
    std::uint32_t next = 0;            ///< of a closed one 1

    bool operator==(const Cursor& other) const;
  };

  template <class Shared>
  static bool is_same(const std::shared_ptr<const Shared>& a,
                      const std::shared_ptr<const Shared>& b) {
    return a == b || (a != nullptr && b != nullptr && *a == *b);
  }

  /// Where an error may go on: a sub-transaction of a block with handlers or a
  /// savepoint, or a block that keeps its work.
  struct Guard {
    std::uint32_t frame = 0;  ///< how many frames there are at least
    std::uint32_t entry = 0;  ///< the instruction that began it
    bool is_nested = true;    ///< false: of a block that keeps its work
    std::vector<Value> portals;
    std::vector<bool> open_cursors;
    std::size_t deferred = 0;  ///< how many changes there were
    std::size_t settled = 0;
    std::shared_ptr<const ConstraintModes> modes;

    bool operator==(const Guard& other) const {
      return frame == other.frame && entry == other.entry &&
             portals == other.portals && open_cursors == other.open_cursors &&
             deferred == other.deferred && settled == other.settled &&
             is_same(modes, other.modes);
    }
  };

  const Routines* routines_;
  std::vector<Guard> guards_;
  std::vector<Frame> frames_;
  std::vector<Value> slots_;
  std::vector<Cursor> cursors_;
  /// Names of bound cursors that are open, by routines that ended, too.
  std::vector<Value> portals_;
  bool is_transaction_ = false;                         ///< its end is COMMIT
  std::shared_ptr<const std::vector<Value>> settings_;  ///< Call::settings
  std::vector<DeferredChange> deferred_;
  std::size_t settled_ = 0;  ///< of these: they were looked at
  std::shared_ptr<const ConstraintModes> modes_;  ///< none: as declared
  /// It asks for what COMMIT does first, or SET CONSTRAINTS.
  std::shared_ptr<const DbStatement> checking_;
  Value result_;
  std::optional<SqlError> error_;
};

}  // namespace txscope::sql
