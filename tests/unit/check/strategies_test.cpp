// Every verdict names the strategy that decided it.

#include <gtest/gtest.h>

#include <string_view>
#include <vector>

#include "check/check.h"
#include "check/ladder.h"
#include "support/litmus.h"

namespace txscope::check {
namespace {

std::string_view strategy_of(const char* text, Base base) {
  const History history = litmus(text);
  return check(history, {base, Order::Session}, Budget::unlimited()).strategy;
}

TEST(CheckStrategies, AreNamedByTheVerdict) {
  constexpr const char* kSkew =
      "s1: [r(x,0) r(y,0) w(x,1)]\ns2: [r(x,0) r(y,0) w(y,1)]\n";
  EXPECT_EQ(strategy_of(kSkew, Base::ReadUncommitted), "version-orders");
  EXPECT_EQ(strategy_of(kSkew, Base::Causal), "clocks");
  EXPECT_EQ(strategy_of(kSkew, Base::SnapshotIsolation), "search");
  EXPECT_EQ(strategy_of(kSkew, Base::Serializable), "search");
  EXPECT_EQ(strategy_of("s1: [r(x,7)]\n", Base::Serializable), "bad-read");
  EXPECT_EQ(strategy_of("s1: [a(l,1)]\ns2: [r(l,[1])]\n", Base::Serializable),
            "known-versions");
  EXPECT_EQ(strategy_of("s1: [w(x,1)]\ns2: [w(x,1)]\ns3: [r(x,1)]\n",
                        Base::ReadCommitted),
            "founded-reads");
}

TEST(CheckStrategies, AreNamedWhereOneLevelSettlesAnother) {
  const History history = litmus("s1: [w(x,1)]\ns2: [r(x,1)]\n");
  std::vector<Level> levels;
  for (const Base base : all_bases()) levels.push_back({base, Order::Session});
  for (const LadderRow& row :
       check_levels(history, levels, Budget::unlimited()))
    EXPECT_FALSE(row.verdict.strategy.empty()) << describe(row.verdict.level);
}

}  // namespace
}  // namespace txscope::check
