#include "check/solver/acyclic_graph.h"

#include <algorithm>
#include <cassert>

namespace txscope::check::sat {

AcyclicGraph::AcyclicGraph(Rows known, std::span<const Link> fixed,
                           std::span<const Node> order)
    : fixed_out_begin_(order.size() + 1),
      known_in_(known),
      fixed_in_begin_(order.size() + 1),
      fixed_nodes_(order.size()),
      first_out_(order.size(), kEnd),
      first_in_(order.size(), kEnd),
      position_(order.size()),
      seen_(order.size()) {
  for (std::size_t i = 0; i < order.size(); ++i)
    position_[order[i]] = static_cast<std::uint32_t>(i);
  for_fixed(fixed, [&](Link link) {
    assert(position_[link.from] < position_[link.to] &&
           "fixed edges agree with the order");
    ++fixed_out_begin_[link.from + 1];
  });
  for (const Link& link : fixed) ++fixed_in_begin_[link.to + 1];
  // From how many edges a node has to where they begin, at the place of where
  // they end: that is where filling the rows leaves it.
  std::uint32_t out = 0;
  std::uint32_t in = 0;
  for (std::size_t i = 1; i <= fixed_nodes_; ++i) {
    out += std::exchange(fixed_out_begin_[i], out);
    in += std::exchange(fixed_in_begin_[i], in);
  }
  fixed_out_.resize(out);
  fixed_in_.resize(in);
  for_fixed(fixed, [&](Link link) {
    fixed_out_[fixed_out_begin_[link.from + 1]++] = link.to;
  });
  for (const Link& link : fixed)
    fixed_in_[fixed_in_begin_[link.to + 1]++] = link.from;
}

template <class Visit>
void AcyclicGraph::for_fixed(std::span<const Link> links, Visit visit) const {
  for (Node to = 0; to < fixed_nodes_; ++to)
    for (const Node from : known_in_.of(to)) visit(Link{from, to});
  for (const Link& link : links) visit(link);
}

AcyclicGraph::Node AcyclicGraph::add_node() {
  const auto node = static_cast<Node>(position_.size());
  position_.push_back(node);
  node_at_.clear();
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
  if (n < fixed_nodes_) {
    for (const Node from : known_in_.of(n))
      if (!visit(from, kTrue)) return;
    for (std::uint32_t i = fixed_in_begin_[n]; i < fixed_in_begin_[n + 1]; ++i)
      if (!visit(fixed_in_[i], kTrue)) return;
  }
  for (std::uint32_t e = first_in_[n]; e != kEnd; e = edges_[e].next_in)
    if (!visit(edges_[e].from, edges_[e].why)) return;
}

bool AcyclicGraph::add(Node from, Node to, Lit why, std::vector<Lit>& reasons) {
  bool closes = from == to;
  if (!closes && position_[to] < position_[from]) {
    closes = closes_cycle(from, to);
    if (!closes) make_room(from, to);
  }
  if (closes) {
    find_cycle(from, to);
    reasons.assign(cycle_reasons_.begin(), cycle_reasons_.end());
    if (why != kTrue) reasons.push_back(why);
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

// True if `to` reaches `from`.  Otherwise at least one side is done.
bool AcyclicGraph::closes_cycle(Node from, Node to) {
  begin_visit();
  begin_visit();
  forward_ = {{to}};
  backward_ = {{from}};
  seen_[to] = stamp_ - 1;
  seen_[from] = stamp_;
  while (!forward_.is_done() && !backward_.is_done()) {
    const bool is_met = forward_.work <= backward_.work
                            ? step_forward(position_[from])
                            : step_backward(position_[to]);
    if (is_met) return true;
  }
  return false;
}

// Looks at the edges of one more node.  True if the other side is met.
bool AcyclicGraph::step_forward(std::uint32_t limit) {
  bool is_met = false;
  for_out(forward_.nodes[forward_.next++], [&](Node n, Lit) {
    ++forward_.work;
    is_met = seen_[n] == stamp_;
    if (!is_met && position_[n] < limit && seen_[n] != stamp_ - 1) {
      seen_[n] = stamp_ - 1;
      forward_.nodes.push_back(n);
    }
    return !is_met;
  });
  return is_met;
}

bool AcyclicGraph::step_backward(std::uint32_t limit) {
  bool is_met = false;
  for_in(backward_.nodes[backward_.next++], [&](Node n, Lit) {
    ++backward_.work;
    is_met = seen_[n] == stamp_ - 1;
    if (!is_met && position_[n] > limit && seen_[n] != stamp_) {
      seen_[n] = stamp_;
      backward_.nodes.push_back(n);
    }
    return !is_met;
  });
  return is_met;
}

// Puts `from` before `to`, after closes_cycle() said that it may be.
void AcyclicGraph::make_room(Node from, Node to) {
  // Looking at an edge costs about as much as moving this many nodes by one.
  constexpr std::size_t kPlacesPerEdge = 4;
  const std::uint32_t first = position_[to];
  const std::uint32_t last = position_[from];
  const std::size_t enough = (last - first) / kPlacesPerEdge;
  const bool is_forward_done = forward_.is_done();
  while (!forward_.is_done() && forward_.work < enough)
    (void)step_forward(last);
  while (!backward_.is_done() && backward_.work < enough)
    (void)step_backward(first);
  if (forward_.is_done() && backward_.is_done())
    exchange_places();
  else
    shift(is_forward_done ? forward_.nodes : backward_.nodes, first, last,
          is_forward_done);
}

// Gives the places of both sets first to those behind, then to those ahead,
// each in its own order.
void AcyclicGraph::exchange_places() {
  const auto by_position = [&](Node a, Node b) {
    return position_[a] < position_[b];
  };
  std::sort(forward_.nodes.begin(), forward_.nodes.end(), by_position);
  std::sort(backward_.nodes.begin(), backward_.nodes.end(), by_position);
  line_ = backward_.nodes;
  line_.insert(line_.end(), forward_.nodes.begin(), forward_.nodes.end());
  places_.clear();
  for (const Node n : line_) places_.push_back(position_[n]);
  std::sort(places_.begin(), places_.end());
  for (std::size_t i = 0; i < line_.size(); ++i) {
    position_[line_[i]] = places_[i];
    if (!node_at_.empty()) node_at_[places_[i]] = line_[i];
  }
  moved_.insert(moved_.end(), line_.begin(), line_.end());
}

// Moves one side's nodes to an end of the places between `first` and `last`.
// The others keep their order, so only these have moved past anybody.
void AcyclicGraph::shift(std::span<const Node> nodes, std::uint32_t first,
                         std::uint32_t last, bool to_the_end) {
  if (node_at_.empty()) {
    node_at_.resize(position_.size());
    for (Node n = 0; n < position_.size(); ++n) node_at_[position_[n]] = n;
  }
  const std::uint32_t mark = seen_[nodes.front()];
  line_.clear();
  const auto put = [&](Node n, std::uint32_t at) {
    node_at_[at] = n;
    position_[n] = at;
  };
  if (to_the_end) {
    std::uint32_t at = first;
    for (std::uint32_t i = first; i <= last; ++i) {
      const Node n = node_at_[i];
      if (seen_[n] == mark)
        line_.push_back(n);
      else
        put(n, at++);
    }
    for (const Node n : line_) put(n, at++);
  } else {
    std::uint32_t at = last;
    for (std::uint32_t i = last + 1; i-- > first;) {
      const Node n = node_at_[i];
      if (seen_[n] == mark)
        line_.push_back(n);
      else
        put(n, at--);
    }
    for (const Node n : line_) put(n, at--);
  }
  moved_.insert(moved_.end(), line_.begin(), line_.end());
}

void AcyclicGraph::set_order(std::span<const Node> order) {
  assert(order.size() == position_.size() && "every node has a place");
  for (std::size_t i = 0; i < order.size(); ++i)
    position_[order[i]] = static_cast<std::uint32_t>(i);
  node_at_.clear();
  moved_.assign(order.begin(), order.end());
}

// The path from `to` to `from` with the fewest conditional edges.  From `to`,
// breadth first by how many those are; from `from` backwards along other edges
// only, so that whoever is found there is worth as much as `from` itself.
void AcyclicGraph::find_cycle(Node from, Node to) {
  begin_visit();
  begin_visit();
  const std::uint32_t first = position_[to];
  const std::uint32_t last = position_[from];
  visits_.assign(1, {{to, kTrue}, kEnd});
  ends_.assign(1, {{from, kTrue}, kEnd});
  seen_[from] = stamp_;
  std::vector<std::uint32_t> queue(1, 0);
  std::vector<std::uint32_t> later;
  std::size_t work = 0;
  std::size_t work_behind = 0;
  std::uint32_t end = 0;  // of ends_: the next to look at
  std::size_t i = 0;
  for (;;) {
    if (end < ends_.size() && work_behind <= work) {
      for_in(ends_[end].step.node, [&](Node n, Lit why) {
        ++work_behind;
        if (why != kTrue || position_[n] < first || seen_[n] == stamp_)
          return true;
        seen_[n] = stamp_;
        ends_.push_back({{n, kTrue}, end});
        return true;
      });
      ++end;
      continue;
    }
    if (i == queue.size()) {
      assert(!later.empty() && "there is a cycle");
      queue.swap(later);
      later.clear();
      i = 0;
    }
    const std::uint32_t at = queue[i++];
    const Node n = visits_[at].step.node;
    if (seen_[n] == stamp_) return tell_cycle(at, n);
    if (seen_[n] == stamp_ - 1) continue;
    seen_[n] = stamp_ - 1;
    for_out(n, [&](Node next, Lit why) {
      ++work;
      if (position_[next] > last || seen_[next] == stamp_ - 1) return true;
      (why == kTrue ? queue : later)
          .push_back(static_cast<std::uint32_t>(visits_.size()));
      visits_.push_back({{next, why}, at});
      return true;
    });
  }
}

// Both halves of a cycle meet at a node, which is visits_[at].
void AcyclicGraph::tell_cycle(std::uint32_t at, Node meeting) {
  cycle_.clear();
  cycle_reasons_.clear();
  for (std::uint32_t v = at; v != kEnd; v = visits_[v].parent) {
    cycle_.push_back(visits_[v].step.node);
    if (visits_[v].step.why != kTrue)
      cycle_reasons_.push_back(visits_[v].step.why);
  }
  std::reverse(cycle_.begin(), cycle_.end());
  std::uint32_t v = 0;
  while (ends_[v].step.node != meeting) ++v;
  for (v = ends_[v].parent; v != kEnd; v = ends_[v].parent)
    cycle_.push_back(ends_[v].step.node);
}

// Breadth first, where conditional edges cost more than any number of others.
std::vector<AcyclicGraph::PathNode> AcyclicGraph::path(Node from, Node to,
                                                       const MoreEdges& more) {
  std::vector<PathNode> found;
  const std::uint32_t limit = position_[to];
  if (position_[from] > limit) return found;
  begin_visit();
  visits_.assign(1, {{from, kTrue}, kEnd});
  std::vector<std::uint32_t> queue(1, 0);
  std::vector<std::uint32_t> later;
  std::vector<PathNode> others;
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
    for (const PathNode& step : others) look_at(step.node, step.why);
  }
  return found;
}

}  // namespace txscope::check::sat
