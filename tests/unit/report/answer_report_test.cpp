// What reports say of violations of SQL applications.

#include "report/answer_report.h"

#include <gtest/gtest.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "engine/search/explore_profile.h"
#include "read/sql/sql.h"

namespace txscope {
namespace {

/// An application explored at one level of an engine, and its report.
struct Reported {
  sql::Application application;
  std::vector<Answer> results;
  Workload workload;
  report::AnswerReport report;

  [[nodiscard]] std::string text() const { return report::answer_text(report); }
};

std::unique_ptr<Reported> reported(const std::string& text,
                                   const std::string& level) {
  auto out = std::make_unique<Reported>();
  auto application = sql::read_sql("a.sql", text);
  EXPECT_TRUE(application) << application.error().what;
  out->application = std::move(*application);
  const auto profile = parse_profile(level);
  EXPECT_TRUE(profile);
  auto result = engine::explore_profile(out->application, **profile, {},
                                        Budget::unlimited());
  EXPECT_TRUE(result);
  out->results.push_back(std::move(*result));
  out->report.input = "a.sql";
  out->report.application = &out->application;
  out->workload = sql::workload_of(out->application);
  out->report.workload = &out->workload;
  out->report.answers = &out->results;
  return out;
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

constexpr char kSwap[] =
    "CREATE TABLE t (id int PRIMARY KEY, n int);\n"
    "INSERT INTO t VALUES (1, 0), (2, 0);\n"
    "CREATE PROCEDURE swap(a int, b int) LANGUAGE plpgsql AS $$\n"
    "BEGIN\n"
    "  UPDATE t SET n = n + 1 WHERE id = a;\n"
    "  UPDATE t SET n = n + 10 WHERE id = b;\n"
    "END;\n$$;\n"
    "--@ session s: CALL swap(1, 2);\n"
    "--@ session u: CALL swap(2, 1);\n";

// Only a deadlock makes one of the two not happen.
TEST(AnswerReport, ShowsWaitsAndADeadlock) {
  const std::string text =
      reported(std::string(kSwap) +
                   "--@ invariant both: (SELECT sum(n) FROM t) = 22\n",
               "postgresql:read-committed")
          ->text();
  EXPECT_TRUE(has(text, "is VIOLATED")) << text;
  EXPECT_TRUE(has(text, "waits for")) << text;
  EXPECT_TRUE(has(text, "ERROR 40P01")) << text;
  EXPECT_TRUE(has(text, "ROLLBACK")) << text;
  EXPECT_TRUE(has(text, "UPDATE t SET n = n + 1 WHERE id = 2")) << text;
  EXPECT_TRUE(has(text, "No serial order produces this")) << text;
}

TEST(AnswerReport, SaysWhenNoLevelHelps) {
  const std::string text =
      reported(std::string(kSwap) +
                   "--@ invariant never: (SELECT sum(n) FROM t) = 0\n",
               "postgresql:serializable")
          ->text();
  EXPECT_TRUE(has(text, "1 transaction of 2 is enough")) << text;
  EXPECT_TRUE(has(text, "no level prevents that")) << text;
}

TEST(AnswerReport, SaysThatAnInvariantIsNull) {
  const auto r = reported(
      "CREATE TABLE t (id int PRIMARY KEY);\nINSERT INTO t VALUES (1);\n"
      "--@ session s: BEGIN; DELETE FROM t; COMMIT;\n"
      "--@ invariant some: (SELECT max(id) FROM t) > 0\n",
      "postgresql:serializable");
  EXPECT_TRUE(
      has(r->text(), "Line 4, (SELECT max(id) FROM t) > 0, is NULL: NULL > 0."))
      << r->text();
  EXPECT_TRUE(has(r->text(), "t no rows")) << r->text();
  EXPECT_EQ(report::answer_json(r->report)[0]["violation"]["value"], "NULL");
}

TEST(AnswerReport, SaysThatALevelComesFromDocumentation) {
  const std::string text = reported(kSwap, "oracle:read-committed")->text();
  EXPECT_TRUE(has(text, "oracle is from documentation, not observed on a "))
      << text;
}

TEST(AnswerReport, SaysWhatAProductDoesNotKnow) {
  const std::string text =
      "CREATE TABLE t (id int PRIMARY KEY);\n"
      "CREATE PROCEDURE p() LANGUAGE plpgsql AS $$\nBEGIN\n  IF true THEN\n"
      "    INSERT INTO t VALUES (1) ON CONFLICT DO NOTHING;\n  END IF;\n"
      "END;\n$$;\n--@ session s: CALL p();\n";
  EXPECT_TRUE(has(reported(text, "mariadb:read-committed")->text(),
                  "mariadb does not know ON CONFLICT (line 5)"));
  EXPECT_FALSE(has(reported(text, "postgresql:read-committed")->text(),
                   "does not know"));
}

TEST(AnswerReport, ShowsTheVariablesOfAnAssertion) {
  const auto r = reported(
      "CREATE TABLE t (id int PRIMARY KEY, n int);\n"
      "INSERT INTO t VALUES (1, 7);\n"
      "CREATE PROCEDURE look() LANGUAGE plpgsql AS $$\n"
      "DECLARE v int;\nBEGIN SELECT n INTO v FROM t WHERE id = 1; END; $$;\n"
      "--@ session s: CALL look();\n"
      "--@ assert small: s.look.v < 5\n",
      "postgresql:read-committed");
  EXPECT_TRUE(has(r->text(), "s.look.v = 7")) << r->text();
}

TEST(AnswerReport, QuotesTextForGraphviz) {
  const auto r = reported(
      "CREATE TABLE t (id int PRIMARY KEY, s text);\n"
      "--@ session s: BEGIN; INSERT INTO t VALUES (1, 'a\"b\\c'); COMMIT;\n"
      "--@ invariant none: (SELECT count(*) FROM t) = 0\n",
      "postgresql:read-committed");
  const std::string dot = report::answer_dot(r->report);
  EXPECT_TRUE(has(dot, "a\\\"b\\\\c")) << dot;
}

}  // namespace
}  // namespace txscope
