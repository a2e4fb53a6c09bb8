#include <gtest/gtest.h>

#include <algorithm>

#include "support/fuzz.h"
#include "support/naive_spec.h"
#include "support/tla.h"

// Random specifications have the states that their definitions give them:
// every pair of states is tried as a step by an evaluator that knows nothing
// of how states are enumerated.
namespace txscope::test {
namespace {

TEST(TlaActionFuzz, ReachesTheStatesThatTheDefinitionsSay) {
  Random random(fuzz_seed(21));
  const int rounds = fuzz_rounds(200);
  int refused = 0;
  int violated = 0;
  for (int round = 0; round < rounds; ++round) {
    const NaiveSpec spec = NaiveSpecGenerator(random).make();
    const auto states = spec.reachable();
    const bool holds = std::all_of(states.begin(), states.end(), spec.inv);
    const auto free =
        check_spec(spec.module, "INIT Init NEXT Next CHECK_DEADLOCK FALSE");
    if (!free) {
      // Reading a value before it is there is the one thing to refuse.
      ASSERT_NE(free.error().what.find("before it has a value"),
                std::string::npos)
          << free.error().what << "\n"
          << spec.module;
      ++refused;
      continue;
    }
    ASSERT_EQ(free->distinct, states.size()) << spec.module;
    ASSERT_GE(free->generated, free->distinct);
    const auto checked = check_spec(
        spec.module, "INIT Init NEXT Next INVARIANT Inv CHECK_DEADLOCK FALSE");
    ASSERT_TRUE(checked) << spec.module;
    ASSERT_EQ(checked->outcome == Outcome::Holds, holds) << spec.module;
    violated += holds ? 0 : 1;
  }
  EXPECT_LT(refused, rounds / 4);
  EXPECT_GT(violated, rounds / 20);
}

}  // namespace
}  // namespace txscope::test
