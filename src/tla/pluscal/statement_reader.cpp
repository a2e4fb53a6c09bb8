#include "tla/pluscal/statement_reader.h"

#include <algorithm>
#include <utility>

namespace txscope::tla::pluscal {

bool StatementReader::at_label() const {
  return peek().kind == TokenKind::Identifier &&
         !is_statement_word(peek().text) && at(":", 1);
}

void StatementReader::label(Statement& statement) {
  if (!at_label()) return;
  statement.label_spot = peek().spot;
  statement.label = std::string(take().text);
  if (is_in_macro_) fail(statement.label_spot, "a macro must not have labels");
  if (statement.label == "Done" || statement.label == "Error")
    fail(statement.label_spot,
         statement.label + " is a label of the translation's own",
         "call it otherwise");
  take();
  algorithm_.has_labels = true;
  if (routine_ == nullptr) return;
  if (accept("+")) {
    routine_->plus_labels.push_back(statement.label);
    algorithm_.has_fair_labels = true;
  } else if (accept("-")) {
    routine_->minus_labels.push_back(statement.label);
    algorithm_.has_fair_labels = true;
  }
}

bool StatementReader::at_sequence_end() const {
  if (peek().kind == TokenKind::End) return true;
  if (is_c_) return at("}");
  return at("end") || at("else") || at("elsif") || at("or");
}

Statements StatementReader::sequence() {
  Statements all;
  while (!at_sequence_end()) labelled(all);
  if (all.empty() && is_c_) unexpected("a statement");
  return all;
}

/// A statement, or several in braces, of which the first has the label.
void StatementReader::labelled(Statements& into) {
  Statement holder;
  label(holder);
  Statements read;
  if (is_c_ && accept("{")) {
    read = sequence();
    expect("}");
    semicolon();
  } else {
    read.push_back(statement());
  }
  if (!holder.label.empty()) {
    Statement& first = read.front();
    if (!first.label.empty())
      fail(first.label_spot, "this statement has two labels");
    first.label = std::move(holder.label);
    first.label_spot = holder.label_spot;
  }
  std::move(read.begin(), read.end(), std::back_inserter(into));
}

Statements StatementReader::c_statement() {
  Statements all;
  labelled(all);
  return all;
}

Statement StatementReader::new_statement(StatementKind kind) const {
  Statement result;
  result.kind = kind;
  result.spot = peek().spot;
  return result;
}

Statement StatementReader::statement() {
  if (at("if")) return if_statement();
  if (at("either")) return either();
  if (at("while")) return while_statement();
  if (at("with")) return with();
  if (at("when") || at("await"))
    return one_formula(StatementKind::Await, "a condition");
  if (at("print")) return one_formula(StatementKind::Print, "an expression");
  if (at("assert")) return one_formula(StatementKind::Assert, "a condition");
  if (at("call")) return call();
  if (at("goto")) return go_to();
  if (at("skip") || at("return")) {
    Statement result =
        new_statement(at("skip") ? StatementKind::Skip : StatementKind::Return);
    take();
    semicolon();
    return result;
  }
  if (peek().kind != TokenKind::Identifier) unexpected("a statement");
  if (at("(", 1)) return macro_call();
  return assignment();
}

Statement StatementReader::if_statement() {
  Statement result = new_statement(StatementKind::If);
  const bool is_outer = at("if");
  take();
  if (is_c_) expect("(");
  result.formula = formula("a condition");
  if (is_c_) expect(")");
  result.clauses.resize(2);
  if (is_c_) {
    result.clauses[0] = c_statement();
    if (accept("else")) result.clauses[1] = c_statement();
    return result;
  }
  expect("then");
  result.clauses[0] = sequence();
  if (at("elsif"))
    result.clauses[1].push_back(if_statement());
  else if (accept("else"))
    result.clauses[1] = sequence();
  if (!is_outer) return result;
  expect("end");
  expect("if");
  semicolon();
  return result;
}

Statement StatementReader::either() {
  Statement result = new_statement(StatementKind::Either);
  take();
  do {
    result.clauses.push_back(is_c_ ? c_statement() : sequence());
    if (result.clauses.back().empty())
      fail(peek().spot, "a clause of either has no statement");
  } while (accept("or"));
  if (!is_c_) {
    expect("end");
    expect("either");
    semicolon();
  }
  if (result.clauses.size() < 2) fail(result.spot, "this either has no or");
  return result;
}

Statement StatementReader::while_statement() {
  Statement result = new_statement(StatementKind::While);
  take();
  if (is_c_) expect("(");
  result.formula = formula("a condition");
  if (is_c_) {
    expect(")");
    result.clauses.push_back(c_statement());
    return result;
  }
  expect("do");
  result.clauses.push_back(sequence());
  if (result.clauses[0].empty())
    fail(result.spot, "this while has no statement in it");
  expect("end");
  expect("while");
  semicolon();
  return result;
}

Statement StatementReader::with() {
  Statement result = new_statement(StatementKind::With);
  take();
  if (is_c_) expect("(");
  return with_rest(std::move(result));
}

/// `with a \in S, b = 1` is one `with` inside of another.
Statement StatementReader::with_rest(Statement with) {
  const Spot spot = with.spot;
  with.name = identifier("a variable");
  with.is_equal = equal_or_in();
  with.formula = formula("the value of " + with.name);
  if (!is_c_ || !at(")")) comma_or_semicolon();
  if (!is_c_ && accept("do")) {
    with.clauses.push_back(sequence());
    expect("end");
    expect("with");
    semicolon();
  } else if (is_c_ && accept(")")) {
    with.clauses.push_back(c_statement());
  } else {
    Statement inner = new_statement(StatementKind::With);
    inner.spot = spot;
    with.clauses.push_back({});
    with.clauses.back().push_back(with_rest(std::move(inner)));
  }
  if (with.clauses.back().empty())
    fail(spot, "this with has no statement in it");
  return with;
}

Statement StatementReader::one_formula(StatementKind kind,
                                       const std::string& of) {
  Statement result = new_statement(kind);
  take();
  result.formula = formula(of);
  semicolon();
  return result;
}

std::vector<Formula> StatementReader::arguments() {
  std::vector<Formula> all;
  expect("(");
  while (!at(")")) {
    if (!all.empty()) expect(",");
    all.push_back(formula("an argument"));
  }
  take();
  return all;
}

std::string StatementReader::goto_target() {
  algorithm_.has_goto = true;
  // The standard translator takes `goto "a"`, too.
  std::string target = peek().kind == TokenKind::String
                           ? std::string(take().text)
                           : identifier("a label");
  if (target == "Done") algorithm_.has_goto_done = true;
  return target;
}

Statement StatementReader::call() {
  Statement result = new_statement(StatementKind::Call);
  take();
  result.name = identifier("the name of a procedure");
  result.arguments = arguments();
  semicolon();
  if (routine_ != nullptr) {
    auto& calls = routine_->calls;
    if (std::find(calls.begin(), calls.end(), result.name) == calls.end())
      calls.push_back(result.name);
  }
  if (accept("return")) {
    result.kind = StatementKind::CallReturn;
    semicolon();
  } else if (accept("goto")) {
    result.kind = StatementKind::CallGoto;
    result.target = goto_target();
    semicolon();
  }
  return result;
}

Statement StatementReader::go_to() {
  Statement result = new_statement(StatementKind::Goto);
  take();
  result.target = goto_target();
  semicolon();
  return result;
}

Statement StatementReader::macro_call() {
  Statement result = new_statement(StatementKind::Macro);
  result.name = std::string(take().text);
  result.arguments = arguments();
  semicolon();
  return result;
}

Statement StatementReader::assignment() {
  Statement result = new_statement(StatementKind::Assign);
  do {
    Assignment one;
    one.spot = peek().spot;
    one.variable = identifier("a variable");
    if (!at(":=")) one.subscript = formula("':='");
    expect(":=");
    one.value = formula("a value");
    result.assignments.push_back(std::move(one));
  } while (accept("||"));
  semicolon();
  return result;
}

}  // namespace txscope::tla::pluscal
