#include "check/anomaly/all_anomalies.h"

#include <algorithm>
#include <cassert>

#include "check/anomaly/anomaly.h"
#include "check/check.h"
#include "check/facts/facts.h"
#include "check/facts/later_writes.h"

namespace txscope::check {
namespace {

// Instances that are counted at one level: each costs a check, so the fewer
// the larger the history is.  Seconds, with optimization.
std::uint64_t most_at_a_level(const History& history, CountEffort effort) {
  constexpr std::uint64_t kEffort = 4'000'000;
  constexpr std::uint64_t kFew = 50;
  if (effort == CountEffort::Glance) return kFew;
  return std::clamp<std::uint64_t>(
      kEffort / std::max<std::uint64_t>(1, history.ops().size()), kFew, 10'000);
}

std::size_t size_of(const Case& c) {
  if (const auto* cycle = std::get_if<Cycle>(&c.contradiction))
    return cycle->size();
  if (const auto* set = std::get_if<UnfoundedSet>(&c.contradiction))
    return set->members.size();
  return 1;
}

// What there is to read: cases first, then what is in them.
std::pair<std::size_t, std::size_t> size_of(const Refutation& refutation) {
  std::size_t sum = 0;
  for (const Case& c : refutation.cases) sum += size_of(c);
  return {refutation.cases.size(), sum};
}

class Counter {
 public:
  Counter(const History& history, const Budget& budget, CountEffort effort)
      : history_(history),
        budget_(budget),
        most_(most_at_a_level(history, effort)) {}

  // False if there may be more at this level.
  bool count(Level level) {
    // Prefix and parallel-snapshot explain nothing of each other.
    ignored_ = {};
    for (const auto& [weaker, read] : used_)
      if (implies(level, weaker)) ignored_.insert(read);
    level_ = level;
    for (std::uint64_t found = 0; found < most_; ++found) {
      if (budget_.spent_now()) return false;
      Checker checker(history_, ignored_);
      const std::size_t bad =
          count_bad_reads(bad_reads(history_, checker.facts(), level), level);
      if (bad > 0) {
        found += bad - 1;
        continue;
      }
      const Verdict verdict = checker.check(level, budget_);
      if (verdict.outcome() == Outcome::Undecided) return false;
      if (verdict.outcome() == Outcome::Holds) {
        clear_.push_back(level.base);
        return true;
      }
      add(level, verdict.refutation());
    }
    return false;
  }

  AllAnomalies answer;

 private:
  // All bad reads are known at once.
  std::size_t count_bad_reads(const std::vector<BadRead>& bad, Level level) {
    std::size_t counted = 0;
    for (const BadRead& read : bad) {
      if (ignored_.contains(read.read)) continue;
      add(level, Refutation{{Case{{}, read}}});
      ++counted;
    }
    // Reads that contradict each other leave nothing to know of the order of
    // their list.
    for (const BadRead& read : bad)
      if (read.kind == BadReadKind::Incompatible)
        ignore_reads_of(history_.at(read.read).key);
    return counted;
  }

  void add(Level level, const Refutation& refutation) {
    const bool needs_order =
        std::find(clear_.begin(), clear_.end(), level.base) != clear_.end();
    const Anomaly anomaly = anomaly_of(history_, level, refutation,
                                       needs_order ? level.order : Order::None);
    auto kind = std::find_if(
        answer.kinds.begin(), answer.kinds.end(), [&](const AnomalyKind& k) {
          return k.level == level && k.anomaly.id == anomaly.id &&
                 k.anomaly.words == anomaly.words;
        });
    if (kind == answer.kinds.end())
      kind = answer.kinds.insert(kind, {anomaly, level, 0, refutation});
    else if (size_of(refutation) < size_of(kind->smallest))
      kind->smallest = refutation;
    ++kind->count;
    ignore(refutation);
  }

  void ignore(const Refutation& refutation) {
    bool is_less = false;
    for (const Case& c : refutation.cases) is_less |= ignore(c);
    if (is_less) return;
    // The reads behind what is known of write orders are not in the evidence.
    for (const Case& c : refutation.cases)
      if (const auto* cycle = std::get_if<Cycle>(&c.contradiction))
        for (const Edge& edge : *cycle) is_less |= ignore_all(edge);
    assert(is_less && "a contradiction has a read that can be ignored");
  }

  bool ignore(OpId read) {
    if (read == kNone<OpId> || !ignored_.insert(read)) return false;
    used_.emplace_back(level_, read);
    return true;
  }

  bool ignore(const Case& c) {
    bool is_less = false;
    if (const auto* cycle = std::get_if<Cycle>(&c.contradiction)) {
      for (const Edge& edge : *cycle) {
        is_less |= ignore(edge.read);
        is_less |= ignore(edge.forced_by);
      }
    } else if (const auto* bad = std::get_if<BadRead>(&c.contradiction)) {
      is_less |= ignore(bad->read);
    } else {
      for (const auto& m : std::get<UnfoundedSet>(c.contradiction).members)
        is_less |= ignore(m.read);
    }
    return is_less;
  }

  void ignore_reads_of(KeyId key) {
    for (std::uint32_t i = 0; i < history_.ops().size(); ++i)
      if (history_.at(OpId(i)).is_read() && history_.at(OpId(i)).key == key)
        ignore(OpId(i));
  }

  // All reads by the two transactions, and all of the key.
  bool ignore_all(const Edge& edge) {
    bool is_less = false;
    for (std::uint32_t i = 0; i < history_.ops().size(); ++i) {
      const Op& op = history_.at(OpId(i));
      if (!op.is_read()) continue;
      const TxnId t = history_.txn_of(OpId(i));
      if (op.key == edge.key || t == edge.from || t == edge.to)
        is_less |= ignore(OpId(i));
    }
    return is_less;
  }

  const History& history_;
  const Budget& budget_;
  const std::uint64_t most_;  // at a level
  Level level_;
  ReadSet ignored_;                           // at this level
  std::vector<std::pair<Level, OpId>> used_;  // by instances of all levels
  std::vector<Base> clear_;  // hold without the reads that were counted
};

}  // namespace

AllAnomalies find_all_anomalies(const History& history,
                                std::span<const Level> levels,
                                const Budget& budget, CountEffort effort) {
  Counter counter(history, budget, effort);
  for (const Level level : levels) {
    if (counter.count(level)) continue;
    counter.answer.counted_until = level;
    break;
  }
  return std::move(counter.answer);
}

}  // namespace txscope::check
