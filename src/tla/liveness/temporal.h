#pragma once

#include <deque>
#include <vector>

#include "tla/evaluate/evaluator.h"

namespace txscope::tla {

/// A temporal formula in negation normal form over atoms.  All of TLA's
/// temporal operators come down to these: P ~> Q is [](~P \/ <>Q), WF_v(A) is
/// []<>~ENABLED <<A>>_v \/ []<><<A>>_v, SF_v(A) has <>[] in front.
struct Temporal {
  enum class Kind : std::uint8_t {
    True,
    False,
    Atom,  ///< atom, is_negated
    And,
    Or,
    Always,
    Eventually,
  };
  Kind kind = Kind::True;
  bool is_negated = false;
  std::uint32_t atom = 0;
  std::vector<const Temporal*> parts;
};

/// What a temporal formula says about a state or a step.
struct TemporalAtom {
  enum class Kind : std::uint8_t {
    State,  ///< formula is true
    Taken,  ///< <<formula>>_subscript
    Kept,   ///< [formula]_subscript
  };
  Kind kind = Kind::State;
  Formula formula;
  Formula subscript;
  [[nodiscard]] bool is_step() const { return kind != Kind::State; }
};

/// Translates formulas of a specification.  Formulas over the same definitions
/// share their atoms.
class TemporalReader {
 public:
  explicit TemporalReader(Evaluator& evaluator) : evaluator_(evaluator) {}

  /// `f`, or its negation.  Throws Fault where it is outside of the fragment.
  const Temporal* read(Formula f, bool is_negated);
  const Temporal* both(const Temporal* a, const Temporal* b) {
    return join(Temporal::Kind::And, {a, b});
  }
  const Temporal* eventually(const Temporal* t) {
    return unary(Temporal::Kind::Eventually, t);
  }
  [[nodiscard]] const std::deque<TemporalAtom>& atoms() const { return atoms_; }

  /// Every instance of \A or \E over constant sets, in a frame of its own.
  template <class Visit>
  void for_each_instance(Formula quantifier, const Visit& visit) {
    Frame* frame =
        evaluator_.keep_frame(*quantifier.frame, quantifier.code->home->slots);
    instances_from(*quantifier.code, 0, frame, visit);
  }

 private:
  const Temporal* make(Temporal t);
  const Temporal* join(Temporal::Kind kind, std::vector<const Temporal*> parts);
  const Temporal* unary(Temporal::Kind kind, const Temporal* part);
  const Temporal* state(Formula f, bool is_negated);
  const Temporal* step(TemporalAtom atom, bool is_negated);
  const Temporal* fairness(Formula f, bool is_negated);
  const Temporal* conditional(Formula f, bool is_negated);
  void bind_next(const Code& quantifier, std::size_t binder, Frame* frame,
                 std::vector<Value>& values);
  template <class Visit>
  void instances_from(const Code& code, std::size_t binder, Frame* frame,
                      const Visit& visit) {
    if (binder == code.binders.size())
      return visit(Formula{code.kids[0],
                           evaluator_.keep_frame(*frame, code.home->slots)});
    std::vector<Value> values;
    bind_next(code, binder, frame, values);
    const Binder& b = code.binders[binder];
    const std::size_t width = b.tuple == 0 ? 1 : b.tuple;
    for (std::size_t i = 0; i < values.size(); i += width) {
      for (std::size_t k = 0; k < width; ++k)
        frame->slots[b.slot + k] = values[i + k];
      instances_from(code, binder + 1, frame, visit);
    }
  }

  Evaluator& evaluator_;
  std::deque<Temporal> made_;
  std::deque<TemporalAtom> atoms_;
};

}  // namespace txscope::tla
