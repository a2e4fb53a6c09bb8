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
  const Budget most = hour.at_most(milliseconds(1));
  std::this_thread::sleep_for(milliseconds(5));
  EXPECT_TRUE(part.spent_now());
  EXPECT_TRUE(most.spent_now());
  EXPECT_FALSE(hour.spent_now());
  EXPECT_FALSE(hour.share(1).spent_now());
}

TEST(Budget, OfNoLimitAndOfNothingThePartsAreTheSame) {
  EXPECT_FALSE(Budget::unlimited().share(1000).spent_now());
  const Budget over = of_time(milliseconds(1));
  std::this_thread::sleep_for(milliseconds(5));
  EXPECT_TRUE(over.share(2).spent_now());
}

}  // namespace
