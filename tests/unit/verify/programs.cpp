// Programs without open inputs, for which exhaustive enumeration has told
// every verdict (tests/programs/expected.jsonl).
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "read/txn/txn.h"
#include "support/paths.h"
#include "verify/verify.h"

namespace txscope::verify {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kMostTransactions = 8;

TEST(VerifyPrograms, VerdictsAreThoseOfExhaustiveEnumeration) {
  const std::string directory = test::source_dir() + "/tests/programs/";
  std::map<std::string, std::map<std::string, Json>> rows;
  std::ifstream in(directory + "expected.jsonl");
  for (std::string line; std::getline(in, line);) {
    const Json row = Json::parse(line);
    if (row["invariants"].empty() && row["asserts"].empty()) continue;
    rows[row["program"]][row["level"]] = row;
  }
  std::size_t verdicts = 0;
  for (const auto& [program_name, by_level] : rows) {
    std::ifstream file(directory + program_name + ".txn");
    std::stringstream text;
    text << file.rdbuf();
    const auto program = read::read_txn(program_name, text.str());
    ASSERT_TRUE(program) << program_name;
    std::size_t transactions = 0;
    for (const auto& s : program->sessions) transactions += s.calls.size();
    if (transactions > kMostTransactions) continue;
    VerifyOptions options;
    for (const Base base : all_bases()) {
      if (by_level.contains(std::string(name(base)))) {
        options.levels.push_back(base);
      }
    }
    const auto result = verify(*program, options, Budget::unlimited());
    ASSERT_TRUE(result) << program_name << ": " << result.error().what;
    for (const VerifyRow& row : result->rows) {
      if (row.kind == "errors") continue;
      const Json& all = by_level.at(row.level);
      const Json& kind = all[row.kind == "assert" ? "asserts" : "invariants"];
      ASSERT_TRUE(kind.contains(row.property)) << program_name;
      EXPECT_EQ(verdict_word(row), kind[row.property].get<std::string>())
          << program_name << " " << row.level << " " << row.property << " "
          << row.why;
      ++verdicts;
    }
  }
  EXPECT_GE(verdicts, 100u);
}

}  // namespace
}  // namespace txscope::verify
