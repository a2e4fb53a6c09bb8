// Statements that look at more than they name: the reduction must not take
// their steps for independent.  All orders, without it, are the reference.

#include <gtest/gtest.h>

#include "unit/race/scripts.h"

namespace {

using namespace txscope;
using namespace txscope::race;
using namespace txscope::race::scripts;

/// Both searches end, and see the same; how many outcomes that is.
std::size_t outcomes_of(const Scripts& scripts) {
  const auto reduced = race_scripts(scripts);
  const auto all = race_scripts(scripts, false);
  EXPECT_TRUE(reduced) << reduced.error().what;
  EXPECT_TRUE(all) << all.error().what;
  if (!reduced || !all) return 0;
  EXPECT_TRUE(reduced->is_complete && all->is_complete);
  EXPECT_EQ(seen(*reduced), seen(*all));
  EXPECT_EQ(reduced->uncaught, all->uncaught);
  EXPECT_LE(reduced->schedules, all->schedules);
  return all->outcomes.size();
}

const char* const kRooms =
    "CREATE TABLE room (id int PRIMARY KEY, seats int);"
    "CREATE TABLE guest (id int PRIMARY KEY, room int);"
    "INSERT INTO room VALUES (1, 1);"
    "CREATE FUNCTION has_seat(r int) RETURNS boolean LANGUAGE sql AS"
    " 'SELECT seats > 0 FROM room WHERE id = r';";
const char* const kClose =
    "BEGIN;\nUPDATE room SET seats = 0 WHERE id = 1;\nCOMMIT;\n";
const char* const kEnter =
    "\\set ON_ERROR_STOP off\nBEGIN;\nINSERT INTO guest VALUES (5, 1);\n"
    "COMMIT;\n";

TEST(RaceHiddenWays, ACheckMayAskAFunctionForOtherRows) {
  // The guest is in, or not, depending on when the room was closed.
  EXPECT_EQ(outcomes_of({std::string(kRooms) +
                             "ALTER TABLE guest ADD CHECK (has_seat(room))",
                         {kClose, kEnter},
                         {}}),
            2u);
}

TEST(RaceHiddenWays, ADomainMayAskAFunctionForOtherRows) {
  EXPECT_EQ(
      outcomes_of({std::string(kRooms) +
                       "CREATE DOMAIN open_room AS int CHECK (has_seat(value));"
                       "ALTER TABLE guest ALTER room TYPE open_room",
                   {kClose, kEnter},
                   {}}),
      2u);
}

TEST(RaceHiddenWays, SetConstraintsLooksAtOtherRowsAndIsNoStep) {
  EXPECT_EQ(
      outcomes_of(
          {"CREATE TABLE team (id int PRIMARY KEY);"
           "CREATE TABLE player (id int, team int REFERENCES team DEFERRABLE"
           " INITIALLY DEFERRED); INSERT INTO team VALUES (1)",
           {"BEGIN;\nINSERT INTO player VALUES (7, 1);\n"
            "SET CONSTRAINTS ALL IMMEDIATE;\nSELECT 'in';\nCOMMIT;\n",
            "DELETE FROM team WHERE id = 1;\n"},
           {}}),
      2u);
}

TEST(RaceHiddenWays, TwoSpellingsMayBeOneRow) {
  EXPECT_EQ(
      outcomes_of(
          {"CREATE COLLATION any_case (provider = icu,"
           " locale = 'und-u-ks-level2', deterministic = false);"
           "CREATE TABLE a (name text COLLATE any_case PRIMARY KEY, n int);"
           "INSERT INTO a VALUES ('x', 0)",
           {"BEGIN;\nUPDATE a SET n = n + 1 WHERE name = 'x';\nCOMMIT;\n",
            "SELECT n FROM a WHERE name = 'X';\n"},
           {}}),
      2u);
}

/// Each in its own statement: who is first, what the other one is told.
Scripts two_updates(const std::string& schema, const std::string& change) {
  const auto script = [&](const char* id) {
    return "\\set ON_ERROR_STOP off\nUPDATE a SET " + change +
           " WHERE id = " + id + ";\n";
  };
  return {"CREATE TABLE a (id int, n int, s boolean DEFAULT false," + schema +
              "); INSERT INTO a VALUES (1, 1), (2, 1)",
          {script("1"), script("2")},
          {}};
}

TEST(RaceHiddenWays, AnIndexOfSomeRowsChangesWithItsCondition) {
  Scripts scripts = two_updates("PRIMARY KEY (id)", "s = true");
  scripts.schema += ";CREATE UNIQUE INDEX ON a (n) WHERE s";
  EXPECT_EQ(outcomes_of(scripts), 2u);
}

TEST(RaceHiddenWays, AKeyMayBeOfAGeneratedColumn) {
  EXPECT_EQ(outcomes_of(two_updates(
                "PRIMARY KEY (id), m int GENERATED ALWAYS AS (CASE WHEN s THEN"
                " 0 ELSE id END) STORED UNIQUE",
                "s = true")),
            2u);
}

TEST(RaceHiddenWays, UpdatesOfTwoRowsDecideWhichOfThemIsFound) {
  EXPECT_EQ(outcomes_of({"CREATE TABLE q (id int PRIMARY KEY, n int);"
                         "INSERT INTO q VALUES (1, 0), (2, 0)",
                         {"UPDATE q SET n = 1 WHERE id = 1;\n"
                          "SELECT id FROM q WHERE n = 1 LIMIT 1;\n",
                          "UPDATE q SET n = 1 WHERE id = 2;\n"},
                         {}}),
            2u);
}

TEST(RaceHiddenWays, AnInsertThatMeetsARowMayChangeItsKey) {
  EXPECT_EQ(
      outcomes_of(
          {"CREATE TABLE team (id int PRIMARY KEY, name text UNIQUE);"
           "CREATE TABLE player (id int PRIMARY KEY, team int REFERENCES team"
           " ON UPDATE CASCADE, n int);"
           "INSERT INTO team VALUES (1, 'a'); INSERT INTO player VALUES (7, 1)",
           {"INSERT INTO team VALUES (5, 'a') ON CONFLICT (name)"
            " DO UPDATE SET id = 9;\n",
            "SELECT team FROM player WHERE id = 7;\n"},
           {}}),
      2u);
}

TEST(RaceHiddenWays, AColumnMayBeAFunction) {
  EXPECT_EQ(outcomes_of({"CREATE TABLE a (id int PRIMARY KEY);"
                         "CREATE TABLE b (n int); INSERT INTO b VALUES (1);"
                         "INSERT INTO a VALUES (1);"
                         "CREATE FUNCTION total(a) RETURNS bigint LANGUAGE sql"
                         " AS 'SELECT sum(n) FROM b'",
                         {"SELECT a.total FROM a WHERE id = 1;\n",
                          "UPDATE b SET n = 5;\n"},
                         {}}),
            2u);
}

TEST(RaceHiddenWays, ATableMayBeFoundInAnotherSchema) {
  EXPECT_EQ(outcomes_of({"CREATE TABLE a (id int PRIMARY KEY, n int);"
                         "CREATE SCHEMA shop;"
                         "CREATE TABLE shop.a (id int PRIMARY KEY, n int);"
                         "INSERT INTO shop.a VALUES (1, 1)",
                         {"SET search_path = shop;\n"
                          "SELECT n FROM a WHERE id = 1;\n",
                          "UPDATE shop.a SET n = 2 WHERE id = 1;\n"},
                         {}}),
            2u);
}

TEST(RaceHiddenWays, AQuestionAboutTypesMayBeOneAboutRows) {
  // It asks for the type of a row that another one changes.
  EXPECT_EQ(outcomes_of({kProduct,
                         {"SELECT pg_typeof(quantity), quantity FROM product"
                          " WHERE id = 1;\n",
                          "UPDATE product SET quantity = 2 WHERE id = 1;\n"},
                         {}}),
            2u);
}

TEST(RaceState, AColumnMayHaveAnyName) {
  const auto found = race_scripts(
      {"CREATE TABLE one (one int, t int); INSERT INTO one VALUES (1, 2)",
       {"UPDATE one SET t = 3;\n", "SELECT 1;\n"},
       {}});
  ASSERT_TRUE(found) << found.error().what;
  ASSERT_EQ(found->outcomes.size(), 1u);
  EXPECT_EQ(found->outcomes[0].state["one"][0], (json{{"one", 1}, {"t", 3}}));
}

}  // namespace
