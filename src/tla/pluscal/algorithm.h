#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tla/pluscal/formula.h"

namespace txscope::tla::pluscal {

/// `x[i] := e`, one of `||`.
struct Assignment {
  std::string variable;
  Formula subscript;  ///< `[i].f`; may be empty
  Formula value;
  Spot spot;
};

enum class StatementKind : std::uint8_t {
  Assign,  ///< assignments
  If,      ///< formula; clauses: then, else
  Either,  ///< clauses
  While,   ///< formula; clauses: the body
  With,    ///< name, is_equal, formula; clauses: the body
  Await,   ///< formula
  Print,   ///< formula
  Assert,  ///< formula
  Skip,
  Call,  ///< name, arguments
  Return,
  CallReturn,  ///< a call whose return is followed by one of the caller
  CallGoto,    ///< a call, and the label to go on at
  Goto,        ///< target
  Macro,       ///< name, arguments; replaced by its body
};

struct Statement;
using Statements = std::vector<Statement>;

struct Statement {
  StatementKind kind = StatementKind::Skip;
  Spot spot;
  Spot macro_spot;  ///< of the macro's call that it came from
  std::string label;
  Spot label_spot;
  std::vector<Assignment> assignments;
  Formula formula;
  std::string name;
  std::string target;
  bool is_equal = false;
  std::vector<Formula> arguments;
  std::vector<Statements> clauses;
};

/// `x = e`, `x \in S`, or `x` alone, which is any value, always the same.
struct Declaration {
  std::string name;
  bool is_equal = true;
  Formula value;
  Spot spot;
};

struct MacroDefinition {
  std::string name;
  Spot spot;
  std::vector<std::string> parameters;
  Statements body;
};

/// What a procedure and a process have in common.
struct Routine {
  std::string name;
  Spot spot;
  std::vector<Declaration> variables;
  Statements body;
  std::vector<std::string> plus_labels;   ///< `label:+`, strongly fair
  std::vector<std::string> minus_labels;  ///< `label:-`, not fair
  std::vector<std::string> calls;         ///< procedures, in order of calls
};

struct Procedure : Routine {
  std::vector<Declaration> parameters;
};

enum class ProcessFairness : std::uint8_t { None, Weak, Strong };

struct Process : Routine {
  bool is_one = false;  ///< `process P = id`, not a set of them
  Formula id;
  ProcessFairness fairness = ProcessFairness::None;
};

/// What a comment "PlusCal options (...)" says.
struct Options {
  std::string fairness;  ///< wf, sf, wfNext, nof, or empty
  bool adds_labels = false;
  bool omits_done = false;          ///< no step when everything has ended
  std::string label_root = "Lbl_";  ///< of labels that are added
};

struct Algorithm {
  std::string name;
  Spot spot;
  bool is_fair = false;
  Options options;
  std::vector<Declaration> variables;
  Formula definitions;
  std::vector<MacroDefinition> macros;
  std::vector<Procedure> procedures;
  std::vector<Process> processes;  ///< empty: `main` is all
  Routine main;
  bool has_default = false;  ///< a variable without an initial value
  bool has_labels = false;
  bool has_goto = false;
  bool has_goto_done = false;
  bool has_fair_labels = false;

  [[nodiscard]] bool is_parallel() const { return !processes.empty(); }
};

}  // namespace txscope::tla::pluscal
