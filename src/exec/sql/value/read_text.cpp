#include "exec/sql/value/read_text.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "base/ascii.h"
#include "exec/sql/value/range_value.h"
#include "model/sql/value/parse_value.h"

namespace txscope::sql {
namespace {

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && ascii::is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && ascii::is_space(text.back())) text.remove_suffix(1);
  return text;
}

std::size_t skip_digits(std::string_view& text) {
  std::size_t n = 0;
  while (n < text.size() && ascii::is_digit(text[n])) ++n;
  text.remove_prefix(n);
  return n;
}

bool skip_any(std::string_view& text, std::string_view of) {
  if (text.empty() || of.find(text[0]) == std::string_view::npos) return false;
  text.remove_prefix(1);
  return true;
}

bool is_whole_number(std::string_view text) {
  text = trimmed(text);
  skip_any(text, "+-");
  return skip_digits(text) > 0 && text.empty();
}

bool is_number(std::string_view text) {
  text = trimmed(text);
  skip_any(text, "+-");
  std::size_t digits = skip_digits(text);
  if (skip_any(text, ".")) digits += skip_digits(text);
  if (digits == 0) return false;
  if (skip_any(text, "eE")) {
    skip_any(text, "+-");
    if (skip_digits(text) == 0) return false;
  }
  return text.empty();
}

bool is_one_of(std::string_view text, std::string_view words) {
  std::string word = "|";
  for (const char c : trimmed(text)) word += ascii::lower(c);
  return words.find(word + "|") != std::string_view::npos;
}

/// YYYY-MM-DD or YYYY/MM/DD, whether or not there is such a day.
bool is_iso_date(std::string_view text) {
  text = trimmed(text);
  if (skip_digits(text) != 4) return false;
  for (int i = 0; i < 2; ++i) {
    const bool is_next = skip_any(text, "-/");
    const std::size_t digits = skip_digits(text);
    if (!is_next || digits < 1 || digits > 2) return false;
  }
  return text.empty();
}

Value bad_input(const char* sqlstate, const Type& type, const std::string& text,
                Halt& halt) {
  return halt.raise(sqlstate, "invalid input syntax for type " +
                                  to_string(Type{type.name}) + ": \"" + text +
                                  "\"");
}

Value not_held(const Type& type, const std::string& text, Halt& halt) {
  return halt.raise_ours("the " + to_string(Type{type.name}) + " \"" + text +
                         "\"");
}

Value bad_time(const Type& type, const std::string& text, Halt& halt) {
  if (is_iso_date(text))
    return halt.raise("22008",
                      "date/time field value out of range: \"" + text + "\"");
  // There are many formats more, but all have digits or are these words.
  if (std::any_of(text.begin(), text.end(),
                  [](char c) { return ascii::is_digit(c); }) ||
      is_one_of(text,
                "|epoch|infinity|+infinity|-infinity|now|today|tomorrow|"
                "yesterday|allballs|"))
    return not_held(type, text, halt);
  return bad_input("22007", type, text, halt);
}

/// What keeps it from being a range.
Value bad_range(const Type& type, const std::string& text, Halt& halt) {
  const auto parts = split_range(text);
  if (!parts)
    return halt.raise("22P02", "malformed range literal: \"" + text + "\"");
  Range range{parts->is_empty, {}, {}, parts->has_lower, parts->has_upper};
  const auto read = [&](const std::optional<std::string>& bound) {
    return bound ? read_text(Value::text(*bound), element_of(type), halt)
                 : Value();
  };
  range.lower = read(parts->lower);
  if (!halt.is_set()) range.upper = read(parts->upper);
  return halt.is_set() ? Value() : made_range(range, type.element, halt);
}

}  // namespace

Value read_text(const Value& value, const Type& type, Halt& halt) {
  const std::string& text = value.text();
  if (const auto read = parse_value(text, type)) return *read;
  switch (type.name) {
    case TypeName::SmallInt:
    case TypeName::Integer:
    case TypeName::BigInt:
      if (!is_whole_number(text)) break;
      return halt.raise(
          "22003",
          "value \"" + text + "\" is out of range for type " + to_string(type));
    case TypeName::Numeric:
      if (is_number(text) ||
          is_one_of(text, "|nan|inf|+inf|-inf|infinity|+infinity|-infinity|"))
        return not_held(type, text, halt);
      break;
    case TypeName::Date:
    case TypeName::Timestamp:
    case TypeName::TimestampTz:
    case TypeName::Time: return bad_time(type, text, halt);
    case TypeName::Interval: return bad_input("22007", type, text, halt);
    case TypeName::Enum:
      return halt.raise("22P02", "invalid input value for enum " +
                                     to_string(type) + ": \"" + text + "\"");
    case TypeName::Array:
      if (text.find("{{") != std::string::npos)
        return not_held(type, text, halt);
      break;
    case TypeName::Range: return bad_range(type, text, halt);
    default: break;
  }
  return bad_input("22P02", type, text, halt);
}

}  // namespace txscope::sql
