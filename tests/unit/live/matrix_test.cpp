// The matrices that `analyze` gives for the applications of examples/, on a
// real PostgreSQL: every pair of transactions with the first arguments that
// were chosen for it.  The interleavings that are run end as the engine says,
// of pairs that race as of the others.

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "analyze/analyze.h"
#include "read/sql/sql.h"
#include "support/live_judge.h"
#include "support/live_server.h"
#include "support/paths.h"
#include "verb/input/program_file.h"

namespace txscope::test {
namespace {

constexpr const char* kLevel = "postgresql:read-committed";

std::string text_of(const std::string& name) {
  const auto text =
      verb::read_text(source_dir() + std::string("/examples/") + name);
  EXPECT_TRUE(text) << name;
  return text ? *text : "";
}

/// Without the sessions that the file has.
std::string without_sessions(const std::string& text) {
  std::string out;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (!line.starts_with("--@ session")) out += line + "\n";
  return out;
}

std::string session(const std::string& name,
                    const analyze::TransactionType& type,
                    const sql::Application& application) {
  sql::Call call;
  call.label = type.name;
  call.routine = type.routine;
  call.arguments = type.choices.front();
  call.is_made = true;
  return "--@ session " + name + ": " + call_text(application, call) + ";\n";
}

class LiveMatrix : public testing::TestWithParam<const char*> {};

TEST_P(LiveMatrix, EveryPairEndsOnTheServerAsTheEngineSays) {
  LiveServer& live = live_postgresql();
  if (!live.server) GTEST_SKIP() << live.why;
  const std::string text = text_of(GetParam());
  const auto application = sql::read_sql(GetParam(), text, false);
  ASSERT_TRUE(application) << application.error().what;
  analyze::AnalyzeOptions options;
  options.profile = *parse_profile(kLevel);
  const auto found =
      analyze::analyze(*application, options, Budget::unlimited());
  ASSERT_TRUE(found);
  std::size_t races = 0;
  for (const analyze::Cell& cell : found->cells) {
    if (cell.verdict == analyze::CellVerdict::Undecided || !cell.can_meet)
      continue;
    const auto pair =
        sql::read_sql(GetParam(),
                      without_sessions(text) +
                          session("a", found->types[cell.a], *application) +
                          session("b", found->types[cell.b], *application),
                      true);
    ASSERT_TRUE(pair) << pair.error().what;
    LiveOptions how;
    how.limit = 40;
    const LiveDifference difference =
        compare_live(*pair, **parse_profile(kLevel), how);
    const std::string names =
        found->types[cell.a].name + " x " + found->types[cell.b].name;
    EXPECT_TRUE(difference.problem.empty())
        << names << ": " << difference.problem;
    EXPECT_TRUE(difference.is_equal()) << names << "\n"
                                       << to_string(difference);
    races += cell.verdict == analyze::CellVerdict::Race ? 1 : 0;
  }
  EXPECT_GT(races, 0u) << "each of these applications has one";
}

INSTANTIATE_TEST_SUITE_P(Examples, LiveMatrix,
                         testing::Values("shop/shop.sql", "tickets/tickets.sql",
                                         "bank/bank.sql", "on-call/on-call.sql",
                                         "auction/auction.sql"),
                         [](const auto& one) {
                           std::string name = one.param;
                           name.resize(name.find('/'));
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace txscope::test
