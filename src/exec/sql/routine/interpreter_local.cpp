// Instructions that need no database: variables, calls, errors.

#include <cassert>

#include "exec/sql/query/evaluation.h"
#include "exec/sql/query/plans.h"
#include "exec/sql/routine/interpreter_run.h"
#include "exec/sql/value/cast.h"

namespace txscope::sql {
namespace {

/// Routines that call each other deeper than this: PostgreSQL's stack (2 MB by
/// default) is full before.
constexpr std::size_t kMaxFrames = 1000;

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

void Interpreter::Run::push(RoutineId routine, std::span<const Value> arguments,
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

Value Interpreter::Run::eval(const Expr& e) {
  if (e.op == Op::Constant) return e.value;
  if (e.op == Op::Variable) return slot(e.index);
  if (const SqlError* error = p_.routines_->plans().error(e.part)) {
    fail(*error);
    return {};
  }
  Evaluation evaluation(*p_.routines_, nullptr, p_.slots(), budget_, depth_);
  evaluation.use(p_.settings_.get());
  const Value value = evaluation.eval(e, Scope{});
  if (evaluation.halt().is_error()) fail(evaluation.halt().error());
  is_interrupted_ |=
      evaluation.halt().is_set() && !evaluation.halt().is_error();
  return value;
}

void Interpreter::Run::assign(std::uint32_t to, const Value& value) {
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

void Interpreter::Run::assign(std::span<const std::uint32_t> to,
                              const Row* row) {
  for (std::size_t i = 0; i < to.size() && !p_.error_; ++i)
    assign(to[i], row != nullptr && i < row->size() ? (*row)[i] : Value());
}

void Interpreter::Run::set_found(bool is_found, std::uint64_t count) {
  slot(kFoundSlot) = Value::boolean(is_found);
  frame().row_count = count;
}

void Interpreter::Run::take(const PlExecute& execute,
                            const StatementResult& result) {
  // An expression that looks at tables is a SELECT of one row to ROW_COUNT,
  // but not to FOUND.
  frame().row_count =
      result.count - (execute.counts_changes ? result.unchanged : 0);
  if (!execute.is_expression)
    slot(kFoundSlot) = Value::boolean(result.count != 0);
  if (execute.into.empty()) return;
  const bool is_select = execute.statement.is_select();
  if (execute.is_strict && !execute.allows_none && result.rows.empty())
    return fail("P0002", "query returned no rows");
  if (result.rows.size() > 1 && (execute.is_strict || !is_select))
    return fail("P0003", "query returned more than one row");
  if (is_select && !result.rows.empty()) frame().row_count = 1;
  assign(execute.into, result.rows.empty() ? nullptr : &result.rows[0]);
}

std::uint32_t Interpreter::Run::local(const Instruction& i,
                                      std::uint32_t here) {
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
    case Do::SetConstraints:
    case Do::EndTransaction: assert(false && "needs the database"); break;
  }
  return here + 1;
}

void Interpreter::Run::raise(const PlRaise& raise) {
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

void Interpreter::Run::call(const PlCall& call) {
  std::vector<Value> arguments;
  for (const Expr& e : call.arguments) arguments.push_back(eval(e));
  if (p_.error_ || is_interrupted_) return;
  if (p_.frames_.size() >= kMaxFrames)
    return fail("54001", "stack depth limit exceeded");
  push(call.routine, arguments, is_stable() && frame().has_snapshot);
}

void Interpreter::Run::leave_routine(const Instruction& i) {
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

void Interpreter::Run::pop(std::span<const Value> results) {
  if (p_.frames_.size() == 1) {
    p_.result_ = code().routine->returns_row ? Value::row(results)
                 : results.empty()           ? Value()
                                             : results[0];
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

}  // namespace txscope::sql
