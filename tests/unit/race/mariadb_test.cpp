// Real programs on a real MariaDB: scripts of its own client.

#include <gtest/gtest.h>

#include <random>

#include "race/name/name_race.h"
#include "race/repair/repair.h"
#include "support/fuzz.h"
#include "support/paths.h"
#include "support/run_command.h"
#include "unit/race/scripts.h"

namespace txscope::race {
namespace {

using namespace scripts;

const char* const kAccounts =
    "CREATE TABLE a (id int PRIMARY KEY, n int NOT NULL);"
    "INSERT INTO a VALUES (1, 5), (2, 5);";

Plan mariadb_plan(const Scripts& scripts,
                  const test::TemporaryDirectory& place) {
  Plan plan;
  plan.product = Product::MariaDb;
  plan.directory = place.path();
  plan.rules = scripts.rules;
  for (const std::string& text : scripts.requests) {
    const std::string name = std::to_string(plan.requests.size() + 1);
    place.write(name + ".sql", text);
    plan.requests.push_back(
        {name,
         {"/bin/sh", "-c",
          "mariadb --no-defaults -N -h$MYSQL_HOST -P$MYSQL_TCP_PORT "
          "-u$MYSQL_USER $MYSQL_DATABASE < " +
              name + ".sql"}});
  }
  return plan;
}

Result<Findings> race_on_mariadb(const Scripts& scripts, bool reduces = true) {
  const test::TemporaryDirectory place;
  const Plan plan = mariadb_plan(scripts, place);
  auto copies =
      Copies::from_sql(scripts.schema, "schema.sql", Product::MariaDb);
  if (!copies) return copies.error();
  SearchOptions options;
  options.reduces = reduces;
  return search(plan, **copies, options, Budget::unlimited());
}

TEST(RaceOnMariadb, FindsALostUpdate) {
  const std::string add =
      "BEGIN;\nSELECT n INTO @n FROM a WHERE id = 1;\n"
      "UPDATE a SET n = @n + 1 WHERE id = 1;\nCOMMIT;\n";
  const auto found =
      race_on_mariadb({kAccounts,
                       {add, add},
                       {{"both", "(SELECT n FROM a WHERE id = 1) = 7"}}});
  ASSERT_TRUE(found) << found.error().what;
  EXPECT_TRUE(found->is_complete);
  EXPECT_TRUE(found->has_anomaly());
  EXPECT_EQ(found->broken_rules(), std::vector<std::string>{"both"});
  // Two add 1 to 5, and one of them is lost.
  EXPECT_EQ(found->outcomes.back().broken_rules.at("both").sentence(),
            "6 = 7 is false");
  // One after the other gives 7, between each other 6.
  ASSERT_EQ(found->outcomes.size(), 2u);
  EXPECT_EQ(found->outcomes[1].state["a"][0]["n"], 6);
  const auto name = name_of_race(found->outcomes[1].example, found->catalog,
                                 Budget::unlimited());
  ASSERT_TRUE(name);
  EXPECT_EQ(name->words, "lost update");
}

TEST(RaceOnMariadb, FindsNothingWhereTheRowIsLockedAndSeesTheWait) {
  const std::string add =
      "BEGIN;\nSELECT n INTO @n FROM a WHERE id = 1 FOR UPDATE;\n"
      "UPDATE a SET n = @n + 1 WHERE id = 1;\nCOMMIT;\n";
  const auto found = race_on_mariadb({kAccounts, {add, add}, {}});
  ASSERT_TRUE(found) << found.error().what;
  EXPECT_TRUE(found->is_complete);
  EXPECT_FALSE(found->is_violated());
  EXPECT_EQ(found->outcomes.size(), 1u);
}

/// What is tried against a race of two.
std::vector<TriedRepair> repairs_on_mariadb(const std::string& schema,
                                            const std::string& request,
                                            const std::string& rule) {
  const test::TemporaryDirectory place;
  const Plan plan =
      mariadb_plan({schema, {request, request}, {{"rule", rule}}}, place);
  auto copies = Copies::from_sql(schema, "schema.sql", Product::MariaDb);
  EXPECT_TRUE(copies);
  if (!copies) return {};
  const auto found = search(plan, **copies, {}, Budget::unlimited());
  EXPECT_TRUE(found && found->is_complete && !found->broken_rules().empty());
  if (!found) return {};
  auto tried = try_repairs(plan, **copies, *found, {}, Budget::unlimited());
  EXPECT_TRUE(tried) << tried.error().what;
  return tried ? *std::move(tried) : std::vector<TriedRepair>();
}

TEST(RaceOnMariadb, SerializableIsTriedAndItsErrorsAreTold) {
  const auto tried =
      repairs_on_mariadb(kAccounts,
                         "BEGIN;\nSELECT n INTO @n FROM a WHERE id = 1;\n"
                         "UPDATE a SET n = @n + 1 WHERE id = 1;\nCOMMIT;\n",
                         "(SELECT n FROM a WHERE id = 1) = 7");
  const auto level =
      std::find_if(tried.begin(), tried.end(), [](const TriedRepair& one) {
        return one.repair.kind == Repair::Kind::Isolation;
      });
  ASSERT_NE(level, tried.end());
  // Both read with a lock that they share, and one of them is sent away: the
  // other's update is not lost, but its own is not made.
  EXPECT_EQ(level->uncaught, std::vector<std::string>{"40001"});
  EXPECT_FALSE(level->remains.empty());
}

TEST(RaceOnMariadb, AUniqueKeyHelpsWhereTwoLookAndInsert) {
  const auto tried = repairs_on_mariadb(
      "CREATE TABLE vote (id int AUTO_INCREMENT PRIMARY KEY, voter int);",
      "SELECT count(*) INTO @n FROM vote WHERE voter = 7;\n"
      "INSERT INTO vote (voter) SELECT 7 WHERE @n = 0;\n",
      "(SELECT count(*) FROM vote) = 1");
  const auto unique =
      std::find_if(tried.begin(), tried.end(), [](const TriedRepair& one) {
        return one.repair.kind == Repair::Kind::Constraint;
      });
  ASSERT_NE(unique, tried.end());
  EXPECT_EQ(unique->repair.what, "ALTER TABLE vote ADD UNIQUE (voter)");
  EXPECT_TRUE(unique->holds) << unique->remains;
}

TEST(RaceOnMariadb, AVariableMayBeSetToWhatATableHas) {
  // The value that another one changes; SET alone would be no step.
  const auto found = race_on_mariadb(
      {kAccounts,
       {"SET @n = (SELECT n FROM a WHERE id = 1);\nSELECT @n;\n",
        "UPDATE a SET n = 8 WHERE id = 1;\n"},
       {}});
  ASSERT_TRUE(found) << found.error().what;
  EXPECT_EQ(found->outcomes.size(), 2u);
}

TEST(RaceOnMariadb, ALockOfTheServerIsNotSharedWithOtherRuns) {
  const std::string add =
      "SELECT GET_LOCK('n', 60);\nSELECT n INTO @n FROM a WHERE id = 1;\n"
      "UPDATE a SET n = @n + 1 WHERE id = 1;\nSELECT RELEASE_LOCK('n');\n"
      "SELECT @n;\n";
  const auto found = race_on_mariadb({kAccounts, {add, add}, {}});
  ASSERT_TRUE(found) << found.error().what;
  EXPECT_TRUE(found->is_complete) << found->why_incomplete;
  EXPECT_FALSE(found->is_violated());
  EXPECT_EQ(found->outcomes.size(), 2u);
}

TEST(RaceOnMariadb, ADeadlockComesBackAsTheServerSendsIt) {
  const auto move = [](int from, int to) {
    const auto add = [](int id) {
      return "UPDATE a SET n = n + 1 WHERE id = " + std::to_string(id) + ";\n";
    };
    return "BEGIN;\n" + add(from) + add(to) + "COMMIT;\nSELECT 'done';\n";
  };
  const auto found = race_on_mariadb({kAccounts, {move(1, 2), move(2, 1)}, {}});
  ASSERT_TRUE(found) << found.error().what;
  EXPECT_TRUE(found->is_complete);
  EXPECT_EQ(found->uncaught, std::vector<std::string>{"40001"});
  EXPECT_FALSE(found->has_anomaly());
}

std::string random_mariadb_script(std::mt19937& random) {
  std::string text = random() % 4 == 0 ? "" : "BEGIN;\n";
  const bool has_transaction = !text.empty();
  for (std::size_t n = 1 + random() % 3; n > 0; --n) {
    const std::string id = std::to_string(1 + random() % 2);
    switch (random() % 6) {
      case 0: text += "SELECT n FROM a WHERE id = " + id; break;
      case 1: text += "SELECT sum(n) FROM a"; break;
      case 2: text += "SELECT n FROM a WHERE id = " + id + " FOR UPDATE"; break;
      case 3:
      case 4: text += "UPDATE a SET n = n * 2 + 1 WHERE id = " + id; break;
      default: text += "INSERT INTO a VALUES (" + id + " + 2, 7)"; break;
    }
    text += ";\n";
  }
  if (has_transaction) text += "COMMIT;\n";
  return text;
}

TEST(RaceOnMariadb, ReductionLosesNoOutcomeOfRandomScripts) {
  std::mt19937 random(static_cast<unsigned>(fuzz_seed(3)));
  for (int round = 0; round < fuzz_rounds(1); ++round) {
    const Scripts scripts = {
        kAccounts,
        {random_mariadb_script(random), random_mariadb_script(random)},
        {}};
    const auto all = race_on_mariadb(scripts, false);
    const auto reduced = race_on_mariadb(scripts, true);
    ASSERT_TRUE(all) << all.error().what;
    ASSERT_TRUE(reduced) << reduced.error().what;
    EXPECT_EQ(seen(*reduced), seen(*all)) << scripts.requests[0] << "---\n"
                                          << scripts.requests[1];
    EXPECT_EQ(reduced->uncaught, all->uncaught);
  }
}

// One sends texts, the other prepared statements.
const char* const kPython = R"(import os, pymysql
db = pymysql.connect(host=os.environ["MYSQL_HOST"], user=os.environ["MYSQL_USER"],
                     port=int(os.environ["MYSQL_TCP_PORT"]),
                     database=os.environ["MYSQL_DATABASE"])
cursor = db.cursor()
cursor.execute("SELECT n FROM a WHERE id = %s", (1,))
n = cursor.fetchone()[0]
cursor.execute("UPDATE a SET n = %s WHERE id = %s", (n + 1, 1))
db.commit()
print(n + 1)
)";
const char* const kNode = R"(const mysql = require('mysql2/promise');
(async () => {
  const env = process.env;
  const db = await mysql.createConnection({host: env.MYSQL_HOST,
    port: +env.MYSQL_TCP_PORT, user: env.MYSQL_USER, database: env.MYSQL_DATABASE});
  await db.beginTransaction();
  const [rows] = await db.execute('SELECT n FROM a WHERE id = ?', [1]);
  await db.execute('UPDATE a SET n = ? WHERE id = ?', [rows[0].n + 1, 1]);
  await db.commit();
  console.log(rows[0].n + 1);
  await db.end();
})();
)";

TEST(RaceOnMariadb, ClientsOfTwoLanguagesLoseAnUpdateToEachOther) {
  const std::string clients = test::source_dir() + "/build/clients";
  const test::TemporaryDirectory place;
  Plan plan;
  plan.product = Product::MariaDb;
  plan.directory = place.path();
  plan.environment = {{"PYTHONPATH", clients + "/python"},
                      {"NODE_PATH", clients + "/node_modules"}};
  const std::string set = "PYTHONPATH=" + clients +
                          "/python NODE_PATH=" + clients + "/node_modules ";
  for (const char* needed :
       {"python3 -c 'import pymysql'", "node -e 'require(\"mysql2\")'"})
    if (test::run_command(set + needed, "/").status != 0)
      GTEST_SKIP() << "not installed: " << needed;
  place.write("app.py", kPython);
  place.write("app.js", kNode);
  plan.requests = {{"1", {"python3", "app.py"}}, {"2", {"node", "app.js"}}};
  auto copies = Copies::from_sql(kAccounts, "schema.sql", Product::MariaDb);
  ASSERT_TRUE(copies) << copies.error().what;
  const auto found = search(plan, **copies, {}, Budget::unlimited());
  ASSERT_TRUE(found) << found.error().what;
  EXPECT_TRUE(found->is_complete);
  ASSERT_EQ(found->outcomes.size(), 3u);
  const Outcome& lost = found->outcomes.back();
  EXPECT_EQ(lost.kind, Outcome::Class::Anomaly);
  EXPECT_EQ(lost.state["a"][0]["n"], 6);
  // Both said so, and what node bound is told.
  EXPECT_EQ(lost.requests[0].printed, "6");
  EXPECT_EQ(lost.requests[1].printed, "6");
  bool is_told = false;
  for (const Event& event : lost.example.events)
    for (const Statement& statement : event.statements)
      is_told |= shown(statement) == "UPDATE a SET n = ? WHERE id = ? -- 6, 1";
  EXPECT_TRUE(is_told);
}

TEST(RaceOnMariadb, WhoFindsTheServerDeadIsNotKeptWaiting) {
  const test::TemporaryDirectory place;
  Plan plan = mariadb_plan({kAccounts, {"SELECT 1;", "SELECT 1;"}, {}}, place);
  plan.requests[0].command.back() =
      "kill -9 $(cat $(mariadb --no-defaults -N -h$MYSQL_HOST "
      "-P$MYSQL_TCP_PORT -u$MYSQL_USER -e 'SELECT @@pid_file'))";
  auto copies = Copies::from_sql(kAccounts, "schema.sql", Product::MariaDb);
  ASSERT_TRUE(copies) << copies.error().what;
  const auto found = search(plan, **copies, {}, Budget::unlimited());
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().what.find("did not go on"), std::string::npos)
      << found.error().what;
}

TEST(RaceOnMariadb, ASchemaThatIsWrongIsToldWithItsFile) {
  const auto copies =
      Copies::from_sql("CREATE TABEL a", "schema.sql", Product::MariaDb);
  ASSERT_FALSE(copies);
  EXPECT_EQ(copies.error().where.file, "schema.sql");
  EXPECT_NE(copies.error().what.find("TABEL"), std::string::npos);
}

}  // namespace
}  // namespace txscope::race
