#include "check/check.h"

#include <algorithm>

#include "check/clock.h"
#include "check/engines.h"
#include "check/facts.h"
#include "check/founding.h"
#include "check/known_versions.h"
#include "check/likely_versions.h"
#include "check/order.h"

namespace txscope {
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

const BadRead* worst_read(const Facts& facts, Base base) {
  const BadRead* worst = nullptr;
  for (const BadRead& bad : facts.bad_reads()) {
    if (base == Base::ReadUncommitted && bad.kind != BadReadKind::Incompatible)
      continue;
    if (worst == nullptr || rank(bad.kind) < rank(worst->kind)) worst = &bad;
  }
  return worst;
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

// Reads of registers say nothing at read-uncommitted: neither who wrote what
// nor who committed.
Verdict Checker::check_read_uncommitted(Order order, const Budget& budget) {
  const Level level{Base::ReadUncommitted, order};
  const bool asks_more = facts_->is_open() || has_unknown(history_);
  const Facts lists =
      asks_more ? Facts(history_, Facts::Scope::ListReads, ignored_) : *facts_;
  const OrderIndex index(history_, lists, order);
  if (const BadRead* bad = worst_read(lists, level.base))
    return {level, Refutation{{Case{{}, *bad}}}};
  if (lists.is_open())
    return check_by_search(history_, lists, index, level, budget);
  return txscope::check_read_uncommitted(history_, lists, index, budget);
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

Verdict Checker::check(Level level, const Budget& budget) {
  if (level.base == Base::ReadUncommitted)
    return check_read_uncommitted(level.order, budget);
  if (const BadRead* bad = worst_read(*facts_, level.base))
    return {level, Refutation{{Case{{}, *bad}}}};
  const OrderIndex& order = order_index(level.order);
  if (facts_->is_open()) {
    if (auto verdict = check_open(level, budget)) return *std::move(verdict);
    return check_by_search(history_, *facts_, order, level, budget);
  }

  if (auto verdict = check_known_versions(level, budget))
    return *std::move(verdict);
  if (auto verdict = check_likely_versions(level, budget))
    return *std::move(verdict);

  // Causal is decided on the way to the strong levels: it is cheap, and most
  // violations are found there already.
  const Base base = is_weak(level.base) ? level.base : Base::Causal;
  const Verdict& verdict = check_weak(base, level.order, budget);
  switch (verdict.outcome()) {
    case Outcome::Undecided: return with_level(verdict, level);
    case Outcome::Holds:
      if (base == level.base) return with_level(verdict, level);
      return check_by_search(history_, *facts_, order, level, budget);
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

}  // namespace txscope
