#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "read/sql/sql.h"

// What is refused, by which words and where: @@ marks the place.
namespace txscope {
namespace {

struct Refused {
  std::string text;
  std::string message;
};

const std::string kTables =
    "CREATE TABLE t (id int PRIMARY KEY, n int NOT NULL, name varchar(10), "
    "d date);\n"
    "CREATE TABLE u (id int PRIMARY KEY, t int REFERENCES t, m "
    "numeric(5,2));\n";
const std::string kSession = "\n--@ session s: UPDATE t SET n = 1;";
const std::string kProcedure =
    "CREATE PROCEDURE p(a int, b text) LANGUAGE plpgsql AS $$\n"
    "DECLARE v int; w text; r record; k CONSTANT int := 1;\nBEGIN\n";

const std::vector<Refused> kInSession = {
    {"SELECT n FROM t WHERE @@rank() OVER (ORDER BY n) = 1",
     "window functions are not allowed in WHERE"},
    {"SELECT n FROM t GROUP BY n HAVING @@sum(n) OVER () > 1",
     "window functions are not allowed in HAVING"},
    {"SELECT sum(@@rank() OVER ()) FROM t",
     "window functions are not allowed inside another aggregate"},
    {"SELECT lag(@@rank() OVER ()) OVER () FROM t",
     "window functions are not allowed inside a window function"},
    {"SELECT @@rank() AS r FROM t",
     "window function rank() requires an OVER clause"},
    {"SELECT @@lower(name) OVER () FROM t",
     "OVER specified, but 'lower' is neither a window function nor an "
     "aggregate"},
    {"SELECT @@count(DISTINCT n) OVER () FROM t",
     "an aggregate with OVER cannot have DISTINCT"},
    {"SELECT @@array_agg(n ORDER BY n) OVER () FROM t",
     "an aggregate with OVER cannot have an ORDER BY of its own"},
    {"SELECT @@rank() FILTER (WHERE n > 1) OVER () FROM t",
     "only an aggregate can have FILTER, not rank()"},
    {"SELECT @@rank() OVER w FROM t", "window 'w' does not exist"},
    {"SELECT n, sum(@@id) OVER () FROM t GROUP BY n",
     "column 'id' must appear in the GROUP BY clause or be used in an "
     "aggregate function"},
    {"SELECT sum(n) OVER (ROWS @@n PRECEDING) FROM t",
     "argument of ROWS must not contain variables"},
    {"SELECT n, rank() OVER () FROM t @@FOR UPDATE",
     "FOR UPDATE is not allowed with window functions"},
    {"@@SELECT n FROM t UNION SELECT id FROM u ORDER BY rank() OVER ()",
     "ORDER BY of a UNION sorts by its columns only"},
    {"WITH RECURSIVE r AS (SELECT 1 AS x UNION ALL SELECT 1 FROM r, @@r b) "
     "SELECT * FROM r",
     "recursive reference to query 'r' must not appear more than once"},
    {"WITH RECURSIVE r AS (SELECT 1 AS x UNION ALL SELECT 1 WHERE EXISTS "
     "(SELECT 1 FROM @@r)) SELECT * FROM r",
     "recursive reference to query 'r' must not appear within a subquery"},
    {"WITH RECURSIVE r AS (SELECT 1 AS x UNION ALL SELECT max(x) FROM @@r) "
     "SELECT * FROM r",
     "aggregate functions are not allowed in a recursive query's recursive "
     "term"},
    {"@@WITH RECURSIVE r AS (SELECT n AS x FROM t UNION ALL SELECT x + 1.5 "
     "FROM r) SELECT * FROM r",
     "recursive query column 1 has type integer in non-recursive term but type "
     "numeric overall"},
    {"@@SELECT n[1] FROM t", "a field of an expression is not supported"},
    {"SELECT @@currval('s')", "unknown sequence 's'"},
    {"SELECT @@nextval('t_seq')", "unknown sequence 't_seq'"},
    {"SELECT @@nextval(name) FROM t",
     "nextval() of a computed name is not supported"},
    {"SELECT * FROM @@nowhere", "unknown table 'nowhere'"},
    {"SELECT * FROM @@tt", "unknown table 'tt'"},
    {"SELECT @@nn FROM t", "unknown column 'nn'"},
    {"SELECT @@x.n FROM t", "unknown table or record 'x' in 'x.n'"},
    {"SELECT @@t.nam FROM t", "'t' has no column 'nam'"},
    {"SELECT @@id FROM t, u", "'id' is ambiguous"},
    {"SELECT (@@t).zz FROM t", "'t' has no column 'zz'"},
    {"@@SELECT (ROW(1, 2)).zz", "the type record has no field 'zz'"},
    {"@@SELECT (n).a FROM t",
     "column notation .a applied to type integer, which is not a composite "
     "type"},
    {"SELECT @@txid_current()",
     "txid_current(), a number that only the server knows, is not supported"},
    {"SELECT @@n, count(*) FROM t",
     "column 'n' must appear in the GROUP BY clause or be used in an aggregate "
     "function"},
    {"SELECT n FROM t WHERE @@count(*) > 1",
     "aggregate functions are not allowed in WHERE"},
    {"SELECT n FROM t WHERE @@n",
     "the argument of WHERE must be boolean, not integer"},
    {"SELECT n FROM t WHERE n = @@'abc'", "'abc' is no integer"},
    {"SELECT n FROM t WHERE n = @@'abc'", "'abc' is no integer"},
    {"SELECT n @@+ name FROM t",
     "operator does not exist: integer + character varying(10)"},
    {"SELECT n FROM t ORDER BY @@3",
     "ORDER BY position 3 is not in the select list"},
    {"SELECT DISTINCT n FROM t ORDER BY @@id",
     "for SELECT DISTINCT, ORDER BY expressions must appear in the select "
     "list"},
    {"SELECT DISTINCT ON (n) @@n FROM t ORDER BY id",
     "SELECT DISTINCT ON expressions must match initial ORDER BY expressions"},
    {"SELECT count(*) FROM t @@FOR UPDATE",
     "FOR UPDATE is not allowed with aggregate functions"},
    {"SELECT * FROM t LEFT JOIN u ON true @@FOR UPDATE",
     "FOR UPDATE of the nullable side of an outer join is not supported"},
    {"SELECT @@(SELECT n FROM t x WHERE x.id = t.id FOR UPDATE) FROM t",
     "FOR UPDATE or FOR SHARE in a subquery that depends on rows is not "
     "supported"},
    {"SELECT @@(SELECT id, n FROM t)", "this subquery must return one column"},
    {"SELECT n FROM t WHERE n @@IN (SELECT id, n FROM t)",
     "this subquery must return 1 column"},
    {"SELECT * FROM t @@FULL JOIN u ON t.id < u.id",
     "FULL JOIN is only supported with merge-joinable or hash-joinable join "
     "conditions"},
    {"SELECT * FROM t a, t @@FULL JOIN u ON t.id = u.id",
     "FULL JOIN after other tables of FROM is not supported"},
    {"SELECT * FROM @@(SELECT 1)", "subquery in FROM must have an alias"},
    {"SELECT @@foo(n) FROM t", "unknown function foo(integer)"},
    {"SELECT @@lenght(name) FROM t",
     "unknown function lenght(character varying)"},
    {"SELECT 1.5 @@^ 2 FROM t", "the operator ^ of numeric is not supported"},
    {"SELECT n @@~ 'a' FROM t", "operator does not exist: integer ~ unknown"},
    {"SELECT name @@LIKE 'a' ESCAPE '!' FROM t",
     "LIKE ... ESCAPE is not supported"},
    {"SELECT (n, id) @@> ANY (SELECT id, n FROM t) FROM t",
     "a row before > ANY (SELECT ...) is not supported"},
    {"SELECT CASE WHEN true THEN @@1 ELSE name END FROM t",
     "CASE types character varying and integer cannot be matched"},
    {"INSERT INTO @@t VALUES (1, 2, 3, 4, 5)",
     "INSERT has more expressions than target columns"},
    {"INSERT INTO t (id, @@foo) VALUES (1, 2)", "'t' has no column 'foo'"},
    {"INSERT INTO @@t (id, n) VALUES (1)",
     "INSERT has more target columns than expressions"},
    {"INSERT INTO t VALUES (1, @@'x')", "'x' is no integer"},
    {"INSERT INTO t VALUES (1, @@true)",
     "column 'n' is of type integer but the expression is of type boolean"},
    {"INSERT INTO t VALUES (1, 1) ON CONFLICT @@(n) DO NOTHING",
     "there is no unique constraint matching the ON CONFLICT specification"},
    {"INSERT INTO t VALUES (1, 1) @@ON CONFLICT DO UPDATE SET n = 1",
     "ON CONFLICT DO UPDATE requires the columns of a unique key"},
    {"UPDATE t SET @@foo = 1", "'t' has no column 'foo'"},
    {"UPDATE t SET n = 1, @@n = 2", "column 'n' is set twice"},
    {"SELECT @@?", "'?' can only be a whole argument of a CALL"},
    {"CALL @@nope(1)", "unknown procedure 'nope'"},
    {"SELECT 1; @@COMMIT", "COMMIT without BEGIN"},
    {"@@BEGIN; SELECT 1", "this BEGIN has no COMMIT"},
    {"@@BEGIN; SELECT n INTO v FROM t", "this BEGIN has no COMMIT"},
    {"SELECT n @@INTO v FROM t",
     "SELECT INTO without BEGIN would make a new table"},
    {"UPDATE t SET n = 1 @@WHER id = 1", "syntax error at or near 'WHER'"},
    {"SELECT @@$1", "there is no parameter $1"},
    {"SELECT @@'it", "unterminated quoted string"},
    {"@@CREATE TABLE x (a int)", "expected SELECT, INSERT, UPDATE or DELETE"},
};

const std::vector<Refused> kInProcedure = {
    {"EXECUTE @@w;", "EXECUTE of a text that is computed is not supported"},
    {"EXECUTE format('SELECT 1 FROM %I', @@w);",
     "EXECUTE with a name that is computed is not supported"},
    {"EXECUTE 'SELECT 1 WHERE ''' || @@v || ''' = n';",
     "EXECUTE with a value inside quotes is not supported"},
    {"@@EXECUTE 'SELECT nope FROM t' INTO v;", "unknown column 'nope'"},
    {"@@EXECUTE 'SELECT v FROM t' INTO v;", "unknown column 'v'"},
    {"@@EXECUTE 'SELECT $2 FROM t' INTO v USING 1;",
     "there is no parameter $2"},
    {"@@v[1] := 2;", "'v' is not an array"},
    {"@@v2 := 1;", "unknown variable 'v2'"},
    {"v := @@x + 1;", "unknown variable 'x'"},
    {"v := @@'abc';", "'abc' is no integer"},
    {"v := @@true;", "'v' is of type integer but the value is of type boolean"},
    {"@@k := 2;", "'k' is a CONSTANT and cannot be assigned"},
    {"SELECT n INTO @@z FROM t;", "unknown variable 'z'"},
    {"SELECT n INTO @@v, w FROM t;",
     "INTO has 2 variables, but there are 1 columns"},
    {"@@SELECT n FROM t;", "this SELECT has no destination for its rows"},
    {"v := @@r.x;", "this record is not assigned before it is used"},
    {"SELECT id INTO r FROM t; v := @@r.x;", "this record has no field 'x'"},
    {"SELECT id INTO r FROM t; LOOP SELECT n @@INTO r FROM t; END LOOP;",
     "record 'r' with rows of different shapes here is not supported"},
    {"SELECT id INTO r FROM t; IF true THEN SELECT n INTO r FROM t; END IF; "
     "v := @@r.n;",
     "a record that may have several shapes here is not supported"},
    {"IF true THEN SELECT id INTO r FROM t; END IF; SELECT n @@INTO r FROM t;",
     "record 'r' with rows of different shapes here is not supported"},
    {"SELECT id INTO r FROM t; SELECT n INTO r FROM t; v := @@r.id;",
     "this record has no field 'id'"},
    {"SELECT id INTO r FROM t; SELECT n INTO v FROM t WHERE r @@IS NULL;",
     "a test of a whole record beside a query is not supported"},
    {"IF r @@IS NULL THEN NULL; END IF;",
     "this record is not assigned before it is used"},
    {"SELECT CASE (SELECT n FROM t) WHEN 1 THEN 2 WHEN 3 THEN 4 END INTO v;",
     "a subquery as the subject of CASE is not supported"},
    {"SELECT 1 INTO v FROM t LIMIT @@n;", "LIMIT must not contain columns"},
    {"INSERT INTO t (id, n) VALUES (a, 1) ON CONFLICT (id) DO UPDATE SET n = "
     "@@a.n;",
     "unknown table or record 'a' in 'a.n'"},
    {"SELECT @@a INTO v FROM (SELECT 1 AS a) x;",
     "'a' is ambiguous: it is a column and a variable"},
    {"NULL; EXCEPTION WHEN @@nope THEN NULL;", "unknown condition 'nope'"},
    {"@@SAVEPOINT a;",
     "a savepoint inside a routine or a block is not supported"},
    {"COMMIT @@AND CHAIN;", "AND CHAIN is not supported"},
    {"IF @@v THEN NULL; END IF;",
     "the condition of IF must be boolean, not integer"},
    {"IF v > 1 THEN NULL; END @@LOOP;", "expected IF, not 'LOOP'"},
    {"@@EXIT;", "EXIT is outside a loop"},
    {"@@EXIT foo;", "there is no label 'foo' around here"},
    {"RAISE EXCEPTION @@'a % b';", "too few parameters for RAISE"},
    {"RAISE EXCEPTION 'a' USING ERRCODE = @@'nope';",
     "unknown condition 'nope'"},
    {"RAISE @@nope;", "unknown condition 'nope'"},
    {"@@RAISE;",
     "RAISE without a message is allowed only in an EXCEPTION handler"},
    {"RETURN @@1;", "RETURN in a procedure takes no value"},
    {"OPEN @@v;", "'v' is not a cursor"},
    {"FOR r IN @@EXECUTE 'x' LOOP NULL; END LOOP;",
     "syntax error at or near 'x'"},
    {"FOREACH v IN ARRAY @@x LOOP NULL; END LOOP;", "unknown variable 'x'"},
    {"FOR @@q IN SELECT 1 LOOP NULL; END LOOP;", "unknown variable 'q'"},
    {"GET DIAGNOSTICS v = @@PG_CONTEXT;",
     "this item of GET DIAGNOSTICS is not supported"},
    {"v := 1 +@@;", "syntax error at end of input"},
    {"v := @@1", "expected ';' after this"},
    {"PERFORM @@foo(1);", "unknown function foo(integer)"},
    {"CALL p(@@'x', 1);", "'x' is no integer"},
    {"MERGE INTO t USING @@nope ON true WHEN MATCHED THEN DELETE;",
     "unknown table 'nope'"},
    {"MERGE INTO t USING (SELECT 1 AS a) s ON s.a = t.id WHEN NOT MATCHED THEN "
     "INSERT VALUES (@@t.id, 1);",
     "unknown table or record 't' in 't.id'"},
    {"@@MERGE INTO t USING (SELECT 1 AS a) s ON s.a = t.id WHEN MATCHED THEN "
     "DO "
     "NOTHING WHEN MATCHED THEN DELETE;",
     "a WHEN MATCHED behind one without a condition is never reached"},
    {"@@UPDATE t SET n = 1 RETURNING n;",
     "RETURNING has no destination for its rows"},
    {"v := @@(1, 2);",
     "'v' is of type integer but the value is of type record"},
    {"v := @@ff(v);", "unknown function ff(integer)"},
    {R"sql(IF true THEN
NULL;)sql",
     "expected IF, not the end of the routine"},
    {"v := 3 v @@:= 4;", "syntax error at or near ':='"},
    {"SELECT id INTO v FROM t WHERE n @@= w;",
     "operator does not exist: integer = text"},
    {"INSERT INTO t VALUES (1, 2) RETURNING id INTO @@w2;",
     "unknown variable 'w2'"},
    {"FETCH @@v INTO w;", "'v' is not a cursor"},
    {"<<a>> @@NULL;", "a label must be before a block or a loop"},
    {"PERFORM n FROM t WHERE@@;", "syntax error at end of input"},
    {R"sql(BEGIN NULL; END;
DECLARE x int; BEGIN @@y := 1; END;)sql",
     "unknown variable 'y'"},
};

const std::vector<Refused> kInFile = {
    {"CREATE TABLE other (a int REFERENCES @@othr);", "unknown table 'othr'"},
    {"CREATE TABLE x (a int REFERENCES @@late);\nCREATE TABLE late (id int "
     "PRIMARY KEY);",
     "unknown table 'late'"},
    {"CREATE TABLE x (a int, @@a int);", "column 'a' is given twice"},
    {"CREATE TABLE @@t (a int);", "table 't' is created twice"},
    {"CREATE TABLE x (a int CHECK (@@b > 1));", "unknown column 'b'"},
    {"CREATE TABLE x (a int DEFAULT @@'x');", "'x' is no integer"},
    {"CREATE TABLE x (a int @@REFERENCES t (n));",
     "there is no unique key on these columns of 't'"},
    {"@@CALL p(1);", "unknown procedure 'p'"},
    {"DROP TABLE t;\n--@ session x: SELECT * FROM @@t;", "unknown table 't'"},
    {R"sql(CREATE FUNCTION f(a int) RETURNS int LANGUAGE sql AS 'SELECT 1';
CREATE FUNCTION f(a text) RETURNS int LANGUAGE sql AS 'SELECT 1';
--@ session x: SELECT @@f(true);)sql",
     "no 'f' takes these arguments"},
    {"BEGIN;", "BEGIN without COMMIT"},
    {"--@ @@foo a: b", "unknown annotation 'foo'"},
    {"--@ @@invarant a: true", "unknown annotation 'invarant'"},
    {"--@ invariant a: @@1", "invariant 'a' must be boolean, not integer"},
    {"--@ invariant a: @@SELECT 1 = 1",
     "invariant 'a' is a query, not a condition"},
    {"--@ invariant a: (SELECT @@nn FROM t) > 1", "unknown column 'nn'"},
    {"--@ invariant @@a", "expected a name and ':' after 'invariant'"},
    {"--@ assert a: @@x.p.v > 1", "there is no session 'x'"},
    {"--@ assert a: @@s.p.v > 1", "session 's' has no transaction 'p'"},
    {"--@ assert a: @@s.t1.v > 1", "'t1' has no variable 'v'"},
    {"--@ level @@q: postgresql:serializable", "no session runs 'q'"},
    {"--@ retry t1: @@many", "expected the number of retries, up to 100"},
    {"--@ session s: UPDATE t SET n = 2;", "session 's' is given twice"},
    {R"sql(CREATE FUNCTION f() RETURNS int LANGUAGE plpgsql AS $$ BEGIN @@--@ session x: CALL p();
 RETURN 1; END $$;)sql",
     "an annotation inside a routine has no effect"},
    {R"sql(CREATE PROCEDURE f(a int) LANGUAGE plpgsql AS $$ BEGIN END $$;
--@ session x: CALL @@f();)sql",
     "'f' takes 1 argument, not 0"},
    {R"sql(CREATE PROCEDURE f(a int) LANGUAGE plpgsql AS $$ BEGIN END $$;
--@ session x: CALL f(@@'a');)sql",
     "'a' is no integer"},
    {R"sql(CREATE PROCEDURE f(a int) LANGUAGE plpgsql AS $$ BEGIN END $$;
--@ session x: CALL f(@@1.5);)sql",
     "argument 1 of 'f' is of type integer but the expression is of type "
     "numeric"},
    {R"sql(CREATE PROCEDURE f(a int) LANGUAGE plpgsql AS $$ BEGIN END $$;
--@ session x: CALL @@f(b => 1);)sql",
     "these names are not those of the parameters of 'f'"},
    {R"sql(CREATE PROCEDURE f(a int) LANGUAGE plpgsql AS $$ BEGIN END $$;
--@ session x: CALL f(@@?);)sql",
     "'?' (any value) cannot be explored"},
    {R"sql(CREATE PROCEDURE f(a smallint) LANGUAGE plpgsql AS $$ BEGIN END $$;
--@ session x: CALL f(@@1);)sql",
     "argument 1 of 'f' is of type smallint but the expression is of type "
     "integer"},
    {R"sql(CREATE FUNCTION f(a int) RETURNS int LANGUAGE sql AS $$ SELECT 1 $$;
--@ session x: CALL @@f(1);)sql",
     "'f' is a function"},
    {R"sql(CREATE PROCEDURE f(a int) LANGUAGE plpgsql AS $$ BEGIN END $$;
--@ session x: SELECT @@f(1);)sql",
     "'f' is a procedure"},
    {R"sql(CREATE TABLE x (a int GENERATED ALWAYS AS IDENTITY, b int);
@@INSERT INTO x VALUES (1, 2);)sql",
     "column 'a' is GENERATED ALWAYS: it takes no value"},
    {"CREATE TABLE x (a int, @@PRIMARY KEY (b));", "'x' has no column 'b'"},
    {"CREATE TABLE x (a int PRIMARY KEY, b int @@PRIMARY KEY);",
     "'x' has two primary keys"},
    {"CREATE TABLE x (a @@varchar(0));",
     "a character varying has 1 character or more"},
    {"CREATE INDEX ON @@t (nn);", "'t' has no column 'nn'"},
    {"INSERT INTO t VALUES (1, 1, 'a', @@'31.1.2024');",
     "'31.1.2024' is no date"},
    {"INSERT INTO t VALUES (1, @@99999999999999999999999999999999999999999);",
     "this number has too many digits"},
    {"SELECT @@U&\"x\";", "a name with Unicode escapes (U&) is not supported"},
    // Not the whole file: the table that the row is for.
    {"INSERT INTO t VALUES (1, B'101'::int);",
     "'t' cannot be used: a constant of this kind is not supported (line 3)"},
};

/// A function that a session calls.
const std::vector<Refused> kInFunction = {
    {"@@CREATE FUNCTION f() RETURNS int LANGUAGE python AS $$ x $$;",
     "the language 'python' is not supported"},
    {"CREATE FUNCTION f() RETURNS int LANGUAGE sql AS $$ @@SELECT 'a' $$;",
     "the function returns integer but this is of type text"},
    {"CREATE FUNCTION f() RETURNS int LANGUAGE plpgsql AS $$ BEGIN @@COMMIT; "
     "RETURN 1; END $$;",
     "COMMIT inside a function is not supported"},
    {"CREATE FUNCTION f() RETURNS int LANGUAGE sql RETURN @@nope;",
     "unknown name 'nope'"},
    {"CREATE FUNCTION f() RETURNS int LANGUAGE plpgsql AS $$ BEGIN @@RETURN; "
     "END $$;",
     "RETURN needs a value"},
    {"CREATE FUNCTION f() RETURNS int STABLE LANGUAGE plpgsql AS $$ BEGIN "
     "@@UPDATE t SET n = 1; RETURN 1; END $$;",
     "INSERT, UPDATE or DELETE is not allowed in a STABLE or IMMUTABLE "
     "function"},
    {"CREATE FUNCTION f() RETURNS int LANGUAGE plpgsql AS $$ DECLARE c CURSOR "
     "FOR @@SELECT n FROM t FOR UPDATE; BEGIN RETURN 1; END $$;",
     "a cursor FOR UPDATE or FOR SHARE is not supported"},
    {"CREATE FUNCTION f() RETURNS int LANGUAGE sql AS $$@@ $$;",
     "the last statement of the function must be a SELECT, or have RETURNING"},
};

/// What stands in the way of writing is refused where a session writes.
const std::vector<Refused> kWhenWritten = {
    {"CREATE TABLE x (a int); "
     "CREATE FUNCTION h() RETURNS int LANGUAGE plpgsql AS $$ DECLARE v int; "
     "BEGIN SELECT x.* INTO v FROM x GROUP BY CUBE (a); RETURN v; END $$; "
     "CREATE FUNCTION g() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
     "NEW.a := h(); RETURN NEW; END $$; CREATE TRIGGER z BEFORE INSERT ON x "
     "FOR EACH ROW EXECUTE FUNCTION g();\n"
     "--@ session w: INSERT INTO @@x VALUES (1);",
     "the trigger 'z' of 'x' (line 3) is not supported"},
    {"CREATE FUNCTION h(a int) RETURNS int IMMUTABLE LANGUAGE sql RETURN a; "
     "CREATE TABLE x (a int, b int GENERATED ALWAYS AS (h(a)) STORED);\n"
     "--@ session w: INSERT INTO @@x VALUES (1);",
     "the user-defined function in the generated column 'b' of 'x' (line 3) is "
     "not "
     "supported"},
    {"CREATE TABLE x (a box, EXCLUDE USING gist (a WITH &&));\n"
     "--@ session w: INSERT INTO @@x VALUES ('(1,1),(2,2)');",
     "the EXCLUDE constraint (EXCLUDE WITH && of box is not supported) of 'x' "
     "(line 3) is not supported"},
    {"CREATE TABLE x (a int4range, EXCLUDE USING gist (a WITH -|-));\n"
     "--@ session w: INSERT INTO @@x VALUES ('[1,2)');",
     "the EXCLUDE constraint (EXCLUDE WITH -|- is not supported) of 'x' (line "
     "3) is not supported"},
    {"CREATE TABLE x (a int REFERENCES t ON UPDATE SET DEFAULT);\n"
     "--@ session w: UPDATE @@t SET id = 2;",
     "the foreign key with ON UPDATE SET DEFAULT of 't' (line 3) is not "
     "supported"},
    {"CREATE FUNCTION h(a int) RETURNS int IMMUTABLE LANGUAGE sql RETURN a; "
     "CREATE UNIQUE INDEX ON t (h(n));\n"
     "--@ session w: INSERT INTO @@t VALUES (1, 1);",
     "the unique index (a user-defined function in an index is not supported) "
     "of 't' "
     "(line 3) is not supported"},
    {"CREATE UNIQUE INDEX i ON t (n) WHERE n > 0;\n"
     "--@ session w: INSERT INTO t VALUES (1, 1) ON CONFLICT @@(n) DO NOTHING;",
     "there is no unique constraint matching the ON CONFLICT specification"},
    {"CREATE TABLE x (a int4range, CONSTRAINT e EXCLUDE USING gist (a WITH "
     "&&));\n"
     "--@ session w: INSERT INTO x VALUES ('[1,2)') @@ON CONFLICT ON "
     "CONSTRAINT "
     "e DO UPDATE SET a = 'empty';",
     "ON CONFLICT DO UPDATE does not go with EXCLUDE"},
    {"CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
     "PERFORM pg_backend_pid(); RETURN NEW; END $$;\n"
     "CREATE TRIGGER g BEFORE UPDATE ON t FOR EACH ROW EXECUTE FUNCTION f();\n"
     "--@ session w: UPDATE @@t SET n = 1;",
     "the trigger 'g' of 't' (line 4) is not supported"},
    {"CREATE TABLE x (a text REFERENCES t);\n--@ session w: DELETE FROM @@t;",
     "the child 'x', which cannot be used, of 't' (line 3) is not supported"},
    {"CREATE TABLE x (a intger);\n--@ session w: SELECT a FROM @@x;",
     "'x' cannot be used: unknown type 'intger' (line 3)"},
    {"CREATE TEMP TABLE x (a int);\n--@ session w: SELECT a FROM @@x;",
     "'x' cannot be used: temporary tables are not supported (line 3)"},
};

const std::vector<Refused> kAlone = {
    {"@@", "the file has no session"},
    {"CREATE TABLE t (a int);@@", "the file has no session"},
    {"CREATE TABLE t (a int@@;", "syntax error at or near ';'"},
    {"@@SELEC 1;", "syntax error at or near 'SELEC'"},
};

void expect_refused(const std::string& before, const Refused& refused,
                    const std::string& after) {
  std::string text = before + refused.text + after;
  const std::size_t place = text.find("@@");
  if (place != std::string::npos) text.erase(place, 2);
  const auto read = sql::read_sql("x.sql", text);
  if (read) {
    ADD_FAILURE() << refused.text << " is accepted";
    return;
  }
  EXPECT_EQ(read.error().what, refused.message) << refused.text;
  if (place == std::string::npos) return;
  const std::size_t newline = text.rfind('\n', place == 0 ? 0 : place - 1);
  const std::size_t line_start =
      place == 0 || newline == std::string::npos ? 0 : newline + 1;
  const auto line = static_cast<std::uint64_t>(
      1 + std::count(text.begin(),
                     text.begin() + static_cast<std::ptrdiff_t>(place), '\n'));
  EXPECT_EQ(read.error().where.line, line) << refused.text;
  EXPECT_EQ(read.error().where.column, place - line_start + 1)
      << refused.text << ": " << read.error().what;
  EXPECT_EQ(read.error().source_line,
            text.substr(line_start, text.find('\n', line_start) - line_start));
}

TEST(SqlRefuses, InSessionsByNameAndPlace) {
  for (const Refused& refused : kInSession) {
    expect_refused(kTables + "--@ session s: ", refused, "");
  }
}

TEST(SqlRefuses, InProceduresByNameAndPlace) {
  for (const Refused& refused : kInProcedure) {
    expect_refused(kTables + kProcedure, refused,
                   "\nEND $$;\n--@ session s: CALL p(1, 'x');");
  }
}

TEST(SqlRefuses, InFilesByNameAndPlace) {
  for (const Refused& refused : kInFile) {
    expect_refused(kTables, refused, kSession);
  }
}

TEST(SqlRefuses, InFunctionsThatAreCalled) {
  for (const Refused& refused : kInFunction) {
    expect_refused(kTables, refused, "\n--@ session z: SELECT f();");
  }
}

TEST(SqlRefuses, WhereARowWouldBeWritten) {
  for (const Refused& refused : kWhenWritten) {
    expect_refused(kTables, refused, "");
  }
}

TEST(SqlRefuses, NothingThatNoSessionNeeds) {
  for (const Refused& refused : kInFunction) {
    std::string text = kTables + refused.text + kSession;
    text.erase(text.find("@@"), 2);
    const auto read = sql::read_sql("x.sql", text);
    ASSERT_TRUE(read) << refused.text << read.error().what;
    EXPECT_FALSE(read->notes.empty()) << refused.text;
  }
}

TEST(SqlRefuses, AllMistakesOfAFile) {
  std::vector<Error> others;
  const auto read = sql::read_sql(
      "x.sql",
      "CREATE TABLE t (a int CHECK (b > 1));\nCREATE TABLE u (a int, a int);\n"
      "--@ session s: SELECT c FROM v;\n--@ session r: SELECT 1 +;\n",
      true, &others);
  ASSERT_FALSE(read);
  ASSERT_EQ(others.size(), 3u);
  EXPECT_EQ(read.error().where.line, 1u);
  EXPECT_EQ(others[0].where.line, 2u);
  EXPECT_EQ(others[1].where.line, 3u);
  EXPECT_EQ(others[2].where.line, 4u);
}

TEST(SqlRefuses, BrokenFilesByNameAndPlace) {
  for (const Refused& refused : kAlone) expect_refused("", refused, "");
}

}  // namespace
}  // namespace txscope
