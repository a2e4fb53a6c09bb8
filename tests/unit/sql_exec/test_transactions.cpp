// Sub-transactions in memory: what a handler catches, what is undone, what
// stays.  Expected values are PostgreSQL's documented behaviour (43.6.8, SQLSTATE
// classes of appendix A); the fuzzer compares random ones with the server.

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "exec/sql/memory_database.h"
#include "read/sql/sql.h"

namespace txscope::sql {
namespace {

/// Runs the first call of session `a` on t(id, v) with rows (1, 10), (2, 20):
/// the rows afterwards, and the code if it failed.
class Ran {
 public:
  explicit Ran(const std::string& rest) {
    auto read = read_sql("test.sql",
                         "CREATE TABLE t (id int PRIMARY KEY, v int);\n"
                         "INSERT INTO t VALUES (1, 10), (2, 20);\n" +
                             rest);
    if (!read) {
      text = read.error().what;
      return;
    }
    application_ = std::make_unique<Application>(std::move(*read));
    routines_ = std::make_unique<Routines>(*application_);
    const Budget budget = Budget::unlimited();
    auto database = std::get<MemoryDatabase>(
        MemoryDatabase::after_setup(*routines_, budget));
    const auto ran =
        database.run(application_->sessions[0].calls[0], budget);
    if (ran.kind == Request::Kind::Failed)
      text = ran.process.error().sqlstate + " ";
    else
      slots.assign(ran.process.slots().begin(), ran.process.slots().end());
    for (const Row& row : database.rows(TableId(0)))
      text += to_string(row[0]) + "," + to_string(row[1]) + ";";
  }
  std::string text;
  std::vector<Value> slots;

 private:
  std::unique_ptr<Application> application_;
  std::unique_ptr<Routines> routines_;
};

std::string body(const std::string& statements) {
  return Ran("CREATE PROCEDURE p() LANGUAGE plpgsql AS $$ BEGIN " + statements +
             " END $$;\n--@ session a: CALL p();\n")
      .text;
}

std::string script(const std::string& statements) {
  return Ran("--@ session a: BEGIN; " + statements + " COMMIT;\n").text;
}

TEST(SubTransactions, AHandlerUndoesItsBlockAndNothingElse) {
  EXPECT_EQ(body("UPDATE t SET v = 11 WHERE id = 1; BEGIN UPDATE t SET v = 21 "
                 "WHERE id = 2; INSERT INTO t VALUES (1, 0); EXCEPTION WHEN "
                 "unique_violation THEN INSERT INTO t VALUES (3, 30); END;"),
            "1,11;2,20;3,30;");
}

TEST(SubTransactions, AnErrorInAHandlerIsNotItsOwn) {
  EXPECT_EQ(body("BEGIN INSERT INTO t VALUES (1, 0); EXCEPTION WHEN OTHERS "
                 "THEN INSERT INTO t VALUES (2, 0); END;"),
            "23505 1,10;2,20;");
  EXPECT_EQ(body("BEGIN BEGIN INSERT INTO t VALUES (1, 0); EXCEPTION WHEN "
                 "OTHERS THEN UPDATE t SET v = 0; RAISE; END; EXCEPTION WHEN "
                 "unique_violation THEN UPDATE t SET v = v + 1; END;"),
            "1,11;2,21;");
}

TEST(SubTransactions, ConditionsAreCodesAndTheirClasses) {
  const auto caught_by = [](const std::string& condition) {
    return body("BEGIN INSERT INTO t VALUES (1, 0); EXCEPTION WHEN " +
                condition + " THEN NULL; END;");
  };
  EXPECT_EQ(caught_by("unique_violation"), "1,10;2,20;");
  EXPECT_EQ(caught_by("integrity_constraint_violation"), "1,10;2,20;");
  EXPECT_EQ(caught_by("SQLSTATE '23505'"), "1,10;2,20;");
  EXPECT_EQ(caught_by("SQLSTATE '23000'"), "1,10;2,20;");
  EXPECT_EQ(caught_by("check_violation OR unique_violation"), "1,10;2,20;");
  EXPECT_EQ(caught_by("check_violation"), "23505 1,10;2,20;");
  EXPECT_EQ(caught_by("data_exception"), "23505 1,10;2,20;");
}

TEST(SubTransactions, OthersLeavesOutWhatPostgresqlLeavesOut) {
  const auto raised = [](const std::string& code) {
    return body("BEGIN RAISE EXCEPTION 'x' USING ERRCODE = '" + code +
                "'; EXCEPTION WHEN OTHERS THEN NULL; END;");
  };
  EXPECT_EQ(raised("P0001"), "1,10;2,20;");
  EXPECT_EQ(raised("57014"), "57014 1,10;2,20;");  // query_canceled
  EXPECT_EQ(raised("P0004"), "P0004 1,10;2,20;");  // assert_failure
}

TEST(SubTransactions, VariablesKeepTheirValuesAndHandlersKnowTheError) {
  const Ran ran(
      "CREATE PROCEDURE p(INOUT a text) LANGUAGE plpgsql AS $$ DECLARE n int "
      ":= 0; BEGIN BEGIN n := 7; RAISE EXCEPTION 'no %', n; EXCEPTION WHEN "
      "OTHERS THEN a := SQLSTATE || ' ' || SQLERRM || ' ' || n; END; END $$;\n"
      "--@ session a: CALL p('');\n");
  ASSERT_GT(ran.slots.size(), 1u) << ran.text;
  EXPECT_EQ(to_string(ran.slots[1]), "P0001 no 7 7");
}

TEST(SubTransactions, LeavingABlockByExitOrReturnKeepsWhatItDid) {
  EXPECT_EQ(body("FOR i IN 1..5 LOOP BEGIN UPDATE t SET v = v + 1; EXIT WHEN i "
                 "= 2; EXCEPTION WHEN OTHERS THEN NULL; END; END LOOP; INSERT "
                 "INTO t VALUES (3, 0);"),
            "1,12;2,22;3,0;");
  EXPECT_EQ(body("BEGIN UPDATE t SET v = 0; RETURN; EXCEPTION WHEN OTHERS THEN "
                 "NULL; END; UPDATE t SET v = 1;"),
            "1,0;2,0;");
}

TEST(SubTransactions, ACallInsideIsUndoneWithTheBlock) {
  EXPECT_EQ(
      Ran("CREATE PROCEDURE q() LANGUAGE plpgsql AS $$ BEGIN UPDATE t SET v = "
          "0; RAISE EXCEPTION 'x'; END $$;\n"
          "CREATE PROCEDURE p() LANGUAGE plpgsql AS $$ BEGIN BEGIN CALL q(); "
          "EXCEPTION WHEN raise_exception THEN INSERT INTO t VALUES (3, 1); "
          "END; END $$;\n--@ session a: CALL p();\n")
          .text,
      "1,10;2,20;3,1;");
}

TEST(SubTransactions, SavepointsOfASession) {
  EXPECT_EQ(script("UPDATE t SET v = 1 WHERE id = 1; SAVEPOINT p; UPDATE t SET "
                   "v = 2; ROLLBACK TO p; UPDATE t SET v = v + 1 WHERE id = 2;"),
            "1,1;2,21;");
  EXPECT_EQ(script("SAVEPOINT p; UPDATE t SET v = 2; RELEASE SAVEPOINT p;"),
            "1,2;2,2;");
  // An error goes on at the ROLLBACK TO; what stands before it fails, too.
  EXPECT_EQ(script("SAVEPOINT p; INSERT INTO t VALUES (1, 0); UPDATE t SET v = "
                   "7; ROLLBACK TO p; INSERT INTO t VALUES (3, 3);"),
            "1,10;2,20;3,3;");
  EXPECT_EQ(script("SAVEPOINT p; INSERT INTO t VALUES (1, 0); RELEASE p;"),
            "23505 1,10;2,20;");
  EXPECT_EQ(script("SAVEPOINT p; UPDATE t SET v = 1; SAVEPOINT p; UPDATE t SET "
                   "v = 2; ROLLBACK TO p; ROLLBACK TO p;"),
            "1,1;2,1;");
}

TEST(SubTransactions, ASavepointMustHaveBeenSet) {
  EXPECT_EQ(script("ROLLBACK TO p;"), "there is no savepoint 'p' here");
  EXPECT_EQ(script("SAVEPOINT p; RELEASE p; ROLLBACK TO p;"),
            "there is no savepoint 'p' here");
}

TEST(SubTransactions, AProcedureCommitsInTheMiddle) {
  EXPECT_EQ(body("UPDATE t SET v = 1; COMMIT; UPDATE t SET v = 2; ROLLBACK; "
                 "INSERT INTO t VALUES (1, 1);"),
            "23505 1,1;2,1;");
  EXPECT_EQ(body("BEGIN COMMIT; EXCEPTION WHEN invalid_transaction_termination "
                 "THEN UPDATE t SET v = 3; END;"),
            "1,3;2,3;");
}

/// A trigger on t, whose body this is, and then a session.
std::string fired(const std::string& when, const std::string& code,
                  const std::string& session) {
  return Ran("CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN " +
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
  EXPECT_EQ(fired("BEFORE UPDATE OF id ON t FOR EACH ROW",
                  "NEW.v := 0; RETURN NEW;",
                  "UPDATE t SET v = 1 WHERE id = 1; UPDATE t SET id = 3 WHERE "
                  "id = 2;"),
            "1,1;3,0;");
}

TEST(Triggers, AStatementTriggerFiresOnceEvenForNoRow) {
  EXPECT_EQ(fired("AFTER DELETE ON t",
                  "INSERT INTO t VALUES (9, 9); RETURN NULL;",
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

TEST(Triggers, RowsFromBeforeThemAreLeftAlone) {
  EXPECT_EQ(fired("BEFORE INSERT ON t FOR EACH ROW", "RETURN NULL;",
                  "INSERT INTO t VALUES (3, 3);"),
            "1,10;2,20;");
}

TEST(PartialIndex, OnlyRowsInsideItExcludeOneAnother) {
  const auto told = [](const std::string& session) {
    return Ran("CREATE UNIQUE INDEX u ON t (v) WHERE id < 10;\n"
               "--@ session a: BEGIN; " +
               session + " COMMIT;\n")
        .text;
  };
  EXPECT_EQ(told("INSERT INTO t VALUES (11, 10), (12, 10);"),
            "1,10;2,20;11,10;12,10;");
  EXPECT_EQ(told("INSERT INTO t VALUES (3, 10);"), "23505 1,10;2,20;");
  EXPECT_EQ(told("INSERT INTO t VALUES (11, 10); UPDATE t SET id = 3 WHERE id "
                 "= 11;"),
            "23505 1,10;2,20;");
}

TEST(ExpressionIndex, ComparesWhatItsExpressionsGive) {
  const auto told = [](const std::string& session) {
    return Ran("CREATE UNIQUE INDEX u ON t ((v / 20), (id % 2));\n"
               "--@ session a: BEGIN; " +
               session + " COMMIT;\n")
        .text;
  };
  EXPECT_EQ(told("INSERT INTO t VALUES (3, 19);"), "23505 1,10;2,20;");
  EXPECT_EQ(told("INSERT INTO t VALUES (4, 19);"), "1,10;2,20;4,19;");
  EXPECT_EQ(told("INSERT INTO t VALUES (3, NULL), (5, NULL);"),
            "1,10;2,20;3,NULL;5,NULL;");
  EXPECT_EQ(told("INSERT INTO t VALUES (3, 11) ON CONFLICT ((id % 2), (v / "
                 "20)) DO UPDATE SET v = excluded.v;"),
            "1,11;2,20;");
  EXPECT_EQ(told("UPDATE t SET v = 25 WHERE id = 2;"), "1,10;2,25;");
}

TEST(ExpressionIndex, TellsAnErrorOfItsExpression) {
  EXPECT_EQ(Ran("CREATE UNIQUE INDEX u ON t ((100 / v)) WHERE id < 9;\n"
                "--@ session a: INSERT INTO t VALUES (3, 0);\n")
                .text,
            "22012 1,10;2,20;");
  EXPECT_EQ(Ran("CREATE UNIQUE INDEX u ON t ((100 / v)) WHERE id < 9;\n"
                "--@ session a: INSERT INTO t VALUES (9, 0);\n")
                .text,
            "1,10;2,20;9,0;");
}

// As a dump writes it.
TEST(ExpressionIndex, IsFoundWithoutACastThatChangesNothing) {
  EXPECT_EQ(Ran("CREATE TABLE u (id int PRIMARY KEY, e varchar(9));\n"
                "CREATE UNIQUE INDEX i ON u USING btree (lower((e)::text));\n"
                "INSERT INTO u VALUES (1, 'Ab');\n"
                "--@ session a: INSERT INTO u VALUES (2, 'aB') ON CONFLICT "
                "(lower(e)) DO NOTHING;\n")
                .text,
            "1,10;2,20;");
}

TEST(PartialIndex, OnConflictNamesItByACondition) {
  const auto told = [](const std::string& condition) {
    return Ran("CREATE UNIQUE INDEX u ON t (v) WHERE id < 10 AND v IS NOT "
               "NULL;\n--@ session a: INSERT INTO t VALUES (3, 10) ON CONFLICT "
               "(v) WHERE " +
               condition + " DO UPDATE SET v = 11;\n")
        .text;
  };
  EXPECT_EQ(told("id < 10 AND v IS NOT NULL"), "1,11;2,20;");
  EXPECT_EQ(told("v > 5 AND id < 10"), "1,11;2,20;");
  EXPECT_EQ(told("id < 10"),
            "there is no unique constraint matching the ON CONFLICT "
            "specification");
}

TEST(Exclusion, RowsWhoseRangesOverlapExcludeOneAnother) {
  const auto told = [](const std::string& session) {
    return Ran("ALTER TABLE t ADD CONSTRAINT e EXCLUDE USING gist "
               "(int4range(id, v, '[]') WITH &&, (id % 2) WITH =) WHERE (v < "
               "100);\n--@ session a: BEGIN; " +
               session + " COMMIT;\n")
        .text;
  };
  EXPECT_EQ(told("INSERT INTO t VALUES (9, 11);"), "23P01 1,10;2,20;");
  EXPECT_EQ(told("INSERT INTO t VALUES (11, 12);"), "1,10;2,20;11,12;");
  EXPECT_EQ(told("INSERT INTO t VALUES (9, 100);"), "1,10;2,20;9,100;");
  EXPECT_EQ(told("INSERT INTO t VALUES (9, NULL);"), "1,10;2,20;9,NULL;");
  EXPECT_EQ(told("INSERT INTO t VALUES (11, 12); UPDATE t SET v = 11 WHERE id "
                 "= 1;"),
            "23P01 1,10;2,20;");
  EXPECT_EQ(told("INSERT INTO t VALUES (9, 11) ON CONFLICT DO NOTHING;"),
            "1,10;2,20;");
  EXPECT_EQ(told("INSERT INTO t VALUES (9, 8);"), "22000 1,10;2,20;");
}

// Statements inside of statements: what is expected is chapter 7.8.4 of
// PostgreSQL's manual.

TEST(Parts, SeeTheRowsAsTheyWereBeforeTheStatement) {
  EXPECT_EQ(script("WITH m AS (UPDATE t SET v = v + 1 RETURNING v) "
                   "INSERT INTO t SELECT 3, sum(v) FROM t;"),
            "1,11;2,21;3,30;");
  EXPECT_EQ(script("WITH m AS (UPDATE t SET v = v + 1 RETURNING v) "
                   "INSERT INTO t SELECT 3, sum(v) FROM m;"),
            "1,11;2,21;3,32;");
}

TEST(Parts, MoveRowsFromOnePlaceToAnother) {
  EXPECT_EQ(script("WITH m AS (DELETE FROM t WHERE id = 1 RETURNING *) "
                   "INSERT INTO t SELECT id + 4, v FROM m;"),
            "2,20;5,10;");
}

TEST(Parts, RunThoughNobodyLooksAtTheirRows) {
  EXPECT_EQ(script("WITH m AS (INSERT INTO t VALUES (3, 30)) SELECT 1;"),
            "1,10;2,20;3,30;");
}

TEST(Parts, ChangeARowOnce) {
  // The second change of one row by one statement is passed over.
  EXPECT_EQ(script("WITH m AS (UPDATE t SET v = 0 WHERE id = 1 RETURNING id) "
                   "UPDATE t SET v = v + 5 FROM m;"),
            "1,0;2,25;");
  EXPECT_EQ(script("WITH m AS (UPDATE t SET v = 0 WHERE id = 1 RETURNING id) "
                   "DELETE FROM t USING m WHERE t.id <= 2;"),
            "1,0;");
}

TEST(Parts, FailAsOneStatement) {
  EXPECT_EQ(body("BEGIN WITH m AS (DELETE FROM t WHERE id = 1 RETURNING id) "
                 "INSERT INTO t SELECT id + 1, 0 FROM m; EXCEPTION WHEN "
                 "unique_violation THEN NULL; END;"),
            "1,10;2,20;");
}

TEST(Parts, ForeignKeysAreLookedAtWhenAllOfThemHaveRun) {
  const std::string child =
      "CREATE TABLE c (id int PRIMARY KEY, t int REFERENCES t);\n";
  EXPECT_EQ(Ran(child +
                "--@ session a: BEGIN; WITH m AS (INSERT INTO c VALUES (1, 3)) "
                "INSERT INTO t VALUES (3, 30); COMMIT;\n")
                .text,
            "1,10;2,20;3,30;");
  EXPECT_EQ(Ran(child +
                "--@ session a: BEGIN; WITH m AS (INSERT INTO c VALUES (1, 4)) "
                "INSERT INTO t VALUES (3, 30); COMMIT;\n")
                .text,
            "23503 1,10;2,20;");
}

TEST(Parts, LockingSubqueriesAreQueries) {
  EXPECT_EQ(script("UPDATE t SET v = 0 WHERE id = (SELECT id FROM t ORDER BY "
                   "v DESC LIMIT 1 FOR UPDATE SKIP LOCKED);"),
            "1,10;2,0;");
  EXPECT_EQ(script("UPDATE t SET v = p.v FROM (SELECT max(x.v) AS v FROM "
                   "(SELECT v FROM t FOR UPDATE) x) p WHERE id = 1;"),
            "1,20;2,20;");
  EXPECT_EQ(script("UPDATE t SET v = 0 WHERE id = (SELECT id FROM t FOR "
                   "SHARE);"),
            "21000 1,10;2,20;");
}

// Records as a whole: PostgreSQL's manual, 43.10.1 and its audit example.

std::string on_update(const std::string& statements) {
  return Ran("CREATE TABLE seen (a text);\n"
             "CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS $$ "
             "BEGIN " +
             statements +
             " RETURN NEW; END $$;\nCREATE TRIGGER f BEFORE UPDATE ON t FOR "
             "EACH ROW EXECUTE FUNCTION f();\n--@ session a: UPDATE t SET v = "
             "v + 1 WHERE id = 1;\n")
      .text;
}

TEST(Records, AreComparedFieldByField) {
  EXPECT_EQ(on_update("IF NEW IS DISTINCT FROM OLD THEN NEW.v := 50; END IF;"),
            "1,50;2,20;");
  EXPECT_EQ(on_update("IF NEW.* IS NOT DISTINCT FROM OLD.* THEN NEW.v := 50; "
                      "END IF;"),
            "1,11;2,20;");
  EXPECT_EQ(on_update("IF ROW(NEW.id, NULL) IS DISTINCT FROM ROW(OLD.id, NULL) "
                      "THEN NEW.v := 50; END IF;"),
            "1,11;2,20;");
}

TEST(Records, AreWrittenAsRows) {
  EXPECT_EQ(on_update("OLD.id := 7; INSERT INTO t VALUES (OLD.*);"),
            "1,11;2,20;7,10;");
  EXPECT_EQ(on_update("OLD.id := 7; INSERT INTO t SELECT (OLD).*;"),
            "1,11;2,20;7,10;");
}

TEST(Records, AreObjectsOfJson) {
  EXPECT_EQ(on_update("NEW.v := (to_jsonb(OLD) ->> 'v')::int + 3;"),
            "1,13;2,20;");
}

// Rows from functions, and rows as values: PostgreSQL 15 gave what is expected.

/// The rows of a query over t, inserted with ids from 11 on.
std::string rows(const std::string& query) {
  return script("DELETE FROM t WHERE id = 1; INSERT INTO t " + query + ";");
}

TEST(RowFunctions, MayStandAmongTheColumns) {
  EXPECT_EQ(rows("SELECT unnest(ARRAY[12, 11]), 0"), "2,20;11,0;12,0;");
  EXPECT_EQ(rows("SELECT generate_series(11, 12), v FROM t"),
            "2,20;11,20;12,20;");
  EXPECT_EQ(rows("SELECT unnest('{}'::int[]), v FROM t"), "2,20;");
  EXPECT_EQ(rows("SELECT length(k) + 10, 0 FROM (SELECT "
                 "jsonb_object_keys('{\"b\": 1, \"aa\": 2}') AS k) x"),
            "2,20;11,0;12,0;");
}

TEST(RowFunctions, AreNamedAsTheirOneColumn) {
  EXPECT_EQ(rows("SELECT (e ->> 'id')::int, g FROM jsonb_array_elements("
                 "'[{\"id\": 11}]') e, generate_series(1, 1) g"),
            "2,20;11,1;");
}

TEST(RowFunctions, TakeObjectsOfJsonApart) {
  EXPECT_EQ(rows("SELECT * FROM jsonb_to_recordset('[{\"b\": 3, \"a\": 11}, "
                 "{\"a\": 12}]') AS x (a int, b int)"),
            "2,20;11,3;12,NULL;");
  EXPECT_EQ(rows("SELECT a, length(b::text) FROM json_to_record('{\"a\":11, "
                 "\"b\": [1,2]}') AS x (a int, b json)"),
            "2,20;11,5;");
  EXPECT_EQ(rows("SELECT id, v FROM json_populate_recordset(NULL::t, "
                 "'[{\"id\": 11, \"v\": 4, \"w\": 0}]')"),
            "2,20;11,4;");
}

TEST(RowValues, AreOrderedByTheFirstColumnsThatDiffer) {
  const auto is = [](const std::string& condition) {
    return script("UPDATE t SET v = CASE (" + condition +
                  ") WHEN true THEN 1 WHEN false THEN 0 END WHERE id = 1;");
  };
  EXPECT_EQ(is("(1, 2) < (1, 3)"), "1,1;2,20;");
  EXPECT_EQ(is("(1, NULL) < (2, 1)"), "1,1;2,20;");
  EXPECT_EQ(is("(1, NULL) < (1, 1)"), "1,NULL;2,20;");
  EXPECT_EQ(is("(2, 'a') >= (2, 'a')"), "1,1;2,20;");
  EXPECT_EQ(is("(1, 2, 3) > (1, 2, 3)"), "1,0;2,20;");
}

TEST(RowValues, AreSetFromAQuery) {
  EXPECT_EQ(script("UPDATE t SET (v, id) = (SELECT max(v) + 1, 7 FROM t) WHERE "
                   "id = 1;"),
            "2,20;7,21;");
  EXPECT_EQ(
      script("UPDATE t SET (v, id) = (SELECT v, id FROM t) WHERE id = 1;"),
      "21000 1,10;2,20;");
}

TEST(RowFunctions, RowsOfAQueryAreAnArray) {
  EXPECT_EQ(
      rows("SELECT a[1] + 10, cardinality(a) FROM (SELECT ARRAY(SELECT id "
           "FROM t ORDER BY id DESC) AS a) x"),
      "2,20;12,1;");
  EXPECT_EQ(rows("SELECT 11, cardinality(ARRAY(SELECT id FROM t WHERE false))"),
            "2,20;11,0;");
}

TEST(RowFunctions, ALoopGoesOverWhatAStatementReturns) {
  EXPECT_EQ(body("DECLARE r record; BEGIN FOR r IN UPDATE t SET v = v + 1 "
                 "RETURNING id, v LOOP INSERT INTO t VALUES (r.id + 10, r.v); "
                 "END LOOP; END;"),
            "1,11;2,21;11,11;12,21;");
}

TEST(Periods, OverlapAsPostgresqlSays) {
  const auto is = [](const std::string& condition) {
    return script("UPDATE t SET v = CASE (" + condition +
                  ") WHEN true THEN 1 WHEN false THEN 0 END WHERE id = 1;");
  };
  EXPECT_EQ(is("(date '2024-01-01', date '2024-01-05') OVERLAPS "
               "(date '2024-01-05', date '2024-01-09')"),
            "1,0;2,20;");
  EXPECT_EQ(is("(date '2024-01-06', date '2024-01-01') OVERLAPS "
               "(date '2024-01-05', interval '1 day')"),
            "1,1;2,20;");
  EXPECT_EQ(
      is("(time '09:00', time '10:00') OVERLAPS (time '09:30', NULL::time)"),
      "1,1;2,20;");
  EXPECT_EQ(
      is("(time '09:00', NULL::time) OVERLAPS (time '09:30', time '10:00')"),
      "1,NULL;2,20;");
}

}  // namespace
}  // namespace txscope::sql
