// What could help is tried: the same requests with a lock, a constraint or
// another level.

#include "race/repair/repair.h"

#include <gtest/gtest.h>

#include "race/repair/with_lock.h"
#include "support/run_command.h"
#include "unit/race/scripts.h"

namespace txscope::race {
namespace {

using namespace scripts;

Result<std::vector<TriedRepair>> repairs_of(const Scripts& scripts) {
  const test::TemporaryDirectory place;
  const Plan plan = plan_of(scripts, place);
  auto copies = Copies::from_sql(scripts.schema, "schema.sql");
  if (!copies) return copies.error();
  const SearchOptions options;
  const auto found = search(plan, **copies, options, Budget::unlimited());
  if (!found) return found.error();
  return try_repairs(plan, **copies, *found, options, Budget::unlimited());
}

const TriedRepair* of_kind(const std::vector<TriedRepair>& all,
                           Repair::Kind kind) {
  for (const TriedRepair& one : all)
    if (one.repair.kind == kind) return &one;
  return nullptr;
}

TEST(RaceRepair, ALockHelpsWhereARowIsReadAndThenWritten) {
  const std::string buy =
      "BEGIN;\nSELECT quantity >= 3 AS ok FROM product WHERE id = 1 \\gset\n"
      "\\if :ok\nUPDATE product SET quantity = quantity - 3 WHERE id = 1;\n"
      "\\endif\nCOMMIT;\n";
  const auto tried =
      repairs_of({kProduct,
                  {buy, buy},
                  {{"stock", "(SELECT quantity FROM product) >= 0"}}});
  ASSERT_TRUE(tried) << tried.error().what;
  const TriedRepair* lock = of_kind(*tried, Repair::Kind::Lock);
  ASSERT_NE(lock, nullptr);
  EXPECT_TRUE(lock->holds) << lock->remains;
  EXPECT_TRUE(lock->is_complete);
  EXPECT_GE(lock->schedules, 2u);
  EXPECT_TRUE(lock->uncaught.empty());
  EXPECT_NE(lock->repair.what.find("WHERE id = 1 FOR UPDATE"),
            std::string::npos);
  // The number fell below zero: a constraint refuses that with 23514.
  const TriedRepair* check = of_kind(*tried, Repair::Kind::Constraint);
  ASSERT_NE(check, nullptr);
  EXPECT_EQ(check->repair.what,
            "ALTER TABLE product ADD CHECK (quantity >= 0)");
  EXPECT_TRUE(check->holds) << check->remains;
  EXPECT_EQ(check->uncaught, std::vector<std::string>{"23514"});
  const TriedRepair* level = of_kind(*tried, Repair::Kind::Isolation);
  ASSERT_NE(level, nullptr);
  EXPECT_TRUE(level->holds) << level->remains;
  EXPECT_EQ(level->uncaught, std::vector<std::string>{"40001"});
}

TEST(RaceRepair, WithoutATransactionNoLockIsTried) {
  const auto tried =
      repairs_of({kProduct,
                  {kBuy, kBuy},
                  {{"stock", "(SELECT quantity FROM product) >= 0"}}});
  ASSERT_TRUE(tried) << tried.error().what;
  EXPECT_EQ(of_kind(*tried, Repair::Kind::Lock), nullptr);
  EXPECT_EQ(of_kind(*tried, Repair::Kind::Isolation), nullptr);
}

TEST(RaceRepair, AUniqueIndexHelpsWhereTwoLookAndInsert) {
  const std::string vote =
      "\\set ON_ERROR_STOP off\nBEGIN;\n"
      "SELECT id FROM vote WHERE voter = 7 \\gset\n"
      "\\if :{?id}\n\\else\nINSERT INTO vote (voter) VALUES (7);\n\\endif\n"
      "COMMIT;\n";
  const auto tried = repairs_of(
      {"CREATE TABLE vote (id serial PRIMARY KEY, voter int NOT NULL)",
       {vote, vote},
       {{"once", "(SELECT count(*) FROM vote) = 1"}}});
  ASSERT_TRUE(tried) << tried.error().what;
  const TriedRepair* unique = of_kind(*tried, Repair::Kind::Constraint);
  ASSERT_NE(unique, nullptr);
  EXPECT_EQ(unique->repair.what, "CREATE UNIQUE INDEX ON vote (voter)");
  EXPECT_TRUE(unique->holds) << unique->remains;
  EXPECT_GE(unique->schedules, 2u);
  // There is no row yet that could be locked.
  const TriedRepair* lock = of_kind(*tried, Repair::Kind::Lock);
  ASSERT_NE(lock, nullptr);
  EXPECT_FALSE(lock->holds);
  EXPECT_EQ(lock->remains, "rule 'once' still breaks");
}

TEST(RaceRepair, WhatTheCopyCannotHaveIsSaid) {
  const std::string vote =
      "\\set ON_ERROR_STOP off\nBEGIN;\n"
      "SELECT id FROM vote WHERE voter = 7 \\gset\n"
      "\\if :{?id}\n\\else\nINSERT INTO vote (voter) VALUES (7);\n\\endif\n"
      "COMMIT;\n";
  const auto tried = repairs_of(
      {"CREATE TABLE vote (id serial PRIMARY KEY, voter int NOT NULL);"
       "INSERT INTO vote (voter) VALUES (1), (1)",
       {vote, vote},
       {{"once", "(SELECT count(*) FROM vote WHERE voter = 7) = 1"}}});
  ASSERT_TRUE(tried) << tried.error().what;
  const TriedRepair* unique = of_kind(*tried, Repair::Kind::Constraint);
  ASSERT_NE(unique, nullptr);
  EXPECT_FALSE(unique->holds);
  EXPECT_EQ(unique->schedules, 0u);
  EXPECT_NE(unique->remains.find("cannot have it"), std::string::npos);
}

TEST(RaceRepair, OnlyRowsOfOneTableCanBeLocked) {
  Catalog catalog;
  catalog.tables["a"];
  const auto locked = [&](const char* sql) {
    const auto select = plain_select({sql, {}}, catalog);
    return select ? select->locked : "";
  };
  EXPECT_EQ(locked("SELECT n FROM a WHERE id = $1"),
            "SELECT n FROM a WHERE id = $1 FOR UPDATE");
  EXPECT_EQ(locked("SELECT n FROM a; "), "SELECT n FROM a FOR UPDATE");
  EXPECT_EQ(locked("SELECT n FROM a -- why"),
            "SELECT n FROM a -- why\nFOR UPDATE");
  for (const char* sql :
       {"SELECT count(*) FROM a", "SELECT DISTINCT n FROM a",
        "SELECT n FROM a GROUP BY n", "SELECT n FROM a UNION SELECT 1",
        "SELECT n FROM a, b", "SELECT n FROM a FOR SHARE", "SELECT n FROM b",
        "SELECT row_number() OVER () FROM a", "UPDATE a SET n = 1", "SELECT"})
    EXPECT_EQ(locked(sql), "") << sql;
}

}  // namespace
}  // namespace txscope::race
