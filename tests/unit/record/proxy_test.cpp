// The proxy between real clients and a real server.

#include "db/proxy/proxy.h"

#include <gtest/gtest.h>
#include <libpq-fe.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "db/postgresql.h"
#include "db/proxy/initial_state.h"
#include "db/record/write_log.h"
#include "support/live_server.h"
#include "support/paths.h"
#include "support/run_command.h"

namespace txscope::db {
namespace {

/// A proxy on a thread of its own, before the shared server.
class RunningProxy {
 public:
  RunningProxy(const Session& session, const std::string& log)
      : file_(*LineFile::open(log)) {
    const PostgresqlEndpoint endpoint = endpoint_of(session);
    plan_.port = 0;
    plan_.server_host = endpoint.host;
    plan_.server_port = endpoint.port;
    plan_.database = endpoint.database;
    plan_.max_connections = 3;
    world_.file = &file_;
    world_.on_listening = [this](std::uint16_t port) -> Result<Done> {
      port_ = port;
      return Done{};
    };
    world_.on_progress = [this](const ProxyCounts&) { return !is_over_; };
    thread_ = std::thread([this] {
      auto result = run_recording_proxy(plan_, world_);
      if (result) counts_ = *result;
    });
    while (port_ == 0) std::this_thread::yield();
  }
  ~RunningProxy() { stop(); }
  ProxyCounts stop() {
    is_over_ = true;
    if (thread_.joinable()) thread_.join();
    file_.flush();
    return counts_;
  }
  [[nodiscard]] std::string connection(const std::string& more = "") const {
    return "host=127.0.0.1 port=" + std::to_string(port_) +
           " user=postgres dbname=postgres sslmode=disable " + more;
  }
  [[nodiscard]] std::string port() const { return std::to_string(port_); }
  [[nodiscard]] std::string jdbc() const {
    return "jdbc:postgresql://127.0.0.1:" + std::to_string(port_) +
           "/postgres?user=postgres";
  }

 private:
  LineFile file_;
  ProxyPlan plan_;
  ProxyWorld world_;
  std::atomic<std::uint16_t> port_ = 0;
  std::atomic<bool> is_over_ = false;
  ProxyCounts counts_;
  std::thread thread_;
};

class ProxyTest : public testing::Test {
 protected:
  void SetUp() override {
    test::LiveServer& live = test::live_postgresql();
    if (!live.server) GTEST_SKIP() << live.why;
    control_ = live.connect();
    control_->execute("DROP TABLE IF EXISTS proxied");
    control_->execute(
        "CREATE TABLE proxied (id int PRIMARY KEY, name text, price "
        "numeric(8,2), CHECK (price > 0))");
    control_->execute("INSERT INTO proxied VALUES (1, 'pen', 1.50)");
  }
  [[nodiscard]] std::string log() const { return directory_.read("log"); }
  [[nodiscard]] bool logged(const std::string& text) const {
    return log().find(text) != std::string::npos;
  }

  std::unique_ptr<Session> control_;
  test::TemporaryDirectory directory_;
};

TEST_F(ProxyTest, PsqlSeesTheSameAndTheLogHasIt) {
  RunningProxy proxy(*control_, directory_.path() + "/log");
  const std::string command =
      " -At -c \"SELECT name, price FROM proxied\" -c \"BEGIN; UPDATE proxied "
      "SET price = price + 1; COMMIT\" -c \"INSERT INTO proxied VALUES (1)\"";
  const test::Ran ran = test::run_command(
      "psql \"" + proxy.connection() + "\"" + command, directory_.path());
  EXPECT_TRUE(ran.said("pen|1.50")) << ran.output;
  EXPECT_TRUE(ran.said("duplicate key")) << ran.output;
  const test::Ran tls = test::run_command(
      "psql \"" + proxy.connection("sslmode=require") + "\" -c 'SELECT 1'",
      directory_.path());
  EXPECT_NE(tls.output.find("does not support SSL"), std::string::npos)
      << tls.output;
  const ProxyCounts counts = proxy.stop();
  EXPECT_EQ(counts.refused_tls, 1u);
  EXPECT_EQ(counts.transactions, 3u) << log();
  EXPECT_TRUE(logged(R"("rows":[["pen","1.50"]])")) << log();
  EXPECT_TRUE(logged(R"("sql":"UPDATE proxied SET price = price + 1")"));
  EXPECT_TRUE(logged(R"("status":"aborted")")) << log();
  EXPECT_TRUE(logged("23505")) << log();
}

TEST_F(ProxyTest, PsycopgsBinaryParametersAndResultsAreDecoded) {
  if (test::run_command("/usr/bin/python3 -c 'import psycopg'",
                        directory_.path())
          .status != 0)
    GTEST_SKIP() << "install the package python3-psycopg";
  RunningProxy proxy(*control_, directory_.path() + "/log");
  directory_.write("client.py", R"py(
import sys, psycopg, decimal
connection = psycopg.connect(sys.argv[1])
cursor = connection.cursor(binary=True)
for price in ("-1234.50", "0.07", "10000", "99.90"):
    cursor.execute("SELECT %s::numeric(8,2), %s::int8, %s::bool, %s::text",
                   (decimal.Decimal(price), 1 << 40, True, "caf\u00e9"))
    print(cursor.fetchone())
connection.commit()
for n in range(8):
    cursor.execute("UPDATE proxied SET name = %s WHERE id = %s", (str(n), 1))
connection.rollback()
with connection.pipeline():
    cursor.execute("INSERT INTO proxied VALUES (%s, %s, %s)", (2, "x", 5))
    cursor.execute("SELECT count(*) FROM proxied")
connection.commit()
with cursor.copy("COPY proxied FROM STDIN") as copy:
    copy.write_row((3, "c", 1))
connection.commit()
cursor.execute("DELETE FROM proxied")
connection.close()
)py");
  const test::Ran ran = test::run_command(
      "/usr/bin/python3 client.py \"" + proxy.connection() + "\"",
      directory_.path());
  EXPECT_EQ(ran.status, 0) << ran.output;
  proxy.stop();
  for (const char* price : {"-1234.50", "0.07", "10000.00", "99.90"})
    EXPECT_TRUE(logged(std::string("[[\"") + price +
                       "\",1099511627776,true,\"caf\xc3\xa9\"]]"))
        << price << log();
  EXPECT_TRUE(logged(R"("params":["7",1])")) << log();
  EXPECT_TRUE(logged("INSERT INTO proxied VALUES (3, 'c', 1)")) << log();
  EXPECT_TRUE(logged(R"("rows":[[2]])")) << log();
  // The client went in the last one: the server rolled it back, whether or not
  // the proxy still heard it say so.
  const std::string text = log();
  const std::size_t last = text.rfind("DELETE FROM proxied");
  ASSERT_NE(last, std::string::npos);
  const std::size_t line = text.rfind('\n', last) + 1;
  EXPECT_EQ(text.find("\"status\":\"committed\"", line), std::string::npos);
}

TEST_F(ProxyTest, JdbcsBatchesAndCursorsAreUnderstood) {
  const std::string driver = "/usr/share/java/postgresql.jar";
  if (test::run_command("java -version && test -f " + driver, directory_.path())
          .status != 0)
    GTEST_SKIP() << "install the packages default-jdk-headless and "
                    "libpostgresql-jdbc-java";
  RunningProxy proxy(*control_, directory_.path() + "/log");
  directory_.write("Client.java", R"java(
import java.sql.*;

public class Client {
  public static void main(String[] arguments) throws Exception {
    try (Connection c = DriverManager.getConnection(arguments[0])) {
      c.setAutoCommit(false);
      c.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
      // After five times it becomes a named statement, with binary results.
      try (PreparedStatement s = c.prepareStatement(
               "SELECT price FROM proxied WHERE id = ?")) {
        for (int i = 0; i < 8; ++i) {
          s.setInt(1, 1);
          try (ResultSet r = s.executeQuery()) {
            r.next();
            System.out.println(r.getInt(1));
          }
        }
      }
      c.commit();
      try (PreparedStatement s = c.prepareStatement(
               "INSERT INTO proxied VALUES (?, ?, ?)")) {
        for (int i = 10; i < 15; ++i) {
          s.setInt(1, i);
          s.setString(2, "n" + i);
          s.setInt(3, i * i);
          s.addBatch();
        }
        s.executeBatch();
      }
      c.commit();
      // Rows in pieces of two.
      try (PreparedStatement s = c.prepareStatement(
               "SELECT id, price FROM proxied WHERE id >= 10 ORDER BY id")) {
        s.setFetchSize(2);
        int sum = 0;
        try (ResultSet r = s.executeQuery()) {
          while (r.next()) sum += r.getInt(2);
        }
        System.out.println("sum " + sum);
      }
      c.commit();
      try (Statement s = c.createStatement()) {
        s.executeUpdate("INSERT INTO proxied VALUES (10, 'again', 1)");
      } catch (SQLException e) {
        System.out.println(e.getSQLState());
      }
      c.rollback();
    }
  }
}
)java");
  const test::Ran ran = test::run_command(
      "java -cp " + driver + " Client.java '" + proxy.jdbc() + "'",
      directory_.path());
  EXPECT_EQ(ran.status, 0) << ran.output;
  EXPECT_TRUE(ran.said("sum 730")) << ran.output;
  EXPECT_TRUE(ran.said("23505")) << ran.output;
  proxy.stop();
  EXPECT_TRUE(logged(R"("level":"postgresql:repeatable-read")")) << log();
  EXPECT_TRUE(logged(R"("params":[14,"n14",196])")) << log();
  EXPECT_TRUE(logged(
      R"("rows":[[10,"100.00"],[11,"121.00"],[12,"144.00"],[13,"169.00"],)"
      R"([14,"196.00"]])"))
      << log();
  EXPECT_TRUE(logged(R"("sqlstate":"23505")")) << log();
}

TEST_F(ProxyTest, NodePostgresNamedStatementsAndPoolsAreUnderstood) {
  const std::string node =
      "NODE_PATH='" + test::source_dir() +
      "/build/clients/node_modules:/usr/share/nodejs' node ";
  if (test::run_command(node + "-e 'require(\"pg\")'", directory_.path())
          .status != 0)
    GTEST_SKIP() << "run scripts/install-clients, with node and npm there";
  RunningProxy proxy(*control_, directory_.path() + "/log");
  directory_.write("client.js", R"js(
const { Pool, Client } = require('pg');
async function main() {
  const settings = { host: '127.0.0.1', port: Number(process.argv[2]),
                     user: 'postgres', database: 'postgres' };
  const pool = new Pool({ ...settings, max: 2 });
  // Two at once, by connections of the pool.
  await Promise.all([2, 3].map(async (id) => {
    const client = await pool.connect();
    await client.query('BEGIN ISOLATION LEVEL SERIALIZABLE');
    await client.query('INSERT INTO proxied VALUES ($1, $2, $3)',
                       [id, 'n' + id, id + 0.5]);
    await client.query('COMMIT');
    client.release();
  }));
  // A named statement is parsed once, and bound twice.
  for (const id of [2, 3]) {
    const { rows } = await pool.query(
        { name: 'by-id', text: 'SELECT name, price FROM proxied WHERE id = $1',
          values: [id] });
    console.log(rows[0].name, rows[0].price);
  }
  await pool.end();
  const client = new Client(settings);
  await client.connect();
  const both = await client.query(
      'SELECT count(*) FROM proxied; UPDATE proxied SET name = NULL');
  console.log('both', both[0].rows[0].count, both[1].rowCount);
  await client.query('INSERT INTO proxied VALUES ($1)', [1])
      .catch((error) => console.log(error.code));
  await client.end();
}
main();
)js");
  const test::Ran ran =
      test::run_command(node + "client.js " + proxy.port(), directory_.path());
  EXPECT_EQ(ran.status, 0) << ran.output;
  EXPECT_TRUE(ran.said("n3 3.50")) << ran.output;
  EXPECT_TRUE(ran.said("both 3 3")) << ran.output;
  EXPECT_TRUE(ran.said("23505")) << ran.output;
  proxy.stop();
  EXPECT_TRUE(logged(R"("level":"postgresql:serializable")")) << log();
  // It leaves all types to the server.
  EXPECT_TRUE(logged(R"("params":["3","n3","3.5"],"param_types":["unknown",)"))
      << log();
  EXPECT_TRUE(logged(R"("rows":[["n2","2.50"]])")) << log();
  EXPECT_TRUE(logged(R"("rows":[["n3","3.50"]])")) << log();
  EXPECT_TRUE(logged(R"("rows":[[3]])")) << log();
  EXPECT_TRUE(logged(R"("sqlstate":"23505")")) << log();
}

TEST_F(ProxyTest, WaitsAreCancelledThroughTheProxy) {
  RunningProxy proxy(*control_, directory_.path() + "/log");
  control_->execute("BEGIN");
  control_->execute("UPDATE proxied SET name = 'locked'");
  PGconn* client = PQconnectdb(proxy.connection().c_str());
  ASSERT_EQ(PQstatus(client), CONNECTION_OK) << PQerrorMessage(client);
  ASSERT_EQ(PQsendQuery(client, "UPDATE proxied SET name = 'waits'"), 1);
  // However early it comes: the server works on the statement by then, or it
  // is asked once more.
  PGcancel* cancel = PQgetCancel(client);
  char why[256];
  do {
    EXPECT_EQ(PQcancel(cancel, why, sizeof why), 1) << why;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    PQconsumeInput(client);
  } while (PQisBusy(client) != 0);
  PGresult* result = PQgetResult(client);
  EXPECT_STREQ(PQresultErrorField(result, PG_DIAG_SQLSTATE), "57014");
  PQclear(result);
  PQfreeCancel(cancel);
  PQfinish(client);
  control_->execute("ROLLBACK");
  proxy.stop();
  EXPECT_TRUE(logged("57014")) << log();
}

TEST_F(ProxyTest, MoreClientsThanAllowedAreToldSo) {
  RunningProxy proxy(*control_, directory_.path() + "/log");
  std::vector<std::unique_ptr<Session>> sessions;
  for (int i = 0; i < 3; ++i) {
    auto session = connect_postgresql(proxy.connection());
    ASSERT_TRUE(session) << session.error().what;
    sessions.push_back(*std::move(session));
  }
  const auto refused = connect_postgresql(proxy.connection());
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().what.find("reached its limit of clients"),
            std::string::npos)
      << refused.error().what;
}

TEST_F(ProxyTest, AnEndedServerConnectionIsToldToTheClientAndUnknown) {
  RunningProxy proxy(*control_, directory_.path() + "/log");
  auto session = connect_postgresql(proxy.connection());
  ASSERT_TRUE(session);
  ASSERT_TRUE((*session)->execute("BEGIN").is_ok());
  ASSERT_TRUE((*session)->execute("DELETE FROM proxied").is_ok());
  control_->execute("SELECT pg_terminate_backend(" +
                    std::to_string((*session)->id()) + ")");
  EXPECT_TRUE((*session)->execute("COMMIT").is_lost());
  proxy.stop();
  EXPECT_TRUE(logged(R"("status":"unknown")")) << log();
}

TEST_F(ProxyTest, TheFirstLineHasTablesAndRows) {
  const auto header = initial_state(*control_, 100);
  ASSERT_TRUE(header) << header.error().what;
  const std::string line = header_line(*header);
  EXPECT_NE(line.find("CREATE TABLE proxied (id integer NOT NULL, name text, "
                      "price numeric(8,2), CONSTRAINT proxied_pkey PRIMARY KEY "
                      "(id), CONSTRAINT proxied_price_check CHECK"),
            std::string::npos)
      << line;
  EXPECT_NE(line.find(R"("proxied":[[1,"pen","1.50"]])"), std::string::npos)
      << line;
  EXPECT_NE(line.find("\"level\":\"postgresql:read-committed\""),
            std::string::npos);
}

// In an order in which they can be made again.
TEST_F(ProxyTest, TheFirstLineHasTypesKeysViewsAndTriggers) {
  control_->execute("DROP SCHEMA IF EXISTS held CASCADE");
  for (const char* sql :
       {"CREATE SCHEMA held", "CREATE TYPE held.mood AS ENUM ('sad', 'it''s')",
        "CREATE DOMAIN held.amount AS int DEFAULT 1 CHECK (VALUE > 0)",
        "CREATE TYPE held.pair AS (a int, b text)",
        "CREATE SEQUENCE held.numbers INCREMENT 5 START 10",
        "CREATE FUNCTION held.six() RETURNS int LANGUAGE sql AS 'SELECT 6'",
        "CREATE TABLE held.b (id int PRIMARY KEY DEFAULT held.six(), a int)",
        "CREATE FUNCTION held.of(held.b) RETURNS int LANGUAGE sql AS 'SELECT "
        "$1.id'",
        "CREATE TABLE held.a (id serial PRIMARY KEY, m held.mood, n "
        "held.amount, b int REFERENCES held.b)",
        "ALTER TABLE held.b ADD CONSTRAINT to_a FOREIGN KEY (a) REFERENCES "
        "held.a",
        "CREATE UNIQUE INDEX once ON held.a (n) WHERE m = 'sad'",
        "CREATE VIEW held.seen AS SELECT id FROM held.a",
        "CREATE FUNCTION held.f() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
        "RETURN NEW; END $$",
        "CREATE TRIGGER fired BEFORE INSERT ON held.a FOR EACH ROW EXECUTE "
        "FUNCTION held.f()",
        "SELECT nextval('held.numbers')"})
    ASSERT_TRUE(control_->execute(sql).is_ok()) << sql;
  const auto header = initial_state(*control_, 100);
  control_->execute("DROP SCHEMA held CASCADE");
  ASSERT_TRUE(header) << header.error().what;
  std::size_t at = 0;
  for (const char* text :
       {"CREATE TYPE held.mood AS ENUM ('sad', 'it''s')",
        "CREATE DOMAIN held.amount AS integer DEFAULT 1 CHECK ((VALUE > 0))",
        "CREATE TYPE held.pair AS (a integer, b text)",
        "CREATE SEQUENCE held.numbers INCREMENT 5 START 15",
        "CREATE OR REPLACE FUNCTION held.six()", "CREATE TABLE held.b (id",
        "CREATE TABLE held.a (id integer", "CREATE OR REPLACE FUNCTION held.of",
        "ALTER TABLE held.b ADD CONSTRAINT to_a FOREIGN KEY (a) REFERENCES "
        "held.a(id)",
        "CREATE UNIQUE INDEX once ON held.a", "CREATE VIEW held.seen AS",
        "CREATE TRIGGER fired"}) {
    while (at < header->schema.size() && !header->schema[at].starts_with(text))
      ++at;
    EXPECT_LT(at, header->schema.size()) << text;
  }
}

}  // namespace
}  // namespace txscope::db
