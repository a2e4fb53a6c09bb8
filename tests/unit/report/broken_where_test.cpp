// Which rules break where, in one sentence that comes first.
#include "report/broken_where.h"

#include <gtest/gtest.h>

namespace txscope::report {
namespace {

constexpr Outcome kBad = Outcome::Violated;
constexpr Outcome kGood = Outcome::Holds;

TEST(BrokenWhere, EveryRuleIsToldWithItsOwnLevels) {
  EXPECT_EQ(broken_where({{"a", "weak", kBad, false},
                          {"b", "weak", kBad, false},
                          {"a", "strong", kGood, false},
                          {"b", "strong", kBad, false}}),
            "a breaks at weak; b breaks at all 2 levels");
}

TEST(BrokenWhere, RulesThatBreakAtTheSameLevelsAreToldTogether) {
  EXPECT_EQ(broken_where({{"a", "one", kBad, false},
                          {"b", "one", kGood, false},
                          {"c", "one", kBad, false},
                          {"a", "two", kGood, false},
                          {"b", "two", kGood, false},
                          {"c", "two", kGood, false}}),
            "a and c break at one");
}

TEST(BrokenWhere, ManyLevelsAreCounted) {
  std::vector<RuleAtLevel> answers;
  for (const char* level : {"1", "2", "3", "4"})
    answers.push_back({"a", level, kBad, false});
  answers.push_back({"a", "5", kGood, false});
  EXPECT_EQ(broken_where(answers), "a breaks at 4 of 5 levels");
}

TEST(VerdictLine, IsNeverGreenerThanItsWorstPart) {
  EXPECT_EQ(verdict_line({{"a", "x", kGood, false}}), "holds");
  EXPECT_EQ(verdict_line({{"a", "x", kGood, false}, {"b", "x", kGood, false}}),
            "holds: all 2 questions");
  EXPECT_EQ(verdict_line({{"a", "x", kGood, true}, {"b", "x", kGood, false}}),
            "VACUOUS: nothing was checked for 1 of 2 questions");
  EXPECT_EQ(verdict_line({{"a", "x", kGood, true},
                          {"b", "x", Outcome::Undecided, false}}),
            "undecided: 1 of 2 questions");
  EXPECT_EQ(verdict_line({{"a", "x", kBad, false},
                          {"b", "x", Outcome::Undecided, false}}),
            "VIOLATED: a breaks at x");
  EXPECT_EQ(verdict_line({}), "nothing was asked");
}

}  // namespace
}  // namespace txscope::report
