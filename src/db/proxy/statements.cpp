#include "db/proxy/statements.h"

#include "db/lexeme.h"

namespace txscope::db {
namespace {

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
  bool is_behind_begin = false;
  bool has_text = false;
  const auto close = [&](std::size_t end) {
    if (has_text) result.push_back(trimmed(text.substr(begin, end - begin)));
    begin = end + 1;
    has_text = false;
  };
  std::size_t at = 0;
  for (const Lexeme& lexeme : lexemes(text)) {
    const std::size_t here = at;
    at += lexeme.text.size();
    if (lexeme.is_blank()) continue;
    if (lexeme.is(';') && depth == 0) {
      close(here);
      continue;
    }
    has_text = true;
    if (lexeme.is("ATOMIC") && is_behind_begin) ++depth;
    if (lexeme.is("CASE") && depth > 0) ++depth;
    if (lexeme.is("END") && depth > 0) --depth;
    is_behind_begin = lexeme.is("BEGIN");
  }
  close(text.size());
  return result;
}

std::vector<std::string> first_words(std::string_view text, std::size_t count) {
  std::vector<std::string> words;
  // A text may be large and its first words are not.
  constexpr std::size_t kFar = 4096;
  for (const Lexeme& lexeme : lexemes(text.substr(0, kFar))) {
    if (words.size() == count) break;
    if (lexeme.kind == Lexeme::Kind::Word)
      words.push_back(in_capitals(lexeme.text));
    else if (!lexeme.is_blank() && !lexeme.is('(') && !lexeme.is(','))
      break;
  }
  return words;
}

}  // namespace txscope::db
