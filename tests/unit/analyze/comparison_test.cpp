// Is the fix right?  What a changed application has of the findings that it
// had.

#include "analyze/comparison.h"

#include <gtest/gtest.h>

#include <string>

#include "analyze/analyze.h"
#include "read/sql/sql.h"

namespace {

using namespace txscope;
using analyze::Analysis;
using analyze::Comparison;
using analyze::Fate;

Analysis plain_analysis(const std::string& text) {
  auto application = sql::read_sql("app.sql", text, false);
  EXPECT_TRUE(application) << (application ? "" : application.error().what);
  if (!application) return {};
  analyze::AnalyzeOptions options;
  options.profile = &profile_of(Product::PostgreSql, Isolation::ReadCommitted);
  auto found =
      analyze::analyze(std::move(*application), options, Budget::unlimited());
  EXPECT_TRUE(found) << (found ? "" : found.error().what);
  return found ? std::move(*found) : Analysis{};
}

std::string account(const std::string& name, const std::string& lock) {
  return "CREATE PROCEDURE " + name +
         "(p int, n int) LANGUAGE plpgsql AS $$ DECLARE b int; BEGIN\n"
         "  SELECT balance INTO b FROM accounts WHERE id = p" +
         lock +
         ";\n  UPDATE accounts SET balance = b + n WHERE id = p;\nEND $$;\n";
}
constexpr const char kTable[] =
    "CREATE TABLE accounts (id int PRIMARY KEY, balance int NOT NULL);\n"
    "INSERT INTO accounts VALUES (1, 100), (2, 100);\n";

Comparison compared(const std::string& before, const std::string& now) {
  return analyze::compare(plain_analysis(kTable + before),
                          plain_analysis(kTable + now));
}

TEST(AnalyzeComparison, ALockThatHelpsRepairs) {
  const Comparison found =
      compared(account("deposit", ""), account("deposit", " FOR UPDATE"));
  ASSERT_EQ(found.fates.size(), 1u);
  EXPECT_TRUE(found.fates[0].fate == Fate::Proved ||
              found.fates[0].fate == Fate::Tried)
      << name(found.fates[0].fate);
  EXPECT_TRUE(found.fresh.empty());
}

// FOR KEY SHARE does not keep others from writing the balance.
TEST(AnalyzeComparison, ALockThatDoesNotHelpLeavesIt) {
  const Comparison found =
      compared(account("deposit", ""), account("deposit", " FOR KEY SHARE"));
  ASSERT_EQ(found.fates.size(), 1u);
  EXPECT_EQ(found.fates[0].fate, Fate::Remains);
  ASSERT_TRUE(found.fates[0].now);
}

// FOR SHARE turns the lost update into a deadlock: both hold it, both upgrade.
TEST(AnalyzeComparison, ADeadlockInsteadIsNew) {
  const Comparison found =
      compared(account("deposit", ""), account("deposit", " FOR SHARE"));
  ASSERT_EQ(found.fates.size(), 1u);
  EXPECT_NE(found.fates[0].fate, Fate::Remains);
  EXPECT_FALSE(found.fresh.empty());
  EXPECT_FALSE(found.costs.empty());
}

TEST(AnalyzeComparison, WhatHasAnotherNameIsNotCalledRepaired) {
  const Comparison found =
      compared(account("deposit", ""), account("pay_in", " FOR UPDATE"));
  ASSERT_EQ(found.fates.size(), 1u);
  EXPECT_EQ(found.fates[0].fate, Fate::Unknown);
  EXPECT_NE(found.fates[0].why.find("deposit x deposit"), std::string::npos);
}

TEST(AnalyzeComparison, NothingToRepairIsNotARepair) {
  const Comparison found = compared(account("deposit", " FOR UPDATE"),
                                    account("deposit", " FOR UPDATE"));
  EXPECT_TRUE(found.fates.empty());
  EXPECT_TRUE(found.fresh.empty());
}

TEST(AnalyzeComparison, WhatIsWorseIsNew) {
  const Comparison found =
      compared(account("deposit", " FOR UPDATE"), account("deposit", ""));
  EXPECT_TRUE(found.fates.empty());
  EXPECT_EQ(found.fresh.size(), 1u);
}

}  // namespace
