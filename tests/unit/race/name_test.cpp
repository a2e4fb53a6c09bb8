// What the rows of a run show, and what `check` calls it.

#include "race/name/name_race.h"

#include <gtest/gtest.h>

namespace txscope::race {
namespace {

Catalog two_tables() {
  Catalog catalog;
  for (const char* name : {"a", "b"}) {
    Catalog::Table& table = catalog.tables[name];
    table.is_plain = true;
    table.key = "id";
    table.key_is_number = true;
    table.special = {"id"};
  }
  return catalog;
}

/// "1 SELECT .." in the order of release; a transaction ends with COMMIT.
RunTrace trace_of(const std::vector<std::pair<int, std::string>>& steps) {
  RunTrace trace;
  for (const auto& [request, sql] : steps) {
    Event event;
    event.choice.request = static_cast<std::size_t>(request - 1);
    event.statements = {{sql, {}}};
    LaneStatus status;
    status.request = event.choice.request;
    status.transaction = sql == "COMMIT" ? 'I' : 'T';
    event.after = {status};
    trace.events.push_back(event);
  }
  return trace;
}

std::string name_of_steps(
    const std::vector<std::pair<int, std::string>>& steps) {
  const auto name =
      name_of_race(trace_of(steps), two_tables(), Budget::unlimited());
  return name ? name->words : "";
}

TEST(RaceName, TwoThatReadAndThenOverwriteAreALostUpdate) {
  EXPECT_EQ(name_of_steps({{1, "SELECT n FROM a WHERE id = 1"},
                           {2, "SELECT n FROM a WHERE id = 1"},
                           {2, "UPDATE a SET n = 4 WHERE id = 1"},
                           {2, "COMMIT"},
                           {1, "UPDATE a SET n = 4 WHERE id = 1"},
                           {1, "COMMIT"}}),
            "lost update");
}

TEST(RaceName, OnMariadbTheLevelSaysWhatIsSeen) {
  // The second read sees the other's commit, or the snapshot of the first.
  RunTrace trace = trace_of({{1, "SELECT n FROM a WHERE id = 1"},
                             {2, "UPDATE a SET n = 4 WHERE id = 1"},
                             {2, "COMMIT"},
                             {1, "SELECT n FROM a WHERE id = 1"},
                             {1, "COMMIT"}});
  Catalog catalog = two_tables();
  catalog.product = Product::MariaDb;
  catalog.isolation = "repeatable read";
  const auto name = [&] {
    const auto found = name_of_race(trace, catalog, Budget::unlimited());
    return found ? found->words : "";
  };
  EXPECT_EQ(name(), "");
  trace.events[0].before = {
      {"SET TRANSACTION ISOLATION LEVEL READ COMMITTED", {}}};
  EXPECT_NE(name(), "");
  // Dirty reads are not played.
  trace.events[0].before = {
      {"SET TRANSACTION ISOLATION LEVEL READ UNCOMMITTED", {}}};
  EXPECT_EQ(name(), "");
}

TEST(RaceName, AClientThatGoesRightAfterItsCommitHasCommitted) {
  RunTrace trace = trace_of({{1, "SELECT n FROM a WHERE id = 1"},
                             {2, "SELECT n FROM a WHERE id = 1"},
                             {2, "UPDATE a SET n = 4 WHERE id = 1"},
                             {2, "COMMIT"},
                             {1, "UPDATE a SET n = 4 WHERE id = 1"},
                             {1, "COMMIT"}});
  for (const std::size_t commit : {3u, 5u}) {
    trace.events[commit].after[0].is_gone = true;
    trace.events[commit].after[0].has_ended = true;
  }
  const auto name = name_of_race(trace, two_tables(), Budget::unlimited());
  ASSERT_TRUE(name);
  EXPECT_EQ(name->words, "lost update");
  // Who goes without it has not.
  trace.events.pop_back();
  trace.events[4].after[0].is_gone = true;
  EXPECT_FALSE(name_of_race(trace, two_tables(), Budget::unlimited()));
}

TEST(RaceName, TwoThatReadBothAndWriteOneEachAreAWriteSkew) {
  EXPECT_EQ(name_of_steps({{1, "SELECT n FROM a"},
                           {2, "SELECT n FROM a"},
                           {1, "UPDATE a SET n = 0 WHERE id = 1"},
                           {2, "UPDATE a SET n = 0 WHERE id = 2"},
                           {1, "COMMIT"},
                           {2, "COMMIT"}}),
            "write skew");
}

TEST(RaceName, EachReadAndWriteSaysWhichStatementAndVersion) {
  const auto touches =
      row_touches(trace_of({{1, "SELECT n FROM a WHERE id = 1"},
                            {2, "UPDATE a SET n = 4 WHERE id = 1"},
                            {2, "COMMIT"},
                            {1, "SELECT n FROM a WHERE id = 1"},
                            {1, "COMMIT"}}),
                  two_tables());
  ASSERT_TRUE(touches);
  std::vector<std::string> told;
  for (const RowTouch& one : *touches)
    told.push_back(std::to_string(one.event) + (one.is_write ? " w " : " r ") +
                   one.row + " v" + std::to_string(one.version) +
                   (one.is_committed ? "" : " lost"));
  EXPECT_EQ(told, (std::vector<std::string>{"1 w a=1 v1", "0 r a=1 v0",
                                            "3 r a=1 v1"}));
}

TEST(RaceName, OneAfterTheOtherHasNoName) {
  EXPECT_EQ(name_of_steps({{1, "SELECT n FROM a WHERE id = 1"},
                           {1, "UPDATE a SET n = 4 WHERE id = 1"},
                           {1, "COMMIT"},
                           {2, "SELECT n FROM a WHERE id = 1"},
                           {2, "UPDATE a SET n = 3 WHERE id = 1"},
                           {2, "COMMIT"}}),
            "");
}

TEST(RaceName, WhatIsNotUnderstoodHasNoName) {
  // Which rows the UPDATE changes nobody knows.
  EXPECT_FALSE(row_history(trace_of({{1, "SELECT n FROM a WHERE id = 1"},
                                     {1, "UPDATE a SET n = 4 WHERE n > 2"},
                                     {1, "COMMIT"}}),
                           two_tables()));
  EXPECT_FALSE(row_history(trace_of({{1, "SELECT take(1)"}, {1, "COMMIT"}}),
                           two_tables()));
}

}  // namespace
}  // namespace txscope::race
