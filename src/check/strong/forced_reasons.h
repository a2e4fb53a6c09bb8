#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "check/strong/known_graph.h"
#include "check/strong/saturate.h"

namespace txscope::check {

/// Why forced links are there: the paths that force them.
class ForcedReasons {
 public:
  using Node = KnownGraph::Node;

  ForcedReasons(const KnownGraph& graph, std::span<const ForcedLink> forced);

  /// A path, of known links and of links forced in earlier rounds, that forces
  /// this link.  Empty if it is no link, if it is known, or if it was asked
  /// for before.
  [[nodiscard]] std::vector<Node> of(Node from, Node to);

 private:
  struct Next {
    Node node;
    std::uint32_t round;  // 0: known
  };
  void sort();
  [[nodiscard]] bool is_known(Node from, Node to) const;
  [[nodiscard]] std::vector<Node> path(Node from, Node to,
                                       std::uint32_t before_round);

  std::span<const ForcedLink> forced_;
  std::unordered_map<std::uint64_t, std::uint32_t> index_;
  std::vector<std::uint32_t> begin_;
  std::vector<Next> next_;
  std::vector<std::uint32_t> position_;  // topological, without the last round
};

}  // namespace txscope::check
