#include "check/strong/stuck_nodes.h"

#include <algorithm>

namespace txscope::check {
namespace {

constexpr std::size_t kMaxWork = 3000000;  // links, some hundredths of a second

}  // namespace

StuckNodes::StuckNodes(const KnownGraph& graph,
                       std::span<const ForcedLink> forced,
                       std::span<const Node> scheduled)
    : is_stuck_(graph.node_count(), true), begin_(graph.node_count() + 1) {
  for (const Node n : scheduled) is_stuck_[n] = false;
  const auto for_all = [&](auto visit) {
    graph.for_links([&](KnownGraph::Link link) {
      if (is_stuck_[link.from] && is_stuck_[link.to]) visit(link);
    });
    for (const ForcedLink& f : forced)
      if (is_stuck_[f.link.from] && is_stuck_[f.link.to]) visit(f.link);
  };
  for_all([&](const KnownGraph::Link& link) { ++begin_[link.to + 1]; });
  for (std::size_t n = 0; n < is_stuck_.size(); ++n) begin_[n + 1] += begin_[n];
  from_.resize(begin_.back());
  std::vector<std::uint32_t> at(begin_.begin(), begin_.end() - 1);
  for_all(
      [&](const KnownGraph::Link& link) { from_[at[link.to]++] = link.from; });
}

std::vector<StuckNodes::Node> StuckNodes::short_cycle() {
  std::vector<Node> best = walk_back();
  std::size_t work = 0;
  for (const Node n : std::vector<Node>(best)) {
    auto shorter = shortest_through(n, work);
    if (!shorter.empty() && shorter.size() < best.size())
      best = std::move(shorter);
    if (work > kMaxWork) break;
  }
  std::reverse(best.begin(), best.end());
  return best;
}

std::vector<StuckNodes::Node> StuckNodes::walk_back() const {
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

std::vector<StuckNodes::Node> StuckNodes::shortest_through(Node source,
                                                           std::size_t& work) {
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
        std::reverse(cycle.begin(), cycle.end());
        return cycle;
      }
      if (came_[next] != kNobody) continue;
      came_[next] = queue[i];
      queue.push_back(next);
    }
  }
  return {};
}

}  // namespace txscope::check
