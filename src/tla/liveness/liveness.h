#pragma once

#include <optional>
#include <vector>

#include "tla/liveness/product.h"

namespace txscope::tla {

/// A behaviour that violates a property: states, and the one that the last
/// goes back to.  If that is the last itself, nothing changes any more.
struct Lasso {
  std::vector<StateGraph::Index> states;
  std::optional<std::size_t> loop;  ///< none: a finite violation
};

/// Decides temporal properties under fairness.
///
/// Definition.  A behaviour is an infinite path from an initial state, where a
/// state may repeat for ever (stuttering).  WF_v(A): if <<A>>_v is enabled
/// from some point on, <<A>>_v steps occur again and again; SF_v(A): if it is
/// enabled again and again.  Lamport, Specifying Systems, Chapter 8.
/// Method.  The graph times an automaton for the property's negation; a
/// reachable strongly connected component of the product that postpones no
/// eventuality on all of its edges and satisfies every fairness condition
/// holds a violating cycle, which is built by visiting a witness of each.  A
/// component that fails a strong condition is cut at the states that enable
/// it, and looked at again (Emerson and Lei, 1987).
/// Phases in which a cycle would postpone something for ever are not searched,
/// nor are states in which no fair behaviour stays (Labels::lasting).
/// Cost.  Linear in the product for each property, but for strong fairness.
class Liveness {
 public:
  Liveness(const StateGraph& graph, Labels& labels, const Budget& budget,
           const Automaton& automaton, const std::deque<TemporalAtom>& atoms);

  /// A behaviour that the automaton accepts, if there is one.  Throws Stopped
  /// when the budget ends.
  [[nodiscard]] std::optional<Lasso> find();

 private:
  using Index = Product::Index;
  using Node = Product::Node;
  using Move = Product::Move;

  void reach();
  void reach_from(std::size_t i, bool is_waiting);
  void add(Node n, std::size_t parent);
  std::vector<Node> accepted_among(const std::vector<Node>& nodes);
  std::vector<std::vector<Node>> components(const std::vector<Node>& among);
  [[nodiscard]] bool accepts_rest(Node n) const;
  bool accepts(const std::vector<Node>& component,
               std::vector<std::vector<Node>>& again);
  Lasso build(const std::vector<Node>& component);
  template <class Goal>
  bool walk(std::vector<Node>& path, const Goal& is_goal);
  void look_at_budget();

  Product product_;
  const StateGraph& graph_;
  const Budget& budget_;
  const std::vector<Labels::Fair>& fairness_;
  const std::vector<bool>& enabling_;
  const std::vector<bool>& lasting_;
  std::size_t lasting_count_;
  std::uint64_t all_eventualities_;
  std::vector<Node> reached_;          // in breadth-first order
  std::vector<std::uint32_t> parent_;  // by node: index in reached_
  std::vector<std::uint32_t> part_;    // by node: the component it may be in
  std::uint32_t parts_ = 0;
  std::uint32_t ticks_ = 0;
};

}  // namespace txscope::tla
