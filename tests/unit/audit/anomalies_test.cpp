// The anomalies that papers name, each as a small log with the levels that
// explain it; and an example of paper 003, section 2, with its variants.

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "support/audit_log.h"

namespace {

using namespace txscope;

/// "r1=0" reads row 1 as 0, "w1=5" sets it, "+1" adds one to row 1 unseen,
/// "all=0,0" reads both, "n=2" counts, "i3" inserts row 3.
std::string statement(const std::string& s) {
  const std::string v = s.find('=') == s.npos ? "" : s.substr(s.find('=') + 1);
  const auto query = [](const std::string& sql, const std::string& rows) {
    return R"x({"sql":")x" + sql + R"x(","rows":[)x" + rows + "]}";
  };
  const auto change = [](const std::string& sql) {
    return R"x({"sql":")x" + sql + R"x(","count":1})x";
  };
  if (s[0] == 'r')
    return query("SELECT v FROM t WHERE k = " + s.substr(1, 1), "[" + v + "]");
  if (s[0] == 'w')
    return change("UPDATE t SET v = " + v + " WHERE k = " + s.substr(1, 1));
  if (s[0] == '+')
    return change("UPDATE t SET v = v + 1 WHERE k = " + s.substr(1, 1));
  if (s[0] == 'n') return query("SELECT count(*) FROM t", "[" + v + "]");
  if (s[0] == 'i')
    return change("INSERT INTO t VALUES (" + s.substr(1) + ", 0)");
  const std::size_t comma = v.find(',');
  return query("SELECT v FROM t ORDER BY k",
               "[" + v.substr(0, comma) + "],[" + v.substr(comma + 1) + "]");
}

struct SmallTransaction {
  std::vector<std::string> statements;
  bool is_aborted = false;
};

/// Each in a session of its own; all overlap.
std::string log_of(const std::vector<SmallTransaction>& all) {
  std::string text =
      R"x({"txscope":"log","version":1,"dialect":"postgresql","setup":[)x"
      R"x("CREATE TABLE t (k INT PRIMARY KEY, v INT)",)x"
      R"x("INSERT INTO t VALUES (1,0),(2,0)"]})x"
      "\n";
  for (std::size_t i = 0; i < all.size(); ++i) {
    text += R"x({"session":)x" + std::to_string(i) + R"x(,"id":"t)x" +
            std::to_string(i) + R"x(","status":")x" +
            (all[i].is_aborted ? "aborted" : "committed") +
            R"x(","start":0,"end":9,"statements":[)x";
    for (std::size_t k = 0; k < all[i].statements.size(); ++k)
      text += (k == 0 ? "" : ",") + statement(all[i].statements[k]);
    text += "]}\n";
  }
  return text;
}

constexpr std::array<const char*, 4> kAnomalyLevels = {
    "serializable", "snapshot-isolation", "postgresql:read-committed",
    "read-committed"};

/// One letter per level: h holds, v violated.
std::string verdicts(const std::string& log) {
  std::string letters;
  for (const char* level : kAnomalyLevels) {
    const auto report = test::audit_text_log(log, level);
    EXPECT_TRUE(report);
    if (report) letters += test::verdict_of(report->results[0].found)[0];
  }
  return letters;
}

TEST(AuditAnomalies, NoLevelExplainsWhatWasNeverCommitted) {
  // Of an aborted transaction; of one that was there twice; of nobody; of the
  // middle of a transaction; of each other.
  EXPECT_EQ(verdicts(log_of({{{"w1=1"}, true}, {{"+1", "r1=2"}}})), "vvvv")
      << "dirty update";
  EXPECT_EQ(verdicts(log_of({{{"+1"}}, {{"r1=2"}}})), "vvvv")
      << "duplicate write";
  EXPECT_EQ(verdicts(log_of({{{"w1=1"}, true}, {{"r1=1"}}})), "vvvv")
      << "aborted read";
  EXPECT_EQ(verdicts(log_of({{{"w1=1"}}, {{"r1=7"}}})), "vvvv")
      << "garbage read";
  EXPECT_EQ(verdicts(log_of({{{"w1=1", "w1=2"}}, {{"r1=1"}}})), "vvvv")
      << "intermediate read";
  EXPECT_EQ(verdicts(log_of({{{"w1=1", "r2=2"}}, {{"w2=2", "r1=1"}}})), "vvvv")
      << "circular information flow";
}

// Read committed of logs lets a statement see any version of each row, so that
// writes in two orders are seen in one query and explained all the same; with
// states per statement they are not.
TEST(AuditAnomalies, ADirtyWriteIsSeenWhereStatementsSeeStates) {
  EXPECT_EQ(
      verdicts(log_of({{{"w1=1", "w2=1"}}, {{"w1=2", "w2=2"}}, {{"all=1,2"}}})),
      "vvvh");
}

TEST(AuditAnomalies, ReadCommittedExplainsWhatChangesBetweenStatements) {
  EXPECT_EQ(verdicts(log_of({{{"i3"}}, {{"n=2", "n=3"}}})), "vvhh")
      << "phantom read";
  EXPECT_EQ(verdicts(log_of({{{"r1=0", "w1=1"}}, {{"r1=0", "w1=2"}}})), "vvhh")
      << "lost update";
  EXPECT_EQ(verdicts(log_of({{{"w1=1", "w2=1"}}, {{"r1=0", "r2=1"}}})), "vvhh")
      << "read skew";
  EXPECT_EQ(verdicts(log_of({{{"w1=1"}}, {{"r1=0", "r1=1"}}})), "vvhh")
      << "internal inconsistency";
}

TEST(AuditAnomalies, SnapshotsExplainWriteSkew) {
  EXPECT_EQ(verdicts(log_of(
                {{{"r1=0", "r2=0", "w1=1"}}, {{"r1=0", "r2=0", "w2=1"}}})),
            "vhhh");
}

// Bob's account receives 10 of Ann and 100 of somebody; who looks afterwards
// sees both, at strict levels, or less.  The snapshot of a third that began in
// time may be later than its start.
TEST(AuditAnomalies, AnAccountThatTwoPayInto) {
  const auto log = [](const std::string& start, const std::string& seen) {
    return std::string(
               R"x({"txscope":"log","version":1,"dialect":"postgresql",)x"
               R"x("setup":["CREATE TABLE a (id INT PRIMARY KEY, b INT)",)x"
               R"x("INSERT INTO a VALUES (1,100),(2,300)"]})x"
               "\n"
               R"x({"session":1,"id":"pay","status":"committed","start":0,)x"
               R"x("end":10,"statements":[{"sql":"UPDATE a SET b = b + 10 )x"
               R"x(WHERE id = 2"},{"sql":"UPDATE a SET b = b - 10 WHERE )x"
               R"x(id = 1"}]})x"
               "\n"
               R"x({"session":2,"id":"add","status":"committed","start":20,)x"
               R"x("end":30,"statements":[{"sql":"UPDATE a SET b = b + 100 )x"
               R"x(WHERE id = 2"}]})x"
               "\n"
               R"x({"session":3,"id":"look","status":"committed","start":)x") +
           start +
           R"x(,"end":60,"statements":[{"sql":"SELECT b FROM a WHERE id = 2",)x"
           R"x("rows":[[)x" +
           seen + "]]}]}\n";
  };
  const auto verdict = [](const std::string& text, const std::string& level) {
    const auto report = test::audit_text_log(text, level);
    return report ? test::verdict_of(report->results[0].found)
                  : report.error().what;
  };
  for (const std::string level :
       {"strict-snapshot-isolation", "strict-serializable"}) {
    EXPECT_EQ(verdict(log("50", "410"), level), "holds");
    EXPECT_EQ(verdict(log("50", "310"), level), "violated");
    // It began before the second had ended: its snapshot may have that or not.
    EXPECT_EQ(verdict(log("25", "310"), level), "holds");
    EXPECT_EQ(verdict(log("25", "410"), level), "holds");
    EXPECT_EQ(verdict(log("25", "300"), level), "violated");
  }
  EXPECT_EQ(verdict(log("50", "310"), "snapshot-isolation"), "holds");
}

}  // namespace
