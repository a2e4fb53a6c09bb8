// From a log to an application: what becomes a request, a transaction, a
// parameter, and what has to be assumed.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>

#include "analyze/analyze.h"
#include "lift/lift.h"
#include "read/logs/statements/statement_log.h"
#include "support/paths.h"

namespace lift_test {
namespace {

using namespace txscope;

sql::StatementLog log_of(read::Input input) {
  auto log = logs::read_statement_log(std::move(input));
  EXPECT_TRUE(log) << (log ? "" : log.error().what);
  return log ? std::move(*log) : sql::StatementLog{};
}
sql::StatementLog file(const std::string& name) {
  auto input = read::Input::open(test::source_dir() +
                                 std::string("/tests/logs/") + name);
  EXPECT_TRUE(input);
  return log_of(std::move(*input));
}

/// A stderr log of PostgreSQL: "session seconds statement" each.
struct Sent {
  int session;
  int second;
  std::string sql;
};
sql::StatementLog sent(const std::vector<Sent>& all) {
  std::string text;
  for (const Sent& one : all) {
    const std::string two = one.second < 10 ? "0" : "";
    text += "2026-11-18 12:00:" + two + std::to_string(one.second) +
            ".000 UTC [" + std::to_string(one.session) +
            "] LOG:  statement: " + one.sql + "\n";
  }
  return log_of(read::Input::of_text("app.log", text));
}

lift::Lifted lifted(const sql::StatementLog& log,
                    lift::LiftOptions options = {}) {
  options.name = "lifted.sql";
  auto made = lift::lift(log, options, Budget::unlimited());
  EXPECT_TRUE(made) << (made ? "" : made.error().what);
  return made ? std::move(*made) : lift::Lifted{};
}

using Matrix = std::map<std::string, std::string>;
Matrix matrix_of(lift::Lifted made,
                 const std::string& level = "postgresql:read-committed") {
  analyze::AnalyzeOptions options;
  options.profile = *parse_profile(level);
  auto found = analyze::analyze(std::move(made.application), options,
                                Budget::unlimited());
  EXPECT_TRUE(found) << (found ? "" : found.error().what);
  Matrix matrix;
  if (found)
    for (const analyze::Cell& cell : found->cells)
      matrix[found->types[cell.a].name + " x " + found->types[cell.b].name] =
          std::string(name(cell.verdict)) +
          (cell.has_deadlock ? "+deadlock" : "");
  return matrix;
}

bool has_line(const std::string& text, const std::string& line) {
  return text.find(line) != std::string::npos;
}
bool has_note(const lift::Lifted& made, const std::string& part) {
  return std::any_of(made.notes.begin(), made.notes.end(),
                     [&](const auto& note) { return has_line(note, part); });
}

// The application's code says which of its functions race: README of
// tests/logs.
TEST(Lift, TheShopOfDjangoLosesStockAndVouchers) {
  const Matrix matrix = matrix_of(lifted(file("../../examples/logs/shop.csv")));
  EXPECT_EQ(matrix.at("read_update_product x read_update_product"), "race");
  EXPECT_EQ(matrix.at("read_update_product_2 x read_update_product_2"), "safe");
  EXPECT_EQ(matrix.at("read_update_voucher x read_update_voucher"), "race");
  EXPECT_EQ(matrix.at("read_update_product x read_update_voucher"), "safe");
}

TEST(Lift, TheBankOfSqlalchemyLosesWithdrawals) {
  const Matrix matrix =
      matrix_of(lifted(file("general.log")), "mariadb:repeatable-read");
  EXPECT_EQ(matrix.at("read_update_account x read_update_account"), "race");
  EXPECT_EQ(matrix.at("update_account x update_account"), "tried");
}

TEST(Lift, WhateverWroteTheLogTheApplicationIsTheSame) {
  const auto procedures = [](const std::string& name) {
    std::string text = lifted(file(name)).text;
    // From the first table on, without the lines of the log.
    std::string out;
    for (std::size_t at = text.find("CREATE TABLE"); at < text.size();) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      const std::string line = text.substr(at, end - at);
      if (!line.starts_with("-- "))
        out += line.substr(0, line.find("  -- line")) + "\n";
      at = end + 1;
    }
    return out;
  };
  EXPECT_EQ(procedures("../../examples/logs/shop.csv"),
            procedures("postgresql.json"));
  EXPECT_EQ(procedures("../../examples/logs/shop.csv"),
            procedures("postgresql.log"));
  EXPECT_EQ(procedures("general.log"), procedures("general_log.tsv"));
  EXPECT_EQ(procedures("general.log"), procedures("server_audit.log"));
}

TEST(Lift, StatementsWithoutBeginAreTransactionsOfOneRequest) {
  const lift::Lifted made = lifted(
      sent({{1, 1, "SELECT used FROM voucher WHERE id = 4"},
            {1, 1, "UPDATE voucher SET used = used + 1 WHERE id = 4"},
            {1, 30, "SELECT used FROM voucher WHERE id = 5"},
            {1, 30, "UPDATE voucher SET used = used + 1 WHERE id = 5"}}));
  EXPECT_EQ(made.requests, 2U);
  EXPECT_EQ(made.procedures, 1U);
  EXPECT_TRUE(has_line(made.text, "PERFORM used FROM voucher WHERE id = p_id"));
  EXPECT_TRUE(has_line(made.text, "COMMIT;"));
  EXPECT_TRUE(has_note(made, "--gap"));
  EXPECT_EQ(matrix_of(made).begin()->second, "race");
}

TEST(Lift, ALockInTheTransactionIsSeen) {
  const lift::Lifted made =
      lifted(sent({{1, 1, "BEGIN"},
                   {1, 1, "SELECT used FROM voucher WHERE id = 4 FOR UPDATE"},
                   {1, 1, "SELECT used FROM voucher WHERE id = 4"},
                   {1, 1, "UPDATE voucher SET used = 3 WHERE id = 4"},
                   {1, 1, "COMMIT"}}));
  const Matrix matrix = matrix_of(made);
  ASSERT_FALSE(matrix.empty());
  for (const auto& [pair, verdict] : matrix) EXPECT_NE(verdict, "race") << pair;
}

TEST(Lift, RequestsAreToldApartByTheirTags) {
  const std::string a = " /*route='/buy',traceparent='00-a-1'*/";
  const std::string b = " /*route='/buy',traceparent='00-b-1'*/";
  const lift::Lifted made =
      lifted(sent({{1, 1, "SELECT stock FROM item WHERE id = 1" + a},
                   {1, 1, "UPDATE item SET stock = 4 WHERE id = 1" + a},
                   {1, 1, "SELECT stock FROM item WHERE id = 2" + b},
                   {1, 1, "UPDATE item SET stock = 8 WHERE id = 2" + b}}));
  EXPECT_EQ(made.requests, 2U);
  EXPECT_EQ(made.procedures, 1U);
  EXPECT_TRUE(has_line(made.text, "CREATE PROCEDURE buy_item("));
}

TEST(Lift, WhatWasRolledBackOrFailedIsLeftOut) {
  const lift::Lifted made =
      lifted(sent({{1, 1, "BEGIN"},
                   {1, 1, "SELECT n FROM t WHERE id = 1"},
                   {1, 1, "UPDATE t SET n = 2 WHERE id = 1"},
                   {1, 1, "ROLLBACK"},
                   {1, 20, "SELECT n FROM u WHERE id = 1"},
                   {1, 20, "UPDATE u SET n = 2 WHERE id = 1"}}));
  EXPECT_TRUE(has_note(made, "1 transaction rolled back"));
  EXPECT_FALSE(has_line(made.text, "UPDATE t"));
  EXPECT_TRUE(has_line(made.text, "UPDATE u"));
}

// Both tests of the real run read the voucher and save it in a transaction.
TEST(Lift, TransactionsOfTestsAreTheirSavepoints) {
  const lift::Lifted made = lifted(file("django_tests.csv"));
  EXPECT_TRUE(has_note(made, "of tests that roll back"));
  EXPECT_TRUE(has_line(made.text, "UPDATE \"voucher\" SET"));
  const Matrix matrix = matrix_of(made);
  bool has_race = false;
  for (const auto& [pair, verdict] : matrix) has_race |= verdict == "race";
  EXPECT_TRUE(has_race);
}

TEST(Lift, AWrittenValueThatFollowsTheReadOneIsComputedFromIt) {
  // Recorded, with results: 10 read, 7 written for a quantity of 3; then 7
  // read, 5 written for 2.
  const std::string log =
      R"j({"txscope":"log","version":1,"dialect":"postgresql","setup":["CREATE TABLE item (id int PRIMARY KEY, stock int)","CREATE TABLE sale (item int, quantity int)","INSERT INTO item VALUES (1, 10)"]})j"
      "\n"
      R"j({"session":"a","status":"committed","statements":[{"sql":"SELECT stock FROM item WHERE id = $1","params":[1],"rows":[[10]]},{"sql":"UPDATE item SET stock = $1 WHERE id = $2","params":[7,1],"count":1},{"sql":"INSERT INTO sale VALUES ($1, $2)","params":[1,3],"count":1}]})j"
      "\n"
      R"j({"session":"b","status":"committed","statements":[{"sql":"SELECT stock FROM item WHERE id = $1","params":[1],"rows":[[7]]},{"sql":"UPDATE item SET stock = $1 WHERE id = $2","params":[5,1],"count":1},{"sql":"INSERT INTO sale VALUES ($1, $2)","params":[1,2],"count":1}]})j"
      "\n";
  const sql::StatementLog read = log_of(read::Input::of_text("rec.jsonl", log));
  lift::LiftOptions options;
  for (const std::string& text : read.setup)
    options.schema_text += text + ";\n";
  options.whole_requests = true;
  const lift::Lifted made = lifted(read, options);
  EXPECT_TRUE(has_note(made,
                       "found in the results: item.stock = what was read "
                       "- p_quantity"));
  EXPECT_TRUE(has_line(made.text, "SELECT stock INTO v_stock FROM item"));
  EXPECT_TRUE(has_line(made.text, "SET stock = v_stock - p_quantity"));
  EXPECT_FALSE(has_note(made, "rows were made up"));
  EXPECT_EQ(matrix_of(made).begin()->second, "race");
}

TEST(Lift, WithoutResultsItSaysWhatItAssumes) {
  const lift::Lifted made =
      lifted(sent({{1, 1, "SELECT stock FROM item WHERE id = 1"},
                   {1, 1, "UPDATE item SET stock = 9 WHERE id = 1"},
                   {1, 20, "SELECT stock FROM item WHERE id = 1"},
                   {1, 20, "UPDATE item SET stock = 7 WHERE id = 1"}}));
  EXPECT_TRUE(has_note(made,
                       "assumed, since the log has no results: "
                       "item.stock = what was read - 2"));
  EXPECT_TRUE(has_note(made, "conditions in the application's code"));
  EXPECT_TRUE(has_note(made, "which no schema was given for"));
}

TEST(Lift, ASchemaIsTakenAsItIs) {
  lift::LiftOptions options;
  options.schema_text =
      "CREATE TABLE item (id bigint PRIMARY KEY, stock numeric(8,2) NOT NULL, "
      "code text UNIQUE NOT NULL);\n";
  const lift::Lifted made = lifted(
      sent({{1, 1, "SELECT stock FROM item WHERE code = 'a'"},
            {1, 1, "UPDATE item SET stock = stock - 1 WHERE code = 'a'"}}),
      options);
  EXPECT_TRUE(has_line(made.text, "p_code text"));
  EXPECT_FALSE(has_note(made, "which no schema was given for"));
  EXPECT_EQ(matrix_of(made).begin()->second, "race");
}

TEST(Lift, WritesInDifferentOrdersDeadlock) {
  const lift::Lifted made =
      lifted(sent({{1, 1, "BEGIN"},
                   {1, 1, "UPDATE a SET n = n + 1 WHERE id = 1"},
                   {1, 1, "UPDATE b SET n = n + 1 WHERE id = 1"},
                   {1, 1, "COMMIT"},
                   {2, 20, "BEGIN"},
                   {2, 20, "UPDATE b SET n = n + 2 WHERE id = 1"},
                   {2, 20, "UPDATE a SET n = n + 2 WHERE id = 1"},
                   {2, 20, "COMMIT"}}));
  bool has_deadlock = false;
  for (const auto& [pair, verdict] : matrix_of(made))
    has_deadlock |= has_line(verdict, "deadlock");
  EXPECT_TRUE(has_deadlock);
}

TEST(Lift, SessionsOfVisitorsAreLeftOut) {
  const lift::Lifted made = lifted(
      sent({{1, 1, "SELECT data FROM django_session WHERE session_key = 'x'"},
            {1, 1,
             "UPDATE django_session SET data = 'y' WHERE session_key = "
             "'x'"}}));
  EXPECT_EQ(made.procedures, 0U);
  EXPECT_TRUE(has_note(made, "left out as visitors' sessions: django_session"));
}

TEST(Lift, WhatCannotBeFollowedIsTold) {
  const lift::Lifted made =
      lifted(sent({{1, 1,
                    "MERGE INTO t USING u ON t.id = u.id WHEN MATCHED "
                    "THEN DO NOTHING"},
                   {1, 1, "SELECT n FROM t WHERE id = 1"},
                   {1, 1, "UPDATE t SET n = 2 WHERE id = 1"}}));
  ASSERT_EQ(made.missing.size(), 1U);
  EXPECT_TRUE(has_line(made.missing[0], "line 1, which may write"));
}

// Who only inserts meets nobody: explore would have nothing to look at.
TEST(Lift, TheSessionsOfTheTextMeet) {
  const lift::Lifted made = lifted(file("../../examples/logs/shop.csv"));
  ASSERT_EQ(made.application.sessions.size(), 2U);
  for (const sql::Session& session : made.application.sessions) {
    ASSERT_EQ(session.calls.size(), 1U);
    EXPECT_EQ(made.application.at(session.calls[0].routine).name,
              "read_update_product");
  }
}

TEST(Lift, TheTextIsReadAgainAsItIs) {
  const lift::Lifted made = lifted(file("../../examples/logs/shop.csv"));
  lift::LiftOptions options;
  options.schema_text = made.text;
  // A log of nothing else adds nothing to it.
  const lift::Lifted again = lifted(sent({{1, 1, "SELECT 1"}}), options);
  EXPECT_EQ(again.application.routines.size(),
            made.application.routines.size());
}

}  // namespace
}  // namespace lift_test
