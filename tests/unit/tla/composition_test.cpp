#include <gtest/gtest.h>

#include "support/tla.h"

namespace txscope::test {
namespace {

const std::string kTwoCounters =
    "EXTENDS Naturals, TLC\nVARIABLES x, y\nInit == x = 0 /\\ y = 0\n"
    "Up(n) == x < 3 /\\ x' = x + n /\\ y' = y\n"
    "Note == y' = x /\\ UNCHANGED x\n";

// Up(1) and Up(2) from 0, and Up(1) from 1 and 2, Up(2) from 1 and 2: after
// each step y is x.  Each step passes through one state, which is counted.
TEST(TlaComposition, TakesAStepOfEachOfTwoActions) {
  const auto result = check_spec(
      kTwoCounters +
          "Next == \\E n \\in 1..2 : Up(n) \\cdot Note\nInv == x = y",
      "INIT Init\nNEXT Next\nINVARIANT Inv\nCHECK_DEADLOCK FALSE");
  ASSERT_TRUE(result) << result.error().what;
  EXPECT_EQ(result->outcome, Outcome::Holds);
  EXPECT_EQ(result->distinct, 5u);
  EXPECT_EQ(result->generated, 1 + 2 * 6u);
}

// What the action around says about a variable holds of the whole step, and
// what follows speaks of its first state again.
TEST(TlaComposition, KeepsTheStepAround) {
  const auto result = check_spec(
      kTwoCounters +
          "VARIABLE z\nStart == Init /\\ z = 0\n"
          "Next == z' = x /\\ ((x' = x + 1 /\\ y' = y) \\cdot (x < 3 /\\ Note))"
          " /\\ z' = x /\\ x' = x + 1\nInv == x = y /\\ (x > 0 => z = x - 1)",
      "INIT Start\nNEXT Next\nINVARIANT Inv\nCHECK_DEADLOCK FALSE");
  ASSERT_TRUE(result) << result.error().what;
  EXPECT_EQ(result->outcome, Outcome::Holds);
  EXPECT_EQ(result->distinct, 3u);
}

TEST(TlaComposition, IsTrueOfStepsAndEnabled) {
  const auto result =
      check_spec(kTwoCounters +
                     "Both == Up(1) \\cdot Note\nNext == Both\n"
                     "Sp == Init /\\ [][Next]_<<x, y>> /\\ WF_<<x, y>>(Both)\n"
                     "Steps == [][Both]_<<x, y>>\nEnds == <>(x = 3)\n"
                     "Inv == ENABLED Both <=> x < 3",
                 "SPECIFICATION Sp\nINVARIANT Inv\nPROPERTY Steps Ends\n"
                 "CHECK_DEADLOCK FALSE");
  ASSERT_TRUE(result) << result.error().what;
  EXPECT_EQ(result->outcome, Outcome::Holds) << result->property;
}

// A parameter that stands for a variable is read in the state between.
TEST(TlaComposition, ReadsParametersInTheStateBetween) {
  const auto result = check_spec(
      kTwoCounters +
          "Then(v) == Up(1) \\cdot (y' = v /\\ UNCHANGED x)\nNext == Then(x)\n"
          "Inv == x = y",
      "INIT Init\nNEXT Next\nINVARIANT Inv\nCHECK_DEADLOCK FALSE");
  ASSERT_TRUE(result) << result.error().what;
  EXPECT_EQ(result->outcome, Outcome::Holds);
  EXPECT_EQ(result->distinct, 4u);
}

}  // namespace
}  // namespace txscope::test
