#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "support/run_command.h"
#include "support/tla.h"

// What a configuration can ask for, and what is said about it.
namespace txscope::test {
namespace {

const std::string kCount =
    "EXTENDS Naturals, TLC\nVARIABLE x\nInit == x = 0\n"
    "Next == x < 3 /\\ x' = x + 1\nSpec == Init /\\ [][Next]_x /\\ "
    "WF_x(Next)\n";
const std::string kRun = "INIT Init NEXT Next CHECK_DEADLOCK FALSE ";

TEST(TlaConfiguration, AsksAPostconditionAtTheEnd) {
  const auto check = [](const std::string& condition) {
    return check_spec(kCount + "Post == " + condition,
                      kRun + "POSTCONDITION Post");
  };
  const auto right =
      check("TLCGet(\"distinct\") = 4 /\\ TLCGet(\"diameter\") = 4");
  ASSERT_TRUE(right) << right.error().what;
  EXPECT_EQ(right->outcome, Outcome::Holds);
  const auto wrong = check("TLCGet(\"stats\").generated = 5");
  ASSERT_TRUE(wrong) << wrong.error().what;
  EXPECT_EQ(wrong->outcome, Outcome::Violated);
  EXPECT_EQ(wrong->violation, ModelViolation::Postcondition);
  EXPECT_EQ(wrong->property, "Post");
}

TEST(TlaConfiguration, ShowsTracesThroughAnAlias) {
  const auto result = check_spec(
      kCount + "Inv == x < 2\nShow == [twice |-> 2 * x, next |-> x']",
      kRun + "INVARIANT Inv ALIAS Show");
  ASSERT_TRUE(result) << result.error().what;
  ASSERT_EQ(result->trace.size(), 3u);
  ASSERT_EQ(result->trace[1].values.size(), 2u);
  EXPECT_EQ(result->trace[1].values[0].variable, "next");
  EXPECT_EQ(result->trace[1].values[0].value, "2");
  EXPECT_EQ(result->trace[1].values[1].variable, "twice");
  EXPECT_EQ(result->trace[1].values[1].value, "2");
  EXPECT_EQ(result->trace[2].values[0].value, "2");  // nothing after it
}

TEST(TlaConfiguration, SaysThatNothingWasChecked) {
  const auto none =
      check_spec("VARIABLE x\nInit == x \\in {}\nNext == x' = x\nInv == FALSE",
                 "INIT Init NEXT Next INVARIANT Inv");
  ASSERT_TRUE(none);
  EXPECT_NE(none->emptiness.find("no initial state"), std::string::npos);
  const auto outside = check_spec(
      "VARIABLE x\nInit == x = 1\nNext == x' = x\nInv == x = 1\nC == x = 2",
      "INIT Init NEXT Next INVARIANT Inv CONSTRAINT C");
  ASSERT_TRUE(outside);
  EXPECT_NE(outside->emptiness.find("constraints"), std::string::npos);
  const auto some =
      check_spec(kCount + "Inv == x >= 0", kRun + "INVARIANT Inv");
  ASSERT_TRUE(some);
  EXPECT_EQ(some->emptiness, "");
}

TEST(TlaConfiguration, RefusesStatementsByName) {
  const auto result =
      check_spec("VARIABLE x\nInit == x = 0\nNext == x' = x\nInv == TRUE\n",
                 "INIT Init NEXT Next INVARIANT Inv\n_RL_REWARD Inv");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().what, "_RL_REWARD is not supported");
}

TEST(TlaConfiguration, GivesOperatorsValuesPointByPoint) {
  const std::string spec =
      "EXTENDS Naturals\nCONSTANT F(_), G(_, _)\nVARIABLE x\n"
      "Inner(H(_)) == H(1)\nInit == x = 0\nNext == x' = F(x)\n"
      "Inv == x \\in {0, 2} /\\ G(0, a) = 5 /\\ Inner(F) = 7 /\\ D(3) = {b}\n"
      "D(n) == n\na == \"a\"\nb == \"b\"\n";
  const std::string points =
      "INIT Init NEXT Next INVARIANT Inv\n"
      "CONSTANTS F(0) = 2 F(2) = 0, F(1) = 7\n"
      "G(0, \"a\") = 5 D(3) = {\"b\"}\n";
  const auto result = check_spec(spec, points);
  ASSERT_TRUE(result) << result.error().what;
  EXPECT_EQ(result->outcome, Outcome::Holds);  // as TLC says, which counts
  EXPECT_EQ(result->generated, 3u);            // these states, too
  EXPECT_EQ(result->distinct, 2u);
  const auto open = check_spec(
      spec,
      "INIT Init NEXT Next\nCONSTANTS F(0) = 2 G(0, 0) = 0 D(3) = 1");
  ASSERT_FALSE(open);
  EXPECT_EQ(open.error().what, "the configuration gives F no value here");
  const auto wrong =
      check_spec(spec, "INIT Init NEXT Next\nCONSTANTS F(0, 1) = 2 G(0) = 1");
  ASSERT_FALSE(wrong);
  EXPECT_NE(wrong.error().what.find("arguments, not"), std::string::npos);
}

TEST(TlaConfiguration, TakesOperatorsInTemporalFormulasApart) {
  const std::string spec =
      "EXTENDS Naturals\nVARIABLE x\nInit == x = 0\nNext == x' = 1 - x\n"
      "Same(p) == p\nOften(p) == []<>p\nOf(F(_)) == F([][Next]_x)\n"
      "Until(F(_), n) == F(x = n)\nAct(F(_)) == [][F(x' # 2)]_x\n"
      "Spec == Init /\\ Of(Same) /\\ WF_x(Next)\n"
      "P == Until(Often, 1) /\\ Of(Same) /\\ Act(Same)\nQ == Until(Often, 2)\n"
      "R == LET O(F(_)) == F(x = 0) IN O(LAMBDA p : p /\\ <>(~p))\n";
  const std::string run = "SPECIFICATION Spec PROPERTY ";
  for (const char* name : {"P", "R"}) {
    const auto result = check_spec(spec, run + name);
    ASSERT_TRUE(result) << result.error().what;
    EXPECT_EQ(result->outcome, Outcome::Holds) << name;
    EXPECT_EQ(result->distinct, 2u);
  }
  const auto never = check_spec(spec, run + "Q");
  ASSERT_TRUE(never) << never.error().what;
  EXPECT_EQ(never->outcome, Outcome::Violated);
}

TEST(TlaConfiguration, NeedsNoInitialPredicateWithoutVariables) {
  const std::string spec =
      "EXTENDS Naturals\nASSUME 1 + 1 = 2\nSpec == [][TRUE]_<<>>\n";
  const auto result = check_spec(spec, "SPECIFICATION Spec");
  ASSERT_TRUE(result) << result.error().what;
  EXPECT_EQ(result->outcome, Outcome::Holds);
  const auto open = check_spec(spec + "VARIABLE x\n", "SPECIFICATION Spec");
  ASSERT_FALSE(open);
  EXPECT_EQ(open.error().what, "Spec has no initial predicate");
}

TEST(TlaConfiguration, KnowsRegistersAndWhatIsPeriodic) {
  const std::string spec =
      "EXTENDS TLC, Naturals\nVARIABLE x\nInit == x = 0\n"
      "Next == x' = 1 - x /\\ TLCSet(3, x) /\\ TLCSet(\"s:n\", 5)\n"
      "Post == TLCGet(\"all\") = 3 :> <<1>> /\\\n"
      "  TLCGet(\"all:named\") = [s \\in {\"s:n\"} |-> <<5>>]\nOften == FALSE\n";
  const std::string config =
      "INIT Init NEXT Next\nPOSTCONDITION Post\n_PERIODIC Often\n";
  const auto result = check_spec(spec, config);
  ASSERT_TRUE(result) << result.error().what;
  EXPECT_EQ(result->outcome, Outcome::Holds);
  SpecRun run;
  run.simulate = 3;
  const auto random = check_spec(spec, config, run);
  ASSERT_FALSE(random);
  EXPECT_EQ(random.error().what,
            "_PERIODIC Often is not supported with --simulate");
}

TEST(TlaConfiguration, WantsWhatIsPossibleToHappen) {
  const std::string spec =
      "EXTENDS Naturals\nVARIABLE x\nInit == x = 0\nNext == x' = (x + 1) % 3\n"
      "First == x = 0\nTwo == x = 2\nThree == x = 3\n"
      "Back == x = 2 /\\ x' = 0\nSkip == x' = x + 2\n";
  const auto possible = [&](const std::string& names) {
    SpecRun run;
    run.jobs = 2;
    const auto result =
        check_spec(spec, "INIT Init NEXT Next\n_POSSIBLE " + names, run);
    if (!result) return result.error().what;
    if (result->outcome == Outcome::Holds) return std::string("holds");
    return result->violation == ModelViolation::Impossible ? result->property
                                                           : "other";
  };
  EXPECT_EQ(possible("First Two Back"), "holds");
  EXPECT_EQ(possible("First Three Back"), "Three");
  EXPECT_EQ(possible("Skip, Two"), "Skip");
}

TEST(TlaConfiguration, ReplacesWhatAStandardModuleDefines) {
  const auto result = check_spec(
      "EXTENDS Naturals\nVARIABLE x\nInit == x = 0\n"
      "Next == x \\in Nat /\\ x' = x + 1\nFew == 0..1\n",
      "CONSTANT Nat <- [Naturals]Few\nINIT Init NEXT Next\n"
      "CHECK_DEADLOCK FALSE");
  ASSERT_TRUE(result) << result.error().what;
  EXPECT_EQ(result->outcome, Outcome::Holds);
  EXPECT_EQ(result->distinct, 3u);
}

TEST(TlaConfiguration, ReplacesOperatorsBySymbols) {
  const auto result = check_spec(
      "EXTENDS Naturals\nCONSTANT Plus(_, _)\nVARIABLE x\n"
      "Init == x = Plus(1, 2)\nNext == x' = x\nInv == x = 3\n",
      "CONSTANT Plus <- +\nINIT Init NEXT Next INVARIANTS Inv\n"
      "POSTCONDITIONS Inv2");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().what, "the specification does not define Inv2");
  const auto plus = check_spec(
      "EXTENDS Naturals\nCONSTANT Plus(_, _)\nVARIABLE x\n"
      "Init == x = Plus(1, 2)\nNext == x' = x\nInv == x = 3\n",
      "CONSTANT Plus <- +\nINIT Init NEXT Next INVARIANTS Inv");
  ASSERT_TRUE(plus) << plus.error().what;
  EXPECT_EQ(plus->outcome, Outcome::Holds);
}

TEST(TlaConfiguration, ReplacesAnOperatorByATruthValue) {
  const auto result = check_spec(
      "EXTENDS Naturals\nVARIABLE x\nMay == TRUE\nInit == x = 0\n"
      "Next == May /\\ x < 3 /\\ x' = x + 1",
      "CONSTANT May <- FALSE\n" + kRun);
  ASSERT_TRUE(result) << result.error().what;
  EXPECT_EQ(result->distinct, 1u);
}

TEST(TlaConfiguration, NamesWhatWasChecked) {
  const auto result =
      check_spec(kCount +
                     "Small == x < 9\nAlso == x < 8 /\\ x < 7\n"
                     "Ends == <>(x = 3)",
                 "SPECIFICATION Spec INVARIANTS Small Also PROPERTY Ends "
                 "CHECK_DEADLOCK FALSE");
  ASSERT_TRUE(result);
  EXPECT_EQ(result->outcome, Outcome::Holds);
  EXPECT_EQ(result->invariants, (std::vector<std::string>{"Small", "Also"}));
  EXPECT_EQ(result->properties, std::vector<std::string>{"Ends"});
}

TEST(TlaConfiguration, AppliesTheViewToLiveness) {
  const auto result = check_spec(
      "EXTENDS Naturals\nVARIABLE x\nInit == x = 0\nNext == x' = x + 1\n"
      "Spec == Init /\\ [][Next]_x /\\ WF_x(Next)\nV == x % 3\n"
      "Again == []<>(x % 3 = 0)",
      "SPECIFICATION Spec VIEW V PROPERTY Again");
  ASSERT_TRUE(result) << result.error().what;
  EXPECT_EQ(result->outcome, Outcome::Holds);
  EXPECT_EQ(result->distinct, 3u);
}

TEST(TlaConfiguration, ChecksFairnessUnderAMapping) {
  const std::string inner =
      "---- MODULE Inner ----\nEXTENDS Naturals\nVARIABLE y\nInit == y = 0\n"
      "Next == y' = 1 - y\nSpec == Init /\\ [][Next]_y /\\ WF_y(Next)\n====\n";
  const auto check = [&](const std::string& step) {
    return check_spec("EXTENDS Naturals\nVARIABLE x\n" + inner +
                          "Init == x = 0\nNext == x' = " + step +
                          "\nSpec == Init /\\ [][Next]_x /\\ WF_x(Next)\n"
                          "I == INSTANCE Inner WITH y <- x % 2\nP == I!Spec",
                      "SPECIFICATION Spec PROPERTY P");
  };
  const auto right = check("(x + 1) % 4");
  ASSERT_TRUE(right) << right.error().what;
  EXPECT_EQ(right->outcome, Outcome::Holds);
  const auto stuck = check("IF x = 1 THEN 3 ELSE IF x = 3 THEN 1 ELSE x + 1");
  ASSERT_TRUE(stuck) << stuck.error().what;
  EXPECT_EQ(stuck->violation, ModelViolation::Liveness);
}

TEST(TlaConfiguration, SimulatesTheSameBehavioursWithTheSameSeed) {
  const std::string module =
      "EXTENDS Naturals\nVARIABLE x\nInit == x = 0\n"
      "Next == x' \\in {x + 1, x + 2, x + 3}\nInv == x % 7 # 5";
  SpecRun run;
  run.simulate = 50;
  run.max_depth = 20;
  const auto one = check_spec(module, "INIT Init NEXT Next INVARIANT Inv", run);
  const auto two = check_spec(module, "INIT Init NEXT Next INVARIANT Inv", run);
  ASSERT_TRUE(one);
  ASSERT_TRUE(two);
  EXPECT_EQ(one->violation, ModelViolation::Invariant);
  ASSERT_EQ(one->trace.size(), two->trace.size());
  EXPECT_EQ(one->trace.back().values[0].value,
            two->trace.back().values[0].value);
  const auto fine = check_spec(module + "\nFine == x >= 0",
                               "INIT Init NEXT Next INVARIANT Fine", run);
  ASSERT_TRUE(fine);
  EXPECT_EQ(fine->outcome, Outcome::Undecided);
  EXPECT_EQ(fine->behaviours, 50u);
}

TEST(TlaConfiguration, DrawsTheSameElementsInTheSameState) {
  // A trace through random choices can be found again.
  const auto result = check_spec(
      "EXTENDS Naturals, TLC, Randomization\nVARIABLES x, n\n"
      "Init == x \\in RandomSubset(3, 1..100) /\\ n = 0\n"
      "Next == n < 3 /\\ n' = n + 1 /\\ x' = RandomElement(1..1000)\n"
      "Inv == n < 3",
      "INIT Init NEXT Next INVARIANT Inv");
  ASSERT_TRUE(result) << result.error().what;
  EXPECT_EQ(result->trace.size(), 4u);
}

TEST(TlaConfiguration, EndsWhenTheSpecificationAsksForIt) {
  const auto result = check_spec(
      "EXTENDS Naturals, TLC\nVARIABLE x\nInit == x = 0\nNext == x' = x + 1\n"
      "Inv == TLCSet(\"exit\", x > 10)\n",
      "INIT Init NEXT Next INVARIANT Inv");
  ASSERT_TRUE(result) << result.error().what;
  EXPECT_EQ(result->outcome, Outcome::Undecided);
  ASSERT_EQ(result->notes.size(), 1u);
  EXPECT_NE(result->notes[0].find("exit"), std::string::npos);
}

TEST(TlaConfiguration, LeavesAxiomsToProvers) {
  const auto result = check_spec(
      "EXTENDS Naturals\nAXIOM \\A f : f[0] => TRUE\nAXIOM FALSE\n"
      "ASSUME TRUE\nVARIABLE x\nInit == x = 0\nNext == x' = x\n",
      "INIT Init NEXT Next");
  ASSERT_TRUE(result) << result.error().what;
  EXPECT_EQ(result->outcome, Outcome::Holds);
}

TEST(TlaConfiguration, KeepsRegistersOfTlcSet) {
  const auto result =
      check_spec(kCount +
                     "ASSUME TLCSet(1, 10)\n"
                     "Inv == TLCSet(1, TLCGet(1) + 1)\nPost == TLCGet(1) = 14",
                 kRun + "INVARIANT Inv POSTCONDITION Post");
  ASSERT_TRUE(result) << result.error().what;
  EXPECT_EQ(result->outcome, Outcome::Holds);
}

TEST(TlaConfiguration, TakesPartsAndTheoremsByName) {
  const auto result =
      check_spec(kCount +
                     "Both == /\\ x < 9\n        /\\ x < 2\nSecond == Both!2\n"
                     "THEOREM Small == x < 10\n",
                 kRun + "INVARIANTS Small Second");
  ASSERT_TRUE(result) << result.error().what;
  EXPECT_EQ(result->property, "Second");
  EXPECT_EQ(result->trace.size(), 3u);
}

// TLC's own test of ENABLED: a definition may stand for a primed variable.
TEST(TlaConfiguration, TakesADefinitionForANextValue) {
  const auto result = check_spec(
      "VARIABLE a\nF == a'\nInit == a = 0\nNext == F = a\n"
      "Inv == ENABLED (F \\in {0, 1})\n",
      "INIT Init NEXT Next INVARIANT Inv");
  ASSERT_TRUE(result) << result.error().what;
  EXPECT_EQ(result->outcome, Outcome::Holds);
}

TEST(TlaConfiguration, ReadsTemporalFormulasOfAllForms) {
  const auto outcome = [](const std::string& property) -> std::string {
    const auto result = check_spec(
        kCount + "May == FALSE\nLeads(P, Q) == P ~> Q\nProp == " + property,
        "SPECIFICATION Spec PROPERTY Prop CHECK_DEADLOCK FALSE");
    if (!result) return result.error().what;
    return result->outcome == Outcome::Holds ? "holds" : "violated";
  };
  EXPECT_EQ(outcome("IF x = 0 THEN <>(x = 3) ELSE []FALSE"), "holds");
  EXPECT_EQ(outcome("May => []FALSE"), "holds");
  EXPECT_EQ(outcome("[](x < 3) => <>(x = 5)"), "holds");
  EXPECT_EQ(outcome("[](x < 4) => <>(x = 5)"), "violated");
  EXPECT_EQ(outcome("[](x = 1 => <>[](x = 3))"), "holds");
  EXPECT_EQ(outcome("\\A i \\in 0..2 : (x = i) ~> (x = i + 1)"), "holds");
  EXPECT_EQ(outcome("\\E i \\in 0..2 : <>[](x = i)"), "violated");
  EXPECT_EQ(outcome("WF_x(Next) => <>(x = 3)"), "holds");
  // x' = 9 is enabled everywhere and never taken: no behaviour is fair to it.
  EXPECT_EQ(outcome("SF_x(x' = 9) => <>(x = 9)"), "holds");
  EXPECT_EQ(outcome("SF_x(x = 9 /\\ x' = 8) => <>(x = 8)"), "violated");
  EXPECT_EQ(outcome("Leads(x = 0, x = 2)"), "holds");
  EXPECT_EQ(outcome("LET P == x = 2 IN <>P /\\ ~[]P"), "holds");
  EXPECT_EQ(outcome("[](x = 3 => []<>(x = 3))"), "holds");
  EXPECT_EQ(outcome("x = 0 => [][x' > x]_x"), "holds");
  EXPECT_EQ(outcome("<>[][FALSE]_x"), "holds");
  EXPECT_EQ(outcome("[]<><<TRUE>>_x"), "violated");
  EXPECT_EQ(outcome("[](ENABLED Next => <>(x = 3))"), "holds");
  EXPECT_EQ(outcome("<>(x' = 1)"),
            "an action in a temporal formula needs a subscript");
}

TEST(TlaModules, MayFollowEachOtherInOneFile) {
  // The module is called Spec; what check_spec() puts behind it ends Two.
  const auto result = check_spec(
      "EXTENDS Two\nVARIABLE x\nInit == x = First\nNext == x' = x\n"
      "Inv == x = 2\n====\nnothing in between counts\n"
      "---- MODULE One ----\nFirst == 1\n====\n"
      "---- MODULE Two ----\nEXTENDS Naturals, One\nSecond == First + 1\n"
      "----\n---- MODULE Inner ----\nFirst == 7\n====\n",
      "INIT Init NEXT Next INVARIANT Inv");
  ASSERT_TRUE(result) << result.error().what;
  ASSERT_EQ(result->outcome, Outcome::Violated);
  EXPECT_EQ(result->trace[0].values[0].value, "1");
  const auto place = check_spec(
      "EXTENDS Two\nVARIABLE x\nInit == x = Wrong\nNext == x' = x\n====\n"
      "---- MODULE Two ----\nWrong ==\n  <<1>>[2]\n",
      "INIT Init NEXT Next");
  ASSERT_FALSE(place);
  EXPECT_EQ(place.error().where.line, 9u);  // as in the whole file
}

TEST(TlaModules, AreSuggestedByTheirFiles) {
  const auto result = check_spec("EXTENDS Spek", "");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().what, "module Spek is not found");
  EXPECT_NE(result.error().hint.find("did you mean"), std::string::npos);
  const auto standard = check_spec("EXTENDS Integer", "");
  ASSERT_FALSE(standard);
  EXPECT_EQ(standard.error().hint, "did you mean 'Integers'?");
}

// What TLC prints for the same specification: an initial predicate is at level
// 0, constraints, VIEW and invariants are at that of the state they look at,
// actions and what looks at steps at that of the state before.
TEST(TlaConfiguration, KnowsTheLevelWhereverItIsAsked) {
  const auto result = check_spec(
      "EXTENDS Naturals, TLC\nVARIABLE x\nL == TLCGet(\"level\")\n"
      "Init == x = 0 /\\ Assert(L = 0, \"init\")\n"
      "Next == x' = x + 1 /\\ Assert(L = x + 1, \"next\")\n"
      "C == Assert(L = x + 1, \"constraint\") /\\ x < 3\n"
      "AC == Assert(L = x + 1, \"action constraint\")\n"
      "Inv == Assert(L = x + 1, \"invariant\")\n"
      "View == IF Assert(L = x + 1, \"view\") THEN x ELSE x\n"
      "P == [][Assert(L = x + 1, \"step\")]_x\n",
      "INIT Init NEXT Next CONSTRAINT C ACTION_CONSTRAINT AC INVARIANT Inv "
      "VIEW View PROPERTY P CHECK_DEADLOCK FALSE");
  ASSERT_TRUE(result) << result.error().what;
  EXPECT_EQ(result->distinct, 3u);
}

// Every step stutters; only the level in the VIEW tells the states apart.
TEST(TlaConfiguration, FindsTracesThroughAViewWithLevels) {
  const auto result = check_spec(
      "EXTENDS Naturals, TLC\nVARIABLE x\nInit == x = 0\nNext == x' = x\n"
      "View == <<x, TLCGet(\"level\")>>\nAC == TLCGet(\"level\") < 6\n"
      "Inv == TLCGet(\"level\") < 4\n",
      "INIT Init NEXT Next VIEW View ACTION_CONSTRAINT AC INVARIANT Inv");
  ASSERT_TRUE(result) << result.error().what;
  EXPECT_EQ(result->violation, ModelViolation::Invariant);
  EXPECT_EQ(result->trace.size(), 4u);
}

// As in TLC, a definition that is constant but for chance has one value.
TEST(TlaConfiguration, DrawsAConstantOnce) {
  for (const std::uint32_t jobs : {1u, 2u}) {
    SpecRun run;
    run.jobs = jobs;
    const auto result = check_spec(
        "EXTENDS Naturals, TLC\nVARIABLES x, y\n"
        "Drawn == RandomElement(1..1000000)\n"
        "Edges == RandomElement(SUBSET ((1..9) \\X (1..9)))\n"
        "Init == x \\in 1..40 /\\ y = Drawn\n"
        "Next == x < 60 /\\ x' \\in x + 1 .. 60 /\\ y' = Drawn\n"
        "Inv == y = Drawn /\\ Edges = Edges",
        "INIT Init NEXT Next INVARIANT Inv CHECK_DEADLOCK FALSE", run);
    ASSERT_TRUE(result) << result.error().what;
    EXPECT_EQ(result->outcome, Outcome::Holds);
    EXPECT_EQ(result->distinct, 60u);
  }
}

TEST(TlaModules, AreNotedWhereTheFileHasAnotherName) {
  const TemporaryDirectory directory;
  directory.write("Other.tla",
                  "---- MODULE Spec ----\nVARIABLE x\nInit == x = 0\n"
                  "Next == x' = x\n====\n");
  directory.write("Other.cfg", "INIT Init NEXT Next");
  ModelRequest request;
  request.spec = directory.path() + "/Other.tla";
  const auto result = check_model(request, Budget::unlimited());
  ASSERT_TRUE(result) << result.error().what;
  ASSERT_EQ(result->notes.size(), 1u);
  EXPECT_NE(result->notes[0].find("module Spec"), std::string::npos);
  const auto right = check_spec("VARIABLE x\nInit == x = 0\nNext == x' = x\n",
                                "INIT Init NEXT Next");
  ASSERT_TRUE(right);
  EXPECT_TRUE(right->notes.empty());
}

TEST(TlaConfiguration, ReplacesWhatIsChecked) {
  const auto result = check_spec(
      "EXTENDS Naturals\nVARIABLE x\nSmall == x < 0\nMySmall == x < 2\n"
      "Init == x = 0\nNext == x' = 1 - x",
      "INIT Init\nNEXT Next\nINVARIANT Small\nCONSTANT Small <- MySmall");
  ASSERT_TRUE(result) << result.error().what;
  EXPECT_EQ(result->outcome, Outcome::Holds);
  EXPECT_EQ(result->distinct, 2u);
}

// As TLC: a definition of a module that the specification extends is replaced
// in instances of the module, too; one of a module that is instantiated only
// is not.
TEST(TlaConfiguration, ReplacesWhatInstancesOfAnExtendedModuleUse) {
  const auto outcome = [](const std::string& extends) {
    SpecRun run;
    run.adjust = [](ModelRequest& request) {
      const auto folder = std::filesystem::path(request.spec).parent_path();
      std::ofstream(folder / "Inner.tla")
          << "---- MODULE Inner ----\nEXTENDS Naturals\nVARIABLE x\n"
             "Start == x = 0\nFirst == Start\n====\n";
    };
    const auto result = check_spec(
        "EXTENDS " + extends + "\nI == INSTANCE Inner\nMyStart == x = 5\n" +
            "Init == x = 5\nNext == x' = x\nProp == I!First",
        "INIT Init\nNEXT Next\nPROPERTY Prop\nCONSTANT Start <- MyStart", run);
    return result ? result->outcome : Outcome::Undecided;
  };
  EXPECT_EQ(outcome("Inner"), Outcome::Holds);
  EXPECT_EQ(outcome("Naturals\nVARIABLE x\nStart == x = 7"), Outcome::Violated);
}

// As in TLC, what comes in the place of a definition may ask for the original
// by the name of an instance.
TEST(TlaConfiguration, ReplacesADefinitionByOneThatUsesIt) {
  SpecRun run;
  run.adjust = [](ModelRequest& request) {
    const auto folder = std::filesystem::path(request.spec).parent_path();
    std::ofstream(folder / "Inner.tla")
        << "---- MODULE Inner ----\nEXTENDS Naturals\nVARIABLE x\n"
           "Up == x' = x + 1\nNext == Up\n====\n";
  };
  const auto result = check_spec(
      "EXTENDS Inner\nI == INSTANCE Inner\nMyUp == x < 3 /\\ I!Up\n"
      "Init == x = 0\nProp == [][I!Next]_x",
      "INIT Init\nNEXT Next\nPROPERTY Prop\nCONSTANT Up <- MyUp\n"
      "CHECK_DEADLOCK FALSE",
      run);
  ASSERT_TRUE(result) << result.error().what;
  EXPECT_EQ(result->outcome, Outcome::Holds);
  EXPECT_EQ(result->distinct, 4u);
}

}  // namespace
}  // namespace txscope::test
