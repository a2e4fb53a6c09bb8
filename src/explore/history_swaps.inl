// Swaps and work items: members of HistorySearch, included by
// history_search.cpp.

namespace txscope::explore {

/// The next read, backwards in `<`, that may read from the transaction that
/// just committed, entered as a history of its own.  False if none is left.
///
/// Whether a read reads from its latest does not depend on which earlier read
/// is swapped.  So one walk tests each read once, and ends at the first that
/// does not: it would be dropped by every swap before it.
template <std::size_t W>
bool HistorySearch<W>::take_next_swap(Choice& choice) {
  const HistoryT& h = top();
  const std::size_t writer = choice.instance;
  for (;;) {
    while (choice.event_count == 0) {
      if (choice.walk <= 1) return false;
      --choice.walk;
      const std::size_t reader = h.order[choice.walk - 1];
      if (!h.past[writer].test(reader)) {
        choice.event_count = h.log[reader].end - h.log[reader].begin;
      }
    }
    const std::size_t reader = h.order[choice.walk - 1];
    const std::span<const Event> events = log(reader);
    --choice.event_count;
    const Event& read = events[choice.event_count];
    if (read.kind != EventKind::Read) continue;
    if (!reads_latest(reader, read, events.first(choice.event_count), writer)) {
      choice.event_count = 0;
      choice.walk = 0;
      return false;
    }
    if (writers(read.key).test(writer) &&
        enter_swap(reader, choice.event_count, writer)) {
      return true;
    }
  }
}

/// Definition (readLatest, Section 5.3).  h' has the events before `read` in
/// `<` and the causal past of `writer`, itself included.  The source of the
/// read is the latest in `<` among the writers of its key in its causal past
/// from which it may read in h'.
///
/// Method.  Whatever the forced order of all of h allows, that of h' allows,
/// too; only if it does not, h' has to be looked at.
template <std::size_t W>
bool HistorySearch<W>::reads_latest(std::size_t reader, const Event& read,
                                    std::span<const Event> earlier,
                                    std::size_t writer) {
  const HistoryT& h = top();
  if (!read.past.test(read.source)) return false;
  Bits<W> later = writers(read.key) & read.past;
  later.for_each([&](std::size_t t) {
    if (h.position[t] <= h.position[read.source]) later.reset(t);
  });
  if (later.none()) return true;
  if (options_.level == Base::ReadCommitted) return false;

  Bits<W> kept = h.past[writer];
  kept.set(writer);
  scratch_order_.clear();
  for (const std::uint16_t t : h.order) {
    if (t == reader) continue;
    if (h.position[t] < h.position[reader]) kept.set(t);
    if (kept.test(t)) scratch_order_.push_back(t);
  }
  scratch_order_.push_back(static_cast<std::uint16_t>(reader));
  const typename ForcedOrder<W>::Reader before_read = {
      reader, earlier, read.past, sources_of(earlier)};
  return !later.any_of([&](std::size_t source) {
    close_kept(scratch_, h, scratch_order_, kept, reader, earlier);
    return forced_.add_read(scratch_, scratch_order_, before_read, read.key,
                            source, h.past[source],
                            [&](KeyId k) { return writers(k) & kept; });
  });
}

/// The forced order of the part of a history that consists of `members`, in
/// the order `<`; the last of them is `reader`, of which only the earlier
/// events count.
template <std::size_t W>
void HistorySearch<W>::close_kept(std::vector<Bits<W>>& before,
                                  const HistoryT& h,
                                  std::span<const std::uint16_t> members,
                                  const Bits<W>& kept, std::size_t reader,
                                  std::span<const Event> earlier) const {
  before[0] = {};
  for (const std::uint16_t t : members) {
    close_one(before, h, members, kept, t,
              t == reader ? earlier : log_in(h, t));
  }
}

template <std::size_t W>
void HistorySearch<W>::close_one(std::vector<Bits<W>>& before,
                                 const HistoryT& h,
                                 std::span<const std::uint16_t> members,
                                 const Bits<W>& kept, std::size_t instance,
                                 std::span<const Event> events) const {
  Bits<W> own = so_before_[instance];
  so_before_[instance].for_each([&](std::size_t t) { own |= before[t]; });
  before[instance] = own;
  typename ForcedOrder<W>::Reader reader = {instance, {}, {}, {}};
  for (std::size_t i = 0; i < events.size(); ++i) {
    const Event& read = events[i];
    if (read.kind != EventKind::Read) continue;
    reader.log = events.first(i);
    reader.past = read.past;
    const bool is_consistent = forced_.add_read(
        before, members, reader, read.key, read.source, h.past[read.source],
        [&](KeyId k) { return writers(k) & kept; });
    assert(is_consistent && "a part of a consistent history is consistent");
    (void)is_consistent;
    reader.sources.set(read.source);
  }
}

template <std::size_t W>
Bits<W> HistorySearch<W>::sources_of(std::span<const Event> events) {
  Bits<W> sources;
  for (const Event& event : events) {
    if (event.kind == EventKind::Read) sources.set(event.source);
  }
  return sources;
}

/// Makes the history in which event number `event` of `reader` reads from
/// `writer` the top one.  False, and nothing changed, if it lacks the level.
template <std::size_t W>
bool HistorySearch<W>::enter_swap(std::size_t reader, std::uint32_t event,
                                  std::size_t writer) {
  if (depth_ + 1 == frames_.size()) {
    frames_.push_back(std::make_unique<HistoryT>(script_.instances.size()));
  }
  const HistoryT& from = *frames_[depth_];
  HistoryT& to = *frames_[depth_ + 1];
  Bits<W> kept = from.past[writer];
  kept.set(writer);
  to.order.clear();
  to.stopped = {};
  std::fill(to.progress.begin(), to.progress.end(), Progress::Absent);
  to.progress[0] = Progress::Committed;
  for (const std::uint16_t t : from.order) {
    if (t == reader) continue;
    if (from.position[t] < from.position[reader]) kept.set(t);
    if (!kept.test(t)) continue;
    to.order.push_back(t);
    to.position[t] = static_cast<std::uint16_t>(to.order.size());
    to.progress[t] = from.progress[t];
    to.log[t] = from.log[t];
    to.slots[t] = from.slots[t];
    to.end_pc[t] = from.end_pc[t];
    to.past[t] = from.past[t];
    to.sources[t] = from.sources[t];
    if (from.progress[t] > Progress::Aborted) to.stopped |= session_rest_[t];
  }
  to.committed = from.committed & kept;
  to.present = kept;
  to.order.push_back(static_cast<std::uint16_t>(reader));
  to.position[reader] = static_cast<std::uint16_t>(to.order.size());

  const std::span<const Event> events = log_in(from, reader);
  const std::span<const Event> earlier = events.first(event);
  const Event read = events[event];
  const Bits<W> removed = from.committed - kept;
  close_kept(to.before, from, to.order, kept, reader, earlier);
  const typename ForcedOrder<W>::Reader before_read = {
      reader, earlier, read.past, sources_of(earlier)};
  if (!forced_.add_read(to.before, to.order, before_read, read.key, writer,
                        from.past[writer],
                        [&](KeyId k) { return writers(k) & kept; })) {
    return false;
  }

  removed.for_each([&](std::size_t t) { forget_writes(from, t); });
  entered_.push_back({removed, to.committed,
                      static_cast<std::uint32_t>(events_.size()), slots_top_});
  ++depth_;
  ++counts_.explored;
  to.present.set(reader);
  to.progress[reader] = Progress::Pending;
  to.is_pending = true;
  to.past[reader] = read.past | from.past[writer];
  to.past[reader].set(writer);
  to.sources[reader] = before_read.sources;
  to.sources[reader].set(writer);

  const std::uint32_t copied = from.log[reader].begin;
  to.log[reader].begin = static_cast<std::uint32_t>(events_.size());
  events_.reserve(events_.size() + event + 1);
  for (std::uint32_t i = 0; i <= event; ++i) {
    events_.push_back(events_[copied + i]);
  }
  events_.back().source = static_cast<std::uint16_t>(writer);
  events_.back().value = written(writer, read.key);
  to.log[reader].end = static_cast<std::uint32_t>(events_.size());
  run_again(reader, log(reader));
  return true;
}

/// Brings the pending transaction to where it has done `events`.
template <std::size_t W>
void HistorySearch<W>::run_again(std::size_t instance,
                                 std::span<const Event> events) {
  HistoryT& h = top();
  h.slots[instance] = slots_top_;
  slots_top_ += script_.instances[instance].slots;
  if (slots_.size() < slots_top_) slots_.resize(slots_top_ * 2);
  std::int64_t* slots = slots_.data() + h.slots[instance];
  event_ = runner_->start(exec::InstanceId(instance), slots);
  for (const Event& event : events) {
    assert(event_.pc == event.pc && "a transaction is deterministic");
    event_ = event.kind == EventKind::Write
                 ? runner_->resume(event.pc, slots)
                 : runner_->answer(event.pc, event.value, slots);
  }
}

template <std::size_t W>
void HistorySearch<W>::leave_swap() {
  const HistoryT& child = top();
  const Entered entered = entered_.back();
  entered_.pop_back();
  (child.committed - entered.kept).for_each([&](std::size_t t) {
    forget_writes(child, t);
  });
  --depth_;
  entered.removed.for_each([&](std::size_t t) { remember_writes(top(), t); });
  events_.resize(entered.events_top);
  slots_top_ = entered.slots_top;
}

// --- work items

template <std::size_t W>
void HistorySearch<W>::load(const WorkItem& item) {
  reset();
  for (std::size_t i = 0; i < item.txns.size(); ++i) {
    const WorkItem::Txn& txn = item.txns[i];
    const bool stays_pending = item.is_pending && i + 1 == item.txns.size();
    std::size_t answered = 0;
    begin(txn.instance);
    while (top().is_pending &&
           !(stays_pending && answered == txn.sources.size())) {
      if (event_.stop == exec::Stop::Read && own_write(event_.key) == nullptr) {
        assert(answered < txn.sources.size() && "a work item is complete");
        answer(txn.sources[answered++]);
      } else if (event_.stop == exec::Stop::Commit) {
        finish_commit();
      } else {
        step();
      }
    }
  }
}

template <std::size_t W>
WorkItem HistorySearch<W>::leaf_item() const {
  const HistoryT& h = history();
  WorkItem item;
  for (const std::uint16_t t : h.order) {
    WorkItem::Txn txn{t, {}};
    for (const Event& event : log(t)) {
      if (event.kind == EventKind::Read) txn.sources.push_back(event.source);
    }
    item.txns.push_back(std::move(txn));
  }
  return item;
}

template <std::size_t W>
bool HistorySearch<W>::give_away(WorkItem& item) {
  for (Choice& choice : choices_) {
    const bool is_swap = choice.kind == Choice::Kind::Swap;
    if (choice.kind == Choice::Kind::Next) continue;
    if (is_swap ? choice.gave_extension : choice.remaining.none()) continue;
    const HistoryT& h = *frames_[choice.frame];
    const std::size_t size = is_swap ? h.order.size() : choice.order_size;
    item.txns.clear();
    item.is_pending = !is_swap;
    for (std::size_t i = 0; i < size; ++i) {
      WorkItem::Txn txn{h.order[i], {}};
      std::span<const Event> events = log_in(h, h.order[i]);
      if (!is_swap && i + 1 == size) events = events.first(choice.event_count);
      for (const Event& event : events) {
        if (event.kind == EventKind::Read) txn.sources.push_back(event.source);
      }
      item.txns.push_back(std::move(txn));
    }
    if (is_swap) {
      choice.gave_extension = true;
      return true;
    }
    const std::size_t source = choice.remaining.first();
    choice.remaining.reset(source);
    item.txns.back().sources.push_back(static_cast<std::uint16_t>(source));
    return true;
  }
  return false;
}

template <std::size_t W>
double HistorySearch<W>::random_walk(Random& random) {
  reset();
  random_ = &random;
  weight_ = 1;
  const bool is_leaf = extend();
  random_ = nullptr;
  return is_leaf ? weight_ : 0;
}

}  // namespace txscope::explore
