#include "read/logs/log_clock.h"

#include <algorithm>

#include "model/sql/value/parse_value.h"

namespace txscope::logs {
namespace {

constexpr std::int64_t kSecondOfLog = 1'000'000;
/// The first line is written before or after the setup, and clocks differ.
constexpr std::int64_t kClockSlack = 60 * kSecondOfLog;
/// Of a log that does not say when a statement ended.
constexpr std::int64_t kLongestLog = 24 * 3600 * kSecondOfLog;

bool is_digit_of_time(char c) { return c >= '0' && c <= '9'; }

/// 2030-01-31 18:00:00, whatever follows.
bool looks_like_time(std::string_view text) {
  constexpr std::string_view kShape = "0000-00-00 00:00:00";
  if (text.size() < kShape.size() || text.size() > 40) return false;
  for (std::size_t i = 0; i < kShape.size(); ++i) {
    const bool is_same = kShape[i] == '0'   ? is_digit_of_time(text[i])
                         : kShape[i] == ' ' ? text[i] == ' ' || text[i] == 'T'
                                            : text[i] == kShape[i];
    if (!is_same) return false;
  }
  return true;
}

/// Where the zone begins: behind the digits of the time.
std::size_t zone_of(std::string_view text) {
  return std::min(text.find_first_of("+-Zz", 19), text.size());
}

}  // namespace

std::optional<LogClock> LogClock::parse(std::string_view text) {
  if (!looks_like_time(text)) return std::nullopt;
  const auto instant = sql::parse_value(text, sql::TypeName::TimestampTz);
  const auto local =
      sql::parse_value(text.substr(0, zone_of(text)), sql::TypeName::Timestamp);
  if (!instant || !local) return std::nullopt;
  LogClock clock;
  clock.instant_ = *instant;
  clock.local_ = *local;
  return clock;
}

std::optional<std::string> LogClock::settled(
    std::string_view text, std::string_view type,
    std::optional<std::int64_t> end) const {
  if (!looks_like_time(text)) return std::nullopt;
  const bool has_zone = type == "timestamptz" ||
                        (type == "unknown" && zone_of(text) < text.size());
  const auto value = sql::parse_value(
      text, has_zone ? sql::TypeName::TimestampTz : sql::TypeName::Timestamp);
  if (!value) return std::nullopt;
  const std::int64_t passed =
      value->integer() - (has_zone ? instant_ : local_).integer();
  if (passed < -kClockSlack || passed > end.value_or(kLongestLog) + kClockSlack)
    return std::nullopt;
  return to_string(has_zone ? instant_
                            : sql::Value::timestamp(instant_.integer()));
}

void LogClock::settle(sql::Value& value, std::string_view type,
                      std::optional<std::int64_t> end) const {
  if (value.kind() != sql::Kind::Text ||
      (type != "timestamptz" && type != "timestamp" && type != "unknown"))
    return;
  if (const auto text = settled(value.text(), type, end))
    value = sql::Value::text(*text);
}

void LogClock::settle(std::string& sql, std::optional<std::int64_t> end) const {
  for (std::size_t at = sql.find('\''); at != sql.npos;) {
    const std::size_t close = sql.find('\'', at + 1);
    if (close == sql.npos) return;
    const auto text = settled(
        std::string_view(sql).substr(at + 1, close - at - 1), "unknown", end);
    if (text) sql.replace(at + 1, close - at - 1, *text);
    at = sql.find('\'', text ? at + text->size() + 2 : close);
  }
}

}  // namespace txscope::logs
