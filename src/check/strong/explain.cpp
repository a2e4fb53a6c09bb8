#include <algorithm>

#include "check/strong/refinement.h"
#include "check/strong/refuter.h"

namespace txscope {
namespace {

constexpr std::size_t kMaxCases = 20000;

void sort_and_unique(std::vector<TxnId>& txns) {
  std::sort(txns.begin(), txns.end());
  txns.erase(std::unique(txns.begin(), txns.end()), txns.end());
}

/// A short cycle among the nodes that schedule() could not run: walks back
/// from one of them until a node repeats, then looks for the shortest way
/// round from the nodes of that cycle.
class StuckCycle {
 public:
  using Node = KnownGraph::Node;

  StuckCycle(const KnownGraph& graph, std::span<const Node> scheduled)
      : is_stuck_(graph.node_count(), true), begin_(graph.node_count() + 1) {
    for (const Node n : scheduled) is_stuck_[n] = false;
    for (const auto& link : graph.links())
      if (is_stuck_[link.from] && is_stuck_[link.to]) ++begin_[link.to + 1];
    for (std::size_t n = 0; n < is_stuck_.size(); ++n)
      begin_[n + 1] += begin_[n];
    from_.resize(begin_.back());
    std::vector<std::uint32_t> at(begin_.begin(), begin_.end() - 1);
    for (const auto& link : graph.links())
      if (is_stuck_[link.from] && is_stuck_[link.to])
        from_[at[link.to]++] = link.from;
  }

  std::vector<Node> find() {
    std::vector<Node> best = walk_back();
    std::size_t work = 0;
    for (const Node n : std::vector<Node>(best)) {
      auto shorter = shortest_through(n, work);
      if (!shorter.empty() && shorter.size() < best.size())
        best = std::move(shorter);
      if (work > kMaxWork) break;
    }
    return best;
  }

 private:
  static constexpr std::size_t kMaxWork = 3000000;

  // Every node that is stuck waits for another one.
  std::vector<Node> walk_back() const {
    Node n = 0;
    while (!is_stuck_[n]) ++n;
    std::vector<std::uint32_t> when(is_stuck_.size(), 0);
    std::vector<Node> path;
    while (when[n] == 0) {
      path.push_back(n);
      when[n] = static_cast<std::uint32_t>(path.size());
      n = from_[begin_[n]];
    }
    path.erase(path.begin(), path.begin() + (when[n] - 1));
    return path;
  }

  std::vector<Node> shortest_through(Node source, std::size_t& work) {
    came_.assign(is_stuck_.size(), kNobody);
    std::vector<Node> queue(1, source);
    for (std::size_t i = 0; i < queue.size(); ++i) {
      for (std::uint32_t e = begin_[queue[i]]; e < begin_[queue[i] + 1]; ++e) {
        ++work;
        const Node next = from_[e];
        if (next == source) {
          std::vector<Node> cycle;
          for (Node n = queue[i]; n != source; n = came_[n]) cycle.push_back(n);
          cycle.push_back(source);
          return cycle;
        }
        if (came_[next] != kNobody) continue;
        came_[next] = queue[i];
        queue.push_back(next);
      }
    }
    return {};
  }

  static constexpr Node kNobody = 0xffffffffu;
  std::vector<bool> is_stuck_;
  std::vector<std::uint32_t> begin_;
  std::vector<Node> from_;
  std::vector<Node> came_;
};

}  // namespace

// The transactions behind a node.
void Refinement::add_node(Node n, std::vector<TxnId>& txns) const {
  if (const TxnId t = known_.txn_of(n); t != kNone<TxnId>) txns.push_back(t);
}

Verdict Refinement::violated_by_known(std::span<const Node> scheduled) {
  std::vector<TxnId> txns;
  for (const Node n : StuckCycle(known_, scheduled).find()) add_node(n, txns);
  return explain(std::move(txns));
}

Verdict Refinement::violated() {
  const auto core = solver_->core();
  std::vector<TxnId> txns;
  for (const Node n : core.nodes) add_node(n, txns);
  for (const sat::Var v : core.vars) {
    txns.push_back(var_txns_[v].first);
    txns.push_back(var_txns_[v].second);
  }
  return explain(std::move(txns));
}

// Adds who else has to be seen: the candidates of open reads, and the writers
// of reads that somebody in the excerpt overwrites.
Verdict Refinement::explain(std::vector<TxnId> txns) {
  sort_and_unique(txns);
  std::erase(txns, History::kInitial);
  std::vector<KeyId> written;
  for (const TxnId t : txns)
    for (const KeyId key : facts_.writes(t)) written.push_back(key);
  std::sort(written.begin(), written.end());
  std::vector<TxnId> more;
  for (const TxnId t : txns) {
    for (const Facts::Read& read : facts_.reads(t)) {
      if (read.writer == kNone<TxnId>) {
        for (const TxnId w : facts_.candidates(read.op)) more.push_back(w);
      } else if (std::binary_search(written.begin(), written.end(), read.key)) {
        more.push_back(read.writer);
      }
    }
  }
  txns.insert(txns.end(), more.begin(), more.end());
  sort_and_unique(txns);
  std::erase(txns, History::kInitial);
  const Excerpt excerpt{history_, facts_, order_, level_, std::move(txns)};
  if (auto refutation = refute(excerpt, kMaxCases, budget_))
    return {level_, *std::move(refutation)};
  return {level_, Refutation{}};
}

}  // namespace txscope
