#include "report/page/char_width.h"

#include <algorithm>
#include <array>

#include "base/printable.h"
#include "report/page/lanes.h"

namespace txscope::report {
namespace {

struct Range {
  std::uint32_t first, last;
};

// Blocks rather than single characters: ascending.
constexpr std::array<Range, 18> kWide = {{
    {0x1100, 0x115f},    // Hangul initials
    {0x231a, 0x231b},    // watches
    {0x2e80, 0x303e},    // radicals, punctuation
    {0x3041, 0x33ff},    // kana, Bopomofo, squared words
    {0x3400, 0x4dbf},    // ideographs, extension A
    {0x4e00, 0x9fff},    // ideographs
    {0xa000, 0xa4cf},    // Yi
    {0xa960, 0xa97f},    // Hangul initials, extended
    {0xac00, 0xd7a3},    // Hangul syllables
    {0xf900, 0xfaff},    // compatibility ideographs
    {0xfe30, 0xfe6f},    // compatibility and small forms
    {0xff00, 0xff60},    // fullwidth forms
    {0xffe0, 0xffe6},    // fullwidth signs
    {0x17000, 0x18cff},  // Tangut
    {0x1f300, 0x1f64f},  // pictures, faces
    {0x1f680, 0x1f6ff},  // transport
    {0x1f900, 0x1f9ff},  // more pictures
    {0x20000, 0x3fffd},  // ideographs, further planes
}};
constexpr std::array<Range, 7> kCombining = {{
    {0x0300, 0x036f},
    {0x0483, 0x0489},
    {0x1ab0, 0x1aff},
    {0x200b, 0x200f},  // zero width space, joiners, marks
    {0x20d0, 0x20ff},
    {0xfe00, 0xfe0f},  // variation selectors
    {0xfe20, 0xfe2f},
}};

bool is_in(std::uint32_t c, const auto& ranges) {
  const auto place = std::lower_bound(
      ranges.begin(), ranges.end(), c,
      [](const Range& r, std::uint32_t x) { return r.last < x; });
  return place != ranges.end() && place->first <= c;
}

std::size_t columns_of(std::uint32_t c) {
  if (c < 0x300) return 1;
  if (is_in(c, kCombining)) return 0;
  return is_in(c, kWide) ? 2 : 1;
}

}  // namespace

CharWidth first_char(std::string_view text) {
  if (text.empty()) return {};
  const auto byte = [&](std::size_t i) {
    return static_cast<std::uint32_t>(static_cast<unsigned char>(text[i]));
  };
  const std::uint32_t head = byte(0);
  if ((head >= 0x20 && head < 0x7f) || text[0] == kHardSpace) return {1, 1};
  if (const Escape escape = escape_of(text); escape.bytes > 0)
    return {escape.bytes, escape.shown.size()};
  const std::size_t length = head < 0xc0   ? 1
                             : head < 0xe0 ? 2
                             : head < 0xf0 ? 3
                                           : 4;
  if (length == 1) return {1, head < 0x80 ? 1u : 0u};  // half of a character
  std::uint32_t c = head & (0x7fu >> length);
  std::size_t bytes = 1;
  for (; bytes < length && bytes < text.size() && (byte(bytes) & 0xc0) == 0x80;
       ++bytes)
    c = (c << 6) | (byte(bytes) & 0x3f);
  return {bytes, bytes == length ? columns_of(c) : 1};
}

std::size_t bytes_within(std::string_view text, std::size_t columns) {
  std::size_t bytes = 0;
  while (bytes < text.size()) {
    const CharWidth next = first_char(text.substr(bytes));
    if (next.columns > columns) break;
    columns -= next.columns;
    bytes += next.bytes;
  }
  return bytes;
}

}  // namespace txscope::report
