#include <gtest/gtest.h>

#include <array>

#include "certify/certify.h"
#include "check/facts/likely_versions.h"
#include "generate/simulate.h"
#include "support/fuzz.h"
#include "support/litmus.h"
#include "support/random_history.h"

namespace txscope {
namespace {

constexpr std::array kShown = {Base::Serializable, Base::SnapshotIsolation,
                               Base::Prefix};

struct Counts {
  int asked = 0;
  int found = 0;
};

/// Asks for all levels that a guess can show, and certifies what it answers.
void ask(const History& history, std::span<const Order> orders,
         Counts& counts) {
  const check::Facts facts(history);
  if (facts.is_open() || !facts.bad_reads().empty()) return;
  for (const Order order : orders) {
    const check::OrderIndex index(history, facts, order);
    for (const Base base : kShown) {
      ++counts.asked;
      auto found = check::order_by_likely_versions(history, facts, index, base,
                                                   Budget::unlimited());
      if (!found) continue;
      ++counts.found;
      const certify::Certificate certificate =
          certify::certify(history, Verdict{{base, order}, *std::move(found)});
      ASSERT_TRUE(certificate)
          << describe({base, order}) << ": " << certificate.why_not << "\n"
          << to_litmus(history);
    }
  }
}

TEST(LikelyVersions, EveryOrderIsCertified) {
  Random random(fuzz_seed(51));
  Counts counts;
  for (int round = 0; round < fuzz_rounds(20'000); ++round) {
    HistoryShape shape = random_shape(random);
    shape.repeats_values = false;
    shape.max_txns = 12;
    const Level level{static_cast<Base>(random.below(kBaseCount)),
                      Order::Session};
    const History history = simulated_history(shape, level, random).build();
    ask(history,
        shape.has_times ? std::span<const Order>(kOrders)
                        : std::span<const Order>(kOrders).first(2),
        counts);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(counts.found, counts.asked / 10);
}

// Who recorded times of a store that works gave the order away.
TEST(LikelyVersions, TimesOfASerializableStoreAreEnough) {
  Random random(fuzz_seed(52));
  for (int round = 0; round < fuzz_rounds(200); ++round) {
    generate::Simulation s;
    s.level = {Base::Serializable, Order::Realtime};
    s.seed = random.next();
    s.workload.sessions = static_cast<std::uint32_t>(random.between(2, 20));
    s.workload.transactions =
        static_cast<std::uint32_t>(random.between(10, 300));
    s.workload.keys = static_cast<std::uint32_t>(random.between(1, 50));
    s.workload.aborted_share = 0.1;
    Counts counts;
    const auto history = generate::simulate(s);
    ASSERT_TRUE(history);
    ask(*history, kOrders, counts);
    if (HasFatalFailure()) return;
    EXPECT_EQ(counts.found, counts.asked);
  }
}

}  // namespace
}  // namespace txscope
