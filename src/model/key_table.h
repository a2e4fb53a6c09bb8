#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "model/atom.h"

namespace txscope {

/// From the name of a key to its number.  Reading a large history asks this
/// once per operation, so what counts is how much memory a look touches:
/// names that are small integers, as most are, index an array of numbers; the
/// others are in a hash table beside their numbers.  (A table of numbers alone
/// must look at the key, too, and was two thirds of all reading at 100,000
/// keys; bench_check.)
class KeyTable {
 public:
  static constexpr std::uint32_t kAbsent = 0xffffffffu;

  [[nodiscard]] std::uint32_t find(Atom name) const {
    if (const std::uint64_t i = dense_index(name); i < dense_.size())
      if (dense_[i] != kAbsent) return dense_[i];
    if (slots_.empty()) return kAbsent;
    return slots_[slot_of(name)].number;
  }

  /// Adds a name that is not there.
  void add(Atom name, std::uint32_t number) {
    // The array is at most some times longer than there are keys.
    const std::uint64_t i = dense_index(name);
    if (i < 64 + 8 * static_cast<std::uint64_t>(size_)) {
      if (i >= dense_.size())
        dense_.resize(std::max<std::size_t>(i + 1, 2 * dense_.size()), kAbsent);
      dense_[i] = number;
    } else {
      if (slots_.size() < 2 * (used_ + 1)) grow();
      slots_[slot_of(name)] = {name, number};
      ++used_;
    }
    ++size_;
  }

 private:
  struct Slot {
    Atom name;
    std::uint32_t number = kAbsent;
  };

  static std::uint64_t dense_index(Atom name) {
    return name.is_small_int() ? static_cast<std::uint64_t>(name.small_int())
                               : UINT64_MAX;
  }
  // Where the name is, or would be; linear probing.
  [[nodiscard]] std::size_t slot_of(Atom name) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t slot = hash_of(name) & mask;
    while (slots_[slot].number != kAbsent && slots_[slot].name != name)
      slot = (slot + 1) & mask;
    return slot;
  }
  void grow() {
    std::vector<Slot> old(std::max<std::size_t>(64, 2 * slots_.size()));
    old.swap(slots_);
    for (const Slot& slot : old)
      if (slot.number != kAbsent) slots_[slot_of(slot.name)] = slot;
  }

  std::vector<std::uint32_t> dense_;
  std::vector<Slot> slots_;  // a power of two of them
  std::size_t used_ = 0;     // slots
  std::size_t size_ = 0;     // names
};

}  // namespace txscope
