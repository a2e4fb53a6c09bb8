#include <gtest/gtest.h>

#include <string>

#include "check/anomaly/anomaly.h"
#include "check/check.h"
#include "support/litmus.h"

namespace txscope::check {
namespace {

/// The reasons that check() gives against a level, one per line.
std::string reasons(std::string_view text, Base base,
                    Order order = Order::Session) {
  const History history = litmus(text);
  const Verdict verdict = check(history, {base, order}, Budget::unlimited());
  if (verdict.outcome() != Outcome::Violated) return "not violated";
  std::string all;
  for (const Case& c : verdict.refutation().cases) {
    if (const auto* bad = std::get_if<BadRead>(&c.contradiction))
      all += reason(history, *bad) + "\n";
    else if (const auto* cycle = std::get_if<Cycle>(&c.contradiction))
      for (const Edge& edge : *cycle) all += reason(history, edge) + "\n";
    else
      for (const auto& m : std::get<UnfoundedSet>(c.contradiction).members)
        all += reason(history, m) + "\n";
  }
  return all;
}

TEST(Reason, OfAnAntiDependencySaysWhatWasMissedAndWhyItIsNewer) {
  EXPECT_EQ(
      reasons("a: t1:[w(x,1)]\na: t2:[w(x,2)]\nb: t3:[r(x,2)] t4:[r(x,1)]",
              Base::Causal),
      "r(x)=1 of t4 (line 3) did not see w(x)=2 of t2 (line 2), which "
      "overwrote what it read: t1 (line 1) is before t2 in session a\n"
      "r(x)=2 of t3 (line 3) saw w(x)=2 of t2 (line 2)\n"
      "t3 (line 3) is before t4 (line 3) in session b\n");
  EXPECT_EQ(reasons("a: t1:[w(x,1)]\nb: t2:[r(x,1) w(x,2)] t3:[r(x,1)]",
                    Base::ReadAtomic),
            "r(x)=1 of t3 (line 2) did not see w(x)=2 of t2 (line 2), which "
            "overwrote what it read: t2 read from t1 (line 1) by r(x)=1\n"
            "t2 (line 2) is before t3 (line 2) in session b\n");
  EXPECT_EQ(reasons("a: t1:[w(x,1)] t2:[r(x,0)]", Base::ReadAtomic),
            "r(x)=0 of t2 (line 1) did not see w(x)=1 of t1 (line 1), but the "
            "initial value\n"
            "t1 (line 1) is before t2 (line 1) in session a\n");
  EXPECT_EQ(reasons("a: t1:[a(l,1)]\nb: t2:[a(l,2)] t3:[r(l,[1])]\n"
                    "c: t4:[r(l,[1 2])]",
                    Base::ReadAtomic),
            "r(l)=[1] of t3 (line 2) did not see append(l)=2 of t2 (line 2); "
            "the reads of list l show that order\n"
            "t2 (line 2) is before t3 (line 2) in session b\n");
}

TEST(Reason, OfRealTimeTellsTheTimes) {
  EXPECT_EQ(reasons("a: t1:[1..2: w(x,1)]\nb: t2:[5..6: r(x,0)]",
                    Base::ReadAtomic, Order::Realtime),
            "r(x)=0 of t2 (line 2) did not see w(x)=1 of t1 (line 1), but the "
            "initial value\n"
            "t1 (line 1) ended at 2, before t2 (line 2) started at 5\n");
}

TEST(Reason, OfTwoForcedWriteOrdersIsWhatEachOrderWouldMean) {
  EXPECT_EQ(reasons("a: t1:[w(x,1) w(y,1)]\nb: t2:[w(x,2) w(y,2)]\n"
                    "c: t3:[r(x,1) r(y,2)]",
                    Base::ReadAtomic),
            "r(x)=1 of t3 (line 3) did not see w(x)=2 of t2 (line 2), which in "
            "this case overwrote what it read: t1 (line 1) commits before t2\n"
            "r(y)=2 of t3 (line 3) saw w(y)=2 of t2 (line 2)\n"
            "r(y)=2 of t3 (line 3) did not see w(y)=1 of t1 (line 1), which in "
            "this case overwrote what it read: t2 (line 2) commits before t1\n"
            "r(x)=1 of t3 (line 3) saw w(x)=1 of t1 (line 1)\n");
}

TEST(Reason, OfABadReadNamesTheWrite) {
  EXPECT_EQ(reasons("a: t1:[w(x,1)]!\nb: t2:[r(x,1)]", Base::ReadCommitted),
            "r(x)=1 of t2 (line 2) saw w(x)=1 of t1 (line 1), which aborted\n");
  EXPECT_EQ(
      reasons("a: t1:[w(x,1) w(x,2)]\nb: t2:[r(x,1)]", Base::ReadCommitted),
      "r(x)=1 of t2 (line 2) saw w(x)=1 of t1 (line 1), which its own "
      "transaction overwrote afterwards\n");
  EXPECT_EQ(reasons("a: t1:[r(x,1) w(x,1)]", Base::ReadCommitted),
            "r(x)=1 of t1 (line 1) saw what only its own transaction wrote, "
            "later: w(x)=1\n");
  EXPECT_EQ(reasons("a: t1:[r(x,9)]", Base::ReadCommitted),
            "r(x)=9 of t1 (line 1) saw a value that nobody wrote; x starts "
            "as 0\n");
  EXPECT_EQ(reasons("a: t1:[w(x,1) r(x,2)]", Base::ReadCommitted),
            "r(x)=2 of t1 (line 1) is not what the transaction itself had "
            "written: w(x)=1\n");
  EXPECT_EQ(
      reasons("a: t1:[a(l,1) a(l,2)]\nb: t2:[r(l,[2])]", Base::ReadUncommitted),
      "r(l)=[2] of t2 (line 2) splits or reorders what one transaction "
      "appended: append(l)=2 of t1 (line 1)\n");
  EXPECT_EQ(
      reasons("a: t1:[a(l,1)]\nb: t2:[r(l,[1 1])]", Base::ReadUncommitted),
      "r(l)=[1 1] of t2 (line 2) has an element more often than it was "
      "appended: append(l)=1 of t1 (line 1)\n");
}

}  // namespace
}  // namespace txscope::check
