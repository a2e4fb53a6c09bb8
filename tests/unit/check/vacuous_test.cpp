#include <gtest/gtest.h>

#include "check/vacuous.h"
#include "support/litmus.h"

namespace txscope::check {
namespace {

std::string why_nothing(std::string_view text) {
  return why_nothing_to_check(litmus(text));
}

TEST(NothingToCheck, WithoutTransactions) {
  EXPECT_EQ(why_nothing(""), "the history has no transactions");
}

TEST(NothingToCheck, WhereNothingCommitted) {
  EXPECT_EQ(why_nothing("a: [r(x,0) w(x,1)]!\n"), "nothing committed");
  EXPECT_EQ(why_nothing("a: [r(x,0) w(x,1)]!\nb: [r(x,0)]?\n"),
            "nothing is known to have committed");
}

TEST(NothingToCheck, WhereNothingThatCommittedReads) {
  EXPECT_EQ(why_nothing("a: [w(x,1)] [w(x,2)]\n"),
            "nothing that committed read anything");
  EXPECT_EQ(why_nothing("a: [a(l,1)]\nb: [r(l,[1])]? [r(l,[1])]!\n"),
            "nothing that committed read anything");
  EXPECT_EQ(why_nothing("a: []\n"), "nothing that committed read anything");
}

TEST(NothingToCheck, OneReadIsSomething) {
  EXPECT_EQ(why_nothing("a: [r(x,0)]\n"), "");
  EXPECT_EQ(why_nothing("a: [w(x,1)]\nb: [r(l,[])]\n"), "");
  EXPECT_EQ(why_nothing("judge aborted\na: [w(x,1)]\nb: [r(x,1)]!\n"), "");
}

}  // namespace
}  // namespace txscope::check
