// Histories in which values repeat, so that nobody knows who wrote what was
// read.

#include <gtest/gtest.h>

#include "certify/certify.h"
#include "check/anomaly.h"
#include "check/check.h"
#include "check/facts.h"
#include "check/order.h"
#include "check/strong/serial_run.h"
#include "generate/simulate.h"
#include "support/litmus.h"

namespace txscope {
namespace {

Verdict judge(const History& history, Base base, Order order = Order::Session) {
  const Verdict verdict = check(history, {base, order}, Budget::unlimited());
  const Certificate certificate = certify(history, verdict);
  EXPECT_TRUE(certificate) << certificate.why_not;
  return verdict;
}

// Everybody read the value that only the others wrote: nobody was first.  By
// cases that are as many as there are ways to choose the writers.
TEST(RepeatedValues, ManyThatReadOnlyFromEachOtherAreRefutedAtOnce) {
  std::string text;
  for (int i = 0; i < 60; ++i)
    text += "s" + std::to_string(i) + ": [r(x,1) w(x,1)]\n";
  const History history = litmus(text);
  for (const Base base : all_bases()) {
    if (base == Base::ReadUncommitted) continue;
    const Verdict verdict = judge(history, base);
    ASSERT_EQ(verdict.outcome(), Outcome::Violated);
    EXPECT_EQ(verdict.refutation().cases.size(), 1u);
    EXPECT_EQ(anomaly_of(history, verdict.level, verdict.refutation()).id,
              "G1c");
  }
}

TEST(RepeatedValues, OneFirstWriterExplainsThemAll) {
  std::string text = "z: [w(x,1)]\n";
  for (int i = 0; i < 60; ++i)
    text += "s" + std::to_string(i) + ": [r(x,1) w(x,1)]\n";
  for (const Base base : all_bases())
    EXPECT_EQ(judge(litmus(text), base).outcome(), Outcome::Holds);
}

// The first writer comes after one of its readers.
TEST(RepeatedValues, TheOrderOfASessionMayLeaveNobodyFirst) {
  const History history = litmus("a: [r(x,1)] [w(x,1)]\nb: [r(x,1) w(x,1)]\n");
  const Verdict verdict = judge(history, Base::ReadCommitted);
  ASSERT_EQ(verdict.outcome(), Outcome::Violated);
  EXPECT_EQ(anomaly_of(history, verdict.level, verdict.refutation()).id,
            "G1c-session");
  EXPECT_EQ(judge(history, Base::ReadCommitted, Order::None).outcome(),
            Outcome::Holds);
}

// What a database in memory did is found again by running it.
TEST(RepeatedValues, ALargeHistoryWithTimesIsRunAgain) {
  for (const Base base : {Base::Serializable, Base::SnapshotIsolation}) {
    Simulation simulation;
    simulation.level = {base, Order::Session};
    simulation.workload.transactions = 10000;
    simulation.seed = 1;
    simulation.workload.keys = 1000;
    simulation.workload.distinct_values = 10;
    const auto history = simulate(simulation);
    ASSERT_TRUE(history);
    const Facts facts(*history);
    ASSERT_TRUE(facts.is_open());
    const OrderIndex order(*history, facts, Order::Session);
    const auto run =
        find_serial_run(*history, facts, order, base == Base::SnapshotIsolation,
                        Budget::unlimited());
    ASSERT_TRUE(run) << name(base);
    const Certificate certificate =
        certify(*history, Verdict{simulation.level, *run});
    EXPECT_TRUE(certificate) << certificate.why_not;
  }
}

// Two that each read what the other overwrites: only snapshots explain it.
TEST(RepeatedValues, WriteSkewIsARunOfSnapshots) {
  const History history = litmus(
      "a: [w(x,1)] [w(x,1)] [r(x,1) r(y,1) w(x,2)]\n"
      "b: [w(y,1)] [r(x,1) r(y,1) w(y,2)]\n");
  EXPECT_EQ(judge(history, Base::SnapshotIsolation).outcome(), Outcome::Holds);
  EXPECT_EQ(judge(history, Base::Serializable).outcome(), Outcome::Violated);
}

}  // namespace
}  // namespace txscope
