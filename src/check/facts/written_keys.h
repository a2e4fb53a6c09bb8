#pragma once

#include <cstdint>
#include <vector>

#include "check/facts/facts.h"

namespace txscope::check {

/// A word per transaction that tells most keys it does not write: what one
/// transaction writes and another reads is mostly nothing, or one key, and
/// this says so without a look at the rows of the writer.
class WrittenKeys {
 public:
  /// Some keys, as the bits of a word; keys may share a bit.
  using Mask = std::uint64_t;

  WrittenKeys(const Facts& facts, std::size_t transactions) {
    masks_.reserve(transactions);
    for (std::size_t t = 0; t < transactions; ++t) {
      Mask mask = 0;
      for (const KeyId k : facts.writes(TxnId(t))) mask |= bit(k);
      masks_.push_back(mask);
    }
  }

  [[nodiscard]] static Mask bit(KeyId k) {
    return Mask{1} << (k.index * 0x9e3779b1u >> 26);
  }
  [[nodiscard]] Mask of(TxnId t) const { return masks_[t.index]; }
  /// Says that of() will be asked for t soon.
  [[gnu::always_inline]] void expect(TxnId t) const {
    __builtin_prefetch(&masks_[t.index]);
  }

 private:
  std::vector<Mask> masks_;
};

}  // namespace txscope::check
