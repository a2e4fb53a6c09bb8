#include "read/utf8.h"

#include <algorithm>

namespace txscope::utf8 {
namespace {

struct Sequence {
  std::size_t size;         // 0: no character begins with this byte
  unsigned char low, high;  // bounds of the second byte
};

constexpr Sequence sequence_of(unsigned char first) {
  if (first < 0x80) return {1, 0, 0};
  if (first < 0xc2) return {0, 0, 0};
  if (first < 0xe0) return {2, 0x80, 0xbf};
  if (first == 0xe0) return {3, 0xa0, 0xbf};
  if (first == 0xed) return {3, 0x80, 0x9f};
  if (first < 0xf0) return {3, 0x80, 0xbf};
  if (first == 0xf0) return {4, 0x90, 0xbf};
  if (first < 0xf4) return {4, 0x80, 0xbf};
  if (first == 0xf4) return {4, 0x80, 0x8f};
  return {0, 0, 0};
}

}  // namespace

std::size_t valid_prefix(std::string_view text) {
  std::size_t i = 0;
  while (i < text.size()) {
    const Sequence s = sequence_of(static_cast<unsigned char>(text[i]));
    if (s.size == 0 || i + s.size > text.size()) return i;
    for (std::size_t k = 1; k < s.size; ++k) {
      const auto byte = static_cast<unsigned char>(text[i + k]);
      const unsigned char low = k == 1 ? s.low : 0x80;
      const unsigned char high = k == 1 ? s.high : 0xbf;
      if (byte < low || byte > high) return i;
    }
    i += s.size;
  }
  return i;
}

std::size_t without_cut_tail(std::string_view text) {
  for (std::size_t back = 1; back <= std::min<std::size_t>(3, text.size());
       ++back) {
    const char c = text[text.size() - back];
    if (is_continuation(c)) continue;
    const Sequence s = sequence_of(static_cast<unsigned char>(c));
    return s.size > back ? text.size() - back : text.size();
  }
  return text.size();
}

std::size_t length(std::string_view text) {
  return text.size() - static_cast<std::size_t>(std::count_if(
                           text.begin(), text.end(), is_continuation));
}

}  // namespace txscope::utf8
