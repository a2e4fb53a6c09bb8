// `txscope record --proxy` as its users meet it: started twice, signalled,
// crowded, killed.

#include <arpa/inet.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <thread>

#include "db/postgresql.h"
#include "support/live_server.h"
#include "support/paths.h"
#include "support/run_command.h"

extern char** environ;

namespace txscope::db {
namespace {

using namespace std::chrono_literals;

/// A program at work; ended, if need be, when this object goes.
class Started {
 public:
  Started(const test::TemporaryDirectory& directory, std::string name,
          const std::string& arguments)
      : directory_(directory), name_(std::move(name)) {
    directory_.write(name_, "");
    const std::string text = "cd '" + directory.path() + "' && exec '" +
                             test::binary() + "' " + arguments + " 2> " + name_;
    const char* words[] = {"sh", "-c", text.c_str(), nullptr};
    // Who starts the tests with nohup or in the background ignores these, and
    // so would the program.
    for (const int signal : {SIGHUP, SIGINT}) ::signal(signal, SIG_DFL);
    ::posix_spawn(&process_, "/bin/sh", nullptr, nullptr,
                  const_cast<char* const*>(words), environ);
  }
  ~Started() {
    if (process_ > 0) end(SIGKILL);
  }
  /// The port that it listens at; 0: it ended instead.
  int port() {
    for (;;) {
      const std::string told = said();
      const std::size_t at = told.find("listening on 127.0.0.1:");
      if (at != std::string::npos) return std::atoi(told.c_str() + at + 23);
      siginfo_t info{};
      ::waitid(P_PID, static_cast<id_t>(process_), &info,
               WEXITED | WNOHANG | WNOWAIT);
      if (info.si_pid == process_) return 0;
      std::this_thread::sleep_for(10ms);
    }
  }
  /// Its exit status, or 128 + the signal.
  int end(int signal) {
    ::kill(process_, signal);
    int status = 0;
    ::waitpid(process_, &status, 0);
    process_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  [[nodiscard]] std::string said() const { return directory_.read(name_); }

 private:
  const test::TemporaryDirectory& directory_;
  std::string name_;
  pid_t process_ = -1;
};

class ProxyCommand : public testing::Test {
 protected:
  void SetUp() override {
    test::LiveServer& live = test::live_postgresql();
    if (!live.server) GTEST_SKIP() << live.why;
    control_ = live.connect();
    ASSERT_TRUE(execute_all(*control_, {"DROP TABLE IF EXISTS counted",
                                        "CREATE TABLE counted (n int)"}));
    const PostgresqlEndpoint at = endpoint_of(*control_);
    db_ = " --db 'postgresql://postgres@/postgres?host=" + at.host + "' ";
  }
  [[nodiscard]] std::string proxy(int port,
                                  const std::string& more = "") const {
    return "record --proxy 127.0.0.1:" + std::to_string(port) + db_ +
           "-o log.jsonl " + more;
  }
  static std::unique_ptr<Session> connect(int port) {
    auto session =
        connect_postgresql("host=127.0.0.1 port=" + std::to_string(port) +
                           " user=postgres dbname=postgres sslmode=disable");
    EXPECT_TRUE(session) << session.error().what;
    return session ? *std::move(session) : nullptr;
  }
  [[nodiscard]] std::string log() const { return directory_.read("log.jsonl"); }
  [[nodiscard]] std::size_t logged(const std::string& text) const {
    const std::string all = log();
    std::size_t count = 0;
    for (std::size_t at = 0; (at = all.find(text, at)) != std::string::npos;
         ++at)
      ++count;
    return count;
  }

  test::TemporaryDirectory directory_;
  std::unique_ptr<Session> control_;
  std::string db_;
};

TEST_F(ProxyCommand, TheSameCommandTwiceLeavesTheRunningLogWhole) {
  Started first(directory_, "first", proxy(0));
  const int port = first.port();
  ASSERT_NE(port, 0) << first.said();
  auto session = connect(port);
  ASSERT_NE(session, nullptr);
  session->execute("INSERT INTO counted VALUES (1)");
  for (const char* more : {"", "--force"}) {
    // At the same port, and at another one.
    for (const int at : {port, 0}) {
      const test::Ran second =
          test::run_command("txscope " + proxy(at, more), directory_.path());
      EXPECT_EQ(second.status, 2) << second.output;
      EXPECT_TRUE(second.said("another program is writing this log"))
          << second.output;
    }
  }
  session->execute("INSERT INTO counted VALUES (2)");
  EXPECT_EQ(first.end(SIGTERM), 0) << first.said();
  EXPECT_EQ(log().find('\0'), std::string::npos);
  EXPECT_EQ(logged("INSERT INTO counted"), 2u) << log();
  EXPECT_TRUE(log().starts_with("{\"txscope\":\"log\"")) << log();
}

TEST_F(ProxyCommand, AnOlderLogStaysWithoutForceAndWhenThePortIsTaken) {
  directory_.write("log.jsonl", "{\"txscope\":\"log\",\"old\":1}\n");
  const std::string before = log();
  const test::Ran refused =
      test::run_command("txscope " + proxy(0), directory_.path());
  EXPECT_EQ(refused.status, 2) << refused.output;
  EXPECT_TRUE(refused.said("a log already exists")) << refused.output;
  EXPECT_EQ(log(), before);

  const int taken = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  ASSERT_EQ(::bind(taken, reinterpret_cast<sockaddr*>(&address), size), 0);
  ASSERT_EQ(::listen(taken, 1), 0);
  ::getsockname(taken, reinterpret_cast<sockaddr*>(&address), &size);
  const test::Ran busy =
      test::run_command("txscope " + proxy(ntohs(address.sin_port), "--force"),
                        directory_.path());
  ::close(taken);
  EXPECT_EQ(busy.status, 2) << busy.output;
  EXPECT_TRUE(busy.said("in use")) << busy.output;
  EXPECT_EQ(log(), before);

  Started forced(directory_, "forced", proxy(0, "--force"));
  ASSERT_NE(forced.port(), 0) << forced.said();
  EXPECT_EQ(forced.end(SIGTERM), 3);  // nothing was recorded
  EXPECT_NE(log(), before);
}

TEST_F(ProxyCommand, AHangUpEndsItAsTheOtherSignalsDo) {
  for (const int signal : {SIGHUP, SIGTERM, SIGINT}) {
    Started proxied(directory_, "told", proxy(0, "--force"));
    const int port = proxied.port();
    ASSERT_NE(port, 0) << proxied.said();
    auto session = connect(port);
    session->execute("BEGIN");
    session->execute("INSERT INTO counted VALUES (1)");
    EXPECT_EQ(proxied.end(signal), 0) << signal << proxied.said();
    EXPECT_EQ(logged("INSERT INTO counted"), 1u) << log();
    EXPECT_NE(proxied.said().find("recorded 1 transactions"), std::string::npos)
        << proxied.said();
  }
}

// One client is busy all the time in a transaction that does not end.
TEST_F(ProxyCommand, WhatAClientWasToldSurvivesAKill) {
  Started proxied(directory_, "told", proxy(0));
  const int port = proxied.port();
  ASSERT_NE(port, 0) << proxied.said();
  auto busy = connect(port);
  auto session = connect(port);
  busy->execute("BEGIN");
  for (int i = 0; i < 20; ++i)
    ASSERT_TRUE(session->execute("INSERT INTO counted VALUES (1)").is_ok());
  const auto told = std::chrono::steady_clock::now();
  while (std::chrono::steady_clock::now() - told < 1s)
    busy->execute("SELECT 1");
  proxied.end(SIGKILL);
  EXPECT_EQ(logged("INSERT INTO counted"), 20u) << log();
}

TEST_F(ProxyCommand, WhoNeverLogsInKeepsNobodyOut) {
  Started proxied(directory_, "told", proxy(0));
  const int port = proxied.port();
  ASSERT_NE(port, 0) << proxied.said();
  std::vector<int> silent;
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  for (int i = 0; i < 300; ++i) {
    silent.push_back(::socket(AF_INET, SOCK_STREAM, 0));
    ASSERT_EQ(::connect(silent.back(), reinterpret_cast<sockaddr*>(&address),
                        sizeof address),
              0);
    // Some begin to say who they are.
    if (i % 2 == 0) {
      ASSERT_EQ(::send(silent.back(), "\0\0", 2, 0), 2);
    }
  }
  auto session = connect(port);
  ASSERT_NE(session, nullptr);
  EXPECT_TRUE(session->execute("INSERT INTO counted VALUES (1)").is_ok());
  for (const int socket : silent) ::close(socket);
  EXPECT_EQ(proxied.end(SIGTERM), 0) << proxied.said();
  EXPECT_NE(proxied.said().find("did not log in"), std::string::npos)
      << proxied.said();
}

TEST_F(ProxyCommand, WithoutADatabaseItStartsAPrivateServer) {
  Started proxied(directory_, "told",
                  "record --proxy 127.0.0.1:0 -o log.jsonl");
  const int port = proxied.port();
  ASSERT_NE(port, 0) << proxied.said();
  EXPECT_NE(proxied.said().find("a private PostgreSQL"), std::string::npos)
      << proxied.said();
  auto one = connect(port);
  auto other = connect(port);
  ASSERT_TRUE(execute_all(
      *one, {"CREATE TABLE t (a int)", "INSERT INTO t VALUES (1), (2)"}));
  // It resolves deadlocks as a server of anybody's would.
  ASSERT_TRUE(execute_all(*one, {"BEGIN", "DELETE FROM t WHERE a = 1"}));
  ASSERT_TRUE(execute_all(*other, {"BEGIN", "DELETE FROM t WHERE a = 2"}));
  one->send("DELETE FROM t WHERE a = 2");
  const Answer answer = other->execute("DELETE FROM t WHERE a = 1");
  EXPECT_NE(answer.is_ok(), one->receive().is_ok());
  EXPECT_EQ(proxied.end(SIGTERM), 0) << proxied.said();
  EXPECT_EQ(logged("40P01"), 1u) << log();
}

// What only looks like a question about the server, and what is too large to
// keep, is no reason to refute a server that was right.
TEST_F(ProxyCommand, ACorrectServerIsExplained) {
  ASSERT_TRUE(execute_all(
      *control_, {"DROP TABLE IF EXISTS note", "DROP TABLE IF EXISTS large",
                  "CREATE TABLE note (id int PRIMARY KEY, body text)",
                  "CREATE TABLE large (id int PRIMARY KEY, body text)",
                  "INSERT INTO note VALUES (1, 'a')"}));
  Started proxied(directory_, "told", proxy(0));
  const int port = proxied.port();
  ASSERT_NE(port, 0) << proxied.said();
  auto session = connect(port);
  ASSERT_TRUE(execute_all(
      *session,
      {"UPDATE note SET body = 'see pg_catalog.pg_class' WHERE id = 1",
       "SELECT body FROM note WHERE id = 1 -- information_schema.tables",
       "SELECT relname FROM pg_catalog.pg_class WHERE relname = 'note'",
       "INSERT INTO large VALUES (1, '" + std::string(17 << 20, 'x') + "')",
       "SELECT id FROM large", "ALTER ROLE postgres PASSWORD 'secret'"}));
  EXPECT_FALSE(
      session->execute("ALTER ROLE postgres PASWORD 'secret'").is_ok());
  EXPECT_EQ(proxied.end(SIGTERM), 0);
  control_->execute("DROP TABLE note, large");
  control_->execute("ALTER ROLE postgres PASSWORD NULL");
  EXPECT_NE(proxied.said().find("1 statements were too large"),
            std::string::npos)
      << proxied.said();
  EXPECT_EQ(logged("secret"), 0u) << log();
  EXPECT_EQ(logged("\"opaque\":\"catalog\""), 1u) << log();
  EXPECT_EQ(logged("\"opaque\":\"too large\""), 1u) << log();
  const test::Ran ran =
      test::run_command("txscope audit log.jsonl", directory_.path());
  EXPECT_EQ(ran.status, 3) << ran.output;
  EXPECT_TRUE(ran.said("could not be read")) << ran.output;
  EXPECT_TRUE(ran.said("as far as it was understood")) << ran.output;
  EXPECT_EQ(test::run_command("txscope audit log.jsonl --allow-skipped",
                              directory_.path())
                .status,
            0);
}

TEST_F(ProxyCommand, WhatCannotBeWrittenIsToldAtOnce) {
  ASSERT_EQ(test::run_command("mkfifo pipe", directory_.path()).status, 0);
  for (const char* output : {"/dev/full", "pipe", ".", "no/such/place"}) {
    for (const char* what :
         {"--proxy 127.0.0.1:0", "--workload register --transactions 10"}) {
      const test::Ran ran = test::run_command(
          std::string("txscope record ") + what + db_ + "-o " + output,
          directory_.path());
      EXPECT_EQ(ran.status, 2) << output << ": " << ran.output;
      EXPECT_TRUE(ran.said("cannot write")) << ran.output;
      EXPECT_FALSE(ran.said("internal error")) << ran.output;
    }
  }
  EXPECT_EQ(
      control_->execute("SELECT 1 FROM pg_database WHERE datname = 'txscope'")
          .rows.size(),
      0u);
}

TEST_F(ProxyCommand, AWorkloadThatCannotBeReadIsToldAtOnce) {
  ASSERT_EQ(test::run_command("mkfifo pipe", directory_.path()).status, 0);
  for (const char* file :
       {"pipe --timeout 1s", ".", "missing.sql", "/dev/zero"}) {
    const test::Ran ran =
        test::run_command(std::string("txscope record --workload ") + file +
                              " --db sqlite -o log.jsonl",
                          directory_.path());
    EXPECT_EQ(ran.status, 2) << file << ": " << ran.output;
    EXPECT_TRUE(ran.said("cannot read")) << ran.output;
  }
}

}  // namespace
}  // namespace txscope::db
