// Counterexamples on real servers: what `explore`, `verify`, `robust` and
// `analyze` tell must happen there.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "support/live_server.h"
#include "support/paths.h"
#include "support/run_command.h"
#include "txscope/analyze.h"
#include "txscope/explore.h"
#include "txscope/replay.h"
#include "txscope/robust.h"
#include "txscope/verify.h"
#include "txscope/write.h"

namespace txscope {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

const char* const kLevels =
    "postgresql:read-committed,postgresql:repeatable-read,"
    "postgresql:serializable,mariadb:read-uncommitted,mariadb:read-committed,"
    "mariadb:repeatable-read,mariadb:repeatable-read+snapshot,"
    "mariadb:serializable";

std::string example(const std::string& name) {
  return (fs::path(test::source_dir()) / "examples" / name).string();
}

bool has_servers() {
  return test::live_postgresql().server != nullptr &&
         test::live_mariadb().server != nullptr;
}

/// A report, saved as a user would.
class Saved {
 public:
  explicit Saved(const Result<verb::Report>& report) {
    EXPECT_TRUE(report) << report.error().what;
    if (report) place_.write("found.json", verb::json(*report));
    if (report) json_ = json::parse(verb::json(*report));
  }
  [[nodiscard]] verb::ReplayRequest request() const {
    verb::ReplayRequest request;
    request.input = place_.path() + "/found.json";
    return request;
  }
  [[nodiscard]] const json& report() const { return json_; }

 private:
  test::TemporaryDirectory place_;
  json json_;
};

verb::ExploreRequest explore_request(const std::string& file,
                                     const std::string& level) {
  verb::ExploreRequest request;
  request.input = file;
  request.level = level;
  request.all = true;
  return request;
}

Saved explored(const std::string& file, const std::string& level) {
  return Saved(
      verb::explore(explore_request(file, level), Budget::unlimited()));
}

json replayed(const verb::ReplayRequest& request) {
  const auto report = verb::replay(request, Budget::unlimited());
  EXPECT_TRUE(report) << report.error().what;
  return report ? json::parse(verb::json(*report))["results"] : json::array();
}

struct Cell {
  std::string level;
  std::string rule;
  friend auto operator<=>(const Cell&, const Cell&) = default;
};

std::vector<Cell> violated_cells(const json& report) {
  std::vector<Cell> cells;
  for (const json& result : report["results"])
    for (const json& property : result["properties"])
      if (property["verdict"] == "violated")
        cells.push_back({result["level"], property["name"]});
  std::sort(cells.begin(), cells.end());
  return cells;
}

/// On both servers of this program, in turn: each takes its own levels.
json replayed_on_both(verb::ReplayRequest request) {
  request.db = "postgresql://postgres@/postgres?host=" +
               test::live_postgresql().server->host();
  json results = replayed(request);
  request.db =
      "mariadb://root@/test?socket=" + test::live_mariadb().server->host() +
      "/socket";
  for (json& one : replayed(request)) results.push_back(std::move(one));
  return results;
}

class Examples : public testing::TestWithParam<std::string> {};

TEST_P(Examples, EveryViolatedCellHappensOnTheServerOfItsLevel) {
  if (!has_servers()) GTEST_SKIP() << "there are no servers";
  const Saved saved =
      explored(example(GetParam() + "/" + GetParam() + ".sql"), kLevels);
  const std::vector<Cell> wanted = violated_cells(saved.report());
  ASSERT_FALSE(wanted.empty());
  std::vector<Cell> seen;
  for (const json& one : replayed_on_both(saved.request())) {
    // MariaDB does not have UPDATE .. RETURNING.
    const bool is_unknown_there =
        one.value("first_difference", "").find("1064") != std::string::npos;
    EXPECT_EQ(one["verdict"], is_unknown_there ? "diverged" : "reproduced")
        << one.dump(1);
    EXPECT_TRUE(!is_unknown_there || GetParam() == "tpcc") << one.dump(1);
    seen.push_back({one["level"], one["property"]});
  }
  std::sort(seen.begin(), seen.end());
  EXPECT_EQ(seen, wanted);
}

INSTANTIATE_TEST_SUITE_P(
    All, Examples,
    testing::Values("auction", "bank", "courseware", "on-call", "playlist",
                    "rubis", "seats", "shop", "smallbank", "tickets", "tpcc",
                    "twitter"),
    [](const auto& one) {
      std::string name = one.param;
      name.erase(std::remove(name.begin(), name.end(), '-'), name.end());
      return name;
    });

TEST(Replay, WhatVerifyChoseForOpenInputsHappens) {
  if (!has_servers()) GTEST_SKIP() << "there are no servers";
  // Arguments are open in one, first rows in the other.
  for (const char* name :
       {"verify/courseware_names.sql", "verify/simplebank.sql"}) {
    verb::VerifyRequest request;
    request.input = example(name);
    request.level = "postgresql:read-committed";
    const Saved saved(verb::verify(request, Budget::unlimited()));
    const json results = replayed(saved.request());
    ASSERT_EQ(results.size(), 1u) << name;
    EXPECT_EQ(results[0]["verdict"], "reproduced") << results.dump(1);
  }
}

TEST(Replay, WhatRobustAndAnalyzeFindHappens) {
  if (!has_servers()) GTEST_SKIP() << "there are no servers";
  verb::RobustRequest robust;
  robust.input = example("shop/shop.sql");
  robust.against = "postgresql:read-committed";
  const Saved first(verb::robust(robust, Budget::unlimited()));
  const json of_robust = replayed(first.request());
  ASSERT_EQ(of_robust.size(), 1u);
  EXPECT_EQ(of_robust[0]["verdict"], "reproduced") << of_robust.dump(1);
  verb::AnalyzeRequest analyze;
  analyze.inputs = {example("bank/bank.sql")};
  const Saved second(verb::analyze(analyze, Budget::unlimited()));
  const json of_analyze = replayed(second.request());
  ASSERT_GE(of_analyze.size(), 2u);
  for (const json& one : of_analyze)
    EXPECT_EQ(one["verdict"], "reproduced") << one.dump(1);
}

TEST(Replay, AStrongerLevelPreventsAWriteSkewAndSaysWhere) {
  if (!has_servers()) GTEST_SKIP() << "there are no servers";
  const Saved saved =
      explored(example("on-call/on-call.sql"), "postgresql:repeatable-read");
  verb::ReplayRequest request = saved.request();
  request.level = "postgresql:serializable";
  request.times = 3;
  const json results = replayed(request);
  ASSERT_FALSE(results.empty());
  EXPECT_EQ(results[0]["verdict"], "prevented") << results.dump(1);
  EXPECT_EQ(results[0]["prevented"], 3);
  EXPECT_NE(std::string(results[0]["first_difference"]).find("40001"),
            std::string::npos);
}

TEST(Replay, AScheduleThatIsNotTheDatabasesDiverges) {
  if (!has_servers()) GTEST_SKIP() << "there are no servers";
  const Saved saved =
      explored(example("bank/bank.sql"), "postgresql:read-committed");
  json changed = saved.report();
  // Somebody claims to have seen 101.
  changed["results"] = json::array({changed["results"][0]});
  changed["results"][0].erase("properties");
  changed["results"][0].erase("violations");
  ASSERT_TRUE(changed["results"][0].contains("violation"));
  changed["results"][0]["violation"]["schedule"][0]["seen"] = "101";
  const test::TemporaryDirectory place;
  place.write("changed.json", changed.dump());
  verb::ReplayRequest request;
  request.input = place.path() + "/changed.json";
  const json results = replayed(request);
  ASSERT_EQ(results.size(), 1u);
  EXPECT_EQ(results[0]["verdict"], "diverged");
  EXPECT_NE(std::string(results[0]["first_difference"]).find("not 101"),
            std::string::npos);
}

TEST(Replay, OnAServerOfTheUsersItLeavesNothingBehind) {
  test::LiveServer& live = test::live_postgresql();
  if (!live.server) GTEST_SKIP() << live.why;
  const auto names = [&] {
    std::vector<std::string> result;
    for (const auto& row :
         live.connect()
             ->execute("SELECT datname FROM pg_database ORDER BY 1")
             .rows)
      result.push_back(*row[0]);
    return result;
  };
  const auto before = names();
  const Saved saved =
      explored(example("on-call/on-call.sql"), "postgresql:repeatable-read");
  verb::ReplayRequest request = saved.request();
  request.db = "postgresql://postgres@/postgres?host=" + live.server->host();
  const json results = replayed(request);
  ASSERT_FALSE(results.empty());
  EXPECT_EQ(results[0]["verdict"], "reproduced") << results.dump(1);
  EXPECT_EQ(names(), before);
}

TEST(Replay, RefusesWhatHasNoSchedule) {
  const test::TemporaryDirectory place;
  const auto refused = [&](const std::string& text) {
    place.write("report.json", text);
    verb::ReplayRequest request;
    request.input = place.path() + "/report.json";
    const auto report = verb::replay(request, Budget::unlimited());
    EXPECT_FALSE(report);
    return report ? "" : report.error().what;
  };
  EXPECT_EQ(refused("{"), "this is not JSON");
  EXPECT_EQ(refused("{}"), "this is not a report of txscope");
  EXPECT_EQ(refused(R"({"verb": "check", "results": [{}]})"),
            "a report of 'check' has no schedule to run");
  EXPECT_EQ(refused(R"({"verb": "explore", "results": [{}]})"),
            "the report does not say which file it is about");
  EXPECT_EQ(
      refused(R"({"verb": "explore", "input": "a.txn", "results": [{}]})"),
      "a .txn program has no statements to be run");
}

std::string emitted_as(const std::string& form) {
  const Saved saved =
      explored(example("on-call/on-call.sql"), "postgresql:repeatable-read");
  verb::ReplayRequest request = saved.request();
  request.emit = form;
  const auto report = verb::replay(request, Budget::unlimited());
  EXPECT_TRUE(report) << report.error().what;
  return report ? verb::text(*report) : "";
}

TEST(Emit, ASpecHasEveryStepOnceInThePermutation) {
  const std::string spec = emitted_as("isolationtester");
  const std::size_t at = spec.find("\npermutation");
  ASSERT_NE(at, std::string::npos);
  std::size_t steps = 0;
  for (std::size_t i = 0; (i = spec.find("\nstep \"", i)) != std::string::npos;
       ++i, ++steps) {
    const std::size_t begin = i + 6;
    const std::string name =
        spec.substr(begin, spec.find('"', begin + 1) + 1 - begin);
    EXPECT_NE(spec.find(" " + name, at), std::string::npos) << name;
  }
  // Two sessions: BEGIN, a SELECT, an UPDATE, COMMIT; then two looks.
  EXPECT_GE(steps, 9u);
  EXPECT_NE(spec.find("BEGIN ISOLATION LEVEL REPEATABLE READ;"),
            std::string::npos);
}

/// Runs the emitted test; nothing: there is no pytest.
std::optional<int> pytest_status(const std::string& text) {
  test::LiveServer& live = test::live_postgresql();
  const test::TemporaryDirectory place;
  place.write("test_schedule.py", text);
  const std::string run =
      "PYTHONPATH=" + test::source_dir() +
      "/build/clients/python TEST_DATABASE_URL='postgresql://postgres@/postgres"
      "?host=" +
      live.server->host() + "' python3 ";
  const std::string imports = run + "-c 'import psycopg, pytest' 2>/dev/null";
  if (std::system(imports.c_str()) != 0) return std::nullopt;
  const std::string command =
      run + "-m pytest -q -p no:cacheprovider " + place.path() + " >/dev/null";
  return WEXITSTATUS(std::system(command.c_str()));
}

TEST(Emit, ThePytestFailsUntilTheDatabaseRefusesTheSchedule) {
  if (!test::live_postgresql().server) GTEST_SKIP() << "there is no server";
  const std::string text = emitted_as("pytest");
  const auto status = pytest_status(text);
  if (!status) GTEST_SKIP() << "there is no psycopg or no pytest";
  EXPECT_EQ(*status, 1);
  std::string repaired = text;
  for (std::size_t at = 0;
       (at = repaired.find("REPEATABLE READ", at)) != std::string::npos;)
    repaired.replace(at, 15, "SERIALIZABLE");
  EXPECT_EQ(pytest_status(repaired), 0);
}

TEST(Emit, RefusesFormsThatDoNotSpeakTheProduct) {
  const Saved saved =
      explored(example("bank/bank.sql"), "mariadb:read-committed");
  verb::ReplayRequest request = saved.request();
  request.emit = "pytest";
  EXPECT_FALSE(verb::replay(request, Budget::unlimited()));
  request.emit = "sql";
  const auto report = verb::replay(request, Budget::unlimited());
  ASSERT_TRUE(report) << report.error().what;
  EXPECT_NE(verb::text(*report).find("START TRANSACTION"), std::string::npos);
  request.emit = "cobol";
  EXPECT_FALSE(verb::replay(request, Budget::unlimited()));
}

}  // namespace
}  // namespace txscope
