#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace txscope {

/// Who is in the past of whom, in a graph whose nodes 0 .. n-1 are numbered in
/// a topological order.
///
/// Method.  Nodes are put in chains (a node may be in none); the past of a node
/// is, per chain, how far it reaches: the largest index that is in it.  That is
/// one line of lanes per node, the maximum of those of its predecessors; chains
/// are taken a line's worth at a time, so memory stays linear.
///
/// Cost.  nodes and edges times (chains / lanes), one cache line each.
template <class Lane>
class Past {
 public:
  static constexpr std::size_t kLanes = 64 / sizeof(Lane);
  using Line = std::array<Lane, kLanes>;
  static constexpr std::uint32_t kNoChain = 0xffffffffu;

  struct Place {
    std::uint32_t chain = kNoChain;
    Lane index = 0;  ///< from 1, growing along the edges of the graph
  };

  explicit Past(std::span<const Place> places) : places_(places) {
    for (const Place& place : places)
      if (place.chain != kNoChain)
        chains_ = std::max<std::size_t>(chains_, place.chain + 1);
  }

  /// For every group of kLanes chains (the first of which is `first`) and every
  /// node v in order: `predecessors(v, join)` calls join(u) for each edge
  /// u -> v, u < v, then `look(v, first, line)` sees the past of v.  `begin`
  /// is called once per group.  Stops as soon as look() returns false.
  template <class Begin, class Predecessors, class Look>
  bool for_each_past(Begin begin, Predecessors predecessors, Look look) {
    for (std::size_t first = 0; first < chains_; first += kLanes) {
      begin(first);
      lines_.assign(places_.size(), Line{});
      for (std::size_t v = 0; v < places_.size(); ++v) {
        Line line{};
        predecessors(v, [&](std::size_t u) { join(line, lines_[u]); });
        if (!look(v, first, line)) return false;
        const std::size_t lane = places_[v].chain - first;
        if (places_[v].chain != kNoChain && places_[v].chain >= first &&
            lane < kLanes)
          line[lane] = std::max(line[lane], places_[v].index);
        lines_[v] = line;
      }
    }
    return true;
  }

  static void join(Line& into, const Line& from) {
    for (std::size_t i = 0; i < kLanes; ++i)
      into[i] = std::max(into[i], from[i]);
  }
  /// The past of v and v itself, for nodes already looked at.
  [[nodiscard]] const Line& line(std::size_t v) const { return lines_[v]; }

 private:
  std::span<const Place> places_;
  std::size_t chains_ = 0;
  std::vector<Line> lines_;
};

}  // namespace txscope
