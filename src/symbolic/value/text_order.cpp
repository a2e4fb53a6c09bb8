#include "symbolic/value/text_order.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "exec/sql/value/cast.h"
#include "exec/sql/value/compare.h"

namespace txscope::symbolic {
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

std::int64_t TextOrder::number(const sql::Value& written) {
  // Texts that SQL holds equal have one number.
  const sql::Value text = sql::canonical(written);
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

namespace {

constexpr std::pair<char, char> kAlphabets[] = {
    {'a', 'z'}, {'A', 'Z'}, {'0', '9'}, {'!', '/'}, {'\x01', '\x1f'}};

/// What texts of a gap begin with, and the characters that follow.
struct Beginning {
  std::string prefix;
  char first;
  char last;
};

/// The shortest one that leaves two characters at least: whatever follows, the
/// texts are behind `before` (none: any) and before `after` (none: any).
Beginning beginning(const std::string* before, const std::string* after) {
  const std::string low = before != nullptr ? *before : "";
  for (std::size_t n = 0; n <= low.size(); ++n) {
    const std::string prefix = low.substr(0, n);
    // n characters are those of `before`; the next one is larger than its own.
    const char least = n < low.size() ? low[n] : '\0';
    const bool is_bounded = after != nullptr && after->starts_with(prefix);
    const char most = is_bounded ? static_cast<char>((*after)[n] - 1) : '\x7e';
    if (least < 0 || (is_bounded && (*after)[n] <= 0)) continue;
    for (const auto& [first, last] : kAlphabets) {
      const char from = std::max(first, static_cast<char>(least + 1));
      const char to = std::min(last, most);
      if (from < to) return {prefix, from, to};
    }
  }
  return {low, '\x01', '\x1f'};
}

}  // namespace

/// Texts near the ends of gaps are short, as people's are.
sql::Value TextOrder::text(std::int64_t number) const {
  const auto after = texts_.lower_bound(number);
  if (after != texts_.end() && after->first == number)
    return sql::Value::text(after->second);
  const bool has_before = after != texts_.begin();
  const bool has_after = after != texts_.end();
  const std::string* const low =
      has_before ? &std::prev(after)->second : nullptr;
  if (has_before || (!has_after && number >= 0)) {
    const std::int64_t from = has_before ? std::prev(after)->first + 1 : 0;
    const Beginning with = beginning(low, has_after ? &after->second : nullptr);
    return sql::Value::text(with.prefix +
                            code(number - from, with.first, with.last));
  }
  // Below all: the further, the smaller.
  static const std::string kLetters = "a";
  const Beginning with =
      beginning(nullptr, has_after ? &after->second : &kLetters);
  const std::int64_t to = has_after ? after->first - 1 : -1;
  std::string text = code(to - number, with.first, with.last);
  for (char& c : text) c = static_cast<char>(with.first + with.last - c);
  return sql::Value::text(with.prefix + text);
}

sql::Value uuid_of(std::int64_t number) {
  sql::Halt halt;
  return cast(sql::Value::integer(number), {sql::TypeName::Uuid, 0, 0},
              sql::CastContext::Explicit, halt);
}

std::size_t TextOrder::shortest(const std::string& before,
                                const std::string& after) {
  const auto is_plain = [](const std::string& text) {
    return std::all_of(text.begin(), text.end(), [](char c) { return c > 0; });
  };
  if (!is_plain(before) || !is_plain(after)) return 0;
  for (std::size_t n = 0; n <= before.size(); ++n) {
    const std::string prefix = before.substr(0, n);
    const int least = n < before.size() ? before[n] : 0;
    if (!after.starts_with(prefix)) return n + 1;
    // The character of `after` itself, if more of it follows.
    const int most = after[n] - (after.size() > n + 1 ? 0 : 1);
    if (least < most) return n + 1;
  }
  return before.size() + 1;
}

}  // namespace txscope::symbolic
