#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "tla/evaluator.h"

namespace txscope::tla {

struct Fairness {
  bool is_strong = false;
  Formula action;
  Formula subscript;
};

/// One conjunct of an invariant, remembered by the values that it reads.
struct Check {
  std::string name;  ///< of the invariant
  Spot spot;
  Formula formula;
  std::vector<std::uint32_t> reads;  ///< variables; empty: not remembered
};

/// A temporal property, in one of the forms that are decided.
struct Property {
  enum class Kind : std::uint8_t {
    Initially,               ///< p in initial states
    Always,                  ///< []p
    AlwaysAction,            ///< [][A]_v: p is A, q is v
    Eventually,              ///< <>p
    AlwaysEventually,        ///< []<>p
    EventuallyAlways,        ///< <>[]p
    LeadsTo,                 ///< p ~> q
    ImpliesEventually,       ///< p => <>q, of initial states
    Stays,                   ///< [](p => []q)
    InitiallyStays,          ///< p => []q, of initial states
    AlwaysEventuallyAction,  ///< []<><<A>>_v: p is A, q is v
    WeakFair,                ///< WF_v(A): p is A, q is v
    StrongFair,
  };
  Kind kind = Kind::Always;
  std::string name;
  Spot spot;
  Formula p;
  Formula q;
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
  std::vector<Check> invariants;
  std::vector<Property> properties;
  std::vector<Formula> constraints;
  std::vector<Formula> action_constraints;
  const Def* view = nullptr;
  std::vector<const Def*> symmetry;

 private:
  const Def& find(const ConfigName& name, std::string_view what);
  Formula formula_of(const Def& def);
  void add_specification(Formula f);
  void add_invariant(const std::string& name, const Spot& spot, Formula f);
  void add_property(const std::string& name, const Spot& spot, Formula f);
  void add_box(const std::string& name, const Spot& spot, Formula box);
  bool add_response(Property property, Formula implication, bool is_always);
  bool add_repeated_action(Property property, Formula f);
  bool open_call(Formula& f);
  template <class Visit>
  void for_each_instance(Formula quantifier, const Visit& visit);
  std::vector<std::uint32_t> variables_in(std::uint64_t reads) const;

  Evaluator& evaluator_;
  std::deque<Code> made_;
  std::deque<std::vector<const Code*>> made_kids_;
};

}  // namespace txscope::tla
