#include "exec/sql/routine/guards.h"

#include <algorithm>
#include <variant>

#include "exec/sql/routine/handlers.h"
#include "model/product/error_class.h"

namespace txscope::sql {

// PostgreSQL's exception_matches_conditions: a code that ends in 000 is that of
// a class.
bool is_named(const PlTry::Handler& handler, std::string_view state) {
  if (handler.conditions.empty())
    return state != sqlstate::kQueryCanceled && state != "P0004";
  return std::any_of(
      handler.conditions.begin(), handler.conditions.end(),
      [&](const std::string& condition) {
        const bool is_class = condition.ends_with("000");
        return condition == state ||
               (is_class && state.starts_with(condition.substr(0, 2)));
      });
}

const RoutineCode& Interpreter::Guards::code_of(
    const Process::Guard& guard) const {
  return p_.routines_->at(p_.frames_[guard.frame - 1].routine);
}

void Interpreter::Guards::open(std::uint32_t entry) {
  Process::Guard guard;
  guard.frame = static_cast<std::uint32_t>(p_.frames_.size());
  guard.entry = entry;
  const auto* block =
      std::get_if<PlTry>(&code_of(guard).instructions[entry].statement->what);
  guard.is_nested = block == nullptr || !block->keeps_work;
  guard.portals = p_.portals_;
  guard.deferred = p_.deferred_.size();
  guard.settled = p_.settled_;
  guard.modes = p_.modes_;
  for (const Process::Cursor& cursor : p_.cursors_)
    guard.open_cursors.push_back(cursor.rows != nullptr);
  p_.guards_.push_back(std::move(guard));
}

std::uint32_t Interpreter::Guards::outside() const {
  const auto frame = static_cast<std::uint32_t>(p_.frames_.size());
  return static_cast<std::uint32_t>(std::count_if(
      p_.guards_.begin(), p_.guards_.end(),
      [&](const Process::Guard& guard) { return guard.frame < frame; }));
}

std::uint32_t Interpreter::Guards::nested(std::size_t count) const {
  return static_cast<std::uint32_t>(std::count_if(
      p_.guards_.begin(),
      p_.guards_.begin() + static_cast<std::ptrdiff_t>(count),
      [](const Process::Guard& guard) { return guard.is_nested; }));
}

void Interpreter::Guards::close_frame() { close_to(outside()); }

std::optional<std::uint32_t> Interpreter::Guards::find(
    const std::string& name, std::size_t below) const {
  for (std::size_t g = below; g-- > 0;) {
    const Process::Guard& guard = p_.guards_[g];
    const Instruction& entry = code_of(guard).instructions[guard.entry];
    const auto* point = std::get_if<PlSavepoint>(&entry.statement->what);
    if (point != nullptr && point->name == name)
      return static_cast<std::uint32_t>(g);
  }
  return std::nullopt;
}

std::optional<Interpreter::Guards::Rescue> Interpreter::Guards::find_rescue()
    const {
  const SqlError& error = *p_.error_;
  if (error.is_ours || error.sqlstate == kRollBack) return std::nullopt;
  for (std::size_t g = p_.guards_.size(); g-- > 0;) {
    const Process::Guard& guard = p_.guards_[g];
    const RoutineCode& code = code_of(guard);
    const Instruction& entry = code.instructions[guard.entry];
    if (const auto* block = std::get_if<PlTry>(&entry.statement->what)) {
      for (std::size_t h = 0; h < block->handlers.size(); ++h) {
        if (is_named(block->handlers[h], error.sqlstate))
          return Rescue{static_cast<std::uint32_t>(g),
                        code.handlers[entry.hidden][h], block};
      }
      continue;
    }
    // Until a ROLLBACK TO everything else fails, too.
    const std::uint32_t here = p_.frames_[guard.frame - 1].pc;
    for (std::uint32_t i = here + 1; i < code.instructions.size(); ++i) {
      if (code.instructions[i].what != Do::Savepoint) continue;
      const auto& point =
          std::get<PlSavepoint>(code.instructions[i].statement->what);
      if (point.kind != PlSavepoint::Kind::RollBackTo) continue;
      if (const auto found = find(point.name, g + 1))
        return Rescue{*found, i + 1, nullptr};
    }
    return std::nullopt;
  }
  return std::nullopt;
}

std::optional<Request> Interpreter::Guards::rescue() const {
  const auto found = find_rescue();
  if (!found) return std::nullopt;
  Request request;
  request.kind = Request::Kind::RollBackTo;
  request.reopens = found->block == nullptr;
  request.is_of_statement = found->block != nullptr && found->block->keeps_work;
  request.depth = nested(found->guard) + (request.reopens ? 1 : 0);
  return request;
}

bool Interpreter::Guards::is_caught_in_place() const {
  const auto found = find_rescue();
  return found && found->block != nullptr && nested(found->guard) == depth();
}

void Interpreter::Guards::close_cursors(const Process::Guard& guard) {
  for (std::size_t i = 0; i < p_.cursors_.size(); ++i) {
    const bool was_open =
        i < guard.open_cursors.size() && guard.open_cursors[i];
    if (p_.cursors_[i].rows != nullptr && !was_open)
      p_.cursors_[i] = {nullptr, 1};
  }
  p_.portals_ = guard.portals;
}

void Interpreter::Guards::restore_deferred(const Process::Guard& guard) {
  p_.deferred_.resize(guard.deferred);
  p_.settled_ = guard.settled;
  p_.modes_ = guard.modes;
  p_.checking_.reset();
}

void Interpreter::Guards::go_on() {
  const Rescue found = *find_rescue();
  const SqlError error = *p_.error_;
  const Process::Guard guard = p_.guards_[found.guard];
  if (guard.frame < p_.frames_.size()) {
    p_.slots_.resize(p_.frames_[guard.frame].base);
    p_.cursors_.resize(p_.frames_[guard.frame].cursors);
    p_.frames_.resize(guard.frame);
  }
  if (guard.is_nested) {
    close_cursors(guard);
    restore_deferred(guard);
  }
  close_to(found.guard + (found.block == nullptr ? 1 : 0));
  Process::Frame& frame = p_.frames_.back();
  frame.pc = found.pc;
  if (found.block != nullptr) {
    p_.slots_[frame.base + found.block->state_slot] =
        Value::text(error.sqlstate);
    p_.slots_[frame.base + found.block->message_slot] =
        Value::text(error.message);
  }
  p_.error_.reset();
}

}  // namespace txscope::sql
