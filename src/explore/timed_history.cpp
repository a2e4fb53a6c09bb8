#include <algorithm>
#include <map>

#include "explore/schedule.h"

namespace txscope::explore {
namespace {

using Kind = ScheduleStep::Kind;

/// Commit orders that are tried to find one with few stale reads.
constexpr std::size_t kMaxOrders = 2000;

/// Places the events of every transaction between the commits.  Gap g is the
/// time after g commits; a transaction that commits as number n has its events
/// in gaps below n.  Reads of a transaction stay together where they can.
class Placement {
 public:
  Placement(const exec::Script& script, const ScheduledRun& execution,
            const std::vector<std::size_t>& order)
      : script_(script), execution_(execution), order_(order) {
    for (std::size_t i = 0; i < order.size(); ++i) {
      position_[txn(i).instance.index] = i + 1;
    }
    gaps_.resize(order.size());
    stale_.resize(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) place(i);
  }

  [[nodiscard]] std::size_t cost() const {
    std::size_t stale = 0;
    for (const auto& txn : stale_) {
      stale +=
          static_cast<std::size_t>(std::count(txn.begin(), txn.end(), true));
    }
    return (stale * 100 + split_) * 1000 + early_;
  }

  [[nodiscard]] TimedHistory timeline() const {
    TimedHistory out;
    for (std::size_t gap = 0; gap < order_.size(); ++gap) {
      for (std::size_t i = order_.size(); i-- > gap;) {  // the next one last
        const auto& steps = txn(i).steps;
        for (std::size_t e = 0; e + 1 < steps.size(); ++e) {
          if (gaps_[i][e] != gap) continue;
          out.steps.push_back(steps[e]);
          out.steps.back().is_stale = stale_[i][e];
        }
      }
      out.steps.push_back(txn(gap).steps.back());
      out.commit_order.push_back(txn(gap).instance);
    }
    return out;
  }

 private:
  [[nodiscard]] const ScheduledRun::Txn& txn(std::size_t i) const {
    return execution_.txns[order_[i]];
  }
  [[nodiscard]] std::size_t position(exec::InstanceId i) const {
    return i == exec::kInit ? 0 : position_.at(i.index);
  }
  [[nodiscard]] bool writes(std::size_t i, KeyId key) const {
    const auto& steps = txn(i).steps;
    return steps.back().kind == Kind::Commit &&
           std::any_of(steps.begin(), steps.end(), [&](const ScheduleStep& s) {
             return s.kind == Kind::Write && s.key == key;
           });
  }

  /// The gaps in which a read sees the latest committed version: from the
  /// commit of its source to the next overwriting one.
  struct Range {
    std::size_t first = 0;
    std::size_t last = 0;
  };
  [[nodiscard]] Range range(const ScheduleStep& read, std::size_t i) const {
    const std::size_t source = position(read.source);
    for (std::size_t j = source; j < order_.size(); ++j) {
      if (j != i && writes(j, read.key)) return {source, j};
    }
    return {source, order_.size()};
  }

  void place(std::size_t i) {
    const auto& steps = txn(i).steps;
    const std::size_t n = steps.size() - 1;
    gaps_[i].assign(n, i);
    stale_[i].assign(n, false);
    std::size_t begin = 0;  // after the previous transaction of the session
    const std::uint32_t session =
        script_.instances[txn(i).instance.index].session;
    for (std::size_t j = 0; j < i; ++j) {
      if (script_.instances[txn(j).instance.index].session == session) {
        begin = j + 1;
      }
    }
    if (!place_together(i, begin)) {
      ++split_;
      place_apart(i, begin);
    }
    for (const std::size_t gap : gaps_[i]) early_ += gap != i;
  }

  /// All reads at one time, as late as possible: a snapshot.
  bool place_together(std::size_t i, std::size_t begin) {
    const auto& steps = txn(i).steps;
    Range all{begin, i};
    std::size_t last_read = 0;
    for (std::size_t e = 0; e + 1 < steps.size(); ++e) {
      if (steps[e].kind != Kind::Read || steps[e].is_own) continue;
      const Range r = range(steps[e], i);
      all.first = std::max(all.first, r.first);
      all.last = std::min(all.last, r.last);
      last_read = e + 1;
    }
    if (all.first > all.last) return false;
    std::fill_n(gaps_[i].begin(), last_read, all.last);
    return true;
  }

  /// Each read where it sees the latest version, if it can.
  void place_apart(std::size_t i, std::size_t begin) {
    const auto& steps = txn(i).steps;
    std::vector<std::size_t> latest(gaps_[i].size(), i);
    // Forward: as early as possible, to see which reads must be stale.
    std::size_t now = begin;
    for (std::size_t e = 0; e < latest.size(); ++e) {
      if (steps[e].kind != Kind::Read || steps[e].is_own) continue;
      const Range r = range(steps[e], i);
      now = std::max(now, r.first);
      if (now <= r.last) {
        latest[e] = std::min(latest[e], r.last);
      } else {
        stale_[i][e] = true;
      }
    }
    // Backward: as late as possible, so that sessions change seldom.
    std::size_t gap = i;
    for (std::size_t e = latest.size(); e-- > 0;) {
      gap = std::min(gap, latest[e]);
      gaps_[i][e] = gap;
    }
  }

  const exec::Script& script_;
  const ScheduledRun& execution_;
  const std::vector<std::size_t>& order_;  // indices into execution_.txns
  std::map<std::uint32_t, std::size_t> position_;
  std::vector<std::vector<std::size_t>> gaps_;
  std::vector<std::vector<bool>> stale_;
  std::size_t split_ = 0;  // transactions whose reads are apart
  std::size_t early_ = 0;  // events that do not just precede the commit
};

/// Linear extensions of the witness, the first ones in a fixed order.
class Orders {
 public:
  Orders(const exec::Script& script, const ScheduledRun& execution,
         const HistoryWitness& witness)
      : script_(script),
        execution_(execution),
        witness_(witness),
        is_placed_(execution.txns.size()) {}

  std::vector<std::size_t> best() {
    extend();
    return best_;
  }

 private:
  // Depth: the number of transactions of a reduced violation.
  void extend() {
    if (tried_ >= kMaxOrders) return;
    const std::size_t n = execution_.txns.size();
    if (order_.size() == n) {
      ++tried_;
      const std::size_t cost = Placement(script_, execution_, order_).cost();
      if (best_.empty() || cost < best_cost_) {
        best_ = order_;
        best_cost_ = cost;
      }
      return;
    }
    for (std::size_t i = 0; i < n; ++i) {
      if (is_placed_[i] || !is_ready(i)) continue;
      is_placed_[i] = true;
      order_.push_back(i);
      extend();
      order_.pop_back();
      is_placed_[i] = false;
    }
  }

  [[nodiscard]] bool is_ready(std::size_t i) const {
    const std::uint32_t t = execution_.txns[i].instance.index;
    for (std::size_t j = 0; j < execution_.txns.size(); ++j) {
      const std::uint32_t other = execution_.txns[j].instance.index;
      if (!is_placed_[j] && witness_.precedes[other][t]) return false;
    }
    return true;
  }

  const exec::Script& script_;
  const ScheduledRun& execution_;
  const HistoryWitness& witness_;
  std::vector<bool> is_placed_;
  std::vector<std::size_t> order_;
  std::vector<std::size_t> best_;
  std::size_t best_cost_ = 0;
  std::size_t tried_ = 0;
};

}  // namespace

TimedHistory make_timed_history(const exec::Script& script,
                                const ScheduledRun& execution,
                                const HistoryWitness& witness) {
  const std::vector<std::size_t> order =
      Orders(script, execution, witness).best();
  return Placement(script, execution, order).timeline();
}

}  // namespace txscope::explore
