// Rules that nobody has written down: what the code suggests, and that they
// hold in every serial order where they are told.

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "unit/analyze/analysis_of.h"

namespace {

using namespace txscope;
using analyze::Analysis;
using Names = std::set<std::string>;

using test::analysis_of;

Names suggested(const Analysis& found) {
  return Names(found.suggested.begin(), found.suggested.end());
}
/// Those that some finding breaks.
Names broken(const Analysis& found) {
  Names names;
  for (const auto& finding : found.findings)
    names.insert(finding.suggested.begin(), finding.suggested.end());
  return names;
}

std::string procedure(const std::string& name, const std::string& body) {
  return "CREATE PROCEDURE " + name + " LANGUAGE plpgsql AS $$ " + body +
         " $$;\n";
}

const std::string kItems =
    "CREATE TABLE item (id int PRIMARY KEY, stock int NOT NULL);\n"
    "INSERT INTO item VALUES (1, 3), (2, 1);\n";
const std::string kGuarded =
    "DECLARE v int; BEGIN SELECT stock INTO v FROM item WHERE id = p; "
    "IF v >= n THEN UPDATE item SET stock = stock - n WHERE id = p; END IF; "
    "END";

TEST(SuggestedRules, WhatIsTakenFromStaysAboveZero) {
  const Analysis found =
      analysis_of(kItems + procedure("take(p int, n int)", kGuarded),
                  "postgresql:read-committed");
  EXPECT_EQ(suggested(found), Names{"item.stock >= 0"});
  EXPECT_EQ(broken(found), Names{"item.stock >= 0"});
}

// By way of variables, as in `v := v - n; UPDATE .. SET stock = v`; it cannot
// go below zero here, though the update is lost.
TEST(SuggestedRules, VariablesAreFollowed) {
  const Analysis found = analysis_of(
      kItems + procedure("take(p int, n int)",
                         "DECLARE v int; BEGIN SELECT stock INTO v FROM item "
                         "WHERE id = p; IF v < n THEN RETURN; END IF; "
                         "v := v - n; UPDATE item SET stock = v WHERE id = p; "
                         "END"),
      "postgresql:read-committed");
  EXPECT_EQ(suggested(found), Names{"item.stock >= 0"});
  EXPECT_TRUE(broken(found).empty());
  EXPECT_FALSE(found.findings.empty());
}

// What one call alone can break is no rule that a race breaks.
TEST(SuggestedRules, WhatASerialOrderBreaksIsNotTold) {
  const Analysis found = analysis_of(
      kItems +
          procedure("take(p int, n int)",
                    "DECLARE v int; BEGIN SELECT stock INTO v FROM item WHERE "
                    "id = p; UPDATE item SET stock = v - n - 9 WHERE id = p; "
                    "END"),
      "postgresql:read-committed");
  EXPECT_TRUE(broken(found).empty());
  EXPECT_FALSE(found.findings.empty());
}

const std::string kCoupons =
    "CREATE TABLE coupon (code text PRIMARY KEY, used int NOT NULL, most int "
    "NOT NULL);\n"
    "INSERT INTO coupon VALUES ('A', 0, 1);\n"
    "CREATE TABLE redemption (coupon text, customer int);\n";

TEST(SuggestedRules, AColumnStaysWithinTheOneItIsComparedWith) {
  const Analysis found = analysis_of(
      kCoupons +
          procedure("use(c text)",
                    "DECLARE v int; m int; BEGIN SELECT used, most INTO v, m "
                    "FROM coupon WHERE code = c; IF v < m THEN UPDATE coupon "
                    "SET used = used + 1 WHERE code = c; END IF; END"),
      "postgresql:read-committed");
  EXPECT_EQ(broken(found), Names{"coupon.used <= coupon.most"});
}

TEST(SuggestedRules, RowsThatAreCountedStayWithinTheLimitOfTheirParent) {
  const Analysis found = analysis_of(
      kCoupons + procedure("redeem(c text, who int)",
                           "DECLARE v int; m int; BEGIN SELECT most INTO m "
                           "FROM coupon WHERE code = c; SELECT count(*) INTO v "
                           "FROM redemption WHERE coupon = c; IF v >= m THEN "
                           "RAISE EXCEPTION 'no'; END IF; INSERT INTO "
                           "redemption VALUES (c, who); END"),
      "postgresql:repeatable-read");
  EXPECT_EQ(broken(found),
            Names{"rows of redemption per coupon <= coupon.most"});
}

TEST(SuggestedRules, RowsThatAreCountedStayWithinAConstant) {
  const Analysis found = analysis_of(
      kCoupons + procedure("redeem(c text, who int)",
                           "BEGIN IF (SELECT count(*) FROM redemption WHERE "
                           "coupon = c) < 2 THEN INSERT INTO redemption VALUES "
                           "(c, who); END IF; END"),
      "postgresql:repeatable-read");
  EXPECT_EQ(broken(found), Names{"at most 2 rows of redemption per coupon"});
}

TEST(SuggestedRules, RowsThatAreLookedForBeforeAreOnePerValues) {
  const std::string once = procedure(
      "once(c text, who int)",
      "BEGIN IF NOT EXISTS (SELECT 1 FROM redemption WHERE coupon = c AND "
      "customer = who) THEN INSERT INTO redemption VALUES (c, who); END IF; "
      "END");
  const Names rule = {"one row of redemption per coupon, customer"};
  EXPECT_EQ(broken(analysis_of(kCoupons + once, "postgresql:repeatable-read")),
            rule);
  // Declared, it needs no guess.
  EXPECT_TRUE(suggested(analysis_of(kCoupons +
                                        "ALTER TABLE redemption ADD "
                                        "UNIQUE (coupon, customer);\n" +
                                        once,
                                    "postgresql:repeatable-read"))
                  .empty());
}

TEST(SuggestedRules, WhatGoesFromOneRowToAnotherHasOneSum) {
  const Analysis found = analysis_of(
      kItems +
          procedure("move(a int, b int, n int)",
                    "DECLARE x int; BEGIN SELECT stock INTO x FROM item WHERE "
                    "id = a; UPDATE item SET stock = x - n WHERE id = a; "
                    "UPDATE item SET stock = stock + n WHERE id = b; END"),
      "postgresql:read-committed");
  EXPECT_TRUE(broken(found).contains("sum of item.stock = 4"));
}

// A guess makes no answer red: the same findings with and without it.
TEST(SuggestedRules, AreNoRulesOfTheFile) {
  const Analysis found =
      analysis_of(kItems + procedure("take(p int, n int)", kGuarded),
                  "postgresql:repeatable-read");
  EXPECT_EQ(found.rules, 0u);
  EXPECT_EQ(suggested(found), Names{"item.stock >= 0"});
  EXPECT_TRUE(std::none_of(found.findings.begin(), found.findings.end(),
                           [](const auto& finding) {
                             return finding.kind == analyze::FindingKind::Race;
                           }));
}

// The rows that the setup leaves have two of them.
TEST(SuggestedRules, WhatIsBrokenFromTheStartIsNone) {
  const Analysis found = analysis_of(
      "CREATE TABLE item (id int PRIMARY KEY, stock int NOT NULL);\n"
      "INSERT INTO item VALUES (1, 3), (2, -1);\n" +
          procedure("take(p int, n int)", kGuarded),
      "postgresql:read-committed");
  EXPECT_TRUE(suggested(found).empty());
}

}  // namespace
