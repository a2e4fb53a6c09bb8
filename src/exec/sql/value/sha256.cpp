#include "exec/sql/value/sha256.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

namespace txscope::sql {
namespace {

using Words = std::array<std::uint32_t, 64>;

/// The first 32 bits of the fractions of roots of the first primes (FIPS 180-4,
/// 4.2.2 and 5.3.3): an extended double has enough of them.
Words fractions(bool are_cubic) {
  Words all{};
  std::size_t count = 0;
  for (int n = 2; count < all.size(); ++n) {
    bool is_prime = true;
    for (int d = 2; d * d <= n; ++d) is_prime &= n % d != 0;
    if (!is_prime) continue;
    const long double root = are_cubic ? std::cbrt(static_cast<long double>(n))
                                       : std::sqrt(static_cast<long double>(n));
    const long double part = root - std::floor(root);
    all[count++] = static_cast<std::uint32_t>(part * 4294967296.0L);
  }
  return all;
}

void add_block(const unsigned char* block, const Words& constants,
               std::array<std::uint32_t, 8>& hash) {
  Words w{};
  for (std::size_t i = 0; i < 16; ++i)
    w[i] = static_cast<std::uint32_t>(block[4 * i]) << 24 |
           static_cast<std::uint32_t>(block[4 * i + 1]) << 16 |
           static_cast<std::uint32_t>(block[4 * i + 2]) << 8 |
           static_cast<std::uint32_t>(block[4 * i + 3]);
  for (std::size_t i = 16; i < w.size(); ++i) {
    const std::uint32_t a = w[i - 15];
    const std::uint32_t b = w[i - 2];
    w[i] = w[i - 16] + (std::rotr(a, 7) ^ std::rotr(a, 18) ^ (a >> 3)) +
           w[i - 7] + (std::rotr(b, 17) ^ std::rotr(b, 19) ^ (b >> 10));
  }
  auto [a, b, c, d, e, f, g, h] = hash;
  for (std::size_t i = 0; i < w.size(); ++i) {
    const std::uint32_t first =
        h + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) +
        ((e & f) ^ (~e & g)) + constants[i] + w[i];
    const std::uint32_t second =
        (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) +
        ((a & b) ^ (a & c) ^ (b & c));
    h = g;
    g = f;
    f = e;
    e = d + first;
    d = c;
    c = b;
    b = a;
    a = first + second;
  }
  const std::array<std::uint32_t, 8> now = {a, b, c, d, e, f, g, h};
  for (std::size_t i = 0; i < hash.size(); ++i) hash[i] += now[i];
}

using Hash = std::array<std::uint32_t, 8>;

std::string hashed(std::string_view text, Hash hash) {
  static const Words constants = fractions(true);
  std::string padded(text);
  padded += '\x80';
  while (padded.size() % 64 != 56) padded += '\0';
  const std::uint64_t bits = std::uint64_t{text.size()} * 8;
  for (int shift = 56; shift >= 0; shift -= 8)
    padded += static_cast<char>(bits >> shift & 0xff);
  for (std::size_t i = 0; i < padded.size(); i += 64)
    add_block(reinterpret_cast<const unsigned char*>(padded.data()) + i,
              constants, hash);
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string digits;
  for (const std::uint32_t word : hash)
    for (int shift = 28; shift >= 0; shift -= 4)
      digits += kDigits[word >> shift & 15];
  return digits;
}

}  // namespace

std::string sha256(std::string_view text) {
  static const Words start = fractions(false);
  Hash hash{};
  for (std::size_t i = 0; i < hash.size(); ++i) hash[i] = start[i];
  return hashed(text, hash);
}

std::string sha224(std::string_view text) {
  constexpr Hash kStart = {0xc1059ed8, 0x367cd507, 0x3070dd17, 0xf70e5939,
                           0xffc00b31, 0x68581511, 0x64f98fa7, 0xbefa4fa4};
  return hashed(text, kStart).substr(0, 56);
}

}  // namespace txscope::sql
