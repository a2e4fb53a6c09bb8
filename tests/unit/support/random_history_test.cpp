#include "support/random_history.h"

#include <gtest/gtest.h>

#include <array>

#include "support/litmus.h"
#include "support/oracle.h"

namespace txscope {
namespace {

// How many random histories each level allows, and how many tell two adjacent
// levels apart.
struct Tally {
  std::array<std::array<int, kOrderCount>, kBaseCount> allowed{};
  std::array<std::array<int, kBaseCount>, kBaseCount>
      parted{};  // session order

  explicit Tally(int rounds) {
    Random random(7);
    for (int round = 0; round < rounds; ++round)
      add(oracle(random_small_history(random).build()));
  }

 private:
  void add(const OracleAnswers& answers) {
    for (std::size_t b = 0; b < kBaseCount; ++b) {
      for (std::size_t o = 0; o < kOrderCount; ++o)
        allowed[b][o] +=
            answers.allows({static_cast<Base>(b), static_cast<Order>(o)});
      for (std::size_t c = 0; c < kBaseCount; ++c)
        parted[b][c] +=
            answers.allows({static_cast<Base>(b), Order::Session}) &&
            !answers.allows({static_cast<Base>(c), Order::Session});
    }
  }
};

TEST(RandomHistory, BothVerdictsAreFrequentAtEveryLevel) {
  constexpr int kRounds = 4000;
  const Tally tally(kRounds);
  for (std::size_t b = 0; b < kBaseCount; ++b)
    for (std::size_t o = 0; o < kOrderCount; ++o) {
      const std::string level =
          describe({static_cast<Base>(b), static_cast<Order>(o)});
      // Only incompatible list reads and G0 violate read uncommitted.
      const int least = b == 0 ? kRounds / 100 : kRounds / 6;
      EXPECT_GT(kRounds - tally.allowed[b][o], least) << level;
      EXPECT_GT(tally.allowed[b][o], kRounds / 6) << level;
    }
  // Every stronger level forbids something that a weaker one allows.
  for (const Base weak : all_bases())
    for (const Base strong : all_bases())
      if (weak != strong &&
          !implies({weak, Order::Session}, {strong, Order::Session})) {
        const int parted = tally.parted[static_cast<std::size_t>(weak)]
                                       [static_cast<std::size_t>(strong)];
        EXPECT_GT(parted, kRounds / 400)
            << name(weak) << ", not " << name(strong);
      }
}

TEST(RandomHistory, ASimulatedStoreHasItsLevel) {
  Random random(3);
  for (int round = 0; round < 1000; ++round) {
    HistoryShape shape = random_shape(random);
    shape.chaos = 0;
    shape.no_initial_chance = 0;
    const Level level{static_cast<Base>(random.below(kBaseCount)),
                      kOrders[random.below(kOrderCount)]};
    // The lists of a store have no holes, so a stale register may be read
    // along with them.
    if (level.base != Base::Serializable) shape.lists = 0;
    if (shape.registers + shape.lists == 0) shape.registers = 1;
    const History history = simulated_history(shape, level, random).build();
    if (oracle_cost(history) > 20000) continue;
    EXPECT_TRUE(oracle_allows(history, level)) << describe(level) << "\n"
                                               << to_litmus(history);
  }
}

TEST(Shrink, EndsWithWhatMatters) {
  Random random(5);
  const auto loses_update = [](const History& history) {
    return oracle_allows(history, {Base::Causal, Order::Session}) &&
           !oracle_allows(history,
                          {Base::ParallelSnapshotIsolation, Order::Session});
  };
  for (int found = 0; found < 5;) {
    const Sketch sketch = random_small_history(random);
    if (!loses_update(sketch.build())) continue;
    ++found;
    const History small = shrink(sketch, loses_update).build();
    EXPECT_TRUE(loses_update(small));
    // Lost update is the smallest such history: two transactions that read the
    // same version and write the key.
    EXPECT_LE(small.size(), 5u) << to_litmus(small);
    EXPECT_LE(small.ops().size(), 8u) << to_litmus(small);
  }
}

}  // namespace
}  // namespace txscope
