#include <algorithm>
#include <map>
#include <set>

#include "tla/pluscal/translator.h"

namespace txscope::tla::pluscal {
namespace {

using Arguments = std::map<std::string, Formula>;

/// A parameter that is assigned to: its argument is `x` or `x[i]`.
void substitute_target(Assignment& assignment, const Arguments& arguments) {
  const auto found = arguments.find(assignment.variable);
  if (found == arguments.end()) return;
  const Formula& target = found->second;
  const Piece& first = target.pieces.front();
  if (first.kind != TokenKind::Identifier)
    fail(assignment.spot,
         "the macro assigns to its parameter " + assignment.variable +
             ", which here is " + target.flat(),
         "give it a variable");
  assignment.variable = first.text;
  if (target.pieces.size() == 1) return;
  Formula subscript;
  subscript.pieces.assign(target.pieces.begin() + 1, target.pieces.end());
  const Piece& last = subscript.pieces.back();
  const std::uint32_t column = last.column + last.width();
  const std::uint32_t line = last.line;
  if (!assignment.subscript.empty()) {
    const std::uint32_t edge = assignment.subscript.pieces.front().column;
    for (Piece piece : assignment.subscript.pieces) {
      piece.column = column + piece.column - std::min(edge, piece.column);
      piece.line += line;
      subscript.pieces.push_back(std::move(piece));
    }
  }
  assignment.subscript = std::move(subscript);
}

Statement substituted(Statement statement, const Arguments& arguments,
                      const Spot& call) {
  statement.macro_spot = call;
  statement.formula = substitute(statement.formula, arguments, true);
  for (Formula& argument : statement.arguments)
    argument = substitute(argument, arguments, true);
  for (Assignment& assignment : statement.assignments) {
    assignment.value = substitute(assignment.value, arguments, true);
    assignment.subscript = substitute(assignment.subscript, arguments, true);
    substitute_target(assignment, arguments);
  }
  for (Statements& clause : statement.clauses)
    for (Statement& inner : clause)
      inner = substituted(std::move(inner), arguments, call);
  return statement;
}

class Expander {
 public:
  explicit Expander(const std::vector<MacroDefinition>& macros)
      : macros_(macros) {}

  void run(Statements& statements, std::size_t known) const {
    Statements all;
    for (Statement& statement : statements) {
      if (statement.kind == StatementKind::Macro) {
        Statements body = expanded(statement, known);
        std::move(body.begin(), body.end(), std::back_inserter(all));
        continue;
      }
      for (Statements& clause : statement.clauses) run(clause, known);
      all.push_back(std::move(statement));
    }
    statements = std::move(all);
  }

 private:
  Statements expanded(const Statement& call, std::size_t known) const {
    const auto end = macros_.begin() + static_cast<std::ptrdiff_t>(known);
    const auto macro = std::find_if(
        macros_.begin(), end,
        [&](const MacroDefinition& m) { return m.name == call.name; });
    if (macro == end)
      fail(call.spot, "there is no macro " + call.name,
           "a procedure is called with `call`, an operator is no statement");
    if (macro->parameters.size() != call.arguments.size())
      fail(call.spot, "macro " + call.name + " has " +
                          std::to_string(macro->parameters.size()) +
                          " parameters, and is given " +
                          std::to_string(call.arguments.size()) + " arguments");
    Arguments arguments;
    for (std::size_t i = 0; i < call.arguments.size(); ++i)
      arguments.emplace(macro->parameters[i], call.arguments[i]);
    Statements body;
    for (const Statement& statement : macro->body)
      body.push_back(substituted(statement, arguments, call.spot));
    if (!body.empty()) {
      body.front().label = call.label;
      body.front().label_spot = call.label_spot;
    }
    return body;
  }

  const std::vector<MacroDefinition>& macros_;
};

}  // namespace

void expand_macros(Algorithm& algorithm) {
  std::set<std::string> names;
  for (const MacroDefinition& macro : algorithm.macros)
    if (!names.insert(macro.name).second)
      fail(macro.spot, "there are two macros " + macro.name);
  std::vector<MacroDefinition>& macros = algorithm.macros;
  const Expander expander(macros);
  // A macro may call those before it.
  for (std::size_t i = 0; i < macros.size(); ++i)
    expander.run(macros[i].body, i);
  for (Procedure& procedure : algorithm.procedures)
    expander.run(procedure.body, macros.size());
  for (Process& process : algorithm.processes)
    expander.run(process.body, macros.size());
  expander.run(algorithm.main.body, macros.size());
}

}  // namespace txscope::tla::pluscal
