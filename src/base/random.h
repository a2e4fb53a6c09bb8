#pragma once

#include <cstdint>

namespace txscope {

/// Spreads every bit over all others: the last step of splitmix64.
[[nodiscard]] constexpr std::uint64_t scramble(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return z ^ (z >> 31);
}

/// A small, fast and portable random generator (splitmix64; Steele, Lea and
/// Flood, OOPSLA 2014).  The standard distributions differ between libraries;
/// these do not, so one seed means the same bytes everywhere.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() { return scramble(state_ += 0x9e3779b97f4a7c15ull); }
  /// Uniform in [0, bound); bound must not be 0.
  std::uint64_t below(std::uint64_t bound) {
    return static_cast<std::uint64_t>((static_cast<Wide>(next()) * bound) >>
                                      64);
  }
  /// Uniform in [low, high], both included.
  std::int64_t between(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(
                     below(static_cast<std::uint64_t>(high - low) + 1));
  }
  /// Uniform in [0, 1).
  double real() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }
  bool chance(double probability) { return real() < probability; }

 private:
  __extension__ using Wide = unsigned __int128;

  std::uint64_t state_;
};

}  // namespace txscope
