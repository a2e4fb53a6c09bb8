#pragma once

#include <cstddef>
#include <vector>

#include "engine/server/hash.h"

namespace txscope::engine {

/// A set of hashes that only grows: 16 bytes each, at most two thirds full.
class HashSet {
 public:
  /// Whether it was new.
  bool insert(Hash128 hash) {
    if (hash == Hash128{}) hash.b = 1;  // the empty slot's value
    if ((size_ + 1) * 3 > slots_.size() * 2) grow();
    Hash128& slot = find(hash);
    if (slot == hash) return false;
    slot = hash;
    ++size_;
    return true;
  }
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  Hash128& find(const Hash128& hash) {
    const std::size_t mask = slots_.size() - 1;
    std::size_t i = hash.a & mask;
    while (slots_[i] != hash && slots_[i] != Hash128{}) i = (i + 1) & mask;
    return slots_[i];
  }
  void grow() {
    std::vector<Hash128> old(slots_.empty() ? 1024 : slots_.size() * 2);
    old.swap(slots_);
    for (const Hash128& hash : old)
      if (hash != Hash128{}) find(hash) = hash;
  }

  std::vector<Hash128> slots_;
  std::size_t size_ = 0;
};

}  // namespace txscope::engine
