#include "check/check.h"

#include <algorithm>

#include "base/strategy.h"
#include "check/engines.h"
#include "check/facts/facts.h"
#include "check/facts/founding.h"
#include "check/facts/known_versions.h"
#include "check/facts/later_writes.h"
#include "check/facts/likely_versions.h"
#include "check/weak/clock.h"
#include "check/weak/order.h"

namespace txscope::check {
namespace {

// The bases whose checkers are near-linear, weakest first.
constexpr std::array kWeak = {Base::ReadCommitted, Base::MonotonicAtomicView,
                              Base::ReadAtomic, Base::Causal};

// The bases that a guess of all version orders can show, strongest first.
constexpr std::array kShown = {Base::Serializable, Base::SnapshotIsolation,
                               Base::Prefix};
// Smaller histories are decided at once anyway.
constexpr std::size_t kLeastToGuess = 500;

bool is_weak(Base base) { return base <= Base::Causal; }

// How much a kind of bad read says, most first.
int rank(BadReadKind kind) {
  switch (kind) {
    case BadReadKind::Incompatible: return 0;
    case BadReadKind::Aborted: return 1;
    case BadReadKind::Intermediate: return 2;
    case BadReadKind::Internal: return 3;
    case BadReadKind::ThinAir: return 4;
    case BadReadKind::NoWriter: return 5;
  }
  return 6;
}

bool has_unknown(const History& history) {
  return std::any_of(history.txns().begin(), history.txns().end(),
                     [](const Txn& t) { return t.status == Status::Unknown; });
}

Verdict refuted(Level level, std::span<const BadRead> bad) {
  const auto worst = std::min_element(bad.begin(), bad.end(),
                                      [](const BadRead& a, const BadRead& b) {
                                        return rank(a.kind) < rank(b.kind);
                                      });
  return {level, Refutation{{Case{{}, *worst}}}};
}

Verdict with_level(Verdict verdict, Level level) {
  verdict.level = level;
  return verdict;
}

}  // namespace

Verdict check(const History& history, Level level, const Budget& budget) {
  return Checker(history).check(level, budget);
}

Checker::Checker(const History& history)
    : history_(history), facts_(std::make_unique<Facts>(history)) {}

Checker::Checker(const History& history, const ReadSet& ignored)
    : history_(history),
      ignored_(&ignored),
      facts_(
          std::make_unique<Facts>(history, Facts::Scope::AllReads, &ignored)) {}

Checker::~Checker() = default;

const OrderIndex& Checker::order_index(Order order) {
  auto& index = orders_[static_cast<std::size_t>(order)];
  if (!index)
    index = std::make_unique<const OrderIndex>(history_, *facts_, order);
  return *index;
}

const Verdict& Checker::check_weak(Base base, Order order,
                                   const Budget& budget) {
  auto& known = weak_[static_cast<std::size_t>(base) * kOrderCount +
                      static_cast<std::size_t>(order)];
  if (known && known->outcome() != Outcome::Undecided) return *known;
  const auto engine = [base] {
    switch (base) {
      case Base::ReadCommitted: return check_read_committed;
      case Base::MonotonicAtomicView: return check_monotonic_atomic_view;
      case Base::ReadAtomic: return check_read_atomic;
      default: return check_causal;
    }
  }();
  known = engine(history_, *facts_, order_index(order), budget);
  return *known;
}

Verdict Checker::search(Level level, const Budget& budget) {
  return check_by_search(history_, *facts_, order_index(level.order), level,
                         budget);
}

// Reads of registers say nothing at read-uncommitted: neither who wrote what
// nor who committed.
Verdict Checker::check_read_uncommitted(Order order, const Budget& budget) {
  const Level level{Base::ReadUncommitted, order};
  const bool asks_more = facts_->is_open() || has_unknown(history_);
  const Facts lists =
      asks_more ? Facts(history_, Facts::Scope::ListReads, ignored_) : *facts_;
  const OrderIndex index(history_, lists, order);
  if (const auto bad = bad_reads(history_, lists, level); !bad.empty())
    return refuted(level, bad);
  if (lists.is_open())
    return check_by_search(history_, lists, index, level, budget);
  return txscope::check::check_read_uncommitted(history_, lists, index, budget);
}

// Read-committed is decided by itself, and what violates it violates all
// others; a refutation by cases of the same has more of them than anybody has
// time for.
std::optional<Verdict> Checker::check_open(Level level, const Budget& budget) {
  auto& known =
      weak_[static_cast<std::size_t>(Base::ReadCommitted) * kOrderCount +
            static_cast<std::size_t>(level.order)];
  if (!known)
    known = check_founding(history_, *facts_, order_index(level.order), budget);
  if (!known) return std::nullopt;
  if (level.base == Base::ReadCommitted ||
      known->outcome() == Outcome::Violated)
    return with_level(*known, level);
  return std::nullopt;
}

// Lists show their version order, so that mostly one sort is enough.
std::optional<Verdict> Checker::check_known_versions(Level level,
                                                     const Budget& budget) {
  if (level.base < Base::Causal || budget.spent_now()) return std::nullopt;
  auto& found = serial_[static_cast<std::size_t>(level.order)];
  if (!found)
    found =
        order_by_known_versions(history_, *facts_, order_index(level.order));
  if (!*found) return std::nullopt;
  return Verdict{level, **found};
}

// Most histories are of databases that work, and tell more than they have to.
std::optional<Verdict> Checker::check_likely_versions(Level level,
                                                      const Budget& budget) {
  if (level.base < Base::Causal || history_.size() < kLeastToGuess)
    return std::nullopt;
  for (const Base base : kShown) {
    const Level shown{base, level.order};
    // Causal is cheap to decide, so only what nearly always succeeds is tried.
    if (level.base == Base::Causal &&
        (base != Base::Serializable || !Clock::is_recorded(history_)))
      break;
    if (budget.spent_now() || !implies(shown, level)) continue;
    auto& found = likely_[static_cast<std::size_t>(base) * kOrderCount +
                          static_cast<std::size_t>(level.order)];
    if (!found)
      found = order_by_likely_versions(history_, *facts_,
                                       order_index(level.order), base, budget);
    if (*found) return Verdict{level, **found};
  }
  return std::nullopt;
}

// What is near-linear: the weak levels, and causal on the way to the strong
// ones, because it is cheap and most violations are found there already.
std::optional<Verdict> Checker::check_by_clocks(Level level,
                                                const Budget& budget) {
  const Base base = is_weak(level.base) ? level.base : Base::Causal;
  const Verdict& verdict = check_weak(base, level.order, budget);
  switch (verdict.outcome()) {
    case Outcome::Undecided: return with_level(verdict, level);
    case Outcome::Holds:
      if (base != level.base) return std::nullopt;
      return with_level(verdict, level);
    case Outcome::Violated: break;
  }
  for (const Base weaker : kWeak) {
    if (weaker >= base) break;
    const Verdict& simpler = check_weak(weaker, level.order, budget);
    if (simpler.outcome() == Outcome::Violated)
      return with_level(simpler, level);
  }
  return with_level(verdict, level);
}

namespace {

std::uint64_t any_effort(const Checker::Asked&) { return kAnyEffort; }

Says said(const Verdict& verdict) {
  switch (verdict.outcome()) {
    case Outcome::Holds: return Says::Holds;
    case Outcome::Violated: return Says::Violated;
    case Outcome::Undecided: break;
  }
  return Says::Anything;
}

}  // namespace

// From cheap to dear.  Each is near-linear but for the searches, which have
// what the user allows.
Verdict Checker::check(Level level, const Budget& budget) {
  using Found = std::optional<Verdict>;
  static constexpr auto kStrategies = std::to_array<Strategy<Asked, Verdict>>({
      {"version-orders",
       [](Asked& a) { return a.level.base == Base::ReadUncommitted; },
       Says::Anything, &any_effort,
       [](Asked& a, std::uint64_t, const Budget& b) -> Found {
         return a.checker.check_read_uncommitted(a.level.order, b);
       }},
      {"bad-read", [](Asked&) { return true; }, Says::Violated, &any_effort,
       [](Asked& a, std::uint64_t, const Budget&) -> Found {
         const auto bad =
             bad_reads(a.checker.history_, *a.checker.facts_, a.level);
         if (bad.empty()) return std::nullopt;
         return refuted(a.level, bad);
       }},
      {"founded-reads", [](Asked& a) { return a.checker.facts_->is_open(); },
       Says::Anything, &any_effort,
       [](Asked& a, std::uint64_t, const Budget& b) -> Found {
         return a.checker.check_open(a.level, b);
       }},
      {"search-with-writers",
       [](Asked& a) { return a.checker.facts_->is_open(); }, Says::Anything,
       &any_effort,
       [](Asked& a, std::uint64_t, const Budget& b) -> Found {
         return a.checker.search(a.level, b);
       }},
      {"known-versions", [](Asked& a) { return a.level.base >= Base::Causal; },
       Says::Holds, &any_effort,
       [](Asked& a, std::uint64_t, const Budget& b) -> Found {
         return a.checker.check_known_versions(a.level, b);
       }},
      {"likely-versions", [](Asked& a) { return a.level.base >= Base::Causal; },
       Says::Holds, &any_effort,
       [](Asked& a, std::uint64_t, const Budget& b) -> Found {
         return a.checker.check_likely_versions(a.level, b);
       }},
      {"clocks", [](Asked&) { return true; }, Says::Anything, &any_effort,
       [](Asked& a, std::uint64_t, const Budget& b) -> Found {
         return a.checker.check_by_clocks(a.level, b);
       }},
      {"search", [](Asked&) { return true; }, Says::Anything, &any_effort,
       [](Asked& a, std::uint64_t, const Budget& b) -> Found {
         return a.checker.search(a.level, b);
       }},
  });
  Asked asked{*this, level};
  return decide_by(kStrategies, asked, budget, &said);
}

}  // namespace txscope::check
