#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "support/fuzz.h"
#include "support/naive_tla.h"
#include "support/paths.h"
#include "support/tla.h"

namespace txscope::test {
namespace {

// Random constant expressions mean what a naive evaluator says.
TEST(TlaFuzz, EvaluatesAsANaiveEvaluatorDoes) {
  Random random(fuzz_seed(11));
  const int rounds = fuzz_rounds(60);
  for (int round = 0; round < rounds; ++round) {
    // Many expressions in one module: most of the time goes into starting.
    std::string expression = "<<";
    std::string expected = "<<";
    for (int i = 0; i < 20; ++i) {
      NaiveGenerator generator(random);
      const NaiveTerm term = generator.any(static_cast<int>(random.below(5)));
      expression += (i > 0 ? ",\n    " : "") + term.text;
      expected += (i > 0 ? ", " : "") + term.value({}).text();
    }
    const auto result = evaluate_tla(expression + ">>");
    ASSERT_TRUE(result) << result.error().what << "\n" << expression;
    ASSERT_EQ(*result, expected + ">>") << expression;
  }
}

std::string slurp(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

/// Cuts, doubles or replaces a piece of a text.
std::string damaged(std::string text, Random& random) {
  static const std::vector<std::string> pieces = {
      "/\\",    "\\/", "(",     ")",    "[",    "]",
      "{",      "}",   "<<",    ">>",   "==",   "=",
      "'",      "!",   "\\in",  "..",   "|->",  "->",
      "@",      "LET", "IN",    "IF",   "\"",   "EXCEPT",
      "CHOOSE", "(*",  "\\A x", "====", "\xff", "9999999999999999999"};
  for (std::uint64_t i = 1 + random.below(3); i > 0 && !text.empty(); --i) {
    const std::size_t at = random.below(text.size());
    const std::size_t length =
        std::min<std::size_t>(random.below(40), text.size() - at);
    switch (random.below(4)) {
      case 0: text.erase(at, length); break;
      case 1: text.insert(at, pieces[random.below(pieces.size())]); break;
      case 2: text.insert(at, text.substr(at, length)); break;
      default:
        text.replace(at, length, pieces[random.below(pieces.size())]);
        break;
    }
  }
  return text;
}

// Whatever happens to a specification or its configuration, the answer is a
// verdict or an error with a place; never a crash, and never without an end.
TEST(TlaFuzz, SurvivesDamagedSpecifications) {
  Random random(fuzz_seed(12));
  const std::filesystem::path examples =
      std::filesystem::path(source_dir()) / "examples/tla";
  const auto scratch = std::filesystem::temp_directory_path() /
                       ("txscope-tla-fuzz-" + std::to_string(getpid()));
  std::filesystem::create_directories(scratch);
  const std::string spec = slurp(examples / "TwoPhase.tla");
  const std::string config = slurp(examples / "TwoPhase.cfg");
  ASSERT_FALSE(spec.empty());
  const int rounds = fuzz_rounds(150);
  int errors = 0;
  for (int round = 0; round < rounds; ++round) {
    const bool is_config = random.chance(0.2);
    std::ofstream(scratch / "TwoPhase.tla", std::ios::binary)
        << (is_config ? spec : damaged(spec, random));
    std::ofstream(scratch / "TwoPhase.cfg", std::ios::binary)
        << (is_config ? damaged(config, random) : config);
    ModelRequest request;
    request.spec = (scratch / "TwoPhase.tla").string();
    request.max_depth = 4;
    Budget::Limits limits;
    limits.time = std::chrono::milliseconds(2000);
    const auto result = check_model(request, Budget(limits));
    if (result) continue;
    ++errors;
    EXPECT_FALSE(result.error().what.empty());
    EXPECT_FALSE(result.error().where.file.empty()) << result.error().what;
  }
  EXPECT_GT(errors, 0);
  std::filesystem::remove_all(scratch);
}

}  // namespace
}  // namespace txscope::test
