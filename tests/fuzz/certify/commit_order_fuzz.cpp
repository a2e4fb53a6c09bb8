#include <gtest/gtest.h>

#include <algorithm>

#include "certify/certify.h"
#include "support/fuzz.h"
#include "support/litmus.h"
#include "support/oracle.h"
#include "support/random_history.h"

namespace txscope {
namespace {

Level random_level(Random& random) {
  return {static_cast<Base>(random.between(1, kBaseCount - 1)),
          static_cast<Order>(random.below(kOrderCount))};
}

TEST(CommitOrderFuzz, AcceptsWhatTheOracleFound) {
  Random random(fuzz_seed(11));
  int accepted = 0;
  for (int round = 0; round < fuzz_rounds(3000); ++round) {
    const History history = random_small_history(random).build();
    const Level level = random_level(random);
    const auto witness = oracle_witness(history, level);
    if (!witness) continue;
    ++accepted;
    const certify::Certificate certificate =
        certify::certify(history, {level, *witness});
    ASSERT_TRUE(certificate)
        << describe(level) << ": " << certificate.why_not << "\n"
        << to_litmus(history);
  }
  EXPECT_GT(accepted, fuzz_rounds(500));
}

// A commit order is not evidence just because the level holds: exactly the
// orders that the definition accepts may be certified.  All orders are tried.
TEST(CommitOrderFuzz, AcceptsAnOrderIfAndOnlyIfItShowsTheLevel) {
  Random random(fuzz_seed(12));
  int accepted = 0;
  int rejected = 0;
  for (int round = 0; round < fuzz_rounds(300); ++round) {
    const History history = random_small_history(random).build();
    for (int attempt = 0; attempt < 10; ++attempt) {
      const Level level = random_level(random);
      auto witness =
          oracle_witness(history, {Base::ReadCommitted, Order::None});
      if (!witness) break;
      for (std::size_t i = witness->order.size(); i > 2; --i)
        if (random.chance(0.5))
          std::swap(witness->order[i - 1],
                    witness->order[1 + random.below(i - 1)]);
      const bool shows = oracle_accepts(history, level, *witness);
      const certify::Certificate certificate =
          certify::certify(history, {level, *witness});
      ++(shows ? accepted : rejected);
      ASSERT_EQ(certificate.is_valid, shows)
          << describe(level) << ": " << certificate.why_not << "\n"
          << to_litmus(history);
    }
  }
  EXPECT_GT(accepted, fuzz_rounds(100));
  EXPECT_GT(rejected, fuzz_rounds(100));
}

// Broken evidence for a level that does not hold must be noticed.
TEST(CommitOrderFuzz, NeverAcceptsALevelThatDoesNotHold) {
  Random random(fuzz_seed(13));
  int rejected = 0;
  for (int round = 0; round < fuzz_rounds(3000); ++round) {
    const History history = random_small_history(random).build();
    const Level level = random_level(random);
    const auto weaker =
        oracle_witness(history, {Base::ReadCommitted, Order::None});
    if (!weaker || oracle_allows(history, level)) continue;
    ++rejected;
    const certify::Certificate certificate =
        certify::certify(history, {level, *weaker});
    ASSERT_FALSE(certificate) << describe(level) << "\n" << to_litmus(history);
    ASSERT_FALSE(certificate.why_not.empty());
  }
  EXPECT_GT(rejected, fuzz_rounds(200));
}

}  // namespace
}  // namespace txscope
