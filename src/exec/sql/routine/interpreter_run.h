#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "exec/sql/routine/guards.h"
#include "exec/sql/routine/interpreter.h"
#include "exec/sql/routine/routine_code.h"

namespace txscope::sql {

/// Moves a process; lives for one run() or answer().
class Interpreter::Run {
 public:
  Run(Process& process, const Budget& budget, unsigned depth)
      : p_(process), guards_(process), budget_(budget), depth_(depth) {}

  Request run();
  void answer(const StatementResult& result);
  /// What was asked for about transactions is done.
  void proceed();

  void push(RoutineId routine, std::span<const Value> arguments,
            bool has_snapshot);

 private:
  [[nodiscard]] Process::Frame& frame() { return p_.frames_.back(); }
  [[nodiscard]] const RoutineCode& code() {
    return p_.routines_->at(frame().routine);
  }
  [[nodiscard]] const Instruction& instruction() {
    return code().instructions[frame().pc];
  }
  [[nodiscard]] Value& slot(std::uint32_t i) {
    return p_.slots_[frame().base + i];
  }
  [[nodiscard]] Value& hidden(const Instruction& i, std::uint32_t n = 0) {
    return slot(i.hidden + n);
  }
  [[nodiscard]] Process::Cursor& cursor(std::uint32_t i) {
    return p_.cursors_[frame().cursors + i];
  }
  [[nodiscard]] bool is_stable() {
    return code().routine->volatility != Volatility::Volatile;
  }

  void fail(SqlError error);
  void fail(const char* sqlstate, std::string message) {
    fail(SqlError{sqlstate, std::move(message), {}, false});
  }

  /// The value of a local expression; failing sets the process's error.
  Value eval(const Expr& e);

  void assign(std::uint32_t to, const Value& value);
  /// The columns of a row (none: NULLs) to variables.
  void assign(std::span<const std::uint32_t> to, const Row* row);
  void set_found(bool is_found, std::uint64_t count);

  void take(const PlExecute& execute, const StatementResult& result);

  Request ask(const DbStatement& statement, std::uint64_t max_rows);
  /// A statement for the database, unless it may not write.
  std::optional<Request> ask_or_fail(const DbStatement& statement,
                                     std::uint64_t max_rows);

  static std::uint64_t most_rows(const PlExecute& execute);

  [[nodiscard]] Request asked(Request::Kind kind, std::uint32_t depth) const;
  [[nodiscard]] Request asked(const PlSavepoint& point) const;
  [[nodiscard]] Request asked(const DbStatement& statement,
                              std::uint64_t max_rows,
                              bool reuses_snapshot) const;
  [[nodiscard]] Request ask_checks() const;
  /// What COMMIT looks at before anything else.
  std::optional<Request> check_deferred();
  Request set_constraints(const PlSetConstraints& set);
  /// A statement that does nothing; one that looks at what was left.
  [[nodiscard]] DbStatement nothing() const;
  [[nodiscard]] std::shared_ptr<DbStatement> checks() const;
  /// It has.
  void settle(const StatementResult& result);
  void forget_deferred();
  /// COMMIT and ROLLBACK need a procedure that nothing but procedures called.
  std::optional<Request> end_transaction(const PlEnd& end);
  /// RETURN out of sub-transactions: they succeeded, if its value can be had.
  std::optional<Request> leave_guards(const Instruction& i);
  std::optional<Request> pass_block(const Instruction& i);

  std::optional<Request> step();

  // interpreter_local.cpp

  /// Runs an instruction that needs no database; where to go on.
  std::uint32_t local(const Instruction& i, std::uint32_t here);

  void raise(const PlRaise& raise);
  void call(const PlCall& call);
  void leave_routine(const Instruction& i);
  void pop(std::span<const Value> results);

  // interpreter_cursors.cpp

  bool is_at_bound(const Instruction& i);
  void count_round(const Instruction& i) {
    hidden(i) = Value::integer(hidden(i).integer() + 1);
  }
  void leave_loop(const Instruction& i);
  void enter_range(const Instruction& i, const PlForRange& loop);
  bool is_range_over(const Instruction& i);
  /// False: the next number would overflow, the loop ends.
  bool next_of_range(const Instruction& i);
  /// False: there is none left.
  bool next_row(const Instruction& i);

  // A bound cursor's name is that of its portal, one for the transaction.
  [[nodiscard]] std::vector<Value>::iterator portal(std::uint32_t i);
  void open_portal(std::uint32_t i);
  void close_portal(std::uint32_t i);
  bool is_in_use(std::uint32_t i);
  bool is_open(const Instruction& i);
  void fetch(const Instruction& i);
  /// RETURN inside a FOR loop over a cursor closes it.
  void close_loops();

  Process& p_;
  Guards guards_;
  const Budget& budget_;
  unsigned depth_;
  bool is_interrupted_ = false;
};

}  // namespace txscope::sql
