// What `analyze` finds in applications without a word of annotation.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>

#include "read/sql/sql.h"
#include "support/paths.h"
#include "unit/analyze/analysis_of.h"
#include "verb/input/program_file.h"

namespace {

using namespace txscope;
using analyze::Analysis;
using analyze::FindingKind;

using test::analysis_of;

/// "a x b" -> "race", with "+deadlock" where there is one.
std::map<std::string, std::string> matrix_of(const Analysis& found) {
  std::map<std::string, std::string> matrix;
  for (const analyze::Cell& cell : found.cells)
    matrix[found.types[cell.a].name + " x " + found.types[cell.b].name] =
        std::string(name(cell.verdict)) +
        (cell.has_deadlock ? "+deadlock" : "");
  return matrix;
}

using Matrix = std::map<std::string, std::string>;

std::string example(const std::string& name) {
  const auto text =
      verb::read_text(test::source_dir() + std::string("/examples/") + name);
  EXPECT_TRUE(text);
  return text ? *text : "";
}

// By reading the procedures: checkout reads the stock and writes what it has
// computed; deliver adds in one statement.
TEST(Analyze, TheShopSellsTheSameThingTwice) {
  const Analysis found = analysis_of(example("shop/shop.sql"));
  EXPECT_EQ(matrix_of(found), (Matrix{{"checkout x checkout", "race"},
                                      {"checkout x deliver", "race"},
                                      {"deliver x deliver", "safe"}}));
  ASSERT_EQ(found.findings.size(), 1u) << "one cause, whatever it breaks";
  const auto& rules = found.findings[0].rules;
  EXPECT_NE(std::find(rules.begin(), rules.end(), "not_oversold"), rules.end());
}

// Only who takes money off reads before writing.
TEST(Analyze, EveryBranchThatAParameterChoosesIsRun) {
  const Analysis found = analysis_of(
      "CREATE TABLE account (id int PRIMARY KEY, balance int NOT NULL);\n"
      "INSERT INTO account VALUES (1, 10);\n"
      "CREATE PROCEDURE move(p_id int, p_kind text, p_amount int)\n"
      "LANGUAGE plpgsql AS $$\n"
      "DECLARE v int;\n"
      "BEGIN\n"
      "  IF p_kind = 'debit' THEN\n"
      "    SELECT balance INTO v FROM account WHERE id = p_id;\n"
      "    IF v < p_amount THEN RAISE EXCEPTION 'not enough'; END IF;\n"
      "    UPDATE account SET balance = v - p_amount WHERE id = p_id;\n"
      "  ELSE\n"
      "    UPDATE account SET balance = balance + p_amount WHERE id = p_id;\n"
      "  END IF;\n"
      "END $$;\n");
  EXPECT_EQ(matrix_of(found), (Matrix{{"move x move", "race"}}));
}

TEST(Analyze, ReadingBeforeWritingLosesDeposits) {
  EXPECT_EQ(matrix_of(analysis_of(example("bank/bank.sql"))),
            (Matrix{{"withdraw x withdraw", "race"},
                    {"withdraw x deposit", "race"},
                    {"deposit x deposit", "race"}}));
}

// Two of three seats are free: only who finds one left can overbook.
TEST(Analyze, LimitsThatAreFarAwayAreReachedFirst) {
  const Analysis found = analysis_of(example("seats/seats.sql"));
  EXPECT_EQ(matrix_of(found).at("reserve x reserve"), "race");
  ASSERT_FALSE(found.findings.empty());
  EXPECT_FALSE(found.findings[0].before.empty());
}

constexpr const char* kAccounts =
    "CREATE TABLE accounts (id int PRIMARY KEY, balance int NOT NULL);\n";

TEST(Analyze, RowsAreMadeUpWhereThereAreNone) {
  const Analysis found = analysis_of(
      std::string(kAccounts) +
      "CREATE FUNCTION deposit(p int, n int) RETURNS int LANGUAGE plpgsql AS "
      "$$ DECLARE v int; BEGIN SELECT balance INTO v FROM accounts WHERE id = "
      "p; UPDATE accounts SET balance = v + n WHERE id = p; RETURN v; END $$;");
  EXPECT_EQ(matrix_of(found), (Matrix{{"deposit x deposit", "race"}}));
  ASSERT_FALSE(found.notes.empty());
  EXPECT_NE(found.notes[0].find("accounts"), std::string::npos);
}

TEST(Analyze, FunctionsThatOnlyReadAreNoTransactionsOfTheirOwn) {
  const Analysis found = analysis_of(
      std::string(kAccounts) +
      "CREATE FUNCTION shown(p int) RETURNS int LANGUAGE plpgsql AS $$ BEGIN "
      "RETURN (SELECT balance FROM accounts WHERE id = p); END $$;");
  EXPECT_TRUE(found.types.empty());
}

TEST(Analyze, OneStatementThatChecksAndWritesIsSafe) {
  const Analysis found = analysis_of(
      std::string(kAccounts) +
      "INSERT INTO accounts VALUES (1, 3), (2, 3);\n"
      "CREATE PROCEDURE take(p int, n int) LANGUAGE plpgsql AS $$ BEGIN UPDATE "
      "accounts SET balance = balance - n WHERE id = p AND balance >= n; END "
      "$$;");
  const auto matrix = matrix_of(found);
  EXPECT_TRUE(matrix.at("take x take") == "safe" ||
              matrix.at("take x take") == "tried")
      << matrix.at("take x take");
  EXPECT_TRUE(found.findings.empty());
}

// One of each would do no harm: only whoever takes all that is there meets the
// guard of the other.
TEST(Analyze, GuardsAreTriedAtTheirLimit) {
  const Analysis found = analysis_of(
      std::string(kAccounts) +
      "INSERT INTO accounts VALUES (1, 3);\n"
      "CREATE PROCEDURE take(p int, n int) LANGUAGE plpgsql AS $$ DECLARE v "
      "int; BEGIN SELECT balance INTO v FROM accounts WHERE id = p; IF v >= n "
      "THEN UPDATE accounts SET balance = balance - n WHERE id = p; END IF; "
      "END $$;");
  EXPECT_EQ(matrix_of(found), (Matrix{{"take x take", "race"}}));
}

TEST(Analyze, LocksInTwoOrdersAreADeadlock) {
  const Analysis found = analysis_of(
      std::string(kAccounts) +
      "INSERT INTO accounts VALUES (1, 100), (2, 100);\n"
      "CREATE PROCEDURE transfer(f int, t int, n int) LANGUAGE plpgsql AS $$ "
      "BEGIN UPDATE accounts SET balance = balance - n WHERE id = f; UPDATE "
      "accounts SET balance = balance + n WHERE id = t; END $$;");
  const std::string verdict = matrix_of(found).at("transfer x transfer");
  EXPECT_NE(verdict.find("+deadlock"), std::string::npos) << verdict;
  ASSERT_EQ(found.findings.size(), 1u);
  EXPECT_EQ(found.findings[0].kind, FindingKind::Deadlock);
}

TEST(Analyze, AnErrorThatNoSerialOrderGivesIsTold) {
  const Analysis found = analysis_of(
      "CREATE TABLE tags (name text PRIMARY KEY);\n"
      "INSERT INTO tags VALUES ('x');\n"
      "CREATE PROCEDURE ensure(p text) LANGUAGE plpgsql AS $$ BEGIN IF NOT "
      "EXISTS (SELECT 1 FROM tags WHERE name = p) THEN INSERT INTO tags VALUES "
      "(p); END IF; END $$;");
  const auto error =
      std::find_if(found.findings.begin(), found.findings.end(),
                   [](const auto& f) { return f.kind == FindingKind::Error; });
  ASSERT_NE(error, found.findings.end());
  EXPECT_EQ(error->code, "23505");
}

// One code, two statements: who knows of one does not know of the other.
TEST(Analyze, ErrorsOfTwoStatementsHaveTwoNames) {
  const Analysis found = analysis_of(
      "CREATE TABLE a (name text PRIMARY KEY);\n"
      "CREATE TABLE b (name text PRIMARY KEY);\n"
      "CREATE PROCEDURE pa(p text) LANGUAGE plpgsql AS $$ BEGIN\n"
      "  IF NOT EXISTS (SELECT 1 FROM a WHERE name = p) THEN\n"
      "    INSERT INTO a VALUES (p); END IF;\nEND $$;\n"
      "CREATE PROCEDURE pb(p text) LANGUAGE plpgsql AS $$ BEGIN\n"
      "  IF NOT EXISTS (SELECT 1 FROM b WHERE name = p) THEN\n"
      "    INSERT INTO b VALUES (p); END IF;\nEND $$;\n");
  std::vector<std::string> ids;
  for (const auto& one : found.findings)
    if (one.kind == FindingKind::Error) ids.push_back(one.id);
  ASSERT_EQ(ids.size(), 2u);
  EXPECT_NE(ids[0], ids[1]);
  EXPECT_TRUE(ids[0].starts_with("error-23505-")) << ids[0];
}

TEST(Analyze, TransactionsWithoutACommonTableAreSafe) {
  const Analysis found = analysis_of(
      "CREATE TABLE a (id int PRIMARY KEY, n int NOT NULL);\n"
      "CREATE TABLE b (id int PRIMARY KEY, n int NOT NULL);\n"
      "INSERT INTO a VALUES (1, 1); INSERT INTO b VALUES (1, 1);\n"
      "CREATE PROCEDURE pa() LANGUAGE plpgsql AS $$ BEGIN UPDATE a SET n = 2 "
      "WHERE id = 1; END $$;\n"
      "CREATE PROCEDURE pb() LANGUAGE plpgsql AS $$ BEGIN UPDATE b SET n = 2 "
      "WHERE id = 1; END $$;");
  EXPECT_EQ(matrix_of(found).at("pa x pb"), "safe");
}

TEST(Analyze, AFixIsADiffThatWasTriedWithAllArguments) {
  const Analysis found = analysis_of(
      std::string(kAccounts) +
      "INSERT INTO accounts VALUES (1, 100), (2, 100);\n"
      "CREATE PROCEDURE deposit(p int, n int) LANGUAGE plpgsql AS $$\n"
      "DECLARE v int; BEGIN\n"
      "SELECT balance INTO v FROM accounts WHERE id = p;\n"
      "UPDATE accounts SET balance = v + n WHERE id = p; END $$;");
  ASSERT_EQ(found.findings.size(), 1u);
  const auto& repairs = found.findings[0].repairs;
  ASSERT_EQ(repairs.size(), 3u);
  EXPECT_EQ(repairs[0].kind, "atomic-update");
  EXPECT_NE(repairs[0].diff.find("SET balance = balance + n"),
            std::string::npos)
      << repairs[0].diff;
  EXPECT_EQ(repairs[1].kind, "lock");
  EXPECT_NE(repairs[1].diff.find("WHERE id = p FOR UPDATE;"), std::string::npos)
      << repairs[1].diff;
  EXPECT_EQ(repairs[2].kind, "level");
  EXPECT_EQ(found.findings[0].safe_from, "postgresql:repeatable-read");
}

// Two accounts cover each other: repeatable read does not help, and must not be
// recommended because it does where both calls name one account.
TEST(Analyze, ALevelThatHelpsWithSomeArgumentsOnlyIsNoFix) {
  const Analysis found = analysis_of(
      std::string(kAccounts) +
      "INSERT INTO accounts VALUES (1, 100), (2, 100);\n"
      "CREATE PROCEDURE take(p int, n int) LANGUAGE plpgsql AS $$ DECLARE v "
      "int; BEGIN SELECT sum(balance) INTO v FROM accounts; IF v >= n THEN "
      "UPDATE accounts SET balance = balance - n WHERE id = p; END IF; END "
      "$$;\n"
      "--@ session a: CALL take(1, 150);\n"
      "--@ session b: CALL take(2, 150);\n");
  ASSERT_FALSE(found.findings.empty());
  EXPECT_EQ(found.findings[0].safe_from, "postgresql:serializable");
}

TEST(Analyze, WhatCannotCommitIsNotCalledSafe) {
  const Analysis found = analysis_of(
      std::string(kAccounts) +
      "CREATE PROCEDURE never() LANGUAGE plpgsql AS $$ BEGIN UPDATE accounts "
      "SET balance = 0; RAISE EXCEPTION 'no'; END $$;");
  EXPECT_EQ(matrix_of(found), (Matrix{{"never x never", "undecided"}}));
  EXPECT_EQ(found.not_checked.size(), 1u);
}

// Nothing was met, so nothing was tried; at SERIALIZABLE nothing is proved.
TEST(Analyze, WhatFindsNoRowIsNotCalledTried) {
  const Analysis found = analysis_of(
      std::string(kAccounts) +
          "CREATE PROCEDURE miss(p int) LANGUAGE plpgsql AS $$ BEGIN UPDATE "
          "accounts SET balance = 0 WHERE id = p + 1000; END $$;",
      "postgresql:serializable");
  EXPECT_EQ(matrix_of(found), (Matrix{{"miss x miss", "undecided"}}));
}

// Nobody books from 10 to 10.
TEST(Analyze, ParametersThatMustDifferAreTriedInTheirOrder) {
  const Analysis found = analysis_of(
      "CREATE TABLE booking (id serial PRIMARY KEY, room int NOT NULL,\n"
      "  begins int NOT NULL, ends int NOT NULL);\n"
      "CREATE PROCEDURE book(p_room int, p_begins int, p_ends int)\n"
      "LANGUAGE plpgsql AS $$ DECLARE v_id int; BEGIN\n"
      "  SELECT id INTO v_id FROM booking WHERE room = p_room AND\n"
      "    begins < p_ends AND ends > p_begins LIMIT 1;\n"
      "  IF v_id IS NULL AND p_begins < p_ends THEN\n"
      "    INSERT INTO booking (room, begins, ends)\n"
      "      VALUES (p_room, p_begins, p_ends);\n"
      "  END IF;\nEND $$;\n");
  EXPECT_EQ(matrix_of(found), (Matrix{{"book x book", "race"}}));
}

TEST(Analyze, WhatMovesInTheFileKeepsItsName) {
  const std::string app =
      "INSERT INTO accounts VALUES (1, 100), (2, 100);\n"
      "CREATE PROCEDURE deposit(p int, n int) LANGUAGE plpgsql AS $$\n"
      "DECLARE v int; BEGIN\n"
      "SELECT balance INTO v FROM accounts WHERE id = p;\n"
      "UPDATE accounts SET balance = v + n WHERE id = p; END $$;";
  const Analysis one = analysis_of(kAccounts + app);
  const Analysis two = analysis_of(kAccounts + std::string("\n\n-- x\n") + app);
  ASSERT_EQ(one.findings.size(), 1u);
  ASSERT_EQ(two.findings.size(), 1u);
  EXPECT_EQ(one.findings[0].id, two.findings[0].id);
}

}  // namespace
