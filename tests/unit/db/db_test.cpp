// The servers and sessions that everything live stands on.

#include <gtest/gtest.h>

#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <algorithm>

#include <filesystem>
#include <memory>

#include "db/mariadb.h"
#include "db/postgresql.h"
#include "support/live_server.h"

namespace txscope::db {
namespace {

struct Product {
  const char* name;
  Result<std::unique_ptr<Server>> (*start)();
  test::LiveServer& (*live)();
  const char* duplicate;       // the code of a duplicate key
  const char* short_deadlock;  // what makes a session look for one soon
};

class Db : public testing::TestWithParam<Product> {
 protected:
  void SetUp() override {
    test::LiveServer& live = GetParam().live();
    if (!live.server) GTEST_SKIP() << live.why;
    server_ = live.server.get();
    control_ = connect();
    control_->execute("DROP TABLE IF EXISTS t");
    const Answer made = control_->execute(
        "CREATE TABLE t (id int PRIMARY KEY, n int, s varchar(20));"
        "INSERT INTO t VALUES (1, 10, 'one'), (2, NULL, '')");
    ASSERT_TRUE(made.is_ok()) << made.message;
  }
  std::unique_ptr<Session> connect() { return GetParam().live().connect(); }

  Server* server_ = nullptr;
  std::unique_ptr<Session> control_;
};

TEST_P(Db, AnswersWithRowsNullsAndKinds) {
  const Answer answer = control_->execute("SELECT * FROM t ORDER BY id");
  ASSERT_TRUE(answer.is_ok()) << answer.message;
  EXPECT_EQ(answer.count, 2u);
  ASSERT_EQ(answer.columns.size(), 3u);
  EXPECT_EQ(answer.columns[1].name, "n");
  EXPECT_EQ(answer.columns[1].kind, sql::Kind::Integer);
  EXPECT_EQ(answer.columns[2].kind, sql::Kind::Text);
  ASSERT_EQ(answer.rows.size(), 2u);
  EXPECT_EQ(answer.rows[0], (std::vector<Cell>{"1", "10", "one"}));
  EXPECT_EQ(answer.rows[1], (std::vector<Cell>{"2", std::nullopt, ""}));
}

TEST_P(Db, CountsRowsThatAnUpdateFoundNotOnlyThoseItChanged) {
  EXPECT_EQ(control_->execute("UPDATE t SET n = 10").count, 2u);
  EXPECT_EQ(control_->execute("UPDATE t SET n = 10").count, 2u);
  EXPECT_EQ(control_->execute("DELETE FROM t WHERE id = 7").count, 0u);
}

TEST_P(Db, SaysTheCodeOfAnError) {
  const Answer answer = control_->execute("INSERT INTO t VALUES (1, 1, '')");
  EXPECT_EQ(answer.code, GetParam().duplicate);
  EXPECT_NE(answer.message, "");
  EXPECT_TRUE(control_->execute("SELECT 1").is_ok());
}

TEST_P(Db, StopsAtTheFirstErrorOfSeveralStatements) {
  EXPECT_EQ(control_
                ->execute("INSERT INTO t VALUES (3, 3, '');"
                          "INSERT INTO t VALUES (1, 1, '');"
                          "INSERT INTO t VALUES (4, 4, '')")
                .code,
            GetParam().duplicate);
  EXPECT_EQ(control_->execute("SELECT * FROM t WHERE id = 4").count, 0u);
}

TEST_P(Db, SettlesWhenASessionWaitsForAnother) {
  const auto a = connect();
  const auto b = connect();
  Session* const both[] = {a.get(), b.get()};
  a->execute("BEGIN");
  a->send("UPDATE t SET n = 11 WHERE id = 1");
  EXPECT_EQ(settle(*server_, both), (std::vector<bool>{false, false}));
  EXPECT_EQ(a->receive().count, 1u);
  b->execute("BEGIN");
  b->send("UPDATE t SET n = n + 1 WHERE id = 1");
  EXPECT_EQ(settle(*server_, both), (std::vector<bool>{false, true}));
  EXPECT_TRUE(b->is_pending());
  EXPECT_FALSE(b->is_answered());
  a->execute("COMMIT");
  EXPECT_EQ(settle(*server_, both), (std::vector<bool>{false, false}));
  EXPECT_EQ(b->receive().count, 1u);
  b->execute("COMMIT");
  EXPECT_EQ(control_->execute("SELECT n FROM t WHERE id = 1").rows[0][0], "12");
}

TEST_P(Db, SettlesWhenTwoSessionsWaitInOneQueue) {
  const auto a = connect();
  const auto b = connect();
  const auto c = connect();
  Session* const all[] = {a.get(), b.get(), c.get()};
  a->execute("BEGIN");
  a->execute("UPDATE t SET n = 0 WHERE id = 1");
  for (Session* session : {b.get(), c.get()}) {
    session->execute("BEGIN");
    session->send("UPDATE t SET n = n + 1 WHERE id = 1");
    EXPECT_TRUE(settle(*server_, all)[session == b.get() ? 1 : 2]);
  }
  a->execute("COMMIT");
  // One of them goes on: the first, unless the other was quicker.
  const std::vector<bool> waits = settle(*server_, all);
  ASSERT_EQ(std::count(waits.begin(), waits.end(), true), 1);
  Session* const first = waits[1] ? c.get() : b.get();
  Session* const second = waits[1] ? b.get() : c.get();
  first->receive();
  first->execute("COMMIT");
  EXPECT_EQ(settle(*server_, all), (std::vector<bool>{false, false, false}));
  second->receive();
  second->execute("COMMIT");
  EXPECT_EQ(control_->execute("SELECT n FROM t WHERE id = 1").rows[0][0], "2");
}

// MariaDB's monitor still tells of a deadlock when it is over.
TEST_P(Db, SeesNobodyWaitAfterADeadlock) {
  const auto a = connect();
  const auto b = connect();
  Session* const both[] = {a.get(), b.get()};
  for (Session* session : both) {
    session->execute("BEGIN");
    session->execute(GetParam().short_deadlock);
  }
  a->execute("UPDATE t SET n = 1 WHERE id = 1");
  b->execute("UPDATE t SET n = 1 WHERE id = 2");
  a->send("UPDATE t SET n = 2 WHERE id = 2");
  b->send("UPDATE t SET n = 2 WHERE id = 1");
  const Answer first = a->receive();
  if (first.is_ok()) a->execute("ROLLBACK");
  const Answer second = b->receive();
  EXPECT_NE(first.is_ok(), second.is_ok());
  for (Session* session : both) session->execute("ROLLBACK");
  EXPECT_EQ(server_->waiting(both), (std::vector<bool>{false, false}));
  a->execute("BEGIN");
  a->execute("UPDATE t SET n = 1 WHERE id = 1");
  b->send("UPDATE t SET n = 1 WHERE id = 1");
  EXPECT_EQ(settle(*server_, both), (std::vector<bool>{false, true}));
  server_->cancel(*b);
  EXPECT_FALSE(b->receive().is_ok());
  a->execute("ROLLBACK");
}

TEST_P(Db, RefusesADatabaseThatDoesNotExist) {
  const auto session = server_->connect("nowhere");
  ASSERT_FALSE(session);
  EXPECT_NE(session.error().what.find("nowhere"), std::string::npos);
}

// A child starts a server, tells where, and is killed at once.
TEST_P(Db, LeavesNoServerWhenTheProcessIsKilled) {
  std::string place = "/tmp/txscope-test-" + std::string(6, 'X');
  ASSERT_NE(::mkdtemp(place.data()), nullptr);
  const char* const directory = place.c_str();
  ASSERT_EQ(::chmod(directory, 0755), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    ::setenv("TMPDIR", directory, 1);
    auto server = GetParam().start();
    if (!server) ::_exit(1);
    ::kill(::getpid(), SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status)) << "the server did not start";
  bool is_clean = false;
  for (int rounds = 0; rounds < 1000 && !is_clean; ++rounds) {
    ::usleep(10'000);
    is_clean = std::filesystem::is_empty(directory);
  }
  EXPECT_TRUE(is_clean) << directory;
  std::filesystem::remove_all(directory);
}

INSTANTIATE_TEST_SUITE_P(
    Live, Db,
    testing::Values(Product{"PostgreSQL", [] { return start_postgresql(); },
                            test::live_postgresql, "23505",
                            "SET LOCAL deadlock_timeout = 10"},
                    Product{"MariaDB", start_mariadb, test::live_mariadb,
                            "1062", "SELECT 1"}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(ToValue, ReadsWhatServersWrite) {
  EXPECT_EQ(to_value("t", sql::Kind::Bool), sql::Value::boolean(true));
  EXPECT_EQ(to_value("0", sql::Kind::Bool), sql::Value::boolean(false));
  EXPECT_EQ(to_value("-7", sql::Kind::Integer), sql::Value::integer(-7));
  EXPECT_EQ(to_value("-1.50", sql::Kind::Numeric),
            sql::Value::numeric(-150, 2));
  EXPECT_EQ(to_value("2000-02-01", sql::Kind::Date), sql::Value::date(31));
  EXPECT_EQ(to_value("1999-12-31", sql::Kind::Date), sql::Value::date(-1));
  EXPECT_EQ(to_value("2000-01-01 00:01:00.5", sql::Kind::Timestamp),
            sql::Value::timestamp(60'500'000));
  EXPECT_TRUE(to_value(std::nullopt, sql::Kind::Integer).is_null());
  EXPECT_TRUE(to_value("many", sql::Kind::Integer).is_null());
}

}  // namespace
}  // namespace txscope::db
