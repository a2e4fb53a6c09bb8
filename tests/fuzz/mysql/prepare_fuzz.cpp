// Random texts of statements: our reader takes a text exactly when a live
// MariaDB prepares it, or says of it that this program does not support it.

#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "base/random.h"
#include "read/sql/mysql/parser.h"
#include "support/fuzz.h"
#include "support/live_server.h"

namespace txscope::test {
namespace {

const auto kStatements = std::to_array<const char*>({
    "SELECT id , n + 1 AS m FROM t WHERE n > 5 ORDER BY id DESC LIMIT 2",
    "SELECT DISTINCT a . n FROM t a LEFT JOIN u ON a . id = u . t WHERE u . id "
    "IS NOT NULL",
    "SELECT COUNT ( * ) , SUM ( n ) FROM t GROUP BY s HAVING SUM ( n ) > 3",
    "SELECT * FROM t WHERE id IN ( SELECT t FROM u ) FOR UPDATE",
    "SELECT CASE WHEN n < 3 THEN 'a' ELSE s END FROM t LOCK IN SHARE MODE",
    "SELECT IF ( n , 1 , 2 ) , IFNULL ( s , 'x' ) FROM t NATURAL JOIN u",
    "SELECT n FROM t UNION ALL SELECT t FROM u ORDER BY 1",
    "WITH c AS ( SELECT id FROM t ) SELECT * FROM c , t",
    "SELECT DATE_ADD ( '2020-01-01' , INTERVAL 3 DAY ) - INTERVAL 1 HOUR",
    "SELECT CAST ( n AS UNSIGNED ) , CONVERT ( s , CHAR ( 5 ) ) FROM t",
    "SELECT EXISTS ( SELECT 1 FROM t WHERE s LIKE 'a%' AND NOT n BETWEEN 1 "
    "AND 3 )",
    "SELECT GROUP_CONCAT ( DISTINCT s ORDER BY n SEPARATOR '-' ) FROM t",
    "SELECT ROW_NUMBER ( ) OVER ( PARTITION BY s ORDER BY n ) FROM t",
    "SELECT n DIV 2 , n MOD 3 , n ^ 1 , ~ n , ! n , n <=> NULL , n XOR 1 FROM "
    "t",
    "INSERT INTO t ( id , n ) VALUES ( 9 , 1 ) , ( 10 , DEFAULT )",
    "INSERT IGNORE INTO t SET id = 9 , n = n + 1",
    "INSERT INTO t SELECT id + 9 , n , s FROM t",
    "INSERT INTO t VALUES ( 1 , 2 , 'x' ) ON DUPLICATE KEY UPDATE n = VALUES ( "
    "n ) + 1",
    "REPLACE INTO t ( id , n ) VALUES ( 1 , 5 )",
    "UPDATE t SET n = n * 2 , s = NULL WHERE id = 1 OR s IS NULL",
    "UPDATE t JOIN u ON t . id = u . t SET t . n = u . id WHERE u . id > 1",
    "UPDATE t SET n = 1 ORDER BY id LIMIT 1",
    "DELETE FROM t WHERE id = 1 && n || s",
    "DELETE t FROM t INNER JOIN u USING ( id ) WHERE u . t = 3",
    "DELETE FROM t ORDER BY n LIMIT 2",
    "CREATE TABLE v ( id INT UNSIGNED NOT NULL AUTO_INCREMENT , n DECIMAL ( 9 "
    ", 2 ) DEFAULT 1.5 , PRIMARY KEY ( id ) , KEY k ( n ) ) ENGINE = InnoDB",
    "CREATE TABLE w ( e ENUM ( 'a' , 'b' ) , d DATETIME ( 3 ) DEFAULT NOW ( 3 "
    ") , t INT REFERENCES t ( id ) ON DELETE CASCADE )",
    "ALTER TABLE t ADD COLUMN z VARCHAR ( 9 ) CHARACTER SET utf8mb4 NOT NULL "
    "AFTER n , ADD UNIQUE KEY q ( z )",
    "CREATE UNIQUE INDEX i ON t ( s ( 3 ) , n DESC )",
    "CREATE OR REPLACE VIEW x AS SELECT id FROM t",
    "DROP TABLE IF EXISTS v , w",
    "SET @a = 1 , @b := 'x'",
    "CALL p ( 1 , @a )",
    "COMMIT",
    "TRUNCATE TABLE t",
});

constexpr std::array<const char*, 34> kWords = {
    "(",   ")",      ",",     ".",      "=",    "+",        "*",
    "1",   "'x'",    "n",     "t",      "`id`", "NULL",     "NOT",
    "AND", "AS",     "ON",    "SELECT", "FROM", "WHERE",    "SET",
    "BY",  "IN",     "LIMIT", "CASE",   "END",  "SELECT 1", "@a",
    "<=>", "BINARY", "INTO",  "IS",     "ALL",  "VALUES"};

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> all(1);
  bool is_quoted = false;
  for (const char c : text) {
    if (c == '\'') is_quoted = !is_quoted;
    if (c == ' ' && !is_quoted)
      all.emplace_back();
    else
      all.back() += c;
  }
  return all;
}

std::string random_text(Random& random) {
  std::vector<std::string> words =
      words_of(kStatements[random.below(kStatements.size())]);
  for (std::uint64_t i = random.below(3); i > 0 && words.size() > 1; --i) {
    const auto at = static_cast<std::ptrdiff_t>(random.below(words.size()));
    switch (random.below(4)) {
      case 0: words.erase(words.begin() + at); break;
      case 1:
        words.insert(words.begin() + at, kWords[random.below(kWords.size())]);
        break;
      case 2:
        words[static_cast<std::size_t>(at)] =
            kWords[random.below(kWords.size())];
        break;
      default:
        std::swap(words[static_cast<std::size_t>(at)],
                  words[random.below(words.size())]);
    }
  }
  std::string text;
  for (const std::string& word : words)
    text += (text.empty() ? "" : " ") + word;
  return text;
}

enum class Said : std::uint8_t { Taken, Refused, NotSupported };

Said our_answer(const std::string& text) {
  const sql::Source source("f.sql", text, nullptr,
                           std::make_shared<sql::MysqlState>());
  try {
    (void)sql::parse_mysql(source, text, 0, sql::MysqlText::Statement);
    return Said::Taken;
  } catch (const sql::Failure& failure) {
    return failure.is_gap ? Said::NotSupported : Said::Refused;
  }
}

TEST(MysqlFuzz, TextsAreTakenThatMariadbPrepares) {
  if (!live_mariadb().server) GTEST_SKIP() << live_mariadb().why;
  const auto session = live_mariadb().connect();
  ASSERT_NE(session, nullptr);
  (void)session->execute("CREATE DATABASE IF NOT EXISTS prepared");
  (void)session->execute("USE prepared");
  (void)session->execute("CREATE TABLE t (id INT PRIMARY KEY, n INT, s TEXT)");
  (void)session->execute("CREATE TABLE u (id INT PRIMARY KEY, t INT)");
  Random random(fuzz_seed(91));
  const int rounds = fuzz_rounds(3000);
  int taken = 0;
  int gaps = 0;
  std::vector<std::string> too_many;
  std::vector<std::string> too_few;
  for (int round = 0; round < rounds; ++round) {
    const std::string text = random_text(random);
    std::string quoted;
    for (const char c : text) quoted += c == '\'' ? "''" : std::string(1, c);
    const db::Answer answer =
        session->execute("PREPARE p FROM '" + quoted + "'");
    // Names that are not there, and their like, are found behind the syntax.
    const bool is_syntax = answer.code == "1064" || answer.code == "1149";
    const Said ours = our_answer(text);
    taken += ours == Said::Taken ? 1 : 0;
    gaps += ours == Said::NotSupported ? 1 : 0;
    if (ours == Said::Taken && is_syntax) too_many.push_back(text);
    if (ours == Said::Refused && answer.is_ok()) too_few.push_back(text);
  }
  for (const std::string& text : too_many)
    std::printf("only ours: %s\n", text.c_str());
  for (const std::string& text : too_few)
    std::printf("only MariaDB: %s\n", text.c_str());
  std::printf(
      "%d texts, %d taken, %d not supported; %zu only ours, %zu only the "
      "server\n",
      rounds, taken, gaps, too_many.size(), too_few.size());
  EXPECT_GT(taken, rounds / 4);
  EXPECT_LE(too_many.size(), static_cast<std::size_t>(rounds / 20));
  EXPECT_LE(too_few.size(), static_cast<std::size_t>(rounds / 100));
}

}  // namespace
}  // namespace txscope::test
