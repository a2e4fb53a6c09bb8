// Applications in MySQL's syntax at MariaDB's levels.  The verdicts are those
// of MariaDB 10.11, where each of these races was run.

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "engine/search/explore_profile.h"
#include "read/sql/sql.h"

namespace txscope::engine {
namespace {

const std::string kTables =
    "CREATE TABLE `stock` (id INT PRIMARY KEY, n INT) ENGINE=InnoDB;\n"
    "CREATE TABLE `orders` (id INT AUTO_INCREMENT PRIMARY KEY, item INT) "
    "ENGINE=InnoDB;\nINSERT INTO stock VALUES (1, 10);\n";

/// Two sessions that do the same; with programs before them.
Outcome verdict_of(const std::string& programs, const std::string& session,
                   const std::string& rule, const std::string& level) {
  static std::vector<std::unique_ptr<sql::Application>> kept;
  auto read = sql::read_sql(
      "shop.sql", kTables + "DELIMITER $$\n" + programs + "\nDELIMITER ;\n" +
                      "--@ session a: " + session + "\n--@ session b: " +
                      session + "\n--@ invariant rule: " + rule + "\n");
  if (!read) {
    ADD_FAILURE() << read.error().what;
    return Outcome::Undecided;
  }
  kept.push_back(std::make_unique<sql::Application>(std::move(*read)));
  const auto answer = explore_profile(*kept.back(), **parse_profile(level), {},
                                      Budget::unlimited());
  EXPECT_TRUE(answer && answer->is_complete) << level;
  return answer ? answer->outcome : Outcome::Undecided;
}

TEST(MysqlApplication, ATriggersUpdateIsOfTheStatementThatFiresIt) {
  for (const char* level :
       {"mariadb:read-uncommitted", "mariadb:read-committed",
        "mariadb:repeatable-read", "mariadb:serializable"}) {
    EXPECT_EQ(
        verdict_of("CREATE TRIGGER took AFTER INSERT ON orders FOR EACH ROW "
                   "UPDATE stock SET n = n - 1 WHERE id = NEW.item$$",
                   "INSERT INTO orders (item) VALUES (1);",
                   "(SELECT n FROM stock) = 10 - (SELECT COUNT(*) FROM orders)",
                   level),
        Outcome::Holds)
        << level;
  }
}

// What a trigger of an INSERT reads is locked.
TEST(MysqlApplication, ATriggersTestWaitsForWhatOthersInsert) {
  const auto at = [](const std::string& level) {
    return verdict_of(
        "CREATE TRIGGER one BEFORE INSERT ON orders FOR EACH ROW BEGIN IF "
        "(SELECT COUNT(*) FROM orders) > 0 THEN SIGNAL SQLSTATE '45000'; END "
        "IF; END$$",
        "START TRANSACTION; INSERT INTO orders (item) VALUES (1); COMMIT;",
        "(SELECT COUNT(*) FROM orders) <= 1", level);
  };
  EXPECT_EQ(at("mariadb:read-committed"), Outcome::Holds);
  EXPECT_EQ(at("mariadb:repeatable-read"), Outcome::Holds);
  EXPECT_EQ(at("mariadb:serializable"), Outcome::Holds);
}

TEST(MysqlApplication, ANamedLockKeepsOthersOut) {
  const std::string change =
      "START TRANSACTION; SELECT n INTO @n FROM stock WHERE id = 1; UPDATE "
      "stock SET n = @n - 1 WHERE id = 1; COMMIT; ";
  const std::string rule = "(SELECT n FROM stock) = 8";
  EXPECT_EQ(verdict_of("", change, rule, "mariadb:repeatable-read"),
            Outcome::Violated);
  EXPECT_EQ(verdict_of("",
                       "SELECT GET_LOCK('stock', 10); " + change +
                           "SELECT RELEASE_LOCK('stock');",
                       rule, "mariadb:repeatable-read"),
            Outcome::Holds);
}

TEST(MysqlApplication, ACountThatLocksKeepsItsAnswer) {
  const auto with = [](const std::string& lock) {
    return verdict_of(
        "CREATE PROCEDURE p() BEGIN DECLARE c INT; START "
        "TRANSACTION; SELECT COUNT(*) INTO c FROM orders" +
            lock +
            "; IF c = 0 THEN INSERT INTO orders (item) VALUES "
            "(1); END IF; COMMIT; END$$",
        "CALL p();", "(SELECT COUNT(*) FROM orders) <= 1",
        "mariadb:repeatable-read");
  };
  EXPECT_EQ(with(""), Outcome::Violated);
  EXPECT_EQ(with(" FOR UPDATE"), Outcome::Holds);
}

// Who waits for the row that another one takes looks on behind it.
TEST(MysqlApplication, AnUpdateWithALimitTakesTheNextFreeRow) {
  for (const char* level :
       {"mariadb:read-committed", "mariadb:repeatable-read"}) {
    EXPECT_EQ(verdict_of("CREATE TABLE jobs (id INT PRIMARY KEY, owner INT)$$\n"
                         "INSERT INTO jobs VALUES (1, NULL), (2, NULL)$$",
                         "UPDATE jobs SET owner = 1 WHERE owner IS NULL "
                         "ORDER BY id LIMIT 1;",
                         "(SELECT COUNT(owner) FROM jobs) = 2", level),
              Outcome::Holds)
        << level;
  }
}

// INSERT has locked the row that is in its way.
TEST(MysqlApplication, AStatementThatFailsKeepsItsLocks) {
  const std::string reads =
      "SELECT n INTO a FROM stock WHERE id = 1; SELECT n INTO b FROM stock "
      "WHERE id = 1; IF a <> b THEN INSERT INTO orders (item) VALUES (1); END "
      "IF; COMMIT; END$$";
  const auto with = [&](const std::string& first) {
    return verdict_of(
        "CREATE PROCEDURE p() BEGIN DECLARE a, b INT; DECLARE "
        "CONTINUE HANDLER FOR 1062 BEGIN END; START "
        "TRANSACTION; " +
            first + reads,
        "CALL p(); UPDATE stock SET n = n + 1 WHERE id = 1;",
        "(SELECT COUNT(*) FROM orders) = 0", "mariadb:read-committed");
  };
  EXPECT_EQ(with(""), Outcome::Violated);
  EXPECT_EQ(with("INSERT INTO stock VALUES (1, 0); "), Outcome::Holds);
}

TEST(MysqlApplication, AHandlerRollsBackWhatFails) {
  EXPECT_EQ(
      verdict_of("CREATE PROCEDURE p() BEGIN DECLARE EXIT HANDLER FOR "
                 "SQLEXCEPTION ROLLBACK; START TRANSACTION; UPDATE stock SET n "
                 "= n - 1; INSERT INTO orders VALUES (1, 1); COMMIT; END$$",
                 "CALL p();",
                 "(SELECT n FROM stock) = 10 - (SELECT COUNT(*) FROM orders)",
                 "mariadb:repeatable-read"),
      Outcome::Holds);
}

TEST(MysqlApplication, AHandlerOfATriggerCatchesWhatItsStatementsMeet) {
  EXPECT_EQ(
      verdict_of("CREATE TRIGGER once AFTER INSERT ON orders FOR EACH ROW "
                 "BEGIN DECLARE CONTINUE HANDLER FOR 1062 BEGIN END; "
                 "INSERT INTO stock VALUES (NEW.item, 0); END$$",
                 "INSERT INTO orders (item) VALUES (1);",
                 "(SELECT COUNT(*) FROM orders) = 2 AND "
                 "(SELECT COUNT(*) FROM stock) = 1",
                 "mariadb:repeatable-read"),
      Outcome::Holds);
}

TEST(MysqlApplication, AConsistentSnapshotIsTakenWhenTheTransactionBegins) {
  const auto with = [](const std::string& begin, const std::string& level) {
    return verdict_of("",
                      begin +
                          "; UPDATE stock SET n = n - 1 WHERE id = 1; "
                          "SELECT COUNT(*) INTO @c FROM orders; "
                          "INSERT INTO orders (item) VALUES (@c); COMMIT;",
                      "(SELECT COUNT(DISTINCT item) FROM orders) = "
                      "(SELECT COUNT(*) FROM orders)",
                      level);
  };
  const std::string early = "START TRANSACTION WITH CONSISTENT SNAPSHOT";
  EXPECT_EQ(with("START TRANSACTION", "mariadb:repeatable-read"),
            Outcome::Holds);
  EXPECT_EQ(with(early, "mariadb:repeatable-read"), Outcome::Violated);
  EXPECT_EQ(with(early, "mariadb:read-committed"), Outcome::Holds);
}

}  // namespace
}  // namespace txscope::engine
