#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "base/random.h"
#include "read/sql/read_as.h"
#include "support/fuzz.h"
#include "support/paths.h"

// Files in MySQL's syntax that were broken at random are read, or refused with
// a place inside of them.
namespace txscope {
namespace {

const char* const kPrograms =
    "CREATE TABLE `t` (`id` int(11) NOT NULL AUTO_INCREMENT, n INT UNSIGNED "
    "DEFAULT '0', k ENUM('a','b') NOT NULL, d DATETIME DEFAULT NOW() ON UPDATE "
    "CURRENT_TIMESTAMP, PRIMARY KEY (`id`), KEY x (n, k(2))) ENGINE=InnoDB;\n"
    "/*!40000 ALTER TABLE `t` DISABLE KEYS */;\n"
    "INSERT INTO t VALUES (1, 2, 'a', NULL), (2, 3, \"b\", '2020-01-01 "
    "01:02:03');\n"
    "INSERT IGNORE INTO t SET n = 5, k = 'a' ON DUPLICATE KEY UPDATE n = n + "
    "VALUES(n);\nALTER TABLE t ADD COLUMN z DECIMAL(10,2) NOT NULL DEFAULT "
    "1.5, "
    "MODIFY n BIGINT(20);\n"
    "DELIMITER $$\n"
    "CREATE DEFINER=`a`@`%` PROCEDURE p(IN a INT, OUT b INT)\nbegin\n"
    "  DECLARE done BOOL DEFAULT FALSE; DECLARE v INT;\n"
    "  DECLARE c CURSOR FOR SELECT n FROM t;\n"
    "  DECLARE CONTINUE HANDLER FOR NOT FOUND SET done = 1;\n"
    "  START TRANSACTION;\n  OPEN c;\n  l: LOOP FETCH c INTO v; IF done THEN "
    "LEAVE l; END IF; END LOOP;\n  CLOSE c;\n"
    "  SELECT n INTO v FROM t WHERE id = a LIMIT 1 FOR UPDATE;\n"
    "  CASE v WHEN 1 THEN SET b = 2; ELSE SET b = IFNULL(v, 3) DIV 2; END "
    "CASE;\n"
    "  WHILE v < 3 DO SET v = v + 1; END WHILE;\n"
    "  REPEAT SET v = v - 1; UNTIL v <= 0 END REPEAT;\n"
    "  IF ROW_COUNT() = 0 THEN SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'x'; "
    "END IF;\n  COMMIT;\nEND$$\n"
    "CREATE TRIGGER g BEFORE INSERT ON t FOR EACH ROW SET NEW.n = NEW.n + 1$$\n"
    "DELIMITER ;\n"
    "--@ session x: CALL p(1, @o); UPDATE t SET n = @o WHERE id = 1;\n"
    "--@ session y: START TRANSACTION; DELETE FROM t WHERE k = 'a'; COMMIT;\n"
    "--@ invariant i: (SELECT SUM(n) FROM t) > 0\n";

constexpr std::array<const char*, 60> kPieces = {"(",
                                                 ")",
                                                 ",",
                                                 ";",
                                                 "`",
                                                 "'",
                                                 "\"",
                                                 "\\",
                                                 "@",
                                                 "@@",
                                                 "$$",
                                                 "--",
                                                 "-- ",
                                                 "--@ ",
                                                 "#",
                                                 "/*",
                                                 "/*!",
                                                 "*/",
                                                 "/*!50003 ",
                                                 "DELIMITER ;\n",
                                                 "DELIMITER //\n",
                                                 "//",
                                                 "\n",
                                                 "=",
                                                 ":=",
                                                 "<=>",
                                                 "||",
                                                 "&&",
                                                 "!",
                                                 ":",
                                                 ".",
                                                 "0x",
                                                 "b'1'",
                                                 "1e999",
                                                 "-1",
                                                 "NULL",
                                                 "BEGIN ",
                                                 "END",
                                                 "IF ",
                                                 "THEN ",
                                                 "ELSE ",
                                                 "CASE ",
                                                 "LOOP ",
                                                 "WHILE ",
                                                 "REPEAT ",
                                                 "DECLARE ",
                                                 "HANDLER ",
                                                 "SELECT ",
                                                 "FROM ",
                                                 "WHERE ",
                                                 "INTO ",
                                                 "VALUES ",
                                                 "SET ",
                                                 "CALL p(",
                                                 "NOT ",
                                                 "IN ",
                                                 "INTERVAL 1 DAY",
                                                 "\xc3\xa4",
                                                 "\xff",
                                                 "("};

std::vector<std::string> texts() {
  std::vector<std::string> all = {kPrograms};
  std::ifstream in(test::source_dir() + "/examples/mysql/wallet.sql");
  std::stringstream text;
  text << in.rdbuf();
  all.push_back(text.str());
  return all;
}

bool try_file(const std::string& text) {
  std::vector<Error> others;
  const auto read =
      sql::read_sql_as("fuzz.sql", text, true, sql::Dialect::Mariadb, &others);
  if (read) return true;
  const auto lines =
      static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n') + 1);
  others.push_back(read.error());
  for (const Error& error : others) {
    EXPECT_FALSE(error.what.empty());
    EXPECT_GE(error.where.line, 1u) << error.what;
    EXPECT_GE(error.where.column, 1u) << error.what;
    EXPECT_LE(error.where.line, lines) << error.what;
  }
  return false;
}

TEST(FuzzMysql, TheFilesThemselvesAreRead) {
  for (const std::string& text : texts()) EXPECT_TRUE(try_file(text)) << text;
}

TEST(FuzzMysql, BrokenFilesHaveAPlace) {
  const auto all = texts();
  Random random(fuzz_seed(31));
  int refused = 0;
  for (int round = 0; round < fuzz_rounds(400); ++round) {
    std::string text = all[random.below(all.size())];
    const std::uint64_t changes = 1 + random.below(4);
    for (std::uint64_t i = 0; i < changes && !text.empty(); ++i) {
      const std::size_t at = random.below(text.size());
      const std::size_t length =
          std::min<std::size_t>(random.below(12), text.size() - at);
      switch (random.below(4)) {
        case 0: text.erase(at, length); break;
        case 1: text.insert(at, kPieces[random.below(kPieces.size())]); break;
        case 2: text.resize(at); break;
        default:
          text.replace(at, length, kPieces[random.below(kPieces.size())]);
      }
    }
    if (!try_file(text)) ++refused;
  }
  EXPECT_GT(refused, 0);
}

TEST(FuzzMysql, RandomBytesAreRefusedOrRead) {
  Random random(fuzz_seed(32));
  for (int round = 0; round < fuzz_rounds(300); ++round) {
    std::string text;
    const std::uint64_t length = random.below(80);
    for (std::uint64_t i = 0; i < length; ++i) {
      if (random.below(3) == 0)
        text += kPieces[random.below(kPieces.size())];
      else
        text += static_cast<char>(random.below(256));
    }
    (void)try_file(text);
  }
}

TEST(FuzzMysql, DeepNestingIsRefused) {
  for (const char* open :
       {"(", "NOT ", "-", "CASE WHEN ", "IF(1,", "(SELECT "}) {
    std::string text = "CREATE TABLE `t` (a INT); SELECT ";
    for (int i = 0; i < 20000; ++i) text += open;
    EXPECT_FALSE(try_file(text)) << open;
  }
}

}  // namespace
}  // namespace txscope
