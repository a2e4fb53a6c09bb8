#include <gtest/gtest.h>

#include "certify/certify.h"
#include "support/litmus.h"

namespace txscope::certify {
namespace {

constexpr Level kSerializable{Base::Serializable, Order::Session};

CommitOrder in_order(std::initializer_list<std::size_t> txns) {
  CommitOrder evidence;
  for (const std::size_t t : txns) evidence.order.push_back(TxnId(t));
  return evidence;
}

std::string why_not(const History& history, Level level,
                    const CommitOrder& order) {
  return certify(history, {level, order}).why_not;
}

TEST(CertifyCommitOrder, WantsAPermutationThatBeginsWithTheInitialOne) {
  const History h = litmus("s1: [w(x,1)] [r(x,1)]\ns2: [w(y,1)]!");
  EXPECT_EQ(why_not(h, kSerializable, in_order({0, 1, 2})), "");
  EXPECT_EQ(why_not(h, kSerializable, in_order({})),
            "the commit order does not begin with the initial transaction");
  EXPECT_EQ(why_not(h, kSerializable, in_order({1, 2})),
            "the commit order does not begin with the initial transaction");
  EXPECT_EQ(why_not(h, kSerializable, in_order({0, 1})),
            "s1#2 is missing in the commit order");
  EXPECT_EQ(why_not(h, kSerializable, in_order({0, 1, 1, 2})),
            "s1#1 is in the commit order twice");
  EXPECT_EQ(why_not(h, kSerializable, in_order({0, 1, 2, 3})),
            "s2#1 is in the commit order but did not commit");
  EXPECT_EQ(why_not(h, kSerializable, in_order({0, 1, 2, 9})),
            "the commit order names a transaction that does not exist");
}

TEST(CertifyCommitOrder, WantsTheOrderOfTheLevelInIt) {
  const History h = litmus("s1: [0..1: w(x,1)] [2..3: w(x,2)]\ns2: [4..5:]");
  EXPECT_EQ(why_not(h, kSerializable, in_order({0, 2, 1, 3})),
            "s1#1 precedes s1#2 in their session, but not in the commit order");
  EXPECT_EQ(why_not(h, {Base::Causal, Order::None}, in_order({0, 2, 1, 3})),
            "");
  EXPECT_EQ(why_not(h, kSerializable, in_order({0, 3, 1, 2})), "");
  EXPECT_EQ(
      why_not(h, {Base::Causal, Order::Realtime}, in_order({0, 3, 1, 2})),
      "s1#1 ended before s2#1 started, but follows it in the commit order");
}

TEST(CertifyCommitOrder, WantsAnOutcomeForEveryUnknownTransaction) {
  const History h = litmus("s1: [w(x,1)]?\ns2: [r(x,1)]");
  CommitOrder evidence = in_order({0, 1, 2});
  EXPECT_EQ(why_not(h, kSerializable, evidence),
            "the outcome of s1#1 is not given");
  evidence.outcomes = {{TxnId(1), true}};
  EXPECT_EQ(why_not(h, kSerializable, evidence), "");
  evidence.outcomes = {{TxnId(1), false}};
  EXPECT_EQ(why_not(h, kSerializable, evidence),
            "s1#1 is in the commit order but did not commit");
  evidence.order = {TxnId(0), TxnId(2)};
  EXPECT_EQ(why_not(h, kSerializable, evidence),
            "r(x)=1 of s2#1 has no committed writer");
}

TEST(CertifyCommitOrder, WantsAWriterWhereSeveralArePossible) {
  const History h = litmus("s1: [w(x,1)]\ns2: [w(x,1)]\ns3: [r(x,1)]");
  CommitOrder evidence = in_order({0, 1, 3, 2});
  EXPECT_EQ(why_not(h, kSerializable, evidence),
            "r(x)=1 of s3#1 may have read from s1#1 or from s2#1; the evidence "
            "does not say which");
  evidence.reads_from = {{OpId(2), TxnId(1)}};
  EXPECT_EQ(why_not(h, kSerializable, evidence), "");
  evidence.reads_from = {{OpId(2), TxnId(2)}};
  EXPECT_EQ(why_not(h, kSerializable, evidence),
            "r(x)=1 of s3#1 reads from s2#1, which is not before it in the "
            "commit order");
  evidence.reads_from = {{OpId(2), TxnId(0)}};
  EXPECT_EQ(why_not(h, kSerializable, evidence),
            "r(x)=1 of s3#1 cannot read from init, which has no such version");
}

TEST(CertifyCommitOrder, ReadsListsAlongTheOrder) {
  const History h = litmus(
      "s1: [a(l,1) a(l,2)]\ns2: [a(l,3)]\ns3: [r(l,[1 2])]\ns4: [r(l,[3])]");
  EXPECT_EQ(
      why_not(h, {Base::ReadCommitted, Order::None}, in_order({0, 1, 2, 3, 4})),
      "r(l)=[3] of s4#1 ends inside a transaction's appends");
  const History cut = litmus("s1: [a(l,1)]\ns2: [a(l,2)]\ns3: [r(l,[2])]");
  EXPECT_EQ(
      why_not(cut, {Base::ReadCommitted, Order::None}, in_order({0, 1, 2, 3})),
      "r(l)=[2] of s3#1 is no prefix of the list along the order");
  EXPECT_EQ(
      why_not(cut, {Base::ReadCommitted, Order::None}, in_order({0, 2, 1, 3})),
      "");
}

// One history, one order: it shows snapshot isolation and not more.
TEST(CertifyCommitOrder, SaysWhichReadMissesWhat) {
  const History skew = litmus("s1: [r(x,0) w(y,1)]\ns2: [r(y,0) w(x,1)]");
  EXPECT_EQ(why_not(skew, {Base::SnapshotIsolation, Order::Session},
                    in_order({0, 1, 2})),
            "");
  EXPECT_EQ(why_not(skew, kSerializable, in_order({0, 1, 2})),
            "r(y)=0 of s2#1 reads from init, but s1#1, a later writer of the "
            "key, is before the reader");

  const History lost = litmus("s1: [r(x,0) w(x,1)]\ns2: [r(x,0) w(x,2)]");
  EXPECT_EQ(why_not(lost, {Base::Prefix, Order::Session}, in_order({0, 1, 2})),
            "");
  EXPECT_EQ(why_not(lost, {Base::SnapshotIsolation, Order::Session},
                    in_order({0, 1, 2})),
            "r(x)=0 of s2#1 reads from init, but s1#1, a later writer of the "
            "key, is in the snapshot, which contains s1#1");
  EXPECT_EQ(why_not(lost, {Base::ParallelSnapshotIsolation, Order::Session},
                    in_order({0, 1, 2})),
            "r(x)=0 of s2#1 reads from init, but s1#1, a later writer of the "
            "key, is visible to the reader");
}

}  // namespace
}  // namespace txscope::certify
