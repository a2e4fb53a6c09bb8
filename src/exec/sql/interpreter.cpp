#include "exec/sql/interpreter.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <string>

#include "exec/sql/aggregate.h"
#include "exec/sql/cast.h"
#include "exec/sql/evaluation.h"
#include "exec/sql/guards.h"
#include "exec/sql/plans.h"
#include "exec/sql/routine_code.h"

namespace txscope::sql {
namespace {

/// Routines that call each other deeper than this: PostgreSQL's stack (2 MB by
/// default) is full before.
constexpr std::size_t kMaxFrames = 1000;

const char* tag_of(const DbStatement& statement) {
  switch (statement.what.index()) {
    case 0: return "SELECT FOR UPDATE";
    case 1: return "INSERT";
    case 2: return "UPDATE";
    default: return "DELETE";
  }
}

bool writes(const DbStatement& statement) {
  const auto* select = std::get_if<Select>(&statement.what);
  return select == nullptr || (*select)->lock != LockStrength::None;
}

std::string formatted(const PlRaise& raise, std::span<const Value> arguments) {
  std::string text;
  std::size_t next = 0;
  for (std::size_t i = 0; i < raise.message.size(); ++i) {
    if (raise.message[i] != '%') {
      text += raise.message[i];
    } else if (i + 1 < raise.message.size() && raise.message[i + 1] == '%') {
      text += '%';
      ++i;
    } else if (next < arguments.size()) {
      const Value& value = arguments[next++];
      text += value.is_null() ? "<NULL>" : to_string(value);
    }
  }
  return text;
}

}  // namespace

/// Moves a process; lives for one run() or answer().
class Interpreter::Run {
 public:
  Run(Process& process, const Budget& budget, unsigned depth)
      : p_(process), guards_(process), budget_(budget), depth_(depth) {}

  Request run() {
    for (;;) {
      if (p_.error_) {
        if (const auto rescue = guards_.rescue()) return *rescue;
        return {Request::Kind::Failed, nullptr, false, 0};
      }
      if (p_.frames_.back().pc == kOver) {
        if (const auto check = check_deferred()) return *check;
        return {Request::Kind::Returned, nullptr, false, 0};
      }
      if (budget_.spent()) return {Request::Kind::Spent, nullptr, false, 0};
      if (const auto request = step()) return *request;
    }
  }

  void answer(const StatementResult& result) {
    if (p_.checking_ != nullptr) return forget_deferred();
    p_.deferred_.insert(p_.deferred_.end(), result.deferred.begin(),
                        result.deferred.end());
    const Instruction& i = instruction();
    if (i.what == Do::Execute) {
      take(std::get<PlExecute>(i.statement->what), result);
    } else {
      auto rows = std::make_shared<Process::Rows>();
      rows->rows = result.rows;
      for (const Row& row : rows->rows)
        rows->hash = rows->hash * 31 + RowHash()(row);
      cursor(i.cursor) = {std::move(rows), 0};
      if (i.what == Do::Open) {
        open_portal(i.cursor);
      } else {
        hidden(i) = Value::integer(0);
        const auto& loop = std::get<PlForRows>(i.statement->what);
        if (loop.cursor) open_portal(loop.cursor->index);
      }
    }
    if (is_stable()) frame().has_snapshot = true;
    if (!p_.error_) ++frame().pc;
  }

  /// What was asked for about transactions is done.
  void proceed() {
    if (p_.error_) return guards_.go_on();
    const Instruction& i = instruction();
    switch (i.what) {
      case Do::EnterTry: guards_.open(frame().pc); break;
      case Do::LeaveTry: guards_.close_to(guards_.depth() - 1); break;
      case Do::Return: return guards_.close_frame();  // then it returns
      case Do::Savepoint: {
        const auto& point = std::get<PlSavepoint>(i.statement->what);
        if (point.kind == PlSavepoint::Kind::Set) {
          guards_.open(frame().pc);
          break;
        }
        const Request done = asked(point);
        if (point.kind == PlSavepoint::Kind::RollBackTo)
          p_.deferred_.resize(p_.guards_[done.depth - 1].deferred);
        guards_.close_to(done.depth);
        break;
      }
      case Do::EndTransaction:
        p_.portals_.clear();
        forget_deferred();
        break;
      default: assert(false && "nothing was asked for"); break;
    }
    ++frame().pc;
  }

  void push(RoutineId routine, std::span<const Value> arguments,
            bool has_snapshot) {
    const RoutineCode& code = p_.routines_->at(routine);
    Process::Frame next;
    next.routine = routine;
    next.base = static_cast<std::uint32_t>(p_.slots_.size());
    next.cursors = static_cast<std::uint32_t>(p_.cursors_.size());
    next.has_snapshot =
        has_snapshot && code.routine->volatility != Volatility::Volatile;
    p_.slots_.resize(p_.slots_.size() + code.slots);
    p_.cursors_.resize(p_.cursors_.size() + code.cursors);
    p_.slots_[next.base + kFoundSlot] = Value::boolean(false);
    p_.frames_.push_back(next);
    for (std::size_t i = 0; i < arguments.size(); ++i)
      slot(static_cast<std::uint32_t>(i + 1)) = arguments[i];
  }

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

  void fail(SqlError error) {
    if (error.at.line == 0) {
      const PlStatement* statement = instruction().statement;
      error.at = statement != nullptr ? statement->at : code().routine->at;
    }
    p_.error_ = std::move(error);
  }
  void fail(const char* sqlstate, std::string message) {
    fail(SqlError{sqlstate, std::move(message), {}, false});
  }

  /// The value of a local expression; failing sets the process's error.
  Value eval(const Expr& e) {
    if (e.op == Op::Constant) return e.value;
    if (e.op == Op::Variable) return slot(e.index);
    if (const SqlError* error = p_.routines_->plans().error(e.part)) {
      fail(*error);
      return {};
    }
    Evaluation evaluation(*p_.routines_, nullptr, p_.slots(), budget_, depth_);
    const Value value = evaluation.eval(e, Scope{});
    if (evaluation.halt().is_error()) fail(evaluation.halt().error());
    is_interrupted_ |=
        evaluation.halt().is_set() && !evaluation.halt().is_error();
    return value;
  }

  void assign(std::uint32_t to, const Value& value) {
    const Variable& variable = code().routine->variables[to];
    Halt halt;
    const Value converted =
        cast(value, variable.type, CastContext::Assignment, halt);
    if (halt.is_error()) return fail(halt.error());
    if (variable.is_not_null && converted.is_null())
      return fail("22004", "null value cannot be assigned to variable \"" +
                               variable.name + "\" declared NOT NULL");
    slot(to) = converted;
  }
  /// The columns of a row (none: NULLs) to variables.
  void assign(std::span<const std::uint32_t> to, const Row* row) {
    for (std::size_t i = 0; i < to.size() && !p_.error_; ++i)
      assign(to[i], row != nullptr && i < row->size() ? (*row)[i] : Value());
  }
  void set_found(bool is_found, std::uint64_t count) {
    slot(kFoundSlot) = Value::boolean(is_found);
    frame().row_count = count;
  }

  void take(const PlExecute& execute, const StatementResult& result) {
    // An expression that looks at tables is a SELECT of one row to ROW_COUNT,
    // but not to FOUND.
    frame().row_count = result.count;
    if (!execute.is_expression)
      slot(kFoundSlot) = Value::boolean(result.count != 0);
    if (execute.into.empty()) return;
    const bool is_select = execute.statement.is_select();
    if (execute.is_strict && result.rows.empty())
      return fail("P0002", "query returned no rows");
    if (result.rows.size() > 1 && (execute.is_strict || !is_select))
      return fail("P0003", "query returned more than one row");
    if (is_select && !result.rows.empty()) frame().row_count = 1;
    assign(execute.into, result.rows.empty() ? nullptr : &result.rows[0]);
  }

  Request ask(const DbStatement& statement, std::uint64_t max_rows) {
    return {Request::Kind::Statement, &statement,
            is_stable() && frame().has_snapshot, max_rows};
  }
  /// A statement for the database, unless it may not write.
  std::optional<Request> ask_or_fail(const DbStatement& statement,
                                     std::uint64_t max_rows) {
    if (!is_stable() || !writes(statement)) return ask(statement, max_rows);
    fail("0A000", std::string(tag_of(statement)) +
                      " is not allowed in a non-volatile function");
    return std::nullopt;
  }

  static std::uint64_t most_rows(const PlExecute& execute) {
    if (execute.into.empty() || !execute.statement.is_select()) return 0;
    return execute.is_strict ? 2 : 1;
  }

  [[nodiscard]] Request asked(Request::Kind kind, std::uint32_t depth) const {
    Request request;
    request.kind = kind;
    request.depth = depth;
    return request;
  }
  [[nodiscard]] Request asked(const PlSavepoint& point) const {
    const auto found = guards_.find(point.name, guards_.depth());
    switch (point.kind) {
      case PlSavepoint::Kind::Set: break;
      case PlSavepoint::Kind::Release:
        return asked(Request::Kind::Release, found.value_or(0));
      case PlSavepoint::Kind::RollBackTo:
        Request request =
            asked(Request::Kind::RollBackTo, found.value_or(0) + 1);
        request.reopens = true;
        return request;
    }
    return asked(Request::Kind::Savepoint, guards_.depth() + 1);
  }
  /// What COMMIT looks at before anything else.
  std::optional<Request> check_deferred() {
    if (!p_.is_transaction_ || p_.deferred_.empty()) return std::nullopt;
    if (p_.checking_ == nullptr) {
      auto statement = std::make_shared<DbStatement>();
      statement->at = p_.at();
      statement->what = std::make_shared<const Query>();
      statement->checks =
          deferred_checks(p_.routines_->application().schema, p_.deferred_);
      if (statement->checks.empty()) {
        forget_deferred();
        return std::nullopt;
      }
      p_.checking_ = std::move(statement);
    }
    return Request{Request::Kind::Statement, p_.checking_.get(), false, 0};
  }
  void forget_deferred() {
    p_.deferred_.clear();
    p_.checking_.reset();
  }
  /// COMMIT and ROLLBACK need a procedure that nothing but procedures called.
  std::optional<Request> end_transaction(const PlEnd& end) {
    const bool is_atomic =
        depth_ > 0 || guards_.depth() > 0 ||
        std::any_of(
            p_.frames_.begin(), p_.frames_.end(), [&](const Process::Frame& f) {
              const Routine& routine = *p_.routines_->at(f.routine).routine;
              return routine.is_function || routine.is_script;
            });
    if (!is_atomic) {
      if (end.is_commit)
        if (const auto check = check_deferred()) return check;
      return asked(
          end.is_commit ? Request::Kind::Commit : Request::Kind::RollBack, 0);
    }
    fail("2D000", guards_.depth() > 0 ? end.is_commit
                                            ? "cannot commit while a "
                                              "subtransaction is active"
                                            : "cannot roll back while a "
                                              "subtransaction is active"
                                      : "invalid transaction termination");
    return std::nullopt;
  }
  /// RETURN out of sub-transactions: they succeeded, if its value can be had.
  std::optional<Request> leave_guards(const Instruction& i) {
    const auto& statement = std::get<PlReturn>(i.statement->what);
    if (statement.value) (void)eval(*statement.value);
    if (is_interrupted_)
      return Request{Request::Kind::Spent, nullptr, false, 0};
    if (p_.error_) return std::nullopt;
    return asked(Request::Kind::Release, guards_.outside());
  }

  std::optional<Request> step() {
    const Instruction& i = instruction();
    std::optional<Request> request;
    switch (i.what) {
      case Do::EnterTry:
        return asked(Request::Kind::Savepoint, guards_.depth() + 1);
      case Do::LeaveTry:
        return asked(Request::Kind::Release, guards_.depth() - 1);
      case Do::Savepoint:
        return asked(std::get<PlSavepoint>(i.statement->what));
      case Do::EndTransaction:
        return end_transaction(std::get<PlEnd>(i.statement->what));
      case Do::Return:
        if (guards_.outside() < guards_.depth()) return leave_guards(i);
        break;
      case Do::Execute: {
        const auto& execute = std::get<PlExecute>(i.statement->what);
        return ask_or_fail(execute.statement, most_rows(execute));
      }
      case Do::EnterRows: {
        const auto& loop = std::get<PlForRows>(i.statement->what);
        if (loop.cursor && is_in_use(loop.cursor->index)) return std::nullopt;
        return ask_or_fail(loop.query, 0);
      }
      case Do::Open:
        if (is_in_use(i.cursor)) return std::nullopt;
        return ask_or_fail(std::get<PlOpen>(i.statement->what).query, 0);
      case Do::Round:
      case Do::TestRange:
      case Do::NextRow:
        if (is_at_bound(i))
          return Request{Request::Kind::Cut, nullptr, false, 0};
        break;
      default: break;
    }
    const std::uint32_t here = frame().pc;
    const std::size_t depth = p_.frames_.size();
    const std::uint32_t next = local(i, here);
    if (is_interrupted_)
      return Request{Request::Kind::Spent, nullptr, false, 0};
    const bool is_elsewhere = p_.frames_.size() != depth || frame().pc == kOver;
    if (!p_.error_ && !is_elsewhere) frame().pc = next;
    return std::nullopt;
  }

  bool is_at_bound(const Instruction& i) {
    const bool goes_on =
        i.what == Do::Round ||
        (i.what == Do::TestRange
             ? !is_range_over(i)
             : cursor(i.cursor).next < cursor(i.cursor).rows->rows.size());
    return goes_on && static_cast<std::uint64_t>(hidden(i).integer()) >=
                          p_.routines_->loop_bound();
  }

  /// Runs an instruction that needs no database; where to go on.
  std::uint32_t local(const Instruction& i, std::uint32_t here) {
    switch (i.what) {
      case Do::Assign: {
        const auto& a = std::get<PlAssign>(i.statement->what);
        const Value value = eval(a.value);
        if (!p_.error_ && !is_interrupted_) assign(a.slot, value);
        break;
      }
      case Do::JumpUnless:
        return eval(*i.condition).is_true() ? here + 1 : i.target;
      case Do::Jump: return i.target;
      case Do::NoCase: fail("20000", "case not found"); break;
      case Do::EnterLoop: hidden(i) = Value::integer(0); break;
      case Do::Round: count_round(i); break;
      case Do::EnterRange:
        enter_range(i, std::get<PlForRange>(i.statement->what));
        break;
      case Do::TestRange:
        if (is_range_over(i)) return i.target;
        count_round(i);
        assign(std::get<PlForRange>(i.statement->what).slot, hidden(i, 1));
        break;
      case Do::NextRange: return next_of_range(i) ? i.target : here + 1;
      case Do::NextRow: return next_row(i) ? here + 1 : i.target;
      case Do::LeaveFor:
        slot(kFoundSlot) = Value::boolean(hidden(i).integer() > 0);
        [[fallthrough]];
      case Do::LeaveLoop: leave_loop(i); break;
      case Do::Call: call(std::get<PlCall>(i.statement->what)); break;
      case Do::Return:
      case Do::End: leave_routine(i); break;
      case Do::Raise: raise(std::get<PlRaise>(i.statement->what)); break;
      case Do::Fetch: fetch(i); break;
      case Do::Close:
        if (!is_open(i)) break;
        cursor(i.cursor) = {nullptr, 1};
        close_portal(i.cursor);
        break;
      case Do::RowCount:
        assign(std::get<PlRowCount>(i.statement->what).slot,
               Value::integer(static_cast<std::int64_t>(frame().row_count)));
        break;
      case Do::Execute:
      case Do::EnterRows:
      case Do::Open:
      case Do::EnterTry:
      case Do::LeaveTry:
      case Do::Savepoint:
      case Do::EndTransaction: assert(false && "needs the database"); break;
    }
    return here + 1;
  }

  void count_round(const Instruction& i) {
    hidden(i) = Value::integer(hidden(i).integer() + 1);
  }
  void leave_loop(const Instruction& i) {
    for (std::uint32_t n = 0; n < i.target; ++n) hidden(i, n) = Value();
    if (i.cursor == kNoCursor) return;
    cursor(i.cursor) = {};
    const auto& loop = std::get<PlForRows>(i.statement->what);
    if (loop.cursor) close_portal(loop.cursor->index);
  }

  void enter_range(const Instruction& i, const PlForRange& loop) {
    const auto bound = [&](const Expr& e, const char* what, std::uint32_t n) {
      if (p_.error_ || is_interrupted_) return;
      hidden(i, n) = eval(e);
      if (hidden(i, n).is_null() && !p_.error_ && !is_interrupted_)
        fail("22004", std::string(what) + " of FOR loop cannot be null");
    };
    hidden(i) = Value::integer(0);
    bound(loop.from, "lower bound", 1);
    bound(loop.to, "upper bound", 2);
    hidden(i, 3) = Value::integer(1);
    if (loop.step) bound(*loop.step, "BY value", 3);
    if (!p_.error_ && !is_interrupted_ && hidden(i, 3).integer() <= 0)
      fail("22023", "BY value of FOR loop must be greater than zero");
  }
  bool is_range_over(const Instruction& i) {
    const bool is_reverse = std::get<PlForRange>(i.statement->what).is_reverse;
    const std::int64_t current = hidden(i, 1).integer();
    const std::int64_t last = hidden(i, 2).integer();
    return is_reverse ? current < last : current > last;
  }
  /// False: the next number would overflow, the loop ends.
  bool next_of_range(const Instruction& i) {
    const bool is_reverse = std::get<PlForRange>(i.statement->what).is_reverse;
    const std::int64_t step = hidden(i, 3).integer();
    const std::int64_t next =
        hidden(i, 1).integer() + (is_reverse ? -step : step);
    if (next > std::numeric_limits<std::int32_t>::max() ||
        next < std::numeric_limits<std::int32_t>::min())
      return false;
    hidden(i, 1) = Value::integer(next);
    return true;
  }

  /// False: there is none left.
  bool next_row(const Instruction& i) {
    const auto& loop = std::get<PlForRows>(i.statement->what);
    Process::Cursor& rows = cursor(i.cursor);
    if (rows.next >= rows.rows->rows.size()) {
      if (rows.rows->rows.empty()) assign(loop.into, nullptr);
      return false;
    }
    count_round(i);
    assign(loop.into, &rows.rows->rows[rows.next++]);
    return true;
  }

  // A bound cursor's name is that of its portal, one for the transaction.
  [[nodiscard]] std::vector<Value>::iterator portal(std::uint32_t i) {
    const CursorVariable& variable = code().routine->cursors[i];
    return std::find(p_.portals_.begin(), p_.portals_.end(),
                     variable.is_bound ? Value::text(variable.name) : Value());
  }
  void open_portal(std::uint32_t i) {
    const CursorVariable& variable = code().routine->cursors[i];
    if (!variable.is_bound) return;
    p_.portals_.push_back(Value::text(variable.name));
    std::sort(p_.portals_.begin(), p_.portals_.end());
  }
  void close_portal(std::uint32_t i) {
    if (const auto found = portal(i); found != p_.portals_.end())
      p_.portals_.erase(found);
  }
  bool is_in_use(std::uint32_t i) {
    if (cursor(i).rows == nullptr && portal(i) == p_.portals_.end())
      return false;
    fail("42P03",
         "cursor \"" + code().routine->cursors[i].name + "\" already in use");
    return true;
  }
  bool is_open(const Instruction& i) {
    if (cursor(i.cursor).rows != nullptr) return true;
    const CursorVariable& variable = code().routine->cursors[i.cursor];
    if (portal(i.cursor) != p_.portals_.end())
      fail(SqlError{"54000", "a cursor that was opened elsewhere", {}, true});
    else if (!variable.is_bound && cursor(i.cursor).next == 0)
      fail("22004", "cursor variable \"" + variable.name + "\" is null");
    else
      fail("34000", "cursor \"" + variable.name + "\" does not exist");
    return false;
  }
  void fetch(const Instruction& i) {
    if (!is_open(i)) return;
    Process::Cursor& rows = cursor(i.cursor);
    const bool is_found = rows.next < rows.rows->rows.size();
    const Row* row = is_found ? &rows.rows->rows[rows.next++] : nullptr;
    assign(std::get<PlFetch>(i.statement->what).into, row);
    set_found(is_found, is_found ? 1 : 0);
  }

  void raise(const PlRaise& raise) {
    if (raise.again)
      return fail(SqlError{slot(raise.again->state_slot).text(),
                           slot(raise.again->message_slot).text(),
                           {},
                           false});
    std::vector<Value> arguments;
    for (const Expr& e : raise.arguments) arguments.push_back(eval(e));
    if (p_.error_ || is_interrupted_) return;
    fail(SqlError{raise.sqlstate, formatted(raise, arguments), {}, false});
  }

  void call(const PlCall& call) {
    std::vector<Value> arguments;
    for (const Expr& e : call.arguments) arguments.push_back(eval(e));
    if (p_.error_ || is_interrupted_) return;
    if (p_.frames_.size() >= kMaxFrames)
      return fail("54001", "stack depth limit exceeded");
    push(call.routine, arguments, is_stable() && frame().has_snapshot);
  }

  void leave_routine(const Instruction& i) {
    const Routine& routine = *code().routine;
    const auto* statement = i.what == Do::Return
                                ? std::get_if<PlReturn>(&i.statement->what)
                                : nullptr;
    if (routine.is_function && statement == nullptr &&
        routine.result.name != TypeName::Void && routine.out_slots.empty())
      return fail("2F005", "control reached end of function without RETURN");
    std::vector<Value> results;
    if (statement != nullptr && statement->value) {
      Halt halt;
      const Value value = eval(*statement->value);
      if (p_.error_ || is_interrupted_) return;
      results.push_back(
          cast(value, routine.result, CastContext::Assignment, halt));
      if (halt.is_error()) return fail(halt.error());
    }
    if (results.empty())
      for (const std::uint32_t out : routine.out_slots)
        results.push_back(slot(out));
    pop(results);
  }

  /// RETURN inside a FOR loop over a cursor closes it.
  void close_loops() {
    for (const Instruction& i : code().instructions) {
      if (i.what != Do::EnterRows || cursor(i.cursor).rows == nullptr) continue;
      const auto& loop = std::get<PlForRows>(i.statement->what);
      if (loop.cursor) close_portal(loop.cursor->index);
    }
  }

  void pop(std::span<const Value> results) {
    if (p_.frames_.size() == 1) {
      p_.result_ = results.empty() ? Value() : results[0];
      p_.cursors_.clear();
      p_.portals_.clear();
      p_.guards_.clear();
      frame().pc = kOver;
      is_interrupted_ = false;
      return;
    }
    const bool has_snapshot = is_stable() && frame().has_snapshot;
    close_loops();
    p_.slots_.resize(frame().base);
    p_.cursors_.resize(frame().cursors);
    p_.frames_.pop_back();
    if (is_stable()) frame().has_snapshot |= has_snapshot;
    const auto& call = std::get<PlCall>(instruction().statement->what);
    if (call.sets_found) set_found(true, 1);
    const Row row(results.begin(), results.end());
    assign(call.into, &row);
    if (!p_.error_) ++frame().pc;
  }

  Process& p_;
  Guards guards_;
  const Budget& budget_;
  unsigned depth_;
  bool is_interrupted_ = false;
};

void Interpreter::enter(Process& process, RoutineId routine,
                        std::span<const Value> arguments) {
  static const Budget kUnlimited = Budget::unlimited();
  Run(process, kUnlimited, 0).push(routine, arguments, false);
}

Request Interpreter::run(Process& process, const Budget& budget,
                         unsigned depth) {
  return Run(process, budget, depth).run();
}

void Interpreter::proceed(Process& process) {
  static const Budget kUnlimited = Budget::unlimited();
  Run(process, kUnlimited, 0).proceed();
}

void Interpreter::answer(Process& process, const StatementResult& result) {
  static const Budget kUnlimited = Budget::unlimited();
  Run(process, kUnlimited, 0).answer(result);
}

}  // namespace txscope::sql
