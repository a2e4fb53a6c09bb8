#include <gtest/gtest.h>

#include "certify/certify.h"
#include "support/litmus.h"

namespace txscope::certify {
namespace {

using Kind = Assumption::Kind;

Edge session(std::size_t from, std::size_t to) {
  return {TxnId(from), TxnId(to), EdgeKind::Session};
}
Edge wr(const History& h, std::size_t from, std::size_t read) {
  return {TxnId(from), h.txn_of(OpId(read)), EdgeKind::ReadsFrom,
          h.at(OpId(read)).key, OpId(read)};
}
Edge ww(std::size_t from, std::size_t to, std::size_t key,
        WriteOrderReason reason, OpId forced_by = kNone<OpId>) {
  return {TxnId(from), TxnId(to), EdgeKind::WriteOrder, KeyId(key), kNone<OpId>,
          reason,      forced_by};
}
Edge rw(const History& h, std::size_t read, std::size_t to,
        WriteOrderReason reason = WriteOrderReason::Initial) {
  return {h.txn_of(OpId(read)), TxnId(to),  EdgeKind::AntiDependency,
          h.at(OpId(read)).key, OpId(read), reason};
}
Assumption before(std::size_t a, std::size_t b) {
  return {Kind::Before, TxnId(a), TxnId(b), {}, {}, 0};
}
Assumption writer(std::size_t read, std::size_t t) {
  return {Kind::Writer, TxnId(t), {}, OpId(read), {}, 0};
}
Assumption committed(std::size_t t) {
  return {Kind::Committed, TxnId(t), {}, {}, {}, 0};
}
Assumption aborted(std::size_t t) {
  return {Kind::Aborted, TxnId(t), {}, {}, {}, 0};
}
Assumption element(std::size_t key, std::uint32_t position, std::size_t op) {
  return {Kind::Element, {}, {}, OpId(op), KeyId(key), position};
}

std::string why_not(const History& history, Base base, std::vector<Case> cases,
                    Order order = Order::Session) {
  return certify(history, {{base, order}, Refutation{std::move(cases)}})
      .why_not;
}
std::string why_not(const History& history, Base base, Cycle cycle,
                    Order order = Order::Session) {
  return why_not(history, base, std::vector<Case>{{{}, std::move(cycle)}},
                 order);
}

TEST(CertifyRefutation, WriteSkewContradictsOnlySerializable) {
  const History h = litmus("s1: [r(x,0) w(y,1)]\ns2: [r(y,0) w(x,1)]");
  const Cycle cycle = {rw(h, 0, 2), rw(h, 2, 1)};
  EXPECT_EQ(why_not(h, Base::Serializable, cycle), "");
  EXPECT_EQ(why_not(h, Base::SnapshotIsolation, cycle),
            "a cycle of such edges does not contradict snapshot-isolation "
            "(session order)");
}

TEST(CertifyRefutation, LongForkContradictsPrefixAndNotParallelSnapshots) {
  const History h = litmus(
      "s1: [w(x,1)]\ns2: [w(y,1)]\ns3: [r(x,1) r(y,0)]\ns4: [r(x,0) r(y,1)]");
  const Cycle cycle = {wr(h, 1, 2), rw(h, 3, 2), wr(h, 2, 5), rw(h, 4, 1)};
  EXPECT_EQ(why_not(h, Base::Prefix, cycle), "");
  EXPECT_EQ(why_not(h, Base::SnapshotIsolation, cycle), "");
  EXPECT_NE(why_not(h, Base::ParallelSnapshotIsolation, cycle), "");
  EXPECT_NE(why_not(h, Base::Causal, cycle), "");
}

TEST(CertifyRefutation, LostUpdateTakesBothOrdersOfTheWriters) {
  const History h = litmus("s1: [r(x,0) w(x,1)]\ns2: [r(x,0) w(x,2)]");
  const Case first{{before(1, 2)},
                   Cycle{ww(1, 2, 0, WriteOrderReason::Assumed), rw(h, 2, 1)}};
  const Case second{{before(2, 1)},
                    Cycle{ww(2, 1, 0, WriteOrderReason::Assumed), rw(h, 0, 2)}};
  const Base psi = Base::ParallelSnapshotIsolation;
  EXPECT_EQ(why_not(h, psi, {first, second}), "");
  EXPECT_EQ(why_not(h, Base::SnapshotIsolation, {second, first}), "");
  EXPECT_EQ(why_not(h, psi, {first}),
            "the cases cover only one order of s1#1 and s2#1");
  EXPECT_EQ(why_not(h, psi, {Case{{}, first.contradiction}}),
            "the edge s1#1 -> s2#1: it is not shown that s1#1 is before s2#1 "
            "(assumed)");
  // With ww from commit to commit the start of s1 is free: prefix allows it.
  EXPECT_NE(why_not(h, Base::Prefix, {first, second}), "");
}

TEST(CertifyRefutation, FracturedReadsDependOnTheirOrder) {
  const History h = litmus("s1: [w(x,1) w(y,1)]\ns2: [r(y,0) r(x,1)]");
  const Cycle cycle = {rw(h, 2, 1), wr(h, 1, 3)};
  EXPECT_EQ(why_not(h, Base::ReadAtomic, cycle), "");
  EXPECT_EQ(why_not(h, Base::Serializable, cycle), "");
  EXPECT_NE(why_not(h, Base::MonotonicAtomicView, cycle), "");
  const History mav = litmus("s1: [w(x,1) w(y,1)]\ns2: [r(x,1) r(y,0)]");
  EXPECT_EQ(
      why_not(mav, Base::MonotonicAtomicView, {rw(mav, 3, 1), wr(mav, 1, 2)}),
      "");
}

TEST(CertifyRefutation, CausalPathsMayBeLongerThanReadAtomicOnes) {
  const History h =
      litmus("s1: [w(x,1)]\ns2: [r(x,1) w(y,1)]\ns3: [r(y,1) r(x,0)]");
  const Cycle cycle = {rw(h, 4, 1), wr(h, 1, 1), wr(h, 2, 3)};
  EXPECT_EQ(why_not(h, Base::Causal, cycle), "");
  EXPECT_NE(why_not(h, Base::ReadAtomic, cycle), "");
}

TEST(CertifyRefutation, ForcedOrdersNeedThePremiseOfTheLevel) {
  // s3 reads x from s1 though s2 is known to it, and s4 the other way round.
  const History h = litmus(
      "s1: [w(x,1) w(y,1)]\ns2: [w(x,2) w(z,1)]\n"
      "s3: [r(z,1) r(x,1)]\ns4: [r(y,1) r(x,2)]");
  const Cycle cycle = {
      ww(2, 1, 0, WriteOrderReason::Forced, OpId(5)),
      ww(1, 2, 0, WriteOrderReason::Forced, OpId(7)),
  };
  EXPECT_EQ(why_not(h, Base::MonotonicAtomicView, cycle), "");
  EXPECT_EQ(why_not(h, Base::Causal, cycle), "");
  EXPECT_EQ(why_not(h, Base::ReadCommitted, cycle),
            "the edge s2#1 -> s1#1: it is not shown that s2#1 is before s1#1 "
            "(forced)");
  Cycle swapped = cycle;
  std::swap(swapped[0].forced_by, swapped[1].forced_by);
  EXPECT_NE(why_not(h, Base::Causal, swapped), "");
}

TEST(CertifyRefutation, SessionEdgesNeedSessionOrder) {
  const History h = litmus("s1: [r(x,1)] [w(x,1)]");
  const Cycle cycle = {session(1, 2), wr(h, 2, 0)};
  EXPECT_EQ(why_not(h, Base::ReadCommitted, cycle), "");
  EXPECT_EQ(why_not(h, Base::ReadCommitted, cycle, Order::None),
            "the edge s1#1 -> s1#2 is no session order of this level");
}

TEST(CertifyRefutation, EdgesMustMeet) {
  const History h = litmus("s1: [r(x,0) w(y,1)]\ns2: [r(y,0) w(x,1)]");
  EXPECT_EQ(why_not(h, Base::Serializable, {rw(h, 0, 2)}),
            "the edges of a cycle do not meet at s2#1");
  EXPECT_EQ(why_not(h, Base::Serializable, Cycle{}), "a cycle has no edges");
  EXPECT_EQ(why_not(h, Base::Serializable, std::vector<Case>{}),
            "the refutation has no cases");
}

TEST(CertifyRefutation, RepeatedValuesTakeACasePerWriter) {
  const History h =
      litmus("s1: [r(x,1) w(y,1)]\ns2: [r(y,1) w(x,1)]\ns3: [r(y,1) w(x,1)]");
  const Case second{{writer(0, 2)}, Cycle{wr(h, 2, 0), wr(h, 1, 2)}};
  const Case third{{writer(0, 3)}, Cycle{wr(h, 3, 0), wr(h, 1, 4)}};
  EXPECT_EQ(why_not(h, Base::ReadCommitted, {second, third}), "");
  EXPECT_EQ(why_not(h, Base::ReadCommitted, {second}),
            "the cases forget that r(x)=1 of s1#1 may read from s3#1");
  EXPECT_EQ(why_not(h, Base::ReadCommitted, {{{}, second.contradiction}}),
            "the edge s2#1 -> s1#1: r(x)=1 need not read from it");
}

TEST(CertifyRefutation, OutcomesTakeTwoCases) {
  // Either it committed, then it misses itself; or s2 reads an aborted write.
  const History h = litmus("s1: [w(x,1) w(y,1)]?\ns2: [r(x,1) r(y,0)]");
  const Cycle cycle = {rw(h, 3, 1), wr(h, 1, 2)};
  const BadRead bad{BadReadKind::NoWriter, OpId(2)};
  EXPECT_EQ(why_not(h, Base::MonotonicAtomicView,
                    {{{committed(1)}, cycle}, {{aborted(1)}, bad}}),
            "");
  // That it was read says already that it committed.
  EXPECT_EQ(why_not(h, Base::MonotonicAtomicView, cycle), "");
  EXPECT_EQ(why_not(h, Base::MonotonicAtomicView, {{{committed(1)}, cycle}}),
            "the cases cover only one outcome of s1#1");
  EXPECT_EQ(why_not(h, Base::MonotonicAtomicView, {{{}, bad}}),
            "r(x)=1 of s2#1 may have read from s1#1");
}

TEST(CertifyRefutation, UnreadUnknownTransactionsProveNothing) {
  const History h = litmus("s1: [r(x,7)]?\ns2: [r(x,7)]!");
  EXPECT_EQ(why_not(h, Base::Serializable,
                    {{{}, BadRead{BadReadKind::ThinAir, OpId(0)}}}),
            "r(x)=7 of s1#1 is not judged: its transaction may not have "
            "committed");
  EXPECT_EQ(why_not(h, Base::Serializable,
                    {{{}, BadRead{BadReadKind::ThinAir, OpId(1)}}}),
            "r(x)=7 of s2#1 is not judged: its transaction may not have "
            "committed");
}

TEST(CertifyRefutation, BadReadsMustBeBad) {
  const History h = litmus(
      "s1: [w(x,1) w(x,2)]\ns2: [w(x,3)]!\n"
      "s3: [r(x,1)] [r(x,3)] [r(x,4)] [r(x,2)] [w(x,5) r(x,6)]");
  const auto bad = [&](BadReadKind kind, std::size_t read,
                       OpId other = kNone<OpId>) {
    return why_not(h, Base::ReadCommitted,
                   {{{}, BadRead{kind, OpId(read), other}}});
  };
  EXPECT_EQ(bad(BadReadKind::Intermediate, 3, OpId(0)), "");
  EXPECT_EQ(bad(BadReadKind::Aborted, 4, OpId(2)), "");
  EXPECT_EQ(bad(BadReadKind::ThinAir, 5), "");
  EXPECT_EQ(bad(BadReadKind::Internal, 8, OpId(7)), "");
  EXPECT_EQ(bad(BadReadKind::ThinAir, 6),
            "r(x)=2 of s3#4 may have read from s1#1");
  EXPECT_EQ(bad(BadReadKind::Internal, 6),
            "r(x)=2 of s3#4 does not contradict an own write before it");
  EXPECT_EQ(bad(BadReadKind::Aborted, 4, OpId(0)),
            "r(x)=3 of s3#2 is compared with a write of something else");
  EXPECT_EQ(why_not(h, Base::ReadUncommitted,
                    {{{}, BadRead{BadReadKind::ThinAir, OpId(5)}}}),
            "r(x)=4 of s3#3: read uncommitted asks nothing of single reads");
}

TEST(CertifyRefutation, ListsShowTheOrderOfTheirWriters) {
  const History h = litmus("s1: [a(l,1)] [a(l,2)]\ns2: [r(l,[2])]");
  const Cycle cycle = {session(1, 2), ww(2, 1, 0, WriteOrderReason::Known)};
  EXPECT_EQ(why_not(h, Base::ReadUncommitted, cycle), "");
  const History fine = litmus("s1: [a(l,1)] [a(l,2)]\ns2: [r(l,[1])]");
  EXPECT_NE(why_not(fine, Base::ReadUncommitted, cycle), "");
}

TEST(CertifyRefutation, IncompatibleListReads) {
  const History h = litmus(
      "s1: [a(l,1)]\ns2: [a(l,2)]\ns3: [r(l,[1])] [r(l,[2])] [r(l,[2 1])]\n"
      "s4: [a(m,1) a(m,2)] [r(m,[2])]");
  const auto bad = [&](std::size_t read, OpId other) {
    return why_not(
        h, Base::ReadUncommitted,
        {{{}, BadRead{BadReadKind::Incompatible, OpId(read), other}}});
  };
  EXPECT_EQ(bad(2, OpId(3)), "");
  EXPECT_EQ(bad(2, OpId(4)), "");
  EXPECT_EQ(bad(3, OpId(4)), "r(l)=[2] of s3#2 is compatible with r(l)=[2 1]");
  EXPECT_EQ(bad(7, OpId(6)), "");  // 1 is missing before 2
  EXPECT_NE(bad(2, kNone<OpId>), "");
}

TEST(CertifyRefutation, ElementsTakeACasePerAppend) {
  // Whichever append of 1 came first, session order or reads are against it.
  const History h = litmus("s1: [a(l,2)] [a(l,1)] [a(l,1)]\ns2: [r(l,[1])]");
  const auto cycle = [](std::size_t t) {
    return Cycle{session(1, t), ww(t, 1, 0, WriteOrderReason::Known)};
  };
  const Case first{{element(0, 0, 1)}, cycle(2)};
  const Case second{{element(0, 0, 2)}, cycle(3)};
  EXPECT_EQ(why_not(h, Base::ReadUncommitted, {first, second}), "");
  EXPECT_EQ(
      why_not(h, Base::ReadUncommitted, {first}),
      "the cases forget that element 0 of list l may be append(l)=1 of s1#3");
  EXPECT_NE(why_not(h, Base::ReadUncommitted, cycle(2)), "");
}

std::string why_not_by_lemmas(const History& h, std::vector<Case> cases,
                              std::vector<Lemma> lemmas) {
  return certify(h, {{Base::SnapshotIsolation, Order::Session},
                     Refutation{std::move(cases), std::move(lemmas)}})
      .why_not;
}

// The lost update again: each order of the writers is refuted by a cycle.
TEST(CertifyLemmas, FollowByUnitPropagationAndTheLastIsEmpty) {
  const History h =
      litmus("s1: [w(x,1)]\ns2: [r(x,1) w(x,2)]\ns3: [r(x,1) w(x,3)]");
  const auto assumed = WriteOrderReason::Assumed;
  const auto hb = WriteOrderReason::HappensBefore;
  const Case forth{{before(2, 3)},
                   Cycle{ww(2, 3, 0, assumed), rw(h, 3, 2, hb)}};
  const Case back{{before(3, 2)}, Cycle{ww(3, 2, 0, assumed), rw(h, 1, 3, hb)}};
  EXPECT_EQ(why_not_by_lemmas(h, {forth, back}, {{}}), "");
  EXPECT_EQ(why_not_by_lemmas(h, {forth, back}, {{{before(3, 2)}}, {}}), "");
  EXPECT_EQ(why_not_by_lemmas(h, {forth}, {{{before(3, 2)}}, {}}),
            "lemma 2 of 2 does not follow");
  EXPECT_EQ(why_not_by_lemmas(h, {back}, {{{before(3, 2)}}, {}}),
            "lemma 1 of 2 does not follow");
  EXPECT_EQ(why_not_by_lemmas(h, {forth, back}, {{{before(3, 2)}}}),
            "the last lemma is not empty");
  EXPECT_NE(why_not_by_lemmas(h, {{{}, forth.contradiction}, back}, {{}}), "");
  EXPECT_EQ(why_not_by_lemmas(h, {forth, back}, {{{committed(2)}}, {}}),
            "a proof speaks of the outcome of no unknown transaction");
}

// That a read has a writer, and that he committed, need not be said.
TEST(CertifyLemmas, ReadsOfWhichTheProofSpeaksHaveWriters) {
  const History h = litmus("s1: [w(x,1)]?\ns2: [w(x,1)]?\ns3: [r(x,1) r(x,0)]");
  const auto stale = [&](std::size_t writer_txn) {
    return Case{{writer(2, writer_txn)},
                Cycle{wr(h, writer_txn, 2), rw(h, 3, writer_txn)}};
  };
  const auto why_not_at = [&](std::vector<Case> cases) {
    return certify(h, {{Base::MonotonicAtomicView, Order::Session},
                       Refutation{std::move(cases), {Lemma{}}}})
        .why_not;
  };
  EXPECT_EQ(why_not_at({stale(1), stale(2)}), "");
  EXPECT_EQ(why_not_at({stale(1)}), "lemma 1 of 1 does not follow");
  const auto with_lemma = [&](Lemma lemma) {
    return certify(h, {{Base::MonotonicAtomicView, Order::Session},
                       Refutation{{stale(1)}, {std::move(lemma), {}}}})
        .why_not;
  };
  const Literal denied_1{writer(2, 1), true};
  const Literal denied_2{writer(2, 2), true};
  EXPECT_EQ(with_lemma({denied_1, denied_2}), "lemma 2 of 2 does not follow");
  EXPECT_EQ(with_lemma({denied_2, denied_2}), "lemma 1 of 2 does not follow");
}

}  // namespace
}  // namespace txscope::certify
