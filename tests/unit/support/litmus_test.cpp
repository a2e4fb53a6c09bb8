#include "support/litmus.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace txscope {
namespace {

TEST(Litmus, SaysWhatItReads) {
  const History history = litmus(R"(
      # a comment
      init y=5
      s1: [w(x,1)] [r(x,1) w(y,"a b")]!   # another
      s2: t:[10..25: r(y,5)] [30..: a(l,1) r(l,[1]) l(l) l(l,1,2)]?
      s1: [r(x,null)]
  )");
  ASSERT_EQ(history.size(), 6u);
  EXPECT_EQ(history.name(TxnId(3)), "s1#3");
  EXPECT_EQ(history.at(TxnId(2)).status, Status::Aborted);
  EXPECT_EQ(history.at(TxnId(5)).status, Status::Unknown);
  EXPECT_EQ(history.name(TxnId(4)), "t");
  EXPECT_EQ(history.at(TxnId(4)).start, 10);
  EXPECT_EQ(history.at(TxnId(4)).end, 25);
  EXPECT_EQ(history.at(TxnId(5)).start, 30);
  EXPECT_EQ(history.at(TxnId(5)).end, Txn::kNoTime);
  EXPECT_EQ(history.ops(TxnId(5)).size(), 4u);
  EXPECT_EQ(history.list(OpId(history.at(TxnId(5)).end_op - 1)).size(), 2u);
  EXPECT_EQ(history.place(TxnId(3)).line, 6u);
}

TEST(Litmus, RegistersStartAsZeroUnlessToldOtherwise) {
  const History plain = litmus("s: [r(x,0) r(y,0)]");
  EXPECT_EQ(plain.initial(KeyId(0)), plain.at(OpId(0)).value);
  const History told = litmus("init x=7 *=none\ns: [r(x,0) r(y,0)]");
  EXPECT_EQ(told.initial(KeyId(0)).small_int(), 7);
  EXPECT_TRUE(told.initial(KeyId(1)).is_no_value());
}

TEST(Litmus, WhatItPrintsReadsBackAsTheSame) {
  const std::string text =
      "init x=none z=:k\n"
      "judge aborted\n"
      "s1: [w(x,1) w(x,-2)] t1:[r(x,18446744073709551615)]!\n"
      "\"s 2\": [10..25: a(l,1) r(l,[1 2]) r(l,[])] [30..: r(y,null)]?\n"
      "3: [] [r(z,\"7\") r(z,\"q\\\"\")]\n";
  EXPECT_EQ(to_litmus(litmus(text)), text);
}

TEST(Litmus, ThrowsWithTheLineOnBadText) {
  for (const char* text :
       {"\ns: [w(x)]", "\ns: [w(x,1)", "\n[w(x,1)]", "\ns: [q(x,1)]",
        "\ns: [w(x,1) a(x,1)]", "\njudge all", "\ns: [r(x,\"a)]"}) {
    try {
      const History history = litmus(text);
      ADD_FAILURE() << text;
    } catch (const std::invalid_argument& error) {
      EXPECT_NE(std::string(error.what()).find(":2: "), std::string::npos)
          << error.what();
    }
  }
}

}  // namespace
}  // namespace txscope
