#include <gtest/gtest.h>

#include "support/fuzz.h"
#include "support/random_behaviours.h"
#include "support/random_shapes.h"
#include "support/random_spec.h"
#include "support/ranks.h"
#include "support/tla.h"

// Random specifications on 1 to 4 ranks over both transports: the answers of
// one process.
namespace txscope::test {
namespace {

void compare(const std::string& module, const std::string& config,
             std::size_t round) {
  const auto alone = check_spec(module, config);
  const std::vector<RankRun> runs = all_rank_runs();
  for (const std::size_t i : {round % runs.size(), (round + 3) % runs.size()})
    expect_same_answer(alone, spec_on_ranks(module, config, runs[i]),
                       name_of(runs[i]) + "\n" + module + "\n" + config);
}

TEST(RanksFuzz, AgreesOnSetsFunctionsSequencesAndRecords) {
  Random random(fuzz_seed(71));
  const int rounds = fuzz_rounds(60);
  for (int round = 0; round < rounds && !testing::Test::HasFailure(); ++round) {
    const std::string module = RandomSpec(random).make();
    compare(module,
            "SPECIFICATION Spec CHECK_DEADLOCK " +
                std::string(random.chance(0.5) ? "TRUE " : "FALSE ") +
                (random.chance(0.5) ? "INVARIANT Inv" : ""),
            static_cast<std::size_t>(round));
  }
}

TEST(RanksFuzz, AgreesOnRarerShapes) {
  Random random(fuzz_seed(73));
  const int rounds = fuzz_rounds(25);
  for (int round = 0; round < rounds && !testing::Test::HasFailure(); ++round) {
    const RandomShapes::Model model = RandomShapes(random).make();
    compare(model.module, model.config, static_cast<std::size_t>(round));
  }
}

TEST(RanksFuzz, AgreesOnBehaviours) {
  Random random(fuzz_seed(79));
  const int rounds = fuzz_rounds(60);
  for (int round = 0; round < rounds && !testing::Test::HasFailure(); ++round) {
    const RandomBehaviours::Model model = RandomBehaviours(random).make();
    compare(model.module, model.config, static_cast<std::size_t>(round));
  }
}

}  // namespace
}  // namespace txscope::test
