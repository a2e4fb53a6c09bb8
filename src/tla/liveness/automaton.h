#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "tla/liveness/temporal.h"

namespace txscope::tla {

/// A generalised Buchi automaton for a temporal formula, over steps.
///
/// Definition.  A state is a set of formulas that the rest of the behaviour
/// has to satisfy.  A step of the behaviour (a state and its successor)
/// satisfies the literals of an edge; the edge leads to what remains.  An
/// eventuality <>P that the edge does not fulfil is postponed; a run accepts
/// if none is postponed for ever.  []<>P where P has no temporal operator is
/// postponed by every step that does not satisfy P, so that it needs no state.
/// Source.  Gerth, Peled, Vardi, Wolper, Simple On-the-fly Automatic
/// Verification of Linear Temporal Logic, 1995; with the acceptance on edges,
/// after Couvreur, 1999.
/// Method.  []P is P now and []P next; <>P is P now, or <>P next, postponed.
class Automaton {
 public:
  using State = std::uint32_t;
  struct Literal {
    std::uint32_t atom;
    bool is_true;
  };
  struct Edge {
    std::vector<Literal> literals;
    State target = 0;
    std::uint64_t postponed = 0;  ///< a bit for each eventuality
    std::uint64_t recurring = 0;  ///< those that a step postpones by itself
  };

  /// Throws Fault at `spot` if it gets too large.
  Automaton(const Temporal& formula, const Spot& spot);

  [[nodiscard]] std::size_t size() const { return edges_.size(); }
  [[nodiscard]] std::size_t eventualities() const {
    return eventualities_.size();
  }
  /// What fulfils the i-th eventuality, one that recurs.
  [[nodiscard]] const Temporal& recurring(std::size_t i) const {
    return *eventualities_[i]->parts[0]->parts[0];
  }
  /// All that its literals and what recurs speak of.
  [[nodiscard]] std::set<std::uint32_t> atoms() const;
  [[nodiscard]] const std::vector<Edge>& edges(State q) const {
    return edges_[q];
  }
  /// Every behaviour is accepted from here on.
  [[nodiscard]] bool accepts_all(State q) const {
    return obligations_[q].empty();
  }

 private:
  using Set = std::vector<const Temporal*>;  // sorted
  struct Partial;
  State state_of(Set obligations);
  void expand(Partial now, std::vector<Edge>& out);
  std::uint64_t bit_of(const Temporal* eventuality);

  std::vector<Set> obligations_;
  std::vector<std::vector<Edge>> edges_;
  std::vector<const Temporal*> eventualities_;
  const Spot& spot_;
};

}  // namespace txscope::tla
