// What a database may hold when its log begins, beside tables: types, views,
// triggers, generated columns; and the writes that are refused for it.

#include <gtest/gtest.h>

#include <string>

#include "support/audit_log.h"

namespace {

using namespace txscope;

std::string verdict_of_one(const std::string& setup,
                           const std::string& statements,
                           const std::string& level,
                           const audit::AuditOptions& options = {}) {
  const std::string log =
      R"x({"txscope":"log","version":1,"dialect":"postgresql",)x" + setup +
      "}\n" + R"x({"session":1,"id":"a","status":"committed","statements":[)x" +
      statements + "]}\n";
  const auto report = test::audit_text_log(log, level, options);
  return report ? test::verdict_of(report->results[0].found)
                : report.error().what;
}

const char* const kTriggers =
    R"x("schema":["CREATE TABLE t (k INT PRIMARY KEY, v INT, )x"
    R"x(twice INT GENERATED ALWAYS AS (v * 2) STORED)",)x"
    R"x("CREATE TABLE notes (k INT PRIMARY KEY, v INT)",)x"
    R"x("CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN )x"
    R"x(INSERT INTO notes VALUES (NEW.k, (SELECT count(*) FROM t)); )x"
    R"x(NEW.v := NEW.v + 1; RETURN NEW; END $$",)x"
    R"x("CREATE TRIGGER tr BEFORE INSERT ON t FOR EACH ROW )x"
    R"x(EXECUTE FUNCTION f()"],"initial":{"notes":[[7,0]]})x";

// PostgreSQL 15 gives these answers.
TEST(AuditSetup, TriggersFireAndGeneratedColumnsFollow) {
  const std::string insert =
      R"x({"sql":"INSERT INTO t (k, v) VALUES ($1, $2) RETURNING v, twice",)x"
      R"x("params":[1,5],"count":1,"rows":[[6,12]]})x";
  const std::string look =
      R"x({"sql":"SELECT * FROM notes ORDER BY k","rows":[[1,)x";
  for (const std::string level :
       {"serializable", "snapshot-isolation", "postgresql:repeatable-read",
        "read-committed", "postgresql:read-committed"}) {
    audit::AuditOptions options;
    options.certify = true;
    EXPECT_EQ(verdict_of_one(kTriggers, insert + "," + look + "0],[7,0]]}",
                             level, options),
              "holds")
        << level;
    EXPECT_NE(verdict_of_one(kTriggers, insert + "," + look + "1],[7,0]]}",
                             level, options),
              "holds")
        << level;
  }
  EXPECT_EQ(verdict_of_one(kTriggers,
                           R"x({"sql":"INSERT INTO t (k, v) VALUES (1, 5) )x"
                           R"x(RETURNING v","count":1,"rows":[[5]]})x",
                           "serializable"),
            "violated");
}

TEST(AuditSetup, HasTypesViewsBlocksAndTablesThatReferToEachOther) {
  const std::string setup =
      R"x("setup":["CREATE TYPE mood AS ENUM ('sad', 'glad')",)x"
      R"x("CREATE DOMAIN amount AS INT CHECK (VALUE > 0)",)x"
      R"x("CREATE TABLE a (k INT PRIMARY KEY, m mood, n amount, b INT)",)x"
      R"x("CREATE TABLE b (k INT PRIMARY KEY, a INT REFERENCES a)",)x"
      R"x("ALTER TABLE a ADD CONSTRAINT f FOREIGN KEY (b) REFERENCES b",)x"
      R"x("CREATE VIEW glad AS SELECT k FROM a WHERE m = 'glad'",)x"
      R"x("INSERT INTO a VALUES (1, 'glad', 5), (2, 'sad', 6)",)x"
      R"x("DO $$ BEGIN INSERT INTO a VALUES (3, 'glad', 7); END $$"])x";
  const std::string two =
      R"x({"sql":"SELECT k FROM glad","rows":[[1],[3]]},)x"
      R"x({"sql":"SELECT k FROM a WHERE m > 'sad'","rows":[[3],[1]]})x";
  EXPECT_EQ(verdict_of_one(setup, two, "serializable"), "holds");
  EXPECT_EQ(
      verdict_of_one(setup, R"x({"sql":"SELECT k FROM glad","rows":[[1]]})x",
                     "serializable"),
      "violated");
  const auto insert = [](const std::string& sqlstate) {
    return R"x({"sql":"INSERT INTO a VALUES (4, 'sad', 0)","error":)x"
           R"x({"sqlstate":")x" +
           sqlstate + R"x(","message":""}})x";
  };
  EXPECT_EQ(verdict_of_one(setup, insert("23514"), "serializable"), "holds");
  EXPECT_EQ(verdict_of_one(setup, insert("23505"), "serializable"), "violated");
}

TEST(AuditSetup, WritesThatAreNotFollowedAreNamed) {
  const std::string setup =
      R"x("setup":["CREATE TABLE t (k INT PRIMARY KEY)",)x"
      R"x("CREATE TABLE c (k INT REFERENCES t ON UPDATE CASCADE)",)x"
      R"x("INSERT INTO t VALUES (1)"])x";
  const std::string look = R"x({"sql":"SELECT k FROM t","rows":[[1]]})x";
  const std::string write = R"x({"sql":"UPDATE t SET k = 2","count":1})x";
  EXPECT_EQ(verdict_of_one(setup, look, "serializable"), "holds");
  EXPECT_NE(verdict_of_one(setup, write, "serializable")
                .find("ON UPDATE CASCADE of a key of 't'"),
            std::string::npos);
  audit::AuditOptions options;
  options.skip_unsupported = true;
  // Nothing else was seen, so nothing is explained, or refuted.
  EXPECT_EQ(verdict_of_one(setup, write + "," + look, "serializable", options),
            "undecided");
}

std::string with_clock(const std::string& setup) {
  return R"x("settings":{"clock":"2030-01-31 18:00:00.5+01"},)x" + setup;
}

// The log began at 17:00 UTC: who ran a second later was told some time since.
TEST(AuditSetup, NowIsAnyTimeSinceTheClock) {
  const std::string setup =
      R"x("setup":["CREATE TABLE t (k INT PRIMARY KEY, )x"
      R"x(at TIMESTAMPTZ NOT NULL DEFAULT now(), there TIMESTAMP)"])x";
  const auto seen = [](const std::string& at, const std::string& there) {
    return R"x({"sql":"INSERT INTO t (k, there) VALUES (1, now()), )x"
           R"x((2, '2030-01-31 18:00:02')","end":9000000,"count":2},)x"
           R"x({"sql":"SELECT at, there FROM t ORDER BY at LIMIT 2",)x"
           R"x("end":9100000,"types":["timestamptz","timestamp"],"rows":[)x"
           R"x(["2030-01-31 17:00:01.25+00","2030-01-31 18:00:02"],[")x" +
           at + R"x(",")x" + there + R"x("]]})x";
  };
  const std::string then = "2030-01-31 17:00:08.25+00";
  const std::string local = "2030-01-31 18:00:08.25";
  for (const std::string level :
       {"serializable", "snapshot-isolation", "postgresql:read-committed"}) {
    EXPECT_EQ(verdict_of_one(with_clock(setup), seen(then, local), level),
              "holds");
    EXPECT_EQ(verdict_of_one(with_clock(setup),
                             seen("2030-01-30 17:00:08.25+00", local), level),
              "violated");
    EXPECT_EQ(verdict_of_one(with_clock(setup),
                             seen(then, "2030-01-31 17:00:08.25"), level),
              "violated");
  }
  EXPECT_NE(verdict_of_one(setup, seen(then, local), "serializable")
                .find("the current time in a log that does not tell it"),
            std::string::npos);
}

// Which of two times within the log was first is not known.
TEST(AuditSetup, WhatDependsOnTheTimeThatPassedIsNotRefuted) {
  const std::string setup = with_clock(
      R"x("setup":["CREATE TABLE t (k INT PRIMARY KEY, at TIMESTAMPTZ )x"
      R"x(DEFAULT now())"])x");
  const std::string insert =
      R"x({"sql":"INSERT INTO t VALUES (1), (2)","count":2},)x";
  for (const std::string query :
       {"SELECT count(*) FROM t WHERE at < now()",
        "SELECT count(*) FROM t a JOIN t b ON a.at < b.at",
        "SELECT count(DISTINCT at) FROM t",
        "SELECT extract(second FROM now() - at)::int FROM t WHERE k = 1",
        "SELECT k FROM t ORDER BY at DESC, k LIMIT 1"})
    EXPECT_NE(
        verdict_of_one(
            setup, insert + R"x({"sql":")x" + query + R"x(","rows":[[2]]})x",
            "serializable"),
        "violated")
        << query;
  EXPECT_EQ(verdict_of_one(setup,
                           insert + R"x({"sql":"SELECT count(at) FROM t",)x"
                                    R"x("rows":[[3]]})x",
                           "serializable"),
            "violated");
  const auto report = test::audit_text_log(
      R"x({"txscope":"log","version":1,"dialect":"postgresql",)x" + setup +
          "}\n" + R"x({"session":1,"id":"a","status":"committed",)x" +
          R"x("statements":[)x" + insert +
          R"x({"sql":"SELECT count(*) FROM t WHERE at < now()",)x"
          R"x("rows":[[7]]}]})x"
          "\n",
      "serializable", {});
  ASSERT_TRUE(report);
  EXPECT_NE(report->results[0].found.reason.find("now()"), std::string::npos)
      << report->results[0].found.reason;
}

// What was skipped may have written: through a function, in the parent of a
// foreign key, below a view, and what others made of it.  Where that is all
// that was seen nothing is explained, or refuted.
TEST(AuditSetup, WhatIsSkippedMakesItsTablesUnknown) {
  audit::AuditOptions options;
  options.skip_unsupported = true;
  const std::string setup =
      R"x("setup":["CREATE TABLE p (k INT PRIMARY KEY)",)x"
      R"x("CREATE TABLE c (k INT PRIMARY KEY, p INT REFERENCES p)",)x"
      R"x("CREATE TABLE other (k INT PRIMARY KEY)",)x"
      R"x("CREATE TABLE apart (k INT PRIMARY KEY)",)x"
      R"x("CREATE VIEW v AS SELECT k FROM p",)x";
  const std::string plain = setup.substr(0, setup.size() - 1) + "]";
  const std::string copies = R"x({"sql":"COPY P FROM STDIN","count":1})x";
  EXPECT_EQ(
      verdict_of_one(
          plain,
          copies + R"x(,{"sql":"SELECT k FROM v","rows":[[1]]},)x"
                   R"x({"sql":"INSERT INTO c VALUES (1, 1)","count":1},)x"
                   R"x({"sql":"INSERT INTO other SELECT k FROM p","count":1},)x"
                   R"x({"sql":"SELECT k FROM other","rows":[[1]]})x",
          "serializable", options),
      "undecided");
  const std::string apart = R"x({"sql":"SELECT k FROM apart","rows":[[1]]})x";
  EXPECT_EQ(
      verdict_of_one(plain, copies + "," + apart, "serializable", options),
      "violated");
  const std::string routine =
      setup +
      R"x("CREATE FUNCTION f() RETURNS INT LANGUAGE plpgsql AS $$ BEGIN )x"
      R"x(INSERT INTO apart VALUES (1); RETURN 1; END $$"])x";
  EXPECT_EQ(verdict_of_one(
                routine, R"x({"sql":"SELECT F() + 1","rows":[[2]]},)x" + apart,
                "serializable", options),
            "undecided");
}

// What such a function shows is not compared; what it does is followed.
TEST(AuditSetup, FunctionsThatGiveRowsAreCalled) {
  const std::string setup =
      R"x("setup":["CREATE TABLE t (k INT PRIMARY KEY, v INT)",)x"
      R"x("INSERT INTO t VALUES (1, 10)",)x"
      R"x("CREATE FUNCTION add(n INT) RETURNS TABLE (total INT, done BOOL) )x"
      R"x(LANGUAGE plpgsql AS $$ BEGIN RETURN QUERY UPDATE t SET v = v + n )x"
      R"x(WHERE k = 1 RETURNING v, TRUE; END $$"])x";
  const auto called = [](const std::string& after) {
    return R"x({"sql":"SELECT * FROM add($1)","params":[5],)x"
           R"x("rows":[[15,true]]},{"sql":"SELECT v FROM t","rows":[[)x" +
           after + "]]}";
  };
  for (const std::string level : {"serializable", "snapshot-isolation"}) {
    EXPECT_EQ(verdict_of_one(setup, called("15"), level), "holds");
    EXPECT_EQ(verdict_of_one(setup, called("10"), level), "violated");
  }
}

}  // namespace
