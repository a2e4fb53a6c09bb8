// An application that is a server with a pool of connections: the same requests
// as commands that speak HTTP.

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "support/paths.h"
#include "support/run_command.h"
#include "txscope/race.h"
#include "txscope/replay.h"
#include "txscope/write.h"

namespace txscope {
namespace {

using nlohmann::json;

const char* const kShop = R"py(import http.server
import queue
import sys

import psycopg

pool = queue.LifoQueue()
for _ in range(int(sys.argv[2])):
    pool.put(psycopg.connect(""))


class Shop(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        connection = pool.get()
        try:
            with connection.transaction():
                query = "SELECT quantity FROM product WHERE id = 1" + sys.argv[3]
                quantity = connection.execute(query).fetchone()[0]
                if quantity >= 3:
                    connection.execute("UPDATE product SET quantity = quantity - 3"
                                       " WHERE id = 1")
        finally:
            pool.put(connection)
        self.send_response(200 if quantity >= 3 else 409)
        self.end_headers()
        self.wfile.write(b"ok\n" if quantity >= 3 else b"refused\n")

    def log_message(self, *args):
        pass


address = ("127.0.0.1", int(sys.argv[1]))
http.server.ThreadingHTTPServer(address, Shop).serve_forever()
)py";

/// One that nobody listens on.
int free_port() {
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  ::bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address);
  socklen_t size = sizeof address;
  ::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size);
  ::close(socket);
  return ntohs(address.sin_port);
}

bool has_tools() {
  ::setenv("PYTHONPATH", (test::source_dir() + "/build/clients/python").c_str(),
           1);
  return std::system("curl --version >/dev/null 2>&1") == 0 &&
         std::system("psql --version >/dev/null 2>&1") == 0 &&
         std::system("python3 -c 'import psycopg' 2>/dev/null") == 0;
}

/// The shop behind HTTP, with so many connections; `more` ends its SELECT.
class Served {
 public:
  Served(const std::string& connections, const std::string& more,
         const json& others = json::object()) {
    const std::string port = std::to_string(free_port());
    const std::string buy = "curl -sS http://127.0.0.1:" + port + "/buy";
    json one = {{"serve", {"python3", "app.py", port, connections, more}},
                {"requests", {buy, buy}},
                {"rules", {{"stock", "(SELECT quantity FROM product) >= 0"}}}};
    one.update(others);
    place_.write("app.py", kShop);
    place_.write("schema.sql",
                 "CREATE TABLE product (id int PRIMARY KEY, quantity int NOT "
                 "NULL); INSERT INTO product VALUES (1, 5)");
    place_.write("case.json", one.dump());
  }

  Result<verb::Report> run() {
    verb::RaceRequest request;
    request.input = place_.path() + "/case.json";
    auto report = verb::race(request, Budget::unlimited());
    if (report) place_.write("found.json", verb::json(*report));
    return report;
  }
  json result() {
    const auto report = run();
    EXPECT_TRUE(report) << report.error().what;
    return report ? json::parse(verb::json(*report))["results"][0]
                  : json::object();
  }
  [[nodiscard]] const std::string& directory() const { return place_.path(); }

 private:
  test::TemporaryDirectory place_;
};

TEST(Serve, RequestsThroughAPoolOversellAndTheFindingReplays) {
  if (!has_tools()) GTEST_SKIP() << "there is no curl, psql or psycopg";
  Served served("2", "", {{"env", {{"PGOPTIONS", "-c app.shop=1"}}}});
  const json found = served.result();
  EXPECT_EQ(found["broken_rules"], json::array({"stock"}));
  EXPECT_EQ(found["complete"], true);
  EXPECT_EQ(found["env"]["PGOPTIONS"], "-c app.shop=1");
  // SELECT, UPDATE, COMMIT of each, where the UPDATE of one waits for the
  // other: both serial outcomes and one that is none, whatever the connections.
  EXPECT_EQ(found["outcomes"].size(), 3u) << found["outcomes"].dump(1);
  verb::ReplayRequest again;
  again.input = served.directory() + "/found.json";
  again.times = 5;
  const auto replayed = verb::replay(again, Budget::unlimited());
  ASSERT_TRUE(replayed) << replayed.error().what;
  EXPECT_EQ(json::parse(verb::json(*replayed))["results"][0]["reproduced"], 5);
}

TEST(Serve, TheRepairedShopHasNoRace) {
  if (!has_tools()) GTEST_SKIP() << "there is no curl, psql or psycopg";
  const json found = Served("2", " FOR UPDATE").result();
  EXPECT_EQ(found["verdict"], "holds") << found.dump(1);
  EXPECT_EQ(found["complete"], true);
}

TEST(Serve, APoolOfOneConnectionMakesRequestsWaitOutsideAndSaysSo) {
  if (!has_tools()) GTEST_SKIP() << "there is no curl, psql or psycopg";
  Served served("1", "");
  const auto report = served.run();
  ASSERT_TRUE(report) << report.error().what;
  const json found = json::parse(verb::json(*report))["results"][0];
  EXPECT_EQ(found["verdict"], "holds") << found.dump(1);
  ASSERT_FALSE(report->notes.empty());
  EXPECT_NE(report->notes[0].find("outside the database"), std::string::npos);
}

TEST(Serve, ACommandMayMakeTheBeginning) {
  if (!has_tools()) GTEST_SKIP() << "there is no curl, psql or psycopg";
  const std::string fill =
      "psql -qc 'TRUNCATE product; INSERT INTO product VALUES (1, 2)'";
  const json found = Served("2", "", {{"reset", fill}}).result();
  // Two are too few for anybody.
  EXPECT_EQ(found["verdict"], "holds") << found.dump(1);
  EXPECT_EQ(found["initial"]["product"][0]["quantity"], 2);
  for (const json& one : found["outcomes"])
    EXPECT_EQ(one["results"][0][0], "refused");
}

// As Rails does: a file says that the server runs, and keeps another one from
// starting, as the repairs need it.
TEST(Serve, AServerMayTidyUpBeforeTheNextOneStarts) {
  if (!has_tools()) GTEST_SKIP() << "there is no curl, psql or psycopg";
  Served served("2", "");
  std::ifstream file(served.directory() + "/case.json");
  json one = json::parse(file);
  std::string serve;
  for (const std::string word : one["serve"]) serve += "'" + word + "' ";
  one["serve"] =
      "if [ -e running ]; then echo 'it runs' >&2; exit 1; fi; "
      "touch running; trap 'rm -f running; exit' TERM; " +
      serve + "& wait";
  std::ofstream(served.directory() + "/case.json") << one.dump();
  const json found = served.result();
  ASSERT_FALSE(found["repairs"].empty());
  EXPECT_EQ(found["repairs"].dump().find("it runs"), std::string::npos)
      << found["repairs"].dump(1);
}

TEST(Serve, AServerThatEndsIsToldWithItsLastWords) {
  if (!has_tools()) GTEST_SKIP() << "there is no curl, psql or psycopg";
  Served served("2", "", {{"serve", "echo no settings >&2; exit 4"}});
  const auto report = served.run();
  ASSERT_FALSE(report);
  EXPECT_NE(report.error().what.find("exit status 4: no settings"),
            std::string::npos)
      << report.error().what;
}

}  // namespace
}  // namespace txscope
