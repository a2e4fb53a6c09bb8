#include <algorithm>
#include <array>

#include "read/txn/parser.h"

namespace txscope::txn {

const Token& Parser::peek() {
  if (ignore_newlines_ > 0) skip_newlines();
  return tokens_[at_];
}

const Token& Parser::next() {
  const Token& token = peek();
  if (token.kind != TokenKind::End) ++at_;
  return token;
}

bool Parser::accept(std::string_view symbol) {
  if (!peek().is(symbol)) return false;
  ++at_;
  return true;
}

void Parser::expect(std::string_view symbol, std::string_view after) {
  if (accept(symbol)) return;
  fail(peek().at, "expected '" + std::string(symbol) + "' " +
                      std::string(after) + ", found " + describe(peek()));
}

const Token& Parser::expect_name(std::string_view what) {
  const Token& token = peek();
  if (!token.is_word()) {
    fail(token.at,
         "expected " + std::string(what) + ", found " + describe(token));
  }
  return next();
}

bool Parser::starts_declaration(std::size_t i) const {
  constexpr std::array<std::string_view, 8> kWords = {
      "var",       "const",  "txn",    "session",
      "invariant", "assert", "exists", "assume"};
  const bool declares =
      std::any_of(kWords.begin(), kWords.end(),
                  [&](std::string_view word) { return tokens_[i].is(word); });
  return declares && starts_line(i);
}

bool Parser::starts_line(std::size_t i) const {
  if (i == 0) return true;
  const Token& before = tokens_[i - 1];
  return before.kind == TokenKind::Newline || before.is(";") ||
         before.is("{") || before.is("}");
}

bool Parser::is_word_of_statement(std::string_view word) const {
  return tokens_[at_].is(word) && !tokens_[at_ + 1].is("=");
}

bool Parser::is_read() const {
  return tokens_[at_].is("read") && tokens_[at_ + 1].is_word();
}

void Parser::skip_newlines() {
  while (tokens_[at_].kind == TokenKind::Newline) ++at_;
}

void Parser::end_statement(std::string_view what) {
  const Token& token = tokens_[at_];
  if (token.kind == TokenKind::Newline || token.is(";")) {
    ++at_;
    return;
  }
  if (token.kind == TokenKind::End || token.is("}")) return;
  fail(
      token.at,
      "expected the end of " + std::string(what) + ", found " + describe(token),
      token.is("=") ? "== compares"
                    : "statements end at a newline, ';' or '}'");
}

void Parser::fail(Span at, std::string what, std::string hint) {
  throw Failure{error_at(program_.file, program_.source, at, std::move(what),
                         std::move(hint))};
}

}  // namespace txscope::txn
