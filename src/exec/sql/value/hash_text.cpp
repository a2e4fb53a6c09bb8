#include "exec/sql/value/hash_text.h"

#include <array>
#include <bit>

namespace txscope::sql {
namespace {

using HashWords = std::array<std::uint32_t, 3>;

/// One round of both mixes: x loses y, takes its bits turned.
void turn(std::uint32_t& x, std::uint32_t y, int by, std::uint32_t& y_next,
          std::uint32_t z) {
  x -= y;
  x ^= std::rotl(y, by);
  y_next += z;
}

void mix_words(HashWords& w) {
  auto& [a, b, c] = w;
  turn(a, c, 4, c, b);
  turn(b, a, 6, a, c);
  turn(c, b, 8, b, a);
  turn(a, c, 16, c, b);
  turn(b, a, 19, a, c);
  turn(c, b, 4, b, a);
}

void finish_words(HashWords& w) {
  auto& [a, b, c] = w;
  const auto fold = [](std::uint32_t& x, std::uint32_t y, int by) {
    x ^= y;
    x -= std::rotl(y, by);
  };
  fold(c, b, 14);
  fold(a, c, 11);
  fold(b, a, 25);
  fold(c, b, 16);
  fold(a, c, 4);
  fold(b, a, 14);
  fold(c, b, 24);
}

}  // namespace

std::uint64_t hash_of(std::string_view text, std::uint64_t seed) {
  const auto start =
      0x9e3779b9U + static_cast<std::uint32_t>(text.size()) + 3923095U;
  HashWords w = {start, start, start};
  if (seed != 0) {
    w[0] += static_cast<std::uint32_t>(seed >> 32);
    w[1] += static_cast<std::uint32_t>(seed);
    mix_words(w);
  }
  const auto byte = [&](std::size_t i) {
    return static_cast<std::uint32_t>(static_cast<unsigned char>(text[i]));
  };
  std::size_t at = 0;
  for (; text.size() - at >= 12; at += 12) {
    for (std::size_t i = 0; i < 12; ++i)
      w[i / 4] += byte(at + i) << (8 * (i % 4));
    mix_words(w);
  }
  // The lowest byte of the last word stands for the length.
  for (std::size_t i = 0; at + i < text.size(); ++i)
    w[i / 4] += byte(at + i) << (8 * (i < 8 ? i % 4 : i % 4 + 1));
  finish_words(w);
  return (static_cast<std::uint64_t>(w[1]) << 32) | w[2];
}

}  // namespace txscope::sql
