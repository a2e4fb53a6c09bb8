// What MySQL's stored programs do when something fails.  Each expectation is
// what MariaDB 10.11 leaves in the table.

#include <string>
#include <vector>

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

TEST(MysqlProgram, AHandlerMayBeABlock) {
  EXPECT_EQ(with_handler("CONTINUE HANDLER FOR SQLEXCEPTION BEGIN UPDATE t SET "
                         "n = n + 1 WHERE id = 2; SET @failed = 1; END",
                         "INSERT INTO t VALUES (1, 0); "
                         "UPDATE t SET n = 12 WHERE id = 1;"),
            "1,12;2,21;");
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

/// Statements of one session, each a transaction: their codes ("." is none),
/// then the rows.
std::string after(const std::string& tables,
                  const std::vector<std::string>& statements) {
  std::string text = tables + "--@ dialect: mysql\n--@ session a:";
  for (const std::string& one : statements) text += " " + one + ";";
  Loaded loaded(text + "\n");
  if (loaded.database == nullptr) return "not read";
  std::string codes;
  for (std::size_t i = 0; i < statements.size(); ++i) {
    const auto ran = loaded.run(0, i);
    codes += ran.kind == Request::Kind::Failed
                 ? ran.process.error().sqlstate + " "
                 : ". ";
  }
  return codes + loaded.table();
}

TEST(MysqlProgram, UniqueKeysAreAboutTextsAsTheirCollationSeesThem) {
  const auto with = [](const std::string& type, const std::string& end = "") {
    return "CREATE TABLE t (id INT PRIMARY KEY, s " + type +
           " UNIQUE) DEFAULT CHARSET=utf8mb4" + end +
           ";\nINSERT INTO t VALUES (1, 'Ab');\n";
  };
  EXPECT_EQ(after(with("VARCHAR(10)"), {"INSERT INTO t VALUES (2, 'aB ')",
                                        "INSERT INTO t VALUES (3, 'ab1')"}),
            "23505 . 1,Ab;3,ab1;");
  EXPECT_EQ(after(with("VARCHAR(10) COLLATE utf8mb4_bin"),
                  {"INSERT INTO t VALUES (2, 'aB')",
                   "INSERT INTO t VALUES (3, 'Ab ')"}),
            ". 23505 1,Ab;2,aB;");
  EXPECT_EQ(after(with("VARCHAR(10)", " COLLATE=utf8mb4_bin"),
                  {"INSERT INTO t VALUES (2, 'aB')"}),
            ". 1,Ab;2,aB;");
  EXPECT_EQ(after(with("VARBINARY(10)"), {"INSERT INTO t VALUES (3, 'Ab ')",
                                          "INSERT INTO t VALUES (2, 'Ab')"}),
            ". 23505 1,Ab;3,Ab ;");
}

TEST(MysqlProgram, TextsAreComparedByTheirCollation) {
  const std::string table =
      "CREATE TABLE t (id INT PRIMARY KEY, s VARCHAR(10)) DEFAULT "
      "CHARSET=utf8mb4;\n";
  EXPECT_EQ(after(table + "INSERT INTO t VALUES (1, 'Ab'), (2, 'b');\n",
                  {"UPDATE t SET id = 10 WHERE s = 'AB '",
                   "UPDATE t SET id = 20 WHERE s LIKE 'B%'",
                   "UPDATE t SET id = 30 WHERE s = BINARY 'ab'",
                   "UPDATE t SET id = 40 WHERE s COLLATE utf8mb4_bin = 'ab'",
                   "UPDATE t SET id = 50 WHERE 'a' = 'A' AND s IN ('x', 'B')"}),
            ". . . . . 10,Ab;50,b;");
  EXPECT_EQ(
      after(table + "INSERT INTO t VALUES (1, 'a'), (2, 'A'), (3, 'b');\n",
            {"DELETE FROM t WHERE id > (SELECT COUNT(DISTINCT s) FROM t x)",
             "UPDATE t SET id = id + 10 WHERE CONCAT(s, 'x') = 'AX'",
             "UPDATE t SET s = 'same' WHERE UPPER(s) = LOWER(s)"}),
      ". . . 11,same;12,same;");
}

TEST(MysqlProgram, OrderAndLimitSayWhichRowsAreChanged) {
  EXPECT_EQ(after("CREATE TABLE t (id INT PRIMARY KEY, s VARCHAR(10));\n"
                  "INSERT INTO t VALUES (1, 'c'), (2, 'b'), (3, 'a');\n",
                  {"UPDATE t SET s = 'x' ORDER BY s LIMIT 1",
                   "DELETE FROM t ORDER BY id DESC LIMIT 1",
                   "UPDATE t SET id = id + 1 ORDER BY id DESC",
                   "DELETE FROM t LIMIT 1"}),
            ". . . . 3,b;");
}

TEST(MysqlProgram, ReplaceDeletesEveryRowThatIsInTheWay) {
  EXPECT_EQ(after("CREATE TABLE t (id INT PRIMARY KEY, s INT UNIQUE, n INT);\n"
                  "INSERT INTO t VALUES (1, 1, 1), (2, 2, 2), (3, 3, 3);\n",
                  {"REPLACE INTO t VALUES (1, 2, 9)"}),
            ". 1,2,9;3,3,3;");
}

TEST(MysqlProgram, ATextThatIsNoNumberIsAnErrorWhereUpdateLooks) {
  const std::string table =
      "CREATE TABLE t (id INT PRIMARY KEY, n INT, s VARCHAR(10));\n"
      "INSERT INTO t VALUES (1, 1, 'a'), (2, 2, '5');\n";
  EXPECT_EQ(after(table, {"DELETE FROM t WHERE s = 7",
                          "UPDATE t SET n = 9 WHERE id = 2 AND s = 5",
                          "UPDATE t SET n = 8 WHERE s = 0"}),
            ". . 1292 1,1,a;2,9,5;");
  // The server has found all rows before it is strict.
  EXPECT_EQ(after(table, {"UPDATE t SET id = 8 WHERE s = 0"}),
            ". 2,2,5;8,1,a;");
}

TEST(MysqlProgram, WithoutStrictModeRowsAreMadeToFit) {
  EXPECT_EQ(after("SET sql_mode = '';\n"
                  "CREATE TABLE t (id INT PRIMARY KEY, s VARCHAR(3), n INT);\n"
                  "INSERT INTO t VALUES (1, 'abcdef', '5x'), "
                  "(2, NULL, 99999999999);\n",
                  {"UPDATE t SET n = '7y' WHERE id = 1"}),
            "1265 1,abc,5;2,NULL,2147483647;");
}

TEST(MysqlProgram, TheNewRowMayHaveAName) {
  EXPECT_EQ(after("CREATE TABLE t (id INT PRIMARY KEY, n INT);\n"
                  "INSERT INTO t VALUES (1, 5);\n",
                  {"INSERT INTO t VALUES (1, 7) AS new ON DUPLICATE KEY UPDATE "
                   "n = t.n + new.n"}),
            ". 1,12;");
}

}  // namespace
}  // namespace txscope::sql
