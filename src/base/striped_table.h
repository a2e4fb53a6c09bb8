#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

#include "base/spin_lock.h"

namespace txscope {

/// A hash table that several threads add to: open addressing in 64 parts with
/// a lock each, three quarters full at most.
///
/// An Entry has
///   is_empty()       true of Entry() only,
///   place()          64 bits that are spread evenly: the highest choose the
///                    part, those below them where to look first,
///   is_same(other)   whether it stands for the same thing.
template <class Entry>
class StripedTable {
 public:
  StripedTable() {
    for (Part& part : parts_) resize(part, kFirstSize);
  }

  /// True if `entry` is new.  Else `on_known(there)`, under the lock, may
  /// change what is there, but not its place.
  template <class OnKnown>
  bool insert(const Entry& entry, const OnKnown& on_known) {
    Part& part = part_of(entry.place());
    const std::lock_guard lock(part.mutex);
    const std::size_t mask = part.entries.size() - 1;
    std::size_t at = first_look(part, entry.place());
    for (; !part.entries[at].is_empty(); at = (at + 1) & mask) {
      if (!part.entries[at].is_same(entry)) continue;
      on_known(part.entries[at]);
      return false;
    }
    part.entries[at] = entry;
    if (++part.count * 4 > part.entries.size() * 3) grow(part);
    return true;
  }
  bool insert(const Entry& entry) {
    return insert(entry, [](Entry&) {});
  }

  /// Forgets everything; only while nobody inserts.
  void clear() {
    for (Part& part : parts_) {
      resize(part, kFirstSize);
      part.count = 0;
    }
  }

  /// The first entry from a place on that `is_it`; only while nobody inserts.
  template <class Wanted>
  [[nodiscard]] std::optional<Entry> find(std::uint64_t place,
                                          const Wanted& is_it) const {
    const Part& part = parts_[place >> (64 - kPartBits)];
    const std::size_t mask = part.entries.size() - 1;
    for (std::size_t at = first_look(part, place);; at = (at + 1) & mask) {
      const Entry& entry = part.entries[at];
      if (entry.is_empty()) return std::nullopt;
      if (is_it(entry)) return entry;
    }
  }

  /// Fetches what insert() of an entry with this place will look at.
  void prefetch(std::uint64_t place) const {
    const Part& part = parts_[place >> (64 - kPartBits)];
    // Only a hint: a stale address does no harm.
    __builtin_prefetch(part.base.load(kRelaxed) + first_look(part, place), 1);
  }

  [[nodiscard]] std::uint64_t size() const {
    std::uint64_t sum = 0;
    for (const Part& part : parts_) {
      const std::lock_guard lock(part.mutex);
      sum += part.count;
    }
    return sum;
  }

  /// Every entry, in no particular order; only while nobody inserts.
  template <class Visit>
  void for_each(const Visit& visit) const {
    for (const Part& part : parts_)
      for (const Entry& entry : part.entries)
        if (!entry.is_empty()) visit(entry);
  }

 private:
  static constexpr unsigned kPartBits = 6;
  static constexpr std::size_t kFirstSize = 16;
  static constexpr auto kRelaxed = std::memory_order_relaxed;
  struct alignas(64) Part {
    std::vector<Entry> entries;
    std::uint64_t count = 0;
    std::atomic<const Entry*> base = nullptr;
    std::atomic<unsigned> shift = 0;
    mutable SpinLock mutex;
  };

  Part& part_of(std::uint64_t place) {
    return parts_[place >> (64 - kPartBits)];
  }
  static std::size_t first_look(const Part& part, std::uint64_t place) {
    return (place << kPartBits) >> part.shift.load(kRelaxed);
  }
  static void resize(Part& part, std::size_t size) {
    part.entries = std::vector<Entry>(size);
    part.shift.store(65 - static_cast<unsigned>(std::bit_width(size)),
                     kRelaxed);
    part.base.store(part.entries.data(), kRelaxed);
  }
  static void grow(Part& part) {
    const std::vector<Entry> old = std::move(part.entries);
    resize(part, old.size() * 2);
    const std::size_t mask = part.entries.size() - 1;
    for (const Entry& entry : old) {
      if (entry.is_empty()) continue;
      std::size_t at = first_look(part, entry.place());
      while (!part.entries[at].is_empty()) at = (at + 1) & mask;
      part.entries[at] = entry;
    }
  }

  std::array<Part, 1u << kPartBits> parts_;
};

}  // namespace txscope
