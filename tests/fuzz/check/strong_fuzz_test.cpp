#include <gtest/gtest.h>

#include <cstdlib>
#include <optional>

#include "check/engines.h"
#include "support/litmus.h"
#include "support/oracle.h"
#include "support/random_history.h"

namespace txscope {
namespace {

constexpr std::array kOrders = {Order::None, Order::Session, Order::Realtime};

int rounds(int base) {
  const char* factor = std::getenv("TXSCOPE_FUZZ_ROUNDS");
  return base * (factor == nullptr ? 1 : std::atoi(factor));
}

/// By the search, also where a simpler engine would do.  Nothing where check()
/// does not come this far.
std::optional<bool> search_allows(const History& history, Level level) {
  const Facts facts(history);
  const bool is_uncommitted = level.base == Base::ReadUncommitted;
  if (is_uncommitted && (!facts.is_open() || !facts.bad_reads().empty()))
    return std::nullopt;
  if (!facts.bad_reads().empty()) return false;
  const OrderIndex order(history, facts, level.order);
  const Verdict verdict =
      check_by_search(history, facts, order, level, Budget::unlimited());
  return verdict.outcome() == Outcome::Holds;
}

/// Levels at which the search and the oracle differ, in words.
std::string differences(const History& history) {
  const OracleAnswers expected = oracle(history);
  std::string text;
  for (const Base base : all_bases()) {
    for (const Order order : kOrders) {
      const Level level{base, order};
      const auto got = search_allows(history, level);
      if (got && *got != expected.allows(level))
        text +=
            describe(level) + (*got ? " wrongly holds\n" : " wrongly not\n");
    }
  }
  return text;
}

TEST(Search, AgreesWithTheOracleAtEveryLevel) {
  Random random(20261115);
  for (int round = 0; round < rounds(4000); ++round) {
    const Sketch sketch = random_small_history(random);
    if (differences(sketch.build()).empty()) continue;
    const History small = shrink(sketch, [](const History& h) {
                            return !differences(h).empty();
                          }).build();
    FAIL() << "round " << round << "\n"
           << to_litmus(small) << differences(small);
  }
}

}  // namespace
}  // namespace txscope
