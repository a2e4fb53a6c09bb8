#include "db/proxy/statements.h"

#include <algorithm>
#include <cctype>

namespace txscope::db {
namespace {

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' ||
         (c & 0x80) != 0;
}

/// Behind the closing quote of a string that begins at `at`.
std::size_t skip_quoted(std::string_view text, std::size_t at,
                        bool has_escapes) {
  const char quote = text[at];
  for (std::size_t i = at + 1; i < text.size(); ++i) {
    if (has_escapes && text[i] == '\\') {
      ++i;
    } else if (text[i] == quote) {
      if (i + 1 >= text.size() || text[i + 1] != quote) return i + 1;
      ++i;
    }
  }
  return text.size();
}

/// Behind a $tag$ ... $tag$; or `at` if there is none.
std::size_t skip_dollar(std::string_view text, std::size_t at) {
  std::size_t end = at + 1;
  while (end < text.size() && is_word(text[end])) ++end;
  const bool is_number =
      end > at + 1 && std::isdigit(static_cast<unsigned char>(text[at + 1]));
  if (end >= text.size() || text[end] != '$' || is_number) return at;
  const std::string_view tag = text.substr(at, end + 1 - at);
  const std::size_t close = text.find(tag, end + 1);
  return close == std::string_view::npos ? text.size() : close + tag.size();
}

std::size_t skip_comment(std::string_view text, std::size_t at) {
  if (text.substr(at, 2) == "--") {
    const std::size_t end = text.find('\n', at);
    return end == std::string_view::npos ? text.size() : end;
  }
  std::size_t depth = 0;
  for (std::size_t i = at; i + 1 < text.size(); ++i) {
    const std::string_view two = text.substr(i, 2);
    if (two == "/*") {
      ++depth;
      ++i;
    } else if (two == "*/") {
      ++i;
      if (--depth == 0) return i + 1;
    }
  }
  return text.size();
}

bool is_comment(std::string_view text, std::size_t at) {
  const std::string_view two = text.substr(at, 2);
  return two == "--" || two == "/*";
}

std::string upper(std::string_view word) {
  std::string result(word);
  for (char& c : result)
    c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return result;
}

std::string_view trimmed(std::string_view text) {
  const char* spaces = " \t\r\n\f\v";
  const std::size_t first = text.find_first_not_of(spaces);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(spaces) + 1 - first);
}

}  // namespace

std::vector<std::string_view> split_statements(std::string_view text) {
  std::vector<std::string_view> result;
  std::size_t begin = 0;
  std::size_t depth = 0;  // of BEGIN ATOMIC and CASE inside of it
  std::string last;
  bool has_text = false;
  const auto close = [&](std::size_t end) {
    if (has_text) result.push_back(trimmed(text.substr(begin, end - begin)));
    begin = end + 1;
    has_text = false;
    last.clear();
  };
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (is_comment(text, i)) {
      i = skip_comment(text, i);
      continue;
    }
    if (std::isspace(static_cast<unsigned char>(c)) != 0) {
      ++i;
      continue;
    }
    if (c == ';' && depth == 0) {
      close(i++);
      continue;
    }
    has_text = true;
    if (c == '\'' || c == '"') {
      i = skip_quoted(text, i, c == '\'' && last == "E");
      last.clear();
      continue;
    }
    const std::size_t behind = c == '$' ? skip_dollar(text, i) : i;
    if (behind != i) {
      i = behind;
      continue;
    }
    if (!is_word(c)) {
      last.clear();
      ++i;
      continue;
    }
    const std::size_t start = i;
    while (i < text.size() && (is_word(text[i]) || text[i] == '$')) ++i;
    const std::string word = upper(text.substr(start, i - start));
    if (word == "ATOMIC" && last == "BEGIN") ++depth;
    if (word == "CASE" && depth > 0) ++depth;
    if (word == "END" && depth > 0) --depth;
    last = word;
  }
  close(text.size());
  return result;
}

std::vector<std::string> first_words(std::string_view text, std::size_t count) {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < text.size() && words.size() < count;) {
    if (is_comment(text, i)) {
      i = skip_comment(text, i);
    } else if (is_word(text[i])) {
      const std::size_t start = i;
      while (i < text.size() && is_word(text[i])) ++i;
      words.push_back(upper(text.substr(start, i - start)));
    } else if (std::isspace(static_cast<unsigned char>(text[i])) != 0 ||
               text[i] == '(' || text[i] == ',') {
      ++i;
    } else {
      break;
    }
  }
  return words;
}

}  // namespace txscope::db
