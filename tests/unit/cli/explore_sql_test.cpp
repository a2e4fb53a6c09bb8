// `txscope explore` of applications in SQL as its users see it.

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "support/run_command.h"

namespace txscope {
namespace {

using test::Ran;
using test::run_command;
using test::TemporaryDirectory;

// A counter that is read and written back, and one that is not.
constexpr char kCounters[] =
    "CREATE TABLE counters (id int PRIMARY KEY, n int NOT NULL);\n"
    "INSERT INTO counters VALUES (1, 0), (2, 0);\n"
    "CREATE PROCEDURE hit() LANGUAGE plpgsql AS $$\n"
    "DECLARE\n"
    "  v int;\n"
    "BEGIN\n"
    "  SELECT n INTO v FROM counters WHERE id = 1;\n"
    "  UPDATE counters SET n = v + 1 WHERE id = 1;\n"
    "  UPDATE counters SET n = n + 1 WHERE id = 2;\n"
    "END;\n"
    "$$;\n"
    "--@ session a: CALL hit();\n"
    "--@ session b: CALL hit();\n"
    "--@ invariant kept: (SELECT n FROM counters WHERE id = 1) = (SELECT n "
    "FROM "
    "counters WHERE id = 2)\n";

class ExploreSql : public testing::Test {
 protected:
  ExploreSql() {
    directory_.write("hits.sql", kCounters);
    directory_.write("hits", kCounters);
    directory_.write("p.txn", "var x\nsession { txn { write x = 1 } }\n");
    directory_.write("spin.sql",
                     "CREATE TABLE t (id int PRIMARY KEY, n int);\n"
                     "INSERT INTO t VALUES (1, 0);\n"
                     "CREATE PROCEDURE spin() LANGUAGE plpgsql AS $$\n"
                     "BEGIN\n"
                     "  WHILE EXISTS (SELECT 1 FROM t WHERE n = 0) LOOP\n"
                     "    UPDATE t SET n = 0 WHERE id = 1;\n"
                     "  END LOOP;\nEND;\n$$;\n"
                     "--@ session a: CALL spin();\n");
  }
  Ran explore(const std::string& arguments) const {
    return run_command("txscope explore " + arguments, directory_.path());
  }
  nlohmann::json json(const std::string& arguments) const {
    return nlohmann::json::parse(explore(arguments + " --format json").output);
  }
  /// Refused with exit status 2 and a message that has these words.
  void expect_refused(const std::string& arguments, const std::string& words) {
    const Ran ran = explore(arguments);
    EXPECT_EQ(ran.status, 2) << ran.output;
    EXPECT_TRUE(ran.said(words)) << ran.output;
  }
  TemporaryDirectory directory_;
};

// Levels of theory have no rows of their own.
TEST_F(ExploreSql, SaysThatNothingWasAsked) {
  const std::string words = "The file has no rule, so none could break";
  for (const std::string levels : {"causal", "causal,serializable"}) {
    const Ran program = explore("p.txn --level " + levels);
    EXPECT_EQ(program.status, 3);
    EXPECT_EQ(explore("p.txn --count --level " + levels).status, 0);
    EXPECT_NE(program.output.find(words), std::string::npos) << program.output;
    EXPECT_EQ(explore("hits.sql --level " + levels).output.find(words),
              std::string::npos);
  }
}

TEST_F(ExploreSql, ProductsHaveTheNamesThatPeopleGiveThem) {
  const std::string all = explore("hits.sql --level postgresql").output;
  EXPECT_NE(all.find("postgresql:repeatable-read"), std::string::npos) << all;
  EXPECT_EQ(explore("hits.sql --level postgres").output, all);
  EXPECT_EQ(explore("hits.sql --level PG").output, all);
  expect_refused("hits.sql --level 'REPEATABLE READ'",
                 "of an engine: postgresql:repeatable-read");
}

// script(1) gives the program a terminal.
TEST_F(ExploreSql, ATerminalHasItsWidthAndItsColours) {
  const auto on_terminal = [this](const std::string& set, int columns) {
    return run_command("script -qec 'stty cols " + std::to_string(columns) +
                           "; " + set +
                           " txscope explore hits.sql --level postgresql' "
                           "/dev/null",
                       directory_.path())
        .output;
  };
  const auto longest = [](const std::string& text) {
    std::size_t most = 0;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      most = std::max(most, end - at);
      at = end + 1;
    }
    return most;
  };
  const std::string wide = on_terminal("NO_COLOR=1 TERM=xterm", 120);
  EXPECT_GT(longest(wide), 82u) << wide;
  EXPECT_LE(longest(wide), 121u) << wide;  // a terminal's lines end with \r
  const std::string narrow = on_terminal("NO_COLOR=1 TERM=xterm", 70);
  EXPECT_LE(longest(narrow), 82u) << narrow;
  EXPECT_LE(longest(explore("hits.sql --level postgresql").output), 80u);
  EXPECT_EQ(wide.find("\x1b["), std::string::npos);
  EXPECT_NE(on_terminal("NO_COLOR= TERM=xterm", 80).find("\x1b[1;31m"),
            std::string::npos);
}

TEST_F(ExploreSql, AFileOfAnotherLanguageIsToldWhatItWasTakenFor) {
  directory_.write("app.odd", "print(1)\n");
  expect_refused("app.odd", "a file named *.odd is read as a .txn program");
}

TEST_F(ExploreSql, ExitsByTheVerdict) {
  EXPECT_EQ(explore("hits.sql --level postgresql:read-committed").status, 1);
  EXPECT_EQ(explore("hits.sql --level postgresql:repeatable-read").status, 0);
  EXPECT_EQ(explore("hits.sql --level serializable").status, 0);
  EXPECT_EQ(explore("hits.sql --level read-committed").status, 1);
  EXPECT_EQ(explore("spin.sql --loop-bound 5").status, 3);
  EXPECT_EQ(explore("spin.sql --loop-bound 5 --level serializable").status, 3);
  EXPECT_EQ(explore("missing.sql").status, 2);
}

// No time at all: the setup of every level ends the budget, and each level has
// its row, whatever was known by then.
TEST_F(ExploreSql, SaysUndecidedAtEveryLevelIfThereIsNoTime) {
  const Ran text = explore("hits.sql --timeout 0ms");
  EXPECT_EQ(text.status, 3) << text.output;
  EXPECT_NE(text.output.find("undecided"), std::string::npos) << text.output;
  const Ran both = explore("hits.sql --timeout 0ms --level all");
  EXPECT_EQ(both.status, 3) << both.output;
  const auto report = json("hits.sql --timeout 0ms");
  ASSERT_EQ(report["results"].size(), 3u);
  for (const auto& result : report["results"]) {
    EXPECT_EQ(result["verdict"], "undecided");
    EXPECT_EQ(result["complete"], false);
    EXPECT_EQ(result["budget"], "time");
    ASSERT_EQ(result["properties"].size(), 1u);
    EXPECT_EQ(result["properties"][0]["verdict"], "undecided");
  }
}

// The time is up in the middle of a search that would take minutes; what a call
// does after that, explaining included, is over within a tenth and a little.
TEST_F(ExploreSql, KeepsWithinItsTime) {
  std::string text = kCounters;
  for (char s = 'c'; s <= 'h'; ++s) {
    text += std::string("--@ session ") + s + ": CALL hit();\n";
  }
  directory_.write("many.sql", text);
  // At PostgreSQL's levels sessions with equal calls are soon done.
  for (const char* level : {"mariadb:read-committed", "read-committed"}) {
    const auto report =
        json("many.sql --all --timeout 2s --level " + std::string(level));
    EXPECT_EQ(report["results"][0]["complete"], false) << level;
    EXPECT_EQ(report["results"][0]["budget"], "time") << level;
    EXPECT_EQ(report["results"][0]["verdict"], "violated") << level;
    EXPECT_FALSE(report["results"][0]["violation"]["schedule"].empty())
        << level;
  }
}

TEST_F(ExploreSql, NamesTheAnomalyOfAnEnginesFinding) {
  const auto report = json("hits.sql --level postgresql:read-committed");
  const auto& violation = report["results"][0]["violation"];
  EXPECT_EQ(violation["anomaly_words"], "lost update");
  // Who read what from whom.
  const auto& first = violation["schedule"][0];
  EXPECT_EQ(first["reads"][0]["key"], "counters(1)");
  EXPECT_EQ(first["reads"][0]["from"], "init");
  const Ran ran = explore("hits.sql --level postgresql:read-committed");
  EXPECT_TRUE(ran.said("More: txscope explain lost-update")) << ran.output;
}

TEST_F(ExploreSql, SaysWhatCertifyDid) {
  const Ran engine = explore("hits.sql --level postgresql --certify");
  EXPECT_EQ(engine.status, 1) << engine.output;
  for (const char* words : {"the counterexample was replayed on a fresh engine",
                            "in 2 serial orders it ends as tables in memory do",
                            "a serial order produces each of"}) {
    EXPECT_NE(engine.output.find(words), std::string::npos) << words << "\n"
                                                            << engine.output;
  }
  const Ran theory = explore("hits.sql --level read-committed --certify");
  EXPECT_NE(theory.output.find("judged from the definition"), std::string::npos)
      << theory.output;
}

TEST_F(ExploreSql, ExploresTheLevelsOfPostgresqlByDefault) {
  const auto report = json("hits.sql");
  ASSERT_EQ(report["results"].size(), 3u);
  EXPECT_EQ(report["results"][0]["level"], "postgresql:read-committed");
  EXPECT_EQ(report["results"][1]["level"], "postgresql:repeatable-read");
  EXPECT_EQ(report["results"][2]["level"], "postgresql:serializable");
  EXPECT_EQ(explore("hits.sql").status, 1);
}

TEST_F(ExploreSql, TakesLevelsOfBothKindsAndWholeProducts) {
  const auto report = json("hits.sql --level causal,mariadb,pg:rc");
  ASSERT_EQ(report["results"].size(), 7u);
  EXPECT_EQ(report["results"][0]["level"], "causal");
  EXPECT_EQ(report["results"][1]["level"], "postgresql:read-committed");
  EXPECT_EQ(report["results"][2]["level"], "mariadb:read-uncommitted");
  EXPECT_EQ(json("hits.sql --level all")["results"].size(), 19u);
}

TEST_F(ExploreSql, KeepsTheJsonContractAtAnEnginesLevel) {
  const auto report = json("hits.sql --level postgresql:read-committed --all");
  EXPECT_EQ(report["tool"], "txscope");
  EXPECT_EQ(report["verb"], "explore");
  const auto& result = report["results"][0];
  EXPECT_EQ(result["order"], "session");
  EXPECT_EQ(result["verdict"], "violated");
  // One first, or both reads before: the other waits and overwrites.
  EXPECT_EQ(result["histories"], 3);
  for (const char* count : {"end_states", "filtered", "discarded", "cut",
                            "blocked", "explored", "duplicates"}) {
    EXPECT_TRUE(result[count].is_number()) << count;
  }
  EXPECT_EQ(result["complete"], true);
  EXPECT_EQ(result["properties"][0]["name"], "kept");
  EXPECT_EQ(result["properties"][0]["kind"], "invariant");
  EXPECT_EQ(result["properties"][0]["verdict"], "violated");
  const auto& violation = result["violation"];
  EXPECT_EQ(violation["place"], "hits.sql:14:21");
  EXPECT_EQ(violation["values"]["counters"],
            nlohmann::json::parse("[[1,1],[2,2]]"));
  EXPECT_EQ(violation["serial_orders"].size(), 2u);
  bool reads_old = false;
  for (const auto& step : violation["schedule"]) {
    reads_old |= step["place"] == "hits.sql:7:3" && step["seen"] == "0" &&
                 step["session"] == "b";
  }
  EXPECT_TRUE(reads_old);
}

TEST_F(ExploreSql, RecommendsALockOnTheReadThatWasOvertaken) {
  const auto report = json("hits.sql --level postgresql:read-committed");
  const auto& repairs = report["results"][0]["violation"]["repairs"];
  ASSERT_EQ(repairs.size(), 3u);
  EXPECT_EQ(repairs[0]["kind"], "atomic-update");
  EXPECT_EQ(repairs[0]["level"], "postgresql:read-committed");
  EXPECT_EQ(repairs[0]["all_hold"], true);
  EXPECT_EQ(repairs[1]["kind"], "lock");
  ASSERT_EQ(repairs[1]["for_update"].size(), 1u);
  EXPECT_EQ(repairs[1]["for_update"][0], "hits.sql:7:3");
  EXPECT_EQ(repairs[2]["kind"], "level");
}

// A count cannot have FOR UPDATE: its rows are locked before.
TEST_F(ExploreSql, RecommendsToLockTheRowsThatAreCounted) {
  directory_.write(
      "duty.sql",
      "CREATE TABLE d (id int PRIMARY KEY, on_duty boolean);\n"
      "INSERT INTO d VALUES (1, true), (2, true);\n"
      "CREATE PROCEDURE leave(me int) LANGUAGE plpgsql AS $$\n"
      "DECLARE\n  n int;\nBEGIN\n"
      "  SELECT count(*) INTO n FROM d WHERE on_duty;\n"
      "  IF n > 1 THEN\n"
      "    UPDATE d SET on_duty = false WHERE id = me;\n"
      "  END IF;\nEND;\n$$;\n"
      "--@ session a: CALL leave(1);\n"
      "--@ session b: CALL leave(2);\n"
      "--@ invariant one: EXISTS (SELECT 1 FROM d WHERE on_duty)\n");
  const auto report = json("duty.sql --level pg:rr");
  const auto& repairs = report["results"][0]["violation"]["repairs"];
  ASSERT_EQ(repairs.size(), 2u);
  EXPECT_EQ(repairs[0]["lock_before"][0], "duty.sql:7:3");
  EXPECT_EQ(repairs[1]["level"], "postgresql:serializable");
}

TEST_F(ExploreSql, KnowsSqlByItsContent) {
  EXPECT_EQ(explore("hits --level serializable").status, 0);
}

TEST_F(ExploreSql, DrawsAGraph) {
  const Ran ran = explore("hits.sql --level read-committed --format dot");
  EXPECT_EQ(ran.output.rfind("digraph txscope {", 0), 0u) << ran.output;
  EXPECT_EQ(ran.output.find("digraph", 1), std::string::npos) << ran.output;
  EXPECT_TRUE(ran.said("UPDATE\\ counters")) << ran.output;
}

TEST_F(ExploreSql, WritesHistoriesThatHaveTheLevel) {
  EXPECT_EQ(explore("hits.sql --level causal --histories h.jsonl").status, 0);
  const Ran checked =
      run_command("txscope check h.jsonl --level causal", directory_.path());
  EXPECT_EQ(checked.status, 0) << checked.output;
}

TEST_F(ExploreSql, TextFitsEightyColumns) {
  for (const char* level : {"all", "postgresql", "causal"}) {
    const Ran ran = explore(std::string("hits.sql --all --level ") + level);
    std::size_t begin = 0;
    while (begin < ran.output.size()) {
      const std::size_t end = ran.output.find('\n', begin);
      EXPECT_LE(end - begin, 80u) << ran.output.substr(begin, end - begin);
      begin = end + 1;
    }
  }
}

TEST_F(ExploreSql, RefusesWhatALevelCannotDo) {
  expect_refused("hits.sql --level mssql:repeatable-read", "mssql");
  expect_refused("hits.sql --level postgresql:causal", "postgresql");
  expect_refused("hits.sql --level nonsense", "nonsense");
  expect_refused("hits.sql --histories h.jsonl", "--histories");
  expect_refused("hits.sql --algorithm dfs", "--algorithm");
  expect_refused("hits.sql --self-check", "--self-check");
  expect_refused("p.txn --level postgresql:read-committed",
                 "not a SQL application");
}

TEST_F(ExploreSql, MysqlNamesInnodbsLevels) {
  const Ran mysql = explore("hits.sql --level mysql:repeatable-read");
  const Ran mariadb = explore("hits.sql --level mariadb:repeatable-read");
  EXPECT_EQ(mysql.status, mariadb.status);
  EXPECT_NE(mysql.output.find("observed on MariaDB"), std::string::npos)
      << mysql.output;
}

TEST_F(ExploreSql, MysqlIsOfferedNothingThatOnlyMariadbHas) {
  const std::string only = "+snapshot";
  const Ran mariadb = explore("hits.sql --level mariadb:repeatable-read");
  EXPECT_NE(mariadb.output.find(only), std::string::npos) << mariadb.output;
  for (const char* level : {"mysql:repeatable-read", "mysql", "innodb"}) {
    const Ran mysql = explore(std::string("hits.sql --level ") + level);
    EXPECT_EQ(mysql.output.find(only), std::string::npos) << mysql.output;
    EXPECT_EQ(mysql.output.find("1020"), std::string::npos) << mysql.output;
    EXPECT_NE(mysql.output.find("mariadb:serializable"), std::string::npos)
        << mysql.output;
  }
  expect_refused("hits.sql --level mysql:repeatable-read+snapshot",
                 "MySQL has no level");
}

TEST_F(ExploreSql, ReadsMysqlsSyntaxAtMariadbsLevels) {
  directory_.write(
      "hits.mysql.sql",
      "CREATE TABLE `page` (\n  id INT AUTO_INCREMENT PRIMARY KEY,\n"
      "  hits INT NOT NULL) ENGINE=InnoDB;\n"
      "INSERT INTO `page` VALUES (1, 0);\nDELIMITER //\n"
      "CREATE PROCEDURE visit() BEGIN DECLARE n INT; START TRANSACTION; "
      "SELECT hits INTO n FROM page WHERE id = 1; "
      "UPDATE page SET hits = n + 1 WHERE id = 1; COMMIT; END//\n"
      "DELIMITER ;\n--@ session a: CALL visit();\n"
      "--@ session b: CALL visit();\n"
      "--@ invariant both: (SELECT hits FROM page WHERE id = 1) = 2\n");
  const Ran ran = explore("hits.mysql.sql");
  EXPECT_EQ(ran.status, 1) << ran.output;
  EXPECT_TRUE(ran.said("MySQL's syntax")) << ran.output;
  EXPECT_TRUE(ran.said("mariadb:repeatable-read")) << ran.output;
  EXPECT_FALSE(ran.said("postgresql:")) << ran.output;
}

TEST_F(ExploreSql, ExplainsTheLevelsOfEngines) {
  const Ran ran = run_command("txscope explain pg:rc", directory_.path());
  EXPECT_EQ(ran.status, 0);
  EXPECT_EQ(ran.output.rfind("postgresql:read-committed", 0), 0u) << ran.output;
  EXPECT_TRUE(ran.said("observed on PostgreSQL"));
  EXPECT_EQ(run_command("txscope explain mssql:rr", directory_.path()).status,
            2);
}

TEST_F(ExploreSql, RefusesFilesThatAreNoApplication) {
  directory_.write("empty.sql", "");
  expect_refused("empty.sql", "empty.sql");
  directory_.write("lonely.sql", "CREATE TABLE t (id int PRIMARY KEY);\n");
  expect_refused("lonely.sql", "session");
  directory_.write("bad.sql",
                   "CREATE TABLE t (id int PRIMARY KEY);\n"
                   "INSERT INTO t VALUES (1), (1);\n"
                   "--@ session a: BEGIN; DELETE FROM t; COMMIT;\n");
  expect_refused("bad.sql --level serializable", "duplicate key");
  expect_refused("bad.sql", "duplicate key");
  directory_.write("own.sql", std::string(kCounters) +
                                  "--@ level hit: postgresql:serializable\n");
  expect_refused("own.sql --level causal", "level of its own");
}

}  // namespace
}  // namespace txscope
