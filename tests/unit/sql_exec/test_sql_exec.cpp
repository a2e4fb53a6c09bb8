#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "unit/sql_exec/loaded.h"

namespace txscope::sql {
namespace {

/// The rows of a query on table t(id, v), v nullable.
std::string rows_of(const std::string& query) {
  Loaded loaded(
      "CREATE TABLE t (id int PRIMARY KEY, v int);\n"
      "INSERT INTO t VALUES (1, 10), (2, NULL), (3, 30), (4, 10);\n"
      "--@ session a: BEGIN; " +
      query + "; COMMIT;\n");
  return loaded.said();
}

TEST(SqlQuery, NullIsNeitherInNorNotInAListWithNull) {
  EXPECT_EQ(rows_of("SELECT id FROM t WHERE v IN (10, NULL)"), "1;4;");
  EXPECT_EQ(rows_of("SELECT id FROM t WHERE v NOT IN (10, NULL)"), "");
  EXPECT_EQ(rows_of("SELECT id FROM t WHERE 5 NOT IN (SELECT v FROM t)"), "");
  EXPECT_EQ(rows_of("SELECT id FROM t WHERE NULL NOT IN (SELECT v FROM t WHERE "
                    "false)"),
            "1;2;3;4;");
}

TEST(SqlQuery, AggregatesOfNothingAreNullAndCountIsZero) {
  EXPECT_EQ(rows_of("SELECT count(*), sum(v), min(v), avg(v) FROM t WHERE "
                    "id > 9"),
            "0,NULL,NULL,NULL;");
  EXPECT_EQ(rows_of("SELECT v, count(*) FROM t WHERE id > 9 GROUP BY v"), "");
  EXPECT_EQ(rows_of("SELECT count(v), count(DISTINCT v), avg(v) FROM t"),
            "3,2,16.6666666666666667;");
}

TEST(SqlQuery, NullsFormOneGroupAndSortLast) {
  EXPECT_EQ(rows_of("SELECT v, count(*) FROM t GROUP BY v ORDER BY v"),
            "10,2;30,1;NULL,1;");
  EXPECT_EQ(rows_of("SELECT id FROM t ORDER BY v DESC, id DESC"), "2;3;4;1;");
  EXPECT_EQ(rows_of("SELECT DISTINCT v FROM t ORDER BY v NULLS FIRST"),
            "NULL;10;30;");
}

TEST(SqlQuery, OuterJoinsFillInNulls) {
  EXPECT_EQ(rows_of("SELECT a.id, b.id FROM t a LEFT JOIN t b ON b.v = a.v "
                    "AND b.id > a.id ORDER BY a.id, b.id"),
            "1,4;2,NULL;3,NULL;4,NULL;");
  EXPECT_EQ(rows_of("SELECT a.id FROM t a LEFT JOIN t b ON b.v = a.v AND "
                    "b.id > a.id WHERE b.id IS NULL"),
            "2;3;4;");
}

TEST(SqlQuery, LimitAndOffsetMustNotBeNegative) {
  EXPECT_EQ(rows_of("SELECT id FROM t ORDER BY id LIMIT 2 OFFSET 1"), "2;3;");
  EXPECT_EQ(rows_of("SELECT id FROM t LIMIT -1"), "2201W");
  EXPECT_EQ(rows_of("SELECT id FROM t OFFSET -1"), "2201X");
}

// As fabs() does, and PostgreSQL shows.
TEST(SqlQuery, TheAbsoluteValueOfMinusZeroIsZero) {
  EXPECT_EQ(rows_of("SELECT abs('-0'::float8), abs('-1.5'::float8)"), "0,1.5;");
}

TEST(SqlQuery, TextsMayHaveUnicodeEscapes) {
  EXPECT_EQ(rows_of("SELECT U&'T\\00FCr', U&'d!0061t' UESCAPE '!'"),
            "T\u00fcr,dat;");
}

// Neither a NULL nor a literal in quotes has a type of its own.
TEST(SqlQuery, LiteralsOfInsertSelectHaveTheTypesOfTheColumns) {
  Loaded loaded(
      "CREATE TABLE t (id int PRIMARY KEY, v int, d date);\n"
      "INSERT INTO t VALUES (1, 2, '2024-01-01');\n"
      "--@ session a: BEGIN; INSERT INTO t SELECT id + 1, NULL, '2024-02-03' "
      "FROM t; COMMIT;\n");
  EXPECT_EQ(loaded.said(), "");
  EXPECT_EQ(loaded.table(), "1,2,2024-01-01;2,NULL,2024-02-03;");
}

TEST(SqlQuery, AScalarSubqueryHasAtMostOneRow) {
  EXPECT_EQ(rows_of("SELECT (SELECT v FROM t WHERE id = 9)"), "NULL;");
  EXPECT_EQ(rows_of("SELECT (SELECT v FROM t)"), "21000");
  EXPECT_EQ(rows_of("SELECT id, (SELECT count(*) FROM t b WHERE b.v = a.v) "
                    "FROM t a ORDER BY id"),
            "1,2;2,0;3,1;4,2;");
}

TEST(SqlQuery, ConstantErrorsComeFromThePlan) {
  EXPECT_EQ(rows_of("SELECT CASE WHEN id > 0 THEN 1 ELSE 1/0 END FROM t WHERE "
                    "id > 9"),
            "22012");
  EXPECT_EQ(rows_of("SELECT CASE WHEN false THEN 1/0 ELSE id END FROM t WHERE "
                    "id = 1"),
            "1;");
  EXPECT_EQ(rows_of("SELECT NULL::int + 1/(id - id) FROM t WHERE id = 1"),
            "NULL;");
  EXPECT_EQ(rows_of("SELECT 1/(id - id) FROM t WHERE id = 9"), "");
}

// What a store is asked for.
class Spy final : public Store {
 public:
  bool scan(const Access& access, const OnRow& on_row) override {
    std::string asked = std::to_string(access.table.index) + ":";
    for (const auto& [column, value] : access.equal)
      asked += std::to_string(column) + "=" + to_string(value) + " ";
    if (access.may_match) {
      asked += "keys";
      for (std::int64_t key = 1; key <= 4; ++key) {
        const Value value = Value::integer(key);
        if (access.may_match(std::span(&value, 1)))
          asked += " " + std::to_string(key);
      }
    }
    scans.push_back(asked);
    for (std::int64_t key = 1; key <= 4; ++key)
      on_row({access.table, static_cast<std::uint64_t>(key)},
             {Value::integer(key), Value::integer(key * 10)});
    return is_answering;
  }

  std::vector<std::string> scans;
  bool is_answering = true;
};

std::vector<std::string> scans_of(const std::string& statement) {
  Loaded loaded(
      "CREATE TABLE t (id int PRIMARY KEY, v int);\n"
      "--@ session a: BEGIN; " +
      statement + "; COMMIT;\n");
  Process process(*loaded.routines, loaded.call(0));
  const Request request = process.run(loaded.budget);
  Spy spy;
  Evaluator evaluator(*loaded.routines, spy, process.slots(), loaded.budget);
  const auto& what = request.statement->what;
  if (const auto* select = std::get_if<Select>(&what))
    (void)evaluator.select(**select);
  else if (const auto* update = std::get_if<Update>(&what))
    (void)evaluator.targets(*update);
  else
    (void)evaluator.targets(std::get<Delete>(what));
  return spy.scans;
}

using Scans = std::vector<std::string>;

TEST(SqlAccess, AStatementByKeyAsksForThatKeyOnly) {
  EXPECT_EQ(scans_of("SELECT v FROM t WHERE id = 1 + 1"), Scans{"0:0=2 "});
  EXPECT_EQ(scans_of("UPDATE t SET v = 0 WHERE 3 = id AND v > 1"),
            Scans{"0:0=3 "});
  EXPECT_EQ(scans_of("DELETE FROM t WHERE id = 4 AND v = 40"),
            Scans{"0:0=4 1=40 "});
  EXPECT_EQ(scans_of("SELECT v FROM t WHERE id = NULL::int"), Scans{});
}

TEST(SqlAccess, ConditionsOnTheKeyExcludeKeys) {
  EXPECT_EQ(scans_of("SELECT v FROM t WHERE id IN (1, 3)"),
            Scans{"0:keys 1 3"});
  EXPECT_EQ(scans_of("SELECT v FROM t WHERE id BETWEEN 2 AND 3 AND v > 0"),
            Scans{"0:keys 2 3"});
  EXPECT_EQ(scans_of("SELECT v FROM t WHERE id > 3 OR v = 1"), Scans{"0:"});
}

TEST(SqlAccess, SubqueriesThatMentionNothingOutsideAreRunBefore) {
  EXPECT_EQ(scans_of("SELECT v FROM t WHERE id = (SELECT min(id) + 2 FROM t)"),
            (Scans{"0:", "0:0=3 "}));
  EXPECT_EQ(scans_of("SELECT v FROM t WHERE id IN (SELECT v / 10 FROM t WHERE "
                     "id < 3)"),
            (Scans{"0:keys 1 2", "0:keys 1 2"}));
  EXPECT_EQ(scans_of("SELECT v FROM t a WHERE EXISTS (SELECT 1 FROM t b WHERE "
                     "b.id = a.v / 20)"),
            (Scans{"0:", "0:0=0 ", "0:0=1 ", "0:0=1 ", "0:0=2 "}));
}

TEST(SqlAccess, AJoinByKeyProbesForEachRow) {
  EXPECT_EQ(scans_of("SELECT 1 FROM t a JOIN t b ON b.id = a.v / 10 WHERE "
                     "a.id < 3"),
            (Scans{"0:keys 1 2", "0:0=1 ", "0:0=2 "}));
  EXPECT_EQ(scans_of("SELECT 1 FROM t a JOIN t b ON b.v < a.v"),
            (Scans{"0:", "0:"}));
}

TEST(SqlAccess, AStoreThatCannotGoOnInterruptsTheStatement) {
  Loaded loaded(
      "CREATE TABLE t (id int PRIMARY KEY, v int);\n"
      "--@ session a: BEGIN; SELECT sum(v) FROM t; COMMIT;\n");
  Process process(*loaded.routines, loaded.call(0));
  const Request request = process.run(loaded.budget);
  Spy spy;
  spy.is_answering = false;
  Evaluator evaluator(*loaded.routines, spy, process.slots(), loaded.budget);
  const auto result =
      evaluator.select(*std::get<Select>(request.statement->what));
  EXPECT_TRUE(std::holds_alternative<Interrupted>(result));
}

TEST(SqlAccess, CandidatesComeInOrderAndAreCheckedAgain) {
  Loaded loaded(
      "CREATE TABLE t (id int PRIMARY KEY, v int);\n"
      "--@ session a: BEGIN; SELECT v FROM t WHERE v > 10 ORDER BY id DESC "
      "LIMIT 1 FOR UPDATE; COMMIT;\n");
  Process process(*loaded.routines, loaded.call(0));
  const Request request = process.run(loaded.budget);
  const Query& query = *std::get<Select>(request.statement->what);
  Spy spy;
  Evaluator evaluator(*loaded.routines, spy, process.slots(), loaded.budget);
  auto found = std::get<0>(evaluator.candidates(query));
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0].handles[0].row, 4u);
  EXPECT_EQ(std::get<0>(evaluator.window(query)).limit, 1u);
  EXPECT_EQ(Loaded::shown(*std::get<0>(evaluator.recheck(query, found[0]))),
            "40");
  found[0].rows[0][1] = Value::integer(5);
  EXPECT_FALSE(std::get<0>(evaluator.recheck(query, found[0])).has_value());
}

const char* const kBank =
    "CREATE TABLE account (id int PRIMARY KEY, balance int NOT NULL CHECK "
    "(balance >= 0));\n"
    "INSERT INTO account VALUES (1, 100), (2, 0);\n"
    "CREATE PROCEDURE transfer(p_from int, p_to int, p_amount int) LANGUAGE "
    "plpgsql AS $$\n"
    "DECLARE v int;\n"
    "BEGIN\n"
    "  UPDATE account SET balance = balance + p_amount WHERE id = p_to;\n"
    "  SELECT balance INTO STRICT v FROM account WHERE id = p_from;\n"
    "  UPDATE account SET balance = v - p_amount WHERE id = p_from;\n"
    "END $$;\n"
    "--@ session a: CALL transfer(1, 2, 60);\n"
    "--@ session b: CALL transfer(1, 2, 70);\n"
    "--@ session c: CALL transfer(9, 2, 1);\n"
    "--@ invariant total: (SELECT sum(balance) FROM account) = 100\n";

TEST(MemoryDatabase, ATransactionThatFailsLeavesNothing) {
  Loaded bank(kBank);
  EXPECT_EQ(bank.run(0).kind, Request::Kind::Returned);
  EXPECT_EQ(bank.table(), "1,40;2,60;");
  EXPECT_EQ(bank.said(1), "23514");  // balance would be negative
  EXPECT_EQ(bank.table(), "1,40;2,60;");
  EXPECT_EQ(bank.said(2), "P0002");
  EXPECT_EQ(bank.table(), "1,40;2,60;");
}

TEST(MemoryDatabase, SerialOrdersGiveTheirOwnStates) {
  Loaded bank(kBank);
  const std::vector<std::uint32_t> first = {0, 1};
  const std::vector<std::uint32_t> second = {1, 0};
  const SerialRun ab =
      run_serially(*bank.database, *bank.application, first, bank.budget);
  const SerialRun ba =
      run_serially(*bank.database, *bank.application, second, bank.budget);
  EXPECT_EQ(Loaded::shown(ab.database.rows(TableId(0))[0]), "1,40");
  EXPECT_EQ(Loaded::shown(ba.database.rows(TableId(0))[0]), "1,30");
  EXPECT_EQ(ab.ran[1].kind, Request::Kind::Failed);
  EXPECT_EQ(ba.ran[1].kind, Request::Kind::Failed);
  EXPECT_FALSE(ab.database == ba.database);
  EXPECT_EQ(bank.table(), "1,100;2,0;");  // copies are independent
  const auto holds =
      ab.database.holds(bank.application->properties[0], {}, bank.budget);
  EXPECT_TRUE(std::get<Value>(holds).is_true());
}

TEST(MemoryDatabase, EqualRowsHashEquallyWhateverTheirHistory) {
  Loaded bank(kBank);
  const MemoryDatabase before = *bank.database;
  (void)bank.run(1);
  EXPECT_NE(before.hash(), bank.database->hash());
  Loaded other(kBank);
  (void)other.run(1);
  EXPECT_EQ(Loaded::shown(other.database->rows(TableId(0))[0]), "1,30");
  EXPECT_EQ(other.database->hash(), bank.database->hash());
}

TEST(MemoryDatabase, NumbersOfASequenceStayTaken) {
  Loaded loaded(
      "CREATE TABLE t (id serial PRIMARY KEY, v int CHECK (v > 0));\n"
      "--@ session a: BEGIN; INSERT INTO t (v) VALUES (1); INSERT INTO t (v) "
      "VALUES (0), (5); COMMIT;\n"
      "--@ session b: BEGIN; INSERT INTO t (v) VALUES (7) RETURNING id; "
      "COMMIT;\n");
  EXPECT_EQ(loaded.said(0), "23514");
  EXPECT_EQ(loaded.said(1), "3;");  // the row behind the bad one took none
  EXPECT_EQ(loaded.table(), "3,7;");
}

TEST(MemoryDatabase, ForeignKeysActWhenTheParentGoes) {
  Loaded loaded(
      "CREATE TABLE p (id int PRIMARY KEY);\n"
      "CREATE TABLE c (id int PRIMARY KEY, p int REFERENCES p ON DELETE "
      "CASCADE);\n"
      "CREATE TABLE g (id int PRIMARY KEY, c int REFERENCES c ON DELETE SET "
      "NULL, n int REFERENCES p);\n"
      "INSERT INTO p VALUES (1), (2), (3);\n"
      "INSERT INTO c VALUES (1, 1), (2, 1), (3, NULL);\n"
      "INSERT INTO g VALUES (1, 2, 2);\n"
      "--@ session a: BEGIN; DELETE FROM p WHERE id = 1; COMMIT;\n"
      "--@ session b: BEGIN; DELETE FROM p WHERE id = 2; COMMIT;\n"
      "--@ session c: BEGIN; INSERT INTO c VALUES (4, 9); COMMIT;\n"
      "--@ session d: BEGIN; UPDATE p SET id = 4 WHERE id = 2; COMMIT;\n"
      "--@ session e: BEGIN; UPDATE p SET id = 5 - id; COMMIT;\n");
  EXPECT_EQ(loaded.said(0), "");
  EXPECT_EQ(loaded.table(1), "3,NULL;");
  EXPECT_EQ(loaded.table(2), "1,NULL,2;");
  EXPECT_EQ(loaded.said(1), "23503");
  EXPECT_EQ(loaded.said(2), "23503");
  EXPECT_EQ(loaded.said(3), "23503");
  EXPECT_EQ(loaded.said(4), "23505");  // 3 is there when 2 becomes 3
}

TEST(MemoryDatabase, OnConflictUpdatesTheRowThatIsThere) {
  Loaded loaded(
      "CREATE TABLE t (id int PRIMARY KEY, v int, u int UNIQUE);\n"
      "INSERT INTO t VALUES (1, 10, 1);\n"
      "--@ session a: BEGIN; INSERT INTO t VALUES (1, 5, 7) ON CONFLICT (id) "
      "DO UPDATE SET v = t.v + excluded.v RETURNING v; COMMIT;\n"
      "--@ session b: BEGIN; INSERT INTO t VALUES (2, 5, 1) ON CONFLICT (id) "
      "DO UPDATE SET v = 0; COMMIT;\n"
      "--@ session c: BEGIN; INSERT INTO t VALUES (3, 1, 3), (3, 2, 4) ON "
      "CONFLICT (id) DO UPDATE SET v = 0; COMMIT;\n"
      "--@ session d: BEGIN; INSERT INTO t VALUES (2, 5, 1) ON CONFLICT DO "
      "NOTHING; COMMIT;\n");
  EXPECT_EQ(loaded.said(0), "15;");
  EXPECT_EQ(loaded.said(1), "23505");
  EXPECT_EQ(loaded.said(2), "21000");
  EXPECT_EQ(loaded.said(3), "");
  EXPECT_EQ(loaded.table(), "1,15,1;");
}

/// Runs `body` in a procedure with INOUT a = 1; its a in the end, or its error.
std::string result_of(const std::string& body,
                      const std::string& declarations = "") {
  Loaded loaded(
      "CREATE TABLE t (id int PRIMARY KEY, v int);\n"
      "INSERT INTO t VALUES (1, 10), (2, NULL), (3, 30);\n"
      "CREATE PROCEDURE p(INOUT a int) LANGUAGE plpgsql AS $$ DECLARE " +
          declarations + " BEGIN " + body +
          " END $$;\n--@ session s: CALL p(1);\n",
      20);
  const auto ran = loaded.run(0);
  if (ran.kind == Request::Kind::Failed) return ran.process.error().sqlstate;
  if (ran.kind == Request::Kind::Cut) return "cut";
  return to_string(ran.process.slots()[1]);
}

TEST(SqlProcess, LoopsCountAndCanBeLeft) {
  EXPECT_EQ(result_of("FOR i IN 1..4 LOOP a := a * i; END LOOP;"), "24");
  EXPECT_EQ(result_of("FOR i IN REVERSE 7..1 BY 3 LOOP a := a * 10 + i; END "
                      "LOOP;"),
            "1741");
  EXPECT_EQ(result_of("<<o>> LOOP a := a + 1; FOR i IN 1..9 LOOP CONTINUE o "
                      "WHEN a < 5; EXIT o WHEN i = 2; END LOOP; END LOOP;"),
            "5");
  EXPECT_EQ(result_of("WHILE a < 15 LOOP a := a + 4; END LOOP;"), "17");
  EXPECT_EQ(result_of("FOR i IN 1..NULL::int LOOP NULL; END LOOP;"), "22004");
}

TEST(SqlProcess, ALoopThatReachesItsBoundIsCut) {
  EXPECT_EQ(result_of("LOOP a := a + 1; EXIT WHEN a > 20; END LOOP;"), "21");
  EXPECT_EQ(result_of("LOOP NULL; END LOOP;"), "cut");
  EXPECT_EQ(result_of("FOR i IN 1..21 LOOP NULL; END LOOP;"), "cut");
}

TEST(SqlProcess, FoundAndRowCountTellOfTheLastStatement) {
  EXPECT_EQ(result_of("UPDATE t SET v = 0 WHERE id > 1; GET DIAGNOSTICS a = "
                      "ROW_COUNT;"),
            "2");
  EXPECT_EQ(result_of("SELECT id INTO a FROM t WHERE id = 9; IF FOUND THEN a "
                      ":= 5; END IF;"),
            "NULL");
  EXPECT_EQ(result_of("FOR r IN SELECT v FROM t WHERE v > 99 LOOP NULL; END "
                      "LOOP; IF NOT FOUND THEN a := 7; END IF;",
                      "r record;"),
            "7");
}

TEST(SqlProcess, CursorsShowTheRowsOfTheirOpening) {
  EXPECT_EQ(
      result_of("OPEN c; UPDATE t SET v = 0; a := 0; LOOP FETCH c INTO x; EXIT "
                "WHEN NOT FOUND; a := a + COALESCE(x, 2); END LOOP; CLOSE c;",
                "c CURSOR FOR SELECT v FROM t ORDER BY id; x int;"),
      "42");
  EXPECT_EQ(result_of("FETCH c INTO a;", "c CURSOR FOR SELECT v FROM t;"),
            "34000");
  EXPECT_EQ(result_of("OPEN c; OPEN c;", "c CURSOR FOR SELECT v FROM t;"),
            "42P03");
}

TEST(SqlProcess, TheNameOfABoundCursorIsTakenInTheWholeTransaction) {
  Loaded loaded(
      "CREATE TABLE t (id int PRIMARY KEY);\n"
      "INSERT INTO t VALUES (1), (2);\n"
      "CREATE PROCEDURE closes() LANGUAGE plpgsql AS $$ DECLARE c CURSOR FOR "
      "SELECT id FROM t; BEGIN OPEN c; CLOSE c; END $$;\n"
      "CREATE PROCEDURE leaves() LANGUAGE plpgsql AS $$ DECLARE c CURSOR FOR "
      "SELECT id FROM t; BEGIN OPEN c; END $$;\n"
      "CREATE PROCEDURE loops() LANGUAGE plpgsql AS $$ DECLARE c CURSOR FOR "
      "SELECT id FROM t; BEGIN FOR r IN c LOOP RETURN; END LOOP; END $$;\n"
      "CREATE PROCEDURE a() LANGUAGE plpgsql AS $$ DECLARE c CURSOR FOR "
      "SELECT id FROM t; BEGIN OPEN c; CALL closes(); END $$;\n"
      "CREATE PROCEDURE b() LANGUAGE plpgsql AS $$ BEGIN CALL leaves(); CALL "
      "leaves(); END $$;\n"
      "CREATE PROCEDURE d() LANGUAGE plpgsql AS $$ DECLARE c CURSOR FOR "
      "SELECT id FROM t; BEGIN FOR r IN c LOOP CALL closes(); END LOOP; END "
      "$$;\n"
      "CREATE PROCEDURE e() LANGUAGE plpgsql AS $$ BEGIN CALL loops(); CALL "
      "closes(); CALL loops(); END $$;\n"
      "--@ session a: CALL a();\n"
      "--@ session b: CALL b();\n"
      "--@ session d: CALL d();\n"
      "--@ session e: CALL e();\n");
  EXPECT_EQ(loaded.said(0), "42P03");
  EXPECT_EQ(loaded.said(1), "42P03");
  EXPECT_EQ(loaded.said(2), "42P03");
  EXPECT_EQ(loaded.run(3).kind, Request::Kind::Returned);
  EXPECT_EQ(result_of("OPEN c FOR SELECT 1; CLOSE c; CLOSE c;", "c refcursor;"),
            "34000");
}

TEST(SqlProcess, WhatPlpgsqlForbidsIsAnErrorOfItsOwn) {
  EXPECT_EQ(result_of("SELECT v INTO STRICT a FROM t;"), "P0003");
  EXPECT_EQ(result_of("SELECT v INTO STRICT a FROM t WHERE id = 9;"), "P0002");
  EXPECT_EQ(result_of("CASE a WHEN 2 THEN NULL; END CASE;"), "20000");
  EXPECT_EQ(result_of("RAISE EXCEPTION 'no' USING ERRCODE = 'AB123';"),
            "AB123");
  EXPECT_EQ(result_of("RAISE EXCEPTION 'no %', a;"), "P0001");
  EXPECT_EQ(result_of("x := NULL;", "x int NOT NULL := 1;"), "22004");
  EXPECT_EQ(result_of("UPDATE t SET v = 1 RETURNING v INTO a;"), "P0003");
  EXPECT_EQ(result_of("a := 2147483647; a := a + 1;"), "22003");
}

TEST(SqlProcess, RecursionWithoutEndIsAnError) {
  Loaded loaded(
      "CREATE TABLE t (id int PRIMARY KEY);\n"
      "CREATE PROCEDURE p(a int) LANGUAGE plpgsql AS $$ BEGIN CALL p(a + 1); "
      "END $$;\n"
      "--@ session s: CALL p(1);\n");
  EXPECT_EQ(loaded.said(), "54001");
}

TEST(SqlProcess, FunctionsInExpressionsMayRecurseSomeHundredLevels) {
  const auto said = [](int levels) {
    return Loaded(
               "CREATE TABLE t (id int PRIMARY KEY);\n"
               "INSERT INTO t VALUES (0);\n"
               "CREATE FUNCTION f(n int) RETURNS int LANGUAGE plpgsql STABLE "
               "AS $$ BEGIN IF n = 0 THEN RETURN 0; END IF; RETURN f(n - 1) + "
               "1; END $$;\n"
               "--@ session s: BEGIN; SELECT f(id + " +
               std::to_string(levels) + ") FROM t; COMMIT;\n")
        .said();
  };
  EXPECT_EQ(said(150), "150;");
  EXPECT_EQ(said(100000), "54000");  // undecided, and no crash
}

TEST(SqlProcess, CopiesGoOnIndependentlyAndCompareByState) {
  Loaded bank(kBank);
  Process process(*bank.routines, bank.call(0));
  Request request = process.run(bank.budget);
  ASSERT_EQ(request.kind, Request::Kind::Statement);
  const Process before = process;
  EXPECT_EQ(before, process);
  EXPECT_EQ(before.hash(), process.hash());
  // Asked again it says the same.
  EXPECT_EQ(process.run(bank.budget).statement, request.statement);
  process.answer({{}, 1});
  request = process.run(bank.budget);
  EXPECT_EQ(request.max_rows, 2u);  // SELECT INTO STRICT
  EXPECT_FALSE(before == process);
  process.answer({{{Value::integer(40)}}, 1});
  Process other = before;
  (void)other.run(bank.budget);
  other.answer({{}, 1});
  (void)other.run(bank.budget);
  other.answer({{{Value::integer(40)}}, 1});
  EXPECT_EQ(other, process);
  EXPECT_EQ(other.hash(), process.hash());
}

TEST(SqlProcess, AStableFunctionKeepsTheSnapshotOfItsFirstStatement) {
  Loaded loaded(
      "CREATE TABLE t (id int PRIMARY KEY, v int);\n"
      "INSERT INTO t VALUES (1, 10);\n"
      "CREATE FUNCTION twice(p int) RETURNS int LANGUAGE plpgsql STABLE AS $$ "
      "DECLARE x int; y int; BEGIN SELECT v INTO x FROM t WHERE id = p; "
      "SELECT v INTO y FROM t WHERE id = p; RETURN x + y; END $$;\n"
      "--@ session a: BEGIN; SELECT twice(id) FROM t; COMMIT;\n");

  EXPECT_EQ(loaded.said(0), "20;");
  Process process(*loaded.routines, RoutineId(0),
                  std::vector{Value::integer(1)});
  Request request = process.run(loaded.budget);
  EXPECT_FALSE(request.reuses_snapshot);
  process.answer({{{Value::integer(1)}}, 1});
  request = process.run(loaded.budget);
  EXPECT_TRUE(request.reuses_snapshot);
}

// A constant in SET has the type of the column, FROM or not.
TEST(SqlProcess, UpdateFromSetsConstantsOfTheColumnsType) {
  Loaded loaded(
      "CREATE TYPE state AS ENUM ('new', 'done');\n"
      "CREATE TABLE t (id int PRIMARY KEY, s state, at timestamptz);\n"
      "INSERT INTO t VALUES (1, 'new', now());\n"
      "--@ session a: BEGIN; UPDATE t SET s = 'done', at = NULL FROM (SELECT 1 "
      "AS id) q WHERE q.id = t.id; SELECT s, at IS NULL FROM t; COMMIT;\n");
  EXPECT_EQ(loaded.said(), "done,t;");
}

// As PostgreSQL 15 reads them.
TEST(SqlProcess, TimesOfTheHalvesOfADay) {
  Loaded loaded(
      "CREATE TABLE t (id int PRIMARY KEY, at timestamp);\n"
      "INSERT INTO t VALUES (1, '2020-11-01 09:50:00 PM'), "
      "(2, '2020-11-01 12:05 AM'), (3, '2020-11-01 12:05pm'), "
      "(4, '2020-11-01 00:05 AM');\n"
      "--@ session a: BEGIN; SELECT to_char(at, 'HH24:MI') FROM t ORDER BY id; "
      "COMMIT;\n");
  EXPECT_EQ(loaded.said(), "21:50;00:05;12:05;00:05;");
  EXPECT_FALSE(read_sql("x.sql",
                        "CREATE TABLE t (at timestamp);\n"
                        "INSERT INTO t VALUES ('2020-11-01 13:05 PM');\n",
                        false));
}

}  // namespace
}  // namespace txscope::sql
