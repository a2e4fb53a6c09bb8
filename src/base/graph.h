#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace txscope {

/// A vertex of a Graph: an index from 0.
using Node = std::uint32_t;

struct Arc {
  Node from;
  Node to;
  friend bool operator==(const Arc&, const Arc&) = default;
};

/// A directed graph that never changes, as compressed rows: eight bytes per
/// node and four per arc.  Successors keep the order of the arcs given.
class Graph {
 public:
  Graph(std::size_t node_count, std::span<const Arc> arcs);

  [[nodiscard]] Node size() const {
    return static_cast<Node>(begin_.size() - 1);
  }
  [[nodiscard]] std::size_t arc_count() const { return targets_.size(); }
  [[nodiscard]] std::span<const Node> successors(Node n) const {
    return std::span(targets_).subspan(begin_[n], begin_[n + 1] - begin_[n]);
  }
  /// Position of the first arc of n among all arcs in row order.
  [[nodiscard]] std::uint32_t first_arc(Node n) const { return begin_[n]; }

 private:
  std::vector<std::uint32_t> begin_;
  std::vector<Node> targets_;
};

/// Every node after its predecessors, or nothing if there is a cycle.  Among
/// nodes that are free at once, the one that became free first comes first
/// (Kahn, CACM 1962); so the answer is the same every time.  Linear.
[[nodiscard]] std::optional<std::vector<Node>> topological_order(
    const Graph& graph);

/// The strongly connected components, numbered so that every arc between two
/// of them goes from the higher number to the lower.
struct Components {
  std::vector<Node> of;  ///< by node
  Node count = 0;

  /// How many nodes each component has.
  [[nodiscard]] std::vector<Node> sizes() const;
};

/// Tarjan, SIAM J. Comput. 1972, without recursion.  Linear.
[[nodiscard]] Components strong_components(const Graph& graph);

}  // namespace txscope
