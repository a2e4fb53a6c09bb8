#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "read/sql/sql.h"
#include "read/txn/txn.h"
#include "robust/search.h"
#include "robust/search_sql.h"
#include "support/corpus.h"

namespace txscope::robust {
namespace {

using Json = nlohmann::json;

std::string read_whole(const std::filesystem::path& path) {
  std::ifstream in(path);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

Outcome answer_of(const std::string& program, const SearchQuestion& question) {
  const bool is_shared = program.find('/') != std::string::npos;
  const auto path =
      corpus_file((is_shared ? "programs/" : "robust/") + program);
  const Budget budget = Budget::unlimited();
  if (program.ends_with(".sql")) {
    const auto application = sql::read_sql(program, read_whole(path));
    if (!application) return Outcome::Undecided;
    const auto found = search_sql(*application, question, budget);
    return found ? found->answer.answer : Outcome::Undecided;
  }
  const auto read = read::read_txn(program, read_whole(path));
  if (!read) return Outcome::Undecided;
  const auto code = exec::compile(*read);
  if (!code) return Outcome::Undecided;
  return search(*code, question, budget).answer;
}

// The verdicts were found by an exhaustive machine and by enumerating commit
// orders against the axioms.
TEST(RobustCorpus, EveryVerdictIsThatOfExhaustiveEnumeration) {
  const auto rows = corpus_file("robust/expected.jsonl");
  if (!std::filesystem::exists(rows)) GTEST_SKIP() << rows << " is absent";
  std::ifstream in(rows);
  int count = 0;
  for (std::string line; std::getline(in, line);) {
    const Json row = Json::parse(line);
    if (row.contains("errors_only_at_level")) continue;
    SearchQuestion question;
    question.against = parse_level(row["against"].get<std::string>())->base;
    question.notion = *parse_notion(row["notion"].get<std::string>());
    const Outcome answer = answer_of(row["program"], question);
    EXPECT_EQ(verdict_word(answer), row["verdict"].get<std::string>()) << line;
    ++count;
  }
  EXPECT_GT(count, 4000);
}

}  // namespace
}  // namespace txscope::robust
