#include "check/anomaly/all_anomalies.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "certify/certify.h"
#include "check/ladder.h"
#include "support/fuzz.h"
#include "support/litmus.h"
#include "support/random_history.h"

namespace txscope::check {
namespace {

std::vector<Level> ladder() {
  std::vector<Level> levels;
  for (const Base base : all_bases()) levels.push_back({base, Order::Session});
  return levels;
}

/// "2 x aborted read at read-committed".
std::vector<std::string> anomalies(std::string_view text) {
  const History history = litmus(text);
  const auto levels = ladder();
  const AllAnomalies all =
      find_all_anomalies(history, levels, Budget::unlimited());
  EXPECT_EQ(all.counted_until, std::nullopt);
  std::vector<std::string> lines;
  for (const AnomalyKind& kind : all.kinds) {
    EXPECT_TRUE(certify::certify(history, {kind.level, kind.smallest}));
    lines.push_back(std::to_string(kind.count) + " x " + kind.anomaly.words +
                    " at " + std::string(name(kind.level.base)));
  }
  return lines;
}

using Lines = std::vector<std::string>;

TEST(AllAnomalies, NamesEachKindAtTheWeakestLevelThatForbidsIt) {
  EXPECT_EQ(
      anomalies("a: [w(d,1)]!\n"
                "b: [r(d,1)] [r(d,1)]\n"  // two dirty reads
                "c: [r(e,0) w(e,1)] [r(f,0) w(f,1)]\n"
                "d: [r(e,0) w(e,2)] [r(f,0) w(f,2)]\n"  // two lost updates
                "e: [r(g,0) w(h,1)]\n"
                "f: [r(h,0) w(g,1)]\n"),  // a write skew
      (Lines{"2 x aborted read at read-committed",
             "2 x lost update at parallel-snapshot-isolation",
             "1 x write skew at serializable"}));
}

TEST(AllAnomalies, AreNoneWhereTheHistoryIsSerial) {
  EXPECT_EQ(anomalies("a: [w(x,1)] [r(x,1)]"), Lines{});
}

// The order of a list's appends is known from a read that is in no edge.
TEST(AllAnomalies, EndWhereOnlyTheOrderOfAListIsWrong) {
  const Lines found = anomalies(
      "a: [a(l,1) a(m,2)]\nb: [a(l,2) a(m,1)]\n"
      "c: [r(l,[1 2])]\nd: [r(m,[1 2])]\n");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0], "1 x dirty write at read-uncommitted");
}

TEST(AllAnomalies, SayWhereTheBudgetEndedTheCount) {
  const History history = litmus("a: [w(x,1)]!\nb: [r(x,1)]");
  const Budget nothing(Budget::Limits{std::chrono::milliseconds(0), {}});
  const auto levels = ladder();
  const AllAnomalies all = find_all_anomalies(history, levels, nothing);
  EXPECT_EQ(all.counted_until, levels.front());
}

// Whatever is wrong: there is an anomaly at a level exactly if it is violated
// and no weaker one explains it, and each instance refutes the whole history.
TEST(AllAnomalies, AgreeWithTheLadder) {
  Random random(fuzz_seed(14));
  const auto levels = ladder();
  for (int round = 0; round < fuzz_rounds(1500); ++round) {
    const History history = random_small_history(random).build();
    const auto rows = check_levels(history, levels, Budget::unlimited());
    const AllAnomalies all =
        find_all_anomalies(history, levels, Budget::unlimited());
    ASSERT_EQ(all.counted_until, std::nullopt);
    for (const AnomalyKind& kind : all.kinds) {
      EXPECT_GT(kind.count, 0u);
      ASSERT_TRUE(certify::certify(history, {kind.level, kind.smallest}))
          << kind.anomaly.id << "\n"
          << to_litmus(history);
    }
    for (const LadderRow& row : rows) {
      const Level level = row.verdict.level;
      const bool is_told = std::any_of(
          all.kinds.begin(), all.kinds.end(),
          [&](const AnomalyKind& k) { return implies(level, k.level); });
      ASSERT_EQ(is_told, row.verdict.outcome() == Outcome::Violated)
          << describe(level) << "\n"
          << to_litmus(history);
    }
  }
}

}  // namespace
}  // namespace txscope::check
