#include "tla/pluscal/token_reader.h"

#include <array>

namespace txscope::tla::pluscal {
namespace {

template <std::size_t N>
bool is_one_of(std::string_view word,
               const std::array<std::string_view, N>& words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// What ends an expression wherever it stands.
constexpr std::array<std::string_view, 27> kDelimiters = {
    ";",     "do",        "then",   ":=",      "begin", "variable", "variables",
    "||",    "end",       "else",   "elsif",   "if",    "either",   "or",
    "while", "with",      "call",   "return",  "goto",  "print",    "assert",
    "skip",  "procedure", "define", "process", "fair",  "macro"};

/// Before these no semicolon is needed.
constexpr std::array<std::string_view, 13> kClosers = {
    "end",       "begin",   "else", "elsif",  "or", "do", "macro",
    "procedure", "process", "fair", "define", "}",  "{"};

constexpr std::array<std::string_view, 16> kStatementWords = {
    "while", "if",   "assert", "print", "else", "elsif", "either", "or",
    "end",   "with", "when",   "await", "skip", "call",  "return", "goto"};

/// What PlusCal calls := may also be written as one character.
bool is_same(const Token& token, std::string_view text) {
  return token.kind != TokenKind::String && token.text == text;
}

}  // namespace

bool TokenReader::at(std::string_view text, std::size_t ahead) const {
  return is_same(peek(ahead), text);
}

const Token& TokenReader::take() {
  const Token& token = peek();
  if (token.kind == TokenKind::End && tokens_.fault) throw *tokens_.fault;
  if (next_ + 1 < tokens_.all.size()) ++next_;
  return token;
}

bool TokenReader::accept(std::string_view text) {
  if (!at(text)) return false;
  take();
  return true;
}

bool TokenReader::is_statement_word(std::string_view word) {
  return is_one_of(word, kStatementWords);
}

void TokenReader::unexpected(const std::string& wanted) const {
  const Token& token = peek();
  if (token.kind == TokenKind::End && tokens_.fault) throw *tokens_.fault;
  fail(token.spot, "expected " + wanted + " in the algorithm, found " +
                       (token.kind == TokenKind::End
                            ? "the end of its comment"
                            : "'" + std::string(token.text) + "'"));
}

void TokenReader::expect(std::string_view text) {
  if (!accept(text)) unexpected("'" + std::string(text) + "'");
}

std::string TokenReader::identifier(const std::string& what) {
  if (peek().kind != TokenKind::Identifier) unexpected(what);
  return std::string(take().text);
}

/// A semicolon may be left out before what closes a statement.
void TokenReader::semicolon() {
  if (peek().kind == TokenKind::End || is_one_of(peek().text, kClosers)) return;
  if (accept(";")) return;
  if (is_one_of(peek().text, kStatementWords))
    fail(peek().spot, "a ; is missing before '" + std::string(peek().text) +
                          "' in the algorithm");
  unexpected("';'");
}

void TokenReader::comma_or_semicolon() {
  if (!accept(",")) semicolon();
}

bool TokenReader::equal_or_in() {
  if (accept("=")) return true;
  if (accept("\\in")) return false;
  unexpected("'=' or '\\in'");
}

void TokenReader::open_body() { expect(is_c_ ? "{" : "begin"); }

void TokenReader::close_body(std::string_view word) {
  if (is_c_) return expect("}");
  expect("end");
  expect(word);
}

Piece TokenReader::piece_of(const Token& token,
                            std::uint32_t first_line) const {
  Piece piece;
  piece.text = source_.text.substr(token.offset, token.length);
  piece.kind = token.kind;
  piece.line = token.spot.line - first_line;
  piece.column = token.indent;
  piece.spot = token.spot;
  return piece;
}

/// Tokens up to a delimiter, or to a comma or bracket that does not belong to
/// them.  A comma after \A or \E is part of the quantifier.
Formula TokenReader::formula(const std::string& of) {
  Formula result;
  int depth = 0;
  bool in_quantifier = false;
  const Token first = peek();
  std::string_view before;
  for (;; take()) {
    const Token& token = peek();
    if (token.kind == TokenKind::End) break;
    const bool is_text = token.kind == TokenKind::String;
    const std::string_view text = is_text ? std::string_view() : token.text;
    const bool may_be_field = token.kind == TokenKind::Identifier &&
                              (before == "." || before == "[" || before == ",");
    if (is_one_of(text, kDelimiters) && !may_be_field) break;
    if (depth == 0 && ((text == "," && !in_quantifier) || text == ")" ||
                       text == "}" || text == "]" || text == ">>"))
      break;
    if (text == "(" || text == "[" || text == "{" || text == "<<") ++depth;
    if (text == ")" || text == "]" || text == "}" || text == ">>" ||
        text == "]_" || text == ">>_")
      --depth;
    if (depth == 0 && (text == "\\A" || text == "\\E")) in_quantifier = true;
    if (depth == 0 && text == ":") in_quantifier = false;
    before = is_text ? " " : text;
    result.pieces.push_back(piece_of(token, first.spot.line));
  }
  if (result.empty()) unexpected(of);
  if (depth > 0)
    fail(result.spot(), "a bracket of this expression is not closed before '" +
                            std::string(peek().text) + "'");
  return result;
}

}  // namespace txscope::tla::pluscal
