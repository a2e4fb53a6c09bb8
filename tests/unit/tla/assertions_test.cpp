// A failing Assert is a violation, with the behaviour that leads to it; and
// what a "holds" says that was checked.

#include <gtest/gtest.h>

#include "support/tla.h"

namespace txscope::test {
namespace {

const std::string kAsserting =
    "EXTENDS Integers, TLC\nVARIABLE x\nInit == x = 0\n"
    "Next == x' = x + 1 /\\ Assert(x < 3, \"too large\")\n"
    "Free == x < 5 /\\ x' = x + 1\n"
    "Inv == Assert(x < 3, <<\"x is\", x>>)\n";

void expect_assertion(const Result<ModelResult>& result,
                      const std::string& message, std::size_t states) {
  ASSERT_TRUE(result) << result.error().what;
  EXPECT_EQ(result->outcome, Outcome::Violated);
  EXPECT_EQ(result->violation, ModelViolation::Assertion);
  EXPECT_EQ(result->property, "Assert");
  EXPECT_EQ(result->message, message);
  EXPECT_GT(result->property_place.line, 0u);
  EXPECT_EQ(result->trace.size(), states);
}

TEST(TlaAssertion, InAStepEndsWithTheStateBeforeIt) {
  const auto result = check_spec(kAsserting, "INIT Init NEXT Next");
  expect_assertion(result, "too large", 4);
  EXPECT_EQ(result->property_place.line, 5u);
  EXPECT_EQ(result->trace.back().values[0].value, "3");
  EXPECT_EQ(result->depth, 4u);
}

TEST(TlaAssertion, InAnInvariantEndsWithThatState) {
  const auto result =
      check_spec(kAsserting, "INIT Init NEXT Free INVARIANT Inv");
  expect_assertion(result, "<<\"x is\", 3>>", 4);
  EXPECT_EQ(result->trace.back().values[0].value, "3");
  EXPECT_EQ(result->depth, 4u);
}

TEST(TlaAssertion, InTheInitialStateHasNoMoreThanThat) {
  expect_assertion(
      check_spec("EXTENDS TLC\nVARIABLE x\nInit == x = 0\nNext == x' = x\n"
                 "Inv == Assert(x = 1, \"one\")\n",
                 "INIT Init NEXT Next INVARIANT Inv"),
      "one", 1);
  expect_assertion(
      check_spec("EXTENDS TLC\nVARIABLE x\n"
                 "Init == x = 0 /\\ Assert(x = 1, \"one\")\nNext == x' = x\n",
                 "INIT Init NEXT Next"),
      "one", 0);
}

TEST(TlaAssertion, InAnAssumptionIsOneToo) {
  expect_assertion(
      check_spec("EXTENDS TLC\nASSUME Assert(FALSE, \"assumed\")\n", ""),
      "assumed", 0);
}

TEST(TlaAssertion, IsFoundBySimulation) {
  SpecRun run;
  run.simulate = 5;
  expect_assertion(check_spec(kAsserting, "INIT Init NEXT Next", run),
                   "too large", 4);
}

TEST(TlaAssertion, OfPlusCalIsOneToo) {
  const auto result = check_spec(
      "EXTENDS Integers, TLC\n"
      "(* --algorithm A\nvariable x = 0;\nbegin\n"
      "  up: x := x + 1;\n  check: assert x = 2;\nend algorithm; *)\n"
      "\\* BEGIN TRANSLATION\n"
      "VARIABLES x, pc\nvars == << x, pc >>\n"
      "Init == x = 0 /\\ pc = \"up\"\n"
      "up == /\\ pc = \"up\"\n      /\\ x' = x + 1\n"
      "      /\\ pc' = \"check\"\n"
      "check == /\\ pc = \"check\"\n"
      "         /\\ Assert(x = 2, \"Failure of assertion at line 7, column "
      "10.\")\n"
      "         /\\ pc' = \"Done\"\n         /\\ x' = x\n"
      "Next == up \\/ check\nSpec == Init /\\ [][Next]_vars\n"
      "\\* END TRANSLATION\n",
      "SPECIFICATION Spec");
  expect_assertion(result, "Failure of assertion at line 7, column 10.", 2);
}

// Every level is finished, so the least state is told whoever was first.
TEST(TlaAssertion, IsTheSameWithAnyNumberOfJobs) {
  const std::string spec =
      "EXTENDS Integers, TLC\nVARIABLES x, y\n"
      "Init == x = 0 /\\ y = 0\n"
      "Next == /\\ Assert(x + y < 60, \"far\")\n"
      "        /\\ \\/ x' = x + 1 /\\ y' = y\n"
      "           \\/ y' = y + 1 /\\ x' = x\n";
  SpecRun run;
  const auto one = check_spec(spec, "INIT Init NEXT Next", run);
  run.jobs = 3;
  const auto three = check_spec(spec, "INIT Init NEXT Next", run);
  expect_assertion(one, "far", 61);
  expect_assertion(three, "far", 61);
  EXPECT_EQ(one->generated, three->generated);
  for (std::size_t i = 0; i < 2; ++i)
    EXPECT_EQ(one->trace.back().values[i].value,
              three->trace.back().values[i].value);
}

TEST(TlaAssertion, ThatIsTrueIsCounted) {
  const auto result = check_spec(
      "EXTENDS Integers, TLC\nVARIABLE x\nInit == x = 0\n"
      "Next == x < 2 /\\ Assert(x < 2, \"\") /\\ x' = x + 1\n",
      "INIT Init NEXT Next CHECK_DEADLOCK FALSE");
  ASSERT_TRUE(result);
  EXPECT_EQ(result->outcome, Outcome::Holds);
  EXPECT_EQ(result->assertions, 2u);
  EXPECT_EQ(result->emptiness, "");
}

const std::string kUp =
    "EXTENDS Integers\nVARIABLE x\nInit == x = 0\nNext == x' = (x + 1) % 5\n"
    "Inv == x < 5\nSmall == x < 3\nBig == x > 3\nNever == x \\in {}\n"
    "AC == x' > x\n";

ModelResult checked(const std::string& module, const std::string& config) {
  auto result = check_spec(module, config);
  EXPECT_TRUE(result) << (result ? "" : result.error().what);
  EXPECT_EQ(result->outcome, Outcome::Holds);
  return std::move(*result);
}

TEST(TlaWhatWasChecked, NamesDeadlocksWhereNothingElseIsAskedFor) {
  const ModelResult result = checked(kUp, "INIT Init NEXT Next");
  EXPECT_TRUE(result.checks_deadlock);
  EXPECT_EQ(result.emptiness, "");
  EXPECT_EQ(checked(kUp, "INIT Init NEXT Next CHECK_DEADLOCK FALSE").emptiness,
            "no INVARIANT and no PROPERTY is asked for, and deadlocks are "
            "allowed");
}

TEST(TlaWhatWasChecked, KnowsWhetherConstraintsCut) {
  EXPECT_FALSE(
      checked(kUp, "INIT Init NEXT Next INVARIANT Inv").is_cut_by_constraint);
  EXPECT_FALSE(checked(kUp, "INIT Init NEXT Next INVARIANT Inv CONSTRAINT Inv")
                   .is_cut_by_constraint);
  EXPECT_TRUE(checked(kUp, "INIT Init NEXT Next INVARIANT Inv CONSTRAINT Small")
                  .is_cut_by_constraint);
  EXPECT_TRUE(
      checked(kUp, "INIT Init NEXT Next INVARIANT Inv ACTION_CONSTRAINT AC")
          .is_cut_by_constraint);
}

TEST(TlaWhatWasChecked, IsNothingWithoutStates) {
  EXPECT_EQ(checked(kUp, "INIT Never NEXT Next INVARIANT Inv").emptiness,
            "there is no initial state");
  EXPECT_EQ(checked(kUp, "INIT Init NEXT Next INVARIANT Inv CONSTRAINT Big")
                .emptiness,
            "no initial state satisfies the constraints");
}

TEST(TlaWhatWasChecked, CountsAssumptions) {
  const std::string assumed = kUp + "ASSUME 1 < 2\nASSUME 2 < 3\n";
  const ModelResult only = checked(assumed, "INIT Never NEXT Next");
  EXPECT_EQ(only.assumptions, 2u);
  EXPECT_EQ(only.emptiness, "");
  EXPECT_NE(checked(assumed, "INIT Never NEXT Next INVARIANT Inv")
                .emptiness.find("only the assumptions"),
            std::string::npos);
  const ModelResult none = checked("ASSUME TRUE\n", "");
  EXPECT_EQ(none.assumptions, 1u);
  EXPECT_EQ(none.emptiness, "");
  EXPECT_NE(checked("x == 1\n", "").emptiness, "");
}

TEST(TlaStandardModules, BagsBringTlcAlong) {
  EXPECT_TRUE(check_spec("EXTENDS Bags\nASSUME PrintT(1)\n", ""));
  EXPECT_EQ(value_of("<<IsABag({1, 2, 3}), IsABag(<<1, 2>>), IsABag(<<1, 0>>), "
                     "IsABag([a |-> \"x\"]), IsABag(SetToBag({7})), "
                     "IsABag(1)>>"),
            "<<FALSE, TRUE, FALSE, FALSE, TRUE, FALSE>>");
}

const std::string kDoubles =
    "f == [i \\in Int |-> 2 * i]\n"
    "g[i \\in Int] == i + 1\n"
    "pairs == [i, j \\in Int |-> [a |-> i, b |-> j]]\n"
    "Twice(F, n) == F[F[n]]\n";

TEST(TlaUnbuiltFunctions, AreAppliedAsArguments) {
  EXPECT_EQ(value_of("<<Twice(f, 3), Twice(g, 3), "
                     "Twice([i \\in Int |-> i + 5], 1)>>",
                     kDoubles),
            "<<12, 5, 11>>");
}

TEST(TlaUnbuiltFunctions, AreAppliedByOtherNames) {
  EXPECT_EQ(value_of("LET k == f IN k[2] + k[3]", kDoubles), "10");
  EXPECT_EQ(
      value_of("LET r == [a |-> f, b |-> g] IN <<r.a[3], r.b[3]>>", kDoubles),
      "<<6, 4>>");
}

TEST(TlaUnbuiltFunctions, AreChangedByExcept) {
  EXPECT_EQ(value_of("LET h == [f EXCEPT ![3] = @ + 1, ![4] = 0, ![3] = @ * 2] "
                     "IN <<h[3], h[4], h[5]>>",
                     kDoubles),
            "<<14, 0, 10>>");
  EXPECT_EQ(value_of("[pairs EXCEPT ![3, 4].b = 17][3, 4]", kDoubles),
            "[a |-> 3, b |-> 17]");
}

TEST(TlaUnbuiltFunctions, HaveADomain) {
  EXPECT_EQ(value_of("<<DOMAIN f = Int, 3 \\in DOMAIN g, "
                     "\"a\" \\in {\"a\"}>>",
                     kDoubles),
            "<<TRUE, TRUE, TRUE>>");
  EXPECT_NE(value_of("Twice([i \\in Nat |-> i - 1], 0)", kDoubles)
                .find("not in the "
                      "domain"),
            std::string::npos);
}

const std::string kEnabled =
    "EXTENDS Integers\nVARIABLE x\nInit == x = 0\n"
    "Inc == x < 3 /\\ x' = x + 1\nNext == Inc \\/ (x = 3 /\\ UNCHANGED x)\n"
    "E(A) == ENABLED A\nApply(Op(_), a) == Op(a)\n";

std::string enabled(const std::string& invariant, const std::string& step) {
  const auto result = check_spec(
      kEnabled + "Inv == " + invariant + "\nSteps == [][" + step + "]_x\n",
      "INIT Init NEXT Next INVARIANT Inv PROPERTY Steps");
  if (!result) return result.error().what;
  return result->outcome == Outcome::Holds ? "holds" : result->property;
}

// E(Inc) asks whether Inc can happen, not whether this step is one.
TEST(TlaEnabled, OfAnArgumentIsAboutTheStepItStandsFor) {
  EXPECT_EQ(enabled("E(Inc) = (x < 3)", "TRUE"), "holds");
  EXPECT_EQ(enabled("TRUE", "E(Inc) = (x < 3)"), "holds");
  EXPECT_EQ(enabled("TRUE", "E(x' = 7 /\\ x < 2) = (x < 2)"), "holds");
  EXPECT_EQ(enabled("TRUE", "x < 2 => (E(Inc))'"), "holds");
  EXPECT_EQ(enabled("TRUE", "(E(Inc))'"), "Steps");
  EXPECT_EQ(enabled("E(Inc)", "TRUE"), "Inv");
}

TEST(TlaEnabled, MayBeAnArgumentItself) {
  EXPECT_EQ(enabled("Apply(ENABLED, Inc) = (x < 3)", "TRUE"), "holds");
  EXPECT_EQ(enabled("Apply(E, Inc) = (x < 3)", "Apply(E, Inc) = (x < 3)"),
            "holds");
  EXPECT_EQ(enabled("LET A == Inc IN (ENABLED A) = (x < 3)", "TRUE"), "holds");
}

// With u and v for x, what I!A says of the next u and v is one thing inside of
// the module and another one outside: refused rather than guessed.
TEST(TlaEnabled, OfAStepOverVariablesThatAreOneIsRefused) {
  const auto result = check_spec(
      "EXTENDS Integers\nVARIABLE x\n"
      "---- MODULE Inner ----\nEXTENDS Integers\nVARIABLES u, v\n"
      "A == u' = u /\\ v' = v + 1\nB(d) == ENABLED d\n====\n"
      "I == INSTANCE Inner WITH u <- x, v <- x\n"
      "Init == x = 1\nNext == x' = 9 - x\nInv == ~I!B(I!A)\n",
      "INIT Init NEXT Next INVARIANT Inv");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().what, "Inv is no state predicate");
}

TEST(TlaEnabled, IsNeededToMakeAStepAStatePredicate) {
  EXPECT_EQ(enabled("Inc", "TRUE"), "Inv is no state predicate");
  EXPECT_EQ(enabled("E(TRUE) /\\ x' = 1", "TRUE"), "Inv is no state predicate");
}

const std::string kParts =
    "Op(F(_), p) == \\A x \\in {1, 2} : lab(x) :: LET a ++ b == F(a) + b + x\n"
    "  IN p ++ (inner :: 1 ++ p) > 0\n"
    "Foo(u) == 2 * u\n"
    "Sum(a) == {x + a : x \\in {1, 2}}\n"
    "Inner(a) == {(LET c(y) == (a * x) + y IN x + a) : x \\in {1, 2}}\n"
    "Cases == CASE 1 = 2 -> 7 [] OTHER -> 8\n"
    "Rec == [a |-> 4, b |-> 5]\n"
    "Pair(A(_, _), a, b) == A(a, b)\n"
    "Three(A(_, _, _), a, b, c) == A(a, b, c)\n";

TEST(TlaSelectors, GoIntoLet) {
  EXPECT_EQ(value_of("Op(Foo, 9)!lab(1)!:!++(3, 4)", kParts), "11");
  EXPECT_EQ(value_of("Op(Foo, 9)!(1)!++(3, 4)", kParts), "11");
  EXPECT_EQ(value_of("Op(Foo, 9)!lab(1)!inner", kParts), "12");
  EXPECT_EQ(value_of("Op(Foo, 9)!lab(1)!1!<<", kParts), "31");
}

TEST(TlaSelectors, GoIntoCasesAndRecords) {
  EXPECT_EQ(
      value_of("<<Cases!1!<<!>>, Cases!1!>>, Cases!2!>>, Rec!2>>", kParts),
      "<<2, 7, 8, 5>>");
}

TEST(TlaSelectors, AreOperatorsWithWhatIsLeftOpen) {
  EXPECT_EQ(value_of("Pair(Sum!@, 2, 3)", kParts), "5");
  EXPECT_EQ(value_of("Three(Inner!@!c, 2, 3, 4)", kParts), "10");
  EXPECT_NE(value_of("Pair(Inner!@!c, 2, 3)", kParts).find("arguments"),
            std::string::npos);
}

}  // namespace
}  // namespace txscope::test
