#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "support/paths.h"
#include "support/ranks.h"
#include "support/tla.h"

// A search on ranks gives what one process gives: counts, depth, verdict, and
// the trace itself.
namespace txscope::test {
namespace {

namespace fs = std::filesystem;

TEST(Ranks, GiveTheAnswersOfOneProcessOnEveryExample) {
  const fs::path directory = fs::path(source_dir()) / "examples" / "tla";
  int models = 0;
  for (const auto& entry : fs::directory_iterator(directory)) {
    if (entry.path().extension() != ".cfg") continue;
    ModelRequest request;
    request.config = entry.path().string();
    // TwoPhaseCareless.cfg is of TwoPhase.tla.
    for (std::string stem = entry.path().stem().string(); !stem.empty();
         stem.pop_back()) {
      request.spec = (directory / (stem + ".tla")).string();
      if (fs::exists(request.spec)) break;
    }
    ASSERT_TRUE(fs::exists(request.spec)) << entry.path();
    const auto alone = check_model(request, Budget::unlimited());
    for (const RankRun& run : {RankRun{3, false}, RankRun{2, true}})
      expect_same_answer(alone, on_ranks(request, run),
                         entry.path().string() + name_of(run));
    ++models;
  }
  EXPECT_GE(models, 8);
}

const std::string kCounter =
    "EXTENDS Naturals\nVARIABLES x, y\n"
    "Init == x \\in 0..3 /\\ y = 0\n"
    "Up == x < 9 /\\ x' = x + 1 /\\ UNCHANGED y\n"
    "Over == x > 4 /\\ y < 5 /\\ y' = y + 1 /\\ x' = 0\n"
    "Next == Up \\/ Over\n"
    "Spec == Init /\\ [][Next]_<<x, y>> /\\ WF_<<x, y>>(Next)\n";

struct Question {
  const char* name;
  std::string module;
  std::string config;
};

std::vector<Question> questions() {
  const std::string spec = "SPECIFICATION Spec\n";
  return {
      {"holds", kCounter + "Inv == x < 10\n",
       spec + "INVARIANT Inv CHECK_DEADLOCK FALSE"},
      {"deadlock", kCounter, spec},
      {"invariant", kCounter + "Inv == x + y < 12\n",
       spec + "INVARIANT Inv CHECK_DEADLOCK FALSE"},
      {"two invariants", kCounter + "A == x + y < 12\nB == y < 4\n",
       spec + "INVARIANTS A B CHECK_DEADLOCK FALSE"},
      {"initial state", kCounter + "Inv == x < 3\n",
       spec + "INVARIANT Inv CHECK_DEADLOCK FALSE"},
      {"step", kCounter + "Prop == [][x' /= 7]_x\n",
       spec + "PROPERTY Prop CHECK_DEADLOCK FALSE"},
      {"constraint", kCounter + "Few == x + y < 7\nInv == y < 3\n",
       spec + "CONSTRAINT Few CHECK_DEADLOCK FALSE"},
      {"violated outside of the constraint",
       kCounter + "Few == x + y < 7\nInv == x < 7\n",
       spec + "CONSTRAINT Few INVARIANT Inv CHECK_DEADLOCK FALSE"},
      {"action constraint", kCounter + "Even == y' % 2 = 0 \\/ x' < 4\n",
       spec + "ACTION_CONSTRAINT Even CHECK_DEADLOCK FALSE"},
      {"liveness that holds", kCounter + "Prop == <>(x = 9)\n",
       spec + "PROPERTY Prop CHECK_DEADLOCK FALSE"},
      {"liveness that fails", kCounter + "Prop == <>(y = 5)\n",
       spec + "PROPERTY Prop CHECK_DEADLOCK FALSE"},
      {"possible", kCounter + "Far == y = 5\n",
       spec + "_POSSIBLE Far CHECK_DEADLOCK FALSE"},
      {"impossible", kCounter + "Far == y = 6\n",
       spec + "_POSSIBLE Far CHECK_DEADLOCK FALSE"},
      {"assertion",
       "EXTENDS TLC\n" + kCounter + "Inv == Assert(x + y < 13, <<x, y>>)\n",
       spec + "INVARIANT Inv CHECK_DEADLOCK FALSE"},
      {"error", kCounter + "Inv == x + y < 13 \\/ {x} = 3 \\/ x[1]\n",
       spec + "INVARIANT Inv CHECK_DEADLOCK FALSE"},
      {"error in an initial state", kCounter + "Inv == x[1]\n",
       spec + "INVARIANT Inv CHECK_DEADLOCK FALSE"},
      {"assumption", kCounter + "ASSUME 1 = 2\n", spec},
      {"assumption that cannot be evaluated", kCounter + "ASSUME 1[2]\n", spec},
      {"no states", kCounter + "None == FALSE\n", "INIT None NEXT Next\n"},
      {"postcondition",
       "EXTENDS TLC\n" + kCounter + "Post == TLCGet(\"distinct\") = 60\n",
       spec + "POSTCONDITION Post CHECK_DEADLOCK FALSE"},
      {"postcondition that fails",
       "EXTENDS TLC\n" + kCounter + "Post == TLCGet(\"distinct\") = 61\n",
       spec + "POSTCONDITION Post CHECK_DEADLOCK FALSE"},
      {"symmetry",
       "EXTENDS Naturals, TLC\nCONSTANT P\nVARIABLE f\n"
       "Init == f = [p \\in P |-> 0]\n"
       "Next == \\E p \\in P : f[p] < 3 /\\ f' = [f EXCEPT ![p] = @ + 1]\n"
       "Sym == Permutations(P)\n",
       "INIT Init NEXT Next CONSTANT P = {a, b, c} SYMMETRY Sym\n"
       "CHECK_DEADLOCK FALSE"},
      {"view", kCounter + "See == <<x, y % 2>>\n",
       spec + "VIEW See CHECK_DEADLOCK FALSE"},
  };
}

TEST(Ranks, GiveTheAnswersOfOneProcessOnEveryKindOfQuestion) {
  for (const Question& question : questions()) {
    const auto alone = check_spec(question.module, question.config);
    for (const RankRun& run : all_rank_runs())
      expect_same_answer(alone,
                         spec_on_ranks(question.module, question.config, run),
                         question.name + name_of(run));
  }
}

TEST(Ranks, StopAtADepth) {
  for (const RankRun& run : all_rank_runs()) {
    SpecRun alone;
    alone.max_depth = 4;
    SpecRun together = alone;
    together.adjust = [&](ModelRequest& r) { set_ranks(r, run); };
    const auto a = check_spec(kCounter, "SPECIFICATION Spec", alone);
    const auto b = check_spec(kCounter, "SPECIFICATION Spec", together);
    expect_same_answer(a, b, name_of(run));
    ASSERT_TRUE(b);
    EXPECT_TRUE(b->is_cut_by_depth);
  }
}

TEST(Ranks, CountWhatIsCovered) {
  const auto covered = [](const RankRun* run) {
    SpecRun how;
    how.adjust = [run](ModelRequest& r) {
      r.wants_coverage = true;
      if (run != nullptr) set_ranks(r, *run);
    };
    return check_spec(kCounter + "Inv == x < 10\n",
                      "SPECIFICATION Spec INVARIANT Inv CHECK_DEADLOCK FALSE",
                      how);
  };
  const auto alone = covered(nullptr);
  ASSERT_TRUE(alone);
  for (const RankRun& run : all_rank_runs()) {
    const auto together = covered(&run);
    ASSERT_TRUE(together);
    const auto& a = alone->coverage;
    const auto& b = together->coverage;
    ASSERT_EQ(a->actions.size(), b->actions.size());
    std::uint64_t first_a = 0;
    std::uint64_t first_b = 0;
    for (std::size_t i = 0; i < a->actions.size(); ++i) {
      EXPECT_EQ(a->actions[i].name, b->actions[i].name);
      EXPECT_EQ(a->actions[i].generated, b->actions[i].generated);
      first_a += a->actions[i].distinct;  // who is first may differ
      first_b += b->actions[i].distinct;
    }
    EXPECT_EQ(first_a, first_b) << name_of(run);
    ASSERT_EQ(a->lines.size(), b->lines.size());
    for (std::size_t i = 0; i < a->lines.size(); ++i)
      EXPECT_EQ(a->lines[i].count, b->lines[i].count)
          << a->lines[i].text << name_of(run);
  }
}

}  // namespace
}  // namespace txscope::test
