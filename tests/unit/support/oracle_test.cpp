#include "support/oracle.h"

#include <gtest/gtest.h>

#include <array>

#include "support/litmus.h"
#include "support/random_history.h"

namespace txscope {
namespace {

TEST(Oracle, StrongerLevelsAllowFewerHistories) {
  Random random(1);
  for (int round = 0; round < 1000; ++round) {
    const History history = random_small_history(random).build();
    const OracleAnswers answers = oracle(history);
    for (const Base strong : all_bases())
      for (const Base weak : all_bases())
        for (const Order strict : kOrders)
          for (const Order lax : kOrders) {
            const Level stronger{strong, strict};
            const Level weaker{weak, lax};
            if (!implies(stronger, weaker)) continue;
            ASSERT_TRUE(!answers.allows(stronger) || answers.allows(weaker))
                << describe(stronger) << ", not " << describe(weaker) << "\n"
                << to_litmus(history);
          }
  }
}

TEST(Oracle, TheLeastVisibilityDecidesParallelSnapshotIsolation) {
  Random random(2);
  int allowed = 0;
  int forbidden = 0;
  for (int round = 0; round < 600; ++round) {
    HistoryShape shape = random_shape(random);
    shape.max_txns = 4;
    const auto base = static_cast<Base>(random.below(kBaseCount));
    const Order order = kOrders[random.below(kOrderCount)];
    const History history =
        simulated_history(shape, {base, order}, random).build();
    if (oracle_cost(history) > 200) continue;
    const Level psi{Base::ParallelSnapshotIsolation, order};
    const bool allows = oracle_allows(history, psi);
    ++(allows ? allowed : forbidden);
    ASSERT_EQ(allows, oracle_allows_psi_by_all_visibilities(history, order))
        << to_litmus(history);
  }
  EXPECT_GT(allowed, 50);
  EXPECT_GT(forbidden, 50);
}

}  // namespace
}  // namespace txscope
