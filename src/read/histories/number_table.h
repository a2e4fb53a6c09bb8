#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace txscope::read {

/// From 64-bit numbers to small indices, for the ids in input files.  Most
/// count upwards from 0 or so and index an array; the others are in a hash
/// table, several times faster than std::unordered_map.
class NumberTable {
 public:
  static constexpr std::uint32_t kAbsent = UINT32_MAX;

  /// The index kept for `number`; a new one keeps `fresh` and says so.
  std::uint32_t find_or_add(std::uint64_t number, std::uint32_t fresh,
                            bool& is_new) {
    // The array is at most some times longer than there are numbers.
    const bool is_dense = number < 64 + 8 * (dense_count_ + count_);
    if (number < dense_.size() && dense_[number] != kAbsent) {
      is_new = false;
      return dense_[number];
    }
    if (count_ > 0 || !is_dense) {
      if (2 * (count_ + 1) > slots_.size()) grow();
      Slot& slot = slot_of(number);
      is_new = slot.index == kAbsent;
      if (!is_new) return slot.index;
      if (!is_dense) {
        slot = {number, fresh};
        ++count_;
        return fresh;
      }
    }
    if (number >= dense_.size())
      dense_.resize(std::max<std::size_t>(number + 1, 2 * dense_.size()),
                    kAbsent);
    dense_[number] = fresh;
    ++dense_count_;
    is_new = true;
    return fresh;
  }
  /// False if the number was there before.
  bool add(std::uint64_t number) {
    bool is_new = false;
    find_or_add(number, 0, is_new);
    return is_new;
  }

 private:
  struct Slot {
    std::uint64_t number = 0;
    std::uint32_t index = kAbsent;
  };

  Slot& slot_of(std::uint64_t number) {
    std::uint64_t at = number * 0x9e3779b97f4a7c15ull;
    at ^= at >> 32;
    for (;; ++at) {
      Slot& slot = slots_[at & (slots_.size() - 1)];
      if (slot.index == kAbsent || slot.number == number) return slot;
    }
  }
  void grow() {
    std::vector<Slot> old(slots_.empty() ? 64 : 2 * slots_.size());
    old.swap(slots_);
    for (const Slot& slot : old)
      if (slot.index != kAbsent) slot_of(slot.number) = slot;
  }

  std::vector<std::uint32_t> dense_;  // by number
  std::size_t dense_count_ = 0;
  std::vector<Slot> slots_;
  std::size_t count_ = 0;  // of slots that are taken
};

}  // namespace txscope::read
