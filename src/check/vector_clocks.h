#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/graph.h"

namespace txscope {

/// Vector clocks of the nodes of an acyclic graph, made in topological order
/// and given back as soon as nobody needs them any more, so that memory is for
/// the clocks in use, not for all.  An entry is the place, from 1, of the last
/// transaction of a session that precedes the node, or 0; kInitial is in no
/// session.  The smaller a `Place` is, the shorter are clocks and joins.
template <class Place>
class VectorClocks {
 public:
  VectorClocks(std::size_t width, std::size_t node_count)
      : width_((width + kStep - 1) / kStep * kStep),
        slot_of_(node_count, kNoSlot) {}

  /// A clock for n with all entries 0.
  Place* make(Node n) {
    Place* entries = take_slot(n);
    std::fill(entries, entries + width_, Place{0});
    return entries;
  }
  /// A clock for n that begins as a copy.
  Place* make_copy(Node n, const Place* original) {
    Place* entries = take_slot(n);
    std::copy(original, original + width_, entries);
    return entries;
  }
  [[nodiscard]] bool has(Node n) const { return slot_of_[n] != kNoSlot; }
  [[nodiscard]] Place* of(Node n) { return blocks_[slot_of_[n]].data(); }
  void release(Node n) {
    free_.push_back(slot_of_[n]);
    slot_of_[n] = kNoSlot;
  }
  /// into := the entrywise maximum of both.  In steps of fixed length, which
  /// compilers turn into vector instructions (bench_check_weak, 1000 sessions).
  void join(Place* __restrict into, const Place* __restrict from) const {
    for (std::size_t i = 0; i < width_; i += kStep)
      for (std::size_t j = 0; j < kStep; ++j)
        into[i + j] = std::max(into[i + j], from[i + j]);
  }

 private:
  static constexpr std::size_t kStep = 32 / sizeof(Place);
  static constexpr std::uint32_t kNoSlot = 0xffffffffu;

  Place* take_slot(Node n) {
    if (free_.empty()) {
      free_.push_back(static_cast<std::uint32_t>(blocks_.size()));
      blocks_.emplace_back(width_);
    }
    slot_of_[n] = free_.back();
    free_.pop_back();
    return blocks_[slot_of_[n]].data();
  }

  std::size_t width_;
  std::vector<std::uint32_t> slot_of_;  // by node
  std::vector<std::vector<Place>> blocks_;
  std::vector<std::uint32_t> free_;
};

}  // namespace txscope
