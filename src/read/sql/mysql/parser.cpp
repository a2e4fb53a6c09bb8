#include "read/sql/mysql/parser.h"

#include <algorithm>

#include "base/ascii.h"
#include "read/sql/mysql/lexer.h"
#include "read/sql/schema/types.h"

namespace txscope::sql {

MysqlParser::MysqlParser(const Source& source, std::string_view text,
                         std::uint32_t offset)
    : source_(source),
      state_(*source.mysql()),
      text_(text),
      offset_(offset),
      tokens_(std::move(scan_mysql(source, text, offset).list)),
      made_(std::make_shared<MysqlStatement>()),
      nodes_(made_->nodes) {
  while (!tokens_.empty() && tokens_.back().is(";")) tokens_.pop_back();
  end_.offset = tokens_.empty() ? offset : tokens_.back().end();
}

std::shared_ptr<MysqlStatement> MysqlParser::expression() {
  auto* select = nodes_.select();
  auto* target = nodes_.make<PgQuery__ResTarget>();
  target->location = location();
  target->val = expr();
  nodes_.set(select->n_target_list, select->target_list, {nodes_.wrap(target)});
  finish();
  made_->root = nodes_.wrap(select);
  return made_;
}

std::shared_ptr<MysqlStatement> MysqlParser::type() {
  auto* select = nodes_.select();
  auto* target = nodes_.make<PgQuery__ResTarget>();
  const std::int32_t where = location();
  target->val = cast(null_node(where), column_type().type, where);
  nodes_.set(select->n_target_list, select->target_list, {nodes_.wrap(target)});
  finish();
  made_->root = nodes_.wrap(select);
  return made_;
}

bool MysqlParser::accept(std::string_view word) {
  if (!is(word)) return false;
  ++at_;
  return true;
}

bool MysqlParser::accept_all(std::initializer_list<std::string_view> words) {
  std::size_t ahead = 0;
  for (const std::string_view word : words)
    if (!is(word, ahead++)) return false;
  at_ += words.size();
  return true;
}

void MysqlParser::expect(std::string_view word) {
  if (accept(word)) return;
  std::string upper = ascii::upper(word);
  fail("'" + upper + "'");
}

std::int32_t MysqlParser::location() const {
  return static_cast<std::int32_t>(peek().offset);
}

Span MysqlParser::span_of(const Token& token) const {
  return source_.span(token.offset, token.length);
}

Span MysqlParser::since(std::size_t first) const {
  const Token& from = tokens_[std::min(first, tokens_.size() - 1)];
  const Token& to = tokens_[std::max(at_, first + 1) - 1];
  return source_.span(from.offset, to.end() - from.offset);
}

void MysqlParser::fail(std::string_view expected) const {
  if (at_ >= tokens_.size()) {
    source_.fail(source_.span(end_.offset, 0),
                 "syntax error at the end: expected " + std::string(expected));
  }
  source_.fail(here(), "syntax error at or near '" +
                           std::string(source_.text(here())) + "': expected " +
                           std::string(expected));
}

void MysqlParser::unsupported(std::string_view what, std::string hint) const {
  source_.unsupported(here(), what, std::move(hint));
}

void MysqlParser::finish() const {
  if (at_ < tokens_.size()) fail("the end");
}

void MysqlParser::skip_parentheses() {
  expect("(");
  for (int depth = 1; depth > 0; ++at_) {
    if (at_ >= tokens_.size()) fail("')'");
    if (is("(")) ++depth;
    if (is(")")) --depth;
  }
}

bool MysqlParser::is_name() const {
  const Token& token = peek();
  return token.is_name() && !token.is_reserved &&
         !(token.kind == TokenKind::Word && token.word.starts_with('@'));
}

std::string MysqlParser::known(const Token& token) const {
  return state_.name(token.word);
}

std::string MysqlParser::name(std::string_view what) {
  if (!is_name()) fail(what);
  return known(tokens_[at_++]);
}

MysqlParser::List MysqlParser::name_list() {
  List names;
  expect("(");
  do {
    names.push_back(name_node("a column"));
    if (is("(")) skip_parentheses();
    if (!accept("asc")) (void)accept("desc");
  } while (accept(","));
  expect(")");
  return names;
}

/// [database.]name: a file is about one database.
PgQuery__RangeVar* MysqlParser::table_name() {
  auto* table = nodes_.make<PgQuery__RangeVar>();
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

MysqlParser::List MysqlParser::qualified_name(std::string_view what) {
  std::string last = name(what);
  if (accept(".")) {
    if (!peek().is_name()) fail(what);
    last = known(tokens_[at_++]);
  }
  return {nodes_.string(last)};
}

PgQuery__Alias* MysqlParser::alias(bool is_required_as) {
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

}  // namespace txscope::sql
