#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "certify/certify.h"
#include "check/check.h"
#include "check/engines.h"
#include "support/fuzz.h"
#include "support/litmus.h"
#include "support/oracle.h"
#include "support/random_history.h"

namespace txscope {
namespace {

/// By the search, also where a simpler engine would do.  Nothing where check()
/// does not come this far.
std::optional<Verdict> search(const History& history, Level level) {
  if (level.base == Base::ReadUncommitted) {
    if (!check::Facts(history, check::Facts::Scope::ListReads).is_open())
      return std::nullopt;
    return check::check(history, level, Budget::unlimited());
  }
  const check::Facts facts(history);
  if (!facts.bad_reads().empty()) return std::nullopt;
  const check::OrderIndex order(history, facts, level.order);
  return check::check_by_search(history, facts, order, level,
                                Budget::unlimited());
}

/// What is wrong with the verdicts of the search, level by level, in words.
std::string mistakes(const History& history) {
  const OracleAnswers expected = oracle(history);
  std::string text;
  for (const Base base : all_bases()) {
    for (const Order order : kOrders) {
      const Level level{base, order};
      const auto verdict = search(history, level);
      if (!verdict) continue;
      const bool holds = verdict->outcome() == Outcome::Holds;
      if (holds != expected.allows(level)) {
        text +=
            describe(level) + (holds ? " wrongly holds\n" : " wrongly not\n");
      } else if (const auto certificate = certify::certify(history, *verdict);
                 !certificate) {
        text += describe(level) + ": " + certificate.why_not + "\n";
      }
    }
  }
  return text;
}

TEST(Search, ProvesWhatTheOracleSaysAtEveryLevel) {
  Random random(20261115);
  for (int round = 0; round < fuzz_rounds(2000); ++round) {
    const Sketch sketch = random_small_history(random);
    if (mistakes(sketch.build()).empty()) continue;
    const History small = shrink(sketch, [](const History& h) {
                            return !mistakes(h).empty();
                          }).build();
    FAIL() << "round " << round << "\n" << to_litmus(small) << mistakes(small);
  }
}

}  // namespace
}  // namespace txscope
