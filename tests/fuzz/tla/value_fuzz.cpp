#include <gtest/gtest.h>

#include "support/fuzz.h"
#include "support/random_spec.h"
#include "support/tla.h"

// Random specifications over sets, functions, sequences and records give the
// same numbers however they are searched.  TlcFuzz compares them with TLC.
namespace txscope::test {
namespace {

TEST(TlaValueFuzz, CountsAlikeHoweverItSearches) {
  Random random(fuzz_seed(29));
  const int rounds = fuzz_rounds(150);
  int refused = 0;
  for (int round = 0; round < rounds; ++round) {
    const std::string module = RandomSpec(random).make();
    const std::string config =
        "SPECIFICATION Spec CHECK_DEADLOCK FALSE " +
        std::string(random.chance(0.5) ? "INVARIANT Inv" : "");
    SpecRun run;
    run.limits.time = std::chrono::seconds(20);
    const auto plain = check_spec(module, config, run);
    if (!plain) ++refused;
    for (const std::uint32_t jobs : {1u, 3u}) {
      run.jobs = jobs;
      run.adjust = [](ModelRequest& r) {
        r.value_bytes = r.queue_bytes.emplace(0);
      };
      const auto other = check_spec(module, config, run);
      ASSERT_EQ(static_cast<bool>(plain), static_cast<bool>(other)) << module;
      if (!plain) {
        if (jobs == 1) {
          EXPECT_EQ(plain.error().what, other.error().what);
        }
        continue;
      }
      if (plain->outcome == Outcome::Undecided) continue;
      EXPECT_EQ(plain->outcome, other->outcome) << module;
      EXPECT_EQ(plain->generated, other->generated) << module;
      EXPECT_EQ(plain->distinct, other->distinct) << module;
      EXPECT_EQ(plain->depth, other->depth) << module;
      EXPECT_EQ(plain->trace.size(), other->trace.size()) << module;
    }
  }
  EXPECT_LT(refused, rounds / 3);
}

}  // namespace
}  // namespace txscope::test
