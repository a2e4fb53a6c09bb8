#pragma once

#include <compare>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <vector>

#include "tla/syntax/source.h"
#include "tla/value/value.h"

namespace txscope::tla {

/// What the compiler makes of expressions: names resolved to slots, variables
/// and definitions.  One entry per way of evaluating.
enum class Op : std::uint8_t {
  Const,             ///< value
  Variable,          ///< index: of the current state
  Primed,            ///< index: of the next state
  Slot,              ///< index, hops: a bound variable or a parameter
  Call,              ///< def, kids; hops to the frame it was defined in
  CallSlot,          ///< index, hops: an operator that is a parameter; kids
  CallInstance,      ///< frames: of the instances, which take the first kids;
                     ///< target: the operator, for the others
  Operator,          ///< def as an argument of another operator
  FunctionDef,       ///< def: the function f[x \in S] == e as a value
  ApplyFunctionDef,  ///< def, kids[0]: f[kids[0]]
  // Logic.
  And,
  Or,
  Not,
  Implies,
  Equiv,
  If,
  Case,
  Let,
  Forall,
  Exists,
  Choose,
  Equal,
  NotEqual,
  // Sets.
  In,
  NotIn,
  Subseteq,
  Cup,
  Cap,
  Minus,
  SetEnum,
  SetFilter,
  SetMap,
  Powerset,
  BigUnion,
  Product,
  Interval,
  Cardinality,
  IsFiniteSet,
  // Functions, records, sequences.
  Function,
  Apply,
  Domain,
  FunctionSet,
  Record,
  RecordSet,
  Field,
  Except,
  At,
  Tuple,
  Merge,
  Pair,
  Len,
  Head,
  Tail,
  Append,
  Concat,
  SubSeq,
  SelectSeq,
  SeqSet,
  SortSeq,
  // Numbers.
  Add,
  Subtract,
  Multiply,
  Divide,
  Modulo,
  Power,
  Negate,
  Less,
  LessEqual,
  Greater,
  GreaterEqual,
  // TLC.
  Print,
  PrintT,
  Assert,
  Permutations,
  ToString,
  TlcEval,
  TlcSet,
  TlcGet,
  RandomElement,
  JavaTime,
  // Actions and temporal formulas.
  Prime,
  Unchanged,
  Enabled,
  BoxAct,
  Compose,  ///< kids[0] \cdot kids[1]
  Always,
  Eventually,
  LeadsTo,
  WeakFair,
  StrongFair,
  Library,  ///< index: which Library; kids
  Native,   ///< index: which function of txscope; kids
  Refuse,   ///< text: what is not supported, said when it is evaluated
};

/// What the modules that come along are made of; see LibraryOperations.
enum class Library : std::uint8_t {
  FoldLeft,   ///< op(op(base, e1), e2): elements of a set or values
  FoldRight,  ///< op(e1, op(e2, base))
  FoldInto,   ///< op(e2, op(e1, base))
  SetToSeq,
  SubsetsOfSize,
  AssertError,
  GetOr,
  ModelValue,
  Trace,
  RandomSubset,
  RandomSubsets,
  ToJson,
  ReadJson,
  Refuse,
  Environment,
  Atoi,
  ZeroPad,
  IsPrefix,
  IsBag,
};

struct Def;
struct Code;
struct Frame;
class Evaluator;

/// Finds out how code is to be evaluated, notes it, and does so.
Value evaluate_first(Evaluator& e, const Code& code, Frame* frame);

/// One variable of a quantifier, or a tuple of them.
struct Binder {
  const Code* set = nullptr;
  std::uint32_t slot = 0;
  std::uint32_t tuple = 0;        ///< number of slots; 0 if it is no tuple
  std::uint32_t same_set_as = 0;  ///< index of the binder that has the set
};

/// One `![a][b] = e` of an EXCEPT.
struct CodeUpdate {
  std::vector<const Code*> path;
  const Code* value = nullptr;
  std::uint32_t at_slot = 0;
};

/// A definition of LET that lives in a slot: `x == e`, or a function.
struct LetSlot {
  std::uint32_t slot = 0;
  const Code* code = nullptr;
  const Def* function = nullptr;
};

/// A slot, by how many frames out it is.
struct OuterSlot {
  std::uint32_t hops = 0;
  std::uint32_t index = 0;
  friend auto operator<=>(const OuterSlot&, const OuterSlot&) = default;
};

/// What every evaluation looks at comes first, in one line of the cache.
struct alignas(64) Code {
  using Run = Value (*)(Evaluator&, const Code&, Frame*);

  Op op = Op::Const;
  bool is_primed = false;  ///< mentions the next state
  bool is_temporal = false;
  bool is_heavy = false;     ///< iterates or recurses
  bool lifts = false;        ///< may ask for the next value of a parameter
  bool is_impure = false;    ///< prints, or asks for time or chance
  bool has_effects = false;  ///< impure for another reason than chance
  bool branches = false;     ///< as a guard, may hold in several ways
  bool is_closed = false;    ///< evaluated once; see closed.h
  bool is_fold = false;      ///< a recursion over a set; see fold.h
  std::uint32_t index = 0;
  std::uint32_t count = 0;
  std::uint32_t hops = 0;
  mutable Run run = evaluate_first;  ///< see Evaluator::Shapes
  const Code* const* kids = nullptr;
  Value value;
  Def* def = nullptr;
  mutable Value known;         ///< of closed code, once it was evaluated
  std::uint32_t stand_in = 0;  ///< the variable of an INSTANCE that this is
                               ///< substituted for, from 1; 0 if it is not
  mutable std::uint32_t cache_index = 0;
  mutable Value cache_key;           ///< Field: the domain seen last
  mutable std::uint64_t visits = 0;  ///< as a formula; see Coverage
  std::uint64_t reads = 0;           ///< state variables, bit 63 for all beyond
  Spot spot;
  std::string text;
  std::vector<Binder> binders;
  std::vector<CodeUpdate> updates;
  std::vector<LetSlot> lets;
  static constexpr std::size_t kMostNeeds = 3;
  std::vector<OuterSlot> needs;  ///< nothing else changes it; see closed.h
  std::uint32_t memo = 0;        ///< its number among those that have needs
  const Def* home = nullptr;     ///< Forall, Let: the definition it stands in
  Def* target = nullptr;         ///< CallInstance: the operator of the instance
  std::vector<const Def*> frames;  ///< CallInstance: A and B of A(x)!B(y)!Op

  [[nodiscard]] const Code& kid(std::size_t i) const { return *kids[i]; }
  [[nodiscard]] std::span<const Code* const> all() const {
    return {kids, count};
  }
};

/// {e}: what is added to a set or taken out of it most often.
[[nodiscard]] inline bool is_singleton(const Code& code) {
  return code.op == Op::SetEnum && code.count == 1;
}

/// A definition, compiled.
struct Def {
  std::string name;
  Spot spot;
  std::uint32_t id = 0;
  std::uint32_t level = 1;  ///< of the frame its body runs in
  std::uint32_t params = 0;
  std::uint32_t slots = 0;  ///< size of its frame, parameters first
  std::vector<std::uint32_t> arities;
  std::vector<std::string> parameters;  ///< names, where it has been written
  const Code* body = nullptr;
  bool is_function = false;  ///< f[x \in S] == e: body is an Op::Function
  std::uint32_t slot = 0;    ///< of a local function, in the frame around it
  bool is_primed = false;
  bool is_temporal = false;
  bool is_heavy = false;
  bool lifts = false;
  bool is_impure = false;
  bool has_effects = false;
  std::int32_t native = -1;  ///< see native.h
  std::uint64_t reads = 0;
  // Results that never change, or are remembered by the arguments' values.
  mutable Value known;
  mutable Value known_now;  ///< in the state of evaluation `known_epoch`
  mutable const Value* known_state = nullptr;
  mutable std::uint64_t known_epoch = 0;
  mutable bool is_memoised = false;

  [[nodiscard]] bool is_global() const { return level == 1; }
  [[nodiscard]] bool is_constant() const {
    return reads == 0 && !is_primed && !is_temporal && !is_impure;
  }
  /// A constant but for chance: TLC evaluates such a definition once.
  [[nodiscard]] bool is_drawn_once() const {
    return is_global() && params == 0 && reads == 0 && !is_primed &&
           !is_temporal && is_impure && !has_effects;
  }
};

}  // namespace txscope::tla
