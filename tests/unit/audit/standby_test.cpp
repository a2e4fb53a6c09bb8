// Reads on a hot standby in a log of its primary.

#include <gtest/gtest.h>

#include <string>

#include "support/audit_log.h"

namespace {

using namespace txscope;

/// Two transfers on the primary by session 1, then what `reads` sees on the
/// standby, in the same session.
std::string standby_log(const std::string& reads) {
  return R"x({"txscope":"log","version":1,"dialect":"postgresql","setup":[)x"
         R"x("CREATE TABLE t (k INT PRIMARY KEY, v INT)",)x"
         R"x("INSERT INTO t VALUES (1,10),(2,10)"]})x"
         "\n"
         R"x({"session":1,"id":"a","status":"committed","statements":[)x"
         R"x({"sql":"UPDATE t SET v = v - 1 WHERE k = 1","count":1},)x"
         R"x({"sql":"UPDATE t SET v = v + 1 WHERE k = 2","count":1}]})x"
         "\n"
         R"x({"session":1,"id":"b","status":"committed","statements":[)x"
         R"x({"sql":"UPDATE t SET v = v - 1 WHERE k = 1","count":1},)x"
         R"x({"sql":"UPDATE t SET v = v + 1 WHERE k = 2","count":1}]})x"
         "\n"
         R"x({"session":1,"id":"r","status":"committed",)x"
         R"x("level":"postgresql-standby","statements":[)x" +
         reads + "]}\n";
}

std::string sums(const std::string& rows) {
  return standby_log(R"x({"sql":"SELECT k, v FROM t ORDER BY k","rows":)x" +
                     rows + "}");
}

std::string verdict_at(const std::string& log, const std::string& level) {
  audit::AuditOptions options;
  options.own_levels = true;
  options.certify = true;
  const auto report = test::audit_text_log(log, level, options);
  if (!report) return report.error().what;
  return test::verdict_of(report->results[0].found);
}

TEST(AuditStandby, ReadsMayBeFromBeforeTheSessionsOwnWrites) {
  for (const char* level :
       {"postgresql:repeatable-read", "postgresql:read-committed",
        "serializable", "strict-serializable"})
    for (const char* rows :
         {"[[1,10],[2,10]]", "[[1,9],[2,11]]", "[[1,8],[2,12]]"})
      EXPECT_EQ(verdict_at(sums(rows), level), "holds") << level << rows;
}

TEST(AuditStandby, WhatNoMixtureOfCommitsGivesIsRefuted) {
  EXPECT_EQ(verdict_at(sums("[[1,7],[2,13]]"), "postgresql:repeatable-read"),
            "violated");
}

// A standby never shows half of a transaction; but only an order of its own
// tells that from a long fork, and that is not looked for.
TEST(AuditStandby, MixturesAreLeftOpen) {
  EXPECT_EQ(verdict_at(sums("[[1,9],[2,12]]"), "postgresql:repeatable-read"),
            "undecided");
}

TEST(AuditStandby, AStandbyTakesNoWrites) {
  EXPECT_EQ(verdict_at(standby_log(R"x({"sql":"DELETE FROM t","count":2})x"),
                       "postgresql:repeatable-read"),
            "violated");
}

}  // namespace
