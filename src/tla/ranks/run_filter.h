#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/random.h"

namespace txscope::tla::ranks {

/// Says of most fingerprints that are not in a run that they are not, without
/// looking at the disk.
///
/// Source.  Bloom, "Space/time trade-offs in hash coding with allowable
/// errors", CACM 1970; all bits of a fingerprint are in one word, as in Putze,
/// Sanders and Singler, "Cache-, hash- and space-efficient Bloom filters",
/// 2007.  With 8 bits for each, one of twenty that are not there passes.
class RunFilter {
 public:
  /// Room for so many; without bits it knows nothing.
  RunFilter(std::uint64_t entries, std::uint64_t bits_each)
      : words_((entries * bits_each + 63) / 64) {}

  void add(std::uint64_t fingerprint) {
    if (words_.empty()) return;
    const std::uint64_t h = scramble(fingerprint);
    words_[place_of(h)] |= bits_of(h);
  }
  [[nodiscard]] bool may_have(std::uint64_t fingerprint) const {
    if (words_.empty()) return true;
    const std::uint64_t h = scramble(fingerprint);
    return (words_[place_of(h)] & bits_of(h)) == bits_of(h);
  }

 private:
  [[nodiscard]] std::size_t place_of(std::uint64_t h) const {
    return static_cast<std::size_t>((h >> 32u) * words_.size() >> 32u);
  }
  static std::uint64_t bits_of(std::uint64_t h) {
    return std::uint64_t{1} << (h & 63u) | std::uint64_t{1} << (h >> 6u & 63u) |
           std::uint64_t{1} << (h >> 12u & 63u);
  }

  std::vector<std::uint64_t> words_;
};

}  // namespace txscope::tla::ranks
