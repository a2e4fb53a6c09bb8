#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "tla/automaton.h"
#include "tla/model.h"
#include "tla/state_graph.h"

namespace txscope::tla {

/// A behaviour that violates a property: states, and the one that the last
/// goes back to.  If that is the last itself, nothing changes any more.
struct Lasso {
  std::vector<StateGraph::Index> states;
  std::optional<std::size_t> loop;  ///< none: a finite violation
};

/// What is true in the states and steps of a graph; computed when first asked
/// for, and once.  Throws Stopped when the budget ends.
class Labels {
 public:
  using Index = StateGraph::Index;
  Labels(Worker& worker, const StateGraph& graph, const Budget& budget);

  /// Computes at once what some automata and fairness ask for, each label by
  /// one of the workers.  Throws Fault.
  void prepare(std::span<const std::unique_ptr<Worker>> workers,
               const std::vector<std::uint32_t>& atoms);

  /// One bit per state.
  const std::vector<bool>& of_states(std::uint32_t atom);
  /// One bit per edge; `when_still` is what holds of a step that changes
  /// nothing.
  const std::vector<bool>& of_edges(std::uint32_t atom);

  struct Fair {
    bool is_strong = false;
    std::vector<bool> enabled;  // by state
    std::vector<bool> taken;    // by edge
  };
  /// The fairness conditions of the specification.
  const std::vector<Fair>& fairness();

 private:
  [[nodiscard]] const Value* values_of(Index s) const {
    return rows_ + s * width_;
  }
  std::vector<bool> label_of(std::uint32_t atom);
  std::vector<bool> states_where(const Formula& f);
  std::vector<bool> edges_where(const Formula& action, const Formula& subscript,
                                bool when_still);
  Fair fair_steps(const Fairness& f);
  void find_fair_steps(const Fairness& f, Index s, Fair& fair);
  bool changes(const Formula& subscript, Index s, Index t);
  void start_subscript(const Formula& subscript);

  Worker& worker_;
  const StateGraph& graph_;
  const Budget& budget_;
  const Value* rows_;  // the graph's, in the worker's Store
  std::size_t width_;
  std::vector<std::optional<std::vector<bool>>> known_;
  std::optional<std::vector<Fair>> fairness_;
  std::vector<Value> subscripts_;  // of the one in hand, by state
  bool is_of_everything_ = false;  // it names every variable
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
/// Cost.  Linear in the product for each property, but for strong fairness.
class Liveness {
 public:
  Liveness(const StateGraph& graph, Labels& labels, const Budget& budget,
           const Automaton& automaton, const std::deque<TemporalAtom>& atoms);

  /// A behaviour that the automaton accepts, if there is one.  Throws Stopped
  /// when the budget ends.
  [[nodiscard]] std::optional<Lasso> find();

 private:
  using Index = StateGraph::Index;
  using Node = std::uint64_t;  // graph state times automaton state

  /// A step of the product.
  struct Move {
    Node to = 0;
    std::size_t edge = 0;  ///< of the graph; kStill for stuttering
    std::uint64_t postponed = 0;
  };
  static constexpr std::size_t kStill = ~std::size_t{0};

  [[nodiscard]] Node node(Index s, Automaton::State q) const {
    return s * width_ + q;
  }
  [[nodiscard]] Index state_of(Node n) const {
    return static_cast<Index>(n / width_);
  }
  [[nodiscard]] Automaton::State phase_of(Node n) const {
    return static_cast<Automaton::State>(n % width_);
  }
  /// The k-th candidate of a step from n; false if there is none any more.
  /// `move.to` is kNowhere if the candidate is no step.
  bool candidate(Node n, std::size_t k, Move& move) const;
  template <class Visit>
  void for_each_move(Node n, const Visit& visit) const;
  bool allows(const Automaton::Edge& edge, Index s, std::size_t step) const;
  void reach();
  std::vector<std::vector<Node>> components(const std::vector<Node>& among);
  bool accepts(const std::vector<Node>& component,
               std::vector<std::vector<Node>>& again);
  Lasso build(const std::vector<Node>& component);
  template <class Goal>
  bool walk(std::vector<Node>& path, const Goal& is_goal);
  void look_at_budget();

  static constexpr Node kNowhere = ~Node{0};
  const StateGraph& graph_;
  Labels& labels_;
  const Budget& budget_;
  const Automaton& automaton_;
  Node width_;
  std::vector<const std::vector<bool>*> atom_labels_;
  std::vector<bool> is_step_;
  std::vector<bool> when_still_;
  std::vector<Node> reached_;          // in breadth-first order
  std::vector<std::uint32_t> parent_;  // by node: index in reached_
  std::vector<std::uint32_t> part_;    // by node: the component it may be in
  std::uint32_t parts_ = 0;
  std::uint32_t ticks_ = 0;
};

}  // namespace txscope::tla
