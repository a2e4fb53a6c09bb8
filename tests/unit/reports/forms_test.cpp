// SARIF, JUnit, annotations, Markdown and CSV of real findings.
#include <gtest/gtest.h>

#include <map>
#include <regex>
#include <set>

#include "support/xml.h"
#include "unit/reports/written.h"

namespace txscope {
namespace {

using nlohmann::json;
using test::Ran;
using test::run_command;
using test::TemporaryDirectory;

std::string in_format(const std::string& call, const std::string& format,
                      int status = 1) {
  const Ran ran = run_command("txscope " + call + " --format " + format,
                              test::source_dir());
  EXPECT_EQ(ran.status, status) << ran.output;
  return ran.output;
}

constexpr const char* kCalls[] = {
    "check examples/histories/lost-update.jsonl",
    "explore examples/bank/bank.sql",
    "analyze examples/bank/bank.sql",
    "verify examples/verify/simplebank.sql --level snapshot-isolation",
    "robust examples/bank/bank.sql",
    "audit examples/logs/lost-update.jsonl",
};

TEST(Sarif, HasARuleALocationAndAFingerprintForEachFinding) {
  for (const char* call : kCalls) {
    const json log = json::parse(in_format(call, "sarif"));
    EXPECT_EQ(log["version"], "2.1.0");
    const json& run = log["runs"][0];
    const json& rules = run["tool"]["driver"]["rules"];
    ASSERT_FALSE(run["results"].empty()) << call;
    for (const json& result : run["results"]) {
      EXPECT_EQ(rules[result["ruleIndex"].get<std::size_t>()]["id"],
                result["ruleId"]);
      EXPECT_FALSE(result["partialFingerprints"].empty());
      EXPECT_GE(
          result["locations"][0]["physicalLocation"]["region"]["startLine"]
              .get<int>(),
          1);
    }
    for (const json& rule : rules)
      EXPECT_GT(rule["help"]["text"].get<std::string>().size(), 20u);
  }
}

TEST(Sarif, HasOneThreadFlowPerSessionInTheOrderOfTime) {
  const json log =
      json::parse(in_format("explore examples/bank/bank.sql", "sarif"));
  for (const json& result : log["runs"][0]["results"]) {
    const json& flows = result["codeFlows"][0]["threadFlows"];
    ASSERT_EQ(flows.size(), 2u);
    std::vector<int> all;
    for (const json& flow : flows)
      for (const json& step : flow["locations"])
        all.push_back(step["executionOrder"]);
    std::sort(all.begin(), all.end());
    for (std::size_t i = 0; i < all.size(); ++i)
      EXPECT_EQ(all[i], static_cast<int>(i) + 1);
  }
}

/// Where a line (from 1) and a column (from 1) are in a text of ASCII.
std::size_t offset_of(const std::string& text, std::size_t line,
                      std::size_t column) {
  std::size_t offset = 0;
  for (; line > 1; --line) offset = text.find('\n', offset) + 1;
  return offset + column - 1;
}

/// Replacements are of the text as it was, in its order.
std::string with_replacements(std::string text, const json& replacements) {
  const std::string old = text;
  for (auto one = replacements.rbegin(); one != replacements.rend(); ++one) {
    const json& region = (*one)["deletedRegion"];
    const std::size_t from =
        offset_of(old, region["startLine"], region["startColumn"]);
    const std::size_t to =
        region.contains("endLine")
            ? offset_of(old, region["endLine"], region["endColumn"])
            : from;
    text.replace(from, to - from,
                 (*one)["insertedContent"]["text"].get<std::string>());
  }
  return text;
}

// What a tool that applies fixes does; then the finding must be gone.
TEST(Sarif, HasFixesThatRepairTheFile) {
  const TemporaryDirectory directory;
  run_command("cp " + test::source_dir() + "/examples/bank/bank.sql .",
              directory.path());
  const Ran ran =
      run_command("txscope analyze bank.sql --format sarif", directory.path());
  const json log = json::parse(ran.output);
  const auto& results = log["runs"][0]["results"];
  const auto result =
      std::find_if(results.begin(), results.end(),
                   [](const json& one) { return one.contains("fixes"); });
  ASSERT_NE(result, results.end());
  const auto& changes = (*result)["fixes"][0]["artifactChanges"];
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_EQ(changes[0]["artifactLocation"]["uri"], "bank.sql");
  directory.write("bank.sql", with_replacements(directory.read("bank.sql"),
                                                changes[0]["replacements"]));
  const std::string id = (*result)["partialFingerprints"]["txscopeFinding/v1"];
  const Ran after =
      run_command("txscope analyze bank.sql --format sarif", directory.path());
  EXPECT_FALSE(after.said(id)) << after.output;
}

TEST(Junit, HasOneCasePerQuestionAndCountsThemRight) {
  for (const char* call : kCalls) {
    const std::string text = in_format(call, "junit");
    const test::XmlElement root = test::parse_xml(text);
    ASSERT_EQ(root.name, "testsuites") << text;
    const auto number = [](const test::XmlElement& element, const char* name) {
      return std::stoul(element.attributes.at(name));
    };
    std::size_t tests = 0, failures = 0, errors = 0;
    for (const test::XmlElement& suite : root.children) {
      ASSERT_EQ(suite.name, "testsuite");
      std::size_t own_failures = 0, own_errors = 0;
      for (const test::XmlElement& one : suite.children) {
        ASSERT_EQ(one.name, "testcase");
        EXPECT_TRUE(one.attributes.contains("name"));
        EXPECT_TRUE(one.attributes.contains("classname"));
        for (const test::XmlElement& inner : one.children) {
          own_failures += inner.name == "failure" ? 1 : 0;
          own_errors += inner.name == "error" ? 1 : 0;
        }
      }
      EXPECT_EQ(number(suite, "tests"), suite.children.size());
      EXPECT_EQ(number(suite, "failures"), own_failures);
      EXPECT_EQ(number(suite, "errors"), own_errors);
      tests += suite.children.size();
      failures += own_failures;
      errors += own_errors;
    }
    EXPECT_EQ(number(root, "tests"), tests);
    EXPECT_EQ(number(root, "failures"), failures);
    EXPECT_EQ(number(root, "errors"), errors);
    EXPECT_GT(failures, 0u) << call;
  }
}

/// What junit-10.xsd of Jenkins' xUnit plugin and surefire's schema both have.
struct XsdElement {
  std::set<std::string> required;
  std::set<std::string> attributes;
  std::set<std::string> children;
};
const std::map<std::string, XsdElement> kJunitXsd = {
    {"testsuites",
     {{}, {"name", "time", "tests", "failures", "errors"}, {"testsuite"}}},
    {"testsuite",
     {{"name", "tests", "failures", "errors"},
      {"name", "tests", "failures", "errors", "skipped", "time", "group"},
      {"testcase", "properties", "system-out", "system-err"}}},
    {"testcase",
     {{"name"},
      {"name", "classname", "group", "time"},
      {"skipped", "error", "failure", "system-out", "system-err"}}},
    {"failure", {{}, {"type", "message"}, {}}},
    {"error", {{}, {"type", "message"}, {}}},
    {"skipped", {{}, {"type", "message"}, {}}},
    {"system-out", {{}, {}, {}}},
};

void expect_valid(const test::XmlElement& element, const std::string& of) {
  const auto known = kJunitXsd.find(element.name);
  ASSERT_NE(known, kJunitXsd.end()) << element.name << " in " << of;
  const auto& [required, attributes, children] = known->second;
  for (const std::string& name : required)
    EXPECT_TRUE(element.attributes.contains(name)) << of << " " << name;
  for (const auto& [name, value] : element.attributes)
    EXPECT_TRUE(attributes.contains(name))
        << of << " " << element.name << " " << name;
  for (const test::XmlElement& one : element.children) {
    EXPECT_TRUE(children.contains(one.name))
        << of << " " << one.name << " in " << element.name;
    expect_valid(one, of);
  }
}

TEST(Junit, HasOnlyWhatTheSchemaOfJenkinsAllows) {
  for (const char* call : kCalls) {
    const test::XmlElement root = test::parse_xml(in_format(call, "junit"));
    ASSERT_EQ(root.name, "testsuites") << call;
    expect_valid(root, call);
  }
}

TEST(Junit, IsGreenOnlyIfEverythingHolds) {
  const std::string text = in_format(
      "explore examples/bank/bank.sql --level postgresql:serializable", "junit",
      0);
  EXPECT_EQ(text.find("<failure"), std::string::npos);
  EXPECT_EQ(text.find("<error"), std::string::npos);
  const std::string late =
      in_format("explore examples/tpcc/tpcc.sql --timeout 1ms", "junit", 3);
  EXPECT_NE(late.find("<error"), std::string::npos) << late;
}

TEST(Annotations, StandAtTheLinesOfTheFile) {
  const std::string text =
      in_format("analyze examples/bank/bank.sql", "github");
  const std::regex command(
      "::(error|warning|notice)( [a-z]+=[^,:]*(,[a-z]+=[^,:]*)*)?::.*");
  std::istringstream lines(text);
  std::size_t with_line = 0;
  for (std::string line; std::getline(lines, line);) {
    EXPECT_TRUE(std::regex_match(line, command)) << line;
    with_line +=
        line.find("file=examples/bank/bank.sql,line=") != std::string::npos;
  }
  EXPECT_EQ(with_line, 2u);
  const json quality =
      json::parse(in_format("analyze examples/bank/bank.sql", "gitlab"));
  ASSERT_EQ(quality.size(), 2u);
  std::set<std::string> fingerprints;
  for (const json& one : quality) {
    for (const char* field :
         {"description", "check_name", "fingerprint", "severity"})
      EXPECT_TRUE(one[field].is_string()) << field;
    EXPECT_EQ(one["location"]["path"], "examples/bank/bank.sql");
    EXPECT_GT(one["location"]["lines"]["begin"].get<int>(), 1);
    fingerprints.insert(one["fingerprint"].get<std::string>());
  }
  EXPECT_EQ(fingerprints.size(), 2u);
}

TEST(Markdown, FitsIntoAComment) {
  const std::string text =
      in_format("explore examples/bank/bank.sql --all --level all", "markdown");
  EXPECT_LT(text.size(), 65'000u);
  EXPECT_NE(text.find("```mermaid\nsequenceDiagram\n"), std::string::npos);
  EXPECT_NE(text.find("```diff\n- "), std::string::npos);
}

TEST(Csv, HasACellOfTheMatrixPerLine) {
  const std::string text = in_format("analyze examples/bank/bank.sql", "csv");
  EXPECT_NE(text.find("\"invalid\""), 0u);
  EXPECT_NE(text.find(",withdraw,deposit,RACE,lost-update-"), std::string::npos)
      << text;
  std::istringstream lines(text);
  int cells = 0;
  for (std::string line; std::getline(lines, line);)
    cells += line.starts_with("Every transaction with every other one,");
  EXPECT_EQ(cells, 3);
}

TEST(Formats, CanBeSeveralInOneRun) {
  const TemporaryDirectory directory;
  const std::string at = directory.path();
  const Ran ran = run_command(
      "txscope analyze examples/bank/bank.sql --format sarif -o " + at +
          "/o.sarif --format junit -o " + at + "/o.xml --format github",
      test::source_dir());
  EXPECT_EQ(ran.status, 1);
  EXPECT_TRUE(json::accept(directory.read("o.sarif")));
  EXPECT_EQ(test::parse_xml(directory.read("o.xml")).name, "testsuites");
  EXPECT_TRUE(ran.said("::error file="));
}

}  // namespace
}  // namespace txscope
