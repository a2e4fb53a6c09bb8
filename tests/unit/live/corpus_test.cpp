// The driver and the front end against what was observed before: every
// interleaving of the applications of tests/sql on both servers.

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "read/sql/sql.h"
#include "support/fuzz.h"
#include "support/live_database.h"
#include "support/paths.h"

namespace txscope::test {
namespace {

std::string read(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string place(const std::string& name) {
  return source_dir() + "/tests/sql/" + name;
}

struct Case {
  std::string program;
  std::string level;
  std::vector<nlohmann::json> rows;  ///< one per invariant
};

std::vector<Case> cases() {
  std::vector<Case> result;
  std::istringstream lines(read(place("expected.jsonl")));
  for (std::string line; std::getline(lines, line);) {
    nlohmann::json row = nlohmann::json::parse(line);
    if (result.empty() || result.back().program != row["program"] ||
        result.back().level != row["level"])
      result.push_back({row["program"], row["level"], {}});
    result.back().rows.push_back(std::move(row));
  }
  return result;
}

class LiveCorpus : public testing::TestWithParam<Case> {};

TEST_P(LiveCorpus, GivesWhatWasObserved) {
  const Case& c = GetParam();
  const auto level = parse_profile(c.level);
  ASSERT_TRUE(level);
  if (!live_server((*level)->product).server)
    GTEST_SKIP() << live_server((*level)->product).why;
  if (c.rows[0]["interleavings"] > fuzz_rounds(40))
    GTEST_SKIP() << c.rows[0]["interleavings"]
                 << " interleavings; set TXSCOPE_FUZZ_ROUNDS=20";
  const std::string file = place(c.program + ".sql");
  const auto application = sql::read_sql(file, read(file));
  ASSERT_TRUE(application) << application.error().what;
  const LiveOutcomes live = run_live(*application, **level, {}, true);
  ASSERT_EQ(live.problem, "");
  for (const nlohmann::json& row : c.rows) {
    std::size_t p = 0;
    while (application->properties[p].name != row["invariant"]) ++p;
    EXPECT_EQ(live.summary.interleavings, row["interleavings"]);
    EXPECT_EQ(live.finals.size(), row["final_states"]);
    EXPECT_EQ(live.serial_finals.size(), row["serial_final_states"]);
    EXPECT_EQ(live.properties[p].breaking, row["breaking_interleavings"]);
    EXPECT_EQ(live.properties[p].is_violated_between,
              row["any_committed_state"] == "violated");
    EXPECT_EQ(std::vector<std::string>(live.aborts.begin(), live.aborts.end()),
              row["aborts"]);
  }
}

INSTANTIATE_TEST_SUITE_P(Live, LiveCorpus, testing::ValuesIn(cases()),
                         [](const auto& test) {
                           std::string name =
                               test.param.program + "_" + test.param.level;
                           for (char& c : name)
                             if (!std::isalnum(static_cast<unsigned char>(c)))
                               c = '_';
                           return name;
                         });

}  // namespace
}  // namespace txscope::test
