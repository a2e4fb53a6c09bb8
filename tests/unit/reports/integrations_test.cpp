// The files that bring txscope into other people's tools, as far as they can be
// tried without these.
#include <gtest/gtest.h>

#include <regex>

#include "unit/reports/written.h"

namespace txscope {
namespace {

using nlohmann::json;
using test::Ran;
using test::run_command;
using test::TemporaryDirectory;

std::string tree(const std::string& file) {
  return test::source_dir() + "/" + file;
}

TemporaryDirectory& project() {
  static TemporaryDirectory directory;
  run_command(
      "mkdir -p db && cp " + tree("examples/bank/bank.sql") + " db/bank.sql",
      directory.path());
  return directory;
}

TEST(GithubAction, AnnotatesSummarisesAndFails) {
  TemporaryDirectory& directory = project();
  const Ran ran = run_command(
      "GITHUB_STEP_SUMMARY=summary.md GITHUB_OUTPUT=output "
      "TXSCOPE_PATHS=db TXSCOPE_VERB=analyze " +
          tree("integrations/github/run"),
      directory.path());
  EXPECT_EQ(ran.status, 1) << ran.output;
  EXPECT_TRUE(ran.said("::error file=db/bank.sql,line=37")) << ran.output;
  EXPECT_NE(directory.read("summary.md").find("sequenceDiagram"),
            std::string::npos);
  EXPECT_EQ(directory.read("output"),
            "status=1\nsarif=txscope.sarif\nhtml=txscope.html\n");
  const json log = json::parse(directory.read("txscope.sarif"));
  EXPECT_EQ(log["runs"][0]["results"].size(), 2u);
  EXPECT_NE(directory.read("txscope.html").find("RACE"), std::string::npos);
}

// Every input of the action reaches the script, and nothing else is asked for.
TEST(GithubAction, PassesEveryInputOn) {
  const Ran ran = run_command("cat " + tree("action.yml"), "/");
  const Ran script = run_command("cat " + tree("integrations/github/run"), "/");
  const std::regex input("TXSCOPE_[A-Z]+: \\$\\{\\{ inputs\\.([a-z]+) \\}\\}");
  std::size_t count = 0;
  for (std::sregex_iterator at(ran.output.begin(), ran.output.end(), input),
       end;
       at != end; ++at, ++count) {
    const std::string name = (*at)[1];
    EXPECT_NE(ran.output.find("\n  " + name + ":\n"), std::string::npos);
    std::string variable = "TXSCOPE_";
    for (const char c : name) variable += static_cast<char>(std::toupper(c));
    EXPECT_TRUE(script.said(variable)) << variable;
  }
  EXPECT_EQ(count, 6u);
}

TEST(GitlabTemplate, RunsAsItsScriptSays) {
  TemporaryDirectory& directory = project();
  const Ran text = run_command("sed -n '/^  script:/,/^  artifacts:/p' " +
                                   tree("integrations/gitlab/txscope.yml") +
                                   " | sed '1d;$d;s/^ *- //' | tr '\\n' ' '",
                               "/");
  const Ran ran = run_command(
      "TXSCOPE_VERB=analyze TXSCOPE_PATHS=db "
      "TXSCOPE_ARGUMENTS=--no-repairs; " +
          text.output,
      directory.path());
  EXPECT_EQ(ran.status, 1) << ran.output;
  const json quality =
      json::parse(directory.read("gl-code-quality-report.json"));
  ASSERT_EQ(quality.size(), 2u);
  EXPECT_EQ(quality[0]["location"]["path"], "db/bank.sql");
  EXPECT_NE(directory.read("txscope.xml").find("<testsuites"),
            std::string::npos);
}

TEST(PreCommitHook, FailsOnAFileWithARace) {
  TemporaryDirectory& directory = project();
  const Ran entry = run_command(
      "sed -n 's/^  entry: //p' " + tree(".pre-commit-hooks.yaml"), "/");
  std::string command = entry.output;
  command.pop_back();
  const Ran ran = run_command(command + " db/bank.sql", directory.path());
  EXPECT_EQ(ran.status, 1) << ran.output;
  EXPECT_TRUE(ran.said("db/bank.sql:37:3: error: ")) << ran.output;
}

TEST(VsCode, MatchesEveryLine) {
  TemporaryDirectory& directory = project();
  const Ran text =
      run_command("cat " + tree("integrations/vscode/tasks.json"), "/");
  const json task = json::parse(text.output)["tasks"][0];
  std::string command = task["command"];
  for (const json& argument : task["args"]) {
    const std::string word = argument;
    command += " " + (word == "${file}" ? "db/bank.sql" : word);
  }
  const json& pattern = task["problemMatcher"]["pattern"];
  const Ran ran = run_command(command, directory.path());
  const std::regex regex(pattern["regexp"].get<std::string>());
  std::istringstream lines(ran.output);
  std::size_t count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    std::smatch match;
    ASSERT_TRUE(std::regex_match(line, match, regex)) << line;
    EXPECT_EQ(match[pattern["file"].get<std::size_t>()], "db/bank.sql");
    EXPECT_EQ(match[pattern["severity"].get<std::size_t>()], "error");
    EXPECT_TRUE(match[pattern["code"].get<std::size_t>()].matched);
  }
  EXPECT_EQ(count, 2u) << ran.output;
}

TEST(Schemas, AcceptTheFilesForOtherTools) {
  const Ran ran = run_command(
      "command -v node > /dev/null || { echo 'SKIP no node'; exit 77; }; node "
      "tests/browser/validate.mjs github-action action.yml pre-commit-hooks "
      ".pre-commit-hooks.yaml",
      test::source_dir());
  if (ran.status == 77) GTEST_SKIP() << ran.output;
  EXPECT_EQ(ran.status, 0) << ran.output;
}

}  // namespace
}  // namespace txscope
