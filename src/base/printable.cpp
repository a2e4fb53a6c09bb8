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

}  // namespace

std::string printable(std::string text, Lines lines) {
  const auto is_plain = [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte >= 0x20 && byte < 0x7f;
  };
  if (std::all_of(text.begin(), text.end(), is_plain)) return text;
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string safe;
  safe.reserve(text.size());
  const auto escape = [&](unsigned char c) {
    safe += "\\x";
    safe += kDigits[c >> 4];
    safe += kDigits[c & 15];
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    const bool is_c1 = c == 0xc2 && i + 1 < text.size() &&
                       static_cast<unsigned char>(text[i + 1]) < 0xa0;
    if (turns_direction(std::string_view(text).substr(i, 3))) {
      safe += "\\u20";
      safe += text[i + 1] == '\x80' ? (text[i + 2] < '\xa0' ? "0" : "2") : "6";
      safe += kDigits[static_cast<unsigned char>(text[i + 2]) & 15];
      i += 2;
    } else if (is_c1) {
      escape(static_cast<unsigned char>(text[++i]));
    } else if (c == '\n' || c == '\t') {
      if (lines == Lines::Keep)
        safe += text[i];
      else
        safe += c == '\n' ? "\\n" : "\\t";
    } else if (c < 0x20 || c == 0x7f) {
      escape(c);
    } else {
      safe += text[i];
    }
  }
  return safe;
}

}  // namespace txscope
