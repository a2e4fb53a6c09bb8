// Verbs as a program that links txscope calls them.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "support/paths.h"
#include "support/run_command.h"
#include "txscope/analyze.h"
#include "txscope/audit.h"
#include "txscope/check.h"
#include "txscope/convert.h"
#include "txscope/explain.h"
#include "txscope/explore.h"
#include "txscope/generate.h"
#include "txscope/model.h"
#include "txscope/record.h"
#include "txscope/robust.h"
#include "txscope/status.h"
#include "txscope/verify.h"
#include "txscope/write.h"

namespace {

using namespace txscope;
using namespace txscope::verb;

std::string example(const std::string& name) {
  return std::string(test::source_dir()) + "/examples/" + name;
}

const char* const kTwoIncrements =
    "var x\n"
    "session { txn { a = read x\n write x = a + 1 } }\n"
    "session { txn { a = read x\n write x = a + 1 } }\n"
    "invariant \"both\" x == 2\n";

TEST(Verbs, RobustKeepsAVerdictThatItHasWhenTheBudgetEndsDuringRepairs) {
  const Budget budget = Budget::unlimited();
  RobustRequest request;
  request.input = example("verify/auction_v1.sql");
  request.method = "search";
  request.against = "postgresql:read-committed";
  int promised = 0;
  request.listener.on_verdict = [&](const Promise& decided) {
    EXPECT_EQ(decided.known, Promise::Known::Violated);
    EXPECT_EQ(decided.verdict, "not-robust");
    ++promised;
    budget.cancel();
  };
  const auto report = robust(request, budget);
  ASSERT_TRUE(report) << report.error().what;
  EXPECT_EQ(promised, 1);
  EXPECT_EQ(status_of(*report), kViolated);
  const std::string shown = text(*report);
  EXPECT_NE(shown.find("NOT robust"), std::string::npos) << shown;
  EXPECT_EQ(shown.find("No change of one to three reads was found"),
            std::string::npos)
      << "nobody had the time to look for one";
}

TEST(Verbs, ExploreAnswersATextInMemoryLevelByLevelAndRuleByRule) {
  ExploreRequest request;
  request.input = "two.txn";
  request.text = kTwoIncrements;
  request.level = "causal,serializable";
  const auto report = explore(request, Budget::unlimited());
  ASSERT_TRUE(report) << report.error().what;
  ASSERT_EQ(report->findings.size(), 2u);
  EXPECT_EQ(report->findings[0].level, "causal");
  EXPECT_EQ(report->findings[0].property, "both");
  EXPECT_EQ(report->findings[0].about, About::Rule);
  EXPECT_EQ(report->findings[0].outcome, Outcome::Violated);
  EXPECT_EQ(report->findings[0].where.line, 6u);
  EXPECT_EQ(report->findings[1].outcome, Outcome::Holds);
  EXPECT_EQ(status_of(*report), kViolated);
  EXPECT_NE(json(*report).find("\"verb\": \"explore\""), std::string::npos);
  EXPECT_NE(dot(*report).find("digraph"), std::string::npos);
}

TEST(Verbs, VerifyAnswersATextInMemory) {
  VerifyRequest request;
  request.input = "two.txn";
  request.text = kTwoIncrements;
  request.level = "serializable";
  const auto report = verify(request, Budget::unlimited());
  ASSERT_TRUE(report) << report.error().what;
  ASSERT_EQ(report->findings.size(), 2u) << "the rule, and errors";
  EXPECT_EQ(report->findings[0].outcome, Outcome::Holds);
  EXPECT_EQ(report->findings[1].property, "errors");
  EXPECT_EQ(status_of(*report), kHolds);
}

TEST(Verbs, CheckPromisesEveryLevelBeforeItsReportIsWritten) {
  CheckRequest request;
  request.inputs = {"h.txt"};
  request.text = "w(1,1,0,0)\nr(1,1,1,1)\n";
  request.formats = {"json"};
  std::size_t asked = 0;
  std::size_t decided = 0;
  request.listener.on_questions = [&](const std::vector<Promise>& all) {
    asked = all.size();
  };
  request.listener.on_verdict = [&](const Promise&) { ++decided; };
  const auto report = check(request, Budget::unlimited());
  ASSERT_TRUE(report) << report.error().what;
  EXPECT_GT(asked, 5u);
  EXPECT_EQ(decided, asked);
  EXPECT_EQ(report->findings.size(), asked);
  EXPECT_EQ(status_of(*report), kHolds);
  EXPECT_EQ(text(*report), "") << "only JSON was asked for";
}

/// What a verb tells before it returns: questions, and the verdicts on them.
struct Told {
  std::vector<Promise> asked;
  std::vector<Promise> decided;

  Listener listener() {
    Listener out;
    out.on_questions = [this](const std::vector<Promise>& all) { asked = all; };
    out.on_verdict = [this](const Promise& one) { decided.push_back(one); };
    return out;
  }
  [[nodiscard]] bool was_asked(const Promise& one) const {
    return std::any_of(asked.begin(), asked.end(), [&](const Promise& other) {
      return other.level == one.level && other.order == one.order &&
             other.property == one.property;
    });
  }
};

/// Every verdict is on a question, and all are told.
void expect_told(const Told& told, std::size_t verdicts) {
  EXPECT_EQ(told.decided.size(), verdicts);
  for (const Promise& one : told.decided)
    EXPECT_TRUE(told.was_asked(one)) << one.level << " " << one.property;
}

TEST(Verbs, EveryVerdictIsToldAsItIsFound) {
  const std::string program =
      "var x\nsession { txn { r = read x\n write x = r + 1 } }\n"
      "session { txn { r = read x\n write x = r + 1 } }\n"
      "invariant \"two\" x == 2\ninvariant \"some\" x >= 1\n";
  Told explored;
  ExploreRequest explore_request;
  explore_request.input = "p.txn";
  explore_request.text = program;
  explore_request.level = "causal,serializable";
  explore_request.listener = explored.listener();
  ASSERT_TRUE(explore(explore_request, Budget::unlimited()));
  expect_told(explored, 2);

  Told verified;
  VerifyRequest verify_request;
  verify_request.input = "p.txn";
  verify_request.text = program;
  verify_request.level = "causal,serializable";
  verify_request.listener = verified.listener();
  ASSERT_TRUE(verify(verify_request, Budget::unlimited()));
  expect_told(verified, 6);  // two rules and errors, at two levels
  EXPECT_EQ(verified.asked.size(), 6u);

  Told audited;
  AuditRequest audit_request;
  audit_request.input = example("logs/lost-update.jsonl");
  audit_request.listener = audited.listener();
  ASSERT_TRUE(audit(audit_request, Budget::unlimited()));
  expect_told(audited, 1);
  ASSERT_FALSE(audited.decided.empty());
  EXPECT_EQ(audited.decided.front().known, Promise::Known::Violated);

  Told analysed;
  AnalyzeRequest analyze_request;
  analyze_request.inputs = {example("bank/bank.sql")};
  analyze_request.repairs = false;
  analyze_request.listener = analysed.listener();
  ASSERT_TRUE(analyze(analyze_request, Budget::unlimited()));
  EXPECT_EQ(analysed.asked.size(), 1u);
  ASSERT_FALSE(analysed.decided.empty());
  EXPECT_TRUE(analysed.was_asked(analysed.decided.front()));
}

/// A counter that passes a limit after some steps.
ModelRequest counter(const test::TemporaryDirectory& directory) {
  ModelRequest request;
  request.input = directory.write(
      "Count.tla",
      "---- MODULE Count ----\nEXTENDS Naturals\nVARIABLE n\n"
      "Init == n = 0\nNext == n' = (n + 1) % 50\nSmall == n < 40\n"
      "Natural == n \\in Nat\n====\n");
  directory.write("Count.cfg",
                  "INIT Init\nNEXT Next\nINVARIANT Small\nINVARIANT Natural\n");
  return request;
}

TEST(Verbs, ModelTellsAViolationBeforeTheWayThereAndKeepsIt) {
  const test::TemporaryDirectory directory;
  ModelRequest request = counter(directory);
  Told told;
  request.listener = told.listener();
  const Budget budget = Budget::unlimited();
  request.listener.on_verdict = [&](const Promise& one) {
    told.decided.push_back(one);
    budget.cancel();  // as if the time ended here
  };
  const auto report = model(request, budget);
  ASSERT_TRUE(report) << report.error().what;
  expect_told(told, 1);
  EXPECT_EQ(told.decided.at(0).property, "Small");
  EXPECT_EQ(told.decided.at(0).known, Promise::Known::Violated);
  EXPECT_EQ(status_of(*report), kViolated);
  EXPECT_EQ(status_of(told.asked), kUndecided) << "as it was asked";
  EXPECT_EQ(status_of(told.decided), kViolated);
}

TEST(Verbs, AuditJudgesALog) {
  AuditRequest request;
  request.input = example("logs/lost-update.jsonl");
  const auto report = audit(request, Budget::unlimited());
  ASSERT_TRUE(report) << report.error().what;
  EXPECT_EQ(status_of(*report), kViolated);
  EXPECT_GT(report->findings.front().where.line, 0u);
}

TEST(Verbs, ModelNamesWhatItChecked) {
  ModelRequest request;
  request.input = example("tla/TwoPhase.tla");
  const auto report = model(request, Budget::unlimited());
  ASSERT_TRUE(report) << report.error().what;
  EXPECT_EQ(status_of(*report), kHolds);
  for (const Finding& finding : report->findings)
    EXPECT_FALSE(finding.property.empty());
}

TEST(Verbs, WhatGenerateWritesConvertReads) {
  std::string made;
  GenerateRequest generated;
  generated.transactions = 12;
  generated.write = [&](std::string_view piece) { made += piece; };
  ASSERT_TRUE(generate(generated, Budget::unlimited()));
  std::string converted;
  ConvertRequest request;
  request.input = "h.jsonl";
  request.text = made;
  request.to = "plume";
  request.write = [&](std::string_view piece) { converted += piece; };
  const auto report = convert(request, Budget::unlimited());
  ASSERT_TRUE(report) << report.error().what;
  EXPECT_EQ(status_of(*report), kHolds);
  EXPECT_NE(converted.find("w("), std::string::npos);
}

TEST(Verbs, GenerateSaysWhereThereIsNoSuchHistory) {
  GenerateRequest request;
  request.allowed_by = "serializable";
  request.forbidden_by = "causal";
  request.write = [](std::string_view) { FAIL() << "there is nothing"; };
  const auto report = generate(request, Budget::unlimited());
  ASSERT_TRUE(report);
  EXPECT_EQ(status_of(*report), kViolated);
  EXPECT_NE(report->summary.find("there is no such history"),
            std::string::npos);
}

TEST(Verbs, ErrorsOfTheCallAreResults) {
  const auto recorded = record({}, Budget::unlimited());
  ASSERT_FALSE(recorded);
  EXPECT_EQ(recorded.error().what, "what should be recorded?");
  EXPECT_FALSE(explain({"no such word at all"}));
  const auto found = explain({"write-skew"});
  ASSERT_TRUE(found);
  EXPECT_NE(text(*found).find("write-skew"), std::string::npos);
}

}  // namespace
