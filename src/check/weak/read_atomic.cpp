#include <algorithm>

#include "check/engines.h"
#include "check/facts/written_keys.h"
#include "check/weak/commit_graph.h"

namespace txscope::check {
namespace {

constexpr std::uint32_t kNobody = 0xffffffffu;

// Whatever t3 reads from t2, the other reads of t3 must not be older.
class Fractures {
 public:
  Fractures(const History& history, const Facts& facts)
      : facts_(facts),
        written_(facts, history.size()),
        read_of_(history.key_count(), kNobody),
        is_seen_(history.size(), 0) {}

  void add(TxnId t3, std::vector<Forced>& forced) {
    const auto reads = facts_.reads(t3);
    if (reads.size() < 2) return;
    for (std::uint32_t i = 0; i < reads.size(); ++i) {
      auto& first = read_of_[reads[i].key.index];
      if (first == kNobody) {
        first = i;
        keys_.push_back(reads[i].key);
      } else if (reads[first].writer != reads[i].writer) {
        force(reads[first].writer, reads[i], forced);
        force(reads[i].writer, reads[first], forced);
      }
    }
    for (const Facts::Read& read : reads) {
      if (read.writer == History::kInitial || is_seen_[read.writer.index])
        continue;
      is_seen_[read.writer.index] = 1;
      force_all(reads, read.writer, forced);
    }
    for (const Facts::Read& read : reads) is_seen_[read.writer.index] = 0;
    for (const KeyId k : keys_) read_of_[k.index] = kNobody;
    keys_.clear();
  }

 private:
  static void force(TxnId t2, const Facts::Read& read,
                    std::vector<Forced>& forced) {
    if (read.writer != t2 && t2 != History::kInitial)
      forced.push_back({t2, read.writer, read.op});
  }

  void force_all(const Facts::Reads& reads, TxnId t2,
                 std::vector<Forced>& forced) {
    const WrittenKeys::Mask mask = written_.of(t2);
    constexpr std::size_t kFew = 8;  // less work than finding the other row
    if (keys_.size() > kFew && facts_.writes(t2).size() <= keys_.size()) {
      for (const KeyId k : facts_.writes(t2))
        if (const auto i = read_of_[k.index]; i != kNobody)
          force(t2, reads[i], forced);
    } else {
      for (const KeyId k : keys_)
        if (const Facts::Read& read = reads[read_of_[k.index]];
            (mask & WrittenKeys::bit(k)) != 0 && read.writer != t2 &&
            facts_.writes_key(t2, k))
          force(t2, read, forced);
    }
  }

  const Facts& facts_;
  WrittenKeys written_;
  std::vector<std::uint32_t> read_of_;  // by key: the first read of t3
  std::vector<std::uint8_t> is_seen_;   // by writer
  std::vector<KeyId> keys_;
};

// What t3's session wrote before it, t3 must not miss.  Only the last writer
// of each key matters: the session puts the earlier ones before it.
void force_by_sessions(const History& history, const Facts& facts,
                       std::vector<Forced>& forced, const Budget& budget) {
  std::vector<TxnId> last(history.key_count(), History::kInitial);
  for (const Session& session : history.sessions())
    for (TxnId t3 = session.first; t3 < session.end; ++t3.index) {
      if (!facts.counts(t3)) continue;
      if (budget.spent()) return;
      for (const Facts::Read& read : facts.reads(t3)) {
        const TxnId t2 = last[read.key.index];
        const bool is_ours = t2 >= session.first && t2 != History::kInitial;
        if (is_ours && read.writer != t2)
          forced.push_back({t2, read.writer, read.op});
      }
      for (const KeyId k : facts.writes(t3)) last[k.index] = t3;
    }
}

// What ended before t3 started, t3 must not miss.
//
// Per key, writers by their ends.  For a read from t1 that is a prefix of
// them; those that ended before t1 started precede it anyway, and what was
// forced before t1 by one read need not be forced by the next.  What is left
// overlaps t1, at most one per session at its end, or it is the contradiction.
class RealtimeReads {
 public:
  RealtimeReads(const History& history, const Facts& facts)
      : history_(history), facts_(facts) {
    begin_.push_back(0);
    for (std::size_t k = 0; k < history.key_count(); ++k) {
      const auto first = static_cast<std::ptrdiff_t>(by_end_.size());
      for (const TxnId t : facts.writers(KeyId(k)))
        if (facts.counts(t) && history.at(t).end != Txn::kNoTime)
          by_end_.push_back({history.at(t).end, t});
      std::sort(by_end_.begin() + first, by_end_.end());
      begin_.push_back(static_cast<std::uint32_t>(by_end_.size()));
    }
    std::uint32_t slots = 0;
    for (std::size_t t = 0; t < history.size(); ++t) {
      slot_begin_.push_back(slots);
      slots += static_cast<std::uint32_t>(facts.writes(TxnId(t)).size());
    }
    done_.assign(slots, kNobody);
  }

  void add(TxnId t3, std::vector<Forced>& forced) {
    if (history_.at(t3).start == Txn::kNoTime) return;
    for (const Facts::Read& read : facts_.reads(t3)) {
      const std::uint32_t first = begin_[read.key.index];
      const std::uint32_t missed =
          first_not_before(read.key, history_.at(t3).start);
      if (missed == first) continue;
      if (read.writer == History::kInitial) {  // the youngest is enough
        forced.push_back({by_end_[missed - 1].writer, read.writer, read.op});
        continue;
      }
      const Txn& t1 = history_.at(read.writer);
      std::uint32_t& done = done_[slot(read.writer, read.key)];
      if (done == kNobody)
        done = t1.start == Txn::kNoTime ? first
                                        : first_not_before(read.key, t1.start);
      for (; done < missed; ++done) {
        const TxnId t2 = by_end_[done].writer;
        if (t2 == read.writer) continue;
        forced.push_back({t2, read.writer, read.op});
        // t1 ended before t2 started: a contradiction, more is not needed.
        if (t1.end != Txn::kNoTime && t1.end < history_.at(t2).start)
          done = begin_[read.key.index + 1];
      }
    }
  }

 private:
  struct End {
    std::int64_t time;
    TxnId writer;
    friend auto operator<=>(const End&, const End&) = default;
  };

  // Place in by_end_ of the first writer of k that did not end before `time`.
  [[nodiscard]] std::uint32_t first_not_before(KeyId k,
                                               std::int64_t time) const {
    const auto row = by_end_.begin();
    return static_cast<std::uint32_t>(
        std::lower_bound(
            row + begin_[k.index], row + begin_[k.index + 1], time,
            [](const End& e, std::int64_t bound) { return e.time < bound; }) -
        row);
  }
  [[nodiscard]] std::uint32_t slot(TxnId t, KeyId k) const {
    const auto keys = facts_.writes(t);
    return slot_begin_[t.index] +
           static_cast<std::uint32_t>(
               std::lower_bound(keys.begin(), keys.end(), k) - keys.begin());
  }

  const History& history_;
  const Facts& facts_;
  std::vector<End> by_end_;  // rows by key
  std::vector<std::uint32_t> begin_;
  std::vector<std::uint32_t> slot_begin_;  // by writer, then its keys
  std::vector<std::uint32_t> done_;  // by slot: forced up to here in by_end_
};

}  // namespace

// Read atomic: all or nothing of another transaction is seen.
//
// Definition.  If t3 reads x from t1, and t2 writes x, too, and t3 reads from
// t2 or t2 precedes t3 by the order, then t2 precedes t1 in co.  Bailis and
// others, SIGMOD 2014 (RAMP); Biswas and Enea, OOPSLA 2019, section 2.2.
// Method.  Per writer t2 that t3 reads, the keys that t2 writes and t3 reads,
// found through the smaller side; per read the last writer in the session;
// in real time the writers that overlap t1.  Then one topological sort.
// Invariant.  Edges left out follow from the order; every edge lies in every
// co that could witness the level.
// Cost.  n^1.5 at worst, linear when transactions are small; in real time one
// sort of the writers of each key more.
Verdict check_read_atomic(const History& history, const Facts& facts,
                          const OrderIndex& order, const Budget& budget) {
  const Level level{Base::ReadAtomic, order.order()};
  std::vector<Forced> forced;
  Fractures fractures(history, facts);
  for (std::size_t t = 1; t < history.size(); ++t) {
    if (budget.spent()) return {level, budget.reason()};
    if (facts.counts(TxnId(t))) fractures.add(TxnId(t), forced);
  }
  if (order.order() != Order::None)
    force_by_sessions(history, facts, forced, budget);
  if (order.order() == Order::Realtime) {
    RealtimeReads reads(history, facts);
    for (std::size_t t = 1; t < history.size(); ++t) {
      if (budget.spent()) return {level, budget.reason()};
      if (facts.counts(TxnId(t))) reads.add(TxnId(t), forced);
    }
  }
  return conclude(history, facts, order, level, forced, budget);
}

}  // namespace txscope::check
