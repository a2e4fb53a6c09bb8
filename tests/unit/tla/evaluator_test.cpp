#include <gtest/gtest.h>

#include <vector>

#include "support/tla.h"

namespace txscope::test {
namespace {

TEST(TlaEvaluator, HasOneSpaceForFunctionsRecordsAndSequences) {
  EXPECT_EQ(value_of("<<7, 8>> = [i \\in 1..2 |-> i + 6]"), "TRUE");
  EXPECT_EQ(value_of("[a |-> 1] = (\"a\" :> 1)"), "TRUE");
  EXPECT_EQ(value_of("<<>> = [x \\in {} |-> x]"), "TRUE");
  EXPECT_EQ(value_of("(1 :> 7 @@ 2 :> 8) = <<7, 8>>"), "TRUE");
  EXPECT_EQ(value_of("{<<1>>, [i \\in {1} |-> 1]}"), "{<<1>>}");
  EXPECT_EQ(value_of("DOMAIN <<4, 5>>"), "{1, 2}");
}

TEST(TlaEvaluator, NeverEnumeratesWhatIsOnlyTestedForMembership) {
  EXPECT_EQ(value_of("5 \\in Nat /\\ -5 \\notin Nat /\\ -5 \\in Int"), "TRUE");
  EXPECT_EQ(value_of("<<1, 2>> \\in Seq(Nat)"), "TRUE");
  EXPECT_EQ(value_of("{1, 2} \\in SUBSET Nat"), "TRUE");
  EXPECT_EQ(value_of("[a |-> <<1>>] \\in [a: Seq(Int)]"), "TRUE");
  EXPECT_EQ(value_of("[x \\in 1..3 |-> x] \\in [1..3 -> Nat]"), "TRUE");
  EXPECT_EQ(value_of("<<3, \"a\">> \\in Nat \\X STRING"), "TRUE");
  EXPECT_EQ(value_of("[x \\in {7} |-> 2] \\in [{7} -> {n \\in Nat : n > 1}]"),
            "TRUE");
  EXPECT_EQ(value_of("{{1}} \\subseteq SUBSET Nat"), "TRUE");
  EXPECT_EQ(value_of("0 \\in UNION {Nat, {\"a\"}}"), "TRUE");
  EXPECT_EQ(value_of("7 \\in Nat \\ 0..6"), "TRUE");
}

// Specifying Systems, Section 14.2.2: what has no list of elements can still be
// asked about those of a finite set.
TEST(TlaEvaluator, AsksInfiniteSetsAboutTheElementsOfFiniteOnes) {
  const std::string pos = "Pos == {n \\in Nat : n > 0}";
  EXPECT_EQ(value_of("1..3 \\subseteq {n \\in Nat : n > 0}"), "TRUE");
  EXPECT_EQ(value_of("0..3 \\subseteq Pos", pos), "FALSE");
  EXPECT_EQ(value_of("{0, 2} \\subseteq Pos \\cup {0}", pos), "TRUE");
  EXPECT_EQ(value_of("SUBSET {1, 2} \\subseteq SUBSET Pos", pos), "TRUE");
  EXPECT_EQ(value_of("SUBSET {0, 2} \\subseteq SUBSET Pos", pos), "FALSE");
  EXPECT_EQ(value_of("[{1} -> 0..1] \\subseteq [{1} -> Pos]", pos), "FALSE");
  EXPECT_EQ(value_of("{1, 2, 3, 4} \\cap {i \\in Int : i > 2}"), "{3, 4}");
  EXPECT_EQ(value_of("{i \\in Int : i > 2} \\cap 1..4"), "{3, 4}");
  EXPECT_EQ(value_of("-1..2 \\ Pos", pos), "{-1, 0}");
  EXPECT_EQ(
      value_of("<<0 \\in N, {0, 1} \\cap {n \\in N : n > 0}>>", "N == Nat"),
      "<<TRUE, {1}>>");
  EXPECT_EQ(value_of("{1, 2} \\cap {i \\in {2, 3} : i > 1}"), "{2}");
}

TEST(TlaEvaluator, AppliesAFunctionOfAnInfiniteDomain) {
  EXPECT_EQ(value_of("[i \\in Int |-> i + 2][3]"), "5");
  EXPECT_EQ(value_of("[p \\in Nat \\X Int |-> p[1] - 2 * p[2]][2, -3]"), "8");
  EXPECT_EQ(value_of("[i, j \\in Nat |-> i - j][7, 9]"), "-2");
  EXPECT_EQ(value_of("[<<i, j>> \\in Nat \\X Nat |-> i - j][<<7, 9>>]"), "-2");
  EXPECT_EQ(value_of("[i \\in Nat |-> i][-1]"),
            "error: -1 is not in the domain of this function");
  EXPECT_EQ(value_of("[i \\in 1..3 |-> [i \\in 1..2 |-> i * 5][2] + i][1]"),
            "11");
}

// What looks the same each time it is evaluated is evaluated once; here it
// depends on what is bound around it.
TEST(TlaEvaluator, EvaluatesWhatDependsOnNothingOnce) {
  EXPECT_EQ(value_of("[i \\in 1..3 |-> {j \\in 1..3 : j < i}]"),
            "<<{}, {1}, {1, 2}>>");
  EXPECT_EQ(value_of("[i \\in 1..2 |-> LET k == i * 10 IN {k, 1}]"),
            "<<{1, 10}, {1, 20}>>");
  EXPECT_EQ(value_of("[[a |-> 1, b |-> 2] EXCEPT !.a = {@}, !.b = {@}]"),
            "[a |-> {1}, b |-> {2}]");
  EXPECT_EQ(value_of("<<P(1), P(2)>>", "P(x) == <<x, {y : y \\in {x}}>>"),
            "<<<<1, {1}>>, <<2, {2}>>>>");
  EXPECT_EQ(value_of("<<P(1), P(2)>>",
                     "P(x) == LET Q(y) == {x, y} IN {Q(z) : z \\in 1..2}"),
            "<<{{1}, {1, 2}}, {{2}, {1, 2}}>>");
  EXPECT_EQ(value_of("<<P(1), P(2)>>",
                     "P(x) == LET f[y \\in 1..2] == x + y IN {f[1], 9}"),
            "<<{2, 9}, {3, 9}>>");
  EXPECT_EQ(value_of("<<A(LAMBDA z : z + 1), A(LAMBDA z : z + 2)>>",
                     "A(op(_)) == {op(y) : y \\in 1..2}"),
            "<<{2, 3}, {3, 4}>>");
}

TEST(TlaEvaluator, SelectsPartsWithArguments) {
  const std::string ops =
      "Op(x, y) == x > 1 /\\ y = x + 1\n"
      "Apply(f(_), x) == f(x) \\in {1, f(x)}\n"
      "Sum(x) == x + 10";
  EXPECT_EQ(value_of("Op(1, 2)!2", ops), "TRUE");
  EXPECT_EQ(value_of("Op(1, 2)!1", ops), "FALSE");
  EXPECT_EQ(value_of("Op(5, 0)!2!2", ops), "6");
  EXPECT_EQ(value_of("[x \\in 1..2 |-> Sum(x * 3)!1]", ops), "<<3, 6>>");
  EXPECT_EQ(value_of("Apply(LAMBDA z : z * 2, 4)!1", ops), "8");
  EXPECT_EQ(value_of("Op(1)!1", ops), "error: Op takes 2 arguments, not 1");
}

TEST(TlaEvaluator, RefusesToEnumerateWhatIsInfinite) {
  EXPECT_EQ(value_of("\\A n \\in Nat : n >= 0"),
            "error: the elements of Nat are needed, and there are infinitely "
            "many");
  EXPECT_EQ(value_of("CHOOSE x : x > 0"),
            "error: unbounded CHOOSE is not supported");
  EXPECT_EQ(value_of("\\E x : x = 1"),
            "error: unbounded quantifiers are not supported");
}

TEST(TlaEvaluator, ChoosesTheFirstElement) {
  EXPECT_EQ(value_of("CHOOSE i \\in 1..9 : i * i > 10"), "4");
  EXPECT_EQ(
      value_of("(CHOOSE x \\in {3, 1, 2} : TRUE) = (CHOOSE x \\in {2, 1, 3} "
               ": TRUE)"),
      "TRUE");
  EXPECT_EQ(value_of("CHOOSE x \\in {1} : x = 2").substr(0, 40),
            "error: CHOOSE finds no element that sati");
}

TEST(TlaEvaluator, RoundsDivisionDown) {
  EXPECT_EQ(value_of("<<7 \\div 2, -7 \\div 2, 7 % 3, -7 % 3>>"),
            "<<3, -4, 1, 2>>");
  EXPECT_EQ(value_of("1 \\div 0"), "error: the divisor is 0");
  EXPECT_EQ(value_of("2 ^ 10"), "1024");
  EXPECT_EQ(value_of("10 ^ 30"), "error: the result is too large");
}

TEST(TlaEvaluator, EvaluatesDefinitionsOnlyWhenTheyAreNeeded) {
  EXPECT_EQ(
      value_of("1", "Broken == [t \\in Seq(Nat) |-> t]\nBad == 1 \\div 0"),
      "1");
  EXPECT_EQ(value_of("IF TRUE THEN 1 ELSE 1 \\div 0"), "1");
  EXPECT_EQ(value_of("First(1, 1 \\div 0)", "First(a, b) == a"), "1");
  EXPECT_EQ(value_of("LET bad == 1 \\div 0 IN 2"), "2");
}

TEST(TlaEvaluator, RunsRecursiveOperatorsAndFunctions) {
  EXPECT_EQ(value_of("Fact(10)",
                     "RECURSIVE Fact(_)\nFact(n) == IF n = 0 THEN 1 "
                     "ELSE n * Fact(n - 1)"),
            "3628800");
  EXPECT_EQ(value_of("fib[30]",
                     "fib[n \\in Nat] == IF n < 2 THEN n ELSE fib[n - "
                     "1] + fib[n - 2]"),
            "832040");
  EXPECT_EQ(
      value_of("Cardinality(Perms(1..4))",
               "Perms(S) == LET p[ss \\in SUBSET S] == IF ss = {} THEN "
               "{<<>>} ELSE UNION {{Append(q, x) : q \\in p[ss \\ {x}]} : x "
               "\\in ss} IN p[S]"),
      "24");
}

// Sums as specifications write them: the terms are added one after the other,
// so that even a large set does not nest.
TEST(TlaEvaluator, AddsUpOverASetHoweverLarge) {
  const std::string sum =
      "RECURSIVE Sum(_, _)\n"
      "Sum(f, S) == IF S = {} THEN 0 ELSE LET x == CHOOSE x \\in S : TRUE\n"
      "                                   IN  f[x] + Sum(f, S \\ {x})\n"
      "RECURSIVE Back(_, _)\n"
      "Back(S, f) == IF S = {} THEN 7 ELSE LET x == CHOOSE x \\in S : TRUE\n"
      "                                    IN  Back(S \\ {x}, f) + f[x]\n";
  EXPECT_EQ(value_of("Sum([i \\in 1..4 |-> i * i], 1..4)", sum), "30");
  EXPECT_EQ(value_of("Sum(<<5, 6>>, {})", sum), "0");
  EXPECT_EQ(value_of("Back({1, 2}, <<5, 6>>)", sum), "18");
  EXPECT_EQ(value_of("Sum([p \\in {\"a\", \"b\"} |-> 3], {\"a\", \"b\"})", sum),
            "6");
  EXPECT_EQ(value_of("Sum([i \\in 1..100000 |-> i], 1..100000)", sum),
            "5000050000");
  // A term that is not asked for first is not to blame.
  EXPECT_EQ(value_of("Sum(<<\"a\", {}>>, {1, 2, 3})", sum),
            "error: expected an integer, found \"a\"");
  EXPECT_NE(value_of("Back({1, 2, 3}, <<\"a\", {}>>)", sum).find("error: "),
            std::string::npos);
  EXPECT_NE(value_of("Sum(<<1>>, 5)", sum).find("error: "), std::string::npos);
}

// What looks like a sum and is none: the term looks at what is left, the sum is
// one of several things, another parameter changes.
TEST(TlaEvaluator, RunsRecursionThatOnlyLooksLikeASum) {
  const auto recursive = [](const std::string& name, const std::string& step) {
    return "RECURSIVE " + name + "(_, _)\n" + name +
           "(k, S) == IF S = {} THEN k ELSE LET x == CHOOSE x \\in S : TRUE\n"
           "  IN " +
           step + "\n";
  };
  EXPECT_EQ(value_of("F(0, {4, 5, 6})",
                     recursive("F", "Cardinality(S) + F(k, S \\ {x})")),
            "6");
  EXPECT_EQ(value_of("F(0, {4, 5, 6})", recursive("F", "x + F(x, S \\ {x})")),
            "21");
  EXPECT_EQ(value_of("F(1, {4, 5, 6})",
                     recursive("F", "IF x > 4 THEN 0 ELSE x + F(k, S \\ {x})")),
            "4");
  EXPECT_EQ(
      value_of("F(1, {4, 5, 6})", recursive("F",
                                            "LET y == S IN Cardinality(y) + "
                                            "F(k, S \\ {x})")),
      "7");
}

TEST(TlaEvaluator, EndsRecursionWithoutAnEnd) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "ThreadSanitizer's own stack of calls is shorter";
#endif
  EXPECT_EQ(value_of("F(1)", "RECURSIVE F(_)\nF(n) == F(n + 1) + 1"),
            "error: the evaluation is nested too deeply");
}

TEST(TlaEvaluator, KnowsSequences) {
  EXPECT_EQ(value_of("Len(<<1, 2>> \\o <<3>>)"), "3");
  EXPECT_EQ(value_of("Append(<<1>>, 2)"), "<<1, 2>>");
  EXPECT_EQ(value_of("<<Head(<<4, 5>>), Tail(<<4, 5>>)>>"), "<<4, <<5>>>>");
  EXPECT_EQ(value_of("SubSeq(<<1, 2, 3, 4>>, 2, 3)"), "<<2, 3>>");
  EXPECT_EQ(value_of("SelectSeq(<<1, 2, 3, 4>>, LAMBDA x : x % 2 = 0)"),
            "<<2, 4>>");
  EXPECT_EQ(value_of("SortSeq(<<3, 1, 2>>, LAMBDA a, b : a < b)"),
            "<<1, 2, 3>>");
  EXPECT_EQ(value_of("Head(<<>>)"), "error: Head of an empty sequence");
}

TEST(TlaEvaluator, AppliesFunctionsOfInfiniteDomains) {
  EXPECT_EQ(value_of("f[5]",
                     "f[n \\in Nat] == IF n = 0 THEN 1 ELSE "
                     "n * f[n - 1]"),
            "120");
  EXPECT_EQ(value_of("f[5]", "f == [n \\in Nat \\ {0} |-> n + 1]"), "6");
  EXPECT_EQ(value_of("LET f == [n \\in Int |-> -n] IN f[5]"), "-5");
  EXPECT_EQ(value_of("LET f == [n \\in Nat |-> n] IN f[-1]").substr(0, 6),
            "error:");
}

// As TLC's own module Sequences has it.
TEST(TlaEvaluator, TakesStringsForSequences) {
  EXPECT_EQ(value_of("Len(\"abc\")"), "3");
  EXPECT_EQ(value_of("\"ab\" \\o \"c\""), "\"abc\"");
  EXPECT_EQ(value_of("Tail(\"abc\")"), "\"bc\"");
  EXPECT_EQ(value_of("SubSeq(\"abc\", 2, 3)"), "\"bc\"");
  EXPECT_EQ(value_of("SubSeq(\"abc\", 2, 1)"), "\"\"");
  EXPECT_EQ(value_of("SubSeq(\"abc\", 2, 4)"),
            "error: SubSeq from 2 to 4 of a sequence of length 3");
  EXPECT_EQ(value_of("Tail(\"\")"), "error: Tail of an empty string");
  EXPECT_EQ(value_of("Append(\"ab\", \"c\")"),
            "error: expected a sequence, found \"ab\"");
}

TEST(TlaEvaluator, KnowsBags) {
  EXPECT_EQ(value_of("BagCardinality(SetToBag({1, 2}) (+) SetToBag({2}))"),
            "3");
  EXPECT_EQ(value_of("CopiesIn(2, SetToBag({1, 2}) (+) SetToBag({2}))"), "2");
  EXPECT_EQ(value_of("(SetToBag({1, 2}) (-) SetToBag({2})) = SetToBag({1})"),
            "TRUE");
  EXPECT_EQ(value_of("SetToBag({1}) \\sqsubseteq SetToBag({1, 2})"), "TRUE");
  EXPECT_EQ(value_of("Cardinality(SubBag(SetToBag({1, 2})))"), "4");
  EXPECT_EQ(value_of("EmptyBag = <<>>"), "TRUE");
}

TEST(TlaEvaluator, KnowsTheModuleTLC) {
  EXPECT_EQ(value_of("Cardinality(Permutations({1, 2, 3}))"), "6");
  EXPECT_EQ(value_of("ToString({1, 2})"), "\"{1, 2}\"");
  EXPECT_EQ(value_of("Assert(1 = 2, \"no\")"),
            "error: the assertion fails: no");
  EXPECT_EQ(value_of("TLCGet(1)"), "error: TLCGet(1) has no value");
}

TEST(TlaEvaluator, RefusesComparisonsThatAreMostLikelyMistakes) {
  EXPECT_EQ(value_of("1 = \"a\""), "error: cannot compare 1 with \"a\"");
  EXPECT_EQ(value_of("<<1>> = {1}"), "error: cannot compare <<1>> with {1}");
}

TEST(TlaEvaluator, LeavesAFunctionAloneOutsideItsDomain) {
  EXPECT_EQ(value_of("[<<1, 2>> EXCEPT ![3] = 9]"), "<<1, 2>>");
  EXPECT_EQ(value_of("<<1, 2>>[3]"),
            "error: 3 is not in the domain of the function <<1, 2>>");
}

TEST(TlaEvaluator, SubstitutesInInstances) {
  const std::string inner =
      "---- MODULE Inner ----\nEXTENDS Naturals\nCONSTANT c\nAdd(x) == x + c\n"
      "LOCAL Hidden == 1\n====\n";
  EXPECT_EQ(value_of("I!Add(1)", inner + "I == INSTANCE Inner WITH c <- 41"),
            "42");
  EXPECT_EQ(
      value_of("J(40)!Add(2)", inner + "J(n) == INSTANCE Inner WITH c <- n"),
      "42");
  EXPECT_EQ(value_of("Add(2)", inner + "c == 5\nINSTANCE Inner"), "7");
  EXPECT_EQ(value_of("LET K == INSTANCE Inner WITH c <- 3 IN K!Add(4)", inner),
            "7");
  EXPECT_EQ(value_of("I!Hidden", inner + "I == INSTANCE Inner WITH c <- 1"),
            "error: I has no Hidden");
}

// Laws that hold for all sets of a small universe.
TEST(TlaEvaluator, ObeysTheLawsOfSets) {
  const std::string all = "\\A A, B, C \\in SUBSET (0..3) : ";
  for (const std::string& law : std::vector<std::string>{
           "A \\cup (B \\cap C) = (A \\cup B) \\cap (A \\cup C)",
           "A \\ (B \\cup C) = (A \\ B) \\cap (A \\ C)",
           "(A \\subseteq B) <=> (A \\cap B = A)",
           "(A \\in SUBSET B) <=> (A \\subseteq B)",
           "UNION {A, B, C} = A \\cup B \\cup C",
           "{x \\in A : x \\in B} = A \\cap B",
           "Cardinality(A \\cup B) = Cardinality(A) + Cardinality(B \\ A)",
           "Cardinality(A \\X B) = Cardinality(A) * Cardinality(B)",
           "(\\E x \\in A : x \\in B) <=> ~(A \\cap B = {})",
           "DOMAIN [x \\in A |-> B] = A",
           "{[x \\in A |-> x][y] : y \\in A} = A"})
    EXPECT_EQ(value_of(all + law), "TRUE") << law;
}

TEST(TlaEvaluator, ObeysTheLawsOfSequences) {
  const std::string all =
      "\\A s, t \\in UNION {[1..n -> {0, 1}] : n \\in 0..3} : ";
  for (const std::string& law : std::vector<std::string>{
           "Len(s \\o t) = Len(s) + Len(t)", "SubSeq(s \\o t, 1, Len(s)) = s",
           "s # <<>> => <<Head(s)>> \\o Tail(s) = s",
           "Append(s, 0) = s \\o <<0>>", "s \\in Seq({0, 1})",
           "SelectSeq(s, LAMBDA x : TRUE) = s"})
    EXPECT_EQ(value_of(all + law), "TRUE") << law;
}

// Each update sees what those before it have made; the function itself is old.
TEST(TlaEvaluator, UpdatesOfExceptFollowEachOther) {
  EXPECT_EQ(value_of("[<<1, 2>> EXCEPT ![1] = @ + 1, ![1] = @ * 10]"),
            "<<20, 2>>");
  EXPECT_EQ(value_of("LET f == <<1, 2>> IN "
                     "[f EXCEPT ![1] = f[2], ![2] = f[1]]"),
            "<<2, 1>>");
  EXPECT_EQ(value_of("[<<<<1, 2>>, 3>> EXCEPT ![1][2] = 5, "
                     "![1] = Append(@, 7), ![9] = 0, ![2] = @]"),
            "<<<<1, 5, 7>>, 3>>");
  EXPECT_EQ(value_of("[[a |-> 1, b |-> <<1>>] EXCEPT !.b[1] = 2, !.a = @ + 2]"),
            "[a |-> 3, b |-> <<2>>]");
}

TEST(TlaEvaluator, FunctionsOfManyTuplesAreAppliedByTheirArgument) {
  const std::string f =
      "LET f == [t \\in (0..4) \\X (0..4) |-> t[1] * 5 + t[2]] IN ";
  EXPECT_EQ(value_of(f + "\\A i, j \\in 0..4 : f[<<i, j>>] = i * 5 + j"),
            "TRUE");
  EXPECT_EQ(value_of(f + "[f EXCEPT ![<<4, 3>>] = @ + 100][<<4, 3>>]"), "123");
  EXPECT_EQ(value_of(f + "f[<<5, 0>>]").substr(0, 6), "error:");
  EXPECT_EQ(value_of(f + "f[<<5, 0>>]").substr(0, 6), "error:");
}

}  // namespace
}  // namespace txscope::test
