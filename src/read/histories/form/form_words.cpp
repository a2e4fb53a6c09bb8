// What stands between brackets: strings, characters, words, numbers.

#include <cassert>
#include <cstring>

#include "read/histories/form/form_characters.h"
#include "read/histories/form/form_reader.h"
#include "read/scan.h"

namespace txscope::read {

void FormReader::add(const FormNode& node) {
  form_.nodes.push_back(node);
  finish_value();
}

void FormReader::add_scalar(FormKind kind, std::size_t at, std::size_t text,
                            std::size_t size) {
  FormNode node;
  node.kind = kind;
  node.at = static_cast<std::uint32_t>(at);
  node.text = static_cast<std::uint32_t>(text);
  node.size = static_cast<std::uint32_t>(size);
  add(node);
}

bool FormReader::parse_string() {
  const std::size_t at = pos_++;
  const std::size_t from = pos_;
  bool has_escape = false;
  for (;;) {
    while (pos_ < size_ && text_[pos_] != '"' && text_[pos_] != '\\') ++pos_;
    if (pos_ == size_) {
      if (!refill()) return fail(at, "the string is never closed");
      continue;
    }
    if (text_[pos_] == '"') break;
    has_escape = true;
    ++pos_;
    if (at_end()) return fail(at, "the string is never closed");
    ++pos_;
  }
  const std::size_t to = pos_++;
  if (has_escape) return add_escaped(at, {text_ + from, to - from});
  add_scalar(FormKind::String, at, from, to - from);
  return true;
}

bool FormReader::add_escaped(std::size_t at, std::string_view text) {
  std::string& out = form_.unescaped;
  const std::size_t begin = out.size();
  if (const auto bad = unescape(text, notation_, out))
    return fail(at + 1 + bad->at, bad->what, bad->hint);
  FormNode node;
  node.kind = FormKind::String;
  node.is_unescaped = true;
  node.at = static_cast<std::uint32_t>(at);
  node.text = static_cast<std::uint32_t>(begin);
  node.size = static_cast<std::uint32_t>(out.size() - begin);
  add(node);
  return true;
}

// A character is a backslash and at least one character, be it a delimiter.
bool FormReader::parse_character() {
  const std::size_t at = pos_++;
  if (at_end() || (is_form_blank(text_[pos_]) && text_[pos_] != ','))
    return fail(at, "expected a character after '\\'");
  ++pos_;
  const std::size_t rest = scan_token();
  add_scalar(FormKind::Character, at, at + 1, rest + 1);
  return true;
}

// Moves to the next delimiter; how many bytes that was.
std::size_t FormReader::scan_token() {
  const std::size_t from = pos_;
  do {
    while (pos_ < size_ && !is_delimiter(text_[pos_])) ++pos_;
  } while (pos_ == size_ && refill());
  return pos_ - from;
}

bool FormReader::parse_word() {
  FormNode short_word;
  const std::string_view text(text_, size_);
  const std::size_t end = text[pos_] == ':' && !is_json()
                              ? short_keyword(text, pos_, short_word)
                              : short_number(text, pos_, short_word);
  if (end != 0) {
    pos_ = end;
    add(short_word);
    return true;
  }
  const std::size_t at = pos_;
  const std::size_t size = scan_token();
  if (error_) return false;
  const std::string_view word(text_ + at, size);
  assert(!word.empty() && "delimiters have been dealt with");
  const char c = word[0];
  if (is_json()) return parse_json_word(at, word);
  if (c == ':') {
    if (size == 1) return fail(at, "a keyword needs a name after its ':'");
    add_scalar(FormKind::Keyword, at, at + 1, size - 1);
    return true;
  }
  if (is_digit(c) || ((c == '-' || c == '+') && size > 1 && is_digit(word[1])))
    return parse_number(at, word);
  const bool is_bool = word == "true" || word == "false";
  add_scalar(word == "nil" ? FormKind::Nil
             : is_bool     ? FormKind::Bool
                           : FormKind::Symbol,
             at, at, size);
  return true;
}

bool FormReader::parse_json_word(std::size_t at, std::string_view word) {
  if (word[0] == '-' || is_digit(word[0])) return parse_number(at, word);
  const bool is_bool = word == "true" || word == "false";
  if (!is_bool && word != "null")
    return fail(at, "unexpected '" + std::string(word.substr(0, 20)) + "'",
                "strings are written in double quotes");
  add_scalar(is_bool ? FormKind::Bool : FormKind::Nil, at, at, word.size());
  return true;
}

bool FormReader::parse_number(std::size_t at, std::string_view word) {
  const auto number = to_number(word, notation_);
  if (!number) return fail(at, "malformed number '" + std::string(word) + "'");
  FormNode node = *number;
  node.at = node.text = static_cast<std::uint32_t>(at);
  node.size = static_cast<std::uint32_t>(word.size());
  add(node);
  return true;
}

}  // namespace txscope::read
