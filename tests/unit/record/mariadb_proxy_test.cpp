// The proxy between real clients and a real MariaDB.

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "db/mariadb.h"
#include "db/proxy/mariadb_state.h"
#include "db/proxy/proxy.h"
#include "db/record/write_log.h"
#include "support/paths.h"
#include "support/run_command.h"

namespace txscope::db {
namespace {

using nlohmann::json;

/// A proxy before a MariaDB of our own, and what clients do through it.
class MariadbProxy : public testing::Test {
 protected:
  void SetUp() override {
    auto server = start_mariadb();
    if (!server) GTEST_SKIP() << server.error().what;
    server_ = *std::move(server);
    control_ = *server_->connect();
    ASSERT_TRUE(execute_all(
        *control_,
        {"SET SESSION sql_mode = 'STRICT_TRANS_TABLES'",
         "SET GLOBAL sql_mode = 'STRICT_TRANS_TABLES'",
         "CREATE TABLE stock (id int PRIMARY KEY, n int NOT NULL, "
         "note varchar(40), price decimal(8,2))",
         "INSERT INTO stock VALUES (1, 5, NULL, 1.50), (2, 7, 'x', NULL)",
         "CREATE TABLE orders (id int AUTO_INCREMENT PRIMARY KEY, stock int "
         "NOT NULL, at datetime(3), FOREIGN KEY (stock) REFERENCES stock (id))",
         "CREATE DATABASE other"}));
  }
  void TearDown() override { stop(); }

  void start() {
    file_.emplace(*LineFile::open(place_.path() + "/log.jsonl"));
    plan_.port = 0;
    plan_.product = Product::MariaDb;
    plan_.server_host = server_->host();
    plan_.server_file = "socket";
    plan_.database = "test";
    world_.file = &*file_;
    world_.on_listening = [this](std::uint16_t port) -> Result<Done> {
      auto state = mariadb_state(*control_, "test", 1000);
      if (!state) return state.error();
      plan_.mariadb = state->world;
      file_->write(header_line(state->header));
      port_ = port;
      return Done{};
    };
    world_.on_progress = [this](const ProxyCounts&) { return !is_over_; };
    thread_ = std::thread([this] {
      auto result = run_recording_proxy(plan_, world_);
      if (!result) failure_ = result.error().what;
      port_ = result ? port_.load() : -1;
    });
    while (port_ == 0) std::this_thread::yield();
    ASSERT_EQ(failure_, "");
  }
  void stop() {
    is_over_ = true;
    if (thread_.joinable()) thread_.join();
    file_.reset();
  }

  /// With the client that comes with the server.
  void run_client(const std::string& sql,
                  const std::string& database = "test") {
    place_.write("in.sql", sql);
    const std::string command = "mariadb --no-defaults --force -h127.0.0.1 -P" +
                                std::to_string(port_) + " -uroot " + database +
                                " < '" + place_.path() + "/in.sql' > '" +
                                place_.path() + "/out' 2>&1";
    (void)std::system(command.c_str());
  }

  std::vector<json> log() {
    stop();
    std::vector<json> lines;
    std::istringstream text(place_.read("log.jsonl"));
    for (std::string line; std::getline(text, line);)
      lines.push_back(json::parse(line));
    return lines;
  }

  std::unique_ptr<Server> server_;
  std::unique_ptr<Session> control_;
  test::TemporaryDirectory place_;
  std::optional<LineFile> file_;
  ProxyPlan plan_;
  ProxyWorld world_;
  std::atomic<int> port_ = 0;
  std::atomic<bool> is_over_ = false;
  std::string failure_;
  std::thread thread_;
};

TEST_F(MariadbProxy, TextStatementsHaveRowsCountsTimesAndTheirTransactions) {
  start();
  run_client(
      "START TRANSACTION;\nSELECT n, note, price FROM stock WHERE id = 1;\n"
      "UPDATE stock SET n = 5 WHERE id IN (1, 2);\n"
      "INSERT INTO orders (stock, at) VALUES (1, '2030-01-02 03:04:05.678');\n"
      "COMMIT;\n"
      "INSERT INTO stock VALUES (1, 1, 'twice', 1);\n"
      "BEGIN; DELETE FROM stock WHERE id = 2; ROLLBACK;\n"
      "SELECT at FROM orders;\n");
  const std::vector<json> lines = log();
  ASSERT_EQ(lines.size(), 5u) << place_.read("log.jsonl");
  EXPECT_EQ(lines[0]["dialect"], "mariadb");
  EXPECT_EQ(lines[0]["level"], "mariadb:repeatable-read");
  EXPECT_EQ(lines[0]["initial"]["stock"],
            json::parse(R"([[1, 5, null, "1.50"], [2, 7, "x", null]])"));
  const json& first = lines[1]["statements"];
  EXPECT_EQ(lines[1]["status"], "committed");
  ASSERT_EQ(first.size(), 3u);
  EXPECT_EQ(first[0]["columns"], json::parse(R"(["n", "note", "price"])"));
  EXPECT_EQ(first[0]["rows"], json::parse(R"([[5, null, "1.50"]])"));
  // Both were found, one had to be changed.
  EXPECT_EQ(first[1]["count"], 2);
  EXPECT_EQ(first[2]["sql"],
            "INSERT INTO orders (stock, at) VALUES (1, "
            "'2030-01-02 03:04:05.678') RETURNING `id`");
  EXPECT_EQ(first[2]["rows"], json::parse("[[1]]"));
  EXPECT_LE(lines[1]["start"], first[0]["start"]);
  EXPECT_LE(first[2]["end"], lines[1]["end"]);
  EXPECT_EQ(lines[2]["status"], "aborted");
  EXPECT_EQ(lines[2]["statements"][0]["error"]["code"], 1062);
  EXPECT_EQ(lines[3]["status"], "aborted");
  EXPECT_EQ(lines[4]["status"], "committed");
  EXPECT_EQ(lines[4]["statements"][0]["rows"],
            json::parse(R"([["2030-01-02 03:04:05.678"]])"));
}

TEST_F(MariadbProxy, LevelsAndDatabasesAreThoseOfTheConnection) {
  start();
  run_client(
      "SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED;\n"
      "SELECT n FROM stock WHERE id = 1;\n"
      "SET TRANSACTION ISOLATION LEVEL SERIALIZABLE;\n"
      "SELECT n FROM stock WHERE id = 1;\nSELECT n FROM stock WHERE id = 2;\n"
      "USE other;\nCREATE TABLE mine (a int);\nINSERT INTO mine VALUES (1);\n"
      "USE test;\nSELECT count(*) FROM stock;\n");
  const std::vector<json> lines = log();
  ASSERT_EQ(lines.size(), 5u) << place_.read("log.jsonl");
  EXPECT_EQ(lines[1]["level"], "mariadb:read-committed");
  EXPECT_EQ(lines[2]["level"], "mariadb:serializable");
  EXPECT_EQ(lines[3]["level"], "mariadb:read-committed");
  EXPECT_EQ(lines[4]["statements"][0]["rows"], json::parse("[[2]]"));
}

TEST_F(MariadbProxy, PasswordsAreNotInTheLog) {
  start();
  run_client(
      "CREATE USER me IDENTIFIED BY 'hidden';\n"
      "ALTER USER me IDENTIFIED BY 'hidden';\n"
      "SET PASSWORD FOR me = PASSWORD('hidden');\n"
      "GRANT SELECT ON test.* TO you IDENTIFIED BY 'hidden';\n"
      "SELECT n FROM stock WHERE id = 1;\n");
  EXPECT_EQ(log().size(), 2u);
  EXPECT_EQ(place_.read("log.jsonl").find("hidden"), std::string::npos);
}

TEST_F(MariadbProxy, PreparedStatementsHaveTheirValues) {
  const std::string modules =
      test::source_dir() + "/build/clients/node_modules";
  if (std::system(("test -d '" + modules + "/mysql2'").c_str()) != 0)
    GTEST_SKIP() << "there is no mysql2: run scripts/install-clients";
  start();
  place_.write("app.js", R"(
const mysql = require('mysql2/promise');
(async () => {
  const db = await mysql.createConnection({host: '127.0.0.1',
      port: +process.argv[2], user: 'root', database: 'test'});
  await db.beginTransaction();
  const [rows] = await db.execute('SELECT n, price FROM stock WHERE id = ?', [1]);
  await db.execute('UPDATE stock SET n = ?, note = ? WHERE id = ?',
                   [rows[0].n - 1, "it's", 1]);
  await db.execute('INSERT INTO orders (stock, at) VALUES (?, ?)',
                   [1, '2030-01-02 03:04:05.678']);
  await db.commit();
  const [all] = await db.execute('SELECT id, stock, at FROM orders', []);
  await db.end();
})();
)");
  const std::string command = "NODE_PATH='" + modules + "' node '" +
                              place_.path() + "/app.js' " +
                              std::to_string(port_);
  ASSERT_EQ(std::system(command.c_str()), 0);
  const std::vector<json> lines = log();
  ASSERT_EQ(lines.size(), 3u) << place_.read("log.jsonl");
  const json& first = lines[1]["statements"];
  ASSERT_EQ(first.size(), 3u);
  EXPECT_EQ(first[0]["sql"], "SELECT n, price FROM stock WHERE id = $1");
  EXPECT_EQ(first[0]["params"], json::parse("[1]"));
  EXPECT_EQ(first[0]["rows"], json::parse(R"([[5, "1.50"]])"));
  EXPECT_EQ(first[1]["params"], json::parse(R"([4, "it's", 1])"));
  EXPECT_EQ(first[1]["count"], 1);
  EXPECT_EQ(first[2]["rows"], json::parse("[[1]]"));
  EXPECT_EQ(lines[2]["statements"][0]["rows"],
            json::parse(R"([[1, 1, "2030-01-02 03:04:05.678"]])"));
}

TEST_F(MariadbProxy, TheLogIsAuditedAndALieInItIsFound) {
  start();
  run_client(
      "START TRANSACTION;\nSELECT n FROM stock WHERE id = 1;\n"
      "UPDATE stock SET n = n - 1 WHERE id = 1;\n"
      "INSERT INTO orders (stock) VALUES (1);\nCOMMIT;\n"
      "SELECT `n` FROM `stock` WHERE `id` = 1;\n"
      "SELECT id FROM orders WHERE stock = 1;\n");
  stop();
  const test::Ran honest =
      test::run_command("txscope audit log.jsonl", place_.path());
  EXPECT_EQ(honest.status, 0) << honest.output;
  std::string text = place_.read("log.jsonl");
  const std::size_t at = text.rfind("[[4]]");
  ASSERT_NE(at, std::string::npos) << text;
  text.replace(at, 5, "[[5]]");
  place_.write("log.jsonl", text);
  const test::Ran lie =
      test::run_command("txscope audit log.jsonl", place_.path());
  EXPECT_EQ(lie.status, 1) << lie.output;
}

}  // namespace
}  // namespace txscope::db
