#include "check/facts/likely_versions.h"

#include <algorithm>
#include <cassert>
#include <vector>

#include "check/weak/clock.h"
#include "check/weak/commit_graph.h"

namespace txscope::check {
namespace {

using Version = Facts::Version;

/// Who overwrites each version, kNone for the last ones; by version.
class LikelyWriters {
 public:
  LikelyWriters(const History& history, const Facts& facts)
      : history_(history), facts_(facts), clock_(history) {}

  /// False if there is no hint, or the budget ended.
  bool find(const Budget& budget) {
    next_.assign(facts_.version_count(), kNone<TxnId>);
    for (std::uint32_t k = 0; k < history_.key_count(); ++k) {
      const KeyId key(k);
      if (budget.spent() || !line_up(key)) return false;
      Version last = facts_.version(key, History::kInitial);
      for (const Writer& writer : line_) {
        next_[last.index] = writer.txn;
        last = facts_.version(key, writer.txn);
      }
    }
    return true;
  }
  [[nodiscard]] TxnId after(Version v) const { return next_[v.index]; }

 private:
  struct Writer {
    std::uint32_t known;  // place in the order that the reads of a list show
    std::int64_t hint;
    TxnId txn;
    friend auto operator<=>(const Writer&, const Writer&) = default;
  };

  bool line_up(KeyId key) {
    line_.clear();
    std::uint32_t place = 0;
    for (const TxnId t : facts_.version_order(key))
      line_.push_back({place++, 0, t});
    if (history_.kind(key) == KeyKind::List) {
      in_order_.assign(facts_.version_order(key).begin(),
                       facts_.version_order(key).end());
      std::sort(in_order_.begin(), in_order_.end());
    }
    const std::size_t first_open = line_.size();
    for (const TxnId t : facts_.writers(key)) {
      if (!facts_.counts(t)) continue;
      if (first_open > 0 &&
          std::binary_search(in_order_.begin(), in_order_.end(), t))
        continue;
      Writer writer{place, 0, t};
      if (!hint(key, t, writer.hint)) return false;
      // Two of one session in the wrong order: no hint at all.
      if (line_.size() > first_open && writer.hint < line_.back().hint &&
          history_.at(t).session == history_.at(line_.back().txn).session)
        return false;
      line_.push_back(writer);
    }
    std::sort(line_.begin() + static_cast<long>(first_open), line_.end());
    return true;
  }

  bool hint(KeyId key, TxnId t, std::int64_t& hint) const {
    if (clock_.is_recorded()) {
      hint = clock_.of(t, true);
      return true;
    }
    const auto ops = history_.ops(t);
    for (std::size_t i = ops.size(); i-- > 0;) {
      const Op op = ops[i];
      if (op.key != key || !op.is_write()) continue;
      if (!op.value.is_small_int()) return false;
      hint = op.value.small_int();
      return true;
    }
    assert(false && "a writer of the key");
    return false;
  }

  const History& history_;
  const Facts& facts_;
  Clock clock_;
  std::vector<TxnId> next_;
  std::vector<Writer> line_;
  std::vector<TxnId> in_order_;
};

/// Kahn's algorithm on starts and commits, which are one at serializable.
class LikelySort {
 public:
  LikelySort(const History& history, const Facts& facts,
             const OrderIndex& order, Base base, const LikelyWriters& writers)
      : history_(history),
        facts_(facts),
        order_(order),
        writers_(writers),
        per_txn_(base == Base::Serializable ? 1 : 2),
        is_prefix_(base == Base::Prefix) {}

  std::optional<CommitOrder> run(const Budget& budget) {
    find_readers();
    find_moments();
    count();
    for (Node m = first_moment_; m < missing_.size(); ++m)
      if (missing_[m] == 0) ready_.push_back(m);
    for (std::uint32_t i = 1; i < history_.size(); ++i)
      if (facts_.counts(TxnId(i)) && missing_[start(TxnId(i))] == 0)
        ready_.push_back(start(TxnId(i)));
    for (std::size_t next = 0; next < ready_.size(); ++next) {
      const Node n = ready_[next];
      if (budget.spent()) return std::nullopt;
      if (n >= first_moment_) {
        pass_moment(n - first_moment_);
        continue;
      }
      const TxnId t(n / per_txn_);
      if (is_start(n)) pass_start(t);
      if (is_commit(n)) pass_commit(t);
    }
    if (ready_.size() < node_count_) return std::nullopt;
    std::erase_if(ready_,
                  [&](Node n) { return n >= first_moment_ || !is_commit(n); });
    for (Node& n : ready_) n /= per_txn_;
    return make_commit_order(history_, facts_, ready_);
  }

 private:
  [[nodiscard]] Node start(TxnId t) const { return per_txn_ * t.index; }
  [[nodiscard]] Node commit(TxnId t) const {
    return per_txn_ * t.index + per_txn_ - 1;
  }
  [[nodiscard]] bool is_start(Node n) const { return n % per_txn_ == 0; }
  [[nodiscard]] bool is_commit(Node n) const {
    return n % per_txn_ == per_txn_ - 1;
  }
  /// Where ww leads to.
  [[nodiscard]] Node overwrites(TxnId t) const {
    return is_prefix_ ? commit(t) : start(t);
  }
  [[nodiscard]] Version first_version(TxnId t) const {
    return {static_cast<std::uint32_t>(history_.key_count()) +
            facts_.first_write(t)};
  }

  // Rows by version: a reader stands in it as often as it read it.
  void find_readers() {
    begin_.assign(facts_.version_count() + 1, 0);
    for_reads([&](TxnId, Version v) {
      ++begin_[v.index + 1];
      versions_.push_back(v);
    });
    for (std::size_t v = 1; v < begin_.size(); ++v) begin_[v] += begin_[v - 1];
    readers_.resize(versions_.size());
    // Filled from behind, so that begin_ is right again in the end.
    for (std::size_t v = begin_.size() - 1; v > 0; --v)
      begin_[v] = begin_[v - 1];
    std::size_t read = 0;
    for (std::uint32_t i = 1; i < history_.size(); ++i)
      for (std::size_t n = facts_.reads(TxnId(i)).size(); n > 0; --n)
        readers_[begin_[versions_[read++].index + 1]++] = TxnId(i);
  }

  template <class Visit>
  void for_reads(Visit visit) const {
    for (std::uint32_t i = 1; i < history_.size(); ++i)
      for (const Facts::Read& read : facts_.reads(TxnId(i)))
        visit(TxnId(i), facts_.version(read.key, read.writer));
  }

  void find_moments() {
    first_moment_ = per_txn_ * static_cast<Node>(history_.size());
    starts_begin_.assign(order_.moment_count() + 1, 0);
    const auto for_starts = [&](auto visit) {
      for (std::uint32_t i = 1; i < history_.size(); ++i)
        if (const auto m = order_.moment_before(TxnId(i));
            facts_.counts(TxnId(i)) && m != OrderIndex::kNoMoment)
          visit(TxnId(i), m);
    };
    for_starts([&](TxnId, std::uint32_t m) { ++starts_begin_[m + 1]; });
    for (std::size_t m = 1; m < starts_begin_.size(); ++m)
      starts_begin_[m] += starts_begin_[m - 1];
    starts_.resize(starts_begin_.back());
    std::vector<std::uint32_t> at(starts_begin_.begin(),
                                  starts_begin_.end() - 1);
    for_starts([&](TxnId t, std::uint32_t m) { starts_[at[m]++] = t; });
  }

  // How many each node waits for: what pass_..() will take away.
  void count() {
    missing_.assign(first_moment_ + order_.moment_count(), 0);
    node_count_ = order_.moment_count();
    for (std::uint32_t m = 1; m < order_.moment_count(); ++m)
      ++missing_[first_moment_ + m];
    first_read_.resize(history_.size() + 1);
    std::uint32_t read = 0;
    for (std::uint32_t i = 0; i < history_.size(); ++i) {
      const TxnId t(i);
      first_read_[i] = read;
      read += static_cast<std::uint32_t>(facts_.reads(t).size());
      if (t == History::kInitial || !facts_.counts(t)) continue;
      node_count_ += per_txn_;
      if (per_txn_ == 2) ++missing_[commit(t)];
      if (order_.previous(t) != kNone<TxnId>) ++missing_[start(t)];
      if (order_.moment_before(t) != OrderIndex::kNoMoment)
        ++missing_[start(t)];
      if (const auto m = order_.moment_after(t); m != OrderIndex::kNoMoment)
        ++missing_[first_moment_ + m];
      for (const Facts::Read& r : facts_.reads(t))
        if (r.writer != History::kInitial) ++missing_[start(t)];
    }
    first_read_.back() = read;
    for_overwrites([&](Node waits) { ++missing_[waits]; });
    for (std::uint32_t i = 1; i < history_.size(); ++i)
      for (std::uint32_t r = first_read_[i]; r < first_read_[i + 1]; ++r)
        if (const TxnId w = writers_.after(versions_[r]);
            w != kNone<TxnId> && w != TxnId(i))
          ++missing_[commit(w)];
  }
  template <class Visit>
  void for_overwrites(Visit visit) const {
    for (std::uint32_t i = 1; i < history_.size(); ++i)
      if (facts_.counts(TxnId(i))) for_overwrites_of(TxnId(i), visit);
  }
  template <class Visit>
  void for_overwrites_of(TxnId t, Visit visit) const {
    const auto first = first_version(t).index;
    for (std::uint32_t n = 0; n < facts_.writes(t).size(); ++n)
      if (const TxnId w = writers_.after({first + n}); w != kNone<TxnId>)
        visit(overwrites(w));
  }

  void take(Node n) {
    if (--missing_[n] == 0) ready_.push_back(n);
  }
  void pass_start(TxnId t) {
    if (per_txn_ == 2) take(commit(t));
    for (std::uint32_t r = first_read_[t.index]; r < first_read_[t.index + 1];
         ++r)
      if (const TxnId w = writers_.after(versions_[r]);
          w != kNone<TxnId> && w != t)
        take(commit(w));
  }
  void pass_commit(TxnId t) {
    if (order_.next(t) != kNone<TxnId>) take(start(order_.next(t)));
    if (const auto m = order_.moment_after(t); m != OrderIndex::kNoMoment)
      take(first_moment_ + m);
    for_overwrites_of(t, [&](Node waits) { take(waits); });
    const auto first = first_version(t).index;
    const auto end =
        first + static_cast<std::uint32_t>(facts_.writes(t).size());
    for (std::uint32_t r = begin_[first]; r < begin_[end]; ++r)
      take(start(readers_[r]));
  }
  void pass_moment(std::uint32_t m) {
    if (m + 1 < order_.moment_count()) take(first_moment_ + m + 1);
    for (std::uint32_t i = starts_begin_[m]; i < starts_begin_[m + 1]; ++i)
      take(start(starts_[i]));
  }

  const History& history_;
  const Facts& facts_;
  const OrderIndex& order_;
  const LikelyWriters& writers_;
  const std::uint32_t per_txn_;
  const bool is_prefix_;
  Node first_moment_ = 0;
  std::size_t node_count_ = 0;
  std::vector<std::uint32_t> begin_;  // by version, into readers_
  std::vector<TxnId> readers_;
  std::vector<Version> versions_;            // of all external reads
  std::vector<std::uint32_t> first_read_;    // by transaction, into versions_
  std::vector<std::uint32_t> starts_begin_;  // by moment, into starts_
  std::vector<TxnId> starts_;
  std::vector<std::uint32_t> missing_;  // by node
  std::vector<Node> ready_;             // in the order in which they became so
};

}  // namespace

std::optional<CommitOrder> order_by_likely_versions(const History& history,
                                                    const Facts& facts,
                                                    const OrderIndex& order,
                                                    Base base,
                                                    const Budget& budget) {
  LikelyWriters writers(history, facts);
  if (!writers.find(budget)) return std::nullopt;
  return LikelySort(history, facts, order, base, writers).run(budget);
}

}  // namespace txscope::check
