#include "generate/distinguish.h"

#include <gtest/gtest.h>

#include <ostream>

#include "support/litmus.h"
#include "support/oracle.h"

namespace txscope::generate {
namespace {

Distinction tell_apart(Level allowed_by, Level forbidden_by) {
  return distinguish(allowed_by, forbidden_by, Budget::unlimited());
}

void expect_right(Level allowed, Level forbidden) {
  const Distinction answer = tell_apart(allowed, forbidden);
  const std::string pair = describe(allowed) + " / " + describe(forbidden);
  if (implies(allowed, forbidden)) {
    EXPECT_EQ(answer.kind, Distinction::Kind::Impossible) << pair;
    return;
  }
  ASSERT_EQ(answer.kind, Distinction::Kind::Found) << pair;
  const OracleAnswers answers = oracle(*answer.history);
  EXPECT_TRUE(answers.allows(allowed)) << pair << to_litmus(*answer.history);
  EXPECT_FALSE(answers.allows(forbidden)) << pair << to_litmus(*answer.history);
}

TEST(Distinguish, TellsEveryPairOfBasesApart) {
  for (const Base first : all_bases())
    for (const Base second : all_bases())
      expect_right({first, Order::Session}, {second, Order::Session});
}

TEST(Distinguish, TellsEveryPairOfOrdersApart) {
  for (const Base base : all_bases())
    for (const Order first : kOrders)
      for (const Order second : kOrders)
        expect_right({base, first}, {base, second});
}

// A weak base with a strong order against a strong base with a weak one, and
// the other way round.
TEST(Distinguish, TellsLevelsApartThatDifferInBothBaseAndOrder) {
  for (const Order first : kOrders) {
    for (const Order second : kOrders) {
      if (first == second) continue;
      expect_right({Base::ReadUncommitted, first}, {Base::Causal, second});
      expect_right({Base::ReadAtomic, first}, {Base::Causal, second});
      expect_right({Base::Prefix, first}, {Base::SnapshotIsolation, second});
      expect_right({Base::SnapshotIsolation, first},
                   {Base::Serializable, second});
      expect_right({Base::Serializable, first},
                   {Base::ReadUncommitted, second});
    }
  }
}

struct Size {
  std::size_t txns;
  std::size_t ops;
  friend bool operator==(Size, Size) = default;
};
std::ostream& operator<<(std::ostream& out, Size size) {
  return out << size.txns << " transactions, " << size.ops << " operations";
}

Size smallest(Level allowed_by, Level forbidden_by) {
  const Distinction answer = tell_apart(allowed_by, forbidden_by);
  if (answer.kind != Distinction::Kind::Found) return {0, 0};
  return {answer.history->size() - 1, answer.history->ops().size()};
}

// Why there is none smaller: a value of its own is thin air; a backward view
// takes two reads of a key and its writer; what one session wrote and missed
// are two transactions; a chain of two dependencies has three ends; a lost
// update and a write skew read and write in each of two transactions; two
// anti-dependencies with a dependency between them connect four.
TEST(Distinguish, FindsTheSmallestForEveryAdjacentPair) {
  const auto at = [](Base base) { return Level{base, Order::Session}; };
  EXPECT_EQ(smallest(at(Base::ReadUncommitted), at(Base::ReadCommitted)),
            (Size{1, 1}));
  EXPECT_EQ(smallest(at(Base::ReadCommitted), at(Base::MonotonicAtomicView)),
            (Size{2, 3}));
  EXPECT_EQ(smallest(at(Base::MonotonicAtomicView), at(Base::ReadAtomic)),
            (Size{2, 2}));
  EXPECT_EQ(smallest(at(Base::ReadAtomic), at(Base::Causal)), (Size{3, 3}));
  EXPECT_EQ(smallest(at(Base::Causal), at(Base::Prefix)), (Size{4, 4}));
  EXPECT_EQ(smallest(at(Base::Causal), at(Base::ParallelSnapshotIsolation)),
            (Size{2, 4}));
  EXPECT_EQ(smallest(at(Base::Prefix), at(Base::SnapshotIsolation)),
            (Size{2, 4}));
  EXPECT_EQ(smallest(at(Base::ParallelSnapshotIsolation),
                     at(Base::SnapshotIsolation)),
            (Size{4, 4}));
  EXPECT_EQ(smallest(at(Base::SnapshotIsolation), at(Base::Serializable)),
            (Size{2, 4}));
}

// Without sessions the long fork needs readers of two keys each.
TEST(Distinguish, FindsTheLongForkAtOrderNone) {
  EXPECT_EQ(smallest({Base::ParallelSnapshotIsolation, Order::None},
                     {Base::Prefix, Order::None}),
            (Size{4, 6}));
}

TEST(Distinguish, StopsWhenTheBudgetEnds) {
  const Budget budget = Budget::unlimited();
  budget.cancel();
  const Distinction answer = distinguish(
      {Base::Causal, Order::Session}, {Base::Prefix, Order::Session}, budget);
  EXPECT_EQ(answer.kind, Distinction::Kind::NotFound);
  EXPECT_EQ(answer.tried, 0u);
}

}  // namespace
}  // namespace txscope::generate
