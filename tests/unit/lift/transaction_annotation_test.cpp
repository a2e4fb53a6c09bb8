// --@ transaction NAME(parameters): plain statements with their placeholders.

#include <gtest/gtest.h>

#include <string>

#include "analyze/analyze.h"
#include "read/sql/sql.h"

namespace transaction_annotation_test {
namespace {

using namespace txscope;

const std::string kTable =
    "CREATE TABLE account (id int PRIMARY KEY, owner text, balance "
    "numeric(10,2));\nINSERT INTO account VALUES (1, 'ann', 100);\n";

sql::Application read(const std::string& annotation) {
  std::vector<Error> others;
  auto read = sql::read_sql("a.sql", kTable + annotation, false, &others);
  EXPECT_TRUE(read) << (read ? "" : read.error().what);
  return read ? std::move(*read) : sql::Application{};
}
Error error_of(const std::string& annotation) {
  auto read = sql::read_sql("a.sql", kTable + annotation, false);
  EXPECT_FALSE(read);
  return read ? Error{} : read.error();
}

/// "name(type, type)".
std::string signature(const sql::Application& application) {
  if (application.routines.empty()) return "";
  const sql::Routine& one = application.routines.back();
  std::string text = one.name + "(";
  for (std::uint32_t p = 1; p <= one.parameters; ++p)
    text += (p == 1 ? "" : ", ") + one.variables[p].name + " " +
            to_string(one.variables[p].type);
  return text + ")";
}

// Every driver's way to write a parameter is the same transaction.
TEST(TransactionAnnotation, PlaceholdersOfAllDriversAreParameters) {
  const std::string rest =
      "SELECT balance FROM account WHERE id = A; UPDATE account SET balance = "
      "balance - B WHERE id = A;";
  const auto with = [&](const std::string& a, const std::string& b) {
    std::string text = rest;
    for (const auto& [from, to] :
         {std::pair<std::string, std::string>{" A", " " + a}, {" B", " " + b}})
      for (std::size_t at = 0; (at = text.find(from, at)) != text.npos;
           at += to.size())
        text.replace(at, from.size(), to);
    return text;
  };
  const std::string head = "--@ transaction take(p_id int, p_sum numeric): ";
  for (const std::string& body :
       {with("$1", "$2"), with(":p_id", ":p_sum"),
        with("%(p_id)s", "%(p_sum)s"), with("p_id", "p_sum")}) {
    const sql::Application application = read(head + body + "\n");
    EXPECT_EQ(signature(application), "take(p_id integer, p_sum numeric)")
        << body;
    ASSERT_FALSE(application.routines.empty());
    EXPECT_EQ(application.routines.back().body.size(), 2U) << body;
  }
}

TEST(TransactionAnnotation, PlacesAreCountedAcrossStatements) {
  for (const std::string& mark : {std::string("?"), std::string("%s")}) {
    const sql::Application application = read(
        "--@ transaction take: SELECT owner FROM account WHERE id = " + mark +
        "; UPDATE account SET owner = " + mark + " WHERE id = " + mark + ";\n");
    EXPECT_EQ(signature(application), "take(p1 integer, p2 text, p3 integer)");
  }
}

TEST(TransactionAnnotation, TypesComeFromTheColumns) {
  EXPECT_EQ(signature(read("--@ transaction pay: UPDATE account SET balance = "
                           "balance + :sum WHERE owner = :who;\n")),
            "pay(sum numeric, who text)");
  EXPECT_EQ(signature(read("--@ transaction add: INSERT INTO account (id, "
                           "owner) VALUES ($1, $2);\n")),
            "add(p1 integer, p2 text)");
}

TEST(TransactionAnnotation, ItMayGoOverSeveralLinesAndHaveBeginAndCommit) {
  const sql::Application application = read(
      "--@ transaction take: BEGIN;\n"
      "--@   SELECT balance FROM account WHERE id = $1 FOR UPDATE;\n"
      "--@   UPDATE account SET balance = 0 WHERE id = $1;\n"
      "--@   COMMIT;\n");
  ASSERT_EQ(application.routines.size(), 1U);
  ASSERT_EQ(application.routines[0].body.size(), 2U);
  EXPECT_EQ(application.routines[0].body[0].at.line, 4U);
  EXPECT_EQ(application.routines[0].body[1].at.line, 5U);
}

TEST(TransactionAnnotation, AnalyzeFindsItAndSessionsCallIt) {
  const std::string text =
      kTable +
      "--@ transaction take: SELECT balance FROM account WHERE id = ?; UPDATE "
      "account SET balance = ? WHERE id = ?;\n"
      "--@ session a: CALL take(1, 5, 1);\n";
  auto application = sql::read_sql("a.sql", text);
  ASSERT_TRUE(application) << application.error().what;
  ASSERT_EQ(application->sessions.size(), 1U);
  EXPECT_EQ(application->sessions[0].calls[0].arguments.size(), 3U);
  analyze::AnalyzeOptions options;
  options.profile = *parse_profile("postgresql:read-committed");
  const auto found =
      analyze::analyze(std::move(*application), options, Budget::unlimited());
  ASSERT_TRUE(found);
  ASSERT_EQ(found->cells.size(), 1U);
  // Both read 100 and both write: no serial order shows the second one 100.
  EXPECT_EQ(found->cells[0].verdict, analyze::CellVerdict::Race);
}

TEST(TransactionAnnotation, WhatIsWrongHasItsPlace) {
  EXPECT_NE(error_of("--@ transaction t(a int): SELECT 1 FROM account WHERE id "
                     "= :b;\n")
                .what.find("'b' is not a parameter of 't'"),
            std::string::npos);
  EXPECT_EQ(
      error_of("--@ transaction t: UPDATE account SET nix = 1;\n").where.line,
      3U);
  EXPECT_NE(error_of("--@ transaction t: SELECT coalesce($1, $2);\n")
                .what.find("no statement shows the type of parameter"),
            std::string::npos);
  EXPECT_NE(error_of("--@ transaction t: SELECT balance FROM account; "
                     "ROLLBACK;\n")
                .what.find("cannot appear in --@ transaction"),
            std::string::npos);
  EXPECT_NE(
      error_of("--@ transaction t: BEGIN; COMMIT;\n").what.find("runs nothing"),
      std::string::npos);
}

}  // namespace
}  // namespace transaction_annotation_test
