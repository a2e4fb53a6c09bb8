#include <gtest/gtest.h>

#include "support/tla.h"

namespace txscope::test {
namespace {

/// "line:column: what" of the error in a module that has `text` as its body.
std::string mistake(const std::string& text) {
  const auto result = check_spec(text, "INIT Init NEXT Next");
  if (result) return "none";
  return std::to_string(result.error().where.line) + ":" +
         std::to_string(result.error().where.column) + ": " +
         result.error().what;
}

TEST(TlaParser, ReadsJunctionListsByColumn) {
  // The second bullet belongs to the outer list, so the whole is FALSE; were
  // it part of the disjunction, it would be TRUE.
  EXPECT_EQ(value_of("/\\ \\/ TRUE\n     \\/ FALSE\n  /\\ FALSE"), "FALSE");
  EXPECT_EQ(value_of("\\/ /\\ TRUE\n     /\\ FALSE\n  \\/ TRUE"), "TRUE");
  EXPECT_EQ(value_of("~ /\\ TRUE\n    /\\ FALSE"), "TRUE");
  EXPECT_EQ(
      value_of("\\A x \\in {1, 2}: /\\ x > 0\n                    /\\ x < 3"),
      "TRUE");
}

TEST(TlaParser, EndsAnItemAtATokenLeftOfItsBullet) {
  EXPECT_EQ(value_of("IF /\\ TRUE\n     /\\ TRUE\n  THEN 1 ELSE 2"), "1");
}

TEST(TlaParser, KnowsHowTightlyOperatorsBind) {
  EXPECT_EQ(value_of("2 + 3 * 4"), "14");
  EXPECT_EQ(value_of("1 + 1 = 2 /\\ TRUE"), "TRUE");
  EXPECT_EQ(value_of("~ 1 = 2"), "TRUE");
  EXPECT_EQ(value_of("-2 + 3"), "1");
  EXPECT_EQ(value_of("-2 ^ 2"), "-4");
  EXPECT_EQ(value_of("1 :> 2 @@ 3 :> 4"), "(1 :> 2 @@ 3 :> 4)");
  EXPECT_EQ(value_of("{1} \\cup {2} = {1, 2}"), "TRUE");
  EXPECT_EQ(value_of("1..3 \\ {2}"), "{1, 3}");
  EXPECT_EQ(value_of("10 - 3 - 2"), "5");
}

TEST(TlaParser, TakesAnInfixOperatorBeforeItsArguments) {
  EXPECT_EQ(value_of("<(1, 2)"), "TRUE");
  EXPECT_EQ(value_of("\\cup({1}, {2}) = {1, 2}"), "TRUE");
  EXPECT_EQ(value_of("[x \\in 1..2 |-> +(x, 1)]"), "<<2, 3>>");
}

TEST(TlaParser, TakesOperatorsOfEveryFixity) {
  const std::string definitions =
      "a ^+ == <<1, a>>\n-. a == <<2, a>>\na \\prec b == <<a, b>>\n"
      "One(-._, a) == -a\nOther(_^+, a) == a ^+\nTwo(_ \\prec _) == "
      "3 \\prec 4\nId(a) == a";
  EXPECT_EQ(value_of("<<4 ^+, ^+(4), -.(4)>>", definitions),
            "<<<<1, 4>>, <<1, 4>>, <<2, 4>>>>");
  EXPECT_EQ(value_of("<<One(Id, 5), Other(-., 5), Other(^+, 5), Two( - )>>",
                     definitions),
            "<<5, <<2, 5>>, <<1, 5>>, -1>>");
}

TEST(TlaParser, ReadsNumbersOfEveryBase) {
  EXPECT_EQ(value_of("<<\\b101, \\o17, \\O17, \\h1F, \\H1f>>"),
            "<<5, 15, 15, 31, 31>>");
}

TEST(TlaParser, SkipsLabels) {
  EXPECT_EQ(value_of("\\A x \\in {1} : lab(x) :: x = (two :: 1)"), "TRUE");
}

TEST(TlaParser, RefusesTemporalQuantifiersWhereTheyAreNeeded) {
  EXPECT_EQ(value_of("1", "F == \\EE x : [](x = 1)"), "1");
}

TEST(TlaParser, RefusesOperatorsWithoutAnOrderOfPrecedence) {
  EXPECT_NE(value_of("TRUE /\\ FALSE \\/ TRUE").find("no order of precedence"),
            std::string::npos);
  EXPECT_NE(value_of("1 = 1 = TRUE").find("no order of precedence"),
            std::string::npos);
  EXPECT_NE(value_of("{1} \\cap {2} \\cup {3}").find("no order of precedence"),
            std::string::npos);
}

TEST(TlaParser, TakesIdentifiersThatBeginWithADigit) {
  EXPECT_EQ(value_of("2plr1 + 1", "2plr1 == 41"), "42");
}

TEST(TlaParser, SkipsCommentsAnywhere) {
  EXPECT_EQ(
      value_of("1 + (* two (* nested *) \xe2\x88\x86 *) 2 \\* and the rest"),
      "3");
}

TEST(TlaParser, ReadsEveryFormInBrackets) {
  EXPECT_EQ(value_of("[a |-> 1, b |-> \"x\"].b"), "\"x\"");
  EXPECT_EQ(value_of("[a |-> 1] \\in [a: {1, 2}]"), "TRUE");
  EXPECT_EQ(value_of("[x \\in {5, 6} |-> x + 1][6]"), "7");
  EXPECT_EQ(value_of("[x, y \\in {1, 2} |-> x + y][2, 1]"), "3");
  EXPECT_EQ(value_of("Cardinality([{1, 2} -> {3, 4}])"), "4");
  EXPECT_EQ(value_of("[[a |-> 1, b |-> 2] EXCEPT !.a = @ + 5, !.b = 0]"),
            "[a |-> 6, b |-> 0]");
  EXPECT_EQ(value_of("[<<1, <<2, 3>>>> EXCEPT ![2][1] = @ * 10]"),
            "<<1, <<20, 3>>>>");
  EXPECT_EQ(value_of("{x \\in 1..5 : x % 2 = 1}"), "{1, 3, 5}");
  EXPECT_EQ(value_of("{x * x : x \\in 1..3}"), "{1, 4, 9}");
  EXPECT_EQ(value_of("{<<x, y>> \\in {1, 2} \\X {3} : x = 2}"), "{<<2, 3>>}");
  EXPECT_EQ(value_of("<<>>"), "<<>>");
}

TEST(TlaParser, PassesOperatorsAsArguments) {
  const std::string fold =
      "Fold(op(_, _), S, a) == LET f[s \\in SUBSET S] == IF s = {} THEN a ELSE "
      "LET x == CHOOSE x \\in s : TRUE IN op(x, f[s \\ {x}]) IN f[S]\n";
  EXPECT_EQ(value_of("Fold(+, 1..4, 0)", fold), "10");
  EXPECT_EQ(value_of("Fold(\\cap, {{1, 2}, {2, 3}}, 1..9)", fold), "{2}");
  EXPECT_EQ(value_of("Fold(LAMBDA a, b : a * b, 1..4, 1)", fold), "24");
  EXPECT_EQ(value_of("Fold(Times, 1..4, 1)", fold + "Times(a, b) == a * b\n"),
            "24");
  EXPECT_EQ(value_of("Twice(LAMBDA x : x + 1, 5)",
                     "Twice(f(_), x) == LET g(y) == f(f(y)) IN g(x)\n"),
            "7");
}

TEST(TlaParser, PointsAtWhatIsWrong) {
  EXPECT_EQ(mistake("VARIABLE x\nInit == x = (1 + \nNext == x' = x"),
            "4:6: expected ) after an expression in parentheses, found '=='");
  EXPECT_EQ(mistake("VARIABLE x\nInit == x = y\nNext == x' = x"),
            "3:13: y is not known here");
  EXPECT_EQ(mistake("EXTENDS Nowhere"), "2:9: module Nowhere is not found");
  EXPECT_EQ(mistake("VARIABLE x\nInit == F(x)\nF(a, b) == a"),
            "3:9: F takes 2 arguments, not 1");
  EXPECT_EQ(mistake("VARIABLE x\nx == 1"),
            "3:1: x is declared or defined twice");
  EXPECT_EQ(mistake("Init == \"abc"), "2:9: this string is not closed");
  EXPECT_EQ(mistake("Init == (* abc"), "2:9: this comment is not closed");
  EXPECT_EQ(mistake("Init == 1 + 2"), "2:11: + is not known here");
}

TEST(TlaParser, RefusesWhatIsNestedTooDeeply) {
  std::string deep(100'000, '(');
  EXPECT_NE(value_of(deep + "1").find("nested too deeply"), std::string::npos);
  std::string braces;
  for (int i = 0; i < 50'000; ++i) braces += "{";
  EXPECT_NE(value_of(braces).find("nested too deeply"), std::string::npos);
  std::string chain = "1";
  for (int i = 0; i < 50'000; ++i) chain += " + 1";
  EXPECT_NE(value_of(chain).find("nested too deeply"), std::string::npos);
}

TEST(TlaParser, SaysWhatAConfigurationLacks) {
  const std::string spec =
      "CONSTANT N\nVARIABLE x\nInit == x = N\nNext == x' = x\n";
  const auto missing = check_spec(spec, "INIT Init NEXT Next");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().what, "the constant N has no value");
  const auto unknown = check_spec(spec, "CONSTANT N = 1\nINIT Start NEXT Next");
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().what, "the specification does not define Start");
  EXPECT_EQ(unknown.error().where.line, 2u);
  const auto odd = check_spec(spec, "CONSTANT N = \nINIT Init NEXT Next");
  ASSERT_FALSE(odd);
}

}  // namespace
}  // namespace txscope::test
