#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "exec/sql/memory/database.h"
#include "read/sql/sql.h"

// Files as pg_dump and people write them, and what they mean.
namespace txscope {
namespace {

using sql::Value;

/// The one value of an invariant after the setup and all sessions, one after
/// the other.
std::string after_all(const std::string& text) {
  const auto read = sql::read_sql("x.sql", text);
  if (!read) return to_string(read.error().where) + ": " + read.error().what;
  const sql::Routines routines(*read);
  const Budget budget = Budget::unlimited();
  const auto start = sql::MemoryDatabase::after_setup(routines, budget);
  if (const auto* error = std::get_if<sql::SqlError>(&start))
    return "setup: " + error->sqlstate + " " + error->message;
  sql::MemoryDatabase database = std::get<sql::MemoryDatabase>(start);
  std::string said;
  for (const sql::Session& session : read->sessions) {
    for (const sql::Call& call : session.calls) {
      const auto ran = database.run(call, budget);
      if (ran.kind == sql::Request::Kind::Failed)
        said += ran.process.error().sqlstate + " ";
    }
  }
  for (const sql::Property& property : read->properties) {
    const auto value = database.holds(property, {}, budget);
    const auto* held = std::get_if<Value>(&value);
    said += held == nullptr ? "error" : to_string(*held);
  }
  return said;
}

TEST(SqlDump, LoadsCopyAndAddsConstraintsLast) {
  EXPECT_EQ(
      after_all("SET statement_timeout = 0;\n"
                "SELECT pg_catalog.set_config('search_path', '', false);\n"
                "\\restrict abc\n"
                "CREATE TYPE public.mood AS ENUM ('sad', 'ok');\n"
                "CREATE TABLE public.child (id integer NOT NULL, "
                "parent integer, m public.mood);\n"
                "ALTER TABLE public.child OWNER TO me;\n"
                "CREATE SEQUENCE public.child_id_seq START WITH 1 INCREMENT BY "
                "1 NO MINVALUE NO MAXVALUE CACHE 1;\n"
                "CREATE TABLE public.parent (id integer NOT NULL, "
                "name character varying(20));\n"
                "ALTER TABLE ONLY public.child ALTER COLUMN id SET DEFAULT "
                "nextval('public.child_id_seq'::regclass);\n"
                "COPY public.child (id, parent, m) FROM stdin;\n"
                "1\t10\tok\n2\t\\N\tsad\n\\.\n\n"
                "COPY public.parent (id, name) FROM stdin;\n"
                "10\ta\\tb\n\\.\n\n"
                "SELECT pg_catalog.setval('public.child_id_seq', 2, true);\n"
                "ALTER TABLE ONLY public.parent ADD CONSTRAINT parent_pkey "
                "PRIMARY KEY (id);\n"
                "ALTER TABLE ONLY public.child ADD CONSTRAINT child_pkey "
                "PRIMARY KEY (id);\n"
                "ALTER TABLE ONLY public.child ADD CONSTRAINT child_fk FOREIGN "
                "KEY (parent) REFERENCES public.parent(id);\n"
                "--@ session s: INSERT INTO child (parent, m) VALUES (10, "
                "'sad');\n"
                "--@ session u: INSERT INTO child (parent, m) VALUES (11, "
                "'sad');\n"
                "--@ invariant i: (SELECT max(id) FROM public.child) = 3 AND "
                "(SELECT count(*) FROM child WHERE m < 'ok') = 2 AND (SELECT "
                "name FROM parent) = 'a' || chr(9) || 'b'\n"),
      "23503 t");
}

TEST(SqlDump, ASchemaTellsThingsOfOneNameApart) {
  const std::string tables =
      "CREATE SCHEMA a; CREATE SCHEMA b;\n"
      "CREATE TABLE a.t (id int PRIMARY KEY, n int);\n"
      "CREATE TABLE b.t (id int PRIMARY KEY, m int);\n"
      "CREATE TABLE u (id int PRIMARY KEY);\n"
      "INSERT INTO a.t VALUES (1, 10);\n"
      "SET search_path TO b, public;\n"
      "INSERT INTO t VALUES (2, 20);\n";
  EXPECT_EQ(after_all(tables +
                      "--@ search_path: b\n"
                      "--@ session s: UPDATE t SET m = m + 1;\n"
                      "--@ invariant i: (SELECT m FROM t) = 21 AND (SELECT n "
                      "FROM a.t) = 10\n"),
            "t");
  // Of two none is meant where no path says which; one alone is found.
  EXPECT_EQ(after_all(tables + "--@ session s: UPDATE t SET m = 1;\n"),
            "x.sql:8:23: which table 't' is meant is not unique");
  EXPECT_EQ(after_all(tables + "--@ session s: INSERT INTO u VALUES (7);\n"
                               "--@ invariant i: EXISTS (SELECT 1 FROM u)\n"),
            "t");
  const auto read =
      sql::read_sql("x.sql", tables +
                                 "CREATE TABLE a.only (id int PRIMARY KEY);\n"
                                 "ALTER TABLE u SET SCHEMA a;\n"
                                 "CREATE TABLE a.w (u int REFERENCES a.u);\n"
                                 "--@ session s: SELECT 1;\n");
  ASSERT_TRUE(read) << read.error().what;
  std::vector<std::string> names;
  for (const sql::Table& table : read->schema.tables)
    names.push_back(table.name);
  EXPECT_EQ(names, (std::vector<std::string>{"a.t", "b.t", "u", "only", "w"}));
}

TEST(SqlDump, CodeInASession) {
  const std::string tables =
      "CREATE TABLE items (id int PRIMARY KEY, stock int);\n"
      "INSERT INTO items VALUES (1, 5);\n";
  EXPECT_EQ(after_all(tables +
                      "--@ session a: BEGIN; SELECT stock INTO s FROM items "
                      "WHERE id = 1;\n"
                      "--@   IF s >= 2 THEN UPDATE items SET stock = s - 2 "
                      "WHERE id = 1; END IF; COMMIT;\n"
                      "--@ session b: BEGIN; n := 2; FOR i IN 1..n LOOP UPDATE "
                      "items SET stock = stock + i; END LOOP; COMMIT;\n"
                      "--@ invariant i: (SELECT stock FROM items) = 6\n"),
            "t");
}

TEST(SqlDump, CodeInASessionWithALevel) {
  const std::string tables =
      "CREATE TABLE items (id int PRIMARY KEY, stock int);\n"
      "INSERT INTO items VALUES (1, 5);\n";
  for (const std::string begin :
       {"BEGIN ISOLATION LEVEL REPEATABLE READ;",
        "BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ;",
        "START TRANSACTION ISOLATION LEVEL REPEATABLE READ;",
        "BEGIN; SET TRANSACTION ISOLATION LEVEL REPEATABLE READ;"}) {
    const std::string text =
        tables + "--@ session a: " + begin +
        " SELECT stock INTO s FROM items WHERE id = 1;\n"
        "--@   UPDATE items SET stock = s - 2 WHERE id = 1; COMMIT;\n"
        "--@ invariant i: (SELECT stock FROM items) = 3\n";
    EXPECT_EQ(after_all(text), "t") << begin;
    const auto read = sql::read_sql("x.sql", text);
    ASSERT_TRUE(read);
    EXPECT_EQ(read->sessions[0].calls[0].level->profile->name,
              "postgresql:repeatable-read")
        << begin;
  }
}

TEST(SqlDump, RowCountsInASession) {
  EXPECT_EQ(after_all("CREATE TABLE items (id int PRIMARY KEY, stock int);\n"
                      "INSERT INTO items VALUES (1, 5), (2, 5);\n"
                      "--@ session a: BEGIN; UPDATE items SET stock = 4; GET "
                      "DIAGNOSTICS n = ROW_COUNT;\n"
                      "--@   IF n = 2 THEN DELETE FROM items WHERE id = n; END "
                      "IF; COMMIT;\n"
                      "--@ invariant i: (SELECT sum(stock) FROM items) = 4\n"),
            "t");
}

TEST(SqlDump, RowsOfFunctionsAndQueries) {
  const std::string tables =
      "CREATE TABLE t (id int PRIMARY KEY, v int, tags text[]);\n"
      "INSERT INTO t SELECT i, i * 10, ARRAY['a', i::text] FROM "
      "generate_series(1, 3) AS g(i);\n"
      "CREATE VIEW big AS SELECT id, v FROM t WHERE v > 10;\n"
      "CREATE FUNCTION take(n int) RETURNS TABLE (a int, b int) LANGUAGE "
      "plpgsql AS $$ BEGIN RETURN QUERY UPDATE t SET v = v - n WHERE id = 1 "
      "RETURNING t.id, t.v; END $$;\n";
  EXPECT_EQ(
      after_all(
          tables +
          "--@ session a: SELECT * FROM take(3);\n"
          "--@ session b: UPDATE t SET v = x.v + 1 FROM big x WHERE x.id = "
          "t.id;\n"
          "--@ session c: DELETE FROM t USING big b WHERE b.id = t.id AND "
          "b.v > 30;\n"
          "--@ invariant i: (SELECT string_agg(id || '=' || v, ',' ORDER BY id "
          "DESC) FROM t) = '2=21,1=7' AND (WITH w AS (SELECT v FROM t UNION "
          "SELECT 7) SELECT count(*) FROM w) = 2 AND (SELECT count(*) FROM t, "
          "unnest(t.tags) AS tag WHERE tag = 'a') = 2\n"),
      "t");
}

TEST(SqlDump, SetupByBlocksAndCalls) {
  EXPECT_EQ(
      after_all("CREATE TABLE t (id serial PRIMARY KEY, v int DEFAULT 7, at "
                "timestamptz DEFAULT now(), u uuid DEFAULT "
                "gen_random_uuid());\n"
                "DO $$ BEGIN FOR i IN 1..3 LOOP INSERT INTO t (v) VALUES (i); "
                "END LOOP; END $$;\n"
                "CREATE PROCEDURE p(n int) LANGUAGE plpgsql AS $$ BEGIN "
                "INSERT INTO t (v) VALUES (n); END $$;\nCALL p(9);\n"
                "--@ session s: CALL p(1);\n"
                "--@ invariant i: (SELECT sum(v) FROM t) = 16 AND (SELECT "
                "count(DISTINCT u) FROM t) = 5 AND (SELECT count(*) FROM t "
                "WHERE at = now()) = 5\n"),
      "t");
}

TEST(SqlDump, SequencesThatAreChanged) {
  EXPECT_EQ(
      after_all("CREATE TABLE t (id serial, n int);\n"
                "CREATE SEQUENCE s; CREATE SEQUENCE far;\n"
                "ALTER SEQUENCE far INCREMENT BY 5;\n"
                "INSERT INTO t (n) VALUES (1), (2);\n"
                "ALTER SEQUENCE t_id_seq OWNED BY t.id;\n"
                "ALTER SEQUENCE t_id_seq RESTART WITH 10;\n"
                "SELECT nextval('s'); ALTER SEQUENCE s RESTART;\n"
                "--@ session a: INSERT INTO t (n) VALUES (nextval('s'));\n"
                "--@ session b: INSERT INTO t (n) VALUES (nextval('far')"
                " + nextval('far'));\n"
                "--@ invariant i: (SELECT string_agg(id || ',' || n, ';' "
                "ORDER BY id) FROM t) = '1,1;2,2;10,1;11,7'\n"),
      "t");
}

TEST(SqlDump, WhatIsDroppedIsGone) {
  EXPECT_EQ(after_all("CREATE TABLE p (id int PRIMARY KEY);\n"
                      "CREATE TABLE c (id int PRIMARY KEY, p int REFERENCES p "
                      "ON DELETE CASCADE);\n"
                      "INSERT INTO p VALUES (1); INSERT INTO c VALUES (7, 1);\n"
                      "DROP TABLE c;\n"
                      "CREATE TABLE c (id int PRIMARY KEY, p int);\n"
                      "INSERT INTO c VALUES (7, 1);\n"
                      "CREATE FUNCTION f() RETURNS int LANGUAGE sql AS "
                      "'SELECT 1';\n"
                      "DROP FUNCTION f; DROP TABLE IF EXISTS nobody;\n"
                      "CREATE FUNCTION f() RETURNS text LANGUAGE sql AS "
                      "$$ SELECT 'x' $$;\n"
                      "--@ session s: DELETE FROM p;\n"
                      "--@ invariant i: (SELECT count(*) FROM c) = 1 AND f() = "
                      "'x' AND NOT EXISTS (SELECT 1 FROM p)\n"),
            "t");
}

// Only the first row of many goes through PostgreSQL's parser.
TEST(SqlDump, ManyRowsMeanWhatFewMean) {
  const std::string head =
      "CREATE TABLE t (id int PRIMARY KEY, a bigint, b text, c numeric(6,2), "
      "d boolean DEFAULT true, e date, v varchar(3));\n"
      "INSERT INTO public.t (id, a, b, c, d, e, v) VALUES\n";
  std::string rows;
  std::string single;
  for (int i = 0; i < 30; ++i) {
    const std::string n = std::to_string(i);
    const std::string row =
        "(" + n + ", " + (i % 3 == 0 ? "-" : "") + "30000000" + n +
        ", 'it''s\n" + n + "', " + n + ".255, " +
        (i % 4 == 0   ? "DEFAULT"
         : i % 4 == 1 ? "false"
                      : "NULL") +
        ", '2024-01-0" + std::to_string(1 + i % 9) + "', 'abc')";
    rows += (i == 0 ? "" : ",\n") + row;
    single += head.substr(head.find("INSERT")) + row + ";\n";
  }
  const std::string table = head.substr(0, head.find("INSERT"));
  const auto rows_of = [&](const std::string& text) {
    const auto read =
        sql::read_sql("x.sql", text + "--@ session s: SELECT 1;\n");
    EXPECT_TRUE(read) << read.error().what;
    const sql::Routines routines(*read);
    const auto start =
        sql::MemoryDatabase::after_setup(routines, Budget::unlimited());
    std::string all;
    for (const sql::Row& row :
         std::get<sql::MemoryDatabase>(start).rows(TableId(0)))
      for (const Value& value : row) all += to_string(value) + "|";
    return all;
  };
  EXPECT_EQ(rows_of(head + rows + ";\n"), rows_of(table + single));
  const auto wrong = sql::read_sql(
      "x.sql", head + rows + ", (99, 1, 'x');\n--@ session s: SELECT 1;\n");
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().what, "VALUES lists must all be the same length");
  const auto odd =
      sql::read_sql("x.sql", head + rows +
                                 ", (99, true, 'x', 1, true, NULL, "
                                 "'y');\n--@ session s: SELECT 1;\n");
  ASSERT_FALSE(odd);
  EXPECT_EQ(odd.error().what,
            "column 'a' is of type bigint but the expression is of type "
            "boolean");
}

// What is behind a column that is dropped moves up, in constraints, too.
TEST(SqlDump, ColumnsThatAreDropped) {
  const std::string text =
      "CREATE TABLE p (x int UNIQUE, id int PRIMARY KEY);\n"
      "CREATE TABLE t (a int, b int UNIQUE, c int CHECK (c > 0), d int "
      "REFERENCES p (id), UNIQUE (a, c));\n"
      "ALTER TABLE t DROP COLUMN a;\nALTER TABLE p DROP COLUMN x;\n";
  const auto says = [&](const std::string& row) {
    return after_all(text +
                     "INSERT INTO p VALUES (1);\n--@ session s: BEGIN; "
                     "INSERT INTO t VALUES (1, 1, 1); INSERT INTO t "
                     "VALUES " +
                     row +
                     "; COMMIT;\n--@ invariant i: (SELECT count(*) FROM t) = "
                     "2\n");
  };
  EXPECT_EQ(says("(2, 1, 1)"), "t");
  EXPECT_EQ(says("(1, 1, 1)"), "23505 f");
  EXPECT_EQ(says("(2, 0, 1)"), "23514 f");
  EXPECT_EQ(says("(2, 1, 9)"), "23503 f");
  EXPECT_NE(after_all("CREATE TABLE t (a int, b int);\nINSERT INTO T SELECT "
                      "1, 2;\nALTER TABLE t DROP COLUMN a;\n--@ session s: "
                      "BEGIN; SELECT b FROM t; COMMIT;\n")
                .find("DROP COLUMN"),
            std::string::npos);
}

// Foreign keys come last, so rows may be in any order; but in the end they
// hold.
TEST(SqlDump, RowsOfATreeAreInAnyOrder) {
  const std::string tree =
      "CREATE TABLE staff (id int PRIMARY KEY, boss int);\n"
      "INSERT INTO staff VALUES (1, 2);\nINSERT INTO staff VALUES (2, NULL);\n";
  const std::string key =
      "ALTER TABLE staff ADD CONSTRAINT boss FOREIGN KEY (boss) REFERENCES "
      "staff;\n";
  const std::string rest =
      "--@ session a: BEGIN; INSERT INTO staff VALUES (4, 5); COMMIT;\n"
      "--@ invariant i: (SELECT count(*) FROM staff) = 2\n";
  EXPECT_EQ(after_all(tree + key + rest), "23503 t");
  EXPECT_EQ(after_all(tree + "INSERT INTO staff VALUES (3, 9);\n" + key + rest)
                .substr(0, 12),
            "setup: 23503");
  EXPECT_EQ(after_all(tree +
                      "INSERT INTO staff VALUES (3, 9);\n"
                      "UPDATE staff SET boss = 1 WHERE id = 3;\n"
                      "DELETE FROM staff WHERE id = 3;\n" +
                      key + rest),
            "23503 t");
}

TEST(SqlDump, ManyRowsWithAUniqueKey) {
  std::string text =
      "CREATE TABLE t (id int PRIMARY KEY, code text UNIQUE, n int);\n";
  for (int i = 0; i < 100; ++i) {
    const std::string n = std::to_string(i);
    text += "INSERT INTO t VALUES (" + n + ", 'c" + n + "', NULL);\n";
  }
  EXPECT_EQ(
      after_all(text +
                "--@ session a: BEGIN; INSERT INTO t VALUES (200, 'c7'); "
                "COMMIT;\n"
                "--@ session b: BEGIN; DELETE FROM t WHERE id = 7; INSERT "
                "INTO t VALUES (201, 'c7'); COMMIT;\n"
                "--@ session c: BEGIN; UPDATE t SET code = 'c8' WHERE id "
                "= 201; COMMIT;\n"
                "--@ session d: BEGIN; UPDATE t SET code = NULL WHERE id "
                "= 8; UPDATE t SET code = 'c8' WHERE id = 201; COMMIT;\n"
                "--@ invariant i: (SELECT id FROM t WHERE code = 'c8') = "
                "201\n"),
      "23505 23505 t");
  EXPECT_EQ(after_all(text + "INSERT INTO t VALUES (300, 'c99');\n"
                             "--@ session a: BEGIN; SELECT 1; COMMIT;\n")
                .substr(0, 12),
            "setup: 23505");
}

// What the setup calls and cannot be run is left out, and what it may have
// changed cannot be used; other tables can.
TEST(SqlDump, ASetupThatCannotBeRunIsLeftOut) {
  const std::string file =
      "CREATE TABLE t (id int);\nCREATE TABLE u (id int);\n"
      "INSERT INTO u VALUES (1);\n"
      "CREATE FUNCTION helper() RETURNS void LANGUAGE plpgsql AS $$ BEGIN "
      "INSERT INTO t VALUES (no_such_function(2)); END $$;\n"
      "CREATE FUNCTION fill() RETURNS void LANGUAGE plpgsql AS $$ BEGIN "
      "PERFORM "
      "helper(); END $$;\n"
      "SELECT fill();\n";
  const std::string block =
      "CREATE TABLE t (id int);\nCREATE TABLE u (id int);\n"
      "INSERT INTO u VALUES (1);\n"
      "CREATE FUNCTION helper() RETURNS void LANGUAGE plpgsql AS $$ BEGIN "
      "INSERT INTO t VALUES (no_such_function(2)); END $$;\n"
      "DO $$ BEGIN PERFORM helper(); END $$;\n";
  for (const std::string& text : {file, block}) {
    EXPECT_EQ(after_all(text + "--@ session a: UPDATE u SET id = id + 1;\n"
                               "--@ invariant i: (SELECT id FROM u) = 2\n"),
              "t");
    EXPECT_NE(after_all(text + "--@ session a: SELECT id FROM t;\n")
                  .find("'t' cannot be used: unknown function "
                        "no_such_function"),
              std::string::npos);
    const auto read =
        sql::read_sql("x.sql", text + "--@ session a: SELECT 1;\n");
    ASSERT_TRUE(read);
    EXPECT_TRUE(std::any_of(read->notes.begin(), read->notes.end(),
                            [](const std::string& note) {
                              return note.starts_with(
                                  "left out (line 6): unknown function");
                            }) ||
                std::any_of(read->notes.begin(), read->notes.end(),
                            [](const std::string& note) {
                              return note.starts_with(
                                  "left out (line 5): unknown function");
                            }));
  }
}

// Of PostgreSQL 16 and 18.
TEST(SqlDump, WordsOfLaterVersions) {
  EXPECT_EQ(
      after_all("CREATE TABLE t (n int, twice int GENERATED ALWAYS AS (n * 2) "
                "VIRTUAL, half int GENERATED ALWAYS AS (n / 2) STORED);\n"
                "GRANT a TO b WITH INHERIT TRUE, SET FALSE;\n"
                "INSERT INTO t (n) VALUES (6);\n"
                "--@ session a: UPDATE t SET n = 8;\n"
                "--@ invariant i: (SELECT twice + half FROM t) = 20\n"),
      "t");
}

TEST(SqlDump, ScriptsOfExtensionsAndTrials) {
  EXPECT_EQ(
      after_all(
          "BEGIN;\n"
          "CREATE TABLE @extschema@.t (id int);\n"
          "CREATE FUNCTION @extschema@.f() RETURNS void LANGUAGE plpgsql "
          "AS $$ BEGIN INSERT INTO @extschema@.t VALUES (1); GRANT ALL ON "
          "t TO public; NOTIFY done; COMMENT ON TABLE t IS 'x'; END $$;\n"
          "ROLLBACK;\n"
          "--@ session s: SELECT f();\n"
          "--@ invariant i: (SELECT count(*) FROM public.t) = 1\n"),
      "t");
  // Rows that are thrown away would be others.
  EXPECT_NE(after_all("CREATE TABLE t (id int);\n"
                      "BEGIN;\nINSERT INTO t VALUES (1);\nROLLBACK;\n"
                      "--@ session s: SELECT * FROM t;\n")
                .find("ROLLBACK outside a session is not supported"),
            std::string::npos);
}

TEST(SqlDump, LoopsOverNamesThatDefine) {
  const std::string file =
      "CREATE TABLE a (id int, n int);\nCREATE TABLE \"B c\" (id int, n int);\n"
      "CREATE FUNCTION up() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.n "
      ":= NEW.n + 1; RETURN NEW; END $$;\n"
      "DO $$\nDECLARE t text; names text[] := ARRAY['a', 'B c']::text[];\n"
      "BEGIN\n"
      "  FOREACH t IN ARRAY names LOOP\n"
      "    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', t);\n"
      "    EXECUTE format('CREATE TRIGGER %1$I BEFORE UPDATE ON public.%2$I '\n"
      "      || 'FOR EACH ROW EXECUTE FUNCTION up();', t || '_up', t);\n"
      "    EXECUTE 'CREATE UNIQUE INDEX ON ' || quote_ident(t) || ' (id)';\n"
      "  END LOOP;\n"
      "  FOREACH t IN ARRAY ARRAY['a'] LOOP\n"
      "    EXECUTE format('COMMENT ON TABLE %I IS %L', t, '100% it''s');\n"
      "  END LOOP;\nEND $$;\n"
      "INSERT INTO a VALUES (1, 1);\nINSERT INTO \"B c\" VALUES (1, 1);\n";
  EXPECT_EQ(
      after_all(
          file +
          "--@ session s: BEGIN; UPDATE a SET id = 2; UPDATE \"B c\" SET "
          "id = 2; COMMIT;\n"
          "--@ session u: INSERT INTO \"B c\" VALUES (2, 2);\n"
          "--@ invariant i: (SELECT n FROM a) + (SELECT n FROM \"B c\") = "
          "4\n"),
      "23505 t");
  // One that fails is left out, whatever the reason.
  EXPECT_EQ(
      after_all("CREATE TABLE account (n int);\nCREATE TABLE b (n int);\n"
                "DO $$ DECLARE t text; BEGIN FOREACH t IN ARRAY "
                "ARRAY['b', 'accounts'] LOOP EXECUTE format('CREATE INDEX "
                "ON %I (n)', t); END LOOP; END $$;\n"
                "--@ session s: INSERT INTO account VALUES (1);\n"
                "--@ invariant i: (SELECT n FROM account) = 1\n"),
      "t");
  // Anything else is run, or left out, as it is.
  const auto read = sql::read_sql(
      "x.sql",
      "CREATE TABLE a (n int);\nDO $$ DECLARE t text; BEGIN FOREACH t IN ARRAY "
      "ARRAY['a'] LOOP EXECUTE format('INSERT INTO %I VALUES (1)', t); END "
      "LOOP; END $$;\n--@ session s: SELECT 1;\n");
  ASSERT_TRUE(read);
  EXPECT_TRUE(std::any_of(
      read->notes.begin(), read->notes.end(), [](const std::string& note) {
        return note.starts_with("left out (line 2): EXECUTE with a name");
      }));
}

// pg_dump sets the search path with set_config().
TEST(SqlDump, SettingsThatNobodySets) {
  const auto file = [](const std::string& set) {
    return "SELECT pg_catalog.set_config('search_path', '', false);\n"
           "CREATE TABLE public.t (who text);\n"
           "CREATE FUNCTION public.note() RETURNS void LANGUAGE plpgsql AS $$ "
           "BEGIN " +
           set +
           " INSERT INTO public.t VALUES (coalesce(current_setting("
           "'app.who', true), 'nobody')); END $$;\n"
           "--@ session s: SELECT public.note();\n"
           "--@ invariant i: (SELECT who FROM public.t) = 'nobody'\n";
  };
  EXPECT_EQ(after_all(file("")), "t");
  EXPECT_EQ(after_all(file("PERFORM set_config ( 'app.other', 'x', true);")),
            "t");
  for (const char* set :
       {"PERFORM set_config('app.who', 'x', true);",
        "PERFORM set_config('App.Who', 'x', true);",
        "PERFORM set_config('app.' || 'who', 'x', true);",
        "EXECUTE 'SELECT set_config(''app.who'', ''x'', true)';",
        "SET LOCAL app.who = 'x';"})
    EXPECT_NE(after_all(file(set)).find("is not supported"), std::string::npos)
        << set;
}

TEST(SqlDump, NumbersThatAreNoneOfOurs) {
  const std::string file =
      "CREATE TABLE t (id int, n numeric DEFAULT 'NaN', at timestamp DEFAULT "
      "'infinity');\nCREATE TABLE u (n numeric);\nINSERT INTO u VALUES "
      "('NaN');\n";
  EXPECT_EQ(after_all(file + "--@ session s: DELETE FROM t;\n"
                             "--@ invariant i: (SELECT count(*) FROM t) = 0\n"),
            "t");
  EXPECT_NE(after_all(file + "--@ session s: INSERT INTO t (id) VALUES (1);\n")
                .find("the default of 'n'"),
            std::string::npos);
  EXPECT_NE(after_all(file + "--@ session s: DELETE FROM u;\n")
                .find("'u' cannot be used: 'NaN' is no numeric"),
            std::string::npos);
}

TEST(SqlDump, NamesThatChange) {
  EXPECT_EQ(
      after_all("CREATE TYPE mood AS ENUM ('ok', 'sad');\n"
                "ALTER TYPE mood RENAME TO feeling;\n"
                "CREATE TABLE t (id int, f feeling DEFAULT 'ok');\n"
                "CREATE FUNCTION count_up() RETURNS trigger LANGUAGE plpgsql "
                "AS $$ BEGIN NEW.id := NEW.id + 1; RETURN NEW; END $$;\n"
                "CREATE TRIGGER z BEFORE INSERT ON t FOR EACH ROW EXECUTE "
                "FUNCTION count_up();\n"
                "CREATE TRIGGER y BEFORE INSERT ON t FOR EACH ROW EXECUTE "
                "FUNCTION twice();\n"
                "CREATE FUNCTION twice() RETURNS trigger LANGUAGE plpgsql "
                "AS $$ BEGIN NEW.id := NEW.id * 2; RETURN NEW; END $$;\n"
                "ALTER FUNCTION count_up() RENAME TO one_more;\n"
                "ALTER TRIGGER z ON t RENAME TO a;\n"
                "--@ session s: INSERT INTO t VALUES (5);\n"
                // Triggers fire in the order of their names.
                "--@ invariant i: (SELECT id FROM t) = 12\n"),
      "t");
}

// Rows of very many constants do not go through PostgreSQL's parser.
TEST(SqlDump, ManyStatementsOfConstantsAreReadAsOne) {
  const auto rows = [](const std::string& last) {
    std::string text =
        "CREATE TABLE t (id int PRIMARY KEY, s varchar(5), n numeric(6,2) "
        "DEFAULT 7, b boolean, at date);\n";
    for (int i = 1; i <= 40; ++i)
      text += "INSERT INTO public.t VALUES (" + std::to_string(i) +
              ", 'it''s', DEFAULT, " + (i % 2 == 0 ? "TRUE" : "null") +
              ", '2024-01-0" + std::to_string(i % 9 + 1) + "');\n";
    return text + last;
  };
  const std::string ask =
      "--@ session a: BEGIN; SELECT 1; COMMIT;\n"
      "--@ invariant i: (SELECT count(*) = 41 AND sum(n) = 40 * 7 - 1.5 AND "
      "count(b) = 20 AND min(s) = '(;)--' AND max(at) = '2024-01-09' FROM t)\n";
  EXPECT_EQ(after_all(rows("INSERT INTO public.t VALUES (41, '(;)--', -1.5, "
                           "NULL, NULL);\n") +
                      ask),
            "t");
  // In one statement, with an end that the parser has to see.
  std::string list = rows("");
  for (std::size_t i = list.find(";\nINSERT"), first = 0; i != list.npos;
       i = list.find(";\nINSERT", i)) {
    if (first++ == 0) {
      ++i;
      continue;
    }
    list.replace(i, list.find('(', i) - i, ",\n");
  }
  EXPECT_EQ(after_all(list +
                      "INSERT INTO t VALUES (41, '(;)--', -1.5, NULL, "
                      "NULL) ON CONFLICT DO NOTHING;\n" +
                      ask),
            "t");
  // The database's own errors.
  EXPECT_EQ(after_all(rows("INSERT INTO public.t VALUES (40, 'x', 1, TRUE, "
                           "NULL);\n") +
                      ask)
                .substr(0, 12),
            "setup: 23505");
  EXPECT_EQ(after_all(rows("INSERT INTO public.t VALUES (50, 'longer', 1, "
                           "TRUE, NULL);\n") +
                      ask)
                .substr(0, 12),
            "setup: 22001");
  EXPECT_EQ(after_all(rows("INSERT INTO public.t VALUES (50, 'x', 1, 1, "
                           "NULL);\n") +
                      ask),
            "x.sql:42:42: column 'b' is of type boolean but the expression is "
            "of type integer");
  // Each statement for itself where that matters.
  std::string chain =
      "CREATE TABLE t (id int PRIMARY KEY, up int REFERENCES t "
      "(id));\nINSERT INTO t VALUES (0, NULL);\n";
  for (int i = 1; i <= 30; ++i)
    chain += "INSERT INTO t VALUES (" + std::to_string(i) + ", " +
             std::to_string(i - 1) + ");\n";
  EXPECT_EQ(
      after_all(chain + "--@ session a: BEGIN; SELECT 1; COMMIT;\n"
                        "--@ invariant i: (SELECT count(*) FROM t) = 31\n"),
      "t");
  const std::string counted =
      "CREATE TABLE log (n int);\nCREATE TABLE t (id int);\n"
      "CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
      "INSERT INTO log VALUES (1); RETURN NULL; END $$;\n"
      "CREATE TRIGGER note AFTER INSERT ON t FOR EACH STATEMENT EXECUTE "
      "FUNCTION note();\n";
  std::string thirty;
  for (int i = 0; i < 30; ++i) thirty += "INSERT INTO t VALUES (1), (2);\n";
  EXPECT_EQ(after_all(counted + thirty +
                      "--@ session a: BEGIN; SELECT 1; COMMIT;\n"
                      "--@ invariant i: (SELECT count(*) FROM log) = 30 AND "
                      "(SELECT count(*) FROM t) = 60\n"),
            "t");
}

TEST(SqlDump, WhatRealDumpsHave) {
  EXPECT_EQ(
      after_all("CREATE TABLE logs (id int, at timestamp) PARTITION BY RANGE "
                "(at);\n"
                "CREATE INDEX logs_at ON logs (at);\n"
                "ALTER INDEX logs_at ATTACH PARTITION logs_2020_at;\n"
                "CREATE TABLE old () INHERITS (logs);\n"
                "ALTER TABLE ONLY old ALTER COLUMN id SET DEFAULT 1;\n"
                "CREATE TABLE users (id int GENERATED ALWAYS AS IDENTITY, "
                "born date, login uuid REFERENCES auth.users (id));\n"
                "COPY users (id, born, login) FROM stdin;\n"
                "7\t1962/2/18\t11111111-1111-1111-1111-111111111111\n\\.\n\n"
                "CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS $$ "
                "BEGIN NEW.at := no_such_function(NEW.at); RETURN NEW; END "
                "$$;\n"
                "CREATE TRIGGER f BEFORE INSERT ON logs FOR EACH ROW EXECUTE "
                "FUNCTION f();\n"
                "ALTER TABLE users RENAME TO people;\n"
                "ALTER TABLE people RENAME COLUMN born TO birthday;\n"
                "INSERT INTO people (birthday) VALUES ('2000-01-01');\n"
                "--@ session a: BEGIN; SELECT 1; COMMIT;\n"
                "--@ invariant i: (SELECT min(birthday) FROM people WHERE id = "
                "7) = '1962-02-18'\n"),
      "t");
  // Rows that fire a trigger which cannot be read: nobody knows what stands
  // in the table then.
  const std::string unknown_rows =
      "CREATE TABLE t (id int);\n"
      "CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS $$ "
      "BEGIN NEW.id := no_such_function(1); RETURN NEW; END $$;\n"
      "CREATE TRIGGER f BEFORE INSERT ON t FOR EACH ROW EXECUTE "
      "FUNCTION f();\n"
      "INSERT INTO t VALUES (1);\n";
  EXPECT_EQ(after_all(unknown_rows + "--@ session a: BEGIN; SELECT 1; COMMIT;\n"
                                     "--@ invariant i: 1 = 1\n"),
            "t");
  EXPECT_NE(after_all(unknown_rows + "--@ session a: UPDATE t SET id = 2;\n")
                .find("no_such_function"),
            std::string::npos);
  EXPECT_EQ(after_all("CREATE SCHEMA shop\n"
                      "  CREATE TABLE a (id int PRIMARY KEY)\n"
                      "  CREATE TABLE b (a int REFERENCES a (id));\n"
                      "--@ session s: BEGIN; INSERT INTO shop.b VALUES (1); "
                      "COMMIT;\n"
                      "--@ invariant i: (SELECT count(*) FROM shop.a) = 0\n"),
            "23503 t");
  const std::string fill =
      "CREATE TABLE t (id int);\n"
      "CREATE FUNCTION fill() RETURNS void LANGUAGE plpgsql AS $$ BEGIN INSERT "
      "INTO t VALUES (1); END $$;\n"
      "SELECT fill();\nDROP FUNCTION fill();\n";
  EXPECT_EQ(after_all(fill + "--@ session s: BEGIN; SELECT 1; COMMIT;\n"
                             "--@ invariant i: (SELECT count(*) FROM t) = 1\n"),
            "t");
  EXPECT_NE(after_all(fill + "--@ session s: SELECT fill();\n").find("fill"),
            std::string::npos);
  // A migration that is a part of a schema; what it may have misspelled it has
  // not.
  EXPECT_EQ(after_all("CREATE TABLE shop.a (id int PRIMARY KEY);\n"
                      "CREATE TABLE b (a int REFERENCES shop.customers (id));\n"
                      "--@ session s: INSERT INTO b VALUES (1);\n"
                      "--@ invariant i: (SELECT count(*) FROM b) = 1\n"),
            "t");
  EXPECT_NE(after_all("CREATE TABLE shop.articles (id int PRIMARY KEY);\n"
                      "CREATE TABLE b (a int REFERENCES shop.artcles (id));\n"
                      "--@ session s: BEGIN; SELECT 1; COMMIT;\n")
                .find("unknown table 'artcles'"),
            std::string::npos);
}

TEST(SqlDump, NotesSayWhatWasLeftOut) {
  const auto read = sql::read_sql(
      "x.sql",
      "GRANT ALL ON SCHEMA public TO x;\nCOMMENT ON SCHEMA public IS 'a';\n"
      "CREATE TABLE t (a int);\nCREATE FUNCTION f() RETURNS int LANGUAGE "
      "plpgsql AS $$ BEGIN RETURN rank() OVER (); END $$;\n"
      "--@ session s: INSERT INTO t VALUES (1);\n");
  ASSERT_TRUE(read) << read.error().what;
  ASSERT_EQ(read->notes.size(), 3u);
  EXPECT_EQ(read->notes[0],
            "2 statements that change no answer left out: COMMENT 1, GRANT 1");
  EXPECT_EQ(read->notes[1], "0 of 1 routines can run");
}

}  // namespace
}  // namespace txscope
