// --times exact: what was committed when a transaction began is what it sees.

#include <gtest/gtest.h>

#include <string>

#include "support/audit_log.h"

namespace {

using namespace txscope;

std::string exact_header() {
  return R"x({"txscope":"log","version":1,"dialect":"postgresql","setup":[)x"
         R"x("CREATE TABLE a (id INT PRIMARY KEY, b INT NOT NULL)",)x"
         R"x("INSERT INTO a VALUES (1,100),(2,100)"]})x"
         "\n";
}

std::string timed(int session, int start, int commit,
                  const std::string& statements) {
  return R"x({"session":)x" + std::to_string(session) + R"x(,"id":"t)x" +
         std::to_string(session) + "-" + std::to_string(start) +
         R"x(","status":"committed","start":)x" + std::to_string(start) +
         R"x(,"end":)x" + std::to_string(commit) + R"x(,"commit":)x" +
         std::to_string(commit) + R"x(,"statements":[)x" + statements + "]}\n";
}

std::string shows(int account, int balance) {
  return R"x({"sql":"SELECT b FROM a WHERE id = )x" + std::to_string(account) +
         R"x(","rows":[[)x" + std::to_string(balance) + "]]}";
}
std::string sets(int account, const std::string& value) {
  return R"x({"sql":"UPDATE a SET b = )x" + value +
         " WHERE id = " + std::to_string(account) + R"x(","count":1})x";
}

std::string exact_verdict(const std::string& log, const std::string& level,
                          bool is_exact) {
  audit::AuditOptions options;
  options.certify = options.evidence = true;
  const auto report = test::audit_text_log(
      exact_header() + log, level + (is_exact ? "!exact" : ""), options);
  if (!report) return report.error().what;
  return test::verdict_of(report->results[0].found);
}

// The example of the paper that had the idea: one deposits in [20,30], the
// other transfers from a snapshot of 20 to the same account and commits at 40.
TEST(AuditExactTimes, ATransferFromAnOldSnapshotIsRefuted) {
  const std::string log = timed(1, 20, 30, sets(2, "b + 10")) +
                          timed(2, 20, 40,
                                shows(2, 100) + "," + shows(1, 100) + "," +
                                    sets(1, "90") + "," + sets(2, "110"));
  for (const char* level :
       {"snapshot-isolation", "postgresql:repeatable-read"}) {
    EXPECT_EQ(exact_verdict(log, level, false), "holds") << level;
    EXPECT_EQ(exact_verdict(log, level, true), "violated") << level;
  }
  // Nobody is kept from overwriting there.
  EXPECT_EQ(exact_verdict(log, "prefix", true), "holds");
}

TEST(AuditExactTimes, ASnapshotHasWhatWasCommittedWhenItBeganAndNothingElse) {
  const std::string deposit = timed(1, 20, 30, sets(2, "b + 10"));
  for (const char* level :
       {"prefix", "snapshot-isolation", "postgresql:repeatable-read"}) {
    // Before, at and after the commit.
    EXPECT_EQ(
        exact_verdict(deposit + timed(2, 25, 50, shows(2, 100)), level, true),
        "holds");
    EXPECT_EQ(
        exact_verdict(deposit + timed(2, 25, 50, shows(2, 110)), level, true),
        "violated");
    for (const int seen : {100, 110})
      EXPECT_EQ(exact_verdict(deposit + timed(2, 30, 50, shows(2, seen)), level,
                              true),
                "holds");
    EXPECT_EQ(
        exact_verdict(deposit + timed(2, 31, 50, shows(2, 110)), level, true),
        "holds");
    EXPECT_EQ(
        exact_verdict(deposit + timed(2, 31, 50, shows(2, 100)), level, true),
        "violated");
    // As hints they bind nothing.
    EXPECT_EQ(
        exact_verdict(deposit + timed(2, 31, 50, shows(2, 100)), level, false),
        "holds");
  }
}

TEST(AuditExactTimes, StatementsSeeWhatIsCommittedByTheirTime) {
  const std::string deposit = timed(1, 20, 30, sets(2, "b + 10"));
  const auto log = [&](int start, int first, int second) {
    return deposit +
           timed(2, start, 50, shows(2, first) + "," + shows(2, second));
  };
  const char* level = "postgresql:read-committed";
  EXPECT_EQ(exact_verdict(log(25, 100, 110), level, true), "holds");
  EXPECT_EQ(exact_verdict(log(25, 110, 100), level, true), "violated");
  EXPECT_EQ(exact_verdict(log(31, 100, 110), level, true), "violated");
}

TEST(AuditExactTimes, CommitsAreInTheOrderOfTheirTimes) {
  const std::string log = timed(1, 10, 20, sets(1, "5")) +
                          timed(2, 10, 30, sets(1, "6")) +
                          timed(3, 40, 50, shows(1, 5));
  EXPECT_EQ(exact_verdict(log, "read-committed", false), "holds");
  EXPECT_EQ(exact_verdict(log, "prefix", false), "holds");
  EXPECT_EQ(exact_verdict(log, "prefix", true), "violated");
}

TEST(AuditExactTimes, WithoutTimesThereIsNoAnswer) {
  const std::string log =
      R"x({"session":1,"id":"t1","status":"committed","statements":[)x" +
      sets(1, "5") + "]}\n";
  EXPECT_EQ(exact_verdict(log, "prefix", true),
            "transaction t1 has no start, or no commit and no end");
}

// A long log in which one value in the middle is wrong is one pass.
TEST(AuditExactTimes, LongLogsAreDecidedInOnePass) {
  const auto log = [](int wrong) {
    std::string text;
    int balance = 100;
    for (int i = 0; i < 3000; ++i) {
      const int seen = i == 1500 ? balance + wrong : balance;
      text += timed(i % 8, 10 * i, 10 * i + 5,
                    shows(1, seen) + "," + sets(1, "b + 1"));
      ++balance;
    }
    return text;
  };
  for (const char* level : {"snapshot-isolation", "postgresql:read-committed",
                            "postgresql:repeatable-read"}) {
    EXPECT_EQ(exact_verdict(log(0), level, true), "holds") << level;
    EXPECT_EQ(exact_verdict(log(1), level, true), "violated") << level;
  }
}

}  // namespace
