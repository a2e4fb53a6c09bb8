#include <gtest/gtest.h>

#include "certify/certify.h"
#include "check/anomaly/anomaly.h"
#include "generate/simulate.h"
#include "support/by_lemmas.h"
#include "support/fuzz.h"
#include "support/litmus.h"
#include "support/oracle.h"
#include "support/random_history.h"

namespace txscope {
namespace {

bool has_open_lists(const History& history, const check::Facts& facts) {
  for (std::size_t k = 0; k < history.key_count(); ++k)
    if (facts.list_is_open(KeyId(k))) return true;
  return false;
}

/// What is wrong with proofs by lemmas, also of what one cycle would show.
std::string lemma_faults(const History& history) {
  const OracleAnswers expected = oracle(history);
  const check::Facts facts(history);
  std::string found;
  for (const Base base : all_bases()) {
    if (base == Base::ReadUncommitted) continue;
    for (const Order order : kOrders) {
      const Level level{base, order};
      const auto refutation = refute_by_lemmas(history, level);
      if (refutation && expected.allows(level)) {
        found += describe(level) + " is refuted, but it holds\n";
      } else if (refutation) {
        const auto certificate =
            certify::certify(history, {level, *refutation});
        if (!certificate)
          found += describe(level) + ": " + certificate.why_not + "\n";
        if (check::anomaly_of(history, level, *refutation).id.empty())
          found += describe(level) + ": the anomaly has no name\n";
      } else if (!expected.allows(level) && facts.bad_reads().empty() &&
                 !has_open_lists(history, facts)) {
        found += describe(level) + " is not refuted\n";
      }
    }
  }
  return found;
}

TEST(Lemmas, RefuteWhatTheOracleRefutesAndAreCertified) {
  Random random(fuzz_seed(41));
  for (int round = 0; round < fuzz_rounds(20'000); ++round) {
    const Sketch sketch = random_small_history(random);
    if (lemma_faults(sketch.build()).empty()) continue;
    const History small = shrink(sketch, [](const History& h) {
                            return !lemma_faults(h).empty();
                          }).build();
    FAIL() << lemma_faults(small) << to_litmus(small);
  }
}

// In a search as long as these need, reads have two writers at a time; a cycle
// that goes through both is none.
TEST(Lemmas, OfDenseHistoriesAreCertified) {
  for (const std::uint64_t seed : {14, 21}) {
    generate::Simulation s;
    s.level = {Base::SnapshotIsolation, Order::Session};
    s.has_times = false;
    s.seed = seed;
    s.workload.sessions = 5;
    s.workload.transactions = 40;
    s.workload.keys = 3;
    s.workload.min_operations = s.workload.max_operations = 4;
    s.workload.distinct_values = 3;
    s.workload.unknown_share = 0.1;
    const auto history = generate::simulate(s);
    ASSERT_TRUE(history);
    const Level level{Base::Serializable, Order::Session};
    const auto proof = refute_by_lemmas(*history, level);
    ASSERT_TRUE(proof);
    EXPECT_EQ(certify::certify(*history, {level, *proof}).why_not, "");
  }
}

}  // namespace
}  // namespace txscope
