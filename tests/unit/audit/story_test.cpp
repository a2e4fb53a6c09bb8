// The rows beside what cannot be explained: as if the transactions had run one
// after the other.

#include <gtest/gtest.h>

#include <string>

#include "support/audit_log.h"

namespace {

using namespace txscope;

/// Transactions "1", "2", .. one after the other, each with one statement.
std::string serial_log(const std::string& setup,
                       const std::vector<std::string>& statements) {
  std::string text =
      R"x({"txscope":"log","version":1,"dialect":"postgresql","setup":[)x" +
      setup + "]}\n";
  for (std::size_t i = 0; i < statements.size(); ++i) {
    const std::string n = std::to_string(i + 1);
    text += R"x({"session":)x" + n + R"x(,"id":")x" + n +
            R"x(","status":"committed","start":)x" + std::to_string(10 * i) +
            R"x(,"end":)x" + std::to_string(10 * i + 5) +
            R"x(,"statements":[)x" + statements[i] + "]}\n";
  }
  return text;
}

constexpr const char* kTwoRows =
    R"x("CREATE TABLE t (k INT PRIMARY KEY, v INT)",)x"
    R"x("INSERT INTO t VALUES (1,0),(2,0)")x";

audit::Found found_in(const std::string& log) {
  const auto report = test::audit_text_log(log, "serializable");
  EXPECT_TRUE(report);
  return report ? report->results.front().found : audit::Found();
}

const std::vector<audit::CoreTxn>& shown(const audit::Found& found) {
  return found.schedule.empty() ? found.around : found.schedule;
}

const RowUse* row(const std::vector<RowUse>& all, const std::string& key) {
  for (const RowUse& one : all)
    if (one.key == key) return &one;
  return nullptr;
}

// 0, then 5; nobody wrote 7.
TEST(Story, SaysWhatAStatementWouldHaveGivenAndWhatItLookedAt) {
  const audit::Found found = found_in(serial_log(
      kTwoRows, {R"x({"sql":"UPDATE t SET v = 5 WHERE k = 1","count":1})x",
                 R"x({"sql":"SELECT v FROM t WHERE k = 1","rows":[[7]]})x"}));
  ASSERT_EQ(found.answer, Outcome::Violated);
  ASSERT_FALSE(shown(found).empty());
  const audit::CoreTxn& last = shown(found).back();
  EXPECT_EQ(last.id, "2");
  EXPECT_EQ(last.statements[0].instead, "1 row: (5)");
  const RowUse* read = row(last.statements[0].reads, "t(1)");
  ASSERT_NE(read, nullptr);
  ASSERT_TRUE(read->row);
  EXPECT_EQ(row_text(*read->row), "(1, 5)");
  EXPECT_EQ(row(last.statements[0].reads, "t(2)"), nullptr);
}

// Whoever wrote the row is not part of what cannot be explained, but what it
// left is what the other one would have seen.
TEST(Story, BeginsWithWhatTheRowsWereBefore) {
  const audit::Found found = found_in(serial_log(
      kTwoRows, {R"x({"sql":"UPDATE t SET v = 5 WHERE k = 1","count":1})x",
                 R"x({"sql":"SELECT v FROM t WHERE k = 1","rows":[[7]]})x"}));
  const RowUse* begin = row(found.begin, "t(1)");
  ASSERT_NE(begin, nullptr);
  const std::vector<audit::CoreTxn>& all = shown(found);
  // Either the writer is shown with its write, or its row comes from others.
  const bool is_shown = all.size() == 2;
  const std::vector<RowUse>& after =
      is_shown ? all[0].statements[0].writes : all[0].others;
  const RowUse* now = row(after, "t(1)");
  ASSERT_NE(now, nullptr);
  EXPECT_EQ(row_text(*now->row), "(1, 5)");
  EXPECT_EQ(row_text(*begin->row), "(1, 0)");
}

TEST(Story, RowsWithoutAKeyKeepTheirNames) {
  const audit::Found found =
      found_in(serial_log(R"x("CREATE TABLE t (v INT)")x",
                          {R"x({"sql":"INSERT INTO t VALUES (5)","count":1})x",
                           R"x({"sql":"SELECT v FROM t","rows":[[7]]})x"}));
  ASSERT_EQ(found.answer, Outcome::Violated);
  const audit::CoreTxn& last = shown(found).back();
  EXPECT_EQ(last.statements[0].instead, "1 row: (5)");
  ASSERT_EQ(last.statements[0].reads.size(), 1u);
  const std::string name = last.statements[0].reads[0].key;
  const RowUse* begin = row(found.begin, name);
  ASSERT_NE(begin, nullptr);
  EXPECT_FALSE(begin->row) << "it was not there before";
}

TEST(Story, WhatWasRefusedChangesNothing) {
  const audit::Found found = found_in(serial_log(
      kTwoRows,
      {R"x({"sql":"INSERT INTO t VALUES (1,9)","error":{"sqlstate":"23505"}})x",
       R"x({"sql":"SELECT v FROM t WHERE k = 2","rows":[[7]]})x"}));
  ASSERT_EQ(found.answer, Outcome::Violated);
  for (const audit::CoreTxn& txn : shown(found))
    for (const auto& statement : txn.statements)
      EXPECT_TRUE(statement.writes.empty()) << statement.sql;
}

}  // namespace
