#include "read/sql/text/constant_rows.h"

#include <algorithm>
#include <cctype>

namespace txscope::sql {
namespace {

constexpr std::size_t kManyRows = 20;
constexpr std::size_t kNowhere = std::string_view::npos;

bool is_blank_char(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f';
}
bool is_of_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' ||
         c == '$' || static_cast<unsigned char>(c) >= 0x80;
}
char char_at(std::string_view text, std::size_t i) {
  return i < text.size() ? text[i] : '\0';
}
std::size_t skip_space(std::string_view text, std::size_t i) {
  while (i < text.size() && is_blank_char(text[i])) ++i;
  return i;
}

/// Behind this keyword, or nothing.
std::size_t after_word(std::string_view text, std::size_t i,
                       std::string_view word) {
  for (const char c : word)
    if ((char_at(text, i++) | ' ') != c) return kNowhere;
  return is_of_word(char_at(text, i)) ? kNowhere : i;
}

/// Behind 'text' with backslashes.
std::size_t after_mysql_text(std::string_view text, std::size_t i) {
  for (++i;; ++i) {
    i = text.find_first_of("'\\", i);
    if (i == kNowhere) return kNowhere;
    if (text[i] == '\\') {
      ++i;
      continue;
    }
    if (char_at(text, ++i) != '\'') return i;
  }
}

/// Behind 'text', "name": doubled quotes are inside.
std::size_t after_quotes(std::string_view text, std::size_t i, char quote) {
  for (++i;; ++i) {
    i = text.find(quote, i);
    if (i == kNowhere) return kNowhere;
    if (char_at(text, ++i) != quote) return i;
  }
}

std::size_t after_name(std::string_view text, std::size_t i, Quoting quoting) {
  const char quote = quoting == Quoting::Mysql ? '`' : '"';
  for (;; ++i) {
    if (char_at(text, i) == quote) {
      i = after_quotes(text, i, quote);
      if (i == kNowhere) return kNowhere;
    } else {
      const std::size_t from = i;
      while (is_of_word(char_at(text, i))) ++i;
      if (i == from) return kNowhere;
    }
    if (char_at(text, i) != '.') return i;
  }
}

/// Digits with a point or an exponent.
std::size_t after_number(std::string_view text, std::size_t i) {
  const auto digits = [&] {
    const std::size_t from = i;
    while (char_at(text, i) >= '0' && char_at(text, i) <= '9') ++i;
    return i - from;
  };
  std::size_t count = digits();
  if (char_at(text, i) == '.') {
    ++i;
    count += digits();
  }
  if (count == 0) return kNowhere;
  if ((char_at(text, i) | ' ') == 'e') {
    ++i;
    if (char_at(text, i) == '-' || char_at(text, i) == '+') ++i;
    if (digits() == 0) return kNowhere;
  }
  return is_of_word(char_at(text, i)) || char_at(text, i) == '.' ? kNowhere : i;
}

std::size_t after_constant(std::string_view text, std::size_t i,
                           Quoting quoting) {
  const char c = char_at(text, i);
  if (c == '\'') {
    const std::size_t end = quoting == Quoting::Mysql
                                ? after_mysql_text(text, i)
                                : after_quotes(text, i, '\'');
    if (end == kNowhere) return kNowhere;
    // 'a' 'b' over two lines is one text; E'', casts and operators are more.
    const char next = char_at(text, skip_space(text, end));
    return next == ',' || next == ')' ? end : kNowhere;
  }
  if (c == '-') return after_number(text, skip_space(text, i + 1));
  if ((c >= '0' && c <= '9') || c == '.') return after_number(text, i);
  for (const std::string_view word : {"null", "true", "false", "default"})
    if (const std::size_t end = after_word(text, i, word); end != kNowhere)
      return end;
  return kNowhere;
}

/// Behind (constants), and how many they are; `i` is where the row may begin.
std::size_t after_row(std::string_view text, std::size_t i, Quoting quoting,
                      std::size_t& count) {
  if (char_at(text, i) != '(') return kNowhere;
  for (count = 1;; ++count) {
    i = after_constant(text, skip_space(text, i + 1), quoting);
    if (i == kNowhere) return kNowhere;
    i = skip_space(text, i);
    if (char_at(text, i) == ')') return i + 1;
    if (char_at(text, i) != ',') return kNowhere;
  }
}

/// INSERT INTO name [(columns)] VALUES: where the first row begins.
std::size_t after_head(std::string_view text, std::size_t i, Quoting quoting) {
  i = after_word(text, i, "insert");
  if (i == kNowhere) return kNowhere;
  i = after_word(text, skip_space(text, i), "into");
  if (i == kNowhere) return kNowhere;
  i = after_name(text, skip_space(text, i), quoting);
  if (i == kNowhere) return kNowhere;
  i = skip_space(text, i);
  if (char_at(text, i) == '(') {
    do {
      i = after_name(text, skip_space(text, i + 1), quoting);
      if (i == kNowhere) return kNowhere;
      i = skip_space(text, i);
    } while (char_at(text, i) == ',');
    if (char_at(text, i) != ')') return kNowhere;
    i = skip_space(text, i + 1);
  }
  i = after_word(text, i, "values");
  return i == kNowhere ? kNowhere : skip_space(text, i);
}

}  // namespace

std::optional<ConstantInserts> constant_inserts(std::string_view text,
                                                std::size_t at_first,
                                                Quoting quoting) {
  ConstantInserts found;
  std::size_t i = after_head(text, at_first, quoting);
  if (i == kNowhere) return std::nullopt;
  found.head = i - at_first;
  const std::string_view head = text.substr(at_first, found.head);
  std::size_t rows = 0;
  std::size_t columns = 0;
  for (;;) {
    // The rows of one statement.
    std::size_t in_this = 0;
    for (;;) {
      std::size_t count = 0;
      i = after_row(text, i, quoting, count);
      // Another statement may give other columns.
      if (rows > 0 && count != columns) i = kNowhere;
      if (i == kNowhere) break;
      columns = count;
      if (++in_this + rows == 1) found.first_row = i;
      i = skip_space(text, i);
      if (char_at(text, i) != ',') break;
      i = skip_space(text, i + 1);
    }
    // What is no list of constants is a statement for the parser.
    if (i == kNowhere || char_at(text, i) != ';') break;
    rows += in_this;
    if (found.semicolon == 0) found.semicolon = i;
    found.end = ++i;
    i = skip_space(text, i);
    if (!text.substr(i).starts_with(head)) break;
    i += head.size();
  }
  if (found.end == 0 || rows < kManyRows) return std::nullopt;
  return found;
}

bool is_only_comments(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text.substr(i).starts_with("--"))
      i = std::min(text.find('\n', i), text.size());
    else if (!is_blank_char(text[i]))
      return false;
  }
  return true;
}

ConstantRows::Next ConstantRows::next() {
  at_ = skip_space(text_, at_);
  if (at_ >= to_) return Next::End;
  if (text_[at_] == ',') {
    at_ = skip_space(text_, at_ + 1) + 1;
    return Next::InSame;
  }
  at_ = skip_space(text_, at_ + 1);  // ;
  if (at_ >= to_) return Next::End;
  statement_ = at_;
  at_ += head_ + 1;
  return Next::Statement;
}

std::optional<ConstantRows::Constant> ConstantRows::constant() {
  at_ = skip_space(text_, at_);
  if (text_[at_] == ')') {
    ++at_;
    return std::nullopt;
  }
  if (text_[at_] == ',') at_ = skip_space(text_, at_ + 1);
  Constant found{at_, {}};
  at_ = after_constant(text_, at_, quoting_);
  found.text = text_.substr(found.at, at_ - found.at);
  return found;
}

}  // namespace txscope::sql
