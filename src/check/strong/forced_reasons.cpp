#include "check/strong/forced_reasons.h"

#include <algorithm>

namespace txscope::check {
namespace {

std::uint64_t pair_of(KnownGraph::Link link) {
  return static_cast<std::uint64_t>(link.from) << 32 | link.to;
}

}  // namespace

ForcedReasons::ForcedReasons(const KnownGraph& graph,
                             std::span<const ForcedLink> forced)
    : forced_(forced), begin_(graph.node_count() + 1) {
  if (forced.empty()) return;
  graph.for_links([&](KnownGraph::Link link) { ++begin_[link.from + 1]; });
  for (const ForcedLink& f : forced) ++begin_[f.link.from + 1];
  for (std::size_t n = 0; n < graph.node_count(); ++n)
    begin_[n + 1] += begin_[n];
  next_.resize(begin_.back());
  std::vector<std::uint32_t> at(begin_.begin(), begin_.end() - 1);
  graph.for_links([&](KnownGraph::Link link) {
    next_[at[link.from]++] = {link.to, 0};
  });
  for (std::uint32_t i = 0; i < forced.size(); ++i) {
    next_[at[forced[i].link.from]++] = {forced[i].link.to, forced[i].round};
    index_.emplace(pair_of(forced[i].link), i);
  }
  sort();
}

// Kahn's.  Reasons never use the last round, which may have closed a cycle.
void ForcedReasons::sort() {
  const std::uint32_t last = forced_.back().round;
  const std::size_t nodes = begin_.size() - 1;
  std::vector<std::uint32_t> missing(nodes);
  for (const Next& next : next_)
    if (next.round < last) ++missing[next.node];
  std::vector<Node> queue;
  for (Node n = 0; n < nodes; ++n)
    if (missing[n] == 0) queue.push_back(n);
  position_.assign(nodes, 0);
  for (std::size_t i = 0; i < queue.size(); ++i) {
    position_[queue[i]] = static_cast<std::uint32_t>(i);
    for (std::uint32_t e = begin_[queue[i]]; e < begin_[queue[i] + 1]; ++e)
      if (next_[e].round < last && --missing[next_[e].node] == 0)
        queue.push_back(next_[e].node);
  }
}

bool ForcedReasons::is_known(Node from, Node to) const {
  return std::any_of(
      next_.begin() + begin_[from], next_.begin() + begin_[from + 1],
      [&](const Next& n) { return n.node == to && n.round == 0; });
}

std::vector<ForcedReasons::Node> ForcedReasons::of(Node from, Node to) {
  const auto place = index_.find(pair_of({from, to}));
  if (place == index_.end() || is_known(from, to)) return {};
  const ForcedLink& f = forced_[place->second];
  index_.erase(place);
  return path(f.because.from, f.because.to, f.round);
}

std::vector<ForcedReasons::Node> ForcedReasons::path(
    Node from, Node to, std::uint32_t before_round) {
  struct Visit {
    Node node;
    std::uint32_t parent;
  };
  std::vector<Visit> queue(1, {from, 0});
  std::unordered_map<Node, bool> seen;
  seen.emplace(from, true);
  for (std::uint32_t i = 0; i < queue.size(); ++i) {
    const Node n = queue[i].node;
    if (n == to) {
      std::vector<Node> found;
      for (std::uint32_t v = i; v != 0; v = queue[v].parent)
        found.push_back(queue[v].node);
      found.push_back(from);
      std::reverse(found.begin(), found.end());
      return found;
    }
    for (std::uint32_t e = begin_[n]; e < begin_[n + 1]; ++e) {
      const Next& next = next_[e];
      if (next.round < before_round && position_[next.node] <= position_[to] &&
          seen.emplace(next.node, true).second)
        queue.push_back({next.node, i});
    }
  }
  return {};
}

}  // namespace txscope::check
