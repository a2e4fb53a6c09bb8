// Levels that transactions have of their own, and routines that they call.

#include <gtest/gtest.h>

#include <string>

#include "support/audit_log.h"

namespace {

using namespace txscope;

std::string verdict_with(const std::string& log, const std::string& level,
                         const audit::AuditOptions& options = {}) {
  const auto report = test::audit_text_log(log, level, options);
  return report ? test::verdict_of(report->results[0].found)
                : report.error().what;
}

/// Two that see each other's row as it was, and write their own.
std::string skewed(const std::string& first, const std::string& second) {
  const auto one = [](const std::string& id, const std::string& level,
                      const std::string& sees, const std::string& writes) {
    return R"x({"session":")x" + id + R"x(","id":")x" + id +
           R"x(","level":")x" + level +
           R"x(","status":"committed","statements":[{"sql":"SELECT v FROM t )x"
           R"x(WHERE k = )x" +
           sees + R"x(","rows":[[0]]},{"sql":"UPDATE t SET v = 1 WHERE k = )x" +
           writes + R"x(","count":1}]})x" + "\n";
  };
  return std::string(
             R"x({"txscope":"log","version":1,"dialect":"postgresql","setup":[)x"
             R"x("CREATE TABLE t (k INT PRIMARY KEY, v INT)",)x"
             R"x("INSERT INTO t VALUES (1,0),(2,0)"]})x"
             "\n") +
         one("a", first, "2", "1") + one("b", second, "1", "2");
}

TEST(AuditClaims, ATransactionIsHeldAgainstItsOwnLevel) {
  audit::AuditOptions own;
  own.own_levels = true;
  const std::string ser = "serializable";
  const std::string si = "snapshot-isolation";
  EXPECT_EQ(verdict_with(skewed(ser, ser), si, own), "violated");
  // One that may see an old state is enough.
  EXPECT_EQ(verdict_with(skewed(ser, si), ser, own), "holds");
  EXPECT_EQ(verdict_with(skewed(si, si), ser, own), "holds");
  // Who asks for a level asks for all.
  EXPECT_EQ(verdict_with(skewed(ser, ser), si), "holds");
  EXPECT_EQ(verdict_with(skewed(si, si), ser), "violated");
  EXPECT_EQ(
      verdict_with(skewed(ser, "cursed"), si, own).rfind("transaction b", 0),
      0u);
}

std::string calls(const std::string& balance, const std::string& function) {
  return std::string(
             R"x({"txscope":"log","version":1,"dialect":"postgresql","setup":[)x"
             R"x("CREATE TABLE a (id INT PRIMARY KEY, b INT)",)x"
             R"x("INSERT INTO a VALUES (1,100)",)x"
             R"x("CREATE PROCEDURE take(i int, n int) LANGUAGE plpgsql AS $$ )x"
             R"x(DECLARE v int; BEGIN SELECT b INTO v FROM a WHERE id = i; )x"
             R"x(IF v >= n THEN UPDATE a SET b = v - n WHERE id = i; END IF; )x"
             R"x(END $$","CREATE FUNCTION look(i int) RETURNS int LANGUAGE )x"
             R"x(plpgsql AS $$ DECLARE v int; BEGIN SELECT b INTO v FROM a )x"
             R"x(WHERE id = i; RETURN v; END $$"]})x"
             "\n"
             R"x({"session":1,"id":"c1","status":"committed","statements":[)x"
             R"x({"sql":"CALL take($1, $2)","params":[1,70]}]})x"
             "\n"
             R"x({"session":1,"id":"c2","status":"committed","statements":[)x"
             R"x({"sql":"CALL take(1, 50)"}]})x"
             "\n"
             R"x({"session":1,"id":"c3","status":"committed","statements":[)x"
             R"x({"sql":"SELECT b FROM a WHERE id = 1","rows":[[)x") +
         balance + R"x(]]},{"sql":"SELECT look($1)","params":[1],"rows":[[)x" +
         function + "]]}]}\n";
}

TEST(AuditClaims, ACallRunsItsRoutine) {
  for (const std::string level :
       {"serializable", "snapshot-isolation", "postgresql:read-committed"}) {
    EXPECT_EQ(verdict_with(calls("30", "30"), level), "holds") << level;
    // The second has found too little.
    EXPECT_NE(verdict_with(calls("-20", "-20"), level), "holds") << level;
    EXPECT_NE(verdict_with(calls("30", "31"), level), "holds") << level;
  }
  EXPECT_EQ(verdict_with(calls("-20", "-20"), "serializable"), "violated");
  EXPECT_EQ(verdict_with(calls("30", "31"), "snapshot-isolation"), "violated");
}

// Its statements may see different states, which are all tried.
TEST(AuditClaims, ACallAtReadCommittedIsRefuted) {
  EXPECT_EQ(verdict_with(calls("-20", "-20"), "postgresql:read-committed"),
            "violated");
}

// A child may come before its parent, if that comes before the end.
TEST(AuditClaims, KeysThatAreDeferredAreLookedAtWhenItCommits) {
  const std::string setup =
      R"x({"txscope":"log","version":1,"dialect":"postgresql","setup":[)x"
      R"x("CREATE TABLE p (k INT PRIMARY KEY)",)x"
      R"x("CREATE TABLE c (k INT PRIMARY KEY, p INT REFERENCES p )x"
      R"x(DEFERRABLE INITIALLY DEFERRED)","INSERT INTO p VALUES (1)"]})x"
      "\n";
  const auto txn = [](const std::string& id, const std::string& statements) {
    return R"x({"session":")x" + id + R"x(","id":")x" + id +
           R"x(","status":"committed","statements":[)x" + statements + "]}\n";
  };
  const auto sql = [](const std::string& text) {
    return R"x({"sql":")x" + text + R"x(","count":1})x";
  };
  audit::AuditOptions options;
  options.certify = true;
  const auto verdict = [&](const std::string& lines, const std::string& level) {
    const auto report = test::audit_text_log(setup + lines, level, options);
    if (!report) return report.error().what;
    return test::verdict_of(report->results[0].found);
  };
  const std::string child = sql("INSERT INTO c VALUES (1, 2)");
  const std::string parent = sql("INSERT INTO p VALUES (2)");
  for (const std::string level :
       {"serializable", "snapshot-isolation", "postgresql:repeatable-read",
        "read-committed", "postgresql:read-committed"}) {
    EXPECT_EQ(verdict(txn("a", child + "," + parent), level), "holds");
    EXPECT_EQ(verdict(txn("a", child), level), "violated");
    // Another one's parent is as good.
    EXPECT_EQ(verdict(txn("a", child) + txn("b", parent), level), "holds");
    // Neither order leaves the child a parent.
    EXPECT_EQ(verdict(txn("a", sql("INSERT INTO c VALUES (1, 1)")) +
                          txn("b", sql("DELETE FROM p WHERE k = 1")),
                      level),
              "violated");
  }
}

/// Four sessions add to one row, each transaction at the next of two levels; in
/// the middle somebody sees `seen`.
std::string mixed(const std::string& first, const std::string& second,
                  int seen) {
  std::string text =
      R"x({"txscope":"log","version":1,"dialect":"postgresql","setup":[)x"
      R"x("CREATE TABLE t (k INT PRIMARY KEY, v INT)",)x"
      R"x("INSERT INTO t VALUES (1,0)"]})x"
      "\n";
  for (int i = 0; i < 60; ++i)
    text += R"x({"session":)x" + std::to_string(i % 4) + R"x(,"id":"t)x" +
            std::to_string(i) + R"x(","level":")x" +
            (i % 2 == 0 ? first : second) +
            R"x(","status":"committed","statements":[{"sql":)x" +
            (i == 30 ? R"x("SELECT v FROM t WHERE k = 1","rows":[[)x" +
                           std::to_string(seen) + "]]}"
                     : R"x("UPDATE t SET v = v + 5 WHERE k = 1","count":1})x") +
            "]}\n";
  return text;
}

// What no level that the transactions have explains needs no search.
TEST(AuditClaims, LongLogsOfSeveralLevelsAreRefutedAtTheWeakest) {
  audit::AuditOptions own;
  own.own_levels = true;
  own.search_steps = 100'000;
  const std::string levels[][2] = {
      {"serializable", "snapshot-isolation"},
      {"read-committed", "serializable"},
      {"postgresql:read-committed", "postgresql:repeatable-read"},
      {"postgresql:serializable", "postgresql:read-committed"},
  };
  for (const auto& [first, second] : levels) {
    EXPECT_EQ(verdict_with(mixed(first, second, 150), second, own), "holds");
    const auto report =
        test::audit_text_log(mixed(first, second, 151), second, own);
    ASSERT_TRUE(report) << report.error().what;
    EXPECT_EQ(test::verdict_of(report->results[0].found), "violated");
    EXPECT_EQ(report->results[0].found.strategy, "weakest-of-mixed-levels");
  }
}

}  // namespace
