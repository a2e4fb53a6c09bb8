#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "report/model_report.h"
#include "support/tla.h"

// What can be had beside the verdict: coverage, the graph of all states, and
// behaviours in the format of TLC.
namespace txscope::test {
namespace {

using Json = nlohmann::json;

// 0 -> 1 -> 2 -> 0, and from 1 back to 0; Never can never be taken.
const std::string kRing =
    "EXTENDS Naturals\n"                          // line 2
    "VARIABLE x\n"                                // 3
    "Init == x = 0\n"                             // 4
    "Up(n) == x < 2 /\\ x' = x + n\n"             // 5
    "Back ==\n"                                   // 6
    "  /\\ x = 1 \\/ x = 2\n"                     // 7
    "  /\\ x' = 0\n"                              // 8
    "Never ==\n"                                  // 9
    "  /\\ x = 7\n"                               // 10
    "  /\\ x' = 0\n"                              // 11
    "Next == (\\E n \\in {1} : Up(n)) \\/ Back \\/ Never\n"
    "Inv == x < 3\n"
    "Low == x < 2\n";

const ModelCoverage::Line* line(const ModelCoverage& c, std::uint64_t number) {
  for (const auto& l : c.lines)
    if (l.place.line == number) return &l;
  return nullptr;
}

TEST(TlaAnswers, CountHowOftenActionsAreTaken) {
  for (const std::uint32_t jobs : {1u, 2u}) {
    SpecRun run;
    run.jobs = jobs;
    run.adjust = [](ModelRequest& r) { r.wants_coverage = true; };
    const auto result =
        check_spec(kRing, "INIT Init NEXT Next INVARIANT Inv", run);
    ASSERT_TRUE(result) << result.error().what;
    ASSERT_TRUE(result->coverage);
    std::map<std::string, std::pair<std::uint64_t, std::uint64_t>> actions;
    for (const auto& a : result->coverage->actions)
      actions[a.name] = {a.generated, a.distinct};
    // Up in 0 and 1, each to a new state; Back in 1 and 2, to none.
    EXPECT_EQ(actions["Up"], std::pair(std::uint64_t{2}, std::uint64_t{2}));
    EXPECT_EQ(actions["Back"].second, 0u);
    EXPECT_FALSE(actions.contains("Never"));
    ASSERT_NE(line(*result->coverage, 10), nullptr);
    EXPECT_EQ(line(*result->coverage, 10)->count, 3u);  // once in each state
    ASSERT_NE(line(*result->coverage, 11), nullptr);
    EXPECT_EQ(line(*result->coverage, 11)->count, 0u);  // x = 7 is never true
    EXPECT_EQ(line(*result->coverage, 10)->text, "  /\\ x = 7");
    ASSERT_NE(line(*result->coverage, 13), nullptr);
    EXPECT_EQ(line(*result->coverage, 13)->count, 3u);  // once in each state
  }
}

TEST(TlaAnswers, DoNotCountTheWayBackToAViolation) {
  SpecRun run;
  run.adjust = [](ModelRequest& r) { r.wants_coverage = true; };
  const auto result =
      check_spec(kRing, "INIT Init NEXT Next INVARIANT Low", run);
  ASSERT_TRUE(result) << result.error().what;
  EXPECT_EQ(result->trace.size(), 3u);
  ASSERT_TRUE(result->coverage);
  ASSERT_NE(line(*result->coverage, 4), nullptr);
  EXPECT_EQ(line(*result->coverage, 4)->count, 1u);  // one initial predicate
}

TEST(TlaAnswers, GiveTheGraphOfAllStates) {
  SpecRun run;
  run.adjust = [](ModelRequest& r) { r.wants_graph = true; };
  // Also when something is violated, and beyond that.
  const auto result =
      check_spec(kRing, "INIT Init NEXT Next INVARIANT Low", run);
  ASSERT_TRUE(result) << result.error().what;
  EXPECT_EQ(result->outcome, Outcome::Violated);
  ASSERT_TRUE(result->graph);
  const ModelGraph& graph = *result->graph;
  ASSERT_EQ(graph.states.size(), 3u);
  EXPECT_TRUE(graph.states[0].is_initial);
  EXPECT_FALSE(graph.states[1].is_initial);
  EXPECT_EQ(graph.states[2].values, std::vector<std::string>{"2"});
  std::set<std::tuple<std::uint32_t, std::uint32_t, std::string>> edges;
  for (const auto& e : graph.edges) edges.insert({e.from, e.to, e.action});
  const decltype(edges) expected = {
      {0, 1, "Up(1)"}, {1, 2, "Up(1)"}, {1, 0, "Back"}, {2, 0, "Back"}};
  EXPECT_EQ(edges, expected);

  const std::string dot = report::model_graph_dot(graph);
  EXPECT_NE(dot.find("1 [label=\"x = 0\\l\", style=filled];"),
            std::string::npos)
      << dot;
  EXPECT_NE(dot.find("1 -> 2 [label=\"Up(1)\"];"), std::string::npos) << dot;
  const Json json = Json::parse(report::model_graph_json(graph));
  EXPECT_EQ(json["states"].size(), 3u);
  EXPECT_EQ(json["states"][2]["values"]["x"], 2);
  EXPECT_EQ(json["steps"].size(), 4u);
}

// The format is that of TLC's module _JsonTrace: states with their numbers,
// and steps between such.
TEST(TlaAnswers, GiveBehavioursAsTlcDoes) {
  const auto result =
      check_spec(kRing, "INIT Init NEXT Next INVARIANT Low");
  ASSERT_TRUE(result) << result.error().what;
  const Json json = Json::parse(report::model_tlc_trace(*result));
  EXPECT_EQ(json["vars"], Json::parse(R"(["x"])"));
  const Json& example = json["counterexample"];
  EXPECT_EQ(example["state"],
            Json::parse(R"([[1,{"x":0}],[2,{"x":1}],[3,{"x":2}]])"));
  ASSERT_EQ(example["action"].size(), 2u);
  const Json& step = example["action"][0];
  EXPECT_EQ(step[0], Json::parse(R"([1,{"x":0}])"));
  EXPECT_EQ(step[2], Json::parse(R"([2,{"x":1}])"));
  EXPECT_EQ(step[1]["name"], "Up");
  EXPECT_EQ(step[1]["parameters"], Json::parse(R"(["n"])"));
  EXPECT_EQ(step[1]["context"], Json::parse(R"({"n":1})"));
  EXPECT_EQ(step[1]["location"]["module"], "Spec");
  EXPECT_EQ(step[1]["location"]["beginLine"], 5);
}

TEST(TlaAnswers, CloseALassoByAStepThatLeadsBack) {
  const auto result =
      check_spec(kRing + "Live == <>(x = 9)\n"
                         "Spec == Init /\\ [][Next]_x /\\ WF_x(Next)\n",
                 "SPECIFICATION Spec PROPERTY Live");
  ASSERT_TRUE(result) << result.error().what;
  ASSERT_EQ(result->violation, ModelViolation::Liveness);
  ASSERT_TRUE(result->loop);
  const Json json = Json::parse(report::model_tlc_trace(*result));
  const Json& steps = json["counterexample"]["action"];
  const Json& last = steps.back();
  EXPECT_LE(last[2][0], last[0][0]);
  EXPECT_EQ(last[2][0], *result->loop + 1);
}

}  // namespace
}  // namespace txscope::test
