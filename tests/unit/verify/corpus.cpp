#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "model/level.h"
#include "read/txn/txn.h"
#include "support/corpus.h"
#include "verify/verify.h"

namespace txscope {
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

/// Every row of every `.txn` program, no row more.
TEST(VerifyCorpus, AnswersEveryProgramAsEnumerated) {
  const auto directory = corpus_file("verify");
  if (!std::filesystem::exists(directory)) {
    GTEST_SKIP() << directory << " is absent";
  }
  std::size_t rows = 0;
  for (const auto& [file, expected] : expected_rows()) {
    if (!file.ends_with(".txn")) continue;
    const auto program = read_txn(file, text_of(directory / file));
    ASSERT_TRUE(program) << file << ": " << program.error().what;
    VerifyOptions options;
    options.levels = levels();
    const auto result = verify(*program, options, Budget::unlimited());
    const bool is_contradiction = file == "vac_initial.txn";
    ASSERT_EQ(!result, is_contradiction) << file;
    if (!result) {
      EXPECT_NE(result.error().what.find("\"small\", \"large\""),
                std::string::npos)
          << result.error().what;
      rows += expected.size();
      continue;
    }
    EXPECT_EQ(result->rows.size(), expected.size()) << file;
    for (const VerifyRow& row : result->rows) {
      const Key key(name(row.level), row.property);
      ASSERT_TRUE(expected.contains(key)) << file << " " << row.property;
      EXPECT_EQ(name(row.verdict), expected.at(key))
          << file << " " << key.first << " " << key.second << " " << row.why;
      ++rows;
    }
  }
  EXPECT_GE(rows, 400u);
}

}  // namespace
}  // namespace txscope
