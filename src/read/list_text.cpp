#include "read/list_text.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace txscope::read {
namespace {

constexpr std::size_t kLongestList = std::size_t{1} << 16;
constexpr std::size_t kAllLists = std::size_t{1} << 25;

// How many bytes at two places are the same, of at most `size`.
std::size_t common_length(const char* a, const char* b, std::size_t size) {
  std::size_t i = 0;
  for (; i + 32 <= size; i += 32) {
    std::uint64_t x[4];
    std::uint64_t y[4];
    std::memcpy(x, a + i, 32);
    std::memcpy(y, b + i, 32);
    if (((x[0] ^ y[0]) | (x[1] ^ y[1]) | (x[2] ^ y[2]) | (x[3] ^ y[3])) != 0)
      break;
  }
  for (; i + 8 <= size; i += 8) {
    std::uint64_t x = 0;
    std::uint64_t y = 0;
    std::memcpy(&x, a + i, 8);
    std::memcpy(&y, b + i, 8);
    if (x != y)
      return i + static_cast<std::size_t>(std::countr_zero(x ^ y)) / 8;
  }
  while (i < size && a[i] == b[i]) ++i;
  return i;
}

}  // namespace

ListText::Known ListText::beginning_of(std::string_view text) const {
  const std::size_t same = common_length(text.data(), text_.data(),
                                         std::min(text.size(), text_.size()));
  if (same == text.size()) return {};
  if (text[same] != ']')
    return same < text_.size() ? Known{} : Known{same, ends_.size(), false};
  if (same == 0) return {0, 0, true};
  const auto end = std::lower_bound(ends_.begin(), ends_.end(), same);
  if (end == ends_.end() || *end != same) return {};
  return {same, static_cast<std::size_t>(end - ends_.begin()) + 1, true};
}

const ListText& ListTexts::of(KeyId key) {
  if (lists_.size() <= key.index) lists_.resize(key.index + std::size_t{1});
  return lists_[key.index];
}

void ListTexts::learn(KeyId key, std::string_view rest,
                      std::span<const std::uint32_t> ends) {
  ListText& known = lists_[key.index];
  if (rest.empty() || known.text_.size() + rest.size() > kLongestList ||
      bytes_ + rest.size() > kAllLists)
    return;
  const auto before = static_cast<std::uint32_t>(known.text_.size());
  known.text_ += rest;
  bytes_ += rest.size();
  for (const std::uint32_t end : ends) known.ends_.push_back(before + end);
}

}  // namespace txscope::read
