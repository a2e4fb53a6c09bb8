// The documented bugs of examples/bugs on a real PostgreSQL: one call is left
// open until the other waits or is done.  What the two leave behind is
// something that no serial order leaves, and with a fix that is right it is
// not.

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <thread>

#include "analyze/analyze.h"
#include "read/sql/sql.h"
#include "repair/edit.h"
#include "support/bugs.h"
#include "support/live_judge.h"
#include "support/live_server.h"
#include "support/paths.h"
#include "verb/input/program_file.h"

namespace txscope::test {
namespace {

std::string file_of(const Bug& bug, const std::string& version) {
  const auto text =
      verb::read_text(source_dir() + std::string("/examples/bugs/") +
                      bug.folder + "/" + version + ".sql");
  EXPECT_TRUE(text) << bug.folder;
  return text ? *text : "";
}

/// A database with nothing but the file's tables and procedures.
class BugOnServer {
 public:
  explicit BugOnServer(LiveServer& live, const std::string& text)
      : live_(live), text_(text) {}

  /// All rows, without numbers that sequences give.
  std::string after_both(const Bug& bug, bool is_concurrent) {
    fresh();
    const auto a = live_.connect("bugs");
    const auto b = live_.connect("bugs");
    if (is_concurrent) {
      a->execute("BEGIN");
      b->execute("BEGIN");
      a->execute(bug.first);
      b->send(bug.second);
      wait_for(*a, *b);
      a->execute("COMMIT");
      const auto answer = b->receive();
      has_failed_ = !answer.is_ok();
      b->execute(has_failed_ ? "ROLLBACK" : "COMMIT");
    } else {
      a->execute(bug.first);
      b->execute(bug.second);
    }
    return rows(*a);
  }
  /// The second call ended with an error, the last time they ran at once.
  [[nodiscard]] bool has_failed() const { return has_failed_; }

 private:
  void fresh() {
    const auto control = live_.connect();
    control->execute("DROP DATABASE IF EXISTS bugs");
    ASSERT_TRUE(control->execute("CREATE DATABASE bugs").is_ok());
    const auto session = live_.connect("bugs");
    session->execute("CREATE EXTENSION IF NOT EXISTS btree_gist");
    const auto made = session->execute(text_);
    ASSERT_TRUE(made.is_ok()) << made.message;
  }

  /// Until b has its answer, or the server says that it waits for a.
  static void wait_for(db::Session& a, db::Session& b) {
    const std::string waits =
        "SELECT cardinality(pg_blocking_pids(" + std::to_string(b.id()) + "))";
    while (!b.is_answered()) {
      const auto answer = a.execute(waits);
      if (answer.is_ok() && answer.rows[0][0].value_or("0") != "0") return;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }

  static std::string rows(db::Session& session) {
    const auto tables = session.execute(
        "SELECT table_name, string_agg(column_name, ', ' ORDER BY "
        "ordinal_position) FILTER (WHERE column_default IS NULL) FROM "
        "information_schema.columns WHERE table_schema = 'public' GROUP BY 1 "
        "ORDER BY 1");
    std::string text;
    for (const auto& table : tables.rows) {
      const auto found = session.execute("SELECT " + *table[1] + " FROM " +
                                         *table[0] + " ORDER BY " + *table[1]);
      text += *table[0] + ":";
      for (const auto& row : found.rows)
        for (const db::Cell& cell : row) text += " " + cell.value_or("NULL");
      text += "\n";
    }
    return text;
  }

  LiveServer& live_;
  const std::string text_;
  bool has_failed_ = false;
};

/// Whether two calls at once leave something that no serial order leaves.
bool is_odd(LiveServer& live, const Bug& bug, const std::string& text) {
  BugOnServer server(live, text);
  Bug swapped = bug;
  std::swap(swapped.first, swapped.second);
  std::set<std::string> serial = {server.after_both(bug, false),
                                  server.after_both(swapped, false)};
  const std::string at_once = server.after_both(bug, true);
  if (server.has_failed()) {  // so it is as if the first had been alone
    Bug alone = bug;
    alone.second = "SELECT 1";
    serial.insert(server.after_both(alone, false));
  }
  return serial.count(at_once) == 0;
}

bool is_of_postgresql(const Bug& bug) {
  return bug.level.starts_with("postgresql");
}

TEST(LiveBugs, BeforeTheFixTheServerDoesWhatNoSerialOrderDoes) {
  LiveServer& live = live_postgresql();
  if (!live.server) GTEST_SKIP() << live.why;
  for (const Bug& bug : documented_bugs())
    if (!bug.is_split && is_of_postgresql(bug)) {
      EXPECT_TRUE(is_odd(live, bug, file_of(bug, "before"))) << bug.folder;
    }
}

TEST(LiveBugs, AfterARightFixItDoesNot) {
  LiveServer& live = live_postgresql();
  if (!live.server) GTEST_SKIP() << live.why;
  for (const Bug& bug : documented_bugs())
    if (is_of_postgresql(bug)) {
      EXPECT_EQ(is_odd(live, bug, file_of(bug, "after")), !bug.is_repaired)
          << bug.folder;
    }
}

/// The bug's text with the first change of it that `analyze` recommends.
std::vector<std::pair<std::string, std::string>> repaired(const Bug& bug) {
  const std::string text = file_of(bug, "before");
  auto application = sql::read_sql(bug.folder, text, false);
  analyze::AnalyzeOptions options;
  options.profile = *parse_profile(bug.level);
  options.reread = [&](const std::string& changed) {
    return sql::read_sql(bug.folder, changed, false);
  };
  std::vector<std::pair<std::string, std::string>> all;
  if (!application) return all;
  const auto found =
      analyze::analyze(std::move(*application), options, Budget::unlimited());
  if (!found) return all;
  for (const analyze::RaceFinding& finding : found->findings)
    for (const Repair& repair : finding.repairs)
      if (!repair.edits.empty() && all.empty())
        all.emplace_back(repair.what(), repair::edited(text, repair.edits));
  return all;
}

// The change of the text that is recommended first, on the server itself.
TEST(LiveBugs, WhatIsRecommendedHelps) {
  LiveServer& live = live_postgresql();
  if (!live.server) GTEST_SKIP() << live.why;
  std::size_t tried = 0;
  for (const Bug& bug : documented_bugs()) {
    if (!is_of_postgresql(bug)) continue;
    for (const auto& [what, text] : repaired(bug)) {
      EXPECT_FALSE(is_odd(live, bug, text)) << bug.folder << ": " << what;
      ++tried;
    }
  }
  EXPECT_GT(tried, 25u);
}

// At the level of the bug, statement by statement in every order: what the
// analysis sees is what the server does, before the fix and after it.
TEST(LiveBugs, EveryInterleavingEndsAsTheEngineSays) {
  for (const Bug& bug : documented_bugs()) {
    const auto level = parse_profile(bug.level);
    ASSERT_TRUE(level);
    LiveServer& live = live_server((*level)->product);
    if (!live.server) GTEST_SKIP() << live.why;
    if (bug.is_split) continue;  // one call is several transactions
    for (const char* version : {"before", "after"}) {
      const auto application = sql::read_sql(
          bug.folder, file_of(bug, version) + "\n--@ session a: " + bug.first +
                          ";\n--@ session b: " + bug.second + ";\n");
      ASSERT_TRUE(application) << application.error().what;
      LiveOptions options;
      options.limit = 40;
      const LiveDifference difference =
          compare_live(*application, **level, options);
      EXPECT_TRUE(difference.problem.empty())
          << bug.folder << ": " << difference.problem;
      EXPECT_TRUE(difference.is_equal()) << bug.folder << " " << version << "\n"
                                         << to_string(difference);
      EXPECT_GT(difference.interleavings, 1u) << bug.folder;
    }
  }
}

}  // namespace
}  // namespace txscope::test
