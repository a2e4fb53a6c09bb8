#include "check/weak/clock.h"

namespace txscope::check {

Clock::Clock(const History& history) : Clock(history, RecordsOnly()) {
  if (!is_recorded()) find_numbers();
}

bool Clock::is_recorded(const History& history) {
  return Clock(history, RecordsOnly()).is_recorded();
}

void Clock::find_records() {
  bool grows_with_id = true;
  std::uint32_t last = 0;
  for (std::uint32_t i = 1; i < history_.size(); ++i) {
    const Txn t = history_.at(TxnId(i));
    has_times_ &= t.start != Txn::kNoTime;
    has_lines_ |= t.line != 0;
    grows_with_id &= t.line >= last;
    last = t.line;
  }
  // A file that lists one session after the other tells nothing of time.
  if (grows_with_id && history_.sessions().size() > 1) has_lines_ = false;
}

// The last number that was written up to here in the session.
void Clock::find_numbers() {
  std::vector<std::int64_t> numbers(history_.size());
  for (const Session& s : history_.sessions()) {
    std::int64_t last = INT64_MIN;
    for (TxnId t = s.first; t < s.end; ++t.index) {
      for (const Op& op : history_.ops(t)) {
        if (!op.is_write()) continue;
        if (!op.value.is_small_int() || op.value.small_int() < last) return;
        last = op.value.small_int();
      }
      numbers[t.index] = last;
    }
  }
  numbers_ = std::move(numbers);
}

std::int64_t Clock::of(TxnId t, bool is_commit) const {
  const Txn& txn = history_.at(t);
  if (has_times_)
    return is_commit && txn.end != Txn::kNoTime ? txn.end : txn.start;
  if (has_lines_) return txn.line;
  if (t == History::kInitial) return 0;
  if (!numbers_.empty()) return numbers_[t.index];
  const Session& s = history_.sessions()[txn.session.index];
  return static_cast<std::int64_t>(
      static_cast<double>(t.index - s.first.index) * 0x1p40 /
      static_cast<double>(s.end.index - s.first.index));
}

}  // namespace txscope::check
