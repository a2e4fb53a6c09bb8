// The anomalies that papers name, each as a small log with the levels that
// explain it; and the accounts with which paper 003 begins, in variants.

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "support/audit_log.h"

namespace {

using namespace txscope;

/// "r1=0" reads row 1 as 0, "w1=5" sets it, "+1" adds one to row 1 unseen,
/// "all=0,0" reads both, "n=2" counts, "i3" inserts row 3; "W1=5" sets both
/// columns of row 1, "R1=5,5" reads them.
std::string statement(const std::string& s) {
  const std::string v = s.find('=') == s.npos ? "" : s.substr(s.find('=') + 1);
  const auto query = [](const std::string& sql, const std::string& rows) {
    return R"x({"sql":")x" + sql + R"x(","rows":[)x" + rows + "]}";
  };
  const auto change = [](const std::string& sql) {
    return R"x({"sql":")x" + sql + R"x(","count":1})x";
  };
  if (s[0] == 'r')
    return query("SELECT v FROM t WHERE k = " + s.substr(1, 1), "[" + v + "]");
  if (s[0] == 'R')
    return query("SELECT v, w FROM t WHERE k = " + s.substr(1, 1),
                 "[" + v + "]");
  if (s[0] == 'W')
    return change("UPDATE t SET v = " + v + ", w = " + v +
                  " WHERE k = " + s.substr(1, 1));
  if (s[0] == 'w')
    return change("UPDATE t SET v = " + v + " WHERE k = " + s.substr(1, 1));
  if (s[0] == '+')
    return change("UPDATE t SET v = v + 1 WHERE k = " + s.substr(1, 1));
  if (s[0] == 'n') return query("SELECT count(*) FROM t", "[" + v + "]");
  if (s[0] == 'i')
    return change("INSERT INTO t VALUES (" + s.substr(1) + ", 0)");
  const std::size_t comma = v.find(',');
  return query("SELECT v FROM t ORDER BY k",
               "[" + v.substr(0, comma) + "],[" + v.substr(comma + 1) + "]");
}

struct SmallTransaction {
  std::vector<std::string> statements;
  bool is_aborted = false;
};

/// Each in a session of its own; all overlap.
std::string log_of(const std::vector<SmallTransaction>& all) {
  std::string text =
      R"x({"txscope":"log","version":1,"dialect":"postgresql","setup":[)x"
      R"x("CREATE TABLE t (k INT PRIMARY KEY, v INT, w INT)",)x"
      R"x("INSERT INTO t VALUES (1,0),(2,0)"]})x"
      "\n";
  for (std::size_t i = 0; i < all.size(); ++i) {
    text += R"x({"session":)x" + std::to_string(i) + R"x(,"id":"t)x" +
            std::to_string(i) + R"x(","status":")x" +
            (all[i].is_aborted ? "aborted" : "committed") +
            R"x(","start":0,"end":9,"statements":[)x";
    for (std::size_t k = 0; k < all[i].statements.size(); ++k)
      text += (k == 0 ? "" : ",") + statement(all[i].statements[k]);
    text += "]}\n";
  }
  return text;
}

constexpr std::array<const char*, 4> kAnomalyLevels = {
    "serializable", "snapshot-isolation", "postgresql:read-committed",
    "read-committed"};

/// One letter per level: h holds, v violated.
std::string verdicts(const std::string& log) {
  std::string letters;
  for (const char* level : kAnomalyLevels) {
    const auto report = test::audit_text_log(log, level);
    EXPECT_TRUE(report);
    if (report) letters += test::verdict_of(report->results[0].found)[0];
  }
  return letters;
}

TEST(AuditAnomalies, NoLevelExplainsWhatWasNeverCommitted) {
  // Of an aborted transaction; of one that was there twice; of nobody; of the
  // middle of a transaction; of each other.
  EXPECT_EQ(verdicts(log_of({{{"w1=1"}, true}, {{"+1", "r1=2"}}})), "vvvv")
      << "dirty update";
  EXPECT_EQ(verdicts(log_of({{{"+1"}}, {{"r1=2"}}})), "vvvv")
      << "duplicate write";
  EXPECT_EQ(verdicts(log_of({{{"w1=1"}, true}, {{"r1=1"}}})), "vvvv")
      << "aborted read";
  EXPECT_EQ(verdicts(log_of({{{"w1=1"}}, {{"r1=7"}}})), "vvvv")
      << "garbage read";
  EXPECT_EQ(verdicts(log_of({{{"w1=1", "w1=2"}}, {{"r1=1"}}})), "vvvv")
      << "intermediate read";
  EXPECT_EQ(verdicts(log_of({{{"w1=1", "r2=2"}}, {{"w2=2", "r1=1"}}})), "vvvv")
      << "circular information flow";
  EXPECT_EQ(verdicts(log_of({{{"W1=1"}}, {{"W1=2"}}, {{"R1=1,2"}}})), "vvvv")
      << "dirty write of one row";
  EXPECT_EQ(verdicts(log_of({{{"w1=5", "r1=0"}}, {{"w2=1"}}})), "vvvv")
      << "internal inconsistency with an own write";
}

// Read committed of logs lets a statement see any version of each row, so that
// writes in two orders are seen in one query and explained all the same; with
// states per statement they are not.
TEST(AuditAnomalies, ADirtyWriteIsSeenWhereStatementsSeeStates) {
  EXPECT_EQ(
      verdicts(log_of({{{"w1=1", "w2=1"}}, {{"w1=2", "w2=2"}}, {{"all=1,2"}}})),
      "vvvh");
  // In two queries the second may see a later state than the first.
  EXPECT_EQ(verdicts(log_of(
                {{{"w1=1", "w2=1"}}, {{"w1=2", "w2=2"}}, {{"r1=1", "r2=2"}}})),
            "vvhh");
}

TEST(AuditAnomalies, ReadCommittedExplainsWhatChangesBetweenStatements) {
  EXPECT_EQ(verdicts(log_of({{{"i3"}}, {{"n=2", "n=3"}}})), "vvhh")
      << "phantom read";
  EXPECT_EQ(verdicts(log_of({{{"r1=0", "w1=1"}}, {{"r1=0", "w1=2"}}})), "vvhh")
      << "lost update";
  EXPECT_EQ(verdicts(log_of({{{"w1=1", "w2=1"}}, {{"r1=0", "r2=1"}}})), "vvhh")
      << "read skew";
  EXPECT_EQ(verdicts(log_of({{{"w1=1"}}, {{"r1=0", "r1=1"}}})), "vvhh")
      << "internal inconsistency";
}

TEST(AuditAnomalies, SnapshotsExplainWriteSkew) {
  EXPECT_EQ(verdicts(log_of(
                {{{"r1=0", "r2=0", "w1=1"}}, {{"r1=0", "r2=0", "w2=1"}}})),
            "vhhh");
}

/// What a transaction of the accounts calls, or asks for with its answer.
std::string call(const std::string& routine) {
  return R"x({"sql":"CALL )x" + routine + R"x("})x";
}
std::string look(const std::string& seen) {
  return R"x({"sql":"SELECT balance FROM accounts WHERE id = 2","rows":[[")x" +
         seen + R"x(.00"]]})x";
}

/// 1 transfers 10 to account 2, 2 deposits 100 there and, beside it, 3
/// transfers 10 again (each statement list may be empty); then 4 looks.
std::string accounts_log(const std::string& second, const std::string& third,
                         const std::string& seen) {
  std::string text =
      R"x({"txscope":"log","version":1,"dialect":"postgresql","setup":[)x"
      R"x("CREATE TABLE accounts (id INT PRIMARY KEY, balance NUMERIC(12,2))",)x"
      R"x("INSERT INTO accounts VALUES (1,100),(2,300)",)x"
      R"x("CREATE PROCEDURE deposit(tgt INT, amt NUMERIC) LANGUAGE plpgsql AS )x"
      R"x($$ BEGIN UPDATE accounts SET balance = balance + amt WHERE id = tgt;)x"
      R"x( END $$",)x"
      R"x("CREATE PROCEDURE transfer(src INT, tgt INT, amt NUMERIC) LANGUAGE )x"
      R"x(plpgsql AS $$ BEGIN CALL deposit(tgt, amt); UPDATE accounts SET )x"
      R"x(balance = balance - amt WHERE id = src; END $$"]})x"
      "\n";
  const auto add = [&](int session, int start, int end,
                       const std::string& statements) {
    if (statements.empty()) return;
    text += R"x({"session":)x" + std::to_string(session) +
            R"x(,"status":"committed","start":)x" + std::to_string(start) +
            R"x(,"end":)x" + std::to_string(end) + R"x(,"statements":[)x" +
            statements + "]}\n";
  };
  add(1, 0, 1, call("transfer(1, 2, 10)"));
  add(2, 2, 3, second);
  add(3, 2, 4, third);
  add(4, 5, 6, look(seen));
  return text;
}

// Paper 003 takes a snapshot at `start`, so that of 2 and 3, which both write
// account 2, one cannot commit.  Here a snapshot may be later than the start,
// which is taken before BEGIN is sent: 3 may have begun after 2 had committed.
TEST(AuditAnomalies, ASnapshotMayBeLaterThanTheStart) {
  const auto verdicts_of = [](const std::string& log) {
    std::string letters;
    for (const char* level :
         {"strict-serializable", "strict-snapshot-isolation",
          "snapshot-isolation"}) {
      const auto report = test::audit_text_log(log, level);
      EXPECT_TRUE(report) << report.error().what;
      if (report) letters += test::verdict_of(report->results[0].found)[0];
    }
    return letters;
  };
  const std::string deposit = call("deposit(2, 100)");
  const std::string transfer = call("transfer(1, 2, 10)");
  EXPECT_EQ(verdicts_of(accounts_log(deposit, transfer, "420")), "hhh");
  // Without 3 nothing gives 420; and who looks later must see both.
  EXPECT_EQ(verdicts_of(accounts_log(deposit, "", "420")), "vvv");
  EXPECT_EQ(verdicts_of(accounts_log(deposit, "", "410")), "hhh");
  EXPECT_EQ(verdicts_of(accounts_log(deposit, "", "310")), "vvh");
  EXPECT_EQ(verdicts_of(accounts_log(deposit, transfer, "320")), "vvh")
      << "the deposit is lost, or comes later";
  // What tells that a snapshot was early: one of them may have it, not both.
  const std::string early = look("310") + ",";
  EXPECT_EQ(verdicts_of(accounts_log(deposit, early + transfer, "420")), "hhh");
  EXPECT_EQ(verdicts_of(accounts_log(early + deposit, early + transfer, "420")),
            "vvv");
}

}  // namespace
