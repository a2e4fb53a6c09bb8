#include <gtest/gtest.h>

#include <cstdlib>
#include <regex>

#include "report/model_report.h"
#include "support/fuzz.h"
#include "support/naive_temporal.h"
#include "support/random_behaviours.h"
#include "support/random_shapes.h"
#include "support/random_spec.h"
#include "support/run_command.h"
#include "support/tla.h"

// Random specifications against TLC itself, which is not part of the project:
// TXSCOPE_TLC is a command that runs it, with one worker, on the module that
// follows.  Verdict, states generated and distinct, and depth have to agree.
namespace txscope::test {
namespace {

struct TlcAnswer {
  bool is_violated = false;
  bool is_refused = false;
  std::uint64_t generated = 0;
  std::uint64_t distinct = 0;
  std::uint32_t depth = 0;
  std::string output;
};

TlcAnswer ask_tlc(const std::string& command, const std::string& module,
                  const std::string& config) {
  const TemporaryDirectory directory;
  directory.write("Spec.tla", "---- MODULE Spec ----\n" + module + "\n====\n");
  directory.write("Spec.cfg", config);
  TlcAnswer answer;
  answer.output = run_command(command + " Spec.tla", directory.path()).output;
  const auto has = [&](const char* text) {
    return answer.output.find(text) != std::string::npos;
  };
  answer.is_violated = has("is violated") || has("were violated") ||
                       has("properties were violated") || has("was violated") ||
                       has("is equal to FALSE");  // of a constant invariant
  answer.is_refused = !answer.is_violated && !has("No error has been found");
  std::smatch found;
  const std::regex counts("\n(\\d+) states generated, (\\d+) distinct");
  if (std::regex_search(answer.output, found, counts)) {
    answer.generated = std::stoull(found[1]);
    answer.distinct = std::stoull(found[2]);
  }
  const std::regex depth("state graph search is (\\d+)");
  if (std::regex_search(answer.output, found, depth))
    answer.depth = static_cast<std::uint32_t>(std::stoul(found[1]));
  return answer;
}

/// Asks both; false if one of them refused the specification.
bool compare_with_tlc(const char* command, const std::string& module,
                      const std::string& config) {
  const TlcAnswer tlc = ask_tlc(command, module, config);
  // A form that TLC has no method for says nothing about ours.
  if (tlc.output.find("cannot handle the temporal formula") !=
      std::string::npos)
    return false;
  const auto ours = check_spec(module, config);
  EXPECT_EQ(tlc.is_refused, !ours) << (ours ? "" : ours.error().what) << "\n"
                                   << module << "\n"
                                   << config << tlc.output;
  if (tlc.is_refused || !ours) return false;
  EXPECT_EQ(tlc.is_violated, ours->outcome == Outcome::Violated)
      << module << config << tlc.output;
  if (tlc.is_violated) return true;  // where it stops is not the same
  EXPECT_EQ(tlc.generated, ours->generated) << module << config;
  EXPECT_EQ(tlc.distinct, ours->distinct) << module << config;
  EXPECT_EQ(tlc.depth, ours->depth) << module << config;
  return true;
}

TEST(TlcFuzz, AgreesOnVerdictsAndCounts) {
  const char* command = std::getenv("TXSCOPE_TLC");
  if (command == nullptr) GTEST_SKIP() << "TXSCOPE_TLC names no TLC";
  Random random(fuzz_seed(23));
  const int rounds = fuzz_rounds(20);
  int refused = 0;
  for (int round = 0; round < rounds; ++round) {
    const NaiveSpec spec = NaiveSpecGenerator(random).make();
    const NaiveTemporal property =
        random_temporal(random, 1 + static_cast<int>(random.below(3)));
    const bool has_property = random.chance(0.6);
    const std::string module =
        spec.module + "Spec == Init /\\ [][Next]_vars /\\ WF_vars(A1) /\\ " +
        (random.chance(0.5) ? "SF" : "WF") +
        "_vars(A2)\nProp == " + property.text + "\n";
    const std::string config =
        "SPECIFICATION Spec\nCHECK_DEADLOCK FALSE\n" +
        std::string(has_property ? "PROPERTY Prop\n" : "INVARIANT Inv\n");
    if (!compare_with_tlc(command, module, config)) ++refused;
  }
  EXPECT_LE(refused, rounds / 2);
}

TEST(TlcFuzz, AgreesOnSetsFunctionsSequencesAndRecords) {
  const char* command = std::getenv("TXSCOPE_TLC");
  if (command == nullptr) GTEST_SKIP() << "TXSCOPE_TLC names no TLC";
  Random random(fuzz_seed(31));
  const int rounds = fuzz_rounds(20);
  int refused = 0;
  for (int round = 0; round < rounds; ++round) {
    const std::string module = RandomSpec(random).make();
    const std::string config =
        "SPECIFICATION Spec\nCHECK_DEADLOCK FALSE\n" +
        std::string(random.chance(0.5) ? "INVARIANT Inv" : "");
    if (!compare_with_tlc(command, module, config)) ++refused;
  }
  EXPECT_LE(refused, rounds / 2);
}

TEST(TlcFuzz, AgreesOnRarerShapes) {
  const char* command = std::getenv("TXSCOPE_TLC");
  if (command == nullptr) GTEST_SKIP() << "TXSCOPE_TLC names no TLC";
  Random random(fuzz_seed(47));
  const int rounds = fuzz_rounds(20);
  int refused = 0;
  for (int round = 0; round < rounds; ++round) {
    const RandomShapes::Model model = RandomShapes(random).make();
    if (!compare_with_tlc(command, model.module, model.config)) ++refused;
  }
  EXPECT_LE(refused, rounds / 2);
}

TEST(TlcFuzz, AgreesOnBehaviours) {
  const char* command = std::getenv("TXSCOPE_TLC");
  if (command == nullptr) GTEST_SKIP() << "TXSCOPE_TLC names no TLC";
  Random random(fuzz_seed(59));
  const int rounds = fuzz_rounds(20);
  int refused = 0;
  for (int round = 0; round < rounds; ++round) {
    const RandomBehaviours::Model model = RandomBehaviours(random).make();
    if (!compare_with_tlc(command, model.module, model.config)) ++refused;
  }
  EXPECT_LE(refused, rounds / 2);
}

TEST(TlcTrace, IsReplayed) {
  const char* command = std::getenv("TXSCOPE_TLC");
  if (command == nullptr) GTEST_SKIP() << "TXSCOPE_TLC names no TLC";
  const std::string module =
      "EXTENDS Naturals\nVARIABLES x, f\n"
      "Init == x = 0 /\\ f = [a |-> 0, b |-> <<1, 2>>]\n"
      "Up(n) == x < 2 /\\ x' = x + n /\\ f' = [f EXCEPT !.a = n]\n"
      "Back == (x = 1 \\/ x = 2) /\\ x' = 0 /\\ UNCHANGED f\n"
      "Next == (\\E n \\in {1} : Up(n)) \\/ Back\nInv == x < 2";
  const std::string config = "INIT Init NEXT Next\nINVARIANT Inv\n";
  const auto ours = check_spec(module, config);
  ASSERT_TRUE(ours) << ours.error().what;
  const TemporaryDirectory directory;
  directory.write("Spec.tla", "---- MODULE Spec ----\n" + module + "\n====\n");
  directory.write("Spec.cfg", config);
  directory.write("trace.json", report::model_tlc_trace(*ours));
  const std::string output =
      run_command(std::string(command) + " -loadTrace json trace.json Spec.tla",
                  directory.path())
          .output;
  EXPECT_NE(output.find("Invariant Inv is violated"), std::string::npos)
      << output;
  EXPECT_NE(output.find("3 states generated, 3 distinct"), std::string::npos)
      << output;  // the trace and nothing else
}

}  // namespace
}  // namespace txscope::test
