#include "repair/edit.h"

#include <gtest/gtest.h>

namespace txscope::repair {
namespace {

TEST(RepairEdit, EditsAreAppliedAtTheirPlacesInTheOldText) {
  EXPECT_EQ(edited("one two three", {{8, 5, "3"}, {0, 3, "1"}, {4, 0, "a "}}),
            "1 a two 3");
}

TEST(RepairEdit, WhatTwoChangesAskForIsDoneOnce) {
  EXPECT_EQ(edited("x;", {{1, 0, " FOR UPDATE"}, {1, 0, " FOR UPDATE"}}),
            "x FOR UPDATE;");
}

TEST(RepairEdit, TwoChangesOfTheSameBytesDoNotGoTogether) {
  EXPECT_FALSE(are_compatible(in_order({{0, 5, "a"}, {3, 4, "b"}})));
  EXPECT_TRUE(are_compatible(in_order({{3, 4, "b"}, {0, 3, "a"}})));
  EXPECT_TRUE(are_compatible(in_order({{3, 4, "b"}, {3, 0, "a"}})));
}

TEST(RepairEdit, ADiffShowsTheLinesThatDiffer) {
  EXPECT_EQ(diff_of("a\nb\nc\n", {{3, 0, "!"}}), "- 2: b\n+ 2: b!\n");
  EXPECT_EQ(diff_of("a\nb\nc\n", {{2, 2, ""}}), "- 2: b\n");
  EXPECT_EQ(diff_of("a\nb\n", {{4, 0, "c\n"}}), "+ 3: c\n");
  EXPECT_EQ(diff_of("a\nb", {{3, 0, "\nc\n"}}), "+ 3: c\n");
}

TEST(RepairEdit, LinesBesideEachOtherAreTakenApartOnlyWhereTheyAre) {
  EXPECT_EQ(diff_of("a\nb\nc\n", {{0, 1, "A"}, {4, 1, "C"}}),
            "- 1: a\n+ 1: A\n- 3: c\n+ 3: C\n");
  EXPECT_EQ(diff_of("a\nb\nc\n", {{0, 5, "A"}}),
            "- 1: a\n- 2: b\n- 3: c\n"
            "+ 1: A\n");
}

// What is new stands before the line with its number, as SARIF wants it.
TEST(RepairEdit, LinesThatAreNewGoBeforeALineOfTheOldText) {
  const auto lines = changed_lines("a\nb\nc\n", {{2, 1, "B1\nB2\nB3"}});
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[0].line, 2u);
  EXPECT_EQ(lines[0].before, "b");
  EXPECT_EQ(lines[0].after, "B1");
  for (const std::size_t i : {1u, 2u}) {
    EXPECT_EQ(lines[i].line, 3u);
    EXPECT_FALSE(lines[i].before);
  }
  EXPECT_EQ(lines[2].after, "B3");
}

}  // namespace
}  // namespace txscope::repair
