#include "base/graph.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/random.h"

namespace txscope {
namespace {

TEST(Graph, KeepsTheOrderOfTheArcs) {
  const std::vector<Arc> arcs = {{2, 1}, {0, 2}, {2, 0}, {0, 1}};
  const Graph graph(3, arcs);
  EXPECT_EQ(graph.size(), 3u);
  EXPECT_EQ(graph.arc_count(), 4u);
  const auto of = [&](Node n) {
    return std::vector<Node>(graph.successors(n).begin(),
                             graph.successors(n).end());
  };
  EXPECT_EQ(of(0), (std::vector<Node>{2, 1}));
  EXPECT_EQ(of(1), (std::vector<Node>{}));
  EXPECT_EQ(of(2), (std::vector<Node>{1, 0}));
}

TEST(Graph, WithoutNodesHasAnEmptyOrder) {
  const Graph graph(0, {});
  EXPECT_EQ(graph.size(), 0u);
  EXPECT_EQ(topological_order(graph), std::vector<Node>{});
  EXPECT_EQ(strong_components(graph).count, 0u);
}

TEST(TopologicalOrder, OfACycleDoesNotExist) {
  EXPECT_EQ(topological_order(Graph(2, std::vector<Arc>{{0, 1}, {1, 0}})),
            std::nullopt);
  EXPECT_EQ(topological_order(Graph(1, std::vector<Arc>{{0, 0}})),
            std::nullopt);
}

// A path of a million nodes: recursion would not survive it.
TEST(StrongComponents, DoNotRecurse) {
  constexpr Node kSize = 200'000;
  std::vector<Arc> arcs;
  for (Node n = 0; n + 1 < kSize; ++n) arcs.push_back({n, n + 1});
  EXPECT_EQ(strong_components(Graph(kSize, arcs)).count, kSize);
  arcs.push_back({kSize - 1, 0});
  EXPECT_EQ(strong_components(Graph(kSize, arcs)).count, 1u);
}

// Two nodes are in one component iff each reaches the other, and arcs lead to
// lower numbers; there is a topological order iff all components are single
// nodes without a loop.  Reachability by Warshall's algorithm.
TEST(StrongComponents, AgreeWithReachabilityOnRandomGraphs) {
  Random random(7);
  for (int round = 0; round < 2000; ++round) {
    const auto size = static_cast<Node>(random.between(1, 9));
    std::vector<Arc> arcs;
    for (auto left = random.below(2 * size + 1); left > 0; --left)
      arcs.push_back({static_cast<Node>(random.below(size)),
                      static_cast<Node>(random.below(size))});
    const Graph graph(size, arcs);
    std::vector<std::vector<bool>> reaches(size, std::vector<bool>(size));
    for (const Arc arc : arcs) reaches[arc.from][arc.to] = true;
    for (Node k = 0; k < size; ++k)
      for (Node a = 0; a < size; ++a)
        for (Node b = 0; b < size; ++b)
          if (reaches[a][k] && reaches[k][b]) reaches[a][b] = true;

    const Components found = strong_components(graph);
    bool is_acyclic = true;
    for (Node a = 0; a < size; ++a) {
      is_acyclic = is_acyclic && !reaches[a][a];
      for (Node b = 0; b < size; ++b) {
        if (a == b) continue;
        ASSERT_EQ(found.of[a] == found.of[b], reaches[a][b] && reaches[b][a]);
      }
    }
    for (const Arc arc : arcs) ASSERT_GE(found.of[arc.from], found.of[arc.to]);

    const auto order = topological_order(graph);
    ASSERT_EQ(order.has_value(), is_acyclic);
    if (!order) continue;
    std::vector<Node> place(size);
    for (Node i = 0; i < size; ++i) place[(*order)[i]] = i;
    for (const Arc arc : arcs) ASSERT_LT(place[arc.from], place[arc.to]);
  }
}

}  // namespace
}  // namespace txscope
