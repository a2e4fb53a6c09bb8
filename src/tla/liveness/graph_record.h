#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tla/value/value.h"

namespace txscope::tla {

/// What one worker saw of the graph during the search: the states that it was
/// the first to reach, and the steps from those that it expanded.  Then
/// questions about infinite behaviours need no second exploration.
class GraphRecord {
 public:
  void add_state(std::uint64_t fingerprint, std::uint32_t level,
                 std::span<const Value> row) {
    states_.push_back({level, fingerprint});
    rows_.insert(rows_.end(), row.begin(), row.end());
  }
  void add_step(std::uint64_t from, std::uint64_t to) {
    if (from != from_) {
      steps_.push_back(kFrom);
      steps_.push_back(from);
      from_ = from;
    }
    steps_.push_back(to);
  }

  /// What another rank recorded; `rows` are values of this one.
  void add(std::span<const std::uint64_t> levels_and_fingerprints,
           std::span<const Value> rows, std::span<const std::uint64_t> steps) {
    for (std::size_t i = 0; i < levels_and_fingerprints.size(); i += 2)
      states_.push_back(
          {static_cast<std::uint32_t>(levels_and_fingerprints[i]),
           levels_and_fingerprints[i + 1]});
    rows_.insert(rows_.end(), rows.begin(), rows.end());
    steps_.insert(steps_.end(), steps.begin(), steps.end());
    from_ = kFrom;
  }

  struct State {
    std::uint32_t level = 0;
    std::uint64_t fingerprint = 0;
  };
  [[nodiscard]] const std::vector<State>& states() const { return states_; }
  [[nodiscard]] const std::vector<Value>& rows() const { return rows_; }
  /// kFrom, the state that was expanded, its successors, kFrom, ...
  [[nodiscard]] const std::vector<std::uint64_t>& steps() const {
    return steps_;
  }
  static constexpr std::uint64_t kFrom = 0;  // no fingerprint

 private:
  std::vector<State> states_;
  std::vector<Value> rows_;
  std::vector<std::uint64_t> steps_;
  std::uint64_t from_ = kFrom;
};

}  // namespace txscope::tla
