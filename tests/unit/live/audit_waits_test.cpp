// After a write of its own a transaction at READ COMMITTED sees everybody on
// whom that write depended: PostgreSQL does so, and a log that says otherwise
// is refuted.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/audit_log.h"
#include "support/live_server.h"

namespace {

using namespace txscope;

const std::vector<std::string> kSetup = {
    "CREATE TABLE p (k INT PRIMARY KEY, v INT)",
    "CREATE TABLE c (k INT PRIMARY KEY, p INT REFERENCES p)",
    "CREATE TABLE mark (k INT PRIMARY KEY, v INT)",
    "INSERT INTO p VALUES (1, 0), (2, 0)",
    "INSERT INTO c VALUES (1, 1)",
    "INSERT INTO mark VALUES (1, 0)"};

/// A statement and what was answered, as a log has it.
std::string told(const std::string& sql, const db::Answer& answer) {
  std::string text = R"x({"sql":")x" + sql + R"x(",)x";
  if (!answer.is_ok())
    return text + R"x("error":{"sqlstate":")x" + answer.sqlstate +
           R"x(","message":""}})x";
  if (sql.rfind("SELECT", 0) != 0)
    return text + R"x("count":)x" + std::to_string(answer.count) + "}";
  text += R"x("rows":[)x";
  for (std::size_t r = 0; r < answer.rows.size(); ++r) {
    text += r == 0 ? "[" : ",[";
    for (std::size_t c = 0; c < answer.rows[r].size(); ++c)
      text += (c == 0 ? "" : ",") + answer.rows[r][c].value_or("null");
    text += "]";
  }
  return text + "]}";
}

std::string transaction(const std::string& id, const std::string& statements) {
  return R"x({"session":")x" + id + R"x(","id":")x" + id +
         R"x(","status":"committed","statements":[)x" + statements + "]}\n";
}

struct Dependence {
  const char* what;
  std::string other;  ///< what the other transaction does, and commits
  std::string own;    ///< what is done after that
};

TEST(LiveAudit, AfterAWriteATransactionSeesWhomItDependedOn) {
  test::LiveServer& live = test::live_postgresql();
  if (!live.server) GTEST_SKIP() << live.why;
  const std::vector<Dependence> all = {
      {"a key that was deleted", "DELETE FROM p WHERE k = 2",
       "INSERT INTO p VALUES (2, 9)"},
      {"a key that was moved away", "UPDATE p SET k = 3 WHERE k = 2",
       "INSERT INTO p VALUES (2, 9)"},
      {"a key that was taken", "INSERT INTO p VALUES (4, 0)",
       "INSERT INTO p VALUES (4, 9) ON CONFLICT DO NOTHING"},
      {"a parent that came", "INSERT INTO p VALUES (5, 0)",
       "INSERT INTO c VALUES (5, 5)"},
      {"a child that went", "DELETE FROM c WHERE k = 1",
       "DELETE FROM p WHERE k = 1"},
      {"a row that was updated", "UPDATE p SET v = 1 WHERE k = 2",
       "UPDATE p SET v = v + 1 WHERE k = 2 AND v = 1"}};
  std::string header =
      R"x({"txscope":"log","version":1,"dialect":"postgresql","setup":[)x";
  for (std::size_t i = 0; i < kSetup.size(); ++i)
    header += (i == 0 ? "\"" : ",\"") + kSetup[i] + "\"";
  header += "]}\n";
  for (const Dependence& one : all) {
    SCOPED_TRACE(one.what);
    auto first = live.connect();
    auto second = live.connect();
    ASSERT_TRUE(first->execute("DROP TABLE IF EXISTS c, p, mark").is_ok());
    for (const std::string& sql : kSetup)
      ASSERT_TRUE(first->execute(sql).is_ok()) << sql;
    const std::string look = "SELECT v FROM mark WHERE k = 1";
    const std::string set = "UPDATE mark SET v = 1 WHERE k = 1";
    first->execute("BEGIN ISOLATION LEVEL READ COMMITTED");
    std::string mine = told(look, first->execute(look)) + ",";
    second->execute("BEGIN ISOLATION LEVEL READ COMMITTED");
    std::string others = told(one.other, second->execute(one.other)) + ",";
    others += told(set, second->execute(set));
    ASSERT_TRUE(second->execute("COMMIT").is_ok());
    const auto wrote = first->execute(one.own);
    ASSERT_TRUE(wrote.is_ok()) << wrote.message;
    mine += told(one.own, wrote) + ",";
    const std::string right = told(look, first->execute(look));
    ASSERT_TRUE(first->execute("COMMIT").is_ok());
    EXPECT_NE(right.find("[[1]]"), std::string::npos) << right;
    const auto verdict = [&](const std::string& seen) {
      audit::AuditOptions options;
      options.certify = true;
      const auto report = test::audit_text_log(
          header + transaction("a", mine + seen) + transaction("b", others),
          "postgresql:read-committed", options);
      return report ? test::verdict_of(report->results[0].found)
                    : report.error().what;
    };
    EXPECT_EQ(verdict(right), "holds");
    // The mark as it was before the other one.
    std::string wrong = right;
    wrong.replace(wrong.find("[[1]]"), 5, "[[0]]");
    EXPECT_EQ(verdict(wrong), "violated");
    first->execute("DROP TABLE c, p, mark");
  }
}

}  // namespace
