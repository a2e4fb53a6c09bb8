// What is asked of a state that was found, and of the step that led to it.
#include <optional>
#include <utility>

#include "tla/search/below.h"
#include "tla/search/worker.h"

namespace txscope::tla {

namespace {

/// So many states before its turn the values that a state was found good by are
/// fetched into the caches.
constexpr std::size_t kAhead = 4;

}  // namespace

void Worker::check_new_states() {
  for (; checked_ < unchecked_.size(); ++checked_) {
    if (checked_ + kAhead < unchecked_.size())
      fetch_known(&unchecked_rows_[(checked_ + kAhead) * width_]);
    const Unchecked& u = unchecked_[checked_];
    const Value* state = &unchecked_rows_[checked_ * width_];
    parent_ = u.parent;
    checking_ = u.fingerprint;
    check_new_state(state, u);
    if (u.is_in_model) keep(state, u.fingerprint, shared_.level + 1);
  }
  checking_ = 0;
  unchecked_.clear();
  unchecked_rows_.clear();
  checked_ = 0;
}

void Worker::check_new_state(const Value* state, const Unchecked& about) {
  if (!about.is_in_model) is_cut_ = true;
  try {
    check_state(state, about.fingerprint, about.parent, about.is_in_model);
  } catch (const AssertionFault& fault) {
    Finding found = failed_assertion(fault);
    found.fingerprint = about.fingerprint;
    found.parent = about.parent;
    found.is_stored = about.is_in_model;
    note(std::move(found));
  }
}

bool Worker::is_in_model(const Value* state, const Value* successor) {
  {
    std::optional<Below> below;
    if (state != nullptr) below.emplace();
    for (const Formula& f : behaviour_.constraints)
      if (!evaluator_.holds(*f.code, f.frame, successor)) return false;
  }
  if (state == nullptr) return true;
  for (const Formula& f : behaviour_.action_constraints)
    if (!evaluator_.holds(*f.code, f.frame, state, successor)) return false;
  return true;
}

void Worker::check_alone(const Value* before, const Value* state) {
  check_state(state, 0, 0, true);
  if (before != nullptr) return check_step(before, state, 0);
  for (const Property& property : behaviour_.properties)
    if (property.kind == Property::Kind::Initially &&
        !evaluator_.holds(*property.p.code, property.p.frame, state))
      note({ModelViolation::Invariant, property.name, property.spot, 0, 0, 0,
            true});
}

void Worker::check_step(const Value* state, const Value* successor,
                        std::uint64_t fingerprint) {
  for (const std::size_t i : step_properties_) {
    const Property& property = behaviour_.properties[i];
    const auto subscript = [&](const Value* s) {
      return evaluator_.sets().settle(
          evaluator_.evaluate(*property.q.code, property.q.frame, s));
    };
    if (subscript(state) == subscript(successor) ||
        evaluator_.holds(*property.p.code, property.p.frame, state, successor))
      continue;
    note({ModelViolation::ActionProperty, property.name, property.spot,
          behaviour_.invariants.size() + i + 1, fingerprint, parent_, false});
  }
}

/// Notes what has to be possible and is true of a state, or of a step.
void Worker::watch(const Value* state, const Value* next) {
  for (std::size_t i = 0; i < happened_.size(); ++i) {
    if (happened_[i] || is_of_steps_[i] != (next != nullptr)) continue;
    const Formula& f = behaviour_.possible[i].formula;
    happened_[i] = evaluator_.holds(*f.code, f.frame, state, next);
  }
}

void Worker::check_state(const Value* state, std::uint64_t fingerprint,
                         std::uint64_t parent, bool is_stored) {
  std::optional<Below> below;
  if (parent != 0) below.emplace();
  if (!happened_.empty()) watch(state, nullptr);
  for (std::size_t i = 0; i < behaviour_.invariants.size(); ++i) {
    const Check& check = behaviour_.invariants[i];
    if (holds(check, i, state)) continue;
    note({ModelViolation::Invariant, check.name, check.spot, i + 1, fingerprint,
          parent, is_stored});
    return;
  }
}

void Worker::fetch_known(const Value* state) const {
  for (std::size_t i = 0; i < behaviour_.invariants.size(); ++i) {
    const Check& check = behaviour_.invariants[i];
    if (check.reads.empty() || memories_[i].is_off) continue;
    const Key key = key_of(check, state);
    memories_[i].map.prefetch(key.data());
  }
}

/// The values that an invariant reads.
Worker::Key Worker::key_of(const Check& check, const Value* state) {
  Key key{};
  for (std::size_t i = 0; i < check.reads.size(); ++i)
    key[i] = state[check.reads[i]].bits();
  return key;
}

/// An invariant's conjunct, by the values it reads if those repeat.
bool Worker::holds(const Check& check, std::size_t index, const Value* state) {
  constexpr std::uint64_t kTrial = 20'000;
  constexpr std::uint64_t kLittle = 8;  // ticks: no more than looking it up
  Memory& memory = memories_[index];
  const Formula& f = check.formula;
  if (check.reads.empty() || memory.is_off)
    return evaluator_.holds(*f.code, f.frame, state);
  const Key key = key_of(check, state);
  ++memory.asked;
  const Value known = memory.map.find(key.data());
  if (!known.is_none()) {
    ++memory.known;
    return known == kTrue;
  }
  const std::uint32_t before = evaluator_.sets().ticks();
  const bool result = evaluator_.holds(*f.code, f.frame, state);
  memory.work += evaluator_.sets().ticks() - before;
  const std::uint64_t evaluated = memory.asked - memory.known;
  if (evaluated % kTrial == 0 &&
      (memory.known * 4 < memory.asked || memory.work < kLittle * evaluated)) {
    memory.is_off = true;  // hardly anything repeats, or it costs little
    memory.map.clear();
  } else {
    memory.map.insert(key.data(), Value::of_bool(result));
  }
  return result;
}

}  // namespace txscope::tla
