// The weak levels on histories that are too large for the oracle: whichever way
// a verdict goes, its evidence must prove it.
#include <gtest/gtest.h>

#include <array>
#include <string>

#include "certify/certify.h"
#include "check/check.h"
#include "check/facts/facts.h"
#include "generate/simulate.h"
#include "support/fuzz.h"
#include "support/litmus.h"

namespace txscope {
namespace {

constexpr std::array kWeak = {Base::ReadUncommitted, Base::ReadCommitted,
                              Base::MonotonicAtomicView, Base::ReadAtomic,
                              Base::Causal};
// Few keys and many sessions, or the other way round; weak stores show the
// violations of the levels above them.
generate::Simulation weak_simulation(Random& random) {
  generate::Simulation s;
  s.level.base = kWeak[random.below(kWeak.size())];
  s.level.order = kOrders[random.below(kOrders.size())];
  s.seed = random.next();
  s.replicas = static_cast<std::uint32_t>(random.between(2, 8));
  generate::SimulatedLoad& w = s.workload;
  w.sessions = static_cast<std::uint32_t>(random.between(1, 30));
  w.transactions = static_cast<std::uint32_t>(random.between(2, 200));
  w.min_operations = 1;
  w.max_operations = static_cast<std::uint32_t>(random.between(1, 10));
  w.keys = static_cast<std::uint32_t>(random.between(1, 60));
  w.read_share = 0.2 + 0.7 * random.real();
  if (random.chance(0.4)) w.key_choice.kind = generate::KeyChoice::Kind::Zipf;
  if (random.chance(0.3)) w.kind = KeyKind::List;
  if (random.chance(0.4)) {
    w.aborted_share = 0.1;
    w.unknown_share = 0.2;
  }
  return s;
}

TEST(WeakLevels, GiveEvidenceThatProvesTheVerdict) {
  Random random(fuzz_seed(20261115));
  const Budget budget = Budget::unlimited();
  std::array<std::array<int, 2>, kBaseCount> seen{};
  const int count = fuzz_rounds(2000);
  for (int round = 0; round < count; ++round) {
    const generate::Simulation simulation = weak_simulation(random);
    const auto history = generate::simulate(simulation);
    ASSERT_TRUE(history);
    check::Checker checker(*history);
    if (checker.facts().is_open()) continue;
    for (const Order order : kOrders)
      for (const Base base : kWeak) {
        const Verdict verdict = checker.check({base, order}, budget);
        ASSERT_NE(verdict.outcome(), Outcome::Undecided);
        const certify::Certificate certificate =
            certify::certify(*history, verdict);
        ASSERT_TRUE(certificate)
            << "round " << round << ", " << describe(verdict.level) << " "
            << name(verdict.outcome()) << ": " << certificate.why_not << "\n"
            << to_litmus(*history);
        ++seen[static_cast<std::size_t>(base)]
              [verdict.outcome() == Outcome::Holds];
        if (implies(simulation.level, verdict.level)) {
          ASSERT_EQ(verdict.outcome(), Outcome::Holds)
              << "round " << round << ", " << describe(verdict.level)
              << " of a store of " << describe(simulation.level) << "\n"
              << to_litmus(*history);
        }
      }
  }
  for (const Base base : kWeak) {
    EXPECT_GT(seen[static_cast<std::size_t>(base)][1], 0) << name(base);
    // Registers never violate read-uncommitted, and the stores keep lists.
    if (base > Base::ReadUncommitted) {
      EXPECT_GT(seen[static_cast<std::size_t>(base)][0], 0) << name(base);
    }
  }
}

}  // namespace
}  // namespace txscope
