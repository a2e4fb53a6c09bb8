#include "explore/history_search.h"

#include <algorithm>
#include <cassert>

namespace txscope::explore {
namespace {

/// Events on the stack; beyond that a transaction is cut as by a loop bound.
constexpr std::size_t kMaxEvents = std::size_t{1} << 24;

template <std::size_t W>
std::vector<Bits<W>> sessions_before(const exec::Script& script) {
  std::vector<Bits<W>> before(script.instances.size());
  for (std::size_t s = 0; s < script.session_count(); ++s) {
    Bits<W> earlier = Bits<W>::of(0);
    for (std::size_t i = script.first_of_session[s].index;
         i < script.first_of_session[s + 1].index; ++i) {
      before[i] = earlier;
      earlier.set(i);
    }
  }
  return before;
}

}  // namespace

template <std::size_t W>
HistorySearch<W>::HistorySearch(const exec::Script& script,
                                const Options& options, const Budget& budget)
    : script_(script),
      options_(options),
      budget_(budget),
      runner_(script.make_runner(options.loop_bound, budget)),
      so_before_(sessions_before<W>(script)),
      session_rest_(script.instances.size()),
      forced_(options.level, so_before_),
      writers_(script.initial.size(), Bits<W>::of(0)),
      scratch_(script.instances.size()) {
  assert(script.instances.size() <= Bits<W>::kSize && "a set too narrow");
  for (std::size_t s = 0; s < script.session_count(); ++s) {
    Bits<W> rest;
    for (std::size_t i = script.first_of_session[s + 1].index;
         i-- > script.first_of_session[s].index;) {
      session_rest_[i] = rest;
      rest.set(i);
    }
  }
  // A transaction that is left out does not precede anybody.
  for (Bits<W>& before : so_before_) {
    Bits<W> active = options_.active;
    active.set(0);
    before &= active;
  }
  reset();
}

template <std::size_t W>
void HistorySearch<W>::reset() {
  while (depth_ > 0) leave_swap();
  if (frames_.empty()) {
    frames_.push_back(std::make_unique<HistoryT>(script_.instances.size()));
  } else {
    top().committed.for_each([this](std::size_t t) {
      if (t != 0) forget_writes(top(), t);
    });
    *frames_[0] = HistoryT(script_.instances.size());
  }
  choices_.clear();
  events_.clear();
  slots_top_ = 0;
  saved_slots_.clear();
  saved_before_.clear();
}

// --- the loop

template <std::size_t W>
bool HistorySearch<W>::run(const WorkItem& item, const OnLeaf& on_leaf,
                           const std::function<void(HistorySearch&)>& on_idle) {
  load(item);
  for (;;) {
    const bool is_leaf = extend();
    if (budget_.spent()) return false;
    if (is_leaf) {
      ++counts_.leaves;
      if (!on_leaf(*this)) return false;
      if (on_idle) on_idle(*this);
    }
    if (!backtrack()) return true;
  }
}

/// Runs forward to a leaf (true) or a dead end (false).
template <std::size_t W>
bool HistorySearch<W>::extend() {
  for (;;) {
    HistoryT& h = top();
    if (budget_.spent()) return false;
    if (h.is_pending) {
      if (!step()) return false;
      continue;
    }
    const Bits<W> runnable = options_.active - h.present - h.stopped;
    if (runnable.none()) return true;
    pick_next(runnable);
  }
}

template <std::size_t W>
void HistorySearch<W>::pick_next(const Bits<W>& runnable) {
  if (!options_.is_naive) {
    begin(runnable.first());
    return;
  }
  Bits<W> next;  // the first one of each session
  runnable.for_each([&](std::size_t i) {
    if ((so_before_[i] & runnable).none()) next.set(i);
  });
  const std::size_t chosen = next.first();
  next.reset(chosen);
  if (next.any()) {
    Choice choice;
    choice.kind = Choice::Kind::Next;
    choice.frame = static_cast<std::uint32_t>(depth_);
    choice.order_size = static_cast<std::uint16_t>(top().order.size());
    choice.events_top = static_cast<std::uint32_t>(events_.size());
    choice.slots_top = slots_top_;
    choice.saved_slots = static_cast<std::uint32_t>(saved_slots_.size());
    choice.saved_before = static_cast<std::uint32_t>(saved_before_.size());
    choice.remaining = next;
    choice.stopped = top().stopped;
    saved_before_.insert(saved_before_.end(), top().before.begin(),
                         top().before.end());
    choices_.push_back(choice);
  }
  begin(chosen);
}

template <std::size_t W>
void HistorySearch<W>::begin(std::size_t instance) {
  HistoryT& h = top();
  ++counts_.explored;
  h.order.push_back(static_cast<std::uint16_t>(instance));
  h.position[instance] = static_cast<std::uint16_t>(h.order.size());
  h.progress[instance] = Progress::Pending;
  h.present.set(instance);
  h.is_pending = true;
  const auto top_event = static_cast<std::uint32_t>(events_.size());
  h.log[instance] = {top_event, top_event};
  h.sources[instance] = {};
  Bits<W> past = so_before_[instance];
  Bits<W> before = past;
  so_before_[instance].for_each([&](std::size_t t) {
    past |= h.past[t];
    before |= h.before[t];
  });
  h.past[instance] = past;
  h.before[instance] = before;
  h.slots[instance] = slots_top_;
  slots_top_ += script_.instances[instance].slots;
  if (slots_.size() < slots_top_) slots_.resize(slots_top_ * 2);
  event_ = runner_->start(exec::InstanceId(instance),
                          slots_.data() + h.slots[instance]);
}

/// One event of the pending transaction.  False if nobody answers its read.
template <std::size_t W>
bool HistorySearch<W>::step() {
  HistoryT& h = top();
  const std::size_t t = h.order.back();
  if (events_.size() > kMaxEvents) {
    end(Progress::Cut);
    return true;
  }
  switch (event_.stop) {
    case exec::Stop::Read: return read();
    case exec::Stop::Write:
      log_event(EventKind::Write, 0, event_.value);
      event_ = runner_->resume(event_.pc, slots_.data() + h.slots[t]);
      return true;
    case exec::Stop::Commit: commit(); return true;
    case exec::Stop::Abort: end(Progress::Aborted); return true;
    case exec::Stop::Assume: end(Progress::Discarded); return true;
    case exec::Stop::Fault: end(Progress::Faulted); return true;
    case exec::Stop::Bound: end(Progress::Cut); return true;
  }
  return false;
}

template <std::size_t W>
void HistorySearch<W>::log_event(EventKind kind, std::size_t source,
                                 std::int64_t value) {
  HistoryT& h = top();
  const std::size_t t = h.order.back();
  Event event;
  event.key = event_.key;
  event.pc = event_.pc;
  event.value = value;
  event.past = h.past[t];
  event.source = static_cast<std::uint16_t>(source);
  event.kind = kind;
  events_.push_back(event);
  h.log[t].end = static_cast<std::uint32_t>(events_.size());
  ++counts_.explored;
}

template <std::size_t W>
bool HistorySearch<W>::read() {
  if (const Event* write = own_write(event_.key)) {
    const std::int64_t value = write->value;
    log_event(EventKind::OwnRead, 0, value);
    event_ = runner_->answer(event_.pc, value,
                             slots_.data() + top().slots[top().order.back()]);
    return true;
  }
  Bits<W> sources = valid_sources();
  if (sources.none()) {
    ++counts_.blocked;
    return false;
  }
  std::size_t chosen = latest(sources);
  if (random_ != nullptr) {
    const std::size_t n = sources.count();
    weight_ *= static_cast<double>(n);
    for (std::uint64_t skip = random_->below(n); skip > 0; --skip) {
      sources.reset(sources.first());
    }
    chosen = sources.first();
  } else {
    sources.reset(chosen);
    if (sources.any()) push_read_choice(sources);
  }
  answer(chosen);
  return true;
}

/// The source to try first: with it serial executions come first, which every
/// level has, and the others differ from them step by step.
template <std::size_t W>
std::size_t HistorySearch<W>::latest(const Bits<W>& sources) const {
  std::size_t found = 0;
  sources.for_each([&](std::size_t t) {
    if (found == 0 || history().position[t] > history().position[found]) {
      found = t;
    }
  });
  return found;
}

/// Lets the pending transaction's read take its value from `source`.
template <std::size_t W>
void HistorySearch<W>::answer(std::size_t source) {
  HistoryT& h = top();
  const std::size_t t = h.order.back();
  const bool is_consistent =
      forced_.add_read(h.before, h.order, pending_reader(), event_.key, source,
                       h.past[source], [this](KeyId k) { return writers(k); });
  assert(is_consistent && "only valid sources are chosen");
  (void)is_consistent;
  const std::int64_t value = written(source, event_.key);
  log_event(EventKind::Read, source, value);
  h.past[t] |= h.past[source];
  h.past[t].set(source);
  h.sources[t].set(source);
  event_ = runner_->answer(event_.pc, value, slots_.data() + h.slots[t]);
}

template <std::size_t W>
void HistorySearch<W>::commit() {
  finish_commit();
  const HistoryT& h = top();
  const std::size_t t = h.order.back();
  bool writes = false;
  for (const Event& event : log(t)) writes |= event.kind == EventKind::Write;
  if (!writes || options_.is_naive) return;
  Choice choice;
  choice.kind = Choice::Kind::Swap;
  choice.frame = static_cast<std::uint32_t>(depth_);
  choice.instance = static_cast<std::uint16_t>(t);
  choice.walk = static_cast<std::uint32_t>(h.order.size());
  choices_.push_back(choice);
  if (random_ != nullptr) {
    branch_at_random();
  } else if (!take_next_swap(choices_.back())) {
    choices_.pop_back();
  }
}

template <std::size_t W>
void HistorySearch<W>::finish_commit() {
  HistoryT& h = top();
  const std::size_t t = h.order.back();
  h.progress[t] = Progress::Committed;
  h.committed.set(t);
  h.is_pending = false;
  ++counts_.explored;
  remember_writes(h, t);
}

/// Of the swaps of the last commit, or none of them, takes one.
template <std::size_t W>
void HistorySearch<W>::branch_at_random() {
  Choice counting = choices_.back();
  std::size_t swaps = 0;
  while (take_next_swap(counting)) {
    ++swaps;
    leave_swap();
  }
  weight_ *= static_cast<double>(swaps + 1);
  const std::uint64_t chosen = random_->below(swaps + 1);
  for (std::uint64_t i = 0; i < chosen; ++i) {
    take_next_swap(choices_.back());
    if (i + 1 < chosen) leave_swap();
  }
  choices_.pop_back();
}

template <std::size_t W>
void HistorySearch<W>::end(Progress how) {
  HistoryT& h = top();
  const std::size_t t = h.order.back();
  h.progress[t] = how;
  h.end_pc[t] = event_.pc;
  h.is_pending = false;
  ++counts_.explored;
  if (how != Progress::Aborted) h.stopped |= session_rest_[t];
}

// --- what a read may return

template <std::size_t W>
const typename HistorySearch<W>::Event* HistorySearch<W>::own_write(
    KeyId key) const {
  const HistoryT& h = history();
  const auto& log = h.log[h.order.back()];
  for (std::uint32_t i = log.end; i-- > log.begin;) {
    if (events_[i].kind == EventKind::Write && events_[i].key == key) {
      return &events_[i];
    }
  }
  return nullptr;
}

template <std::size_t W>
std::int64_t HistorySearch<W>::written(std::size_t instance, KeyId key) const {
  if (instance == 0) return script_.initial[key.index];
  const auto& log = history().log[instance];
  for (std::uint32_t i = log.end; i-- > log.begin;) {
    if (events_[i].kind == EventKind::Write && events_[i].key == key) {
      return events_[i].value;
    }
  }
  assert(false && "a source writes what is read from it");
  return 0;
}

template <std::size_t W>
typename ForcedOrder<W>::Reader HistorySearch<W>::pending_reader() const {
  const HistoryT& h = history();
  const std::size_t t = h.order.back();
  return {t, log(t), h.past[t], h.sources[t]};
}

template <std::size_t W>
Bits<W> HistorySearch<W>::valid_sources() {
  HistoryT& h = top();
  Bits<W> sources = writers(event_.key);
  if (options_.level == Base::ReadCommitted) return sources;
  if (sources == Bits<W>::of(0)) return sources;  // only init, always allowed
  const auto reader = pending_reader();
  const auto all = [this](KeyId k) { return writers(k); };
  Bits<W> valid;
  sources.for_each([&](std::size_t source) {
    for (const std::uint16_t t : h.order) scratch_[t] = h.before[t];
    scratch_[0] = h.before[0];
    if (forced_.add_read(scratch_, h.order, reader, event_.key, source,
                         h.past[source], all)) {
      valid.set(source);
    }
  });
  return valid;
}

}  // namespace txscope::explore

// The other members.
#include "explore/history_backtracking.inl"
#include "explore/history_swaps.inl"

namespace txscope::explore {

template class HistorySearch<1>;
template class HistorySearch<64>;

}  // namespace txscope::explore
