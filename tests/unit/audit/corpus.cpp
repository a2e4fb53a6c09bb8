// Every row of the audit corpus: logs of real servers and hand-written ones,
// with verdicts that were found by brute force over all orders and snapshots.

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <utility>

#include "read/input.h"
#include "support/audit_log.h"
#include "support/corpus.h"
#include "support/fuzz.h"

namespace {

using namespace txscope;
using Json = nlohmann::json;

struct Row {
  std::string level;
  std::string verdict;
};

/// By file, aborted transactions judged or not, and mutant (0: the file).
using Key = std::tuple<std::string, bool, int>;

std::map<Key, std::vector<Row>> expected_rows(const std::string& name) {
  std::map<Key, std::vector<Row>> rows;
  std::ifstream file(corpus_file("audit/" + name));
  for (std::string line; std::getline(file, line);) {
    const Json json = Json::parse(line);
    rows[{json["file"], json.value("judge_aborted", false),
          json.value("mutant", 0)}]
        .push_back({json["level"], json["verdict"]});
  }
  return rows;
}

std::string text_of(const std::string& path) {
  auto input = read::Input::open(path);
  EXPECT_TRUE(input) << path;
  std::string text;
  for (std::string_view line; input->next_line(line);)
    text.append(line).append("\n");
  return text;
}

/// The log with one line replaced.
std::string mutant_of(const std::string& file, int number) {
  std::string text = text_of(corpus_file("audit/" + file));
  std::string list = corpus_file("audit/" + file);
  list.replace(list.find(".jsonl.gz"), 9, ".mutants.jsonl");
  std::ifstream mutants(list);
  for (std::string line; std::getline(mutants, line);) {
    const Json json = Json::parse(line);
    if (json["mutant"] != number) continue;
    std::istringstream lines(text);
    std::string result;
    int at = 0;
    for (std::string one; std::getline(lines, one);)
      result +=
          (++at == json["line"].get<int>() ? json["replacement"].dump() : one) +
          "\n";
    return result;
  }
  ADD_FAILURE() << file << " has no mutant " << number;
  return text;
}

void compare(const std::string& name, const std::string& folder) {
  if (!std::filesystem::exists(corpus_file("audit/" + name)))
    GTEST_SKIP() << "the audit corpus is absent";
  int count = 0;
  for (const auto& [key, rows] : expected_rows(name)) {
    const auto& [file, judges, mutant] = key;
    if (file.rfind(folder, 0) != 0) continue;
    std::string levels;
    for (const Row& row : rows)
      levels += (levels.empty() ? "" : ",") + row.level;
    audit::AuditOptions options;
    options.judge_aborted = judges;
    options.certify = folder == "small/";  // what does not stand is an error
    const auto report =
        mutant == 0
            ? test::audit_log_file(corpus_file("audit/" + file), levels,
                                   options)
            : test::audit_text_log(mutant_of(file, mutant), levels, options);
    ASSERT_TRUE(report) << file << ": " << report.error().what;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      ++count;
      EXPECT_EQ(test::verdict_of(report->results[i].found), rows[i].verdict)
          << file << (mutant == 0 ? "" : " mutant " + std::to_string(mutant))
          << " at " << rows[i].level << " " << report->results[i].found.reason;
    }
  }
  EXPECT_GT(count, 0);
}

TEST(AuditCorpus, SmallLogs) { compare("expected.jsonl", "small/"); }
TEST(AuditCorpus, SmallLogsWithAbortedOnesJudged) {
  compare("expected_aborted.jsonl", "small/");
}
// Both take long: the first is left to the release build, the second to
// ./test --long.
TEST(AuditCorpus, LogsOfLiveServersAndTheirMutants) {
  if (fuzz_rounds(10) < 10) GTEST_SKIP() << "too long under sanitizers";
  compare("expected.jsonl", "big/");
}
TEST(AuditCorpus, MutantsOfTheLongestLog) {
  if (fuzz_rounds(10) < 20) GTEST_SKIP() << "./test --long runs it";
  compare("expected_mutants.jsonl", "big/");
}

}  // namespace
