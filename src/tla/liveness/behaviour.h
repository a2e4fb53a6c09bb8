#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "tla/evaluate/evaluator.h"
#include "tla/liveness/temporal.h"

namespace txscope::tla {

/// WF_v(A) or SF_v(A) of the specification.
struct Fairness {
  bool is_strong = false;
  Formula action;
  Formula subscript;
  Formula enabled;  ///< ENABLED <<A>>_v
};

/// One conjunct of an invariant, remembered by the values that it reads.
struct Check {
  std::string name;  ///< of the invariant
  Spot spot;
  Formula formula;
  static constexpr std::size_t kMostReads = 6;
  std::vector<std::uint32_t> reads;  ///< variables; empty: not remembered
};

/// A temporal property.
struct Property {
  enum class Kind : std::uint8_t {
    Initially,     ///< p in initial states
    AlwaysAction,  ///< [][A]_v: p is A, q is v
    Temporal,      ///< anything else: negation
  };
  Kind kind = Kind::Temporal;
  std::string name;
  Spot spot;
  Formula p;
  Formula q;
  const Temporal* negation = nullptr;
};

/// What a configuration asks to explore and to check, over one Program: the
/// specification taken apart into initial predicate, next-state action,
/// fairness, invariants and properties.
class Behaviour {
 public:
  /// Throws Fault.
  Behaviour(Evaluator& evaluator, const Config& config);

  std::vector<Formula> init;  ///< all of them
  Formula next;
  std::vector<Fairness> fairness;
  /// Other temporal formulas of the specification: all of them are assumed.
  const Temporal* assumed = nullptr;
  std::vector<Check> invariants;
  std::vector<Property> properties;
  std::vector<std::string> property_names;  ///< as configured
  std::vector<Formula> constraints;
  std::vector<Formula> action_constraints;
  const Def* view = nullptr;
  const Def* alias = nullptr;
  const Def* periodic = nullptr;  ///< of simulations only
  std::vector<const Def*> postconditions;
  /// What some reachable state or step has to satisfy.
  std::vector<Check> possible;
  std::vector<const Def*> symmetry;
  /// What contradicts a property and satisfies all that is assumed.
  [[nodiscard]] const Temporal* with_assumed(const Temporal* negation) {
    return assumed == nullptr ? negation : temporal_.both(assumed, negation);
  }
  /// What the atoms of properties stand for.
  [[nodiscard]] const std::deque<TemporalAtom>& atoms() const {
    return temporal_.atoms();
  }

 private:
  const Def& find(const ConfigName& name, std::string_view what);
  Formula formula_of(const Def& def);
  void add_specification(Formula f);
  void add_invariant(const std::string& name, const Spot& spot, Formula f);
  void add_property(const std::string& name, const Spot& spot, Formula f);
  void add_temporal(const std::string& name, const Spot& spot, Formula f,
                    bool is_boxed);
  bool add_box(const std::string& name, const Spot& spot, Formula inner);
  std::vector<std::uint32_t> variables_in(std::uint64_t reads) const;

  Evaluator& evaluator_;
  TemporalReader temporal_;
};

}  // namespace txscope::tla
