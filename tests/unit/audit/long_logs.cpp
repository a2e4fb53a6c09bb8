// Logs that are too long to be searched at once: what single rows tell must not
// refute what an order explains.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/audit_log.h"

namespace {

using namespace txscope;

/// More than are searched in all orders.
constexpr int kTooMany = 4100;

/// A log of these transactions and others that touch nothing of theirs.
std::string long_log(const std::string& setup, const std::string& lines,
                     int more = 13) {
  std::string text =
      R"x({"txscope":"log","version":1,"dialect":"postgresql","setup":[)x" +
      setup + R"x(,"CREATE TABLE other (k INT PRIMARY KEY)"]})x" + "\n" + lines;
  for (int i = 0; i < more; ++i)
    text += R"x({"session":"o)x" + std::to_string(i % 13) + R"x(","id":"o)x" +
            std::to_string(i) +
            R"x(","status":"committed","statements":[)x"
            R"x({"sql":"SELECT count(*) FROM other","rows":[[0]]}]})x"
            "\n";
  return text;
}

std::string verdict(const std::string& log, const std::string& level) {
  const auto report = test::audit_text_log(log, level);
  if (!report) return report.error().what;
  return test::verdict_of(report->results[0].found);
}

/// A transaction whose times say that it comes after what it did not see.
std::string line(const std::string& session, int end,
                 const std::string& statements) {
  return R"x({"session":")x" + session + R"x(","id":"t)x" +
         std::to_string(end) + R"x(","status":"committed","start":0,"end":)x" +
         std::to_string(end) + R"x(,"statements":[)x" + statements + "]}\n";
}

TEST(AuditLongLogs, AForeignKeyDeletesRowsThatNobodyNames) {
  const std::string setup =
      R"x("CREATE TABLE p (k INT PRIMARY KEY)",)x"
      R"x("CREATE TABLE c (k INT PRIMARY KEY, p INT REFERENCES p ON DELETE )x"
      R"x(CASCADE)","INSERT INTO p VALUES (1),(2)",)x"
      R"x("INSERT INTO c VALUES (1,1),(2,2)")x";
  const std::string remove =
      line("a", 9, R"x({"sql":"DELETE FROM p WHERE k = 1","count":1})x");
  const auto seen = [](const std::string& rows) {
    return line(
        "b", 5,
        R"x({"sql":"SELECT k FROM c ORDER BY k","rows":)x" + rows + "}");
  };
  EXPECT_EQ(verdict(long_log(setup, seen("[[2]]") + remove), "serializable"),
            "holds");
  EXPECT_EQ(verdict(long_log(setup, seen("[[1]]") + remove), "serializable"),
            "violated");
}

// Three rows, each in another version that no state has together: read
// committed of logs allows it, that of histories would not.
TEST(AuditLongLogs, StatementsAtReadCommittedMixVersions) {
  const std::string setup = R"x("CREATE TABLE t (k INT PRIMARY KEY, v INT)",)x"
                            R"x("INSERT INTO t VALUES (1,0),(2,0),(3,0)")x";
  const std::string all = R"x("sql":"UPDATE t SET v = )x";
  std::string lines;
  for (int i = 1; i <= 3; ++i)
    lines += line("w", i, "{" + all + std::to_string(i) + R"x(","count":3})x");
  lines += line("r", 4,
                R"x({"sql":"SELECT k, v FROM t WHERE k < 9 ORDER BY k",)x"
                R"x("rows":[[1,1],[2,3],[3,0]]},)x"
                R"x({"sql":"SELECT v FROM t WHERE k = 1","rows":[[0]]})x");
  const std::string log = long_log(setup, lines);
  EXPECT_EQ(verdict(log, "read-committed"), "holds");
  EXPECT_EQ(verdict(log, "prefix"), "violated");
}

// Twenty accounts are no help: of two that saw 100 and wrote one must be lost.
TEST(AuditLongLogs, ALostUpdateIsFoundByCounting) {
  const std::string setup = R"x("CREATE TABLE t (k INT PRIMARY KEY, v INT)",)x"
                            R"x("INSERT INTO t VALUES (1,100),(2,100)")x";
  const auto withdraw = [](int end, int seen, int amount) {
    return line("s" + std::to_string(end), end,
                R"x({"sql":"SELECT v FROM t WHERE k = 1","rows":[[)x" +
                    std::to_string(seen) +
                    R"x(]]},{"sql":"UPDATE t SET v = v - $1 WHERE k = 1",)x" +
                    R"x("params":[)x" + std::to_string(amount) +
                    R"x(],"count":1})x");
  };
  const std::string chain = withdraw(1, 100, 10) + withdraw(2, 90, -10);
  // 100 is there twice: at first, and after the second.
  const std::string fine = long_log(setup, chain + withdraw(3, 100, 5));
  EXPECT_EQ(verdict(fine, "snapshot-isolation"), "holds");
  const std::string lost =
      long_log(setup, chain + withdraw(3, 100, 5) + withdraw(4, 100, 7));
  const auto report = test::audit_text_log(lost, "snapshot-isolation");
  ASSERT_TRUE(report);
  const audit::Found& found = report->results[0].found;
  EXPECT_EQ(test::verdict_of(found), "violated");
  EXPECT_EQ(found.core, (std::vector<std::string>{"t1", "t3", "t4"}));
  EXPECT_EQ(found.first_bad->why,
            "lost update: 3 transactions saw v = 100 in row 1 of t and wrote "
            "the row, which had this value only 2 times");
  EXPECT_EQ(verdict(lost, "read-committed"), "holds");
}

TEST(AuditLongLogs, ThoseThatCanOnlyHaveReadFromEachOtherAreRefuted) {
  const std::string setup = R"x("CREATE TABLE t (k INT PRIMARY KEY, v INT)",)x"
                            R"x("INSERT INTO t VALUES (1,0),(2,0)")x";
  const auto one = [](int sees, int value, int sets) {
    return R"x({"sql":"SELECT v FROM t WHERE k = $1","params":[)x" +
           std::to_string(sees) + R"x(],"rows":[[)x" + std::to_string(value) +
           R"x(]]},{"sql":"UPDATE t SET v = $1 WHERE k = $2","params":[)x" +
           std::to_string(sets) + "," + std::to_string(3 - sees) +
           R"x(],"count":1})x";
  };
  const std::string log =
      long_log(setup, line("a", 1, one(1, 7, 8)) + line("b", 2, one(2, 8, 7)));
  EXPECT_EQ(verdict(log, "read-committed"), "violated");
}

/// A row that many write without looking at it says nothing by counting.
std::string hidden_update(int seen_by_second, int more = 13) {
  const std::string setup = R"x("CREATE TABLE t (k INT PRIMARY KEY, v INT)",)x"
                            R"x("INSERT INTO t VALUES (1,100),(2,100)")x";
  std::string lines;
  for (int i = 1; i <= 3; ++i)
    lines += line("b" + std::to_string(i), i,
                  R"x({"sql":"UPDATE t SET v = v + 1000 WHERE k = 1",)x"
                  R"x("count":1})x");
  const auto take = [](int end, int seen, int left) {
    return line("s" + std::to_string(end), end,
                R"x({"sql":"SELECT v FROM t WHERE k = 1","rows":[[)x" +
                    std::to_string(seen) +
                    R"x(]]},{"sql":"UPDATE t SET v = $1 WHERE k = 1",)x" +
                    R"x("params":[)x" + std::to_string(left) +
                    R"x(],"count":1})x");
  };
  return long_log(
      setup,
      lines + take(4, 2100, 2090) + take(5, seen_by_second, seen_by_second - 7),
      more);
}

TEST(AuditLongLogs, ALostUpdateAmongBlindWritesIsFoundInItsRow) {
  for (const std::string level :
       {"snapshot-isolation", "serializable", "postgresql:repeatable-read"}) {
    EXPECT_EQ(verdict(hidden_update(2090), level), "holds");
    EXPECT_EQ(verdict(hidden_update(2100, kTooMany), level), "violated");
  }
  EXPECT_EQ(verdict(hidden_update(2100), "read-committed"), "holds");
  // Three blind ones can be between: 100, 1100, 2100; not more.
  EXPECT_EQ(verdict(hidden_update(3090), "snapshot-isolation"), "holds");
  EXPECT_EQ(verdict(hidden_update(4090, kTooMany), "snapshot-isolation"),
            "violated");
}

TEST(AuditLongLogs, WriteSkewIsFoundInItsTwoRows) {
  const std::string setup = R"x("CREATE TABLE t (k INT PRIMARY KEY, v INT)",)x"
                            R"x("INSERT INTO t VALUES (1,50),(2,50),(3,50)")x";
  const auto take = [](int end, int seen, int from) {
    return line("s" + std::to_string(end), end,
                R"x({"sql":"SELECT sum(v) FROM t WHERE k = 1 OR k = 2",)x"
                R"x("rows":[[)x" +
                    std::to_string(seen) +
                    R"x(]]},{"sql":"UPDATE t SET v = v - 80 WHERE k = $1",)x" +
                    R"x("params":[)x" + std::to_string(from) +
                    R"x(],"count":1})x");
  };
  const std::string skew =
      long_log(setup, take(1, 100, 1) + take(2, 100, 2), kTooMany);
  EXPECT_EQ(verdict(skew, "snapshot-isolation"), "holds");
  EXPECT_EQ(verdict(skew, "serializable"), "violated");
  EXPECT_EQ(verdict(long_log(setup, take(1, 100, 1) + take(2, 20, 2), kTooMany),
                    "serializable"),
            "holds");
}

// Six double a row, in any order; nothing halves it.
TEST(AuditLongLogs, ARowThatGoesBackBetweenTwoStatementsIsRefuted) {
  const std::string setup = R"x("CREATE TABLE t (k INT PRIMARY KEY, v INT)",)x"
                            R"x("INSERT INTO t VALUES (1,1),(2,1)")x";
  std::string lines;
  for (int i = 1; i <= 6; ++i)
    lines +=
        line("d" + std::to_string(i), i,
             R"x({"sql":"UPDATE t SET v = v * 2 WHERE k = 1","count":1})x");
  const auto seen = [](int value) {
    return R"x({"sql":"SELECT v FROM t WHERE k = 1","rows":[[)x" +
           std::to_string(value) + "]]}";
  };
  const auto reads = [&](int first, int second) {
    return long_log(setup,
                    lines + line("r", 7, seen(first) + "," + seen(second)),
                    kTooMany);
  };
  for (const std::string level :
       {"postgresql:read-committed", "mariadb:read-committed"}) {
    EXPECT_EQ(verdict(reads(4, 8), level), "holds") << level;
    EXPECT_EQ(verdict(reads(8, 4), level), "violated") << level;
  }
  EXPECT_EQ(verdict(reads(8, 4), "read-committed"), "holds");
}

// Each reads two of five rows in a ring and changes the first: a cycle through
// more rows than are searched by themselves, at the beginning of the log.
TEST(AuditLongLogs, WhatIsWrongAtTheBeginningIsFoundWhateverComesLater) {
  const std::string setup =
      R"x("CREATE TABLE t (k INT PRIMARY KEY, v INT)",)x"
      R"x("INSERT INTO t VALUES (1,50),(2,50),(3,50),(4,50),(5,50)")x";
  const auto ring = [](int last_seen) {
    std::string lines;
    for (int k = 1; k <= 5; ++k) {
      const std::string first = std::to_string(k);
      const std::string second = std::to_string(k % 5 + 1);
      lines +=
          line("s" + first, k,
               R"x({"sql":"SELECT sum(v) FROM t WHERE k = $1 OR k = $2",)x"
               R"x("params":[)x" +
                   first + "," + second + R"x(],"rows":[[)x" +
                   std::to_string(k == 5 ? last_seen : 100) +
                   R"x(]]},{"sql":"UPDATE t SET v = v - 80 WHERE k = $1",)x"
                   R"x("params":[)x" +
                   first + R"x(],"count":1})x");
    }
    return lines;
  };
  EXPECT_EQ(verdict(long_log(setup, ring(100), kTooMany), "serializable"),
            "violated");
  EXPECT_EQ(verdict(long_log(setup, ring(20), kTooMany), "serializable"),
            "holds");
  const auto report = test::audit_text_log(long_log(setup, ring(100), kTooMany),
                                           "serializable");
  ASSERT_TRUE(report);
  // Who else stands there depends on the time that there was to leave them out.
  const std::vector<std::string>& core = report->results[0].found.core;
  ASSERT_GE(core.size(), 5u);
  EXPECT_EQ(std::vector<std::string>(core.begin(), core.begin() + 5),
            (std::vector<std::string>{"t1", "t2", "t3", "t4", "t5"}));
}

// The first reader is explained after the change as well as before it; only
// what its session reads next tells which.
TEST(AuditLongLogs, AReaderStandsAsEarlyAsItsSessionNeeds) {
  const std::string setup = R"x("CREATE TABLE t (k INT PRIMARY KEY, v INT)",)x"
                            R"x("INSERT INTO t VALUES (1,5),(2,70),(3,30)")x";
  const auto read = [](int end, const std::string& what, int seen) {
    return line("r", end,
                R"x({"sql":"SELECT )x" + what + R"x(","rows":[[)x" +
                    std::to_string(seen) + "]]}");
  };
  const std::string change =
      line("w", 2, R"x({"sql":"UPDATE t SET v = v + 1","count":3})x");
  const auto lines = [&](int sum) {
    return change + read(3, "count(*) FROM t WHERE v < 20", 1) +
           read(4, "sum(v) FROM t WHERE v > 20", sum);
  };
  for (const std::string level :
       {"snapshot-isolation", "prefix", "postgresql:repeatable-read",
        "postgresql:read-committed"}) {
    EXPECT_EQ(verdict(long_log(setup, lines(100), kTooMany), level), "holds");
    EXPECT_EQ(verdict(long_log(setup, lines(102), kTooMany), level), "holds");
    EXPECT_NE(verdict(long_log(setup, lines(101), kTooMany), level), "holds");
  }
}

// w has its number early and is visible late (its commit waits for the disk):
// what its rival reads second tells that it comes behind the rival's session.
TEST(AuditLongLogs, ACommitThatIsVisibleLateIsMovedBack) {
  const std::string setup = R"x("CREATE TABLE t (k INT PRIMARY KEY, v INT)",)x"
                            R"x("INSERT INTO t VALUES (1,10),(2,20),(3,30)")x";
  std::string lines =
      line("w", 1, R"x({"sql":"UPDATE t SET v = 25 WHERE k = 2","count":1})x");
  for (int i = 2; i < 12; ++i)
    lines +=
        line("r", i,
             R"x({"sql":"UPDATE t SET v = v + 1 WHERE k = $1","params":[)x" +
                 std::to_string(i % 2 == 0 ? 1 : 3) + R"x(],"count":1})x");
  const auto rival = [&](int second) {
    return lines +
           line("r", 50,
                R"x({"sql":"SELECT v FROM t WHERE k = 1","rows":[[15]]},)x"
                R"x({"sql":"SELECT v FROM t WHERE k = 2","rows":[[)x" +
                    std::to_string(second) +
                    R"x(]]},{"sql":"UPDATE t SET v = 0 WHERE k = 3",)x"
                    R"x("count":1})x");
  };
  // The pass by itself, without a search of orders.
  audit::AuditOptions options;
  options.search_steps = 0;
  const auto passes = [&](int second, const std::string& level) {
    const auto report =
        test::audit_text_log(long_log(setup, rival(second)), level, options);
    return report && report->results[0].found.answer == Outcome::Holds;
  };
  for (const std::string level :
       {"postgresql:read-committed", "mariadb:repeatable-read",
        "snapshot-isolation", "serializable"}) {
    EXPECT_TRUE(passes(20, level)) << level;
    EXPECT_TRUE(passes(25, level)) << level;
    EXPECT_FALSE(passes(30, level)) << level;
  }
}

// d1 finds that w1 has deleted the row, and changes nothing; before w1 it would
// have deleted it itself, so that its session's next is not refused the key.
TEST(AuditLongLogs, WhatWouldHaveChangedSomethingIsNotPutEarlier) {
  const std::string setup = R"x("CREATE TABLE t (k INT PRIMARY KEY, v INT)",)x"
                            R"x("INSERT INTO t VALUES (1,2)")x";
  const std::string gone =
      line("w", 2, R"x({"sql":"DELETE FROM t WHERE v >= 0","count":1})x");
  const std::string in_vain =
      line("d", 3,
           R"x({"sql":"SELECT count(*) FROM t","rows":[[1]]},)x"
           R"x({"sql":"DELETE FROM t WHERE v >= 0"})x");
  const std::string refused =
      line("d", 4,
           R"x({"sql":"INSERT INTO t VALUES (1,0)","error":{"sqlstate":)x"
           R"x("23505","message":"duplicate key"}})x");
  audit::AuditOptions options;
  options.certify = true;  // what does not stand is an error
  const auto report =
      test::audit_text_log(long_log(setup, gone + in_vain + refused),
                           "postgresql:read-committed", options);
  ASSERT_TRUE(report) << report.error().what;
  EXPECT_EQ(test::verdict_of(report->results[0].found), "violated");
}

// What a greatest value or a LIMIT leaves unread is not left unread in a
// subquery.
TEST(AuditLongLogs, OnlyTheQueryItselfStopsAtWhatWasSeen) {
  const std::string setup =
      R"x("CREATE TABLE t (k INT PRIMARY KEY)","CREATE TABLE u (k INT )x"
      R"x(PRIMARY KEY)","INSERT INTO t VALUES (5),(6)",)x"
      R"x("INSERT INTO u VALUES (1),(9)")x";
  const auto seen = [&](const std::string& sql, const std::string& rows) {
    return verdict(long_log(setup, line("a", 1,
                                        R"x({"sql":")x" + sql +
                                            R"x(","rows":)x" + rows + "}")),
                   "serializable");
  };
  const std::string greatest =
      "SELECT max(k) FROM t WHERE EXISTS (SELECT 1 FROM u WHERE k < 3)";
  EXPECT_EQ(seen(greatest, "[[6]]"), "holds");
  EXPECT_EQ(seen(greatest, "[[5]]"), "violated");
  const std::string first =
      "SELECT k FROM t WHERE (SELECT count(*) FROM u) = 2 ORDER BY k DESC "
      "LIMIT 1";
  EXPECT_EQ(seen(first, "[[6]]"), "holds");
  EXPECT_EQ(seen(first, "[[5]]"), "violated");
  const std::string two = "SELECT k FROM t ORDER BY k DESC LIMIT 2";
  EXPECT_EQ(seen(two, "[[6],[5]]"), "holds");
  EXPECT_EQ(seen(two, "[[6],[4]]"), "violated");
  EXPECT_EQ(seen(two, "[[6]]"), "violated");
  // A window call sees the rows that LIMIT leaves out.
  const std::string counted =
      "SELECT k, count(*) OVER () FROM t ORDER BY k DESC LIMIT 1";
  EXPECT_EQ(seen(counted, "[[6,2]]"), "holds");
  EXPECT_EQ(seen(counted, "[[6,1]]"), "violated");
  const std::string numbered =
      "SELECT k, row_number() OVER (ORDER BY k) FROM t ORDER BY k DESC LIMIT 1";
  EXPECT_EQ(seen(numbered, "[[6,2]]"), "holds");
  EXPECT_EQ(seen(numbered, "[[6,1]]"), "violated");
  // Of equal rows any may come first.
  for (const char* sql : {"SELECT row_number() OVER () FROM t",
                          "SELECT DISTINCT ON (k % 2) k FROM t"})
    EXPECT_NE(seen(sql, "[[1]]").find("does not tell all rows apart"),
              std::string::npos)
        << sql;
}

// A bound on one side of a join is one on its result, unless the join is outer:
// then a row that is not read leaves one of NULLs.
TEST(AuditLongLogs, JoinsStopAtWhatWasSeen) {
  const std::string setup =
      R"x("CREATE TABLE t (k INT PRIMARY KEY)","CREATE TABLE u (k INT )x"
      R"x(PRIMARY KEY)","INSERT INTO t VALUES (1),(2),(3)",)x"
      R"x("INSERT INTO u VALUES (10),(30)")x";
  const auto seen = [&](const std::string& sql, const std::string& rows) {
    return verdict(long_log(setup, line("a", 1,
                                        R"x({"sql":")x" + sql +
                                            R"x(","rows":)x" + rows + "}")),
                   "serializable");
  };
  const std::string inner =
      "SELECT u.k FROM t JOIN u ON u.k = t.k * 10 ORDER BY u.k DESC LIMIT 1";
  EXPECT_EQ(seen(inner, "[[30]]"), "holds");
  EXPECT_EQ(seen(inner, "[[10]]"), "violated");
  const std::string outer =
      "SELECT u.k FROM t LEFT JOIN u ON u.k = t.k * 10 ORDER BY u.k DESC "
      "LIMIT 2";
  EXPECT_EQ(seen(outer, "[[null],[30]]"), "holds");
  EXPECT_EQ(seen(outer, "[[30],[10]]"), "violated");
}

}  // namespace
