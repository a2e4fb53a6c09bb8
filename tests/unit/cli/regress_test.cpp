// Answers that once were wrong: tests/regress has a file for each, and
// expected.jsonl says how it is asked and what is right.  Histories (.litmus)
// are read by tests/unit/litmus, which asks the oracle as well.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "support/paths.h"
#include "support/run_command.h"

namespace txscope {
namespace {

namespace fs = std::filesystem;

fs::path regress() { return fs::path(test::source_dir()) / "tests/regress"; }

TEST(Regressions, OfEveryKindStayRepaired) {
  std::ifstream expected(regress() / "expected.jsonl");
  std::set<std::string> kinds;
  for (std::string line; std::getline(expected, line);) {
    const auto row = nlohmann::json::parse(line);
    const std::string file = row["file"];
    std::string call = row["call"];
    call.replace(call.find("FILE"), 4, file);
    SCOPED_TRACE(call);
    kinds.insert(fs::path(file).extension().string());
    const auto ran = test::run_command("txscope " + call, regress().string());
    EXPECT_EQ(ran.status, row["status"].get<int>()) << ran.output;
    EXPECT_TRUE(ran.said(row["says"])) << ran.output;
  }
  EXPECT_EQ(kinds, (std::set<std::string>{".jsonl", ".sql", ".tla", ".txn"}));
}

TEST(Regressions, EveryFileIsAsked) {
  std::ifstream expected(regress() / "expected.jsonl");
  std::set<std::string> asked = {"expected.jsonl"};
  for (std::string line; std::getline(expected, line);)
    asked.insert(nlohmann::json::parse(line)["file"]);
  for (const auto& file : fs::directory_iterator(regress())) {
    const fs::path path = file.path();
    if (path.extension() == ".litmus" || path.extension() == ".cfg") continue;
    EXPECT_TRUE(asked.contains(path.filename().string())) << path;
  }
}

}  // namespace
}  // namespace txscope
