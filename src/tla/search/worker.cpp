#include "tla/search/worker.h"

#include <algorithm>
#include <cassert>
#include <optional>
#include <tuple>
#include <utility>

#include "tla/search/below.h"

namespace txscope::tla {
namespace {

constexpr std::size_t kBlock = 128;
constexpr std::size_t kBatch = 256;

/// States that wait are in no cache: asks for the values of one that comes
/// soon, and for what the values of the next one are made of.
class Ahead {
 public:
  Ahead(std::span<const Value> rows, std::size_t width)
      : rows_(rows), width_(width) {}
  void fetch(std::size_t at) const {
    for (const Value v : row(at + 2 * width_))
      if (v.is_node()) __builtin_prefetch(v.as_node());
    for (const Value v : row(at + width_)) {
      if (!v.is_node()) continue;
      const Node& node = *v.as_node();
      constexpr std::size_t kMost = 4;  // what has come with the node
      for (std::size_t i = 0; i < kMost && i < node.size; ++i)
        if (node.items[i].is_node())
          __builtin_prefetch(node.items[i].as_node());
    }
  }

 private:
  [[nodiscard]] std::span<const Value> row(std::size_t at) const {
    return at < rows_.size() ? rows_.subspan(at, width_)
                             : std::span<const Value>();
  }
  std::span<const Value> rows_;
  std::size_t width_;
};

}  // namespace

Worker::Worker(const Module& root, const Config& config, Loader& loader,
               Shared& shared, bool use_natives, std::uint32_t number)
    : shared_(shared),
      number_(number),
      program_(root, config, loader, use_natives),
      evaluator_(program_),
      behaviour_(evaluator_, config),
      symmetry_(evaluator_, behaviour_.symmetry),
      width_(std::max<std::size_t>(1, program_.variables().size())),
      files_{SpillFile(shared.spill_directory),
             SpillFile(shared.spill_directory)} {
  evaluator_.set_budget(shared.budget);
  for (const Check& check : behaviour_.invariants)
    memories_.push_back({WordMap(check.reads.size()), 0, 0, 0, false});
  for (std::size_t i = 0; i < behaviour_.properties.size(); ++i)
    if (behaviour_.properties[i].kind == Property::Kind::AlwaysAction)
      step_properties_.push_back(i);
  happened_.assign(behaviour_.possible.size(), false);
  for (const Check& check : behaviour_.possible)
    is_of_steps_.push_back(!evaluator_.is_state_level(check.formula));
}

std::uint32_t Worker::level_here(const Shared& shared) {
  return shared.level + Below::levels();
}

std::uint64_t Worker::fingerprint(const Value* state) {
  if (behaviour_.view == nullptr) return symmetry_.fingerprint(state);
  return symmetry_.fingerprint_of_value(
      evaluator_.sets().settle(evaluator_.evaluate(*behaviour_.view, state)));
}

std::uint64_t Worker::successor_fingerprint(const Value* state) {
  const Below below;
  return fingerprint(state);
}

bool comes_before(const Finding& a, const Finding& b) {
  const auto order = [](const Finding& f) {
    return std::tie(f.rank, f.fingerprint, f.parent);
  };
  return order(a) < order(b);
}

void Worker::note(Finding found) {
  if (!finding || comes_before(found, *finding)) finding = std::move(found);
}

Finding failed_assertion(const AssertionFault& fault) {
  Finding found;
  found.kind = ModelViolation::Assertion;
  found.name = "Assert";
  found.spot = fault.spot;
  found.message = fault.message;
  return found;
}

void Worker::start() {
  class Sink : public StateSink {
   public:
    explicit Sink(Worker& worker) : worker_(worker) {}
    bool state(const Value* values) override {
      ++worker_.generated;
      rows_.insert(rows_.end(), values, values + worker_.width_);
      return !worker_.shared_.budget->spent();
    }
    std::vector<Value> rows_;

   private:
    Worker& worker_;
  };
  Sink sink(*this);
  Router* const router = shared_.router;
  const bool is_counted = router == nullptr || router->counts_common();
  shared_.level = 0;  // as in TLC
  if (is_counting_) evaluator_.set_counting(is_counted);
  evaluator_.enumerate_initial(behaviour_.init, sink);
  if (is_counting_) evaluator_.set_counting(true);
  if (!is_counted) generated = 0;
  shared_.level = 1;
  if (program_.variables().empty()) return;
  const Ahead ahead(sink.rows_, width_);
  std::vector<std::uint64_t> fingerprints;
  for (std::size_t i = 0; i < sink.rows_.size(); i += width_) {
    // In groups, so that the set is asked for places before they are needed.
    if (i % (kBatch * width_) == 0) {
      const std::size_t end = std::min(i + kBatch * width_, sink.rows_.size());
      fingerprints.clear();
      for (std::size_t k = i; k < end; k += width_) {
        ahead.fetch(k);
        symmetry_.set_base(&sink.rows_[k]);
        fingerprints.push_back(fingerprint(&sink.rows_[k]));
        shared_.seen.prefetch(fingerprints.back());
      }
    }
    if (shared_.budget->spent()) throw Stopped{};
    take_initial(&sink.rows_[i], fingerprints[i / width_ % kBatch]);
  }
  checking_ = 0;
  flushed_generated_ = generated;
}

void Worker::take_initial(const Value* state, std::uint64_t f) {
  if (shared_.router != nullptr && !shared_.router->is_mine(f)) return;
  checking_ = f;
  const bool in_model = is_in_model(nullptr, state);
  if (in_model && !shared_.seen.insert(f, 0, 1)) return;
  for (std::size_t k = 0; k < behaviour_.properties.size(); ++k) {
    const Property& property = behaviour_.properties[k];
    if (property.kind == Property::Kind::Initially &&
        !evaluator_.holds(*property.p.code, property.p.frame, state))
      note({ModelViolation::Invariant, property.name, property.spot,
            behaviour_.invariants.size() + k, f, 0, in_model});
  }
  check_new_state(state, {f, 0, in_model});
  if (in_model) keep(state, f, 1);
}

void Worker::start_counting() {
  is_counting_ = true;
  evaluator_.set_counting(true);
}

void Worker::forget_imports() {
  for (auto& known : imported_) known.clear();
}

bool Worker::collect_garbage(std::span<const Block> level) {
  if (record_) return false;  // it holds them all
  Store& store = program_.store();
  const std::size_t limit =
      shared_.value_bytes == 0
          ? 0
          : std::max(shared_.value_bytes, 2 * live_after_sweep_);
  if (store.live() < limit) return false;
  for (Memory& memory : memories_) memory.map.clear();
  forget_imports();
  symmetry_.forget_base();
  evaluator_.mark_values();
  for (const Block& block : level) {
    if (block.owner != number_) continue;
    for (const Value v : block.rows) Store::mark(v);
  }
  store.sweep();
  live_after_sweep_ = store.live();
  return true;
}

/// Keeps a state for the next level.
void Worker::keep(const Value* state) {
  if (next_.empty() || next_.back().count == kBlock) {
    next_.push_back({number_, 0, {}, {}});
    next_.back().rows.reserve(kBlock * width_);
  }
  Block& block = next_.back();
  block.rows.insert(block.rows.end(), state, state + width_);
  if (++block.count < kBlock) return;
  next_bytes_ += block.rows.size() * sizeof(Value);
  if (next_bytes_ > shared_.queue_bytes) put_aside(block);
}

void Worker::keep(const Value* state, std::uint64_t fingerprint,
                  std::uint32_t level) {
  if (record_) record_->add_state(fingerprint, level, {state, width_});
  keep(state);
}

void Worker::put_aside(Block& block) {
  RowWriter writer;
  writer.add(block.rows);
  block.aside = files_[writing_].append(writer.take());
  next_bytes_ -= block.rows.size() * sizeof(Value);
  block.rows = {};
}

std::vector<Block> Worker::take_next() {
  writing_ = 1 - writing_;
  files_[writing_].clear();
  next_bytes_ = 0;
  expanded = 0;
  return std::exchange(next_, {});
}

Worker::Leftover Worker::take_leftover() {
  Leftover result;
  result.states = std::exchange(left_, {});
  const auto from = static_cast<std::ptrdiff_t>(checked_);
  result.unchecked.assign(unchecked_.begin() + from, unchecked_.end());
  result.unchecked_rows.assign(
      unchecked_rows_.begin() + from * static_cast<std::ptrdiff_t>(width_),
      unchecked_rows_.end());
  return result;
}

void Worker::restore_unchecked(std::vector<Unchecked> unchecked,
                               std::vector<Value> rows) {
  unchecked_ = std::move(unchecked);
  unchecked_rows_ = std::move(rows);
  checked_ = 0;
}

void Worker::restore_next(std::span<const Value> rows) {
  for (std::size_t i = 0; i < rows.size(); i += width_) keep(&rows[i]);
}

void Worker::run_level(WorkPool<Block>& pool,
                       const std::vector<std::unique_ptr<Worker>>& all) {
  try {
    if (imported_.size() < all.size()) imported_.resize(all.size());
    check_new_states();
    const auto is_own = [this](const Block& b) { return b.owner == number_; };
    while (const auto block = pool.take(is_own)) {
      expand_block(*block, all);
      if (number_ == 0 && shared_.progress) shared_.progress();
    }
    if (!shared_.stop) flush();
  } catch (const Trouble& met) {
    trouble = to_string(met.error.where) + ": " + met.error.what;
    shared_.stop = true;
    pool.stop();
  } catch (const Fault& fault) {
    error = fault.error;
    shared_.stop = true;
    pool.stop();
  } catch (const Stopped&) {
    shared_.stop = true;
    pool.stop();
  }
  if (shared_.stop) undo_unflushed();
}

/// The search is ended: what was expanded since the set was asked last is to
/// be expanded again, and counts are as if it had never been.
void Worker::undo_unflushed() {
  left_.insert(left_.end(), expanded_rows_.begin(), expanded_rows_.end());
  expanded_rows_.clear();
  batch_.clear();
  batch_rows_.clear();
  generated = flushed_generated_;
}

/// States of another worker are written down anew in this one's Store.
std::vector<Value> Worker::rows_of(
    const Block& block, const std::vector<std::unique_ptr<Worker>>& all) {
  if (block.aside) {
    auto rows =
        read_rows(all[block.owner]->read_aside(*block.aside), program_.store());
    assert(rows && "what was put aside can be read again");
    return std::move(*rows);
  }
  std::vector<Value> rows;
  rows.reserve(block.rows.size());
  for (const Value v : block.rows)
    rows.push_back(import(v, imported_[block.owner]));
  return rows;
}

void Worker::expand_block(const Block& block,
                          const std::vector<std::unique_ptr<Worker>>& all) {
  const bool is_at_hand = block.owner == number_ && !block.aside;
  const std::vector<Value> foreign =
      is_at_hand ? std::vector<Value>() : rows_of(block, all);
  const std::vector<Value>& rows = is_at_hand ? block.rows : foreign;
  const Ahead ahead(rows, width_);
  std::size_t done = 0;
  try {
    while (done < rows.size()) {
      ahead.fetch(done);
      if (shared_.stop || shared_.budget->spent()) throw Stopped{};
      const Value* state = &rows[done];
      expand(state);
      expanded_rows_.insert(expanded_rows_.end(), state, state + width_);
      done += width_;
      expanded.store(expanded.load(std::memory_order_relaxed) + 1,
                     std::memory_order_relaxed);
      if (batch_.size() >= kBatch) flush();
    }
  } catch (const Stopped&) {
    left_.insert(left_.end(), rows.begin() + static_cast<std::ptrdiff_t>(done),
                 rows.end());
    throw;
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
  void passed(std::size_t states) override { worker_.generated += states; }
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
  try {
    evaluator_.enumerate_successors(behaviour_.next, state, sink);
  } catch (const AssertionFault& fault) {
    Finding found = failed_assertion(fault);
    found.fingerprint = parent_;
    found.is_expanded = true;
    return note(std::move(found));
  }
  if (!sink.has_any() && shared_.check_deadlock)
    note({ModelViolation::Deadlock, "deadlock", {}, 0, parent_, 0, true, true});
}

bool Worker::take_successor(const Value* state, const Value* successor) {
  generated.store(generated.load(std::memory_order_relaxed) + 1,
                  std::memory_order_relaxed);
  const std::uint64_t f = successor_fingerprint(successor);
  const bool in_model = is_in_model(state, successor);
  if (!step_properties_.empty()) check_step(state, successor, f);
  if (!happened_.empty()) watch(state, successor);
  if (in_model) shared_.seen.prefetch(f);
  if (in_model && record_) record_->add_step(parent_, f);
  batch_.push_back({f, parent_, nullptr, in_model});
  if (is_counting_ && evaluator_.action() != nullptr) {
    batch_.back().action = evaluator_.action();
    ++action_counts_[evaluator_.action()].generated;
  }
  batch_rows_.insert(batch_rows_.end(), successor, successor + width_);
  return true;
}

/// Asks which of the collected successors are new, then checks those.  The
/// first part evaluates nothing, so it cannot be ended halfway.
void Worker::flush() {
  for (std::size_t i = 0; i < batch_.size(); ++i) {
    const Candidate& c = batch_[i];
    const Value* state = &batch_rows_[i * width_];
    if (c.is_in_model &&
        ((shared_.router != nullptr && shared_.router->take(c, state)) ||
         !shared_.seen.insert(c.fingerprint, c.parent, shared_.level + 1)))
      continue;
    if (c.action != nullptr && c.is_in_model)
      ++action_counts_[c.action].distinct;
    unchecked_.push_back({c.fingerprint, c.parent, c.is_in_model});
    unchecked_rows_.insert(unchecked_rows_.end(), state, state + width_);
  }
  batch_.clear();
  batch_rows_.clear();
  expanded_rows_.clear();
  flushed_generated_ = generated;
  if (shared_.router != nullptr) shared_.router->pump();
  check_new_states();
}

void Worker::accept(std::uint64_t fingerprint, std::uint64_t parent,
                    const Value* row) {
  unchecked_.push_back({fingerprint, parent, true});
  unchecked_rows_.insert(unchecked_rows_.end(), row, row + width_);
}

std::vector<Value> Worker::imported(std::span<const Value> foreign) {
  std::unordered_map<const void*, Value> known;
  std::vector<Value> result;
  result.reserve(foreign.size());
  for (const Value v : foreign) result.push_back(import(v, known));
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
