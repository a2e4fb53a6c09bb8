#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "support/paths.h"
#include "support/run_command.h"

namespace txscope::test {
namespace {

class AnalyzeCommand : public testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::copy(source_dir() + "/examples/tickets/tickets.sql",
                          std::filesystem::path(directory_.path()) / "t.sql");
  }
  Ran analyze(const std::string& arguments) const {
    return run_command("txscope analyze t.sql --no-repairs " + arguments,
                       directory_.path());
  }
  TemporaryDirectory directory_;
};

// Known findings are told, and only others count; a list of another finding
// changes nothing, and what is neither a list nor a report is refused.
TEST_F(AnalyzeCommand, OnlyWhatTheBaselineLacksCounts) {
  EXPECT_EQ(analyze("").status, 1);
  EXPECT_EQ(analyze("--write-baseline known.txt").status, 1);
  const Ran known = analyze("--baseline known.txt");
  EXPECT_EQ(known.status, 0) << known.output;
  EXPECT_TRUE(known.said("RACE")) << known.output;
  directory_.write("other.txt", "lost-update-00000000  another one\n");
  EXPECT_EQ(analyze("--baseline other.txt").status, 1);
  directory_.write("no.json", "{}");
  EXPECT_EQ(analyze("--baseline no.json 2>&1").status, 2);
  EXPECT_EQ(analyze("--baseline nowhere 2>&1").status, 2);
}

}  // namespace
}  // namespace txscope::test
