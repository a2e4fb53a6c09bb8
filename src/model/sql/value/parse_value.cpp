#include "model/sql/value/parse_value.h"

#include <array>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string>
#include <vector>

#include "base/ascii.h"
#include "model/sql/value/calendar.h"
#include "model/sql/value/composite.h"
#include "model/sql/value/enumeration.h"
#include "model/sql/value/interval.h"
#include "model/sql/value/json.h"
#include "model/sql/value/range.h"

namespace txscope::sql {
namespace {

std::string_view trimmed(std::string_view s) {
  while (!s.empty() && ascii::is_space(s.front())) s.remove_prefix(1);
  while (!s.empty() && ascii::is_space(s.back())) s.remove_suffix(1);
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
    if (!ascii::is_digit(c) || __builtin_mul_overflow(value, 10, &value) ||
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
    if (!ascii::is_digit(c) || !append(c - '0')) return std::nullopt;
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
    lower[i] = ascii::lower(s[i]);
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
  while (n < s.size() && n < most && ascii::is_digit(s[n])) {
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

/// 1/31/2020: month, day and year, as the setting DateStyle begins.
std::optional<std::int64_t> take_american_date(std::string_view& s) {
  const int month = take_number(s, 1, 2);
  const char mark = s.starts_with('/') ? '/' : '-';
  if (month < 1 || month > 12 || !take(s, mark)) return std::nullopt;
  const int day = take_number(s, 1, 2);
  if (day < 1 || !take(s, mark)) return std::nullopt;
  const int year = take_number(s, 4, 4);
  if (year < 1 || day > days_in_month(year, month)) return std::nullopt;
  return days_from(year, month, day);
}

std::optional<std::int64_t> take_date(std::string_view& s) {
  const std::size_t mark_at = s.find_first_of("/-");
  if (mark_at == 1 || mark_at == 2) return take_american_date(s);
  const int year = take_number(s, 4, 4);
  const char mark = s.starts_with('/') ? '/' : '-';
  if (year < 1 || !take(s, mark)) return std::nullopt;
  const int month = take_number(s, 1, 2);
  if (month < 1 || month > 12 || !take(s, mark)) return std::nullopt;
  const int day = take_number(s, 1, 2);
  if (day < 1 || day > days_in_month(year, month)) return std::nullopt;
  return days_from(year, month, day);
}

/// Microseconds of the day.
std::optional<std::int64_t> take_clock(std::string_view& s) {
  const int hour = take_number(s, 1, 2);
  if (hour < 0 || hour > 24 || !take(s, ':')) return std::nullopt;
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
  const std::int64_t all =
      ((hour * 60 + minute) * 60 + second) * kMicrosPerSecond + micros;
  if (all > kMicrosPerDay) return std::nullopt;
  return all;
}

/// +02, -07:30, Z, UTC: what has to be added to get UTC.
std::optional<std::int64_t> take_zone(std::string_view& s) {
  if (s.starts_with("UTC") || s.starts_with("utc") || s.starts_with("GMT")) {
    s.remove_prefix(3);
    return 0;
  }
  if (take(s, 'Z') || take(s, 'z')) return 0;
  if (s.empty() || (s[0] != '+' && s[0] != '-')) return std::nullopt;
  const bool is_negative = take_sign(s);
  const int hours = take_number(s, 1, 2);
  if (hours < 0 || hours > 15) return std::nullopt;
  (void)take(s, ':');
  const int minutes = s.empty() ? 0 : take_number(s, 2, 2);
  if (minutes < 0 || minutes > 59) return std::nullopt;
  const std::int64_t offset = (hours * 60 + minutes) * 60 * kMicrosPerSecond;
  return is_negative ? offset : -offset;
}

/// 09:50 PM: twelve hours later, but for those past noon.  False: no hour is
/// called so.
bool take_half_of_day(std::string_view& s, std::int64_t& time) {
  constexpr std::int64_t kHour = 3600 * kMicrosPerSecond;
  const auto is = [&](char first) {
    return s.size() >= 2 && (s[0] | ' ') == first && (s[1] | ' ') == 'm' &&
           (s.size() == 2 || s[2] == ' ' || s[2] == '+' || s[2] == '-');
  };
  if (!is('a') && !is('p')) return true;
  const bool is_past_noon = is('p');
  s = trimmed(s.substr(2));
  if (time >= 13 * kHour) return false;
  time %= 12 * kHour;
  if (is_past_noon) time += 12 * kHour;
  return true;
}

/// A timestamp; its zone counts if `has_zone` and is ignored otherwise, as
/// PostgreSQL does it.
std::optional<std::int64_t> parse_timestamp(std::string_view s, bool has_zone) {
  const auto days = take_date(s);
  if (!days) return std::nullopt;
  std::int64_t result = *days * kMicrosPerDay;
  if (s.empty()) return result;
  if (!ascii::is_space(s[0]) && s[0] != 'T' && s[0] != 't') return std::nullopt;
  s.remove_prefix(1);
  s = trimmed(s);
  auto time = take_clock(s);
  if (!time) return std::nullopt;
  s = trimmed(s);
  if (!take_half_of_day(s, *time)) return std::nullopt;
  result += *time;
  if (s.empty()) return result;
  const auto offset = take_zone(s);
  if (!offset || !s.empty()) return std::nullopt;
  return has_zone ? result + *offset : result;
}

std::optional<Value> parse_time(std::string_view s) {
  const auto time = take_clock(s);
  if (!time || !s.empty()) return std::nullopt;
  return Value::time(*time);
}

std::optional<Value> parse_real(std::string_view s, bool is_single) {
  const std::string text(s);
  char* end = nullptr;
  if (text.empty() || text.find_first_of("xXpP") != std::string::npos)
    return std::nullopt;
  const double number = std::strtod(text.c_str(), &end);
  if (*end != 0) return std::nullopt;
  return Value::real(number, is_single);
}

bool is_hex(char c) {
  return ascii::is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}
std::optional<Value> parse_uuid(std::string_view s) {
  if (s.size() >= 2 && s.front() == '{' && s.back() == '}')
    s = s.substr(1, s.size() - 2);
  std::string digits;
  for (std::size_t i = 0; i < s.size(); ++i) {
    const bool is_dash = s[i] == '-' && digits.size() % 4 == 0 &&
                         !digits.empty() && i + 1 < s.size() && s[i - 1] != '-';
    if (is_dash) continue;
    if (!is_hex(s[i])) return std::nullopt;
    digits += ascii::lower(s[i]);
  }
  if (digits.size() != 32) return std::nullopt;
  for (const std::size_t at : {20u, 16u, 12u, 8u}) digits.insert(at, "-");
  return Value::text(digits);
}

/// \\x and pairs of hexadecimal digits; the other form only without escapes.
std::optional<Value> parse_bytes(std::string_view s) {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string digits = "\\x";
  if (s.starts_with("\\x")) {
    int count = 0;
    for (const char c : s.substr(2)) {
      if (ascii::is_space(c) && count % 2 == 0) continue;
      if (!is_hex(c)) return std::nullopt;
      digits += ascii::lower(c);
      ++count;
    }
    if (count % 2 != 0) return std::nullopt;
    return Value::text(digits);
  }
  for (const char c : s) {
    if (c == '\\') return std::nullopt;
    const auto byte = static_cast<unsigned char>(c);
    digits += kHex[byte >> 4];
    digits += kHex[byte & 15];
  }
  return Value::text(digits);
}

std::optional<Value> parse_array(std::string_view s, const Type& type) {
  if (s.size() < 2 || s.front() != '{' || s.back() != '}') return std::nullopt;
  s = s.substr(1, s.size() - 2);
  std::vector<Value> items;
  while (!trimmed(s).empty()) {
    s = trimmed(s);
    std::string item;
    bool is_quoted = false;
    std::size_t i = 0;
    if (s[0] == '"') {
      is_quoted = true;
      for (i = 1; i < s.size() && s[i] != '"'; ++i) {
        if (s[i] == '\\' && i + 1 < s.size()) ++i;
        item += s[i];
      }
      if (i++ >= s.size()) return std::nullopt;
    } else {
      for (; i < s.size() && s[i] != ','; ++i) {
        if (s[i] == '{' || s[i] == '}' || s[i] == '"') return std::nullopt;
        if (s[i] == '\\' && i + 1 < s.size()) ++i;
        item += s[i];
      }
      item = trimmed(item);
      if (item.empty()) return std::nullopt;
    }
    std::string word = ascii::lower(item);
    if (!is_quoted && word == "null") {
      items.emplace_back();
    } else {
      const auto value = parse_value(item, element_of(type));
      if (!value) return std::nullopt;
      items.push_back(*value);
    }
    s = trimmed(s.substr(i));
    if (s.empty()) break;
    if (s[0] != ',') return std::nullopt;
    s.remove_prefix(1);
    if (trimmed(s).empty()) return std::nullopt;
  }
  return Value::array(items);
}

/// (1,"a ""b""",): nothing between two commas is NULL.
std::optional<Value> parse_row(std::string_view s, const Type& type) {
  if (s.size() < 2 || s.front() != '(' || s.back() != ')') return std::nullopt;
  s = s.substr(1, s.size() - 2);
  const auto& fields = composite(type).fields;
  std::vector<Value> row;
  for (std::size_t i = 0;;) {
    std::string text;
    bool is_null = true;
    for (bool in_quotes = false; i < s.size(); ++i) {
      if (s[i] == ',' && !in_quotes) break;
      is_null = false;
      if (s[i] == '"') {
        const bool is_double = in_quotes && i + 1 < s.size() && s[i + 1] == '"';
        if (is_double) text += s[++i];
        if (!is_double) in_quotes = !in_quotes;
        continue;
      }
      if (s[i] == '\\' && i + 1 < s.size()) ++i;
      text += s[i];
    }
    if (row.size() >= fields.size()) return std::nullopt;
    std::optional<Value> value = Value();
    if (!is_null) value = parse_value(text, bare(fields[row.size()].second));
    if (!value) return std::nullopt;
    row.push_back(*value);
    if (i >= s.size()) break;
    ++i;  // the comma
  }
  if (row.size() != fields.size()) return std::nullopt;
  return Value::row(row);
}

std::optional<Value> parse_range(std::string_view s, const Type& type) {
  const auto text = split_range(s);
  if (!text) return std::nullopt;
  Range range{text->is_empty, {}, {}, text->has_lower, text->has_upper};
  for (const auto& [from, to] : {std::pair(&text->lower, &range.lower),
                                 std::pair(&text->upper, &range.upper)}) {
    if (!*from) continue;
    const auto value = parse_value(**from, element_of(type));
    if (!value) return std::nullopt;
    *to = *value;
  }
  RangeFault fault = RangeFault::None;
  const Value made = make_range(range, type.element, fault);
  if (fault != RangeFault::None) return std::nullopt;
  return made;
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
  return parse_value(text, Type{type});
}

std::optional<Value> parse_value(std::string_view text, const Type& type) {
  const std::string_view s = trimmed(text);
  switch (type.name) {
    case TypeName::Text:
    case TypeName::Varchar:
    case TypeName::Opaque: return Value::text(text);
    case TypeName::Char:
      while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
      return Value::text(text);
    case TypeName::SmallInt:
    case TypeName::Integer:
    case TypeName::BigInt: {
      const auto value = parse_integer(s);
      if (!value || !fits(*value, type.name)) return std::nullopt;
      return Value::integer(*value);
    }
    case TypeName::Numeric: return parse_numeric(s);
    case TypeName::Real:
    case TypeName::Double: return parse_real(s, type.name == TypeName::Real);
    case TypeName::Boolean: return parse_boolean(s);
    case TypeName::Date: {
      std::string_view rest = s;
      const auto days = take_date(rest);
      if (!days) return std::nullopt;
      // The time of a timestamp is dropped.
      if (!rest.empty() && !parse_timestamp(s, false)) return std::nullopt;
      return Value::date(*days);
    }
    case TypeName::Timestamp:
    case TypeName::TimestampTz: {
      const bool has_zone = type.name == TypeName::TimestampTz;
      const auto value = parse_timestamp(s, has_zone);
      if (!value) return std::nullopt;
      return has_zone ? Value::timestamptz(*value) : Value::timestamp(*value);
    }
    case TypeName::Time: return parse_time(s);
    case TypeName::Interval: return parse_interval(s);
    case TypeName::Uuid: return parse_uuid(s);
    case TypeName::Bytea: return parse_bytes(text);
    case TypeName::Json:
      if (!canonical_json(text)) return std::nullopt;
      return Value::text(text);
    case TypeName::Jsonb: {
      const auto json = canonical_json(text);
      if (!json) return std::nullopt;
      return Value::text(*json);
    }
    case TypeName::Enum: {
      const auto position = enumeration(type.of).position(text);
      if (!position) return std::nullopt;
      return Value::enumerated(type.of, *position, text);
    }
    case TypeName::Array: return parse_array(s, type);
    case TypeName::Range: return parse_range(s, type);
    case TypeName::Composite: return parse_row(s, type);
    case TypeName::Unknown:
    case TypeName::Void: break;
  }
  return std::nullopt;
}

}  // namespace txscope::sql
