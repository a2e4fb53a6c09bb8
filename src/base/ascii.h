#pragma once

#include <algorithm>
#include <string>
#include <string_view>

/// Characters of ASCII, whatever the locale says of others: no keyword of a
/// language that we read has any.
namespace txscope::ascii {

[[nodiscard]] constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
[[nodiscard]] constexpr bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
[[nodiscard]] constexpr bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
[[nodiscard]] constexpr bool is_letter(char c) {
  return is_upper(c) || is_lower(c);
}
/// Line ends, too.
[[nodiscard]] constexpr bool is_space(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

[[nodiscard]] constexpr char lower(char c) {
  return is_upper(c) ? static_cast<char>(c + 32) : c;
}
[[nodiscard]] constexpr char upper(char c) {
  return is_lower(c) ? static_cast<char>(c - 32) : c;
}

[[nodiscard]] inline std::string lower(std::string_view text) {
  std::string all(text);
  for (char& c : all) c = lower(c);
  return all;
}
[[nodiscard]] inline std::string upper(std::string_view text) {
  std::string all(text);
  for (char& c : all) c = upper(c);
  return all;
}

/// The same but for capitals.
[[nodiscard]] inline bool is_same(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return lower(x) == lower(y); });
}

}  // namespace txscope::ascii
