#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>

namespace txscope::engine {

/// 128 bits: with 10^8 states two different ones are taken for the same with a
/// probability below 10^-22.
struct Hash128 {
  std::uint64_t a = 0;
  std::uint64_t b = 0;

  friend auto operator<=>(const Hash128&, const Hash128&) = default;
  /// Combines without an order: the hash of a multiset.
  Hash128& operator+=(const Hash128& other) {
    a += other.a;
    b += other.b;
    return *this;
  }
  Hash128& operator-=(const Hash128& other) {
    a -= other.a;
    b -= other.b;
    return *this;
  }
};

struct HashOfHash {
  std::size_t operator()(const Hash128& hash) const { return hash.a; }
};

/// Hashes a sequence of words.
class Mixer {
 public:
  Mixer() = default;
  explicit Mixer(const Hash128& start) : a_(start.a), b_(start.b) {}

  void add(std::uint64_t word) {
    a_ = scramble(a_ ^ word) + 0x9e3779b97f4a7c15ull;
    b_ = scramble(b_ + word * 0xd6e8feb86659fd93ull) ^ 0xa0761d6478bd642full;
  }
  void add(const Hash128& hash) {
    add(hash.a);
    b_ = scramble(b_ ^ hash.b);
    a_ += b_;
  }
  [[nodiscard]] Hash128 done() const {
    return {scramble(a_ ^ (b_ >> 32)), scramble(b_ ^ (a_ << 1))};
  }

 private:
  static std::uint64_t scramble(std::uint64_t z) {
    z = (z ^ (z >> 32)) * 0xd6e8feb86659fd93ull;
    z = (z ^ (z >> 29)) * 0x94d049bb133111ebull;
    return z ^ (z >> 32);
  }
  std::uint64_t a_ = 0x243f6a8885a308d3ull;
  std::uint64_t b_ = 0x13198a2e03707344ull;
};

}  // namespace txscope::engine
