// Calls and triggers at the levels of read committed: every statement inside of
// them takes a snapshot of its own, as PostgreSQL 15 does.

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "support/audit_log.h"

namespace {

using namespace txscope;

std::string routine_header() {
  return R"x({"txscope":"log","version":1,"dialect":"postgresql","setup":[)x"
         R"x("CREATE TABLE t (id INT PRIMARY KEY, n INT NOT NULL)",)x"
         R"x("CREATE TABLE log (id INT PRIMARY KEY, n INT NOT NULL)",)x"
         R"x("CREATE TABLE seen (id INT PRIMARY KEY, n INT NOT NULL)",)x"
         R"x("INSERT INTO t VALUES (1,10)",)x"
         R"x("INSERT INTO log VALUES (1,0)",)x"
         R"x("INSERT INTO seen VALUES (1,0)",)x"
         R"x("CREATE FUNCTION twice() RETURNS INT LANGUAGE plpgsql AS $$ )x"
         R"x(DECLARE a INT; b INT; BEGIN SELECT n INTO a FROM t WHERE id = 1; )x"
         R"x(SELECT n INTO b FROM t WHERE id = 1; RETURN b - a; END $$",)x"
         R"x("CREATE FUNCTION stable_twice() RETURNS INT LANGUAGE plpgsql )x"
         R"x(STABLE AS $$ )x"
         R"x(DECLARE a INT; b INT; BEGIN SELECT n INTO a FROM t WHERE id = 1; )x"
         R"x(SELECT n INTO b FROM t WHERE id = 1; RETURN b - a; END $$",)x"
         R"x("CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS $$ )x"
         R"x(BEGIN UPDATE seen SET n = (SELECT n FROM t WHERE id = 1) )x"
         R"x(WHERE id = 1; RETURN NEW; END $$",)x"
         R"x("CREATE TRIGGER f AFTER UPDATE ON log FOR EACH ROW )x"
         R"x(EXECUTE FUNCTION f()"]})x"
         "\n";
}

std::string routine_transaction(int session, const std::string& id,
                                const std::string& statements) {
  return R"x({"session":)x" + std::to_string(session) + R"x(,"id":")x" + id +
         R"x(","status":"committed","statements":[)x" + statements + "]}\n";
}

std::string routine_verdict(const std::string& log, const std::string& level) {
  const auto report = test::audit_text_log(routine_header() + log, level);
  if (!report) return report.error().what;
  return test::verdict_of(report->results[0].found);
}

/// Somebody adds 5 while a function looks twice; it returns the difference.
std::string looks_twice(const std::string& function, int difference) {
  return routine_transaction(
             1, "adds",
             R"x({"sql":"UPDATE t SET n = n + 5 WHERE id = 1","count":1})x") +
         routine_transaction(2, "looks",
                             R"x({"sql":"SELECT )x" + function +
                                 R"x(()","rows":[[)x" +
                                 std::to_string(difference) + "]]}");
}

TEST(AuditRoutines, EachStatementOfAFunctionSeesAStateOfItsOwn) {
  for (const char* level : {"postgresql:read-committed", "read-committed"})
    EXPECT_EQ(routine_verdict(looks_twice("twice", 5), level), "holds")
        << level;
  for (const char* level :
       {"snapshot-isolation", "serializable", "postgresql:repeatable-read"})
    EXPECT_EQ(routine_verdict(looks_twice("twice", 5), level), "violated")
        << level;
}

TEST(AuditRoutines, NoStatementOfAFunctionSeesLessThanTheOneBefore) {
  EXPECT_EQ(
      routine_verdict(looks_twice("twice", -5), "postgresql:read-committed"),
      "violated");
  // The definition of the theory lets each see any version so far.
  EXPECT_EQ(routine_verdict(looks_twice("twice", -5), "read-committed"),
            "holds");
}

TEST(AuditRoutines, WhatNoStatesGiveIsRefuted) {
  for (const char* level : {"postgresql:read-committed", "read-committed"})
    EXPECT_EQ(routine_verdict(looks_twice("twice", 3), level), "violated")
        << level;
}

TEST(AuditRoutines, AStableFunctionSeesOneState) {
  EXPECT_EQ(routine_verdict(looks_twice("stable_twice", 5),
                            "postgresql:read-committed"),
            "violated");
  EXPECT_EQ(routine_verdict(looks_twice("stable_twice", 0),
                            "postgresql:read-committed"),
            "holds");
}

/// Two add 5; a third waits for a row of log, whose trigger looks at t.
std::string triggers(int seen) {
  std::string log;
  for (const int s : {1, 2})
    log += routine_transaction(
        s, "adds" + std::to_string(s),
        R"x({"sql":"UPDATE t SET n = n + 5 WHERE id = 1","count":1})x");
  log += routine_transaction(
      3, "fires",
      R"x({"sql":"UPDATE log SET n = n + 1 WHERE id = 1","count":1},)x"
      R"x({"sql":"SELECT n FROM seen WHERE id = 1","rows":[[)x" +
          std::to_string(seen) + "]]}");
  return log;
}

TEST(AuditRoutines, WhatATriggerCanHaveSeenIsExplainedAndNothingElse) {
  for (const char* level : {"postgresql:read-committed", "serializable"}) {
    for (const int seen : {10, 15, 20})
      EXPECT_EQ(routine_verdict(triggers(seen), level), "holds")
          << level << ", " << seen;
    for (const int seen : {0, 5, 25})
      EXPECT_EQ(routine_verdict(triggers(seen), level), "violated")
          << level << ", " << seen;
  }
  for (const int seen : {0, 5, 25})
    EXPECT_EQ(routine_verdict(triggers(seen), "read-committed"), "violated")
        << seen;
}

/// `count` updates of log, each of which fires a trigger that counts them.
std::string counted(int count, int shown) {
  std::string log =
      R"x({"txscope":"log","version":1,"dialect":"postgresql","setup":[)x"
      R"x("CREATE TABLE t (id INT PRIMARY KEY, n INT NOT NULL)",)x"
      R"x("CREATE TABLE c (id INT PRIMARY KEY, n INT NOT NULL)",)x"
      R"x("INSERT INTO t VALUES (1,100)","INSERT INTO c VALUES (1,0)",)x"
      R"x("CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN )x"
      R"x(UPDATE c SET n = n + 1 WHERE id = 1; RETURN NEW; END $$",)x"
      R"x("CREATE TRIGGER f AFTER UPDATE ON t FOR EACH ROW EXECUTE )x"
      R"x(FUNCTION f()"]})x"
      "\n";
  for (int i = 0; i < count; ++i)
    log += routine_transaction(
        i % 2, "t" + std::to_string(i),
        R"x({"sql":"UPDATE t SET n = n + 10 WHERE id = 1","count":1})x");
  return log + routine_transaction(
                   9, "r",
                   R"x({"sql":"SELECT n FROM c WHERE id = 1","rows":[[)x" +
                       std::to_string(shown) + "]]}");
}

TEST(AuditRoutines, WhatTriggersAddIsCounted) {
  for (const int count : {3, 10, 40})
    for (const char* level :
         {"read-committed", "postgresql:read-committed", "serializable"}) {
      const auto wrong = test::audit_text_log(counted(count, count + 5), level);
      ASSERT_TRUE(wrong);
      EXPECT_EQ(test::verdict_of(wrong->results[0].found), "violated")
          << level << ", " << count;
      const auto right = test::audit_text_log(counted(count, count), level);
      ASSERT_TRUE(right);
      EXPECT_EQ(test::verdict_of(right->results[0].found), "holds")
          << level << ", " << count;
    }
}

/// Forty calls, one after the other, each of which began before the three
/// before it committed; nobody sees the row until the end.
std::string overlapping_calls(std::int64_t last) {
  std::string text =
      R"x({"txscope":"log","version":1,"dialect":"postgresql","setup":[)x"
      R"x("CREATE TABLE t (k INT PRIMARY KEY, v INT)",)x"
      R"x("INSERT INTO t VALUES (1,1)",)x"
      R"x("CREATE PROCEDURE next(i int) LANGUAGE plpgsql AS $$ )x"
      R"x(DECLARE x int; BEGIN SELECT v INTO x FROM t WHERE k = 1; )x"
      R"x(UPDATE t SET v = (x * 3 + i) % 10007 WHERE k = 1; END $$"]})x"
      "\n";
  for (int i = 1; i <= 41; ++i) {
    const int at = 100 + 10 * i;
    text +=
        R"x({"session":)x" + std::to_string(i % 4) + R"x(,"id":"c)x" +
        std::to_string(i) + R"x(","status":"committed","start":)x" +
        std::to_string(i == 41 ? at - 5 : at - 35) + R"x(,"end":)x" +
        std::to_string(at + 2) + R"x(,"commit":)x" + std::to_string(at) +
        R"x(,"statements":[)x" +
        (i == 41 ? R"x({"sql":"SELECT v FROM t WHERE k = 1","rows":[[)x" +
                       std::to_string(last) + "]]}"
                 : R"x({"sql":"CALL next()x" + std::to_string(i) + R"x()"})x") +
        "]}\n";
  }
  return text;
}

// At read committed each could have seen what was there when it began; that
// they saw what was there last is one explanation of many.
TEST(AuditRoutines, CallsThatRanOneAfterTheOtherAreExplained) {
  std::int64_t value = 1;
  for (int i = 1; i <= 40; ++i) value = (value * 3 + i) % 10007;
  audit::AuditOptions options;
  options.certify = true;
  options.search_steps = 200'000;
  const auto report = test::audit_text_log(
      overlapping_calls(value), "postgresql:read-committed", options);
  ASSERT_TRUE(report) << report.error().what;
  const audit::AuditResult& result = report->results[0];
  EXPECT_EQ(test::verdict_of(result.found), "holds");
  EXPECT_EQ(result.found.strategy, "serial-order");
  EXPECT_NE(result.certified.find("were run again"), std::string::npos)
      << result.certified;
}

/// What a call wrote no answer tells, nor that it wrote nothing: `poor` read
/// before `gain` committed, `rich` after it, and both went on after it.
std::string hidden_choices() {
  std::string text =
      R"x({"txscope":"log","version":1,"dialect":"postgresql","setup":[)x"
      R"x("CREATE TABLE t (k INT PRIMARY KEY, v INT)",)x"
      R"x("CREATE TABLE o (k INT PRIMARY KEY)",)x"
      R"x("INSERT INTO t VALUES (1,100),(2,40)",)x"
      R"x("CREATE PROCEDURE gain() LANGUAGE plpgsql AS $$ BEGIN )x"
      R"x(UPDATE t SET v = v + 20 WHERE k = 2; END $$",)x"
      R"x("CREATE PROCEDURE poor() LANGUAGE plpgsql AS $$ DECLARE x int; )x"
      R"x(BEGIN SELECT v INTO x FROM t WHERE k = 2; IF x < 50 THEN )x"
      R"x(UPDATE t SET v = v - 30 WHERE k = 1; END IF; END $$",)x"
      R"x("CREATE PROCEDURE rich() LANGUAGE plpgsql AS $$ DECLARE x int; )x"
      R"x(BEGIN SELECT v INTO x FROM t WHERE k = 2; IF x >= 50 THEN )x"
      R"x(UPDATE t SET v = v - 7 WHERE k = 1; END IF; END $$",)x"
      R"x("CREATE FUNCTION get() RETURNS int LANGUAGE plpgsql AS $$ )x"
      R"x(DECLARE x int; BEGIN SELECT v INTO x FROM t WHERE k = 1; )x"
      R"x(RETURN x; END $$"]})x"
      "\n";
  const auto add = [&](const std::string& name, const std::string& times,
                       const std::string& statements) {
    text += R"x({"session":")x" + name + R"x(","id":")x" + name +
            R"x(","status":"committed",)x" + times + R"x(,"statements":[)x" +
            statements + "]}\n";
  };
  const std::string see = R"x({"sql":"SELECT v FROM t WHERE k = 2","rows":)x"
                          "[[60]]}";
  add("gain", R"x("start":0,"commit":8,"end":10)x",
      R"x({"sql":"CALL gain()"})x");
  add("poor", R"x("start":1,"commit":12,"end":13)x",
      R"x({"sql":"CALL poor()"},)x" + see);
  add("rich", R"x("start":2,"commit":14,"end":15)x",
      R"x({"sql":"CALL rich()"},)x" + see);
  add("get", R"x("start":16,"end":18)x",
      R"x({"sql":"SELECT get()","rows":[[63]]})x");
  for (int i = 0; i < 12; ++i)
    add("o" + std::to_string(i), R"x("start":-1,"end":1000)x",
        R"x({"sql":"SELECT count(*) FROM o","rows":[[0]]})x");
  return text;
}

TEST(AuditRoutines, WhoWroteNothingMayBeToBlame) {
  const auto report =
      test::audit_text_log(hidden_choices(), "postgresql:read-committed");
  ASSERT_TRUE(report) << report.error().what;
  const audit::Found& found = report->results[0].found;
  EXPECT_EQ(test::verdict_of(found), "holds");
  EXPECT_EQ(found.strategy, "times");
}

std::string asked_of_function(const std::string& sql, const std::string& rows) {
  return R"x({"txscope":"log","version":1,"dialect":"postgresql","setup":[)x"
         R"x("CREATE TABLE t (k INT PRIMARY KEY)","INSERT INTO t VALUES (1),(2)",)x"
         R"x("CREATE FUNCTION f() RETURNS SETOF int LANGUAGE sql AS $$ )x"
         R"x(SELECT k FROM t $$",)x"
         R"x("CREATE FUNCTION g() RETURNS TABLE (a int) LANGUAGE plpgsql AS )x"
         R"x($$ BEGIN RETURN QUERY SELECT k FROM t; END $$",)x"
         R"x("CREATE FUNCTION h() RETURNS SETOF int LANGUAGE plpgsql AS )x"
         R"x($$ BEGIN DELETE FROM t WHERE k = 1; )x"
         R"x(RETURN QUERY SELECT k FROM t; END $$"]})x"
         "\n"
         R"x({"session":1,"id":"a","status":"committed","statements":[{"sql":")x" +
         sql + R"x(","rows":)x" + rows + "}]}\n";
}

TEST(AuditRoutines, RowsOfAFunctionThatIsOneQueryAreCompared) {
  for (const std::string sql : {"SELECT * FROM f()", "SELECT * FROM g()"})
    for (const auto& [rows, verdict] :
         {std::pair("[[1],[2]]", "holds"), std::pair("[[1],[3]]", "violated"),
          std::pair("[[1]]", "violated")}) {
      const auto report =
          test::audit_text_log(asked_of_function(sql, rows), "serializable");
      ASSERT_TRUE(report) << report.error().what;
      EXPECT_EQ(test::verdict_of(report->results[0].found), verdict)
          << sql << " " << rows;
      EXPECT_EQ(report->not_judged, 0U) << sql;
    }
}

// Those of others are not, and what is not compared was not judged.
TEST(AuditRoutines, RowsThatAreNotComparedAreCounted) {
  const auto report = test::audit_text_log(
      asked_of_function("SELECT * FROM h()", "[[7]]"), "serializable");
  ASSERT_TRUE(report) << report.error().what;
  EXPECT_EQ(report->not_judged, 1U);
}

}  // namespace
