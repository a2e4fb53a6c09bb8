// What of a rule a server is asked to show why the rule is not true.

#include "race/outcome/condition_shape.h"

#include <gtest/gtest.h>

#include "race/outcome/rules.h"

namespace txscope::race {
namespace {

using Kind = ConditionShape::Kind;
using Parts = std::vector<std::string>;

TEST(ConditionShape, AComparisonHasTwoSides) {
  const auto shape = shape_of(" (SELECT count(*) FROM a WHERE n < 2) <= 3 ;");
  ASSERT_TRUE(shape);
  EXPECT_EQ(shape->kind, Kind::Comparison);
  EXPECT_EQ(shape->parts, (Parts{"(SELECT count(*) FROM a WHERE n < 2)", "3"}));
  EXPECT_EQ(shape->sign, "<=");
}

TEST(ConditionShape, AMinusBelongsToTheNumberBehindIt) {
  const auto shape = shape_of("(SELECT n FROM a)>=-1 + 2");
  ASSERT_TRUE(shape);
  EXPECT_EQ(shape->sign, ">=");
  EXPECT_EQ(shape->parts, (Parts{"(SELECT n FROM a)", "-1 + 2"}));
}

TEST(ConditionShape, SignsInQuotesAndBracketsDoNotCount) {
  const auto shape = shape_of("f('it''s <= AND', \"a<b\") = 'x OR y'");
  ASSERT_TRUE(shape);
  EXPECT_EQ(shape->parts, (Parts{"f('it''s <= AND', \"a<b\")", "'x OR y'"}));
  EXPECT_EQ(shape->sign, "=");
}

TEST(ConditionShape, RowsThatMustNotBeThereAreAQuestion) {
  const auto shape = shape_of("not exists (SELECT 1 FROM a WHERE n < 0)");
  ASSERT_TRUE(shape);
  EXPECT_EQ(shape->kind, Kind::NoRow);
  EXPECT_EQ(shape->parts, Parts{"SELECT 1 FROM a WHERE n < 0"});
  EXPECT_EQ(shape_of("(EXISTS (SELECT 1 FROM a))")->kind, Kind::SomeRow);
}

TEST(ConditionShape, AConjunctionHasParts) {
  const auto shape = shape_of("((SELECT a FROM t) = 1 AND (b) > 2 AND c)");
  ASSERT_TRUE(shape);
  EXPECT_EQ(shape->kind, Kind::All);
  EXPECT_EQ(shape->parts, (Parts{"(SELECT a FROM t) = 1", "(b) > 2", "c"}));
}

TEST(ConditionShape, WhatIsNotCertainIsNotGuessed) {
  for (const char* unclear : {"a = 1 OR b = 2",
                              "a = b IS TRUE",
                              "a BETWEEN 1 AND 2",
                              "a IN (1)",
                              "NOT a = 1",
                              "CASE WHEN a = 1 THEN b END",
                              "a = ANY (ARRAY[1])",
                              "a = 1 = b",
                              "(a) = (b",
                              "a = 1 -- b",
                              "a = $$x$$",
                              "a @> b",
                              "a || b = c",
                              "EXISTS (SELECT 1) = true",
                              "SELECT 1 = 2",
                              "a = 'x\\'",
                              "a LIKE 'b'",
                              "a = 'open",
                              "= 1",
                              "",
                              "flag"})
    EXPECT_FALSE(shape_of(unclear)) << unclear;
}

TEST(ConditionShape, OnlyAComparisonIsFalse) {
  EXPECT_EQ((BrokenRule{"false", "4 <= 3"}.sentence()), "4 <= 3 is false");
  EXPECT_EQ((BrokenRule{"NULL", "NULL <= 3"}.sentence()), "NULL <= 3 is NULL");
  EXPECT_EQ((BrokenRule{"false", "there is (7)"}.sentence()), "there is (7)");
  EXPECT_EQ((BrokenRule{"false", ""}.sentence()), "");
}

}  // namespace
}  // namespace txscope::race
