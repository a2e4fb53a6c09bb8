#include <algorithm>

#include "check/engines.h"
#include "check/facts/written_keys.h"
#include "check/weak/commit_graph.h"

namespace txscope::check {
namespace {

// Forced edges of one transaction after the other; the tables are shared.
class Views {
 public:
  Views(const History& history, const Facts& facts)
      : facts_(facts),
        written_(facts, history.size()),
        next_read_(history.key_count(), kNobody),
        first_read_(history.size(), kNobody) {}

  /// Says that add() will be called for t3 soon: what it looks up by writer and
  /// by key is far apart.
  void expect(TxnId t3) const {
    for (const Facts::Read& read : facts_.reads(t3)) {
      __builtin_prefetch(&first_read_[read.writer.index], 1);
      __builtin_prefetch(&next_read_[read.key.index], 1);
      written_.expect(read.writer);
    }
  }

  void add(TxnId t3, std::vector<Forced>& forced) {
    const auto reads = facts_.reads(t3);
    if (reads.size() < 2) return;
    for (std::uint32_t i = 0; i < reads.size(); ++i)
      if (auto& first = first_read_[reads[i].writer.index]; first == kNobody)
        first = i;
    for (std::uint32_t i = static_cast<std::uint32_t>(reads.size()); i-- > 0;) {
      const Facts::Read& read = reads[i];
      auto& next = next_read_[read.key.index];
      const bool is_first = first_read_[read.writer.index] == i;
      if (read.writer != History::kInitial) {
        if (next != kNobody) force(read.writer, reads[next], forced);
        if (is_first) force_all(reads, read, forced);
      }
      if (next == kNobody) {
        later_keys_.push_back(read.key);
        later_mask_ |= WrittenKeys::bit(read.key);
      }
      next = i;
      if (is_first) first_read_[read.writer.index] = kNobody;
    }
    for (const KeyId k : later_keys_) next_read_[k.index] = kNobody;
    later_keys_.clear();
    later_mask_ = 0;
  }

 private:
  static constexpr std::uint32_t kNobody = 0xffffffffu;

  static void force(TxnId t2, const Facts::Read& read,
                    std::vector<Forced>& forced) {
    if (read.writer != t2) forced.push_back({t2, read.writer, read.op});
  }

  // Every later read of a key that the writer of `read` wrote, the nearest of
  // each key; looks through whichever is smaller, its writes or those keys.
  void force_all(const Facts::Reads& reads, const Facts::Read& read,
                 std::vector<Forced>& forced) {
    const WrittenKeys::Mask mask = written_.of(read.writer);
    if ((mask & later_mask_) == 0) return;
    const auto writes = facts_.writes(read.writer);
    if (writes.size() <= later_keys_.size()) {
      for (const KeyId k : writes)
        if (const auto next = next_read_[k.index];
            next != kNobody && k != read.key)
          force(read.writer, reads[next], forced);
    } else {
      for (const KeyId k : later_keys_)
        if ((mask & WrittenKeys::bit(k)) != 0 && k != read.key &&
            reads[next_read_[k.index]].writer != read.writer &&
            facts_.writes_key(read.writer, k))
          force(read.writer, reads[next_read_[k.index]], forced);
    }
  }

  const Facts& facts_;
  WrittenKeys written_;
  std::vector<std::uint32_t> next_read_;   // by key: nearest later read
  std::vector<std::uint32_t> first_read_;  // by writer
  std::vector<KeyId> later_keys_;
  WrittenKeys::Mask later_mask_ = 0;
};

}  // namespace

// Monotonic atomic view: what a transaction has seen, it goes on seeing.
//
// Definition.  Read committed, and if t3 reads x from t1 by r, and by an event
// before r from t2, and t2 writes x, too, then t2 precedes t1 in co.  Bailis
// and others, VLDB 2014 (the level); Biswas and Enea, OOPSLA 2019, section 2.2
// (the axiom, there called Read Committed).
// Method.  From the last read of t3 to the first, keep the nearest later read
// of each key.  The first read from t2 forces t2 before the writers of the
// nearest later reads of all keys it wrote; a read of x forces its writer
// before that of the next read of x.  Møldrup and Pavlogiannis, PLDI 2025.
// Invariant.  Any later read of x is reached by a chain of the second kind, so
// what is left out follows; every edge lies in every co.
// Cost.  Per writer that t3 reads the smaller of its writes and t3's reads:
// n^1.5 at worst, linear when transactions are small.
Verdict check_monotonic_atomic_view(const History& history, const Facts& facts,
                                    const OrderIndex& order,
                                    const Budget& budget) {
  const Level level{Base::MonotonicAtomicView, order.order()};
  std::vector<Forced> forced;
  Views views(history, facts);
  constexpr std::size_t kAhead = 3;
  for (std::size_t t = 1; t < history.size(); ++t) {
    if (budget.spent()) return {level, budget.reason()};
    if (t + kAhead < history.size() && facts.counts(TxnId(t + kAhead)))
      views.expect(TxnId(t + kAhead));
    if (facts.counts(TxnId(t))) views.add(TxnId(t), forced);
  }
  return conclude(history, facts, order, level, forced, budget);
}

}  // namespace txscope::check
