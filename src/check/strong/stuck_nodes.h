#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "check/strong/known_graph.h"
#include "check/strong/saturate.h"

namespace txscope::check {

/// The nodes that schedule() could not run, and a short cycle among them.
///
/// Method.  Each of them waits for another one: walk back until a node
/// repeats, then look, from the nodes of that cycle, for a shorter way round,
/// as long as that is cheap.
class StuckNodes {
 public:
  using Node = KnownGraph::Node;

  /// `scheduled` is shorter than the number of nodes.
  StuckNodes(const KnownGraph& graph, std::span<const ForcedLink> forced,
             std::span<const Node> scheduled);

  /// Each node is the successor of the next, the first that of the last.
  [[nodiscard]] std::vector<Node> short_cycle();

 private:
  [[nodiscard]] std::vector<Node> walk_back() const;
  [[nodiscard]] std::vector<Node> shortest_through(Node source,
                                                   std::size_t& work);

  static constexpr Node kNobody = 0xffffffffu;
  std::vector<bool> is_stuck_;
  std::vector<std::uint32_t> begin_;
  std::vector<Node> from_;  // stuck predecessors, rows by node
  std::vector<Node> came_;
};

}  // namespace txscope::check
