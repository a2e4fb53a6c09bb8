#include <algorithm>
#include <array>

#include "base/suggest.h"
#include "read/txn/parser.h"

namespace txscope::txn {

namespace {

/// Whether other languages have an assignment that begins with this.
bool is_computed_with(std::string_view symbol) {
  constexpr std::array<std::string_view, 10> kSigns = {
      "+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>"};
  return std::find(kSigns.begin(), kSigns.end(), symbol) != kSigns.end();
}

}  // namespace

TransactionId Parser::parse_transaction(std::string name, Span at,
                                        const std::vector<Token>& parameters) {
  Transaction transaction;
  transaction.name = std::move(name);
  transaction.at = at;
  transaction_ = &transaction;
  locals_.clear();
  for (const Token& parameter : parameters) {
    if (locals_.contains(parameter.text)) {
      fail(parameter.at, "the parameter '" + std::string(parameter.text) +
                             "' is declared twice");
    }
    declare_local(parameter);
  }
  transaction.parameters = static_cast<std::uint32_t>(parameters.size());
  skip_newlines();
  collect_locals(at_);
  scope_ = Scope::Transaction;
  transaction.body = parse_block();
  scope_ = Scope::Constant;
  transaction_ = nullptr;
  program_.transactions.push_back(std::move(transaction));
  return TransactionId(program_.transactions.size() - 1);
}

/// A name that a transaction assigns anywhere is its local everywhere.
void Parser::collect_locals(std::size_t open_brace) {
  int depth = 0;
  for (std::size_t i = open_brace; i < tokens_.size(); ++i) {
    const Token& token = tokens_[i];
    if (token.is_word()) {
      const bool assigned = starts_line(i) && tokens_[i + 1].is("=");
      const bool loops =
          i > 0 && tokens_[i - 1].is("for") && starts_line(i - 1);
      if (assigned || loops) declare_local(token);
    }
    if (token.is("{")) ++depth;
    if (token.is("}") && --depth == 0) return;
  }
}

void Parser::declare_local(const Token& name) {
  const std::string text(name.text);
  if (tables_.contains(text)) {
    fail(name.at, "'" + text + "' is a place and cannot be a local",
         "write " + text + " = ... stores into the place");
  }
  if (locals_.contains(text)) return;
  locals_.emplace(text, LocalId(transaction_->locals.size()));
  transaction_->locals.push_back(text);
}

LocalId Parser::local(const Token& name) {
  const auto found = locals_.find(name.text);
  if (found == locals_.end()) unknown_name(name);
  return found->second;
}

Span Parser::since(std::size_t first_token) const {
  Span at = tokens_[first_token].at;
  std::size_t last = at_;
  while (last > first_token && tokens_[last - 1].kind == TokenKind::Newline) {
    --last;
  }
  if (last > first_token) {
    const Span end = tokens_[last - 1].at;
    at.length = end.offset + end.length - at.offset;
  }
  return at;
}

Block Parser::parse_block() {
  skip_newlines();
  const Token& open = peek();
  if (!open.is("{")) {
    fail(open.at, "expected '{', found " + describe(open),
         open.is("=") ? "== compares" : "");
  }
  if (++nesting_ > Program::kMaxNesting) {
    fail(open.at, "blocks are nested too deeply", "at most 256 levels");
  }
  next();
  Block block;
  for (;;) {
    skip_newlines();
    if (accept(";")) continue;
    if (accept("}")) break;
    if (peek().kind == TokenKind::End) {
      fail(open.at, "this '{' is never closed", "add the missing '}'");
    }
    block.push_back(parse_statement());
  }
  --nesting_;
  return block;
}

Statement Parser::parse_statement() {
  const Token& token = peek();
  const std::size_t first = at_;
  if (is_word_of_statement("if")) return parse_if();
  if (is_word_of_statement("for")) return parse_for();
  if (is_word_of_statement("while")) return parse_while();

  Statement statement;
  if (is_word_of_statement("write")) {
    statement = parse_write();
  } else if (is_word_of_statement("assert")) {
    statement = parse_assert();
  } else if (is_word_of_statement("assume")) {
    next();
    statement.what = Assume{parse_expression()};
  } else if (is_word_of_statement("abort")) {
    next();
    statement.what = Abort{};
  } else if (is_word_of_statement("read")) {
    fail(token.at, "a read needs a local for its value", "v = read x");
  } else if (is_word_of_statement("else")) {
    fail(token.at, "'else' without an 'if' before it");
  } else if (token.is_word()) {
    statement = parse_assignment();
  } else {
    fail(token.at, "expected a statement, found " + describe(token),
         "statements are v = read x, v = expr, write x = expr, if, for, "
         "while, assert, assume and abort");
  }
  statement.at = since(first);
  end_statement("the statement");
  return statement;
}

/// How to change a local, or a variable, which is read and written.
std::string Parser::changing(const std::string& name,
                             const std::string& sign) const {
  if (!tables_.contains(name)) return name + " = " + name + " " + sign + " ...";
  return "v = read " + name + "; write " + name + " = v " + sign + " ...";
}

Statement Parser::parse_assignment() {
  const Token& name = next();
  if (tokens_[at_].is("(")) {
    fail(name.at, "a transaction cannot be called inside another one",
         "calls belong in sessions");
  }
  if (tokens_[at_].is("[")) {
    fail(name.at, "locals cannot be arrays",
         tables_.contains(name.text)
             ? "write " + std::string(name.text) + "[...] = ... stores"
             : "only var declares arrays");
  }
  if (is_computed_with(tokens_[at_].text) && tokens_[at_ + 1].is("=")) {
    const std::string text(name.text);
    const std::string sign(tokens_[at_].text);
    fail(peek().at, "there is no '" + sign + "='", changing(text, sign));
  }
  if ((tokens_[at_].is("+") || tokens_[at_].is("-")) &&
      tokens_[at_ + 1].is(tokens_[at_].text)) {
    const std::string sign(tokens_[at_].text);
    fail(peek().at, "there is no '" + sign + sign + "'",
         changing(std::string(name.text), sign));
  }
  if (!peek().is("=")) {
    static const std::vector<std::string> kStatements = {
        "read",  "write",  "if",     "else", "for",
        "while", "assert", "assume", "abort"};
    fail(peek().at,
         "expected '=' after '" + std::string(name.text) + "', found " +
             describe(peek()),
         suggestion(name.text, kStatements));
  }
  next();
  const LocalId to = local(name);
  Statement statement;
  if (is_read()) {
    next();
    statement.what = ReadRow{to, parse_place()};
    const Token& after = tokens_[at_];
    if (after.kind == TokenKind::Symbol && !after.is(";") && !after.is("}")) {
      fail(after.at, "a read cannot be part of an expression",
           "compute in a statement of its own: " + std::string(name.text) +
               " = " + std::string(name.text) + " " + std::string(after.text) +
               " ...");
    }
  } else {
    statement.what = Assign{to, parse_expression()};
  }
  return statement;
}

Statement Parser::parse_write() {
  next();
  Statement statement;
  const std::string name(peek().text);
  RowRef row = parse_place();
  if (is_computed_with(peek().text) && tokens_[at_ + 1].is("=")) {
    const std::string sign(peek().text);
    fail(peek().at, "there is no '" + sign + "='", changing(name, sign));
  }
  expect("=", "after the place of a write");
  statement.what = WriteRow{std::move(row), {parse_expression()}};
  return statement;
}

RowRef Parser::parse_place() {
  const Token& name = expect_name("a place");
  const std::string text(name.text);
  const auto found = tables_.find(name.text);
  if (found == tables_.end()) {
    std::vector<std::string> names;
    for (const auto& [known, id] : tables_) names.push_back(known);
    std::string hint = suggestion(text, names);
    if (hint.empty()) hint = "declare it: var " + text;
    fail(name.at, "unknown place '" + text + "'", std::move(hint));
  }
  RowRef row{found->second, {}};
  const bool is_array = program_.at(row.table).key_columns > 0;
  if (!tokens_[at_].is("[")) {
    if (is_array) {
      fail(name.at, "'" + text + "' is an array and needs an index",
           text + "[i]");
    }
    return row;
  }
  if (!is_array) fail(name.at, "'" + text + "' is not an array");
  ++at_;
  ++ignore_newlines_;
  row.key.push_back(parse_expression());
  if (!peek().is("]")) {
    fail(peek().at, "expected ']', found " + describe(peek()));
  }
  --ignore_newlines_;
  ++at_;
  check_index(row.table, row.key[0]);
  return row;
}

Statement Parser::parse_if() {
  const std::size_t first = at_;
  next();
  If branch;
  branch.condition = parse_expression();
  Statement statement;
  statement.at = since(first);
  branch.then = parse_block();
  const std::size_t after = at_;
  skip_newlines();
  if (is_word_of_statement("else")) {
    next();
    skip_newlines();
    if (peek().is("if")) {
      if (++nesting_ > Program::kMaxNesting) {
        fail(peek().at, "blocks are nested too deeply", "at most 256 levels");
      }
      branch.otherwise.push_back(parse_if());
      --nesting_;
    } else {
      branch.otherwise = parse_block();
    }
  } else {
    at_ = after;
  }
  statement.what = std::move(branch);
  return statement;
}

Statement Parser::parse_for() {
  const std::size_t first = at_;
  next();
  For loop;
  const Token& name = expect_name("a loop variable");
  loop.variable = local(name);
  expect("in", "after the loop variable");
  loop.from = parse_expression();
  expect("..", "between the bounds of a for loop");
  loop.to = parse_expression();
  Statement statement;
  statement.at = since(first);
  loop.body = parse_block();
  statement.what = std::move(loop);
  return statement;
}

Statement Parser::parse_while() {
  const std::size_t first = at_;
  next();
  While loop;
  loop.condition = parse_expression();
  Statement statement;
  statement.at = since(first);
  loop.body = parse_block();
  statement.what = std::move(loop);
  return statement;
}

Statement Parser::parse_assert() {
  const Span at = next().at;
  std::optional<std::string> name = parse_property_name();
  if (!name) name = "line " + std::to_string(at.line);
  const PropertyId row = property(PropertyKind::Assert, std::move(*name), at);
  Statement statement;
  statement.what = Assert{row, parse_expression()};
  return statement;
}

std::optional<std::string> Parser::parse_property_name() {
  if (peek().kind != TokenKind::String) return std::nullopt;
  std::string name;
  const std::string_view raw = next().text;
  for (std::size_t i = 0; i < raw.size(); ++i) {
    const bool escaped = raw[i] == '\\' && i + 1 < raw.size() &&
                         (raw[i + 1] == '"' || raw[i + 1] == '\\');
    if (escaped) ++i;
    name.push_back(raw[i]);
  }
  return name;
}

PropertyId Parser::property(PropertyKind kind, std::string name, Span at) {
  for (std::size_t i = 0; i < program_.properties.size(); ++i) {
    const Property& row = program_.properties[i];
    if (row.kind == kind && row.name == name) return PropertyId(i);
  }
  program_.properties.push_back({kind, std::move(name), at});
  return PropertyId(program_.properties.size() - 1);
}

}  // namespace txscope::txn
