#pragma once

#include <optional>
#include <vector>

#include "tla/model.h"
#include "tla/state_graph.h"

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
/// Method.  A violation of each supported form is a path to a cycle that stays
/// within some states and steps; a strongly connected component of those that
/// satisfies every fairness condition contains such a cycle, which is built by
/// visiting a witness of each condition.  A component that fails a strong
/// condition is cut at the states that enable it, and looked at again.
/// Cost.  Linear in the graph for each property, but for strong fairness.
class Liveness {
 public:
  Liveness(Worker& worker, const StateGraph& graph, const Budget& budget);

  /// A violation of the property, if there is one; nothing if the budget
  /// ended before that was known, see is_spent().
  [[nodiscard]] std::optional<Lasso> find_violation(const Property& property);
  [[nodiscard]] bool is_spent() const { return is_spent_; }

 private:
  using Index = StateGraph::Index;
  /// Where a violating cycle may live, and what it must contain.
  struct Region {
    std::vector<bool> states;
    std::vector<bool> edges;    ///< empty: all
    std::vector<bool> witness;  ///< a state of it must be visited; empty: any
  };
  struct Step {
    Formula action;
    Formula subscript;
    bool is_strong = false;
    std::vector<bool> enabled;  // by state
    std::vector<bool> taken;    // by edge
  };

  void evaluate(Step& step);
  std::vector<bool> satisfying(const Formula& p, bool wanted);
  std::optional<Lasso> find_cycle(const Region& region,
                                  const std::vector<bool>& start);
  std::vector<std::vector<Index>> components(const Region& region,
                                             const std::vector<bool>& among);
  bool is_fair(const Region& region, const std::vector<Index>& component,
               std::vector<std::vector<Index>>& again);
  Lasso build(const Region& region, const std::vector<Index>& component,
              const std::vector<Index>& parent);
  std::vector<Index> walk(const Region& region, const std::vector<bool>& inside,
                          Index from, const std::vector<bool>& goal);
  std::optional<Lasso> find_fall(const Property& property,
                                 const std::vector<bool>& from);
  bool is_allowed(const Region& region, std::size_t edge) const {
    return region.edges.empty() || region.edges[edge];
  }

  Worker& worker_;
  const StateGraph& graph_;
  const Budget& budget_;
  std::vector<Step> fairness_;
  bool is_spent_ = false;
};

}  // namespace txscope::tla
