// STR_TO_DATE: a text read by a format, from its start; what follows in the
// text does not matter.

#include <array>
#include <cctype>

#include "base/ascii.h"
#include "exec/sql/mysql/convert.h"
#include "model/sql/value/calendar.h"

namespace txscope::sql::mysql {
namespace {

constexpr std::array<std::string_view, 12> kMonthNames = {
    "january", "february", "march",     "april",   "may",      "june",
    "july",    "august",   "september", "october", "november", "december"};

class MomentParser {
 public:
  explicit MomentParser(std::string_view text) : text_(text) {}

  std::optional<Moment> parse(std::string_view format) {
    for (std::size_t i = 0; i < format.size(); ++i) {
      if (format[i] == '%' && i + 1 < format.size()) {
        if (!field(format[++i])) return std::nullopt;
      } else if (!literal(format[i])) {
        return std::nullopt;
      }
    }
    return moment();
  }

 private:
  static bool is_blank(char c) { return c == ' '; }

  void skip_blanks() {
    while (!text_.empty() && is_blank(text_[0])) text_.remove_prefix(1);
  }
  bool literal(char wanted) {
    skip_blanks();
    if (is_blank(wanted)) return true;
    if (text_.empty() || text_[0] != wanted) return false;
    text_.remove_prefix(1);
    return true;
  }
  bool number(std::size_t most, std::int64_t& value) {
    skip_blanks();
    std::size_t digits = 0;
    value = 0;
    while (digits < most && digits < text_.size() &&
           std::isdigit(static_cast<unsigned char>(text_[digits])) != 0)
      value = value * 10 + (text_[digits++] - '0');
    text_.remove_prefix(digits);
    return digits > 0;
  }
  bool year(std::size_t most) {
    const std::size_t before = text_.size();
    if (!number(most, year_)) return false;
    if (before - text_.size() <= 2) year_ += year_ < 70 ? 2000 : 1900;
    return true;
  }
  /// Whole, or its first three letters.
  bool month_name(bool is_short) {
    skip_blanks();
    for (std::size_t m = 0; m < kMonthNames.size(); ++m) {
      const std::string_view name =
          is_short ? kMonthNames[m].substr(0, 3) : kMonthNames[m];
      if (text_.size() < name.size()) continue;
      bool is_it = true;
      for (std::size_t i = 0; i < name.size(); ++i)
        is_it &= ascii::lower(text_[i]) == name[i];
      if (!is_it) continue;
      month_ = static_cast<std::int64_t>(m) + 1;
      text_.remove_prefix(name.size());
      return true;
    }
    return false;
  }
  bool half() {
    skip_blanks();
    if (text_.size() < 2) return false;
    const int letter = ascii::lower(text_[0]);
    if (letter != 'a' && letter != 'p') return false;
    is_afternoon_ = letter == 'p';
    text_.remove_prefix(2);
    return true;
  }
  bool hour_of_half() {
    has_half_ = true;
    return number(2, hour_) && hour_ >= 1 && hour_ <= 12;
  }
  bool fraction() {
    const std::size_t before = text_.size();
    if (!number(6, micros_)) return false;
    for (std::size_t i = before - text_.size(); i < 6; ++i) micros_ *= 10;
    return true;
  }
  bool clock() {
    return number(2, hour_) && literal(':') && number(2, minute_) &&
           literal(':') && number(2, second_);
  }
  bool field(char letter) {
    switch (letter) {
      case 'Y': return year(4);
      case 'y': return year(2);
      case 'm':
      case 'c': return number(2, month_);
      case 'M': return month_name(false);
      case 'b': return month_name(true);
      case 'd':
      case 'e': return number(2, day_);
      case 'H':
      case 'k': return number(2, hour_);
      case 'h':
      case 'I':
      case 'l': return hour_of_half();
      case 'i': return number(2, minute_);
      case 's':
      case 'S': return number(2, second_);
      case 'f': return fraction();
      case 'p': return half();
      case 'T': return clock();
      case '%': return literal('%');
      default: return false;
    }
  }
  [[nodiscard]] std::optional<Moment> moment() const {
    const std::int64_t hour =
        has_half_ ? hour_ % 12 + (is_afternoon_ ? 12 : 0) : hour_;
    const bool is_clock = hour < 24 && minute_ < 60 && second_ < 60;
    const bool is_day = month_ >= 1 && month_ <= 12 && day_ >= 1 &&
                        day_ <= days_in_month(year_, static_cast<int>(month_));
    if (!is_clock || !is_day) return std::nullopt;
    Moment made;
    made.days =
        days_from(year_, static_cast<int>(month_), static_cast<int>(day_));
    made.micros = ((hour * 60 + minute_) * 60 + second_) * 1'000'000 + micros_;
    made.has_clock = true;
    return made;
  }

  std::string_view text_;
  std::int64_t year_ = 0;
  std::int64_t month_ = 0;
  std::int64_t day_ = 0;
  std::int64_t hour_ = 0;
  std::int64_t minute_ = 0;
  std::int64_t second_ = 0;
  std::int64_t micros_ = 0;
  bool has_half_ = false;
  bool is_afternoon_ = false;
};

}  // namespace

std::optional<Moment> parse_moment(std::string_view text,
                                   std::string_view format) {
  return MomentParser(text).parse(format);
}

}  // namespace txscope::sql::mysql
