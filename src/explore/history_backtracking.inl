// Open choices and going back to them: members of HistorySearch, included by
// history_search.cpp.

namespace txscope::explore {

template <std::size_t W>
void HistorySearch<W>::push_read_choice(const Bits<W>& remaining) {
  HistoryT& h = top();
  const std::size_t t = h.order.back();
  Choice choice;
  choice.kind = Choice::Kind::Read;
  choice.frame = static_cast<std::uint32_t>(depth_);
  choice.instance = static_cast<std::uint16_t>(t);
  choice.order_size = static_cast<std::uint16_t>(h.order.size());
  choice.event_count = h.log[t].end - h.log[t].begin;
  choice.pc = event_.pc;
  choice.key = event_.key;
  choice.events_top = static_cast<std::uint32_t>(events_.size());
  choice.slots_top = slots_top_;
  choice.saved_slots = static_cast<std::uint32_t>(saved_slots_.size());
  choice.saved_before = static_cast<std::uint32_t>(saved_before_.size());
  choice.remaining = remaining;
  choice.past = h.past[t];
  choice.sources = h.sources[t];
  choice.stopped = h.stopped;
  const std::int64_t* slots = slots_.data() + h.slots[t];
  saved_slots_.insert(saved_slots_.end(), slots,
                      slots + script_.instances[t].state_slots);
  saved_before_.insert(saved_before_.end(), h.before.begin(), h.before.end());
  choices_.push_back(choice);
}

template <std::size_t W>
void HistorySearch<W>::pop_choice() {
  const Choice& choice = choices_.back();
  if (choice.kind != Choice::Kind::Swap) {
    saved_slots_.resize(choice.saved_slots);
    saved_before_.resize(choice.saved_before);
  }
  choices_.pop_back();
}

template <std::size_t W>
void HistorySearch<W>::go_back_to(const Choice& choice) {
  HistoryT& h = top();
  const std::size_t t = choice.instance;
  if (choice.kind == Choice::Kind::Read &&
      h.progress[t] == Progress::Committed) {
    forget_writes(h, t);
    h.committed.reset(t);
  }
  while (h.order.size() > choice.order_size) {
    const std::size_t last = h.order.back();
    if (h.progress[last] == Progress::Committed) {
      forget_writes(h, last);
      h.committed.reset(last);
    }
    h.progress[last] = Progress::Absent;
    h.present.reset(last);
    h.order.pop_back();
  }
  events_.resize(choice.events_top);
  slots_top_ = choice.slots_top;
  h.stopped = choice.stopped;
  std::copy_n(saved_before_.begin() + choice.saved_before, h.before.size(),
              h.before.begin());
  if (choice.kind != Choice::Kind::Read) {
    h.is_pending = false;
    return;
  }
  h.progress[t] = Progress::Pending;
  h.is_pending = true;
  h.log[t].end = h.log[t].begin + choice.event_count;
  h.past[t] = choice.past;
  h.sources[t] = choice.sources;
  std::copy_n(saved_slots_.begin() + choice.saved_slots,
              script_.instances[t].state_slots, slots_.begin() + h.slots[t]);
  event_ = {};
  event_.stop = exec::Stop::Read;
  event_.pc = choice.pc;
  event_.key = choice.key;
}

/// Takes the next branch that is left.  False if there is none.
template <std::size_t W>
bool HistorySearch<W>::backtrack() {
  while (!choices_.empty()) {
    Choice& choice = choices_.back();
    if (choice.kind == Choice::Kind::Swap) {
      leave_swap();
      if (take_next_swap(choice)) return true;
      const bool extends = !choice.gave_extension;
      choices_.pop_back();
      if (extends) return true;
      continue;
    }
    if (choice.remaining.none()) {  // given away
      pop_choice();
      continue;
    }
    go_back_to(choice);
    const typename Choice::Kind kind = choice.kind;
    const std::size_t chosen = kind == Choice::Kind::Read
                                   ? latest(choice.remaining)
                                   : choice.remaining.first();
    choice.remaining.reset(chosen);
    if (choice.remaining.none()) pop_choice();
    if (kind == Choice::Kind::Read) {
      answer(chosen);
    } else {
      begin(chosen);
    }
    return true;
  }
  return false;
}

template <std::size_t W>
void HistorySearch<W>::forget_writes(const HistoryT& h, std::size_t t) {
  for (std::uint32_t i = h.log[t].begin; i < h.log[t].end; ++i) {
    if (events_[i].kind == EventKind::Write) {
      writers_[events_[i].key.index].reset(t);
    }
  }
}

template <std::size_t W>
void HistorySearch<W>::remember_writes(const HistoryT& h, std::size_t t) {
  for (std::uint32_t i = h.log[t].begin; i < h.log[t].end; ++i) {
    if (events_[i].kind == EventKind::Write) {
      writers_[events_[i].key.index].set(t);
    }
  }
}

}  // namespace txscope::explore
