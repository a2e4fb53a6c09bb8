// Ranges as PostgreSQL reads and shows them.

#include "base/ascii.h"
#include "model/sql/value/range.h"

namespace txscope::sql {
namespace {

std::string_view without_blanks(std::string_view text) {
  while (!text.empty() && ascii::is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && ascii::is_space(text.back())) text.remove_suffix(1);
  return text;
}

/// A bound up to a comma or a bracket; nothing there: none.
bool take_bound(std::string_view& text, std::optional<std::string>& bound) {
  bool is_quoted = false;
  for (; !text.empty(); text.remove_prefix(1)) {
    char c = text[0];
    if (!is_quoted && (c == ',' || c == ')' || c == ']')) return true;
    if (!is_quoted && (c == '(' || c == '[')) return false;
    if (!bound) bound = "";
    if (c == '"') {
      const bool is_double = is_quoted && text.size() > 1 && text[1] == '"';
      if (!is_double) {
        is_quoted = !is_quoted;
        continue;
      }
      text.remove_prefix(1);
    } else if (c == '\\') {
      text.remove_prefix(1);
      if (text.empty()) return false;
      c = text[0];
    }
    *bound += c;
  }
  return false;
}

std::string bound_text(const Value& bound) {
  if (bound.is_null()) return "";
  const std::string text = to_string(bound);
  if (text.find_first_of("\"\\()[], \t\n\r\v\f") == std::string::npos)
    return text;
  return '"' + text + '"';  // numbers and times have no quotes themselves
}

}  // namespace

std::optional<RangeText> split_range(std::string_view text) {
  text = without_blanks(text);
  RangeText range;
  std::string word(text);
  for (char& c : word) c = static_cast<char>(c | 0x20);
  if (word == "empty") {
    range.is_empty = true;
    return range;
  }
  if (text.empty() || (text[0] != '[' && text[0] != '(')) return std::nullopt;
  range.has_lower = text[0] == '[';
  text.remove_prefix(1);
  if (!take_bound(text, range.lower) || text[0] != ',') return std::nullopt;
  text.remove_prefix(1);
  if (!take_bound(text, range.upper) || text[0] == ',' || text.size() != 1)
    return std::nullopt;
  range.has_upper = text[0] == ']';
  return range;
}

std::string range_text(const Value& value) {
  const Range range = range_of(value);
  if (range.is_empty) return "empty";
  return (range.has_lower ? "[" : "(") + bound_text(range.lower) + "," +
         bound_text(range.upper) + (range.has_upper ? "]" : ")");
}

}  // namespace txscope::sql
