#include <gtest/gtest.h>

#include <string>

#include "exec/sql/memory/database.h"
#include "read/sql/sql.h"

// Routines as people write them, and what they do.  Expected values are what
// the definitions in PostgreSQL's manual say.
namespace txscope {
namespace {

/// What `expression` is after `text` was loaded.
std::string value_of(const std::string& text, const std::string& expression) {
  const auto read = sql::read_sql(
      "x.sql", text +
                   "\nCREATE TABLE said (v text);\n--@ session s: INSERT "
                   "INTO said VALUES ((" +
                   expression + ")::text);\n--@ invariant i: true\n");
  if (!read) return to_string(read.error().where) + ": " + read.error().what;
  const sql::Routines routines(*read);
  const Budget budget = Budget::unlimited();
  const auto start = sql::MemoryDatabase::after_setup(routines, budget);
  if (const auto* error = std::get_if<sql::SqlError>(&start))
    return "setup: " + error->sqlstate + " " + error->message;
  sql::MemoryDatabase database = std::get<sql::MemoryDatabase>(start);
  const auto ran = database.run(read->sessions[0].calls[0], budget);
  if (ran.kind == sql::Request::Kind::Failed)
    return ran.process.error().sqlstate;
  const TableId said(read->schema.tables.size() - 1);
  return to_string(database.rows(said).at(0).at(0));
}

TEST(SqlRoutines, DrawNumbersInExpressions) {
  const std::string sequence =
      "CREATE SEQUENCE s START 5 INCREMENT 2;\n"
      "CREATE FUNCTION two() RETURNS bigint LANGUAGE plpgsql AS $$\n"
      "DECLARE a bigint := nextval('s'); b bigint;\nBEGIN\n"
      "  b := nextval('s'::regclass);\n"
      "  IF false AND nextval('s') > 0 THEN RETURN 0; END IF;\n"
      "  RETURN 100 * a + b + 10000 * nextval('public.s');\nEND $$;\n";
  EXPECT_EQ(value_of(sequence, "two()"), "90507");
  EXPECT_EQ(value_of(sequence, "nextval('s') * 10 + nextval('s')"), "57");
}

TEST(SqlRoutines, DefaultsMayBeComputedFromNumbers) {
  EXPECT_EQ(value_of("CREATE SEQUENCE s;\n"
                     "CREATE TABLE t (code text DEFAULT 'INV-' || "
                     "lpad(nextval('s')::text, 4, '0'), n int);\n"
                     "INSERT INTO t (n) VALUES (1), (2);\n",
                     "SELECT string_agg(code, ',' ORDER BY n) FROM t"),
            "INV-0001,INV-0002");
}

TEST(SqlRoutines, ChanceIsInItsRange) {
  const std::string random =
      "CREATE FUNCTION r() RETURNS int LANGUAGE plpgsql AS $$\n"
      "DECLARE x float8; seen int := 0;\nBEGIN\n"
      "  FOR i IN 1..50 LOOP\n    x := random();\n"
      "    ASSERT x >= 0 AND x < 1, 'out of range';\n"
      "    IF x < 0.5 THEN seen := seen + 1; END IF;\n  END LOOP;\n"
      "  RETURN seen;\nEND $$;\n";
  const std::string seen = value_of(random, "r()");
  EXPECT_GT(std::stoi(seen), 5);
  EXPECT_LT(std::stoi(seen), 45);
  EXPECT_EQ(value_of("", "gen_random_uuid() = gen_random_uuid()"), "false");
}

TEST(SqlRoutines, StrictFunctionsAreNullOfNull) {
  const std::string strict =
      "CREATE FUNCTION f(a int, b int) RETURNS int LANGUAGE plpgsql STRICT AS "
      "$$ BEGIN RETURN coalesce(a, 0) + coalesce(b, 0); END $$;\n"
      "CREATE FUNCTION g(a int) RETURNS int LANGUAGE sql IMMUTABLE RETURNS "
      "NULL "
      "ON NULL INPUT AS 'SELECT coalesce(a, 7)';\n"
      "CREATE FUNCTION h(a int) RETURNS int LANGUAGE sql CALLED ON NULL INPUT "
      "AS 'SELECT coalesce(a, 7)';\n";
  EXPECT_EQ(value_of(strict, "f(1, 2)"), "3");
  EXPECT_EQ(value_of(strict, "f(1, NULL)"), "NULL");
  EXPECT_EQ(value_of(strict, "g(NULL)"), "NULL");
  EXPECT_EQ(value_of(strict, "h(NULL)"), "7");
}

TEST(SqlRoutines, AssertionsFailUnlessTrue) {
  const std::string check =
      "CREATE FUNCTION f(a int) RETURNS int LANGUAGE plpgsql AS $$ BEGIN\n"
      "  ASSERT a > 1;\n  ASSERT a < 9, 'too big: ' || a;\n"
      "  RETURN a; END $$;\n";
  EXPECT_EQ(value_of(check, "f(5)"), "5");
  EXPECT_EQ(value_of(check, "f(1)"), "P0004");
  EXPECT_EQ(value_of(check, "f(9)"), "P0004");
  EXPECT_EQ(value_of(check, "f(NULL)"), "P0004");
}

TEST(SqlRoutines, AFunctionOfNoTableMayFindNoRow) {
  EXPECT_EQ(value_of("CREATE FUNCTION f(a int) RETURNS int LANGUAGE sql "
                     "IMMUTABLE AS 'SELECT 1 WHERE a > 1';\n"
                     "CREATE FUNCTION g(a int) RETURNS int LANGUAGE plpgsql AS "
                     "$$ DECLARE v int; BEGIN v := f(a); RETURN v; END $$;\n",
                     "concat(g(1), '-', g(2))"),
            "-1");
}

TEST(SqlRoutines, TheLeastIntegerIsAnInteger) {
  EXPECT_EQ(value_of("", "-2147483648 - 1"), "22003");
  EXPECT_EQ(value_of("", "2147483648 + 1"), "2147483649");
}

TEST(SqlRoutines, RegularExpressions) {
  const auto matches = [](const std::string& test) {
    return value_of("", test);
  };
  EXPECT_EQ(matches("'ann@x.org' ~* '^[A-Z0-9._%+-]+@[a-z.-]+\\.[a-z]{2,}$'"),
            "true");
  EXPECT_EQ(matches("'ann@xorg' ~ '^[a-z]+@[a-z]+\\.[a-z]+$'"), "false");
  EXPECT_EQ(matches("'012345' ~ '^[0-9]{6}$'"), "true");
  EXPECT_EQ(matches("'0123456' ~ '^[0-9]{6}$'"), "false");
  EXPECT_EQ(matches("'abc' !~ 'b|d'"), "false");
  EXPECT_EQ(matches("'a(b|c)d' ~ '^a(x|(b|c))d$'"), "false");
  EXPECT_EQ(matches("'acd' ~ '^a(x|(b|c))d$'"), "true");
  EXPECT_EQ(matches("'abd' ~ '^a(x|(b|c))d$'"), "true");
  EXPECT_EQ(matches("'axd' ~ '^a(x|(b|c))d$'"), "true");
  EXPECT_EQ(matches("'ABC' ILIKE 'a%c'"), "true");
  EXPECT_EQ(matches("'ABC' NOT ILIKE 'a_c'"), "false");
}

TEST(SqlRoutines, BitsOfIntegers) {
  EXPECT_EQ(value_of("", "(6 & 3) + (6 | 3) * 10 + (6 # 3) * 100"), "572");
  EXPECT_EQ(value_of("", "(1 << 31) + 0"), "-2147483648");
  EXPECT_EQ(value_of("", "1::bigint << 31"), "2147483648");
  EXPECT_EQ(value_of("", "-8 >> 1"), "-4");
  EXPECT_EQ(value_of("", "(~ 5) + (@ -7)"), "1");
}

// As PostgreSQL 15 answers.
TEST(SqlRoutines, RegularExpressionsReplaceAndPart) {
  EXPECT_EQ(value_of("", "regexp_replace('abc', 'b*', 'X', 'g')"), "XaXXcX");
  EXPECT_EQ(value_of("", "regexp_replace('a--b  c', '[^a-z]+', '-', 'g')"),
            "a-b-c");
  EXPECT_EQ(value_of("", R"(regexp_replace('Hello', 'L', '(\&)\\', 'gi'))"),
            R"(He(l)\(l)\o)");
  EXPECT_EQ(value_of("", "regexp_replace('xay', '(?:a|ay)', 'z')"), "xz");
  EXPECT_EQ(value_of("", "regexp_split_to_array('a1b22c', '[0-9]+')::text"),
            "{a,b,c}");
  EXPECT_EQ(value_of("", "regexp_split_to_array('abc', '')::text"), "{a,b,c}");
  EXPECT_EQ(value_of("", "regexp_split_to_array('1a', '[0-9]')::text"),
            R"({"",a})");
  EXPECT_EQ(value_of("", "regexp_split_to_array('ab', 'b*')::text"),
            R"({a,""})");
  EXPECT_EQ(value_of("", "(regexp_match('foobar', 'o+'))[1]"), "oo");
  EXPECT_EQ(value_of("", "(regexp_match('x', 'y') IS NULL)::text"), "true");
}

TEST(SqlRoutines, DigitsAsBitsAreNumbers) {
  EXPECT_EQ(value_of("", "('x' || 'ffffffffffffffff')::bit(64)::bigint"), "-1");
  EXPECT_EQ(value_of("", "('x1f')::bit(8)::int"), "31");
  EXPECT_EQ(value_of("", "('101')::bit(3)::int"), "5");
  EXPECT_EQ(value_of("", "('x8')::bit(4)::int"), "8");
  EXPECT_EQ(value_of("", "('xff')::bit(4)::int"), "15");
}

TEST(SqlRoutines, BytesOneByOne) {
  EXPECT_EQ(value_of("", "get_byte('\\x0102'::bytea, 1)"), "2");
  EXPECT_EQ(value_of("", "set_byte('\\x0102'::bytea, 0, 258)::text"),
            "\\x0202");
  EXPECT_EQ(value_of("", "int8send(258)::text"), "\\x0000000000000102");
  EXPECT_EQ(value_of("", "convert_to('ab', 'UTF8')::text"), "\\x6162");
  EXPECT_EQ(value_of("", "encode(hmac('what do ya want for nothing?', 'Jefe', "
                         "'sha256'), 'hex')"),
            "5bdcc146bf60754e6a042426089575c7"
            "5a003f089d2739839dec58b964ec3843")
      << "RFC 4231, case 2";
}

TEST(SqlRoutines, SettingsOfAnApplication) {
  EXPECT_EQ(value_of("", "coalesce(current_setting('app.user', true), 'no')"),
            "no");
  EXPECT_EQ(
      value_of("--@ now: 2030-01-01 12:00:00+00\n", "age('2029-12-30'::date)"),
      "2 days");
}

TEST(SqlRoutines, NaturalJoinsUseAllCommonNames) {
  const std::string tables =
      "CREATE TABLE a (x int, y int, p int);\n"
      "CREATE TABLE b (y int, q int, x int);\n"
      "INSERT INTO a VALUES (1, 2, 3), (1, 3, 4);\n"
      "INSERT INTO b VALUES (2, 5, 1), (3, 6, 2);\n";
  EXPECT_EQ(value_of(tables,
                     "SELECT string_agg(concat_ws('/', x, y, p, q), "
                     "',') FROM a NATURAL JOIN b"),
            "1/2/3/5");
  EXPECT_EQ(value_of(tables, "SELECT count(*) FROM a NATURAL LEFT JOIN b"),
            "2");
}

TEST(SqlRoutines, MigrationsMakeWhatIsNotThere) {
  EXPECT_EQ(
      value_of("DO $$ BEGIN\n  CREATE TYPE mood AS ENUM ('sad', 'ok');\n"
               "EXCEPTION WHEN duplicate_object THEN NULL;\nEND $$;\n"
               "DO $$ BEGIN\n  IF NOT EXISTS (SELECT 1 FROM pg_class WHERE "
               "relname = 't') THEN\n    CREATE TABLE t (m mood);\n  END "
               "IF;\nEND $$;\nINSERT INTO t VALUES ('ok');\n",
               "SELECT m FROM t"),
      "ok");
}

TEST(SqlRoutines, ATableOutlivesAConstraintThatCannotBeRead) {
  const std::string file =
      "CREATE TABLE a (id int PRIMARY KEY, n int CHECK (sin(n) > "
      "0));\nCREATE TABLE b (a int REFERENCES a);\n";
  EXPECT_EQ(value_of(file, "SELECT count(*) FROM b"), "0");
}

}  // namespace
}  // namespace txscope
