// Nothing checked is never "holds": what each verb says where there is nothing,
// or only a part, that it could have found.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "support/paths.h"
#include "support/run_command.h"
#include "txscope/audit.h"
#include "txscope/check.h"
#include "txscope/explore.h"
#include "txscope/model.h"
#include "txscope/record.h"
#include "txscope/robust.h"
#include "txscope/status.h"
#include "txscope/verify.h"
#include "txscope/write.h"

namespace {

using namespace txscope;
using namespace txscope::verb;

const Budget kNoLimit = Budget::unlimited();

template <class Request>
Request of(const std::string& name, const std::string& text) {
  Request request;
  request.input = name;
  request.text = text;
  return request;
}

/// Vacuous for this reason: status 3, 0 if that is allowed, and the reason in
/// the first lines and beside the verdict.
void expect_vacuous(const Result<Report>& report, const std::string& reason) {
  ASSERT_TRUE(report) << report.error().what;
  EXPECT_EQ(report->checked.vacuous_because, reason);
  EXPECT_EQ(status_of(*report), kUndecided);
  StatusOptions allowing;
  allowing.allow_vacuous = true;
  EXPECT_EQ(status_of(*report, allowing), kHolds);
  const auto written = nlohmann::json::parse(json(*report));
  EXPECT_EQ(written["checked"]["vacuous"], true);
  EXPECT_EQ(written["results"][0]["vacuous"], true);
  EXPECT_EQ(written["results"][0]["vacuous_because"], reason);
}

void expect_green(const Result<Report>& report) {
  ASSERT_TRUE(report) << report.error().what;
  EXPECT_EQ(status_of(*report), kHolds) << text(*report);
  EXPECT_EQ(report->checked.vacuous_because, "");
}

std::string increments(const std::string& more) {
  return "var x\nvar y\n"
         "session { txn { r = read x\n write x = r + 1 } }\n"
         "session { txn { r = read x\n write x = r + 1 } }\n" +
         more;
}

Result<Report> explored(const std::string& program) {
  auto request = of<ExploreRequest>("p.txn", program);
  request.level = "causal,serializable";
  return explore(request, kNoLimit);
}

Result<Report> explored_sql(const std::string& application,
                            const std::string& level = "postgresql") {
  auto request = of<ExploreRequest>("p.sql", application);
  request.level = level;
  return explore(request, kNoLimit);
}

const char* const kAccounts =
    "CREATE TABLE t (id int PRIMARY KEY, v int NOT NULL);\n"
    "CREATE TABLE u (id int PRIMARY KEY, v int NOT NULL);\n";
const char* const kRows = "INSERT INTO t VALUES (1, 0), (2, 0);\n";
const char* const kAdd =
    "CREATE PROCEDURE add(i int) LANGUAGE plpgsql AS $$ BEGIN\n"
    "  UPDATE t SET v = v + 1 WHERE id = i;\nEND $$;\n";
const char* const kBothAdd =
    "--@ session a: CALL add(1);\n--@ session b: CALL add(1);\n";
const char* const kRule =
    "--@ invariant ok: (SELECT count(*) FROM t WHERE v < 0) = 0\n";

TEST(Vacuous, WhatIsCheckedStaysGreen) {
  expect_green(explored(increments("invariant \"r\" x >= 0\n")));
  expect_green(
      explored_sql(std::string(kAccounts) + kRows + kAdd + kBothAdd + kRule));
}

TEST(Vacuous, NoExecutionSatisfiesAssumeIsOneWordForAllVerbs) {
  const std::string program =
      "var x\n"
      "session { txn { r = read x\n assume r == 5\n write x = r } }\n"
      "session { txn { r = read x\n write x = r } }\n"
      "invariant \"r\" x >= 0\n";
  expect_vacuous(explored(program), "no execution satisfies assume");
  expect_vacuous(robust(of<RobustRequest>("p.txn", program), kNoLimit),
                 "no execution satisfies assume");
  auto verified = of<VerifyRequest>("p.txn", program);
  verified.level = "causal";
  expect_vacuous(verify(verified, kNoLimit),
                 "no execution satisfies the assumptions");
}

TEST(Vacuous, AProgramWithoutRulesIsCountedButDoesNotHold) {
  expect_vacuous(explored(increments("")), "the file has no rule");
  auto verified = of<VerifyRequest>("p.txn", increments(""));
  expect_vacuous(verify(verified, kNoLimit), "the file has no rule");
  auto counted = of<ExploreRequest>("p.txn", increments(""));
  counted.count = true;
  const auto report = explore(counted, kNoLimit);
  ASSERT_TRUE(report);
  EXPECT_EQ(status_of(*report), kHolds);
  EXPECT_EQ(text(*report).find("holds"), std::string::npos);
}

TEST(Vacuous, CountingDoesNotFailOnAViolation) {
  auto counted =
      of<ExploreRequest>("p.txn", increments("invariant \"r\" x == 2\n"));
  counted.count = true;
  const auto report = explore(counted, kNoLimit);
  ASSERT_TRUE(report);
  EXPECT_EQ(status_of(*report), kHolds);
}

TEST(Vacuous, WhereEverythingAbortsNothingHolds) {
  expect_vacuous(explored("var x\n"
                          "session { txn { write x = 1\n abort } }\n"
                          "session { txn { write x = 2\n abort } }\n"
                          "invariant \"r\" x == 0\n"),
                 "no transaction ever commits (abort)");
  const std::string application =
      std::string(kAccounts) + kRows +
      "CREATE PROCEDURE dup() LANGUAGE plpgsql AS $$ BEGIN\n"
      "  INSERT INTO t VALUES (1, 5);\nEND $$;\n"
      "--@ session a: CALL dup();\n--@ session b: CALL dup();\n" +
      kRule;
  const std::string reason = "no transaction ever commits (23505)";
  expect_vacuous(explored_sql(application), reason);
  auto asked = of<RobustRequest>("p.sql", application);
  asked.method = "search";
  expect_vacuous(robust(asked, kNoLimit), reason);
  auto verified = of<VerifyRequest>("p.sql", application);
  verified.level = "postgresql:read-committed";
  expect_vacuous(verify(verified, kNoLimit), reason);
}

TEST(Vacuous, AForgottenSeedIsNamed) {
  expect_vacuous(explored_sql(std::string(kAccounts) + kAdd + kBothAdd + kRule),
                 "no statement ever finds a row");
}

TEST(Vacuous, ARuleOverWhatNobodyWritesIsNamed) {
  const std::string reason = "no transaction changes what the rules look at";
  expect_vacuous(explored(increments("invariant \"r\" y == 0\n")), reason);
  expect_vacuous(
      explored_sql(std::string(kAccounts) + kRows + kAdd + kBothAdd +
                   "--@ invariant ok: (SELECT count(*) FROM u) = 0\n"),
      reason);
}

TEST(Vacuous, WithoutRulesSessionsHaveToMeet) {
  const std::string start = std::string(kAccounts) + kRows + kAdd;
  expect_vacuous(
      explored_sql(
          start + "--@ session a: CALL add(1);\n--@ session b: CALL add(2);\n"),
      "no two sessions meet on a row that one of them changes");
  expect_vacuous(explored_sql(start + "--@ session a: CALL add(1);\n"),
                 "there is one session, so nothing runs at the same time");
}

TEST(Vacuous, APartThatWasNotCheckedIsInTheVerdictLine) {
  const auto report = explored_sql(
      std::string(kAccounts) + kRows + kAdd +
          "CREATE PROCEDURE dup() LANGUAGE plpgsql AS $$ BEGIN\n"
          "  INSERT INTO t VALUES (1, 5);\nEND $$;\n" +
          kBothAdd + "--@ session c: CALL dup(); CALL add(7);\n" + kRule +
          "--@ invariant other: (SELECT count(*) FROM u) = 0\n",
      "postgresql:read-committed");
  ASSERT_TRUE(report) << report.error().what;
  EXPECT_EQ(status_of(*report), kHolds);
  const std::string shown = text(*report);
  const std::string first = shown.substr(0, shown.find('\n'));
  EXPECT_NE(first.find("holds; c.dup never commits"), std::string::npos)
      << first;
  EXPECT_NE(first.find("no transaction changes what other looks at"),
            std::string::npos)
      << first;
}

TEST(Vacuous, RulesSerialOrderAndDeadlocksCountAlike) {
  const std::string application =
      std::string(kAccounts) + kRows +
      "CREATE PROCEDURE lose() LANGUAGE plpgsql AS $$ DECLARE x int; BEGIN\n"
      "  SELECT v INTO x FROM t WHERE id = 1;\n"
      "  UPDATE t SET v = x + 1 WHERE id = 1;\nEND $$;\n"
      "--@ session a: CALL lose();\n--@ session b: CALL lose();\n" +
      kRule;
  const auto report = explored_sql(application, "postgresql:read-committed");
  ASSERT_TRUE(report) << report.error().what;
  EXPECT_EQ(status_of(*report), kViolated);
  StatusOptions rules_only;
  rules_only.fail_on = *parse_fail_on("rule");
  EXPECT_EQ(status_of(*report, rules_only), kHolds);
  EXPECT_FALSE(parse_fail_on("rule,nothing"));
  const std::string shown = text(*report);
  EXPECT_NE(shown.find("is VIOLATED: not as if one after the other"),
            std::string::npos)
      << shown;
  const auto written = nlohmann::json::parse(json(*report));
  EXPECT_EQ(written["results"][0]["verdict"], "holds") << "as it was";
  EXPECT_EQ(written["results"][0]["fails"], nlohmann::json({"serial"}));
}

TEST(Vacuous, AnErrorThatEndsATransactionCountsIfItIsAskedFor) {
  const std::string application =
      std::string(kAccounts) + kRows + kAdd + kBothAdd + kRule;
  const auto report = explored_sql(application, "postgresql:repeatable-read");
  ASSERT_TRUE(report) << report.error().what;
  EXPECT_EQ(status_of(*report), kHolds);
  StatusOptions errors;
  errors.fail_on = *parse_fail_on("rule,error");
  EXPECT_EQ(status_of(*report, errors), kViolated);
}

TEST(Vacuous, AnErrorThatARetryRepairsDoesNotEndATransaction) {
  const std::string application = std::string(kAccounts) + kRows + kAdd +
                                  kBothAdd +
                                  "--@ retry a: 3\n--@ retry b: 3\n" + kRule;
  const auto report = explored_sql(application, "postgresql:repeatable-read");
  ASSERT_TRUE(report) << report.error().what;
  StatusOptions errors;
  errors.fail_on = *parse_fail_on("rule,error");
  EXPECT_EQ(status_of(*report, errors), kHolds) << text(*report);
}

TEST(Vacuous, ARecordingOfNothingIsOne) {
  const test::TemporaryDirectory directory;
  RecordRequest request;
  request.workload = "bank";
  request.db = "sqlite";
  request.transactions = 0;
  request.output = directory.path() + "/log.jsonl";
  const auto report = record(request, kNoLimit);
  ASSERT_TRUE(report) << report.error().what;
  EXPECT_EQ(status_of(*report), kUndecided);
  EXPECT_NE(report->summary.find("no transaction committed"), std::string::npos)
      << report->summary;
}

TEST(Vacuous, EmptyHistoriesDoNotHoldAtAnyLevel) {
  CheckRequest request;
  request.inputs = {"h.json"};
  request.text = "[[]]";
  request.input_format = "dbcop-json";
  const auto report = check(request, kNoLimit);
  if (report) {
    EXPECT_EQ(status_of(*report), kUndecided);
  }
  request.inputs = {"h.txt"};
  request.input_format = "";
  request.text = "w(1,1,0,0)\nw(1,2,1,1)\n";
  expect_vacuous(check(request, kNoLimit),
                 "nothing that committed read anything");
}

TEST(Vacuous, RobustConsidersFunctionsThatWrite) {
  const std::string application =
      std::string(kAccounts) + kRows + kAdd +
      "CREATE FUNCTION helper(i int) RETURNS int LANGUAGE plpgsql AS $$ BEGIN\n"
      "  UPDATE t SET v = 0 WHERE id = i; RETURN 1;\nEND $$;\n"
      "CREATE FUNCTION swap() RETURNS int LANGUAGE plpgsql AS $$\n"
      "DECLARE a int; BEGIN\n"
      "  SELECT v INTO a FROM t WHERE id = 1;\n"
      "  PERFORM helper(2); RETURN a;\nEND $$;\n"
      "CREATE FUNCTION show() RETURNS int LANGUAGE plpgsql AS $$\n"
      "DECLARE a int; BEGIN\n"
      "  SELECT v INTO a FROM t WHERE id = 1; RETURN a;\nEND $$;\n";
  const auto report = robust(of<RobustRequest>("p.sql", application), kNoLimit);
  ASSERT_TRUE(report) << report.error().what;
  EXPECT_EQ(report->checked.considered,
            (std::vector<std::string>{"add", "swap"}));
  EXPECT_NE(text(*report).find("Considered: add, swap."), std::string::npos)
      << text(*report);
}

}  // namespace
