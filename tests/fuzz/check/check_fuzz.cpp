#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "certify/certify.h"
#include "check/check.h"
#include "check/facts/facts.h"
#include "check/facts/later_writes.h"
#include "check/ladder.h"
#include "model/real_time.h"
#include "support/fuzz.h"
#include "support/litmus.h"
#include "support/oracle.h"
#include "support/random_history.h"

namespace txscope {
namespace {

std::vector<Level> all_levels() {
  std::vector<Level> levels;
  for (const Base base : all_bases())
    for (const Order order : kOrders) levels.push_back({base, order});
  return levels;
}

/// What is wrong with a verdict, in words; empty if nothing is.
std::string fault(const History& history, const OracleAnswers& expected,
                  const Verdict& verdict) {
  const std::string level = describe(verdict.level) + ": ";
  if (verdict.outcome() == Outcome::Undecided)
    return level + "undecided without a limit\n";
  const bool holds = verdict.outcome() == Outcome::Holds;
  if (holds != expected.allows(verdict.level))
    return level + std::string(name(verdict.outcome())) +
           ", but the oracle disagrees\n";
  const certify::Certificate certificate = certify::certify(history, verdict);
  if (!certificate)
    return level + std::string(name(verdict.outcome())) +
           " is not certified: " + certificate.why_not + "\n";
  return "";
}

/// Whether a refutation blames a read on a write that was invoked after the
/// reader had ended, where time counts.
bool blames_a_later_write(const History& history, const Verdict& verdict) {
  if (verdict.level.order != Order::Realtime ||
      verdict.outcome() != Outcome::Violated ||
      !verdict.refutation().lemmas.empty())
    return false;
  const auto is_later = [&](OpId read, TxnId writer) {
    return ended_before(history, history.txn_of(read), writer);
  };
  for (const Case& c : verdict.refutation().cases) {
    for (const Assumption& a : c.assume)
      if (a.kind == Assumption::Kind::Writer && is_later(a.op, a.a))
        return true;
    if (const auto* cycle = std::get_if<Cycle>(&c.contradiction))
      for (const Edge& edge : *cycle)
        if (edge.kind == EdgeKind::ReadsFrom &&
            history.kind(edge.key) == KeyKind::Register &&
            is_later(edge.read, edge.from))
          return true;
    if (const auto* bad = std::get_if<BadRead>(&c.contradiction))
      if (bad->kind != BadReadKind::ThinAir &&
          bad->kind != BadReadKind::Incompatible && bad->other != kNone<OpId> &&
          is_later(bad->read, history.txn_of(bad->other)))
        return true;
  }
  return false;
}

/// All that is wrong with check() on this history.
std::string faults(const History& history) {
  const OracleAnswers expected = oracle(history);
  const Budget budget = Budget::unlimited();
  std::string found;
  for (const Level level : all_levels()) {
    const Verdict verdict = check::check(history, level, budget);
    found += fault(history, expected, verdict);
    if (blames_a_later_write(history, verdict))
      found += describe(level) + ": a read is blamed on a later write\n";
  }
  return found;
}

/// The same for all levels at once.
std::string ladder_faults(const History& history) {
  const OracleAnswers expected = oracle(history);
  std::string found;
  const auto levels = all_levels();
  const auto rows = check::check_levels(history, levels, Budget::unlimited());
  if (rows.size() != levels.size()) return "the ladder lost a level\n";
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!(rows[i].verdict.level == levels[i])) found += "wrong level\n";
    found += fault(history, expected, rows[i].verdict);
    if (rows[i].follows_from && (expected.allows(*rows[i].follows_from) ||
                                 !implies(levels[i], *rows[i].follows_from)))
      found += describe(levels[i]) + " does not follow from " +
               describe(*rows[i].follows_from) + "\n";
  }
  return found;
}

/// Shrinks a failure to something that can be pasted into tests/regress.
void report(const Sketch& sketch, std::string (*find)(const History&)) {
  const History small = shrink(sketch, [&](const History& h) {
                          return !find(h).empty();
                        }).build();
  FAIL() << find(small) << to_litmus(small);
}

TEST(Check, AgreesWithTheOracleAndIsCertifiedAtEveryLevel) {
  Random random(fuzz_seed(1));
  for (int round = 0; round < fuzz_rounds(20'000); ++round) {
    const Sketch sketch = random_small_history(random);
    if (!faults(sketch.build()).empty()) return report(sketch, faults);
  }
}

// With times, registers that start as one thing or another, and values that are
// written again and again: what is read was often written only later.
TEST(Check, NeverBlamesAReadOnAWriteThatCameLater) {
  Random random(fuzz_seed(5));
  int later = 0;
  for (int round = 0; round < fuzz_rounds(6'000); ++round) {
    HistoryShape shape;
    shape.max_txns = 5;
    shape.has_times = true;
    shape.repeats_values = random.chance(0.7);
    shape.initial_value_chance = 0.3;
    shape.no_initial_chance = 0.2;
    shape.aborted_chance = 0.2;
    shape.unknown_chance = 0.1;
    shape.lists = random.chance(0.3) ? 1 : 0;
    shape.chaos = 0.3;
    const Sketch sketch = random_history(shape, random);
    const History history = sketch.build();
    if (oracle_cost(history) > 20'000) continue;
    if (!faults(history).empty()) return report(sketch, faults);
    later += static_cast<int>(
        check::bad_reads(history, check::Facts(history),
                         {Base::ReadCommitted, Order::Realtime})
            .size() > check::bad_reads(history, check::Facts(history),
                                       {Base::ReadCommitted, Order::Session})
                          .size());
  }
  EXPECT_GT(later, fuzz_rounds(6'000) / 50);
}

TEST(Check, TheLadderAgreesToo) {
  Random random(fuzz_seed(2));
  for (int round = 0; round < fuzz_rounds(4'000); ++round) {
    const Sketch sketch = random_small_history(random);
    if (!ladder_faults(sketch.build()).empty())
      return report(sketch, ladder_faults);
  }
}

/// The same with threads.
std::string threaded_faults(const History& history) {
  const OracleAnswers expected = oracle(history);
  std::string found;
  for (const check::LadderRow& row :
       check::check_levels(history, all_levels(), Budget::unlimited(), 3))
    found += fault(history, expected, row.verdict);
  return found;
}

TEST(Check, TheLadderAgreesWithThreadsToo) {
  Random random(fuzz_seed(4));
  for (int round = 0; round < fuzz_rounds(300); ++round) {
    const Sketch sketch = random_small_history(random);
    if (!threaded_faults(sketch.build()).empty())
      return report(sketch, threaded_faults);
  }
}

constexpr std::array kSessionOrders = {Order::Session, Order::Realtime};

/// In how many ways sessions can be interleaved, times the writers that reads
/// may have, times the outcomes.
double interleavings(const Sketch& sketch) {
  double count = 1;
  double placed = 0;
  for (const auto& session : sketch.sessions)
    for (std::size_t i = 1; i <= session.size(); ++i)
      count *= ++placed / static_cast<double>(i);
  const History history = sketch.build();
  double factorial = 1;
  for (std::size_t n = 2; n < history.size(); ++n)
    factorial *= static_cast<double>(n);
  return count * oracle_cost(history) / factorial;
}

std::string session_faults(const History& history) {
  const OracleAnswers expected = oracle(history, kSessionOrders);
  std::string found;
  for (const Base base : all_bases())
    for (const Order order : kSessionOrders)
      found += fault(history, expected,
                     check::check(history, {base, order}, Budget::unlimited()));
  return found;
}

TEST(Check, AgreesWithTheOracleOnTwelveTransactions) {
  constexpr double kAffordable = 3000;
  Random random(fuzz_seed(3));
  int checked = 0;
  int full = 0;  // that have all twelve
  for (int round = 0; checked < fuzz_rounds(1'000); ++round) {
    HistoryShape shape = random_shape(random);
    shape.max_sessions = 3;
    shape.max_txns = 12;
    shape.chaos = std::min(shape.chaos, 0.02);
    const Level level{static_cast<Base>(random.below(kBaseCount)),
                      Order::Session};
    const Sketch sketch = simulated_history(shape, level, random);
    if (interleavings(sketch) > kAffordable) continue;
    const History history = sketch.build();
    if (!session_faults(history).empty()) return report(sketch, session_faults);
    full += history.size() - 1 >= 12;
    ++checked;
  }
  EXPECT_GE(full, checked / 50);
}

}  // namespace
}  // namespace txscope
