#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <map>
#include <string>

#include "certify/certify.h"
#include "check/check.h"
#include "generate/simulate.h"
#include "support/fuzz.h"
#include "support/litmus.h"
#include "support/sketch.h"

// Histories of dozens of transactions, too many for the oracle.  What can be
// said without it: every verdict is certified, so it is right; stronger levels
// allow less; a simulated store has its level.
namespace txscope {
namespace {

generate::Simulation random_simulation(Random& random) {
  generate::Simulation s;
  s.level = {static_cast<Base>(random.below(kBaseCount)),
             kOrders[random.below(kOrderCount)]};
  s.seed = random.next();
  generate::SimulatedLoad& w = s.workload;
  w.sessions = static_cast<std::uint32_t>(random.between(2, 8));
  w.transactions = static_cast<std::uint32_t>(random.between(10, 50));
  w.min_operations = 1;
  w.max_operations = static_cast<std::uint32_t>(random.between(2, 6));
  w.keys = static_cast<std::uint32_t>(random.between(2, 20));
  w.read_share = 0.3 + 0.4 * random.real();
  if (random.chance(0.3)) w.kind = KeyKind::List;
  if (random.chance(0.1))
    w.distinct_values = static_cast<std::uint32_t>(random.between(5, 30));
  if (random.chance(0.3)) w.aborted_share = 0.1;
  if (random.chance(0.3)) w.unknown_share = 0.1;
  return s;
}

Budget short_time() {
  return Budget(Budget::Limits{std::chrono::milliseconds(100), std::nullopt});
}

struct Judgement {
  std::string faults;
  int decided = 0;
  int undecided = 0;
};

Judgement judge(const History& history) {
  Judgement result;
  std::map<std::pair<Base, Order>, Outcome> outcomes;
  check::Checker checker(history);
  for (const Base base : all_bases())
    for (const Order order : kOrders) {
      const Level level{base, order};
      const Verdict verdict = checker.check(level, short_time());
      outcomes[{base, order}] = verdict.outcome();
      const bool is_decided = verdict.outcome() != Outcome::Undecided;
      ++(is_decided ? result.decided : result.undecided);
      const certify::Certificate certificate =
          certify::certify(history, verdict);
      if (!certificate)
        result.faults += describe(level) + " " +
                         std::string(name(verdict.outcome())) +
                         " is not certified: " + certificate.why_not + "\n";
      for (const auto& [other, outcome] : outcomes)
        if (implies(level, {other.first, other.second}) &&
            verdict.outcome() == Outcome::Holds && outcome == Outcome::Violated)
          result.faults += describe(level) + " holds, but not " +
                           describe({other.first, other.second}) + "\n";
    }
  return result;
}

TEST(Check, VerdictsOnDozensOfTransactionsAreCertified) {
  Random random(fuzz_seed(31));
  int decided = 0;
  int undecided = 0;
  for (int round = 0; round < fuzz_rounds(500); ++round) {
    const generate::Simulation simulation = random_simulation(random);
    const auto history = generate::simulate(simulation);
    ASSERT_TRUE(history) << history.error().what;
    const Judgement result = judge(*history);
    decided += result.decided;
    undecided += result.undecided;
    const Verdict own = check::check(*history, simulation.level, short_time());
    ASSERT_NE(own.outcome(), Outcome::Violated)
        << describe(simulation.level) << "\n"
        << to_litmus(*history);
    if (result.faults.empty()) continue;
    const History small = shrink(sketch_of(*history), [](const History& h) {
                            return !judge(h).faults.empty();
                          }).build();
    FAIL() << judge(small).faults << to_litmus(small);
  }
  // Time decides how many of the hard ones are left out, and nothing else.
  EXPECT_GT(decided, 0) << undecided << " undecided";
}

}  // namespace
}  // namespace txscope
