#include "exec/sql/mysql/convert.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>

#include "exec/sql/value/numeric.h"
#include "exec/sql/value/text.h"
#include "model/sql/value/calendar.h"
#include "model/sql/value/enumeration.h"
#include "model/sql/value/parse_value.h"

namespace txscope::sql::mysql {
namespace {

constexpr Int128 kMostBig = (Int128{1} << 64) - 1;

/// Rounded to a whole number: exact ones away from zero, others to even.
Int128 whole_of(const Value& v, Halt& halt) {
  switch (v.kind()) {
    case Kind::Bool:
    case Kind::Integer:
    case Kind::Enum: return v.integer();
    case Kind::Numeric: return round_numeric(v, 0, halt).digits();
    case Kind::Float: {
      const double number = std::rint(v.real());
      if (!(number > -1e37)) return -(Int128{1} << 120);
      if (number > 1e37) return Int128{1} << 120;
      return static_cast<Int128>(number);
    }
    default: return 0;
  }
}

/// The integer that a text begins with, as CAST reads it: no decimals, no
/// exponent.
Int128 integer_prefix(std::string_view text) {
  std::size_t i = std::min(text.find_first_not_of(" \t\n\r\v\f"), text.size());
  const bool is_negative = i < text.size() && text[i] == '-';
  if (i < text.size() && (text[i] == '-' || text[i] == '+')) ++i;
  Int128 number = 0;
  for (; i < text.size() && text[i] >= '0' && text[i] <= '9'; ++i)
    if (number < (Int128{1} << 100)) number = number * 10 + (text[i] - '0');
  return is_negative ? -number : number;
}

Value misfit(Conversion how, const char* code, std::string message, Value loose,
             Halt& halt) {
  if (how == Conversion::Assign) return halt.raise(code, std::move(message));
  return loose;
}

Value integer_value(Int128 number, const Type& type) {
  return is_big(type) ? Value::numeric(number, 0)
                      : Value::integer(static_cast<std::int64_t>(number));
}

/// CAST(... AS SIGNED) and AS UNSIGNED: 64 bits are taken as they are.
Value wrapped(const Value& v, const Type& type, Halt& halt) {
  const Range range = range_of(type);
  Int128 number = 0;
  bool wraps = true;
  if (v.kind() == Kind::Text) {
    number = integer_prefix(v.text());
    number = std::clamp(number, range_of(integer_type(8)).low, kMostBig);
  } else {
    number = whole_of(v, halt);
    const bool is_integer = v.kind() == Kind::Integer ||
                            v.kind() == Kind::Bool ||
                            (v.kind() == Kind::Numeric && v.scale() == 0);
    wraps = is_integer && number >= range_of(integer_type(8)).low &&
            number <= kMostBig;
  }
  if (!wraps) number = std::clamp(number, range.low, range.high);
  if (number < 0 && is_unsigned(type)) number += kMostBig + 1;
  if (number > range.high && !is_unsigned(type)) number -= kMostBig + 1;
  return integer_value(std::clamp(number, range.low, range.high), type);
}

Value to_integer(const Value& v, const Type& type, Conversion how, Halt& halt) {
  if (how == Conversion::Cast && (type.size == 8 || is_big(type)))
    return wrapped(v, type, halt);
  const Range range = range_of(type);
  Int128 number = 0;
  if (v.kind() == Kind::Text) {
    const Leading found = leading(v.text());
    if (!found.exists() && how == Conversion::Assign) {
      return halt.raise("1366", "Incorrect integer value: '" + v.text() + "'");
    }
    if (!found.is_whole() && how == Conversion::Assign)
      return halt.raise("1265", "Data truncated for column");
    const auto exact = parse_value(found.digits, TypeName::Numeric);
    number = exact ? whole_of(*exact, halt)
                   : whole_of(Value::real(found.number), halt);
  } else {
    number = whole_of(v, halt);
  }
  if (halt.is_set()) return {};
  const Int128 kept = std::clamp(number, range.low, range.high);
  if (kept != number) {
    return misfit(how, "22003", "Out of range value for column",
                  integer_value(kept, type), halt);
  }
  return integer_value(number, type);
}

Int128 power_of_ten(unsigned exponent) {
  Int128 power = 1;
  for (unsigned i = 0; i < exponent; ++i) power *= 10;
  return power;
}

Value to_decimal(const Value& v, const Type& type, Conversion how, Halt& halt) {
  if (v.kind() == Kind::Text && how == Conversion::Assign) {
    const Leading found = leading(v.text());
    if (!found.exists())
      return halt.raise("1366", "Incorrect decimal value: '" + v.text() + "'");
    if (!found.is_whole())
      return halt.raise("1265", "Data truncated for column");
  }
  const Value exact = exact_of(v, halt);
  if (halt.is_set()) return {};
  Value number = round_numeric(exact, type.scale, halt);
  // Trailing zeros belong to the value.
  if (number.scale() < type.scale)
    number = add_numeric(number, Value::numeric(0, type.scale), halt);
  if (halt.is_set()) return {};
  if (is_unsigned(type) && number.digits() < 0) {
    return misfit(how, "22003", "Out of range value for column",
                  Value::numeric(0, type.scale), halt);
  }
  if (type.size == 0 || type.size > 37) return number;
  const Int128 most = power_of_ten(type.size) - 1;
  if (number.digits() > most || number.digits() < -most) {
    return misfit(
        how, "22003", "Out of range value for column",
        Value::numeric(number.digits() < 0 ? -most : most, type.scale), halt);
  }
  return number;
}

Value to_real(const Value& v, const Type& type, Conversion how, Halt& halt) {
  if (v.kind() == Kind::Text && how == Conversion::Assign) {
    const Leading found = leading(v.text());
    if (!found.exists() && !v.text().empty())
      return halt.raise("1366", "Incorrect double value: '" + v.text() + "'");
    if (!found.is_whole())
      return halt.raise("1265", "Data truncated for column");
  }
  return Value::real(real_of(v), type.name == TypeName::Real);
}

Value to_text(const Value& v, const Type& type, Conversion how, Halt& halt) {
  std::string text = text_of(v);
  if (type.name == TypeName::Char && type.of != kBinary)
    text.resize(text.find_last_not_of(' ') + 1);
  const bool is_limited = type.name != TypeName::Text && type.size != 0;
  if (is_limited && length(text) > type.size) {
    const Value cut = fit_text(Value::text(text), type.size, true, halt);
    const std::string_view rest =
        std::string_view(text).substr(cut.text().size());
    // Spaces may be lost.
    if (rest.find_first_not_of(' ') != rest.npos && how == Conversion::Assign)
      return halt.raise("22001", "Data too long for column");
    text = cut.text();
  }
  return Value::text(text).collated(type.of);
}

Value to_enum(const Value& v, const Type& type, Conversion how, Halt& halt) {
  if (v.kind() == Kind::Enum && v.scale() == type.of) return v;
  const auto& labels = enumeration(type.of).labels;
  const std::string text = text_of(v);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const bool is_it = v.kind() == Kind::Text || v.kind() == Kind::Enum
                           ? compare_texts(labels[i], text, kGeneralCi) == 0
                           : text == std::to_string(i + 1);
    if (is_it)
      return Value::enumerated(type.of, static_cast<std::uint32_t>(i),
                               labels[i]);
  }
  return misfit(how, "1265", "Data truncated for column",
                Value::enumerated(type.of, 0xffff, ""), halt);
}

Value to_moment(const Value& v, const Type& type, Conversion how, Halt& halt) {
  if (type.name == TypeName::Time) {
    const auto clock = clock_of(v);
    if (!clock)
      return misfit(how, "1292", "Incorrect time value: '" + text_of(v) + "'",
                    how == Conversion::Cast ? Value() : Value::time(0), halt);
    const unsigned digits = type.size == 0 ? 6 : type.size - 1u;
    std::int64_t unit = 1;
    for (unsigned i = digits; i < 6; ++i) unit *= 10;
    return Value::time(*clock / unit * unit);
  }
  auto moment = moment_of(v);
  if (!moment) {
    Moment zero;
    zero.is_zero = true;
    return misfit(how, "1292",
                  std::string("Incorrect ") +
                      (type.name == TypeName::Date ? "date" : "datetime") +
                      " value: '" + text_of(v) + "'",
                  how == Conversion::Cast ? Value() : value_of(zero, type),
                  halt);
  }
  return value_of(*moment, type);
}

}  // namespace

Leading leading(std::string_view text, bool with_exponent) {
  Leading out;
  const std::size_t start =
      std::min(text.find_first_not_of(" \t\n\r\v\f"), text.size());
  std::size_t end = start;
  const auto skip_digits = [&] {
    const std::size_t from = end;
    while (end < text.size() && text[end] >= '0' && text[end] <= '9') ++end;
    return end - from;
  };
  if (end < text.size() && (text[end] == '-' || text[end] == '+')) ++end;
  std::size_t digits = skip_digits();
  if (end < text.size() && text[end] == '.') {
    ++end;
    digits += skip_digits();
  }
  if (digits == 0) {
    out.rest = text.substr(start);
    return out;
  }
  if (with_exponent && end < text.size() &&
      (text[end] == 'e' || text[end] == 'E')) {
    const std::size_t before = end++;
    if (end < text.size() && (text[end] == '-' || text[end] == '+')) ++end;
    if (skip_digits() == 0) end = before;
  }
  out.digits = text.substr(start, end - start);
  out.rest = text.substr(end);
  out.number = std::strtod(std::string(out.digits).c_str(), nullptr);
  if (std::isinf(out.number))
    out.number = std::copysign(std::numeric_limits<double>::max(), out.number);
  return out;
}

double real_of(const Value& value) {
  switch (value.kind()) {
    case Kind::Float: return value.real();
    case Kind::Bool:
    case Kind::Integer: return static_cast<double>(value.integer());
    case Kind::Enum: return static_cast<double>(value.integer() + 1);
    case Kind::Numeric: return std::strtod(to_string(value).c_str(), nullptr);
    case Kind::Text: return leading(value.text()).number;
    case Kind::Date:
    case Kind::Timestamp:
    case Kind::Time: {
      Halt none;
      return std::strtod(to_string(exact_of(value, none)).c_str(), nullptr);
    }
    default: return 0;
  }
}

Value exact_of(const Value& value, Halt& halt) {
  switch (value.kind()) {
    case Kind::Numeric: return value;
    case Kind::Bool:
    case Kind::Integer: return Value::numeric(value.integer(), 0);
    case Kind::Enum: return Value::numeric(value.integer() + 1, 0);
    case Kind::Float: {
      if (std::fabs(value.real()) >= 1e37)
        return halt.raise_ours("a number of more than 37 digits");
      std::array<char, 400> text{};
      const auto end = std::to_chars(text.data(), text.data() + text.size(),
                                     value.real(), std::chars_format::fixed);
      std::string_view digits(text.data(),
                              static_cast<std::size_t>(end.ptr - text.data()));
      const std::size_t point = digits.find('.');
      if (point != digits.npos && digits.size() - point > 31)
        digits = digits.substr(0, point + 31);
      return parse_value(digits, TypeName::Numeric)
          .value_or(Value::numeric(0, 0));
    }
    case Kind::Text: {
      const Leading found = leading(value.text());
      if (!found.exists()) return Value::numeric(0, 0);
      if (const auto plain = parse_value(found.digits, TypeName::Numeric))
        return *plain;
      return exact_of(Value::real(found.number), halt);
    }
    case Kind::Date:
    case Kind::Timestamp: {
      const auto moment = moment_of(value);
      if (!moment || moment->is_zero) return Value::numeric(0, 0);
      const CivilDay day = civil_day(moment->days);
      Int128 number = day.year * 10000 + day.month * 100 + day.day;
      if (value.kind() == Kind::Date) return Value::numeric(number, 0);
      const std::int64_t seconds = moment->micros / 1'000'000;
      number = number * 1'000'000 + seconds / 3600 * 10000 +
               seconds / 60 % 60 * 100 + seconds % 60;
      return Value::numeric(number * 1'000'000 + moment->micros % 1'000'000, 6);
    }
    case Kind::Time: {
      const bool is_negative = value.integer() < 0;
      const std::int64_t micros = std::abs(value.integer());
      const std::int64_t seconds = micros / 1'000'000;
      const Int128 number =
          seconds / 3600 * 10000 + seconds / 60 % 60 * 100 + seconds % 60;
      const Int128 all = number * 1'000'000 + micros % 1'000'000;
      return Value::numeric(is_negative ? -all : all, 6);
    }
    default: return Value::numeric(0, 0);
  }
}

std::uint64_t bits_of(const Value& value, Halt& halt) {
  // Reals, and texts that are none of integers, away from zero.
  const auto clamped = [](Int128 number) {
    return static_cast<std::uint64_t>(
        std::clamp(number, range_of(integer_type(8)).low, kMostBig));
  };
  if (value.kind() == Kind::Text || value.kind() == Kind::Float) {
    const bool is_text = value.kind() == Kind::Text;
    if (is_text &&
        leading(value.text()).digits.find_first_of(".eE") == std::string::npos)
      return clamped(integer_prefix(value.text()));
    const double number = std::round(real_of(value));
    return clamped(number > 1e30    ? Int128{1} << 100
                   : number < -1e30 ? -(Int128{1} << 100)
                                    : static_cast<Int128>(number));
  }
  const Value number = value.kind() >= Kind::Date && value.kind() <= Kind::Time
                           ? exact_of(value, halt)
                           : value;
  const Int128 whole = whole_of(number, halt);
  return static_cast<std::uint64_t>(
      std::clamp(whole, range_of(integer_type(8)).low, kMostBig));
}

std::uint64_t places_of(const Value& value, Halt& halt) {
  if (value.kind() == Kind::Text)
    return static_cast<std::uint64_t>(integer_prefix(value.text()));
  if (value.kind() == Kind::Float)
    return static_cast<std::uint64_t>(whole_of(value, halt));
  return bits_of(value, halt);
}

Value convert(const Value& value, const Type& type, Conversion how,
              Halt& halt) {
  if (value.is_null() || halt.is_set()) return value;
  // A moment among numbers is its digits.
  const bool is_moment = value.kind() == Kind::Date ||
                         value.kind() == Kind::Timestamp ||
                         value.kind() == Kind::Time;
  const Sort want = sort_of(type);
  const Value v = is_moment && is_number(want) ? exact_of(value, halt)
                  : value.kind() == Kind::Enum && is_number(want)
                      ? Value::integer(value.integer() + 1)
                      : value;
  switch (want) {
    case Sort::Integer:
      if (type.name == TypeName::Boolean)
        return Value::boolean(real_of(v) != 0);
      return to_integer(v, type, how, halt);
    case Sort::Decimal: return to_decimal(v, type, how, halt);
    case Sort::Real: return to_real(v, type, how, halt);
    case Sort::Text:
      if (type.name == TypeName::Enum) return to_enum(v, type, how, halt);
      return to_text(v, type, how, halt);
    case Sort::Date:
    case Sort::DateTime:
    case Sort::Time: return to_moment(v, type, how, halt);
    case Sort::Null:
    case Sort::Other: break;
  }
  if (kind_of(type.name) == v.kind()) return v;
  return halt.raise_ours("a conversion to " + to_string(type));
}

}  // namespace txscope::sql::mysql
