#include "verify/sql/text_order.h"

#include <cassert>
#include <iterator>

namespace txscope::sql {
namespace {

/// A code of numbers from 0 on by the characters from `first` to `last` such
/// that larger numbers have larger codes: one character, or the last one, which
/// says that two follow, and so on.
std::string code(std::int64_t number, char first, char last) {
  const std::int64_t base = last - first;
  std::string prefix;
  std::int64_t size = base;
  std::size_t length = 1;
  while (number >= size) {
    number -= size;
    size *= base;
    ++length;
    prefix += last;
  }
  std::string digits(length, first);
  for (std::size_t i = length; i-- > 0; number /= base)
    digits[i] = static_cast<char>(first + number % base);
  return prefix + digits;
}

}  // namespace

std::int64_t TextOrder::number(const Value& text) {
  const auto [place, is_new] = numbers_.try_emplace(text.text(), 0);
  if (!is_new) return place->second;
  const auto after = std::next(place);
  const bool is_first = place == numbers_.begin();
  const bool is_last = after == numbers_.end();
  std::int64_t& number = place->second;
  if (!is_first && !is_last)
    number = std::prev(place)->second +
             (after->second - std::prev(place)->second) / 2;
  else if (!is_first)
    number = std::prev(place)->second + kStep;
  else if (!is_last)
    number = after->second - kStep;
  texts_.emplace(number, text.text());
  return number;
}

Value TextOrder::text(std::int64_t number) const {
  const auto after = texts_.lower_bound(number);
  if (after != texts_.end() && after->first == number)
    return Value::text(after->second);
  const bool has_before = after != texts_.begin();
  if (!has_before && after != texts_.end()) {
    // Below all: digits come before letters.
    return Value::text(code(kMost + number, '0', '9'));
  }
  const std::string before = has_before ? std::prev(after)->second : "";
  const std::int64_t from = has_before ? std::prev(after)->first : -kMost;
  const std::int64_t steps = number - from - (has_before ? 1 : 0);
  for (const auto& [first, last] :
       {std::pair{'a', 'z'}, std::pair{'0', '9'}, std::pair{'!', '/'}}) {
    // One alphabet for the whole gap: the last character begins the largest.
    if (after == texts_.end() || before + std::string(16, last) < after->second)
      return Value::text(before + code(steps, first, last));
  }
  return Value::text(before + code(steps, '\x01', '\x1f'));
}

}  // namespace txscope::sql
