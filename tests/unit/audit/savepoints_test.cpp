// What a transaction takes back to a savepoint tells nothing of its rows: what
// single rows tell must not refute what others saw of the rest.

#include <gtest/gtest.h>

#include <string>

#include "support/audit_log.h"

namespace {

using namespace txscope;

std::string savepoint_log(const std::string& first, const std::string& second) {
  return R"x({"txscope":"log","version":1,"dialect":"postgresql","setup":[)x"
         R"x("CREATE TABLE t (k INT PRIMARY KEY, v INT, u INT)",)x"
         R"x("INSERT INTO t VALUES (1,0,0)"]})x"
         "\n"
         R"x({"session":1,"id":"a","status":"committed","statements":[)x" +
         first + "]}\n" +
         R"x({"session":2,"id":"b","status":"committed","statements":[)x" +
         second + "]}\n";
}

std::string changes(const std::string& sql) {
  return R"x({"sql":")x" + sql + R"x(","count":1})x";
}

std::string sees(const std::string& sql, const std::string& rows) {
  return R"x({"sql":")x" + sql + R"x(","rows":)x" + rows + "}";
}

const std::string kSave = R"x(,{"sql":"SAVEPOINT s"},)x";
const std::string kBack = R"x(,{"sql":"ROLLBACK TO s"})x";

/// What refutes it, each way asked by itself; empty: nothing does.
std::string refuting(const std::string& log, const std::string& level,
                     bool judges_aborted = false) {
  audit::AuditOptions options;
  options.judge_aborted = judges_aborted;
  const auto found = test::refutations_of(log, level, options);
  if (!found) return found.error().what;
  std::string names;
  for (const audit::Found& one : *found)
    names += std::string(one.strategy) + ": " +
             (one.first_bad ? one.first_bad->why : "") + "\n";
  return names;
}

constexpr const char* kSavepointLevels[] = {
    "read-committed", "postgresql:read-committed", "snapshot-isolation",
    "serializable"};

TEST(AuditSavepoints, WhatIsLeftMayBeSeen) {
  const std::string add = "UPDATE t SET v = v + ";
  for (const char* level : kSavepointLevels) {
    // 5, then 10 taken back, then 3.
    EXPECT_EQ(
        refuting(savepoint_log(changes(add + "5 WHERE k = 1") + kSave +
                                   changes(add + "10 WHERE k = 1") + kBack +
                                   "," + changes(add + "3 WHERE k = 1"),
                               sees("SELECT v FROM t WHERE k = 1", "[[8]]")),
                 level),
        "")
        << level;
    // A value before the savepoint stays, with what comes after it.
    EXPECT_EQ(
        refuting(savepoint_log(
                     changes("UPDATE t SET v = 7 WHERE k = 1") + kSave +
                         changes("UPDATE t SET v = 9 WHERE k = 1") + kBack +
                         "," + changes("UPDATE t SET u = 3 WHERE k = 1"),
                     sees("SELECT v, u FROM t WHERE k = 1", "[[7,3]]")),
                 level),
        "")
        << level;
    EXPECT_EQ(
        refuting(
            savepoint_log(changes("UPDATE t SET v = 7 WHERE k = 1") + kSave +
                              changes("UPDATE t SET v = 9 WHERE k = 1") + kBack,
                          sees("SELECT v FROM t WHERE k = 1", "[[7]]")),
            level),
        "")
        << level;
  }
}

TEST(AuditSavepoints, WhatNobodyEverWroteMayNot) {
  for (const char* level : kSavepointLevels)
    EXPECT_NE(
        refuting(
            savepoint_log(changes("UPDATE t SET v = 7 WHERE k = 1") + kSave +
                              changes("UPDATE t SET v = 9 WHERE k = 1") + kBack,
                          sees("SELECT v FROM t WHERE k = 1", "[[8]]")),
            level),
        "")
        << level;
}

// One that aborted sees what it wrote, if it is judged.
TEST(AuditSavepoints, AnAbortedOneSeesItsOwn) {
  std::string log =
      savepoint_log(changes("UPDATE t SET v = v + 5 WHERE k = 1") + "," +
                        sees("SELECT v FROM t WHERE k = 1", "[[5]]"),
                    sees("SELECT v FROM t WHERE k = 1", "[[0]]"));
  log.replace(log.find("committed"), 9, "aborted");
  EXPECT_EQ(refuting(log, "serializable", true), "");
}

}  // namespace
