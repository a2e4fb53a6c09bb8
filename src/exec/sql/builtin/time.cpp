#include <array>
#include <cmath>
#include <cstdio>
#include <string>

#include "base/ascii.h"
#include "exec/sql/builtin/builtin.h"
#include "exec/sql/value/cast.h"
#include "exec/sql/value/compare.h"
#include "exec/sql/value/times.h"
#include "model/sql/value/calendar.h"

namespace txscope::sql {
namespace {

/// The parts of a value that fields are made of.
struct Moment {
  CivilDay day;
  std::int64_t days = 0;    ///< since 2000-01-01, or of an interval
  std::int64_t micros = 0;  ///< of the day, or of an interval
  bool is_interval = false;
  bool has_day = true;
  bool has_time = true;
};

Moment moment_of(const Value& v) {
  Moment result;
  switch (v.kind()) {
    case Kind::Interval:
      result.is_interval = true;
      result.day = {v.months() / 12, v.months() % 12, v.days()};
      result.days = v.days();
      result.micros = v.integer();
      break;
    case Kind::Time:
      result.has_day = false;
      result.micros = v.integer();
      break;
    case Kind::Date:
      result.days = v.integer();
      result.day = civil_day(result.days);
      result.has_time = false;
      break;
    default: {
      const DayAndTime split = split_day(v.integer());
      result.days = split.days;
      result.micros = split.micros;
      result.day = civil_day(split.days);
    }
  }
  return result;
}

/// 0 is Sunday.
std::int64_t day_of_week(std::int64_t days) { return ((days + 6) % 7 + 7) % 7; }

struct IsoWeek {
  std::int64_t year;
  std::int64_t week;
};
IsoWeek iso_week(std::int64_t days) {
  const std::int64_t weekday = (day_of_week(days) + 6) % 7;  // 0: Monday
  const std::int64_t thursday = days - weekday + 3;
  const std::int64_t year = civil_day(thursday).year;
  return {year, (thursday - days_from(year, 1, 1)) / 7 + 1};
}

Value number(Int128 digits, unsigned scale) {
  return Value::numeric(digits, scale);
}

Value epoch(const Value& v, const Moment& b) {
  constexpr std::int64_t kUnix = 10957;  // days from 1970 to 2000
  if (b.is_interval) {
    const Int128 years = v.months() / 12;
    const Int128 months = v.months() % 12;
    // A year has 365.25 days here, a month 30.
    const Int128 quarter_days =
        years * 1461 + months * 120 + static_cast<Int128>(v.days()) * 4;
    return number(quarter_days * (kMicrosPerDay / 4) + v.integer(), 6);
  }
  if (!b.has_day) return number(b.micros, 6);
  const Int128 days = b.days + kUnix;
  if (!b.has_time) return number(days * 86400, 0);
  return number(days * kMicrosPerDay + b.micros, 6);
}

std::optional<Value> day_field(const std::string& field, const Moment& b) {
  if (field == "dow") return number(day_of_week(b.days), 0);
  if (field == "isodow") return number((day_of_week(b.days) + 6) % 7 + 1, 0);
  if (field == "doy")
    return number(b.days - days_from(b.day.year, 1, 1) + 1, 0);
  if (field == "week") return number(iso_week(b.days).week, 0);
  if (field == "isoyear") return number(iso_week(b.days).year, 0);
  return std::nullopt;
}

std::optional<Value> extracted(std::string field, const Value& v) {
  const Moment b = moment_of(v);
  if (field.size() > 1 && field.ends_with('s') && field != "dows")
    field.pop_back();
  if (field == "epoch") return epoch(v, b);
  const std::int64_t seconds = b.micros / kMicrosPerSecond;
  if (b.has_time) {
    if (field == "hour") return number(seconds / 3600, 0);
    if (field == "minute" || field == "min")
      return number(seconds / 60 % 60, 0);
    const std::int64_t of_minute = b.micros % (60 * kMicrosPerSecond);
    if (field == "second" || field == "sec") return number(of_minute, 6);
    if (field == "millisecond") return number(of_minute, 3);
    if (field == "microsecond") return number(of_minute, 0);
  }
  if (!b.has_day) return std::nullopt;
  if (field == "day") return number(b.day.day, 0);
  if (field == "month" || field == "mon") return number(b.day.month, 0);
  if (field == "quarter")
    return number(b.is_interval ? b.day.month / 3 + 1 : (b.day.month + 2) / 3,
                  0);
  if (field == "year") return number(b.day.year, 0);
  if (field == "decade") return number(b.day.year / 10, 0);
  if (field == "century")
    return number(b.is_interval ? b.day.year / 100 : (b.day.year + 99) / 100,
                  0);
  if (b.is_interval) return std::nullopt;
  return day_field(field, b);
}

Value no_field(const std::string& field, const Expr& e, Halt& halt) {
  return halt.raise("22023", "unit \"" + field + "\" not recognized for type " +
                                 to_string(e.args[1].type));
}

Value extract(const Expr& e, std::span<const Value> args, Halt& halt) {
  const std::string field = ascii::lower(args[0].text());
  const auto value = extracted(field, args[1]);
  if (!value) return no_field(field, e, halt);
  if (static_cast<Builtin>(e.index) == Builtin::Extract) return *value;
  return cast(*value, {TypeName::Double}, CastContext::Explicit, halt);
}

Value truncated_interval(const std::string& field, const Value& v,
                         const Expr& e, Halt& halt) {
  const std::int64_t micros = v.integer();
  const auto down = [&](std::int64_t unit) {
    return Value::interval(v.months(), v.days(), micros / unit * unit);
  };
  if (field == "year") return Value::interval(v.months() / 12 * 12, 0, 0);
  if (field == "month") return Value::interval(v.months(), 0, 0);
  if (field == "day") return Value::interval(v.months(), v.days(), 0);
  if (field == "hour") return down(3600 * kMicrosPerSecond);
  if (field == "minute") return down(60 * kMicrosPerSecond);
  if (field == "second") return down(kMicrosPerSecond);
  return no_field(field, e, halt);
}

Value date_trunc(const Expr& e, std::span<const Value> args, Halt& halt) {
  const std::string field = ascii::lower(args[0].text());
  const Value& v = args[1];
  if (v.kind() == Kind::Interval) return truncated_interval(field, v, e, halt);
  Moment b = moment_of(v);
  std::int64_t unit = 0;
  if (field == "microseconds") unit = 1;
  if (field == "milliseconds") unit = 1000;
  if (field == "second") unit = kMicrosPerSecond;
  if (field == "minute") unit = 60 * kMicrosPerSecond;
  if (field == "hour") unit = 3600 * kMicrosPerSecond;
  if (unit != 0) {
    b.micros = b.micros / unit * unit;
  } else {
    b.micros = 0;
    const std::int64_t year = b.day.year;
    if (field == "week") {
      b.days -= (day_of_week(b.days) + 6) % 7;
    } else if (field == "month") {
      b.days = days_from(year, b.day.month, 1);
    } else if (field == "quarter") {
      b.days = days_from(year, (b.day.month - 1) / 3 * 3 + 1, 1);
    } else if (field == "year") {
      b.days = days_from(year, 1, 1);
    } else if (field == "decade") {
      b.days = days_from(year / 10 * 10, 1, 1);
    } else if (field == "century") {
      b.days = days_from((year - 1) / 100 * 100 + 1, 1, 1);
    } else if (field != "day") {
      return no_field(field, e, halt);
    }
  }
  const std::int64_t micros = b.days * kMicrosPerDay + b.micros;
  return v.kind() == Kind::TimestampTz ? Value::timestamptz(micros)
                                       : Value::timestamp(micros);
}

/// timestamp_age(): years and months first.
Value age(const Value& a, const Value& b) {
  const bool is_negative = a.integer() < b.integer();
  const Value& late = is_negative ? b : a;
  const Value& early = is_negative ? a : b;
  const Moment x = moment_of(late);
  const Moment y = moment_of(early);
  std::int64_t months =
      (x.day.year - y.day.year) * 12 + x.day.month - y.day.month;
  std::int64_t days = x.day.day - y.day.day;
  std::int64_t micros = x.micros - y.micros;
  if (micros < 0) {
    micros += kMicrosPerDay;
    --days;
  }
  if (days < 0) {
    days += days_in_month(y.day.year, y.day.month);
    --months;
  }
  const std::int64_t sign = is_negative ? -1 : 1;
  return Value::interval(static_cast<std::int32_t>(sign * months),
                         static_cast<std::int32_t>(sign * days), sign * micros);
}

constexpr std::array<const char*, 12> kMonths = {
    "January", "February", "March",     "April",   "May",      "June",
    "July",    "August",   "September", "October", "November", "December"};
constexpr std::array<const char*, 7> kDays = {
    "Sunday",   "Monday", "Tuesday", "Wednesday",
    "Thursday", "Friday", "Saturday"};

std::string padded(std::int64_t number, int width) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%0*lld", width,
                static_cast<long long>(number));
  return text.data();
}

/// One pattern of to_char() at the start of `rest`; what it takes is its
/// length, 0: none.
std::size_t pattern(std::string_view rest, const Moment& b, std::string& out) {
  const std::int64_t seconds = b.micros / kMicrosPerSecond;
  const auto month = static_cast<std::size_t>(b.day.month - 1);
  const auto weekday = static_cast<std::size_t>(day_of_week(b.days));
  const std::int64_t hour12 = (seconds / 3600 + 11) % 12 + 1;
  const auto is = [&rest](std::string_view word) {
    return rest.starts_with(word);
  };
  const auto put = [&out](std::size_t size, const std::string& text) {
    out += text;
    return size;
  };
  const auto wide = [](std::string text) {
    text.resize(9, ' ');
    return text;
  };
  if (is("YYYY")) return put(4, padded(b.day.year, 4));
  if (is("YY")) return put(2, padded(b.day.year % 100, 2));
  if (is("Month")) return put(5, wide(kMonths[month]));
  if (is("Mon")) return put(3, std::string(kMonths[month]).substr(0, 3));
  if (is("MM")) return put(2, padded(b.day.month, 2));
  if (is("MI")) return put(2, padded(seconds / 60 % 60, 2));
  if (is("MS")) return put(2, padded(b.micros / 1000 % 1000, 3));
  if (is("Day")) return put(3, wide(kDays[weekday]));
  if (is("Dy")) return put(2, std::string(kDays[weekday]).substr(0, 3));
  if (is("DDD"))
    return put(3, padded(b.days - days_from(b.day.year, 1, 1) + 1, 3));
  if (is("DD")) return put(2, padded(b.day.day, 2));
  if (is("HH24")) return put(4, padded(seconds / 3600, 2));
  if (is("HH12")) return put(4, padded(hour12, 2));
  if (is("HH")) return put(2, padded(hour12, 2));
  if (is("SS")) return put(2, padded(seconds % 60, 2));
  if (is("US")) return put(2, padded(b.micros % kMicrosPerSecond, 6));
  if (is("AM") || is("PM")) return put(2, seconds >= 43200 ? "PM" : "AM");
  return 0;
}

Value to_char(std::span<const Value> args, Halt& halt) {
  const std::string_view format = args[1].text();
  const Moment b = moment_of(args[0]);
  std::string out;
  for (std::size_t i = 0; i < format.size();) {
    if (format[i] == '"') {
      const std::size_t end = std::min(format.find('"', i + 1), format.size());
      out += format.substr(i + 1, end - i - 1);
      i = end + 1;
      continue;
    }
    const std::size_t taken = pattern(format.substr(i), b, out);
    if (taken == 0) {
      const char c = format[i];
      if ((c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z' && c != 'T'))
        return halt.raise_ours("this pattern of to_char(): '" +
                               std::string(format.substr(i)) + "'");
      out += c;
    }
    i += std::max<std::size_t>(taken, 1);
  }
  return Value::text(out);
}

Value make_interval(std::span<const Value> args) {
  const auto whole = [&args](std::size_t i) {
    return i < args.size() ? args[i].integer() : 0;
  };
  const double seconds = args.size() > 6 ? args[6].real() : 0;
  const std::int64_t micros =
      (whole(4) * 3600 + whole(5) * 60) * kMicrosPerSecond +
      std::llround(seconds * 1e6);
  return Value::interval(static_cast<std::int32_t>(whole(0) * 12 + whole(1)),
                         static_cast<std::int32_t>(whole(2) * 7 + whole(3)),
                         micros);
}

Value make_date(std::span<const Value> args, Halt& halt) {
  const std::int64_t year = args[0].integer();
  const std::int64_t month = args[1].integer();
  const std::int64_t day = args[2].integer();
  if (year < 1 || year > 5'000'000 || month < 1 || month > 12 || day < 1 ||
      day > days_in_month(year, static_cast<int>(month)))
    return halt.raise("22008", "date field value out of range");
  return Value::date(
      days_from(year, static_cast<int>(month), static_cast<int>(day)));
}

Value at_time_zone(std::span<const Value> args, Halt& halt) {
  const std::string zone = ascii::lower(args[0].text());
  if (zone != "utc" && zone != "gmt" && zone != "z" && zone != "etc/utc")
    return halt.raise_ours("the time zone " + args[0].text());
  const std::int64_t micros = args[1].integer();
  return args[1].kind() == Kind::TimestampTz ? Value::timestamp(micros)
                                             : Value::timestamptz(micros);
}

/// Intervals with their starts, without their ends; one of a single time is
/// that time.  SQL lets one end of each be unknown.
Value overlaps(std::span<const Value> args) {
  struct Period {
    Value from;
    Value to;
  };
  const auto period = [](const Value& a, const Value& b) {
    if (a.is_null()) return Period{b, {}};
    const bool is_swapped = !b.is_null() && compare(a, b) > 0;
    return is_swapped ? Period{b, a} : Period{a, b};
  };
  Period first = period(args[0], args[1]);
  Period second = period(args[2], args[3]);
  if (first.from.is_null() || second.from.is_null()) return {};
  const int order = compare(first.from, second.from);
  if (order == 0) {
    if (first.to.is_null() || second.to.is_null()) return {};
    return Value::boolean(true);
  }
  if (order > 0) std::swap(first, second);
  // The second one starts inside of the first, or after it.
  if (first.to.is_null()) return {};
  if (compare(second.from, first.to) < 0) return Value::boolean(true);
  return second.to.is_null() ? Value() : Value::boolean(false);
}

}  // namespace

Value call_time(const Expr& e, std::span<const Value> args, Halt& halt) {
  switch (static_cast<Builtin>(e.index)) {
    case Builtin::Extract:
    case Builtin::DatePart: return extract(e, args, halt);
    case Builtin::DateTrunc: return date_trunc(e, args, halt);
    case Builtin::Age: return age(args[0], args[1]);
    case Builtin::Overlaps: return overlaps(args);
    case Builtin::MakeInterval: return make_interval(args);
    case Builtin::MakeDate: return make_date(args, halt);
    case Builtin::ToTimestamp: {
      const double micros = args[0].real() * 1e6;
      constexpr std::int64_t kUnix = 10957 * kMicrosPerDay;
      if (!(std::abs(micros) < 9e18))
        return halt.raise("22008", "timestamp out of range");
      return Value::timestamptz(std::llround(micros) - kUnix);
    }
    case Builtin::DateBin:
    case Builtin::MakeTime:
    case Builtin::MakeTimestamp:
    case Builtin::JustifyHours: return make_time(e, args, halt);
    case Builtin::ToChar: return to_char(args, halt);
    case Builtin::AtTimeZone: return at_time_zone(args, halt);
    default: return {};
  }
}

}  // namespace txscope::sql
