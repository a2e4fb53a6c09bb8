#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "check/solver/literal.h"

namespace txscope::check::sat {

/// A directed graph that stays acyclic while edges come and go like a stack,
/// and the topological order that shows it.
///
/// Source.  Pearce and Kelly, "A dynamic topological sort algorithm for
/// directed acyclic graphs", ACM JEA 11, 2006; the search from both ends as in
/// Haeupler, Kavitha, Mathew, Sen and Tarjan, ACM TALG 8, 2012.
///
/// Method.  An edge that agrees with the order is only linked.  Otherwise the
/// nodes between its ends that are reachable from its head, and those that
/// reach its tail, are searched in turn, by equal work.  If both sets are
/// small they exchange places; if one of them is not, the other one moves past
/// the edge's end and what is between closes ranks.  If the sets meet, a cycle
/// closes: its reasons are reported, with as few conditional edges as
/// possible, and the graph stays as it was.
///
/// Invariant.  position(u) < position(v) for every edge u -> v.  Removing
/// edges cannot break it, so going back costs the links alone, and the order
/// keeps what the search has found so far.
///
/// Cost.  An insertion looks at twice the edges of the smaller set, and at
/// the places between its ends if the larger one is not worth finding.  Edges
/// that are always there are stored as compressed rows.
class AcyclicGraph {
 public:
  using Node = std::uint32_t;
  struct Link {
    Node from;
    Node to;
  };

  /// Predecessors that somebody else keeps, rows by node: those of n are
  /// [begin[n], begin[n + 1]) of `from`.
  struct Rows {
    std::span<const std::uint32_t> begin;
    std::span<const Node> from;
    [[nodiscard]] std::span<const Node> of(Node n) const {
      if (n + std::size_t{1} >= begin.size()) return {};
      return from.subspan(begin[n], begin[n + 1] - begin[n]);
    }
  };

  /// `fixed` must agree with `order`, which lists every node once.
  AcyclicGraph(std::span<const Link> fixed, std::span<const Node> order)
      : AcyclicGraph(Rows{}, fixed, order) {}
  /// The same with further edges, which are borrowed.
  AcyclicGraph(Rows known, std::span<const Link> fixed,
               std::span<const Node> order);

  /// A new node, last in the order.
  Node add_node();
  [[nodiscard]] std::size_t size() const { return position_.size(); }
  [[nodiscard]] std::uint32_t position(Node n) const { return position_[n]; }

  /// Adds an edge that exists because of `why`.  False if it closes a cycle;
  /// then `reasons` has `why` and those of the other edges, without kTrue.
  [[nodiscard]] bool add(Node from, Node to, Lit why,
                         std::vector<Lit>& reasons);
  /// The nodes of the last cycle that add() refused to close.
  [[nodiscard]] std::span<const Node> last_cycle() const { return cycle_; }
  /// Number of edges added so far, and the way back to such a number.
  [[nodiscard]] std::size_t mark() const { return edges_.size(); }
  void back_to(std::size_t mark);

  /// A node of a path and why there is an edge to it from the one before.
  struct PathNode {
    Node node;
    Lit why;
  };
  /// Edges that are not stored, but agree with the order.
  using MoreEdges = std::function<void(Node from, std::vector<PathNode>& to)>;
  /// A path with the fewest conditional edges, `from` first; empty if there is
  /// none.
  [[nodiscard]] std::vector<PathNode> path(Node from, Node to,
                                           const MoreEdges& more = nullptr);
  /// Replaces the order by another one that all edges agree with.
  void set_order(std::span<const Node> order);
  /// Nodes whose positions have changed since the last call, some repeatedly.
  [[nodiscard]] std::vector<Node> take_moved() {
    return std::exchange(moved_, {});
  }

 private:
  template <class Visit>
  void for_fixed(std::span<const Link> links, Visit visit) const;

  static constexpr std::uint32_t kEnd = 0xffffffffu;
  struct Edge {
    Node from;
    Node to;
    Lit why;
    std::uint32_t next_out;
    std::uint32_t next_in;
  };
  template <class Visit>
  void for_out(Node n, Visit visit) const;
  template <class Visit>
  void for_in(Node n, Visit visit) const;
  /// Nodes found by a search from one end of an edge that is to come.
  struct Side {
    std::vector<Node> nodes;
    std::size_t next = 0;  // of those whose edges were not yet looked at
    std::size_t work = 0;  // edges looked at
    [[nodiscard]] bool is_done() const { return next == nodes.size(); }
  };
  bool closes_cycle(Node from, Node to);
  bool step_forward(std::uint32_t limit);
  bool step_backward(std::uint32_t limit);
  void make_room(Node from, Node to);
  void exchange_places();
  void shift(std::span<const Node> nodes, std::uint32_t first,
             std::uint32_t last, bool to_the_end);
  void find_cycle(Node from, Node to);
  void tell_cycle(std::uint32_t at, Node meeting);
  void begin_visit() { ++stamp_; }
  bool visit(Node n) {
    if (seen_[n] == stamp_) return false;
    seen_[n] = stamp_;
    return true;
  }

  std::vector<std::uint32_t> fixed_out_begin_;
  std::vector<Node> fixed_out_;
  Rows known_in_;
  std::vector<std::uint32_t> fixed_in_begin_;  // of those beyond
  std::vector<Node> fixed_in_;
  std::size_t fixed_nodes_ = 0;

  std::vector<Edge> edges_;
  std::vector<std::uint32_t> first_out_;
  std::vector<std::uint32_t> first_in_;
  std::vector<std::uint32_t> position_;
  std::vector<Node> node_at_;  // by position; filled when first needed

  std::vector<std::uint32_t> seen_;
  std::uint32_t stamp_ = 0;
  Side forward_;   // seen with stamp_ - 1
  Side backward_;  // seen with stamp_
  std::vector<std::uint32_t> places_;
  std::vector<Node> line_;
  std::vector<Node> moved_;
  std::vector<Node> cycle_;
  std::vector<Lit> cycle_reasons_;
  struct Found {
    PathNode step;
    std::uint32_t parent;  // index into visits_
  };
  std::vector<Found> visits_;
  std::vector<Found> ends_;  // the same from the other end of a cycle
};

}  // namespace txscope::check::sat
