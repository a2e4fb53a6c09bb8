#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/id.h"

namespace txscope::smt {

/// A formula or an integer expression: a node of `Terms`.
using Term = Id<struct TermTag>;

enum class Sort : std::uint8_t { Bool, Int };

enum class Op : std::uint8_t {
  Boolean,   ///< true or false
  Integer,   ///< a constant
  Variable,  ///< of either sort
  Not,
  And,
  Or,
  Equal,      ///< of integers
  Less,       ///< of integers
  LessEqual,  ///< of integers
  Ite,        ///< of integers; on formulas it is And and Or
  Add,
  Multiply,
  Negate,
  Divide,     ///< rounds towards zero; the divisor is not 0
  Remainder,  ///< has the sign of the dividend; the divisor is not 0
  BitAnd,
  BitOr,
  BitXor,
  ShiftLeft,   ///< by 0 .. 63
  ShiftRight,  ///< arithmetic, by 0 .. 63
  AddOverflows,
  MultiplyOverflows,
};

__extension__ using Wide = __int128;

/// What is known of an integer term without asking a solver.
struct Bounds {
  Wide low = INT64_MIN;
  Wide high = INT64_MAX;
};

/// All terms of one question, shared: equal terms are one node, operands come
/// before their operators, and what can be computed is computed at once.  A
/// question without unknowns therefore never reaches a solver.
///
/// Integers are mathematical.  Programs with 64-bit integers ask overflows()
/// beside add() and use a sum only where it did not; a solver over bit vectors
/// may then wrap around.
class Terms {
 public:
  Terms();

  /// From here on nothing overflows, and unknowns of 64 bits have no bounds.
  void make_unbounded() { is_unbounded_ = true; }
  [[nodiscard]] bool is_unbounded() const { return is_unbounded_; }

  // Leaves.
  [[nodiscard]] Term boolean(bool value) const {
    return value ? Term(1) : Term(0);
  }
  [[nodiscard]] Term integer(std::int64_t value);
  /// A new unknown.  Names are for people and need not differ.
  [[nodiscard]] Term unknown(std::string name);
  [[nodiscard]] Term unknown(std::string name, Bounds bounds);

  // Formulas.
  [[nodiscard]] Term negation(Term a);
  [[nodiscard]] Term all_of(std::span<const Term> parts);
  [[nodiscard]] Term any_of(std::span<const Term> parts);
  [[nodiscard]] Term all_of(std::initializer_list<Term> parts) {
    return all_of(std::span(parts.begin(), parts.size()));
  }
  [[nodiscard]] Term any_of(std::initializer_list<Term> parts) {
    return any_of(std::span(parts.begin(), parts.size()));
  }
  [[nodiscard]] Term implies(Term a, Term b) {
    return any_of({negation(a), b});
  }
  /// Of two terms of one sort.
  [[nodiscard]] Term equal(Term a, Term b);
  [[nodiscard]] Term less(Term a, Term b);
  [[nodiscard]] Term less_equal(Term a, Term b);
  /// `then` and `otherwise` have one sort.
  [[nodiscard]] Term choose(Term condition, Term then, Term otherwise);

  // Integers.
  [[nodiscard]] Term add(Term a, Term b);
  [[nodiscard]] Term subtract(Term a, Term b) { return add(a, negate(b)); }
  [[nodiscard]] Term negate(Term a);
  [[nodiscard]] Term multiply(Term a, Term b);
  [[nodiscard]] Term divide(Term a, Term b);
  [[nodiscard]] Term remainder(Term a, Term b);
  /// BitAnd, BitOr, BitXor, ShiftLeft, ShiftRight: of 64 bits.
  [[nodiscard]] Term bits(Op op, Term a, Term b);
  /// 1 where the formula is true, else 0.
  [[nodiscard]] Term as_integer(Term formula) {
    return choose(formula, integer(1), integer(0));
  }
  /// Whether the integer is not 0.
  [[nodiscard]] Term as_truth(Term value) {
    return negation(equal(value, integer(0)));
  }
  /// Whether a + b, a - b, a * b leave 64 bits.
  /// Not less than the one, not more than the other; of 64 bits.
  [[nodiscard]] Term within(Term a, Bounds bounds) {
    return all_of(
        {less_equal(integer(static_cast<std::int64_t>(bounds.low)), a),
         less_equal(a, integer(static_cast<std::int64_t>(bounds.high)))});
  }
  [[nodiscard]] Term add_overflows(Term a, Term b);
  [[nodiscard]] Term subtract_overflows(Term a, Term b);
  [[nodiscard]] Term multiply_overflows(Term a, Term b);

  // Looking at terms.
  [[nodiscard]] Sort sort(Term t) const { return nodes_[t.index].sort; }
  [[nodiscard]] Op op(Term t) const { return nodes_[t.index].op; }
  [[nodiscard]] std::span<const Term> operands(Term t) const {
    const Node& n = nodes_[t.index];
    return std::span(operands_).subspan(n.first, n.count);
  }
  [[nodiscard]] const std::string& name(Term variable) const {
    return names_[static_cast<std::size_t>(nodes_[variable.index].value)];
  }
  [[nodiscard]] bool is_true(Term t) const { return t == Term(1); }
  [[nodiscard]] bool is_false(Term t) const { return t == Term(0); }
  /// The value of a constant.
  [[nodiscard]] std::optional<std::int64_t> value(Term t) const {
    const Node& n = nodes_[t.index];
    if (n.op == Op::Integer || n.op == Op::Boolean) return n.value;
    return std::nullopt;
  }
  [[nodiscard]] Bounds bounds(Term t) const { return bounds_[t.index]; }
  [[nodiscard]] std::size_t size() const { return nodes_.size(); }
  /// Some term needs the bits of an integer.
  [[nodiscard]] bool needs_bits() const { return needs_bits_; }
  /// Some term multiplies or divides two unknowns.
  [[nodiscard]] bool is_nonlinear() const { return is_nonlinear_; }

 private:
  struct Node {
    Op op = Op::Boolean;
    Sort sort = Sort::Bool;
    std::uint32_t first = 0;
    std::uint32_t count = 0;
    std::int64_t value = 0;
  };

  Term make(Op op, Sort sort, std::span<const Term> operands,
            std::int64_t value, Bounds bounds);
  Term make(Op op, Sort sort, std::initializer_list<Term> operands,
            Bounds bounds = {}) {
    return make(op, sort, std::span(operands.begin(), operands.size()), 0,
                bounds);
  }
  Term junction(Op op, std::span<const Term> parts);
  [[nodiscard]] bool is_choice_of_constants(Term t) const;

  std::vector<Node> nodes_;
  std::vector<Bounds> bounds_;
  std::vector<Term> operands_;
  std::vector<std::string> names_;
  std::unordered_multimap<std::uint64_t, std::uint32_t> known_;
  bool is_unbounded_ = false;
  bool needs_bits_ = false;
  bool is_nonlinear_ = false;
};

}  // namespace txscope::smt
