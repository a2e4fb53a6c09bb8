#include "db/session.h"

#include <charconv>
#include <chrono>

#include "model/product/error_class.h"
#include "db/keeper.h"

namespace txscope::db {
namespace {

std::optional<std::int64_t> integer(std::string_view text) {
  std::int64_t number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end) return std::nullopt;
  return number;
}

sql::Value numeric(std::string_view text) {
  const bool is_negative = !text.empty() && text.front() == '-';
  if (is_negative) text.remove_prefix(1);
  sql::Int128 digits = 0;
  unsigned scale = 0;
  bool is_fraction = false;
  if (text.empty() || text.size() > 38) return {};
  for (const char c : text) {
    if (c == '.' && !is_fraction) {
      is_fraction = true;
      continue;
    }
    if (c < '0' || c > '9') return {};
    digits = digits * 10 + (c - '0');
    if (is_fraction) ++scale;
  }
  return sql::Value::numeric(is_negative ? -digits : digits, scale);
}

/// Days since 2000-01-01 of "2024-01-31".
std::optional<std::int64_t> days(std::string_view text) {
  if (text.size() != 10) return std::nullopt;
  const auto y = integer(text.substr(0, 4));
  const auto m = integer(text.substr(5, 2));
  const auto d = integer(text.substr(8, 2));
  if (!y || !m || !d) return std::nullopt;
  using namespace std::chrono;
  const year_month_day date{year(static_cast<int>(*y)),
                            month(static_cast<unsigned>(*m)),
                            day(static_cast<unsigned>(*d))};
  const sys_days epoch = year(2000) / January / 1;
  return (sys_days(date) - epoch).count();
}

/// "2024-01-31 12:30:00[.25]"
sql::Value timestamp(std::string_view text) {
  if (text.size() < 19) return {};
  const auto date = days(text.substr(0, 10));
  const auto hours = integer(text.substr(11, 2));
  const auto minutes = integer(text.substr(14, 2));
  const auto seconds = integer(text.substr(17, 2));
  if (!date || !hours || !minutes || !seconds) return {};
  std::string fraction(text.size() > 20 ? text.substr(20) : "");
  fraction.resize(6, '0');
  return sql::Value::timestamp(
      (*date * 86400 + *hours * 3600 + *minutes * 60 + *seconds) * 1'000'000 +
      integer(fraction).value_or(0));
}

}  // namespace

bool Answer::is_retryable() const {
  return is_transient(code) || is_transient(sqlstate);
}

sql::Value to_value(const Cell& cell, sql::Kind kind) {
  if (!cell) return {};
  switch (kind) {
    case sql::Kind::Null: return {};
    case sql::Kind::Bool:
      return sql::Value::boolean(*cell == "t" || *cell == "1");
    case sql::Kind::Integer: {
      const auto number = integer(*cell);
      return number ? sql::Value::integer(*number) : sql::Value();
    }
    case sql::Kind::Numeric: return numeric(*cell);
    case sql::Kind::Text: return sql::Value::text(*cell);
    case sql::Kind::Date: {
      const auto date = days(*cell);
      return date ? sql::Value::date(*date) : sql::Value();
    }
    case sql::Kind::Timestamp: return timestamp(*cell);
    default: return sql::Value::text(*cell);
  }
}

Result<Done> execute_all(Session& session,
                         const std::vector<std::string>& texts) {
  for (const std::string& text : texts) {
    const Answer answer = session.execute(text);
    if (!answer.is_ok())
      return failure(answer.message + " (" + answer.code +
                     ") in: " + text.substr(0, 200));
  }
  return Done{};
}

}  // namespace txscope::db
