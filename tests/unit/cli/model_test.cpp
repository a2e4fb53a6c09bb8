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
  EXPECT_EQ(model_chart(result),
            "     a               b\n"
            "2    Ask             |               sends hello to=b\n"
            "     o-------------->|               hello to=b\n"
            "3    |               Answer\n");
}

TEST(ModelChart, IsEmptyWithoutProcesses) {
  ModelResult result;
  result.trace.resize(2);
  result.trace[1].action = "Tick";
  EXPECT_EQ(model_chart(result), "");
}

TEST(ModelText, SaysTheVerdictFirst) {
  ModelResult result;
  result.outcome = Outcome::Holds;
  result.generated = 1234;
  result.distinct = 567;
  result.depth = 8;
  ModelReport report;
  report.input = "P.tla";
  report.result = &result;
  const std::string text = model_text(report);
  EXPECT_EQ(text.substr(0, text.find('\n')),
            "P.tla: HOLDS in every reachable state");
  EXPECT_NE(text.find("1,234 states generated, 567 distinct, depth 8"),
            std::string::npos);
  result.generated = result.distinct = result.depth = 1;
  EXPECT_NE(model_text(report).find("1 state generated, 1 distinct, depth 1"),
            std::string::npos);
}

class ModelVerb : public testing::Test {
 protected:
  static Ran run(const std::string& arguments) {
    return run_command("txscope model " + arguments,
                       source_dir() + "/examples/tla");
  }
};

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
  ModelReport report;
  report.input = "P.tla";
  report.result = &result;
  EXPECT_EQ(
      model_dot(report),
      "digraph txscope {\n"
      "  node [shape=record, fontname=monospace];\n"
      "  subgraph cluster_trace {\n"
      "    label=\"P.tla: Inv\";\n"
      "    \"s1\" [label=\"{state\\ 1|x\\ =\\ \\{1,\\ 2\\}}\"];\n"
      "    \"s2\" [label=\"{state\\ 2|x\\ =\\ [a\\ \\|-\\>\\ \\\"b\\\"]}\"];\n"
      "    \"s1\" -> \"s2\" [label=\"Next\"];\n"
      "    \"s2\" -> \"s1\" [label=\"for ever\", style=bold];\n"
      "  }\n}\n");
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
