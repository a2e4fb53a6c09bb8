#include "db/lexeme.h"

#include <algorithm>
#include <cctype>

#include "base/ascii.h"

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

/// How long the tag of a dollar quote at `at` is; 0: there is none.
std::size_t tag_length(std::string_view text, std::size_t at) {
  std::size_t end = at + 1;
  while (end < text.size() && is_word(text[end])) ++end;
  const bool is_number =
      end > at + 1 && std::isdigit(static_cast<unsigned char>(text[at + 1]));
  if (end >= text.size() || text[end] != '$' || is_number) return 0;
  return end + 1 - at;
}

std::size_t skip_dollar(std::string_view text, std::size_t at) {
  const std::size_t length = tag_length(text, at);
  if (length == 0) return at;
  const std::string_view tag = text.substr(at, length);
  const std::size_t close = text.find(tag, at + length);
  return close == std::string_view::npos ? text.size() : close + length;
}

/// Block comments nest.
std::size_t skip_comment(std::string_view text, std::size_t at) {
  if (text.substr(at, 2) == "--")
    return std::min(text.find('\n', at), text.size());
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

/// How many letters before a quote belong to it.
std::size_t prefix_length(std::string_view text, std::size_t at) {
  const char first = ascii::upper(text[at]);
  const std::string_view rest = text.substr(at + 1, 2);
  if (first == 'U' && (rest == "&'" || rest == "&\"")) return 2;
  const bool is_letter =
      first == 'E' || first == 'B' || first == 'X' || first == 'N';
  return is_letter && rest.starts_with('\'') ? 1 : 0;
}

Lexeme at_quote(std::string_view sql, std::size_t begin, std::size_t quote) {
  const bool is_text = sql[quote] == '\'';
  const bool has_escapes = is_text && ascii::upper(sql[begin]) == 'E';
  return {is_text ? Lexeme::Kind::Text : Lexeme::Kind::Name,
          sql.substr(begin, skip_quoted(sql, quote, has_escapes) - begin)};
}

Lexeme next(std::string_view sql, std::size_t at) {
  using Kind = Lexeme::Kind;
  const char c = sql[at];
  const auto to = [&](Kind kind, std::size_t end) {
    return Lexeme{kind, sql.substr(at, end - at)};
  };
  if (ascii::is_space(c)) {
    std::size_t end = at;
    while (end < sql.size() && ascii::is_space(sql[end])) ++end;
    return to(Kind::Blank, end);
  }
  const std::string_view two = sql.substr(at, 2);
  if (two == "--" || two == "/*")
    return to(Kind::Comment, skip_comment(sql, at));
  if (c == '\'' || c == '"' || c == '`') return at_quote(sql, at, at);
  if (c == '$')
    if (const std::size_t end = skip_dollar(sql, at); end != at)
      return to(Kind::Dollar, end);
  if (!is_word(c)) return to(Kind::Sign, at + 1);
  if (const std::size_t letters = prefix_length(sql, at); letters > 0)
    return at_quote(sql, at, at + letters);
  std::size_t end = at;
  while (end < sql.size() && (is_word(sql[end]) || sql[end] == '$')) ++end;
  return to(Kind::Word, end);
}

}  // namespace

CodeIn code_in(const std::vector<Lexeme>& statement) {
  std::size_t words = 0;
  bool creates = false;
  for (const Lexeme& one : statement) {
    if (one.is_blank()) continue;
    if (one.kind != Lexeme::Kind::Word || ++words > 4) break;
    if (words == 1 && one.is("DO")) return CodeIn::Block;
    creates |= words == 1 && one.is("CREATE");
    if (creates && (one.is("FUNCTION") || one.is("PROCEDURE")))
      return CodeIn::Definition;
  }
  return CodeIn::None;
}

std::string in_capitals(std::string_view word) {
  std::string result = ascii::upper(word);
  return result;
}

bool Lexeme::is(std::string_view keyword) const {
  return kind == Kind::Word && text.size() == keyword.size() &&
         std::equal(text.begin(), text.end(), keyword.begin(),
                    [](char a, char b) { return ascii::upper(a) == b; });
}

std::string Lexeme::content() const {
  if (kind == Kind::Dollar) {
    const std::size_t tag = tag_length(text, 0);
    const bool is_closed =
        text.size() >= 2 * tag && text.ends_with(text.substr(0, tag));
    return std::string(
        text.substr(tag, text.size() - tag - (is_closed ? tag : 0)));
  }
  if (kind != Kind::Text && kind != Kind::Name) return std::string(text);
  const std::size_t open = text.find_first_of("'\"`");
  const char quote = text[open];
  const bool has_escapes = ascii::upper(text[0]) == 'E' && open == 1;
  std::string result;
  for (std::size_t i = open + 1; i < text.size(); ++i) {
    if (text[i] == quote && ++i >= text.size()) break;
    if (has_escapes && text[i] == '\\' && i + 1 < text.size()) ++i;
    result += text[i];
  }
  return result;
}

std::vector<Lexeme> lexemes(std::string_view sql) {
  std::vector<Lexeme> result;
  for (std::size_t at = 0; at < sql.size(); at += result.back().text.size())
    result.push_back(next(sql, at));
  return result;
}

}  // namespace txscope::db
