// `txscope explore` as its users see it: exit statuses, messages, formats.

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "support/paths.h"
#include "support/run_command.h"

namespace txscope {
namespace {

using test::Ran;
using test::run_command;
using test::TemporaryDirectory;

constexpr char kLostUpdate[] =
    "var x\n"
    "txn inc() {\n"
    "  v = read x\n"
    "  write x = v + 1\n"
    "}\n"
    "session a { inc() }\n"
    "session b { inc() }\n"
    "invariant \"both count\" x == 2\n";

class ExploreCommand : public testing::Test {
 protected:
  ExploreCommand() {
    directory_.write("p.txn", kLostUpdate);
    directory_.write("loop.txn",
                     "var x\nsession { txn { v = read x\n"
                     " while v == 0 { v = read x } } }\n");
  }
  Ran explore(const std::string& arguments) const {
    return run_command("txscope explore " + arguments, directory_.path());
  }
  nlohmann::json json(const std::string& arguments) const {
    return nlohmann::json::parse(explore(arguments + " --format json").output);
  }
  TemporaryDirectory directory_;
};

TEST_F(ExploreCommand, ExitsByTheVerdict) {
  EXPECT_EQ(explore("p.txn --level serializable").status, 0);
  EXPECT_EQ(explore("p.txn --level causal").status, 1);
  EXPECT_EQ(explore("p.txn --level causal,serializable").status, 1);
  EXPECT_EQ(explore("loop.txn --level causal").status, 3);
  EXPECT_EQ(explore("missing.txn").status, 2);
}

TEST_F(ExploreCommand, KeepsTheJsonContract) {
  const auto report = json("p.txn --level causal,serializable");
  EXPECT_EQ(report["verb"], "explore");
  ASSERT_EQ(report["results"].size(), 2u);
  const auto& causal = report["results"][0];
  EXPECT_EQ(causal["level"], "causal");
  EXPECT_EQ(causal["order"], "session");
  EXPECT_EQ(causal["verdict"], "violated");
  EXPECT_EQ(causal["histories"], 3);
  EXPECT_EQ(causal["end_states"], 3);
  for (const char* count :
       {"filtered", "discarded", "cut", "blocked", "duplicates"}) {
    EXPECT_EQ(causal[count], 0) << count;
  }
  EXPECT_GT(causal["explored"], 0);
  EXPECT_EQ(causal["complete"], true);
  ASSERT_EQ(causal["properties"].size(), 1u);
  EXPECT_EQ(causal["properties"][0]["name"], "both count");
  EXPECT_EQ(causal["properties"][0]["kind"], "invariant");
  EXPECT_EQ(causal["properties"][0]["verdict"], "violated");
  const auto& violation = causal["violation"];
  EXPECT_EQ(violation["kind"], "invariant");
  EXPECT_EQ(violation["name"], "both count");
  EXPECT_EQ(violation["place"], "p.txn:8:1");
  EXPECT_EQ(violation["values"]["x"], 1);
  EXPECT_EQ(violation["schedule"].size(), 6u);
  const auto& serializable = report["results"][1];
  EXPECT_EQ(serializable["verdict"], "holds");
  EXPECT_EQ(serializable["histories"], 2);
  EXPECT_EQ(serializable["filtered"], 1);
  EXPECT_FALSE(serializable.contains("violation"));
}

TEST_F(ExploreCommand, AllMeansTheEightLevelsThatReadCommittedValues) {
  const auto report = json("p.txn --level all");
  ASSERT_EQ(report["results"].size(), 8u);
  EXPECT_EQ(report["results"][0]["level"], "read-committed");
  EXPECT_EQ(report["results"][7]["level"], "serializable");
}

TEST_F(ExploreCommand, ABoundThatCutIsCountedAndNamed) {
  const auto result = json("loop.txn --level causal --loop-bound 5");
  EXPECT_EQ(result["results"][0]["verdict"], "undecided");
  EXPECT_EQ(result["results"][0]["cut"], 1);
  EXPECT_EQ(result["results"][0]["complete"], false);
  EXPECT_NE(explore("loop.txn --level causal").output.find("--loop-bound"),
            std::string::npos);
}

TEST_F(ExploreCommand, WrongCallsAreRefused) {
  EXPECT_EQ(explore("p.txn --level read-uncommitted").status, 2);
  EXPECT_EQ(explore("p.txn --level strict-serializable").status, 2);
  EXPECT_EQ(explore("p.txn --level nonsense").status, 2);
  EXPECT_EQ(explore("p.txn --algorithm magic").status, 2);
  EXPECT_EQ(explore("p.txn --format pdf").status, 2);
  EXPECT_EQ(explore("p.txn --histories h.jsonl").status, 2);
  EXPECT_EQ(
      explore("p.txn --level si --histories no/such/folder/h.jsonl").status, 2);
}

TEST_F(ExploreCommand, AMistakeIsShownWithItsLineAndACaret) {
  directory_.write("bad.txn", "var x\nsession { txn { v = 1 + read x } }\n");
  const Ran ran = explore("bad.txn");
  EXPECT_EQ(ran.status, 2);
  EXPECT_EQ(ran.output,
            "bad.txn:2:25: 'read' cannot appear inside an expression\n"
            "  session { txn { v = 1 + read x } }\n"
            "                          ^\n"
            "  hint: read into a local first: v = read x\n");
}

TEST_F(ExploreCommand, TheNaiveSearchAndJobsGiveTheSameCounts) {
  for (const char* how : {"--algorithm dfs", "--jobs 3", "--self-check"}) {
    const auto result =
        json("p.txn --level causal --all " + std::string(how))["results"][0];
    EXPECT_EQ(result["histories"], 3) << how;
    EXPECT_EQ(result["properties"][0]["violating"], 1) << how;
  }
}

TEST_F(ExploreCommand, HistoriesAreReadableByCheck) {
  ASSERT_EQ(explore("p.txn --level serializable --histories h.jsonl").status,
            0);
  const auto checked = nlohmann::json::parse(
      run_command("txscope check h.jsonl --level serializable --format json",
                  directory_.path())
          .output);
  ASSERT_EQ(checked["results"].size(), 2u);
  for (const auto& result : checked["results"]) {
    EXPECT_EQ(result["verdict"], "holds");
  }
}

TEST_F(ExploreCommand, TheReportFitsEightyColumnsOfAscii) {
  for (const std::string path :
       {"invariants/fractured_read", "invariants/d6_two_observers",
        "invariants/smallbank", "language/operators"}) {
    const Ran ran =
        explore(test::source_dir() + "/tests/programs/" + path + ".txn --all");
    EXPECT_EQ(ran.status, 1);
    std::istringstream lines(ran.output);
    for (std::string line; std::getline(lines, line);) {
      // A path may be longer than a line and is never broken.
      if (line.find("/tests/programs/") != std::string::npos) continue;
      EXPECT_LE(line.size(), 80u) << line;
      EXPECT_TRUE(std::all_of(line.begin(), line.end(), [](char c) {
        return c >= ' ' && c <= '~';
      })) << line;
    }
  }
}

TEST_F(ExploreCommand, TheSameCallPrintsTheSameBytes) {
  EXPECT_EQ(explore("p.txn --all").output, explore("p.txn --all").output);
}

TEST_F(ExploreCommand, DotShowsTransactionsAndReads) {
  const std::string dot = explore("p.txn --level causal --format dot").output;
  EXPECT_EQ(dot.rfind("digraph", 0), 0u);
  EXPECT_NE(dot.find("\"1/init\" -> \"1/a.t1\""), std::string::npos) << dot;
}

TEST_F(ExploreCommand, DotIsOneGraphHoweverManyLevelsAreViolated) {
  for (const char* levels : {"causal,read-committed", "serializable"}) {
    const std::string dot =
        explore("p.txn --all --format dot --level " + std::string(levels))
            .output;
    EXPECT_EQ(dot.rfind("digraph", 0), 0u) << dot;
    EXPECT_EQ(dot.find("digraph", 1), std::string::npos) << dot;
  }
}

// Store buffering: at snapshot isolation both may miss the other's write, one
// after the other they cannot.
constexpr char kStoreBuffering[] =
    "var x\nvar y\n"
    "session a { p: txn { write x = 1; r = read y } }\n"
    "session b { q: txn { write y = 1; r = read x } }\n"
    "exists \"both miss\" a.p.r == 0 && b.q.r == 0\n";

TEST_F(ExploreCommand, ExistsHoldsWhereAnExecutionDoesIt) {
  directory_.write("sb.txn", kStoreBuffering);
  const Ran weak = explore("sb.txn --level snapshot-isolation --all");
  EXPECT_EQ(weak.status, 0) << weak.output;
  EXPECT_NE(weak.output.find("exists \"both miss\" (in 1 history)"),
            std::string::npos)
      << weak.output;
  const Ran strong = explore("sb.txn --level serializable");
  EXPECT_EQ(strong.status, 1) << strong.output;
  const auto json =
      nlohmann::json::parse(explore("sb.txn --format json --all").output);
  for (const auto& result : json["results"])
    EXPECT_EQ(result["properties"][0]["verdict"],
              result["level"] == "serializable" ? "violated" : "holds")
        << result["level"];
}

TEST_F(ExploreCommand, ABudgetLeavesExistsUndecided) {
  directory_.write("loop.txn",
                   "var x\nsession { txn { while 1 { v = read x } } }\n"
                   "exists x == 1\n");
  EXPECT_EQ(explore("loop.txn --level causal --loop-bound 3").status, 3);
}

TEST_F(ExploreCommand, WhatCannotBeComputedIsNoWitness) {
  directory_.write("zero.txn",
                   "var x\nsession { txn { write x = 0 } }\n"
                   "exists 1 / x == 1\n");
  EXPECT_EQ(explore("zero.txn --level causal").status, 1);
}

TEST_F(ExploreCommand, AConditionSeesLocalsAndFinalValues) {
  directory_.write(
      "both.txn",
      "var x\nsession a { t: txn { r = read x; write x = r + 1 } }\n"
      "session b { u: txn { r = read x; write x = r + 1 } }\n"
      "exists \"lost\" a.t.r == 0 && b.u.r == 0 && x == 1\n"
      "assert \"counted\" a.t.r + b.u.r == 0 || x == 2\n"
      "invariant \"seen\" x == 1 || a.t.r + b.u.r == 1\n");
  const Ran ran = explore("both.txn --level prefix");
  EXPECT_EQ(ran.status, 0) << ran.output;
  // What has to exist is shown, not cured.
  EXPECT_TRUE(ran.said("\"lost\" happens")) << ran.output;
  EXPECT_FALSE(ran.said("What to do")) << ran.output;
  EXPECT_EQ(explore("both.txn --level serializable").status, 1);
}

TEST_F(ExploreCommand, OutcomesAreListedAsLitmusToolsDo) {
  directory_.write("sb.txn", kStoreBuffering);
  const auto outcomes = [&](const std::string& level) {
    const std::string text =
        explore("sb.txn --outcomes --level " + level).output;
    const std::string rest = text.substr(text.find("outcome")) + "\n";
    return rest.substr(0, rest.find("\n\n") + 1);  // a witness may follow
  };
  EXPECT_EQ(outcomes("serializable"),
            "outcomes, each with the number of histories that can end so\n"
            "1       :>a.p.r=0; b.q.r=1;\n"
            "1       :>a.p.r=1; b.q.r=0;\n");
  EXPECT_EQ(outcomes("causal"),
            "outcomes, each with the number of histories that can end so\n"
            "1       :>a.p.r=0; b.q.r=0;\n"
            "1       :>a.p.r=0; b.q.r=1;\n"
            "1       :>a.p.r=1; b.q.r=0;\n");
}

// Both read before either write is committed: what serializable refuses.
TEST_F(ExploreCommand, WhatExistsIsDrawnAndCertified) {
  directory_.write("sb.txn", kStoreBuffering);
  const Ran ran = explore("sb.txn --level snapshot-isolation --certify");
  EXPECT_EQ(ran.status, 0);
  EXPECT_TRUE(ran.said("happens (sb.txn:"));
  EXPECT_TRUE(ran.said("r = read x -> 0 (initial)"));
  EXPECT_TRUE(ran.said("r = read y -> 0 (initial)"));
  EXPECT_TRUE(ran.said("It is called write skew (G2-item)"));
  EXPECT_TRUE(ran.said("1 run replayed"));
  const auto json = nlohmann::json::parse(
      explore("sb.txn --level serializable,causal --format json").output);
  EXPECT_FALSE(json["results"][1]["properties"][0].contains("witness"));
  EXPECT_EQ(json["results"][0]["properties"][0]["witness"]["kind"], "exists");
  const std::string dot = explore("sb.txn --level causal --format dot").output;
  EXPECT_NE(dot.find("|r(x)=0"), std::string::npos) << dot;
  EXPECT_NE(dot.find("|r(y)=0"), std::string::npos) << dot;
}

TEST_F(ExploreCommand, TheVerdictIsOneLineWhereNobodyLooks) {
  const std::string name(90, 'n');
  directory_.write(name + ".txn", kStoreBuffering);
  EXPECT_TRUE(
      explore(name + ".txn --level serializable")
          .said(name + ".txn: serializable (session order) is VIOLATED\n"));
}

// One history, but the order of the commits, and so the end, is open.
TEST_F(ExploreCommand, OutcomesHaveEveryEndOfAHistory) {
  directory_.write("blind.txn",
                   "var x\nvar y\n"
                   "session a { txn { write x = 1; write y = 1 } }\n"
                   "session b { txn { write x = 2; write y = 2 } }\n");
  const auto json = nlohmann::json::parse(
      explore("blind.txn --outcomes --format json --level causal --jobs 2")
          .output);
  const auto& outcomes = json["results"][0]["outcomes"];
  ASSERT_EQ(outcomes.size(), 2u) << outcomes;
  EXPECT_EQ(outcomes[0]["values"]["x"], outcomes[0]["values"]["y"]);
  EXPECT_EQ(outcomes[0]["histories"], 1);
}

}  // namespace
}  // namespace txscope
