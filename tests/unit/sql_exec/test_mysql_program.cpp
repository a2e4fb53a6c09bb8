// What MySQL's stored programs do when something fails.  Each expectation is
// what MariaDB 10.11 leaves in the table.

#include <string>

#include "loaded.h"

namespace txscope::sql {
namespace {

const std::string kTable =
    "CREATE TABLE `t` (id INT PRIMARY KEY, n INT) ENGINE=InnoDB;\n"
    "INSERT INTO t VALUES (1, 10), (2, 20);\n";

/// Procedures, of which the session calls p: the rows, after the code if it
/// failed.
std::string left_by(const std::string& programs,
                    const std::string& session = "CALL p();") {
  Loaded loaded(kTable + "DELIMITER $$\n" + programs +
                "$$\nDELIMITER ;\n--@ session a: " + session + "\n");
  if (loaded.database == nullptr) return "not read";
  const auto ran = loaded.run(0);
  const bool has_failed = ran.kind == Request::Kind::Failed;
  return (has_failed ? ran.process.error().sqlstate + " " : "") +
         loaded.table();
}

std::string with_handler(const std::string& handler,
                         const std::string& statements) {
  return left_by("CREATE PROCEDURE p() BEGIN DECLARE " + handler + "; " +
                 statements + " END");
}

TEST(MysqlProgram, AHandlerThatExitsKeepsWhatWasDone) {
  EXPECT_EQ(with_handler("EXIT HANDLER FOR SQLEXCEPTION BEGIN END",
                         "UPDATE t SET n = 11 WHERE id = 1; "
                         "INSERT INTO t VALUES (2, 0); "
                         "UPDATE t SET n = 12 WHERE id = 1;"),
            "1,11;2,20;");
}

TEST(MysqlProgram, AHandlerMayRollBack) {
  EXPECT_EQ(with_handler("EXIT HANDLER FOR SQLEXCEPTION ROLLBACK",
                         "START TRANSACTION; UPDATE t SET n = 11; "
                         "INSERT INTO t VALUES (2, 0); COMMIT;"),
            "1,10;2,20;");
  EXPECT_EQ(with_handler("EXIT HANDLER FOR SQLEXCEPTION "
                         "BEGIN ROLLBACK; RESIGNAL; END",
                         "START TRANSACTION; UPDATE t SET n = 11; "
                         "INSERT INTO t VALUES (2, 0); COMMIT;"),
            "23505 1,10;2,20;");
}

TEST(MysqlProgram, AHandlerThatContinuesGoesOnBehindTheStatement) {
  EXPECT_EQ(with_handler("CONTINUE HANDLER FOR 1062 BEGIN END",
                         "INSERT INTO t VALUES (1, 0); "
                         "UPDATE t SET n = 12 WHERE id = 1;"),
            "1,12;2,20;");
}

TEST(MysqlProgram, OfAStatementThatFailsNothingStays) {
  EXPECT_EQ(with_handler("CONTINUE HANDLER FOR SQLEXCEPTION BEGIN END",
                         "INSERT INTO t VALUES (3, 30), (1, 0); "
                         "UPDATE t SET n = n + 1;"),
            "1,11;2,21;");
}

TEST(MysqlProgram, TransactionsEndInsideOfABlockWithHandlers) {
  EXPECT_EQ(with_handler("EXIT HANDLER FOR SQLEXCEPTION ROLLBACK",
                         "START TRANSACTION; UPDATE t SET n = 11; COMMIT; "
                         "START TRANSACTION; UPDATE t SET n = 12; "
                         "INSERT INTO t VALUES (1, 0); COMMIT;"),
            "1,11;2,11;");
}

TEST(MysqlProgram, TheCallerCatchesWhatTheCalleeDoesNot) {
  EXPECT_EQ(
      left_by("CREATE PROCEDURE q() BEGIN UPDATE t SET n = 11 WHERE id = 1; "
              "INSERT INTO t VALUES (1, 0); UPDATE t SET n = 99; END$$\n"
              "CREATE PROCEDURE p() BEGIN "
              "DECLARE EXIT HANDLER FOR SQLSTATE '23000' "
              "UPDATE t SET n = n + 100 WHERE id = 2; CALL q(); END"),
      "1,11;2,120;");
}

TEST(MysqlProgram, TheInnermostHandlerThatNamesTheErrorTakesIt) {
  EXPECT_EQ(
      left_by("CREATE PROCEDURE p() BEGIN DECLARE EXIT HANDLER FOR "
              "SQLEXCEPTION UPDATE t SET n = 1 WHERE id = 1; BEGIN DECLARE "
              "CONTINUE HANDLER FOR 1048 UPDATE t SET n = 2 WHERE id = 1; "
              "INSERT INTO t VALUES (2, 0); UPDATE t SET n = 3; END; "
              "UPDATE t SET n = 4; END"),
      "1,1;2,20;");
}

TEST(MysqlProgram, AnErrorOfAnExpressionIsCaughtToo) {
  EXPECT_EQ(with_handler("v INT; DECLARE EXIT HANDLER FOR SQLEXCEPTION "
                         "UPDATE t SET n = 5 WHERE id = 1",
                         "SET v = 'abc'; UPDATE t SET n = 6;"),
            "1,5;2,20;");
}

TEST(MysqlProgram, ResignalTellsAnotherText) {
  EXPECT_EQ(with_handler("EXIT HANDLER FOR SQLEXCEPTION "
                         "RESIGNAL SET MESSAGE_TEXT = 'twice'",
                         "INSERT INTO t VALUES (1, 0);"),
            "23505 1,10;2,20;");
}

TEST(MysqlProgram, DivisionByZeroIsNullUnlessItIsWritten) {
  EXPECT_EQ(left_by("CREATE PROCEDURE p() BEGIN IF 1 / 0 IS NULL THEN "
                    "UPDATE t SET n = 7 DIV 2 WHERE id = 1; END IF; END"),
            "1,3;2,20;");
  EXPECT_EQ(left_by("CREATE PROCEDURE p() UPDATE t SET n = n / 0"),
            "1365 1,10;2,20;");
  EXPECT_EQ(with_handler("EXIT HANDLER FOR SQLSTATE '22012' "
                         "UPDATE t SET n = 1 WHERE id = 1",
                         "UPDATE t SET n = n / 0;"),
            "1,1;2,20;");
}

TEST(MysqlProgram, ValuesAreComparedAsMysqlDoes) {
  // Texts as the numbers that they begin with, moments as what texts say.
  EXPECT_EQ(left_by("CREATE PROCEDURE p() BEGIN UPDATE t SET n = 1 WHERE "
                    "CONCAT(n, '') = 10; UPDATE t SET n = TIMESTAMPDIFF(DAY, "
                    "'2024-01-01', '2024-03-01') WHERE id = 2; END"),
            "1,1;2,60;");
}

TEST(MysqlProgram, SumsMayLockTheirRows) {
  Loaded loaded(kTable +
                "--@ session a: START TRANSACTION; SELECT COUNT(*), SUM(n) "
                "FROM t FOR UPDATE; COMMIT;\n");
  EXPECT_EQ(loaded.said(), "2,30;");
}

TEST(MysqlProgram, RowsWithoutParentsStayWhereNobodyLooked) {
  Loaded loaded(
      "SET FOREIGN_KEY_CHECKS = 0;\n" + kTable +
      "CREATE TABLE c (id INT PRIMARY KEY, t INT, FOREIGN KEY (t) REFERENCES t "
      "(id)) ENGINE=InnoDB;\nINSERT INTO c VALUES (1, 9);\n"
      "SET FOREIGN_KEY_CHECKS = 1;\n"
      "--@ session a: INSERT INTO c VALUES (2, 9);\n");
  EXPECT_EQ(loaded.table(1), "1,9;");
  EXPECT_EQ(loaded.said(), "23503");
}

}  // namespace
}  // namespace txscope::sql
