#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace txscope::read {

[[nodiscard]] constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
/// Within a line.
[[nodiscard]] constexpr bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r';
}

enum class Scanned : std::uint8_t { Ok, NoDigits, TooLarge };

/// A decimal number at p, which is moved behind it.  The text formats are
/// mostly such numbers, so this is their inner loop (bench/read.cpp).
inline Scanned scan_uint(const char*& p, const char* end,
                         std::uint64_t& value) {
  const char* const first = p;
  const char* const sure = end - p > 19 ? p + 19 : end;  // 19 digits always fit
  std::uint64_t v = 0;
  for (; p != sure; ++p) {
    const auto digit = static_cast<unsigned char>(*p - '0');
    if (digit > 9) break;
    v = v * 10 + digit;
  }
  for (; p - first >= 19 && p != end && is_digit(*p); ++p) {
    const auto digit = static_cast<unsigned char>(*p - '0');
    if (p - first > 19 || v > (UINT64_MAX - digit) / 10)
      return Scanned::TooLarge;
    v = v * 10 + digit;
  }
  value = v;
  return p == first ? Scanned::NoDigits : Scanned::Ok;
}

/// So many bytes from p on scan_short_uint() looks at.
constexpr std::size_t kShortUintBytes = 8;

/// The same of up to seven digits, all at once: no branch depends on how many
/// there are, which nobody can foresee.  The bytes from p on must be there.
/// False, and p where it was, if it is no such number.
inline bool scan_short_uint(const char*& p, std::uint64_t& value) {
  static_assert(std::endian::native == std::endian::little,
                "the first digit is in the lowest byte");
  constexpr std::uint64_t kEach = 0x0101010101010101ull;
  std::uint64_t digits = 0;
  std::memcpy(&digits, p, kShortUintBytes);
  digits ^= kEach * '0';
  // Adding 0x76 carries into the highest bit from 10 on.  What this does to
  // bytes behind the first such one does not matter.
  const std::uint64_t others =
      (digits | (digits + kEach * 0x76)) & kEach * 0x80;
  if (others == 0) return false;
  const int count = std::countr_zero(others) / 8;
  if (count == 0) return false;
  digits <<= 64 - 8 * count;             // the others become zeros in front
  digits = digits * 10 + (digits >> 8);  // every second byte: two digits
  constexpr std::uint64_t kPairs = 0x000000ff000000ffull;
  constexpr std::uint64_t kFirst = 100 + (std::uint64_t{1'000'000} << 32);
  constexpr std::uint64_t kSecond = 1 + (std::uint64_t{10'000} << 32);
  value =
      (((digits & kPairs) * kFirst) + (((digits >> 16) & kPairs) * kSecond)) >>
      32;
  p += count;
  return true;
}

}  // namespace txscope::read
