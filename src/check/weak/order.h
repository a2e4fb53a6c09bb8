#pragma once

#include <cstdint>
#include <vector>

#include "check/facts/facts.h"
#include "model/history.h"
#include "model/level.h"

namespace txscope::check {

/// The order of a level, for algorithms: what precedes what besides reads-from.
///
/// Definition.  kInitial precedes everything.  At `session` also a precedes b
/// if it is earlier in the same session; at `realtime` also if a has an end, b
/// has a start, and end(a) < start(b).  A transaction of unknown outcome has no
/// end, so no realtime edge leaves it.  Only transactions that are not Out are
/// ordered; dropped ones in between do not break a session.
class OrderIndex {
 public:
  OrderIndex(const History& history, const Facts& facts, Order order);

  [[nodiscard]] Order order() const { return order_; }

  /// The neighbour in the session, kNone at either end and at order none.
  [[nodiscard]] TxnId previous(TxnId t) const { return previous_[t.index]; }
  [[nodiscard]] TxnId next(TxnId t) const { return next_[t.index]; }

  /// The relation itself.
  [[nodiscard]] bool precedes(TxnId a, TxnId b) const;

  /// Realtime as O(n) edges: `moment_count()` moments m0 -> m1 -> ..., each
  /// transaction enters the moment after its end and leaves the last moment
  /// before its start: a reaches b through moments iff end(a) < start(b).
  /// kNoMoment where there is none.  Without realtime there are no moments.
  static constexpr std::uint32_t kNoMoment = 0xffffffffu;
  [[nodiscard]] std::uint32_t moment_count() const { return moment_count_; }
  [[nodiscard]] std::uint32_t moment_after(TxnId t) const {
    return moment_count_ == 0 ? kNoMoment : after_[t.index];
  }
  [[nodiscard]] std::uint32_t moment_before(TxnId t) const {
    return moment_count_ == 0 ? kNoMoment : before_[t.index];
  }

 private:
  void place_moments(const Facts& facts);

  const History* history_;
  Order order_;
  std::vector<TxnId> previous_;
  std::vector<TxnId> next_;
  std::uint32_t moment_count_ = 0;
  std::vector<std::uint32_t> after_;
  std::vector<std::uint32_t> before_;
};

}  // namespace txscope::check
