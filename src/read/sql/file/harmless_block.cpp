#include "read/sql/file/harmless_block.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

#include "base/ascii.h"
#include "read/sql/text/quotes.h"
#include "read/sql/text/source.h"

namespace txscope::sql {
namespace {

using Words = std::vector<std::string>;

template <std::size_t N>
bool is_one(const std::array<std::string_view, N>& list,
            const std::string& word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

bool has(const Words& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// A statement by its words, in lower case.
bool is_harmless_statement(const Words& words) {
  constexpr std::array<std::string_view, 8> kAlone = {
      "grant",    "revoke", "comment", "notify",
      "security", "set",    "reset",   "analyze"};
  constexpr std::array<std::string_view, 9> kKinds = {
      "policy", "role",    "user",     "publication", "extension",
      "schema", "default", "database", "system"};
  if (words.empty() || is_one(kAlone, words[0])) return true;
  if (words.size() < 2) return false;
  const bool makes =
      words[0] == "create" || words[0] == "alter" || words[0] == "drop";
  if (!makes) return false;
  // A schema that goes takes its tables along.
  if (words[0] == "drop" && words[1] == "schema") return false;
  if (is_one(kKinds, words[1])) return true;
  return words[0] == "alter" && !has(words, ",") &&
         ((has(words, "row") && has(words, "security")) ||
          (has(words, "owner") && has(words, "to")));
}

Words words_of_text(std::string_view text) {
  Words words;
  std::string word;
  for (const char c : text) {
    const bool is_part =
        std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
    if (is_part) {
      word += ascii::lower(c);
      continue;
    }
    if (!word.empty()) words.push_back(std::move(word));
    word.clear();
    if (c == ',') words.emplace_back(",");
  }
  if (!word.empty()) words.push_back(std::move(word));
  return words;
}

/// A text that EXECUTE makes: the first constant in it begins the statement.
bool is_harmless_text(std::string_view text) {
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t end = std::min(text.find(';', from), text.size());
    if (!is_harmless_statement(words_of_text(text.substr(from, end - from))))
      return false;
    from = end + 1;
  }
  return true;
}

class Block {
 public:
  Block(const Source& source, const std::vector<Token>& tokens)
      : source_(source), tokens_(tokens) {}

  [[nodiscard]] bool is_harmless() {
    while (at_ < tokens_.size())
      if (!statement()) return false;
    return true;
  }

 private:
  [[nodiscard]] bool is(std::size_t i, std::string_view word) const {
    return i < tokens_.size() && tokens_[i].is(word);
  }
  /// Behind the next of this word.
  void pass(std::string_view word) {
    while (at_ < tokens_.size() && !is(at_, word)) ++at_;
    ++at_;
  }

  bool statement() {
    for (const std::string_view word :
         {"begin", "else", "loop", "exception", ";"})
      if (is(at_, word)) return ++at_, true;
    if (is(at_, "declare")) return pass("begin"), true;
    if (is(at_, "if") || is(at_, "elsif") || is(at_, "when"))
      return pass("then"), true;
    if (is(at_, "for") || is(at_, "foreach") || is(at_, "while"))
      return pass("loop"), true;
    const std::size_t from = at_;
    pass(";");
    const std::size_t to = std::min(at_, tokens_.size());
    if (is(from, "execute")) return executes(from, to);
    if (tells_only(from, to)) return true;
    Words words;
    for (std::size_t i = from; i < to; ++i)
      if (!is(i, ";")) words.push_back(is(i, ",") ? "," : tokens_[i].word);
    return is_harmless_statement(words);
  }

  /// It gives a variable a value, reports something, or ends something.
  [[nodiscard]] bool tells_only(std::size_t from, std::size_t to) const {
    for (const std::string_view word :
         {"raise", "null", "end", "return", "exit", "continue", "perform",
          "select"})
      if (is(from, word)) return true;
    return from + 1 < to && (is(from + 1, ":=") || is(from + 1, "="));
  }

  [[nodiscard]] bool executes(std::size_t from, std::size_t to) const {
    bool is_first = true;
    for (std::size_t i = from + 1; i < to; ++i) {
      if (tokens_[i].kind != TokenKind::String) {
        const bool is_frame = is(i, "format") || is(i, "(");
        if (is_first && !is_frame) return false;
        continue;
      }
      const auto text = unquoted(
          source_.text(source_.span(tokens_[i].offset, tokens_[i].length)));
      if (!text) return false;
      if (is_first && !is_harmless_text(*text)) return false;
      if (!is_first && text->find(';') != std::string::npos) return false;
      is_first = false;
    }
    return !is_first;
  }

  const Source& source_;
  const std::vector<Token>& tokens_;
  std::size_t at_ = 0;
};

}  // namespace

bool changes_no_answer(const Source& source, const std::vector<Token>& tokens) {
  return Block(source, tokens).is_harmless();
}

}  // namespace txscope::sql
