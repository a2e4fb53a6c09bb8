// One rule of the engines each, on a schedule that shows it.  What is expected
// was seen on PostgreSQL 15 or MariaDB 10.11.

#include <gtest/gtest.h>

#include "scenario.h"

namespace txscope::engine::test {
namespace {

using Answers = std::vector<std::string>;

const char* const kRc = "postgresql:read-committed";
const char* const kRr = "postgresql:repeatable-read";
const char* const kSer = "postgresql:serializable";
const char* const kMariaRc = "mariadb:read-committed";
const char* const kMariaRr = "mariadb:repeatable-read";
const char* const kMariaSnapshot = "mariadb:repeatable-read+snapshot";

const char* const kTable =
    "CREATE TABLE t (id int PRIMARY KEY, n int NOT NULL);"
    "INSERT INTO t VALUES (1, 10), (2, 20);";
const char* const kFamily =
    "CREATE TABLE p (id int PRIMARY KEY, n int NOT NULL);"
    "CREATE TABLE c (id int PRIMARY KEY, p int REFERENCES p (id));"
    "INSERT INTO p VALUES (1, 10), (2, 20);"
    "INSERT INTO c VALUES (1, 2);";

std::string in_txn(const std::string& body) {
  return "BEGIN; " + body + "; COMMIT;";
}

TEST(PostgresRules, AnUpdateThatWaitedTestsTheLatestVersion) {
  const Scenario s =
      run_scenario(kRc, kTable,
                   {in_txn("UPDATE t SET n = n - 10 WHERE id = 1"),
                    in_txn("UPDATE t SET n = n - 10 WHERE id = 1 AND n > 0")},
                   "aba");
  EXPECT_EQ(s.waits, 1);
  EXPECT_EQ(s.answers[1], Answers({"0"}));
  EXPECT_EQ(s.final, "t (1,0) (2,20)");
}

// The queue that everybody has: each takes a job of its own, nobody waits.
TEST(PostgresRules, ASubqueryPassesOverRowsThatAreLocked) {
  const auto take = [](const std::string& to) {
    return in_txn("UPDATE t SET n = " + to +
                  " WHERE id = (SELECT id FROM t WHERE n >= 10 ORDER BY id "
                  "LIMIT 1 FOR UPDATE SKIP LOCKED) RETURNING id");
  };
  for (const char* level : {kRc, kRr}) {
    const Scenario s =
        run_scenario(level, kTable, {take("1"), take("2")}, "ab");
    EXPECT_EQ(s.waits, 0) << level;
    EXPECT_EQ(s.answers[0], Answers({"1(1)"})) << level;
    EXPECT_EQ(s.answers[1], Answers({"1(2)"})) << level;
  }
}

// b has passed over row 1 and locked row 2 before it waits for row 3: when a
// commits, row 1 is free, and b goes on with row 2.
TEST(PostgresRules, WhatWasPassedOverStaysPassedOverWhenTheStatementGoesOn) {
  const Scenario s = run_scenario(
      kRc,
      "CREATE TABLE t (id int PRIMARY KEY, n int NOT NULL);"
      "INSERT INTO t VALUES (1, 10), (2, 20), (3, 30);",
      {in_txn("UPDATE t SET n = n + 1 WHERE id <> 2"),
       in_txn("WITH p AS (SELECT id FROM t ORDER BY id LIMIT 1 FOR UPDATE SKIP "
              "LOCKED) UPDATE t SET n = p.id FROM p WHERE t.id = 3")},
      "aba");
  EXPECT_EQ(s.waits, 1);
  EXPECT_EQ(s.final, "t (1,11) (2,20) (3,2)");
}

TEST(PostgresRules, ExistsForUpdateLocksOneRow) {
  const Scenario s =
      run_scenario(kRc, kTable,
                   {in_txn("SELECT EXISTS (SELECT 1 FROM t FOR UPDATE)"),
                    in_txn("UPDATE t SET n = 0 WHERE id = 2"),
                    in_txn("UPDATE t SET n = 0 WHERE id = 1")},
                   "abca");
  EXPECT_EQ(s.waits, 1);  // c, not b
}

TEST(PostgresRules, RowsThatMatchOnlyInTheirLatestVersionAreNotFound) {
  const Scenario s = run_scenario(
      kRc, kTable,
      {in_txn("UPDATE t SET n = n + 10"), in_txn("DELETE FROM t WHERE n = 20")},
      "aba");
  EXPECT_EQ(s.final, "t (1,20) (2,30)");
}

TEST(PostgresRules, SubqueriesOfAStatementThatWaitedKeepItsSnapshot) {
  const Scenario s = run_scenario(
      kRc, kTable,
      {in_txn("UPDATE t SET n = n + 1"),
       in_txn("UPDATE t SET n = (SELECT sum(n) FROM t) WHERE id = 1")},
      "aba");
  EXPECT_EQ(s.final, "t (1,30) (2,21)");
}

TEST(PostgresRules, AnUpdateFollowsARowWhoseKeyChanged) {
  const Scenario s = run_scenario(kRc, kTable,
                                  {in_txn("UPDATE t SET id = 5 WHERE id = 1"),
                                   in_txn("UPDATE t SET n = n + 1")},
                                  "aba");
  EXPECT_EQ(s.answers[1], Answers({"2"}));
  EXPECT_EQ(s.final, "t (2,21) (5,11)");
}

TEST(PostgresRules, ARowThatWasDeletedAndInsertedAgainIsAnotherRow) {
  const Scenario s = run_scenario(
      kRc, kTable,
      {in_txn("DELETE FROM t WHERE id = 1; INSERT INTO t VALUES (1, 10)"),
       in_txn("UPDATE t SET n = n + 1 WHERE id = 1")},
      "aaba");
  EXPECT_EQ(s.answers[1], Answers({"0"}));
  EXPECT_EQ(s.final, "t (1,10) (2,20)");
}

TEST(PostgresRules, LockingReadsWithALimitAreNotSortedAgain) {
  const Scenario s = run_scenario(
      kRc, kTable,
      {in_txn("UPDATE t SET n = 30 WHERE id = 1"),
       in_txn("SELECT id, n FROM t ORDER BY n LIMIT 1 FOR UPDATE")},
      "aba");
  EXPECT_EQ(s.answers[1], Answers({"(1,30)"}));
}

TEST(PostgresRules, TheSnapshotIsTakenByTheFirstStatementBeforeItWaits) {
  const Scenario s = run_scenario(
      kRr, kTable,
      {in_txn(
           "UPDATE t SET n = 11 WHERE id = 1; UPDATE t SET n = 21 WHERE id = "
           "2"),
       in_txn("SELECT n FROM t WHERE id = 1 FOR UPDATE; SELECT n FROM t")},
      "abaa");
  EXPECT_EQ(s.ends[1], "40001");
}

TEST(PostgresRules, ARowThatWasOnlyLockedIsNoConflict) {
  const Scenario s =
      run_scenario(kRr, kTable,
                   {in_txn("SELECT n FROM t WHERE id = 1 FOR UPDATE"),
                    in_txn("UPDATE t SET n = n + 1 WHERE id = 1")},
                   "aba");
  EXPECT_EQ(s.waits, 1);
  EXPECT_EQ(s.final, "t (1,11) (2,20)");
}

TEST(PostgresRules, NowaitFailsInsteadOfWaiting) {
  const Scenario s =
      run_scenario(kRc, kTable,
                   {in_txn("UPDATE t SET n = 0 WHERE id = 1"),
                    in_txn("SELECT n FROM t WHERE id = 1 FOR UPDATE NOWAIT")},
                   "ab");
  EXPECT_EQ(s.ends[1], "55P03");
  EXPECT_EQ(s.waits, 0);
}

TEST(PostgresRules, SharedLocksExcludeWritersOnly) {
  const Scenario s =
      run_scenario(kRc, kTable,
                   {in_txn("SELECT n FROM t WHERE id = 1 FOR SHARE"),
                    in_txn("SELECT n FROM t WHERE id = 1 FOR SHARE"),
                    in_txn("UPDATE t SET n = 0 WHERE id = 1")},
                   "abcab");
  EXPECT_EQ(s.waits, 2);  // again after the first of them has ended
  EXPECT_TRUE(s.all_committed());
}

TEST(PostgresRules, ADuplicateWaitsForTheOtherToEnd) {
  const std::vector<std::string> sessions = {
      in_txn("INSERT INTO t VALUES (3, 0)"),
      in_txn("INSERT INTO t VALUES (3, 1)")};
  EXPECT_EQ(run_scenario(kRc, kTable, sessions, "aba").ends[1], "23505");
  EXPECT_EQ(run_scenario(kRr, kTable, sessions, "aba").ends[1], "23505");
}

TEST(PostgresRules, OnConflictUpdatesARowThatTheSnapshotDoesNotHave) {
  const std::vector<std::string> sessions = {
      in_txn("INSERT INTO t VALUES (3, 0)"),
      in_txn(
          "INSERT INTO t VALUES (3, 1) ON CONFLICT (id) DO UPDATE SET n = t.n "
          "+ 5")};
  const Scenario s = run_scenario(kRc, kTable, sessions, "aba");
  EXPECT_EQ(s.final, "t (1,10) (2,20) (3,5)");
  EXPECT_EQ(run_scenario(kRr, kTable, sessions, "aba").ends[1], "40001");
}

TEST(PostgresRules, OnConflictDoNothingSkips) {
  const std::vector<std::string> sessions = {
      in_txn("INSERT INTO t VALUES (3, 0)"),
      in_txn("INSERT INTO t VALUES (3, 1) ON CONFLICT DO NOTHING")};
  const Scenario s = run_scenario(kRc, kTable, sessions, "aba");
  EXPECT_EQ(s.answers[1], Answers({"0"}));
  EXPECT_EQ(run_scenario(kRr, kTable, sessions, "aba").ends[1], "40001");
}

TEST(PostgresRules, AChildWaitsForItsParentsDeletionNotForItsUpdate) {
  const std::string child = in_txn("INSERT INTO c VALUES (5, 1)");
  const Scenario update = run_scenario(
      kRc, kFamily, {in_txn("UPDATE p SET n = 0 WHERE id = 1"), child}, "aba");
  EXPECT_EQ(update.waits, 0);
  EXPECT_TRUE(update.all_committed());
  const Scenario remove = run_scenario(
      kRc, kFamily, {in_txn("DELETE FROM p WHERE id = 1"), child}, "aba");
  EXPECT_EQ(remove.waits, 1);
  EXPECT_EQ(remove.ends[1], "23503");
}

TEST(PostgresRules, AParentWithAConcurrentChildIsNotDeleted) {
  const std::vector<std::string> sessions = {
      in_txn("INSERT INTO c VALUES (5, 1)"),
      in_txn("DELETE FROM p WHERE id = 1")};
  EXPECT_EQ(run_scenario(kRc, kFamily, sessions, "aba").ends[1], "23503");
  EXPECT_EQ(run_scenario(kRr, kFamily, sessions, "aba").ends[1], "23503");
}

TEST(PostgresRules, ADeadlockHasOneVictim) {
  const Scenario s = run_scenario(
      kRc, kTable,
      {in_txn(
           "UPDATE t SET n = 1 WHERE id = 1; UPDATE t SET n = 1 WHERE id = 2"),
       in_txn("UPDATE t SET n = 2 WHERE id = 2; UPDATE t SET n = 2 WHERE id = "
              "1")},
      "abab");
  EXPECT_EQ(s.ends[0], "40P01");
  EXPECT_EQ(s.ends[1], "committed");
  EXPECT_EQ(s.final, "t (1,2) (2,2)");
}

TEST(PostgresRules, NumbersOfASequenceAreNotGivenBack) {
  const Scenario s =
      run_scenario(kRc,
                   "CREATE TABLE t (id serial PRIMARY KEY, n int UNIQUE);"
                   "INSERT INTO t (n) VALUES (0);",
                   {in_txn("INSERT INTO t (n) VALUES (1)"),
                    "BEGIN; INSERT INTO t (n) VALUES (1); COMMIT; "
                    "BEGIN; INSERT INTO t (n) VALUES (2); COMMIT;"},
                   "aba");
  EXPECT_EQ(s.ends[1], "23505 committed");
  EXPECT_EQ(s.final, "t (1,0) (2,1) (4,2)");
}

TEST(PostgresRules, AFailingInsertTakesTheNumbersOfTheRowsItCameTo) {
  const Scenario s =
      run_scenario(kRc,
                   "CREATE TABLE t (id serial PRIMARY KEY, n int UNIQUE);"
                   "INSERT INTO t (n) VALUES (10);",
                   {in_txn("INSERT INTO t (n) VALUES (10), (20)"),
                    in_txn("INSERT INTO t (n) VALUES (30) RETURNING id")},
                   "aab");
  EXPECT_EQ(s.final, "t (1,10) (3,30)");
}

TEST(PostgresRules, AnUpdateToTheDefaultOfASerialColumnMovesTheRow) {
  for (const char* level : {kRc, kRr, kSer}) {
    const Scenario s =
        run_scenario(level,
                     "CREATE TABLE t (id serial PRIMARY KEY, n int);"
                     "INSERT INTO t (n) VALUES (10);",
                     {in_txn("UPDATE t SET id = DEFAULT")}, "a");
    EXPECT_EQ(s.final, "t (2,10)") << level;
  }
}

TEST(PostgresRules, SerializableFailsWhereASerialOrderIsImpossible) {
  const std::vector<std::string> sessions = {
      in_txn("SELECT sum(n) FROM t; UPDATE t SET n = 0 WHERE id = 1"),
      in_txn("SELECT sum(n) FROM t; UPDATE t SET n = 0 WHERE id = 2")};
  const Scenario s = run_scenario(kSer, kTable, sessions, "ababab");
  EXPECT_EQ(s.ends[0], "committed");
  EXPECT_EQ(s.ends[1], "40001");
  EXPECT_TRUE(run_scenario(kRr, kTable, sessions, "ababab").all_committed());
}

TEST(PostgresRules, SerializableLetsOneWayConflictsCommit) {
  const Scenario s = run_scenario(kSer, kTable,
                                  {in_txn("SELECT sum(n) FROM t"),
                                   in_txn("UPDATE t SET n = 0 WHERE id = 1")},
                                  "abba");
  EXPECT_TRUE(s.all_committed());
}

TEST(MariaDbRules, LockingReadsSeeTheLatestRowsPlainOnesTheReadView) {
  const Scenario s = run_scenario(
      kMariaRr, kTable,
      {in_txn("SELECT n FROM t WHERE id = 1; SELECT n FROM t WHERE id = 1 FOR "
              "UPDATE; SELECT n FROM t WHERE id = 1"),
       in_txn("UPDATE t SET n = 11 WHERE id = 1")},
      "abb");
  EXPECT_EQ(s.answers[0], Answers({"(10)", "(11)", "(10)"}));
}

TEST(MariaDbRules, AWriteMakesNoReadView) {
  const Scenario s = run_scenario(
      kMariaRr, kTable,
      {in_txn("UPDATE t SET n = 21 WHERE id = 2; SELECT n FROM t WHERE id = 1"),
       in_txn("UPDATE t SET n = 11 WHERE id = 1")},
      "abb");
  EXPECT_EQ(s.answers[0], Answers({"1", "(11)"}));
}

TEST(MariaDbRules, DeleteFindsRowsThatMatchOnlyInTheirLatestVersion) {
  const Scenario s = run_scenario(
      kMariaRc, kTable,
      {in_txn("UPDATE t SET n = n + 10"), in_txn("DELETE FROM t WHERE n = 20")},
      "aba");
  EXPECT_EQ(s.final, "t (2,30)");
}

TEST(MariaDbRules, AnUpdateByScanSkipsALockedRowThatDidNotMatch) {
  const Scenario s = run_scenario(kMariaRc, kTable,
                                  {in_txn("UPDATE t SET n = 30 WHERE id = 1"),
                                   in_txn("UPDATE t SET n = 0 WHERE n >= 20")},
                                  "ab");
  EXPECT_EQ(s.waits, 0);
  EXPECT_EQ(s.final, "t (1,30) (2,0)");
}

TEST(MariaDbRules, TheGapAroundAnAbsentKeyIsLocked) {
  const std::string lookup = in_txn("UPDATE t SET n = 0 WHERE id = 5");
  const std::string insert = in_txn("INSERT INTO t VALUES (6, 0)");
  EXPECT_EQ(run_scenario(kMariaRr, kTable, {lookup, insert}, "ab").waits, 1);
  EXPECT_EQ(run_scenario(kMariaRc, kTable, {lookup, insert}, "ab").waits, 0);
  const std::string far = in_txn("INSERT INTO t VALUES (0, 0)");
  EXPECT_EQ(run_scenario(kMariaRr, kTable, {lookup, far}, "ab").waits, 0);
}

TEST(MariaDbRules, APresentKeyIsLockedWithoutItsGaps) {
  const Scenario s = run_scenario(
      kMariaRr,
      "CREATE TABLE t (id int PRIMARY KEY); INSERT INTO t VALUES "
      "(1), (5), (9);",
      {in_txn("SELECT id FROM t WHERE id = 5 FOR UPDATE"),
       in_txn("INSERT INTO t VALUES (4); INSERT INTO t VALUES (6)")},
      "abb");
  EXPECT_EQ(s.waits, 0);
}

TEST(MariaDbRules, AnIndexNarrowsWhatIsLocked) {
  const std::vector<std::string> sessions = {
      in_txn("SELECT id FROM t WHERE n = 10 FOR UPDATE"),
      in_txn("UPDATE t SET n = 21 WHERE id = 2")};
  EXPECT_EQ(run_scenario(kMariaRr, kTable, sessions, "aba").waits, 1);
  const std::string indexed = std::string(kTable) + "CREATE INDEX ON t (n);";
  EXPECT_EQ(run_scenario(kMariaRr, indexed, sessions, "aba").waits, 0);
}

TEST(MariaDbRules, TwoScansThenTwoInsertsAreADeadlock) {
  const Scenario s = run_scenario(
      kMariaRr, kTable,
      {in_txn(
           "SELECT n FROM t WHERE n = 30 FOR SHARE; INSERT INTO t VALUES (3, "
           "30)"),
       in_txn(
           "SELECT n FROM t WHERE n = 30 FOR SHARE; INSERT INTO t VALUES (4, "
           "30)")},
      "abab");
  EXPECT_EQ(s.ends[0], "committed");
  EXPECT_EQ(s.ends[1], "1213");
}

TEST(MariaDbRules, SnapshotIsolationRefusesRowsThatChangedSinceTheReadView) {
  const std::string other = in_txn("UPDATE t SET n = 11 WHERE id = 1");
  const Scenario s = run_scenario(
      kMariaSnapshot, kTable,
      {in_txn("SELECT n FROM t WHERE id = 2; UPDATE t SET n = 12 WHERE id = 1"),
       other},
      "abb");
  EXPECT_EQ(s.ends[0], "1020");
  const Scenario without =
      run_scenario(kMariaSnapshot, kTable,
                   {in_txn("UPDATE t SET n = 12 WHERE id = 1"), other}, "bba");
  EXPECT_TRUE(without.all_committed());
}

TEST(MariaDbRules, SnapshotIsolationRefusesRowsThatWereDeletedToo) {
  const Scenario s = run_scenario(
      kMariaSnapshot, kTable,
      {in_txn("SELECT n FROM t WHERE id = 1; DELETE FROM t WHERE id = 2"),
       in_txn("DELETE FROM t")},
      "abb");
  EXPECT_EQ(s.ends[0], "1020");
}

TEST(MariaDbRules, AChildWaitsForAnyUpdateOfItsParent) {
  const Scenario s = run_scenario(kMariaRc, kFamily,
                                  {in_txn("UPDATE p SET n = 0 WHERE id = 1"),
                                   in_txn("INSERT INTO c VALUES (5, 1)")},
                                  "aba");
  EXPECT_EQ(s.waits, 1);
  EXPECT_TRUE(s.all_committed());
}

TEST(MariaDbRules, AnInsertOverADeletedRowQueuesForItBehindThoseWhoWait) {
  const Scenario s = run_scenario(
      kMariaRc, kTable,
      {in_txn("INSERT INTO t VALUES (1, 10)"), in_txn("DELETE FROM t"),
       in_txn("UPDATE t SET n = 20 WHERE id = 1")},
      "bacb");
  EXPECT_EQ(s.ends[0], "committed");
  EXPECT_EQ(s.ends[2], "1213");
}

TEST(MariaDbRules, ReadUncommittedSeesWhatIsNotCommitted) {
  const Scenario s = run_scenario(
      "mariadb:read-uncommitted", kTable,
      {in_txn(
           "UPDATE t SET n = 0 WHERE id = 1; UPDATE t SET n = 10 WHERE id = 1"),
       in_txn("SELECT n FROM t WHERE id = 1")},
      "ab");
  EXPECT_EQ(s.answers[1], Answers({"(0)"}));
}

TEST(OracleRules, AnUpdateThatMeetsAChangedRowStartsAgain) {
  const Scenario s = run_scenario(
      "oracle:read-committed", kTable,
      {in_txn("UPDATE t SET n = n + 10"), in_txn("DELETE FROM t WHERE n = 20")},
      "aba");
  EXPECT_EQ(s.final, "t (2,30)");  // found with a new snapshot
  const Scenario serializable = run_scenario(
      "oracle:serializable", kTable,
      {in_txn("UPDATE t SET n = n + 10"), in_txn("DELETE FROM t WHERE n = 20")},
      "aba");
  EXPECT_EQ(serializable.ends[1], "ORA-08177");
}

TEST(SqliteRules, TheSecondWriterIsBusy) {
  const Scenario s = run_scenario("sqlite", kTable,
                                  {in_txn("UPDATE t SET n = 0 WHERE id = 1"),
                                   in_txn("UPDATE t SET n = 0 WHERE id = 2")},
                                  "aba");
  EXPECT_EQ(s.ends[0], "committed");
  EXPECT_EQ(s.ends[1], "SQLITE_BUSY");
}

}  // namespace
}  // namespace txscope::engine::test
