#include <algorithm>
#include <array>

#include "tla/pluscal/statement_reader.h"

namespace txscope::tla::pluscal {
namespace {

/// What an algorithm consists of: variables, definitions, macros, procedures
/// and processes.
class Reader : public StatementReader {
 public:
  Reader(const Source& source, std::size_t begin)
      : StatementReader(source, begin) {}
  Algorithm run();

 private:
  [[nodiscard]] bool at_declarations_end() const;
  std::vector<Declaration> declarations();
  Declaration declaration(bool may_be_in);
  void definitions();
  MacroDefinition macro();
  Procedure procedure();
  Process process();
  void routine(Routine& routine, std::string_view word);
};

Algorithm Reader::run() {
  expect("--");
  algorithm_.is_fair = accept("fair");
  algorithm_.spot = peek().spot;
  expect("algorithm");
  algorithm_.name = identifier("the name of the algorithm");
  is_c_ = accept("{");
  if (at("variable") || at("variables")) algorithm_.variables = declarations();
  if (accept("define")) definitions();
  while (at("macro")) algorithm_.macros.push_back(macro());
  while (at("procedure")) algorithm_.procedures.push_back(procedure());
  while (at("process") || (at("fair") && (at("process", 1) || at("+", 1))))
    algorithm_.processes.push_back(process());
  if (!algorithm_.is_parallel()) {
    if (accept("fair")) algorithm_.is_fair = true;  // of version 1.5
    routine_ = &algorithm_.main;
    algorithm_.main.spot = algorithm_.spot;
    open_body();
    algorithm_.main.body = sequence();
    if (is_c_) expect("}");
  }
  if (is_c_) {
    expect("}");
  } else {
    expect("end");
    expect("algorithm");
  }
  return std::move(algorithm_);
}

bool Reader::at_declarations_end() const {
  constexpr std::array<std::string_view, 7> kEnds = {
      "begin", "{", "procedure", "process", "fair", "define", "macro"};
  return peek().kind == TokenKind::End ||
         std::find(kEnds.begin(), kEnds.end(), peek().text) != kEnds.end();
}

std::vector<Declaration> Reader::declarations() {
  std::vector<Declaration> all;
  take();  // variable or variables
  while (!at_declarations_end()) {
    all.push_back(declaration(true));
    comma_or_semicolon();
  }
  return all;
}

Declaration Reader::declaration(bool may_be_in) {
  Declaration one;
  one.spot = peek().spot;
  one.name = identifier("a variable");
  if (at("=") || (may_be_in && at("\\in"))) {
    one.is_equal = equal_or_in();
    one.value = formula("the value of " + one.name);
  } else {
    algorithm_.has_default = true;
    one.value =
        formula_of({{"defaultInitValue", TokenKind::Identifier}}, one.spot);
  }
  return one;
}

void Reader::definitions() {
  if (is_c_) expect("{");
  if (!at(is_c_ ? "}" : "end")) algorithm_.definitions = formula("definitions");
  if (is_c_) {
    expect("}");
  } else {
    expect("end");
    expect("define");
  }
  accept(";");
}

MacroDefinition Reader::macro() {
  MacroDefinition result;
  take();
  result.spot = peek().spot;
  result.name = identifier("the name of a macro");
  expect("(");
  while (!at(")")) {
    if (!result.parameters.empty()) expect(",");
    result.parameters.push_back(identifier("a parameter"));
  }
  take();
  is_in_macro_ = true;
  open_body();
  result.body = sequence();
  close_body("macro");
  is_in_macro_ = false;
  accept(";");
  return result;
}

void Reader::routine(Routine& routine, std::string_view word) {
  if (at("variable") || at("variables")) routine.variables = declarations();
  routine_ = &routine;
  open_body();
  routine.body = sequence();
  close_body(word);
  routine_ = nullptr;
  accept(";");
}

Procedure Reader::procedure() {
  Procedure result;
  take();
  result.spot = peek().spot;
  result.name = identifier("the name of a procedure");
  expect("(");
  while (!at(")")) {
    if (!result.parameters.empty()) expect(",");
    result.parameters.push_back(declaration(false));
  }
  take();
  routine(result, "procedure");
  for (const Declaration& variable : result.variables)
    if (!variable.is_equal)
      fail(variable.spot,
           "a variable of a procedure has one initial value, not one of a set",
           "write = instead of \\in");
  return result;
}

Process Reader::process() {
  Process result;
  if (accept("fair"))
    result.fairness =
        accept("+") ? ProcessFairness::Strong : ProcessFairness::Weak;
  expect("process");
  if (is_c_) expect("(");
  result.spot = peek().spot;
  result.name = identifier("the name of a process");
  result.is_one = equal_or_in();
  result.id = formula("the identifier of the process");
  if (is_c_) expect(")");
  routine(result, "process");
  return result;
}

}  // namespace

Algorithm read_algorithm(const Source& source, std::size_t begin) {
  return Reader(source, begin).run();
}

}  // namespace txscope::tla::pluscal
