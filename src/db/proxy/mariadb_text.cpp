#include "db/proxy/mariadb_text.h"

#include <algorithm>
#include <array>

#include "base/ascii.h"
#include "db/lexeme.h"

namespace txscope::db {
namespace {

using Kind = MariadbPiece::Kind;
using TextPieces = std::vector<MariadbPiece>;

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         (c >= '0' && c <= '9') || c == '_' || c == '$' || c == '@' ||
         static_cast<unsigned char>(c) >= 0x80;
}

char unescaped(char c) {
  switch (c) {
    case 'n': return '\n';
    case 't': return '\t';
    case 'r': return '\r';
    case 'b': return '\b';
    case '0': return '\0';
    case 'Z': return '\x1A';
    default: return c;
  }
}

class Lexer {
 public:
  Lexer(std::string_view text, MariadbMode mode) : text_(text), mode_(mode) {}

  TextPieces run() {
    while (at_ < text_.size()) next();
    return std::move(pieces_);
  }

 private:
  [[nodiscard]] bool starts(std::string_view sign) const {
    return text_.substr(at_).starts_with(sign);
  }

  void next() {
    const char c = text_[at_];
    if (ascii::is_space(c))
      return blank(text_.find_first_not_of(" \t\n\r\f\v", at_));
    const bool is_dashes = starts("--") && (at_ + 2 >= text_.size() ||
                                            ascii::is_space(text_[at_ + 2]));
    if (c == '#' || is_dashes) return blank(text_.find('\n', at_));
    if (starts("/*")) return comment();
    if (starts("*/") && is_in_code_) {
      is_in_code_ = false;
      return blank(at_ + 2);
    }
    if (c == '\'' || c == '"' || c == '`') return quoted(c);
    if (is_letter(c)) return word();
    constexpr auto kSigns = std::to_array<std::string_view>(
        {"<=>", "<=", ">=", "<>", "!=", "||", "&&", ":=", "<<", ">>"});
    for (const std::string_view sign : kSigns)
      if (starts(sign)) return add(Kind::Sign, sign.size());
    add(Kind::Sign, 1);
  }

  void add(Kind kind, std::size_t size) {
    pieces_.push_back({kind, std::string(text_.substr(at_, size))});
    at_ += size;
  }

  void blank(std::size_t end) {
    at_ = std::min(end, text_.size());
    pieces_.push_back({Kind::Blank, " "});
  }

  void comment() {
    std::size_t mark = at_ + 2;
    if (text_.substr(mark).starts_with("M")) ++mark;
    if (!text_.substr(mark).starts_with("!")) {
      const std::size_t end = text_.find("*/", at_ + 2);
      return blank(end == std::string_view::npos ? end : end + 2);
    }
    is_in_code_ = true;
    blank(text_.find_first_not_of("0123456789", mark + 1));
  }

  void quoted(char quote) {
    std::string content;
    const bool has_escapes = quote != '`' && !mode_.no_backslash;
    for (++at_; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '\\' && has_escapes && at_ + 1 < text_.size()) {
        content += unescaped(text_[++at_]);
      } else if (c == quote) {
        if (at_ + 1 >= text_.size() || text_[at_ + 1] != quote) break;
        content += text_[++at_];
      } else {
        content += c;
      }
    }
    ++at_;
    at_ = std::min(at_, text_.size());
    const bool is_name = quote == '`' || (quote == '"' && mode_.ansi_quotes);
    pieces_.push_back({is_name ? Kind::Name : Kind::Text, std::move(content)});
  }

  void word() {
    std::size_t end = at_;
    const bool is_number = text_[at_] >= '0' && text_[at_] <= '9';
    while (end < text_.size() &&
           (is_letter(text_[end]) || (is_number && text_[end] == '.')))
      ++end;
    // _utf8'text', N'text': what set of characters it is in is no matter.
    const bool is_introducer =
        end < text_.size() && text_[end] == '\'' &&
        (text_[at_] == '_' || (end == at_ + 1 && (text_[at_] | 32) == 'n'));
    if (is_introducer) {
      at_ = end;
      return;
    }
    add(Kind::Word, end - at_);
  }

  std::string_view text_;
  MariadbMode mode_;
  std::size_t at_ = 0;
  bool is_in_code_ = false;  ///< of /*! .. */
  TextPieces pieces_;
};

std::string in_quotes(std::string_view text, char quote) {
  std::string result(1, quote);
  for (const char c : text) {
    if (c == quote) result += quote;
    result += c;
  }
  return result + quote;
}

/// Writes a statement again, piece by piece.
class Translator {
 public:
  Translator(const TextPieces& statement, const MariadbNames& names,
             MariadbMode mode)
      : names_(names), mode_(mode) {
    for (const MariadbPiece& piece : statement)
      if (piece.kind != Kind::Blank) pieces_.push_back(piece);
  }

  LogWords run() {
    if (pieces_.empty()) return {};
    if (writes_several_tables()) return {"", true, ""};
    simplify_insert();
    expand_insert_set();
    const std::string numbers =
        result_.is_unseen ? std::string() : numbered_column();
    while (at_ < pieces_.size()) next();
    if (is_about_unseen_) return {"", true, ""};
    result_.numbers = numbers;
    return std::move(result_);
  }

 private:
  [[nodiscard]] bool is_word(std::size_t at, std::string_view upper) const {
    return at < pieces_.size() && pieces_[at].is_word(upper);
  }
  [[nodiscard]] bool is_sign(std::size_t at, std::string_view sign) const {
    return at < pieces_.size() && pieces_[at].is_sign(sign);
  }
  [[nodiscard]] bool is_name(std::size_t at) const {
    return at < pieces_.size() &&
           (pieces_[at].kind == Kind::Word || pieces_[at].kind == Kind::Name);
  }

  void put(std::string_view text) {
    constexpr std::string_view kTight = ".(";
    const bool is_tight =
        result_.sql.empty() || is_glued_ ||
        (!text.empty() && std::string_view(".,);").find(text.front()) !=
                              std::string_view::npos) ||
        kTight.find(result_.sql.back()) != std::string_view::npos;
    if (!is_tight) result_.sql += ' ';
    result_.sql += text;
    is_glued_ = false;
  }

  void next() {
    const MariadbPiece& piece = pieces_[at_];
    switch (piece.kind) {
      case Kind::Blank: break;
      case Kind::Text: return text();
      case Kind::Name: return name(piece.text, true);
      case Kind::Word: return word();
      case Kind::Sign: return sign();
    }
    ++at_;
  }

  void text() {
    std::string content = pieces_[at_++].text;
    while (at_ < pieces_.size() && pieces_[at_].kind == Kind::Text)
      content += pieces_[at_++].text;
    std::string escaped;
    for (const char c : content)
      escaped += c == '\\' ? "\\\\" : std::string(1, c);
    put(in_quotes(escaped, '\''));
  }

  void name(const std::string& text, bool is_quoted) {
    const std::string small = ascii::lower(text);
    // The database before a table: the log has one.
    const bool is_qualifier = is_sign(at_ + 1, ".") && is_name(at_ + 2);
    if (is_qualifier && small == ascii::lower(names_.database) &&
        names_.spelled.count(small) == 0) {
      at_ += 2;
      return next();
    }
    if (names_.unseen.count(small) == 1) is_about_unseen_ = true;
    const auto known = names_.spelled.find(small);
    const std::string spelled =
        known == names_.spelled.end() ? text : known->second;
    const bool needs_quotes =
        is_quoted || (known != names_.spelled.end() &&
                      (spelled != small || is_reserved(small)));
    put(needs_quotes ? in_quotes(spelled, '`') : text);
    ++at_;
    // A function's name stands at its parenthesis.
    is_glued_ = !is_quoted && is_sign(at_, "(") && is_function(small) &&
                known == names_.spelled.end();
  }

  /// Words that MariaDB takes for names and PostgreSQL does not.
  static bool is_reserved(std::string_view small) {
    constexpr auto kReserved = std::to_array<std::string_view>(
        {"user", "offset", "end", "only", "array", "do", "session_user",
         "initially", "deferrable", "placing", "some", "any", "new", "old"});
    return std::find(kReserved.begin(), kReserved.end(), small) !=
           kReserved.end();
  }

  static bool is_function(std::string_view small) {
    constexpr auto kBefore = std::to_array<std::string_view>(
        {"in",   "values", "value",  "and",   "or",     "not",  "on",
         "from", "where",  "select", "using", "exists", "as",   "by",
         "set",  "limit",  "then",   "when",  "else",   "into", "join",
         "all",  "union",  "case",   "is",    "like"});
    return std::find(kBefore.begin(), kBefore.end(), small) == kBefore.end();
  }

  void word() {
    const MariadbPiece& piece = pieces_[at_];
    const auto becomes = [&](std::string_view text, std::size_t count) {
      put(text);
      at_ += count;
    };
    if (at_ > 0 && is_sign(at_ - 1, ".")) return name(piece.text, false);
    if (piece.is_word("TRUE")) return becomes("1", 1);
    if (piece.is_word("FALSE")) return becomes("0", 1);
    if (piece.is_word("IFNULL") && is_sign(at_ + 1, "(")) {
      becomes("coalesce", 1);
      is_glued_ = true;
      return;
    }
    if (piece.is_word("LOCK") && is_word(at_ + 1, "IN") &&
        is_word(at_ + 2, "SHARE"))
      return becomes("FOR SHARE", 4);
    if (piece.is_word("FROM") && is_word(at_ + 1, "DUAL"))
      return void(at_ += 2);
    if (piece.is_word("LIMIT") && is_sign(at_ + 2, ",")) return limit();
    if (piece.is_word("VALUE") && at_ > 2 && is_sign(at_ + 1, "(") &&
        is_word(0, "INSERT"))
      return becomes("VALUES", 1);
    if (is_word(at_, "INSERT") && is_name(at_ + 1) && !is_word(at_ + 1, "INTO"))
      return becomes("INSERT INTO", 1);
    name(piece.text, false);
  }

  void limit() {
    const MariadbPiece offset = pieces_[at_ + 1];
    put("LIMIT");
    at_ += 3;
    if (at_ < pieces_.size()) {
      // The numbers of parameters go with their places in the text.
      const bool has_marks = offset.is_sign("?");
      if (has_marks) parameter_ += 1;
      next();
      put("OFFSET");
      put(has_marks ? "$" + std::to_string(parameter_ - 1) : offset.text);
    }
  }

  void sign() {
    const MariadbPiece& piece = pieces_[at_++];
    if (piece.text == "?") return put("$" + std::to_string(++parameter_));
    if (piece.text == "<=>") return put("IS NOT DISTINCT FROM");
    if (piece.text == "&&") return put("AND");
    if (piece.text == "||" && !mode_.pipes_concat) return put("OR");
    if (piece.text == ".") is_glued_ = true;
    put(piece.text);
  }

  /// DELETE a FROM a JOIN b, UPDATE a JOIN b SET: no counterpart.
  [[nodiscard]] bool writes_several_tables() const {
    if (is_word(0, "DELETE")) return !is_word(1, "FROM");
    if (!is_word(0, "UPDATE")) return false;
    for (std::size_t i = 1; i < pieces_.size() && !is_word(i, "SET"); ++i)
      if (is_sign(i, ",") || is_word(i, "JOIN")) return true;
    return false;
  }

  /// What an INSERT does where a row is there already is left out.
  void simplify_insert() {
    if (is_word(0, "REPLACE")) {
      pieces_[0].text = "INSERT";
      result_.is_unseen = true;
    }
    if (!is_word(0, "INSERT")) return;
    for (const char* word : {"LOW_PRIORITY", "HIGH_PRIORITY", "DELAYED"})
      if (is_word(1, word)) pieces_.erase(pieces_.begin() + 1);
    if (is_word(1, "IGNORE")) {
      pieces_.erase(pieces_.begin() + 1);
      result_.is_unseen = true;
    }
    for (std::size_t i = 1; i + 1 < pieces_.size(); ++i) {
      if (!is_word(i, "ON") || !is_word(i + 1, "DUPLICATE")) continue;
      pieces_.resize(i);
      result_.is_unseen = true;
    }
  }

  /// INSERT INTO t SET a = 1, b = 2: as columns and values.
  void expand_insert_set() {
    if (!is_word(0, "INSERT")) return;
    std::size_t set = 1;
    while (set < pieces_.size() && set < 6 && !is_word(set, "SET")) ++set;
    if (!is_word(set, "SET") || set < 2) return;
    const TextPieces head(pieces_.begin(),
                          pieces_.begin() + static_cast<std::ptrdiff_t>(set));
    TextPieces columns = {{Kind::Sign, "("}};
    TextPieces values = {{Kind::Word, "VALUES"}, {Kind::Sign, "("}};
    int depth = 0;
    bool is_column = true;
    for (std::size_t i = set + 1; i < pieces_.size(); ++i) {
      const MariadbPiece& piece = pieces_[i];
      if (piece.is_word("ON") && depth == 0) return;
      if (piece.is_sign("(")) ++depth;
      if (piece.is_sign(")")) --depth;
      const bool ends = piece.is_sign(",") && depth == 0;
      if (is_column && piece.is_sign("=")) {
        is_column = false;
        continue;
      }
      if (ends) {
        columns.push_back(piece);
        values.push_back(piece);
        is_column = true;
        continue;
      }
      (is_column ? columns : values).push_back(piece);
    }
    columns.push_back({Kind::Sign, ")"});
    values.push_back({Kind::Sign, ")"});
    pieces_ = head;
    pieces_.insert(pieces_.end(), columns.begin(), columns.end());
    pieces_.insert(pieces_.end(), values.begin(), values.end());
  }

  /// The column that an INSERT of plain values leaves to the server to number.
  [[nodiscard]] std::string numbered_column() const {
    if (!is_word(0, "INSERT")) return "";
    std::size_t at = is_word(1, "INTO") ? 2 : 1;
    if (is_name(at) && is_sign(at + 1, ".")) at += 2;
    if (!is_name(at)) return "";
    const auto table = names_.numbered.find(ascii::lower(pieces_[at].text));
    if (table == names_.numbered.end() || !is_sign(at + 1, "(")) return "";
    for (std::size_t i = at + 2; i < pieces_.size(); ++i) {
      if (is_sign(i, ")")) {
        at = i + 1;
        break;
      }
      if (is_name(i) &&
          ascii::lower(pieces_[i].text) == ascii::lower(table->second))
        return "";
    }
    if (!is_word(at, "VALUES") && !is_word(at, "VALUE")) return "";
    for (std::size_t i = at; i < pieces_.size(); ++i)
      if (is_word(i, "RETURNING") || is_word(i, "DUPLICATE")) return "";
    return table->second;
  }

  const MariadbNames& names_;
  MariadbMode mode_;
  TextPieces pieces_;
  std::size_t at_ = 0;
  std::size_t parameter_ = 0;
  bool is_glued_ = false;
  bool is_about_unseen_ = false;
  LogWords result_;
};

}  // namespace

bool MariadbPiece::is_word(std::string_view upper) const {
  return kind == Kind::Word && in_capitals(text) == upper;
}

MariadbMode MariadbMode::of(std::string_view sql_mode) {
  const auto has = [&](std::string_view word) {
    return sql_mode.find(word) != std::string_view::npos;
  };
  return {has("ANSI_QUOTES"), has("NO_BACKSLASH_ESCAPES"),
          has("PIPES_AS_CONCAT")};
}

std::vector<MariadbPiece> mariadb_pieces(std::string_view text,
                                         MariadbMode mode) {
  return Lexer(text, mode).run();
}

std::vector<std::vector<MariadbPiece>> mariadb_statements(std::string_view text,
                                                          MariadbMode mode,
                                                          bool several) {
  std::vector<TextPieces> result(1);
  for (MariadbPiece& piece : mariadb_pieces(text, mode)) {
    if (piece.is_sign(";") && several) {
      result.emplace_back();
      continue;
    }
    const bool is_leading = result.back().empty() && piece.kind == Kind::Blank;
    if (!is_leading && !piece.is_sign(";"))
      result.back().push_back(std::move(piece));
  }
  std::erase_if(result, [](const TextPieces& one) { return one.empty(); });
  return result;
}

LogWords log_words(const std::vector<MariadbPiece>& statement,
                   const MariadbNames& names, MariadbMode mode) {
  return Translator(statement, names, mode).run();
}

}  // namespace txscope::db
