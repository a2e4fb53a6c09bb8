// Arguments and rows that are made up: what a routine takes out of JSON, out of
// arrays, and whom its session says it is.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "unit/analyze/analysis_of.h"

namespace {

using namespace txscope;
using analyze::Analysis;
using analyze::CellVerdict;
using test::analysis_of;

bool waits_for_itself(const Analysis& found) {
  return std::any_of(found.cells.begin(), found.cells.end(),
                     [](const auto& cell) { return cell.has_deadlock; });
}

CellVerdict with_itself(const Analysis& found, const std::string& name) {
  for (const analyze::Cell& cell : found.cells)
    if (cell.a == cell.b && found.types[cell.a].name == name)
      return cell.verdict;
  ADD_FAILURE() << "no " << name;
  return CellVerdict::Undecided;
}

const std::string kStock =
    "CREATE TABLE product (id int PRIMARY KEY, stock int NOT NULL);\n"
    "INSERT INTO product VALUES (1, 1), (2, 1);\n";

// Who reads the stock and writes what it has computed loses an order, whatever
// way the product's number comes.
std::string order(const std::string& head, const std::string& each) {
  return kStock + "CREATE FUNCTION place(" + head +
         " DECLARE v_left int; v_item jsonb; v_id int; BEGIN " + each +
         " END $$;\n";
}

constexpr const char* kTake =
    "SELECT stock INTO v_left FROM product WHERE id = v_id; "
    "IF v_left < 1 THEN RAISE EXCEPTION 'none left'; END IF; "
    "UPDATE product SET stock = v_left - 1 WHERE id = v_id; ";

TEST(AnalyzeArguments, JsonHasTheMembersThatAreTakenOutOfIt) {
  const Analysis found = analysis_of(
      order("p jsonb) RETURNS void LANGUAGE plpgsql AS $$",
            std::string("v_id := (p ->> 'product')::int; ") + kTake));
  EXPECT_EQ(with_itself(found, "place"), CellVerdict::Race);
}

TEST(AnalyzeArguments, JsonArraysHaveItemsThatNameRows) {
  const Analysis found = analysis_of(
      order("p jsonb) RETURNS void LANGUAGE plpgsql AS $$",
            std::string("FOR v_item IN SELECT * FROM jsonb_array_elements(p -> "
                        "'items') LOOP v_id := (v_item ->> 'id')::int; ") +
                kTake + "END LOOP;"));
  EXPECT_TRUE(waits_for_itself(found)) << "[1, 2] and [2, 1]";
}

TEST(AnalyzeArguments, ArraysNameTwoRowsInBothOrders) {
  const Analysis found = analysis_of(
      order("p int[]) RETURNS void LANGUAGE plpgsql AS $$",
            "FOREACH v_id IN ARRAY p LOOP UPDATE product SET stock = stock - 1 "
            "WHERE id = v_id; END LOOP;"));
  EXPECT_TRUE(waits_for_itself(found)) << "{1,2} and {2,1}";
}

TEST(AnalyzeArguments, NullIsTriedWhereItIsTestedFor) {
  const Analysis found = analysis_of(
      kStock +
      "CREATE FUNCTION place(p_id int, p_expected int) RETURNS void LANGUAGE "
      "plpgsql AS $$ DECLARE v int; BEGIN SELECT stock INTO v FROM product "
      "WHERE id = p_id; IF p_expected IS NOT NULL THEN RAISE EXCEPTION 'no'; "
      "END IF; UPDATE product SET stock = v - 1 WHERE id = p_id; END $$;\n");
  EXPECT_EQ(with_itself(found, "place"), CellVerdict::Race);
}

// No row of the file, and keys that are no numbers.
TEST(AnalyzeArguments, RowsWithUuidsAndWordsOfTheCodeAreMadeUp) {
  const Analysis found = analysis_of(
      "CREATE TYPE kind AS ENUM ('small', 'large');\n"
      "CREATE TABLE task (id uuid PRIMARY KEY, kind kind NOT NULL, owner uuid, "
      "state text NOT NULL CHECK (state IN ('open', 'taken')), tags text[] NOT "
      "NULL, extra jsonb NOT NULL);\n"
      "CREATE FUNCTION take(p_id uuid, p_owner uuid) RETURNS void LANGUAGE "
      "plpgsql AS $$ DECLARE v text; o uuid; BEGIN SELECT state, owner INTO v, "
      "o FROM task WHERE id = p_id; IF v <> 'open' OR o IS NOT NULL THEN RAISE "
      "EXCEPTION 'taken'; END IF; UPDATE task SET state = 'taken', owner = "
      "p_owner WHERE id = p_id; END $$;\n");
  EXPECT_EQ(with_itself(found, "take"), CellVerdict::Race);
}

const std::string kVotes =
    "CREATE TABLE profile (id uuid PRIMARY KEY REFERENCES auth.users (id), "
    "votes int NOT NULL);\n"
    "CREATE FUNCTION vote() RETURNS void LANGUAGE plpgsql AS $$ DECLARE v int; "
    "BEGIN IF auth.uid() IS NULL THEN RAISE EXCEPTION 'who?'; END IF; SELECT "
    "votes INTO v FROM profile WHERE id = auth.uid(); IF v = 0 THEN RAISE "
    "EXCEPTION 'none'; END IF; UPDATE profile SET votes = v - 1 WHERE id = "
    "auth.uid(); END $$;\n";

TEST(AnalyzeArguments, ASessionIsLoggedInAsAUserThatIsThere) {
  const Analysis found = analysis_of(kVotes);
  EXPECT_EQ(with_itself(found, "vote"), CellVerdict::Race);
  ASSERT_FALSE(found.findings.empty());
}

// By itself nobody is logged in, as in psql.
TEST(AnalyzeArguments, ASessionOfTheFileIsNotLoggedIn) {
  const auto application =
      sql::read_sql("x.sql", kVotes + "--@ session a: SELECT vote();\n", true);
  ASSERT_TRUE(application);
  EXPECT_EQ(application->settings,
            (std::vector<std::string>{"request.jwt.claims"}));
  EXPECT_TRUE(application->sessions[0].calls[0].settings.empty());
}

TEST(AnalyzeArguments, SettingsOfTheApplicationSayWhoItIs) {
  const Analysis found = analysis_of(
      "CREATE TABLE member (id int PRIMARY KEY, points int NOT NULL);\n"
      "INSERT INTO member VALUES (7, 1), (8, 1);\n"
      "CREATE FUNCTION spend() RETURNS void LANGUAGE plpgsql AS $$ DECLARE v "
      "int; me int := nullif(current_setting('app.member', true), '')::int; "
      "BEGIN SELECT points INTO STRICT v FROM member WHERE id = me; UPDATE "
      "member SET points = v - 1 WHERE id = me; END $$;\n");
  EXPECT_EQ(with_itself(found, "spend"), CellVerdict::Race);
}

// Two members who each spend their own do not meet.
TEST(AnalyzeArguments, TheRunShowsWhatTheSessionSet) {
  const Analysis found = analysis_of(kVotes);
  ASSERT_FALSE(found.findings.empty());
  bool is_shown = false;
  for (const auto& session : found.findings[0].workload.sessions)
    for (const auto& call : session.calls)
      is_shown |= call.text.find("SET request.jwt.claims = ") == 0;
  EXPECT_TRUE(is_shown);
}

// Three guards, none of which the first rows that come to mind pass.
TEST(AnalyzeArguments, RowsAreSearchedUntilGuardsLetTheCallPass) {
  const Analysis found = analysis_of(
      "CREATE TABLE coupon (id int PRIMARY KEY, is_closed boolean NOT NULL, "
      "ends timestamptz NOT NULL, uses int NOT NULL);\n"
      "CREATE FUNCTION redeem(p_id int) RETURNS void LANGUAGE plpgsql AS $$ "
      "DECLARE c coupon; BEGIN SELECT * INTO c FROM coupon WHERE id = p_id; IF "
      "c.is_closed THEN RAISE EXCEPTION 'closed'; END IF; IF c.ends < now() "
      "THEN RAISE EXCEPTION 'over'; END IF; IF c.uses < 50 THEN RAISE "
      "EXCEPTION 'used'; END IF; UPDATE coupon SET uses = c.uses - 1 WHERE id "
      "= p_id; END $$;\n");
  EXPECT_EQ(with_itself(found, "redeem"), CellVerdict::Race);
}

}  // namespace
