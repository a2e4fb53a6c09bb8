#pragma once

#include <cstdint>

namespace txscope {

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

}  // namespace txscope
