#include "tla/worker.h"

#include <algorithm>
#include <optional>
#include <tuple>

namespace txscope::tla {
namespace {

constexpr std::size_t kWorkChunk = 64;
constexpr std::size_t kBatch = 256;

/// Successors are one level below the state that is expanded.
thread_local std::uint32_t levels_below = 0;

class Below {
 public:
  Below() { ++levels_below; }
  ~Below() { --levels_below; }
  Below(const Below&) = delete;
  Below& operator=(const Below&) = delete;
};

}  // namespace

Worker::Worker(const Module& root, const Config& config, Loader& loader,
               Shared& shared, bool use_natives, bool is_first)
    : shared_(shared),
      is_first_(is_first),
      program_(root, config, loader, use_natives),
      evaluator_(program_),
      behaviour_(evaluator_, config),
      symmetry_(evaluator_, behaviour_.symmetry) {
  evaluator_.set_budget(shared.budget);
  const std::size_t width =
      std::max<std::size_t>(1, program_.variables().size());
  current.width = width;
  next.width = width;
  for (const Check& check : behaviour_.invariants)
    memories_.push_back({WordMap(check.reads.size()), 0, 0, false});
  for (std::size_t i = 0; i < behaviour_.properties.size(); ++i)
    if (behaviour_.properties[i].kind == Property::Kind::AlwaysAction)
      step_properties_.push_back(i);
}

std::uint32_t Worker::level_here(const Shared& shared) {
  return shared.level + levels_below;
}

std::uint64_t Worker::fingerprint(const Value* state) {
  if (behaviour_.view == nullptr) return symmetry_.fingerprint(state);
  return symmetry_.fingerprint_of_value(
      evaluator_.sets().settle(evaluator_.evaluate(*behaviour_.view, state)));
}

/// Keeps the finding that comes first: by property, then by fingerprint, so
/// that the answer does not depend on who was faster.
void Worker::note(Finding found) {
  const auto order = [](const Finding& f) {
    return std::tie(f.rank, f.fingerprint, f.parent);
  };
  if (!finding || order(found) < order(*finding)) finding = std::move(found);
}

void Worker::start() {
  class Sink : public StateSink {
   public:
    explicit Sink(Worker& worker) : worker_(worker) {}
    bool state(const Value* values) override {
      ++worker_.generated;
      rows_.insert(rows_.end(), values, values + worker_.next.width);
      return !worker_.shared_.budget->spent();
    }
    std::vector<Value> rows_;

   private:
    Worker& worker_;
  };
  Sink sink(*this);
  evaluator_.enumerate_initial(behaviour_.init, sink);
  if (program_.variables().empty()) return;
  for (std::size_t i = 0; i < sink.rows_.size(); i += next.width) {
    const Value* state = &sink.rows_[i];
    if (shared_.budget->spent()) throw Stopped{};
    symmetry_.set_base(state);
    const std::uint64_t f = fingerprint(state);
    const bool in_model = is_in_model(nullptr, state);
    if (in_model && !shared_.seen.insert(f, 0, 1)) continue;
    for (std::size_t k = 0; k < behaviour_.properties.size(); ++k) {
      const Property& property = behaviour_.properties[k];
      if (property.kind == Property::Kind::Initially &&
          !evaluator_.holds(*property.p.code, property.p.frame, state))
        note({ModelViolation::Invariant, property.name, property.spot,
              behaviour_.invariants.size() + k, f, 0, in_model});
    }
    check_state(state, f, 0, in_model);
    if (in_model) next.rows.insert(next.rows.end(), state, state + next.width);
  }
}

void Worker::advance() {
  std::swap(current.rows, next.rows);
  next.clear();
  current.taken = 0;
}

void Worker::run_level(const std::vector<std::unique_ptr<Worker>>& others) {
  try {
    if (imported_.size() < others.size()) imported_.resize(others.size());
    // Own states first, then those of whoever is slower.
    for (std::size_t turn = 0; turn <= others.size(); ++turn) {
      Worker& owner = turn == 0 ? *this : *others[turn - 1];
      if (turn > 0 && &owner == this) continue;
      Frontier& frontier = owner.current;
      for (;;) {
        const std::size_t begin = frontier.taken.fetch_add(kWorkChunk);
        if (begin >= frontier.size()) break;
        const std::size_t end = std::min(begin + kWorkChunk, frontier.size());
        expand_chunk(owner, begin, end, turn);
        if (shared_.stop) return;
        if (is_first_ && shared_.progress) shared_.progress();
      }
    }
    flush();
  } catch (const Fault& fault) {
    error = fault.error;
    shared_.stop = true;
  } catch (const Stopped&) {
    shared_.stop = true;
  }
}

/// States of another worker are written down anew in this one's Store.
void Worker::expand_chunk(Worker& owner, std::size_t begin, std::size_t end,
                          std::size_t number) {
  const std::size_t width = owner.current.width;
  copy_.resize(width);
  for (std::size_t i = begin; i < end; ++i) {
    if (shared_.stop || shared_.budget->spent()) {
      shared_.stop = true;
      return;
    }
    const Value* state = &owner.current.rows[i * width];
    if (&owner != this) {
      for (std::size_t k = 0; k < width; ++k)
        copy_[k] = import(state[k], imported_[number - 1]);
      state = copy_.data();
    }
    expand(state);
  }
}

class Worker::SuccessorSink : public StateSink {
 public:
  SuccessorSink(Worker& worker, const Value* state)
      : worker_(worker), state_(state) {}
  bool state(const Value* successor) override {
    has_any_ = true;
    return worker_.take_successor(state_, successor);
  }
  bool has_any() const { return has_any_; }

 private:
  Worker& worker_;
  const Value* state_;
  bool has_any_ = false;
};

void Worker::expand(const Value* state) {
  symmetry_.set_base(state);
  parent_ = fingerprint(state);
  SuccessorSink sink(*this, state);
  evaluator_.enumerate_successors(*behaviour_.next.code, behaviour_.next.frame,
                                  state, sink);
  if (!sink.has_any() && shared_.check_deadlock)
    note({ModelViolation::Deadlock, "deadlock", {}, 0, parent_, 0, true});
  if (batch_.size() >= kBatch) flush();
}

bool Worker::take_successor(const Value* state, const Value* successor) {
  generated.store(generated.load(std::memory_order_relaxed) + 1,
                  std::memory_order_relaxed);
  const std::uint64_t f = fingerprint(successor);
  const bool in_model = is_in_model(state, successor);
  if (!step_properties_.empty()) check_step(state, successor, f);
  if (in_model) shared_.seen.prefetch(f);
  batch_.push_back({f, parent_, in_model});
  batch_rows_.insert(batch_rows_.end(), successor, successor + next.width);
  return true;
}

/// Asks which of the collected successors are new.
void Worker::flush() {
  for (std::size_t i = 0; i < batch_.size(); ++i) {
    const Candidate& c = batch_[i];
    const Value* state = &batch_rows_[i * next.width];
    if (c.is_in_model &&
        !shared_.seen.insert(c.fingerprint, c.parent, shared_.level + 1))
      continue;
    parent_ = c.parent;
    check_state(state, c.fingerprint, c.parent, c.is_in_model);
    if (c.is_in_model)
      next.rows.insert(next.rows.end(), state, state + next.width);
  }
  batch_.clear();
  batch_rows_.clear();
}

bool Worker::is_in_model(const Value* state, const Value* successor) {
  std::optional<Below> below;
  if (state != nullptr) below.emplace();
  for (const Formula& f : behaviour_.constraints)
    if (!evaluator_.holds(*f.code, f.frame, successor)) return false;
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

void Worker::check_state(const Value* state, std::uint64_t fingerprint,
                         std::uint64_t parent, bool is_stored) {
  std::optional<Below> below;
  if (parent != 0) below.emplace();
  for (std::size_t i = 0; i < behaviour_.invariants.size(); ++i) {
    const Check& check = behaviour_.invariants[i];
    if (holds(check, i, state)) continue;
    note({ModelViolation::Invariant, check.name, check.spot, i + 1, fingerprint,
          parent, is_stored});
    return;
  }
}

/// An invariant's conjunct, by the values it reads if those repeat.
bool Worker::holds(const Check& check, std::size_t index, const Value* state) {
  constexpr std::uint64_t kTrial = 20'000;
  Memory& memory = memories_[index];
  const Formula& f = check.formula;
  if (check.reads.empty() || memory.is_off)
    return evaluator_.holds(*f.code, f.frame, state);
  std::uint64_t key[8];
  for (std::size_t i = 0; i < check.reads.size(); ++i)
    key[i] = state[check.reads[i]].bits();
  ++memory.asked;
  const Value known = memory.map.find(key);
  if (!known.is_none()) {
    ++memory.known;
    return known == kTrue;
  }
  const bool result = evaluator_.holds(*f.code, f.frame, state);
  if (memory.asked % kTrial == 0 && memory.known * 4 < memory.asked) {
    memory.is_off = true;  // hardly anything repeats
    memory.map.clear();
  } else {
    memory.map.insert(key, Value::of_bool(result));
  }
  return result;
}

/// The same value in this worker's Store.
Value Worker::import(Value foreign,
                     std::unordered_map<const void*, Value>& known) {
  Store& store = program_.store();
  switch (foreign.tag()) {
    case Tag::String: return store.string(foreign.as_name()->text);
    case Tag::Model: return store.model(foreign.as_name()->text);
    case Tag::Node: break;
    default: return foreign;
  }
  const Node& node = *foreign.as_node();
  if (const auto found = known.find(&node); found != known.end())
    return found->second;
  std::vector<Value> items;
  for (const Value item : node.all()) items.push_back(import(item, known));
  Value result;
  if (node.kind == NodeKind::Set)
    result = store.sorted_set(items);
  else if (node.kind == NodeKind::Sequence)
    result = store.sequence(items);
  else
    result = store.function(import(node.domain, known), items);
  known.emplace(&node, result);
  return result;
}

}  // namespace txscope::tla
