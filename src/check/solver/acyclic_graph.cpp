#include "check/solver/acyclic_graph.h"

#include <algorithm>
#include <cassert>

namespace txscope::sat {

AcyclicGraph::AcyclicGraph(std::span<const Node> order)
    : fixed_out_begin_(order.size() + 1),
      fixed_in_begin_(order.size() + 1),
      fixed_nodes_(order.size()),
      first_out_(order.size(), kEnd),
      first_in_(order.size(), kEnd),
      position_(order.size()),
      seen_(order.size()) {
  for (std::size_t i = 0; i < order.size(); ++i)
    position_[order[i]] = static_cast<std::uint32_t>(i);
}

void AcyclicGraph::count_fixed(Link link) {
  assert(position_[link.from] < position_[link.to] &&
         "fixed edges agree with the order");
  ++fixed_out_begin_[link.from + 1];
  ++fixed_in_begin_[link.to + 1];
}

// From how many edges a node has to where they begin, at the place of where
// they end: that is where filling the rows leaves it.
void AcyclicGraph::sum_fixed() {
  std::uint32_t out = 0;
  std::uint32_t in = 0;
  for (std::size_t i = 1; i <= fixed_nodes_; ++i) {
    out += std::exchange(fixed_out_begin_[i], out);
    in += std::exchange(fixed_in_begin_[i], in);
  }
  fixed_out_.resize(out);
  fixed_in_.resize(in);
}

AcyclicGraph::Node AcyclicGraph::add_node() {
  const auto node = static_cast<Node>(position_.size());
  position_.push_back(node);
  first_out_.push_back(kEnd);
  first_in_.push_back(kEnd);
  seen_.push_back(0);
  return node;
}

template <class Visit>
void AcyclicGraph::for_out(Node n, Visit visit) const {
  if (n < fixed_nodes_)
    for (std::uint32_t i = fixed_out_begin_[n]; i < fixed_out_begin_[n + 1];
         ++i)
      if (!visit(fixed_out_[i], kTrue)) return;
  for (std::uint32_t e = first_out_[n]; e != kEnd; e = edges_[e].next_out)
    if (!visit(edges_[e].to, edges_[e].why)) return;
}

template <class Visit>
void AcyclicGraph::for_in(Node n, Visit visit) const {
  if (n < fixed_nodes_)
    for (std::uint32_t i = fixed_in_begin_[n]; i < fixed_in_begin_[n + 1]; ++i)
      if (!visit(fixed_in_[i], kTrue)) return;
  for (std::uint32_t e = first_in_[n]; e != kEnd; e = edges_[e].next_in)
    if (!visit(edges_[e].from, edges_[e].why)) return;
}

bool AcyclicGraph::add(Node from, Node to, Lit why, std::vector<Lit>& reasons) {
  bool closes = from == to;
  if (!closes && position_[to] < position_[from]) {
    closes = collect_forward(to, position_[from], from);
    if (!closes) {
      collect_backward(from, position_[to]);
      reorder();
    }
  }
  if (closes) {
    reasons.clear();
    if (why != kTrue) reasons.push_back(why);
    cycle_.clear();
    for (const Step& step : path(to, from)) {
      cycle_.push_back(step.node);
      if (step.why != kTrue) reasons.push_back(step.why);
    }
    return false;
  }
  const auto e = static_cast<std::uint32_t>(edges_.size());
  edges_.push_back({from, to, why, first_out_[from], first_in_[to]});
  first_out_[from] = e;
  first_in_[to] = e;
  return true;
}

void AcyclicGraph::back_to(std::size_t mark) {
  while (edges_.size() > mark) {
    const Edge& edge = edges_.back();
    first_out_[edge.from] = edge.next_out;
    first_in_[edge.to] = edge.next_in;
    edges_.pop_back();
  }
}

// Fills forward_ with what `from` reaches up to position `limit`.  True as soon
// as `target` is met.
bool AcyclicGraph::collect_forward(Node from, std::uint32_t limit,
                                   Node target) {
  begin_visit();
  forward_.assign(1, from);
  visit(from);
  bool met = from == target;
  for (std::size_t i = 0; i < forward_.size() && !met; ++i) {
    for_out(forward_[i], [&](Node next, Lit) {
      if (next == target) met = true;
      if (!met && position_[next] < limit && visit(next))
        forward_.push_back(next);
      return !met;
    });
  }
  return met;
}

void AcyclicGraph::collect_backward(Node from, std::uint32_t limit) {
  begin_visit();
  backward_.assign(1, from);
  visit(from);
  for (std::size_t i = 0; i < backward_.size(); ++i) {
    for_in(backward_[i], [&](Node next, Lit) {
      if (position_[next] > limit && visit(next)) backward_.push_back(next);
      return true;
    });
  }
}

// Gives the places of both sets first to backward_, then to forward_, each in
// its own order.
void AcyclicGraph::reorder() {
  const auto by_position = [&](Node a, Node b) {
    return position_[a] < position_[b];
  };
  std::sort(forward_.begin(), forward_.end(), by_position);
  std::sort(backward_.begin(), backward_.end(), by_position);
  places_.clear();
  for (const Node n : backward_) places_.push_back(position_[n]);
  for (const Node n : forward_) places_.push_back(position_[n]);
  std::sort(places_.begin(), places_.end());
  std::size_t i = 0;
  for (const Node n : backward_) position_[n] = places_[i++];
  for (const Node n : forward_) position_[n] = places_[i++];
  moved_.insert(moved_.end(), backward_.begin(), backward_.end());
  moved_.insert(moved_.end(), forward_.begin(), forward_.end());
}

void AcyclicGraph::set_order(std::span<const Node> order) {
  assert(order.size() == position_.size() && "every node has a place");
  for (std::size_t i = 0; i < order.size(); ++i)
    position_[order[i]] = static_cast<std::uint32_t>(i);
  moved_.assign(order.begin(), order.end());
}

bool AcyclicGraph::reaches(Node from, Node to) {
  if (from == to) return true;
  if (position_[from] > position_[to]) return false;
  return collect_forward(from, position_[to], to);
}

// Breadth first, where conditional edges cost more than any number of others.
std::vector<AcyclicGraph::Step> AcyclicGraph::path(Node from, Node to,
                                                   const MoreEdges& more) {
  std::vector<Step> found;
  const std::uint32_t limit = position_[to];
  if (position_[from] > limit) return found;
  begin_visit();
  visits_.assign(1, {{from, kTrue}, kEnd});
  std::vector<std::uint32_t> queue(1, 0);
  std::vector<std::uint32_t> later;
  std::vector<Step> others;
  for (std::size_t i = 0; i < queue.size() || !later.empty(); ++i) {
    if (i == queue.size()) {
      queue.swap(later);
      later.clear();
      i = 0;
    }
    const std::uint32_t at = queue[i];
    const Node n = visits_[at].step.node;
    if (!visit(n)) continue;
    if (n == to) {
      for (std::uint32_t v = at; v != kEnd; v = visits_[v].parent)
        found.push_back(visits_[v].step);
      std::reverse(found.begin(), found.end());
      return found;
    }
    const auto look_at = [&](Node next, Lit why) {
      if (position_[next] > limit || seen_[next] == stamp_) return true;
      (why == kTrue ? queue : later)
          .push_back(static_cast<std::uint32_t>(visits_.size()));
      visits_.push_back({{next, why}, at});
      return true;
    };
    for_out(n, look_at);
    if (more == nullptr) continue;
    others.clear();
    more(n, others);
    for (const Step& step : others) look_at(step.node, step.why);
  }
  return found;
}

}  // namespace txscope::sat
