#include "check/weak/order.h"

#include <gtest/gtest.h>

#include "check/check.h"
#include "support/fuzz.h"
#include "support/litmus.h"
#include "support/random_history.h"

namespace txscope::check {
namespace {

TEST(Order, OfASessionSkipsWhatDoesNotCount) {
  const History history = litmus("s: [w(x,1)] [w(x,2)]! [w(x,3)]");
  const Facts facts(history);
  const OrderIndex session(history, facts, Order::Session);
  EXPECT_EQ(session.next(TxnId(1)), TxnId(3));
  EXPECT_EQ(session.previous(TxnId(3)), TxnId(1));
  EXPECT_TRUE(session.precedes(TxnId(1), TxnId(3)));
  const OrderIndex none(history, facts, Order::None);
  EXPECT_EQ(none.next(TxnId(1)), kNone<TxnId>);
  EXPECT_FALSE(none.precedes(TxnId(1), TxnId(3)));
  EXPECT_TRUE(none.precedes(History::kInitial, TxnId(3)));
}

TEST(Order, InRealTimeIsStrictAndNothingFollowsAnUnknownOutcome) {
  const History history = litmus(R"(
      s1: [10..20: w(x,1)]
      s2: [20..30: w(x,2)]
      s3: [21..30: w(x,3)]
      s4: [5..: w(x,4)]? [40..50: r(x,4)])");
  const Facts facts(history);
  const OrderIndex order(history, facts, Order::Realtime);
  EXPECT_FALSE(order.precedes(TxnId(1), TxnId(2)));
  EXPECT_TRUE(order.precedes(TxnId(1), TxnId(3)));
  EXPECT_FALSE(order.precedes(TxnId(4), TxnId(3)));
  EXPECT_TRUE(order.precedes(TxnId(4), TxnId(5)));  // by the session
  EXPECT_TRUE(order.precedes(TxnId(2), TxnId(5)));
}

// a reaches b through moments iff a ended before b started.
TEST(Order, MomentsAreRealTime) {
  Random random(fuzz_seed(3));
  HistoryShape shape;
  shape.max_txns = 12;
  shape.max_sessions = 6;
  shape.has_times = true;
  shape.unknown_chance = 0.2;
  for (int round = 0; round < fuzz_rounds(500); ++round) {
    const History history = random_history(shape, random).build();
    const Facts facts(history);
    const OrderIndex order(history, facts, Order::Realtime);
    for (std::size_t a = 1; a < history.size(); ++a)
      for (std::size_t b = 1; b < history.size(); ++b) {
        if (!facts.counts(TxnId(a)) || !facts.counts(TxnId(b))) continue;
        const Txn& first = history.at(TxnId(a));
        const Txn& second = history.at(TxnId(b));
        const bool is_before = first.end != Txn::kNoTime &&
                               second.start != Txn::kNoTime &&
                               first.end < second.start;
        const auto after = order.moment_after(TxnId(a));
        const auto before = order.moment_before(TxnId(b));
        ASSERT_EQ(after != OrderIndex::kNoMoment &&
                      before != OrderIndex::kNoMoment && after <= before,
                  is_before);
      }
  }
}

TEST(MissingTimes, NameTheTransactionAndThePlace) {
  const auto missing =
      missing_times(litmus("s: t1:[1..2: w(x,1)] t2:[w(x,2)]"));
  ASSERT_TRUE(missing);
  EXPECT_EQ(missing->what, "committed transaction t2 has no start time");
  EXPECT_EQ(missing->where.line, 1u);
  EXPECT_EQ(missing_times(litmus("s: [1..2: w(x,1)] [2..4: w(x,2)]")),
            std::nullopt);
}

TEST(MissingTimes, RefuseASessionThatOverlapsItself) {
  const auto overlap =
      missing_times(litmus("s: t1:[1..5: w(x,1)]\ns: t2:[4..9: w(x,2)]"));
  ASSERT_TRUE(overlap);
  EXPECT_EQ(overlap->what,
            "transactions t1 and t2 of session s overlap in time");
  EXPECT_EQ(overlap->where.line, 2u);
  EXPECT_NE(overlap->hint.find("ends at 5"), std::string::npos);
  EXPECT_NE(overlap->hint.find("starts at 4"), std::string::npos);
}

TEST(MissingTimes, AskNothingOfWhatDidNotCommit) {
  EXPECT_EQ(missing_times(litmus("s: [1..2: w(x,1)] [w(x,2)]! [3..: w(x,3)]?")),
            std::nullopt);
}

}  // namespace
}  // namespace txscope::check
