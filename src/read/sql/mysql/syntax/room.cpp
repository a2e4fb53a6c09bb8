#include "read/sql/mysql/syntax/room.h"

#include <algorithm>
#include <string>

#include "base/ascii.h"
#include "read/sql/mysql/syntax/rooms.h"

namespace txscope::sql::syntax {

Room::Room(Rooms& all)
    : all_(all),
      source_(all.source),
      state_(*all.source.mysql()),
      tokens_(all.tokens),
      at_(all.at),
      made_(all.made),
      nodes_(all.made->nodes) {}

Depth::Depth(Rooms& all) : all_(all) {
  constexpr int kDeepest = 200;
  if (++all.depth <= kDeepest) return;
  const Token& token =
      all.at < all.tokens.size() ? all.tokens[all.at] : all.end;
  all.source.fail(all.source.span(token.offset, token.length),
                  "this is nested too deeply");
}

Depth::~Depth() { --all_.depth; }

const Token& Room::peek(std::size_t ahead) const {
  return at_ + ahead < tokens_.size() ? tokens_[at_ + ahead] : all_.end;
}

void Room::skip_statement() { at_ = tokens_.size(); }

Node* Room::harmless(Node* node) {
  skip_statement();
  return node;
}

bool Room::accept(std::string_view word) {
  if (!is(word)) return false;
  ++at_;
  return true;
}

bool Room::accept_all(std::initializer_list<std::string_view> words) {
  std::size_t ahead = 0;
  for (const std::string_view word : words)
    if (!is(word, ahead++)) return false;
  at_ += words.size();
  return true;
}

void Room::expect(std::string_view word) {
  if (accept(word)) return;
  std::string upper = ascii::upper(word);
  fail("'" + upper + "'");
}

std::int32_t Room::location() const {
  return static_cast<std::int32_t>(peek().offset);
}

Span Room::span_of(const Token& token) const {
  return source_.span(token.offset, token.length);
}

Span Room::since(std::size_t first) const {
  const Token& from = tokens_[std::min(first, tokens_.size() - 1)];
  const Token& to = tokens_[std::max(at_, first + 1) - 1];
  return source_.span(from.offset, to.end() - from.offset);
}

void Room::fail(std::string_view expected) const {
  if (at_ >= tokens_.size()) {
    source_.fail(source_.span(all_.end.offset, 0),
                 "syntax error at the end: expected " + std::string(expected));
  }
  source_.fail(here(), "syntax error at or near '" +
                           std::string(source_.text(here())) + "': expected " +
                           std::string(expected));
}

void Room::unsupported(std::string_view what, std::string hint) const {
  source_.unsupported(here(), what, std::move(hint));
}

void Room::finish() const {
  if (at_ < tokens_.size()) fail("the end");
}

void Room::skip_parentheses() {
  expect("(");
  for (int depth = 1; depth > 0; ++at_) {
    if (at_ >= tokens_.size()) fail("')'");
    if (is("(")) ++depth;
    if (is(")")) --depth;
  }
}

bool Room::is_name() const {
  const Token& token = peek();
  return token.is_name() && !token.is_reserved &&
         !(token.kind == TokenKind::Word && token.word.starts_with('@'));
}

std::string Room::known(const Token& token) const {
  return state_.name(token.word);
}

std::string Room::name(std::string_view what) {
  if (!is_name()) fail(what);
  return known(tokens_[at_++]);
}

/// (10) behind a column: how much of it a key has.
void Room::key_length() {
  if (!accept("(")) return;
  if (peek().kind != TokenKind::Number) fail("a number");
  ++at_;
  expect(")");
}

void Room::skip_charset() {
  const bool is_one = is_name() || peek().kind == TokenKind::String ||
                      is("binary") || is("default");
  if (!is_one) fail("a character set");
  ++at_;
}

List Room::name_list() {
  List names;
  expect("(");
  do {
    names.push_back(name_node("a column"));
    key_length();
    if (!accept("asc")) (void)accept("desc");
  } while (accept(","));
  expect(")");
  return names;
}

/// [database.]name: a file is about one database.
PgQuery__RangeVar* Room::table_name() {
  auto* table = nodes_.make<PgQuery__RangeVar>();
  (void)accept(".");  // .t is t
  table->location = location();
  std::string first = name("a table");
  if (is(".")) {
    ++at_;
    const bool is_catalog = first == "information_schema" ||
                            first == "performance_schema" || first == "mysql" ||
                            first == "sys";
    if (is_catalog)
      source_.unsupported(span_of(tokens_[at_ - 2]),
                          "the server's own database " + first + " is");
    const Token& after = peek();
    if (!after.is_name()) fail("a table");
    first = known(after);
    ++at_;
  }
  table->relname = nodes_.text(first);
  table->inh = 1;
  table->relpersistence = nodes_.text("p");
  return table;
}

List Room::qualified_name(std::string_view what) {
  std::string last = name(what);
  if (accept(".")) {
    if (!peek().is_name()) fail(what);
    last = known(tokens_[at_++]);
  }
  return {nodes_.string(last)};
}

PgQuery__Alias* Room::alias(bool is_required_as) {
  std::string given;
  if (accept("as")) {
    if (peek().kind == TokenKind::String)
      given = state_.name(tokens_[at_++].word);
    else
      given = name("an alias");
  } else if (!is_required_as && is_name()) {
    given = name("an alias");
  } else {
    return nullptr;
  }
  auto* made = nodes_.make<PgQuery__Alias>();
  made->aliasname = nodes_.text(given);
  return made;
}

}  // namespace txscope::sql::syntax
