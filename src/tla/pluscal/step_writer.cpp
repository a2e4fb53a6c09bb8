#include "tla/pluscal/step_writer.h"

#include <algorithm>
#include <map>

namespace txscope::tla::pluscal {
namespace {

/// Names up to this length are written `x' = x` when they do not change.
constexpr std::size_t kShortName = 5;

/// The column as the standard translator counts it: a tab leads to the next
/// multiple of 8.
std::uint32_t shown_column(const Spot& spot) {
  const std::string line = line_of(*spot.source, spot.line);
  std::uint32_t column = 1;
  std::uint32_t characters = 1;
  for (std::size_t i = 0; i < line.size() && characters < spot.column; ++i) {
    if ((static_cast<unsigned char>(line[i]) & 0xc0u) == 0x80u) continue;
    column = line[i] == '\t' ? (column + 7) / 8 * 8 + 1 : column + 1;
    ++characters;
  }
  return column;
}

std::string place_of(const Statement& statement) {
  const auto shown = [](const Spot& spot) {
    return "line " + std::to_string(spot.line) + ", column " +
           std::to_string(shown_column(spot));
  };
  std::string text = shown(statement.spot);
  if (statement.macro_spot.line != 0)
    text += " of macro called at " + shown(statement.macro_spot);
  return text;
}

}  // namespace

bool needs_parentheses(const Formula& formula) {
  const std::string line = formula.first_line();
  int depth = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    const char next = i + 1 < line.size() ? line[i + 1] : ' ';
    bool is_loose = false;
    if (c == '"') {
      for (++i; i < line.size() && line[i] != '"'; ++i)
        if (line[i] == '\\') ++i;
    } else if ((c == '<' || c == '>') && next == c) {
      depth += c == '<' ? 1 : -1;
      ++i;
    } else if (c == '(' || c == '[' || c == '{') {
      ++depth;
    } else if (c == ')' || c == ']' || c == '}') {
      --depth;
    } else {
      is_loose = c == '=' || c == '#' || c == '<' || c == '>' ||
                 (c == '|' && (next == '-' || (i > 0 && line[i - 1] == '-'))) ||
                 (c == '\\' && next != ' ' && next != 'o' && next != 'X') ||
                 (c == '/' && next == '\\');
    }
    if (depth < 0 || (is_loose && depth == 0)) return true;
  }
  return false;
}

Formula the_self(const Spot& spot) {
  return formula_of({{"self", TokenKind::Identifier}}, spot);
}

Formula in_brackets(const Formula& self) {
  Formula result;
  if (self.empty()) return result;
  std::uint32_t edge = UINT32_MAX;
  std::uint32_t right = 0;
  for (const Piece& piece : self.pieces) {
    edge = std::min(edge, piece.column);
    right = std::max(right, piece.column + piece.width());
  }
  Piece bracket;
  bracket.text = "[";
  bracket.spot = self.spot();
  result.pieces.push_back(bracket);
  for (Piece piece : self.pieces) {
    piece.column = piece.column - edge + 1;
    result.pieces.push_back(std::move(piece));
  }
  bracket.text = "]";
  bracket.line = self.pieces.back().line;
  bracket.column = right - edge + 1;
  result.pieces.push_back(bracket);
  return result;
}

bool StepWriter::is_subscripted(const std::string& variable) const {
  return variables_.is_parallel && (variable == "pc" || variable == "stack" ||
                                    variables_.local.contains(variable));
}

Formula StepWriter::seen(const Formula& formula, const Changed& changed) const {
  std::map<std::string, Formula> by;
  for (const Piece& piece : formula.pieces) {
    if (piece.kind != TokenKind::Identifier) continue;
    const bool is_new = changed.contains(piece.text);
    const bool is_subscript =
        !self_.empty() &&
        (piece.is_own ||
         (variables_.is_parallel && variables_.local.contains(piece.text)));
    if ((!is_new && !is_subscript) || by.contains(piece.text)) continue;
    Formula with;
    Piece name = piece;
    name.line = 0;
    name.column = 0;
    std::uint32_t column = name.width();
    with.pieces.push_back(name);
    if (is_new) {
      Piece prime = name;
      prime.text = "'";
      prime.kind = TokenKind::Symbol;
      prime.column = column++;
      with.pieces.push_back(prime);
    }
    if (is_subscript)
      for (Piece inner : in_brackets(self_).pieces) {
        inner.column += column;
        with.pieces.push_back(std::move(inner));
      }
    by.emplace(piece.text, std::move(with));
  }
  return by.empty() ? formula : substitute(formula, by, false);
}

StepWriter::Changed StepWriter::assigned_by(const Statements& statements) {
  Changed all;
  for (const Statement& statement : statements) {
    for (const Assignment& one : statement.assignments)
      all.insert(one.variable);
    for (const Statements& clause : statement.clauses)
      all.merge(assigned_by(clause));
  }
  return all;
}

/// What `of` has and `changed` does not.
std::vector<std::string> StepWriter::missing(const Changed& changed,
                                             const Changed& of) const {
  std::vector<std::string> names;
  for (const std::string& name : variables_.all)
    if (of.contains(name) && !changed.contains(name)) names.push_back(name);
  return names;
}

void StepWriter::write(const Step& step, const std::string& head) {
  page_.at(step.spot);
  page_.put(head + " == ");
  const std::uint32_t column = page_.column();
  Changed changed;
  const Changed every(variables_.all.begin(), variables_.all.end());
  const auto never = missing(assigned_by(step.statements), every);
  if (step.statements.size() == 1 && never.empty()) {
    statement(step.statements[0], changed);
  } else {
    conjuncts(step.statements, changed, column);
    page_.at(step.spot);
    page_.indent(column);
    if (!never.empty()) {
      page_.put("/\\ ");
      unchanged(never);
    }
  }
  page_.end_line();
}

/// Every statement as an item of a list whose bullets stand at `column`.
void StepWriter::conjuncts(const Statements& statements, Changed& changed,
                           std::uint32_t column) {
  for (const Statement& one : statements) {
    page_.at(one.spot);
    page_.indent(column);
    page_.put("/\\ ");
    statement(one, changed);
  }
  if (!statements.empty()) return;
  page_.indent(column);
  page_.line("/\\ TRUE");
}

void StepWriter::unchanged(const std::vector<std::string>& names) {
  if (names.size() == 1 && names[0].size() <= kShortName)
    return page_.line(names[0] + "' = " + names[0]);
  if (names.size() == 1) return page_.line("UNCHANGED " + names[0]);
  page_.put("UNCHANGED << ");
  const std::uint32_t column = page_.column();
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) page_.put(", ");
    if (i > 0 && page_.column() + names[i].size() > 77) {
      page_.end_line();
      page_.indent(column);
    }
    page_.put(names[i]);
  }
  page_.line(" >>");
}

void StepWriter::statement(const Statement& one, Changed& changed) {
  page_.at(one.spot);
  switch (one.kind) {
    case StatementKind::Assign: return assignments(one, changed);
    case StatementKind::If: return if_statement(one, changed);
    case StatementKind::Either: return either(one, changed);
    case StatementKind::With: return with(one, changed);
    case StatementKind::Assert: return assertion(one, changed);
    case StatementKind::Await:
      page_.put(seen(one.formula, changed));
      return page_.end_line();
    case StatementKind::Print:
      page_.put("PrintT(");
      page_.put(seen(one.formula, changed));
      return page_.line(")");
    case StatementKind::Skip: return page_.line("TRUE");
    default:  // calls, gotos and loops are assignments and ifs by now
      fail(one.spot, "this statement needs a label before the next one");
  }
}

/// All happen at once, so that none sees what another one has changed.
void StepWriter::assignments(const Statement& one, Changed& changed) {
  std::map<std::string, std::vector<const Assignment*>> by_variable;
  for (const Assignment& part : one.assignments)
    by_variable[part.variable].push_back(&part);
  const std::uint32_t column = page_.column();
  std::size_t left = by_variable.size();
  for (const auto& [variable, parts] : by_variable) {
    if (std::find(variables_.all.begin(), variables_.all.end(), variable) ==
        variables_.all.end())
      fail(parts[0]->spot, "there is no variable " + variable,
           "declare it, or assign to a variable of the algorithm");
    const bool has_whole = std::any_of(
        parts.begin(), parts.end(),
        [](const Assignment* part) { return part->subscript.empty(); });
    if (changed.contains(variable) || (parts.size() > 1 && has_whole))
      fail(parts.back()->spot, variable + " is assigned to twice in one step",
           "put a label between, or use || for parts of one variable");
    page_.indent(column);
    if (by_variable.size() > 1) page_.put("/\\ ");
    one_variable(parts, changed);
    if (--left > 0) page_.end_line();
  }
  for (const auto& entry : by_variable) changed.insert(entry.first);
  page_.end_line();
}

void StepWriter::one_variable(const std::vector<const Assignment*>& parts,
                              const Changed& changed) {
  const Assignment& first = *parts.front();
  page_.at(first.spot);
  const bool is_subscripted = this->is_subscripted(first.variable);
  if (!is_subscripted && first.subscript.empty()) {
    const Formula value = seen(first.value, changed);
    const bool is_loose = needs_parentheses(value);
    page_.put(first.variable + "' = " + (is_loose ? "(" : ""));
    page_.put(value);
    if (is_loose) page_.put(")");
    return;
  }
  page_.put(first.variable + "' = [" + first.variable + " EXCEPT ");
  const std::uint32_t column = page_.column();
  for (const Assignment* part : parts) {
    page_.indent(column);
    page_.at(part->spot);
    page_.put("!");
    if (is_subscripted) page_.put(in_brackets(self_));
    page_.put(seen(part->subscript, changed));
    page_.put(" = ");
    page_.put(seen(part->value, changed));
    page_.at(part->spot);
    page_.put(part == parts.back() ? "]" : ",");
    if (part != parts.back()) page_.end_line();
  }
}

void StepWriter::if_statement(const Statement& one, Changed& changed) {
  const std::uint32_t column = page_.column() + 3;
  Changed of_then = changed;
  Changed of_else = changed;
  const Changed then_sets = assigned_by(one.clauses[0]);
  const Changed else_sets = assigned_by(one.clauses[1]);
  page_.put("IF ");
  page_.put(seen(one.formula, changed));
  page_.end_line();
  const auto branch = [&](std::string_view word, const Statements& statements,
                          Changed& of_branch, const Changed& others) {
    page_.at(one.spot);
    page_.indent(column);
    page_.put(word);
    conjuncts(statements, of_branch, column + 5);
    const auto names = missing(of_branch, others);
    if (names.empty()) return;
    page_.at(one.spot);
    page_.indent(column + 5);
    page_.put("/\\ ");
    unchanged(names);
  };
  branch("THEN ", one.clauses[0], of_then, else_sets);
  branch("ELSE ", one.clauses[1], of_else, then_sets);
  changed.merge(of_then);
  changed.merge(of_else);
}

void StepWriter::either(const Statement& one, Changed& changed) {
  const std::uint32_t column = page_.column();
  const Changed before = changed;
  Changed all = changed;
  for (const Statements& clause : one.clauses) all.merge(assigned_by(clause));
  for (const Statements& clause : one.clauses) {
    Changed of_clause = before;
    page_.at(one.spot);
    page_.indent(column);
    page_.put("\\/ ");
    conjuncts(clause, of_clause, column + 3);
    const auto names = missing(of_clause, all);
    if (names.empty()) continue;
    page_.at(one.spot);
    page_.indent(column + 3);
    page_.put("/\\ ");
    unchanged(names);
  }
  changed = std::move(all);
}

void StepWriter::with(const Statement& one, Changed& changed) {
  const std::uint32_t column = page_.column() + 2;
  page_.put((one.is_equal ? "LET " : "\\E ") + one.name +
            (one.is_equal ? " == " : " \\in "));
  page_.put(seen(one.formula, changed));
  page_.line(one.is_equal ? " IN" : ":");
  page_.indent(column);
  if (one.clauses[0].size() > 1)
    conjuncts(one.clauses[0], changed, column);
  else
    statement(one.clauses[0][0], changed);
}

void StepWriter::assertion(const Statement& one, const Changed& changed) {
  page_.put("Assert(");
  const std::uint32_t column = page_.column();
  page_.put(seen(one.formula, changed));
  page_.at(one.spot);
  page_.put(",");
  page_.end_line();
  page_.indent(column);
  page_.line("\"Failure of assertion at " + place_of(one) + ".\")");
}

}  // namespace txscope::tla::pluscal
