// Scripts as they are found in repositories: statements that a database would
// refuse are left out, as psql goes on behind them, and what they would have
// made cannot be used.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "analyze/failing_setup.h"
#include "analyze/arguments/made_up_rows.h"
#include "exec/sql/memory/database.h"
#include "read/sql/sql.h"
#include "support/run_command.h"

namespace {

using namespace txscope;

struct Scripts {
  sql::Application application;
  std::vector<Error> left_out;
};

Scripts scripts(const std::string& text, const std::string& name = "app.sql") {
  Scripts read;
  auto application = sql::read_sql_scripts(name, text, read.left_out);
  EXPECT_TRUE(application) << (application ? "" : application.error().what);
  if (application) read.application = std::move(*application);
  return read;
}

/// Why the routine cannot run; empty: it can.
std::string problem(const Scripts& read, const std::string& routine) {
  for (const sql::Routine& one : read.application.routines)
    if (one.name == routine)
      return one.problem == nullptr ? "" : one.problem->what;
  return "there is no such routine";
}

const sql::Table* table(const Scripts& read, const std::string& name) {
  const auto& tables = read.application.schema.tables;
  const auto found =
      std::find_if(tables.begin(), tables.end(),
                   [&](const auto& t) { return t.name == name; });
  return found == tables.end() ? nullptr : &*found;
}

bool notes_have(const Scripts& read, const std::string& words) {
  const auto& notes = read.application.notes;
  return std::any_of(notes.begin(), notes.end(), [&](const std::string& note) {
    return note.find(words) != std::string::npos;
  });
}

const std::string kPlain = "CREATE TABLE t (id int PRIMARY KEY, n int);\n";

std::string function(const std::string& name, const std::string& body) {
  return "CREATE FUNCTION " + name +
         "() RETURNS void LANGUAGE plpgsql AS $$ BEGIN " + body + " END $$;\n";
}
const std::string kWriting = function("f", "UPDATE t SET n = n + 1;");

TEST(Scripts, AStatementWaitsForWhatIsMadeBehindIt) {
  const Scripts read = scripts(
      "CREATE UNIQUE INDEX once ON t (n);\n"
      "CREATE TABLE child (id int PRIMARY KEY, t int REFERENCES t);\n" +
      kPlain + kWriting);
  EXPECT_TRUE(read.left_out.empty());
  ASSERT_NE(table(read, "t"), nullptr);
  EXPECT_EQ(table(read, "t")->unique.size(), 2u);  // the key and the index
  ASSERT_NE(table(read, "child"), nullptr);
  EXPECT_EQ(table(read, "child")->foreign.size(), 1u);
  EXPECT_EQ(problem(read, "f"), "");
}

// psql reports the second CREATE TABLE and keeps the first.
TEST(Scripts, WhatIsThereAlreadyStays) {
  const Scripts read =
      scripts(kPlain + "CREATE TABLE t (id int, other text);\n" + kWriting);
  ASSERT_EQ(read.left_out.size(), 1u);
  EXPECT_EQ(read.left_out[0].what, "table 't' is created twice");
  ASSERT_NE(table(read, "t"), nullptr);
  EXPECT_EQ(table(read, "t")->columns[1].name, "n");
  EXPECT_EQ(problem(read, "f"), "");
}

TEST(Scripts, ATableThatIsCreatedElsewhereRefusesWhoNeedsIt) {
  const Scripts read =
      scripts(kPlain +
              "ALTER TABLE companies ADD COLUMN n int;\n"
              "CREATE INDEX ON companies (n);\n" +
              kWriting + function("g", "UPDATE companies SET n = 1;"));
  EXPECT_EQ(problem(read, "f"), "");
  EXPECT_NE(problem(read, "g").find("companies"), std::string::npos);
}

TEST(Scripts, ARoutineThatCannotBeReadIsNamed) {
  const Scripts read =
      scripts(kPlain + kWriting +
              "CREATE FUNCTION g(i int) RETURN void AS $$ BEGIN END $$;\n" +
              function("h", "PERFORM g(1);"));
  ASSERT_EQ(read.left_out.size(), 1u);
  EXPECT_EQ(problem(read, "f"), "");
  EXPECT_NE(problem(read, "g"), "");
  EXPECT_NE(problem(read, "h"), "");
}

// What the statement would have changed is unknown then.
TEST(Scripts, ATableThatAnUnreadStatementNamesCannotBeUsed) {
  const Scripts read = scripts(
      kPlain + "ALTER TABLE t ADDD CONSTRAINT once UNIQUE (n);\n" + kWriting);
  EXPECT_EQ(read.left_out.size(), 1u);
  EXPECT_NE(problem(read, "f").find("cannot be used"), std::string::npos);
}

TEST(Scripts, WhatIsTakenAwayDoesNotWait) {
  const Scripts read =
      scripts("DROP TABLE t;\nDELETE FROM t;\n" + kPlain + kWriting);
  EXPECT_NE(table(read, "t"), nullptr);
  EXPECT_FALSE(read.left_out.empty());
}

// PostgreSQL drops first, then adds columns, then constraints.
TEST(Scripts, OneAlterTableMayNameWhatItAdds) {
  const Scripts read = scripts(
      kPlain +
      "ALTER TABLE t ADD CONSTRAINT more CHECK (m > n), ADD COLUMN m int;\n");
  EXPECT_TRUE(read.left_out.empty());
  ASSERT_NE(table(read, "t"), nullptr);
  EXPECT_EQ(table(read, "t")->checks.size(), 1u);
}

TEST(Scripts, TheWayBackOfAMigrationIsNotTaken) {
  const Scripts read =
      scripts("-- +goose Up\n" + kPlain + "-- +goose Down\nDROP TABLE t;\n" +
              "-- +goose Up\n" + kWriting + "-- migrate:down\nDROP TABLE t;\n");
  EXPECT_TRUE(read.left_out.empty());
  EXPECT_NE(table(read, "t"), nullptr);
  EXPECT_EQ(problem(read, "f"), "");
}

TEST(Scripts, NamesThatAToolFillsInAreNames) {
  const Scripts read = scripts(
      "CREATE TABLE ${schema}.a (n int);\n"
      "CREATE TABLE {{ index .Options \"Space\" }}.b (n int);\n"
      "CREATE TABLE :THE_SCHEMA.c (n int, m int[] DEFAULT "
      "'{{1,2}}'::int[]);\n" +
      function("f", "UPDATE :THE_SCHEMA.c SET n = 1;"));
  EXPECT_TRUE(read.left_out.empty())
      << (read.left_out.empty() ? "" : read.left_out[0].what);
  for (const char* name : {"a", "b"}) EXPECT_NE(table(read, name), nullptr);
  EXPECT_EQ(problem(read, "f"), "");
}

TEST(Scripts, TheEndOfAFileEndsAStatement) {
  const test::TemporaryDirectory directory;
  directory.write("1.sql", "CREATE TABLE t (id int PRIMARY KEY, n int)\n");
  directory.write("2.sql", kWriting);
  const Scripts read =
      scripts("\\i " + directory.path() + "/1.sql\n\\i " + directory.path() +
              "/missing.sql\n\\i " + directory.path() + "/2.sql\n");
  EXPECT_EQ(problem(read, "f"), "");
  ASSERT_EQ(read.left_out.size(), 1u);
  EXPECT_NE(read.left_out[0].what.find("missing.sql"), std::string::npos);
}

TEST(Scripts, RightsThatABlockGivesChangeNothing) {
  const Scripts read = scripts(
      kPlain +
      "DO $$ DECLARE r record; BEGIN FOR r IN SELECT rolname FROM pg_roles "
      "LOOP EXECUTE format('GRANT SELECT ON t TO %I', r.rolname); END LOOP; "
      "IF EXISTS (SELECT 1 FROM pg_publication) THEN "
      "ALTER PUBLICATION p ADD TABLE t; END IF; END $$;\n" +
      kWriting);
  EXPECT_EQ(problem(read, "f"), "");
}

TEST(Scripts, ABlockThatMayWriteLeavesItsTablesUnknown) {
  for (const std::string& what :
       {std::string("EXECUTE format('DELETE FROM t WHERE %I', r.rolname);"),
        std::string("EXECUTE 'GRANT SELECT ON t TO x; DROP TABLE t';"),
        std::string("PERFORM f();"), std::string("EXECUTE r.rolname || ' t';"),
        std::string("DELETE FROM t WHERE id = r.oid;")}) {
    const Scripts read = scripts(
        kPlain + kWriting +
        "DO $$ DECLARE r record; BEGIN FOR r IN SELECT * FROM pg_roles LOOP " +
        what + " END LOOP; END $$;\n");
    EXPECT_NE(problem(read, "f").find("cannot be used"), std::string::npos)
        << what;
  }
}

// The trigger could do anything.
TEST(Scripts, AViewWithATriggerInsteadIsNotItsTable) {
  const Scripts read = scripts(
      kPlain +
      "CREATE VIEW v AS SELECT id, n FROM t;\n"
      "CREATE FUNCTION tf() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
      "RETURN NULL; END $$;\n"
      "CREATE TRIGGER instead INSTEAD OF UPDATE ON v FOR EACH ROW EXECUTE "
      "FUNCTION tf();\n" +
      function("f", "UPDATE v SET n = 1;"));
  EXPECT_NE(problem(read, "f").find("INSTEAD OF"), std::string::npos);
}

TEST(Scripts, ABodyInPlainQuotesIsRead) {
  const Scripts read = scripts(
      kPlain +
      "CREATE FUNCTION f() RETURNS void LANGUAGE plpgsql AS 'BEGIN UPDATE t "
      "SET n = length(''ab''); END';\n"
      "CREATE FUNCTION g() RETURNS void LANGUAGE plpgsql AS 'BEGIN UPDATE t "
      "SET m = length(''ab''); END';\n");
  EXPECT_EQ(problem(read, "f"), "");
  EXPECT_NE(problem(read, "g"), "");
}

TEST(Scripts, AFunctionOfAnExtensionsSchemaKnowsNoTables) {
  const Scripts read = scripts(
      kPlain +
      function("f", "UPDATE t SET n = 1; PERFORM cron.schedule('x');") +
      function("g", "UPDATE t SET n = 1; PERFORM public.nowhere('x');"));
  EXPECT_EQ(problem(read, "f"), "");
  EXPECT_TRUE(notes_have(read, "cron.schedule()"));
  EXPECT_NE(problem(read, "g"), "");
}

/// The numbers in a table after the setup; none: it fails.
std::vector<std::int64_t> numbers_after_setup(
    const sql::Application& application) {
  const sql::Routines routines(application);
  const auto after =
      sql::MemoryDatabase::after_setup(routines, Budget::unlimited());
  std::vector<std::int64_t> numbers;
  if (const auto* database = std::get_if<sql::MemoryDatabase>(&after))
    for (const auto& row : database->rows(TableId(0)))
      numbers.push_back(row[0].integer());
  return numbers;
}

TEST(Scripts, RowsThatTheDatabaseRefusesAreLeftOut) {
  Scripts read = scripts(
      "CREATE TABLE t (id int PRIMARY KEY, n int CHECK (n < 5));\n"
      "INSERT INTO t VALUES (1, 1);\n"
      "INSERT INTO t VALUES (2, 9);\n"
      "INSERT INTO t VALUES (1, 2);\n"
      "CREATE FUNCTION tf() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
      "IF NEW.n = 3 THEN RAISE EXCEPTION 'no'; END IF; RETURN NEW; END $$;\n"
      "CREATE TRIGGER tt BEFORE INSERT ON t FOR EACH ROW EXECUTE FUNCTION "
      "tf();\n"
      "INSERT INTO t VALUES (3, 3);\n"
      "INSERT INTO t VALUES (4, 4);\n");
  const auto left_out =
      analyze::leave_out_failing(read.application, 1000, Budget::unlimited());
  EXPECT_EQ(left_out.size(), 3u);
  EXPECT_EQ(numbers_after_setup(read.application),
            (std::vector<std::int64_t>{1, 4}));
}

TEST(Scripts, RowsWithoutAParentAreLeftOutAndNoOthers) {
  Scripts read = scripts(
      "CREATE TABLE t (id int PRIMARY KEY);\n"
      "CREATE TABLE child (id int PRIMARY KEY, t int REFERENCES t);\n"
      "INSERT INTO child VALUES (1, 7);\n"
      "INSERT INTO t VALUES (1);\n"
      "INSERT INTO t VALUES (2);\n");
  EXPECT_EQ(
      analyze::leave_out_failing(read.application, 1000, Budget::unlimited())
          .size(),
      1u);
  EXPECT_EQ(numbers_after_setup(read.application),
            (std::vector<std::int64_t>{1, 2}));
}

// Attempts that fail draw numbers, which the rows that stay do not.
TEST(Scripts, RowsThatAreMadeUpReferToOneAnotherTwice) {
  Scripts read = scripts(
      "CREATE TABLE org (id int GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY, "
      "slug text NOT NULL CHECK (slug = 'b'), UNIQUE (slug, id));\n"
      "CREATE TABLE member (id serial PRIMARY KEY, org int NOT NULL REFERENCES "
      "org);\n" +
      function("f", "DELETE FROM member; DELETE FROM org;"));
  const auto filled =
      analyze::make_up_rows_for(analyze::transaction_types(read.application),
                                {}, read.application, Budget::unlimited());
  const sql::Routines routines(read.application);
  const auto after =
      sql::MemoryDatabase::after_setup(routines, Budget::unlimited());
  EXPECT_TRUE(std::holds_alternative<sql::MemoryDatabase>(after));
}

// Who knows what it would have changed?  What the server or an extension has
// changes no table of the file.
TEST(Scripts, ASelectOfAFunctionThatIsNowhereIsLeftOut) {
  const std::string table = "CREATE TABLE t (id int PRIMARY KEY);\n";
  const std::string body = function("fill", "INSERT INTO t VALUES (1);");
  const Scripts alone = scripts(table + "SELECT fill();\n");
  ASSERT_EQ(alone.left_out.size(), 1u);
  EXPECT_EQ(alone.left_out[0].what, "unknown function fill()");
  EXPECT_EQ(alone.left_out[0].where.line, 2u);
  EXPECT_TRUE(scripts(table + body + "SELECT fill();\n").left_out.empty());
  EXPECT_TRUE(scripts(table + "SELECT pg_reload_conf(), count(*) FROM t;\n"
                              "CREATE EXTENSION others;\n"
                              "SELECT fill();\n")
                  .left_out.empty());
}

// psql refuses the second one and goes on with the first.
TEST(Scripts, AFunctionThatIsCreatedTwiceIsTheFirst) {
  const Scripts read =
      scripts(kPlain + function("f", "INSERT INTO t VALUES (1, 1);") +
              function("f", "INSERT INTO t VALUES (2, 2);") + "SELECT f();\n");
  EXPECT_EQ(read.left_out.size(), 1u);
  EXPECT_EQ(problem(read, "f"), "");
  EXPECT_EQ(numbers_after_setup(read.application),
            (std::vector<std::int64_t>{1}));
}

std::string block(const std::string& body) {
  return "DO $$ BEGIN " + body + " END $$;\n";
}

// What a block asks of the catalogue has an answer where the block stands.
TEST(Scripts, BlocksAskTheCatalogueOfTheirPlace) {
  const auto numbers_of = [](const std::string& condition) {
    const Scripts read = scripts(
        kPlain + "CREATE SCHEMA other;\nCREATE VIEW v AS SELECT id FROM t;\n" +
        function("f", "INSERT INTO t VALUES (7, 7);") +
        block("IF " + condition +
              " THEN INSERT INTO t VALUES (1, 1); ELSE "
              "INSERT INTO t VALUES (2, 2); END IF;") +
        "CREATE TABLE later (id int);\n");
    EXPECT_TRUE(read.left_out.empty()) << condition;
    return numbers_after_setup(read.application);
  };
  using Numbers = std::vector<std::int64_t>;
  for (const char* yes :
       {"EXISTS (SELECT FROM pg_tables WHERE tablename = 't')",
        "EXISTS (SELECT 1 FROM pg_catalog.pg_tables WHERE schemaname = "
        "'public' AND tablename = 't')",
        "NOT EXISTS (SELECT 1 FROM pg_tables WHERE tablename = 'later')",
        "NOT EXISTS (SELECT 1 FROM pg_tables WHERE tablename = 'v')",
        "EXISTS (SELECT 1 FROM information_schema.tables WHERE table_name = "
        "'v')",
        "EXISTS (SELECT 1 FROM information_schema.columns c WHERE "
        "c.table_name = 't' AND c.column_name = 'n')",
        "NOT EXISTS (SELECT 1 FROM information_schema.columns WHERE "
        "table_name = 't' AND column_name = 'nope')",
        "EXISTS (SELECT 1 FROM pg_proc WHERE proname = 'f')",
        "NOT EXISTS (SELECT 1 FROM pg_proc WHERE proname = 'g')"})
    EXPECT_EQ(numbers_of(yes), Numbers{1}) << yes;
  EXPECT_EQ(numbers_of("EXISTS (SELECT 1 FROM pg_tables WHERE tablename = "
                       "'later')"),
            Numbers{2});
}

// A block that defines something where something else is there.
TEST(Scripts, DefinitionsStandUnderWhatIsTrue) {
  const Scripts read = scripts(
      kPlain +
      block("IF EXISTS (SELECT FROM pg_tables WHERE tablename = 't') THEN "
            "ALTER TABLE t ADD COLUMN yes int; RAISE NOTICE 'done'; END IF; "
            "IF to_regclass('public.nope') IS NOT NULL THEN ALTER TABLE nope "
            "ADD COLUMN no int; END IF; "
            "IF NOT EXISTS (SELECT 1 FROM information_schema.columns WHERE "
            "table_name = 't' AND column_name = 'yes') THEN ALTER TABLE t ADD "
            "COLUMN twice int; END IF;"));
  EXPECT_TRUE(read.left_out.empty());
  ASSERT_NE(table(read, "t"), nullptr);
  EXPECT_EQ(table(read, "t")->columns.size(), 3u);
}

// What it reads is as it was; what it writes, and what follows that by a
// foreign key, nobody knows.
TEST(Scripts, ABlockThatCannotBeRunLeavesAloneWhatItOnlyReads) {
  const Scripts read = scripts(
      kPlain +
      "CREATE TABLE log (id int PRIMARY KEY);\n"
      "CREATE TABLE line (log int REFERENCES log ON DELETE CASCADE);\n" +
      block("-- update t: no\n"
            "IF (SELECT count(*) FROM t) = pg_backend_pid() THEN DELETE FROM "
            "public.log; END IF;") +
      function("reads", "UPDATE t SET n = 1;") +
      function("writes", "DELETE FROM log;") +
      function("follows", "DELETE FROM line;"));
  EXPECT_EQ(problem(read, "reads"), "");
  EXPECT_NE(problem(read, "writes"), "");
  EXPECT_NE(problem(read, "follows"), "");
}

TEST(Scripts, ABlockThatMakesStatementsOfTextsMayWriteWhatItNames) {
  const Scripts read = scripts(
      kPlain +
      block("IF (SELECT count(*) FROM t) = pg_backend_pid() THEN EXECUTE "
            "'DELETE FROM ' || 't'; END IF;") +
      function("reads", "UPDATE t SET n = 1;"));
  EXPECT_NE(problem(read, "reads"), "");
}

}  // namespace
