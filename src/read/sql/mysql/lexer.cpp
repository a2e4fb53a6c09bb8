#include "read/sql/mysql/lexer.h"

#include <algorithm>
#include <array>

#include "base/ascii.h"
#include "read/sql/mysql/state.h"
#include "read/sql/text/constant_rows.h"
#include "read/sql/text/nesting.h"

namespace txscope::sql {

namespace {

bool is_name_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         (c >= '0' && c <= '9') || c == '_' || c == '$' ||
         static_cast<unsigned char>(c) >= 0x80;
}
bool is_mysql_digit(char c) { return c >= '0' && c <= '9'; }
bool is_mysql_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' ||
         c == '\v';
}

/// What a backslash and this character stand for.
void add_escaped(char c, std::string& value) {
  switch (c) {
    case 'n': value += '\n'; return;
    case 't': value += '\t'; return;
    case 'r': value += '\r'; return;
    case 'b': value += '\b'; return;
    case '0': value += '\0'; return;
    case 'Z': value += '\x1a'; return;
    case '%':
    case '_': value += '\\'; break;  // LIKE undoes it
    default: break;
  }
  value += c;
}

/// /*!NNNNN code */: MySQL's features of 5.7 on are nothing to MariaDB.
bool runs_version(std::uint32_t version, bool is_mariadb_only,
                  bool is_oracles) {
  if (is_oracles) return !is_mariadb_only && version <= 80499;
  if (is_mariadb_only) return version <= 101199;
  return version < 50700 || (version >= 100000 && version <= 101199);
}

class MysqlScanner {
 public:
  MysqlScanner(const Source& source, std::string_view text,
               std::uint32_t offset)
      : source_(source),
        text_(text),
        offset_(offset),
        state_(*source.mysql()),
        modes_(state_.modes_at(offset)),
        nesting_(source) {}

  Tokens run() {
    while (at_ < text_.size()) step();
    // The mark that ends one is no token: a part of a file may end before it.
    if (in_code_comment_ && text_.size() == source_.text().size()) {
      source_.fail(source_.span(offset_ + code_comment_, 3),
                   "this comment has no end");
    }
    return std::move(tokens_);
  }

 private:
  [[nodiscard]] std::string_view rest() const { return text_.substr(at_); }
  [[nodiscard]] char char_at(std::size_t i) const {
    return i < text_.size() ? text_[i] : '\0';
  }

  void step() {
    const char c = text_[at_];
    if (is_mysql_blank(c)) {
      ++at_;
      return;
    }
    if (rest().starts_with(delimiter_)) return end_statement();
    if (comment() || constant_rows()) return;
    if ((is_statement_start_ || is_line_start()) && client_command()) return;
    token();
  }

  /// What was not ended is, without a delimiter.
  void end_before(std::size_t at) {
    add(TokenKind::Symbol, at, 0, ";");
    tokens_.list.back().is_end = true;
    is_statement_start_ = true;
    note_modes();
    statement_from_ = tokens_.list.size();
  }

  void end_statement() {
    add(TokenKind::Symbol, at_, delimiter_.size(), ";");
    tokens_.list.back().is_end = true;
    at_ += delimiter_.size();
    is_statement_start_ = true;
    note_modes();
    statement_from_ = tokens_.list.size();
  }

  /// INSERT of very many constants: its first row alone becomes tokens.
  bool constant_rows() {
    const bool may_be = is_statement_start_ && (char_at(at_) | ' ') == 'i' &&
                        !in_code_comment_ && delimiter_ == ";" &&
                        !modes_.has_no_backslashes && offset_ == 0 &&
                        text_.size() == source_.text().size();
    if (!may_be) return false;
    const auto found = constant_inserts(text_, at_, Quoting::Mysql);
    if (!found) return false;
    is_statement_start_ = false;
    while (at_ < found->first_row) step();
    tokens_.inserts.push_back({static_cast<std::uint32_t>(found->first_row),
                               static_cast<std::uint32_t>(found->end),
                               static_cast<std::uint32_t>(found->head)});
    at_ = found->semicolon;
    end_statement();
    at_ = found->end;
    return true;
  }

  // Comments.

  [[nodiscard]] bool is_line_start() const {
    std::size_t i = at_;
    while (i > 0 && (text_[i - 1] == ' ' || text_[i - 1] == '\t')) --i;
    return i == 0 || text_[i - 1] == '\n';
  }

  bool comment() {
    const std::string_view here = rest();
    // A statement may begin inside of a comment with code, and end behind it.
    if (here.starts_with("*/")) {
      in_code_comment_ = false;
      at_ += 2;
      return true;
    }
    if (here.starts_with("/*")) return block_comment();
    const char third = char_at(at_ + 2);
    const bool is_dashes =
        here.starts_with("--") &&
        (is_mysql_blank(third) || at_ + 2 >= text_.size() ||
         (is_line_start() && (third == '@' || is_statement_start_)));
    if (!is_dashes && !here.starts_with("#")) return false;
    const std::size_t end = std::min(text_.find('\n', at_), text_.size());
    if (is_dashes)
      note_comment(tokens_, text_, static_cast<std::uint32_t>(at_),
                   text_.substr(at_, end - at_), offset_);
    at_ = end;
    return true;
  }

  bool block_comment() {
    const bool is_mariadb = rest().starts_with("/*M!");
    if (!is_mariadb && !rest().starts_with("/*!")) {
      const std::size_t end = text_.find("*/", at_ + 2);
      if (end == std::string_view::npos)
        source_.fail(source_.span(offset_ + at_, 2), "this comment has no end");
      at_ = end + 2;
      return true;
    }
    std::size_t i = at_ + (is_mariadb ? 4 : 3);
    std::uint32_t version = 0;
    std::size_t digits = 0;
    while (digits < 6 && is_mysql_digit(char_at(i + digits)))
      version = version * 10 +
                static_cast<std::uint32_t>(char_at(i + digits++) - '0');
    if (digits < 5) version = 0;
    if (digits >= 5) i += digits;
    if (digits == 6 && version < 100000) --i;
    if (runs_version(version, is_mariadb, state_.is_oracles)) {
      in_code_comment_ = true;
      code_comment_ = static_cast<std::uint32_t>(at_);
      at_ = i;
      return true;
    }
    const std::size_t end = text_.find("*/", i);
    if (end == std::string_view::npos)
      source_.fail(source_.span(offset_ + at_, 2), "this comment has no end");
    at_ = end + 2;
    return true;
  }

  /// DELIMITER, source, USE without a delimiter: lines of the client.
  bool client_command() {
    std::size_t end = at_;
    while (end < text_.size() && is_name_char(text_[end])) ++end;
    const std::string word = ascii::lower(text_.substr(at_, end - at_));
    const bool is_source =
        is_statement_start_ && (word == "source" || rest().starts_with("\\."));
    // The client knows DELIMITER in the middle of a statement, too.
    const bool is_delimiter =
        word == "delimiter" &&
        (is_statement_start_ || is_mysql_blank(char_at(end)));
    if (!is_delimiter && !is_source) return false;
    const std::size_t line = std::min(text_.find('\n', at_), text_.size());
    std::string_view argument = text_.substr(end, line - end);
    while (!argument.empty() && is_mysql_blank(argument.front()))
      argument.remove_prefix(1);
    const std::size_t blank = argument.find_first_of(" \t\r");
    argument = argument.substr(0, blank);
    if (is_source) {
      source_.unsupported(source_.span(offset_ + at_, line - at_),
                          "the client's command source is",
                          "concatenate the files");
    }
    if (argument.empty())
      source_.fail(source_.span(offset_ + at_, end - at_),
                   "expected a delimiter after DELIMITER");
    if (!is_statement_start_) end_before(at_);
    delimiter_ = argument;
    at_ = line;
    return true;
  }

  // Tokens.

  void token() {
    is_statement_start_ = false;
    const char c = text_[at_];
    if (c == '\'' || (c == '"' && !modes_.has_ansi_quotes)) return string();
    if (c == '`' || c == '"') return quoted_name(TokenKind::Quoted, at_);
    if (c == '@') return variable();
    if (is_mysql_digit(c) ||
        (c == '.' && is_mysql_digit(char_at(at_ + 1)) && !is_after_name()))
      return number();
    if (is_name_char(c)) return word();
    symbol();
  }

  [[nodiscard]] bool is_after_name() const {
    return !tokens_.list.empty() && tokens_.list.back().is_name() &&
           tokens_.list.back().end() == offset_ + at_;
  }

  void add(TokenKind kind, std::size_t from, std::size_t length,
           std::string word) {
    Token token;
    token.kind = kind;
    token.offset = offset_ + static_cast<std::uint32_t>(from);
    token.length = static_cast<std::uint32_t>(length);
    token.word = std::move(word);
    const bool is_after_dot =
        !tokens_.list.empty() && tokens_.list.back().is(".");
    token.is_reserved = kind == TokenKind::Word && !is_after_dot &&
                        is_mysql_reserved(token.word);
    nesting_.see(token);
    tokens_.list.push_back(std::move(token));
  }

  /// '...' with its escapes.
  void string() {
    const std::size_t from = at_;
    const char quote = text_[at_++];
    std::string value;
    for (;;) {
      if (at_ >= text_.size())
        source_.fail(source_.span(offset_ + from, 1),
                     "this text has no closing quote");
      const char c = text_[at_++];
      if (c == quote) {
        if (char_at(at_) != quote) break;
        ++at_;
        value += quote;
      } else if (c == '\\' && !modes_.has_no_backslashes &&
                 at_ < text_.size()) {
        add_escaped(text_[at_++], value);
      } else {
        value += c;
      }
    }
    add(TokenKind::String, from, at_ - from, std::move(value));
  }

  void quoted_name(TokenKind kind, std::size_t from) {
    const char quote = text_[at_++];
    std::string name = from + 1 < at_ ? "@" : "";
    for (;;) {
      if (at_ >= text_.size())
        source_.fail(source_.span(offset_ + from, 1),
                     "this name has no closing quote");
      const char c = text_[at_++];
      if (c == quote) {
        if (char_at(at_) != quote) break;
        ++at_;
      }
      name += c;
    }
    add(kind, from, at_ - from, std::move(name));
  }

  /// @name, @'name', @@global.name.
  void variable() {
    const std::size_t from = at_++;
    if (char_at(at_) == '\'' || char_at(at_) == '"' || char_at(at_) == '`')
      return quoted_name(TokenKind::Word, from);
    while (at_ < text_.size() && !rest().starts_with(delimiter_) &&
           (is_name_char(text_[at_]) || text_[at_] == '.' ||
            (text_[at_] == '@' && at_ == from + 1)))
      ++at_;
    add(TokenKind::Word, from, at_ - from,
        ascii::lower(text_.substr(from, at_ - from)));
  }

  void number() {
    const std::size_t from = at_;
    if (char_at(at_) == '0' && (char_at(at_ + 1) == 'x') &&
        is_hex(char_at(at_ + 2)))
      return radix(16, from, at_ + 2, is_hex);
    if (char_at(at_) == '0' && char_at(at_ + 1) == 'b' &&
        is_bit(char_at(at_ + 2)))
      return radix(2, from, at_ + 2, is_bit);
    while (is_mysql_digit(char_at(at_))) ++at_;
    bool is_real = false;
    if (char_at(at_) == '.' && char_at(at_ + 1) != '.') {  // 1..2 is a range
      is_real = true;
      ++at_;
      while (is_mysql_digit(char_at(at_))) ++at_;
    }
    const char e = char_at(at_);
    const char sign = char_at(at_ + 1);
    const bool has_exponent =
        (e == 'e' || e == 'E') &&
        (is_mysql_digit(sign) ||
         ((sign == '+' || sign == '-') && is_mysql_digit(char_at(at_ + 2))));
    if (has_exponent) {
      at_ += 2;
      while (is_mysql_digit(char_at(at_))) ++at_;
    }
    // 2fa_codes is a name.
    if (!is_real && is_name_char(char_at(at_)) &&
        !rest().starts_with(delimiter_)) {
      at_ = from;
      return word();
    }
    add(TokenKind::Number, from, at_ - from,
        std::string(text_.substr(from, at_ - from)));
  }

  static bool is_hex(char c) {
    return is_mysql_digit(c) || (c >= 'a' && c <= 'f') ||
           (c >= 'A' && c <= 'F');
  }
  static bool is_bit(char c) { return c == '0' || c == '1'; }

  /// 0x1F, x'1F', b'01': a number, if it is one of 63 bits.
  void radix(unsigned base, std::size_t from, std::size_t digits,
             bool (*is_one)(char)) {
    at_ = digits;
    std::uint64_t value = 0;
    std::size_t count = 0;
    for (; is_one(char_at(at_)); ++at_, ++count) {
      const char c = char_at(at_);
      const unsigned digit = is_mysql_digit(c)
                                 ? static_cast<unsigned>(c - '0')
                                 : static_cast<unsigned>((c | 32) - 'a' + 10);
      value = value * base + digit;
    }
    const bool has_quote = char_at(digits - 1) == '\'';
    if (has_quote && char_at(at_) != '\'')
      source_.fail(source_.span(offset_ + from, 1),
                   "this number has no closing quote");
    if (has_quote) ++at_;
    if (count * (base == 16 ? 4 : 1) > 63) {
      source_.unsupported(source_.span(offset_ + from, at_ - from),
                          "a literal of so many bits is");
    }
    add(TokenKind::Number, from, at_ - from, std::to_string(value));
  }

  void word() {
    const std::size_t from = at_;
    const char quote = char_at(at_ + 1);
    if (quote == '\'') {
      const char c = text_[at_];
      if (c == 'b' || c == 'B') return radix(2, from, at_ + 2, is_bit);
      if (c == 'x' || c == 'X') return radix(16, from, at_ + 2, is_hex);
      if (c == 'n' || c == 'N') {
        ++at_;
        return string();
      }
    }
    while (at_ < text_.size() && is_name_char(text_[at_]) &&
           !(at_ > from && rest().starts_with(delimiter_)))
      ++at_;
    std::string word = ascii::lower(text_.substr(from, at_ - from));
    // _utf8mb4'x': the text.
    const bool is_introducer = word.size() > 1 && word[0] == '_' &&
                               (char_at(at_) == '\'' || char_at(at_) == '"');
    if (is_introducer) {
      constexpr std::array<std::string_view, 7> kSets = {
          "_utf8",   "_utf8mb3", "_utf8mb4", "_binary",
          "_latin1", "_ascii",   "_ucs2"};
      if (std::find(kSets.begin(), kSets.end(), word) != kSets.end()) return;
    }
    add(TokenKind::Word, from, at_ - from, std::move(word));
  }

  void symbol() {
    constexpr std::array<std::string_view, 14> kLong = {
        "<=>", "->>", "<=", ">=", "<>", "!=", ":=",
        "||",  "&&",  "<<", ">>", "->", "..", "*/"};
    for (const std::string_view each : kLong) {
      if (!rest().starts_with(each)) continue;
      add(TokenKind::Symbol, at_, each.size(), std::string(each));
      at_ += each.size();
      return;
    }
    const char c = text_[at_];
    constexpr std::string_view kOne = "()[]{},.;+-*/%=<>!~^&|?:";
    if (kOne.find(c) == std::string_view::npos) {
      source_.fail(source_.span(offset_ + at_, 1),
                   "unexpected '" + std::string(1, c) + "'");
    }
    add(TokenKind::Symbol, at_, 1, std::string(1, c));
    ++at_;
  }

  /// SET [SESSION | GLOBAL | @@] sql_mode = '...' of the statement that ended.
  void note_modes() {
    const auto& all = tokens_.list;
    if (statement_from_ >= all.size() || !all[statement_from_].is("set"))
      return;
    for (std::size_t i = statement_from_ + 1; i + 2 < all.size(); ++i) {
      if (!all[i].word.ends_with("sql_mode") || !all[i + 1].is("=")) continue;
      if (all[i + 2].kind == TokenKind::String) {
        modes_ = modes_of(all[i + 2].word);
      } else if (all[i + 2].word.starts_with("@")) {
        modes_ = {};  // put back
      } else {
        continue;
      }
      tokens_.modes.emplace_back(offset_ + static_cast<std::uint32_t>(at_),
                                 modes_);
    }
  }

  const Source& source_;
  std::string_view text_;
  std::uint32_t offset_;
  const MysqlState& state_;
  MysqlModes modes_;
  NestingCheck nesting_;
  Tokens tokens_;
  std::string delimiter_ = ";";
  std::size_t at_ = 0;
  std::size_t statement_from_ = 0;
  bool is_statement_start_ = true;
  bool in_code_comment_ = false;
  std::uint32_t code_comment_ = 0;
};

}  // namespace

std::string unquoted_mysql_text(std::string_view written) {
  std::string value;
  for (std::size_t i = 1; i + 1 < written.size(); ++i) {
    if (written[i] == '\\') {
      add_escaped(written[++i], value);
      continue;
    }
    value += written[i];
    if (written[i] == '\'') ++i;  // doubled
  }
  return value;
}

Tokens scan_mysql(const Source& source, std::string_view text,
                  std::uint32_t offset) {
  return MysqlScanner(source, text, offset).run();
}

}  // namespace txscope::sql
