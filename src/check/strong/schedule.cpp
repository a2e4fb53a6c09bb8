#include "check/strong/schedule.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <unordered_map>

#include "check/weak/clock.h"

namespace txscope::check {
namespace {

using Node = KnownGraph::Node;
using Version = KnownGraph::Version;

class Scheduler {
 public:
  Scheduler(const History& history, const Facts& facts, const KnownGraph& graph,
            std::span<const KnownGraph::Link> more_links)
      : history_(history),
        facts_(facts),
        graph_(graph),
        more_links_(more_links),
        clock_(history) {}
  std::vector<Node> run();

 private:
  struct Waiting {
    std::int64_t time;
    Node node;
    bool operator>(const Waiting& other) const {
      return time != other.time ? time > other.time : node > other.node;
    }
  };
  using Queue =
      std::priority_queue<Waiting, std::vector<Waiting>, std::greater<>>;

  void link();
  void make_ready(Node n);
  void run(Node n);
  void read(TxnId t);
  void write(TxnId t);
  void wake_one(KeyId key);
  bool is_free(KeyId key, TxnId t) const;
  bool waits_for_readers(TxnId t);
  [[nodiscard]] bool is_plain(Node n) const {
    return graph_.txn_of(n) == kNone<TxnId>;
  }

  const History& history_;
  const Facts& facts_;
  const KnownGraph& graph_;
  std::span<const KnownGraph::Link> more_links_;
  Clock clock_;

  std::vector<std::uint32_t> begin_;
  std::vector<Node> next_;
  std::vector<std::uint32_t> missing_;  // predecessors that have not run
  std::vector<Node> order_;
  Queue ready_;
  Queue blocked_;
  std::vector<Node> plain_;
  std::vector<bool> has_run_;

  // Readers to come, by version, and their ids xor each other: the last one
  // left is known by name.
  std::vector<std::uint32_t> pending_;
  std::vector<std::uint32_t> pending_ids_;
  std::vector<Version> current_;  // by key
  // By key, a heap of who waits; only of keys that somebody waited for.
  std::unordered_map<KeyId, std::vector<Waiting>> writers_;
  std::vector<bool> was_woken_;  // by transaction
};

void Scheduler::link() {
  const std::size_t n = graph_.node_count();
  begin_.assign(n + 1, 0);
  missing_.assign(n, 0);
  const auto for_all = [&](auto visit) {
    graph_.for_links(visit);
    for (const auto& link : more_links_) visit(link);
  };
  for_all([&](const KnownGraph::Link& link) {
    ++begin_[link.from + 1];
    ++missing_[link.to];
  });
  for (std::size_t i = 0; i < n; ++i) begin_[i + 1] += begin_[i];
  next_.resize(begin_.back());
  std::vector<std::uint32_t> at(begin_.begin(), begin_.end() - 1);
  for_all(
      [&](const KnownGraph::Link& link) { next_[at[link.from]++] = link.to; });
}

std::vector<Node> Scheduler::run() {
  link();
  const std::size_t n = graph_.node_count();
  order_.reserve(n);
  has_run_.assign(n, false);
  pending_.resize(graph_.version_count());
  pending_ids_.resize(graph_.version_count());
  for (std::uint32_t v = 0; v < pending_.size(); ++v) {
    const auto readers = graph_.readers({v});
    pending_[v] = static_cast<std::uint32_t>(readers.size());
    for (const TxnId reader : readers) pending_ids_[v] ^= reader.index;
  }
  was_woken_.assign(history_.size(), false);
  current_.resize(history_.key_count());
  for (std::uint32_t k = 0; k < current_.size(); ++k) current_[k] = {k};

  for (Node i = 0; i < n; ++i)
    if (missing_[i] == 0) make_ready(i);
  for (;;) {
    if (!plain_.empty()) {
      const Node next = plain_.back();
      plain_.pop_back();
      run(next);
    } else if (!ready_.empty()) {
      const Node next = ready_.top().node;
      ready_.pop();
      const TxnId t = graph_.txn_of(next);
      if (has_run_[next]) continue;
      if (graph_.is_commit(next) && waits_for_readers(t))
        blocked_.push({clock_.of(t, true), next});
      else
        run(next);
    } else if (!blocked_.empty()) {
      const Node next = blocked_.top().node;
      blocked_.pop();
      if (!has_run_[next]) run(next);
    } else {
      return std::move(order_);
    }
  }
}

void Scheduler::make_ready(Node n) {
  if (is_plain(n))
    plain_.push_back(n);
  else
    ready_.push({clock_.of(graph_.txn_of(n), graph_.is_commit(n)), n});
}

void Scheduler::run(Node n) {
  has_run_[n] = true;
  order_.push_back(n);
  if (!is_plain(n)) {
    const TxnId t = graph_.txn_of(n);
    if (graph_.is_start(n)) read(t);
    if (graph_.is_commit(n)) write(t);
  }
  for (std::uint32_t i = begin_[n]; i < begin_[n + 1]; ++i)
    if (--missing_[next_[i]] == 0) make_ready(next_[i]);
}

void Scheduler::read(TxnId t) {
  if (!facts_.counts(t)) return;
  const auto reads = facts_.reads(t);
  for (std::size_t i = 0; i < reads.size(); ++i) {
    if (reads[i].writer == kNone<TxnId>) continue;
    const auto is_same = [&](const Facts::Read& r) {
      return r.key == reads[i].key && r.writer == reads[i].writer;
    };
    if (std::any_of(reads.begin(), reads.begin() + static_cast<long>(i),
                    is_same))
      continue;
    const KeyId key = reads[i].key;
    const Version v = graph_.version(key, reads[i].writer);
    --pending_[v.index];
    pending_ids_[v.index] ^= t.index;
    if (v != current_[key.index]) continue;
    if (pending_[v.index] == 0) {
      wake_one(key);
    } else if (pending_[v.index] == 1) {
      const TxnId last(pending_ids_[v.index]);
      const Node commit = graph_.commit(last);
      if (missing_[commit] == 0 && facts_.writes_key(last, key))
        make_ready(commit);
    }
  }
}

void Scheduler::write(TxnId t) {
  if (facts_.part(t) == Facts::Part::Out) return;
  for (const KeyId key : facts_.writes(t)) {
    current_[key.index] = graph_.version(key, t);
    if (pending_[current_[key.index].index] == 0) wake_one(key);
  }
}

// Of those who wait for the key only the first may try: if it commits, the
// others would have to go back to sleep.
void Scheduler::wake_one(KeyId key) {
  const auto waiting = writers_.find(key);
  if (waiting == writers_.end()) return;
  auto& heap = waiting->second;
  while (!heap.empty()) {
    const Node first = heap.front().node;
    std::pop_heap(heap.begin(), heap.end(), std::greater<>());
    heap.pop_back();
    if (has_run_[first]) continue;
    was_woken_[graph_.txn_of(first).index] = true;
    make_ready(first);
    return;
  }
}

// True if nobody else still has to read what t would overwrite.
bool Scheduler::is_free(KeyId key, TxnId t) const {
  const std::uint32_t v = current_[key.index].index;
  if (pending_[v] == 0) return true;
  return pending_[v] == 1 && pending_ids_[v] == t.index;
}

bool Scheduler::waits_for_readers(TxnId t) {
  if (facts_.part(t) == Facts::Part::Out) return false;
  const auto keys = facts_.writes(t);
  for (const KeyId key : keys) {
    if (is_free(key, t)) continue;
    auto& heap = writers_[key];
    heap.push_back({clock_.of(t, true), graph_.commit(t)});
    std::push_heap(heap.begin(), heap.end(), std::greater<>());
    if (was_woken_[t.index]) {
      was_woken_[t.index] = false;
      for (const KeyId other : keys)
        if (pending_[current_[other.index].index] == 0) wake_one(other);
    }
    return true;
  }
  return false;
}

}  // namespace

std::vector<Node> schedule(const History& history, const Facts& facts,
                           const KnownGraph& graph,
                           std::span<const KnownGraph::Link> more_links) {
  return Scheduler(history, facts, graph, more_links).run();
}

}  // namespace txscope::check
