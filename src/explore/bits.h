#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace txscope::explore {

/// A set of small numbers in W words.  With one word everything compiles to
/// plain integer instructions; wider ones serve larger programs.
template <std::size_t W>
struct Bits {
  std::uint64_t word[W] = {};

  static constexpr std::size_t kSize = W * 64;

  [[nodiscard]] static Bits of(std::size_t i) {
    Bits b;
    b.set(i);
    return b;
  }
  [[nodiscard]] bool test(std::size_t i) const {
    return (word[i / 64] >> (i % 64) & 1) != 0;
  }
  void set(std::size_t i) { word[i / 64] |= std::uint64_t{1} << (i % 64); }
  void reset(std::size_t i) { word[i / 64] &= ~(std::uint64_t{1} << (i % 64)); }
  [[nodiscard]] bool any() const {
    std::uint64_t all = 0;
    for (std::size_t i = 0; i < W; ++i) all |= word[i];
    return all != 0;
  }
  [[nodiscard]] bool none() const { return !any(); }
  [[nodiscard]] std::size_t count() const {
    std::size_t n = 0;
    for (std::size_t i = 0; i < W; ++i) {
      n += static_cast<std::size_t>(std::popcount(word[i]));
    }
    return n;
  }
  /// The smallest member; the set must not be empty.
  [[nodiscard]] std::size_t first() const {
    std::size_t i = 0;
    while (word[i] == 0) ++i;
    return i * 64 + static_cast<std::size_t>(std::countr_zero(word[i]));
  }
  /// Calls f(i) for every member, ascending.
  template <class F>
  void for_each(F&& f) const {
    for (std::size_t i = 0; i < W; ++i) {
      for (std::uint64_t left = word[i]; left != 0; left &= left - 1) {
        f(i * 64 + static_cast<std::size_t>(std::countr_zero(left)));
      }
    }
  }
  /// True as soon as f(i) is, for some member.
  template <class F>
  [[nodiscard]] bool any_of(F&& f) const {
    for (std::size_t i = 0; i < W; ++i) {
      for (std::uint64_t left = word[i]; left != 0; left &= left - 1) {
        if (f(i * 64 + static_cast<std::size_t>(std::countr_zero(left)))) {
          return true;
        }
      }
    }
    return false;
  }

  Bits& operator|=(const Bits& o) {
    for (std::size_t i = 0; i < W; ++i) word[i] |= o.word[i];
    return *this;
  }
  Bits& operator&=(const Bits& o) {
    for (std::size_t i = 0; i < W; ++i) word[i] &= o.word[i];
    return *this;
  }
  /// Without the members of `o`.
  Bits& operator-=(const Bits& o) {
    for (std::size_t i = 0; i < W; ++i) word[i] &= ~o.word[i];
    return *this;
  }
  friend Bits operator|(Bits a, const Bits& b) { return a |= b; }
  friend Bits operator&(Bits a, const Bits& b) { return a &= b; }
  friend Bits operator-(Bits a, const Bits& b) { return a -= b; }
  friend bool operator==(const Bits&, const Bits&) = default;
};

}  // namespace txscope::explore
