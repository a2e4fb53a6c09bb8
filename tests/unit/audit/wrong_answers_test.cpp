// Queries that testers of databases have found answered wrongly, as MariaDB
// answers them now, and with the answers that were wrong.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "db/session.h"
#include "support/audit_log.h"
#include "support/live_server.h"

namespace {

using namespace txscope;
using Json = nlohmann::json;

struct Query {
  std::vector<std::string> setup;
  std::string sql;
  Json right;
  Json wrong;
};

const std::vector<Query>& queries() {
  static const std::vector<Query> all = {
      {{"CREATE TABLE t0 (c0 INT UNIQUE)", "INSERT INTO t0 VALUES (NULL)"},
       "SELECT (NULL) IN (SELECT t0.c0 FROM t0 WHERE ((t0.c0) OR TRUE) IS "
       "NULL)",
       {{0}},
       {{nullptr}}},
      {{"CREATE TABLE t0 (c0 INT)", "INSERT INTO t0 VALUES (1)"},
       "SELECT * FROM t0 WHERE IF(FALSE, t0.c0, 0.1)",
       {{1}},
       Json::array()},
      {{"CREATE TABLE t0 (c0 TEXT)", "INSERT INTO t0 VALUES ('0.9')"},
       "SELECT * FROM t0 WHERE t0.c0",
       {{"0.9"}},
       Json::array()},
      {{"CREATE TABLE t0 (c0 TEXT)", "INSERT INTO t0 VALUES ('0.5')"},
       "SELECT * FROM t0 WHERE t0.c0 AND 1",
       {{"0.5"}},
       Json::array()},
      {{"CREATE TABLE t0 (c0 TEXT)", "INSERT INTO t0 VALUES ('0.5')"},
       "SELECT * FROM t0 WHERE t0.c0 XOR 0",
       {{"0.5"}},
       Json::array()},
      {{"CREATE TABLE t0 (c0 INT)"}, "SELECT '\\n1' & 1", {{1}}, {{0}}},
      {{"CREATE TABLE t0 (c0 INT)"}, "SELECT '\\n1' | 0", {{1}}, {{0}}},
      {{"CREATE TABLE t0 (c0 INT)"}, "SELECT '\\n1' ^ 1", {{0}}, {{1}}},
      {{"CREATE TABLE t0 (c0 BOOL)", "INSERT INTO t0 VALUES (0)"},
       "SELECT * FROM t0 WHERE 1 AND 0.4",
       {{0}},
       Json::array()},
      {{"CREATE TABLE t0 (c0 FLOAT)", "CREATE TABLE t1 (c0 FLOAT)",
        "INSERT INTO t0 VALUES (0)", "INSERT INTO t1 VALUES (0)"},
       "SELECT t1.c0 FROM t1, t0 WHERE t0.c0 = -t1.c0",
       {{0}},
       Json::array()},
      {{"CREATE TABLE t0 (t0 INT UNIQUE)", "CREATE TABLE t1 (c0 FLOAT)",
        "INSERT INTO t0 VALUES (NULL), (NULL)", "INSERT INTO t1 VALUES (0)"},
       "SELECT t1.c0 FROM t1 LEFT JOIN t0 ON 1",
       {{0}, {0}},
       {{0}}},
  };
  return all;
}

/// What MariaDB 10.11 still answers wrongly.
const std::vector<Query>& still_wrong() {
  static const std::vector<Query> all = {
      {{"CREATE TABLE t0 (c0 BIGINT UNSIGNED)", "INSERT INTO t0 VALUES (NULL)"},
       "SELECT * FROM t0 WHERE CAST(IFNULL(t0.c0, -1) AS UNSIGNED)",
       {{nullptr}},
       Json::array()},
      {{"CREATE TABLE t0 (c0 BIGINT UNSIGNED)", "INSERT INTO t0 VALUES (NULL)"},
       "SELECT * FROM t0 WHERE CAST(COALESCE(t0.c0, -1) AS UNSIGNED)",
       {{nullptr}},
       Json::array()},
      {{"CREATE TABLE t0 (c0 INT)", "INSERT INTO t0 VALUES (2)"},
       "SELECT t0.c0 FROM t0 WHERE (NOT NOT t0.c0) = t0.c0",
       Json::array(),
       {{2}}},
  };
  return all;
}

std::string verdict_of(const Query& query, const Json& rows) {
  const Json header = {{"txscope", "log"},
                       {"version", 1},
                       {"dialect", "mariadb"},
                       {"setup", query.setup}};
  const Json transaction = {
      {"id", "1-1"},
      {"status", "committed"},
      {"statements", {{{"sql", query.sql}, {"rows", rows}}}}};
  const auto report = test::audit_text_log(
      header.dump() + "\n" + transaction.dump() + "\n", "serializable");
  return report ? test::verdict_of(report->results[0].found)
                : report.error().what;
}

TEST(AuditWrongAnswers, RightOnesAreExplainedAndWrongOnesAreNot) {
  for (const auto* list : {&queries(), &still_wrong()})
    for (const Query& query : *list) {
      EXPECT_EQ(verdict_of(query, query.right), "holds") << query.sql;
      EXPECT_EQ(verdict_of(query, query.wrong), "violated") << query.sql;
    }
}

// An error that a query cannot have is as wrong as rows; the rows are those
// that MySQL's coercions had left.
TEST(AuditWrongAnswers, AnErrorThatCannotBeIsNotExplained) {
  const Json header = {
      {"txscope", "log"},
      {"version", 1},
      {"dialect", "mariadb"},
      {"setup",
       {"CREATE TABLE t0 (c0 INT UNIQUE, c1 INT, c2 INT, c3 INT UNIQUE)",
        "INSERT INTO t0 VALUES (NULL, NULL, NULL, NULL), "
        "(NULL, NULL, NULL, 1), (2, 1, NULL, 3), (0, 1, NULL, 0)"}}};
  Json statement = {
      {"sql", "SELECT (NULL) IN (SELECT t0.c3 FROM t0 WHERE t0.c0)"}};
  const auto verdict = [&] {
    const Json transaction = {
        {"id", "1-1"}, {"status", "committed"}, {"statements", {statement}}};
    const auto report = test::audit_text_log(
        header.dump() + "\n" + transaction.dump() + "\n", "serializable");
    return report ? test::verdict_of(report->results[0].found)
                  : report.error().what;
  };
  // NULL is in {3}, or not: nobody knows.
  statement["rows"] = {{nullptr}};
  EXPECT_EQ(verdict(), "holds");
  statement["rows"] = {{0}};
  EXPECT_EQ(verdict(), "violated");
  statement.erase("rows");
  statement["error"] = {{"sqlstate", "HY000"},
                        {"code", 1032},
                        {"message", "Can't find record in 't0'"}};
  EXPECT_EQ(verdict(), "violated");
}

/// The answer of the server there is.
Json live_answer(const Query& query) {
  const auto session = test::live_mariadb().connect();
  session->execute("CREATE DATABASE IF NOT EXISTS wrong_answers");
  session->execute("USE wrong_answers");
  session->execute("SET sql_mode = ''");
  session->execute("DROP TABLE IF EXISTS t0, t1");
  for (const std::string& sql : query.setup)
    EXPECT_TRUE(session->execute(sql).is_ok()) << sql;
  const db::Answer answer = session->execute(query.sql);
  EXPECT_TRUE(answer.is_ok()) << query.sql << ": " << answer.message;
  Json rows = Json::array();
  for (const auto& row : answer.rows) {
    Json cells = Json::array();
    for (const db::Cell& cell : row)
      cells.push_back(cell ? Json(*cell) : Json());
    rows.push_back(std::move(cells));
  }
  session->execute("DROP DATABASE wrong_answers");
  return rows;
}

TEST(AuditWrongAnswers, WhatMariadbAnswersNowIsJudgedSo) {
  if (!test::live_mariadb().server) GTEST_SKIP() << test::live_mariadb().why;
  for (const Query& query : queries())
    EXPECT_EQ(verdict_of(query, live_answer(query)), "holds") << query.sql;
  // A server that answers these rightly is a newer one.
  for (const Query& query : still_wrong()) {
    const Json answer = live_answer(query);
    const bool is_wrong = answer.size() != query.right.size();
    EXPECT_EQ(verdict_of(query, answer), is_wrong ? "violated" : "holds")
        << query.sql << " gives " << answer;
    if (!is_wrong) continue;
    EXPECT_EQ(answer.size(), query.wrong.size()) << query.sql;
  }
}

}  // namespace
