// Statements of MariaDB's logs that PostgreSQL's words cannot say.

#include <gtest/gtest.h>

#include <string>

#include "support/audit_log.h"

namespace {

using namespace txscope;

/// One transaction does it, another one sees what is left.
std::string verdict_of_words(const std::string& statement,
                             const std::string& count, const std::string& rows,
                             const std::string& level) {
  const std::string text =
      R"x({"txscope":"log","version":1,"dialect":"mariadb","setup":[)x"
      R"x("CREATE TABLE item (id INT PRIMARY KEY, name VARCHAR(20) NOT NULL, )x"
      R"x(qty INT NOT NULL, UNIQUE (name))",)x"
      R"x("CREATE TABLE log (id INT PRIMARY KEY, item INT, d INT)",)x"
      R"x("INSERT INTO item VALUES (1,'a',10),(2,'b',20),(3,'c',30)",)x"
      R"x("INSERT INTO log VALUES (1,1,5),(2,3,7)"]})x"
      "\n"
      R"x({"session":1,"id":"does","status":"committed","statements":[)x"
      R"x({"sql":")x" +
      statement + "\"" + (count.empty() ? "" : ",\"count\":" + count) +
      R"x(,"opaque":"own words"}]})x"
      "\n"
      R"x({"session":1,"id":"sees","status":"committed","statements":[)x"
      R"x({"sql":"SELECT id, name, qty FROM item ORDER BY id","rows":)x" +
      rows + "}]}\n";
  audit::AuditOptions options;
  options.certify = true;
  const auto report = test::audit_text_log(text, level, options);
  if (!report) return report.error().what;
  return test::verdict_of(report->results[0].found);
}

struct Words {
  const char* statement;
  const char* count;
  const char* rows;   ///< that it leaves on MariaDB 10.11
  const char* wrong;  ///< and never does
};

// The answers are those of a MariaDB 10.11.
constexpr Words kWords[] = {
    {"UPDATE `item` SET qty = qty + 1 ORDER BY id DESC LIMIT 2", "2",
     "[[1,\"a\",10],[2,\"b\",21],[3,\"c\",31]]",
     "[[1,\"a\",11],[2,\"b\",21],[3,\"c\",30]]"},
    {"DELETE FROM item ORDER BY qty, id LIMIT 1", "1",
     "[[2,\"b\",20],[3,\"c\",30]]", "[[1,\"a\",10],[2,\"b\",20]]"},
    {"INSERT IGNORE INTO item VALUES (4,'b',1),(5,'e',2)", "1",
     "[[1,\"a\",10],[2,\"b\",20],[3,\"c\",30],[5,\"e\",2]]",
     "[[1,\"a\",10],[2,\"b\",20],[3,\"c\",30],[4,\"b\",1],[5,\"e\",2]]"},
    {"INSERT INTO item VALUES (9,'a',5) ON DUPLICATE KEY UPDATE qty = qty + "
     "VALUES(qty)",
     "2", "[[1,\"a\",15],[2,\"b\",20],[3,\"c\",30]]",
     "[[1,\"a\",5],[2,\"b\",20],[3,\"c\",30]]"},
    {"REPLACE INTO item (id, name, qty) VALUES (2, 'a', 99)", "3",
     "[[2,\"a\",99],[3,\"c\",30]]", "[[1,\"a\",10],[2,\"a\",99],[3,\"c\",30]]"},
    {"UPDATE item JOIN log ON log.item = item.id SET item.qty = item.qty + "
     "log.d",
     "2", "[[1,\"a\",15],[2,\"b\",20],[3,\"c\",37]]",
     "[[1,\"a\",15],[2,\"b\",20],[3,\"c\",30]]"},
    {"DELETE item FROM item JOIN log ON log.item = item.id WHERE log.d > 5",
     "1", "[[1,\"a\",10],[2,\"b\",20]]", "[[2,\"b\",20],[3,\"c\",30]]"},
};

TEST(AuditOwnWords, WhatMariadbAnsweredIsExplained) {
  for (const Words& words : kWords)
    for (const char* level :
         {"serializable", "mariadb:repeatable-read", "mariadb:read-committed",
          "mariadb:repeatable-read+snapshot", "read-committed"})
      EXPECT_EQ(
          verdict_of_words(words.statement, words.count, words.rows, level),
          "holds")
          << words.statement << " at " << level;
}

TEST(AuditOwnWords, OtherRowsAndCountsAreRefuted) {
  for (const Words& words : kWords)
    for (const char* level : {"serializable", "mariadb:repeatable-read"}) {
      EXPECT_EQ(
          verdict_of_words(words.statement, words.count, words.wrong, level),
          "violated")
          << words.statement << " at " << level;
      EXPECT_EQ(verdict_of_words(words.statement, "7", words.rows, level),
                "violated")
          << words.statement << " at " << level;
    }
}

// A server takes any of equal rows first.
TEST(AuditOwnWords, ALimitNeedsAnOrder) {
  for (const char* statement : {"DELETE FROM item LIMIT 1",
                                "UPDATE item SET qty = 0 ORDER BY name "
                                "LIMIT 1"})
    EXPECT_EQ(verdict_of_words(statement, "1", "[]", "serializable"),
              "undecided")
        << statement;
}

// As before a recorder knew such words: it may have done anything.
TEST(AuditOwnWords, WhatCannotBeReadMayHaveDoneAnything) {
  EXPECT_EQ(
      verdict_of_words("DELETE item, log FROM item JOIN log ON log.item = "
                       "item.id",
                       "4", "[[2,\"b\",20]]", "serializable"),
      "undecided");
}

}  // namespace
