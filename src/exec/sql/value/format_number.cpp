// to_char(number, format): digits (9, 0), a point, commas, FM and a sign, as
// formatting.c of PostgreSQL writes them in the C locale.

#include <string>

#include "exec/sql/builtin/builtin.h"
#include "exec/sql/value/cast.h"
#include "exec/sql/value/numeric.h"

namespace txscope::sql {
namespace {

struct NumberFormat {
  std::string whole;     ///< 9, 0 and commas before the point
  std::string fraction;  ///< 9 and 0 after it
  bool has_point = false;
  bool is_filled = true;  ///< without FM
};

std::optional<NumberFormat> parse_format(std::string_view text) {
  NumberFormat format;
  while (text.starts_with("FM") || text.starts_with("fm")) {
    format.is_filled = false;
    text.remove_prefix(2);
  }
  for (char c : text) {
    if (c == 'D' || c == 'd') c = '.';
    if (c == 'G' || c == 'g') c = ',';
    if (c == '.' && !format.has_point) {
      format.has_point = true;
    } else if (c == '9' || c == '0' || (c == ',' && !format.has_point)) {
      (format.has_point ? format.fraction : format.whole) += c;
    } else {
      return std::nullopt;
    }
  }
  return format;
}

}  // namespace

Value format_number(const Value& number, const std::string& text, Halt& halt) {
  const auto format = parse_format(text);
  if (!format)
    return halt.raise_ours("to_char() with the format '" + text + "'");
  const Value exact =
      cast(number, {TypeName::Numeric}, CastContext::Explicit, halt);
  if (halt.is_set()) return {};
  const auto decimals = static_cast<std::int64_t>(format->fraction.size());
  const Value rounded = round_numeric(exact, decimals, halt);
  if (halt.is_set()) return {};
  std::string digits = to_string(rounded);
  const bool is_negative = digits.starts_with('-');
  if (is_negative) digits.erase(0, 1);
  const std::size_t point = digits.find('.');
  std::string whole = digits.substr(0, point);
  std::string fraction =
      point == std::string::npos ? "" : digits.substr(point + 1);
  if (whole == "0") whole.clear();

  std::size_t places = 0;
  for (const char c : format->whole) places += c != ',' ? 1 : 0;
  const bool is_too_long = whole.size() > places;
  const std::string& pattern = format->whole;
  std::string out;
  std::string blanks;
  bool is_started = false;
  std::size_t left = places;
  const auto start = [&] {
    if (!is_started) out += is_negative ? "-" : format->is_filled ? " " : "";
    is_started = true;
  };
  bool has_zero = false;
  for (const char c : pattern) {
    if (c == ',') {
      if (is_started)
        out += ',';
      else
        blanks += ' ';
      continue;
    }
    has_zero |= c == '0';
    const bool has_digit = is_too_long || left <= whole.size();
    if (has_digit || has_zero) {
      start();
      out += is_too_long ? '#' : has_digit ? whole[whole.size() - left] : '0';
    } else if (left == 1 && whole.empty() && !format->has_point) {
      start();
      out += '0';
    } else {
      blanks += ' ';
    }
    --left;
  }
  if (format->has_point) {
    std::size_t shown = fraction.size();
    if (!format->is_filled && !is_too_long) {
      const std::size_t fixed = format->fraction.rfind('0');
      const std::size_t least = fixed == std::string::npos ? 0 : fixed + 1;
      while (shown > least && fraction[shown - 1] == '0') --shown;
    }
    const bool shows_zero = !is_started && places > 0 && shown == 0;
    start();
    if (shows_zero) out += '0';
    out += '.';
    out += is_too_long ? std::string(shown, '#') : fraction.substr(0, shown);
  }
  start();
  return Value::text(format->is_filled ? blanks + out : out);
}

}  // namespace txscope::sql
