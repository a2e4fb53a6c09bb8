// Histories in which values repeat, so that nobody knows who wrote what was
// read.

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "certify/certify.h"
#include "check/anomaly/anomaly.h"
#include "check/check.h"
#include "check/facts/facts.h"
#include "check/strong/serial/serial_clock.h"
#include "check/strong/serial/serial_run.h"
#include "check/strong/serial/serial_script.h"
#include "check/weak/order.h"
#include "generate/simulate.h"
#include "support/litmus.h"

namespace txscope::check {
namespace {

Verdict judge(const History& history, Base base, Order order = Order::Session) {
  const Verdict verdict = check(history, {base, order}, Budget::unlimited());
  const certify::Certificate certificate = certify::certify(history, verdict);
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
    generate::Simulation simulation;
    simulation.level = {base, Order::Session};
    simulation.workload.transactions = 10000;
    simulation.seed = 1;
    simulation.workload.keys = 1000;
    simulation.workload.distinct_values = 10;
    const auto history = generate::simulate(simulation);
    ASSERT_TRUE(history);
    const Facts facts(*history);
    ASSERT_TRUE(facts.is_open());
    const OrderIndex order(*history, facts, Order::Session);
    const auto run =
        find_serial_run(*history, facts, order, base == Base::SnapshotIsolation,
                        Budget::unlimited());
    ASSERT_TRUE(run) << name(base);
    const certify::Certificate certificate =
        certify::certify(*history, Verdict{simulation.level, *run});
    EXPECT_TRUE(certificate) << certificate.why_not;
  }
}

History without_times(std::uint32_t transactions, std::uint64_t seed) {
  generate::Simulation simulation;
  simulation.level = {Base::Serializable, Order::Session};
  simulation.workload.transactions = transactions;
  simulation.seed = seed;
  simulation.workload.keys = 1000;
  simulation.workload.distinct_values = 10;
  simulation.has_times = false;
  auto history = generate::simulate(simulation);
  return std::move(*history);
}

// How many reads see what they saw if all run one after the other.
double share_right(const SerialScript& script,
                   const std::vector<double>& times) {
  std::vector<std::size_t> order(times.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return times[a] < times[b]; });
  std::vector<std::uint32_t> items = script.initial;
  double right = 0;
  double all = 0;
  for (const std::size_t m : order) {
    const auto accesses =
        std::span(script.accesses)
            .subspan(script.members[m].first,
                     script.members[m].last - script.members[m].first);
    for (const auto& a : accesses) {
      all += a.reads;
      right += a.reads && items[a.key.index] == a.read_item;
    }
    for (const auto& a : accesses)
      if (a.writes) items[a.key.index] = a.write_item;
  }
  return right / all;
}

// The sessions' own order is all that is given; nearly all of the rest follows
// from who saw what.
TEST(RepeatedValues, TimesThatNobodyWroteDownAreGuessed) {
  const History history = without_times(1000, 1);
  const Facts facts(history);
  const OrderIndex order(history, facts, Order::Session);
  SerialScript script;
  ASSERT_TRUE(script.collect(history, facts, order, Budget::unlimited()));
  std::vector<double> even;
  for (const auto& m : script.members)
    even.push_back((m.number + 0.5) / script.session_size(m.session));
  const GuessedTimes guess = guess_times(script, Budget::unlimited());
  const std::vector<double>& times = guess.times;
  ASSERT_EQ(times.size(), script.members.size());
  for (std::size_t m = 1; m < times.size(); ++m) {
    const bool is_first =
        script.members[m].session != script.members[m - 1].session;
    EXPECT_TRUE(is_first || times[m - 1] < times[m]);
  }
  EXPECT_LT(share_right(script, even), 0.9);
  EXPECT_EQ(share_right(script, times), 1);
  EXPECT_EQ(guess.wrong_reads, 0u);
}

TEST(RepeatedValues, AHistoryWithoutTimesIsDecided) {
  for (const std::uint64_t seed : {1, 2})
    EXPECT_EQ(judge(without_times(1000, seed), Base::Serializable).outcome(),
              Outcome::Holds);
}

// In most of these two blind writes of different sessions stand between a value
// and its reader at first, and neither gains by moving alone.
TEST(RepeatedValues, ALongHistoryWithoutTimesIsDecided) {
  EXPECT_EQ(judge(without_times(4000, 1), Base::Serializable).outcome(),
            Outcome::Holds);
  EXPECT_EQ(judge(without_times(3000, 2), Base::SnapshotIsolation).outcome(),
            Outcome::Holds);
}

// Two that each read what the other overwrites: only snapshots explain it.
// Every read has a dozen writers to choose from, and all of them take part in
// the first proof; a few reads are enough.
TEST(RepeatedValues, ABrokenDenseHistoryIsRefutedByAFewOfItsReads) {
  for (const std::uint64_t seed : {0, 1, 2, 3}) {
    generate::Simulation s;
    s.level = {Base::ReadCommitted, Order::Session};
    s.has_times = false;
    s.seed = seed;
    s.workload.sessions = 5;
    s.workload.transactions = 40;
    s.workload.keys = 3;
    s.workload.min_operations = s.workload.max_operations = 4;
    s.workload.distinct_values = 3;
    s.workload.unknown_share = 0.1;
    const auto history = generate::simulate(s);
    ASSERT_TRUE(history);
    for (const Base base : {Base::Causal, Base::Serializable}) {
      const Verdict verdict = judge(*history, base);
      ASSERT_EQ(verdict.outcome(), Outcome::Violated);
      EXPECT_LT(verdict.refutation().cases.size(), 2000u);
    }
  }
}

// The tree of cases of these is larger than anybody waits for, the proof that
// the search has found is not.
TEST(RepeatedValues, WhatNeedsManyCasesIsRefutedByLemmas) {
  for (const std::uint64_t seed : {1, 2}) {
    generate::Simulation s;
    s.level = {Base::ReadCommitted, Order::Session};
    s.has_times = false;
    s.seed = seed;
    s.workload.sessions = 5;
    s.workload.transactions = 60;
    s.workload.keys = 3;
    s.workload.min_operations = s.workload.max_operations = 4;
    s.workload.distinct_values = 3;
    s.workload.unknown_share = 0.1;
    const auto history = generate::simulate(s);
    ASSERT_TRUE(history);
    const Verdict verdict = judge(*history, Base::Serializable);
    ASSERT_EQ(verdict.outcome(), Outcome::Violated);
    ASSERT_FALSE(verdict.refutation().lemmas.empty());
    EXPECT_TRUE(verdict.refutation().lemmas.back().empty());
    EXPECT_LT(verdict.refutation().cases.size(), 1000u);
    EXPECT_LT(verdict.refutation().lemmas.size(), 1000u);
  }
}

TEST(RepeatedValues, WriteSkewIsARunOfSnapshots) {
  const History history = litmus(
      "a: [w(x,1)] [w(x,1)] [r(x,1) r(y,1) w(x,2)]\n"
      "b: [w(y,1)] [r(x,1) r(y,1) w(y,2)]\n");
  EXPECT_EQ(judge(history, Base::SnapshotIsolation).outcome(), Outcome::Holds);
  EXPECT_EQ(judge(history, Base::Serializable).outcome(), Outcome::Violated);
}

}  // namespace
}  // namespace txscope::check
