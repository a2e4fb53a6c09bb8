#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tla/syntax/source.h"

namespace txscope::tla {

struct Expr;
struct OpDef;
struct InstanceDef;

enum class ExprKind : std::uint8_t {
  Number,       ///< number
  String,       ///< name
  Name,         ///< path: operators, variables, constants, with arguments
  At,           ///< @ inside EXCEPT
  Tuple,        ///< args
  SetEnum,      ///< args
  SetFilter,    ///< {bounds : args[0]}, one bound
  SetMap,       ///< {args[0] : bounds}
  Function,     ///< [bounds |-> args[0]]
  FunctionSet,  ///< [args[0] -> args[1]]
  Apply,        ///< args[0][args[1], ...]
  Record,       ///< [fields |-> args]
  RecordSet,    ///< [fields : args]
  Field,        ///< args[0].name
  Except,       ///< [args[0] EXCEPT updates]
  If,           ///< args: condition, then, else
  Case,         ///< args: guard, value, ...; an odd last one is OTHER
  Let,          ///< defs, args[0]
  Forall,       ///< bounds, args[0]; a bound without set is unbounded
  Exists,
  TemporalQuantifier,  ///< parsed, not supported
  Choose,
  Lambda,      ///< params, args[0]
  And,         ///< args, two or more, or a junction list
  Or,          ///< the same
  Prime,       ///< args[0]'
  BoxAct,      ///< [args[0]]_args[1]
  DiamondAct,  ///< <<args[0]>>_args[1]
  Fairness,    ///< name WF or SF, args: subscript, action
  Label,       ///< name(params) :: args[0]
};

/// One step of `A(1)!B(2)!Op(x)`: a name and its arguments.  As a selector of a
/// part it is a number, a label, an operator of LET, kBody for `Op!(x)`, or
/// kAny for `Op!@`, which takes its arguments where the whole is applied.
struct PathStep {
  static constexpr std::string_view kBody = "()";
  static constexpr std::string_view kAny = "@";
  std::string name;
  Spot spot;
  std::vector<const Expr*> args;
};

/// `x, y \in S` or, for tuples, `<<x, y>> \in S`.
struct Bound {
  std::vector<std::string> names;
  bool is_tuple = false;
  const Expr* set = nullptr;  ///< null if unbounded
  Spot spot;
};

struct Param {
  std::string name;
  std::uint32_t arity = 0;  ///< above 0: an operator, `op(_, _)`
  Spot spot;
};

/// One `![k].f = e` of an EXCEPT.  A step has either indices or a field.
struct Update {
  struct Step {
    std::string field;  ///< empty if it is an index
    const Expr* index = nullptr;
    Spot spot;
  };
  std::vector<Step> steps;
  const Expr* value = nullptr;
};

/// A definition inside LET: an operator or an instance.
struct LetItem {
  const OpDef* op = nullptr;
  const InstanceDef* instance = nullptr;
};

/// An expression as it was written.  Operators in any position are a Name
/// whose last step is the operator's symbol (`+`, `\in`, prefix minus `-.`);
/// a Name without arguments that refers to an operator with parameters is the
/// operator itself, as an argument.
struct Expr {
  ExprKind kind = ExprKind::Name;
  Spot spot;
  std::uint32_t depth = 1;  ///< bounded, so that walks may recurse
  std::int64_t number = 0;
  std::string name;
  std::vector<const Expr*> args;
  std::vector<PathStep> path;
  std::vector<Bound> bounds;
  std::vector<Param> params;
  std::vector<std::string> fields;
  std::vector<Update> updates;
  std::vector<LetItem> defs;
};

/// `Op(a, b(_)) == body`, or `f[x \in S] == body` (then `body` is a Function
/// that may refer to itself by the name of the definition).
struct OpDef {
  std::string name;
  Spot spot;
  std::vector<Param> params;
  const Expr* body = nullptr;
  bool is_function = false;
  bool is_local = false;
};

/// `Name(params) == INSTANCE module WITH a <- e`; without a name the
/// definitions come into scope as they are.
struct InstanceDef {
  std::string name;  ///< empty if it is none
  Spot spot;
  std::vector<Param> params;
  std::string module;
  Spot module_spot;
  struct Substitution {
    std::string name;
    const Expr* value;
    Spot spot;
  };
  std::vector<Substitution> with;
  bool is_local = false;
};

struct Module;

/// What a module says, in order.  Exactly one member is set.
struct Unit {
  std::vector<Param> constants;
  std::vector<Param> variables;
  std::vector<Param> recursive;
  const OpDef* op = nullptr;
  const InstanceDef* instance = nullptr;
  const Expr* assume = nullptr;
  const Module* module = nullptr;
};

struct Extend {
  std::string module;
  Spot spot;
};

/// The PlusCal algorithm of a module and its translation, as far as comments
/// tell.  Lines are 0 where there is none.
struct PlusCal {
  Spot algorithm;         ///< the comment that holds it
  std::string_view text;  ///< of that comment
  std::uint32_t translation_begin = 0;
  std::uint32_t translation_end = 0;
  bool is_outside = false;     ///< in the text before the module
  bool is_translated = false;  ///< by us: there was no translation
};

/// One parsed module.  Owns its nodes; the Source must outlive it.
struct Module {
  std::string name;
  Spot spot;
  const Source* source = nullptr;
  std::vector<Extend> extends;
  std::vector<Unit> units;
  PlusCal pluscal;

  std::deque<Expr> exprs;
  std::deque<OpDef> ops;
  std::deque<InstanceDef> instances;
  std::deque<Module> inner;
  const Module* around = nullptr;  ///< of an inner module
};

/// Parses one module.  An algorithm that has no translation gets one.  Throws
/// Fault.
[[nodiscard]] std::unique_ptr<Module> parse_module(const Source& source);

}  // namespace txscope::tla
