// A read is never blamed on a write that was invoked after it had ended.

#include <gtest/gtest.h>

#include "certify/certify.h"
#include "check/anomaly/anomaly.h"
#include "check/anomaly/other_initial_values.h"
#include "check/check.h"
#include "check/facts/facts.h"
#include "check/facts/later_writes.h"
#include "support/litmus.h"

namespace txscope::check {
namespace {

Verdict judged_later(const History& history, Base base, Order order) {
  const Verdict verdict = check(history, {base, order}, Budget::unlimited());
  const certify::Certificate certificate = certify::certify(history, verdict);
  EXPECT_TRUE(certificate) << certificate.why_not;
  return verdict;
}

/// What a level says: "holds", or the anomaly and why.
std::string told(std::string_view text, Base base, Order order) {
  const History history = litmus(text);
  const Verdict verdict = judged_later(history, base, order);
  if (verdict.outcome() == Outcome::Holds) return "holds";
  const auto& cases = verdict.refutation().cases;
  std::string all =
      anomaly_of(history, verdict.level, verdict.refutation()).id + "\n";
  for (const Case& c : cases) {
    if (const auto* bad = std::get_if<BadRead>(&c.contradiction))
      all += reason(history, *bad) + "\n";
    else if (const auto* cycle = std::get_if<Cycle>(&c.contradiction))
      for (const Edge& edge : *cycle) all += reason(history, edge) + "\n";
  }
  return all;
}

constexpr char kLaterAborted[] =
    "init *=null\n"
    "a: t1:[1..2: r(x,0)]\n"
    "b: t2:[3..4: w(x,0)]!\n";

TEST(LaterWrites, AFailedWriteThatCameLaterIsNoAbortedRead) {
  for (const Order order : kOrders)
    EXPECT_EQ(told(kLaterAborted, Base::Serializable, order),
              "thin-air-read\n"
              "r(x)=0 of t1 (line 2) saw a value that nobody had written yet: "
              "w(x)=0 of t2 (line 3) was invoked only after t1 had ended; x "
              "starts as null\n");
}

TEST(LaterWrites, AFailedWriteThatWasUnderWayIsOne) {
  EXPECT_EQ(told("init *=null\na: t1:[1..3: r(x,0)]\nb: t2:[3..4: w(x,0)]!\n",
                 Base::Serializable, Order::Realtime),
            "G1a\n"
            "r(x)=0 of t1 (line 2) saw w(x)=0 of t2 (line 3), which aborted\n");
}

TEST(LaterWrites, OfTwoFailedWritesTheEarlierIsBlamed) {
  EXPECT_EQ(told("a: t1:[5..6: r(x,1)]\nb: t2:[7..8: w(x,1)]!\n"
                 "c: t3:[1..2: w(x,1)]!\n",
                 Base::ReadCommitted, Order::Session),
            "G1a\n"
            "r(x)=1 of t1 (line 1) saw w(x)=1 of t3 (line 3), which aborted\n");
}

TEST(LaterWrites, AnOverwrittenWriteThatCameLaterIsNoIntermediateRead) {
  EXPECT_EQ(told("a: t1:[1..2: r(x,1)]\nb: t2:[3..4: w(x,1) w(x,2)]\n",
                 Base::ReadCommitted, Order::Session),
            "thin-air-read\n"
            "r(x)=1 of t1 (line 1) saw a value that nobody had written yet: "
            "w(x)=1 of t2 (line 2) was invoked only after t1 had ended; x "
            "starts as 0\n");
}

TEST(LaterWrites, WithoutTimesTheFailedWriteIsBlamed) {
  EXPECT_EQ(told("a: t1:[r(x,1)]\nb: t2:[w(x,1)]!\n", Base::ReadCommitted,
                 Order::Session)
                .substr(0, 3),
            "G1a");
}

// At other orders it may have been first, and only the reason is told.
constexpr char kLaterCommitted[] =
    "a: t1:[1..2: r(x,1)]\n"
    "b: t2:[3..4: w(x,1)]\n";

TEST(LaterWrites, ACommittedWriteThatCameLaterIsNoCandidateInRealTime) {
  for (const Base base : all_bases()) {
    EXPECT_EQ(told(kLaterCommitted, base, Order::Session), "holds");
    if (base == Base::ReadUncommitted) continue;
    EXPECT_EQ(told(kLaterCommitted, base, Order::Realtime),
              "thin-air-read\n"
              "r(x)=1 of t1 (line 1) saw a value that nobody had written yet: "
              "w(x)=1 of t2 (line 2) was invoked only after t1 had ended; x "
              "starts as 0\n");
  }
}

TEST(LaterWrites, OfManyCandidatesNoneMayBeLater) {
  EXPECT_EQ(told("a: t1:[1..2: r(x,1)]\nb: t2:[3..4: w(x,1)]\n"
                 "c: t3:[5..6: w(x,1)]\n",
                 Base::ReadCommitted, Order::Realtime)
                .substr(0, 13),
            "thin-air-read");
}

// t2 read the initial value although t1 had overwritten it; that t3 wrote the
// same value afterwards is no explanation, and no case.
TEST(LaterWrites, ALaterWriterOfARepeatedValueIsNoCase) {
  EXPECT_EQ(told("a: t1:[1..2: w(x,1)]\nb: t2:[3..4: r(x,0)]\n"
                 "c: t3:[5..6: w(x,0)]\n",
                 Base::Serializable, Order::Realtime),
            "G-single-realtime\n"
            "t1 (line 1) ended at 2, before t2 (line 2) started at 3\n"
            "r(x)=0 of t2 (line 2) did not see w(x)=1 of t1 (line 1), but the "
            "initial value\n");
}

TEST(LaterWrites, AnElementThatWasAppendedLaterIsOutOfThinAir) {
  EXPECT_EQ(told("a: t1:[1..2: a(l,2)] t3:[3..4: r(l,[1 2])]\n"
                 "b: t2:[5..6: a(l,1)]\n",
                 Base::ReadCommitted, Order::Realtime),
            "thin-air-read\n"
            "r(l)=[1 2] of t3 (line 1) saw a value that nobody had written "
            "yet: append(l)=1 of t2 (line 2) was invoked only after t3 had "
            "ended\n");
}

TEST(LaterWrites, OfAListTheFailedAppendThatCameLaterIsNotBlamed) {
  const std::string text =
      "a: t1:[1..2: r(l,[1])]\n"
      "b: t2:[3..4: a(l,1)]!\n"
      "c: t3:[5..6: r(l,[1])]\n";
  const History history = litmus(text);
  const auto bad =
      bad_reads(history, Facts(history), {Base::ReadCommitted, Order::Session});
  ASSERT_EQ(bad.size(), 2u);
  EXPECT_EQ(bad[0].kind, BadReadKind::ThinAir);
  EXPECT_EQ(bad[1].kind, BadReadKind::Aborted);
}

TEST(LaterWrites, OfAListAnUnfinishedAppendThatCameLaterIsNotBlamed) {
  EXPECT_EQ(told("a: t1:[1..2: r(l,[1])]\nb: t2:[3..4: a(l,1) a(l,2)]\n",
                 Base::ReadCommitted, Order::Session)
                .substr(0, 13),
            "thin-air-read");
}

// A cycle at session order may go through a read of a later write; its reason
// says so.
TEST(LaterWrites, ReasonsOfCyclesSayThatTimesContradictThem) {
  const std::string text =
      told("a: t1:[1..2: r(x,1) w(y,1)]\nb: t2:[3..4: r(y,1) w(x,1)]\n",
           Base::ReadCommitted, Order::Session);
  EXPECT_NE(text.find("r(x)=1 of t1 (line 1) saw w(x)=1 of t2 (line 2), which "
                      "by the recorded times was invoked only after t1 had "
                      "ended"),
            std::string::npos)
      << text;
}

TEST(LaterWrites, CertifyRefusesTheBlame) {
  const History history = litmus(kLaterAborted);
  for (const Order order : kOrders) {
    const Level level{Base::ReadCommitted, order};
    const BadRead blamed{BadReadKind::Aborted, OpId(0), OpId(1)};
    EXPECT_FALSE(
        certify::certify(history, {level, Refutation{{Case{{}, blamed}}}}));
    const BadRead told{BadReadKind::ThinAir, OpId(0), OpId(1)};
    EXPECT_TRUE(
        certify::certify(history, {level, Refutation{{Case{{}, told}}}}));
  }
}

TEST(LaterWrites, CertifyKeepsLaterWritersWhereTimeDoesNotCount) {
  const History history = litmus(kLaterCommitted);
  const BadRead told{BadReadKind::ThinAir, OpId(0), OpId(1)};
  const Refutation refutation{{Case{{}, told}}};
  EXPECT_TRUE(certify::certify(
      history, {Level{Base::ReadCommitted, Order::Realtime}, refutation}));
  EXPECT_FALSE(certify::certify(
      history, {Level{Base::ReadCommitted, Order::Session}, refutation}));
}

/// "x=0": the guesses for a history, one after the other.
std::string guesses(std::string_view text, Order order = Order::Session) {
  const History history = litmus(text);
  const auto found = other_initial_values(
      history,
      bad_reads(history, Facts(history), {Base::ReadCommitted, order}));
  std::string all;
  for (const auto& [key, value] : found)
    all += history.name(key) + "=" + history.shown(value) + " ";
  return all + (one_value_for_all(history, found) ? "all" : "");
}

TEST(OtherInitialValues, ExplainReadsThatAllSawOneValue) {
  EXPECT_EQ(guesses("init *=null\na: [r(x,0) r(y,7)] [r(x,0)]\n"), "x=0 y=7 ");
  EXPECT_EQ(guesses("init *=null\na: [r(x,0) r(y,0)] [r(x,0)]\n"),
            "x=0 y=0 all");
}

TEST(OtherInitialValues, DoNotExplainTwoValuesOrWhatSomebodyWrote) {
  EXPECT_EQ(guesses("init *=null\na: [r(x,0)] [r(x,1)]\n"), "");
  EXPECT_EQ(guesses("init *=null\na: [r(x,0)]\nb: [w(x,0)]!\n"), "");
}

TEST(OtherInitialValues, DoNotContradictReadsOfTheInitialValue) {
  EXPECT_EQ(guesses("init *=null\na: [r(x,0)] [r(x,null)]\n"), "");
  EXPECT_EQ(guesses("init *=null\na: [r(x,0) r(y,0) r(z,null)]\n"), "x=0 y=0 ");
}

TEST(OtherInitialValues, ExplainReadsOfWhatWasWrittenOnlyLater) {
  EXPECT_EQ(guesses(kLaterAborted), "x=0 ");
  EXPECT_EQ(guesses(kLaterCommitted), "");
  EXPECT_EQ(guesses(kLaterCommitted, Order::Realtime), "x=1 ");
}

}  // namespace
}  // namespace txscope::check
