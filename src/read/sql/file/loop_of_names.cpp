#include "read/sql/file/loop_of_names.h"

#include <algorithm>
#include <map>
#include <utility>

#include "read/sql/text/quotes.h"

namespace txscope::sql {
namespace {

using LoopNames = std::vector<std::string>;

/// Reads the block and runs it at once; every method says whether what stands
/// there is of the kind that it reads.
class LoopsOfNames {
 public:
  LoopsOfNames(const Source& source, const std::vector<Token>& tokens)
      : source_(source), tokens_(tokens) {}

  bool run() {
    if (accept("declare"))
      while (!is("begin"))
        if (!declaration()) return false;
    if (!accept("begin")) return false;
    while (is("foreach"))
      if (!loop()) return false;
    if (!accept("end")) return false;
    (void)accept(";");
    return at_ == tokens_.size() && !texts_.empty();
  }
  [[nodiscard]] std::vector<std::string>& texts() { return texts_; }

 private:
  [[nodiscard]] bool is(std::string_view word) const {
    return at_ < tokens_.size() && tokens_[at_].is(word);
  }
  bool accept(std::string_view word) {
    if (!is(word)) return false;
    ++at_;
    return true;
  }
  std::optional<std::string> name() {
    if (at_ >= tokens_.size() || !tokens_[at_].is_name()) return std::nullopt;
    return tokens_[at_++].word;
  }
  std::optional<std::string> string() {
    if (at_ >= tokens_.size() || tokens_[at_].kind != TokenKind::String)
      return std::nullopt;
    const Token& token = tokens_[at_++];
    return unquoted(source_.text(source_.span(token.offset, token.length)));
  }

  /// name type [:= ARRAY[...]];
  bool declaration() {
    const auto variable = name();
    if (!variable) return false;
    while (at_ < tokens_.size() && !is(";") && !is(":=") && !is("=") &&
           !is("default"))
      ++at_;
    if (!is(";")) {
      ++at_;
      const auto items = array();
      if (!items) return false;
      arrays_[*variable] = *items;
    }
    return accept(";");
  }

  /// ARRAY['a', 'b'][::text[]], or a variable that is one.
  std::optional<LoopNames> array() {
    LoopNames items;
    if (accept("array")) {
      if (!accept("[")) return std::nullopt;
      do {
        auto item = string();
        if (!item) return std::nullopt;
        items.push_back(*std::move(item));
      } while (accept(","));
      if (!accept("]")) return std::nullopt;
    } else {
      const auto variable = name();
      if (!variable || !arrays_.contains(*variable)) return std::nullopt;
      items = arrays_.at(*variable);
    }
    if (accept("::") && !(name() && accept("[") && accept("]")))
      return std::nullopt;
    return items;
  }

  bool loop() {
    ++at_;
    const auto variable = name();
    if (!variable || !accept("in") || !accept("array")) return false;
    const auto items = array();
    if (!items || !accept("loop")) return false;
    const std::size_t body = at_;
    for (const std::string& item : *items) {
      at_ = body;
      value_ = {*variable, item};
      while (accept("execute")) {
        auto text = concatenation();
        if (!text || !accept(";")) return false;
        texts_.push_back(*std::move(text));
      }
    }
    value_ = {};
    return accept("end") && accept("loop") && accept(";");
  }

  std::optional<std::string> concatenation() {
    std::string all;
    do {
      const auto part = operand();
      if (!part) return std::nullopt;
      all += *part;
    } while (accept("||"));
    return all;
  }
  std::optional<std::string> operand() {
    if (at_ < tokens_.size() && tokens_[at_].kind == TokenKind::String)
      return string();
    if (accept("(")) return closed(concatenation());
    const auto word = name();
    if (!word) return std::nullopt;
    if (*word == value_.first && !is("(")) return value_.second;
    if (!accept("(")) return std::nullopt;
    if (*word == "format") return format();
    if (*word == "quote_ident" || *word == "quote_literal") {
      const auto text = closed(concatenation());
      if (!text) return std::nullopt;
      return *word == "quote_ident" ? name_in_quotes(*text)
                                    : value_in_quotes(*text);
    }
    return std::nullopt;
  }
  std::optional<std::string> closed(std::optional<std::string> text) {
    return accept(")") ? std::move(text) : std::nullopt;
  }
  std::optional<std::string> format() {
    const auto shape = concatenation();
    if (!shape) return std::nullopt;
    LoopNames values;
    while (accept(",")) {
      auto value = concatenation();
      if (!value) return std::nullopt;
      values.push_back(*std::move(value));
    }
    if (!accept(")")) return std::nullopt;
    std::string text;
    std::size_t next = 0;
    for (std::size_t i = 0; i < shape->size(); ++i) {
      if ((*shape)[i] != '%') {
        text += (*shape)[i];
        continue;
      }
      if (++i >= shape->size()) return std::nullopt;
      if ((*shape)[i] == '%') {
        text += '%';
        continue;
      }
      // %2$I: from there on the values behind it.
      if (i + 2 < shape->size() && (*shape)[i] >= '1' && (*shape)[i] <= '9' &&
          (*shape)[i + 1] == '$') {
        next = static_cast<std::size_t>((*shape)[i] - '1');
        i += 2;
      }
      if (next >= values.size()) return std::nullopt;
      const std::string& value = values[next++];
      switch ((*shape)[i]) {
        case 'I': text += name_in_quotes(value); break;
        case 'L': text += value_in_quotes(value); break;
        case 's': text += value; break;
        default: return std::nullopt;
      }
    }
    return text;
  }

  const Source& source_;
  const std::vector<Token>& tokens_;
  std::size_t at_ = 0;
  std::map<std::string, LoopNames> arrays_;
  std::pair<std::string, std::string> value_;  // the loop's variable
  std::vector<std::string> texts_;
};

}  // namespace

std::optional<std::vector<std::string>> texts_of_loops(
    const Source& source, const std::vector<Token>& tokens) {
  LoopsOfNames loops(source, tokens);
  if (!loops.run()) return std::nullopt;
  return std::move(loops.texts());
}

}  // namespace txscope::sql
