// The search for changes that help, with an answer that the test gives.

#include "repair/search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "read/sql/sql.h"

namespace txscope::repair {
namespace {

constexpr const char* kText =
    "CREATE TABLE t (id int PRIMARY KEY, n int NOT NULL, m int NOT NULL);\n"
    "INSERT INTO t VALUES (1, 1, 1);\n"
    "CREATE PROCEDURE p(a int) LANGUAGE plpgsql AS $$\n"
    "DECLARE v int; w int; x int;\n"
    "BEGIN\n"
    "  SELECT n INTO v FROM t WHERE id = a;\n"
    "  SELECT m INTO w FROM t WHERE id = a;\n"
    "  SELECT id INTO x FROM t WHERE n = a;\n"
    "  DELETE FROM t WHERE id = v + w + x;\n"
    "END $$;\n";

class RepairSearch : public testing::Test {
 protected:
  RepairSearch() : application_(*sql::read_sql("t.sql", kText, false)) {
    problem_ =
        problem_of(application_, *parse_profile("postgresql:read-committed"));
    limits_.kinds = {"lock"};
  }

  /// Locks at lines of the text, as the search asks about them.
  static std::set<std::uint32_t> lines(const Change& change) {
    std::set<std::uint32_t> all;
    for (const Repair::Lock& lock : change.locks) all.insert(lock.select.line);
    return all;
  }
  std::vector<Repair> found(
      const std::function<bool(const std::set<std::uint32_t>&)>& helps) {
    tries_ = 0;
    return find_repairs(
        problem_,
        [&](const Change& change, const std::string& text) {
          ++tries_;
          EXPECT_NE(text, kText);
          Trial trial;
          trial.helps = helps(lines(change));
          return std::optional(trial);
        },
        limits_, Budget::unlimited());
  }

  const sql::Application application_;
  Problem problem_;
  SearchLimits limits_;
  std::size_t tries_ = 0;
};

using Lines = std::set<std::uint32_t>;
bool has(const Lines& lines, std::initializer_list<std::uint32_t> all) {
  return std::all_of(all.begin(), all.end(),
                     [&](std::uint32_t one) { return lines.contains(one); });
}

TEST_F(RepairSearch, OneChangeIsEnough) {
  const auto repairs = found([](const Lines& l) { return has(l, {7}); });
  ASSERT_EQ(repairs.size(), 1u);
  EXPECT_EQ(repairs[0].kind, "lock");
  EXPECT_EQ(repairs[0].diff,
            "- 7:   SELECT m INTO w FROM t WHERE id = a;\n"
            "+ 7:   SELECT m INTO w FROM t WHERE id = a FOR UPDATE;\n");
}

TEST_F(RepairSearch, TheSmallestSetIsFoundWhereOneIsNotEnough) {
  const auto repairs = found([](const Lines& l) { return has(l, {6, 8}); });
  ASSERT_EQ(repairs.size(), 1u);
  EXPECT_EQ(repairs[0].changes.size(), 2u);
  EXPECT_EQ(repairs[0].locks[0].select.line, 6u);
  EXPECT_EQ(repairs[0].locks[1].select.line, 8u);
}

TEST_F(RepairSearch, WhereAllTogetherDoNotHelpNoSetIsTried) {
  EXPECT_TRUE(found([](const Lines&) { return false; }).empty());
  EXPECT_EQ(tries_, 4u);  // three alone, and all
}

TEST_F(RepairSearch, StepsOfTheRunAreTriedFirst) {
  problem_.steps = {application_.routines[0].body[1].at};
  ASSERT_FALSE(statements_of(problem_).empty());
  const auto repairs = found([](const Lines&) { return true; });
  ASSERT_EQ(repairs.size(), 1u);
  EXPECT_EQ(tries_, 1u);
}

// What repairs one thing of two is told only if nothing repairs both.
TEST_F(RepairSearch, WhatRepairsAllIsPreferred) {
  const auto repairs = find_repairs(
      problem_,
      [&](const Change& change, const std::string&) {
        Trial trial;
        trial.helps = has(lines(change), {6});
        trial.all_hold = has(lines(change), {6, 7});
        return std::optional(trial);
      },
      limits_, Budget::unlimited());
  ASSERT_EQ(repairs.size(), 1u);
  EXPECT_TRUE(repairs[0].all_hold);
  EXPECT_EQ(repairs[0].changes.size(), 2u);
}

TEST_F(RepairSearch, AQuestionWithoutAnAnswerIsNoRepair) {
  EXPECT_TRUE(find_repairs(
                  problem_,
                  [](const Change&, const std::string&) {
                    return std::optional<Trial>();
                  },
                  limits_, Budget::unlimited())
                  .empty());
}

TEST_F(RepairSearch, ASpentBudgetEndsIt) {
  const Budget budget = Budget::unlimited().at_most(1);
  while (!budget.spent()) {
  }
  EXPECT_TRUE(find_repairs(
                  problem_,
                  [](const Change&, const std::string&) {
                    Trial trial;
                    trial.helps = true;
                    return std::optional(trial);
                  },
                  limits_, budget)
                  .empty());
}

}  // namespace
}  // namespace txscope::repair
