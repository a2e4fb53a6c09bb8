#include <gtest/gtest.h>

#include "support/tla.h"

namespace txscope::test {
namespace {

// Two processes that each count to two: 9 states.  Generated: the initial one
// and, from each state, one successor for every process below two; the last
// state has none.
const std::string kCounters =
    "EXTENDS Naturals, TLC\nCONSTANT P\nVARIABLE n\n"
    "Init == n = [p \\in P |-> 0]\n"
    "Step(p) == n[p] < 2 /\\ n' = [n EXCEPT ![p] = @ + 1]\n"
    "Next == \\E p \\in P : Step(p)\n"
    "Sym == Permutations(P)\n"
    "Small == \\A p \\in P : n[p] < 2\n"
    "Spec == Init /\\ [][Next]_n /\\ \\A p \\in P : WF_n(Step(p))\n"
    "Done == <>(\\A p \\in P : n[p] = 2)\n"
    "Up == [][\\A p \\in P : n'[p] >= n[p]]_n\n"
    "OneUp == [][n'[CHOOSE p \\in P : TRUE] = n[CHOOSE p \\in P : TRUE]]_n\n"
    "Sum == n\n"
    "Near == n \\in [P -> 0..1]\n";
const std::string kTwo = "CONSTANT P = {a, b}\nINIT Init NEXT Next\n";

SpecRun jobs(std::uint32_t count) {
  SpecRun run;
  run.jobs = count;
  return run;
}

SpecRun depth(std::uint32_t most) {
  SpecRun run;
  run.max_depth = most;
  return run;
}

TEST(Model, CountsStatesAsTlcDoes) {
  const auto result = check_spec(kCounters, kTwo + "CHECK_DEADLOCK FALSE");
  ASSERT_TRUE(result);
  EXPECT_EQ(result->outcome, Outcome::Holds);
  EXPECT_EQ(result->distinct, 9u);
  EXPECT_EQ(result->generated, 13u);  // 1 + 12 steps
  EXPECT_EQ(result->depth, 5u);
}

TEST(Model, CountsStatesUpToSymmetry) {
  const auto result =
      check_spec(kCounters, kTwo + "SYMMETRY Sym\nCHECK_DEADLOCK FALSE");
  ASSERT_TRUE(result);
  EXPECT_EQ(result->distinct, 6u);  // unordered pairs of 0..2
  EXPECT_EQ(result->depth, 5u);
}

TEST(Model, ReportsADeadlock) {
  const auto result = check_spec(kCounters, kTwo);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->outcome, Outcome::Violated);
  EXPECT_EQ(result->violation, ModelViolation::Deadlock);
  EXPECT_EQ(result->trace.size(), 5u);
  EXPECT_EQ(result->depth, 5u);
}

TEST(Model, ShowsAShortestWayToAViolation) {
  const auto result = check_spec(kCounters, kTwo + "INVARIANT Small");
  ASSERT_TRUE(result);
  ASSERT_EQ(result->violation, ModelViolation::Invariant);
  EXPECT_EQ(result->property, "Small");
  ASSERT_EQ(result->trace.size(), 3u);
  EXPECT_EQ(result->trace[0].values[0].value, "(a :> 0 @@ b :> 0)");
  EXPECT_EQ(result->trace[1].action.substr(0, 5), "Step(");
  EXPECT_EQ(result->trace[1].place.line, 6u);
}

TEST(Model, NamesAStepOfAnActionWithoutParts) {
  const auto result = check_spec(
      "EXTENDS Naturals\nVARIABLE x\nInit == x = 0\nNext == x' = x + 1\n"
      "Inv == x < 1\n",
      "INIT Init NEXT Next INVARIANT Inv");
  ASSERT_TRUE(result);
  ASSERT_EQ(result->trace.size(), 2u);
  EXPECT_EQ(result->trace[1].action, "Next");
  EXPECT_EQ(result->trace[1].place.line, 5u);
}

TEST(Model, GivesTheSameAnswerWithAnyNumberOfJobs) {
  const std::string larger =
      "CONSTANT P = {a, b, c, d, e, f, g}\nINIT Init NEXT Next\nSYMMETRY Sym\n";
  for (const std::string& config :
       {larger + "CHECK_DEADLOCK FALSE", larger + "INVARIANT Small", larger}) {
    const auto one = check_spec(kCounters, config);
    const auto three = check_spec(kCounters, config, jobs(3));
    ASSERT_TRUE(one);
    ASSERT_TRUE(three);
    EXPECT_EQ(one->generated, three->generated);
    EXPECT_EQ(one->distinct, three->distinct);
    EXPECT_EQ(one->depth, three->depth);
    ASSERT_EQ(one->trace.size(), three->trace.size());
    for (std::size_t i = 0; i < one->trace.size(); ++i)
      EXPECT_EQ(one->trace[i].values[0].value, three->trace[i].values[0].value);
  }
}

TEST(Model, SharesLargeLevelsBetweenWorkers) {
  // 3^8 states, levels of up to 1,107: enough for several workers.
  const std::string config =
      "CONSTANT P = {a, b, c, d, e, f, g, h}\nINIT Init NEXT Next\n"
      "CHECK_DEADLOCK FALSE";
  const auto one = check_spec(kCounters, config);
  const auto two = check_spec(kCounters, config, jobs(2));
  ASSERT_TRUE(one);
  ASSERT_TRUE(two);
  EXPECT_EQ(one->distinct, 6561u);
  EXPECT_EQ(two->distinct, 6561u);
  EXPECT_EQ(one->generated, 1u + 8u * 2u * 2187u);
  EXPECT_EQ(two->generated, one->generated);
  EXPECT_EQ(two->depth, 17u);
}

TEST(Model, StaysWithinConstraints) {
  const auto result =
      check_spec(kCounters, kTwo + "CONSTRAINT Near\nCHECK_DEADLOCK FALSE");
  ASSERT_TRUE(result);
  EXPECT_EQ(result->distinct, 4u);
  // Successors outside are generated, but neither kept nor expanded.
  EXPECT_EQ(result->generated, 1u + 4u * 2u);
}

// The last state that is shown is the one that could not be judged, or whose
// successors could not be computed, whatever was expanded since.
TEST(Model, ShowsTheWayToWhatCannotBeEvaluated) {
  const std::string line =
      "EXTENDS Integers, Sequences\nVARIABLES n, s\n"
      "Init == n = 0 /\\ s = <<1, 2, 3>>\n"
      "Next == n < 9 /\\ \\E d \\in {1, 20} : n' = n + d /\\ s' = s\n"
      "Partial == Next /\\ (n = 2 => s[n + 5] = 1)\n"
      "At(i) == n = i => s[i + 4] = 1\nAt0 == At(0)\nAt3 == At(3)\n"
      "Small == At(2)\n";
  const auto length = [&](const std::string& config) {
    return way_to_error(line, config + "\nCHECK_DEADLOCK FALSE").size();
  };
  EXPECT_EQ(length("INIT Init NEXT Next INVARIANT At0"), 1u);
  EXPECT_EQ(length("INIT Init NEXT Next INVARIANT At3"), 4u);
  EXPECT_EQ(length("INIT Init NEXT Next CONSTRAINT Small"), 2u);
  EXPECT_EQ(length("INIT Init NEXT Partial"), 3u);
}

TEST(Model, IsUndecidedBeyondADepth) {
  const auto result = check_spec(kCounters, kTwo, depth(2));
  ASSERT_TRUE(result);
  EXPECT_EQ(result->outcome, Outcome::Undecided);
  EXPECT_TRUE(result->is_cut_by_depth);
  EXPECT_EQ(result->depth, 2u);
}

TEST(Model, IsUndecidedWhenABudgetEnds) {
  // A counter without an end.
  SpecRun run;
  run.limits.time = std::chrono::milliseconds(50);
  const auto endless = check_spec(
      "EXTENDS Naturals\nVARIABLE x\nInit == x = 0\nNext == x' = x + 1",
      "INIT Init NEXT Next", run);
  ASSERT_TRUE(endless);
  EXPECT_EQ(endless->outcome, Outcome::Undecided);
  EXPECT_EQ(endless->spent, Spent::Time);
}

TEST(Model, BranchesOnEveryWitnessOfAGuard) {
  // Each of the two true disjuncts, and each witness of \E, is a successor.
  const auto result = check_spec(
      "EXTENDS Naturals\nVARIABLE x\nInit == x = 0\n"
      "Next == /\\ x = 0\n        /\\ \\E i \\in 1..3 : i > 1\n"
      "        /\\ (x = 0 \\/ x < 1)\n        /\\ x' = 1",
      "INIT Init NEXT Next CHECK_DEADLOCK FALSE");
  ASSERT_TRUE(result);
  EXPECT_EQ(result->generated, 1u + 2u * 2u);
  EXPECT_EQ(result->distinct, 2u);
}

TEST(Model, CountsInitialStatesWithTheirDuplicates) {
  const auto result =
      check_spec("VARIABLE x\nInit == x \\in {1, 2} \\/ x = 1\nNext == x' = x",
                 "INIT Init NEXT Next");
  ASSERT_TRUE(result);
  EXPECT_EQ(result->distinct, 2u);
  EXPECT_EQ(result->generated, 3u + 2u);
}

TEST(Model, HoldsWithoutInitialStates) {
  const auto result = check_spec(
      "VARIABLE x\nInit == FALSE /\\ x = 1\n"
      "Next == FALSE /\\ x' = x\nInv == FALSE",
      "INIT Init NEXT Next INVARIANT Inv");
  ASSERT_TRUE(result);
  EXPECT_EQ(result->outcome, Outcome::Holds);
  EXPECT_EQ(result->distinct, 0u);
  EXPECT_EQ(result->depth, 0u);
}

TEST(Model, ChecksAssumptionsFirst) {
  const auto result = check_spec(
      "EXTENDS Naturals\nASSUME 1 + 1 = 2\n"
      "ASSUME 1 + 1 = 3\nVARIABLE x\nInit == x = 1\n"
      "Next == x' = x",
      "INIT Init NEXT Next");
  ASSERT_TRUE(result);
  EXPECT_EQ(result->violation, ModelViolation::Assumption);
  EXPECT_EQ(result->property_place.line, 4u);
}

TEST(Model, DemandsAValueForEveryVariable) {
  const auto result = check_spec(
      "VARIABLES x, y\nInit == x = 1 /\\ y = 1\n"
      "Next == x' = 2",
      "INIT Init NEXT Next");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().what, "the action gives no value to y'");
}

TEST(Model, FindsAStepThatAPropertyForbids) {
  const auto up =
      check_spec(kCounters, kTwo + "PROPERTY Up\nCHECK_DEADLOCK FALSE");
  ASSERT_TRUE(up);
  EXPECT_EQ(up->outcome, Outcome::Holds);
  const auto down =
      check_spec(kCounters, kTwo + "PROPERTY OneUp\nCHECK_DEADLOCK FALSE");
  ASSERT_TRUE(down);
  EXPECT_EQ(down->violation, ModelViolation::ActionProperty);
  EXPECT_EQ(down->trace.size(), 2u);
}

TEST(Model, KeepsOneStateForEachView) {
  // The view hides y, so only x distinguishes states.
  const auto result = check_spec(
      "EXTENDS Naturals\nVARIABLES x, y\nInit == x = 0 /\\ y \\in 1..5\n"
      "Next == x < 3 /\\ x' = x + 1 /\\ UNCHANGED y\nOnlyX == x",
      "INIT Init NEXT Next VIEW OnlyX CHECK_DEADLOCK FALSE");
  ASSERT_TRUE(result);
  EXPECT_EQ(result->distinct, 4u);
}

TEST(Model, ReplacesDefinitionsFromTheConfiguration) {
  const auto result = check_spec(
      "EXTENDS Naturals\nVARIABLE x\nLimit == 100\nMCNat == 0..4\n"
      "Init == x \\in Nat\nNext == x < Limit /\\ x' = x + 1",
      "CONSTANTS Limit = 6\nNat <- MCNat\nINIT Init NEXT Next\n"
      "CHECK_DEADLOCK FALSE");
  ASSERT_TRUE(result);
  EXPECT_EQ(result->distinct, 7u);
}

TEST(Liveness, HoldsUnderWeakFairness) {
  const std::string config =
      "CONSTANT P = {a, b}\nSPECIFICATION Spec\n"
      "PROPERTY Done\nCHECK_DEADLOCK FALSE";
  const auto result = check_spec(kCounters, config);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->outcome, Outcome::Holds);
}

TEST(Liveness, FailsByStutteringWithoutFairness) {
  const auto result =
      check_spec(kCounters, kTwo + "PROPERTY Done\nCHECK_DEADLOCK FALSE");
  ASSERT_TRUE(result);
  EXPECT_EQ(result->violation, ModelViolation::Liveness);
  ASSERT_TRUE(result->loop);
  EXPECT_EQ(*result->loop + 1, result->trace.size());
}

// A light that blinks for ever; a bell that may ring while it is on.  Weak
// fairness of ringing is met by turning the light off again and again, strong
// fairness is not.
const std::string kLight =
    "VARIABLES on, rung\nInit == on = FALSE /\\ rung = FALSE\n"
    "Blink == on' = ~on /\\ UNCHANGED rung\n"
    "Ring == on /\\ ~rung /\\ rung' = TRUE /\\ UNCHANGED on\n"
    "Next == Blink \\/ Ring\nvars == <<on, rung>>\n"
    "Weak == Init /\\ [][Next]_vars /\\ WF_vars(Blink) /\\ WF_vars(Ring)\n"
    "Strong == Init /\\ [][Next]_vars /\\ WF_vars(Blink) /\\ SF_vars(Ring)\n"
    "Rings == <>rung\nOnOff == []<>on /\\ []<>~on\nStuck == <>[]on\n"
    "Answer == on ~> rung\nStays == [](rung => []rung)\n"
    "Fair == SF_vars(Ring)\nSteps == []<><<Blink>>_vars\n";

TEST(Liveness, TellsWeakFromStrongFairness) {
  const auto weak = check_spec(kLight, "SPECIFICATION Weak PROPERTY Rings");
  ASSERT_TRUE(weak);
  EXPECT_EQ(weak->violation, ModelViolation::Liveness);
  ASSERT_TRUE(weak->loop);
  // The loop blinks: it has a state with the light on and one with it off.
  EXPECT_EQ(weak->trace.size() - *weak->loop, 2u);
  const auto strong = check_spec(kLight, "SPECIFICATION Strong PROPERTY Rings");
  ASSERT_TRUE(strong);
  EXPECT_EQ(strong->outcome, Outcome::Holds);
}

// A line of states with one at its end where behaviours stay: there are few
// places to look at.  That q is false there for ever does not matter as long as
// p never was true; and a place without fairness is one to stay at.
TEST(Liveness, LooksAtTheFewPlacesWhereBehavioursStay) {
  const std::string line =
      "EXTENDS Naturals\n"
      "VARIABLES n, q\n"
      "Init == n = 0 /\\ q = FALSE\n"
      "Step == n < 50 /\\ n' = n + 1 /\\ q' = FALSE\n"
      "Turn == n = 50 /\\ q' = ~q /\\ n' = n\n"
      "Next == Step \\/ Turn\n"
      "Fair == Init /\\ [][Next]_<<n, q>> /\\ WF_<<n, q>>(Step)\n"
      "Fairer == Fair /\\ WF_<<n, q>>(Turn)\n"
      "Never == (n = 77) ~> q\n"
      "Ends == (n = 3) ~> (n = 50)\n"
      "Turns == (n = 3) ~> q\n"
      "Again == []<>q\n"
      "Stops == <>[](n = 40)\n";
  const auto outcome = [&](const std::string& spec, const std::string& what) {
    const auto result =
        check_spec(line, "SPECIFICATION " + spec + " PROPERTY " + what);
    EXPECT_TRUE(result) << result.error().what;
    return result->outcome;
  };
  EXPECT_EQ(outcome("Fair", "Never"), Outcome::Holds);
  EXPECT_EQ(outcome("Fair", "Ends"), Outcome::Holds);
  EXPECT_EQ(outcome("Fair", "Turns"), Outcome::Violated);
  EXPECT_EQ(outcome("Fairer", "Turns"), Outcome::Holds);
  EXPECT_EQ(outcome("Fair", "Again"), Outcome::Violated);
  EXPECT_EQ(outcome("Fairer", "Again"), Outcome::Holds);
  EXPECT_EQ(outcome("Fairer", "Stops"), Outcome::Violated);
}

TEST(Liveness, DecidesEveryFormItAccepts) {
  const auto outcome = [](const std::string& spec,
                          const std::string& property) {
    const auto result =
        check_spec(kLight, "SPECIFICATION " + spec + " PROPERTY " + property);
    return result ? result->outcome : Outcome::Undecided;
  };
  EXPECT_EQ(outcome("Weak", "OnOff"), Outcome::Holds);
  EXPECT_EQ(outcome("Weak", "Stuck"), Outcome::Violated);
  EXPECT_EQ(outcome("Weak", "Answer"), Outcome::Violated);
  EXPECT_EQ(outcome("Strong", "Answer"), Outcome::Holds);
  EXPECT_EQ(outcome("Weak", "Stays"), Outcome::Holds);
  EXPECT_EQ(outcome("Weak", "Fair"), Outcome::Violated);
  EXPECT_EQ(outcome("Strong", "Fair"), Outcome::Holds);
  EXPECT_EQ(outcome("Weak", "Steps"), Outcome::Holds);
}

TEST(Model, ShowsWhichMessagesAStepNeeded) {
  const auto result = check_spec(
      "EXTENDS Naturals\nVARIABLES net, got\nInit == net = {} /\\ got = {}\n"
      "Send(p) == /\\ net' = net \\cup {[from |-> p, type |-> \"hello\"]}\n"
      "           /\\ UNCHANGED got\n"
      "Take(q) == /\\ [from |-> \"a\", type |-> \"hello\"] \\in net\n"
      "           /\\ got' = got \\cup {q} /\\ UNCHANGED net\n"
      "Next == (\\E p \\in {\"a\", \"b\"} : Send(p)) \\/ Take(\"c\")\n"
      "Never == got = {}",
      "INIT Init NEXT Next INVARIANT Never");
  ASSERT_TRUE(result);
  ASSERT_EQ(result->trace.size(), 3u);
  EXPECT_EQ(result->trace[1].sent.size(), 1u);
  EXPECT_EQ(result->trace[1].process, "a");
  ASSERT_EQ(result->trace[2].received.size(), 1u);
  EXPECT_EQ(result->trace[2].received[0].sent_at, 1u);
  EXPECT_EQ(result->trace[2].process, "c");
}

TEST(Model, SaysWhenAPlusCalTranslationIsMissingOrStale) {
  const std::string algorithm =
      "(* --algorithm a\nvariable x = 0;\nbegin\n  One: x := 1;\nend algorithm "
      "*)\n";
  const std::string rest =
      "VARIABLE x\nInit == x = 0\nOther == x' = 1\nNext == Other\n";
  const auto missing = check_spec(algorithm + rest, "INIT Init NEXT Next");
  ASSERT_TRUE(missing);
  ASSERT_EQ(missing->notes.size(), 1u);
  EXPECT_NE(missing->notes[0].find("has no translation"), std::string::npos);
  const auto unnamed =
      check_spec(algorithm + "Start == 1\nNext == Start\n",
                 "SPECIFICATION Spec");
  ASSERT_FALSE(unnamed);
  EXPECT_NE(unnamed.error().hint.find("has no translation"), std::string::npos);
  const auto stale = check_spec(
      algorithm + "\\* BEGIN TRANSLATION\n" + rest + "\\* END TRANSLATION\n",
      "INIT Init NEXT Next");
  ASSERT_TRUE(stale);
  ASSERT_EQ(stale->notes.size(), 1u);
  EXPECT_NE(stale->notes[0].find("no label One"), std::string::npos);
}

}  // namespace
}  // namespace txscope::test
