// The line formats of PolySI, Plume, IsoVista, AWDIT and dbcop.

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "litmus_of.h"

namespace txscope {
namespace {

using Mistakes = std::vector<std::pair<std::string, std::string>>;

TEST(Plume, OrdersTransactionsByTheirFirstLine) {
  EXPECT_EQ(litmus_of("w(1,1,0,7)\nr(1,1,1,3)\nw(2,5,1,2)\nw(1,2,0,4)\n"),
            "0: 7:[w(1,1)] 4:[w(1,2)]\n1: 3:[r(1,1)] 2:[w(2,5)]\n");
}

TEST(Plume, JoinsTransactionsWhoseLinesAreInterleaved) {
  EXPECT_EQ(litmus_of("w(1,1,0,0)\nw(2,2,1,1)\nr(2,0,0,0)\nr(1,0,1,1)\n"),
            "0: 0:[w(1,1) r(2,0)]\n1: 1:[w(2,2) r(1,0)]\n");
}

TEST(Plume, EveryOperationOfTransactionMinusOneIsAborted) {
  EXPECT_EQ(litmus_of("w(1,1,0,0)\nw(1,2,0,-1)\nr(1,2,0,-1)\nw(1,3,0,1)\n"),
            "0: 0:[w(1,1)] [w(1,2)]! [r(1,2)]! 1:[w(1,3)]\n");
}

TEST(Plume, AFirstTransactionThatOnlyWritesZeroIsTheInitialOne) {
  EXPECT_EQ(litmus_of("w(1,0,9,0)\nw(2,0,9,0)\nr(1,0,1,1)\n"),
            "1: 1:[r(1,0)]\n");
}

TEST(Plume, AFirstTransactionThatDoesMoreIsAnOrdinaryOne) {
  EXPECT_EQ(litmus_of("w(1,0,9,0)\nr(1,0,1,1)\nw(2,0,9,2)\n"),
            "1: 1:[r(1,0)]\n9: 0:[w(1,0)] 2:[w(2,0)]\n");
  EXPECT_EQ(litmus_of("w(1,0,9,0)\nr(1,0,1,1)\nw(2,5,9,0)\n"),
            "1: 1:[r(1,0)]\n9: 0:[w(1,0) w(2,5)]\n");
  EXPECT_EQ(litmus_of("w(1,0,9,0)\nr(1,0,9,0)\n"), "9: 0:[w(1,0) r(1,0)]\n");
  EXPECT_EQ(litmus_of("w(1,0,9,0)\nw(1,1,9,-1)\n"),
            "9: 0:[w(1,0)] [w(1,1)]!\n");
  EXPECT_EQ(litmus_of("w(1,0,9,-1)\nr(1,0,1,0)\n"),
            "9: [w(1,0)]!\n1: 0:[r(1,0)]\n");
}

TEST(Plume, NumbersGoUpTo64Bits) {
  EXPECT_EQ(litmus_of("w(18446744073709551615,18446744073709551615,0,0)\n"),
            "0: 0:[w(18446744073709551615,18446744073709551615)]\n");
}

TEST(Plume, KnowsTheLineOfEveryOperation) {
  auto source = read::open_history_text(
      "h", "w(1,1,0,0)\n\nw(2,2,1,1)\nr(2,0,0,0)\n", {});
  ASSERT_TRUE(source);
  const auto history = (*source)->next();
  ASSERT_TRUE(history);
  EXPECT_EQ((*history)->place(OpId(0)).line, 1u);
  EXPECT_EQ((*history)->place(OpId(1)).line, 4u);
  EXPECT_EQ((*history)->place(OpId(2)).line, 3u);
}

/// Some lines of transactions from `first` on.
std::string right_lines(int first) {
  std::string text;
  for (int i = first; i < first + 40; ++i)
    text += "w(7," + std::to_string(i) + ",70," + std::to_string(i) + ")\n";
  return text;
}

TEST(Plume, HowLinesEndDoesNotMatter) {
  std::string unix_text, dos_text;
  std::uint64_t number = 1;
  for (int i = 0; i < 500; ++i) {
    number = number * 6364136223846793005u + 1442695040888963407u;
    const std::string txn = i % 7 == 3 ? "-1" : std::to_string(i / 3);
    const std::string line = std::string(i % 2 == 0 ? "w(" : "r(") +
                             std::to_string(number >> (i % 64)) + "," +
                             std::to_string(number >> (63 - i % 64)) + "," +
                             std::to_string(i / 3 % 5) + "," + txn + ")";
    unix_text += line + "\n";
    dos_text += line + "\r\n";
    if (i % 50 == 17) unix_text += "\n", dos_text += "\r\n";
  }
  EXPECT_EQ(litmus_of(unix_text), litmus_of(dos_text));
}

TEST(Plume, MistakesAreFoundWhereTheyStand) {
  const Mistakes mistakes = {
      {"w(1,1,0,0)\n@x(1,1,0,0)", "expected 'r(' or 'w('"},
      {"w@ (1,1,0,0)", "expected '('"},
      {"w(@-1,1,0,0)", "expected the key, a number without sign"},
      {"w(1@ ,1,0,0)", "expected ',' after the key"},
      {"w(1,@a,0,0)", "expected the value, a number without sign"},
      {"w(1,1,@-1,0)", "expected the session, a number without sign"},
      {"w(1,1,0,@-2)", "expected the transaction, a number without sign"},
      {"w(1,@18446744073709551616,0,0)", "the value is larger than 2^64-1"},
      {"w(@99999999999999999999999,1,0,0)", "the key is larger than 2^64-1"},
      {"w(1,1,0,0@", "expected ')' after the transaction"},
      {"w(1,1,0,0)@;", "expected the end of the line after ')'"},
      {"w(1,1,0@)", "expected ',' after the session"},
      {"w(1,1,0,5)\nr(2,0,1,6)\n@w(1,2,1,5)",
       "transaction 5 is in two sessions"},
      {"w(1,1,0,5)\n@w(1,2,1,5)", "transaction 5 is in two sessions"},
      {"w(1,0,0,5)\n@w(1,0,1,5)", "transaction 5 is in two sessions"},
  };
  for (const auto& [marked, message] : mistakes) {
    expect_mistake(read::Format::Plume, marked, message);
    // And among many lines that are right, which are scanned some at a time.
    expect_mistake(read::Format::Plume,
                   right_lines(100) + marked + "\n" + right_lines(200),
                   message);
  }
}

TEST(Awdit, SplitsSessionsAndTransactionsAtTheirLines) {
  EXPECT_EQ(litmus_of("w 1 1\nw 2 1\n---\nr 1 1\n=====\n\n  r\t2   1  \n-\n"),
            "init 1=none 2=none\n1: [w(1,1) w(2,1)] [r(1,1)]\n2: [r(2,1)]\n");
}

TEST(Awdit, EmptyPiecesAreSkipped) {
  EXPECT_EQ(litmus_of("===\n---\nw 1 1\n---\n---\nw 1 2\n===\n===\nr 1 0\n"),
            "init 1=none\n1: [w(1,1)] [w(1,2)]\n2: [r(1,0)]\n");
}

TEST(Awdit, MistakesAreFoundWhereTheyStand) {
  const Mistakes mistakes = {
      {"w 1 1\n@x 1 1", "expected 'r' or 'w'"},
      {"w@1 1", "expected a blank after 'r' or 'w'"},
      {"w @a 1", "expected the key, a number without sign"},
      {"w 1 @-1", "expected the value, a number without sign"},
      {"w 1@", "expected the value, a number without sign"},
      {"w 1@x 2", "expected a blank after the key"},
      {"w 1 2 @3", "expected the end of the line"},
      {"w 1 2@x", "expected the end of the line"},
      {"w 1 @18446744073709551616", "a number above 2^64-1"},
      {"w 1 1\n--@=", "a separator holds one kind of character"},
  };
  for (const auto& [marked, message] : mistakes)
    expect_mistake(read::Format::Awdit, marked, message);
  EXPECT_EQ(litmus_of("---\n\n", {read::Format::Awdit, false}),
            "h: holds no operation");
}

TEST(DbcopHist, ReadsTransactionsSessionsAndComments) {
  EXPECT_EQ(litmus_of("// two sessions\n[x:=1 y==2 z==?] [ y:=3 ]! // more\n"
                      "\n---\n[x==1]\n[]\n"),
            "init x=null y=null z=null\n"
            "1: [w(x,1) r(y,2) r(z,null)] [w(y,3)]!\n2: [r(x,1)] []\n");
}

TEST(DbcopHist, MistakesAreFoundWhereTheyStand) {
  const Mistakes mistakes = {
      {"[x:=1]\n@x:=1]", "expected '['"},
      {"@[x:=1", "the transaction has no ']'"},
      {"@[x:=1 // ]", "the transaction has no ']'"},
      {"[@1:=1]", "expected a variable or ']'"},
      {"[x@=1]", "expected ':=' or '==' after the variable"},
      {"[x@", "expected ':=' or '==' after the variable"},
      {"[x:=@?]", "expected a number"},
      {"[x==@]", "expected a number"},
      {"[x==@-1]", "expected a number"},
      {"[x==1@,y==2]", "expected a blank or ']'"},
      {"[x:=@18446744073709551616]", "a number above 2^64-1"},
      {"[x:=1]@?", "expected '['"},
  };
  for (const auto& [marked, message] : mistakes)
    expect_mistake(read::Format::DbcopHist, marked, message);
  EXPECT_EQ(litmus_of("---\n", {read::Format::DbcopHist, false}),
            "h: holds no transaction");
}

}  // namespace
}  // namespace txscope
