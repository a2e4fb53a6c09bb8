// Robust applications on a live PostgreSQL at REPEATABLE READ: whatever the
// interleaving, clients see what some serial order shows.

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "read/sql/sql.h"
#include "robust/profile_search.h"
#include "support/fuzz.h"
#include "support/live_judge.h"
#include "support/paths.h"

namespace txscope::test {
namespace {

class LiveRobust : public testing::TestWithParam<std::string> {};

// All outcomes of the engine are serial, and those of the server are among
// them.
TEST_P(LiveRobust, ShowsNothingThatIsNotSerial) {
  if (!live_server(Product::PostgreSql).server) {
    GTEST_SKIP() << live_server(Product::PostgreSql).why;
  }
  std::ifstream file(source_dir() + "/examples/robust/" + GetParam() + ".sql");
  std::stringstream text;
  text << file.rdbuf();
  const auto application = sql::read_sql(GetParam() + ".sql", text.str());
  ASSERT_TRUE(application) << application.error().what;
  const Profile& level = **parse_profile("postgresql:repeatable-read");
  const auto found = robust::search_profile(
      *application, level, robust::Notion::Outcome, 1000, Budget::unlimited());
  ASSERT_TRUE(found);
  ASSERT_EQ(found->answer, Outcome::Holds) << found->why;
  LiveOptions options;
  options.random_runs = static_cast<std::uint64_t>(fuzz_rounds(4));
  const LiveDifference difference = compare_live(*application, level, options);
  ASSERT_EQ(difference.problem, "");
  EXPECT_TRUE(difference.missing.empty()) << to_string(difference);
}

INSTANTIATE_TEST_SUITE_P(Examples, LiveRobust,
                         testing::Values("auction", "cassieq",
                                         "currency_exchange", "fusion_ticket",
                                         "playlist", "room_store",
                                         "shopping_cart", "tpcc"));

}  // namespace
}  // namespace txscope::test
