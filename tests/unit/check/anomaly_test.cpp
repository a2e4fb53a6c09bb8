#include "check/anomaly/anomaly.h"

#include <gtest/gtest.h>

#include "support/litmus.h"

namespace txscope::check {
namespace {

Edge edge(std::size_t from, std::size_t to, EdgeKind kind, std::size_t key = 0,
          WriteOrderReason reason = WriteOrderReason::Initial) {
  Edge e;
  e.from = TxnId(from);
  e.to = TxnId(to);
  e.kind = kind;
  if (kind != EdgeKind::Session && kind != EdgeKind::Realtime)
    e.key = KeyId(key);
  e.reason = reason;
  return e;
}

std::string named(std::vector<Cycle> cycles, Base base) {
  Refutation refutation;
  for (Cycle& cycle : cycles)
    refutation.cases.push_back({{}, std::move(cycle)});
  const History none = litmus("s: [w(x,1)]");
  const Anomaly anomaly =
      anomaly_of(none, Level{base, Order::Session}, refutation);
  return anomaly.id + ", " + anomaly.words;
}

constexpr EdgeKind kSo = EdgeKind::Session;
constexpr EdgeKind kRt = EdgeKind::Realtime;
constexpr EdgeKind kWr = EdgeKind::ReadsFrom;
constexpr EdgeKind kWw = EdgeKind::WriteOrder;
constexpr EdgeKind kRw = EdgeKind::AntiDependency;

TEST(Anomaly, HasItsClassicName) {
  EXPECT_EQ(named({{edge(1, 2, kWw), edge(2, 1, kWw, 1)}}, Base::ReadCommitted),
            "G0, dirty write");
  EXPECT_EQ(named({{edge(1, 2, kWr), edge(2, 1, kWr, 1)}}, Base::ReadCommitted),
            "G1c, circular information flow");
  EXPECT_EQ(named({{edge(1, 2, kWr), edge(2, 1, kRw, 1)}}, Base::ReadAtomic),
            "G-single, fractured read");
  EXPECT_EQ(named({{edge(1, 2, kRw), edge(2, 1, kRw, 1)}}, Base::Serializable),
            "G2-item, write skew");
  EXPECT_EQ(named({{edge(1, 2, kWr), edge(2, 3, kRw, 1), edge(3, 4, kWr, 1),
                    edge(4, 1, kRw)}},
                  Base::Prefix),
            "G-nonadjacent, long fork");
  EXPECT_EQ(named({{edge(1, 2, kWr), edge(2, 3, kWr, 1), edge(3, 1, kRw, 2)}},
                  Base::Causal),
            "G-single, causality violation");
}

TEST(Anomaly, SaysWhichOrderItNeeds) {
  EXPECT_EQ(named({{edge(1, 2, kSo), edge(2, 1, kRw)}}, Base::ReadAtomic),
            "G-single-session, stale read");
  EXPECT_EQ(named({{edge(1, 2, kRt), edge(2, 1, kRw)}}, Base::Serializable),
            "G-single-realtime, stale read");
}

TEST(Anomaly, OfSeveralCasesFitsThemAll) {
  const auto assumed = WriteOrderReason::Assumed;
  EXPECT_EQ(named({{edge(1, 2, kWw, 0, assumed), edge(2, 1, kRw)},
                   {edge(2, 1, kWw, 0, assumed), edge(1, 2, kRw)}},
                  Base::SnapshotIsolation),
            "G-single, lost update");
  EXPECT_EQ(
      named({{edge(1, 2, kWw, 0, assumed), edge(2, 1, kWr, 1)},
             {edge(2, 1, kWw, 0, assumed), edge(1, 3, kRw), edge(3, 2, kRw)}},
            Base::Serializable),
      "G2-item, anti-dependency cycle");
}

TEST(Reason, TellsKeyValueTransactionAndPlace) {
  const History history = litmus("init x=0\na: [w(x,1)]\nb: [r(x,0)]");
  Edge e = edge(2, 1, kRw);
  e.key = history.at(OpId(0)).key;
  e.read = OpId(1);
  const std::string text = reason(history, e);
  EXPECT_NE(text.find("r(x)=0 of b#1"), std::string::npos) << text;
  EXPECT_NE(text.find("did not see w(x)=1 of a#1"), std::string::npos) << text;
}

}  // namespace
}  // namespace txscope::check
