#include "base/printable.h"

#include <algorithm>

namespace txscope {
namespace {

// U+200E, U+200F, U+202A..E, U+2066..9: what follows would be shown elsewhere.
bool turns_direction(std::string_view character) {
  if (!character.starts_with("\xe2") || character.size() < 3) return false;
  const auto second = static_cast<unsigned char>(character[1]);
  const auto third = static_cast<unsigned char>(character[2]);
  if (second == 0x81) return third >= 0xa6 && third <= 0xa9;
  return second == 0x80 &&
         (third == 0x8e || third == 0x8f || (third >= 0xaa && third <= 0xae));
}

constexpr std::string_view kDigits = "0123456789abcdef";

std::string hexadecimal(unsigned char c) {
  return {'\\', 'x', kDigits[c >> 4], kDigits[c & 15]};
}

}  // namespace

Escape escape_of(std::string_view text) {
  const auto byte = [&](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0xffu;
  };
  if (turns_direction(text.substr(0, 3))) {
    const char* row = byte(1) == 0x80 ? (byte(2) < 0xa0 ? "0" : "2") : "6";
    return {3, "\\u20" + std::string(row) + kDigits[byte(2) & 15]};
  }
  if (byte(0) == 0xc2 && byte(1) < 0xa0)
    return {2, hexadecimal(static_cast<unsigned char>(byte(1)))};
  const bool is_layout = byte(0) == '\n' || byte(0) == '\t';
  if (!is_layout && (byte(0) < 0x20 || byte(0) == 0x7f))
    return {1, hexadecimal(static_cast<unsigned char>(byte(0)))};
  return {};
}

std::string printable(std::string text, Lines lines) {
  const auto is_plain = [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte >= 0x20 && byte < 0x7f;
  };
  if (std::all_of(text.begin(), text.end(), is_plain)) return text;
  std::string safe;
  safe.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (is_plain(c)) {
      safe += c;
    } else if (c == '\n' || c == '\t') {
      if (lines == Lines::Keep)
        safe += c;
      else
        safe += c == '\n' ? "\\n" : "\\t";
    } else if (const Escape escape =
                   escape_of(std::string_view(text).substr(i));
               escape.bytes > 0) {
      safe += escape.shown;
      i += escape.bytes - 1;
    } else {
      safe += c;
    }
  }
  return safe;
}

}  // namespace txscope
