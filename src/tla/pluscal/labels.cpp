#include <algorithm>
#include <set>

#include "tla/pluscal/translator.h"

namespace txscope::tla::pluscal {
namespace {

using Names = std::set<std::string>;

bool meet(const Names& a, const Names& b) {
  return std::any_of(a.begin(), a.end(),
                     [&](const std::string& name) { return b.contains(name); });
}

void collect_labels(const Statements& statements, Names& into) {
  for (const Statement& statement : statements) {
    if (!statement.label.empty()) into.insert(statement.label);
    for (const Statements& clause : statement.clauses)
      collect_labels(clause, into);
  }
}

/// Where a label has to stand (Lamport, A PlusCal User's Manual, Section 3.7):
/// before the first statement and every while; after a call, return or goto,
/// and after an if or either that has a label, call, return or goto in it; and
/// before what assigns to a variable for the second time in a step.  Inside of
/// `with` there is none.
class LabelRules {
 public:
  explicit LabelRules(const Algorithm& algorithm) : algorithm_(algorithm) {
    collect_labels(algorithm.main.body, used_);
    for (const Procedure& procedure : algorithm.procedures) {
      collect_labels(procedure.body, used_);
      for (const auto* declared : {&procedure.parameters, &procedure.variables})
        for (const Declaration& one : *declared)
          procedure_variables_.insert(one.name);
    }
    for (const Process& process : algorithm.processes)
      collect_labels(process.body, used_);
  }

  void run(Routine& routine, const Procedure* procedure) {
    procedure_ = procedure;
    Names assigned;
    sequence(routine.body, true, false, assigned);
  }

  [[nodiscard]] const std::vector<Spot>& added() const { return added_; }

 private:
  void needs_label(Statement& statement) {
    if (!statement.label.empty()) return;
    std::string label;
    do label = algorithm_.options.label_root + std::to_string(++number_);
    while (used_.contains(label));
    statement.label = std::move(label);
    statement.label_spot = statement.spot;
    added_.push_back(statement.spot);
  }

  /// Whether what follows the sequence needs a label.  `assigned` is what the
  /// current step has assigned to, before and after.
  bool sequence(Statements& statements, bool first_needs, bool in_with,
                Names& assigned) {
    const Names before = assigned;
    bool next_needs = first_needs;
    bool has_label = false;
    for (Statement& statement : statements) {
      if (!statement.label.empty()) {
        if (in_with)
          fail(statement.label_spot, "a label must not stand inside of with",
               "a with is one step");
        has_label = true;
        assigned.clear();
      }
      if (next_needs) {
        if (in_with)
          fail(statement.spot,
               "a statement must not follow a call, return or goto inside of "
               "with");
        needs_label(statement);
        has_label = true;
        assigned.clear();
      }
      next_needs = one(statement, in_with, before, assigned, has_label);
    }
    return has_label || next_needs;
  }

  bool one(Statement& statement, bool in_with, const Names& before,
           Names& assigned, bool& has_label) {
    switch (statement.kind) {
      case StatementKind::If:
      case StatementKind::Either: {
        Names all;
        bool needs = false;
        for (Statements& clause : statement.clauses) {
          Names of_clause = assigned;
          needs = sequence(clause, false, in_with, of_clause) || needs;
          all.insert(of_clause.begin(), of_clause.end());
        }
        assigned = std::move(all);
        return needs;
      }
      case StatementKind::While: {
        if (in_with)
          fail(statement.spot, "a while must not stand inside of with",
               "a with is one step, and a while needs a label");
        needs_label(statement);
        has_label = true;
        assigned.clear();
        Names of_body;
        sequence(statement.clauses[0], false, false, of_body);
        return false;
      }
      case StatementKind::With: {
        Names of_body = in_with ? before : Names();
        const bool needs = sequence(statement.clauses[0], false, true, of_body);
        assigned = std::move(of_body);
        if (!in_with && meet(before, assigned)) {
          needs_label(statement);
          has_label = true;
          assigned.clear();
        }
        return needs;
      }
      default: {
        Names sets = assigned_by(statement);
        if (meet(assigned, sets)) {
          if (in_with)
            fail(statement.spot,
                 "a variable is assigned to twice inside of with",
                 "a with is one step; use || for parts of one variable");
          needs_label(statement);
          has_label = true;
          assigned.clear();
        }
        assigned.insert(sets.begin(), sets.end());
        return leaves(statement);
      }
    }
  }

  static bool leaves(const Statement& statement) {
    return statement.kind == StatementKind::Call ||
           statement.kind == StatementKind::Return ||
           statement.kind == StatementKind::CallReturn ||
           statement.kind == StatementKind::CallGoto ||
           statement.kind == StatementKind::Goto;
  }

  Names assigned_by(const Statement& statement) const {
    Names sets;
    for (const Assignment& assignment : statement.assignments)
      sets.insert(assignment.variable);
    const bool is_call = statement.kind == StatementKind::Call ||
                         statement.kind == StatementKind::CallGoto;
    const bool is_return = statement.kind == StatementKind::Return ||
                           statement.kind == StatementKind::CallReturn;
    if (is_return && procedure_ == nullptr)
      fail(statement.spot, "a return stands outside of any procedure");
    if (is_call || is_return) sets.insert("stack");
    if (is_return || (is_call && procedure_ != nullptr &&
                      statement.name == procedure_->name))
      sets.insert(procedure_variables_.begin(), procedure_variables_.end());
    return sets;
  }

  const Algorithm& algorithm_;
  const Procedure* procedure_ = nullptr;
  Names used_;
  Names procedure_variables_;
  std::vector<Spot> added_;
  int number_ = 0;
};

bool is_just_true(const Formula& formula) {
  return formula.pieces.size() == 1 && formula.pieces[0].text == "TRUE";
}

bool contains_label(const Statements& statements) {
  Names labels;
  collect_labels(statements, labels);
  return !labels.empty();
}

}  // namespace

void add_labels(Algorithm& algorithm) {
  LabelRules rules(algorithm);
  for (Process& process : algorithm.processes) rules.run(process, nullptr);
  for (Procedure& procedure : algorithm.procedures)
    rules.run(procedure, &procedure);
  if (!algorithm.is_parallel()) rules.run(algorithm.main, nullptr);
  const std::vector<Spot>& added = rules.added();
  if (added.empty() || algorithm.options.adds_labels ||
      (!algorithm.is_parallel() && !algorithm.has_labels))
    return;
  std::string others;
  for (std::size_t i = 1; i < added.size(); ++i)
    others += (i == 1 ? "" : ", ") + std::to_string(added[i].line);
  fail(added[0], "this statement needs a label",
       others.empty() ? "write a name and a colon before it"
                      : "so do the statements on lines " + others);
}

Omissions omissions_of(const Algorithm& algorithm) {
  Omissions result;
  result.pc = algorithm.procedures.empty() && !algorithm.has_goto &&
              !algorithm.has_fair_labels;
  const auto look_at = [&](const Routine& routine) {
    const Statements& body = routine.body;
    const bool is_loop = body.size() == 1 &&
                         body[0].kind == StatementKind::While &&
                         is_just_true(body[0].formula);
    if (!is_loop || contains_label(body[0].clauses[0])) result.pc = false;
    return is_loop;
  };
  if (algorithm.is_parallel()) {
    for (const Process& process : algorithm.processes)
      if (look_at(process)) result.done = true;
  } else {
    result.done = look_at(algorithm.main);
  }
  if (algorithm.has_goto_done) result.done = false;
  return result;
}

}  // namespace txscope::tla::pluscal
