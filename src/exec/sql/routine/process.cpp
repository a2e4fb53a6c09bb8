#include "exec/sql/routine/process.h"

#include <algorithm>
#include <string>

#include "exec/sql/query/aggregate.h"
#include "exec/sql/query/plans.h"
#include "exec/sql/routine/interpreter.h"
#include "exec/sql/routine/routine_code.h"
#include "model/sql/walk.h"

namespace txscope::sql {

Routines::Routines(const Application& application, std::uint64_t loop_bound)
    : application_(application),
      loop_bound_(loop_bound),
      plans_(std::make_unique<Plans>()) {
  plans_->make(*this);
  codes_.reserve(application.routines.size());
  for (const Routine& routine : application.routines)
    codes_.push_back(compile_routine(routine));
  const Schema& schema = application.schema;
  for (std::size_t t = 0; t < schema.tables.size(); ++t) {
    deferred_.push_back(
        sql::is_linked(schema, TableId(t), WhichKeys::Deferrable));
    linked_.push_back(sql::is_linked(schema, TableId(t), WhichKeys::All));
  }
  for (const Routine& routine : application.routines) {
    for_each_statement(routine.body, [this](const DbStatement& statement) {
      locks_tables_ |=
          statement.locks != nullptr && !statement.locks->is_advisory();
    });
  }
}

Routines::~Routines() = default;
Routines::Routines(Routines&&) noexcept = default;

const RoutineCode& Routines::at(RoutineId r) const { return codes_[r.index]; }

Process::Process(const Routines& routines, const Call& call)
    : Process(routines, call.routine, call.arguments) {
  is_transaction_ = true;
  if (!call.settings.empty())
    settings_ = std::make_shared<const std::vector<Value>>(call.settings);
}

Process::Process(const Routines& routines, RoutineId routine,
                 std::span<const Value> arguments,
                 const std::vector<Value>* settings)
    : routines_(&routines) {
  if (settings != nullptr)
    settings_ = std::make_shared<const std::vector<Value>>(*settings);
  Interpreter::enter(*this, routine, arguments);
}

Request Process::run(const Budget& budget, unsigned depth) {
  return Interpreter::run(*this, budget, depth);
}

void Process::answer(const StatementResult& result) {
  Interpreter::answer(*this, result);
}

void Process::fail(const SqlError& error) {
  error_ = error;
  if (error_->at.line == 0) error_->at = at();
}

void Process::proceed() { Interpreter::proceed(*this); }

std::span<const Value> Process::slots() const {
  return std::span(slots_).subspan(frames_.back().base);
}

Span Process::at() const {
  const RoutineCode& code = routines_->at(frames_.back().routine);
  const std::uint32_t pc = frames_.back().pc;
  if (pc == Interpreter::kOver || code.instructions[pc].statement == nullptr)
    return code.routine->at;
  return code.instructions[pc].statement->at;
}

std::size_t Process::depth() const {
  return static_cast<std::size_t>(
      std::count_if(guards_.begin(), guards_.end(),
                    [](const Guard& guard) { return guard.is_nested; }));
}

std::uint64_t Process::hash() const {
  std::uint64_t h = frames_.size();
  const auto mix = [&h](std::uint64_t part) {
    h = (h ^ part) * 0x9e3779b97f4a7c15ull;
    h ^= h >> 29;
  };
  for (const Frame& frame : frames_) {
    mix(std::uint64_t{frame.routine.index} << 32 | frame.pc);
    mix(frame.row_count << 1 | (frame.has_snapshot ? 1 : 0));
  }
  for (const Value& value : slots_) mix(value.hash());
  if (settings_ != nullptr)
    for (const Value& value : *settings_) mix(value.hash());
  for (const Cursor& cursor : cursors_)
    mix((cursor.rows == nullptr ? 0 : cursor.rows->hash + 2) + cursor.next);
  for (const Value& name : portals_) mix(name.hash());
  for (const Guard& guard : guards_)
    mix(std::uint64_t{guard.frame} << 32 | guard.entry);
  for (const DeferredChange& change : deferred_) {
    mix(change.table.index);
    if (change.old) mix(RowHash()(*change.old));
    if (change.now) mix(RowHash()(*change.now) + 1);
    mix(change.keys.size() << 8 | change.triggers.size());
  }
  mix(settled_ << 1 | (modes_ != nullptr ? 1 : 0));
  mix(result_.hash());
  if (error_) mix(std::hash<std::string>()(error_->sqlstate + error_->message));
  return h;
}

bool Process::Cursor::operator==(const Cursor& other) const {
  if (next != other.next || (rows == nullptr) != (other.rows == nullptr))
    return false;
  return rows == other.rows || rows->rows == other.rows->rows;
}

bool operator==(const Process& a, const Process& b) {
  return a.routines_ == b.routines_ && a.frames_ == b.frames_ &&
         a.guards_ == b.guards_ && a.slots_ == b.slots_ &&
         a.cursors_ == b.cursors_ && a.portals_ == b.portals_ &&
         a.deferred_ == b.deferred_ && a.settled_ == b.settled_ &&
         Process::is_same(a.modes_, b.modes_) &&
         Process::is_same(a.settings_, b.settings_) && a.result_ == b.result_ &&
         a.error_ == b.error_;
}

}  // namespace txscope::sql
