// Algorithms in PlusCal without their translation.  The numbers of states are
// counted by hand: a step leads from label to label, "Done" allows a step that
// changes nothing.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "support/tla.h"
#include "txscope/model.h"

namespace txscope::test {
namespace {

struct Counts {
  std::uint64_t generated;
  std::uint64_t distinct;
  std::uint32_t depth;
};

ModelResult run(const std::string& algorithm, const std::string& config,
                const std::string& more = "") {
  const auto result = check_spec(
      "EXTENDS Integers, Sequences, TLC\n" + algorithm + more, config);
  EXPECT_TRUE(result) << result.error().what << " at line "
                      << result.error().where.line;
  return result ? *result : ModelResult();
}

void expect_counts(const ModelResult& result, Counts counts) {
  EXPECT_EQ(result.outcome, Outcome::Holds) << result.message;
  EXPECT_EQ(result.generated, counts.generated);
  EXPECT_EQ(result.distinct, counts.distinct);
  EXPECT_EQ(result.depth, counts.depth);
  EXPECT_TRUE(result.notes.empty());
}

Error refused(const std::string& algorithm) {
  const auto result = check_spec(
      "EXTENDS Integers, Sequences, TLC\n" + algorithm, "SPECIFICATION Spec");
  EXPECT_FALSE(result);
  return result ? Error{} : result.error();
}

const std::string kSpec = "SPECIFICATION Spec";

// x = 0 at A; B or Done; the standard translator reads a label in quotes, too.
TEST(PlusCal, GoesToLabels) {
  expect_counts(run("(* --algorithm Go { variable x = 0;\n"
                    "  { A: either goto B or goto \"Done\";\n"
                    "    B: x := 1; goto \"Done\" } } *)\n",
                    kSpec),
                {6, 4, 3});
}

// x = 0, 1, 2, 3 at Loop, then Done; each of the five has one step.
TEST(PlusCal, RunsALoopInBothSyntaxes) {
  expect_counts(run("(* --algorithm Count\nvariable x = 0;\nbegin\n"
                    "  Loop: while x < 3 do\n    x := x + 1;\n  end while;\n"
                    "end algorithm *)\n",
                    kSpec),
                {6, 5, 5});
  expect_counts(run("(* --algorithm Count { variable x = 0;\n"
                    "  { Loop: while (x < 3) { x := x + 1 } } } *)\n",
                    kSpec),
                {6, 5, 5});
}

// Without any label they are added: the same loop.
TEST(PlusCal, AddsLabelsToASequentialAlgorithmWithoutAny) {
  expect_counts(run("(* --algorithm Count { variable x = 0;\n"
                    "  { while (x < 3) { x := x + 1 } } } *)\n",
                    kSpec),
                {6, 5, 5});
}

// Each of two processes is at A, at B or done: 9 states.  A process has a step
// in 6 of them, which makes 12, and one more when both are done.
TEST(PlusCal, InterleavesProcesses) {
  expect_counts(run("(* --algorithm Two\nvariable x = 0;\n"
                    "process p \\in 1..2 begin\n  A: skip;\n  B: skip;\n"
                    "end process;\nend algorithm *)\n",
                    kSpec),
                {14, 9, 5});
}

// One semaphore: (a,a) (c,a) (a,c) (D,a) (a,D) (D,c) (c,D) (D,D).
TEST(PlusCal, ExpandsMacrosAndWaits) {
  const std::string algorithm =
      "(* --algorithm Sem { variable sem = 1;\n"
      "  macro P(s) { await s > 0; s := s - 1 }\n"
      "  process (p \\in 1..2) {\n"
      "    a: P(sem);\n    c: sem := sem + 1 } } *)\n";
  expect_counts(run(algorithm, kSpec + " INVARIANT Mutex",
                    "Mutex == ~(pc[1] = \"c\" /\\ pc[2] = \"c\")\n"),
                {10, 8, 5});
}

// A loop that never ends and has no label inside needs no pc: two states.
TEST(PlusCal, LeavesOutPcWhereNothingNeedsIt) {
  const auto result =
      run("(* --algorithm Flip { variable x = 0;\n"
          "  { while (TRUE) { x := 1 - x } } } *)\n",
          kSpec + " INVARIANT Zero", "Zero == x = 0\n");
  ASSERT_EQ(result.trace.size(), 2u);
  ASSERT_EQ(result.trace[1].values.size(), 1u);
  EXPECT_EQ(result.trace[1].values[0].variable, "x");
  EXPECT_EQ(result.trace[1].action, "Next");
}

const std::string kFactorial =
    "(* --algorithm Fact { variable result = 1;\n"
    "  procedure Fact(n)\n"
    "  { S: if (n > 1) { result := result * n;\n"
    "                  A: call Fact(n - 1);\n"
    "                  R: return }\n"
    "     else { E: return } }\n"
    "  { M: call Fact(3);\n"
    "    C: assert result = 6 } } *)\n";

// M S A S A S E R R C Done, one step each.
TEST(PlusCal, CallsProceduresThatCallThemselves) {
  expect_counts(
      run(kFactorial, kSpec + " CONSTANT defaultInitValue = defaultInitValue"),
      {12, 11, 11});
}

TEST(PlusCal, SaysWhichAssertionOfTheAlgorithmFails) {
  std::string wrong = kFactorial;
  wrong.replace(wrong.find("= 6"), 3, "= 7");
  const auto result =
      run(wrong, kSpec + " CONSTANT defaultInitValue = defaultInitValue");
  EXPECT_EQ(result.violation, ModelViolation::Assertion);
  EXPECT_EQ(result.message, "Failure of assertion at line 10, column 8.");
  EXPECT_EQ(result.property_place.line, 10u);
  ASSERT_EQ(result.trace.size(), 10u);
  EXPECT_EQ(result.trace[1].action, "M");
  EXPECT_EQ(result.trace[1].source.line, 9u);
}

// A call that is followed by return replaces its caller on the stack.
TEST(PlusCal, ReturnsToTheCallerOfTheCaller) {
  expect_counts(run("(* --algorithm Tail { variable x = 0;\n"
                    "  procedure F(a = 0) { F1: call G(a + 1); return }\n"
                    "  procedure G(b = 0) { G1: x := b; G2: return }\n"
                    "  { M: call F(4);\n"
                    "    C: assert x = 5 /\\ stack = <<>> } } *)\n",
                    kSpec),
                {7, 6, 6});
}

TEST(PlusCal, AssignsAtOnceAndUsesNewValuesAfterwards) {
  expect_counts(
      run("(* --algorithm Swap {\n"
          "  variables x = 1; y = 2; f = [i \\in 1..2 |-> i]; z = 0;\n"
          "  { A: x := y || y := x; z := x;\n"
          "       f[1] := f[2] || f[2] := f[1];\n"
          "    B: assert x = 2 /\\ y = 1 /\\ z = 2 /\\ f = <<2, 1>> } } "
          "*)\n",
          kSpec),
      {4, 3, 3});
}

// From x = 0: with chooses 1 or 2; either doubles it or leaves it.
// 0; 1, 2 at B; 1, 2, 4 done (2 twice); three done states step to themselves.
TEST(PlusCal, ChoosesWithAndEither) {
  expect_counts(run("(* --algorithm Choose\nvariable x = 0;\nbegin\n"
                    "A: with v \\in 1..2, w = v do x := w; end with;\n"
                    "B: either x := 2 * x; or skip; end either;\n"
                    "end algorithm *)\n",
                    kSpec),
                {1 + 2 + 4 + 3, 6, 3});
}

// Junction lists keep their columns when variables get subscripts.
TEST(PlusCal, KeepsTheLayoutOfConditions) {
  expect_counts(run("(* --algorithm Lists { variable g = 0;\n"
                    "  process (p \\in {7}) variables x = 0, yy = 1; {\n"
                    "    a: await /\\ x = 0 => /\\ yy = 1\n"
                    "                         /\\ \\/ x = 1\n"
                    "                            \\/ yy = 1\n"
                    "             /\\ yy # 5;\n"
                    "       x := 1;\n"
                    "       if (x = 1 /\\ yy = 1) { g := x + yy };\n"
                    "    b: assert g = 2 } } *)\n",
                    kSpec),
                {4, 3, 3});
}

TEST(PlusCal, FairProcessesTerminate) {
  const auto algorithm = [](const std::string& fair) {
    return "(* --algorithm F { variable x = 0;\n  " + fair +
           "process (p = 1) { A: x := 1; B: x := 2 } } *)\n";
  };
  EXPECT_EQ(run(algorithm("fair "), kSpec + " PROPERTY Termination").outcome,
            Outcome::Holds);
  EXPECT_EQ(run(algorithm(""), kSpec + " PROPERTY Termination").outcome,
            Outcome::Violated);
  EXPECT_EQ(run("(* --fair algorithm F { variable x = 0; { A: x := 1 } } *)\n",
                kSpec + " PROPERTY Termination")
                .outcome,
            Outcome::Holds);
}

// As the standard translator takes the option: without fairness nothing would
// terminate.
TEST(PlusCal, TheOptionTerminationAsksForFairness) {
  const auto outcome = [](const std::string& options) {
    return run("(* PlusCal options (" + options +
                   ") *)\n"
                   "(* --algorithm T { variable x = 0; { A: x := 1 } } *)\n",
               kSpec + " PROPERTY Termination")
        .outcome;
  };
  EXPECT_EQ(outcome("-label"), Outcome::Violated);
  EXPECT_EQ(outcome("-termination"), Outcome::Holds);
  EXPECT_EQ(outcome("nof, termination"), Outcome::Violated);
}

TEST(PlusCal, TheOptionLabelRootNamesWhatIsAdded) {
  const auto result =
      run("(* PlusCal options (-labelRoot Step) *)\n"
          "(* --algorithm T { variable x = 0; { x := 1; x := 2 } } *)\n"
          "Never == pc # \"Step2\"\n",
          kSpec + " INVARIANT Never");
  EXPECT_EQ(result.outcome, Outcome::Violated);
}

// Two processes wait for a turn that flips for ever: each await is enabled
// again and again, but not always.  Weak fairness does not get them through; +
// does.
TEST(PlusCal, ALabelWithPlusIsStronglyFair) {
  const auto algorithm = [](const std::string& plus) {
    return "(* --algorithm F { variable t = 0;\n"
           "  fair process (clock = 0) { T: while (TRUE) { t := 1 - t } }\n"
           "  fair process (p = 1) { A: skip; B:" +
           plus + " await t = 1 } } *)\n";
  };
  const std::string through = "Through == <>(pc[1] = \"Done\")\n";
  EXPECT_EQ(run(algorithm(""), kSpec + " PROPERTY Through", through).outcome,
            Outcome::Violated);
  EXPECT_EQ(run(algorithm("+"), kSpec + " PROPERTY Through", through).outcome,
            Outcome::Holds);
}

TEST(PlusCal, GivesLabelsOfTwoProcessesNamesOfTheirOwn) {
  const auto result =
      run("(* --algorithm Names { variable x = 0;\n"
          "  process (p = 1) { A: x := x + 1 }\n"
          "  process (q = 2) { A: await x = 1; x := 5 } } *)\n",
          kSpec + " INVARIANT Small", "Small == x < 5\n");
  ASSERT_EQ(result.trace.size(), 3u);
  EXPECT_EQ(result.trace[1].action, "A_");
  EXPECT_EQ(result.trace[2].action, "A");
}

// One state at A, one at Done, and the step there that changes nothing.
TEST(PlusCal, AllowsDefineWithoutDefinitions) {
  expect_counts(run("(* --algorithm Empty\nvariable x = 0;\n"
                    "define\nend define;\n"
                    "begin\n  A: x := 1;\nend algorithm *)\n",
                    kSpec),
                {3, 2, 2});
  expect_counts(run("(* --algorithm Empty { variable x = 0;\n"
                    "  define { }\n  { A: x := 1 } } *)\n",
                    kSpec),
                {3, 2, 2});
}

// As the standard translator, to which a tab leads to the next multiple of 8.
TEST(PlusCal, CountsTheColumnsOfTabs) {
  const ModelResult result =
      run("(* --algorithm Wrong\nvariable x = 0;\nbegin\n"
          "A:\t\tassert x = 1;\nend algorithm *)\n",
          kSpec);
  EXPECT_EQ(result.outcome, Outcome::Violated);
  EXPECT_NE(result.message.find("column 17"), std::string::npos)
      << result.message;
}

TEST(PlusCal, DefinitionsOfTheAlgorithmSeeItsVariables) {
  expect_counts(run("(* --algorithm Def\nvariables x = 0;\ndefine\n"
                    "  Twice == 2 * x\n  Inv == Twice < 7\nend define;\nbegin\n"
                    "  Loop: while Twice < 6 do x := x + 1; end while;\n"
                    "end algorithm *)\n",
                    kSpec + " INVARIANT Inv"),
                {6, 5, 5});
}

TEST(PlusCal, ErrorsPointIntoTheAlgorithm) {
  const Error unknown = refused(
      "(* --algorithm E { variable x = 0;\n"
      "  { A: x := x + 1;\n"
      "    B: x := y } } *)\n");
  EXPECT_EQ(unknown.where.line, 5u);
  EXPECT_EQ(unknown.where.column, 13u);
  const Error label = refused(
      "(* --algorithm E { variable x = 0;\n"
      "  process (p = 1) { A: x := 1;\n"
      "    x := 2 } } *)\n");
  EXPECT_EQ(label.what, "this statement needs a label");
  EXPECT_EQ(label.where.line, 5u);
  const Error open = refused(
      "(* --algorithm E\nvariable x = 0;\nbegin\n  A: while x < 3 do\n"
      "    x := x + 1;\nend algorithm *)\n");
  EXPECT_EQ(open.where.line, 8u);
  EXPECT_NE(open.what.find("expected 'while'"), std::string::npos);
  EXPECT_EQ(refused("(* --algorithm E { variable x = 0;\n"
                    "  { A: F(x) } } *)\n")
                .what,
            "there is no macro F");
  EXPECT_EQ(refused("(* --algorithm E { variable x = 0;\n"
                    "  { A: z := 1 } } *)\n")
                .what,
            "there is no variable z");
  EXPECT_EQ(refused("(* --algorithm E { variable x = 0;\n"
                    "  { A: with (v \\in {1}) { B: x := v } } } *)\n")
                .what,
            "a label must not stand inside of with");
}

class PlusCalFile : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name =
        (std::filesystem::temp_directory_path() / "pluscal-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    directory_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }
  std::string write(const std::string& algorithm) {
    const std::string path = directory_ + "/Spec.tla";
    std::ofstream(path) << "---- MODULE Spec ----\nEXTENDS Integers\n"
                        << algorithm << "Above == x >= 0\n====\nThe end.\n";
    std::ofstream(directory_ + "/Spec.cfg")
        << "SPECIFICATION Spec INVARIANT Above\n";
    return path;
  }
  static std::string text_of(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  static ModelResult checked(const std::string& path) {
    ModelRequest request;
    request.spec = path;
    const auto result = check_model(request, Budget::unlimited());
    EXPECT_TRUE(result) << result.error().what;
    return result ? *result : ModelResult();
  }
  std::string directory_;
};

const std::string kLoop =
    "(* --algorithm Count { variable x = 0;\n"
    "  { Loop: while (x < 3) { x := x + 1 } } } *)\n";

TEST_F(PlusCalFile, HasItsTranslationWrittenOnceAndKeepsTheRest) {
  const std::string path = write(kLoop);
  const auto first = verb::translate_pluscal(path);
  ASSERT_TRUE(first) << first.error().what;
  EXPECT_TRUE(*first);
  const std::string text = text_of(path);
  EXPECT_NE(text.find("\\* BEGIN TRANSLATION (chksum(pcal)"),
            std::string::npos);
  EXPECT_NE(text.find("Loop == /\\ pc = \"Loop\"\n"), std::string::npos);
  EXPECT_NE(text.find("Termination == <>(pc = \"Done\")"), std::string::npos);
  EXPECT_NE(text.find("\\* END TRANSLATION"), std::string::npos);
  EXPECT_TRUE(text.ends_with("Above == x >= 0\n====\nThe end.\n"));
  const auto second = verb::translate_pluscal(path);
  ASSERT_TRUE(second);
  EXPECT_FALSE(*second);
  EXPECT_EQ(text_of(path), text);
  const ModelResult result = checked(path);
  EXPECT_EQ(result.distinct, 5u);
  EXPECT_EQ(result.generated, 6u);
  EXPECT_TRUE(result.notes.empty());
}

TEST_F(PlusCalFile, IsNotedIfItsTranslationIsStale) {
  const std::string path = write(kLoop);
  ASSERT_TRUE(verb::translate_pluscal(path));
  const std::string fresh = text_of(path);
  const auto noted = [&](const std::string& what, const std::string& instead) {
    std::string changed = fresh;
    changed.replace(changed.find(what), what.size(), instead);
    std::ofstream(path) << changed;
    const ModelResult result = checked(path);
    return result.notes.empty() ? std::string() : result.notes[0];
  };
  EXPECT_NE(noted("(x < 3)", "(x < 2)").find("Loop differs"),
            std::string::npos);
  EXPECT_NE(noted("IF x < 3", "IF x < 4").find("changed by hand"),
            std::string::npos);
  EXPECT_EQ(noted("(x < 3)", "( x  <  3 )"), "");
  std::ofstream(path) << fresh;
  ASSERT_TRUE(verb::translate_pluscal(path));
  EXPECT_EQ(text_of(path), fresh);
}

TEST_F(PlusCalFile, StaysAsItIsIfTheAlgorithmIsWrong) {
  const std::string path =
      write("(* --algorithm Wrong { variable x = 0; { A: x = 1 } } *)\n");
  const std::string before = text_of(path);
  const auto answer = verb::translate_pluscal(path);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().where.line, 3u);
  EXPECT_EQ(text_of(path), before);
}

}  // namespace
}  // namespace txscope::test
