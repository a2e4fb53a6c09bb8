#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "certify/certify.h"
#include "check/check.h"
#include "check/facts.h"
#include "support/litmus.h"
#include "support/oracle.h"
#include "support/random_history.h"

namespace txscope {
namespace {

int rounds(int base) {
  const char* factor = std::getenv("TXSCOPE_FUZZ_ROUNDS");
  return factor == nullptr ? base : base * std::max(1, std::atoi(factor));
}

constexpr Base kWeak[] = {Base::ReadUncommitted, Base::ReadCommitted,
                          Base::MonotonicAtomicView, Base::ReadAtomic,
                          Base::Causal};
constexpr Order kOrders[] = {Order::None, Order::Session, Order::Realtime};

/// The first weak level at which the checker and the oracle differ, or at which
/// the evidence proves nothing.  Open histories are left to the search's test.
std::string difference(const History& history) {
  if (Facts(history).is_open()) return "";
  const OracleAnswers answers = oracle(history);
  const Budget budget = Budget::unlimited();
  Checker checker(history);
  for (const Order order : kOrders)
    for (const Base base : kWeak) {
      const Level level{base, order};
      const Verdict verdict = checker.check(level, budget);
      if ((verdict.outcome() == Outcome::Holds) != answers.allows(level))
        return describe(level) + " " + std::string(name(verdict.outcome()));
      if (const Certificate certificate = certify(history, verdict);
          !certificate)
        return describe(level) + ", evidence: " + certificate.why_not;
    }
  return "";
}

TEST(WeakLevels, AgreeWithTheOracleOnRandomHistories) {
  Random random(20261115);
  for (int i = 0; i < rounds(20'000); ++i) {
    const Sketch sketch = random_small_history(random);
    if (difference(sketch.build()).empty()) continue;
    const Sketch small = shrink(sketch, [](const History& history) {
      return !difference(history).empty();
    });
    FAIL() << "round " << i << ": the checker says "
           << difference(small.build()) << "\n"
           << to_litmus(small.build());
  }
}

}  // namespace
}  // namespace txscope
