// Every simulated database is compared with the definition of its level.
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <utility>

#include "check/check.h"
#include "generate/simulate.h"
#include "support/litmus.h"
#include "support/oracle.h"

namespace txscope {
namespace {

std::uint64_t rounds(std::uint64_t usual) {
  const char* factor = std::getenv("TXSCOPE_FUZZ_ROUNDS");
  return factor == nullptr ? usual : usual * std::strtoull(factor, nullptr, 10);
}

// As much contention as a handful of transactions can have.
generate::Simulation tiny(Level level, Random& random) {
  generate::Simulation s;
  s.level = level;
  s.seed = random.next();
  s.replicas = 3;
  s.workload.sessions = static_cast<std::uint32_t>(random.between(2, 4));
  s.workload.transactions = 6;
  s.workload.min_operations = 1;
  s.workload.max_operations = 4;
  s.workload.keys = static_cast<std::uint32_t>(random.between(1, 3));
  s.workload.read_share = 0.6;
  if (random.chance(0.3)) s.workload.kind = KeyKind::List;
  if (random.chance(0.2)) s.workload.distinct_values = 3;
  if (random.chance(0.3)) {
    s.workload.aborted_share = 0.2;
    s.workload.unknown_share = 0.2;
  }
  return s;
}

TEST(SimulateFuzz, HasTheLevelItClaims) {
  Random random(20240601);
  const std::uint64_t count = rounds(60);
  for (std::uint64_t round = 0; round < count; ++round) {
    for (const Base base : all_bases()) {
      for (const Order order : kOrders) {
        const generate::Simulation s = tiny({base, order}, random);
        const auto history = generate::simulate(s);
        ASSERT_TRUE(history);
        if (oracle_cost(*history) > 1e5) continue;
        ASSERT_TRUE(oracle_allows(*history, s.level))
            << describe(s.level) << ", seed " << s.seed << "\n"
            << to_litmus(*history);
      }
    }
  }
}

// Contention, and enough transactions for anomalies that need several.
generate::Simulation busy(Level level, std::uint64_t seed) {
  generate::Simulation s;
  s.level = level;
  s.seed = seed;
  s.workload.sessions = 6;
  s.workload.transactions = 120;
  s.workload.min_operations = 2;
  s.workload.max_operations = 4;
  s.workload.keys = 12;
  s.workload.read_share = 0.6;
  return s;
}

TEST(SimulateFuzz, ShowsWhatTheNextStrongerLevelForbids) {
  using Pair = std::pair<Base, Base>;
  const auto adjacent = std::to_array<Pair>({
      {Base::ReadUncommitted, Base::ReadCommitted},
      {Base::ReadCommitted, Base::MonotonicAtomicView},
      {Base::MonotonicAtomicView, Base::ReadAtomic},
      {Base::ReadAtomic, Base::Causal},
      {Base::Causal, Base::Prefix},
      {Base::Causal, Base::ParallelSnapshotIsolation},
      {Base::Prefix, Base::SnapshotIsolation},
      {Base::ParallelSnapshotIsolation, Base::SnapshotIsolation},
      {Base::SnapshotIsolation, Base::Serializable},
  });
  for (const auto& [weak, strong] : adjacent) {
    for (const Order order : kOrders) {
      // Realtime stores wait for all replicas, so they show less.
      const std::uint64_t most = order == Order::Session ? 5 : 40;
      int shown = 0;
      for (std::uint64_t seed = 1; seed <= most && shown < 2; ++seed) {
        const auto history = generate::simulate(busy({weak, order}, seed));
        ASSERT_TRUE(history);
        const auto outcome = [&](Base base) {
          return check::check(*history, {base, order}, Budget::unlimited())
              .outcome();
        };
        EXPECT_EQ(outcome(weak), Outcome::Holds)
            << describe({weak, order}) << ", seed " << seed;
        shown += outcome(strong) == Outcome::Violated;
      }
      EXPECT_EQ(shown, 2) << describe({weak, order}) << " hardly ever fails "
                          << describe({strong, order});
    }
  }
}

TEST(SimulateFuzz, ShowsWhatTheNextStrongerOrderForbids) {
  for (const Base base : all_bases()) {
    // Below read-atomic an order only says which commit orders there may be,
    // and that in which these stores commit agrees with real time.
    if (base < Base::ReadAtomic) continue;
    for (const Order order : {Order::None, Order::Session}) {
      const Order stronger =
          order == Order::None ? Order::Session : Order::Realtime;
      Random random(11);
      int shown = 0;
      for (int round = 0; round < 200; ++round) {
        generate::Simulation s = tiny({base, order}, random);
        const auto history = generate::simulate(s);
        ASSERT_TRUE(history);
        if (oracle_cost(*history) > 1e5) continue;
        shown += !oracle_allows(*history, {base, stronger});
      }
      EXPECT_GT(shown, 0) << describe({base, order}) << " never fails "
                          << describe({base, stronger});
    }
  }
}

}  // namespace
}  // namespace txscope
