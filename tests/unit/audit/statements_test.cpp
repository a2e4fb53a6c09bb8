// Statements that do more than one thing, or leave out what others hold: SKIP
// LOCKED, WITH that writes, MERGE, unique indexes with expressions and EXCLUDE.

#include <gtest/gtest.h>

#include <string>

#include "support/audit_log.h"

namespace {

using namespace txscope;

constexpr const char* kSnapshotLevels[] = {"snapshot-isolation", "serializable",
                                           "postgresql:repeatable-read"};
constexpr const char* kServerLevels[] = {"snapshot-isolation", "serializable",
                                         "postgresql:repeatable-read",
                                         "postgresql:read-committed"};

std::string statement_header(const std::string& more = "") {
  return R"x({"txscope":"log","version":1,"dialect":"postgresql","setup":[)x"
         R"x("CREATE TABLE t (id INT PRIMARY KEY, n INT NOT NULL)",)x"
         R"x("INSERT INTO t VALUES (1,10),(2,20),(3,30)")x" +
         more + "]}\n";
}

std::string one(int session, const std::string& statements) {
  static int number = 0;
  return R"x({"session":)x" + std::to_string(session) + R"x(,"id":"t)x" +
         std::to_string(++number) +
         R"x(","status":"committed","statements":[)x" + statements + "]}\n";
}

std::string rows_of(const std::string& sql, const std::string& rows) {
  return R"x({"sql":")x" + sql + R"x(","rows":)x" + rows + "}";
}
std::string count_of(const std::string& sql, int count) {
  return R"x({"sql":")x" + sql + R"x(","count":)x" + std::to_string(count) +
         "}";
}

std::string statement_verdict(const std::string& log,
                              const std::string& level) {
  audit::AuditOptions options;
  options.certify = true;
  const auto report = test::audit_text_log(log, level, options);
  if (!report) return report.error().what;
  return test::verdict_of(report->results[0].found);
}

void expect_all(const std::string& log, const std::string& verdict) {
  for (const char* level : kServerLevels)
    EXPECT_EQ(statement_verdict(log, level), verdict) << level << "\n" << log;
}

TEST(AuditStatements, SkipLockedMayLeaveOutAnyRows) {
  const std::string sql = "SELECT id FROM t ORDER BY id FOR UPDATE SKIP LOCKED";
  for (const char* rows : {"[[2]]", "[]", "[[1],[3]]", "[[1],[2],[3]]"})
    expect_all(statement_header() + one(1, rows_of(sql, rows)), "holds");
}

TEST(AuditStatements, SkipLockedShowsNothingThatIsNotThere) {
  const std::string sql = "SELECT id FROM t ORDER BY id FOR UPDATE SKIP LOCKED";
  for (const char* rows : {"[[4]]", "[[2],[1]]", "[[1],[1]]"})
    expect_all(statement_header() + one(1, rows_of(sql, rows)), "violated");
  expect_all(
      statement_header() + one(1, rows_of("SELECT id FROM t ORDER BY id "
                                          "LIMIT 1 FOR UPDATE SKIP LOCKED",
                                          "[[1],[2]]")),
      "violated");
}

TEST(AuditStatements, ALockingSelectWithoutAnOrderMayShowAnyRowFirst) {
  for (const char* rows : {"[[1]]", "[[2]]", "[[3]]"})
    expect_all(statement_header() +
                   one(1, rows_of("SELECT id FROM t LIMIT 1 FOR UPDATE", rows)),
               "holds");
}

constexpr const char* kTake =
    "UPDATE t SET n = 0 WHERE id = (SELECT id FROM t WHERE n > 0 ORDER BY id "
    "LIMIT 1 FOR UPDATE SKIP LOCKED) RETURNING id";

TEST(AuditStatements, AQueueGivesAnyJobThatIsThere) {
  for (const char* rows : {"[[1]]", "[[2]]", "[[3]]", "[]"})
    expect_all(statement_header() + one(1, rows_of(kTake, rows)), "holds");
  expect_all(statement_header() + one(1, rows_of(kTake, "[[4]]")), "violated");
}

TEST(AuditStatements, AQueueDoesNotGiveAJobTwice) {
  expect_all(statement_header() + one(1, rows_of(kTake, "[[2]]")) +
                 one(2, rows_of(kTake, "[[2]]")),
             "violated");
  expect_all(statement_header() + one(1, rows_of(kTake, "[[2]]")) +
                 one(2, rows_of(kTake, "[[1]]")),
             "holds");
}

TEST(AuditStatements, WithThatWritesIsFollowed) {
  const std::string moves =
      "WITH m AS (DELETE FROM t WHERE id = 1 RETURNING n) "
      "INSERT INTO t SELECT 7, n + 1 FROM m";
  const auto log = [&](const char* rows) {
    return statement_header() + one(1, count_of(moves, 1)) +
           one(1, rows_of("SELECT id, n FROM t WHERE id IN (1, 7)", rows));
  };
  expect_all(log("[[7,11]]"), "holds");
  expect_all(log("[[1,10]]"), "violated");
  expect_all(log("[[7,10]]"), "violated");
}

TEST(AuditStatements, ASelectWithAPartThatWritesIsAWrite) {
  const std::string sql =
      "WITH m AS (UPDATE t SET n = n + 1 WHERE id = 1 RETURNING n) "
      "SELECT m.n, (SELECT n FROM t WHERE id = 1) FROM m";
  // The query sees the row as it was.
  const auto log = [&](const char* shown, const char* later) {
    return statement_header() + one(1, rows_of(sql, shown)) +
           one(1, rows_of("SELECT n FROM t WHERE id = 1", later));
  };
  expect_all(log("[[11,10]]", "[[11]]"), "holds");
  expect_all(log("[[11,11]]", "[[11]]"), "violated");
  expect_all(log("[[11,10]]", "[[10]]"), "violated");
}

TEST(AuditStatements, MergeIsFollowed) {
  const std::string sql =
      "MERGE INTO t USING (VALUES (1, 5), (8, 6)) v (id, n) ON t.id = v.id "
      "WHEN MATCHED THEN UPDATE SET n = t.n + v.n "
      "WHEN NOT MATCHED THEN INSERT VALUES (v.id, v.n)";
  const auto log = [&](int count, const char* rows) {
    return statement_header() + one(1, count_of(sql, count)) +
           one(1, rows_of("SELECT id, n FROM t WHERE id IN (1, 8)", rows));
  };
  expect_all(log(2, "[[1,15],[8,6]]"), "holds");
  expect_all(log(1, "[[1,15],[8,6]]"), "violated");
  expect_all(log(2, "[[1,10],[8,6]]"), "violated");
}

// In which order a server comes to the rows, a log does not tell.
TEST(AuditStatements, AnUpdateOfAUniqueColumnMayComeToRowsInAnyOrder) {
  const std::string unique = R"x(,"CREATE UNIQUE INDEX ON t (n)")x";
  const std::string sql = "UPDATE t SET n = n + 10";
  expect_all(statement_header(unique) + one(1, count_of(sql, 3)), "holds");
  expect_all(
      statement_header(unique) +
          one(1, R"x({"sql":")x" + sql +
                     R"x(","error":{"sqlstate":"23505","message":""}})x"),
      "holds");
  // Both cannot be there in the end.
  expect_all(statement_header(unique) +
                 one(1, count_of("UPDATE t SET n = 20 WHERE id = 1", 1)),
             "violated");
  expect_all(statement_header(unique) +
                 one(1, R"x({"sql":"UPDATE t SET n = n + 1","error":)x"
                        R"x({"sqlstate":"23505","message":""}})x"),
             "violated");
}

// FOR KEY SHARE is no obstacle to an UPDATE of other columns, FOR SHARE is.
TEST(AuditStatements, WhatIsLockedForKeyShareMayChange) {
  const auto log = [](const std::string& lock) {
    return statement_header() +
           one(1,
               rows_of("SELECT n FROM t WHERE id = 1 FOR " + lock, "[[10]]") +
                   "," + rows_of("SELECT n FROM t WHERE id = 1", "[[11]]")) +
           one(2, count_of("UPDATE t SET n = 11 WHERE id = 1", 1));
  };
  EXPECT_EQ(statement_verdict(log("KEY SHARE"), "postgresql:read-committed"),
            "holds");
  EXPECT_EQ(statement_verdict(log("SHARE"), "postgresql:read-committed"),
            "violated");
}

// PostgreSQL follows the row to its new key, the tables of a log do not.
TEST(AuditStatements, ARowThatMayHaveMovedRefutesNothing) {
  const std::string log =
      statement_header() +
      one(1, count_of("UPDATE t SET id = 9 WHERE id = 1", 1)) +
      one(2, rows_of("SELECT id FROM t WHERE n = 10 FOR SHARE", "[[9]]") + "," +
                 rows_of("SELECT id FROM t WHERE n = 10", "[[9]]"));
  EXPECT_NE(statement_verdict(log, "postgresql:read-committed"), "violated");
}

// Nobody keeps others from deleting the row that was in the way.
TEST(AuditStatements, DoNothingMayHaveMetARowThatIsGoneWhenItCommits) {
  const std::string log =
      statement_header() +
      one(1, count_of("INSERT INTO t VALUES (1, 7) ON CONFLICT DO NOTHING", 0) +
                 "," + count_of("INSERT INTO t VALUES (1, 8)", 1)) +
      one(2, count_of("DELETE FROM t WHERE id = 1", 1)) +
      one(2, rows_of("SELECT n FROM t WHERE id = 1", "[]"));
  for (const char* level :
       {"postgresql:read-committed", "postgresql:repeatable-read"})
    EXPECT_EQ(statement_verdict(log, level), "holds") << level;
  EXPECT_EQ(statement_verdict(log, "serializable"), "violated");
  // A row that never was there is in nobody's way.
  expect_all(statement_header() +
                 one(1, count_of("INSERT INTO t VALUES (9, 7) ON CONFLICT "
                                 "DO NOTHING",
                                 0)),
             "violated");
}

TEST(AuditStatements, UniqueIndexesOnExpressionsAndExcludeAreHeld) {
  const std::string partial =
      R"x(,"CREATE UNIQUE INDEX ON t ((n / 100)) WHERE n >= 100")x";
  const std::string first = "INSERT INTO t VALUES (4, 120)";
  const std::string second = "INSERT INTO t VALUES (5, 180)";
  const std::string apart = "INSERT INTO t VALUES (5, 280)";
  const std::string refused =
      R"x({"sql":")x" + second +
      R"x(","error":{"sqlstate":"23505","message":"duplicate"}})x";
  expect_all(statement_header(partial) + one(1, count_of(first, 1)) +
                 one(2, count_of(apart, 1)),
             "holds");
  expect_all(statement_header(partial) + one(1, count_of(first, 1)) +
                 one(2, count_of(second, 1)),
             "violated");
  expect_all(
      statement_header(partial) + one(1, count_of(first, 1)) + one(2, refused),
      "holds");
  expect_all(statement_header(partial) + one(2, refused), "violated");
}

TEST(AuditStatements, TwoConcurrentInsertsCannotBothBreakAPartialIndex) {
  const std::string partial =
      R"x(,"CREATE UNIQUE INDEX ON t (n) WHERE id > 3")x";
  // Both saw no such row.
  const std::string look = rows_of("SELECT id FROM t WHERE n = 50", "[]");
  const std::string log =
      statement_header(partial) +
      one(1, look + "," + count_of("INSERT INTO t VALUES (4, 50)", 1)) +
      one(2, look + "," + count_of("INSERT INTO t VALUES (5, 50)", 1));
  for (const char* level : kSnapshotLevels)
    EXPECT_EQ(statement_verdict(log, level), "violated") << level;
  EXPECT_EQ(statement_verdict(log, "postgresql:read-committed"), "violated");
}

std::string with_cursor(const std::string& fetches) {
  return statement_header() +
         one(1, R"x({"sql":"DECLARE c NO SCROLL CURSOR FOR )x"
                R"x(SELECT id FROM t ORDER BY id"},)x"
                R"x({"sql":"UPDATE t SET id = 9 WHERE id = 3","count":1},)x" +
                    fetches + R"x(,{"sql":"CLOSE c"})x");
}

// A cursor sees what its DECLARE sees, not what the transaction does later.
TEST(AuditStatements, CursorsShowTheRowsOfTheirDeclare) {
  expect_all(with_cursor(rows_of("FETCH 2 FROM c", "[[1],[2]]") + "," +
                         rows_of("FETCH ALL FROM c", "[[3]]")),
             "holds");
  expect_all(with_cursor(rows_of("FETCH 2 FROM c", "[[1],[2]]") + "," +
                         rows_of("FETCH ALL FROM c", "[[9]]")),
             "violated");
  // So many rows, and no more were asked for.
  expect_all(with_cursor(rows_of("FETCH FORWARD 2 IN c", "[[1],[2]]")),
             "holds");
  expect_all(with_cursor(rows_of("FETCH c", "[[2]]")), "violated");
  // One that got fewer than it asked for has come to the end.
  expect_all(with_cursor(rows_of("FETCH 2 FROM c", "[[1]]")), "violated");
}

void expect_refused(const std::string& log, const std::string& word) {
  const std::string verdict = statement_verdict(log, "serializable");
  const std::string why = word + " in a transaction of a log is not supported";
  EXPECT_NE(verdict.find(why), std::string::npos) << verdict << "\n" << log;
}

TEST(AuditStatements, CursorsThatDoMoreAreRefused) {
  for (const char* declare :
       {"DECLARE c SCROLL CURSOR FOR SELECT id FROM t",
        "DECLARE c CURSOR WITH HOLD FOR SELECT id FROM t",
        "DECLARE c CURSOR FOR SELECT id FROM t FOR UPDATE"}) {
    const std::string log =
        statement_header() +
        one(1, R"x({"sql":")x" + std::string(declare) + R"x("},)x" +
                   rows_of("FETCH ALL FROM c", "[[1],[2],[3]]"));
    expect_refused(log, "DECLARE");
  }
  const std::string back =
      statement_header() +
      one(1, R"x({"sql":"DECLARE c CURSOR FOR SELECT id FROM t"},)x" +
                 rows_of("FETCH BACKWARD 1 FROM c", "[]"));
  expect_refused(back, "DECLARE");
}

TEST(AuditStatements, WhatIsRefusedIsNamed) {
  const std::string log =
      statement_header() + one(1, R"x({"sql":"alter table t add x int"})x");
  expect_refused(log, "ALTER");
}

}  // namespace
