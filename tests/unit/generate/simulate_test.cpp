#include "generate/simulate.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "support/litmus.h"

namespace txscope::generate {
namespace {

Simulation small(Level level) {
  Simulation s;
  s.level = level;
  s.workload.sessions = 4;
  s.workload.transactions = 60;
  s.workload.min_operations = 2;
  s.workload.max_operations = 5;
  s.workload.keys = 5;
  return s;
}

History run(const Simulation& simulation) {
  Result<History> history = simulate(simulation);
  EXPECT_TRUE(history);
  return *std::move(history);
}

TEST(Simulate, GivesTheSameHistoryForTheSameSeedAndAnotherForAnother) {
  for (const Base base : all_bases()) {
    Simulation s = small({base, Order::Session});
    const std::string first = to_litmus(run(s));
    EXPECT_EQ(first, to_litmus(run(s))) << name(base);
    s.seed = 2;
    EXPECT_NE(first, to_litmus(run(s))) << name(base);
  }
}

TEST(Simulate, GivesAsManySessionsTransactionsAndOperationsAsAsked) {
  for (const Base base : all_bases()) {
    const Simulation s = small({base, Order::Session});
    const History history = run(s);
    ASSERT_EQ(history.size(), 61u);
    ASSERT_EQ(history.sessions().size(), 4u);
    for (const Session& session : history.sessions())
      EXPECT_EQ(session.end.index - session.first.index, 15u);
    for (std::size_t t = 1; t < history.size(); ++t) {
      EXPECT_GE(history.ops(TxnId(t)).size(), 2u);
      EXPECT_LE(history.ops(TxnId(t)).size(), 5u);
    }
    EXPECT_LE(history.key_count(), 5u);
  }
}

TEST(Simulate, WritesEveryValueOnceUnlessValuesMayRepeat) {
  Simulation s = small({Base::Causal, Order::Session});
  std::set<Atom> values;
  const History unique = run(s);
  for (const Op& op : unique.ops())
    if (op.is_write()) {
      EXPECT_TRUE(values.insert(op.value).second);
    }

  s.workload.distinct_values = 3;
  const History repeated = run(s);
  for (const Op& op : repeated.ops()) {
    if (!op.is_write()) continue;
    EXPECT_GE(op.value.small_int(), 0);
    EXPECT_LT(op.value.small_int(), 3);
  }
}

TEST(Simulate, RecordsAbortedAndUnknownTransactionsInAboutTheShareAsked) {
  Simulation s = small({Base::SnapshotIsolation, Order::Session});
  s.workload.transactions = 2000;
  s.workload.aborted_share = 0.25;
  s.workload.unknown_share = 0.1;
  std::map<Status, int> count;
  const History history = run(s);
  for (const Txn txn : history.txns()) ++count[txn.status];
  EXPECT_NEAR(count[Status::Aborted], 500, 80);
  EXPECT_NEAR(count[Status::Unknown], 200, 60);
}

TEST(Simulate, GivesTransactionsOfASessionTimesThatDoNotOverlap) {
  for (const Base base : all_bases()) {
    const History history = run(small({base, Order::Realtime}));
    int overlaps = 0;  // between sessions; without any nothing would be tested
    for (std::size_t t = 1; t < history.size(); ++t) {
      const Txn& txn = history.at(TxnId(t));
      EXPECT_LT(txn.start, txn.end);
      if (t + 1 == history.size()) continue;
      const Txn& next = history.at(TxnId(t + 1));
      if (next.session == txn.session) {
        EXPECT_LT(txn.end, next.start);
      }
      for (std::size_t u = 1; u < t; ++u) {
        const Txn& other = history.at(TxnId(u));
        overlaps += other.start < txn.end && txn.start < other.end;
      }
    }
    EXPECT_GT(overlaps, 20) << name(base);
  }
}

TEST(Simulate, LeavesTimesOutIfToldSo) {
  Simulation s = small({Base::Serializable, Order::Session});
  s.has_times = false;
  const History history = run(s);
  for (const Txn& txn : history.txns()) {
    EXPECT_EQ(txn.start, Txn::kNoTime);
    EXPECT_EQ(txn.end, Txn::kNoTime);
  }
}

TEST(Simulate, KeepsListsShortByTurningToFreshOnes) {
  Simulation s = small({Base::Serializable, Order::Session});
  s.workload.kind = KeyKind::List;
  s.workload.transactions = 400;
  s.workload.max_list_length = 7;
  const History history = run(s);
  std::map<KeyId, int> appends;
  for (const Op& op : history.ops())
    if (op.kind == OpKind::Append) ++appends[op.key];
  EXPECT_GT(appends.size(), 50u);
  for (const auto& [key, count] : appends) EXPECT_LE(count, 7);
}

TEST(Simulate, PicksKeysByTheirWeights) {
  Simulation s = small({Base::ReadCommitted, Order::Session});
  s.workload.transactions = 5000;
  s.workload.keys = 100;
  s.workload.min_operations = s.workload.max_operations = 4;
  const auto share_of_most_used = [&] {
    std::map<KeyId, int> uses;
    const History history = run(s);
    for (const Op& op : history.ops()) ++uses[op.key];
    int most = 0;
    for (const auto& [key, count] : uses) most = std::max(most, count);
    return most / static_cast<double>(history.ops().size());
  };
  EXPECT_NEAR(share_of_most_used(), 0.01, 0.004);
  s.workload.key_choice.kind = KeyChoice::Kind::Zipf;
  s.workload.key_choice.exponent = 1;  // 1 / H(100) = 0.1928
  EXPECT_NEAR(share_of_most_used(), 0.193, 0.012);
  s.workload.key_choice.kind = KeyChoice::Kind::Hotspot;
  s.workload.key_choice.hot_keys = 0.02;  // two keys share 80 %
  s.workload.key_choice.hot_share = 0.8;
  EXPECT_NEAR(share_of_most_used(), 0.4, 0.015);
}

TEST(Simulate, RefusesAWorkloadThatMakesNoSense) {
  const auto refuses = [](auto&& change) {
    Simulation s;
    change(s.workload);
    return !simulate(s);
  };
  EXPECT_TRUE(refuses([](SimulatedLoad& w) { w.sessions = 0; }));
  EXPECT_TRUE(refuses([](SimulatedLoad& w) { w.keys = 0; }));
  EXPECT_TRUE(refuses([](SimulatedLoad& w) { w.min_operations = 0; }));
  EXPECT_TRUE(refuses([](SimulatedLoad& w) { w.min_operations = 9; }));
  EXPECT_TRUE(refuses([](SimulatedLoad& w) { w.read_share = 1.5; }));
  EXPECT_TRUE(refuses([](SimulatedLoad& w) { w.aborted_share = -0.1; }));
  EXPECT_TRUE(refuses([](SimulatedLoad& w) {
    w.aborted_share = 0.6;
    w.unknown_share = 0.6;
  }));
  EXPECT_TRUE(refuses([](SimulatedLoad& w) {
    w.transactions = 0xffffffffu;
    w.max_operations = 8;
  }));
  Simulation none;
  none.workload.transactions = 0;
  EXPECT_TRUE(simulate(none));
}

}  // namespace
}  // namespace txscope::generate
