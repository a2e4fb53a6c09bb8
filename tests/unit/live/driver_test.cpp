// The driver itself: deadlocks, retries, waits.

#include <gtest/gtest.h>

#include <set>

#include "db/live/live_script.h"
#include "read/sql/sql.h"
#include "support/live_database.h"

namespace txscope::test {
namespace {

const Profile& profile(const char* name) { return **parse_profile(name); }

constexpr const char* kCrossed = R"(
CREATE TABLE t (id int PRIMARY KEY, n int NOT NULL);
INSERT INTO t VALUES (1, 0), (2, 0);
CREATE PROCEDURE p(a int, b int) LANGUAGE plpgsql AS $$
BEGIN
  UPDATE t SET n = n + 1 WHERE id = a;
  UPDATE t SET n = n + 10 WHERE id = b;
END; $$;
--@ session s1: CALL p(1, 2);
--@ session s2: CALL p(2, 1);
)";

class LiveDriver : public testing::Test {
 protected:
  void SetUp() override {
    for (const auto product : {Product::PostgreSql, Product::MariaDb})
      if (!live_server(product).server)
        GTEST_SKIP() << live_server(product).why;
  }
};

TEST_F(LiveDriver, TriesEachMemberOfADeadlockAsTheVictimOnPostgresql) {
  const auto application = sql::read_sql("crossed.sql", kCrossed);
  ASSERT_TRUE(application);
  const LiveOutcomes live =
      run_live(*application, profile("postgresql:read-committed"), {});
  ASSERT_EQ(live.problem, "");
  EXPECT_EQ(live.aborts, std::set<std::string>{"40P01"});
  std::set<std::string> outcomes;
  for (const auto& [text, example] : live.outcomes) outcomes.insert(text);
  EXPECT_EQ(outcomes, (std::set<std::string>{
                          "s1: #1 #1 committed; s2: #1 #1 committed; | "
                          "t (1,11)(2,11) ",
                          "s1: #1 40P01; s2: #1 #1 committed; | "
                          "t (1,10)(2,1) ",
                          "s1: #1 #1 committed; s2: #1 40P01; | "
                          "t (1,1)(2,10) "}));
}

TEST_F(LiveDriver, EndsWithTheServersErrorWhereATableIsGone) {
  LiveDatabase& database = live_database(Product::PostgreSql);
  ASSERT_EQ(database.load({"CREATE TABLE t (id int PRIMARY KEY)"}, {"t"}), "");
  ASSERT_EQ(database.execute("DROP TABLE t"), "");
  const std::vector<LiveScript> scripts = {{{"SELECT 1"}}};
  const LiveSummary summary = run_interleavings(
      database,
      [&] {
        return script_clients(scripts, profile("postgresql:read-committed"));
      },
      {}, [](const LiveRun&, const LiveClients&) { return true; });
  EXPECT_NE(summary.problem.find("\"t\" does not exist"), std::string::npos)
      << summary.problem;
  EXPECT_FALSE(summary.is_complete());
}

TEST_F(LiveDriver, LetsMariadbChooseTheVictim) {
  const auto application = sql::read_sql("crossed.sql", kCrossed);
  ASSERT_TRUE(application);
  const LiveOutcomes live =
      run_live(*application, profile("mariadb:read-committed"), {});
  ASSERT_EQ(live.problem, "");
  EXPECT_EQ(live.aborts, std::set<std::string>{"1213"});
  EXPECT_EQ(live.summary.interleavings, 8u);
}

TEST_F(LiveDriver, RunsAVictimAgainAsOftenAsDeclared) {
  const auto application =
      sql::read_sql("crossed.sql", std::string(kCrossed) + "--@ retry p: 1\n");
  ASSERT_TRUE(application) << application.error().what;
  const LiveOutcomes live =
      run_live(*application, profile("postgresql:read-committed"), {});
  ASSERT_EQ(live.problem, "");
  EXPECT_EQ(live.aborts, std::set<std::string>());
  EXPECT_EQ(live.finals, std::set<std::string>{"t (1,11)(2,11) "});
  bool is_retried = false;
  for (const auto& [text, example] : live.outcomes)
    is_retried |= text.find("40P01; #1 #1 committed") != std::string::npos;
  EXPECT_TRUE(is_retried);
}

TEST_F(LiveDriver, LetsOthersGoOnWhileAStatementWaits) {
  LiveDatabase& database = live_database(Product::PostgreSql);
  ASSERT_EQ(database.load({"CREATE TABLE t (id int PRIMARY KEY, n int)",
                           "INSERT INTO t VALUES (1, 0)"},
                          {"t"}),
            "");
  const std::vector<LiveScript> scripts = {
      {{"UPDATE t SET n = n + 1", "SELECT n FROM t"}},
      {{"UPDATE t SET n = n + 1"}}};
  std::set<std::vector<std::uint32_t>> schedules;
  const LiveSummary summary = run_interleavings(
      database,
      [&] {
        return script_clients(scripts, profile("postgresql:read-committed"));
      },
      {},
      [&](const LiveRun& run, const LiveClients&) {
        EXPECT_EQ(db::to_string(run.final, database.tables()), "t (1,2)");
        schedules.insert(run.schedule);
        return true;
      });
  EXPECT_EQ(summary.problem, "");
  // After the first UPDATE the other one waits wherever it comes, and goes on
  // by itself; after the second one the first waits for its COMMIT.
  EXPECT_EQ(schedules, (std::set<std::vector<std::uint32_t>>{{0, 0, 0, 1, 1},
                                                             {0, 0, 1, 0, 1},
                                                             {0, 1, 0, 0, 1},
                                                             {1, 0, 1, 0, 0},
                                                             {1, 1, 0, 0, 0}}));
  EXPECT_TRUE(summary.is_complete());
}

}  // namespace
}  // namespace txscope::test
