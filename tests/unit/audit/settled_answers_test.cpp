// Answers that rest on columns which nobody writes are the setup's, whatever
// else happens to the rows.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/audit_log.h"

namespace {

using namespace txscope;

std::string settled_line(int i, const std::string& statement) {
  return R"x({"session":)x" + std::to_string(i % 3) + R"x(,"id":"t)x" +
         std::to_string(i) + R"x(","status":"committed","statements":[)x" +
         statement + "]}\n";
}

/// Twenty transactions write numbers of three rows, of which two are called
/// `a`; one more does `other`, and somebody asks for the sum of ranks of those
/// called so.
std::string settled_log(const std::string& other, int count, int sum) {
  std::string text =
      R"x({"txscope":"log","version":1,"dialect":"postgresql","setup":[)x"
      R"x("CREATE TABLE t (k INT PRIMARY KEY, name TEXT, rank INT, v INT)",)x"
      R"x("INSERT INTO t VALUES (1,'a',5,0),(2,'a',6,0),(3,'b',7,0)"]})x"
      "\n";
  for (int i = 0; i < 20; ++i)
    text +=
        settled_line(i, R"x({"sql":"UPDATE t SET v = v * 2 + )x" +
                            std::to_string(i) + R"x( WHERE k = )x" +
                            std::to_string(i % 3 + 1) + R"x(","count":1})x");
  if (!other.empty()) text += settled_line(20, other);
  return text +
         settled_line(21, R"x({"sql":"SELECT count(*), sum(rank) FROM t )x"
                          R"x(WHERE name = 'a'","rows":[[)x" +
                              std::to_string(count) + "," +
                              std::to_string(sum) + "]]}");
}

audit::Found settled_found(const std::string& log, const std::string& level) {
  audit::AuditOptions options;
  options.search_steps = 100'000;
  const auto report = test::audit_text_log(log, level, options);
  EXPECT_TRUE(report) << report.error().what;
  return report ? report->results[0].found : audit::Found();
}

constexpr const char* kSettledLevels[] = {
    "read-committed",         "prefix",
    "snapshot-isolation",     "serializable",
    "mariadb:read-committed", "postgresql:read-committed",
};

TEST(AuditSettled, WhatNobodyWritesIsAsItWas) {
  for (const std::string level : kSettledLevels) {
    EXPECT_EQ(test::verdict_of(settled_found(settled_log("", 2, 11), level)),
              "holds")
        << level;
    const audit::Found found = settled_found(settled_log("", 2, 12), level);
    EXPECT_EQ(test::verdict_of(found), "violated") << level;
    EXPECT_EQ(found.strategy, "settled-answers") << level;
    ASSERT_TRUE(found.first_bad);
    EXPECT_EQ(found.first_bad->expected, "1 row: (2, 11)");
    EXPECT_EQ(found.core, std::vector<std::string>{"t21"});
  }
}

TEST(AuditSettled, WhatSomebodyWritesIsNot) {
  const std::string renames =
      R"x({"sql":"UPDATE t SET name = 'a' WHERE k = 3","count":1})x";
  const std::string inserts =
      R"x({"sql":"INSERT INTO t VALUES (4,'a',7,0)","count":1})x";
  for (const std::string level : kSettledLevels)
    for (const std::string& other : {renames, inserts})
      EXPECT_EQ(
          test::verdict_of(settled_found(settled_log(other, 3, 18), level)),
          "holds")
          << level << " " << other;
}

}  // namespace
