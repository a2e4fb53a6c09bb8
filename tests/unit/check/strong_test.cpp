#include <gtest/gtest.h>

#include "certify/certify.h"
#include "check/check.h"
#include "check/engines.h"
#include "generate/simulate.h"
#include "support/litmus.h"

namespace txscope::check {
namespace {

Verdict decide(const History& history, Base base, Order order) {
  Verdict verdict = check(history, {base, order}, Budget::unlimited());
  const certify::Certificate certificate = certify::certify(history, verdict);
  EXPECT_TRUE(certificate) << describe({base, order}) << ": "
                           << certificate.why_not;
  return verdict;
}

Verdict decide(const char* text, Base base, Order order = Order::Session) {
  return decide(litmus(text), base, order);
}

std::size_t cases(const Verdict& verdict) {
  return verdict.refutation().cases.size();
}

TEST(StrongLevels, ShowALostUpdateAsOneCasePerOrderOfTheWriters) {
  constexpr auto kLostUpdate = R"(
      s1: [r(x,0) w(x,1)]
      s2: [r(x,0) w(x,2)]
  )";
  for (const Base base :
       {Base::SnapshotIsolation, Base::ParallelSnapshotIsolation}) {
    const Verdict verdict = decide(kLostUpdate, base);
    ASSERT_EQ(verdict.outcome(), Outcome::Violated);
    EXPECT_EQ(cases(verdict), 2u);
  }
  // Each overwrote what the other read, whoever wrote first.
  EXPECT_EQ(cases(decide(kLostUpdate, Base::Serializable)), 1u);
  EXPECT_EQ(decide(kLostUpdate, Base::Prefix).outcome(), Outcome::Holds);
}

TEST(StrongLevels, ShowWriteSkewAsOneCycle) {
  constexpr auto kWriteSkew = R"(
      s1: [w(x,1) w(y,1)]
      s2: [r(x,1) r(y,1) w(x,2)]
      s3: [r(x,1) r(y,1) w(y,2)]
  )";
  const Verdict verdict = decide(kWriteSkew, Base::Serializable);
  ASSERT_EQ(verdict.outcome(), Outcome::Violated);
  ASSERT_EQ(cases(verdict), 1u);
  EXPECT_EQ(std::get<Cycle>(verdict.refutation().cases[0].contradiction).size(),
            2u);
  EXPECT_EQ(decide(kWriteSkew, Base::SnapshotIsolation).outcome(),
            Outcome::Holds);
}

TEST(StrongLevels, ShowALongForkAsOneCycle) {
  constexpr auto kLongFork = R"(
      s1: [w(x,1)]
      s2: [w(y,1)]
      s3: [r(x,1) r(y,0)]
      s4: [r(x,0) r(y,1)]
  )";
  const Verdict verdict = decide(kLongFork, Base::Prefix);
  ASSERT_EQ(verdict.outcome(), Outcome::Violated);
  ASSERT_EQ(cases(verdict), 1u);
  EXPECT_EQ(std::get<Cycle>(verdict.refutation().cases[0].contradiction).size(),
            4u);
  EXPECT_EQ(decide(kLongFork, Base::ParallelSnapshotIsolation).outcome(),
            Outcome::Holds);
}

TEST(StrongLevels, ChooseTheWriterOfARepeatedValue) {
  constexpr auto kRegister = R"(
      s1: [1..2: w(x,1)]
      s2: [3..4: w(x,2)]
      s3: [5..10: w(x,1)]
      s4: [6..7: r(x,1)] [11..12: r(x,1)]
  )";
  const Verdict verdict =
      decide(kRegister, Base::Serializable, Order::Realtime);
  ASSERT_EQ(verdict.outcome(), Outcome::Holds);
  for (const auto& choice : verdict.commit_order().reads_from)
    EXPECT_EQ(choice.writer, TxnId(3));
}

TEST(StrongLevels, RefuseARepeatedValueThatWasOverwrittenInRealTime) {
  constexpr auto kStale = R"(
      s1: [1..2: w(x,1)]
      s2: [3..4: w(x,2)]
      s3: [5..6: r(x,1)]
      s4: [7..8: w(x,1)]
  )";
  EXPECT_EQ(decide(kStale, Base::Serializable, Order::Realtime).outcome(),
            Outcome::Violated);
  EXPECT_EQ(decide(kStale, Base::Serializable, Order::Session).outcome(),
            Outcome::Holds);
}

TEST(StrongLevels, LetAnUnknownTransactionCommitWhereThatHelps) {
  constexpr auto kUnknown = R"(
      s1: [1..2: w(x,1)]
      s2: [3..: w(x,2)]?
      s3: [4..5: r(x,2)] [6..7: w(x,2)] [8..9: w(x,1)]
  )";
  const Verdict verdict = decide(kUnknown, Base::Serializable, Order::Realtime);
  ASSERT_EQ(verdict.outcome(), Outcome::Holds);
  ASSERT_EQ(verdict.commit_order().outcomes.size(), 1u);
  EXPECT_TRUE(verdict.commit_order().outcomes[0].committed);
}

generate::Simulation contended(Level level, std::uint64_t seed) {
  generate::Simulation simulation;
  simulation.level = level;
  simulation.seed = seed;
  simulation.workload.sessions = 6;
  simulation.workload.transactions = 700;
  simulation.workload.keys = 60;
  simulation.workload.max_operations = 5;
  simulation.workload.min_operations = 2;
  return simulation;
}

// What a simulated database guarantees holds, at that level and at all weaker
// ones, and every verdict proves itself; both for histories that are large
// enough to be tried at serializable first.
TEST(StrongLevels, AgreeWithOneAnotherOnHistoriesOfSimulatedDatabases) {
  constexpr std::array kStrong = {Base::Prefix, Base::ParallelSnapshotIsolation,
                                  Base::SnapshotIsolation, Base::Serializable};
  int violations = 0;
  for (const Base made_at : kStrong) {
    const auto history =
        generate::simulate(contended({made_at, Order::Session}, 7));
    ASSERT_TRUE(history);
    std::array<Outcome, kBaseCount> found{};
    for (const Base base : kStrong) {
      const Verdict verdict = decide(*history, base, Order::Session);
      found[static_cast<std::size_t>(base)] = verdict.outcome();
      violations += verdict.outcome() == Outcome::Violated;
      if (implies({made_at, Order::Session}, {base, Order::Session})) {
        EXPECT_EQ(verdict.outcome(), Outcome::Holds) << name(base);
      }
    }
    for (const Base a : kStrong)
      for (const Base b : kStrong)
        if (implies({a, Order::Session}, {b, Order::Session}) &&
            found[static_cast<std::size_t>(a)] == Outcome::Holds) {
          EXPECT_EQ(found[static_cast<std::size_t>(b)], Outcome::Holds);
        }
  }
  EXPECT_GT(violations, 3);
}

TEST(StrongLevels, DecideRepeatedValuesOfSimulatedDatabases) {
  for (const Base base : {Base::Serializable, Base::SnapshotIsolation}) {
    generate::Simulation simulation = contended({base, Order::Realtime}, 3);
    simulation.workload.transactions = 150;
    simulation.workload.keys = 30;
    simulation.workload.distinct_values = 40;
    simulation.workload.unknown_share = 0.05;
    const auto history = generate::simulate(simulation);
    ASSERT_TRUE(history);
    EXPECT_EQ(decide(*history, base, Order::Realtime).outcome(),
              Outcome::Holds);
  }
}

TEST(StrongLevels, GiveTheSameEvidenceEveryTime) {
  const auto history = generate::simulate(
      contended({Base::SnapshotIsolation, Order::Session}, 5));
  ASSERT_TRUE(history);
  const Level level{Base::SnapshotIsolation, Order::Session};
  const Verdict first = check(*history, level, Budget::unlimited());
  const Verdict second = check(*history, level, Budget::unlimited());
  ASSERT_EQ(first.outcome(), Outcome::Holds);
  EXPECT_EQ(first.commit_order().order, second.commit_order().order);
}

TEST(StrongLevels, StopWhenTheBudgetIsSpent) {
  const auto history = generate::simulate(
      contended({Base::SnapshotIsolation, Order::Session}, 5));
  ASSERT_TRUE(history);
  const Budget budget = Budget::unlimited();
  budget.cancel();
  const Facts facts(*history);
  const OrderIndex order(*history, facts, Order::Session);
  const Verdict verdict =
      check_by_search(*history, facts, order,
                      {Base::SnapshotIsolation, Order::Session}, budget);
  EXPECT_EQ(verdict.outcome(), Outcome::Undecided);
}

}  // namespace
}  // namespace txscope::check
