#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "certify/certify.h"
#include "check/check.h"
#include "check/ladder.h"
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
  const Certificate certificate = certify(history, verdict);
  if (!certificate)
    return level + std::string(name(verdict.outcome())) +
           " is not certified: " + certificate.why_not + "\n";
  return "";
}

/// All that is wrong with check() on this history.
std::string faults(const History& history) {
  const OracleAnswers expected = oracle(history);
  const Budget budget = Budget::unlimited();
  std::string found;
  for (const Level level : all_levels())
    found += fault(history, expected, check(history, level, budget));
  return found;
}

/// The same for all levels at once.
std::string ladder_faults(const History& history) {
  const OracleAnswers expected = oracle(history);
  std::string found;
  const auto levels = all_levels();
  const auto rows = check_levels(history, levels, Budget::unlimited());
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
  for (const LadderRow& row :
       check_levels(history, all_levels(), Budget::unlimited(), 3))
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
                     check(history, {base, order}, Budget::unlimited()));
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
    if (!session_faults(history).empty())
      return report(sketch, session_faults);
    full += history.size() - 1 >= 12;
    ++checked;
  }
  EXPECT_GE(full, checked / 50);
}

}  // namespace
}  // namespace txscope
