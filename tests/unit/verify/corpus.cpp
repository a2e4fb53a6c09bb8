#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "model/level.h"
#include "read/sql/sql.h"
#include "read/txn/txn.h"
#include "support/corpus.h"
#include "verify/sql/verify_sql.h"
#include "verify/verify.h"

namespace txscope::verify {
namespace {

std::string text_of(const std::filesystem::path& path) {
  std::ifstream in(path);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

std::vector<Base> levels() {
  std::vector<Base> out;
  for (const Base b : all_bases()) {
    if (b != Base::ReadUncommitted) out.push_back(b);
  }
  return out;
}

using Key = std::pair<std::string, std::string>;  // level, property

std::map<std::string, std::map<Key, std::string>> expected_rows() {
  std::map<std::string, std::map<Key, std::string>> out;
  std::ifstream in(corpus_file("verify/expected.jsonl"));
  for (std::string line; std::getline(in, line);) {
    if (line.empty()) continue;
    const auto row = nlohmann::json::parse(line);
    out[row["program"]][{row["level"], row["property"]}] = row["verdict"];
  }
  return out;
}

Result<VerifyResult> answer(const std::string& file, std::string text,
                            const VerifyOptions& options) {
  const Budget budget = Budget::unlimited();
  if (file.ends_with(".sql")) {
    const auto application = sql::read_open_sql(file, std::move(text));
    if (!application) return application.error();
    return verify_sql(*application, options, budget);
  }
  const auto program = read::read_txn(file, std::move(text));
  if (!program) return program.error();
  return verify(*program, options, budget);
}

/// Inputs that contradict each other, and the assumptions that do.
const std::map<std::string, std::string> kContradictions = {
    {"vac_initial.txn", "\"small\", \"large\""},
    {"contradiction.sql", "\"range\", \"rich\""}};

/// Every row of every program, no row more.
TEST(VerifyCorpus, AnswersEveryProgramAsEnumerated) {
  const auto directory = corpus_file("verify");
  if (!std::filesystem::exists(directory)) {
    GTEST_SKIP() << directory << " is absent";
  }
  std::size_t rows = 0;
  for (const auto& [file, expected] : expected_rows()) {
    VerifyOptions options;
    options.levels = levels();
    const auto result = answer(file, text_of(directory / file), options);
    const auto contradiction = kContradictions.find(file);
    const bool is_contradiction = contradiction != kContradictions.end();
    ASSERT_EQ(!result, is_contradiction)
        << file << (result ? "" : ": " + result.error().what);
    if (!result) {
      EXPECT_NE(result.error().what.find(contradiction->second),
                std::string::npos)
          << result.error().what;
      rows += expected.size();
      continue;
    }
    EXPECT_EQ(result->rows.size(), expected.size()) << file;
    for (const VerifyRow& row : result->rows) {
      const Key key(row.level, row.property);
      ASSERT_TRUE(expected.contains(key)) << file << " " << row.property;
      EXPECT_EQ(verdict_word(row), expected.at(key))
          << file << " " << key.first << " " << key.second << " " << row.why;
      ++rows;
    }
  }
  EXPECT_EQ(rows, 536u);
}

}  // namespace
}  // namespace txscope::verify
