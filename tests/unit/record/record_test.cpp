// Recordings on real databases.

#include "db/record/recorder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <set>

#include "db/database.h"
#include "db/dialect.h"
#include "db/record/fuzz_actor.h"
#include "db/record/key_actor.h"
#include "db/workloads/workload.h"
#include "read/sql/sql.h"
#include "support/live_server.h"
#include "support/run_command.h"

namespace txscope::db {
namespace {

/// Keeps what an actor did and saw, beside doing it.
struct Seen {
  std::string sent;
  std::vector<std::vector<Cell>> rows;
  std::uint64_t count = 0;
};
struct SeenTransaction {
  std::vector<Seen> statements;
};

class SpyActor final : public Actor {
 public:
  SpyActor(std::unique_ptr<Actor> actor, std::vector<SeenTransaction>& all)
      : actor_(std::move(actor)), all_(all) {}
  bool choose(Random& random) override {
    now_ = {};
    return actor_->choose(random);
  }
  void restart() override {
    now_ = {};
    actor_->restart();
  }
  ActorStep next() override {
    ActorStep step = actor_->next();
    if (step.kind == ActorStep::Kind::Statement) sent_ = step.sent;
    // SQLite commits what it is told to at once, one after the other.
    if (step.kind == ActorStep::Kind::Commit) all_.push_back(now_);
    return step;
  }
  void answer(const Answer& answer) override {
    now_.statements.push_back({sent_, answer.rows, answer.count});
    actor_->answer(answer);
  }

 private:
  std::unique_ptr<Actor> actor_;
  std::vector<SeenTransaction>& all_;
  SeenTransaction now_;
  std::string sent_;
};

std::size_t line_count(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

// SQLite has one writer at a time, and readers see one state: what was
// committed must be what the same statements give alone, in the order of the
// commits of writers; a reader may stand earlier.  Only writers are replayed.
TEST(Record, SqliteGivesWhatItsWritersAloneGive) {
  const auto database = Database::start_private(Product::Sqlite);
  ASSERT_TRUE(database) << database.error().what;
  const test::TemporaryDirectory directory;
  auto file = LineFile::open(directory.path() + "/log");
  ASSERT_TRUE(file);
  KeyShape shape;
  shape.keys = 10;
  const auto control = database->connect();
  ASSERT_TRUE(execute_all(**control, FuzzActor::setup(shape)));
  std::vector<SeenTransaction> seen;
  RecordPlan plan;
  plan.product = Product::Sqlite;
  plan.isolation = *isolation(Product::Sqlite, "");
  plan.clients = 4;
  plan.transactions = 400;
  RecordWorld world;
  world.file = &*file;
  world.connect = [&] { return database->connect(); };
  world.make_actor = [&](std::uint64_t) {
    return std::make_unique<SpyActor>(
        std::make_unique<FuzzActor>(Product::Sqlite, shape), seen);
  };
  const auto counts = record(plan, world);
  ASSERT_TRUE(counts) << counts.error().what;
  EXPECT_EQ(counts->transactions(), 400u);
  EXPECT_GT(counts->committed, 100u);
  EXPECT_EQ(counts->unknown, 0u);
  EXPECT_EQ(line_count(directory.read("log")), 400u);

  const auto again = Database::start_private(Product::Sqlite);
  const auto session = again->connect();
  ASSERT_TRUE(execute_all(**session, FuzzActor::setup(shape)));
  std::size_t compared = 0;
  for (const SeenTransaction& transaction : seen) {
    const bool writes =
        std::any_of(transaction.statements.begin(),
                    transaction.statements.end(), [](const Seen& s) {
                      return !s.sent.starts_with("SELECT") && s.count > 0;
                    });
    if (!writes) continue;
    for (const Seen& statement : transaction.statements) {
      const Answer answer = (*session)->execute(statement.sent);
      ASSERT_TRUE(answer.is_ok()) << answer.message << ": " << statement.sent;
      auto expected = answer.rows;
      auto got = statement.rows;
      std::sort(expected.begin(), expected.end());
      std::sort(got.begin(), got.end());
      EXPECT_EQ(got, expected) << statement.sent;
      EXPECT_EQ(statement.count, answer.count) << statement.sent;
      ++compared;
    }
  }
  EXPECT_GT(compared, 100u);
}

TEST(Record, EveryWorkloadIsAnApplicationThatRuns) {
  for (const Workload& workload : workloads()) {
    const auto database = Database::start_private(Product::Sqlite);
    ASSERT_TRUE(database);
    auto application =
        sql::read_sql(std::string(workload.name), workload.source());
    ASSERT_TRUE(application) << workload.name << application.error().what;
    const sql::Routines routines(*application, 1'000'000);
    WorkloadOptions options;
    options.scale = workload.name == "tpcc" ? 5 : 20;
    const auto control = database->connect();
    ASSERT_TRUE(
        execute_all(**control, load_texts(*application, Product::Sqlite)));
    ASSERT_TRUE(execute_all(**control, workload.rows(options)));
    const test::TemporaryDirectory directory;
    auto file = LineFile::open(directory.path() + "/log");
    RecordPlan plan;
    plan.product = Product::Sqlite;
    plan.isolation = *isolation(Product::Sqlite, "");
    plan.clients = 2;
    plan.transactions = 200;
    plan.retries = 100;
    RecordWorld world;
    world.file = &*file;
    world.connect = [&] { return database->connect(); };
    world.make_actor = [&](std::uint64_t client) {
      return std::make_unique<ApplicationActor>(
          routines, Product::Sqlite, false,
          workload.calls(*application, options, client));
    };
    const auto counts = record(plan, world);
    ASSERT_TRUE(counts) << workload.name << ": " << counts.error().what;
    EXPECT_EQ(counts->committed, 200u) << workload.name;
    EXPECT_EQ(counts->transactions(), 200 + counts->retries) << workload.name;
  }
}

// Connections are cut while they work: what was under way is unknown, the
// clients go on under new names, and nothing that was committed is missing.
TEST(Record, LostConnectionsMakeTransactionsUnknown) {
  test::LiveServer& live = test::live_postgresql();
  if (!live.server) GTEST_SKIP() << live.why;
  const auto control = live.connect();
  KeyShape shape;
  shape.keys = 20;
  control->execute("DROP SCHEMA IF EXISTS lost CASCADE");
  const std::string enter = "SET search_path TO lost";
  ASSERT_TRUE(execute_all(*control, {"CREATE SCHEMA lost", enter}));
  ASSERT_TRUE(execute_all(*control, KeyActor::setup(shape)));
  const auto killer = live.connect();
  const test::TemporaryDirectory directory;
  auto file = LineFile::open(directory.path() + "/h.jsonl");
  RecordPlan plan;
  plan.isolation = *isolation(Product::PostgreSql, "pg:rc");
  plan.clients = 3;
  plan.transactions = 300;
  plan.is_history = true;
  std::uint64_t kills = 0;
  RecordWorld world;
  world.file = &*file;
  world.connect = [&]() -> Result<std::unique_ptr<Session>> {
    auto session = live.server->connect("");
    if (session)
      (*session)->execute(enter +
                          "; SET deadlock_timeout = '20ms'; "
                          "SET application_name = 'victim'");
    return session;
  };
  world.make_actor = [&](std::uint64_t client) {
    return std::make_unique<KeyActor>(Product::PostgreSql, shape, client);
  };
  world.on_progress = [&](const RecordCounts& counts) {
    if (counts.transactions() >= 100 * (kills + 1) && kills < 2) {
      ++kills;
      killer->execute(
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE "
          "application_name = 'victim'");
    }
    return true;
  };
  const auto counts = record(plan, world);
  ASSERT_TRUE(counts) << counts.error().what;
  EXPECT_EQ(kills, 2u);
  EXPECT_GT(counts->unknown, 0u);
  // A client that is between two connections is not killed a second time.
  EXPECT_GE(counts->reconnections, 2u);
  EXPECT_EQ(counts->transactions(), 300u);
  EXPECT_NE(directory.read("h.jsonl").find("\"session\":4,"),
            std::string::npos);
}

// The server looks for deadlocks after an hour: who waits in one when the time
// is over is ended, and what it locked can be dropped.
TEST(Record, ADeadlockThatNobodyResolvesIsLeft) {
  test::LiveServer& live = test::live_postgresql();
  if (!live.server) GTEST_SKIP() << live.why;
  const auto control = live.connect();
  KeyShape shape;
  shape.keys = 2;
  shape.reads = 0;
  shape.min_operations = shape.max_operations = 4;
  control->execute("DROP SCHEMA IF EXISTS stuck CASCADE");
  const std::string enter = "SET search_path TO stuck";
  ASSERT_TRUE(execute_all(*control, {"CREATE SCHEMA stuck", enter}));
  ASSERT_TRUE(execute_all(*control, KeyActor::setup(shape)));
  const test::TemporaryDirectory directory;
  auto file = LineFile::open(directory.path() + "/h.jsonl");
  RecordPlan plan;
  plan.isolation = *isolation(Product::PostgreSql, "pg:rc");
  plan.clients = 6;
  plan.transactions = 1'000'000;
  plan.is_history = true;
  int ended = 0;
  RecordWorld world;
  world.file = &*file;
  world.connect = [&]() -> Result<std::unique_ptr<Session>> {
    auto session = live.server->connect("");
    if (session) (*session)->execute(enter);
    return session;
  };
  world.make_actor = [&](std::uint64_t client) {
    return std::make_unique<KeyActor>(Product::PostgreSql, shape, client);
  };
  world.end_session = [&](Session& session) {
    ++ended;
    control->execute("SELECT pg_terminate_backend(" +
                     std::to_string(session.id()) + ")");
  };
  const auto began = std::chrono::steady_clock::now();
  world.on_progress = [&](const RecordCounts&) {
    return std::chrono::steady_clock::now() - began < std::chrono::seconds(2);
  };
  const auto counts = record(plan, world);
  ASSERT_TRUE(counts) << counts.error().what;
  EXPECT_GT(ended, 1);
  // This would wait for a session that is left.
  EXPECT_TRUE(control->execute("DROP SCHEMA stuck CASCADE").is_ok());
}

TEST(Record, AFullDiskEndsIt) {
  const auto database = Database::start_private(Product::Sqlite);
  KeyShape shape;
  const auto control = database->connect();
  ASSERT_TRUE(execute_all(**control, KeyActor::setup(shape)));
  auto file = LineFile::open("/dev/full");
  RecordPlan plan;
  plan.product = Product::Sqlite;
  plan.isolation = *isolation(Product::Sqlite, "");
  plan.transactions = 100'000;
  RecordWorld world;
  world.file = &*file;
  world.connect = [&] { return database->connect(); };
  world.make_actor = [&](std::uint64_t client) {
    return std::make_unique<KeyActor>(Product::Sqlite, shape, client);
  };
  const auto counts = record(plan, world);
  ASSERT_FALSE(counts);
  EXPECT_NE(counts.error().what.find("cannot write"), std::string::npos);
}

}  // namespace
}  // namespace txscope::db
