#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace txscope::check {

/// A set of pairs of numbers, never both 0, by open addressing: several times
/// faster than std::unordered_set where millions are tried.
class PairSet {
 public:
  /// True if the pair was not there.
  bool insert(std::uint32_t a, std::uint32_t b) {
    if (4 * (size_ + 1) > 3 * slots_.size()) grow();
    const std::uint64_t pair = static_cast<std::uint64_t>(a) << 32 | b;
    if (!put(pair)) return false;
    ++size_;
    return true;
  }
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  bool put(std::uint64_t pair) {
    const std::size_t mask = slots_.size() - 1;
    std::size_t i = (pair * 0x9e3779b97f4a7c15ull) >> 20 & mask;
    while (slots_[i] != 0) {
      if (slots_[i] == pair) return false;
      i = (i + 1) & mask;
    }
    slots_[i] = pair;
    return true;
  }
  void grow() {
    std::vector<std::uint64_t> old(slots_.empty() ? 1024 : 2 * slots_.size());
    old.swap(slots_);
    for (const std::uint64_t pair : old)
      if (pair != 0) put(pair);
  }

  std::vector<std::uint64_t> slots_;
  std::size_t size_ = 0;
};

}  // namespace txscope::check
