#include <gtest/gtest.h>

#include <algorithm>

#include "support/tla.h"
#include "tla/value/set_walk.h"

// Sets that are gone through one by one instead of being built, and budgets
// that end it.
namespace txscope::test {
namespace {

using tla::Value;

std::vector<Value> all_of(tla::SetWalk walk) {
  std::vector<Value> all;
  for (Value v = walk.next(); !v.is_none(); v = walk.next()) all.push_back(v);
  return all;
}

TEST(TlaLargeSets, AreWalkedInTheOrderOfValues) {
  tla::Store store;
  std::vector<Value> items;
  for (int i = 0; i < 5; ++i) items.push_back(Value::of_int(i * 3));
  const tla::Node& base = *store.set(items).as_node();
  const auto check = [](std::vector<Value> walked, std::size_t count) {
    EXPECT_EQ(walked.size(), count);
    for (std::size_t i = 1; i < walked.size(); ++i)
      EXPECT_LT(tla::compare(walked[i - 1], walked[i]), 0);
  };
  check(all_of(tla::SetWalk(store, base)), 32);     // 2^5 subsets
  check(all_of(tla::SetWalk(store, base, 2)), 10);  // 5 choose 2
  check(all_of(tla::SetWalk(store, base, 0)), 1);
  check(all_of(tla::SetWalk(store, base, 6)), 0);
  const std::vector<const tla::Node*> three(3, &base);
  check(all_of(tla::SetWalk(store, three, Value())), 125);  // tuples
  std::vector<Value> keys = {store.string("a"), store.string("b"),
                             store.string("c")};
  check(all_of(tla::SetWalk(store, three, store.set(keys))), 125);
  std::vector<Value> nothing;
  const tla::Node* empty = store.set(nothing).as_node();
  check(all_of(tla::SetWalk(store, {&base, empty}, Value())), 0);
  check(all_of(tla::SetWalk(store, {}, Value())), 1);  // the empty tuple
}

TEST(TlaLargeSets, NeedNotBeBuilt) {
  EXPECT_EQ(value_of("\\E f \\in [1..60 -> BOOLEAN] : ~f[1]"), "TRUE");
  EXPECT_EQ(value_of("CHOOSE s \\in SUBSET (1..50) : 7 \\in s"), "{7}");
  EXPECT_EQ(value_of("CHOOSE r \\in [a : 1..5000, b : 1..5000] : r.b > 1"),
            "[a |-> 1, b |-> 2]");
  EXPECT_EQ(value_of("CHOOSE p \\in (1..9000) \\X (1..9000) : p[1] < p[2]"),
            "<<1, 2>>");
  EXPECT_EQ(value_of("Cardinality({s \\in SUBSET (1..17) : \n"
                     "   Cardinality(s) = 16})"),
            "17");
  EXPECT_EQ(value_of("Cardinality([1..10 -> 1..10])"), "10000000000");
  EXPECT_EQ(value_of("Cardinality([a : 1..300000, b : 1..300000])"),
            "90000000000");
  EXPECT_EQ(value_of("[{} -> {}]"), "{<<>>}");
  EXPECT_EQ(value_of("[{1} -> {}]"), "{}");
}

TEST(TlaLargeSets, EndWithTheBudget) {
  for (const char* endless : {
           "\\A s \\in SUBSET (1..60) : s # {100}",
           "Cardinality({f \\in [1..9 -> 1..9] : f[1] > 0}) > 0",
           "\\A p \\in (1..100000) \\X (1..100000) : p[1] > 0",
           "SortSeq([i \\in 1..200000 |-> 0 - i], LAMBDA a, b: a < b) # <<>>",
           "Cardinality(SUBSET (1..24) \\cap SUBSET (2..25)) > 0",
       }) {
    SpecRun run;
    run.limits.time = std::chrono::milliseconds(300);
    const auto result = check_spec(
        "EXTENDS Integers, FiniteSets, Sequences, TLC\nVARIABLE x\n"
        "Init == x = 1\nNext == x' = x\nInv == x = 1 /\\ " +
            std::string(endless),
        "INIT Init NEXT Next INVARIANT Inv", run);
    ASSERT_TRUE(result) << endless << ": " << result.error().what;
    EXPECT_EQ(result->outcome, Outcome::Undecided) << endless;
    EXPECT_EQ(result->spent, Spent::Time) << endless;
  }
}

// Between two looks at the memory nothing doubles that is large.
TEST(TlaLargeSets, StayWithinTheMemory) {
  for (const char* large : {
           "Cardinality({t : t \\in (1..3000) \\X (1..3000)})",
           "Cardinality({i \\in 1..16000000 : i > 0})",
           "Cardinality(UNION {{i * n : i \\in 1..9000} : n \\in 1..900})",
           "Len([i \\in 1..16000000 |-> i])",
       }) {
    SpecRun run;
    const std::uint64_t limit = resident_memory() + (std::uint64_t{40} << 20u);
    const std::uint64_t before = peak_memory();
    run.limits.memory_bytes = limit;
    const auto result = check_spec(
        "EXTENDS Integers, FiniteSets, Sequences\nVARIABLE x\n"
        "Init == x = 0\nNext == x' = " +
            std::string(large),
        "INIT Init NEXT Next", run);
    ASSERT_TRUE(result) << large << ": " << result.error().what;
    EXPECT_EQ(result->spent, Spent::Memory) << large;
    EXPECT_LE(peak_memory(), std::max(before, limit / 10 * 11)) << large;
  }
}

}  // namespace
}  // namespace txscope::test
