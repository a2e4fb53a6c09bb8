#include <algorithm>

#include "tla/pluscal/translator.h"

namespace txscope::tla::pluscal {
namespace {

bool has_label(const Statement& statement) {
  if (!statement.label.empty()) return true;
  return std::any_of(statement.clauses.begin(), statement.clauses.end(),
                     [](const Statements& clause) {
                       return std::any_of(clause.begin(), clause.end(),
                                          has_label);
                     });
}

bool has_inner_label(const Statement& statement) {
  Statement inner = statement;
  inner.label.clear();
  return has_label(inner);
}

/// TRUE or (TRUE).
bool is_true(const Formula& formula) {
  const auto& p = formula.pieces;
  return (p.size() == 1 && p[0].text == "TRUE") ||
         (p.size() == 3 && p[0].text == "(" && p[1].text == "TRUE" &&
          p[2].text == ")");
}

/// Tokens one after the other.
class FormulaBuilder {
 public:
  explicit FormulaBuilder(const Spot& spot) : spot_(spot) {}
  FormulaBuilder& add(std::string text, TokenKind kind = TokenKind::Symbol) {
    Piece piece;
    piece.is_own = text == "stack" || text == "pc";
    piece.text = std::move(text);
    piece.kind = kind;
    piece.column = column_;
    piece.spot = spot_;
    column_ += piece.width();
    formula_.pieces.push_back(std::move(piece));
    return *this;
  }
  FormulaBuilder& name(std::string text) {
    return add(std::move(text), TokenKind::Identifier);
  }
  FormulaBuilder& space() {
    ++column_;
    return *this;
  }
  /// `Head(stack).field`
  FormulaBuilder& top(const std::string& field) {
    return name("Head").add("(").name("stack").add(")").add(".").name(field);
  }
  /// `, field |-> value`
  FormulaBuilder& field(const std::string& field) {
    return space().name(field).space().add("|->").space();
  }
  Formula take() { return std::move(formula_); }

 private:
  Spot spot_;
  std::uint32_t column_ = 0;
  Formula formula_;
};

Formula text_formula(const std::string& text, const Spot& spot) {
  return FormulaBuilder(spot).add('"' + text + '"', TokenKind::String).take();
}

Statement assign(std::string variable, Formula value, const Spot& spot) {
  Statement result;
  result.kind = StatementKind::Assign;
  result.spot = spot;
  result.assignments.push_back(
      {std::move(variable), {}, std::move(value), spot});
  return result;
}

/// Method.  A body is cut into segments at its labels; what comes before the
/// first label of a nested body stays in the step around it.  Where a segment
/// can end, pc gets the next label: after an if once for both branches, unless
/// one of them goes elsewhere.  `while` is an if that comes back.
class Flattener {
 public:
  Flattener(const Algorithm& algorithm, const Procedure* procedure,
            const Omissions& omitted)
      : algorithm_(algorithm), procedure_(procedure), omits_pc_(omitted.pc) {}

  std::vector<Step> run(const Statements& body) {
    std::vector<Step> steps;
    segments(body, procedure_ != nullptr ? "Error" : "Done", steps);
    return steps;
  }

 private:
  struct Parts {
    Statements head;  ///< before the first label
    std::vector<Statements> segments;
  };
  static Parts cut(const Statements& body) {
    Parts parts;
    for (const Statement& statement : body) {
      if (!statement.label.empty()) parts.segments.emplace_back();
      (parts.segments.empty() ? parts.head : parts.segments.back())
          .push_back(statement);
    }
    return parts;
  }

  void segments(const Statements& body, const std::string& next,
                std::vector<Step>& steps) {
    segments(cut(body).segments, next, steps);
  }
  void segments(const std::vector<Statements>& all, const std::string& next,
                std::vector<Step>& steps) {
    for (std::size_t i = 0; i < all.size(); ++i)
      segment(all[i], i + 1 < all.size() ? all[i + 1].front().label : next,
              steps);
  }

  Step begun(const Statement& first) const {
    Step step;
    step.label = first.label;
    step.spot = first.label_spot;
    if (omits_pc_) return step;
    Statement check;
    check.kind = StatementKind::Await;
    check.spot = first.label_spot;
    check.formula = FormulaBuilder(first.label_spot)
                        .name("pc")
                        .space()
                        .add("=")
                        .space()
                        .add('"' + first.label + '"', TokenKind::String)
                        .take();
    step.statements.push_back(std::move(check));
    return step;
  }

  void segment(Statements statements, const std::string& next,
               std::vector<Step>& steps) {
    Step step = begun(statements.front());
    statements.front().label.clear();
    if (statements.front().kind == StatementKind::While)
      return loop(std::move(step), std::move(statements), next, steps);
    std::vector<Step> inner;
    finish(statements, next, inner);
    std::move(statements.begin(), statements.end(),
              std::back_inserter(step.statements));
    steps.push_back(std::move(step));
    std::move(inner.begin(), inner.end(), std::back_inserter(steps));
  }

  void loop(Step step, Statements statements, const std::string& next,
            std::vector<Step>& steps) {
    Statement loop = std::move(statements.front());
    const std::string label = step.label;
    statements.erase(statements.begin());
    Parts parts = cut(loop.clauses[0]);
    std::vector<Step> of_head;
    std::vector<Step> of_rest;
    finish(parts.head,
           parts.segments.empty() ? label : parts.segments[0].front().label,
           of_head);
    finish(statements, next, of_rest);
    const bool is_endless = is_true(loop.formula);
    if (is_endless) {
      std::move(parts.head.begin(), parts.head.end(),
                std::back_inserter(step.statements));
      of_rest.clear();
    } else {
      Statement choice;
      choice.kind = StatementKind::If;
      choice.spot = loop.spot;
      choice.formula = std::move(loop.formula);
      choice.clauses.push_back(std::move(parts.head));
      choice.clauses.push_back(std::move(statements));
      step.statements.push_back(std::move(choice));
    }
    steps.push_back(std::move(step));
    segments(parts.segments, label, steps);
    std::move(of_head.begin(), of_head.end(), std::back_inserter(steps));
    std::move(of_rest.begin(), of_rest.end(), std::back_inserter(steps));
  }

  /// Ends a sequence of statements with what makes `next` the next label.
  void finish(Statements& statements, const std::string& next,
              std::vector<Step>& inner) {
    const Spot spot = statements.empty() ? Spot{} : statements.back().spot;
    if (finish_last(statements, next, inner))
      statements.push_back(go_to(next, spot));
  }

  static Statement go_to(const std::string& label, const Spot& spot) {
    return assign("pc", text_formula(label, spot), spot);
  }

  /// True if pc has still to be set.
  bool finish_last(Statements& statements, const std::string& next,
                   std::vector<Step>& inner) {
    if (statements.empty()) return !omits_pc_;
    Statement last = std::move(statements.back());
    statements.pop_back();
    bool needs_goto = false;
    const auto put = [&](Statements all) {
      std::move(all.begin(), all.end(), std::back_inserter(statements));
    };
    switch (last.kind) {
      case StatementKind::Goto: put({go_to(last.target, last.spot)}); break;
      case StatementKind::Call: put(call(last, next)); break;
      case StatementKind::CallGoto: put(call(last, last.target)); break;
      case StatementKind::Return: put(returned(last)); break;
      case StatementKind::CallReturn: put(call_returned(last)); break;
      case StatementKind::If:
      case StatementKind::Either:
        if (has_inner_label(last))
          cut_clauses(last, next, inner);
        else
          needs_goto = finish_clauses(last, next, inner);
        statements.push_back(std::move(last));
        break;
      case StatementKind::With:
        needs_goto = finish_last(last.clauses[0], next, inner);
        statements.push_back(std::move(last));
        break;
      default: statements.push_back(std::move(last)); needs_goto = true;
    }
    return needs_goto && !omits_pc_;
  }

  /// Of an if or either that has labels in it, every clause sets pc.
  void cut_clauses(Statement& statement, const std::string& next,
                   std::vector<Step>& inner) {
    const bool is_if = statement.kind == StatementKind::If;
    std::vector<Step> of_heads;
    for (Statements& clause : statement.clauses) {
      Parts parts = cut(clause);
      std::vector<Step> of_head;
      finish(parts.head,
             parts.segments.empty() ? next : parts.segments[0].front().label,
             of_head);
      clause = std::move(parts.head);
      std::vector<Step>& heads = is_if ? of_heads : inner;
      std::move(of_head.begin(), of_head.end(), std::back_inserter(heads));
      segments(parts.segments, next, inner);
    }
    std::move(of_heads.begin(), of_heads.end(), std::back_inserter(inner));
  }

  bool finish_clauses(Statement& statement, const std::string& next,
                      std::vector<Step>& inner) {
    std::vector<bool> needs;
    for (Statements& clause : statement.clauses)
      needs.push_back(finish_last(clause, next, inner));
    if (omits_pc_) return false;
    if (std::all_of(needs.begin(), needs.end(), [](bool n) { return n; }))
      return true;
    for (std::size_t i = 0; i < needs.size(); ++i)
      if (needs[i]) statement.clauses[i].push_back(go_to(next, statement.spot));
    return false;
  }

  const Procedure& callee(const Statement& call) const {
    const auto found =
        std::find_if(algorithm_.procedures.begin(), algorithm_.procedures.end(),
                     [&](const Procedure& p) { return p.name == call.name; });
    if (found == algorithm_.procedures.end())
      fail(call.spot, "there is no procedure " + call.name);
    if (found->parameters.size() != call.arguments.size())
      fail(call.spot, "procedure " + call.name + " has " +
                          std::to_string(found->parameters.size()) +
                          " parameters, and is given " +
                          std::to_string(call.arguments.size()) + " arguments");
    return *found;
  }

  /// `<<[procedure |-> "p", pc |-> where, x |-> x, ...]>> \o`
  static FormulaBuilder frame(const Procedure& to, const Formula& where,
                              const Spot& spot) {
    FormulaBuilder frame(spot);
    frame.add("<<").space().add("[").field("procedure");
    frame.add('"' + to.name + '"', TokenKind::String).add(",").field("pc");
    for (const Piece& piece : where.pieces) frame.add(piece.text, piece.kind);
    for (const auto* declared : {&to.variables, &to.parameters})
      for (const Declaration& one : *declared)
        frame.add(",").field(one.name).name(one.name);
    frame.space().add("]").space().add(">>").space().add("\\o").space();
    return frame;
  }

  static std::string first_label(const Procedure& procedure) {
    return procedure.body.front().label;
  }

  /// Parameters get their arguments at once, then locals their initial values.
  static Statements entered(Statement together, const Statement& call,
                            const Procedure& to) {
    for (std::size_t i = 0; i < to.parameters.size(); ++i)
      together.assignments.push_back(
          {to.parameters[i].name, {}, call.arguments[i], call.spot});
    Statements all;
    if (!together.assignments.empty()) all.push_back(std::move(together));
    for (const Declaration& one : to.variables)
      all.push_back(assign(one.name, one.value, call.spot));
    all.push_back(go_to(first_label(to), call.spot));
    return all;
  }

  Statements call(const Statement& call, const std::string& next) const {
    const Procedure& to = callee(call);
    Statement push = assign("stack",
                            frame(to, text_formula(next, call.spot), call.spot)
                                .name("stack")
                                .take(),
                            call.spot);
    return entered(std::move(push), call, to);
  }

  Statements returned(const Statement& statement) const {
    const Spot& spot = statement.spot;
    if (procedure_ == nullptr)
      fail(spot, "a return stands outside of any procedure");
    Statements all;
    all.push_back(assign("pc", FormulaBuilder(spot).top("pc").take(), spot));
    for (const auto* declared :
         {&procedure_->variables, &procedure_->parameters})
      for (const Declaration& one : *declared)
        all.push_back(
            assign(one.name, FormulaBuilder(spot).top(one.name).take(), spot));
    all.push_back(assign("stack",
                         FormulaBuilder(spot)
                             .name("Tail")
                             .add("(")
                             .name("stack")
                             .add(")")
                             .take(),
                         spot));
    return all;
  }

  /// The callee takes the place of the caller on the stack.
  Statements call_returned(const Statement& call) const {
    const Spot& spot = call.spot;
    if (procedure_ == nullptr)
      fail(spot, "a return stands outside of any procedure");
    const Procedure& to = callee(call);
    Statement together;
    together.kind = StatementKind::Assign;
    together.spot = spot;
    if (procedure_->name != to.name) {
      for (const Declaration& one : procedure_->variables)
        together.assignments.push_back(
            {one.name, {}, FormulaBuilder(spot).top(one.name).take(), spot});
      together.assignments.push_back(
          {"stack",
           {},
           frame(to, FormulaBuilder(spot).top("pc").take(), spot)
               .name("Tail")
               .add("(")
               .name("stack")
               .add(")")
               .take(),
           spot});
    }
    return entered(std::move(together), call, to);
  }

  const Algorithm& algorithm_;
  const Procedure* procedure_;
  bool omits_pc_;
};

}  // namespace

FlatRoutine flatten(const Algorithm& algorithm, const Routine& routine,
                    const Procedure* procedure, const Omissions& omitted) {
  FlatRoutine flat;
  if (routine.body.empty())
    fail(routine.spot, "there is no statement in this body");
  flat.first = routine.body.front().label;
  flat.steps = Flattener(algorithm, procedure, omitted).run(routine.body);
  return flat;
}

}  // namespace txscope::tla::pluscal
