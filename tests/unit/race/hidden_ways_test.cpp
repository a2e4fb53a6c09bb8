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
