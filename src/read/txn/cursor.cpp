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
  if (token.kind == TokenKind::Keyword) {
    fail(token.at,
         "'" + std::string(token.text) + "' is a keyword and cannot be " +
             std::string(what),
         "choose another name");
  }
  if (token.kind != TokenKind::Name) {
    fail(token.at,
         "expected " + std::string(what) + ", found " + describe(token));
  }
  return next();
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
