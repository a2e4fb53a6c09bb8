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

TEST(MysqlProgram, ForGoesOverNumbersBothWays) {
  EXPECT_EQ(left_by("CREATE PROCEDURE p() FOR i IN 1..2 DO "
                    "UPDATE t SET n = n + i WHERE id = i; END FOR"),
            "1,11;2,22;");
  EXPECT_EQ(left_by("CREATE PROCEDURE p() BEGIN DECLARE k INT DEFAULT 0; "
                    "FOR i IN REVERSE 1..2 DO SET k = k * 10 + i; END FOR; "
                    "UPDATE t SET n = k WHERE id = 1; END"),
            "1,21;2,20;");
}

TEST(MysqlProgram, ForMayStandInAHandler) {
  EXPECT_EQ(with_handler("EXIT HANDLER FOR SQLEXCEPTION BEGIN "
                         "FOR i IN 1..2 DO UPDATE t SET n = n + 1 "
                         "WHERE id = i; END FOR; END",
                         "INSERT INTO t VALUES (1, 1); "
                         "UPDATE t SET n = 0;"),
            "1,11;2,21;");
}

TEST(MysqlProgram, ForGoesOverTheRowsThatWereThereWhenItBegan) {
  EXPECT_EQ(left_by("CREATE PROCEDURE p() FOR r IN (SELECT id, n FROM t) DO "
                    "INSERT INTO t VALUES (r.id + 10, r.n * 2); END FOR"),
            "1,10;2,20;11,20;12,40;");
  EXPECT_EQ(left_by("CREATE PROCEDURE p() BEGIN "
                    "DECLARE c CURSOR (least INT) FOR "
                    "SELECT id, n FROM t WHERE n > least; "
                    "FOR r IN c(15) DO UPDATE t SET n = r.n + 1 "
                    "WHERE id = r.id; END FOR; END"),
            "1,10;2,21;");
}

TEST(MysqlProgram, ACursorGetsItsParametersWhenItIsOpened) {
  EXPECT_EQ(left_by("CREATE PROCEDURE p() BEGIN DECLARE k INT; "
                    "DECLARE c CURSOR (which INT) FOR "
                    "SELECT n FROM t WHERE id = which; "
                    "OPEN c(2); FETCH c INTO k; CLOSE c; "
                    "UPDATE t SET n = k WHERE id = 1; END"),
            "1,20;2,20;");
}

TEST(MysqlProgram, ARowHasTheFieldsOfATableOrItsOwn) {
  EXPECT_EQ(left_by("CREATE PROCEDURE p() BEGIN "
                    "DECLARE r ROW TYPE OF t; DECLARE k TYPE OF t.n; "
                    "DECLARE s ROW (a INT, b INT); "
                    "SELECT * INTO r FROM t WHERE id = 2; SET k = r.n + 1; "
                    "SELECT id, n INTO s FROM t WHERE id = 1; "
                    "SET s.b = s.b + k; "
                    "UPDATE t SET n = s.b WHERE id = s.a; END"),
            "1,31;2,20;");
}

TEST(MysqlProgram, APreparedTextHasTheValuesOfThen) {
  EXPECT_EQ(left_by("CREATE PROCEDURE p() BEGIN DECLARE k INT DEFAULT 1; "
                    "SET @q = CONCAT('UPDATE t SET n = 5 WHERE id = ', k); "
                    "SET k = 2; PREPARE s FROM @q; EXECUTE s; "
                    "DEALLOCATE PREPARE s; END"),
            "1,5;2,20;");
  EXPECT_EQ(left_by("CREATE PROCEDURE p() BEGIN SET @a = 3, @b = 2; "
                    "PREPARE s FROM 'UPDATE t SET n = n + ? WHERE id = ?'; "
                    "EXECUTE s USING @a, @b; SET @b = 1; "
                    "EXECUTE s USING @a, @b; END"),
            "1,13;2,23;");
  EXPECT_EQ(left_by("CREATE PROCEDURE p() BEGIN DECLARE k INT DEFAULT 2; "
                    "EXECUTE IMMEDIATE CONCAT('UPDATE t SET n = "
                    "LENGTH(''it''''s ', k, ' of it'') WHERE id = ', k); END"),
            "1,10;2,12;");
}

TEST(MysqlProgram, APreparedTextThatIsNullIsNoStatement) {
  EXPECT_EQ(left_by("CREATE PROCEDURE p() BEGIN DECLARE k INT; "
                    "SET @q = CONCAT('UPDATE t SET n = 5 WHERE id = ', k); "
                    "PREPARE s FROM @q; EXECUTE s; END"),
            "42000 1,10;2,20;");
}

TEST(MysqlProgram, APreparedTextDoesNotSeeLocalVariables) {
  EXPECT_EQ(left_by("CREATE PROCEDURE p() BEGIN DECLARE n INT DEFAULT 7; "
                    "SET @m = 1; "
                    "PREPARE s FROM 'UPDATE t SET n = n + @m WHERE id = 1'; "
                    "EXECUTE s; END"),
            "1,11;2,20;");
}

TEST(MysqlProgram, ArgumentsOfCallMayBeQueries) {
  EXPECT_EQ(left_by("CREATE PROCEDURE q(a INT, b INT) "
                    "UPDATE t SET n = a + b WHERE id = 1$$\n"
                    "CREATE PROCEDURE p() "
                    "CALL q((SELECT MAX(n) FROM t), (SELECT MIN(n) FROM t))"),
            "1,30;2,20;");
}

TEST(MysqlProgram, ItemsHaveTheirNamesInHavingAndOrderBy) {
  EXPECT_EQ(left_by("CREATE PROCEDURE p() INSERT INTO t "
                    "SELECT id + 10, SUM(n) AS q FROM t GROUP BY id "
                    "HAVING q > 15"),
            "1,10;2,20;12,20;");
  EXPECT_EQ(left_by("CREATE PROCEDURE p() INSERT INTO t "
                    "SELECT id + 10 AS k, n AS m FROM t ORDER BY 0 - m LIMIT "
                    "1"),
            "1,10;2,20;12,20;");
  // Inside of SUM() it is the column.
  EXPECT_EQ(left_by("CREATE PROCEDURE p() INSERT INTO t "
                    "SELECT id + 10, 99 AS n FROM t GROUP BY id "
                    "HAVING SUM(n) > 15"),
            "1,10;2,20;12,99;");
}

TEST(MysqlProgram, StatementsOfAFileShareUserVariables) {
  EXPECT_EQ(left_by("CREATE PROCEDURE p(IN a INT, OUT b INT) "
                    "BEGIN SELECT n INTO b FROM t WHERE id = a; END$$\n"
                    "DELIMITER ;\n"
                    "SET @k = 2;\nCALL p(@k, @b);\nSELECT @b AS b;\n"
                    "INSERT INTO t VALUES (@k + 1, @b + 1);\n"
                    "CREATE TABLE other (id INT);\nDELIMITER $$\n",
                    "CALL p(1, @x); UPDATE t SET n = @x WHERE id = 2;"),
            "1,10;2,10;3,21;");
}

TEST(MysqlProgram, AViewOfOneTableIsWrittenThrough) {
  EXPECT_EQ(left_by("CREATE VIEW v AS SELECT id AS i, n AS m FROM t "
                    "WHERE n < 15$$\n"
                    "CREATE PROCEDURE p() BEGIN UPDATE v SET m = m + 1; "
                    "INSERT INTO v (i, m) VALUES (3, 40); END"),
            "1,11;2,20;3,40;");
}

TEST(MysqlProgram, ATableLikeAnotherHasItsKeys) {
  EXPECT_EQ(left_by("CREATE TABLE u LIKE t$$\n"
                    "CREATE PROCEDURE p() BEGIN INSERT INTO u VALUES (1, 1); "
                    "UPDATE t SET n = 0 WHERE id = 1; "
                    "INSERT INTO u VALUES (1, 2); END"),
            "23505 1,0;2,20;");
}

TEST(MysqlProgram, ASetOfSeveralTablesFindsTheOneThatHasTheColumn) {
  EXPECT_EQ(left_by("CREATE TABLE u (u_id INT PRIMARY KEY, m INT)$$\n"
                    "INSERT INTO u VALUES (1, 7)$$\n"
                    "CREATE PROCEDURE p() "
                    "UPDATE t JOIN u ON u_id = id SET n = n + m"),
            "1,17;2,20;");
}

TEST(MysqlProgram, LikeMayHaveAnotherEscape) {
  EXPECT_EQ(after("CREATE TABLE t (id INT PRIMARY KEY, s VARCHAR(10));\n"
                  "INSERT INTO t VALUES (1, 'a%'), (2, 'ab'), (3, 'a|');\n",
                  {"UPDATE t SET s = 'x' WHERE s LIKE 'a|%' ESCAPE '|'",
                   "UPDATE t SET s = 'y' WHERE s LIKE 'a||' ESCAPE '|'"}),
            ". . 1,x;2,ab;3,y;");
}

TEST(MysqlProgram, NumbersGoOnBehindThoseThatRowsWereGiven) {
  std::string rows;
  for (int i = 1; i <= 22; ++i)
    rows += (i > 1 ? ", (" : "(") + std::to_string(i) + ", 1." +
            std::to_string(i + 10) + ")";
  EXPECT_EQ(
      after("CREATE TABLE `t` (id INT AUTO_INCREMENT PRIMARY KEY, "
            "n DECIMAL(5,1));\nINSERT INTO `t` VALUES " +
                rows +
                ";\nINSERT INTO t VALUES (NULL, 7);\n"
                "INSERT INTO t VALUES (40, 8.25);\n"
                "INSERT INTO t (n) VALUES (9);\n"
                "INSERT INTO t VALUES (50, 10);\n",
            {"DELETE FROM t WHERE id < 21", "INSERT INTO t (n) VALUES (11)"}),
      ". . 21,1.3;22,1.3;23,7.0;40,8.3;41,9.0;50,10.0;51,11.0;");
  EXPECT_EQ(after("CREATE TABLE `t` (id INT AUTO_INCREMENT PRIMARY KEY, "
                  "n INT) AUTO_INCREMENT=90;\n"
                  "INSERT INTO t VALUES (5, 5);\n",
                  {"INSERT INTO t (n) VALUES (6)"}),
            ". 5,5;90,6;");
}

TEST(MysqlProgram, AFileKnowsItsLastNumberInAVariable) {
  EXPECT_EQ(after("CREATE TABLE t (id INT AUTO_INCREMENT PRIMARY KEY, n INT);"
                  "\nINSERT INTO t (n) VALUES (5);\n"
                  "SET @last = LAST_INSERT_ID();\n"
                  "INSERT INTO t (n) VALUES (@last + 10);\n",
                  {"DELETE FROM t WHERE id > 9"}),
            ". 1,5;2,11;");
}

}  // namespace
}  // namespace txscope::sql
