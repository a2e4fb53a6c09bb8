#include "generate/mutate.h"

#include <gtest/gtest.h>

#include <map>

#include "certify/certify.h"
#include "check/anomaly/anomaly.h"
#include "check/check.h"
#include "generate/simulate.h"
#include "report/dictionary/dictionary.h"
#include "support/litmus.h"

namespace txscope::generate {
namespace {

History serializable_history(KeyKind kind, std::uint64_t seed) {
  Simulation s;
  s.level = {Base::Serializable, Order::Realtime};
  s.seed = seed;
  s.workload.sessions = 5;
  s.workload.transactions = 80;
  s.workload.min_operations = 2;
  s.workload.max_operations = 6;
  s.workload.keys = 8;
  s.workload.kind = kind;
  Result<History> history = simulate(s);
  EXPECT_TRUE(history);
  return *std::move(history);
}

Outcome judge(const History& history, Level level) {
  const Verdict verdict = check::check(history, level, Budget::unlimited());
  const certify::Certificate certificate = certify::certify(history, verdict);
  EXPECT_TRUE(certificate) << certificate.why_not;
  return verdict.outcome();
}

TEST(Mutate, ViolatesExactlyTheLevelsItClaims) {
  for (const KeyKind kind : {KeyKind::Register, KeyKind::List}) {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      const History history = serializable_history(kind, seed);
      for (const Mutation mutation : all_mutations()) {
        const Result<Mutant> mutant = mutate(history, mutation, seed);
        ASSERT_TRUE(mutant) << mutant.error().what;
        EXPECT_EQ(mutant->violates, violated_level(mutation));
        EXPECT_EQ(judge(mutant->history, mutant->violates), Outcome::Violated)
            << mutant->what;
        for (const Base base : all_bases()) {
          for (const Order order : {Order::None, Order::Session}) {
            const Level level{base, order};
            EXPECT_EQ(judge(mutant->history, level),
                      implies(level, mutant->violates) ? Outcome::Violated
                                                       : Outcome::Holds)
                << name(mutation) << " at " << describe(level) << ": "
                << mutant->what;
          }
        }
      }
    }
  }
}

TEST(Mutate, PlantsWhatTheReportWillCallByThatName) {
  const History history = serializable_history(KeyKind::Register, 1);
  for (const Mutation mutation : all_mutations()) {
    const Result<Mutant> mutant = mutate(history, mutation, 1);
    ASSERT_TRUE(mutant);
    const Verdict verdict =
        check::check(mutant->history, mutant->violates, Budget::unlimited());
    ASSERT_EQ(verdict.outcome(), Outcome::Violated);
    const Anomaly found = check::anomaly_of(mutant->history, mutant->violates,
                                            verdict.refutation());
    const report::dictionary::Entry* planted =
        report::dictionary::find(name(mutation));
    ASSERT_NE(planted, nullptr) << name(mutation);
    EXPECT_TRUE(planted == report::dictionary::find(found.id) ||
                planted == report::dictionary::find(found.words))
        << name(mutation) << " is called " << found.id << ", " << found.words;
  }
}

TEST(Mutate, ChangesAndAddsAFewTransactionsOnly) {
  const History history = serializable_history(KeyKind::Register, 1);
  for (const Mutation mutation : all_mutations()) {
    const Result<Mutant> mutant = mutate(history, mutation, 5);
    ASSERT_TRUE(mutant);
    EXPECT_FALSE(mutant->what.empty());
    EXPECT_LE(mutant->history.size(), history.size() + 3);
    std::map<std::string, std::size_t> length;
    for (std::size_t t = 1; t < mutant->history.size(); ++t)
      length[mutant->history.name(TxnId(t))] =
          mutant->history.ops(TxnId(t)).size();
    int changed = 0;
    for (std::size_t t = 1; t < history.size(); ++t)
      changed += history.ops(TxnId(t)).size() != length[history.name(TxnId(t))];
    EXPECT_LE(changed, 2) << name(mutation);
    EXPECT_LE(mutant->history.ops().size(), history.ops().size() + 6);
  }
}

TEST(Mutate, GivesTheSameMutantForTheSameSeedAndOthersForOthers) {
  const History history = serializable_history(KeyKind::Register, 1);
  for (const Mutation mutation : all_mutations()) {
    const auto text = [&](std::uint64_t seed) {
      return to_litmus(mutate(history, mutation, seed)->history);
    };
    EXPECT_EQ(text(1), text(1));
    EXPECT_NE(text(1), text(3)) << name(mutation);
  }
}

TEST(Mutate, KeepsNamesValuesAndOutcomesOfWhatWasThere) {
  const History history = litmus(R"(
      init x=5 y=null *=7
      judge aborted
      s1: first:[10..25: w(x,"one") w(:k,18446744073709551615)] [30..: r(x,"one")]?
      s2: [r(x,5)]! [40..50: a(l,1) r(l,[1])]
  )");
  const Result<Mutant> mutant = mutate(history, Mutation::ThinAirRead, 1);
  ASSERT_TRUE(mutant);
  const std::string text = to_litmus(mutant->history);
  EXPECT_NE(text.find("first:[10..25: w(x,one) w(:k,18446744073709551615)"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("[30..: r(x,one)]?"), std::string::npos) << text;
  EXPECT_NE(text.find("[r(x,5)]!"), std::string::npos) << text;
  EXPECT_NE(text.find("judge aborted"), std::string::npos) << text;
}

TEST(Mutate, SaysWhenNothingFits) {
  const History nobody = litmus("");
  const History alone = litmus("s1: [w(x,1)]");
  for (const Mutation mutation : all_mutations())
    EXPECT_FALSE(mutate(nobody, mutation, 1)) << name(mutation);
  EXPECT_FALSE(mutate(alone, Mutation::CircularFlow, 1));
  EXPECT_FALSE(mutate(alone, Mutation::StaleReadRealtime, 1));
  EXPECT_TRUE(mutate(alone, Mutation::LostUpdate, 1));
}

TEST(Mutate, KnowsItsNamesInAnySpelling) {
  for (const Mutation mutation : all_mutations())
    EXPECT_EQ(*parse_mutation(name(mutation)), mutation);
  EXPECT_EQ(*parse_mutation("G2_Item"), Mutation::WriteSkew);
  EXPECT_EQ(*parse_mutation("Lost Update"), Mutation::LostUpdate);
  const auto unknown = parse_mutation("lost-updat");
  ASSERT_FALSE(unknown);
  EXPECT_NE(unknown.error().hint.find("lost-update"), std::string::npos);
}

}  // namespace
}  // namespace txscope::generate
