#pragma once

#include <deque>
#include <vector>

#include "tla/liveness/automaton.h"
#include "tla/liveness/labels.h"
#include "tla/liveness/state_graph.h"

namespace txscope::tla {

/// The graph of all states times an automaton.  A node is a state of the graph
/// in a phase, a state of the automaton; nothing of it is stored.
class Product {
 public:
  using Index = StateGraph::Index;
  using Node = std::uint64_t;
  using Phase = Automaton::State;

  static constexpr Node kNowhere = ~Node{0};
  static constexpr std::size_t kStill = ~std::size_t{0};

  struct Move {
    Node to = 0;
    std::size_t edge = 0;  ///< of the graph; kStill for stuttering
    const Automaton::Edge* by = nullptr;
  };

  /// How far the moves from a node have been gone through.
  struct Cursor {
    std::uint32_t edge = 0;    ///< of the automaton
    std::uint32_t target = 0;  ///< 0 for stuttering, else one more than it is
    bool leaves = false;       ///< only moves to other phases are wanted
  };

  Product(const StateGraph& graph, Labels& labels, const Automaton& automaton,
          const std::deque<TemporalAtom>& atoms);

  [[nodiscard]] std::size_t size() const { return graph_.size() << bits_; }
  [[nodiscard]] const StateGraph& graph() const { return graph_; }
  [[nodiscard]] const Automaton& automaton() const { return automaton_; }
  [[nodiscard]] Node node(Index s, Phase q) const {
    return (Node{s} << bits_) | q;
  }
  [[nodiscard]] Index state_of(Node n) const {
    return static_cast<Index>(n >> bits_);
  }
  [[nodiscard]] Phase phase_of(Node n) const {
    return static_cast<Phase>(n & ((Node{1} << bits_) - 1));
  }
  /// Whether a cycle that postpones nothing for ever may stay in this phase.
  [[nodiscard]] bool is_live(Phase q) const { return is_live_[q]; }
  /// Whether the first phase can be kept whatever happens.
  [[nodiscard]] bool can_wait() const { return can_wait_; }

  /// The next move from n; false if there is none any more.
  bool next_move(Node n, Cursor& at, Move& move) const;
  template <class Visit>
  void for_each_move(Node n, const Visit& visit) const {
    Move move;
    Cursor at;
    while (next_move(n, at, move)) visit(move);
  }
  /// The eventualities that a move from n postpones, a bit each.
  [[nodiscard]] std::uint64_t postponed(Node n, const Move& move) const;

 private:
  /// Whether what an edge asks of states, or of steps, is true of one.
  [[nodiscard]] bool allows(const Automaton::Edge& edge, Index s, bool of_steps,
                            std::size_t step) const;
  [[nodiscard]] bool is_true(std::uint32_t atom, Index s,
                             std::size_t step) const;
  [[nodiscard]] bool is_true(const Temporal& t, Index s,
                             std::size_t step) const;
  void find_live_phases();

  const StateGraph& graph_;
  const Automaton& automaton_;
  unsigned bits_;                                 // of a phase
  std::vector<const std::vector<bool>*> labels_;  // by atom
  std::vector<bool> is_step_;
  std::vector<bool> when_still_;
  std::vector<bool> is_live_;
  bool can_wait_ = false;
};

}  // namespace txscope::tla
