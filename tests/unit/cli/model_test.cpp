#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "report/model_report.h"
#include "support/paths.h"
#include "support/run_command.h"
#include "support/tla.h"

namespace txscope::test {
namespace {

TEST(ModelChart, DrawsAnArrowFromWhoSentToWhoNeeded) {
  ModelResult result;
  result.trace.resize(3);
  result.trace[1].action = "Ask(a)";
  result.trace[1].process = "a";
  result.trace[1].sent = {{"[to |-> b, type |-> \"hello\"]", 1}};
  result.trace[2].action = "Answer(b)";
  result.trace[2].process = "b";
  result.trace[2].received = {{"[to |-> b, type |-> \"hello\"]", 1}};
  EXPECT_EQ(report::model_chart(result),
            "     a               b\n"
            "2    Ask             |               sends hello to=b\n"
            "     o-------------->|               hello to=b\n"
            "3    |               Answer\n");
}

TEST(ModelChart, IsEmptyWithoutProcesses) {
  ModelResult result;
  result.trace.resize(2);
  result.trace[1].action = "Tick";
  EXPECT_EQ(report::model_chart(result), "");
}

TEST(ModelText, SaysTheVerdictFirst) {
  ModelResult result;
  result.outcome = Outcome::Holds;
  result.generated = 1234;
  result.distinct = 567;
  result.depth = 8;
  result.invariants = {"Inv"};
  report::ModelReport report;
  report.input = "P.tla";
  report.result = &result;
  const std::string text = report::model_text(report);
  EXPECT_EQ(text.substr(0, text.find('\n')),
            "P.tla: HOLDS in every reachable state");
  EXPECT_NE(text.find("1,234 states generated, 567 distinct, depth 8"),
            std::string::npos);
  result.generated = result.distinct = result.depth = 1;
  EXPECT_NE(report::model_text(report).find("1 state generated, 1 distinct, depth 1"),
            std::string::npos);
}

/// The first line of what is said about a result.
std::string verdict_of(const ModelResult& result) {
  report::ModelReport report;
  report.input = "P.tla";
  report.result = &result;
  const std::string text = report::model_text(report);
  return text.substr(0, text.find('\n'));
}

TEST(ModelText, SaysWhatWasCheckedWhereNoNameSaysIt) {
  ModelResult result;
  result.outcome = Outcome::Holds;
  result.distinct = 3;
  result.checks_deadlock = true;
  EXPECT_EQ(
      verdict_of(result),
      "P.tla: HOLDS: no deadlock; no INVARIANT or PROPERTY was asked for");
  result.assumptions = 75;
  result.distinct = 0;
  result.checks_deadlock = false;
  EXPECT_EQ(verdict_of(result),
            "P.tla: HOLDS: 75 assumptions are true; there are no states");
}

TEST(ModelText, DoesNotSayEveryStateWhereConstraintsCut) {
  ModelResult result;
  result.outcome = Outcome::Holds;
  result.distinct = 3;
  result.invariants = {"Inv"};
  result.is_cut_by_constraint = true;
  EXPECT_EQ(verdict_of(result),
            "P.tla: HOLDS in every state that the constraints leave");
}

class ModelVerb : public testing::Test {
 protected:
  static Ran run(const std::string& arguments) {
    return run_command("txscope model " + arguments,
                       source_dir() + "/examples/tla");
  }
};

/// A module of its own, with its configuration, in a directory of its own.
Ran run_spec(const std::string& module, const std::string& config,
             const std::string& arguments = "") {
  const TemporaryDirectory directory;
  directory.write("S.tla", "---- MODULE S ----\n" + module + "====\n");
  directory.write("S.cfg", config);
  return run_command("txscope model S.tla " + arguments, directory.path());
}

constexpr char kAsserting[] =
    "EXTENDS Integers, TLC\nVARIABLE x\nInit == x = 0\n"
    "Next == x' = x + 1 /\\ Assert(x < 2, \"too large\")\n";

TEST_F(ModelVerb, AFailedAssertionIsViolatedWithItsBehaviour) {
  const auto text = run_spec(kAsserting, "INIT Init NEXT Next");
  EXPECT_EQ(text.status, 1);
  EXPECT_EQ(text.output.rfind("S.tla: VIOLATED: an assertion fails: too large\n"
                              "  Assert is at S.tla:5:23\n",
                              0),
            0u)
      << text.output;
  const auto json =
      nlohmann::json::parse(run_spec(kAsserting, "INIT Init NEXT Next",
                                     "--format json --trace t.json")
                                .output);
  const auto& row = json["results"][0];
  EXPECT_EQ(row["verdict"], "violated");
  EXPECT_EQ(row["violation"], "assertion");
  EXPECT_EQ(row["assertion"], "too large");
  EXPECT_EQ(row["trace"].size(), 3u);
}

TEST_F(ModelVerb, NothingCheckedIsUndecided) {
  const std::string spec =
      "VARIABLE x\nInit == x \\in {}\nNext == x' = x\nInv == x = 1\n";
  const auto none = run_spec(spec, "INIT Init NEXT Next INVARIANT Inv");
  EXPECT_EQ(none.status, 3);
  EXPECT_EQ(
      none.output.rfind("S.tla: VACUOUS, nothing was checked: there is no "
                        "initial state\n",
                        0),
      0u)
      << none.output;
  const auto json = nlohmann::json::parse(
      run_spec(spec, "INIT Init NEXT Next INVARIANT Inv", "--format json")
          .output)["results"][0];
  EXPECT_EQ(json["verdict"], "holds");
  EXPECT_EQ(json["vacuous"], true);
  EXPECT_EQ(json["vacuous_because"], "there is no initial state");
}

TEST_F(ModelVerb, KeepsItsContractInJson) {
  const auto result =
      run("TwoPhase.tla --config TwoPhaseCareless.cfg --format json");
  EXPECT_EQ(result.status, 1);
  const auto json = nlohmann::json::parse(result.output);
  EXPECT_EQ(json["tool"], "txscope");
  EXPECT_EQ(json["verb"], "model");
  ASSERT_EQ(json["results"].size(), 1u);
  const auto& row = json["results"][0];
  EXPECT_TRUE(row["level"].is_null());
  EXPECT_TRUE(row["order"].is_null());
  EXPECT_EQ(row["verdict"], "violated");
  EXPECT_EQ(row["property"], "Serializable");
  EXPECT_TRUE(row["states_generated"].is_number_unsigned());
  EXPECT_TRUE(row["states_distinct"].is_number_unsigned());
  EXPECT_EQ(row["trace"].size(), row["depth"]);
  EXPECT_TRUE(row["trace"][0]["action"].is_null());
  EXPECT_TRUE(row["trace"][0]["values"].contains("lock"));
}

TEST(ModelDot, IsOneGraphOfTheTrace) {
  ModelResult result;
  result.property = "Inv";
  result.trace.resize(2);
  result.trace[0].values = {{"x", "{1, 2}", false, {}}};
  result.trace[1].action = "Next";
  result.trace[1].values = {{"x", "[a |-> \"b\"]", true, {}}};
  result.loop = 0;
  report::ModelReport report;
  report.input = "P.tla";
  report.result = &result;
  EXPECT_EQ(
      report::model_dot(report),
      "digraph txscope {\n"
      "  node [shape=record, fontname=monospace];\n"
      "  subgraph cluster_trace {\n"
      "    label=\"P.tla: Inv\";\n"
      "    \"s1\" [label=\"{state\\ 1|x\\ =\\ \\{1,\\ 2\\}}\"];\n"
      "    \"s2\" [label=\"{state\\ 2|x\\ =\\ [a\\ \\|-\\>\\ \\\"b\\\"]}\"];\n"
      "    \"s1\" -> \"s2\" [label=\"Next\"];\n"
      "    \"s2\" -> \"s1\" [label=\"forever\", style=bold];\n"
      "  }\n}\n");
}

// A limit of the shell stands for a full disk.
TEST_F(ModelVerb, TellsThatAFileTakesNoMore) {
  const TemporaryDirectory directory;
  const Ran full = run_command("ulimit -f 0; txscope model " + source_dir() +
                                   "/examples/tla/TwoPhase.tla --processes 2 "
                                   "--checkpoint saved",
                               directory.path());
  EXPECT_EQ(full.status, 3) << full.output;
  EXPECT_TRUE(full.said("cannot write: File too large")) << full.output;
  EXPECT_FALSE(full.said("--resume")) << full.output;
}

TEST_F(ModelVerb, TellsExitStatusesApart) {
  EXPECT_EQ(run("TwoPhase.tla").status, 0);
  EXPECT_EQ(run("TwoPhase.tla --depth 3").status, 3);
  EXPECT_EQ(run("TwoPhase.tla --config /nonexistent.cfg").status, 2);
  EXPECT_EQ(run("Nothing.tla").status, 2);
}

TEST_F(ModelVerb, PointsAtAMistakeWithACaret) {
  const auto result = run("TwoPhase.tla --config SnapshotStore.cfg");
  EXPECT_EQ(result.status, 2);
  EXPECT_NE(result.output.find("has no value"), std::string::npos);
  EXPECT_NE(result.output.find('^'), std::string::npos);
}

}  // namespace
}  // namespace txscope::test
