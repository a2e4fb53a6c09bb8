#include "tla/syntax/parser.h"

namespace txscope::tla {

/// `[`: a record, a record set, a function, a function set, EXCEPT, or
/// [A]_v; the first two tokens or the token after the first expression tell.
const Expr* Parser::square_bracket() {
  const Nesting nesting(*this);
  const Token open = take();
  if (at(TokenKind::Identifier)) {
    if (at_symbol("|->", 1)) return record(false);
    if (at_symbol(":", 1)) return record(true);
    if (at_symbol(",", 1)) return function(open, nullptr);
  }
  const Expr* first = expression();
  if (at_keyword("EXCEPT")) return except(open, first);
  if (accept_symbol("->")) {
    Expr& e = make(ExprKind::FunctionSet, open.spot);
    e.args = {first, expression()};
    expect_symbol("]", "a set of functions");
    return finish(e);
  }
  if (accept_symbol("]_")) {
    Expr& e = make(ExprKind::BoxAct, open.spot);
    e.args = {first, subscript()};
    return finish(e);
  }
  if ((at_symbol("|->") || at_symbol(",")) && is_bound(first))
    return function(open, first);
  unexpected("|->, ->, EXCEPT or ]_");
}

const Expr* Parser::record(bool is_set) {
  Expr& e = make(is_set ? ExprKind::RecordSet : ExprKind::Record, peek().spot);
  do {
    const Spot spot = peek().spot;
    std::string field = expect_identifier("a field");
    for (const std::string& other : e.fields)
      if (other == field) fail(spot, "the field " + field + " is given twice");
    e.fields.push_back(std::move(field));
    expect_symbol(is_set ? ":" : "|->", "a field");
    e.args.push_back(expression());
  } while (accept_symbol(","));
  expect_symbol("]", "the fields of a record");
  return finish(e);
}

const Expr* Parser::function(const Token& open, const Expr* first) {
  Expr& e = make(ExprKind::Function, open.spot);
  if (first == nullptr) {
    e.bounds = bounds();
  } else {
    e.bounds.push_back(as_bound(first));
    while (accept_symbol(",")) e.bounds.push_back(bound());
  }
  expect_symbol("|->", "the variables of a function");
  e.args.push_back(expression());
  expect_symbol("]", "a function");
  return finish(e);
}

const Expr* Parser::except(const Token& open, const Expr* base) {
  Expr& e = make(ExprKind::Except, open.spot);
  e.args.push_back(base);
  expect_keyword("EXCEPT", "a function");
  do {
    Update update;
    expect_symbol("!", "EXCEPT");
    while (at_symbol("[") || at_symbol(".")) {
      Update::Step step;
      step.spot = peek().spot;
      if (accept_symbol(".")) {
        step.field = expect_identifier("a field");
      } else {
        take();
        const Expr* index = expression();
        if (at_symbol(",")) {  // ![a, b] is ![<<a, b>>]
          Expr& tuple = make(ExprKind::Tuple, step.spot);
          tuple.args.push_back(index);
          while (accept_symbol(",")) tuple.args.push_back(expression());
          index = finish(tuple);
        }
        step.index = index;
        expect_symbol("]", "an index of EXCEPT");
      }
      update.steps.push_back(std::move(step));
    }
    if (update.steps.empty()) unexpected("[ or . after !");
    expect_symbol("=", "what EXCEPT changes");
    update.value = expression();
    e.updates.push_back(std::move(update));
  } while (accept_symbol(","));
  expect_symbol("]", "EXCEPT");
  return finish(e);
}

/// `{`: an enumeration, a filter {x \in S : p} or a map {e : x \in S}.
const Expr* Parser::brace() {
  const Nesting nesting(*this);
  const Token open = take();
  if (accept_symbol("}")) return finish(make(ExprKind::SetEnum, open.spot));
  const Expr* first = expression();
  if (accept_symbol(":")) {
    const bool is_filter = is_bound(first);
    Expr& e =
        make(is_filter ? ExprKind::SetFilter : ExprKind::SetMap, open.spot);
    if (is_filter) {
      e.bounds.push_back(as_bound(first));
      e.args.push_back(expression());
    } else {
      e.args.push_back(first);
      e.bounds = bounds();
      for (const Bound& b : e.bounds)
        if (b.set == nullptr)
          fail(b.spot, "a set needs bounds for its variables", "add \\in S");
    }
    expect_symbol("}", "a set");
    return finish(e);
  }
  Expr& e = make(ExprKind::SetEnum, open.spot);
  e.args.push_back(first);
  while (accept_symbol(",")) e.args.push_back(expression());
  expect_symbol("}", "the elements of a set");
  return finish(e);
}

const Expr* Parser::angle_bracket() {
  const Nesting nesting(*this);
  const Token open = take();
  if (accept_symbol(">>")) return finish(make(ExprKind::Tuple, open.spot));
  std::vector<const Expr*> items;
  do items.push_back(expression());
  while (accept_symbol(","));
  if (items.size() == 1 && accept_symbol(">>_")) {
    Expr& e = make(ExprKind::DiamondAct, open.spot);
    e.args = {items[0], subscript()};
    return finish(e);
  }
  expect_symbol(">>", "the elements of a tuple");
  Expr& e = make(ExprKind::Tuple, open.spot);
  e.args = std::move(items);
  return finish(e);
}

/// What follows `_` in [A]_v and WF_v(A): a name without arguments, a tuple,
/// or an expression in parentheses.
const Expr* Parser::subscript() {
  if (at_symbol("(") || at_symbol("<<")) return primary();
  Expr& e = make(ExprKind::Name, peek().spot);
  do {
    const Spot spot = peek().spot;
    e.path.push_back({expect_identifier("a subscript"), spot, {}});
  } while (accept_symbol("!"));
  return finish(e);
}

/// `x \in S` as an expression that may turn out to be a bound.
bool Parser::is_bound(const Expr* e) const {
  if (e == in_parens_ || e->kind != ExprKind::Name || e->path.size() != 1 ||
      e->path[0].name != "\\in" || e->path[0].args.size() != 2)
    return false;
  const auto is_plain = [](const Expr* x) {
    return x->kind == ExprKind::Name && x->path.size() == 1 &&
           x->path[0].args.empty();
  };
  const Expr* left = e->path[0].args[0];
  if (left->kind != ExprKind::Tuple) return is_plain(left);
  for (const Expr* x : left->args)
    if (!is_plain(x)) return false;
  return !left->args.empty();
}

Bound Parser::as_bound(const Expr* membership) {
  Bound b;
  b.spot = membership->spot;
  const Expr* left = membership->path[0].args[0];
  b.set = membership->path[0].args[1];
  b.is_tuple = left->kind == ExprKind::Tuple;
  if (b.is_tuple)
    for (const Expr* x : left->args) b.names.push_back(x->path[0].name);
  else
    b.names.push_back(left->path[0].name);
  return b;
}

Bound Parser::bound() {
  Bound b;
  b.spot = peek().spot;
  if (accept_symbol("<<")) {
    b.is_tuple = true;
    do b.names.push_back(expect_identifier("a variable"));
    while (accept_symbol(","));
    expect_symbol(">>", "a tuple of variables");
  } else {
    do b.names.push_back(expect_identifier("a variable"));
    while (accept_symbol(","));
  }
  if (accept_symbol("\\in")) b.set = expression();
  return b;
}

std::vector<Bound> Parser::bounds() {
  std::vector<Bound> all;
  do all.push_back(bound());
  while (accept_symbol(","));
  return all;
}

}  // namespace txscope::tla
