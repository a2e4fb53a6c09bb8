// What somebody who links txscope writes: nothing but <txscope/...>.
#include <gtest/gtest.h>
#include <txscope/audit.h>
#include <txscope/check.h>
#include <txscope/explore.h>
#include <txscope/model.h>
#include <txscope/robust.h>
#include <txscope/verify.h>

#include <set>
#include <string>
#include <variant>

#include "support/run_command.h"

namespace {

using namespace txscope;
using evidence::Shown;

const char* const kTwoIncrements =
    "var x\n"
    "session { txn { a = read x\n write x = a + 1 } }\n"
    "session { txn { a = read x\n write x = a + 1 } }\n"
    "invariant \"both\" x == 2\n";

/// The evidence of a finding, which has to be of this kind.
template <class Kind>
const Kind* shown_by(const verb::Report& report, const verb::Finding& finding) {
  for (const std::size_t i : finding.shown)
    if (const auto* one = std::get_if<Kind>(&report.shown.at(i).evidence))
      return one;
  return nullptr;
}

/// Every edge goes on where the one before it ends, and the last closes it.
void expect_circle(const std::vector<evidence::Edge>& cycle) {
  ASSERT_GE(cycle.size(), 2u);
  for (std::size_t i = 0; i < cycle.size(); ++i)
    EXPECT_EQ(cycle[i].to, cycle[(i + 1) % cycle.size()].from);
}

/// Two clients that read 0 and write their own number over it.
verb::CheckRequest lost_update() {
  using Kind = observed::Operation::Kind;
  verb::CheckRequest request;
  request.inputs = {"in memory"};
  request.history.emplace();
  request.history->initial = 0;
  request.history->transactions = {
      {"alice", {{Kind::Read, "x", 0}, {Kind::Write, "x", 1}}},
      {"bob", {{Kind::Read, "x", 0}, {Kind::Write, "x", 2}}}};
  return request;
}

TEST(Library, JudgesAHistoryInMemoryAndCertifiesTheAnswer) {
  verb::CheckRequest request = lost_update();
  request.level = "causal,snapshot-isolation";
  request.certify = true;
  request.evidence = true;
  const auto report = verb::check(request, Budget::unlimited());
  ASSERT_TRUE(report) << report.error().what;
  ASSERT_EQ(report->findings.size(), 2u);
  const verb::Finding& causal = report->findings[0];
  EXPECT_EQ(causal.outcome, Outcome::Holds);
  EXPECT_EQ(causal.order, "session");
  const auto* order = shown_by<evidence::CommitOrder>(*report, causal);
  ASSERT_NE(order, nullptr);
  EXPECT_EQ(std::set<std::string>(order->transactions.begin(),
                                  order->transactions.end()),
            (std::set<std::string>{"alice#1", "bob#1"}));
  const verb::Finding& snapshot = report->findings[1];
  EXPECT_EQ(snapshot.outcome, Outcome::Violated);
  const auto* refutation = shown_by<evidence::Refutation>(*report, snapshot);
  ASSERT_NE(refutation, nullptr);
  expect_circle(refutation->cycle);
  EXPECT_EQ(refutation->transactions.lanes.size(), 2u);
}

TEST(Library, ReadsAHistoryInMemoryAsItsFileWouldBeRead) {
  using Kind = observed::Operation::Kind;
  using Status = observed::Transaction::Status;
  verb::CheckRequest request;
  request.inputs = {"lists"};
  request.history.emplace();
  // b saw an element that nobody who committed has appended.
  request.history->transactions = {
      {"a", {{Kind::Append, "l", 1}}, Status::Aborted},
      {"b", {{Kind::List, "l", {}, {1}}}}};
  request.level = "read-committed";
  const auto report = verb::check(request, Budget::unlimited());
  ASSERT_TRUE(report) << report.error().what;
  EXPECT_EQ(report->findings.at(0).outcome, Outcome::Violated);
  EXPECT_EQ(report->findings.at(0).why, "G1a");

  request.history->transactions[0].status = Status::Committed;
  const auto committed = verb::check(request, Budget::unlimited());
  ASSERT_TRUE(committed);
  EXPECT_EQ(committed->findings.at(0).outcome, Outcome::Holds);

  // A key that is a register and a list is a mistake of the caller.
  request.history->transactions[1].operations = {{Kind::Write, "l", 1}};
  const auto wrong = verb::check(request, Budget::unlimited());
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().where.file, "lists");
}

TEST(Library, ExploreShowsARunWithItsSerialOrders) {
  verb::ExploreRequest request;
  request.input = "two.txn";
  request.text = kTwoIncrements;
  request.level = "causal,serializable";
  const auto report = verb::explore(request, Budget::unlimited());
  ASSERT_TRUE(report) << report.error().what;
  ASSERT_EQ(report->findings.size(), 2u);
  const auto* run = shown_by<evidence::Run>(*report, report->findings[0]);
  ASSERT_NE(run, nullptr);
  EXPECT_EQ(run->lanes.size(), 2u);
  EXPECT_EQ(run->serial.size(), 2u) << "either may be first";
  EXPECT_FALSE(run->serial_says.empty());
  for (const evidence::Step& step : run->steps)
    EXPECT_LT(step.lane, run->lanes.size());
  const Shown& shown = report->shown.at(report->findings[0].shown.at(0));
  ASSERT_TRUE(shown.rule);
  EXPECT_EQ(shown.rule->place.line, 6u);
  EXPECT_FALSE(shown.sentence.empty());
  EXPECT_EQ(report->findings[1].outcome, Outcome::Holds);
  EXPECT_TRUE(report->findings[1].shown.empty());
}

TEST(Library, VerifyAndRobustShowTheSameShapeOfRun) {
  verb::VerifyRequest verified;
  verified.input = "two.txn";
  verified.text = kTwoIncrements;
  verified.level = "causal,serializable";
  verified.evidence = true;
  const auto report = verb::verify(verified, Budget::unlimited());
  ASSERT_TRUE(report) << report.error().what;
  for (const verb::Finding& finding : report->findings) {
    if (finding.property != "both") continue;
    if (finding.level == "causal") {
      const auto* run = shown_by<evidence::Run>(*report, finding);
      ASSERT_NE(run, nullptr);
      EXPECT_EQ(run->lanes.size(), 2u);
    } else {
      const auto* formula = shown_by<evidence::Formula>(*report, finding);
      ASSERT_NE(formula, nullptr);
      EXPECT_NE(formula->text.find("(check-sat)"), std::string::npos);
    }
  }

  // Each reads what the other writes: at snapshot isolation both go on.
  verb::RobustRequest asked;
  asked.input = "skew.txn";
  asked.text =
      "var x\nvar y\n"
      "session { txn { a = read x\n write y = a + 1 } }\n"
      "session { txn { a = read y\n write x = a + 1 } }\n";
  asked.against = "snapshot-isolation";
  const auto robust = verb::robust(asked, Budget::unlimited());
  ASSERT_TRUE(robust) << robust.error().what;
  ASSERT_EQ(robust->findings.at(0).outcome, Outcome::Violated);
  const auto* run = shown_by<evidence::Run>(*robust, robust->findings[0]);
  ASSERT_NE(run, nullptr);
  expect_circle(run->cycle);
}

TEST(Library, ModelShowsATraceOfStates) {
  const test::TemporaryDirectory directory;
  directory.write("Count.tla",
                  "---- MODULE Count ----\nEXTENDS Naturals\nVARIABLE n\n"
                  "Init == n = 0\nNext == n' = n + 1\nSmall == n < 3\n====\n");
  directory.write("Count.cfg", "INIT Init\nNEXT Next\nINVARIANT Small\n");
  verb::ModelRequest request;
  request.input = directory.path() + "/Count.tla";
  const auto report = verb::model(request, Budget::unlimited());
  ASSERT_TRUE(report) << report.error().what;
  const verb::Finding& finding = report->findings.at(0);
  EXPECT_EQ(finding.property, "Small");
  const auto* trace = shown_by<evidence::Trace>(*report, finding);
  ASSERT_NE(trace, nullptr);
  ASSERT_EQ(trace->steps.size(), 4u) << "0, 1, 2, 3";
  const evidence::Table& variables = trace->steps.back().state.at(0);
  EXPECT_EQ(variables.rows.at(0).cells, (std::vector<std::string>{"n", "3"}));
  EXPECT_FALSE(trace->loop);
}

TEST(Library, AuditShowsWhatWasExpectedInstead) {
  const test::TemporaryDirectory directory;
  directory.write(
      "log.jsonl",
      R"x({"txscope":"log","version":1,"dialect":"postgresql","setup":[)x"
      R"x("CREATE TABLE t (id int PRIMARY KEY, n int)",)x"
      R"x("INSERT INTO t VALUES (1, 10)"]})x"
      "\n"
      R"x({"session":"s","id":"a","status":"committed","statements":[)x"
      R"x({"sql":"SELECT n FROM t WHERE id = 1","rows":[[11]]}]})x"
      "\n");
  verb::AuditRequest request;
  request.input = directory.path() + "/log.jsonl";
  request.level = "serializable";
  const auto report = verb::audit(request, Budget::unlimited());
  ASSERT_TRUE(report) << report.error().what;
  const verb::Finding& finding = report->findings.at(0);
  EXPECT_EQ(finding.outcome, Outcome::Violated);
  const auto* refutation = shown_by<evidence::Refutation>(*report, finding);
  ASSERT_NE(refutation, nullptr);
  ASSERT_EQ(refutation->mismatches.size(), 1u);
  EXPECT_NE(refutation->mismatches[0].expected.find("10"), std::string::npos);
  EXPECT_NE(refutation->mismatches[0].observed.find("11"), std::string::npos);
}

TEST(Library, ExploresAnApplicationAsADatabaseRunsIt) {
  verb::ExploreRequest request;
  request.input = "n.sql";
  request.text =
      "CREATE TABLE t (id int PRIMARY KEY, n int NOT NULL);\n"
      "INSERT INTO t VALUES (1, 0);\n"
      "--@ session a: BEGIN; UPDATE t SET n = n + 1 WHERE id = 1; COMMIT;\n"
      "--@ session b: BEGIN; UPDATE t SET n = n + 1 WHERE id = 1; COMMIT;\n"
      "--@ invariant both: (SELECT n FROM t WHERE id = 1) = 2\n";
  request.level = "postgresql:read-committed";
  const auto report = verb::explore(request, Budget::unlimited());
  ASSERT_TRUE(report) << report.error().what;
  EXPECT_EQ(report->findings.at(0).outcome, Outcome::Holds);
  EXPECT_EQ(verb::status_of(*report), verb::kHolds);
}

TEST(Library, SaysWhichSpecificationIsMissing) {
  verb::ModelRequest request;
  request.input = "/nowhere/Spec.tla";
  const auto result = verb::model(request, Budget::unlimited());
  ASSERT_FALSE(result);
  EXPECT_NE(result.error().where.file.find("Spec.tla"), std::string::npos);
}

}  // namespace
