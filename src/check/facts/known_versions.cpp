#include "check/facts/known_versions.h"

#include <algorithm>

#include "base/graph.h"
#include "check/weak/commit_graph.h"

namespace txscope::check {
namespace {

class KnownVersions {
 public:
  KnownVersions(const History& history, const Facts& facts,
                const OrderIndex& order)
      : history_(history),
        facts_(facts),
        order_(order),
        first_write_(history.size() + 1),
        first_tail_(static_cast<Node>(node_count(history, order))) {
    for (std::uint32_t t = 0; t < history.size(); ++t)
      first_write_[t + 1] =
          first_write_[t] + static_cast<std::uint32_t>(writes(TxnId(t)).size());
  }

  std::optional<CommitOrder> run() {
    if (!find_versions()) return std::nullopt;
    arcs_.reserve(6 * history_.size() + next_.size());
    add_order(history_, facts_, order_, arcs_);
    add_version_orders(history_, facts_, arcs_);
    add_reads_from(history_, facts_, arcs_);
    if (!add_anti_dependencies()) return std::nullopt;
    const Graph graph(first_tail_ + history_.key_count(), arcs_);
    arcs_ = {};
    const auto sorted = topological_order(graph);
    if (!sorted) return std::nullopt;
    return make_commit_order(history_, facts_, *sorted);
  }

 private:
  [[nodiscard]] std::span<const KeyId> writes(TxnId t) const {
    if (t == History::kInitial || !facts_.counts(t)) return {};
    return facts_.writes(t);
  }
  [[nodiscard]] Node tail(KeyId k) const { return first_tail_ + k.index; }

  // Who overwrites what t wrote to the key.
  TxnId& next_of(TxnId t, KeyId key) {
    const auto keys = writes(t);
    const auto place = std::lower_bound(keys.begin(), keys.end(), key);
    return next_[first_write_[t.index] +
                 static_cast<std::size_t>(place - keys.begin())];
  }

  // False if the order of a register's versions is open.
  bool find_versions() {
    next_.assign(first_write_.back(), kNone<TxnId>);
    first_.assign(history_.key_count(), kNone<TxnId>);
    for (std::uint32_t k = 0; k < history_.key_count(); ++k) {
      const KeyId key(k);
      const auto writers = facts_.writers(key);
      const auto versions = facts_.version_order(key);
      if (history_.kind(key) != KeyKind::List) {
        for (const TxnId t : writers) {
          if (!facts_.counts(t)) continue;
          if (first_[k] != kNone<TxnId>) return false;
          first_[k] = t;
        }
        continue;
      }
      if (!versions.empty()) first_[k] = versions.front();
      for (std::size_t i = 1; i < versions.size(); ++i)
        next_of(versions[i - 1], key) = versions[i];
      mark_unread(key, versions, writers);
    }
    return true;
  }

  // The appends that nobody read come after the last version.
  void mark_unread(KeyId key, std::span<const TxnId> versions,
                   std::span<const TxnId> writers) {
    if (versions.size() == writers.size()) return;
    is_version_.resize(history_.size());
    for (const TxnId t : versions) is_version_[t.index] = 1;
    for (const TxnId t : writers) {
      if (is_version_[t.index] != 0 || !facts_.counts(t)) continue;
      next_of(t, key) = t;  // its own: nobody has read it
      arcs_.push_back({tail(key), node(t)});
    }
    for (const TxnId t : versions) is_version_[t.index] = 0;
  }

  bool is_unread(TxnId t, KeyId key) {
    return facts_.writes_key(t, key) && next_of(t, key) == t;
  }

  // False if two readers of a last version both append to it: each would have
  // to come before the other.
  bool add_anti_dependencies() {
    std::vector<TxnId> appender(history_.key_count(), kNone<TxnId>);
    for (std::uint32_t i = 1; i < history_.size(); ++i) {
      const TxnId t(i);
      for (const Facts::Read& read : facts_.reads(t)) {
        const TxnId next = read.writer == History::kInitial
                               ? first_[read.key.index]
                               : next_of(read.writer, read.key);
        if (next != kNone<TxnId>) {
          if (next != t) arcs_.push_back({i, node(next)});
          continue;
        }
        if (!is_unread(t, read.key)) {
          arcs_.push_back({i, tail(read.key)});
          continue;
        }
        TxnId& other = appender[read.key.index];
        if (other == t) continue;
        if (other != kNone<TxnId>) return false;
        other = t;
        for (const TxnId u : facts_.writers(read.key))
          if (u != t && facts_.counts(u) && is_unread(u, read.key))
            arcs_.push_back({i, node(u)});
      }
    }
    return true;
  }

  const History& history_;
  const Facts& facts_;
  const OrderIndex& order_;
  std::vector<std::uint32_t> first_write_;  // by transaction: into next_
  std::vector<TxnId> next_;                 // itself: nobody read it
  std::vector<TxnId> first_;                // by key: its oldest version
  std::vector<std::uint8_t> is_version_;
  Node first_tail_;  // one per key: after the readers of its last version
  std::vector<Arc> arcs_;
};

}  // namespace

std::optional<CommitOrder> order_by_known_versions(const History& history,
                                                   const Facts& facts,
                                                   const OrderIndex& order) {
  return KnownVersions(history, facts, order).run();
}

}  // namespace txscope::check
