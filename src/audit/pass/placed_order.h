#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "audit/search/search.h"

namespace txscope::audit {

/// Before this it cannot have committed.
[[nodiscard]] std::int64_t last_answer(const sql::LogTransaction& t);
/// When it began to ask: it sees what was committed by then.
[[nodiscard]] std::optional<std::int64_t> first_asked(
    const sql::LogTransaction& t);

/// An order as far as it has come, and what its times say of its states.
class PlacedOrder {
 public:
  /// One of the order.
  struct Step {
    Placed placed;
    Position session_last = kSetup;  ///< of its session, before it
    Position at = kSetup;            ///< the state after it
  };

  explicit PlacedOrder(const std::vector<Txn>& txns) : txns_(txns) {
    steps_.reserve(txns.size());
  }

  [[nodiscard]] std::size_t size() const { return steps_.size(); }
  void push(Step step) { steps_.push_back(std::move(step)); }
  Step pop();
  /// All of them, in their order.
  [[nodiscard]] std::vector<Placed> taken();

  /// The last state, from `low` on, whose maker was over at that time.
  [[nodiscard]] Position ended_before(std::int64_t time, Position low) const;
  /// The last state, from `low` on, before the first whose maker still had to
  /// be answered at that time: it has not committed yet, nor who comes after.
  [[nodiscard]] Position answered_until(std::int64_t time, Position low) const;
  /// What each statement may see, from `low` on, where each sees a state of
  /// its own.
  [[nodiscard]] std::vector<Attempts::Window> windows_of(
      const sql::LogTransaction& t, Position low) const;

 private:
  [[nodiscard]] const sql::LogTransaction& log_of(const Step& step) const {
    return *txns_[step.placed.txn].log;
  }

  const std::vector<Txn>& txns_;
  std::vector<Step> steps_;
};

}  // namespace txscope::audit
