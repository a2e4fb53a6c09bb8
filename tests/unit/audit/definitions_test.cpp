// Statements of a log that do more than change rows: definitions, TRUNCATE,
// COPY, keys that are looked at later.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "read/logs/definitions.h"
#include "read/logs/seen_ids.h"
#include "read/sql/text/copy_command.h"
#include "support/audit_log.h"

namespace {

using namespace txscope;

/// Transactions of sessions of their own, one after the other, each with the
/// statements of one text.
std::string log_of(const std::string& setup,
                   const std::vector<std::string>& transactions) {
  std::string text =
      R"x({"txscope":"log","version":1,"dialect":"postgresql","setup":[)x" +
      setup + "]}\n";
  for (std::size_t t = 0; t < transactions.size(); ++t)
    text += R"({"session":)" + std::to_string(t) + R"(,"id":")" +
            std::to_string(t) + R"(","status":"committed","start":)" +
            std::to_string(10 * t) + R"(,"end":)" + std::to_string(10 * t + 5) +
            R"(,"statements":[)" + transactions[t] + "]}\n";
  return text;
}

std::string verdict_of_log(const std::string& text, const std::string& level) {
  const auto report = test::audit_text_log(text, level);
  if (!report) return report.error().what;
  return test::verdict_of(report->results[0].found);
}

const std::string kTwoRows = R"x("CREATE TABLE t (k INT PRIMARY KEY, v INT)",)x"
                             R"x("INSERT INTO t VALUES (1, 10), (2, 20)")x";

TEST(AuditDefinitions, TruncateEmptiesTables) {
  const auto counted = [](const char* rows) {
    return log_of(kTwoRows,
                  {R"({"sql":"TRUNCATE t"})",
                   std::string(R"({"sql":"SELECT count(*) FROM t","rows":)") +
                       rows + "}"});
  };
  for (const char* level :
       {"strict-serializable", "postgresql:read-committed/realtime"}) {
    EXPECT_EQ(verdict_of_log(counted("[[0]]"), level), "holds") << level;
    EXPECT_EQ(verdict_of_log(counted("[[1]]"), level), "violated") << level;
  }
  // Older snapshots see the table empty, too.
  EXPECT_EQ(verdict_of_log(counted("[[1]]"), "postgresql:repeatable-read"),
            "undecided");
}

TEST(AuditDefinitions, TruncateOfSeveralTablesIsOneStatement) {
  const std::string setup =
      R"x("CREATE TABLE p (k INT PRIMARY KEY)",)x"
      R"x("CREATE TABLE c (k INT PRIMARY KEY, p INT REFERENCES p)",)x"
      R"x("INSERT INTO p VALUES (1)","INSERT INTO c VALUES (1, 1)")x";
  const std::string seen =
      R"x({"sql":"SELECT (SELECT count(*) FROM p) + (SELECT count(*) FROM c)",)x"
      R"x("rows":[[0]]})x";
  EXPECT_EQ(verdict_of_log(log_of(setup, {R"({"sql":"TRUNCATE p, c"})", seen}),
                           "serializable"),
            "holds");
  EXPECT_NE(
      verdict_of_log(log_of(setup, {R"({"sql":"TRUNCATE p CASCADE"})", seen}),
                     "serializable")
          .find("TRUNCATE CASCADE is not supported"),
      std::string::npos);
}

TEST(AuditDefinitions, WhatCopyShowsIsCompared) {
  const auto copied = [](const std::string& sql, const std::string& rows) {
    return log_of(kTwoRows,
                  {R"({"sql":")" + sql + R"(","rows":)" + rows + "}"});
  };
  for (const char* sql :
       {"COPY t TO STDOUT", "COPY (SELECT k, v FROM t) TO STDOUT"}) {
    EXPECT_EQ(verdict_of_log(copied(sql, R"([["2","20"],["1","10"]])"),
                             "serializable"),
              "holds")
        << sql;
    EXPECT_EQ(verdict_of_log(copied(sql, R"([["2","20"],["1","11"]])"),
                             "serializable"),
              "violated")
        << sql;
  }
  EXPECT_EQ(verdict_of_log(copied("COPY t (v) TO STDOUT", R"([["20"],["10"]])"),
                           "serializable"),
            "holds");
}

TEST(AuditDefinitions, ACopyThatFailedIsPassedOver) {
  EXPECT_EQ(
      verdict_of_log(
          log_of(kTwoRows,
                 {R"x({"sql":"SAVEPOINT s"},{"sql":"COPY t FROM STDIN",)x"
                  R"x("opaque":"copy","error":{"sqlstate":"23505",)x"
                  R"x("message":"duplicate key"}},{"sql":"ROLLBACK TO s"})x",
                  R"x({"sql":"SELECT count(*) FROM t","rows":[[2]]})x"}),
          "serializable"),
      "holds");
}

// A DEFERRABLE key is looked at when the statement is over, one that is
// INITIALLY DEFERRED at the end.
TEST(AuditDefinitions, DeferrableKeysMayBreakForATime) {
  const auto moved = [](const char* when, const std::string& more) {
    return log_of(
        std::string(
            R"x("CREATE TABLE d (k INT, u INT, UNIQUE (u) DEFERRABLE )x") +
            when + R"x()","INSERT INTO d VALUES (1, 1), (2, 2)")x",
        {R"({"sql":"UPDATE d SET u = u + 1","count":2})" + more,
         R"({"sql":"SELECT k, u FROM d ORDER BY u","rows":[[1,2],[2,3]]})"});
  };
  for (const char* level : {"serializable", "postgresql:repeatable-read",
                            "postgresql:read-committed"}) {
    EXPECT_EQ(verdict_of_log(moved("INITIALLY IMMEDIATE", ""), level), "holds");
    const std::string twice =
        R"(,{"sql":"UPDATE d SET u = 3 WHERE k = 1","count":1},)"
        R"({"sql":"UPDATE d SET u = 2 WHERE k = 1","count":1})";
    EXPECT_EQ(verdict_of_log(moved("INITIALLY DEFERRED", twice), level),
              "holds")
        << level;
    EXPECT_EQ(verdict_of_log(moved("INITIALLY IMMEDIATE", twice), level),
              "violated")
        << level;
  }
}

sql::LogTransaction transaction_of(std::uint64_t line,
                                   const std::vector<std::string>& texts) {
  sql::LogTransaction transaction;
  transaction.line = line;
  for (const std::string& text : texts) {
    sql::LogStatement statement;
    statement.sql = text;
    transaction.statements.push_back(std::move(statement));
  }
  return transaction;
}

std::vector<std::string> moved_of(
    const std::vector<sql::LogTransaction>& transactions) {
  sql::LogHeader header;
  header.setup = {"CREATE TABLE old (k INT PRIMARY KEY)"};
  logs::LogDefinitions definitions(header);
  for (const auto& each : transactions) definitions.look(each);
  return definitions.texts();
}

TEST(AuditDefinitions, WhatNothingHasNamedMayStandInTheSetup) {
  using Texts = std::vector<std::string>;
  EXPECT_EQ(moved_of({transaction_of(2, {"CREATE TABLE n (k INT)",
                                         "INSERT INTO n VALUES (1)"}),
                      transaction_of(3, {"CREATE UNIQUE INDEX i ON n (k)"})}),
            Texts({"CREATE TABLE n (k INT)"}))
      << "the index came when rows were there";
  EXPECT_EQ(moved_of({transaction_of(2, {"CREATE TABLE n (k INT)"}),
                      transaction_of(3, {"SELECT 1 FROM old"}),
                      transaction_of(4, {"ALTER TABLE n ADD FOREIGN KEY (k) "
                                         "REFERENCES old"})}),
            Texts({"CREATE TABLE n (k INT)",
                   "ALTER TABLE n ADD FOREIGN KEY (k) REFERENCES old"}));
  EXPECT_EQ(moved_of({transaction_of(2, {"SELECT 1 FROM other"}),
                      transaction_of(3, {"ALTER TABLE old ADD FOREIGN KEY (k) "
                                         "REFERENCES other"})}),
            Texts())
      << "rows of the parent may have gone";
  EXPECT_EQ(moved_of({transaction_of(
                2, {"DROP TABLE IF EXISTS n", "CREATE TEMP TABLE m (k INT)"})}),
            Texts());
}

TEST(AuditDefinitions, WhatAbortedDefinesNothing) {
  auto aborted = transaction_of(2, {"CREATE TABLE n (k INT)"});
  aborted.status = sql::LogStatus::Aborted;
  auto again = transaction_of(3, {"CREATE TABLE n (k INT)"});
  EXPECT_TRUE(moved_of({aborted, again}).empty()) << "it names n";
}

TEST(AuditDefinitions, IdsOfALogAreMetOnce) {
  logs::SeenIds ids;
  for (const char* id : {"1-2", "1-3", "1-1", "2-1", "a", "", "01", "1", "1-9",
                         "99999999999999999999"})
    EXPECT_TRUE(ids.add(id)) << id;
  for (const char* id : {"1-2", "1-3", "1-1", "2-1", "a", "", "01", "1", "1-9",
                         "99999999999999999999"})
    EXPECT_FALSE(ids.add(id)) << id;
  EXPECT_TRUE(ids.add("1-4"));
  EXPECT_TRUE(ids.add("1-8"));
  EXPECT_FALSE(ids.add("1-4"));
  EXPECT_FALSE(ids.add("1-9"));
  EXPECT_TRUE(ids.add("1-5"));
}

TEST(AuditDefinitions, CopyIsReadAsItsOptionsSay) {
  const auto command = sql::copy_command(
      "COPY public.\"T\" (a, b) FROM STDIN WITH (FORMAT csv, HEADER, NULL "
      "'-')");
  ASSERT_TRUE(command);
  const auto rows =
      sql::copied_rows("a,b\n1,\"x, y\"\n-,it's\n", command->format);
  const auto inserts = sql::inserts_of(*command, rows);
  ASSERT_EQ(inserts.size(), 1u);
  EXPECT_EQ(inserts[0].sql,
            "INSERT INTO public.\"T\" (a, b) VALUES (1, 'x, y'), (NULL, "
            "'it''s')");
  EXPECT_EQ(inserts[0].rows, 2u);
  EXPECT_FALSE(sql::copy_command("COPY t FROM STDIN WHERE k > 1"));
  EXPECT_FALSE(sql::copy_command("COPY t FROM STDIN (FORMAT binary)"));
  EXPECT_FALSE(sql::copy_command("COPY t FROM '/etc/passwd'"));
  EXPECT_FALSE(sql::copy_command("SELECT 1"));
}

}  // namespace
