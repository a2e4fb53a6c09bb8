#include "read/sql/text/quotes.h"

#include <algorithm>

namespace txscope::sql {

std::optional<std::string> unquoted(std::string_view token) {
  if (token.starts_with('$')) {
    const std::size_t quote = token.find('$', 1) + 1;
    return std::string(token.substr(quote, token.size() - 2 * quote));
  }
  const bool has_escapes = token.starts_with('E') || token.starts_with('e');
  if (has_escapes) token.remove_prefix(1);
  if (!token.starts_with('\'')) return std::nullopt;
  token = token.substr(1, token.size() - 2);
  if (has_escapes && token.find('\\') != std::string_view::npos) {
    return std::nullopt;
  }
  std::string text;
  for (std::size_t i = 0; i < token.size(); ++i) {
    text += token[i];
    if (token[i] == '\'') ++i;  // doubled
  }
  return text;
}

std::string name_in_quotes(std::string_view name) {
  const bool is_plain =
      !name.empty() && !(name[0] >= '0' && name[0] <= '9') &&
      std::all_of(name.begin(), name.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
      });
  if (is_plain) return std::string(name);
  std::string text = "\"";
  for (const char c : name) {
    text += c;
    if (c == '"') text += c;
  }
  return text + "\"";
}

std::string value_in_quotes(std::string_view value) {
  std::string text = "'";
  for (const char c : value) {
    text += c;
    if (c == '\'') text += c;
  }
  return text + "'";
}

}  // namespace txscope::sql
