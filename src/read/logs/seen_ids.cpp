#include "read/logs/seen_ids.h"

#include <charconv>
#include <iterator>

#include "base/ascii.h"

namespace txscope::logs {

bool SeenIds::add(std::string_view id) {
  constexpr std::size_t kMostDigits = 18;
  std::size_t digits = id.size();
  while (digits > 0 && ascii::is_digit(id[digits - 1])) --digits;
  const std::string_view number = id.substr(digits);
  const bool is_plain = !number.empty() && number.size() <= kMostDigits &&
                        (number == "0" || number[0] != '0');
  if (!is_plain)
    return others_.insert(std::hash<std::string_view>{}(id)).second;
  Number value = 0;
  std::from_chars(number.data(), number.data() + number.size(), value);
  auto ranges = numbered_.find(id.substr(0, digits));
  if (ranges == numbered_.end())
    ranges =
        numbered_.emplace(std::string(id.substr(0, digits)), Ranges()).first;
  return add_number(ranges->second, value);
}

bool SeenIds::add_number(Ranges& ranges, Number number) {
  const auto after = ranges.upper_bound(number);
  const bool touches_after =
      after != ranges.end() && after->first == number + 1;
  if (after != ranges.begin()) {
    const auto before = std::prev(after);
    if (number < before->second) return false;
    if (number == before->second) {
      before->second = touches_after ? after->second : number + 1;
      if (touches_after) ranges.erase(after);
      return true;
    }
  }
  const Number end = touches_after ? after->second : number + 1;
  if (touches_after) ranges.erase(after);
  ranges.emplace(number, end);
  return true;
}

}  // namespace txscope::logs
