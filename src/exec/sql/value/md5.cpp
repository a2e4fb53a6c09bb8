#include "exec/sql/value/md5.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

namespace txscope::sql {
namespace {

using State = std::array<std::uint32_t, 4>;

constexpr std::array<int, 16> kShifts = {7, 12, 17, 22, 5, 9,  14, 20,
                                         4, 11, 16, 23, 6, 10, 15, 21};

std::array<std::uint32_t, 64> sines() {
  std::array<std::uint32_t, 64> table{};
  for (std::size_t i = 0; i < table.size(); ++i)
    table[i] = static_cast<std::uint32_t>(
        std::abs(std::sin(static_cast<double>(i + 1))) * 4294967296.0);
  return table;
}

void add_block(State& state, const unsigned char* block) {
  static const std::array<std::uint32_t, 64> kSines = sines();
  std::array<std::uint32_t, 16> words{};
  for (std::size_t i = 0; i < 64; ++i)
    words[i / 4] |= static_cast<std::uint32_t>(block[i]) << (i % 4 * 8);
  auto [a, b, c, d] = state;
  for (std::size_t i = 0; i < 64; ++i) {
    const std::size_t round = i / 16;
    std::uint32_t f = 0;
    std::size_t word = i;
    if (round == 0) {
      f = (b & c) | (~b & d);
    } else if (round == 1) {
      f = (d & b) | (~d & c);
      word = 5 * i + 1;
    } else if (round == 2) {
      f = b ^ c ^ d;
      word = 3 * i + 5;
    } else {
      f = c ^ (b | ~d);
      word = 7 * i;
    }
    const std::uint32_t next = a + f + kSines[i] + words[word % 16];
    a = d;
    d = c;
    c = b;
    b += std::rotl(next, kShifts[round * 4 + i % 4]);
  }
  state[0] += a;
  state[1] += b;
  state[2] += c;
  state[3] += d;
}

}  // namespace

std::string md5(std::string_view text) {
  State state = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
  std::string padded(text);
  padded += '\x80';
  while (padded.size() % 64 != 56) padded += '\0';
  const std::uint64_t bits = static_cast<std::uint64_t>(text.size()) * 8;
  for (int i = 0; i < 8; ++i)
    padded += static_cast<char>(static_cast<unsigned char>(bits >> (i * 8)));
  for (std::size_t i = 0; i < padded.size(); i += 64)
    add_block(state, reinterpret_cast<const unsigned char*>(padded.data()) + i);
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string result;
  for (const std::uint32_t part : state)
    for (int i = 0; i < 4; ++i) {
      const std::uint32_t byte = part >> (i * 8) & 0xff;
      result += kHex[byte >> 4];
      result += kHex[byte & 15];
    }
  return result;
}

}  // namespace txscope::sql
