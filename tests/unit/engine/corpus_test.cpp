// The verdicts that were found by running every interleaving of eight
// applications on PostgreSQL 15 and MariaDB 10.11 (tests/sql/README.md).

#include <gtest/gtest.h>

#include <fstream>

#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "engine/search/explore_profile.h"
#include "read/sql/sql.h"
#include "support/paths.h"

namespace txscope::engine {
namespace {

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(EngineCorpus, GivesTheVerdictsOfTheLiveEngines) {
  const std::string folder = test::source_dir() + "/tests/sql/";
  std::ifstream lines(folder + "expected.jsonl");
  std::map<std::pair<std::string, std::string>, Answer> results;
  std::map<std::string, sql::Application> applications;
  int rows = 0;
  for (std::string line; std::getline(lines, line);) {
    const auto row = nlohmann::json::parse(line);
    const std::string program = row["program"];
    const std::string level = row["level"];
    const std::string what = program + " at " + level;
    if (applications.count(program) == 0) {
      auto read = sql::read_sql(program, text_of(folder + program + ".sql"));
      ASSERT_TRUE(read) << read.error().what;
      applications.emplace(program, std::move(*read));
    }
    const sql::Application& application = applications.at(program);
    if (results.count({program, level}) == 0) {
      const auto profile = parse_profile(level);
      ASSERT_TRUE(profile) << level;
      ProfileOptions options;
      options.all = true;
      options.judges_every_commit = true;
      auto result =
          explore_profile(application, **profile, options, Budget::unlimited());
      ASSERT_TRUE(result) << result.error().what;
      EXPECT_TRUE(result->is_complete) << what << ": " << result->cut_reason;
      results.emplace(std::pair(program, level), std::move(*result));
    }
    const Answer& result = results.at({program, level});
    for (const PropertyAnswer& property : result.properties) {
      if (application.properties[property.property.index].name !=
          row["invariant"])
        continue;
      ++rows;
      EXPECT_EQ(name(property.verdict), row["verdict"].get<std::string>())
          << what << " " << row["invariant"];
      EXPECT_EQ(name(property.at_every_commit),
                row["any_committed_state"].get<std::string>())
          << what << " " << row["invariant"];
    }
    EXPECT_EQ(result.counts.final_states,
              row["final_states"].get<std::uint64_t>())
        << what;
    std::vector<std::string> aborts;
    for (const auto& [code, count] : result.counts.aborts)
      aborts.push_back(code);
    EXPECT_EQ(aborts, row["aborts"].get<std::vector<std::string>>()) << what;
  }
  EXPECT_EQ(rows, 98);
}

}  // namespace
}  // namespace txscope::engine
