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
/// keys; bench_check.)  For the same reason a number has room for a mark.
class KeyTable {
 public:
  static constexpr std::uint32_t kMaxNumber = (1u << 30) - 1;

  struct Entry {
    std::uint32_t number : 30;
    std::uint32_t mark : 2;  ///< 0 to 2; 3: there is no such key

    [[nodiscard]] bool is_absent() const { return mark == 3; }
  };

  [[nodiscard]] Entry find(Atom name) const {
    if (const std::uint64_t i = dense_index(name); i < dense_.size())
      if (!dense_[i].is_absent()) return dense_[i];
    if (slots_.empty()) return kAbsent;
    return slots_[slot_of(name)].entry;
  }
  /// Says that find() will be asked for this name soon.  (A function that does
  /// nothing else has no effect for g++, which drops calls of it.)
  [[gnu::always_inline]] void prefetch(Atom name) const {
    if (const std::uint64_t i = dense_index(name); i < dense_.size())
      __builtin_prefetch(&dense_[i]);
  }
  /// Marks a name that is there.
  void mark(Atom name, std::uint32_t mark) {
    const std::uint64_t i = dense_index(name);
    if (i < dense_.size() && !dense_[i].is_absent())
      dense_[i].mark = mark & 3;
    else
      slots_[slot_of(name)].entry.mark = mark & 3;
  }

  /// Adds a name that is not there.
  void add(Atom name, std::uint32_t number) {
    const Entry entry{number & kMaxNumber, 0};
    // The array is at most some times longer than there are keys.
    const std::uint64_t i = dense_index(name);
    if (i < 64 + 8 * static_cast<std::uint64_t>(size_)) {
      if (i >= dense_.size())
        dense_.resize(std::max<std::size_t>(i + 1, 2 * dense_.size()), kAbsent);
      dense_[i] = entry;
    } else {
      if (slots_.size() < 2 * (used_ + 1)) grow();
      slots_[slot_of(name)] = {name, entry};
      ++used_;
    }
    ++size_;
  }

 private:
  static constexpr Entry kAbsent{kMaxNumber, 3};
  struct Slot {
    Atom name;
    Entry entry = kAbsent;
  };

  static std::uint64_t dense_index(Atom name) {
    return name.is_small_int() ? static_cast<std::uint64_t>(name.small_int())
                               : UINT64_MAX;
  }
  // Where the name is, or would be; linear probing.
  [[nodiscard]] std::size_t slot_of(Atom name) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t slot = hash_of(name) & mask;
    while (!slots_[slot].entry.is_absent() && slots_[slot].name != name)
      slot = (slot + 1) & mask;
    return slot;
  }
  // Names that came before the array was long enough move into it.
  void grow() {
    std::vector<Slot> old(std::max<std::size_t>(64, 2 * slots_.size()));
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.entry.is_absent()) continue;
      if (const std::uint64_t i = dense_index(slot.name); i < dense_.size()) {
        dense_[i] = slot.entry;
        --used_;
      } else {
        slots_[slot_of(slot.name)] = slot;
      }
    }
  }

  std::vector<Entry> dense_;
  std::vector<Slot> slots_;  // a power of two of them
  std::size_t used_ = 0;     // slots
  std::size_t size_ = 0;     // names
};

}  // namespace txscope
