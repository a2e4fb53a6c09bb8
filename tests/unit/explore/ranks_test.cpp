#include <gtest/gtest.h>

#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "explore/explore.h"
#include "explore/rank_source.h"
#include "explore/sql/explore_sql.h"
#include "read/sql/sql.h"
#include "read/txn/txn.h"
#include "support/random_program.h"
#include "support/ranks.h"
#include "transport/threads.h"

// Ranks that share a search against one process that does all of it.
namespace txscope::explore {
namespace {

const std::vector<Base> kLevels = {Base::ReadCommitted, Base::ReadAtomic,
                                   Base::Causal, Base::SnapshotIsolation,
                                   Base::Serializable};

Program program_of(const std::string& text) {
  auto program = read::read_txn("p.txn", text);
  EXPECT_TRUE(program) << text;
  return std::move(*program);
}

std::vector<Answer> alone(const Program& program, ExploreOptions options) {
  return *explore(program, options, Budget::unlimited());
}

std::vector<Answer> together(const Program& program,
                             const ExploreOptions& options, unsigned ranks) {
  std::vector<Answer> answers;
  transport::run_threads(ranks, [&](transport::Transport& transport) {
    transport::Group group(transport);
    ExploreOptions mine = options;
    mine.ranks = &group;
    const Budget budget = Budget::unlimited();
    auto found = *explore(program, mine, budget);
    if (transport.rank() == 0) answers = std::move(found);
    transport.leave();
  });
  return answers;
}

ExploreOptions everything() {
  ExploreOptions options;
  options.levels = kLevels;
  options.all = true;
  options.explains = false;
  return options;
}

void expect_same(const std::string& text, const ExploreOptions& options) {
  const Program program = program_of(text);
  const auto one = alone(program, options);
  for (const unsigned ranks : {1u, 2u, 3u, 4u}) {
    const auto many = together(program, options, ranks);
    ASSERT_EQ(one.size(), many.size());
    for (std::size_t i = 0; i < one.size(); ++i)
      test::expect_same_counts(one[i], many[i],
                               text + "\non " + std::to_string(ranks));
  }
}

// Some thousand histories: enough to be shared.
const char* const kWide =
    "var x\nvar y\n"
    "session { txn { a = read x; write y = a + 1 } }\n"
    "session { txn { b = read y; write x = b + 1 } }\n"
    "session { txn { c = read x; d = read y; write x = c + d } }\n"
    "session { txn { e = read y; write y = e + 2 }\n txn { f = read x } }\n"
    "session { txn { g = read x; h = read y } }\n"
    "invariant \"x is not two\" x != 2\n";

TEST(ExploreRanks, CountWhatOneProcessCounts) {
  expect_same(kWide, everything());
}

TEST(ExploreRanks, ShareTheSearch) {
  const Program program = program_of(kWide);
  ExploreOptions options = everything();
  options.levels = {Base::ReadCommitted};
  // A rank that the system starts late finds nothing left to do.
  std::set<unsigned> busy;
  for (int attempt = 0; attempt < 100 && busy.size() < 3; ++attempt) {
    busy.clear();
    std::mutex mutex;
    transport::run_threads(3, [&](transport::Transport& transport) {
      transport::Group group(transport);
      ExploreOptions mine = options;
      mine.ranks = &group;
      const Budget budget = Budget::unlimited();
      EXPECT_TRUE(explore(program, mine, budget));
      const std::lock_guard lock(mutex);
      if (transport.messages_sent() > 0) busy.insert(transport.rank());
      transport.leave();
    });
  }
  EXPECT_EQ(busy.size(), 3u);
}

TEST(ExploreRanks, FindAViolationThatOneProcessFinds) {
  ExploreOptions options;
  options.levels = kLevels;
  const Program program = program_of(kWide);
  const auto one = alone(program, options);
  const auto many = together(program, options, 3);
  for (std::size_t i = 0; i < one.size(); ++i) {
    EXPECT_EQ(one[i].outcome, many[i].outcome) << one[i].level;
    EXPECT_EQ(one[i].counterexamples.empty(), many[i].counterexamples.empty())
        << one[i].level;
  }
}

TEST(ExploreRanks, CountTheOutcomesThatOneProcessCounts) {
  ExploreOptions options = everything();
  options.outcomes = true;
  expect_same(kWide, options);
}

// What is remembered or told in one place is done by rank 0 alone.
TEST(ExploreRanks, LeaveToRankZeroWhatCannotBeShared) {
  ExploreOptions options = everything();
  options.levels = {Base::Causal};
  options.self_check = true;
  expect_same(kWide, options);
  const auto many = together(program_of(kWide), options, 3);
  EXPECT_EQ(many[0].counts.duplicates, 0u);
}

TEST(ExploreRanks, CountRandomPrograms) {
  Random random(7);
  for (int i = 0; i < 60; ++i) {
    const auto program = testing::random_program(random, {});
    expect_same(program.text(), everything());
    if (::testing::Test::HasFailure()) return;
  }
}

// Which rows there can be turns out during the search: each rank finds others,
// with keys of texts, numbers and dates.
const char* const kGrowing =
    "CREATE TABLE q (day date, who text, n numeric, v int,\n"
    "  PRIMARY KEY (day, who, n));\n"
    "INSERT INTO q VALUES ('2024-01-01', 'ann', 1.5, 1);\n"
    "CREATE PROCEDURE add(p text) LANGUAGE plpgsql AS $$\n"
    "DECLARE c int;\nBEGIN\n"
    "  SELECT sum(v) INTO c FROM q;\n"
    "  IF c > 1 THEN\n"
    "    INSERT INTO q VALUES (DATE '2024-01-01' + c, p || c, c + 0.25, c);\n"
    "  ELSE\n"
    "    INSERT INTO q VALUES ('2024-01-01', p, 1.5, 1);\n"
    "  END IF;\nEND; $$;\n"
    "--@ session a: CALL add('bob');\n--@ session b: CALL add('cid');\n"
    "--@ session c: CALL add('dee');\n"
    "--@ invariant few: (SELECT count(*) FROM q WHERE n > 2) < 2\n"
    "--@ invariant some: (SELECT count(*) FROM q) >= 1\n";

TEST(ExploreRanks, ShareSqlWhoseRowsTurnUpInTheSearch) {
  const auto application = sql::read_sql("a.sql", kGrowing);
  ASSERT_TRUE(application) << application.error().what;
  const ExploreOptions options = everything();
  const auto one = explore_sql(*application, options, Budget::unlimited());
  ASSERT_TRUE(one) << one.error().what;
  // One is there, each session adds one alone, and others after others.
  EXPECT_GT((*one)->universe().keys(TableId(0)).size(), 4u);
  for (const unsigned ranks : {1u, 2u, 3u, 4u})
    transport::run_threads(ranks, [&](transport::Transport& transport) {
      transport::Group group(transport);
      ExploreOptions mine = options;
      mine.ranks = &group;
      const auto many = explore_sql(*application, mine, Budget::unlimited());
      transport.leave();
      ASSERT_TRUE(many);
      // Those that turned up are the same on every rank.
      const TableId table(0);
      EXPECT_EQ((*many)->universe().keys(table).size(),
                (*one)->universe().keys(table).size());
      for (std::size_t i = 0; transport.rank() == 0 && i < kLevels.size(); ++i)
        test::expect_same_counts((*one)->answers()[i], (*many)->answers()[i],
                                 "on " + std::to_string(ranks));
    });
}

TEST(ExploreRanks, SendWorkAsItIs) {
  WorkItem item;
  item.is_pending = true;
  item.txns = {{3, {0, 65535}}, {1, {}}};
  ByteWriter writer;
  write(item, writer);
  ByteReader reader(writer.bytes());
  const WorkItem read = read_work(reader);
  EXPECT_TRUE(reader.is_good());
  EXPECT_TRUE(read.is_pending);
  ASSERT_EQ(read.txns.size(), 2u);
  EXPECT_EQ(read.txns[0].instance, 3u);
  EXPECT_EQ(read.txns[0].sources, (std::vector<std::uint16_t>{0, 65535}));
  EXPECT_TRUE(read.txns[1].sources.empty());
}

}  // namespace
}  // namespace txscope::explore
