#include "base/budget.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace {

using namespace txscope;
using std::chrono::milliseconds;

Budget of_time(milliseconds time) {
  Budget::Limits limits;
  limits.time = time;
  return Budget(limits);
}

TEST(Budget, PartsOfItEndEarlierAndLeaveTheRest) {
  const Budget hour = of_time(std::chrono::hours(1));
  const Budget part = hour.share(3'600'000);  // a millisecond
  std::this_thread::sleep_for(milliseconds(5));
  EXPECT_TRUE(part.spent_now());
  EXPECT_FALSE(hour.spent_now());
  EXPECT_FALSE(hour.share(1).spent_now());
}

/// How often it may be asked.
std::uint64_t steps_of(const Budget& budget) {
  std::uint64_t steps = 0;
  while (!budget.spent() && steps < 1'000'000) ++steps;
  return steps;
}

TEST(Budget, StepsAreTheSameOnEveryMachine) {
  const Budget all = Budget::unlimited();
  const Budget part = all.at_most(10'000);
  EXPECT_EQ(steps_of(part), steps_of(all.at_most(10'000)));
  EXPECT_GE(steps_of(all.at_most(10'000)), 9'999u);
  EXPECT_LT(steps_of(all.at_most(10'000)), 10'000u + 256);
  EXPECT_EQ(part.reason(), Spent::Steps);
  EXPECT_FALSE(all.spent_now());
  EXPECT_TRUE(all.at_most(0).spent_now());
}

TEST(Budget, ACopyHasTheStepsThatAreLeft) {
  const Budget part = Budget::unlimited().at_most(10'000);
  for (int i = 0; i < 9'000; ++i) EXPECT_FALSE(part.spent());
  EXPECT_LT(steps_of(part.at_most(100'000)), 1'000u + 256);
  EXPECT_LT(steps_of(part.share(2)), 500u + 256);
  EXPECT_EQ(part.at_most(100).steps_left(), 100u);
}

TEST(Budget, APartThatWasUsedCanBeCharged) {
  const Budget all = Budget::unlimited().at_most(10'000);
  const Budget part = all.at_most(4'000);
  EXPECT_GE(steps_of(part), 3'999u);
  EXPECT_EQ(all.steps_left(), 10'000u);
  all.charge(part);
  EXPECT_LE(all.steps_left(), 6'000u);
}

TEST(Budget, LookingIsNoStep) {
  const Budget part = Budget::unlimited().at_most(1'000);
  for (int i = 0; i < 10'000; ++i) EXPECT_FALSE(part.spent_now());
}

TEST(Budget, IsSpentByAskingForMoreMemoryThanIsLeft) {
  constexpr std::uint64_t kMegabyte = 1u << 20u;
  EXPECT_TRUE(Budget::unlimited().has_room(~std::uint64_t{0}));
  Budget::Limits limits;
  limits.memory_bytes = resident_memory() + 100 * kMegabyte;
  const Budget budget(limits);
  EXPECT_TRUE(budget.has_room(50 * kMegabyte));
  EXPECT_FALSE(budget.spent_now());
  EXPECT_FALSE(budget.has_room(150 * kMegabyte));
  EXPECT_EQ(budget.reason(), Spent::Memory);
  EXPECT_FALSE(budget.has_room(0));
}

TEST(Budget, OfNoLimitAndOfNothingThePartsAreTheSame) {
  EXPECT_FALSE(Budget::unlimited().share(1000).spent_now());
  const Budget over = of_time(milliseconds(1));
  std::this_thread::sleep_for(milliseconds(5));
  EXPECT_TRUE(over.share(2).spent_now());
}

}  // namespace
