#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include "exec/sql/mysql/call.h"
#include "exec/sql/mysql/convert.h"
#include "model/sql/value/calendar.h"

namespace txscope::sql::mysql {
namespace {

constexpr std::array<std::string_view, 12> kMonths = {
    "January", "February", "March",     "April",   "May",      "June",
    "July",    "August",   "September", "October", "November", "December"};
constexpr std::array<std::string_view, 7> kDays = {
    "Monday", "Tuesday",  "Wednesday", "Thursday",
    "Friday", "Saturday", "Sunday"};
/// Of year 0, from which TO_DAYS counts.
constexpr std::int64_t kFirstDayOfAll = 730'485;

Value integer(std::int64_t number) { return Value::integer(number); }

/// 0 is Monday.
int weekday(std::int64_t days) {
  return static_cast<int>(((days + 5) % 7 + 7) % 7);
}
std::int64_t day_of_year(const CivilDay& day, std::int64_t days) {
  return days - days_from(day.year, 1, 1) + 1;
}

struct YearAndWeek {
  std::int64_t year = 0;
  std::int64_t week = 0;
};

// calc_week() of the server: the bits of a mode say whether weeks begin on
// Monday, whether they belong to the year (else week 0 is before the first),
// and whether the first is the one with the first such day.
YearAndWeek week_of(std::int64_t days, std::int64_t mode, bool is_year_week) {
  mode &= 7;
  if ((mode & 1) == 0) mode ^= 4;
  bool has_years = (mode & 2) != 0 || is_year_week;
  const bool monday_first = (mode & 1) != 0;
  const bool first_weekday = (mode & 4) != 0;
  const CivilDay day = civil_day(days);
  YearAndWeek out;
  out.year = day.year;
  std::int64_t first = days_from(day.year, 1, 1);
  int start = weekday(first);
  if (!monday_first) start = (start + 1) % 7;
  if (day.month == 1 && day.day <= 7 - start) {
    const bool is_before =
        (first_weekday && start != 0) || (!first_weekday && start >= 4);
    if (!has_years && is_before) return {out.year, 0};
    has_years = true;
    --out.year;
    const std::int64_t length =
        days_from(out.year + 1, 1, 1) - days_from(out.year, 1, 1);
    if (!is_before) {
      ++out.year;
    } else {
      first -= length;
      start = static_cast<int>(((start - length) % 7 + 7) % 7);
    }
  }
  const bool starts_later =
      (first_weekday && start != 0) || (!first_weekday && start >= 4);
  const std::int64_t since =
      starts_later ? days - (first + (7 - start)) : days - (first - start);
  if (has_years && since >= 52 * 7) {
    const std::int64_t length =
        days_from(out.year + 1, 1, 1) - days_from(out.year, 1, 1);
    const auto next = static_cast<int>((start + length) % 7);
    if ((!first_weekday && next < 4) || (first_weekday && next == 0))
      return {out.year + 1, 1};
  }
  out.week = since / 7 + 1;
  return out;
}

std::string with_zeros(std::int64_t number, std::size_t width) {
  std::string text = std::to_string(number);
  while (text.size() < width) text.insert(text.begin(), '0');
  return text;
}

std::string ordinal(std::int64_t day) {
  const char* suffix = "th";
  if (day / 10 != 1) {
    if (day % 10 == 1) suffix = "st";
    if (day % 10 == 2) suffix = "nd";
    if (day % 10 == 3) suffix = "rd";
  }
  return std::to_string(day) + suffix;
}

Value formatted(const Moment& moment, const std::string& format) {
  const CivilDay day = moment.is_zero ? CivilDay() : civil_day(moment.days);
  const std::int64_t seconds = moment.micros / 1'000'000;
  const std::int64_t h = seconds / 3600;
  const std::int64_t m = seconds / 60 % 60;
  const std::int64_t s = seconds % 60;
  const std::int64_t twelve = h % 12 == 0 ? 12 : h % 12;
  const std::string clock = ":" + with_zeros(m, 2) + ":" + with_zeros(s, 2);
  std::string out;
  for (std::size_t i = 0; i < format.size(); ++i) {
    if (format[i] != '%' || i + 1 == format.size()) {
      out += format[i];
      continue;
    }
    switch (format[++i]) {
      case 'Y': out += with_zeros(day.year, 4); break;
      case 'y': out += with_zeros(day.year % 100, 2); break;
      case 'm': out += with_zeros(day.month, 2); break;
      case 'c': out += std::to_string(day.month); break;
      case 'd': out += with_zeros(day.day, 2); break;
      case 'e': out += std::to_string(day.day); break;
      case 'D': out += ordinal(day.day); break;
      case 'H': out += with_zeros(h, 2); break;
      case 'k': out += std::to_string(h); break;
      case 'h':
      case 'I': out += with_zeros(twelve, 2); break;
      case 'l': out += std::to_string(twelve); break;
      case 'i': out += with_zeros(m, 2); break;
      case 's':
      case 'S': out += with_zeros(s, 2); break;
      case 'f': out += with_zeros(moment.micros % 1'000'000, 6); break;
      case 'p': out += h < 12 ? "AM" : "PM"; break;
      case 'r':
        out += with_zeros(twelve, 2) + clock + (h < 12 ? " AM" : " PM");
        break;
      case 'T': out += with_zeros(h, 2) + clock; break;
      case 'M':
      case 'b': {
        if (day.month == 0) return {};
        const auto name = kMonths[static_cast<std::size_t>(day.month - 1)];
        out += format[i] == 'M' ? name : name.substr(0, 3);
        break;
      }
      case 'W':
      case 'a': {
        const auto name = kDays[static_cast<std::size_t>(weekday(moment.days))];
        out += format[i] == 'W' ? name : name.substr(0, 3);
        break;
      }
      case 'w': out += std::to_string((weekday(moment.days) + 1) % 7); break;
      case 'j': out += with_zeros(day_of_year(day, moment.days), 3); break;
      case 'U':
        out += with_zeros(week_of(moment.days, 0, false).week, 2);
        break;
      case 'u':
        out += with_zeros(week_of(moment.days, 1, false).week, 2);
        break;
      case 'V': out += with_zeros(week_of(moment.days, 2, true).week, 2); break;
      case 'v': out += with_zeros(week_of(moment.days, 3, true).week, 2); break;
      case 'X': out += with_zeros(week_of(moment.days, 2, true).year, 4); break;
      case 'x': out += with_zeros(week_of(moment.days, 3, true).year, 4); break;
      default: out += format[i]; break;
    }
  }
  return Value::text(out);
}

/// An INTERVAL: months, and microseconds.
struct Shift {
  std::int64_t months = 0;
  std::int64_t micros = 0;
  bool has_clock = false;  ///< a unit smaller than a day
};

constexpr std::int64_t kSecond = 1'000'000;

// The last number of a text belongs to the smallest unit; so do those of a
// compound unit in their order.
std::optional<Shift> step_of(const Value& amount, const std::string& unit) {
  Shift step;
  const auto single = [&](std::int64_t micros) {
    double number = real_of(amount);
    if (amount.kind() == Kind::Text) {
      number = unit == "SECOND" ? number : std::trunc(number);
    } else if (unit != "SECOND") {
      number = std::round(number);
    }
    step.micros = static_cast<std::int64_t>(
        std::llround(number * static_cast<double>(micros)));
  };
  const auto months = [&](std::int64_t count) {
    const double number = amount.kind() == Kind::Text
                              ? std::trunc(real_of(amount))
                              : std::round(real_of(amount));
    step.months = static_cast<std::int64_t>(number) * count;
  };
  if (std::fabs(real_of(amount)) > 1e9) return std::nullopt;
  if (unit == "YEAR")
    months(12);
  else if (unit == "QUARTER")
    months(3);
  else if (unit == "MONTH")
    months(1);
  else if (unit == "WEEK")
    single(7 * kMicrosPerDay);
  else if (unit == "DAY")
    single(kMicrosPerDay);
  else if (unit == "HOUR")
    single(3600 * kSecond);
  else if (unit == "MINUTE")
    single(60 * kSecond);
  else if (unit == "SECOND")
    single(kSecond);
  else if (unit == "MICROSECOND")
    single(1);
  step.has_clock = unit.find("HOUR") != std::string::npos ||
                   unit.find("MINUTE") != std::string::npos ||
                   unit.find("SECOND") != std::string::npos;
  const std::size_t cut = unit.find('_');
  if (cut == std::string::npos) return step;
  const std::string text = text_of(amount);
  std::vector<std::int64_t> numbers;
  bool is_negative = false;
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] == '-' && numbers.empty()) is_negative = true;
    if (text[i] < '0' || text[i] > '9') {
      ++i;
      continue;
    }
    std::int64_t number = 0;
    for (; i < text.size() && text[i] >= '0' && text[i] <= '9'; ++i)
      number = std::min<std::int64_t>(number * 10 + (text[i] - '0'), 1 << 30);
    numbers.push_back(number);
  }
  constexpr std::array<std::string_view, 5> kUnits = {"DAY", "HOUR", "MINUTE",
                                                      "SECOND", "MICROSECOND"};
  constexpr std::array<std::int64_t, 5> kMicros = {
      kMicrosPerDay, 3600 * kSecond, 60 * kSecond, kSecond, 1};
  const std::int64_t sign = is_negative ? -1 : 1;
  if (unit == "YEAR_MONTH") {
    while (numbers.size() < 2) numbers.insert(numbers.begin(), 0);
    step.months = sign * (numbers[0] * 12 + numbers[1]);
    return step;
  }
  const auto index = [&](std::string_view name) {
    return static_cast<std::size_t>(
        std::find(kUnits.begin(), kUnits.end(), name) - kUnits.begin());
  };
  const std::size_t from = index(unit.substr(0, cut));
  const std::size_t to = index(unit.substr(cut + 1));
  if (from >= kUnits.size() || to >= kUnits.size()) return std::nullopt;
  const std::size_t count = to - from + 1;
  if (numbers.size() > count) return std::nullopt;
  while (numbers.size() < count) numbers.insert(numbers.begin(), 0);
  for (std::size_t i = 0; i < count; ++i)
    step.micros += sign * numbers[i] * kMicros[from + i];
  return step;
}

Value later(const Expr& e, std::span<const Value> args, Halt& halt) {
  const auto step = step_of(args[1], args[2].text());
  if (!step) return {};
  const std::int64_t sign =
      static_cast<Function>(e.index) == Function::DateSub ? -1 : 1;
  if (args[0].kind() == Kind::Time) {
    if (step->months != 0) return {};
    return convert(Value::time(args[0].integer() + sign * step->micros), e.type,
                   Conversion::Cast, halt);
  }
  auto moment = moment_of(args[0]);
  if (!moment || moment->is_zero) return {};
  if (step->months != 0) {
    const CivilDay day = civil_day(moment->days);
    const std::int64_t month =
        day.year * 12 + day.month - 1 + sign * step->months;
    if (month < 0 || month >= 10000 * 12) return {};
    const std::int64_t year = month / 12;
    const auto in_year = static_cast<int>(month % 12 + 1);
    moment->days = days_from(year, in_year,
                             std::min(day.day, days_in_month(year, in_year)));
  }
  const DayAndTime split = split_day(moment->days * kMicrosPerDay +
                                     moment->micros + sign * step->micros);
  moment->days = split.days;
  moment->micros = split.micros;
  const CivilDay day = civil_day(moment->days);
  if (day.year < 0 || day.year > 9999) return {};
  if (sort_of(e.type) != Sort::Text) return value_of(*moment, e.type);
  const bool is_date = !moment->has_clock && !step->has_clock;
  const Value value = value_of(*moment, is_date ? kDate : datetime_type(6));
  return Value::text(text_of(value));
}

Value difference(const std::string& unit, const Moment& a, const Moment& b) {
  if (a.is_zero || b.is_zero) return {};
  const std::int64_t x = a.days * kMicrosPerDay + a.micros;
  const std::int64_t y = b.days * kMicrosPerDay + b.micros;
  const std::int64_t micros = y - x;
  if (unit == "MICROSECOND") return integer(micros);
  if (unit == "SECOND") return integer(micros / kSecond);
  if (unit == "MINUTE") return integer(micros / (60 * kSecond));
  if (unit == "HOUR") return integer(micros / (3600 * kSecond));
  if (unit == "DAY") return integer(micros / kMicrosPerDay);
  if (unit == "WEEK") return integer(micros / (7 * kMicrosPerDay));
  const Moment& first = micros < 0 ? b : a;
  const Moment& last = micros < 0 ? a : b;
  const CivilDay from = civil_day(first.days);
  const CivilDay to = civil_day(last.days);
  std::int64_t months = (to.year - from.year) * 12 + to.month - from.month;
  const bool is_short =
      to.day < from.day || (to.day == from.day && last.micros < first.micros);
  if (is_short) --months;
  if (micros < 0) months = -months;
  if (unit == "MONTH") return integer(months);
  if (unit == "QUARTER") return integer(months / 3);
  return integer(months / 12);
}

std::int64_t part_of(const std::string& unit, const Value& value) {
  const auto moment = moment_of(value);
  const CivilDay day =
      moment && !moment->is_zero ? civil_day(moment->days) : CivilDay();
  const std::int64_t clock =
      moment ? moment->micros : clock_of(value).value_or(0);
  const std::int64_t seconds = clock / kSecond;
  const std::int64_t h = seconds / 3600;
  const std::int64_t m = seconds / 60 % 60;
  const std::int64_t s = seconds % 60;
  const std::int64_t f = clock % kSecond;
  if (unit == "YEAR") return day.year;
  if (unit == "QUARTER") return (day.month + 2) / 3;
  if (unit == "MONTH") return day.month;
  if (unit == "WEEK") return week_of(moment->days, 0, false).week;
  if (unit == "DAY") return day.day;
  if (unit == "HOUR") return h;
  if (unit == "MINUTE") return m;
  if (unit == "SECOND") return s;
  if (unit == "MICROSECOND") return f;
  if (unit == "YEAR_MONTH") return day.year * 100 + day.month;
  if (unit == "DAY_HOUR") return day.day * 100 + h;
  if (unit == "DAY_MINUTE") return (day.day * 100 + h) * 100 + m;
  if (unit == "DAY_SECOND") return ((day.day * 100 + h) * 100 + m) * 100 + s;
  if (unit == "HOUR_MINUTE") return h * 100 + m;
  if (unit == "HOUR_SECOND") return (h * 100 + m) * 100 + s;
  return m * 100 + s;
}

Value of_clock(Function function, const Value& value) {
  const auto clock = clock_of(value);
  if (!clock) return {};
  const std::int64_t micros = std::abs(*clock);
  const std::int64_t seconds = micros / kSecond;
  switch (function) {
    case Function::Hour: return integer(seconds / 3600);
    case Function::Minute: return integer(seconds / 60 % 60);
    case Function::Second: return integer(seconds % 60);
    case Function::Microsecond: return integer(micros % kSecond);
    default: return integer(*clock < 0 ? -seconds : seconds);
  }
}

}  // namespace

Value time_call(const Expr& e, std::span<const Value> args, Halt& halt) {
  if (std::any_of(args.begin(), args.end(),
                  [](const Value& v) { return v.is_null(); })) {
    return {};
  }
  const auto function = static_cast<Function>(e.index);
  switch (function) {
    case Function::Hour:
    case Function::Minute:
    case Function::Second:
    case Function::Microsecond:
    case Function::TimeToSec: return of_clock(function, args[0]);
    case Function::DateAdd:
    case Function::DateSub: return later(e, args, halt);
    case Function::StrToDate: {
      const bool has_day =
          args[1].text().find_first_of("decmMbyY") != std::string::npos;
      if (!has_day) return halt.raise_ours("STR_TO_DATE without a date");
      const auto moment = parse_moment(args[0].text(), args[1].text());
      return moment ? value_of(*moment, e.type) : Value();
    }
    case Function::FromDays: {
      Moment moment;
      moment.days = args[0].integer() - kFirstDayOfAll;
      moment.is_zero = args[0].integer() < 366;
      return value_of(moment, e.type);
    }
    case Function::MakeDate: {
      std::int64_t year = args[0].integer();
      const std::int64_t day = args[1].integer();
      if (year < 0 || year > 9999 || day < 1) return {};
      if (year < 100) year += year < 70 ? 2000 : 1900;
      Moment moment;
      moment.days = days_from(year, 1, 1) + day - 1;
      if (civil_day(moment.days).year > 9999) return {};
      return value_of(moment, e.type);
    }
    case Function::FromUnixtime: {
      if (args[0].integer() < 0 || args[0].integer() > 2147483647) return {};
      const DayAndTime split = split_day(args[0].integer() * kSecond +
                                         days_from(1970, 1, 1) * kMicrosPerDay);
      Moment moment;
      moment.days = split.days;
      moment.micros = split.micros;
      return value_of(moment, e.type);
    }
    case Function::SecToTime: {
      const std::int64_t most = 838 * 3600 + 59 * 60 + 59;
      return Value::time(std::clamp(args[0].integer(), -most, most) * kSecond);
    }
    case Function::Extract: {
      if (!moment_of(args[1]) && args[1].kind() != Kind::Time) return {};
      return integer(part_of(args[0].text(), args[1]));
    }
    case Function::TimestampDiff: {
      const auto a = moment_of(args[1]);
      const auto b = moment_of(args[2]);
      return a && b ? difference(args[0].text(), *a, *b) : Value();
    }
    default: break;
  }
  const auto moment = moment_of(args[0]);
  if (!moment) return {};
  const CivilDay day = moment->is_zero ? CivilDay() : civil_day(moment->days);
  switch (function) {
    case Function::Year: return integer(day.year);
    case Function::Month: return integer(day.month);
    case Function::Day: return integer(day.day);
    case Function::Quarter: return integer((day.month + 2) / 3);
    case Function::DateFormat: return formatted(*moment, args[1].text());
    default: break;
  }
  if (moment->is_zero) return {};
  const std::int64_t days = moment->days;
  const std::int64_t mode = args.size() > 1 && args[1].kind() == Kind::Integer
                                ? args[1].integer()
                                : 0;
  switch (function) {
    case Function::DayOfWeek: return integer((weekday(days) + 1) % 7 + 1);
    case Function::Weekday: return integer(weekday(days));
    case Function::DayOfYear: return integer(day_of_year(day, days));
    case Function::Week: return integer(week_of(days, mode, false).week);
    case Function::YearWeek: {
      const YearAndWeek found = week_of(days, mode, true);
      return integer(found.year * 100 + found.week);
    }
    case Function::DayName:
      return Value::text(kDays[static_cast<std::size_t>(weekday(days))]);
    case Function::MonthName:
      return Value::text(kMonths[static_cast<std::size_t>(day.month - 1)]);
    case Function::LastDay: {
      Moment last = *moment;
      last.days += days_in_month(day.year, day.month) - day.day;
      return value_of(last, e.type);
    }
    case Function::ToDays: return integer(days + kFirstDayOfAll);
    case Function::DateDiff: {
      const auto other = moment_of(args[1]);
      if (!other || other->is_zero) return {};
      return integer(days - other->days);
    }
    case Function::UnixTimestamp: {
      const std::int64_t seconds =
          (days - days_from(1970, 1, 1)) * 86400 + moment->micros / kSecond;
      return integer(std::max<std::int64_t>(seconds, 0));
    }
    default: return halt.raise_ours("this function");
  }
}

}  // namespace txscope::sql::mysql
