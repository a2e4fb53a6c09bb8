// Which evidence the weak levels give; the verdicts themselves are held against
// litmus files and the oracle elsewhere.
#include <gtest/gtest.h>

#include <string>

#include "certify/certify.h"
#include "check/anomaly/anomaly.h"
#include "check/check.h"
#include "support/litmus.h"

namespace txscope::check {
namespace {

/// "t3 -rw(x)-> t2 -wr(y)-> t3: G-single, fractured read"
std::string shown(const History& history, const Case& one) {
  std::string all;
  if (const auto* cycle = std::get_if<Cycle>(&one.contradiction)) {
    all = history.name(cycle->front().from);
    for (const Edge& edge : *cycle) {
      all += " -" + std::string(edge_letters(edge.kind));
      if (edge.key != kNone<KeyId>) all += "(" + history.name(edge.key) + ")";
      all += "-> " + history.name(edge.to);
    }
  } else if (const auto* bad = std::get_if<BadRead>(&one.contradiction)) {
    all = history.describe(bad->read);
  } else {
    for (const auto& m : std::get<UnfoundedSet>(one.contradiction).members)
      all += (all.empty() ? "" : " ") + history.name(m.txn);
  }
  return all;
}

std::string evidence(std::string_view text, Level level) {
  const History history = litmus(text);
  const Verdict verdict = check(history, level, Budget::unlimited());
  EXPECT_TRUE(certify::certify(history, verdict));
  if (verdict.outcome() != Outcome::Violated)
    return std::string(name(verdict.outcome()));
  std::string all;
  for (const Case& one : verdict.refutation().cases) {
    if (!all.empty()) all += " | ";
    all += shown(history, one);
  }
  const Anomaly anomaly = anomaly_of(history, level, verdict.refutation());
  return all + ": " + anomaly.id + ", " + anomaly.words;
}

constexpr Level kReadUncommitted{Base::ReadUncommitted, Order::Session};
constexpr Level kReadCommitted{Base::ReadCommitted, Order::Session};
constexpr Level kMonotonic{Base::MonotonicAtomicView, Order::Session};
constexpr Level kReadAtomic{Base::ReadAtomic, Order::Session};
constexpr Level kCausal{Base::Causal, Order::Session};
constexpr Level kCausalNone{Base::Causal, Order::None};
constexpr Level kReadAtomicRealtime{Base::ReadAtomic, Order::Realtime};
constexpr Level kCausalRealtime{Base::Causal, Order::Realtime};

TEST(WeakLevels, ADirtyWriteIsACycleOfVersionOrders) {
  EXPECT_EQ(evidence("a: t1:[a(l,1) a(m,1)]\nb: t2:[a(l,2) a(m,2)]\n"
                     "c: t3:[r(l,[1 2]) r(m,[2 1])]",
                     kReadUncommitted),
            "t1 -ww(l)-> t2 -ww(m)-> t1: G0, dirty write");
}

TEST(WeakLevels, CircularInformationFlowIsACycleOfReadsFrom) {
  EXPECT_EQ(
      evidence("a: t1:[w(x,1) r(y,1)]\nb: t2:[w(y,1) r(x,1)]", kReadCommitted),
      "t1 -wr(x)-> t2 -wr(y)-> t1: G1c, circular information flow");
}

TEST(WeakLevels, AReadThatTakesBackWhatWasSeenIsNotMonotonic) {
  EXPECT_EQ(
      evidence("a: t1:[w(x,1) w(y,1)]\nb: t2:[r(x,1) r(y,0)]", kMonotonic),
      "t2 -rw(y)-> t1 -wr(x)-> t2: G-single, non-monotonic read");
}

// The old value comes first, so only read atomic minds.
TEST(WeakLevels, AFracturedReadIsSeenAtReadAtomic) {
  const std::string_view text = "a: t1:[w(x,1) w(y,1)]\nb: t2:[r(y,0) r(x,1)]";
  EXPECT_EQ(evidence(text, kMonotonic), "holds");
  EXPECT_EQ(evidence(text, kReadAtomic),
            "t2 -rw(y)-> t1 -wr(x)-> t2: G-single, fractured read");
}

TEST(WeakLevels, AnUnrepeatableReadIsSeenAtReadAtomic) {
  const std::string_view text = "a: t1:[w(x,1)]\nb: t2:[r(x,0) r(x,1)]";
  EXPECT_EQ(evidence(text, kMonotonic), "holds");
  EXPECT_EQ(evidence(text, kReadAtomic),
            "t2 -rw(x)-> t1 -wr(x)-> t2: G-single, non-repeatable read");
}

TEST(WeakLevels, AStaleReadNeedsTheOrder) {
  const std::string_view text = "a: t1:[1..2: w(x,1)] t2:[3..4: r(x,0)]";
  EXPECT_EQ(evidence(text, kReadAtomic),
            "t2 -rw(x)-> t1 -so-> t2: G-single-session, stale read");
  EXPECT_EQ(evidence(text, kCausalNone), "holds");
  EXPECT_EQ(evidence("a: t1:[1..2: w(x,1)]\nb: t2:[3..4: r(x,0)]",
                     kReadAtomicRealtime),
            "t2 -rw(x)-> t1 -rt-> t2: G-single-realtime, stale read");
}

TEST(WeakLevels, ACausalityViolationGoesThroughSomebodyElse) {
  const std::string_view text =
      "a: t1:[w(x,1)]\nb: t2:[r(x,1) w(y,1)]\nc: t3:[r(y,1) r(x,0)]";
  EXPECT_EQ(evidence(text, kReadAtomic), "holds");
  EXPECT_EQ(evidence(text, kCausal),
            "t3 -rw(x)-> t1 -wr(x)-> t2 -wr(y)-> t3: G-single, "
            "causality violation");
}

// t1 and t2 write x; one reader forces t1 before t2, the other t2 before t1.
TEST(WeakLevels, TwoForcedWriteOrdersContradictEachOther) {
  const std::string_view text =
      "a: t1:[w(x,1) w(y,1)]\nb: t2:[w(x,2) w(y,2)]\n"
      "c: t3:[r(x,1) r(y,2)]";
  EXPECT_EQ(evidence(text, kReadAtomic),
            "t3 -rw(x)-> t2 -wr(y)-> t3 | t3 -rw(y)-> t1 -wr(x)-> t3: "
            "G-single, fractured read");
}

TEST(WeakLevels, ALevelShowsTheEvidenceOfTheWeakestViolatedOne) {
  EXPECT_EQ(evidence("a: t1:[w(x,1) w(y,1)]\nb: t2:[r(x,1) r(y,0)]",
                     {Base::Serializable, Order::Session}),
            "t2 -rw(y)-> t1 -wr(x)-> t2: G-single, non-monotonic read");
  EXPECT_EQ(evidence("a: t1:[w(x,1)]!\nb: t2:[r(x,1)]", kCausal),
            "r(x)=1: G1a, aborted read");
}

// The cycle itself has no session edge, but t1 is older than t2 because of the
// session alone.
TEST(WeakLevels, AnOrderThatOnlyAReasonNeedsIsNamed) {
  const std::string_view text =
      "a: t1:[w(x,1)] t2:[w(x,2) w(y,2)]\n"
      "b: t3:[r(y,2) r(x,1)]";
  EXPECT_EQ(evidence(text, kMonotonic),
            "t3 -rw(x)-> t2 -wr(y)-> t3: G-single-session, non-monotonic read");
  EXPECT_EQ(evidence(text, {Base::MonotonicAtomicView, Order::None}), "holds");
  EXPECT_EQ(evidence("a: t1:[w(x,1)] t2:[r(x,1) w(x,2) w(y,2)]\n"
                     "b: t3:[r(y,2) r(x,1)]",
                     kMonotonic),
            "t3 -rw(x)-> t2 -wr(y)-> t3: G-single, non-monotonic read");
}

// Long sessions count as one edge, however many transactions lie between.
TEST(WeakLevels, AStretchOfASessionIsOneEdge) {
  EXPECT_EQ(evidence("a: t1:[w(x,1)] t2:[w(z,1)] t3:[w(z,2)] t4:[w(y,1)]\n"
                     "b: t5:[r(y,1)] t6:[w(u,1)] t7:[r(x,0)]",
                     kCausal),
            "t7 -rw(x)-> t1 -so-> t4 -wr(y)-> t5 -so-> t7: G-single-session, "
            "causality violation");
}

TEST(WeakLevels, RealTimeReachesThroughOthers) {
  EXPECT_EQ(evidence("a: t1:[1..2: w(x,1)]\nb: t2:[3..4: w(y,1)]\n"
                     "c: t3:[3..9: r(y,1) r(x,0)]",
                     kCausalRealtime),
            "t3 -rw(x)-> t1 -rt-> t3: G-single-realtime, stale read");
}

// At order none sessions are no chains; the slow way is exact, too.
TEST(WeakLevels, WithoutAnOrderOnlyReadsFromCounts) {
  const std::string_view text =
      "a: t1:[w(x,1)] t2:[r(x,0)]\n"  // violated with sessions only
      "b: t3:[w(u,1)]\nc: t4:[r(u,1) w(v,1)]\nd: t5:[r(v,1) r(u,0)]";
  EXPECT_EQ(evidence(text, kCausalNone),
            "t5 -rw(u)-> t3 -wr(u)-> t4 -wr(v)-> t5: G-single, "
            "causality violation");
}

TEST(WeakLevels, ASpentBudgetLeavesTheQuestionUndecided) {
  const History history = litmus("a: t1:[w(x,1)]\nb: t2:[r(x,1)]");
  const Budget budget = Budget::unlimited();
  budget.cancel();
  for (const Base base :
       {Base::ReadUncommitted, Base::ReadCommitted, Base::MonotonicAtomicView,
        Base::ReadAtomic, Base::Causal})
    EXPECT_EQ(check(history, {base, Order::Session}, budget).outcome(),
              Outcome::Undecided)
        << name(base);
}

}  // namespace
}  // namespace txscope::check
