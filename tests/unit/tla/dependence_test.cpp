#include <gtest/gtest.h>

#include "support/tla.h"

// What is remembered of a value, and what it depends on.  The numbers are those
// that follow from the definitions, state by state; TLC reports the same.
namespace txscope::test {
namespace {

struct Counts {
  std::uint64_t generated;
  std::uint64_t distinct;
};

/// Checks a module with Init, Next and Inv; "" if it holds with these counts.
std::string differs(const std::string& module, Counts expected,
                    const std::string& more = {}) {
  const auto result = check_spec(
      "EXTENDS Naturals, Sequences, FiniteSets\n" + module,
      "INIT Init NEXT Next INVARIANT Inv CHECK_DEADLOCK FALSE " + more);
  if (!result) return result.error().what;
  if (result->outcome != Outcome::Holds) return "violated";
  if (result->distinct != expected.distinct)
    return std::to_string(result->distinct) + " distinct";
  if (result->generated != expected.generated)
    return std::to_string(result->generated) + " generated";
  return {};
}

TEST(TlaDependence, OfALetInInitIsOnTheVariableBeingAssigned) {
  EXPECT_EQ(differs("VARIABLES a, b\n"
                    "Init == LET c == a + 10 IN a \\in 1..3 /\\ b = c\n"
                    "Next == UNCHANGED <<a, b>>\nInv == b = a + 10",
                    {6, 3}),
            "");
}

TEST(TlaDependence, OfAnArgumentInInitIsOnTheVariableBeingAssigned) {
  EXPECT_EQ(differs("VARIABLES x, z\nGt(p, q) == p \\in 0..3 /\\ p > q\n"
                    "Init == x = 1 /\\ Gt(z, x)\nNext == UNCHANGED <<x, z>>\n"
                    "Inv == z > x",
                    {4, 2}),
            "");
}

TEST(TlaDependence, OfAnInstanceParameterIsOnTheVariableBeingAssigned) {
  EXPECT_EQ(differs("VARIABLES x, z\n---- MODULE M ----\nCONSTANT y\n"
                    "Up(p) == p \\in 0..3 /\\ p > y\n====\n"
                    "I(y) == INSTANCE M\n"
                    "Init == x \\in 1..2 /\\ I(x)!Up(z)\n"
                    "Next == UNCHANGED <<x, z>>\nInv == z > x",
                    {6, 3}),
            "");
}

TEST(TlaDependence, OfALetFunctionInInitIsOnTheVariableBeingAssigned) {
  EXPECT_EQ(
      differs("VARIABLES a, b\n"
              "Init == LET f[n \\in 0..3] == IF n = 0 THEN a ELSE f[n-1] + 1\n"
              "        IN a \\in 1..3 /\\ b = f[2]\n"
              "Next == UNCHANGED <<a, b>>\nInv == b = a + 2",
              {6, 3}),
      "");
}

TEST(TlaDependence, OfADefinedFunctionInInitIsOnTheVariableBeingAssigned) {
  EXPECT_EQ(differs("VARIABLES a, b\n"
                    "f[n \\in 0..3] == IF n = 0 THEN a ELSE f[n-1] + 1\n"
                    "Init == a \\in 1..3 /\\ b = f[2] + Cardinality(DOMAIN f)\n"
                    "Next == UNCHANGED <<a, b>>\nInv == b = a + 6",
                    {6, 3}),
            "");
}

TEST(TlaDependence, OfALetIsOnTheNextStateBeingBuilt) {
  EXPECT_EQ(differs("VARIABLES a, b\nInit == a = 0 /\\ b = 10\n"
                    "Next == LET c == a' + 10 IN a' \\in 1..3 /\\ b' = c\n"
                    "Inv == b = a + 10",
                    {1 + 4 * 3, 4}),
            "");
}

TEST(TlaDependence, OfAHeavyDefinitionIsOnTheStateItIsAskedIn) {
  EXPECT_EQ(
      differs("VARIABLES a, b\nSum == Cardinality({i \\in 0..9 : i < a})\n"
              "Init == a \\in 1..3 /\\ b = Sum\n"
              "Next == a' \\in 1..3 /\\ b' = Sum'\nInv == b = Sum",
              {3 + 9, 3}),
      "");
}

TEST(TlaDependence, OfAnOperatorArgumentIsOnTheVariableBeingAssigned) {
  EXPECT_EQ(differs("VARIABLES a, b\nTwice(F(_), v) == F(F(v))\n"
                    "Init == a \\in 1..3 /\\ b = Twice(LAMBDA v : v + a, 0)\n"
                    "Next == UNCHANGED <<a, b>>\nInv == b = 2 * a",
                    {6, 3}),
            "");
}

TEST(TlaDependence, LetsAParameterBeReadAndPrimed) {
  EXPECT_EQ(differs("VARIABLE x\nA(v) == v = 0 /\\ v' = 1\nInit == x = 0\n"
                    "Next == A(x)\nInv == x \\in 0..1",
                    {2, 2}),
            "");
}

TEST(TlaDependence, LetsEnabledLookForAStateOfItsOwn) {
  // ENABLED in the middle of an action that is being satisfied.
  EXPECT_EQ(differs("VARIABLE x\nUp == x < 3 /\\ x' = x + 1\nInit == x = 0\n"
                    "Next == LET c == x' IN\n"
                    "  (x' = x + 1 \\/ x' = 0) /\\ ENABLED Up /\\ c = x'\n"
                    "Inv == x <= 3 /\\ (ENABLED Up <=> x < 3)",
                    {1 + 3 * 2, 4}),
            "");
}

// Once every variable has its value, the rest of a conjunction is one Boolean.
TEST(TlaCounting, DoesNotBranchOnceEveryVariableHasItsValue) {
  const std::string init = "VARIABLE x\nInit == x = 0\nInv == x = 0\nNext == ";
  EXPECT_EQ(differs(init + "x' = 0 /\\ (x = 0 \\/ x' = 0)", {2, 1}), "");
  EXPECT_EQ(differs(init + "x' = 0 /\\ \\E i \\in 1..3 : i > 1", {2, 1}), "");
  EXPECT_EQ(
      differs(init + "x' = 0 /\\ IF x = 0 THEN x = 0 \\/ x' = 0 ELSE TRUE",
              {2, 1}),
      "");
  EXPECT_EQ(differs(init + "x' = 0 /\\ LET c == x IN c = 0 \\/ x' = c", {2, 1}),
            "");
  EXPECT_EQ(differs(init + "x' = 0 /\\ (x = 0 => (x = 0 \\/ x' = 0))", {2, 1}),
            "");
  EXPECT_EQ(differs("VARIABLE x\nP(c) == c = 0 \\/ x' = c\nInit == x = 0\n"
                    "Next == x' = 0 /\\ P(x)\nInv == TRUE",
                    {2, 1}),
            "");
  EXPECT_EQ(differs("VARIABLE x\nInit == x \\in {1, 2} /\\ (x > 0 \\/ x < 5)\n"
                    "Next == UNCHANGED x /\\ (x = 1 \\/ x < 5)\nInv == TRUE",
                    {4, 2}),
            "");
}

TEST(TlaCounting, GivesANextValueEverySubset) {
  EXPECT_EQ(differs("VARIABLE x\nInit == x = {}\nNext == x' \\subseteq {1, 2}\n"
                    "Inv == x \\subseteq {1, 2}",
                    {1 + 4 * 4, 4}),
            "");
}

// Specifying Systems, Section 17.8: ENABLED A of an instance asks for next
// values of the instance's own variables, also where both stand for one.
TEST(TlaInstances, KeepTheirVariablesApartInEnabled) {
  const auto result = check_spec(
      "EXTENDS Naturals\nVARIABLE z\n"
      "---- MODULE In ----\nVARIABLES x, y\n"
      "Both == x' = 0 /\\ y' = 1\nF == ENABLED Both\n"
      "G == ENABLED (x # y /\\ Both)\nSame == ENABLED (UNCHANGED <<x, y>>)\n"
      "====\n"
      "I == INSTANCE In WITH x <- z, y <- z\n"
      "Init == z = 0\nNext == z' = 1 - z\nInv == I!F /\\ ~I!G /\\ I!Same\n"
      "Steps == [][~I!Both]_z\n",
      "INIT Init NEXT Next INVARIANT Inv PROPERTY Steps");
  ASSERT_TRUE(result) << result.error().what;
  EXPECT_EQ(result->outcome, Outcome::Holds);
  EXPECT_EQ(result->distinct, 2u);
}

TEST(TlaInstances, MaySubstituteANameForItself) {
  EXPECT_EQ(
      differs("VARIABLE x\nN == 1\n---- MODULE P ----\nCONSTANT N\n"
              "Add(a) == a + N\n====\nINSTANCE P WITH N <- N\n"
              "Init == x = 0\nNext == x < 3 /\\ x' = Add(x)\nInv == N = 1",
              {4, 4}),
      "");
  EXPECT_EQ(differs("VARIABLE x\nL(r) == r\n---- MODULE P ----\n"
                    "CONSTANT L(_)\nAdd(a) == L(a) + 1\n====\n"
                    "INSTANCE P WITH L <- L\n"
                    "Init == x = 0\nNext == x < 3 /\\ x' = Add(x)\nInv == TRUE",
                    {4, 4}),
            "");
}

// A loop that depends on nothing but bound names is remembered by their values.
TEST(TlaRemembered, LoopsHaveTheValueForTheNamesAtHand) {
  const std::string around =
      "Near(p) == LET ones == {1, 2} steps == {p + x : x \\in ones} IN steps\n"
      "Of(Op(_)) == {Op(x) : x \\in {1, 2}}\n"
      "Lazy(a, b) == IF a THEN {} ELSE {b + x : x \\in {1, 2}}\n"
      "RECURSIVE Down(_)\n"
      "Down(n) == LET below == {i \\in 0..n : i < n}\n"
      "           IN IF n = 0 THEN <<>> ELSE Append(Down(n - 1), below)\n";
  EXPECT_EQ(value_of("<<Near(1), Near(5), Near(1), Near(2)>>", around),
            "<<{2, 3}, {6, 7}, {2, 3}, {3, 4}>>");
  EXPECT_EQ(value_of("[i \\in 1..2, j \\in 1..2 |-> {i * j * x : x \\in {1}}]"),
            value_of("[i \\in 1..2, j \\in 1..2 |-> {i * j}]"));
  EXPECT_EQ(value_of("<<Of(LAMBDA a : a + 1), Of(LAMBDA a : a * 10)>>", around),
            "<<{2, 3}, {10, 20}>>");
  EXPECT_EQ(value_of("<<Lazy(TRUE, 1 \\div 0), Lazy(FALSE, 1)>>", around),
            "<<{}, {2, 3}>>");
  EXPECT_EQ(value_of("<<Down(3), Down(2)>>", around),
            "<<<<{0}, {0, 1}, {0, 1, 2}>>, <<{0}, {0, 1}>>>>");
}

TEST(TlaRemembered, LoopsSeeTheStateThatAnArgumentIsOf) {
  const auto result = check_spec(
      "EXTENDS Naturals\nVARIABLE x\nK(n) == {n + d : d \\in {1, 2}}\n"
      "Init == x = 0\nNext == x < 4 /\\ x' = x + 1 /\\ K(x') # K(x)\n"
      "Inv == K(x) = {x + 1, x + 2} /\\ K(0) = {1, 2}\n"
      "Steps == [][K(x') = {x + 2, x + 3}]_x\nSpec == Init /\\ [][Next]_x",
      "SPECIFICATION Spec INVARIANT Inv PROPERTY Steps CHECK_DEADLOCK FALSE");
  ASSERT_TRUE(result) << result.error().what;
  EXPECT_EQ(result->outcome, Outcome::Holds) << result->property;
  EXPECT_EQ(result->distinct, 5u);
}

}  // namespace
}  // namespace txscope::test
