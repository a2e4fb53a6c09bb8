#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/graph.h"

namespace txscope::check {

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
        slot_of_(node_count, kNoSlot),
        per_block_(
            static_cast<std::uint32_t>(std::bit_floor(std::max<std::size_t>(
                1, kBlockBytes / sizeof(Place) / std::max(width_, kStep))))),
        shift_(std::countr_zero(per_block_)) {}

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
  [[nodiscard]] Place* of(Node n) { return entries(slot_of_[n]); }
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
  static constexpr std::size_t kBlockBytes = std::size_t{8} << 20;

  Place* take_slot(Node n) {
    if (free_.empty()) {
      if (used_ == per_block_ * blocks_.size())
        blocks_.push_back(
            std::make_unique_for_overwrite<Place[]>(per_block_ * width_));
      free_.push_back(used_++);
    }
    slot_of_[n] = free_.back();
    free_.pop_back();
    return of(n);
  }
  [[nodiscard]] Place* entries(std::uint32_t slot) {
    return blocks_[slot >> shift_].get() + (slot & (per_block_ - 1)) * width_;
  }

  std::size_t width_;
  std::vector<std::uint32_t> slot_of_;  // by node
  // Large ones: the system gets them back, and what is not used costs nothing.
  std::uint32_t per_block_;  // slots; 2^shift_
  int shift_;
  std::vector<std::unique_ptr<Place[]>> blocks_;
  std::uint32_t used_ = 0;  // slots
  std::vector<std::uint32_t> free_;
};

}  // namespace txscope::check
