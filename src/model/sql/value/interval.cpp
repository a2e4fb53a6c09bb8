#include "model/sql/value/interval.h"

#include <array>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>

#include "base/ascii.h"
#include "model/sql/value/calendar.h"

namespace txscope::sql {
namespace {

/// The parts of an interval while it is read.
struct Parts {
  double months = 0;
  double days = 0;
  double micros = 0;
};

struct Unit {
  std::string_view name;
  double months;
  double days;
  double micros;
};
constexpr double kSecond = 1e6;
constexpr std::array<Unit, 35> kUnits = {{
    {"microsecond", 0, 0, 1},
    {"microseconds", 0, 0, 1},
    {"us", 0, 0, 1},
    {"millisecond", 0, 0, 1000},
    {"milliseconds", 0, 0, 1000},
    {"ms", 0, 0, 1000},
    {"msec", 0, 0, 1000},
    {"s", 0, 0, kSecond},
    {"sec", 0, 0, kSecond},
    {"secs", 0, 0, kSecond},
    {"second", 0, 0, kSecond},
    {"seconds", 0, 0, kSecond},
    {"m", 0, 0, 60 * kSecond},
    {"min", 0, 0, 60 * kSecond},
    {"mins", 0, 0, 60 * kSecond},
    {"minute", 0, 0, 60 * kSecond},
    {"minutes", 0, 0, 60 * kSecond},
    {"h", 0, 0, 3600 * kSecond},
    {"hr", 0, 0, 3600 * kSecond},
    {"hrs", 0, 0, 3600 * kSecond},
    {"hour", 0, 0, 3600 * kSecond},
    {"hours", 0, 0, 3600 * kSecond},
    {"d", 0, 1, 0},
    {"day", 0, 1, 0},
    {"days", 0, 1, 0},
    {"w", 0, 7, 0},
    {"week", 0, 7, 0},
    {"weeks", 0, 7, 0},
    {"mon", 1, 0, 0},
    {"mons", 1, 0, 0},
    {"month", 1, 0, 0},
    {"months", 1, 0, 0},
    {"y", 12, 0, 0},
    {"year", 12, 0, 0},
    {"years", 12, 0, 0},
}};

/// Fractions go into the smaller units, as PostgreSQL has it; a fraction of a
/// year is rounded to months.
void add_unit(Parts& parts, double count, const Unit& unit) {
  double months = count * unit.months;
  double days = count * unit.days;
  if (unit.months == 12) months = std::round(months);
  const double whole_months = std::trunc(months);
  days += (months - whole_months) * 30;
  const double whole_days = std::trunc(days);
  parts.months += whole_months;
  parts.days += whole_days;
  parts.micros += (days - whole_days) * static_cast<double>(kMicrosPerDay) +
                  count * unit.micros;
}

std::optional<Value> finished(const Parts& parts) {
  constexpr double kMostMicros = 9e18;
  constexpr double kMost = std::numeric_limits<std::int32_t>::max();
  if (std::abs(parts.months) > kMost || std::abs(parts.days) > kMost ||
      std::abs(parts.micros) > kMostMicros)
    return std::nullopt;
  return Value::interval(static_cast<std::int32_t>(parts.months),
                         static_cast<std::int32_t>(parts.days),
                         static_cast<std::int64_t>(std::llround(parts.micros)));
}

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {
    for (char& c : text_) c = ascii::lower(c);
  }

  std::optional<Value> read() {
    skip_spaces();
    if (at_ < text_.size() && text_[at_] == '@') ++at_;
    skip_spaces();
    if (at_ < text_.size() && text_[at_] == 'p' && at_ + 1 < text_.size())
      return iso();
    bool has_any = false;
    while (skip_spaces(), at_ < text_.size()) {
      if (text_.compare(at_, std::string::npos, "ago") == 0 && has_any) {
        parts_ = {-parts_.months, -parts_.days, -parts_.micros};
        return finished(parts_);
      }
      if (!item()) return std::nullopt;
      has_any = true;
    }
    if (!has_any) return std::nullopt;
    return finished(parts_);
  }

 private:
  void skip_spaces() {
    while (at_ < text_.size() &&
           std::isspace(static_cast<unsigned char>(text_[at_])))
      ++at_;
  }
  [[nodiscard]] bool is_digit() const {
    return at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9';
  }
  std::optional<double> number() {
    const std::size_t from = at_;
    if (at_ < text_.size() && (text_[at_] == '-' || text_[at_] == '+')) ++at_;
    bool has_digit = false;
    while (is_digit() || (at_ < text_.size() && text_[at_] == '.')) {
      has_digit |= is_digit();
      ++at_;
    }
    if (!has_digit) return std::nullopt;
    return std::strtod(text_.substr(from, at_ - from).c_str(), nullptr);
  }
  bool item() {
    const bool is_negative = text_[at_] == '-';
    const auto count = number();
    if (!count) return false;
    if (at_ < text_.size() && text_[at_] == ':')
      return clock(*count, is_negative);
    skip_spaces();
    std::string word;
    while (at_ < text_.size() && text_[at_] >= 'a' && text_[at_] <= 'z')
      word += text_[at_++];
    if (word.empty()) {
      if (at_ != text_.size()) return false;
      word = "second";  // a bare number, which ends the text
    }
    return unit(word, *count);
  }
  bool unit(std::string_view word, double count) {
    for (const Unit& known : kUnits) {
      if (known.name != word) continue;
      add_unit(parts_, count, known);
      return true;
    }
    return false;
  }
  bool clock(double hours, bool is_negative) {
    ++at_;
    const auto minutes = number();
    double seconds = 0;
    if (!minutes || *minutes < 0 || *minutes >= 60) return false;
    if (at_ < text_.size() && text_[at_] == ':') {
      ++at_;
      const auto given = number();
      if (!given || *given < 0 || *given >= 60) return false;
      seconds = *given;
    }
    const double all =
        (std::abs(hours) * 3600 + *minutes * 60 + seconds) * kSecond;
    parts_.micros += is_negative ? -all : all;
    return true;
  }
  std::optional<Value> iso() {
    ++at_;
    bool is_time = false;
    while (at_ < text_.size()) {
      if (text_[at_] == 't') {
        is_time = true;
        ++at_;
        continue;
      }
      const auto count = number();
      if (!count || at_ >= text_.size()) return std::nullopt;
      const char letter = text_[at_++];
      const std::string_view word = letter == 'y'              ? "year"
                                    : letter == 'm' && is_time ? "minute"
                                    : letter == 'm'            ? "month"
                                    : letter == 'w'            ? "week"
                                    : letter == 'd'            ? "day"
                                    : letter == 'h'            ? "hour"
                                    : letter == 's'            ? "second"
                                                               : "";
      if (!unit(word, *count)) return std::nullopt;
    }
    return finished(parts_);
  }

  std::string text_;
  std::size_t at_ = 0;
  Parts parts_;
};

}  // namespace

std::optional<Value> parse_interval(std::string_view text) {
  return Reader(text).read();
}

Int128 length_of(const Value& interval) {
  const Int128 days = static_cast<Int128>(interval.months()) * 30 +
                      static_cast<Int128>(interval.days());
  return days * kMicrosPerDay + interval.integer();
}

}  // namespace txscope::sql
