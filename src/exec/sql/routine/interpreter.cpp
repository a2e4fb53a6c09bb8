#include "exec/sql/routine/interpreter.h"

#include <algorithm>
#include <cassert>

#include "exec/sql/query/aggregate.h"
#include "exec/sql/routine/interpreter_run.h"

namespace txscope::sql {
namespace {

const char* tag_of(const DbStatement& statement) {
  switch (statement.what.index()) {
    case 0: return "SELECT FOR UPDATE";
    case 1: return "INSERT";
    case 2: return "UPDATE";
    case 3: return "DELETE";
    default: return "MERGE";
  }
}

bool writes(const DbStatement& statement) {
  const auto* select = std::get_if<Select>(&statement.what);
  return select == nullptr || (*select)->lock != LockStrength::None;
}

}  // namespace

Request Interpreter::Run::run() {
  for (;;) {
    if (p_.error_) {
      if (guards_.is_caught_in_place()) {
        guards_.go_on();
        continue;
      }
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

void Interpreter::Run::answer(const StatementResult& result) {
  if (p_.checking_ != nullptr) return settle(result);
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

void Interpreter::Run::proceed() {
  if (p_.error_) return guards_.go_on();
  const Instruction& i = instruction();
  switch (i.what) {
    case Do::EnterTry: guards_.open(frame().pc); break;
    case Do::LeaveTry: guards_.close_to(guards_.count() - 1); break;
    case Do::Return: return guards_.close_frame();  // then it returns
    case Do::Savepoint: {
      const auto& point = std::get<PlSavepoint>(i.statement->what);
      if (point.kind == PlSavepoint::Kind::Set) {
        guards_.open(frame().pc);
        break;
      }
      const std::uint32_t found =
          guards_.find(point.name, guards_.count()).value_or(0);
      const bool is_kept = point.kind == PlSavepoint::Kind::RollBackTo;
      if (is_kept) guards_.restore_deferred(p_.guards_[found]);
      guards_.close_to(found + (is_kept ? 1 : 0));
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

void Interpreter::Run::fail(SqlError error) {
  if (error.at.line == 0) {
    const PlStatement* statement = instruction().statement;
    error.at = statement != nullptr ? statement->at : code().routine->at;
  }
  p_.error_ = std::move(error);
}

Request Interpreter::Run::ask(const DbStatement& statement,
                              std::uint64_t max_rows) {
  return asked(statement, max_rows, is_stable() && frame().has_snapshot);
}

std::optional<Request> Interpreter::Run::ask_or_fail(
    const DbStatement& statement, std::uint64_t max_rows) {
  if (!is_stable() || !writes(statement)) return ask(statement, max_rows);
  fail("0A000", std::string(tag_of(statement)) +
                    " is not allowed in a non-volatile function");
  return std::nullopt;
}

std::uint64_t Interpreter::Run::most_rows(const PlExecute& execute) {
  if (execute.into.empty() || !execute.statement.is_select()) return 0;
  return execute.is_strict ? 2 : 1;
}

Request Interpreter::Run::asked(Request::Kind kind, std::uint32_t depth) const {
  Request request;
  request.kind = kind;
  request.depth = depth;
  return request;
}

Request Interpreter::Run::asked(const PlSavepoint& point) const {
  const std::uint32_t before =
      guards_.nested(guards_.find(point.name, guards_.count()).value_or(0));
  switch (point.kind) {
    case PlSavepoint::Kind::Set: break;
    case PlSavepoint::Kind::Release:
      return asked(Request::Kind::Release, before);
    case PlSavepoint::Kind::RollBackTo:
      Request request = asked(Request::Kind::RollBackTo, before + 1);
      request.reopens = true;
      return request;
  }
  return asked(Request::Kind::Savepoint, guards_.depth() + 1);
}

Request Interpreter::Run::asked(const DbStatement& statement,
                                std::uint64_t max_rows,
                                bool reuses_snapshot) const {
  Request request{Request::Kind::Statement, &statement, reuses_snapshot,
                  max_rows};
  request.modes = p_.modes_.get();
  request.settings = p_.settings_.get();
  return request;
}

Request Interpreter::Run::ask_checks() const {
  Request request = asked(*p_.checking_, 0, false);
  request.made = p_.checking_;
  return request;
}

std::optional<Request> Interpreter::Run::check_deferred() {
  if (!p_.is_transaction_) return std::nullopt;
  if (p_.checking_ == nullptr) {
    auto statement = checks();
    if (statement->checks.empty()) {
      forget_deferred();
      return std::nullopt;
    }
    p_.checking_ = std::move(statement);
  }
  return ask_checks();
}

Request Interpreter::Run::set_constraints(const PlSetConstraints& set) {
  if (p_.checking_ == nullptr) {
    auto statement =
        set.is_deferred ? std::make_shared<DbStatement>(nothing()) : checks();
    statement->sets_constraints = true;
    p_.checking_ = std::move(statement);
  }
  return ask_checks();
}

DbStatement Interpreter::Run::nothing() const {
  DbStatement statement;
  statement.at = p_.at();
  statement.what = std::make_shared<const Query>();
  return statement;
}

std::shared_ptr<DbStatement> Interpreter::Run::checks() const {
  auto statement = std::make_shared<DbStatement>(nothing());
  statement->checks =
      deferred_checks(p_.routines_->application().schema,
                      std::span(p_.deferred_).subspan(p_.settled_));
  return statement;
}

// What triggers have left comes next.
void Interpreter::Run::settle(const StatementResult& result) {
  if (!p_.checking_->sets_constraints || !p_.checking_->checks.empty())
    p_.settled_ = p_.deferred_.size();
  p_.deferred_.insert(p_.deferred_.end(), result.deferred.begin(),
                      result.deferred.end());
  const bool is_commit = !p_.checking_->sets_constraints;
  p_.checking_.reset();
  if (is_commit) return;
  const auto& set = std::get<PlSetConstraints>(instruction().statement->what);
  ConstraintModes modes;
  if (set.names.empty()) {
    modes.all = set.is_deferred ? ConstraintModes::All::Deferred
                                : ConstraintModes::All::Immediate;
  } else {
    if (p_.modes_ != nullptr) modes = *p_.modes_;
    modes.deferred.insert(modes.deferred.end(), set.names.begin(),
                          set.names.end());
  }
  p_.modes_ = std::make_shared<const ConstraintModes>(std::move(modes));
  ++frame().pc;
}

void Interpreter::Run::forget_deferred() {
  p_.deferred_.clear();
  p_.settled_ = 0;
  p_.modes_.reset();
  p_.checking_.reset();
}

std::optional<Request> Interpreter::Run::end_transaction(const PlEnd& end) {
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

std::optional<Request> Interpreter::Run::leave_guards(const Instruction& i) {
  const auto& statement = std::get<PlReturn>(i.statement->what);
  if (statement.value) (void)eval(*statement.value);
  if (is_interrupted_) return Request{Request::Kind::Spent, nullptr, false, 0};
  if (p_.error_) return std::nullopt;
  const std::uint32_t outside = guards_.nested(guards_.outside());
  if (outside < guards_.depth()) return asked(Request::Kind::Release, outside);
  guards_.close_frame();  // asked again, it returns
  return std::nullopt;
}

/// A block that keeps its work begins and ends without the database.
std::optional<Request> Interpreter::Run::pass_block(const Instruction& i) {
  const bool enters = i.what == Do::EnterTry;
  const bool keeps = enters ? std::get<PlTry>(i.statement->what).keeps_work
                            : guards_.keeps_work();
  if (!keeps) {
    return enters ? asked(Request::Kind::Savepoint, guards_.depth() + 1)
                  : asked(Request::Kind::Release, guards_.depth() - 1);
  }
  if (enters) {
    guards_.open(frame().pc);
  } else {
    guards_.close_to(guards_.count() - 1);
  }
  ++frame().pc;
  return std::nullopt;
}

std::optional<Request> Interpreter::Run::step() {
  const Instruction& i = instruction();
  switch (i.what) {
    case Do::EnterTry:
    case Do::LeaveTry: return pass_block(i);
    case Do::Savepoint: return asked(std::get<PlSavepoint>(i.statement->what));
    case Do::SetConstraints:
      return set_constraints(std::get<PlSetConstraints>(i.statement->what));
    case Do::EndTransaction:
      return end_transaction(std::get<PlEnd>(i.statement->what));
    case Do::Return:
      if (guards_.outside() < guards_.count()) return leave_guards(i);
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
      if (is_at_bound(i)) return Request{Request::Kind::Cut, nullptr, false, 0};
      break;
    default: break;
  }
  const std::uint32_t here = frame().pc;
  const std::size_t depth = p_.frames_.size();
  const std::uint32_t next = local(i, here);
  if (is_interrupted_) return Request{Request::Kind::Spent, nullptr, false, 0};
  const bool is_elsewhere = p_.frames_.size() != depth || frame().pc == kOver;
  if (!p_.error_ && !is_elsewhere) frame().pc = next;
  return std::nullopt;
}

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
