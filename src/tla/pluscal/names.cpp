#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <set>

#include "tla/pluscal/translator.h"

namespace txscope::tla::pluscal {
namespace {

enum class Kind : std::uint8_t {
  Global,
  Label,
  Procedure,
  Process,
  ProcessVariable,
  ProcedureVariable,
  Parameter,
};
constexpr std::array kKindNames = {"Global variable",  "Label",
                                   "Procedure",        "Process",
                                   "Process variable", "Procedure variable",
                                   "Parameter"};

bool is_variable(Kind kind) {
  return kind == Kind::Global || kind >= Kind::ProcessVariable;
}

struct Symbol {
  Kind kind;
  std::string name;
  std::string context;  ///< the procedure or process; empty: everywhere
  bool is_in_procedure;
  Spot spot;
  std::string unique;
};

/// What has a name, in the order of the text, and the names that make each of
/// them the only one.  A name that several have is extended by `_` and then by
/// one letter of its procedure or process after the other.
class Symbols {
 public:
  explicit Symbols(const Algorithm& algorithm) {
    add(Kind::Global, "pc", {}, false, {});
    if (!algorithm.procedures.empty())
      add(Kind::Global, "stack", {}, false, {});
    for (const Declaration& one : algorithm.variables)
      add(Kind::Global, one.name, {}, false, one.spot);
    for (const Procedure& procedure : algorithm.procedures) {
      add(Kind::Procedure, procedure.name, {}, true, procedure.spot);
      for (const Declaration& one : procedure.variables)
        add(Kind::ProcedureVariable, one.name, procedure.name, true, one.spot);
      for (const Declaration& one : procedure.parameters)
        add(Kind::Parameter, one.name, procedure.name, true, one.spot);
      labels(procedure.body, procedure.name, true);
    }
    for (const Process& process : algorithm.processes) {
      add(Kind::Process, process.name, {}, false, process.spot);
      for (const Declaration& one : process.variables)
        add(Kind::ProcessVariable, one.name, process.name, false, one.spot);
      labels(process.body, process.name, false);
    }
    labels(algorithm.main.body, {}, false);
    make_unique();
  }

  [[nodiscard]] std::string label(const std::string& name,
                                  const std::string& context) const {
    return find(
        [&](const Symbol& s) {
          return s.kind == Kind::Label && s.name == name &&
                 s.context == context;
        },
        name);
  }
  [[nodiscard]] std::string named(Kind kind, const std::string& name) const {
    return find(
        [&](const Symbol& s) { return s.kind == kind && s.name == name; },
        name);
  }
  /// Names of the context's own variables, where they have changed.
  [[nodiscard]] std::map<std::string, std::string> variables(
      const std::string& context) const {
    std::map<std::string, std::string> changed;
    for (const Symbol& s : symbols_)
      if (is_variable(s.kind) && s.context == context && s.name != s.unique)
        changed.emplace(s.name, s.unique);
    return changed;
  }
  [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }

 private:
  template <class Condition>
  std::string find(Condition is_it, const std::string& otherwise) const {
    const auto found = std::find_if(symbols_.begin(), symbols_.end(), is_it);
    return found == symbols_.end() ? otherwise : found->unique;
  }

  void add(Kind kind, const std::string& name, const std::string& context,
           bool is_in_procedure, const Spot& spot) {
    if (name == "defaultInitValue")
      fail(spot, "defaultInitValue is a name of the translation's own");
    for (const Symbol& s : symbols_) {
      const bool is_same = is_variable(kind)
                               ? is_variable(s.kind) && (s.context == context ||
                                                         s.kind == Kind::Global)
                               : s.kind == kind && s.context == context;
      if (s.name != name || !is_same) continue;
      std::string what = kKindNames[static_cast<std::size_t>(kind)];
      what[0] = static_cast<char>(what[0] - 'A' + 'a');
      fail(spot, what + " " + name + " is declared twice",
           s.spot.line == 0
               ? name + " is a variable of the translation's own"
               : "the other one is on line " + std::to_string(s.spot.line));
    }
    symbols_.push_back({kind, name, context, is_in_procedure, spot, name});
  }

  void labels(const Statements& statements, const std::string& context,
              bool is_in_procedure) {
    for (const Statement& statement : statements) {
      if (!statement.label.empty())
        add(Kind::Label, statement.label, context, is_in_procedure,
            statement.label_spot);
      for (const Statements& clause : statement.clauses)
        labels(clause, context, is_in_procedure);
    }
  }

  bool is_ambiguous(const std::string& name) const {
    return std::count_if(symbols_.begin(), symbols_.end(),
                         [&](const Symbol& s) { return s.unique == name; }) > 1;
  }

  void make_unique() {
    for (std::size_t kind = 1; kind < kKindNames.size(); ++kind)
      for (Symbol& s : symbols_) {
        if (static_cast<std::size_t>(s.kind) != kind) continue;
        for (std::size_t length = 1; is_ambiguous(s.unique); ++length) {
          if (length == 1)
            s.unique += '_';
          else if (length > s.context.size() + 1)
            s.unique += std::to_string(kind);
          else
            s.unique += s.context[length - 2];
        }
        if (s.unique == s.name) continue;
        std::string note =
            std::string("\\* ") + kKindNames[kind] + " " + s.name;
        if (!s.context.empty())
          note += std::string(" of ") +
                  (s.is_in_procedure ? "procedure " : "process ") + s.context;
        notes_.push_back(note + " at line " + std::to_string(s.spot.line) +
                         " col " + std::to_string(s.spot.column) +
                         " changed to " + s.unique);
      }
  }

  std::vector<Symbol> symbols_;
  std::vector<std::string> notes_;
};

/// Renames inside of one procedure or process.
class Renaming {
 public:
  Renaming(const Symbols& symbols, std::string context)
      : symbols_(symbols),
        context_(std::move(context)),
        variables_(symbols.variables(context_)) {
    for (const auto& [from, to] : variables_)
      formulas_.emplace(from,
                        formula_of({{to, TokenKind::Identifier}}, Spot{}));
  }

  void run(Routine& routine) const {
    declarations(routine.variables);
    for (Statement& statement : routine.body) rename(statement);
    for (auto* labels : {&routine.plus_labels, &routine.minus_labels})
      for (std::string& label : *labels)
        label = symbols_.label(label, context_);
    for (std::string& call : routine.calls)
      call = symbols_.named(Kind::Procedure, call);
  }
  void declarations(std::vector<Declaration>& all) const {
    for (Declaration& one : all) {
      variable(one.name);
      formula(one.value);
    }
  }

 private:
  void variable(std::string& name) const {
    if (const auto found = variables_.find(name); found != variables_.end())
      name = found->second;
  }
  void formula(Formula& one) const {
    if (!formulas_.empty()) one = substitute(one, formulas_, false);
  }
  void rename(Statement& statement) const {
    if (!statement.label.empty())
      statement.label = symbols_.label(statement.label, context_);
    if (!statement.target.empty())
      statement.target = symbols_.label(statement.target, context_);
    if (statement.kind == StatementKind::Call ||
        statement.kind == StatementKind::CallReturn ||
        statement.kind == StatementKind::CallGoto)
      statement.name = symbols_.named(Kind::Procedure, statement.name);
    formula(statement.formula);
    for (Formula& argument : statement.arguments) formula(argument);
    for (Assignment& assignment : statement.assignments) {
      variable(assignment.variable);
      formula(assignment.subscript);
      formula(assignment.value);
    }
    for (Statements& clause : statement.clauses)
      for (Statement& inner : clause) rename(inner);
  }

  const Symbols& symbols_;
  std::string context_;
  std::map<std::string, std::string> variables_;
  std::map<std::string, Formula> formulas_;
};

}  // namespace

std::vector<std::string> make_names_unique(Algorithm& algorithm) {
  const Symbols symbols(algorithm);
  for (Procedure& procedure : algorithm.procedures) {
    const Renaming renaming(symbols, procedure.name);
    renaming.declarations(procedure.parameters);
    renaming.run(procedure);
    procedure.name = symbols.named(Kind::Procedure, procedure.name);
  }
  for (Process& process : algorithm.processes) {
    Renaming(symbols, process.name).run(process);
    process.name = symbols.named(Kind::Process, process.name);
  }
  Renaming(symbols, {}).run(algorithm.main);
  return symbols.notes();
}

}  // namespace txscope::tla::pluscal
