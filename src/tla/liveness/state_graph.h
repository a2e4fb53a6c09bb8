#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/budget.h"
#include "tla/value/word_map.h"
#include "tla/search/worker.h"

namespace txscope::tla {

/// All reachable states with their steps, kept in memory for questions about
/// infinite behaviours.  Up to the VIEW, if there is one: then a step may lead
/// to a state that looks like its target.  No symmetry: permuting states along
/// a cycle would lose track of which process fairness speaks of.
class StateGraph {
 public:
  using Index = std::uint32_t;

  /// Explores; check is_complete() afterwards.  Throws Fault.
  StateGraph(Worker& worker, const Budget& budget);
  /// From what the workers recorded; values are those of the first.  States
  /// are in the order of level and fingerprint, whoever found them.
  explicit StateGraph(std::span<const std::unique_ptr<Worker>> workers);

  [[nodiscard]] bool is_complete() const { return is_complete_; }
  [[nodiscard]] std::size_t size() const { return first_.size() - 1; }
  [[nodiscard]] std::size_t edge_count() const { return targets_.size(); }
  [[nodiscard]] const Value* state(Index s) const { return &rows_[s * width_]; }
  [[nodiscard]] std::span<const Value> rows() const { return rows_; }
  [[nodiscard]] std::span<const Index> initial() const { return initial_; }
  /// Successors of s, ascending and once each; a step to itself included.
  [[nodiscard]] std::span<const Index> next(Index s) const {
    return std::span(targets_).subspan(first_[s], first_[s + 1] - first_[s]);
  }
  /// Which state this is, if it is one.
  [[nodiscard]] std::optional<Index> find(const Value* state) const;
  [[nodiscard]] std::size_t first_edge(Index s) const { return first_[s]; }
  /// The state before it on a shortest way from an initial one, which is its
  /// own; states are in the order of the length of that way.
  [[nodiscard]] Index parent(Index s) const { return parent_[s]; }

 private:
  Index add(const Value* state, Index parent);
  [[nodiscard]] Index index_of(std::uint64_t fingerprint) const;
  [[nodiscard]] std::uint64_t fingerprint(const Value* state) const;

  Worker& worker_;
  std::size_t width_;
  std::vector<Value> rows_;
  WordMap index_{1, ~std::size_t{0}};  // by fingerprint; forgets nothing
  std::vector<Index> parent_;          // itself for initial states
  std::vector<Index> initial_;
  std::vector<std::size_t> first_;
  std::vector<Index> targets_;
  mutable Symmetry plain_;
  bool is_complete_ = false;
};

}  // namespace txscope::tla
