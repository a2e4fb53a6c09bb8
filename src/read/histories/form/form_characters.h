#pragma once

#include <array>
#include <cstdint>

namespace txscope::read {

inline constexpr std::uint8_t kFormBlank = 1;  // white space and the comma
inline constexpr std::uint8_t kDelimiter = 2;  // ends a token

inline constexpr std::array<std::uint8_t, 256> kFormClass = [] {
  std::array<std::uint8_t, 256> table{};
  for (const char c : {' ', '\t', '\n', '\r', '\f', '\v', ','})
    table[static_cast<unsigned char>(c)] = kFormBlank | kDelimiter;
  for (const char c : {'(', ')', '[', ']', '{', '}', '"', ';'})
    table[static_cast<unsigned char>(c)] = kDelimiter;
  return table;
}();

constexpr bool is_form_blank(char c) {
  return (kFormClass[static_cast<unsigned char>(c)] & kFormBlank) != 0;
}
constexpr bool is_delimiter(char c) {
  return (kFormClass[static_cast<unsigned char>(c)] & kDelimiter) != 0;
}

}  // namespace txscope::read
