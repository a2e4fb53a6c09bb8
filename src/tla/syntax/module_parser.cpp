#include <algorithm>
#include <utility>

#include "tla/pluscal/splice.h"
#include "tla/syntax/parser.h"

namespace txscope::tla {
namespace {

/// Whether an infinite set is part of the expression for a set.
bool names_infinite(const Expr& e) {
  const auto any = [](const std::vector<const Expr*>& parts) {
    return std::any_of(parts.begin(), parts.end(),
                       [](const Expr* part) { return names_infinite(*part); });
  };
  if (e.kind != ExprKind::Name) return any(e.args);
  const PathStep& last = e.path.back();
  return last.name == "Nat" || last.name == "Int" || last.name == "Real" ||
         last.name == "STRING" || last.name == "Seq" || any(last.args);
}

}  // namespace

Parser::Parser(Tokens tokens, const Source& source)
    : tokens_(std::move(tokens)), source_(source) {}

const Token& Parser::peek(std::size_t ahead) const {
  const std::size_t i = std::min(next_ + ahead, tokens_.all.size() - 1);
  const Token& token = tokens_.all[i];
  if (token.indent > fence_ || fence_ == 0) return token;
  auto& fenced = const_cast<Token&>(fenced_);
  fenced = token;
  fenced.kind = TokenKind::End;
  return fenced_;
}

bool Parser::at(TokenKind kind, std::size_t ahead) const {
  return peek(ahead).kind == kind;
}
bool Parser::at_symbol(std::string_view s, std::size_t ahead) const {
  const Token& token = peek(ahead);
  return token.kind == TokenKind::Symbol && token.text == s;
}
bool Parser::at_keyword(std::string_view s) const {
  return peek().kind == TokenKind::Keyword && peek().text == s;
}
const Token& Parser::take() {
  const Token& token = tokens_.all[next_];
  if (next_ + 1 < tokens_.all.size()) ++next_;
  return token;
}
bool Parser::accept_symbol(std::string_view symbol) {
  if (!at_symbol(symbol)) return false;
  take();
  return true;
}
bool Parser::accept_keyword(std::string_view word) {
  if (!at_keyword(word)) return false;
  take();
  return true;
}
void Parser::expect_symbol(std::string_view symbol, std::string_view after) {
  if (!accept_symbol(symbol))
    unexpected(std::string(symbol) + " after " + std::string(after));
}
void Parser::expect_keyword(std::string_view word, std::string_view after) {
  if (!accept_keyword(word))
    unexpected(std::string(word) + " after " + std::string(after));
}
std::string Parser::expect_identifier(std::string_view what) {
  if (!at(TokenKind::Identifier)) unexpected(what);
  return std::string(take().text);
}

void Parser::unexpected(std::string_view wanted) const {
  const Token& token = tokens_.all[next_];
  const bool is_fenced =
      peek().kind == TokenKind::End && token.kind != TokenKind::End;
  std::string found = token.kind == TokenKind::End
                          ? "the end of the module"
                          : "'" + std::string(token.text) + "'";
  std::string hint;
  if (is_fenced) {
    hint = "it is not to the right of the bullet of the list around it";
  }
  fail(token.spot, "expected " + std::string(wanted) + ", found " + found,
       hint);
}

void Parser::parse_module(Module& module) {
  module_ = &module;
  module.source = &source_;
  header(module);
  while (!at(TokenKind::Equals)) {
    if (at(TokenKind::End))
      fail(peek().spot, "module " + module.name + " is not closed",
           "a module ends with ====");
    unit(module);
  }
  take();
  if (module.inner.empty() || module.pluscal.text.empty()) note_pluscal(module);
}

void Parser::header(Module& module) {
  if (!at(TokenKind::Dashes)) unexpected("---- MODULE");
  take();
  expect_keyword("MODULE", "----");
  module.spot = peek().spot;
  module.name = expect_identifier("the name of the module");
  if (!at(TokenKind::Dashes)) unexpected("---- after the name of the module");
  take();
  if (!accept_keyword("EXTENDS")) return;
  do {
    const Spot spot = peek().spot;
    module.extends.push_back({expect_identifier("a module"), spot});
  } while (accept_symbol(","));
}

void Parser::unit(Module& module) {
  const Token token = peek();
  Unit unit;
  if (token.kind == TokenKind::Dashes) {
    if (peek(1).kind == TokenKind::Keyword && peek(1).text == "MODULE") {
      const Nesting nesting(*this);
      Module& inner = module.inner.emplace_back();
      inner.around = &module;
      Module* outer = std::exchange(module_, &inner);
      parse_module(inner);
      module_ = outer;
      unit.module = &inner;
      module.units.push_back(std::move(unit));
    } else {
      take();
    }
    return;
  }
  if (accept_keyword("CONSTANT") || accept_keyword("CONSTANTS")) {
    declarations(unit.constants);
  } else if (accept_keyword("VARIABLE") || accept_keyword("VARIABLES")) {
    declarations(unit.variables);
  } else if (accept_keyword("RECURSIVE")) {
    declarations(unit.recursive);
  } else if (at_keyword("ASSUME") || at_keyword("ASSUMPTION") ||
             at_keyword("AXIOM")) {
    // An axiom is for provers, and seldom can be evaluated.
    const bool is_checked = take().text != "AXIOM";
    std::optional<OpDef> named;
    if (at(TokenKind::Identifier) && at_symbol("==", 1)) {
      named.emplace();
      named->spot = peek().spot;
      named->name = std::string(take().text);
      take();
    }
    const Expr* formula = expression();
    if (is_checked) unit.assume = formula;
    if (named) {  // a definition as well
      named->body = formula;
      Unit definition;
      definition.op = &module.ops.emplace_back(std::move(*named));
      module.units.push_back(std::move(definition));
    }
  } else if (at_keyword("THEOREM") || at_keyword("LEMMA") ||
             at_keyword("COROLLARY") || at_keyword("PROPOSITION") ||
             token.text == "USE" || token.text == "HIDE") {
    return theorem(module);
  } else if (at_keyword("INSTANCE")) {
    InstanceDef& instance = module.instances.emplace_back();
    instance_body(instance);
    unit.instance = &instance;
  } else if (accept_keyword("LOCAL")) {
    if (at_keyword("INSTANCE")) {
      InstanceDef& instance = module.instances.emplace_back();
      instance_body(instance);
      instance.is_local = true;
      unit.instance = &instance;
    } else {
      return definition(true, module);
    }
  } else if (starts_definition()) {
    return definition(false, module);
  } else {
    unexpected("a definition or declaration");
  }
  module.units.push_back(std::move(unit));
}

void Parser::declarations(std::vector<Param>& into) {
  do into.push_back(declaration());
  while (accept_symbol(","));
}

/// `x`, `Op(_, _)`, `_ \prec _`, `-._`, `_^+`.
Param Parser::declaration() {
  Param param;
  param.spot = peek().spot;
  if (at(TokenKind::Identifier) && peek().text == "_") {
    take();
    param.name = std::string(take().text);
    param.arity = 1;
    if (postfix(param.name) != nullptr) return param;
    if (infix(param.name) == nullptr) fail(param.spot, "expected an operator");
    if (expect_identifier("_") != "_") fail(param.spot, "expected _");
    param.arity = 2;
    return param;
  }
  if (at_symbol("-.")) {
    param.name = std::string(take().text);
    if (expect_identifier("_") != "_") fail(param.spot, "expected _");
    param.arity = 1;
    return param;
  }
  param.name = expect_identifier("a name");
  if (accept_symbol("(")) {
    do {
      if (expect_identifier("_") != "_") fail(param.spot, "expected _");
      ++param.arity;
    } while (accept_symbol(","));
    expect_symbol(")", "the places of an operator");
  }
  return param;
}

std::vector<Param> Parser::parameters() {
  std::vector<Param> params;
  if (!accept_symbol("(")) return params;
  do params.push_back(declaration());
  while (accept_symbol(","));
  expect_symbol(")", "parameters");
  return params;
}

/// `THEOREM Name == F` is a definition as well, if F is a formula.
void Parser::theorem(Module& module) {
  const bool is_named = peek(1).kind == TokenKind::Identifier &&
                        at_symbol("==", 2) && !at_symbol("<", 3);
  if (!is_named) return skip_theorem();
  const std::size_t start = next_;
  OpDef named;
  named.spot = peek(1).spot;
  named.name = std::string(peek(1).text);
  // Its proof is not part of the formula.
  std::size_t end = next_ + 3;
  const auto begins_proof = [&](const Token& token) {
    const std::string_view text = token.text;
    if (token.kind == TokenKind::End || token.kind == TokenKind::Equals ||
        token.kind == TokenKind::Dashes)
      return true;
    return text == "PROOF" || text == "BY" || text == "OBVIOUS" ||
           text == "OMITTED" ||
           (token.is_first_on_line && text.starts_with("<") && text != "<<" &&
            text != "<>");
  };
  while (!begins_proof(tokens_.all[end])) ++end;
  const Token saved = tokens_.all[end];
  tokens_.all[end].kind = TokenKind::End;
  try {
    next_ += 3;
    named.body = expression();
    Unit unit;
    unit.op = &module.ops.emplace_back(std::move(named));
    module.units.push_back(std::move(unit));
  } catch (const Fault&) {  // ASSUME ... PROVE: nothing that has a value
  }
  tokens_.all[end] = saved;
  next_ = start;
  skip_theorem();
}

/// Theorems and their proofs are not ours to check.  They end before the next
/// line that begins a unit no further right than they began.
void Parser::skip_theorem() {
  const std::uint32_t margin = take().indent;
  for (;;) {
    const Token& token = peek();
    if (token.kind == TokenKind::End || token.kind == TokenKind::Equals) return;
    if (token.is_first_on_line && token.indent <= margin) {
      if (token.kind == TokenKind::Dashes || token.kind == TokenKind::Keyword)
        return;
      if (token.kind == TokenKind::Identifier && token.text != "PROOF" &&
          token.text != "BY" && token.text != "OBVIOUS" &&
          token.text != "OMITTED" && token.text != "QED" &&
          token.text != "PROVE" && starts_definition())
        return;
    }
    take();
  }
}

/// Looks ahead for `name ==`, `name(...) ==`, `name[...] ==`, `a op b ==`.
bool Parser::starts_definition() const {
  if (at_symbol("-.")) return true;
  if (!at(TokenKind::Identifier)) return false;
  if (at_symbol("==", 1)) return true;
  if (at(TokenKind::Symbol, 1) && at_symbol("==", 2)) return true;
  if (at(TokenKind::Symbol, 1) && at(TokenKind::Identifier, 2) &&
      at_symbol("==", 3))
    return true;
  if (!at_symbol("(", 1) && !at_symbol("[", 1)) return false;
  int open = 0;
  for (std::size_t i = 1;; ++i) {
    const Token& token = peek(i);
    if (token.kind == TokenKind::End || token.kind == TokenKind::Equals ||
        token.kind == TokenKind::Dashes)
      return false;
    if (token.kind != TokenKind::Symbol) continue;
    if (token.text == "(" || token.text == "[") ++open;
    if (token.text == ")" || token.text == "]") --open;
    if (open == 0) return at_symbol("==", i + 1);
  }
}

void Parser::definition(bool is_local, Module& module) {
  const LetItem item = definition_item(is_local);
  Unit unit;
  unit.op = item.op;
  unit.instance = item.instance;
  module.units.push_back(std::move(unit));
}

LetItem Parser::definition_item(bool is_local) {
  OpDef def;
  def.is_local = is_local;
  def.spot = peek().spot;
  std::vector<Bound> function_bounds;
  if (at_symbol("-.")) {
    def.name = std::string(take().text);
    def.params.push_back(declaration());
  } else if (at(TokenKind::Identifier) && at(TokenKind::Symbol, 1) &&
             infix(peek(1).text) != nullptr) {
    def.params.push_back(declaration());
    def.spot = peek().spot;
    def.name = std::string(take().text);
    def.params.push_back(declaration());
  } else if (at(TokenKind::Identifier) && at(TokenKind::Symbol, 1) &&
             postfix(peek(1).text) != nullptr) {
    def.params.push_back(declaration());
    def.name = std::string(take().text);
  } else {
    def.name = expect_identifier("the name of a definition");
    if (accept_symbol("[")) {
      def.is_function = true;
      function_bounds = bounds();
      expect_symbol("]", "the variables of a function");
    } else {
      def.params = parameters();
    }
  }
  expect_symbol("==", "the head of a definition");
  if (at_keyword("INSTANCE")) {
    InstanceDef& instance = module_->instances.emplace_back();
    instance.name = def.name;
    instance.params = std::move(def.params);
    instance.is_local = is_local;
    const Spot spot = def.spot;
    instance_body(instance);
    instance.spot = spot;
    return {nullptr, &instance};
  }
  const Expr* body = expression();
  if (def.is_function) {
    Expr& e = make(ExprKind::Function, def.spot);
    e.bounds = std::move(function_bounds);
    for (const Bound& b : e.bounds)
      if (b.set == nullptr)
        fail(b.spot, "a function needs a domain", "add \\in S");
    e.args.push_back(body);
    body = finish(e);
  }
  // f == [x \in Nat |-> e] is f[x \in Nat] == e, of which no more is evaluated
  // than is asked for.
  if (def.params.empty() && body->kind == ExprKind::Function &&
      std::any_of(body->bounds.begin(), body->bounds.end(),
                  [](const Bound& b) { return names_infinite(*b.set); }))
    def.is_function = true;
  def.body = body;
  return {&module_->ops.emplace_back(std::move(def)), nullptr};
}

void Parser::instance_body(InstanceDef& instance) {
  instance.spot = peek().spot;
  expect_keyword("INSTANCE", "==");
  instance.module_spot = peek().spot;
  instance.module = expect_identifier("a module");
  if (!accept_keyword("WITH")) return;
  do {
    InstanceDef::Substitution with;
    with.spot = peek().spot;
    if (at(TokenKind::Symbol))
      with.name = std::string(take().text);
    else
      with.name = expect_identifier("a constant or variable of the module");
    expect_symbol("<-", "what is substituted");
    with.value = argument();
    instance.with.push_back(std::move(with));
  } while (accept_symbol(","));
}

void Parser::note_pluscal(Module& module) {
  for (const Comment& comment : tokens_.comments) {
    const auto has = [&](std::string_view what) {
      return comment.text.find(what) != std::string_view::npos;
    };
    if (has("BEGIN TRANSLATION") && !has("algorithm"))
      module.pluscal.translation_begin = comment.spot.line;
    else if (has("END TRANSLATION") && !has("algorithm"))
      module.pluscal.translation_end = comment.spot.line;
    else if (has("--algorithm") || has("--fair algorithm")) {
      module.pluscal.algorithm = comment.spot;
      module.pluscal.text = comment.text;
    }
  }
  if (module.around != nullptr || !module.pluscal.text.empty()) return;
  const std::string_view before =
      std::string_view(source_.text).substr(0, tokens_.all.front().offset);
  if (before.find("--algorithm") == std::string_view::npos &&
      before.find("--fair algorithm") == std::string_view::npos)
    return;
  module.pluscal.algorithm = {&source_, 1, 1};
  module.pluscal.text = before;
  module.pluscal.is_outside = true;
}

namespace {

std::unique_ptr<Module> parse(Tokens tokens, const Source& source) {
  auto module = std::make_unique<Module>();
  Parser parser(std::move(tokens), source);
  parser.parse_module(*module);
  return module;
}

}  // namespace

std::unique_ptr<Module> parse_module(const Source& source) {
  auto module = parse(tokenize(source), source);
  if (!pluscal::lacks_translation(*module)) return module;
  const pluscal::TranslatedTokens translated =
      pluscal::with_translation(*module, tokenize(source));
  module = parse(translated.tokens, source);
  module->pluscal.is_translated = true;
  return module;
}

}  // namespace txscope::tla
