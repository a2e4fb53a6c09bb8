#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "exec/sql/memory/database.h"
#include "read/sql/sql.h"
#include "support/run_command.h"

// psql's own commands do what psql does, or are refused by name.
namespace txscope {
namespace {

using sql::Value;

const std::string kPlainStart =
    "CREATE TABLE t (id int PRIMARY KEY, n int);\n"
    "INSERT INTO t VALUES (1, 10);\n";
const std::string kPlainSession =
    "--@ session s: UPDATE t SET n = n WHERE id = 1;\n";

std::string told(const Error& error) {
  return to_string(error.where) + ": " + error.what;
}

/// The value of an expression over the tables after the setup.
std::string after_setup(const std::string& file, const std::string& text,
                        const std::string& value) {
  const auto read =
      sql::read_sql(file, text + kPlainSession + "--@ invariant i: (" + value +
                              ") IS NOT NULL\n");
  if (!read) return told(read.error());
  const sql::Routines routines(*read);
  const Budget budget = Budget::unlimited();
  const auto start = sql::MemoryDatabase::after_setup(routines, budget);
  if (const auto* error = std::get_if<sql::SqlError>(&start))
    return "setup: " + error->sqlstate + " " + error->message;
  auto database = std::get<sql::MemoryDatabase>(start);
  const auto held = database.holds(read->properties[0], {}, budget);
  const auto* truth = std::get_if<Value>(&held);
  return truth == nullptr ? "error" : to_string(*truth);
}
bool holds(const std::string& text, const std::string& condition) {
  const auto said =
      after_setup("x.sql", kPlainStart + text, "SELECT 1 WHERE " + condition);
  EXPECT_TRUE(said == "t" || said == "f") << said;
  return said == "t";
}
std::string refused(const std::string& text) {
  const auto read = sql::read_sql("x.sql", text + kPlainSession);
  return read ? "read" : told(read.error());
}

TEST(Psql, AnIncludedFileIsPartOfTheScript) {
  const test::TemporaryDirectory directory;
  directory.write("tables.sql",
                  "CREATE TABLE t (id int PRIMARY KEY, n int CHECK (n < 50));\n"
                  "\\ir more/rows.sql\n");
  std::filesystem::create_directory(directory.path() + "/more");
  directory.write("more/rows.sql", "INSERT INTO t VALUES (1, 10);\n");
  const std::string main = directory.path() + "/main.sql";
  EXPECT_EQ(
      after_setup(main, "\\ir tables.sql\n", "SELECT 1 FROM t WHERE n = 10"),
      "t");
  EXPECT_EQ(after_setup("x.sql", "\\i " + directory.path() + "/tables.sql\n",
                        "SELECT 1 FROM t WHERE n = 10"),
            "t");
  // Its constraint counts, too.
  EXPECT_EQ(
      after_setup(main, "\\ir tables.sql\nUPDATE t SET n = 60;\n", "SELECT 1")
          .substr(0, 12),
      "setup: 23514");
}

TEST(Psql, AMistakeInAnIncludedFileIsShownThere) {
  const test::TemporaryDirectory directory;
  directory.write("b.sql",
                  "CREATE TABLE u (id int);\n\nINSERT INTO u VALUS (1);");
  const std::string main = directory.path() + "/main.sql";
  const auto read =
      sql::read_sql(main, kPlainStart + "\\ir b.sql\n" + kPlainSession);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().where.file, directory.path() + "/b.sql");
  EXPECT_EQ(read.error().where.line, 3u);
  EXPECT_EQ(read.error().where.column, 15u);
  EXPECT_EQ(read.error().source_line, "INSERT INTO u VALUS (1);");
  // And what stands behind the command is shown where it is.
  directory.write("b.sql", "CREATE TABLE u (id int);\n");
  const auto behind = sql::read_sql(
      main, kPlainStart + "\\ir b.sql\nINSERT INTO u VALUS (1);\n");
  ASSERT_FALSE(behind);
  EXPECT_EQ(to_string(behind.error().where), main + ":4:15");
  // What runs is placed there, too.
  directory.write("b.sql", "\n\n" + kPlainSession);
  const auto good = sql::read_sql(main, kPlainStart + "\\ir b.sql\n");
  ASSERT_TRUE(good) << told(good.error());
  EXPECT_EQ(to_string(good->place(good->sessions[0].at)),
            directory.path() + "/b.sql:3:13");
}

TEST(Psql, FilesThatCannotBeIncludedAreNamed) {
  EXPECT_EQ(refused(kPlainStart + "\\i /nowhere/x.sql\n").substr(0, 29),
            "x.sql:3:1: '/nowhere/x.sql': ");
  const test::TemporaryDirectory directory;
  directory.write("a.sql", "\\ir b.sql\n");
  directory.write("b.sql", "\n\\ir a.sql\n");
  const auto read = sql::read_sql(directory.path() + "/main.sql",
                                  "\\ir a.sql\n" + kPlainSession);
  ASSERT_FALSE(read);
  EXPECT_EQ(told(read.error()), directory.path() + "/b.sql:2:1: '" +
                                    directory.path() +
                                    "/a.sql' includes itself");
}

TEST(Psql, BranchesAreDecided) {
  EXPECT_TRUE(holds("\\if false\nUPDATE t SET n = 1;\n\\endif\n",
                    "(SELECT n FROM t) = 10"));
  EXPECT_TRUE(
      holds("\\if true\nUPDATE t SET n = 1;\n\\else\nDELETE FROM t;\n"
            "\\endif\n",
            "(SELECT n FROM t) = 1"));
  EXPECT_TRUE(
      holds("\\if off\nUPDATE t SET n = 1;\n\\elif yes\nUPDATE t SET "
            "n = 2;\n\\elif 1\nUPDATE t SET n = 3;\n\\endif\n",
            "(SELECT n FROM t) = 2"));
  EXPECT_TRUE(
      holds("\\if 0\n\\if 1\nUPDATE t SET n = 1;\n\\endif\n\\else\n"
            "UPDATE t SET n = 4;\n\\endif\n",
            "(SELECT n FROM t) = 4"));
  EXPECT_TRUE(
      holds("\\set on 1\n\\if :{?on}\nUPDATE t SET n = 5;\n\\endif\n"
            "\\if :{?off}\nDELETE FROM t;\n\\endif\n",
            "(SELECT n FROM t) = 5"));
  EXPECT_EQ(refused(kPlainStart + "\\if maybe\n\\endif\n"),
            "x.sql:3:1: expected true or false after \\if");
  EXPECT_EQ(refused(kPlainStart + "\\if true\n"),
            "x.sql:3:1: \\if without \\endif");
  EXPECT_EQ(refused(kPlainStart + "\\endif\n"),
            "x.sql:3:1: \\endif without \\if");
}

TEST(Psql, VariablesAreReplaced) {
  EXPECT_TRUE(
      holds("\\set who 1\n\\set many '4' 2\n"
            "UPDATE t SET n = :many WHERE id = :who;\n",
            "(SELECT n FROM t) = 42"));
  EXPECT_TRUE(
      holds("\\set name 'it''s'\nCREATE TABLE u (a text);\n"
            "INSERT INTO u VALUES (:'name'), (':name'), ($$:name$$);\n",
            "(SELECT string_agg(a, ',') FROM u) = "
            "'it''s,:name,:name'"));
  EXPECT_TRUE(holds("\\set tab t\nUPDATE :\"tab\" SET n = 3::int;\n",
                    "(SELECT n FROM t) = 3"));
  // Places stay those of the file.
  EXPECT_EQ(refused(kPlainStart +
                    "\\set long 11111111\nUPDATE t SET n = :long, m = 1;\n"),
            "x.sql:4:25: 't' has no column 'm'");
  EXPECT_EQ(refused(kPlainStart + "UPDATE t SET n = :nobody;\n"),
            "x.sql:3:18: syntax error at or near ':'");
}

TEST(Psql, CopyReadsItsFile) {
  const test::TemporaryDirectory directory;
  directory.write("rows.csv", "id,n\n2,\"20\"\n3,\n");
  const std::string file = directory.path() + "/rows.csv";
  EXPECT_TRUE(holds("\\copy t(id, n) FROM '" + file + "' WITH CSV HEADER\n",
                    "(SELECT sum(id) * 100 + sum(n) FROM t) = 630 AND "
                    "(SELECT n FROM t WHERE id = 3) IS NULL"));
  EXPECT_TRUE(
      holds("\\copy t from stdin\n7\t70\n\\.\nUPDATE t SET n = n + 1;\n",
            "(SELECT n FROM t WHERE id = 7) = 71"));
  EXPECT_TRUE(
      holds("COPY t FROM stdin WITH (FORMAT csv, DELIMITER ';', NULL "
            "'-');\n7;-\n8;5\n\\.\n",
            "(SELECT count(n) FROM t) = 2"));
  EXPECT_TRUE(holds("\\copy t to 'out.csv' csv\n", "(SELECT n FROM t) = 10"));
  directory.write("rows.csv", "2,3\n\nx,4\n");
  EXPECT_EQ(refused(kPlainStart + "\\copy t from '" + file + "' csv\n"),
            file + ":2:1: expected 2 values, not 1");
  EXPECT_EQ(refused(kPlainStart + "\\copy t from program 'ls'\n"),
            "x.sql:3:1: \\copy from program is not supported");
}

TEST(Psql, WhatWouldChangeAnAnswerIsRefusedByName) {
  EXPECT_EQ(refused(kPlainStart + "SELECT 1 AS a \\gset\n"),
            "x.sql:3:15: psql's \\gset is not supported");
  EXPECT_EQ(refused(kPlainStart + "\\! rm x\n"),
            "x.sql:3:1: psql's \\! is not supported");
  EXPECT_EQ(refused(kPlainStart + "\\set AUTOCOMMIT off\n"),
            "x.sql:3:1: \\set AUTOCOMMIT off is not supported");
  EXPECT_EQ(refused(kPlainStart + "\\nonsense\n"),
            "x.sql:3:1: psql has no command \\nonsense");
  EXPECT_EQ(refused(kPlainStart + "\\connect other\nCREATE TABLE v (a int);\n"),
            "x.sql:3:1: \\connect after something was created is not "
            "supported");
  EXPECT_EQ(refused("CREATE DATABASE shop;\n\\connect shop\n" + kPlainStart),
            "read");
}

TEST(Psql, WhatOnlyPrintsIsLeftOutAndCounted) {
  const auto read = sql::read_sql("x.sql",
                                  "\\set ON_ERROR_STOP on\n\\echo hello\n"
                                  "\\timing on\n" +
                                      kPlainStart + "\\dt+\n" + kPlainSession);
  ASSERT_TRUE(read) << told(read.error());
  ASSERT_EQ(read->notes.size(), 1u);
  EXPECT_EQ(read->notes[0],
            "3 statements that change no answer left out: psql's own "
            "commands 3");
}

const std::string kPlainTrigger =
    "CREATE TABLE log (a int);\n"
    "CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT "
    "INTO log VALUES (1); RETURN NEW; END $$;\n"
    "CREATE TRIGGER tr AFTER UPDATE ON t FOR EACH ROW EXECUTE FUNCTION f();\n";

TEST(Psql, TriggersAreSwitchedOffAndOn) {
  const std::string count = "(SELECT count(*) FROM log) = ";
  EXPECT_TRUE(holds(kPlainTrigger + "UPDATE t SET n = 1;\n", count + "1"));
  EXPECT_TRUE(holds(kPlainTrigger + "ALTER TABLE t DISABLE TRIGGER tr;\n"
                                    "UPDATE t SET n = 1;\n",
                    count + "0"));
  EXPECT_TRUE(holds(kPlainTrigger + "ALTER TABLE t DISABLE TRIGGER ALL;\n"
                                    "UPDATE t SET n = 1;\nALTER TABLE t ENABLE "
                                    "TRIGGER ALL;\nUPDATE t SET n = 2;\n",
                    count + "1"));
  EXPECT_TRUE(holds(kPlainTrigger +
                        "SET session_replication_role = replica;\n"
                        "UPDATE t SET n = 1;\n"
                        "SET session_replication_role = DEFAULT;\n"
                        "UPDATE t SET n = 2;\nUPDATE t SET n = 3;\n",
                    count + "2"));
  // In sessions it stays as the file leaves it.
  const auto read = sql::read_sql("x.sql", kPlainStart + kPlainTrigger +
                                               "ALTER TABLE t DISABLE TRIGGER "
                                               "USER;\n" +
                                               kPlainSession);
  ASSERT_TRUE(read) << told(read.error());
  EXPECT_FALSE(
      read->schema.tables[0].triggers.at(0).is_on(sql::Trigger::kForever));
}

TEST(Psql, TablesWhoseForeignKeysAreOffCannotBeUsed) {
  EXPECT_EQ(refused(kPlainStart + "CREATE TABLE c (t int REFERENCES t);\n"
                                  "ALTER TABLE t DISABLE TRIGGER ALL;\n"),
            "x.sql:5:23: 't' cannot be used: DISABLE TRIGGER ALL, which "
            "switches foreign keys off, is not supported (line 4)");
}

TEST(Psql, AParentWithChildrenCannotBeUsed) {
  EXPECT_EQ(refused(kPlainStart + "CREATE TABLE c (m int) INHERITS (t);\n"
                                  "INSERT INTO c VALUES (2, 2, 2);\n"),
            "x.sql:5:23: 't' cannot be used: INHERITS is not supported "
            "(line 3)");
}

TEST(Psql, ACommentThatLooksLikeAnAnnotationIsTold) {
  EXPECT_EQ(refused(kPlainStart + "-- @ invariant x: false\n"),
            "x.sql:3:1: '-- @ invariant x' is a plain comment; annotations "
            "begin with --@");
  EXPECT_EQ(refused(kPlainStart + "-- @session b: UPDATE t SET n = 1;\n"),
            "x.sql:3:1: '-- @session b' is a plain comment; annotations begin "
            "with --@");
  EXPECT_EQ(refused(kPlainStart + "/*@ invariant x: false */\n"),
            "x.sql:3:1: '/*@ invariant x' is a plain comment; annotations "
            "begin with --@");
  EXPECT_EQ(refused(kPlainStart + "/* @session\n   of whom: nobody */\n"),
            "read");
  EXPECT_EQ(refused(kPlainStart + "--@invariant x: true\n"), "read");
  EXPECT_EQ(
      refused(kPlainStart + "-- @param level: of the account\n-- @level\n"),
      "read");
}

/// The notes of a file that is read.
std::string notes_of(const std::string& text) {
  const auto read = sql::read_sql("x.sql", kPlainStart + text + kPlainSession);
  if (!read) return told(read.error());
  std::string all;
  for (const std::string& note : read->notes) all += note + "\n";
  return all;
}

TEST(SqlParts, TablesOfOtherFilesAreLeftOutWithANote) {
  EXPECT_EQ(notes_of("CREATE TABLE x (a int REFERENCES profiles);\n"),
            "foreign keys to profiles, which this file does not create, are "
            "left out\n");
  EXPECT_EQ(notes_of("ALTER TABLE profiles ADD COLUMN role text;\n"
                     "CREATE INDEX ON profiles (role);\n"
                     "INSERT INTO storage.buckets VALUES (1);\n"),
            "'profiles' cannot be used: unknown table 'profiles' (line 3)\n"
            "'buckets' cannot be used: unknown table 'buckets' (line 5)\n");
  // Who uses them is refused, and nobody else.
  EXPECT_EQ(refused(kPlainStart + "ALTER TABLE profiles ADD a int;\n"
                                  "--@ session u: SELECT * FROM profiles;\n"),
            "x.sql:4:30: 'profiles' cannot be used: unknown table 'profiles' "
            "(line 3)");
}

TEST(SqlParts, TriggersOfOtherFilesFunctionsAreLeftOutWithANote) {
  EXPECT_EQ(notes_of("CREATE TRIGGER g BEFORE UPDATE ON t FOR EACH ROW EXECUTE "
                     "FUNCTION update_updated_at_column();\n"),
            "triggers of the function update_updated_at_column(), which this "
            "file does not create, are left out\n");
}

TEST(SqlParts, NobodyIsLoggedIn) {
  EXPECT_TRUE(holds("UPDATE t SET n = 5 WHERE auth.uid() IS NULL;\n",
                    "(SELECT n FROM t) = 5"));
}

TEST(SqlParts, VolatileFunctionsThatOnlyReadStandInInvariants) {
  EXPECT_TRUE(holds(
      "CREATE TABLE r (id int PRIMARY KEY);\n"
      "CREATE TABLE b (r int);\n"
      "INSERT INTO r VALUES (1), (2), (3);\n"
      "INSERT INTO b VALUES (2);\n"
      "CREATE FUNCTION is_free(p int) RETURNS boolean LANGUAGE plpgsql AS $$ "
      "BEGIN PERFORM 1 FROM b WHERE r = p; RETURN NOT FOUND; END $$;\n",
      "(SELECT sum(CASE WHEN is_free(id) THEN id END) FROM r) = 4"));
}

TEST(SqlParts, ColumnsOfRowsThatWereInsertedCanBeDropped) {
  EXPECT_TRUE(
      holds("CREATE TABLE p (id int PRIMARY KEY, old text, name text, "
            "price int DEFAULT 5);\n"
            "INSERT INTO p (name, old, id) VALUES ('a', 'x', 1);\n"
            "INSERT INTO p VALUES (2, 'y', 'b', 7);\n"
            "ALTER TABLE p DROP COLUMN old;\n"
            "INSERT INTO p VALUES (3, 'c', 9);\n",
            "(SELECT string_agg(id || name || price, ' ' ORDER BY id) "
            "FROM p) = '1a5 2b7 3c9'"));
}

TEST(SqlParts, ARowOfATableHasTheColumnsThatItGotLater) {
  EXPECT_TRUE(
      holds("CREATE TABLE p (id int PRIMARY KEY);\n"
            "CREATE FUNCTION f() RETURNS p LANGUAGE plpgsql AS $$ "
            "DECLARE c p; BEGIN SELECT * INTO c FROM p; RETURN c; END "
            "$$;\n"
            "ALTER TABLE p ADD COLUMN name text;\n"
            "INSERT INTO p VALUES (1, 'a');\n"
            "CREATE FUNCTION g() RETURNS void LANGUAGE plpgsql AS $$ "
            "DECLARE c p; BEGIN SELECT * INTO c FROM f(); UPDATE t SET "
            "n = CASE c.name WHEN 'a' THEN 8 END; END $$;\n"
            "SELECT g();\n",
            "(SELECT n FROM t) = 8"));
}

TEST(SqlParts, PasswordsMatchTheirHash) {
  EXPECT_TRUE(
      holds("CREATE TABLE u (a text, b text);\n"
            "INSERT INTO u VALUES (crypt('x', gen_salt('bf')), "
            "crypt('x', gen_salt('bf')));\n",
            "(SELECT crypt('x', a) = a AND crypt('y', a) <> a AND a <> "
            "b AND length(a) = 60 FROM u)"));
  EXPECT_TRUE(
      holds("CREATE TABLE k (id int, key text DEFAULT "
            "encode(gen_random_bytes(20), 'hex'));\n"
            "INSERT INTO k (id) VALUES (1), (2);\n",
            "(SELECT count(DISTINCT key) = 2 AND min(length(key)) = "
            "40 FROM k)"));
}

TEST(SqlParts, ColumnsWithoutAVariableAreIgnored) {
  EXPECT_TRUE(
      holds("DO $$ DECLARE v int; BEGIN SELECT id, n INTO v FROM t; "
            "UPDATE t SET n = v; END $$;\n",
            "(SELECT n FROM t) = 1"));
}

TEST(SqlParts, AVolatileFunctionIsCalledOnlyIfItIsNeeded) {
  const std::string function =
      "CREATE FUNCTION f(a int) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN "
      "UPDATE t SET n = n + 1; RETURN a > 0; END $$;\n";
  const auto after = [&](const std::string& condition) {
    return function + "DO $$ BEGIN IF " + condition +
           " THEN UPDATE t SET n = n * 100; END IF; END $$;\n";
  };
  const auto n = [](int value) {
    return "(SELECT n FROM t) = " + std::to_string(value);
  };
  EXPECT_TRUE(holds(after("1 > 2 AND f(1)"), n(10)));
  EXPECT_TRUE(holds(after("1 < 2 AND NOT f(1)"), n(11)));
  EXPECT_TRUE(holds(after("1 < 2 AND f(1)"), n(1100)));
  EXPECT_TRUE(holds(after("1 < 2 OR f(1)"), n(1000)));
  EXPECT_TRUE(holds(after("NULL AND f(1)"), n(11)));
  EXPECT_TRUE(holds(after("(f(0) OR f(1)) AND f(1)"), n(1300)));
  EXPECT_TRUE(holds(after("(SELECT f(1)) AND n_of() = 11")
                        .replace(0, 0,
                                 "CREATE FUNCTION n_of() RETURNS int LANGUAGE "
                                 "sql STABLE AS 'SELECT n FROM t';\n"),
                    n(1100)));
}

TEST(SqlParts, ATextThatIsKnownIsExecuted) {
  EXPECT_TRUE(
      holds("DO $$ DECLARE s CONSTANT text := 'UPDATE t SET n = $1'; "
            "BEGIN EXECUTE s USING 7; END $$;\n",
            "(SELECT n FROM t) = 7"));
  EXPECT_TRUE(
      holds("DO $$ DECLARE s text; w text := ' WHERE id = 1'; BEGIN s "
            ":= 'UPDATE t SET n = 8' || w; EXECUTE s; END $$;\n",
            "(SELECT n FROM t) = 8"));
  // In another branch nobody knows.
  const std::string branch =
      "CREATE FUNCTION f(a int) RETURNS void LANGUAGE plpgsql AS $$ DECLARE s "
      "text; BEGIN IF a > 1 THEN s := 'DELETE FROM t'; END IF; EXECUTE s; END "
      "$$;\n--@ session u: SELECT f(1);\n";
  EXPECT_NE(refused(kPlainStart + branch).find("EXECUTE of a text"),
            std::string::npos);
}

TEST(SqlParts, AColumnCanBeNamedWithItsSchema) {
  EXPECT_TRUE(
      holds("INSERT INTO public.t VALUES (1, 5) ON CONFLICT (id) "
            "DO UPDATE SET n = public.t.n + 1;\n",
            "(SELECT public.t.n FROM public.t) = 11"));
}

TEST(SqlParts, ASearchPathInABodyIsThatOfTheBody) {
  EXPECT_TRUE(
      holds("CREATE SCHEMA shop;\nCREATE TABLE shop.item (a int);\n"
            "CREATE FUNCTION f() RETURNS void LANGUAGE plpgsql AS $$ "
            "BEGIN SET search_path TO shop; INSERT INTO item VALUES "
            "(3); END $$;\nSELECT f();\n",
            "(SELECT a FROM shop.item) = 3"));
}

std::string hint_of(const std::string& text) {
  const auto read = sql::read_sql("x.sql", text);
  return read ? "read" : read.error().hint;
}

TEST(SqlHints, PlaceholdersAreValues) {
  for (const char* given : {"$1", "%s", "%(n)s", "?", ":n"}) {
    EXPECT_EQ(hint_of(kPlainStart + "--@ session s: UPDATE t SET n=" + given +
                      " WHERE id = 1;\n")
                  .substr(0, 28),
              "a session runs with values: ")
        << given;
  }
}

TEST(SqlHints, AForgottenBeginIsNamed) {
  EXPECT_EQ(hint_of(kPlainStart + "--@ session s: SELECT n INTO x FROM t;\n"),
            "between BEGIN; and COMMIT; it reads into a variable");
}

TEST(SqlHints, AMissingSemicolonIsNamed) {
  EXPECT_EQ(hint_of("CREATE TABLE a (id int)\nCREATE TABLE b (id int);\n"),
            "is a ';' missing before it?");
  EXPECT_EQ(
      hint_of(kPlainStart + "--@ session s: UPDATE t SET n = 1 UPDATE t SET "
                            "n = 2;\n"),
      "is a ';' missing before it?");
}

TEST(SqlHints, TheExampleOfASessionRuns) {
  const std::string routine =
      "CREATE FUNCTION f(a bigint, b text, c timestamptz, d int[]) RETURNS "
      "void "
      "LANGUAGE plpgsql AS $$ BEGIN UPDATE t SET n = a; END $$;\n";
  const std::string hint = hint_of(kPlainStart + routine);
  const std::size_t from = hint.find("--@ session");
  ASSERT_NE(from, std::string::npos) << hint;
  const std::string line = hint.substr(from, hint.find("  The file") - from);
  EXPECT_EQ(line, "--@ session alice: SELECT f(1, 'a', '2030-01-01', '{}');");
  const auto read = sql::read_sql("x.sql", kPlainStart + routine + line + "\n");
  EXPECT_TRUE(read) << told(read.error());
}

TEST(SqlHints, AFileInUtf16IsNamed) {
  std::string wide;
  for (const char c : kPlainStart + kPlainSession) (wide += c) += '\0';
  for (const std::string& text : {wide, "\xff\xfe" + wide}) {
    const auto read = sql::read_sql("x.sql", text);
    ASSERT_FALSE(read);
    EXPECT_EQ(told(read.error()),
              "x.sql:1:1: the file is in UTF-16, not in UTF-8");
  }
}

TEST(SqlHints, ASessionCanBeRetriedAsAWhole) {
  const auto read = sql::read_sql(
      "x.sql", kPlainStart + kPlainSession +
                   "--@ retry s: 2\n--@ level s: postgresql:serializable\n");
  ASSERT_TRUE(read) << told(read.error());
  EXPECT_EQ(read->sessions[0].calls[0].retries, 2u);
  EXPECT_EQ(read->sessions[0].calls[0].level->profile->name,
            "postgresql:serializable");
}

}  // namespace
}  // namespace txscope
