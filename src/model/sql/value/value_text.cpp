#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "model/sql/value/calendar.h"
#include "model/sql/value/range.h"
#include "model/sql/value/value.h"

namespace txscope::sql {
namespace {

std::string digits_of(Int128 digits) {
  if (digits == 0) return "0";
  const bool is_negative = digits < 0;
  std::string text;
  for (; digits != 0; digits /= 10) {
    const auto digit = static_cast<int>(digits % 10);
    text.insert(text.begin(),
                static_cast<char>('0' + (is_negative ? -digit : digit)));
  }
  return is_negative ? "-" + text : text;
}

std::string decimal(const Value& value) {
  std::string text = digits_of(value.digits());
  if (value.scale() == 0) return text;
  const std::size_t sign = text[0] == '-' ? 1 : 0;
  while (text.size() - sign <= value.scale()) text.insert(sign, "0");
  text.insert(text.size() - value.scale(), ".");
  return text;
}

std::string date_text(std::int64_t days) {
  const CivilDay civil = civil_day(days);
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%04lld-%02lld-%02lld",
                static_cast<long long>(civil.year),
                static_cast<long long>(civil.month),
                static_cast<long long>(civil.day));
  return text.data();
}

/// hh:mm:ss[.ffffff] of microseconds that are not negative.
std::string clock_text(std::int64_t rest) {
  const std::int64_t seconds = rest / 1'000'000;
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%02lld:%02lld:%02lld",
                static_cast<long long>(seconds / 3600),
                static_cast<long long>(seconds / 60 % 60),
                static_cast<long long>(seconds % 60));
  std::string all = text.data();
  if (rest % 1'000'000 != 0) {
    std::snprintf(text.data(), text.size(), ".%06lld",
                  static_cast<long long>(rest % 1'000'000));
    all += text.data();
    while (all.back() == '0') all.pop_back();
  }
  return all;
}

std::string timestamp_text(std::int64_t microseconds) {
  const DayAndTime split = split_day(microseconds);
  return date_text(split.days) + " " + clock_text(split.micros);
}

/// PostgreSQL's IntervalStyle "postgres": 1 year 2 mons -3 days 04:05:06.
std::string interval_text(const Value& value) {
  std::string all;
  bool is_negative = false;  // what stands before
  const auto add = [&](std::int64_t count, const char* unit) {
    if (count == 0) return;
    if (!all.empty()) all += ' ';
    if (is_negative && count > 0) all += '+';
    all += std::to_string(count) + " " + unit + (count == 1 ? "" : "s");
    is_negative = count < 0;
  };
  add(value.months() / 12, "year");
  add(value.months() % 12, "mon");
  add(value.days(), "day");
  const std::int64_t micros = value.integer();
  if (micros == 0 && !all.empty()) return all;
  if (!all.empty()) all += ' ';
  if (micros < 0) {
    all += '-';
  } else if (is_negative) {
    all += '+';
  }
  return all + clock_text(micros < 0 ? -micros : micros);
}

/// The shortest that reads back as the same, as PostgreSQL writes it.
template <class Number>
std::string real_text(Number number) {
  if (std::isnan(number)) return "NaN";
  if (std::isinf(number)) return number < 0 ? "-Infinity" : "Infinity";
  std::array<char, 64> text{};
  char* const end = text.data() + text.size();
  const auto scientific =
      std::to_chars(text.data(), end, number, std::chars_format::scientific);
  const std::string shown(text.data(), scientific.ptr);
  const int exponent = std::atoi(shown.c_str() + shown.find('e') + 1);
  constexpr int kDigits = sizeof(Number) == sizeof(float) ? 6 : 15;
  if (exponent < -4 || exponent >= kDigits) return shown;
  const auto fixed =
      std::to_chars(text.data(), end, number, std::chars_format::fixed);
  return {text.data(), fixed.ptr};
}

bool needs_quotes(std::string_view item) {
  if (item.empty()) return true;
  if (item.size() == 4) {
    std::string word(item);
    for (char& c : word) c = static_cast<char>(c | 0x20);
    if (word == "null") return true;
  }
  return item.find_first_of("{}\",\\ \t\n\r\v\f") != std::string_view::npos;
}

std::string array_text(const Value& value) {
  std::string all = "{";
  for (const Value& item : value.items()) {
    if (all.size() > 1) all += ',';
    const std::string text = to_string(item);
    if (item.is_null() || item.kind() == Kind::Array || !needs_quotes(text)) {
      all += text;
      continue;
    }
    all += '"';
    for (const char c : text) {
      if (c == '"' || c == '\\') all += '\\';
      all += c;
    }
    all += '"';
  }
  return all + "}";
}

/// (1,"a b",): a NULL is nothing at all.
std::string row_text(const Value& value) {
  std::string all = "(";
  bool is_first = true;
  for (const Value& field : value.items()) {
    if (!is_first) all += ',';
    is_first = false;
    if (field.is_null()) continue;
    const std::string text = to_string(field);
    if (!text.empty() &&
        text.find_first_of("(),\"\\ \t\n\r\v\f") == std::string::npos) {
      all += text;
      continue;
    }
    all += '"';
    for (const char c : text) {
      if (c == '"' || c == '\\') all += c;
      all += c;
    }
    all += '"';
  }
  return all + ")";
}

std::string quoted(const std::string& text) {
  std::string all = "'";
  for (const char c : text) {
    if (c == '\'') all += '\'';
    all += c;
  }
  return all + "'";
}

}  // namespace

std::string to_string(const Value& value) {
  switch (value.kind()) {
    case Kind::Null: return "NULL";
    case Kind::Bool: return value.is_true() ? "t" : "f";
    case Kind::Integer: return std::to_string(value.integer());
    case Kind::Numeric: return decimal(value);
    case Kind::Text:
    case Kind::Enum: return value.text();
    case Kind::Date: return date_text(value.integer());
    case Kind::Timestamp: return timestamp_text(value.integer());
    case Kind::TimestampTz: return timestamp_text(value.integer()) + "+00";
    case Kind::Time: return clock_text(value.integer());
    case Kind::Interval: return interval_text(value);
    case Kind::Float:
      if (value.scale() == 0) return real_text(value.real());
      return real_text(static_cast<float>(value.real()));
    case Kind::Array: return array_text(value);
    case Kind::Range: return range_text(value);
    case Kind::Row: return row_text(value);
  }
  return {};
}

std::string to_literal(const Value& value) {
  const std::string text = to_string(value);
  switch (value.kind()) {
    case Kind::Bool: return value.is_true() ? "TRUE" : "FALSE";
    case Kind::Text:
    case Kind::Enum:
    case Kind::Array:
    case Kind::Range:
    case Kind::Row: return quoted(text);
    case Kind::Date: return "DATE " + quoted(text);
    case Kind::Timestamp: return "TIMESTAMP " + quoted(text);
    case Kind::TimestampTz: return "TIMESTAMPTZ " + quoted(text);
    case Kind::Time: return "TIME " + quoted(text);
    case Kind::Interval: return "INTERVAL " + quoted(text);
    case Kind::Float: return "CAST(" + quoted(text) + " AS double precision)";
    default: return text[0] == '-' ? "(" + text + ")" : text;
  }
}

}  // namespace txscope::sql
