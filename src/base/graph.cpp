#include "base/graph.h"

#include <algorithm>
#include <cassert>

namespace txscope {

Graph::Graph(std::size_t node_count, std::span<const Arc> arcs)
    : begin_(node_count + 2, 0), targets_(arcs.size()) {
  // Rows are counted two places on, so that filling them moves each begin to
  // where it belongs.
  for (const Arc arc : arcs) {
    assert(arc.from < node_count && arc.to < node_count);
    ++begin_[arc.from + 2];
  }
  for (std::size_t n = 2; n < begin_.size(); ++n) begin_[n] += begin_[n - 1];
  for (const Arc arc : arcs) targets_[begin_[arc.from + 1]++] = arc.to;
  begin_.pop_back();
}

std::optional<std::vector<Node>> topological_order(const Graph& graph) {
  std::vector<std::uint32_t> missing(graph.size(), 0);
  for (Node n = 0; n < graph.size(); ++n)
    for (const Node to : graph.successors(n)) ++missing[to];
  std::vector<Node> order;
  order.reserve(graph.size());
  for (Node n = 0; n < graph.size(); ++n)
    if (missing[n] == 0) order.push_back(n);
  for (std::size_t i = 0; i < order.size(); ++i)
    for (const Node to : graph.successors(order[i]))
      if (--missing[to] == 0) order.push_back(to);
  if (order.size() < graph.size()) return std::nullopt;
  return order;
}

std::vector<Node> Components::sizes() const {
  std::vector<Node> sizes(count, 0);
  for (const Node c : of) ++sizes[c];
  return sizes;
}

Components strong_components(const Graph& graph) {
  constexpr Node kUnseen = 0xffffffffu;
  constexpr Node kDone = 0xfffffffeu;  // its component is complete
  Components found;
  found.of.assign(graph.size(), 0);
  std::vector<Node> low(graph.size(), kUnseen);
  struct Frame {
    Node node;
    std::uint32_t next;  // successor to look at
    Node number;
  };
  std::vector<Frame> path;
  std::vector<Node> open;  // seen, component not complete
  Node seen = 0;
  for (Node root = 0; root < graph.size(); ++root) {
    if (low[root] != kUnseen) continue;
    low[root] = seen;
    path.push_back({root, 0, seen++});
    open.push_back(root);
    while (!path.empty()) {
      Frame& top = path.back();
      const auto successors = graph.successors(top.node);
      if (top.next < successors.size()) {
        const Node to = successors[top.next++];
        if (low[to] == kUnseen) {
          low[to] = seen;
          path.push_back({to, 0, seen++});
          open.push_back(to);
        } else if (low[to] != kDone) {
          low[top.node] = std::min(low[top.node], low[to]);
        }
        continue;
      }
      const Frame done = top;
      path.pop_back();
      const Node reached = low[done.node];
      if (reached == done.number) {
        Node member;
        do {
          member = open.back();
          open.pop_back();
          low[member] = kDone;
          found.of[member] = found.count;
        } while (member != done.node);
        ++found.count;
      } else {
        assert(!path.empty());
        low[path.back().node] = std::min(low[path.back().node], reached);
      }
    }
  }
  return found;
}

}  // namespace txscope
