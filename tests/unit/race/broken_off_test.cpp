// Whatever ends in the middle: what was found is told, nothing is left behind,
// and the user's database is as it was.

#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "db/address.h"
#include "db/postgresql.h"
#include "support/run_command.h"

namespace txscope {
namespace {

/// A server that plays the user's, with a shop in it, and two requests that buy
/// there; `ambush` is what the shell of the Nth of them does first.
class RaceBrokenOff : public ::testing::Test {
 protected:
  void SetUp() override {
    // Whoever starts the tests in the background may leave it ignored.
    std::signal(SIGINT, SIG_DFL);
    auto server = db::start_postgresql();
    ASSERT_TRUE(server) << server.error().what;
    server_ = *std::move(server);
    auto session = server_->connect();
    ASSERT_TRUE(session);
    session_ = *std::move(session);
    ask("CREATE TABLE product (id int PRIMARY KEY, quantity int NOT NULL);"
        "INSERT INTO product VALUES (1, 5)");
    connections_ = ask(kConnections);
    place_.write("buy.sql",
                 "SELECT quantity >= 3 AS ok FROM product WHERE id = 1 \\gset\n"
                 "\\if :ok\nUPDATE product SET quantity = quantity - 3;\n"
                 "\\echo bought\n\\endif\n");
  }
  void TearDown() override { expect_nothing_left(); }

  std::string ask(const std::string& sql) {
    const db::Answer answer = session_->execute(sql);
    EXPECT_TRUE(answer.is_ok()) << answer.message;
    return answer.rows.empty() ? "" : answer.rows[0][0].value_or("");
  }

  // The request's shell is a child of the program, so $PPID is the program;
  // `data` is where the private server has its files.  Requests start at the
  // same time: the one that makes the directory is the Nth.
  [[nodiscard]] test::Ran race(int number, const std::string& ambush,
                               const std::string& options = "",
                               const std::string& after = "true") const {
    place_.write("request.sh",
                 "psql -XAtc 'SHOW data_directory' > data\necho >> starts\n"
                 "if [ $(wc -l < starts) -ge " +
                     std::to_string(number) +
                     " ] && mkdir ambush 2> /dev/null; then " + ambush +
                     "; fi\npsql -XqAt -v ON_ERROR_STOP=1 -f buy.sql\n" +
                     after + "\n");
    return test::run_command(
        "txscope race --jobs 1 --no-repairs --no-reduction --times 2"
        " --request '. ./request.sh' --rule 'stock: (SELECT quantity FROM"
        " product) >= 0' --db 'postgresql://postgres@/postgres?host=" +
            server_->host() + "' " + options,
        place_.path());
  }

  /// No private server, no process of a request, no connection, no row.
  void expect_nothing_left() {
    std::string data = place_.read("data");
    while (!data.empty() && data.back() == '\n') data.pop_back();
    if (!data.empty() && data.rfind(server_->host(), 0) != 0) {
      EXPECT_FALSE(std::filesystem::exists(data)) << data;
    }
    EXPECT_EQ(test::run_command("readlink /proc/[0-9]*/cwd", "/")
                  .output.find(place_.path()),
              std::string::npos);
    EXPECT_EQ(ask("SELECT string_agg(id || ':' || quantity, ',') FROM product"),
              "1:5");
    EXPECT_EQ(ask(kConnections), connections_);
    EXPECT_EQ(ask("SELECT count(*) FROM pg_database"), "3");
    EXPECT_EQ(
        ask("SELECT count(*) FROM pg_namespace WHERE nspname LIKE 'txs%'"),
        "0");
  }

  static constexpr const char* kConnections =
      "SELECT count(*) FROM pg_stat_activity"
      " WHERE backend_type = 'client backend'";

  test::TemporaryDirectory place_;
  std::string connections_;
  std::unique_ptr<db::Server> server_;
  std::unique_ptr<db::Session> session_;
};

// Two orders, each run twice and once more, have twelve starts.
constexpr int kInTheFirstOrder = 2;
constexpr int kInTheFifthSchedule = 12 + 4 * 2 + 1;

TEST_F(RaceBrokenOff, CtrlCTellsWhatWasFoundSoFar) {
  const test::Ran ran = race(kInTheFifthSchedule, "kill -INT $PPID");
  EXPECT_EQ(ran.status, 130) << ran.output;
  EXPECT_TRUE(ran.said("stock")) << ran.output;
  EXPECT_TRUE(ran.said("it was interrupted")) << ran.output;
}

TEST_F(RaceBrokenOff, CtrlCInPlacePutsTheContentsBack) {
  const test::Ran ran =
      race(kInTheFifthSchedule, "kill -INT $PPID", "--in-place");
  EXPECT_EQ(ran.status, 130) << ran.output;
  EXPECT_TRUE(ran.said("it was interrupted")) << ran.output;
}

TEST_F(RaceBrokenOff, CtrlCBeforeAnythingIsKnownSaysSo) {
  const test::Ran ran = race(kInTheFirstOrder, "kill -INT $PPID");
  EXPECT_EQ(ran.status, 130) << ran.output;
  EXPECT_TRUE(ran.said("interrupted before")) << ran.output;
}

TEST_F(RaceBrokenOff, ARequestThatCrashesInARaceIsToldWithoutASqlstate) {
  const test::Ran ran =
      race(1000, "true", "",
           "if [ $(psql -XqAtc 'SELECT quantity FROM product') -lt 0 ]; then "
           "kill -KILL $$; fi");
  EXPECT_EQ(ran.status, 1) << ran.output;
  EXPECT_TRUE(ran.said("is killed by signal 9 in")) << ran.output;
  EXPECT_TRUE(ran.said("never one after the other")) << ran.output;
}

TEST_F(RaceBrokenOff, AServerThatDiesIsAnError) {
  const test::Ran ran = race(
      kInTheFifthSchedule, "kill -QUIT $(head -1 $(cat data)/postmaster.pid)");
  EXPECT_EQ(ran.status, 2) << ran.output;
  EXPECT_TRUE(ran.said("server")) << ran.output;
}

TEST_F(RaceBrokenOff, ADatabaseForWhichThereIsNoRoomIsNotCopied) {
  // A hole of 8 TB is a file of 8 TB to those who ask for its size.
  const std::string file = ask("SHOW data_directory") + "/" +
                           ask("SELECT pg_relation_filepath('product')") + ".9";
  std::ofstream(file).close();
  std::filesystem::resize_file(file, std::uintmax_t{8} << 40);
  const test::Ran ran = race(1, "true");
  std::filesystem::remove(file);
  EXPECT_EQ(ran.status, 2) << ran.output;
  EXPECT_TRUE(ran.said("cannot be copied: it has 8388")) << ran.output;
  EXPECT_TRUE(ran.said("MB left at")) << ran.output;
}

}  // namespace
}  // namespace txscope
