#include <gtest/gtest.h>

#include "certify/certify.h"
#include "check/check.h"
#include "support/litmus.h"
#include "support/litmus_file.h"
#include "support/oracle.h"
#include "support/paths.h"

namespace txscope {
namespace {

std::vector<std::filesystem::path> files_of(const char* folder) {
  return litmus_files(std::filesystem::path(test::source_dir()) / "tests" /
                      folder);
}

void expect_verdict(const LitmusFile& file, Level level, bool holds) {
  const Verdict verdict =
      check::check(file.history, level, Budget::unlimited());
  EXPECT_EQ(verdict.outcome(), holds ? Outcome::Holds : Outcome::Violated)
      << describe(level);
  const certify::Certificate certificate =
      certify::certify(file.history, verdict);
  EXPECT_TRUE(certificate) << describe(level) << ": " << certificate.why_not;
}

// The expectations were written by hand, each with its argument; oracle and
// checkers have to agree with them, and they have to say something about every
// level.
TEST(LitmusFiles, EveryLevelIsAsTheFileSays) {
  const auto files = files_of("litmus");
  EXPECT_GT(files.size(), 20u);
  for (const auto& path : files) {
    SCOPED_TRACE(path.filename().string());
    const LitmusFile file = read_litmus_file(path);
    const OracleAnswers answers = oracle(file.history);
    for (const Level level : file.levels()) {
      const bool holds = file.says_holds(level);
      EXPECT_NE(holds, file.says_violated(level)) << describe(level);
      EXPECT_EQ(answers.allows(level), holds) << describe(level);
      expect_verdict(file, level, holds);
    }
  }
}

TEST(LitmusFiles, EveryTwoAdjacentLevelsAreToldApart) {
  const auto files = files_of("litmus");
  for (const Base weak : all_bases())
    for (const Base strong : all_bases()) {
      if (compare(weak, strong) <= 0 && weak == strong) continue;
      if (compare(strong, weak) < 0) continue;
      bool is_told_apart = false;
      for (const auto& path : files) {
        const LitmusFile file = read_litmus_file(path);
        is_told_apart |= file.says_holds({weak, Order::Session}) &&
                         file.says_violated({strong, Order::Session});
      }
      EXPECT_TRUE(is_told_apart) << name(weak) << ", not " << name(strong);
    }
}

// What once went wrong.  The files may say as little as one level.
TEST(Regressions, StayRepaired) {
  for (const auto& path : files_of("regress")) {
    SCOPED_TRACE(path.filename().string());
    const LitmusFile file = read_litmus_file(path);
    EXPECT_FALSE(file.holds.empty() && file.violated.empty());
    const OracleAnswers answers = oracle(file.history);
    for (const Level level : file.levels()) {
      const bool holds = answers.allows(level);
      EXPECT_FALSE(holds ? file.says_violated(level) : file.says_holds(level))
          << describe(level);
      expect_verdict(file, level, holds);
    }
  }
}

}  // namespace
}  // namespace txscope
