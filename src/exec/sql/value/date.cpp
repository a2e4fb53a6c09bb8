#include "exec/sql/value/date.h"

namespace txscope::sql {
namespace {

constexpr std::int64_t kDay = 86'400'000'000;

}  // namespace

Value date_of_timestamp(const Value& timestamp) {
  const std::int64_t t = timestamp.integer();
  return Value::date(t >= 0 ? t / kDay : -((kDay - 1 - t) / kDay));
}

Value timestamp_of_date(const Value& date, Halt& halt) {
  if (date.integer() > kLastDayOfTimestamps)
    return halt.raise("22008", "date out of range for timestamp");
  return Value::timestamp(date.integer() * kDay);
}

Value fit_date(std::int64_t days, Halt& halt) {
  constexpr std::int64_t kFirst = -730119;  // 0001-01-01
  if (days < kFirstDay || days > kLastDay)
    return halt.raise("22008", "date out of range");
  if (days < kFirst) return halt.raise_ours("a date before our era");
  return Value::date(days);
}

}  // namespace txscope::sql
