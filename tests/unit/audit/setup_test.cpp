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

// Keys that the tables of a log do not keep stand in the way of writes only.
TEST(AuditSetup, WritesThatAreNotFollowedAreNamed) {
  const std::string setup =
      R"x("setup":["CREATE TABLE t (k INT PRIMARY KEY, v INT, gone INT)",)x"
      R"x("CREATE UNIQUE INDEX u ON t (v) WHERE gone IS NULL",)x"
      R"x("INSERT INTO t VALUES (1, 1, 1)"])x";
  const std::string look = R"x({"sql":"SELECT v FROM t","rows":[[1]]})x";
  const std::string write =
      R"x({"sql":"INSERT INTO t VALUES (2, 1)","count":1})x";
  EXPECT_EQ(verdict_of_one(setup, look, "serializable"), "holds");
  EXPECT_NE(verdict_of_one(setup, write, "serializable")
                .find("a partial unique index of 't'"),
            std::string::npos);
  audit::AuditOptions options;
  options.skip_unsupported = true;
  EXPECT_EQ(verdict_of_one(setup, write + "," + look, "serializable", options),
            "holds");
}

}  // namespace
