// The applications of examples/ and the verdicts of examples/expected.jsonl: at
// engines' levels those that running every interleaving on the real servers
// gave, at theoretical levels what the rows that transactions share imply.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "engine/search/explore_profile.h"
#include "exec/sql/memory/database.h"
#include "explore/sql/explore_sql.h"
#include "read/sql/sql.h"
#include "support/paths.h"

namespace txscope {
namespace {

namespace fs = std::filesystem;

fs::path examples() { return fs::path(test::source_dir()) / "examples"; }

std::vector<std::string> programs() {
  std::vector<std::string> out;
  for (const auto& entry : fs::directory_iterator(examples())) {
    const std::string name = entry.path().filename().string();
    if (fs::exists(entry.path() / (name + ".sql"))) out.push_back(name);
  }
  std::sort(out.begin(), out.end());
  return out;
}

// The application must stay where it is: its statements are pointed at.
std::unique_ptr<sql::Application> read_example(const std::string& program) {
  const fs::path path = examples() / program / (program + ".sql");
  std::ifstream in(path);
  std::stringstream text;
  text << in.rdbuf();
  auto application = sql::read_sql(path.string(), text.str());
  EXPECT_TRUE(application) << program << ": " << application.error().what << " "
                           << application.error().where.line;
  if (!application) return nullptr;
  return std::make_unique<sql::Application>(std::move(*application));
}

/// Verdicts by level and property.
using Table = std::map<std::string, std::map<std::string, std::string>>;

std::map<std::string, Table> expected() {
  std::map<std::string, Table> out;
  std::ifstream in(examples() / "expected.jsonl");
  for (std::string line; std::getline(in, line);) {
    const auto row = nlohmann::json::parse(line);
    const bool is_new =
        out[row["program"]][row["level"]]
            .emplace(row["invariant"], row["verdict"].get<std::string>())
            .second;
    EXPECT_TRUE(is_new) << "twice: " << line;
  }
  return out;
}

class Example : public testing::TestWithParam<std::string> {};

TEST_P(Example, HasTheExpectedVerdictsAtTheoreticalLevels) {
  const auto application = read_example(GetParam());
  ASSERT_TRUE(application);
  const Table table = expected()[GetParam()];
  explore::ExploreOptions options;
  options.all = true;
  for (const Base base : all_bases()) {
    if (base == Base::ReadUncommitted) continue;
    options.levels.push_back(base);
    EXPECT_TRUE(table.contains(std::string(name(base)))) << name(base);
  }
  const auto result =
      explore::explore_sql(*application, options, Budget::unlimited());
  ASSERT_TRUE(result) << result.error().what;
  for (const Answer& level : (*result)->answers()) {
    const auto row = table.find(level.level);
    ASSERT_NE(row, table.end());
    for (const PropertyAnswer& p : level.properties) {
      const Property& property =
          (*result)->workload().properties[p.property.index];
      const auto verdict = row->second.find(property.name);
      ASSERT_NE(verdict, row->second.end()) << property.name;
      EXPECT_EQ(name(p.verdict), verdict->second)
          << level.level << " " << property.name;
    }
    for (const Counterexample& violation : level.counterexamples) {
      EXPECT_EQ(violation.replay_problem.value_or(""), "");
    }
  }
}

TEST_P(Example, HasTheExpectedVerdictsAtTheLevelsOfEngines) {
  const auto application = read_example(GetParam());
  ASSERT_TRUE(application);
  int compared = 0;
  const Table table = expected()[GetParam()];
  for (const auto& [level, verdicts] : table) {
    if (!is_profile_name(level)) continue;
    SCOPED_TRACE(level);
    const auto profile = parse_profile(level);
    ASSERT_TRUE(profile) << profile.error().what;
    engine::ProfileOptions options;
    options.all = true;
    options.explains = false;
    const auto result = engine::explore_profile(*application, **profile,
                                                options, Budget::unlimited());
    ASSERT_TRUE(result) << result.error().what;
    EXPECT_TRUE(result->is_complete);
    for (const PropertyAnswer& p : result->properties) {
      const std::string& property =
          application->properties[p.property.index].name;
      const auto verdict = verdicts.find(property);
      ASSERT_NE(verdict, verdicts.end()) << property;
      EXPECT_EQ(name(p.verdict), verdict->second) << property;
    }
    ++compared;
  }
  EXPECT_GE(compared, 3) << "the levels of PostgreSQL at least";
}

// What breaks when transactions run one after the other is no anomaly.
TEST_P(Example, KeepsItsRulesInEverySerialOrder) {
  const auto application = read_example(GetParam());
  ASSERT_TRUE(application);
  const Budget budget = Budget::unlimited();
  const sql::Routines routines(*application);
  const auto initial = sql::MemoryDatabase::after_setup(routines, budget);
  ASSERT_TRUE(std::holds_alternative<sql::MemoryDatabase>(initial));
  std::vector<std::uint32_t> order;
  for (std::size_t s = 0; s < application->sessions.size(); ++s) {
    order.insert(order.end(), application->sessions[s].calls.size(),
                 static_cast<std::uint32_t>(s));
  }
  do {
    const sql::SerialRun run = sql::run_serially(
        std::get<sql::MemoryDatabase>(initial), *application, order, budget);
    for (const sql::Property& property : application->properties) {
      std::vector<sql::Value> variables;
      bool all_committed = true;
      for (const sql::VariableRef& ref : property.variables) {
        std::uint32_t seen = 0;
        for (std::size_t i = 0; i < order.size(); ++i) {
          if (order[i] != ref.session || seen++ != ref.call) continue;
          all_committed &= run.ran[i].kind == sql::Request::Kind::Returned;
          variables.push_back(run.ran[i].process.slots()[ref.slot]);
        }
      }
      if (!all_committed) continue;
      const auto value = run.database.holds(property, variables, budget);
      ASSERT_TRUE(std::holds_alternative<sql::Value>(value));
      EXPECT_TRUE(std::get<sql::Value>(value).is_true()) << property.name;
    }
  } while (std::next_permutation(order.begin(), order.end()));
}

INSTANTIATE_TEST_SUITE_P(All, Example, testing::ValuesIn(programs()),
                         [](const auto& program) {
                           std::string name = program.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(Examples, AreTwelveWithAPageEach) {
  EXPECT_EQ(programs().size(), 12u);
  for (const std::string& program : programs()) {
    EXPECT_TRUE(fs::exists(examples() / program / "README.md")) << program;
  }
}

}  // namespace
}  // namespace txscope
