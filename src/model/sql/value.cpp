#include "model/sql/value.h"

#include <array>
#include <cassert>
#include <cstdio>
#include <deque>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>

namespace txscope::sql {
namespace {

/// All texts, each once.  A deque never moves what it holds, so that a text
/// can be read without the lock once its number is known.
class TextPool {
 public:
  std::int64_t intern(std::string_view text) {
    {
      const std::shared_lock lock(mutex_);
      const auto found = numbers_.find(text);
      if (found != numbers_.end()) return found->second;
    }
    const std::unique_lock lock(mutex_);
    const auto found = numbers_.find(text);
    if (found != numbers_.end()) return found->second;
    const auto number = static_cast<std::int64_t>(texts_.size());
    texts_.emplace_back(text);
    numbers_.emplace(texts_.back(), number);
    return number;
  }
  const std::string& text(std::int64_t number) {
    const std::shared_lock lock(mutex_);
    return texts_[static_cast<std::size_t>(number)];
  }

 private:
  std::shared_mutex mutex_;
  std::deque<std::string> texts_;
  std::unordered_map<std::string_view, std::int64_t> numbers_;
};

TextPool& pool() {
  static TextPool texts;
  return texts;
}

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

/// Days since 2000-01-01 as year, month, day (Howard Hinnant, "chrono-
/// Compatible Low-Level Date Algorithms", 2013).
std::string date_text(std::int64_t days) {
  const std::int64_t z = days + 730425;  // since 0000-03-01
  const std::int64_t era = (z >= 0 ? z : z - 146096) / 146097;
  const std::int64_t doe = z - era * 146097;
  const std::int64_t yoe =
      (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
  const std::int64_t doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
  const std::int64_t mp = (5 * doy + 2) / 153;
  const std::int64_t day = doy - (153 * mp + 2) / 5 + 1;
  const std::int64_t month = mp < 10 ? mp + 3 : mp - 9;
  const std::int64_t year = yoe + era * 400 + (month <= 2 ? 1 : 0);
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%04lld-%02lld-%02lld",
                static_cast<long long>(year), static_cast<long long>(month),
                static_cast<long long>(day));
  return text.data();
}

std::string timestamp_text(std::int64_t microseconds) {
  constexpr std::int64_t kDay = 86'400'000'000;
  std::int64_t days = microseconds / kDay;
  std::int64_t rest = microseconds % kDay;
  if (rest < 0) {
    rest += kDay;
    --days;
  }
  const std::int64_t seconds = rest / 1'000'000;
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), " %02lld:%02lld:%02lld",
                static_cast<long long>(seconds / 3600),
                static_cast<long long>(seconds / 60 % 60),
                static_cast<long long>(seconds % 60));
  std::string all = date_text(days) + text.data();
  if (rest % 1'000'000 != 0) {
    std::snprintf(text.data(), text.size(), ".%06lld",
                  static_cast<long long>(rest % 1'000'000));
    all += text.data();
    while (all.back() == '0') all.pop_back();
  }
  return all;
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

Value Value::numeric(Int128 digits, unsigned scale) {
  return Value(Kind::Numeric, static_cast<std::int64_t>(digits),
               static_cast<std::int64_t>(digits >> 64), scale);
}

Value Value::text(std::string_view text) {
  return Value(Kind::Text, pool().intern(text), 0, 0);
}

Int128 Value::digits() const {
  assert(kind_ == Kind::Numeric && "digits of a value that is no numeric");
  return static_cast<Int128>(high_) * (static_cast<Int128>(1) << 64) +
         static_cast<std::uint64_t>(low_);
}

const std::string& Value::text() const {
  assert(kind_ == Kind::Text && "text of a value that is no text");
  return pool().text(low_);
}

std::uint64_t Value::hash() const {
  std::uint64_t h = static_cast<std::uint64_t>(kind_) << 32 | scale_;
  for (const std::int64_t part : {low_, high_}) {
    h = (h ^ static_cast<std::uint64_t>(part)) * 0x9e3779b97f4a7c15ull;
    h ^= h >> 29;
  }
  return h;
}

std::string to_string(const Value& value) {
  switch (value.kind()) {
    case Kind::Null: return "NULL";
    case Kind::Bool: return value.is_true() ? "t" : "f";
    case Kind::Integer: return std::to_string(value.integer());
    case Kind::Numeric: return decimal(value);
    case Kind::Text: return value.text();
    case Kind::Date: return date_text(value.integer());
    case Kind::Timestamp: return timestamp_text(value.integer());
  }
  return {};
}

std::string to_literal(const Value& value) {
  switch (value.kind()) {
    case Kind::Bool: return value.is_true() ? "TRUE" : "FALSE";
    case Kind::Text: return quoted(value.text());
    case Kind::Date: return "DATE " + quoted(to_string(value));
    case Kind::Timestamp: return "TIMESTAMP " + quoted(to_string(value));
    default: {
      const std::string text = to_string(value);
      return text[0] == '-' ? "(" + text + ")" : text;
    }
  }
}

}  // namespace txscope::sql
