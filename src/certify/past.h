#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace txscope::certify {

/// How far a past reaches along each of sixteen chains: the largest index.
struct ChainLanes {
  static constexpr std::size_t kLanes = 16;
  std::array<std::uint32_t, kLanes> reach{};

  void join(const ChainLanes& other) {
    for (std::size_t i = 0; i < kLanes; ++i)
      reach[i] = std::max(reach[i], other.reach[i]);
  }
  void add(std::size_t lane, std::uint32_t index) {
    reach[lane] = std::max(reach[lane], index);
  }
  [[nodiscard]] bool has(std::size_t lane, std::uint32_t index) const {
    return index <= reach[lane];
  }
};

/// Which of 512 chains of one node each a past contains.
struct BitLanes {
  static constexpr std::size_t kLanes = 512;
  std::array<std::uint64_t, kLanes / 64> words{};

  void join(const BitLanes& other) {
    for (std::size_t i = 0; i < words.size(); ++i) words[i] |= other.words[i];
  }
  void add(std::size_t lane, std::uint32_t) {
    words[lane / 64] |= std::uint64_t{1} << lane % 64;
  }
  [[nodiscard]] bool has(std::size_t lane, std::uint32_t) const {
    return words[lane / 64] >> lane % 64 & 1;
  }
};

/// Who is in the past of whom, in a graph whose nodes 0 .. n-1 are numbered in
/// a topological order.
///
/// Method.  Nodes are put in chains (a node may be in none); the past of a node
/// is, per chain, how far it reaches.  That is one line of lanes per node, the
/// join of those of its predecessors; chains are taken a line's worth at a
/// time, so memory stays linear.
///
/// Cost.  nodes and edges times (chains / lanes), one cache line each.
template <class Line>
class Past {
 public:
  static constexpr std::uint32_t kNoChain = 0xffffffffu;

  struct Place {
    std::uint32_t chain = kNoChain;
    std::uint32_t index = 0;  ///< from 1, growing along the edges of the graph
    /// The lane in the group of chains that begins with `first`, or kLanes.
    [[nodiscard]] std::size_t lane(std::size_t first) const {
      return chain != kNoChain && chain >= first
                 ? std::min(chain - first, Line::kLanes)
                 : Line::kLanes;
    }
  };

  explicit Past(std::span<const Place> places) : places_(places) {
    for (const Place& place : places)
      if (place.chain != kNoChain)
        chains_ = std::max<std::size_t>(chains_, place.chain + 1);
  }

  /// For every group of chains (the first of which is `first`) and every node
  /// v in order: `predecessors(v, join)` calls join(u) for each edge u -> v,
  /// u < v, then `look(v, first, line)` sees the past of v and may add to it.
  /// `begin` is called once per group.  Stops as soon as look() returns false.
  template <class Begin, class Predecessors, class Look>
  bool for_each_past(Begin begin, Predecessors predecessors, Look look) {
    for (std::size_t first = 0; first < chains_; first += Line::kLanes) {
      begin(first);
      lines_.assign(places_.size(), Line{});
      for (std::size_t v = 0; v < places_.size(); ++v) {
        Line& line = lines_[v];
        predecessors(v, [&](std::size_t u) { line.join(lines_[u]); });
        if (!look(v, first, line)) return false;
        const std::size_t lane = places_[v].lane(first);
        if (lane < Line::kLanes) line.add(lane, places_[v].index);
      }
    }
    return true;
  }

  /// The past of v and v itself, for nodes already looked at.
  [[nodiscard]] const Line& line(std::size_t v) const { return lines_[v]; }

 private:
  std::span<const Place> places_;
  std::size_t chains_ = 0;
  std::vector<Line> lines_;
};

}  // namespace txscope::certify
