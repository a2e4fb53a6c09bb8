#include "exec/sql/value/times.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "model/sql/value/calendar.h"

namespace txscope::sql {
namespace {

Value out_of_range(Halt& halt, const char* what) {
  return halt.raise("22008", std::string(what) + " out of range");
}

bool fits_int32(std::int64_t n) {
  return n >= std::numeric_limits<std::int32_t>::min() &&
         n <= std::numeric_limits<std::int32_t>::max();
}

Value make_interval(std::int64_t months, std::int64_t days, Int128 micros,
                    Halt& halt) {
  if (!fits_int32(months) || !fits_int32(days) ||
      micros > std::numeric_limits<std::int64_t>::max() ||
      micros < std::numeric_limits<std::int64_t>::min())
    return out_of_range(halt, "interval");
  return Value::interval(static_cast<std::int32_t>(months),
                         static_cast<std::int32_t>(days),
                         static_cast<std::int64_t>(micros));
}

Value like(const Value& timestamp, std::int64_t micros) {
  return timestamp.kind() == Kind::TimestampTz ? Value::timestamptz(micros)
                                               : Value::timestamp(micros);
}

/// To the microsecond, against errors of rounding.
double rounded(double seconds) { return std::rint(seconds * 1e6) / 1e6; }

/// interval_mul() and interval_div() of timestamp.c.
Value scaled(const Value& span, double factor, bool is_division, Halt& halt) {
  constexpr double kSecondsPerDay = 86400;
  if (is_division && factor == 0)
    return halt.raise("22012", "division by zero");
  const auto times = [&](double n) {
    return is_division ? n / factor : n * factor;
  };
  const double months = times(span.months());
  const double days = times(span.days());
  if (std::isnan(months) || std::abs(months) > 2147483647.0 ||
      std::abs(days) > 2147483647.0)
    return out_of_range(halt, "interval");
  const double whole_months = std::trunc(months);
  double whole_days = std::trunc(days);
  const double rest_days = rounded((months - whole_months) * 30);
  double rest = rounded(
      (days - whole_days + rest_days - std::trunc(rest_days)) * kSecondsPerDay);
  if (std::abs(rest) >= kSecondsPerDay) {
    const double more = std::trunc(rest / kSecondsPerDay);
    whole_days += more;
    rest -= more * kSecondsPerDay;
  }
  whole_days += std::trunc(rest_days);
  const double micros =
      std::rint(times(static_cast<double>(span.integer())) + rest * 1e6);
  if (std::abs(micros) > 9.2e18) return out_of_range(halt, "interval");
  return make_interval(static_cast<std::int64_t>(whole_months),
                       static_cast<std::int64_t>(whole_days),
                       static_cast<std::int64_t>(micros), halt);
}

Value time_of_day(Int128 micros) {
  auto rest = static_cast<std::int64_t>(micros % kMicrosPerDay);
  if (rest < 0) rest += kMicrosPerDay;
  return Value::time(rest);
}

bool is_stamp(const Value& v) {
  return v.kind() == Kind::Timestamp || v.kind() == Kind::TimestampTz;
}

Value sum_of_intervals(const Value& a, const Value& b, int sign, Halt& halt) {
  return make_interval(static_cast<std::int64_t>(a.months()) +
                           sign * static_cast<std::int64_t>(b.months()),
                       static_cast<std::int64_t>(a.days()) +
                           sign * static_cast<std::int64_t>(b.days()),
                       static_cast<Int128>(a.integer()) +
                           static_cast<Int128>(b.integer()) * sign,
                       halt);
}

}  // namespace

std::int64_t rounded_micros(std::int64_t micros, unsigned digits) {
  std::int64_t unit = 1;
  for (; digits < 6; ++digits) unit *= 10;
  if (unit == 1) return micros;
  if (micros >= 0) return (micros + unit / 2) / unit * unit;
  return -((-micros + unit / 2) / unit * unit);
}

Value negate_interval(const Value& interval, Halt& halt) {
  return make_interval(-static_cast<std::int64_t>(interval.months()),
                       -static_cast<std::int64_t>(interval.days()),
                       -static_cast<Int128>(interval.integer()), halt);
}

Value later(const Value& timestamp, const Value& interval, Halt& halt) {
  constexpr std::int64_t kFirst = -730119 * kMicrosPerDay;
  constexpr std::int64_t kLast = std::int64_t{9'223'371'331'200'000'000};
  DayAndTime split = split_day(timestamp.integer());
  if (interval.months() != 0) {
    CivilDay day = civil_day(split.days);
    const std::int64_t months =
        day.year * 12 + day.month - 1 + interval.months();
    day.year = months >= 0 ? months / 12 : -((11 - months) / 12);
    day.month = static_cast<int>(months - day.year * 12) + 1;
    day.day = std::min(day.day, days_in_month(day.year, day.month));
    split.days = days_from(day.year, day.month, day.day);
  }
  const Int128 result =
      (static_cast<Int128>(split.days) + static_cast<Int128>(interval.days())) *
          kMicrosPerDay +
      split.micros + interval.integer();
  if (result >= kLast) return out_of_range(halt, "timestamp");
  if (result < kFirst) return halt.raise_ours("a time before our era");
  return like(timestamp, static_cast<std::int64_t>(result));
}

Value time_arithmetic(Op op, const Value& a, const Value& b, Halt& halt) {
  const bool is_plus = op == Op::Add;
  if (op == Op::Multiply)
    return a.kind() == Kind::Interval ? scaled(a, b.real(), false, halt)
                                      : scaled(b, a.real(), false, halt);
  if (op == Op::Divide) return scaled(a, b.real(), true, halt);
  if (a.kind() == Kind::Interval && b.kind() == Kind::Interval)
    return sum_of_intervals(a, b, is_plus ? 1 : -1, halt);
  if (b.kind() == Kind::Interval) {
    const Value by = is_plus ? b : negate_interval(b, halt);
    if (halt.is_set()) return {};
    if (is_stamp(a)) return later(a, by, halt);
    return time_of_day(static_cast<Int128>(a.integer()) + by.integer());
  }
  if (a.kind() == Kind::Interval) return time_arithmetic(op, b, a, halt);
  if (is_stamp(a) && is_stamp(b)) {
    const Int128 micros =
        static_cast<Int128>(a.integer()) - static_cast<Int128>(b.integer());
    const auto days = static_cast<std::int64_t>(micros / kMicrosPerDay);
    return make_interval(0, days, micros % kMicrosPerDay, halt);
  }
  if (a.kind() == Kind::Time && b.kind() == Kind::Time)
    return make_interval(0, 0, a.integer() - b.integer(), halt);
  const Value& date = a.kind() == Kind::Date ? a : b;
  const Value& time = a.kind() == Kind::Date ? b : a;
  return Value::timestamp(date.integer() * kMicrosPerDay + time.integer());
}

}  // namespace txscope::sql
