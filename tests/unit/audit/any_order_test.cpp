// What no order explains is refuted without trying orders, in logs that have
// too many of them.

#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "support/audit_log.h"

namespace {

using namespace txscope;

/// A transaction of a session of its own, so that all orders are open.
std::string line(int number, const std::string& statements) {
  return R"x({"session":"s)x" + std::to_string(number) + R"x(","id":"t)x" +
         std::to_string(number) + R"x(","status":"committed","statements":[)x" +
         statements + "]}\n";
}

/// Those, and 24 further accounts that somebody counts up, so that states are
/// many.
std::string verdict_of_rows(const std::string& lines,
                            const std::string& level) {
  std::string text =
      R"x({"txscope":"log","version":1,"dialect":"postgresql","setup":[)x"
      R"x("CREATE TABLE t (k INT PRIMARY KEY, v INT NOT NULL)",)x"
      R"x("INSERT INTO t VALUES (1,50),(2,50),(3,50)",)x"
      R"x("CREATE TABLE other (k SERIAL PRIMARY KEY, v INT)",)x"
      R"x("INSERT INTO other (v) SELECT 0 FROM generate_series(1,24)"]})x"
      "\n" +
      lines;
  for (int i = 1; i <= 24; ++i)
    text +=
        line(100 + i, R"x({"sql":"UPDATE other SET v = v + 1 WHERE k = $1",)x"
                      R"x("params":[)x" +
                          std::to_string(i) + R"x(],"count":1})x");
  const auto report = test::audit_text_log(
      text, level, {}, Budget({std::chrono::milliseconds(5000), {}}));
  if (!report) return report.error().what;
  return test::verdict_of(report->results[0].found);
}

constexpr const char* kAnyOrderLevels[] = {
    "read-committed", "prefix", "snapshot-isolation", "serializable"};

TEST(AuditAnyOrder, SomeAnswersHaveAsManyRowsWhateverThereIs) {
  const auto count = [](const std::string& rows) {
    return line(1, R"x({"sql":"SELECT count(*) FROM t","rows":)x" + rows + "}");
  };
  const auto insert = [](const std::string& rows) {
    return line(1, R"x({"sql":"INSERT INTO other (v) VALUES (7) RETURNING k",)x"
                   R"x("rows":)x" +
                       rows + "}");
  };
  const auto update = [](const std::string& rows) {
    return line(1, R"x({"sql":"UPDATE t SET v = 1 WHERE k < 3 RETURNING k",)x"
                   R"x("count":2,"rows":)x" +
                       rows + "}");
  };
  for (const std::string level : kAnyOrderLevels) {
    EXPECT_EQ(verdict_of_rows(count("[[3]]"), level), "holds");
    EXPECT_EQ(verdict_of_rows(count("[]"), level), "violated");
    EXPECT_EQ(verdict_of_rows(count("[[3],[3]]"), level), "violated");
    EXPECT_EQ(verdict_of_rows(insert("[[25]]"), level), "holds");
    EXPECT_EQ(verdict_of_rows(insert("[]"), level), "violated");
    EXPECT_EQ(verdict_of_rows(update("[[1],[2]]"), level), "holds");
    EXPECT_EQ(verdict_of_rows(update("[[1]]"), level), "violated");
  }
}

TEST(AuditAnyOrder, AKeyIsInsertedAgainOnlyIfSomebodyDeletedIt) {
  const auto insert = [](int number) {
    return line(number,
                R"x({"sql":"INSERT INTO t VALUES (9, $1)","params":[)x" +
                    std::to_string(number) + R"x(],"count":1})x");
  };
  const std::string remove =
      line(3, R"x({"sql":"DELETE FROM t WHERE k = 9","count":1})x");
  for (const std::string level : kAnyOrderLevels) {
    EXPECT_EQ(verdict_of_rows(insert(1) + insert(2) + remove, level), "holds");
    EXPECT_EQ(verdict_of_rows(insert(1) + insert(2), level), "violated");
    EXPECT_EQ(
        verdict_of_rows(insert(1) + insert(2) + remove + insert(4), level),
        "violated");
  }
}

// Row 1 is 50, -30 or 43, and row 2 is 50 or 20.
TEST(AuditAnyOrder, ASumIsOfVersionsThatSomebodyCanHaveMade) {
  const std::string sets =
      line(1, R"x({"sql":"UPDATE t SET v = -30 WHERE k = 1","count":1})x") +
      line(2, R"x({"sql":"UPDATE t SET v = 43 WHERE k = 1","count":1})x") +
      line(3, R"x({"sql":"UPDATE t SET v = 20 WHERE k = 2","count":1})x");
  const auto sum = [&](int seen) {
    return verdict_of_rows(
        sets +
            line(4, R"x({"sql":"SELECT sum(v) FROM t WHERE k = 1 OR k = 2",)x"
                    R"x("rows":[[)x" +
                        std::to_string(seen) + "]]}"),
        "read-committed");
  };
  for (const int seen : {100, 20, 93, 70, -10, 63})
    EXPECT_EQ(sum(seen), "holds") << seen;
  for (const int seen : {99, 21, 0, 50, 13})
    EXPECT_EQ(sum(seen), "violated") << seen;
}

TEST(AuditAnyOrder, AListLacksOnlyWhatWasNotThere) {
  const std::string insert =
      line(1, R"x({"sql":"INSERT INTO t VALUES (4, 50)","count":1})x");
  const auto list = [&](const std::string& rows, const std::string& level) {
    return verdict_of_rows(
        insert + line(2, R"x({"sql":"SELECT k FROM t WHERE v = 50 )x"
                         R"x(ORDER BY k DESC LIMIT 3","rows":)x" +
                             rows + "}"),
        level);
  };
  for (const std::string level : kAnyOrderLevels) {
    EXPECT_EQ(list("[[4],[3],[2]]", level), "holds");
    EXPECT_EQ(list("[[3],[2],[1]]", level), "holds");
    EXPECT_EQ(list("[[4],[2],[1]]", level), "violated");
  }
}

/// Sixteen that each leave another number, in any order, and one that saw none
/// of them.
std::string many_orders() {
  std::string text =
      R"x({"txscope":"log","version":1,"dialect":"postgresql","setup":[)x"
      R"x("CREATE TABLE t (k INT PRIMARY KEY, v INT)",)x"
      R"x("INSERT INTO t VALUES (1,0)"]})x"
      "\n";
  for (int i = 1; i <= 16; ++i)
    text +=
        line(i, R"x({"sql":"UPDATE t SET v = (v * 3 + )x" + std::to_string(i) +
                    R"x() % 100003 WHERE k = 1","count":1})x");
  return text + line(17, R"x({"sql":"SELECT v FROM t","rows":[[-1]]})x");
}

// What is spent on open questions has a limit of its own, for all levels
// together, beside the budget.
TEST(AuditAnyOrder, TheSearchEndsWhenItsOwnEffortIsSpent) {
  audit::AuditOptions options;
  options.search_steps = 20'000;
  const auto report = test::audit_text_log(
      many_orders(), "serializable,prefix,mariadb:repeatable-read", options);
  ASSERT_TRUE(report) << report.error().what;
  for (const audit::AuditResult& result : report->results) {
    EXPECT_EQ(test::verdict_of(result.found), "undecided");
    EXPECT_EQ(result.found.reason, "effort");
  }
}

TEST(AuditAnyOrder, TheAnswerNamesTheStrategyAndIsTheSameAgain) {
  audit::AuditOptions options;
  options.search_steps = 20'000;
  const auto once =
      test::audit_text_log(many_orders(), "serializable,prefix", options);
  const auto again =
      test::audit_text_log(many_orders(), "serializable,prefix", options);
  ASSERT_TRUE(once && again);
  for (std::size_t i = 0; i < once->results.size(); ++i) {
    const audit::Found& found = once->results[i].found;
    EXPECT_EQ(found.strategy, "all-orders");
    EXPECT_EQ(found.strategy, again->results[i].found.strategy);
    EXPECT_EQ(test::verdict_of(found),
              test::verdict_of(again->results[i].found));
  }
}

/// Twenty transactions add to each of twelve rows; the last adds to them, too,
/// and then sees a value of another row.
std::string adds_to_all(const std::string& seen) {
  std::string text =
      R"x({"txscope":"log","version":1,"dialect":"postgresql","setup":[)x"
      R"x("CREATE TABLE t (k INT PRIMARY KEY, v INT)",)x"
      R"x("INSERT INTO t VALUES (0,7)")x";
  std::string updates;
  for (int k = 1; k <= 12; ++k) {
    text += R"x(,"INSERT INTO t VALUES ()x" + std::to_string(k) + R"x(,0)")x";
    updates += std::string(k == 1 ? "" : ",") +
               R"x({"sql":"UPDATE t SET v = v + 1 WHERE k = )x" +
               std::to_string(k) + R"x(","count":1})x";
  }
  text += "]}\n";
  for (int i = 1; i <= 20; ++i) text += line(i, updates);
  return text + line(21, updates +
                             R"x(,{"sql":"SELECT v FROM t WHERE k = 0",)x"
                             R"x("rows":[[)x" +
                             seen + "]]}");
}

// No choice of versions for the twelve updates helps an answer that has nothing
// to do with them: trying all would take 20 to the 12th runs.
TEST(AuditAnyOrder, UpdatesThatAnAnswerDoesNotDependOnDoNotMultiply) {
  const auto verdict = [](const std::string& seen) {
    const auto report =
        test::audit_text_log(adds_to_all(seen), "read-committed");
    return report ? test::verdict_of(report->results[0].found)
                  : report.error().what;
  };
  EXPECT_EQ(verdict("7"), "holds");
  EXPECT_EQ(verdict("8"), "violated");
}

}  // namespace
