#include "model/level.h"

#include <gtest/gtest.h>

namespace txscope {
namespace {

TEST(Level, PrefixAndParallelSnapshotAreUnorderedAndTheRestIsAChain) {
  for (const Base a : all_bases()) {
    for (const Base b : all_bases()) {
      const bool pair =
          (a == Base::Prefix && b == Base::ParallelSnapshotIsolation) ||
          (b == Base::Prefix && a == Base::ParallelSnapshotIsolation);
      EXPECT_EQ(compare(a, b) == std::partial_ordering::unordered, pair);
      if (pair) continue;
      EXPECT_EQ(compare(a, b) < 0, a < b);
    }
  }
}

TEST(Level, AStrongerBaseWithAWeakerOrderIsUnordered) {
  const Level weak_base{Base::Causal, Order::Realtime};
  const Level weak_order{Base::Serializable, Order::None};
  EXPECT_TRUE((weak_base <=> weak_order) == std::partial_ordering::unordered);
  EXPECT_TRUE(implies({Base::Serializable, Order::Realtime}, weak_base));
  EXPECT_FALSE(implies(weak_base, weak_order));
}

TEST(Level, EveryNameAndAliasReadsBack) {
  for (const Base base : all_bases()) {
    const auto level = parse_level(name(base));
    ASSERT_TRUE(level);
    EXPECT_EQ(level->base, base);
    EXPECT_FALSE(level->order.has_value());
    for (const auto alias : aliases(base)) {
      const auto other = parse_level(alias);
      ASSERT_TRUE(other) << alias;
      EXPECT_EQ(other->base, base) << alias;
    }
  }
}

TEST(Level, ElleNamesFixTheOrder) {
  struct Row {
    std::string_view text;
    Base base;
    Order order;
  };
  for (const Row& row : {
           Row{"strict-serializable", Base::Serializable, Order::Realtime},
           Row{"strong-serializable", Base::Serializable, Order::Realtime},
           Row{"strong-session-serializable", Base::Serializable,
               Order::Session},
           Row{"Strong_Snapshot_Isolation", Base::SnapshotIsolation,
               Order::Realtime},
           Row{"strong-session-si", Base::SnapshotIsolation, Order::Session},
           Row{"SSER", Base::Serializable, Order::Realtime},
       }) {
    const auto level = parse_level(row.text);
    ASSERT_TRUE(level) << row.text;
    EXPECT_EQ(level->base, row.base) << row.text;
    ASSERT_TRUE(level->order.has_value()) << row.text;
    EXPECT_EQ(*level->order, row.order) << row.text;
  }
}

TEST(Level, RefusesWhatItDoesNotDecideWithAReason) {
  for (const auto name : {"repeatable-read", "cursor-stability", "PL-2+",
                          "strong-repeatable-read"}) {
    const auto level = parse_level(name);
    ASSERT_FALSE(level) << name;
    EXPECT_NE(level.error().what.find("does not decide"), std::string::npos)
        << name;
    EXPECT_FALSE(level.error().hint.empty()) << name;
  }
  const auto typo = parse_level("serialisible");
  ASSERT_FALSE(typo);
  EXPECT_EQ(typo.error().hint, "did you mean 'serializable'?");
}

}  // namespace
}  // namespace txscope
