// What a client's messages are cut into, and what a statement touches.

#include <gtest/gtest.h>

#include "race/reduce/touches.h"
#include "race/wire/flight.h"
#include "race/wire/in_full.h"

namespace {

using namespace txscope::race;
using Touch = Footprint::Touch;
using Use = Footprint::Access;

std::string message(char type, const std::string& body) {
  std::string result(1, type);
  const std::size_t length = body.size() + 4;
  for (int shift = 24; shift >= 0; shift -= 8)
    result += static_cast<char>(length >> shift & 255);
  return result + body;
}

const std::string kZero(1, '\0');
const std::string kNone(2, '\0');  // a count of none

TEST(Flight, AQueryIsAFlightWithItsStatements) {
  FlightCutter cutter;
  std::vector<Flight> flights;
  ASSERT_TRUE(cutter.feed(message('Q', "BEGIN; SELECT 1" + kZero), flights));
  ASSERT_EQ(flights.size(), 1u);
  ASSERT_EQ(flights[0].statements.size(), 2u);
  EXPECT_EQ(flights[0].statements[1].sql, "SELECT 1");
}

TEST(Flight, EverythingUpToSyncIsOneFlightAndKeepsItsBytes) {
  FlightCutter cutter;
  std::vector<Flight> flights;
  const std::string bytes =
      message('P', kZero + "UPDATE t SET a = $1" + kZero + kNone) +
      message('B', kZero + kZero + kNone + std::string("\0\1", 2) +
                       std::string("\0\0\0\2", 4) + "17" + kNone) +
      message('E', kZero + std::string(4, '\0')) + message('S', "");
  // However the bytes arrive.
  for (const char c : bytes)
    ASSERT_TRUE(cutter.feed(std::string(1, c), flights));
  ASSERT_EQ(flights.size(), 1u);
  EXPECT_EQ(flights[0].bytes, bytes);
  EXPECT_EQ(flights[0].end, Flight::End::Sync);
  ASSERT_EQ(flights[0].statements.size(), 1u);
  EXPECT_EQ(shown(flights[0].statements[0]), "UPDATE t SET a = $1 -- 17");
}

TEST(Flight, FlushWithoutExecuteExecutesNothing) {
  FlightCutter cutter;
  std::vector<Flight> flights;
  ASSERT_TRUE(cutter.feed(
      message('P', "s" + kZero + "SELECT 1" + kZero + kNone) + message('H', ""),
      flights));
  ASSERT_EQ(flights.size(), 1u);
  EXPECT_TRUE(flights[0].statements.empty());
}

TEST(InFull, ParametersStandInTheirPlaces) {
  EXPECT_EQ(in_full({"UPDATE t SET a = $2, b = $1 WHERE c$1 = '$1' -- $1",
                     {"it's", std::nullopt}}),
            "UPDATE t SET a = NULL, b = 'it''s' WHERE c$1 = '$1' -- $1");
  EXPECT_EQ(in_full({"SELECT $tag$ $1 $tag$, $1::int, $10", {"5"}}),
            "SELECT $tag$ $1 $tag$, '5'::int, $10");
  EXPECT_EQ(in_full({"SELECT '?' FROM `a?` WHERE b = ? LIMIT ?", {"x", "2"}}),
            "SELECT '?' FROM `a?` WHERE b = 'x' LIMIT 2");
  // Without parameters it is an operator.
  EXPECT_EQ(in_full({"SELECT '{}'::jsonb ? 'a'", {}}),
            "SELECT '{}'::jsonb ? 'a'");
}

const std::string kText("\0\0\0\31", 4);  // a type: 25
const std::string kTwoBytes("\0\0\0\2", 4);

/// Bind to statement `name` of two bytes in binary, and Execute.
std::string run_binary(const std::string& name, const std::string& value) {
  return message('B', kZero + name + kZero + std::string("\0\1\0\1", 4) +
                          std::string("\0\1", 2) + kTwoBytes + value + kNone) +
         message('E', kZero + std::string(4, '\0')) + message('S', "");
}

std::string prepare(const std::string& name) {
  return message('P', name + kZero + "SELECT $1" + kZero + kNone) +
         message('D', "S" + name + kZero);
}

TEST(Flight, TheServerSaysOfWhichTypeABinaryParameterIs) {
  FlightCutter cutter;
  std::vector<Flight> flights;
  ASSERT_TRUE(cutter.feed(prepare("a") + message('H', ""), flights));
  cutter.take_types(std::string("\0\1", 2) + kText);
  ASSERT_TRUE(cutter.feed(run_binary("a", "ab"), flights));
  EXPECT_EQ(shown(flights.back().statements.at(0)), "SELECT $1 -- ab");
  EXPECT_FALSE(flights.back().statements[0].has_unknown);
}

TEST(Flight, WhatNobodyDescribedIsNotGuessed) {
  FlightCutter cutter;
  std::vector<Flight> flights;
  // The server skips the first Describe after an error, and answers the second.
  ASSERT_TRUE(cutter.feed(
      prepare("a") + message('S', "") + prepare("b") + message('S', ""),
      flights));
  cutter.take_ready();
  cutter.take_types(std::string("\0\1", 2) + kText);
  ASSERT_TRUE(
      cutter.feed(run_binary("a", "ab") + run_binary("b", "ab"), flights));
  ASSERT_EQ(flights.size(), 4u);
  EXPECT_EQ(shown(flights[2].statements.at(0)), "SELECT $1 -- (2 bytes)");
  EXPECT_TRUE(flights[2].statements[0].has_unknown);
  EXPECT_EQ(shown(flights[3].statements.at(0)), "SELECT $1 -- ab");
}

TEST(Flight, WhatCommutesWithEverythingIsSilent) {
  for (const char* sql :
       {"BEGIN", "start transaction", "SET x = 1", "SHOW x", "SAVEPOINT a",
        "RELEASE a", "select pg_catalog.version()", "/* a */ BEGIN"})
    EXPECT_TRUE(is_silent(sql)) << sql;
  for (const char* sql :
       {"SELECT 1", "ROLLBACK TO a", "COMMIT", "DISCARD ALL",
        "UPDATE t SET a = 1", "INSERT INTO t VALUES (current_schema())"})
    EXPECT_FALSE(is_silent(sql)) << sql;
  EXPECT_TRUE(is_transaction_end("ROLLBACK"));
  EXPECT_FALSE(is_transaction_end("ROLLBACK TO SAVEPOINT a"));
}

Catalog shop() {
  Catalog catalog;
  catalog.harmless_functions = {"count", "now"};
  Catalog::Table product;
  product.is_plain = true;
  product.key = "id";
  product.key_is_number = true;
  product.special = {"id"};
  product.children = {"line"};
  catalog.tables["product"] = product;
  Catalog::Table line;
  line.is_plain = true;
  line.parents = {"product"};
  catalog.tables["line"] = line;
  return catalog;
}

std::set<Touch> touches(const std::string& sql,
                        std::vector<std::optional<std::string>> params = {}) {
  const StatementTouches found = touches_of({sql, std::move(params)}, shop());
  return found.footprint ? found.footprint->touches()
                         : std::set<Touch>{{"?", "", Use::Reads}};
}

const std::set<Touch> kEverything = {{"?", "", Use::Reads}};

TEST(Touches, AConditionOnTheKeyNamesOneRow) {
  EXPECT_EQ(touches("SELECT n FROM product WHERE id = $1", {"7"}),
            (std::set<Touch>{{"product", "=7", Use::Reads}}));
  EXPECT_EQ(touches("SELECT n FROM product WHERE id = 7 FOR UPDATE"),
            (std::set<Touch>{{"product", "=7", Use::Locks}}));
  // Another way to write a number could be the same row.
  EXPECT_EQ(touches("SELECT n FROM product WHERE id = $1", {"07"}),
            (std::set<Touch>{{"product", "", Use::Reads}}));
  EXPECT_EQ(touches("SELECT n FROM product WHERE id = 7 OR n = 1"),
            (std::set<Touch>{{"product", "", Use::Reads}}));
}

TEST(Touches, AValueThatIsNotUnderstoodNamesNoRow) {
  const Statement statement = {
      "SELECT n FROM product WHERE id = $1", {"7"}, true};
  EXPECT_EQ(touches_of(statement, shop()).footprint->touches(),
            (std::set<Touch>{{"product", "", Use::Reads}}));
}

TEST(Touches, AForeignKeyLooksAtItsParent) {
  EXPECT_EQ(touches("INSERT INTO line VALUES (1, 2)"),
            (std::set<Touch>{{"line", "", Use::Locks},
                             {"line", "", Use::Reads},
                             {"product", "", Use::Shares}}));
  EXPECT_TRUE(touches("DELETE FROM product WHERE id = 1")
                  .count({"line", "", Use::Locks}) == 1);
}

TEST(Touches, WhatIsNotUnderstoodTouchesEverything) {
  for (const char* sql :
       {"SELECT my_function(1)", "SELECT * FROM a_view", "LOCK TABLE product",
        "TRUNCATE product", "CREATE TABLE x (a int)", "DO $$ BEGIN END $$",
        "WITH x AS (DELETE FROM line RETURNING *) SELECT * FROM x",
        "this is no SQL"})
    EXPECT_EQ(touches(sql), kEverything) << sql;
}

}  // namespace
