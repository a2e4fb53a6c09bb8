// What an answer lacks, or shows twice, refutes logs with too many orders to
// try: rows of which everything that was asked for never changes.

#include <gtest/gtest.h>

#include <string>

#include "support/audit_log.h"

namespace {

using namespace txscope;

constexpr const char* kLackLevels[] = {
    "read-committed",         "postgresql:read-committed",
    "mariadb:read-committed", "mariadb:repeatable-read",
    "snapshot-isolation",     "serializable"};

std::string lack_line(const std::string& session,
                      const std::string& statements) {
  return R"x({"session":")x" + session + R"x(","id":")x" + session +
         R"x(","status":"committed","statements":[)x" + statements + "]}\n";
}

std::string lack_query(const std::string& sql, const std::string& rows) {
  return R"x({"sql":")x" + sql + R"x(","rows":)x" + rows + "}";
}

/// Five customers and their orders; thirty sessions each add one of the pairs
/// that follow somebody, or take one away, and count something.
std::string lack_log(const std::string& reads) {
  std::string log =
      R"x({"txscope":"log","version":1,"dialect":"postgresql","setup":[)x"
      R"x("CREATE TABLE customer (d INT, c INT, last TEXT NOT NULL, )x"
      R"x(paid INT NOT NULL, PRIMARY KEY (d, c))",)x"
      R"x("INSERT INTO customer VALUES (1,1,'bar',0),(1,2,'ought',0),)x"
      R"x((1,3,'bar',0),(2,4,'bar',0)",)x"
      R"x("CREATE TABLE follows (a INT, b INT, PRIMARY KEY (a, b))",)x"
      R"x("INSERT INTO follows VALUES (1,7),(2,7),(3,8)",)x"
      R"x("CREATE TABLE other (k INT PRIMARY KEY, v INT)",)x"
      R"x("INSERT INTO other VALUES (1,0)"]})x"
      "\n";
  for (int i = 1; i <= 30; ++i) {
    const std::string n = std::to_string(i);
    log +=
        lack_line("s" + n, R"x({"sql":"UPDATE customer SET paid = paid + )x" +
                               n + R"x( WHERE d = 1 AND c = 1","count":1})x");
  }
  log += lack_line(
      "x",
      R"x({"sql":"DELETE FROM follows WHERE a = 1 AND b = 7","count":1})x");
  log += lack_line("y",
                   R"x({"sql":"INSERT INTO follows VALUES (9,7)","count":1})x");
  return log + lack_line("r", reads);
}

std::string lack_verdict(const std::string& reads, const std::string& level) {
  audit::AuditOptions options;
  options.search_steps = 20'000;
  const auto report = test::audit_text_log(lack_log(reads), level, options);
  if (!report) return report.error().what;
  return test::verdict_of(report->results[0].found);
}

TEST(AuditLackedRows, ARowThatAlwaysFitsIsNotMissing) {
  const std::string sql =
      "SELECT c, last FROM customer WHERE d = 1 AND last = 'bar' ORDER BY c";
  for (const char* level : kLackLevels) {
    const auto of = [&](const std::string& rows) {
      return lack_verdict(lack_query(sql, rows), level);
    };
    EXPECT_EQ(of(R"x([[1,"bar"],[3,"bar"]])x"), "holds") << level;
    EXPECT_EQ(of(R"x([[1,"bar"]])x"), "violated") << level;
    EXPECT_EQ(of("[]"), "violated") << level;
  }
}

// Somebody deletes (1,7) and somebody inserts (9,7): each may be there or not.
TEST(AuditLackedRows, ARowThatComesOrGoesMayBeMissing) {
  const std::string sql = "SELECT a FROM follows WHERE b = 7 ORDER BY a";
  for (const char* level : kLackLevels) {
    const auto of = [&](const std::string& rows) {
      return lack_verdict(lack_query(sql, rows), level);
    };
    for (const std::string rows :
         {"[[1],[2]]", "[[2]]", "[[2],[9]]", "[[1],[2],[9]]"})
      EXPECT_EQ(of(rows), "holds") << level << rows;
    EXPECT_EQ(of("[[1]]"), "violated") << level;
    EXPECT_EQ(of("[[9]]"), "violated") << level;
  }
}

TEST(AuditLackedRows, BehindLimitNothingIsMissing) {
  const std::string first =
      "SELECT a FROM follows WHERE b = 7 ORDER BY a LIMIT ";
  for (const char* level : kLackLevels) {
    const auto of = [&](const std::string& sql, const std::string& rows) {
      return lack_verdict(lack_query(sql, rows), level);
    };
    EXPECT_EQ(of(first + "1", "[[1]]"), "holds") << level;
    EXPECT_EQ(of(first + "1", "[[2]]"), "holds") << level;
    EXPECT_EQ(of(first + "1", "[[9]]"), "violated") << level;
    EXPECT_EQ(of(first + "5", "[[2]]"), "holds") << level;
    EXPECT_EQ(of(first + "5", "[[1],[9]]"), "violated") << level;
  }
}

TEST(AuditLackedRows, SkipLockedMayLackAnything) {
  const std::string sql =
      "SELECT a FROM follows WHERE b = 8 FOR UPDATE SKIP LOCKED";
  const std::string all = lack_query("SELECT v FROM other", "[[0]]");
  for (const std::string level :
       {"postgresql:read-committed", "serializable"}) {
    const auto found = test::refutations_of(
        lack_log(lack_query(sql, "[]") + "," + all), level, {});
    ASSERT_TRUE(found) << found.error().what;
    EXPECT_TRUE(found->empty()) << level;
  }
}

TEST(AuditLackedRows, ARowOfOneStateIsNotThereTwice) {
  const std::string list = "SELECT a FROM follows WHERE b = 7 ORDER BY a";
  const std::string joined =
      "SELECT c.d, c.c, f.a FROM follows f JOIN customer c ON c.c = f.a "
      "WHERE f.b = 7 AND c.d = 1 ORDER BY c.c";
  for (const std::string level :
       {"postgresql:read-committed", "mariadb:read-committed",
        "mariadb:repeatable-read", "postgresql:repeatable-read",
        "serializable"}) {
    EXPECT_EQ(lack_verdict(lack_query(list, "[[1],[2]]"), level), "holds")
        << level;
    EXPECT_EQ(lack_verdict(lack_query(list, "[[1],[2],[2]]"), level),
              "violated")
        << level;
    EXPECT_EQ(lack_verdict(lack_query(joined, "[[1,1,1],[1,2,2]]"), level),
              "holds")
        << level;
    EXPECT_EQ(
        lack_verdict(lack_query(joined, "[[1,1,1],[1,2,2],[1,2,2]]"), level),
        "violated")
        << level;
  }
}

// PostgreSQL shows a key twice to who has inserted it itself after another one
// deleted it.
TEST(AuditLackedRows, ItsOwnRowMayStandBesideTheOneThatIsGone) {
  const std::string reads =
      lack_query("SELECT a FROM follows WHERE b = 7 ORDER BY a", "[[1],[2]]") +
      R"x(,{"sql":"INSERT INTO follows VALUES (1,7)","count":1},)x" +
      lack_query("SELECT a FROM follows WHERE b = 7 ORDER BY a",
                 "[[1],[1],[2]]");
  EXPECT_EQ(lack_verdict(reads, "postgresql:repeatable-read"), "holds");
  EXPECT_EQ(lack_verdict(reads, "serializable"), "violated");
}

/// Twenty that take ten away at MariaDB, with the number as a parameter.
std::string taken_log(const std::string& first, const std::string& shown) {
  std::string log =
      R"x({"txscope":"log","version":1,"dialect":"mariadb","setup":[)x"
      R"x("CREATE TABLE t (k INT PRIMARY KEY, v BIGINT)",)x"
      R"x("INSERT INTO t VALUES (1,)x" +
      first + R"x()"]})x" + "\n";
  for (int i = 1; i <= 20; ++i)
    log += lack_line("s" + std::to_string(i),
                     R"x({"sql":"UPDATE t SET v = v - $1 WHERE k = $2",)x"
                     R"x("params":[10,1],"count":1})x");
  return log + lack_line("r", lack_query("SELECT v FROM t WHERE k = 1", shown));
}

// A parameter beside a number is what the client sent, not a floating-point
// number: 9007199254740993 has no such number.
TEST(AuditLackedRows, AParameterOfMariadbAddsExactly) {
  const auto of = [](const std::string& first, const std::string& shown) {
    audit::AuditOptions options;
    options.search_steps = 20'000;
    const auto report = test::audit_text_log(
        taken_log(first, shown), "mariadb:repeatable-read", options);
    return report ? test::verdict_of(report->results[0].found)
                  : report.error().what;
  };
  EXPECT_EQ(of("500", "[[370]]"), "holds");
  EXPECT_EQ(of("500", "[[377]]"), "violated");
  EXPECT_EQ(of("500", "[[290]]"), "violated");
  EXPECT_EQ(of("9007199254741193", "[[9007199254740993]]"), "holds");
  EXPECT_EQ(of("9007199254741193", "[[9007199254740992]]"), "violated");
}

}  // namespace
