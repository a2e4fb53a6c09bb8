// Real programs on a real PostgreSQL: psql scripts, and the applications of
// tests/race, whose outcomes were enumerated by brute force.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <set>
#include <thread>

#include "race/plan/case_file.h"
#include "race/run/environment.h"
#include "race/search/search.h"
#include "support/fuzz.h"
#include "support/paths.h"
#include "support/run_command.h"
#include "unit/race/scripts.h"

namespace {

using namespace txscope;
using namespace txscope::race;
using namespace txscope::race::scripts;
using nlohmann::json;

TEST(Race, FindsThatTwoRequestsOversell) {
  const auto found =
      race_scripts({kProduct,
                    {kBuy, kBuy},
                    {{"stock", "(SELECT quantity FROM product) >= 0"}}});
  ASSERT_TRUE(found) << found.error().what;
  EXPECT_TRUE(found->is_complete);
  EXPECT_TRUE(found->has_anomaly());
  EXPECT_EQ(found->broken_rules(), std::vector<std::string>{"stock"});
  ASSERT_EQ(found->outcomes.size(), 3u);
  const Outcome& anomaly = found->outcomes.back();
  EXPECT_EQ(anomaly.kind, Outcome::Class::Anomaly);
  EXPECT_EQ(anomaly.state["product"][0]["quantity"], -1);
  EXPECT_EQ(anomaly.broken_rules.at("stock").numbers, "-1 >= 0");
  EXPECT_EQ(anomaly.requests[0].printed, "ok");
  EXPECT_EQ(anomaly.requests[1].printed, "ok");
}

TEST(Race, FindsNothingWhenTheRowIsLocked) {
  const std::string repaired =
      "BEGIN;\nSELECT quantity >= 3 AS ok FROM product WHERE id = 1 FOR UPDATE "
      "\\gset\n\\if :ok\n"
      "UPDATE product SET quantity = quantity - 3 WHERE id = 1;\n"
      "\\echo ok\n\\else\n\\echo refused\n\\endif\nCOMMIT;\n";
  const auto found =
      race_scripts({kProduct,
                    {repaired, repaired},
                    {{"stock", "(SELECT quantity FROM product) >= 0"}}});
  ASSERT_TRUE(found) << found.error().what;
  EXPECT_TRUE(found->is_complete);
  EXPECT_FALSE(found->is_violated());
  EXPECT_EQ(found->outcomes.size(), 2u);
}

TEST(Race, InADeadlockEachMemberIsTheVictimOnce) {
  const std::string schema =
      "CREATE TABLE a (id int PRIMARY KEY, n int);"
      "INSERT INTO a VALUES (1, 0), (2, 0)";
  const auto move = [](int from, int to, int n) {
    const auto add = [&](int id) {
      return "UPDATE a SET n = n + " + std::to_string(n) +
             " WHERE id = " + std::to_string(id) + ";\n";
    };
    return "BEGIN;\n" + add(from) + add(to) + "COMMIT;\n\\echo done\n";
  };
  const auto found =
      race_scripts({schema, {move(1, 2, 1), move(2, 1, 10)}, {}});
  ASSERT_TRUE(found) << found.error().what;
  EXPECT_TRUE(found->is_complete);
  EXPECT_EQ(found->uncaught, std::vector<std::string>{"40P01"});
  EXPECT_FALSE(found->has_anomaly());
  // Both, only the first, only the second.
  EXPECT_EQ(found->outcomes.size(), 3u);
}

TEST(Race, TheSameCallGivesTheSameAnswer) {
  const Scripts scripts = {kProduct, {kBuy, kBuy, kBuy}, {}};
  const auto first = race_scripts(scripts);
  const auto second = race_scripts(scripts);
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->schedules, second->schedules);
  EXPECT_EQ(seen(*first), seen(*second));
}

/// Statements by chance on two small tables, some in transactions.
std::string random_script(std::mt19937& random) {
  const bool has_transaction = random() % 3 != 0;
  const std::vector<std::string> levels = {"READ COMMITTED", "READ COMMITTED",
                                           "REPEATABLE READ"};
  std::string text;
  if (has_transaction)
    text += "BEGIN ISOLATION LEVEL " + levels[random() % levels.size()] + ";\n";
  for (std::size_t n = 1 + random() % 3; n > 0; --n) {
    const std::string table = random() % 2 == 0 ? "a" : "b";
    const std::string id = std::to_string(1 + random() % 2);
    switch (random() % 6) {
      case 0: text += "SELECT n FROM " + table + " WHERE id = " + id; break;
      case 1: text += "SELECT sum(n) FROM " + table; break;
      case 2:
        text += "SELECT n FROM " + table + " WHERE id = " + id + " FOR UPDATE";
        break;
      case 3:
        text += "UPDATE " + table + " SET n = n * 2 + 1 WHERE id = " + id;
        break;
      case 4:
        text += "UPDATE " + table +
                " SET n = (SELECT max(n) FROM a) + 5 "
                "WHERE id = " +
                id;
        break;
      default:
        text += "INSERT INTO " + table + " VALUES (" +
                std::to_string(3 + random() % 2) + ", 7)";
        break;
    }
    text += ";\n";
  }
  if (has_transaction) text += random() % 5 == 0 ? "ROLLBACK;\n" : "COMMIT;\n";
  return text;
}

TEST(Race, ReductionLosesNoOutcomeOfRandomScripts) {
  std::mt19937 random(static_cast<unsigned>(fuzz_seed(7)));
  for (int round = 0; round < fuzz_rounds(2); ++round) {
    const Scripts scripts = {
        "CREATE TABLE a (id int PRIMARY KEY, n int);"
        "CREATE TABLE b (id int PRIMARY KEY, n int);"
        "INSERT INTO a VALUES (1, 1), (2, 2);"
        "INSERT INTO b VALUES (1, 3), (2, 4)",
        {random_script(random), random_script(random)},
        {}};
    const auto all = race_scripts(scripts, false);
    const auto reduced = race_scripts(scripts, true);
    ASSERT_TRUE(all) << all.error().what;
    ASSERT_TRUE(reduced) << reduced.error().what;
    EXPECT_EQ(seen(*reduced), seen(*all)) << scripts.requests[0] << "---\n"
                                          << scripts.requests[1];
    EXPECT_EQ(reduced->uncaught, all->uncaught);
  }
}

TEST(Race, ACommitIsSeenAlsoWhereTheNextTransactionFollowsAtOnce) {
  // BEGIN is no step: when all have come to rest, it is open already.
  const auto found = race_scripts(
      {"CREATE TABLE a (id int PRIMARY KEY); INSERT INTO a VALUES (1)",
       {"DELETE FROM a WHERE id = 1;\nBEGIN;\nDELETE FROM a WHERE id = 9;\n"
        "COMMIT;\n",
        "SELECT count(*) FROM a;\n"},
       {}});
  ASSERT_TRUE(found) << found.error().what;
  EXPECT_TRUE(found->is_complete);
  EXPECT_EQ(found->outcomes.size(), 2u);
}

TEST(Race, ARequestThatNeverEndsIsToldAsAHang) {
  const test::TemporaryDirectory place;
  Plan plan = plan_of({"", {"SELECT 1;", "SELECT 1;"}, {}}, place);
  plan.requests[1].command = {"sleep", "1000"};
  auto copies = Copies::from_sql("CREATE TABLE a (id int)", "schema.sql");
  ASSERT_TRUE(copies);
  SearchOptions options;
  options.time_limit = 0.5;
  const auto found = search(plan, **copies, options, Budget::unlimited());
  ASSERT_FALSE(found);
  EXPECT_NE(found.error().what.find("do not end even one after the other"),
            std::string::npos);
}

TEST(Race, ARequestThatNeverStopsComputingIsToldAsAHang) {
  const test::TemporaryDirectory place;
  Plan plan = plan_of({"", {"SELECT 1;", "SELECT 1;"}, {}}, place);
  plan.requests[1].command = {"/bin/sh", "-c", "while :; do :; done"};
  auto copies = Copies::from_sql("CREATE TABLE a (id int)", "schema.sql");
  ASSERT_TRUE(copies);
  SearchOptions options;
  options.time_limit = 0.5;
  const auto found = search(plan, **copies, options, Budget::unlimited());
  ASSERT_FALSE(found);
  EXPECT_NE(found.error().what.find("did not go on"), std::string::npos);
}

TEST(Race, WhomTheMachineKeepsWaitingDoesNotHang) {
  Stillness stillness;
  stillness.look({false, 7});  // ready to run, and not let
  stillness.look({false, 7});
  EXPECT_EQ(stillness.seconds(), 0);
  stillness.look({false, 9});  // two seconds of a processor
  EXPECT_EQ(stillness.seconds(), 2);
  stillness.look({true, 9});  // asleep since a moment ago
  EXPECT_GE(stillness.seconds(), 2);
  EXPECT_LT(stillness.seconds(), 3);
  stillness.restart();
  EXPECT_EQ(stillness.seconds(), 0);
}

TEST(Race, AWaitThatATimeoutEndsIsNoHang) {
  // The inner connection waits for the outer one, which waits for its command.
  const std::string alone =
      "BEGIN;\nUPDATE product SET quantity = 1 WHERE id = 1;\n"
      "\\! psql -XqAt -c \"SET lock_timeout = '50ms'\" -c \"UPDATE product SET "
      "quantity = 2\" 2> /dev/null || echo late\nCOMMIT;\n";
  const auto found = race_scripts({kProduct, {alone, "SELECT 1;\n"}, {}});
  ASSERT_TRUE(found) << found.error().what;
  EXPECT_TRUE(found->hung.empty());
  EXPECT_TRUE(found->is_complete);
  ASSERT_FALSE(found->outcomes.empty());
  EXPECT_EQ(found->outcomes[0].requests[0].printed, "late");
}

/// Holds a lock until somebody waits for it.
void hold_until_awaited(db::Session& holder, const std::string& lock) {
  ASSERT_TRUE(holder.execute(lock).is_ok());
  const char* const is_awaited =
      "SELECT count(*) FROM pg_locks WHERE NOT granted";
  while (holder.execute(is_awaited).rows.at(0).at(0) == "0") {
  }
  ASSERT_TRUE(holder.execute("ROLLBACK").is_ok());
}

TEST(Race, WhoWaitsForSomebodyElseGoesOnWithoutUs) {
  const test::TemporaryDirectory place;
  Scripts scripts = {kProduct, {kBuy}, {}};
  const Plan plan = plan_of(scripts, place);
  auto copies = Copies::from_sql(scripts.schema, "schema.sql");
  ASSERT_TRUE(copies) << copies.error().what;
  const auto copy = (*copies)->make();
  ASSERT_TRUE(copy);
  auto other = (*copies)->connect(copy->name());
  auto control = (*copies)->connect();
  ASSERT_TRUE(other && control);
  RunWorld world;
  world.lane.server = (*copies)->endpoint();
  world.lane.database = copy->name();
  world.lane.user = world.user = (*copies)->user();
  world.control = control->get();
  std::thread holder(
      [&] { hold_until_awaited(**other, "BEGIN; LOCK TABLE product"); });
  const auto trace = run_requests(
      plan, {true}, world, [](const auto&, const std::vector<Choice>& enabled) {
        return std::optional(enabled.front());
      });
  holder.join();
  ASSERT_TRUE(trace) << trace.error().what;
  EXPECT_EQ(trace->end, RunTrace::End::Complete) << trace->problem;
  EXPECT_EQ(trace->requests[0].printed, "ok");
}

// As pgx does: the rows come in one piece with the COPY, not behind its answer.
const char* const kCopyAtOnce = R"py(import os, socket, struct
s = socket.create_connection((os.environ["PGHOST"], int(os.environ["PGPORT"])))
def send(kind, body):
    return kind + struct.pack("!i", len(body) + 4) + body
def answer(until):
    kinds = b""
    while not kinds.endswith(until):
        head = s.recv(5, socket.MSG_WAITALL)
        s.recv(struct.unpack("!i", head[1:])[0] - 4, socket.MSG_WAITALL)
        kinds += head[:1]
    return kinds.decode()
start = struct.pack("!i", 196608) + b"user\0postgres\0database\0x\0\0"
s.sendall(struct.pack("!i", len(start) + 4) + start)
answer(b"Z")
s.sendall(send(b"Q", b"COPY product FROM STDIN\0") + send(b"d", b"7\t1\n") +
          send(b"c", b""))
print(answer(b"Z"))
s.sendall(send(b"X", b""))
)py";

TEST(Race, RowsThatComeWithTheirCopyFollowIt) {
  const test::TemporaryDirectory place;
  place.write("copy.py", kCopyAtOnce);
  Plan plan = plan_of({kProduct, {"SELECT 1;"}, {}}, place);
  plan.requests.push_back({"copy", {"python3", "copy.py"}});
  auto copies = Copies::from_sql(kProduct, "schema.sql");
  ASSERT_TRUE(copies);
  const auto found = search(plan, **copies, {}, Budget::unlimited());
  ASSERT_TRUE(found) << found.error().what;
  ASSERT_EQ(found->outcomes.size(), 1u);
  // It may take the rows, has taken them, and is ready for the next.
  EXPECT_EQ(found->outcomes[0].requests[1].printed, "GCZ");
  EXPECT_EQ(found->outcomes[0].state["product"].size(), 2u);
}

TEST(Race, JavaIsToldTheAddressInItsOwnWords) {
  const auto variables = client_environment(
      Product::PostgreSql, {"127.0.0.1", "6543", ""}, "shop", "clerk");
  const std::map<std::string, std::string> told(variables.begin(),
                                                variables.end());
  EXPECT_EQ(told.at("SPRING_DATASOURCE_URL"),
            "jdbc:postgresql://127.0.0.1:6543/shop");
  EXPECT_EQ(told.at("SPRING_DATASOURCE_USERNAME"), "clerk");
  EXPECT_EQ(told.at("JDBC_DATABASE_URL"),
            "jdbc:postgresql://127.0.0.1:6543/shop?user=clerk");
}

TEST(Race, AnApplicationMayCallTheAddressSomethingElse) {
  Plan plan;
  plan.environment = {
      {"DB_SOURCE", "postgresql://{user}@{host}:{port}/{database}"},
      {"OTHER", "{url}?x={y}"},
      {"PGUSER", "teller"}};
  const auto variables =
      environment_of(plan, {"127.0.0.1", "6543", ""}, "shop", "clerk");
  const std::map<std::string, std::string> told(variables.begin(),
                                                variables.end());
  EXPECT_EQ(told.size(), variables.size());  // each once
  EXPECT_EQ(told.at("DB_SOURCE"), "postgresql://clerk@127.0.0.1:6543/shop");
  EXPECT_EQ(told.at("OTHER"), "postgresql://clerk@127.0.0.1:6543/shop?x={y}");
  EXPECT_EQ(told.at("PGUSER"), "teller");
  // Laravel's words, and those of many Node and Django projects.
  EXPECT_EQ(told.at("DB_DATABASE"), "shop");
  EXPECT_EQ(told.at("DB_NAME"), "shop");
  EXPECT_EQ(told.at("POSTGRES_PORT"), "6543");
}

TEST(Race, NoVariableLeadsPastTheAddress) {
  ::setenv("PGHOSTADDR", "192.0.2.1", 1);
  ::setenv("PGSERVICE", "none", 1);
  auto process = Process::start(
      {"/bin/sh", "-c", "echo ${PGHOSTADDR-not} ${PGSERVICE-set}"}, "", {});
  ::unsetenv("PGHOSTADDR");
  ::unsetenv("PGSERVICE");
  ASSERT_TRUE(process) << process.error().what;
  while (!process->has_ended()) process->advance();
  EXPECT_EQ(process->printed(), "not set\n");
  // Go's lib/pq ends when it sees the first of them, whatever it says.
  for (const auto& [name, value] : client_environment(
           Product::PostgreSql, {"127.0.0.1", "6543", ""}, "shop", "clerk"))
    EXPECT_NE(name, "PGHOSTADDR");
}

TEST(Race, ACommandThatDoesNotExistIsAnError) {
  const test::TemporaryDirectory place;
  Plan plan = plan_of({"", {"SELECT 1;", "SELECT 1;"}, {}}, place);
  plan.requests[1].command = {"no-such-command"};
  auto copies = Copies::from_sql("CREATE TABLE a (id int)", "schema.sql");
  ASSERT_TRUE(copies);
  const auto found = search(plan, **copies, {}, Budget::unlimited());
  ASSERT_FALSE(found);
  EXPECT_NE(found.error().what.find("no-such-command"), std::string::npos);
}

TEST(Race, ARuleThatIsNoSqlIsAnError) {
  const auto found =
      race_scripts({kProduct, {kBuy, kBuy}, {{"stock", "quantity >"}}});
  ASSERT_FALSE(found);
  EXPECT_NE(found.error().what.find("rule 'stock'"), std::string::npos);
}

// -- the applications of tests/race -------------------------------------------

std::string cases() { return test::source_dir() + "/tests/race"; }

/// Whether the machine has what this application needs.
bool can_run(const std::string& driver) {
  const std::string clients = test::source_dir() + "/build/clients";
  ::setenv("PYTHONPATH", (clients + "/python").c_str(), 1);
  ::setenv("NODE_PATH", (clients + "/node_modules:/usr/share/nodejs").c_str(),
           1);
  const auto has = [](const std::string& module) {
    return test::run_command("python3 -c 'import " + module + "'", "/")
               .status == 0;
  };
  if (driver.find("node") != std::string::npos)
    return test::run_command("node -e 'require(\"pg\")'", "/").status == 0;
  if (driver.find("Django") != std::string::npos && !has("django"))
    return false;
  if (driver.find("SQLAlchemy") != std::string::npos && !has("sqlalchemy"))
    return false;
  if (driver.find("asyncpg") != std::string::npos) return has("asyncpg");
  return has(driver.find("psycopg2") != std::string::npos ? "psycopg2"
                                                          : "psycopg");
}

Seen expected_outcomes(const json& expected) {
  Seen result;
  for (const json& one : expected["outcomes"]) {
    State state = one["state"];
    for (auto& [table, rows] : state.items()) {
      auto list = rows.get<std::vector<State>>();
      std::sort(list.begin(), list.end());
      rows = list;
    }
    result.insert(state.dump() + one["results"].dump());
  }
  return result;
}

std::map<std::string, std::string> classes(const json& expected) {
  std::map<std::string, std::string> result;
  for (const json& one : expected["outcomes"]) {
    const std::string key =
        *expected_outcomes({{"outcomes", json::array({one})}}).begin();
    result[key] = one["class"];
  }
  return result;
}

void expect_as_enumerated(const std::string& name) {
  const std::string file = cases() + "/" + name + "/case.json";
  std::ifstream stream(file);
  const json text = json::parse(stream);
  if (!can_run(text["driver"])) {
    std::printf("left out: %s needs %s\n", name.c_str(),
                text["driver"].get<std::string>().c_str());
    return;
  }
  const auto read = read_case(file);
  ASSERT_TRUE(read) << read.error().what;
  auto copies = Copies::from_sql(read->schema, read->schema_file);
  ASSERT_TRUE(copies) << copies.error().what;
  const auto found = search(read->plan, **copies, {}, Budget::unlimited());
  ASSERT_TRUE(found) << name << ": " << found.error().what;
  const json& expected = text["expected"];
  EXPECT_EQ(seen(*found), expected_outcomes(expected)) << name;
  EXPECT_EQ(found->has_anomaly(), expected["non_serializable"]) << name;
  EXPECT_EQ(json(found->broken_rules()), expected["broken_rules"]) << name;
  EXPECT_EQ(json(found->uncaught), expected["uncaught"]) << name;
  EXPECT_TRUE(found->is_complete) << name << ": " << found->why_incomplete;
  const auto kinds = classes(expected);
  for (const Outcome& one : found->outcomes) {
    Findings alone;
    alone.outcomes = {one};
    const auto kind = kinds.find(*seen(alone).begin());
    if (kind == kinds.end()) continue;  // told above
    EXPECT_EQ(name_of(one.kind), kind->second) << name;
  }
}

TEST(RaceCases, EndAsBruteForceSays) {
  for (const char* name :
       {"version_ok", "queue_subselect", "lock_autocommit", "pipeline",
        "seat_asyncpg", "fk_missing", "check_function"})
    expect_as_enumerated(name);
}

TEST(RaceCases, AllOfThemEndAsBruteForceSays) {
  if (fuzz_rounds(1) <= 1)
    GTEST_SKIP() << "takes minutes; TXSCOPE_FUZZ_ROUNDS=2 runs it";
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(cases()))
    names.insert(entry.path().filename().string());
  ASSERT_GE(names.size(), 42u);
  for (const std::string& name : names) expect_as_enumerated(name);
}

}  // namespace
