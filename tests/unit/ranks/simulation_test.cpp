#include <gtest/gtest.h>

#include "support/ranks.h"
#include "support/tla.h"

// Random behaviours that ranks share are those of one process.
namespace txscope::test {
namespace {

const std::string kWalk =
    "EXTENDS Naturals, TLC\nVARIABLES x, y\n"
    "Init == x \\in 0..3 /\\ y = 0\n"
    "Next == \\/ x' = (x + 3) % 17 /\\ y' = y\n"
    "        \\/ y' = (y + x) % 19 /\\ x' = x + 1\n"
    "Apart == x + y < 34\n"
    "Small == x < 30\n"
    "Rare == x = 16 /\\ y = 11\n"
    "Fails == IF x + y = 34 THEN x + \"a\" = 1 ELSE TRUE\n"
    "Few == y < 15\n";

Result<ModelResult> simulated(const std::string& config, const RankRun& run,
                              bool is_alone = false) {
  SpecRun how;
  how.simulate = 1000;
  how.max_depth = 30;
  how.adjust = [&](ModelRequest& request) {
    request.seed = 5;
    if (!is_alone) set_ranks(request, run);
  };
  return check_spec(kWalk, "INIT Init NEXT Next " + config, how);
}

TEST(RanksSimulation, GiveTheBehavioursOfOneProcess) {
  for (const char* config :
       {"INVARIANT Small", "INVARIANT Apart", "INVARIANT Apart CONSTRAINT Few",
        "INVARIANT Small _POSSIBLE Rare", "INVARIANT Fails"}) {
    const auto alone = simulated(config, {}, true);
    for (const RankRun& run : all_rank_runs()) {
      const auto together = simulated(config, run);
      expect_same_answer(alone, together, config + name_of(run));
      if (alone && together) {
        EXPECT_EQ(alone->behaviours, together->behaviours) << name_of(run);
      }
    }
  }
}

// The two questions have answers: some behaviour is wrong, not the first.
TEST(RanksSimulation, FindWhatARareBehaviourDoes) {
  const auto found = simulated("INVARIANT Apart", {3, true});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->outcome, Outcome::Violated);
  EXPECT_GT(found->behaviours, 0u);
  EXPECT_FALSE(found->trace.empty());
  const auto failed = simulated("INVARIANT Fails", {3, true});
  EXPECT_FALSE(failed);
}

// What is wrong once, as TLCSet counts evaluations, is told by the process that
// met it; ranks, which make it again, say that they cannot.
TEST(RanksSimulation, DoNotTellWhatCannotBeMadeAgain) {
  const std::string module =
      "EXTENDS Naturals, TLC\nVARIABLE x\nASSUME TLCSet(1, 0)\n"
      "Init == x = 0\nNext == x' = (x + 1) % 3\n"
      "Once == TLCSet(1, TLCGet(1) + 1) /\\ TLCGet(1) # 40\n"
      "Fails == TLCSet(1, TLCGet(1) + 1) /\\ (TLCGet(1) = 40 => x = \"a\")\n";
  const auto run = [&](const std::string& invariant, bool is_alone) {
    SpecRun how;
    how.simulate = 50;
    how.max_depth = 5;
    how.adjust = [&](ModelRequest& request) {
      if (!is_alone) set_ranks(request, {1, true});
    };
    return check_spec(module, "INIT Init NEXT Next INVARIANT " + invariant,
                      how);
  };
  const auto alone = run("Once", true);
  ASSERT_TRUE(alone) << alone.error().what;
  EXPECT_EQ(alone->outcome, Outcome::Violated);
  for (const auto& together : {run("Once", false), run("Fails", true)}) {
    ASSERT_TRUE(together) << together.error().what;
    EXPECT_EQ(together->outcome, Outcome::Undecided);
    EXPECT_NE(together->trouble.find("TLCSet"), std::string::npos)
        << together->trouble;
  }
}

}  // namespace
}  // namespace txscope::test
