// Dates and times as MySQL reads and writes them.

#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "base/ascii.h"
#include "exec/sql/mysql/convert.h"
#include "exec/sql/value/numeric.h"
#include "model/sql/value/calendar.h"

namespace txscope::sql::mysql {
namespace {

/// 0000-00-00: a day before all others.
constexpr std::int64_t kZeroDay = -800'000;

std::optional<Moment> checked(std::int64_t year, std::int64_t month,
                              std::int64_t day, std::int64_t micros) {
  Moment moment;
  if (year == 0 && month == 0 && day == 0 && micros == 0) {
    moment.is_zero = true;
    return moment;
  }
  if (month < 1 || month > 12 || day < 1 || year < 0 || year > 9999 ||
      day > days_in_month(year, static_cast<int>(month))) {
    return std::nullopt;
  }
  moment.days = days_from(year, static_cast<int>(month), static_cast<int>(day));
  moment.micros = micros;
  return moment;
}

std::int64_t full_year(std::int64_t year) {
  return year < 70 ? year + 2000 : year + 1900;
}

/// Numbers and the fraction behind the last one.
struct Fields {
  std::vector<std::int64_t> numbers;
  std::vector<std::size_t> widths;
  std::int64_t micros = 0;
  bool is_clean = true;  ///< nothing else behind
};

std::int64_t fraction(std::string_view text, std::size_t& at) {
  std::int64_t micros = 0;
  std::int64_t unit = 100'000;
  for (++at; at < text.size() && ascii::is_digit(text[at]); ++at, unit /= 10)
    micros += (text[at] - '0') * unit;
  return micros;
}

Fields fields_of(std::string_view text, std::size_t most) {
  Fields out;
  std::size_t at = 0;
  while (at < text.size() && ascii::is_space(text[at])) ++at;
  while (at < text.size() && ascii::is_digit(text[at]) &&
         out.numbers.size() < most) {
    const std::size_t from = at;
    std::int64_t number = 0;
    for (; at < text.size() && ascii::is_digit(text[at]); ++at)
      if (number < 1'000'000'000'000'000)
        number = number * 10 + (text[at] - '0');
    out.numbers.push_back(number);
    out.widths.push_back(at - from);
    if (at < text.size() && text[at] == '.' &&
        (out.numbers.size() == 6 || out.numbers.size() == 1)) {
      const bool is_fraction = out.numbers.size() == 6 || out.widths[0] >= 12;
      if (is_fraction) {
        out.micros = fraction(text, at);
        break;
      }
    }
    const std::size_t before = at;
    while (at < text.size() && !ascii::is_digit(text[at]) &&
           (ascii::is_space(text[at]) ||
            std::ispunct(static_cast<unsigned char>(text[at])) != 0 ||
            (text[at] == 'T' && out.numbers.size() == 3))) {
      ++at;
    }
    if (at == text.size() || !ascii::is_digit(text[at])) {
      at = before;
      break;
    }
  }
  while (at < text.size() && ascii::is_space(text[at])) ++at;
  out.is_clean = at == text.size();
  return out;
}

std::optional<Moment> packed_moment(std::int64_t number, std::size_t width,
                                    std::int64_t micros) {
  const auto clocked = [&](std::int64_t date, std::int64_t clock) {
    const std::int64_t h = clock / 10000;
    const std::int64_t m = clock / 100 % 100;
    const std::int64_t s = clock % 100;
    std::int64_t year = date / 10000;
    if (width <= 6 || width == 12) year = full_year(year);
    if (h > 23 || m > 59 || s > 59) return std::optional<Moment>();
    auto found = checked(year, date / 100 % 100, date % 100,
                         ((h * 60 + m) * 60 + s) * 1'000'000 + micros);
    if (found) found->has_clock = width > 8;
    return found;
  };
  if (width == 12 || width == 14)
    return clocked(number / 1'000'000, number % 1'000'000);
  if (width <= 8) return clocked(number, 0);
  return std::nullopt;
}

std::optional<Moment> read_moment(std::string_view text) {
  const Fields fields = fields_of(text, 6);
  const auto& n = fields.numbers;
  if (n.empty()) return std::nullopt;
  if (n.size() == 1) {
    const std::size_t width = fields.widths[0];
    if (width < 5) return std::nullopt;
    return packed_moment(n[0], width, fields.micros);
  }
  if (n.size() < 3) return std::nullopt;
  const auto part = [&](std::size_t i) { return i < n.size() ? n[i] : 0; };
  if (part(3) > 23 || part(4) > 59 || part(5) > 59) return std::nullopt;
  std::int64_t year = n[0];
  if (fields.widths[0] <= 2 && !(n[0] == 0 && n[1] == 0 && n[2] == 0))
    year = full_year(year);
  auto found = checked(
      year, n[1], n[2],
      ((part(3) * 60 + part(4)) * 60 + part(5)) * 1'000'000 + fields.micros);
  if (found) found->has_clock = n.size() > 3;
  return found;
}

constexpr std::int64_t kLongestTime =
    ((838LL * 60 + 59) * 60 + 59) * 1'000'000 + 999'999;

std::optional<std::int64_t> packed_clock(std::int64_t number,
                                         std::int64_t micros) {
  const std::int64_t h = number / 10000;
  const std::int64_t m = number / 100 % 100;
  const std::int64_t s = number % 100;
  if (m > 59 || s > 59) return std::nullopt;
  return std::min(((h * 60 + m) * 60 + s) * 1'000'000 + micros, kLongestTime);
}

std::optional<std::int64_t> read_clock(std::string_view text) {
  while (!text.empty() && ascii::is_space(text.front())) text.remove_prefix(1);
  const bool is_negative = !text.empty() && text.front() == '-';
  if (is_negative) text.remove_prefix(1);
  std::size_t at = 0;
  std::int64_t days = 0;
  std::vector<std::int64_t> n;
  std::int64_t micros = 0;
  while (at < text.size() && ascii::is_digit(text[at]) && n.size() < 3) {
    std::int64_t number = 0;
    for (; at < text.size() && ascii::is_digit(text[at]); ++at)
      if (number < 1'000'000'000'000) number = number * 10 + (text[at] - '0');
    if (n.empty() && days == 0 && at + 1 < text.size() && text[at] == ' ' &&
        ascii::is_digit(text[at + 1])) {
      days = number;
      ++at;
      continue;
    }
    n.push_back(number);
    if (at < text.size() && text[at] == '.') {
      micros = fraction(text, at);
      break;
    }
    if (at >= text.size() || text[at] != ':') break;
    ++at;
  }
  if (n.empty()) return std::nullopt;
  std::optional<std::int64_t> clock;
  if (n.size() == 1 && days == 0) {
    clock = packed_clock(n[0], micros);
  } else {
    const std::int64_t m = n.size() > 1 ? n[1] : 0;
    const std::int64_t s = n.size() > 2 ? n[2] : 0;
    if (m > 59 || s > 59) return std::nullopt;
    clock =
        std::min((((days * 24 + n[0]) * 60 + m) * 60 + s) * 1'000'000 + micros,
                 kLongestTime);
  }
  if (clock && is_negative) clock = -*clock;
  return clock;
}

std::string two(std::int64_t number) {
  return (number < 10 ? "0" : "") + std::to_string(number);
}

std::string clock_text(std::int64_t micros, unsigned digits) {
  const std::int64_t rest = std::abs(micros);
  const std::int64_t seconds = rest / 1'000'000;
  std::string text = (micros < 0 ? "-" : "") + two(seconds / 3600) + ":" +
                     two(seconds / 60 % 60) + ":" + two(seconds % 60);
  if (digits == 0) return text;
  std::string fraction = std::to_string(1'000'000 + rest % 1'000'000).substr(1);
  return text + "." + fraction.substr(0, digits);
}

/// As few decimals of a second as show it.
unsigned digits_shown(std::int64_t micros) {
  return micros % 1'000'000 == 0 ? 0 : 6;
}

std::string date_text(const Moment& moment) {
  if (moment.is_zero) return "0000-00-00";
  const CivilDay day = civil_day(moment.days);
  std::array<char, 48> text{};
  std::snprintf(text.data(), text.size(), "%04lld-%02d-%02d",
                static_cast<long long>(day.year), day.month, day.day);
  return text.data();
}

std::string moment_text(const Value& value, std::optional<unsigned> digits) {
  if (value.kind() == Kind::Time) {
    return clock_text(value.integer(),
                      digits.value_or(digits_shown(value.integer())));
  }
  const Moment moment = *moment_of(value);
  std::string text = date_text(moment);
  if (value.kind() == Kind::Date) return text;
  return text + " " +
         clock_text(moment.micros,
                    digits.value_or(digits_shown(moment.micros)));
}

}  // namespace

std::optional<Moment> moment_of(const Value& value) {
  switch (value.kind()) {
    case Kind::Date: {
      Moment moment;
      moment.days = value.integer();
      moment.is_zero = moment.days == kZeroDay;
      return moment;
    }
    case Kind::Timestamp:
    case Kind::TimestampTz: {
      const DayAndTime split = split_day(value.integer());
      Moment moment;
      moment.days = split.days;
      moment.micros = split.micros;
      moment.is_zero = split.days == kZeroDay;
      moment.has_clock = true;
      return moment;
    }
    case Kind::Text:
    case Kind::Enum: return read_moment(value.text());
    case Kind::Bool:
    case Kind::Integer:
    case Kind::Numeric:
    case Kind::Float: {
      const double number = real_of(value);
      if (number < 0 || number > 99991231235960.0) return std::nullopt;
      const auto whole = static_cast<std::int64_t>(number);
      if (whole == 0) return checked(0, 0, 0, 0);
      std::int64_t micros = 0;
      if (value.kind() == Kind::Numeric && value.scale() > 0) {
        Halt none;
        const Value six = round_numeric(value, 6, none);
        Int128 digits = six.digits();
        for (unsigned s = six.scale(); s < 6; ++s) digits *= 10;
        micros = static_cast<std::int64_t>(digits % 1'000'000);
      }
      const std::size_t width = std::to_string(whole).size();
      if (width < 3) return std::nullopt;
      return packed_moment(whole,
                           width <= 6    ? 6
                           : width <= 8  ? 8
                           : width <= 12 ? 12
                                         : 14,
                           micros);
    }
    default: return std::nullopt;
  }
}

std::optional<std::int64_t> clock_of(const Value& value) {
  switch (value.kind()) {
    case Kind::Time: return value.integer();
    case Kind::Date: return 0;
    case Kind::Timestamp:
    case Kind::TimestampTz: return split_day(value.integer()).micros;
    case Kind::Text:
    case Kind::Enum: {
      // What has a date before it is a moment.
      const std::string& text = value.text();
      if (text.find('-', 1) != std::string::npos &&
          text.find(':') != std::string::npos) {
        const auto moment = read_moment(text);
        if (!moment) return std::nullopt;
        return moment->micros;
      }
      return read_clock(text);
    }
    case Kind::Bool:
    case Kind::Integer:
    case Kind::Numeric:
    case Kind::Float: {
      const double number = real_of(value);
      if (std::fabs(number) > 8385959) {
        const auto moment = moment_of(value);
        if (!moment) return std::nullopt;
        return moment->micros;
      }
      const auto whole = static_cast<std::int64_t>(std::fabs(number));
      const auto micros = static_cast<std::int64_t>(
          std::llround((std::fabs(number) - static_cast<double>(whole)) * 1e6));
      auto clock = packed_clock(whole, micros);
      if (clock && number < 0) clock = -*clock;
      return clock;
    }
    default: return std::nullopt;
  }
}

// Decimals of a second that the type has not are cut off.
Value value_of(const Moment& moment, const Type& type) {
  const std::int64_t days = moment.is_zero ? kZeroDay : moment.days;
  if (type.name == TypeName::Date) return Value::date(days);
  const unsigned digits = type.size == 0 ? 6 : type.size - 1u;
  std::int64_t unit = 1;
  for (unsigned i = digits; i < 6; ++i) unit *= 10;
  const std::int64_t micros =
      days * kMicrosPerDay + moment.micros / unit * unit;
  return type.name == TypeName::TimestampTz ? Value::timestamptz(micros)
                                            : Value::timestamp(micros);
}

// my_gcvt of the server: as few digits as read back as the same, with an
// exponent where that is shorter.
static std::string real_text(double number) {
  if (number == 0) return "0";
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.17e", number);
  for (int precision = 0; precision < 17; ++precision) {
    std::array<char, 64> shorter{};
    std::snprintf(shorter.data(), shorter.size(), "%.*e", precision, number);
    if (std::strtod(shorter.data(), nullptr) != number) continue;
    text = shorter;
    break;
  }
  std::string_view all = text.data();
  const bool is_negative = all[0] == '-';
  if (is_negative) all.remove_prefix(1);
  const std::size_t e = all.find('e');
  std::string digits(1, all[0]);
  if (e > 2) digits += all.substr(2, e - 2);
  const int exponent = std::atoi(std::string(all.substr(e + 1)).c_str());
  const int point = exponent + 1;
  const int length = static_cast<int>(digits.size());
  const bool is_fixed =
      point <= 0 ? point > -15 : point <= 15 || length > point;
  std::string out;
  if (!is_fixed) {
    out = digits.substr(0, 1);
    if (length > 1) out += "." + digits.substr(1);
    out += "e" + std::to_string(exponent);
  } else if (point <= 0) {
    out = "0." + std::string(static_cast<std::size_t>(-point), '0') + digits;
  } else if (length <= point) {
    out = digits + std::string(static_cast<std::size_t>(point - length), '0');
  } else {
    out = digits.substr(0, static_cast<std::size_t>(point)) + "." +
          digits.substr(static_cast<std::size_t>(point));
  }
  return is_negative ? "-" + out : out;
}

std::string text_of(const Value& value) {
  switch (value.kind()) {
    case Kind::Bool: return value.is_true() ? "1" : "0";
    case Kind::Float: return real_text(value.real());
    case Kind::Date:
    case Kind::Timestamp:
    case Kind::TimestampTz:
    case Kind::Time: return moment_text(value, std::nullopt);
    default: return to_string(value);
  }
}

std::string text_of(const Value& value, const Type& type) {
  switch (value.kind()) {
    case Kind::Timestamp:
    case Kind::TimestampTz:
    case Kind::Time: return moment_text(value, decimals_of(type));
    case Kind::Integer:
    case Kind::Numeric: {
      if (sort_of(type) != Sort::Decimal) break;
      Halt none;
      const Value shown =
          convert(value, decimal_type(0, type.scale), Conversion::Cast, none);
      return none.is_set() ? to_string(value) : to_string(shown);
    }
    default: break;
  }
  return text_of(value);
}

}  // namespace txscope::sql::mysql
