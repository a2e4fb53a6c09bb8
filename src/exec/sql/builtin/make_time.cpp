// Times from their parts, and in steps.

#include <cmath>

#include "exec/sql/builtin/builtin.h"
#include "model/sql/value/calendar.h"

namespace txscope::sql {
namespace {

/// Microseconds of the day; -1: there is no such time.
std::int64_t clock_of(const Value& hour, const Value& minute,
                      const Value& second) {
  const std::int64_t h = hour.integer();
  const std::int64_t m = minute.integer();
  const double s = second.real();
  if (h < 0 || h > 24 || m < 0 || m > 59 || !(s >= 0 && s <= 60)) return -1;
  const std::int64_t all =
      (h * 60 + m) * 60 * kMicrosPerSecond + std::llround(s * 1e6);
  return all > kMicrosPerDay ? -1 : all;
}

Value timestamp_of(const Expr& e, std::span<const Value> args, Halt& halt) {
  const std::int64_t year = args[0].integer();
  const std::int64_t month = args[1].integer();
  const std::int64_t day = args[2].integer();
  const std::int64_t clock = clock_of(args[3], args[4], args[5]);
  if (year < 1 || year > 294'000 || month < 1 || month > 12 || day < 1 ||
      day > days_in_month(year, static_cast<int>(month)))
    return halt.raise("22008", "date field value out of range");
  if (clock < 0) return halt.raise("22008", "time field value out of range");
  const std::int64_t micros =
      days_from(year, static_cast<int>(month), static_cast<int>(day)) *
          kMicrosPerDay +
      clock;
  return e.type.name == TypeName::TimestampTz ? Value::timestamptz(micros)
                                              : Value::timestamp(micros);
}

/// The start of the step of a length that a time is in, counted from an origin.
Value binned(std::span<const Value> args, Halt& halt) {
  if (args[0].months() != 0)
    return halt.raise(
        "0A000",
        "timestamps cannot be binned into intervals containing months or "
        "years");
  const std::int64_t step = args[0].days() * kMicrosPerDay + args[0].integer();
  if (step <= 0) return halt.raise("22008", "stride must be greater than zero");
  const std::int64_t since = args[1].integer() - args[2].integer();
  std::int64_t rest = since % step;
  if (rest < 0) rest += step;
  const std::int64_t micros = args[1].integer() - rest;
  return args[1].kind() == Kind::TimestampTz ? Value::timestamptz(micros)
                                             : Value::timestamp(micros);
}

/// Whole days of the time become days, and both have one sign.
Value justified(const Value& v) {
  std::int64_t days = v.days() + v.integer() / kMicrosPerDay;
  std::int64_t micros = v.integer() % kMicrosPerDay;
  if (days > 0 && micros < 0) {
    micros += kMicrosPerDay;
    --days;
  } else if (days < 0 && micros > 0) {
    micros -= kMicrosPerDay;
    ++days;
  }
  return Value::interval(v.months(), static_cast<std::int32_t>(days), micros);
}

}  // namespace

Value make_time(const Expr& e, std::span<const Value> args, Halt& halt) {
  switch (static_cast<Builtin>(e.index)) {
    case Builtin::DateBin: return binned(args, halt);
    case Builtin::MakeTimestamp: return timestamp_of(e, args, halt);
    case Builtin::JustifyHours: return justified(args[0]);
    default: break;
  }
  const std::int64_t clock = clock_of(args[0], args[1], args[2]);
  if (clock < 0) return halt.raise("22008", "time field value out of range");
  return Value::time(clock);
}

}  // namespace txscope::sql
