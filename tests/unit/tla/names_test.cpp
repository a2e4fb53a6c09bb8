#include <gtest/gtest.h>

#include "support/tla.h"

namespace txscope::test {
namespace {

// Expected values are TLC's.
TEST(TlaNames, SelectsPartsByLabelNumberAndBody) {
  const std::string definitions =
      "Q(n) == \\A i \\in 1..n : q(i) :: \\E j \\in 0..i : r(j) :: i > j\n"
      "W(n) == /\\ TRUE\n"
      "        /\\ \\A i, k \\in 1..n : <<i, k>> # <<7, n>>\n"
      "Top == top :: 3 + 1\n"
      "Inv(x) == /\\ x < 3\n"
      "          /\\ lab :: \\/ x = 0\n"
      "                    \\/ two :: x \\in {1, 2}";
  const auto value = [&](const std::string& e) {
    return value_of(e, definitions);
  };
  EXPECT_EQ(value("<<Q(3)!q(2), Q(3)!q(2)!r(2), Q(3)!(2)!(1)>>"),
            "<<TRUE, FALSE, TRUE>>");
  EXPECT_EQ(value("<<Q(3)!1, Q(3)!q(2)!1, Q(3)!(2)!1>>"),
            "<<{1, 2, 3}, {0, 1, 2}, {0, 1, 2}>>");
  EXPECT_EQ(value("<<W(2)!2!(7, 2), W(2)!2!(7, 1), W(2)!2!(7, 2)!2>>"),
            "<<FALSE, TRUE, <<7, 2>>>>");
  EXPECT_EQ(value("<<Top!top, Top!1, Inv(1)!lab, Inv(0)!lab!two, Inv(5)!2!2>>"),
            "<<4, 3, TRUE, FALSE, FALSE>>");
  EXPECT_EQ(value("Inv(1)!two"), "error: no part has the label two");
  EXPECT_EQ(value("W(2)!2!(7)"),
            "error: this selects the body of an expression with 1 bound "
            "variables, and it has 2");
}

// TLC finds 28 states, 13 of them distinct, at depth 5.
TEST(TlaNames, FollowsSeveralInstancesWithParameters) {
  const std::string module =
      "EXTENDS Naturals\nVARIABLE v\n"
      "---- MODULE N ----\nEXTENDS Naturals\nCONSTANT c, d\nVARIABLE v\n"
      "Two(e) == <<c, d, e>>\ng[x \\in 0..2] == <<c, d, x>>\n"
      "Step == v' = v + d + c\n====\n"
      "---- MODULE M ----\nEXTENDS Naturals\nCONSTANT c\nVARIABLE v\n"
      "f[x \\in 0..3] == IF x = 0 THEN c ELSE f[x - 1] + c\nOp == f[3]\n"
      "B(d) == INSTANCE N\n====\n"
      "I(c) == INSTANCE M\n"
      "Init == v = 0\n"
      "Next == v < 10 /\\ (I(1)!B(2)!Step \\/ "
      "\\E p \\in 1..2 : I(p)!B(p)!Step)\n"
      "Values == /\\ I(2)!Op = 8\n"
      "          /\\ <<I(2)!f[2], I(3)!f[1]>> = <<6, 6>>\n"
      "          /\\ I(2)!f = [x \\in 0..3 |-> 2 * x + 2]\n"
      "          /\\ I(2)!B(3)!Two(4) = <<2, 3, 4>>\n"
      "          /\\ I(v)!B(3)!g[1] = <<v, 3, 1>>\n"
      "Sp == Init /\\ [][Next]_v /\\ WF_v(I(1)!B(1)!Step)\n"
      "Ends == <>(v >= 10)";
  const auto result = check_spec(
      module,
      "SPECIFICATION Sp\nINVARIANT Values\nPROPERTY Ends\nCHECK_DEADLOCK "
      "FALSE");
  ASSERT_TRUE(result) << result.error().what;
  EXPECT_EQ(result->outcome, Outcome::Holds) << result->property;
  EXPECT_EQ(result->generated, 28u);
  EXPECT_EQ(result->distinct, 13u);
  EXPECT_EQ(result->depth, 5u);
}

// A variable may be the argument of an instance, and then have a next value.
// TLC finds 37 states, 9 of them distinct, at depth 3.
TEST(TlaNames, GivesVariablesToInstancesWithParameters) {
  const std::string module =
      "EXTENDS Naturals\nVARIABLES x, y\n"
      "---- MODULE N ----\nEXTENDS Naturals\nVARIABLES v, w\n"
      "Go == v' = (v + 1) % 3\nBoth == Go /\\ UNCHANGED w\n"
      "Other == UNCHANGED v /\\ w' = v\nInit == v = 0 /\\ w \\in 0..v\n====\n"
      "J(v) == INSTANCE N WITH w <- y\nJ2(v, w) == INSTANCE N\n"
      "Init == J2(x, y)!Init\n"
      "Next == J(x)!Both \\/ J2(x, y)!Other \\/ J2(y, x)!Both \\/ "
      "(J(x)!Go /\\ J(y)!Go)\n"
      "Sp == Init /\\ [][Next]_<<x, y>> /\\ WF_<<x, y>>(J(x)!Both)\n"
      "Again == []<>(x = 1)\nSteps == [][Next]_<<x, y>>";
  const auto result =
      check_spec(module, "SPECIFICATION Sp\nPROPERTY Again Steps");
  ASSERT_TRUE(result) << result.error().what;
  EXPECT_EQ(result->outcome, Outcome::Holds) << result->property;
  EXPECT_EQ(result->generated, 37u);
  EXPECT_EQ(result->distinct, 9u);
  EXPECT_EQ(result->depth, 3u);
}

}  // namespace
}  // namespace txscope::test
