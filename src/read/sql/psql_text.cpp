#include "read/sql/psql_text.h"

#include <algorithm>

namespace txscope::sql {
namespace {

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         (c >= '0' && c <= '9') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

/// Walks over a file as psql's own lexer does: far enough to know where a
/// statement ends and a line is psql's.
class Walker {
 public:
  explicit Walker(std::string_view text) : text_(text) {
    result_.sql = std::string(text);
  }

  PsqlText run() {
    while (at_ < text_.size()) step();
    return std::move(result_);
  }

 private:
  [[nodiscard]] bool starts(std::string_view word) const {
    return text_.substr(at_).starts_with(word);
  }
  [[nodiscard]] std::size_t end_of_line() const {
    return std::min(text_.find('\n', at_), text_.size());
  }
  void blank(std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < to; ++i)
      if (result_.sql[i] != '\n') result_.sql[i] = ' ';
  }
  void step() {
    const char c = text_[at_];
    if (c == '\n') is_line_start_ = true;
    if (c == '\\' && is_line_start_) return command();
    if (c != ' ' && c != '\t' && c != '\r' && c != '\n') is_line_start_ = false;
    if (starts("--")) {
      at_ = end_of_line();
    } else if (starts("/*")) {
      block_comment();
    } else if (c == '\'') {
      const bool has_escapes =
          at_ > 0 && (text_[at_ - 1] == 'E' || text_[at_ - 1] == 'e') &&
          (at_ < 2 || !is_word(text_[at_ - 2]));
      quoted('\'', has_escapes);
    } else if (c == '"') {
      quoted('"', false);
    } else if (c == '$' && (at_ == 0 || !is_word(text_[at_ - 1]))) {
      dollar();
    } else if (c == ';') {
      end_of_statement();
    } else {
      ++at_;
    }
  }
  void command() {
    const std::size_t end = end_of_line();
    blank(at_, end);
    ++result_.commands;
    at_ = end;
  }
  void block_comment() {
    int depth = 0;
    while (at_ < text_.size()) {
      if (starts("/*")) {
        ++depth;
        at_ += 2;
      } else if (starts("*/")) {
        at_ += 2;
        if (--depth == 0) return;
      } else {
        ++at_;
      }
    }
  }
  void quoted(char quote, bool has_escapes) {
    for (++at_; at_ < text_.size(); ++at_) {
      if (has_escapes && text_[at_] == '\\') {
        ++at_;
      } else if (text_[at_] == quote) {
        ++at_;
        return;
      }
    }
  }
  void dollar() {
    std::size_t end = at_ + 1;
    while (end < text_.size() && is_word(text_[end])) ++end;
    if (end >= text_.size() || text_[end] != '$') {
      ++at_;
      return;
    }
    const std::string_view tag = text_.substr(at_, end + 1 - at_);
    const std::size_t close = text_.find(tag, end + 1);
    at_ = close == std::string_view::npos ? text_.size() : close + tag.size();
  }
  /// COPY name [(...)] FROM stdin ...
  [[nodiscard]] bool is_copy() const {
    std::string words;
    for (const char c : result_.sql.substr(statement_, at_ - statement_))
      words += c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
    // Comments before it.
    for (std::size_t from = words.find_first_not_of(" \t\r\n");
         from != std::string::npos && words.compare(from, 2, "--") == 0;
         from = words.find_first_not_of(" \t\r\n")) {
      const std::size_t end = words.find('\n', from);
      if (end == std::string::npos) return false;
      words.erase(0, end);
    }
    const std::size_t first = words.find_first_not_of(" \t\r\n");
    if (first == std::string::npos || words.compare(first, 5, "copy ") != 0)
      return false;
    const std::size_t from = words.find("from stdin");
    return from != std::string::npos;
  }
  void end_of_statement() {
    const bool is_data = is_copy();
    const std::size_t end = at_;
    ++at_;
    statement_ = at_;
    if (!is_data) return;
    at_ = std::min(end_of_line() + 1, text_.size());
    CopyData copy;
    copy.statement_end = static_cast<std::uint32_t>(end);
    copy.from = static_cast<std::uint32_t>(at_);
    while (at_ < text_.size()) {
      const std::size_t line_end = end_of_line();
      std::string_view line = text_.substr(at_, line_end - at_);
      if (line.ends_with('\r')) line.remove_suffix(1);
      if (line == "\\.") break;
      at_ = std::min(line_end + 1, text_.size());
    }
    copy.to = static_cast<std::uint32_t>(at_);
    at_ = end_of_line();
    blank(copy.from, at_);
    statement_ = at_;
    result_.copies.push_back(copy);
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t statement_ = 0;
  bool is_line_start_ = true;
  PsqlText result_;
};

}  // namespace

PsqlText read_psql(std::string_view text) { return Walker(text).run(); }

std::vector<CopyField> copy_fields(std::string_view line) {
  std::vector<CopyField> fields(1);
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\t') {
      fields.emplace_back();
      continue;
    }
    std::string& text = fields.back().text;
    if (line[i] != '\\' || i + 1 >= line.size()) {
      text += line[i];
      continue;
    }
    switch (line[++i]) {
      case 'N': fields.back().is_null = true; break;
      case 'b': text += '\b'; break;
      case 'f': text += '\f'; break;
      case 'n': text += '\n'; break;
      case 'r': text += '\r'; break;
      case 't': text += '\t'; break;
      case 'v': text += '\v'; break;
      default: text += line[i];
    }
  }
  return fields;
}

}  // namespace txscope::sql
