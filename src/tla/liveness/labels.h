#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "tla/liveness/state_graph.h"

namespace txscope::tla {

/// What is true in the states and steps of a graph; computed when first asked
/// for, and once.  Throws Stopped when the budget ends.
class Labels {
 public:
  using Index = StateGraph::Index;
  Labels(Worker& worker, const StateGraph& graph, const Budget& budget);

  /// Computes at once what some automata and fairness ask for, divided among
  /// the workers.  Throws Fault.
  void prepare(std::span<const std::unique_ptr<Worker>> workers,
               const std::vector<std::uint32_t>& atoms);

  /// One bit per state, or per edge if the atom is about steps; prepare() was
  /// asked for it.
  [[nodiscard]] const std::vector<bool>& of(std::uint32_t atom) const {
    return known_[atom];
  }

  struct Fair {
    bool is_strong = false;
    std::vector<bool> enabled;  // by state
    std::vector<bool> taken;    // by edge
  };
  /// The fairness conditions of the specification; see prepare().
  [[nodiscard]] const std::vector<Fair>& fairness() const { return fairness_; }
  /// The states that enable one of them.
  const std::vector<bool>& enabling();
  /// The states in which a behaviour that is fair can be again and again, or
  /// for ever; perhaps some more.
  const std::vector<bool>& lasting();
  [[nodiscard]] std::size_t lasting_count() {
    lasting();
    return lasting_count_;
  }

 private:
  [[nodiscard]] const Value* values_of(Index s) const {
    return rows_ + s * width_;
  }
  /// Of atoms about states together, as they may ask for the same things.
  std::vector<std::vector<bool>> states_where(
      std::span<const std::uint32_t> atoms);
  /// Runs each task by one of the workers.
  void divide(std::span<const std::unique_ptr<Worker>> workers,
              const std::vector<std::function<void(Labels&)>>& tasks);
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
  std::vector<std::vector<bool>> known_;  // by atom
  std::vector<Fair> fairness_;
  std::optional<std::vector<bool>> enabling_;
  std::optional<std::vector<bool>> lasting_;
  std::size_t lasting_count_ = 0;
  std::vector<Value> subscripts_;  // of the one in hand, by state
  bool is_of_everything_ = false;  // it names every variable
};

}  // namespace txscope::tla
