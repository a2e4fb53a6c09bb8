// What a join, a group or a greatest value shows of a table is of some version
// of some row: what nobody ever wrote is refuted in logs of any length.

#include <gtest/gtest.h>

#include <string>

#include "support/audit_log.h"

namespace {

using namespace txscope;

/// So many tweets by authors 1 to 3, each by a session of its own, and a
/// reader.
std::string tweets(int count, const std::string& reads) {
  std::string log =
      R"x({"txscope":"log","version":1,"dialect":"postgresql","setup":[)x"
      R"x("CREATE TABLE tweets (id INT PRIMARY KEY, author INT NOT NULL, )x"
      R"x(body TEXT NOT NULL, likes INT NOT NULL)",)x"
      R"x("CREATE TABLE follows (follower INT, followed INT, )x"
      R"x(PRIMARY KEY (follower, followed))",)x"
      R"x("INSERT INTO follows VALUES (7,1),(7,2)"]})x"
      "\n";
  for (int i = 1; i <= count; ++i) {
    const std::string n = std::to_string(i);
    log += R"x({"session":"s)x" + n + R"x(","id":"w)x" + n +
           R"x(","status":"committed","statements":[{"sql":)x"
           R"x("INSERT INTO tweets VALUES ($1,$2,$3,0)","params":[)x" +
           n + "," + std::to_string(i % 3 + 1) + R"x(,"text )x" + n +
           R"x("],"count":1},{"sql":"UPDATE tweets SET likes = likes + 2 )x"
           R"x(WHERE id = $1","params":[)x" +
           n + R"x(],"count":1}]})x" + "\n";
  }
  return log +
         R"x({"session":"r","id":"r","status":"committed",)x"
         R"x("statements":[)x" +
         reads + "]}\n";
}

std::string query(const std::string& sql, const std::string& rows) {
  return R"x({"sql":")x" + sql + R"x(","rows":)x" + rows + "}";
}

constexpr const char* kJoinLevels[] = {
    "read-committed", "postgresql:read-committed", "snapshot-isolation",
    "serializable", "mariadb:repeatable-read"};

/// With as many orders as forty transactions of forty sessions have.
std::string join_verdict(const std::string& reads, const std::string& level) {
  audit::AuditOptions options;
  options.search_steps = 20'000;
  const auto report = test::audit_text_log(tweets(40, reads), level, options);
  if (!report) return report.error().what;
  return test::verdict_of(report->results[0].found);
}

const std::string kTimeline =
    "SELECT t.id, t.author, t.body FROM follows f JOIN tweets t ON t.author = "
    "f.followed WHERE f.follower = 7 ORDER BY t.id DESC LIMIT 1";

TEST(AuditJoinedRows, ARowOfAJoinIsARowOfItsTable) {
  for (const char* level : kJoinLevels) {
    EXPECT_EQ(join_verdict(query(kTimeline, R"x([[40,2,"text 40"]])x"), level),
              "holds")
        << level;
    // Tweet 39 is by author 1, and its text is another.
    EXPECT_EQ(join_verdict(query(kTimeline, R"x([[39,2,"text 39"]])x"), level),
              "violated")
        << level;
    EXPECT_EQ(join_verdict(query(kTimeline, R"x([[39,1,"text 40"]])x"), level),
              "violated")
        << level;
    EXPECT_EQ(join_verdict(query(kTimeline, R"x([[41,1,"text 40"]])x"), level),
              "violated")
        << level;
  }
}

TEST(AuditJoinedRows, WhatIsShownWithoutAKeyWasSomebodys) {
  const std::string authors = "SELECT DISTINCT author FROM tweets";
  const std::string groups =
      "SELECT author, max(likes) FROM tweets GROUP BY author";
  const std::string joined =
      "SELECT t.body FROM follows f JOIN tweets t ON t.author = f.followed "
      "WHERE f.follower = 7 ORDER BY t.id DESC LIMIT 1";
  for (const char* level : kJoinLevels) {
    EXPECT_EQ(join_verdict(query(authors, "[[1],[2],[3]]"), level), "holds");
    EXPECT_EQ(join_verdict(query(authors, "[[1],[2],[99]]"), level),
              "violated");
    EXPECT_EQ(join_verdict(query(groups, "[[1,2],[2,2],[3,2]]"), level),
              "holds");
    EXPECT_EQ(join_verdict(query(groups, "[[1,2],[2,1],[3,2]]"), level),
              "violated");
    EXPECT_EQ(join_verdict(query(joined, R"x([["text 40"]])x"), level),
              "holds");
    EXPECT_EQ(join_verdict(query(joined, R"x([["text 41"]])x"), level),
              "violated");
  }
}

// A row that an outer join does not find has NULLs, which nobody wrote.
TEST(AuditJoinedRows, AnOuterJoinMayFindNothing) {
  const auto verdict = [](const std::string& rows, const std::string& level) {
    return join_verdict(
        query("SELECT f.followed, t.id, t.author FROM follows f LEFT JOIN "
              "tweets t ON t.author = f.followed AND t.id = 3 WHERE f.follower "
              "= 7 ORDER BY f.followed",
              rows),
        level);
  };
  for (const char* level : kJoinLevels) {
    EXPECT_EQ(verdict("[[1,3,1],[2,null,null]]", level), "holds") << level;
    EXPECT_EQ(verdict("[[1,3,2],[2,null,null]]", level), "violated") << level;
  }
}

}  // namespace
