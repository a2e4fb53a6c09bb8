#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "base/random.h"

namespace txscope {

/// 128 bits that tell texts apart which nobody has made to look alike: to know
/// a file again.  The pieces in which a text comes matter.
class Digest {
 public:
  void add(std::string_view piece) {
    mix(piece.size());
    while (piece.size() >= sizeof(std::uint64_t)) {
      std::uint64_t word = 0;
      std::memcpy(&word, piece.data(), sizeof word);
      mix(word);
      piece.remove_prefix(sizeof word);
    }
    std::uint64_t rest = 0;
    if (!piece.empty()) std::memcpy(&rest, piece.data(), piece.size());
    mix(rest);
  }

  [[nodiscard]] std::string hex() const {
    constexpr char kDigits[] = "0123456789abcdef";
    std::string text;
    for (const std::uint64_t half : {scramble(a_), scramble(b_)})
      for (int shift = 60; shift >= 0; shift -= 4)
        text += kDigits[half >> shift & 15];
    return text;
  }

 private:
  void mix(std::uint64_t word) {
    a_ = scramble(a_ ^ word);
    b_ = (b_ << 29 | b_ >> 35) * 0x9e3779b97f4a7c15ull + (word ^ a_);
  }

  std::uint64_t a_ = 1;
  std::uint64_t b_ = 2;
};

}  // namespace txscope
