// What triggers do inside the statement that fires them, in memory.

#include <gtest/gtest.h>

#include <string>

#include "ran.h"

namespace txscope::sql {
namespace {

/// A trigger on t, whose body this is, and then a session.
std::string fired(const std::string& when, const std::string& code,
                  const std::string& session) {
  return Ran("CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS $$ "
             "BEGIN " +
             code + " END $$;\nCREATE TRIGGER f " + when +
             " EXECUTE FUNCTION f();\n--@ session a: BEGIN; " + session +
             " COMMIT;\n")
      .text;
}

TEST(Triggers, BeforeARowTheyChangeItOrLeaveItOut) {
  EXPECT_EQ(fired("BEFORE INSERT OR UPDATE ON t FOR EACH ROW",
                  "NEW.v := NEW.v * 2; RETURN NEW;",
                  "INSERT INTO t VALUES (3, 30); UPDATE t SET v = 1 WHERE id = "
                  "1;"),
            "1,2;2,20;3,60;");
  EXPECT_EQ(fired("BEFORE DELETE ON t FOR EACH ROW",
                  "IF OLD.id = 1 THEN RETURN NULL; END IF; RETURN OLD;",
                  "DELETE FROM t;"),
            "1,10;");
}

TEST(Triggers, WhenAndColumnsDecideWhetherTheyFire) {
  EXPECT_EQ(fired("BEFORE UPDATE ON t FOR EACH ROW WHEN (NEW.v > OLD.v)",
                  "NEW.v := 0; RETURN NEW;",
                  "UPDATE t SET v = v + 1 WHERE id = 1; UPDATE t SET v = v - 1 "
                  "WHERE id = 2;"),
            "1,0;2,19;");
  EXPECT_EQ(
      fired("BEFORE UPDATE OF id ON t FOR EACH ROW", "NEW.v := 0; RETURN NEW;",
            "UPDATE t SET v = 1 WHERE id = 1; UPDATE t SET id = 3 WHERE "
            "id = 2;"),
      "1,1;3,0;");
}

TEST(Triggers, AStatementTriggerFiresOnceEvenForNoRow) {
  EXPECT_EQ(
      fired("AFTER DELETE ON t", "INSERT INTO t VALUES (9, 9); RETURN NULL;",
            "DELETE FROM t WHERE id = 77;"),
      "1,10;2,20;9,9;");
}

TEST(Triggers, AStatementSeesWhatTheOneThatFiredItHasDone) {
  EXPECT_EQ(fired("AFTER INSERT ON t FOR EACH ROW",
                  "UPDATE t SET v = (SELECT count(*) FROM t) WHERE id = 1; "
                  "RETURN NULL;",
                  "INSERT INTO t VALUES (3, 0), (4, 0);"),
            "1,4;2,20;3,0;4,0;");
}

TEST(Triggers, ARowChangedByATriggerCannotBeChangedByWhoFiredIt) {
  EXPECT_EQ(fired("BEFORE UPDATE ON t FOR EACH ROW",
                  "IF NEW.v < 100 THEN UPDATE t SET v = 500 WHERE id = OLD.id; "
                  "END IF; RETURN NEW;",
                  "UPDATE t SET v = 1 WHERE id = 1;"),
            "27000 1,10;2,20;");
}

TEST(Triggers, AnErrorInATriggerFailsTheStatementUnlessItIsCaught) {
  EXPECT_EQ(fired("AFTER UPDATE ON t FOR EACH ROW",
                  "RAISE EXCEPTION 'no' USING ERRCODE = '22023';",
                  "UPDATE t SET v = 0 WHERE id = 1;"),
            "22023 1,10;2,20;");
  EXPECT_EQ(fired("AFTER UPDATE ON t FOR EACH ROW",
                  "BEGIN INSERT INTO t VALUES (3, 3); INSERT INTO t VALUES (1, "
                  "1); EXCEPTION WHEN unique_violation THEN INSERT INTO t "
                  "VALUES (4, 4); END; RETURN NULL;",
                  "UPDATE t SET v = 0 WHERE id = 1;"),
            "1,0;2,20;4,4;");
  EXPECT_EQ(fired("BEFORE UPDATE ON t FOR EACH ROW", "NULL;",
                  "UPDATE t SET v = 0 WHERE id = 1;"),
            "2F005 1,10;2,20;");
}

TEST(Triggers, TheirFunctionsCannotBeCalled) {
  EXPECT_EQ(Ran("CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS $$ "
                "BEGIN RETURN NEW; END $$;\n--@ session a: SELECT f();\n")
                .text,
            "'f' is a trigger's function and cannot be called");
}

// PostgreSQL looks into pg_catalog first.
TEST(Triggers, TheirFunctionsHideNoBuiltin) {
  EXPECT_EQ(Ran("CREATE FUNCTION count() RETURNS trigger LANGUAGE plpgsql AS "
                "$$ BEGIN NEW.v := NEW.v + 1; RETURN NEW; END $$;\n"
                "CREATE TRIGGER c BEFORE INSERT ON t FOR EACH ROW EXECUTE "
                "FUNCTION count();\n"
                "--@ session a: INSERT INTO t SELECT 7, count(*) FROM t;\n")
                .text,
            "1,10;2,20;7,3;");
}

TEST(Triggers, RowsFromBeforeThemAreLeftAlone) {
  EXPECT_EQ(fired("BEFORE INSERT ON t FOR EACH ROW", "RETURN NULL;",
                  "INSERT INTO t VALUES (3, 3);"),
            "1,10;2,20;");
}

// PostgreSQL 15 gave what is expected.
TEST(ConstraintTriggers, FireAtCommitOrWhenTold) {
  const auto fire = [](const std::string& when, const std::string& statements) {
    return Ran("CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS $$ "
               "BEGIN INSERT INTO t VALUES (100 + NEW.id, (SELECT sum(v) FROM "
               "t WHERE id < 100)); RETURN NULL; END $$;\n"
               "CREATE CONSTRAINT TRIGGER c AFTER INSERT ON t " +
               when +
               " FOR EACH ROW WHEN (NEW.id < 100) EXECUTE FUNCTION f();\n"
               "--@ session a: BEGIN; " +
               statements + " COMMIT;\n")
        .text;
  };
  const std::string rows =
      "INSERT INTO t VALUES (3, 30); UPDATE t SET v = 0 WHERE id = 3;";
  EXPECT_EQ(fire("", rows), "1,10;2,20;3,0;103,60;");
  EXPECT_EQ(fire("DEFERRABLE INITIALLY DEFERRED", rows),
            "1,10;2,20;3,0;103,30;");
  EXPECT_EQ(fire("DEFERRABLE INITIALLY DEFERRED",
                 "INSERT INTO t VALUES (3, 30); SET CONSTRAINTS ALL IMMEDIATE; "
                 "UPDATE t SET v = 0 WHERE id = 3;"),
            "1,10;2,20;3,0;103,60;");
  // What it leaves to COMMIT is looked at by the same COMMIT.
  EXPECT_EQ(Ran("CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS $$ "
                "BEGIN IF NEW.id < 5 THEN INSERT INTO t VALUES (NEW.id + 1, "
                "0); END IF; RETURN NULL; END $$;\n"
                "CREATE CONSTRAINT TRIGGER c AFTER INSERT ON t DEFERRABLE "
                "INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION f();\n"
                "--@ session a: INSERT INTO t VALUES (3, 0);\n")
                .text,
            "1,10;2,20;3,0;4,0;5,0;");
}

// PostgreSQL 15 gave what is expected.
TEST(TransitionTables, AreTheRowsThatTheStatementHasWritten) {
  const auto sum = [](const std::string& event, const std::string& referencing,
                      const std::string& query, const std::string& statement) {
    return Ran("CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS $$ "
               "BEGIN INSERT INTO t SELECT 99 + (SELECT count(*) FROM t WHERE "
               "id "
               "> 98), (" +
               query +
               "); RETURN NULL; END $$;\n"
               "CREATE TRIGGER f AFTER " +
               event + " ON t REFERENCING " + referencing +
               " FOR EACH STATEMENT EXECUTE FUNCTION f();\n"
               "--@ session a: " +
               statement + "\n")
        .text;
  };
  EXPECT_EQ(sum("UPDATE", "NEW TABLE AS a OLD TABLE AS b",
                "SELECT sum(a.v * b.v) FROM a JOIN b USING (id)",
                "UPDATE t SET v = v + 1;"),
            "1,11;2,21;99,530;");
  EXPECT_EQ(sum("DELETE", "OLD TABLE AS b", "SELECT count(*) FROM b",
                "DELETE FROM t WHERE v < 5;"),
            "1,10;2,20;99,0;");
  // Of INSERT ... ON CONFLICT the rows that were updated.
  EXPECT_EQ(sum("UPDATE", "NEW TABLE AS a", "SELECT sum(v) FROM a",
                "INSERT INTO t VALUES (1, 1), (3, 3) ON CONFLICT (id) DO "
                "UPDATE SET v = 7;"),
            "1,7;2,20;3,3;99,7;");
  // Once for all parts of a statement.
  EXPECT_EQ(sum("UPDATE", "NEW TABLE AS a", "SELECT sum(v) FROM a",
                "WITH x AS (UPDATE t SET v = 1 WHERE id = 1) UPDATE t SET v = "
                "2 WHERE id = 2;"),
            "1,1;2,2;99,3;");
}

}  // namespace
}  // namespace txscope::sql
