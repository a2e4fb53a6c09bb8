// Three at a time, and what is left at stronger levels.

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "support/paths.h"
#include "unit/analyze/analysis_of.h"
#include "verb/input/program_file.h"

namespace {

using namespace txscope;
using analyze::Analysis;
using analyze::CellVerdict;
using Known = analyze::LevelTable::Known;

using test::analysis_of;

// Fekete, O'Neil and O'Neil, "A Read-Only Transaction Anomaly Under Snapshot
// Isolation" (2004): a withdrawal that pays a fee for too little money, a
// deposit, and somebody who looks.  No two of them go wrong at snapshot
// isolation.
const std::string kStatements =
    "CREATE TABLE account (kind text PRIMARY KEY, balance int NOT NULL);\n"
    "INSERT INTO account VALUES ('checking', 0), ('savings', 0);\n"
    "CREATE TABLE statement (id serial PRIMARY KEY, total int);\n"
    "CREATE PROCEDURE deposit(p int) LANGUAGE plpgsql AS $$ BEGIN UPDATE "
    "account SET balance = balance + p WHERE kind = 'savings'; END $$;\n"
    "CREATE PROCEDURE withdraw(p int) LANGUAGE plpgsql AS $$ DECLARE v int; "
    "BEGIN SELECT sum(balance) INTO v FROM account; IF v < p THEN UPDATE "
    "account SET balance = balance - p - 1 WHERE kind = 'checking'; ELSE "
    "UPDATE account SET balance = balance - p WHERE kind = 'checking'; END "
    "IF; END $$;\n"
    "CREATE PROCEDURE report() LANGUAGE plpgsql AS $$ BEGIN INSERT INTO "
    "statement (total) SELECT sum(balance) FROM account; END $$;\n";

TEST(Triples, WhoOnlyLooksCanMakeACycleOfThree) {
  const Analysis found = analysis_of(kStatements, "postgresql:repeatable-read");
  for (const analyze::Cell& cell : found.cells)
    EXPECT_NE(cell.verdict, CellVerdict::Race);
  ASSERT_EQ(found.triples.size(), 1u);
  EXPECT_EQ(found.name_of(found.triples[0].group),
            "deposit x withdraw x report");
  EXPECT_EQ(found.triples[0].verdict, CellVerdict::Race);
  ASSERT_FALSE(found.findings.empty());
  EXPECT_EQ(found.findings[0].kind, analyze::FindingKind::Race);
  EXPECT_EQ(found.findings[0].groups,
            std::vector<analyze::Group>{found.triples[0].group});
}

// Alomari, Cahill, Fekete and Roehm, "The Cost of Serializability on Platforms
// That Use Snapshot Isolation" (ICDE 2008): the one dangerous structure of
// SmallBank goes from Balance by WriteCheck to TransactSavings.
TEST(Triples, SmallbankHasOneAtSnapshotIsolation) {
  const auto text = verb::read_text(
      test::source_dir() + std::string("/examples/smallbank/smallbank.sql"));
  ASSERT_TRUE(text);
  const Analysis found = analysis_of(*text, "postgresql:repeatable-read");
  std::vector<std::string> races;
  for (const analyze::Cell& cell : found.cells)
    if (cell.verdict == CellVerdict::Race)
      races.push_back(found.name_of({cell.a, cell.b}));
  for (const analyze::Triple& triple : found.triples)
    if (triple.verdict == CellVerdict::Race)
      races.push_back(found.name_of(triple.group));
  EXPECT_EQ(races, std::vector<std::string>{
                       "balance x transact_savings x write_check"});
}

TEST(Triples, AreNotAskedWhereAPairGoesWrong) {
  const std::string lost =
      "CREATE PROCEDURE fee() LANGUAGE plpgsql AS $$ DECLARE v int; BEGIN "
      "SELECT balance INTO v FROM account WHERE kind = 'savings'; UPDATE "
      "account SET balance = v - 1 WHERE kind = 'savings'; END $$;\n";
  const Analysis found =
      analysis_of(kStatements + lost, "postgresql:read-committed");
  const std::size_t fee = found.types.size() - 1;
  std::set<analyze::Group> races;
  for (const analyze::Cell& cell : found.cells)
    if (cell.verdict == CellVerdict::Race) races.insert({cell.a, cell.b});
  ASSERT_TRUE(races.contains({fee, fee}));
  ASSERT_FALSE(found.triples.empty());
  for (const analyze::Triple& triple : found.triples) {
    const analyze::Group& all = triple.group;
    for (const auto& pair :
         {analyze::Group{all[0], all[1]}, {all[0], all[2]}, {all[1], all[2]}})
      EXPECT_FALSE(races.contains(pair)) << found.name_of(all);
  }
}

TEST(Triples, NoneIsAskedAtSerializable) {
  EXPECT_TRUE(
      analysis_of(kStatements, "postgresql:serializable").triples.empty());
}

TEST(LevelTable, SaysFromWhichLevelOnARuleIsKept) {
  const Analysis found = analysis_of(
      "CREATE TABLE item (id int PRIMARY KEY, stock int NOT NULL);\n"
      "INSERT INTO item VALUES (1, 3);\n"
      "CREATE TABLE doctor (name text PRIMARY KEY, on_call boolean);\n"
      "INSERT INTO doctor VALUES ('ann', true), ('ben', true);\n"
      "CREATE PROCEDURE take(n int) LANGUAGE plpgsql AS $$ DECLARE v int; "
      "BEGIN SELECT stock INTO v FROM item WHERE id = 1; IF v >= n THEN UPDATE "
      "item SET stock = stock - n WHERE id = 1; END IF; END $$;\n"
      "CREATE PROCEDURE leave(who text) LANGUAGE plpgsql AS $$ BEGIN IF "
      "(SELECT count(*) FROM doctor WHERE on_call) > 1 THEN UPDATE doctor SET "
      "on_call = false WHERE name = who; END IF; END $$;\n"
      "CREATE PROCEDURE restock(n int) LANGUAGE plpgsql AS $$ BEGIN UPDATE "
      "item SET stock = stock + n WHERE id = 1; END $$;\n"
      "--@ invariant enough: (SELECT min(stock) FROM item) >= 0\n"
      "--@ invariant covered: EXISTS (SELECT 1 FROM doctor WHERE on_call)\n",
      "postgresql:read-committed");
  EXPECT_EQ(found.levels.levels,
            (std::vector<std::string>{"postgresql:read-committed",
                                      "postgresql:repeatable-read",
                                      "postgresql:serializable"}));
  std::map<std::string, std::vector<Known>> rows;
  for (const auto& row : found.levels.rows)
    if (row.is_rule) rows[row.what] = row.at;
  using Row = std::vector<Known>;
  EXPECT_EQ(rows.size(), 2u);
  // First committer wins: an update is not lost.  Write skew needs more.
  EXPECT_EQ(rows["enough"], (Row{Known::Wrong, Known::Kept, Known::Kept}));
  EXPECT_EQ(rows["covered"], (Row{Known::Wrong, Known::Wrong, Known::Kept}));
  std::map<std::string, std::string> needs;
  for (const auto& need : found.levels.needs)
    needs[need.transaction] = need.level;
  EXPECT_EQ(needs, (std::map<std::string, std::string>{
                       {"take", "postgresql:repeatable-read"},
                       {"leave", "postgresql:serializable"},
                       {"restock", "postgresql:read-committed"}}));
}

// What commits in the middle is two transactions at any level, and so is what
// calls it.
TEST(LevelTable, NoLevelIsEnoughForWhatCommitsInTheMiddle) {
  const Analysis found = analysis_of(
      kStatements +
      "CREATE PROCEDURE twice() LANGUAGE plpgsql AS $$ BEGIN PERFORM balance "
      "FROM account WHERE kind = 'savings'; COMMIT; UPDATE account SET balance "
      "= balance + 1 WHERE kind = 'savings'; END $$;\n"
      "CREATE PROCEDURE outer_one() LANGUAGE plpgsql AS $$ BEGIN CALL twice(); "
      "END $$;\n");
  std::size_t checked = 0;
  for (const auto& need : found.levels.needs) {
    EXPECT_EQ(need.level.empty(), need.transaction == "outer_one")
        << need.transaction;
    ++checked;
  }
  EXPECT_EQ(checked, 4u);
}

}  // namespace
