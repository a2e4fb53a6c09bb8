#include "model/sql/parse_value.h"

#include <array>
#include <cstdint>
#include <limits>

namespace txscope::sql {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' ||
         c == '\v';
}

std::string_view trimmed(std::string_view s) {
  while (!s.empty() && is_space(s.front())) s.remove_prefix(1);
  while (!s.empty() && is_space(s.back())) s.remove_suffix(1);
  return s;
}

/// Takes a sign from the front; true if it was a minus.
bool take_sign(std::string_view& s) {
  if (s.empty() || (s[0] != '-' && s[0] != '+')) return false;
  const bool is_negative = s[0] == '-';
  s.remove_prefix(1);
  return is_negative;
}

std::optional<std::int64_t> parse_integer(std::string_view s) {
  const bool is_negative = take_sign(s);
  if (s.empty()) return std::nullopt;
  std::int64_t value = 0;  // negative, as its range is the larger one
  for (const char c : s) {
    if (!is_digit(c) || __builtin_mul_overflow(value, 10, &value) ||
        __builtin_sub_overflow(value, c - '0', &value)) {
      return std::nullopt;
    }
  }
  if (is_negative) return value;
  if (value == std::numeric_limits<std::int64_t>::min()) return std::nullopt;
  return -value;
}

constexpr int kMostDigits = 38;

std::optional<Value> parse_numeric(std::string_view s) {
  const bool is_negative = take_sign(s);
  std::string_view mantissa = s;
  std::int64_t exponent = 0;
  if (const auto e = s.find_first_of("eE"); e != std::string_view::npos) {
    const auto parsed = parse_integer(s.substr(e + 1));
    if (!parsed || *parsed > 1000 || *parsed < -1000) return std::nullopt;
    exponent = *parsed;
    mantissa = s.substr(0, e);
  }
  Int128 digits = 0;
  std::int64_t scale = 0;
  int count = 0;  // of significant digits
  bool has_digit = false;
  bool has_point = false;
  const auto append = [&](int digit) {
    if (count > 0 || digit != 0) ++count;
    if (count > kMostDigits) return false;
    digits = digits * 10 + digit;
    return true;
  };
  for (const char c : mantissa) {
    if (c == '.' && !has_point) {
      has_point = true;
      continue;
    }
    if (!is_digit(c) || !append(c - '0')) return std::nullopt;
    has_digit = true;
    if (has_point) ++scale;
  }
  if (!has_digit) return std::nullopt;
  scale -= exponent;
  for (; scale < 0; ++scale) {
    if (!append(0)) return std::nullopt;
  }
  if (scale > kMostDigits) return std::nullopt;
  return Value::numeric(is_negative ? -digits : digits,
                        static_cast<unsigned>(scale));
}

std::optional<Value> parse_boolean(std::string_view s) {
  std::array<char, 5> lower{};
  if (s.empty() || s.size() > lower.size()) return std::nullopt;
  for (std::size_t i = 0; i < s.size(); ++i) {
    lower[i] = s[i] >= 'A' && s[i] <= 'Z' ? static_cast<char>(s[i] + 32) : s[i];
  }
  const std::string_view word(lower.data(), s.size());
  const auto is_prefix_of = [word](std::string_view whole) {
    return whole.starts_with(word);
  };
  if (is_prefix_of("true") || is_prefix_of("yes") || word == "on" ||
      word == "1") {
    return Value::boolean(true);
  }
  if (is_prefix_of("false") || is_prefix_of("no") || word == "of" ||
      word == "off" || word == "0") {
    return Value::boolean(false);
  }
  return std::nullopt;
}

/// Takes a number of `least` to `most` digits from the front; -1: there is
/// none.
int take_number(std::string_view& s, std::size_t least, std::size_t most) {
  std::size_t n = 0;
  int value = 0;
  while (n < s.size() && n < most && is_digit(s[n])) {
    value = value * 10 + (s[n++] - '0');
  }
  if (n < least) return -1;
  s.remove_prefix(n);
  return value;
}

bool take(std::string_view& s, char c) {
  if (s.empty() || s[0] != c) return false;
  s.remove_prefix(1);
  return true;
}

int days_in_month(int year, int month) {
  constexpr std::array<int, 12> kDays = {31, 28, 31, 30, 31, 30,
                                         31, 31, 30, 31, 30, 31};
  const bool is_leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  return month == 2 && is_leap ? 29
                               : kDays[static_cast<std::size_t>(month - 1)];
}

/// Days since 2000-01-01 (Howard Hinnant, "chrono-Compatible Low-Level Date
/// Algorithms", 2013).
std::int64_t days_from(int year, int month, int day) {
  const int y = month <= 2 ? year - 1 : year;
  const std::int64_t era = y / 400;
  const std::int64_t yoe = y - era * 400;
  const std::int64_t doy =
      (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  const std::int64_t doe = yoe * 365 + yoe / 4 - yoe / 100 + doy;
  return era * 146097 + doe - 730425;
}

std::optional<std::int64_t> take_date(std::string_view& s) {
  const int year = take_number(s, 4, 4);
  if (year < 1 || !take(s, '-')) return std::nullopt;
  const int month = take_number(s, 1, 2);
  if (month < 1 || month > 12 || !take(s, '-')) return std::nullopt;
  const int day = take_number(s, 1, 2);
  if (day < 1 || day > days_in_month(year, month)) return std::nullopt;
  return days_from(year, month, day);
}

/// Microseconds of the day.
std::optional<std::int64_t> parse_time(std::string_view s) {
  const int hour = take_number(s, 1, 2);
  if (hour < 0 || hour > 23 || !take(s, ':')) return std::nullopt;
  const int minute = take_number(s, 2, 2);
  if (minute < 0 || minute > 59) return std::nullopt;
  int second = 0;
  std::int64_t micros = 0;
  if (take(s, ':')) {
    second = take_number(s, 2, 2);
    if (second < 0 || second > 59) return std::nullopt;
    if (take(s, '.')) {
      const std::size_t before = s.size();
      micros = take_number(s, 1, 6);
      if (micros < 0) return std::nullopt;
      for (std::size_t n = before - s.size(); n < 6; ++n) micros *= 10;
    }
  }
  if (!s.empty()) return std::nullopt;
  return ((hour * 60 + minute) * 60 + second) * std::int64_t{1'000'000} +
         micros;
}

std::optional<Value> parse_timestamp(std::string_view s) {
  constexpr std::int64_t kDay = 86'400'000'000;
  const auto days = take_date(s);
  if (!days) return std::nullopt;
  if (s.empty()) return Value::timestamp(*days * kDay);
  if (!is_space(s[0]) && s[0] != 'T') return std::nullopt;
  s.remove_prefix(1);
  const auto time = parse_time(trimmed(s));
  if (!time) return std::nullopt;
  return Value::timestamp(*days * kDay + *time);
}

}  // namespace

bool fits(std::int64_t value, TypeName type) {
  switch (type) {
    case TypeName::SmallInt:
      return value >= std::numeric_limits<std::int16_t>::min() &&
             value <= std::numeric_limits<std::int16_t>::max();
    case TypeName::Integer:
      return value >= std::numeric_limits<std::int32_t>::min() &&
             value <= std::numeric_limits<std::int32_t>::max();
    default: return true;
  }
}

std::optional<Value> parse_value(std::string_view text, TypeName type) {
  const std::string_view s = trimmed(text);
  switch (type) {
    case TypeName::Text:
    case TypeName::Varchar: return Value::text(text);
    case TypeName::SmallInt:
    case TypeName::Integer:
    case TypeName::BigInt: {
      const auto value = parse_integer(s);
      if (!value || !fits(*value, type)) return std::nullopt;
      return Value::integer(*value);
    }
    case TypeName::Numeric: return parse_numeric(s);
    case TypeName::Boolean: return parse_boolean(s);
    case TypeName::Date: {
      std::string_view rest = s;
      const auto days = take_date(rest);
      if (!days || !rest.empty()) return std::nullopt;
      return Value::date(*days);
    }
    case TypeName::Timestamp: return parse_timestamp(s);
    case TypeName::Unknown:
    case TypeName::Void: break;
  }
  return std::nullopt;
}

}  // namespace txscope::sql
