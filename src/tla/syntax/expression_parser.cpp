#include <algorithm>
#include <charconv>

#include "tla/syntax/parser.h"

namespace txscope::tla {
Parser::Nesting::Nesting(Parser& parser) : parser_(parser) {
  if (++parser_.nesting_ > kDeepestExpr)
    fail(parser_.peek().spot, "this is nested too deeply",
         "name parts of it with definitions of their own");
}

Expr& Parser::make(ExprKind kind, const Spot& spot) {
  Expr& e = module_->exprs.emplace_back();
  e.kind = kind;
  e.spot = spot;
  return e;
}

/// Sets and bounds the depth; every node passes through here.
const Expr* Parser::finish(Expr& e) {
  std::uint32_t deepest = 0;
  const auto look = [&](const Expr* child) {
    if (child != nullptr) deepest = std::max(deepest, child->depth);
  };
  for (const Expr* arg : e.args) look(arg);
  for (const PathStep& step : e.path)
    for (const Expr* arg : step.args) look(arg);
  for (const Bound& b : e.bounds) look(b.set);
  for (const Update& update : e.updates) {
    look(update.value);
    for (const auto& step : update.steps) look(step.index);
  }
  for (const LetItem& item : e.defs) {
    if (item.op != nullptr) look(item.op->body);
    if (item.instance != nullptr)
      for (const auto& with : item.instance->with) look(with.value);
  }
  e.depth = deepest + 1;
  check_depth(e);
  return &e;
}

const Expr* Parser::binary(const Token& op, const Expr* left,
                           const Expr* right) {
  const bool is_and = op.text == "/\\";
  const bool is_junction = is_and || op.text == "\\/";
  const ExprKind kind = !is_junction ? ExprKind::Name
                        : is_and     ? ExprKind::And
                                     : ExprKind::Or;
  // A long chain stays flat: a /\ b /\ c has three children.
  const bool continues =
      left->kind == kind && left != in_parens_ &&
      (is_junction ||
       (op.text == "\\X" && left->path.size() == 1 &&
        left->path[0].name == "\\X" && left->path[0].args.size() > 1));
  if (continues) {
    Expr& chain = const_cast<Expr&>(*left);  // ours, and not finished yet
    (is_junction ? chain.args : chain.path[0].args).push_back(right);
    chain.depth = std::max(chain.depth, right->depth + 1);
    check_depth(chain);
    return left;
  }
  Expr& e = make(kind, is_junction ? left->spot : op.spot);
  if (is_junction)
    e.args = {left, right};
  else
    e.path.push_back({std::string(op.text), op.spot, {left, right}});
  return finish(e);
}

void Parser::check_depth(const Expr& e) const {
  if (e.depth > kDeepestExpr)
    fail(e.spot, "this is nested too deeply",
         "name parts of it with definitions of their own");
}

/// Operator precedence.  `outer` is the operator to the left, if any, which
/// gets the operand back as soon as it binds tighter than what follows.
const Expr* Parser::expression(const Fixity* outer,
                               std::string_view outer_symbol) {
  const Nesting nesting(*this);
  const Expr* left = operand();
  while (at(TokenKind::Symbol)) {
    const Token op = peek();
    const Fixity* fixity = infix(op.text);
    if (fixity == nullptr) break;
    if (outer != nullptr && fixity->high < outer->low) break;
    if (outer != nullptr && fixity->low <= outer->high) {
      if (op.text == outer_symbol && fixity->is_associative) break;
      // A prefix operator of one precedence binds what follows it: UNION a
      // \\cup b is (UNION a) \\cup b.
      if (prefix(outer_symbol) == outer && outer->low == outer->high &&
          fixity->low == fixity->high)
        break;
      fail(op.spot,
           "the operators " + std::string(outer_symbol) + " and " +
               std::string(op.text) + " have no order of precedence",
           "add parentheses");
    }
    take();
    left = binary(op, left, expression(fixity, op.text));
  }
  return left;
}

const Expr* Parser::operand() {
  const Token& token = peek();
  if (token.kind == TokenKind::Symbol &&
      (token.text == "/\\" || token.text == "\\/"))
    return junction();
  if (token.kind == TokenKind::Symbol || token.kind == TokenKind::Keyword)
    if (const Fixity* fixity = prefix(token.text))
      return prefix_operation(token, *fixity);
  if (token.kind == TokenKind::Symbol && at_symbol("(", 1) &&
      (infix(token.text) != nullptr || postfix(token.text) != nullptr))
    return suffixes(applied_symbol());
  return suffixes(primary());
}

/// An infix or postfix operator written before its arguments: `<(a, b)`.
const Expr* Parser::applied_symbol() {
  const Token token = take();
  Expr& e = make(ExprKind::Name, token.spot);
  e.path.push_back({std::string(token.text), token.spot, arguments()});
  return finish(e);
}

const Expr* Parser::prefix_operation(const Token& op, const Fixity& fixity) {
  const Token token = op;
  take();
  if (token.text == "-" && at(TokenKind::Number)) {
    // `-1` is one literal, but `-x^2` and `-1..3` keep their structure: the
    // sign binds tighter than anything a number can be followed by but ^.
    if (!at_symbol("^", 1)) {
      Expr& literal = const_cast<Expr&>(*number());
      literal.number = -literal.number;
      return suffixes(&literal);
    }
  }
  const Expr* argument = expression(&fixity, token.text);
  Expr& e = make(ExprKind::Name, token.spot);
  const std::string symbol = token.text == "-" ? "-." : std::string(token.text);
  e.path.push_back({symbol, token.spot, {argument}});
  return finish(e);
}

/// `f[x]`, `r.field`, `x'`, as often as they follow.
const Expr* Parser::suffixes(const Expr* base) {
  while (at(TokenKind::Symbol)) {
    const Token token = peek();
    if (token.text == "[") {
      take();
      Expr& e = make(ExprKind::Apply, token.spot);
      e.args.push_back(base);
      do e.args.push_back(expression());
      while (accept_symbol(","));
      expect_symbol("]", "the argument of a function");
      base = finish(e);
    } else if (token.text == "." && at(TokenKind::Identifier, 1)) {
      take();
      Expr& e = make(ExprKind::Field, token.spot);
      e.args.push_back(base);
      e.name = std::string(take().text);
      base = finish(e);
    } else if (token.text == "." && at(TokenKind::Keyword, 1)) {
      fail(token.spot, "a field cannot be named " + std::string(peek(1).text),
           "that is a reserved word");
    } else if (token.text == "'") {
      take();
      Expr& e = make(ExprKind::Prime, token.spot);
      e.args.push_back(base);
      base = finish(e);
    } else if (postfix(token.text) != nullptr) {
      take();
      Expr& e = make(ExprKind::Name, token.spot);
      e.path.push_back({std::string(token.text), token.spot, {base}});
      base = finish(e);
    } else {
      break;
    }
  }
  return base;
}

const Expr* Parser::primary() {
  const Token& token = peek();
  switch (token.kind) {
    case TokenKind::Number: return number();
    case TokenKind::String: {
      Expr& e = make(ExprKind::String, token.spot);
      for (std::size_t i = 0; i < token.text.size(); ++i) {
        char c = token.text[i];
        if (c == '\\' && i + 1 < token.text.size()) {
          c = token.text[++i];
          if (c == 'n') c = '\n';
          if (c == 't') c = '\t';
          if (c == 'r') c = '\r';
          if (c == 'f') c = '\f';
        }
        e.name.push_back(c);
      }
      take();
      return finish(e);
    }
    case TokenKind::Identifier: return name();
    case TokenKind::Keyword:
      if (token.text == "IF") return conditional();
      if (token.text == "CASE") return case_expression();
      if (token.text == "LET") return let();
      if (token.text == "CHOOSE") return choose();
      if (token.text == "LAMBDA") return lambda();
      if (token.text == "WF_" || token.text == "SF_") return fairness();
      break;
    case TokenKind::Symbol:
      if (token.text == "(") {
        take();
        const Expr* inner = expression();
        expect_symbol(")", "an expression in parentheses");
        in_parens_ = inner;
        return inner;
      }
      if (token.text == "[") return square_bracket();
      if (token.text == "{") return brace();
      if (token.text == "<<") return angle_bracket();
      if (token.text == "\\A") return quantifier(ExprKind::Forall);
      if (token.text == "\\E") return quantifier(ExprKind::Exists);
      if (token.text == "\\AA" || token.text == "\\EE")
        return quantifier(ExprKind::TemporalQuantifier);
      if (token.text == "@") {
        Expr& e = make(ExprKind::At, token.spot);
        take();
        return finish(e);
      }
      break;
    case TokenKind::End:
    case TokenKind::Dashes:
    case TokenKind::Equals: break;
  }
  unexpected("an expression");
}

/// A list of items, each after a bullet in the same column.
const Expr* Parser::junction() {
  const Nesting nesting(*this);
  const Token bullet = peek();
  Expr& e =
      make(bullet.text == "/\\" ? ExprKind::And : ExprKind::Or, bullet.spot);
  const std::uint32_t outer_fence = fence_;
  while (at(TokenKind::Symbol) && peek().text == bullet.text &&
         peek().indent == bullet.indent) {
    take();
    fence_ = bullet.indent;
    e.args.push_back(expression());
    fence_ = outer_fence;
  }
  in_parens_ = &e;  // a list is closed: `/\ a /\ b` continues it, no chain
  return finish(e);
}

const Expr* Parser::number() {
  const Token& token = take();
  Expr& e = make(ExprKind::Number, token.spot);
  std::string_view digits = token.text;
  int base = 10;
  if (digits.starts_with("\\")) {
    const char kind = digits[1];
    base = kind == 'b' || kind == 'B' ? 2 : kind == 'o' || kind == 'O' ? 8 : 16;
    digits.remove_prefix(2);
  }
  const auto [end, status] = std::from_chars(
      digits.data(), digits.data() + digits.size(), e.number, base);
  constexpr std::int64_t largest = (std::int64_t{1} << 60) - 1;
  if (status != std::errc() || end != digits.data() + digits.size() ||
      e.number > largest)
    fail(token.spot, "this number is too large or malformed");
  if (at_symbol(".") && at(TokenKind::Number, 1))
    fail(token.spot, "real numbers are not supported");
  return finish(e);
}

/// `Op`, `Op(a, b)`, `Instance(a)!Op(b)`, `Op!2!1`.
const Expr* Parser::name() {
  if (at_label()) return label();
  Expr& e = make(ExprKind::Name, peek().spot);
  for (;;) {
    PathStep step;
    step.spot = peek().spot;
    if (at(TokenKind::Symbol) && !e.path.empty() &&
        (infix(peek().text) != nullptr || postfix(peek().text) != nullptr ||
         peek().text == "-."))
      step.name = std::string(take().text);  // Instance!+(a, b)
    else
      step.name = expect_identifier("a name");
    if (at_symbol("(")) step.args = arguments();
    e.path.push_back(std::move(step));
    for (;;) {
      if (!accept_symbol("!")) return finish(e);
      // Name!: is the formula that Name stands for, and may have parts.
      if (accept_symbol(":")) {
        if (!at_symbol("!")) return finish(e);
        continue;
      }
      if (!part(e)) break;
    }
  }
}

/// `Inv!2`: the second part of Inv; !<< and !>> are its operands, !(x) is the
/// body of a quantifier with x for its variable.
bool Parser::part(Expr& e) {
  PathStep step;
  step.spot = peek().spot;
  if (at(TokenKind::Number)) {
    step.name = std::string(take().text);
  } else if (accept_symbol("<<")) {
    step.name = "1";
  } else if (accept_symbol(">>")) {
    step.name = "2";
  } else if (at_symbol("(")) {
    step.name = PathStep::kBody;
    step.args = arguments();
  } else if (at_symbol("@")) {
    take();
    step.name = PathStep::kAny;
  } else {
    return false;
  }
  e.path.push_back(std::move(step));
  return true;
}

/// `label ::` or `label(x, y) ::` before an expression.
bool Parser::at_label() const {
  std::size_t length = 1;
  if (at_symbol("(", 1)) {
    length = 2;
    while (at(TokenKind::Identifier, length) || at_symbol(",", length))
      ++length;
    if (!at_symbol(")", length++)) return false;
  }
  return at_symbol("::", length);
}

const Expr* Parser::label() {
  Expr& e = make(ExprKind::Label, peek().spot);
  e.name = expect_identifier("a label");
  while (!accept_symbol("::")) {
    const Token token = take();
    if (token.kind == TokenKind::Identifier)
      e.params.push_back({std::string(token.text), 0, token.spot});
  }
  e.args.push_back(expression());
  return finish(e);
}

std::vector<const Expr*> Parser::arguments() {
  std::vector<const Expr*> args;
  expect_symbol("(", "an operator");
  do args.push_back(argument());
  while (accept_symbol(","));
  expect_symbol(")", "the arguments of an operator");
  return args;
}

/// An expression, or an operator's bare symbol: `Reduce(\cap, S)`.
const Expr* Parser::argument() {
  const Token token = peek();
  const bool is_operator =
      (token.kind == TokenKind::Symbol || token.kind == TokenKind::Keyword) &&
      (infix(token.text) != nullptr || prefix(token.text) != nullptr ||
       postfix(token.text) != nullptr);
  if (is_operator && (at_symbol(",", 1) || at_symbol(")", 1))) {
    take();
    Expr& e = make(ExprKind::Name, token.spot);
    e.path.push_back({std::string(token.text), token.spot, {}});
    return finish(e);
  }
  return expression();
}

const Expr* Parser::quantifier(ExprKind kind) {
  Expr& e = make(kind, take().spot);
  e.bounds = bounds();
  expect_symbol(":", "the variables of a quantifier");
  e.args.push_back(expression());
  return finish(e);
}

const Expr* Parser::choose() {
  Expr& e = make(ExprKind::Choose, take().spot);
  e.bounds.push_back(bound());
  expect_symbol(":", "the variable of CHOOSE");
  e.args.push_back(expression());
  return finish(e);
}

const Expr* Parser::conditional() {
  Expr& e = make(ExprKind::If, take().spot);
  e.args.push_back(expression());
  expect_keyword("THEN", "the condition of IF");
  e.args.push_back(expression());
  expect_keyword("ELSE", "the first branch of IF");
  e.args.push_back(expression());
  return finish(e);
}

const Expr* Parser::case_expression() {
  Expr& e = make(ExprKind::Case, take().spot);
  do {
    const bool is_other = accept_keyword("OTHER");
    if (!is_other) e.args.push_back(expression());
    expect_symbol("->", "the guard of CASE");
    e.args.push_back(expression());
    if (is_other) break;
  } while (accept_symbol("[]"));
  return finish(e);
}

const Expr* Parser::let() {
  Expr& e = make(ExprKind::Let, take().spot);
  while (!at_keyword("IN")) {
    if (accept_keyword("RECURSIVE")) {
      std::vector<Param> ignored;  // LET names see each other anyway
      declarations(ignored);
      continue;
    }
    if (!starts_definition()) unexpected("a definition or IN");
    e.defs.push_back(definition_item(false));
  }
  expect_keyword("IN", "the definitions of LET");
  e.args.push_back(expression());
  return finish(e);
}

const Expr* Parser::lambda() {
  Expr& e = make(ExprKind::Lambda, take().spot);
  do {
    Param param;
    param.spot = peek().spot;
    param.name = expect_identifier("a parameter of LAMBDA");
    e.params.push_back(std::move(param));
  } while (accept_symbol(","));
  expect_symbol(":", "the parameters of LAMBDA");
  e.args.push_back(expression());
  return finish(e);
}

const Expr* Parser::fairness() {
  const Token token = take();
  Expr& e = make(ExprKind::Fairness, token.spot);
  e.name = std::string(token.text.substr(0, 2));
  e.args.push_back(subscript());
  expect_symbol("(", "the subscript of a fairness condition");
  e.args.push_back(expression());
  expect_symbol(")", "the action of a fairness condition");
  return finish(e);
}

}  // namespace txscope::tla
