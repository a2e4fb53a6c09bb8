#include <gtest/gtest.h>

#include "certify/certify.h"
#include "support/by_lemmas.h"
#include "support/fuzz.h"
#include "support/litmus.h"
#include "support/oracle.h"
#include "support/random_history.h"

namespace txscope {
namespace {

/// One small change to a proof by lemmas.
void mutate(const History& history, Refutation& proof, Random& random) {
  auto& cases = proof.cases;
  auto& lemmas = proof.lemmas;
  const auto c = static_cast<std::size_t>(random.below(cases.size()));
  const auto l = static_cast<std::size_t>(random.below(lemmas.size()));
  const auto change = [&](Assumption& atom) {
    switch (random.below(4)) {
      case 0: std::swap(atom.a, atom.b); break;
      case 1: atom.a = TxnId(random.below(history.size())); break;
      case 2: atom.op = OpId(random.below(history.ops().size())); break;
      default:
        atom.kind = static_cast<Assumption::Kind>(random.below(5));
        break;
    }
  };
  switch (random.below(6)) {
    case 0: cases.erase(cases.begin() + static_cast<std::ptrdiff_t>(c)); break;
    case 1:
      lemmas.erase(lemmas.begin() + static_cast<std::ptrdiff_t>(l));
      break;
    case 2:
      if (!cases[c].assume.empty()) cases[c].assume.pop_back();
      break;
    case 3:
      if (!cases[c].assume.empty()) change(cases[c].assume.back());
      break;
    case 4:
      if (!lemmas[l].empty()) change(lemmas[l].back().atom);
      break;
    default:
      if (lemmas[l].empty()) break;
      if (random.chance(0.5))
        lemmas[l].pop_back();
      else
        lemmas[l].back().is_negated = !lemmas[l].back().is_negated;
  }
}

struct LemmaCampaign {
  int accepted = 0;
  int wrong = 0;  ///< claims that were false

  void claim(const History& history, const OracleAnswers& answers, Level level,
             const Refutation& proof) {
    const certify::Certificate certificate =
        certify::certify(history, {level, proof});
    accepted += certificate.is_valid;
    wrong += answers.allows(level);
    EXPECT_FALSE(certificate && answers.allows(level))
        << "a proof against " << describe(level) << " is accepted\n"
        << to_litmus(history);
  }
};

// For other levels, for other histories, and after small changes.
TEST(LemmasFuzz, NeverAcceptsATrueProofOfSomethingElse) {
  Random random(fuzz_seed(42));
  LemmaCampaign campaign;
  for (int round = 0; round < fuzz_rounds(5000); ++round) {
    const Sketch sketch = random_small_history(random);
    const History history = sketch.build();
    const Level level{static_cast<Base>(random.below(kBaseCount)),
                      kOrders[random.below(kOrderCount)]};
    const auto proof = refute_by_lemmas(history, level);
    if (!proof || oracle_cost(history) > 2'000) continue;
    const OracleAnswers answers = oracle(history);
    for (const Base base : all_bases())
      for (const Order order : kOrders)
        campaign.claim(history, answers, {base, order}, *proof);
    for (int i = 0; i < 10; ++i) {
      Refutation changed = *proof;
      for (std::uint64_t n = random.below(3) + 1; n > 0; --n)
        if (!changed.cases.empty() && !changed.lemmas.empty())
          mutate(history, changed, random);
      for (const Base base : all_bases())
        campaign.claim(history, answers, {base, level.order}, changed);
    }
    Sketch other = sketch;
    for (auto& session : other.sessions)
      for (auto& txn : session)
        for (auto& op : txn.ops)
          if (op.kind == OpKind::Read && random.chance(0.3))
            op.value = random.between(0, 3);
    const History changed = other.build();
    if (oracle_cost(changed) > 2'000) continue;
    const OracleAnswers others = oracle(changed);
    for (const Base base : all_bases())
      campaign.claim(changed, others, {base, level.order}, *proof);
    if (::testing::Test::HasFailure()) return;
  }
  EXPECT_GT(campaign.wrong, fuzz_rounds(1500));
  EXPECT_GT(campaign.accepted, fuzz_rounds(1500));
}

// What is left out of a dense proof is missed: each of its parts is needed, or
// others make up for it; and a proof without an end proves nothing.
TEST(LemmasFuzz, MostOfAProofIsNeeded) {
  Random random(fuzz_seed(43));
  int dropped = 0;
  int missed = 0;
  for (int round = 0; round < fuzz_rounds(300); ++round) {
    const History history = random_small_history(random).build();
    const Level level{Base::Serializable, Order::Session};
    const auto proof = refute_by_lemmas(history, level);
    if (!proof) continue;
    for (std::size_t c = 0; c < proof->cases.size(); ++c) {
      Refutation less = *proof;
      less.cases.erase(less.cases.begin() + static_cast<std::ptrdiff_t>(c));
      ++dropped;
      missed += !certify::certify(history, {level, less});
    }
    Refutation endless = *proof;
    endless.lemmas.back().push_back(
        {{Assumption::Kind::Before, TxnId(1), TxnId(2), {}, {}, 0}, false});
    EXPECT_EQ(certify::certify(history, {level, endless}).why_not,
              "the last lemma is not empty");
  }
  EXPECT_GT(missed, dropped * 3 / 4) << dropped;
}

}  // namespace
}  // namespace txscope
