#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <variant>
#include <vector>

#include "model/sql/walk.h"
#include "read/sql/read_as.h"
#include "read/sql/sql.h"

// Files in MySQL's syntax.  What a statement means is tested where it runs;
// here it is what the reader makes of it.
namespace txscope {
namespace {

using sql::Application;

const std::string kTables =
    "CREATE TABLE `t` (\n"
    "  `id` int(11) NOT NULL AUTO_INCREMENT,\n"
    "  `Name` varchar(40) DEFAULT NULL COMMENT 'who',\n"
    "  `n` int unsigned NOT NULL DEFAULT '0',\n"
    "  PRIMARY KEY (`id`), UNIQUE KEY `by_name` (`Name`), KEY `by_n` (`n`)\n"
    ") ENGINE=InnoDB AUTO_INCREMENT=7 DEFAULT CHARSET=utf8mb4;\n"
    "INSERT INTO `t` VALUES (1,'a',5),(2,'b\\'s',6);\n";
const std::string kSessions =
    "--@ session x: UPDATE t SET n = n + 1 WHERE id = 1;\n"
    "--@ session y: UPDATE t SET n = n + 1 WHERE id = 1;\n"
    "--@ invariant ok: true\n";

Application read(const std::string& text) {
  std::vector<Error> others;
  auto read = sql::read_sql("f.sql", text, true, &others);
  if (!read) {
    ADD_FAILURE() << read.error().where.line << ": " << read.error().what;
    for (const Error& other : others)
      ADD_FAILURE() << other.where.line << ": " << other.what;
    return {};
  }
  return std::move(*read);
}

Error refused(const std::string& text) {
  const auto read = sql::read_sql("f.sql", text);
  if (!read) return read.error();
  ADD_FAILURE() << "was read: " << text;
  return {};
}

/// A file with one procedure, which both sessions call.
std::string with_procedure(const std::string& body,
                           const std::string& call = "CALL p(1);") {
  return kTables + "DELIMITER $$\nCREATE PROCEDURE p(IN who INT)\n" + body +
         "$$\nDELIMITER ;\n--@ session x: " + call +
         "\n--@ session y: " + call + "\n--@ invariant ok: true\n";
}

std::size_t count_ends(const sql::Routine& routine) {
  std::size_t count = 0;
  sql::for_each_pl(routine.body, [&](const sql::PlStatement& s) {
    count += std::holds_alternative<sql::PlEnd>(s.what) ? 1 : 0;
  });
  return count;
}

TEST(Mysql, ReadsATableOfADump) {
  const Application all = read(kTables + kSessions);
  ASSERT_EQ(all.schema.tables.size(), 1u);
  const sql::Table& t = all.schema.tables[0];
  EXPECT_EQ(t.name, "t");
  ASSERT_EQ(t.columns.size(), 3u);
  EXPECT_TRUE(t.columns[0].sequence.has_value());
  EXPECT_FALSE(t.columns[0].is_nullable);
  EXPECT_TRUE(t.columns[1].is_nullable);
  EXPECT_TRUE(t.columns[2].default_value.has_value());
  EXPECT_TRUE(t.has_primary_key);
  ASSERT_EQ(t.unique.size(), 2u);
  EXPECT_EQ(t.unique[1].name, "by_name");
  ASSERT_EQ(t.indexes.size(), 1u);
  EXPECT_EQ(t.indexes[0], std::vector<std::uint32_t>{2});
  EXPECT_EQ(all.schema.sequences[*t.columns[0].sequence].start, 7);
  ASSERT_EQ(all.setup.size(), 1u);
  const auto& rows = std::get<sql::Insert>(all.setup[0].what).rows;
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[1][1]->value.text(), "b's");
}

TEST(Mysql, SaysInWhichSyntaxItWasRead) {
  const Application all = read(kTables + kSessions);
  ASSERT_FALSE(all.notes.empty());
  EXPECT_NE(all.notes[0].find("MySQL's syntax"), std::string::npos);
}

TEST(Mysql, CodeInCommentsIsCode) {
  const Application all = read(
      "/*!50003 CREATE TABLE `kept` (id int primary key) */;\n"
      "/*!40101 SET NAMES utf8 */;\n# a comment\n-- another\n"
      "CREATE TABLE a (id INT /*! NOT NULL */ PRIMARY KEY, /* ; */ b INT);\n" +
      kTables + kSessions);
  ASSERT_EQ(all.schema.tables.size(), 3u);
  EXPECT_EQ(all.schema.tables[0].name, "kept");
  EXPECT_EQ(all.schema.tables[1].columns.size(), 2u);
}

// mysqldump writes views so: the statement begins in one comment and ends in
// another.
TEST(Mysql, AStatementMayBeMadeOfComments) {
  const Application all =
      read(kTables +
           "/*!50001 CREATE ALGORITHM=UNDEFINED */\n"
           "/*!50013 DEFINER=`root`@`localhost` SQL SECURITY DEFINER */\n"
           "/*!50001 VIEW `v` AS select `t`.`id` AS `id` from `t` */;\n"
           "--@ session z: SELECT id FROM v;\n" +
           kSessions);
  EXPECT_EQ(all.sessions.size(), 3u);
}

TEST(Mysql, JoinsInParenthesesMayBeginWithAQuery) {
  const Application all =
      read(kTables +
           "--@ session z: SELECT a.id FROM ((SELECT id FROM t) a JOIN t b ON "
           "a.id = b.id);\n" +
           kSessions);
  EXPECT_EQ(all.sessions.size(), 3u);
}

TEST(Mysql, AnyTextCanBeTheDelimiter) {
  for (const std::string mark : {"$$", "//", ";;", "|", "END_OF_IT"}) {
    const Application all = read(
        kTables + "delimiter " + mark +
        "\nCREATE PROCEDURE p() BEGIN UPDATE t SET n = 1; END" +
        (mark[0] == 'E' ? " " : "") + mark + "\nDELIMITER ;\n" + kSessions);
    EXPECT_EQ(all.routines.at(0).name, "p") << mark;
  }
}

TEST(Mysql, ForeignKeysMayComeBeforeTheirParents) {
  const Application all = read(
      "SET FOREIGN_KEY_CHECKS=0;\n"
      "CREATE TABLE child (id INT PRIMARY KEY, p INT, CONSTRAINT fk FOREIGN "
      "KEY "
      "(p) REFERENCES parent (id) ON DELETE CASCADE) ENGINE=InnoDB;\n"
      "INSERT INTO child VALUES (1, 1);\n"
      "CREATE TABLE parent (id INT PRIMARY KEY) ENGINE=InnoDB;\n"
      "INSERT INTO parent VALUES (1);\n" +
      kTables + kSessions);
  const sql::Table& child = all.schema.tables[0];
  ASSERT_EQ(child.foreign.size(), 1u);
  EXPECT_EQ(child.foreign[0].parent.index, 1u);
  EXPECT_EQ(child.foreign[0].on_delete, sql::OnDelete::Cascade);
  // InnoDB has an index for it, and its rows come after those they name.
  ASSERT_EQ(child.indexes.size(), 1u);
  EXPECT_EQ(all.setup[0].target()->table.index, 1u);
}

TEST(Mysql, NamesOfColumnsAreKnownInAnyCase) {
  const Application all =
      read(kTables +
           "--@ session x: UPDATE T SET N = n + 1 WHERE ID = 1;\n"
           "--@ session y: UPDATE t SET `n` = `t`.`N` WHERE `Id` = 1;\n"
           "--@ invariant ok: true\n");
  EXPECT_EQ(all.sessions.size(), 2u);
}

TEST(Mysql, AStatementAloneIsATransaction) {
  const Application all = read(kTables +
                               "--@ session x: UPDATE t SET n = 1; START "
                               "TRANSACTION; UPDATE t SET n = 2; "
                               "UPDATE t SET n = 3; COMMIT; DELETE FROM t;\n"
                               "--@ session y: BEGIN; DELETE FROM t; "
                               "ROLLBACK;\n--@ invariant ok: true\n");
  ASSERT_EQ(all.sessions.size(), 2u);
  EXPECT_EQ(all.sessions[0].calls.size(), 3u);
  EXPECT_EQ(all.sessions[1].calls.size(), 1u);
  for (const sql::Call& call : all.sessions[0].calls)
    EXPECT_EQ(count_ends(all.at(call.routine)), 0u);
}

TEST(Mysql, AProcedureIsAsManyTransactionsAsItSays) {
  const Application one = read(with_procedure(
      "BEGIN START TRANSACTION; UPDATE t SET n = 1; UPDATE t SET "
      "n = 2; COMMIT; END"));
  EXPECT_EQ(count_ends(one.routines[0]), 0u);  // its end is the COMMIT
  const Application two =
      read(with_procedure("BEGIN UPDATE t SET n = 1; UPDATE t SET n = 2; END"));
  EXPECT_EQ(count_ends(two.routines[0]), 1u);  // between the two
}

TEST(Mysql, ACallInsideOfATransactionCommitsNothing) {
  const Application all =
      read(with_procedure("BEGIN UPDATE t SET n = 1; UPDATE t SET n = 2; END",
                          "START TRANSACTION; CALL p(1); CALL p(2); COMMIT;"));
  ASSERT_EQ(all.sessions[0].calls.size(), 1u);
  const sql::Routine& script = all.at(all.sessions[0].calls[0].routine);
  EXPECT_EQ(count_ends(script), 0u);
  std::size_t calls = 0;
  sql::for_each_pl(script.body, [&](const sql::PlStatement& s) {
    const auto* call = std::get_if<sql::PlCall>(&s.what);
    if (call == nullptr) return;
    ++calls;
    EXPECT_EQ(count_ends(all.at(call->routine)), 0u);
  });
  EXPECT_EQ(calls, 2u);
}

TEST(Mysql, UserVariablesPassFromOneTransactionToTheNext) {
  const Application all = read(
      kTables +
      "--@ session x: SELECT n INTO @n FROM t WHERE id = 1; UPDATE t SET n = "
      "@n "
      "WHERE id = 2;\n--@ session y: DELETE FROM t;\n--@ invariant ok: true\n");
  ASSERT_EQ(all.sessions[0].calls.size(), 1u);
  EXPECT_GE(count_ends(all.at(all.sessions[0].calls[0].routine)), 1u);
}

TEST(Mysql, ReadsTheLanguageOfStoredPrograms) {
  const Application all = read(with_procedure(
      "BEGIN\n"
      "  DECLARE i, total INT DEFAULT 0;\n"
      "  DECLARE done BOOL DEFAULT FALSE;\n"
      "  DECLARE c CURSOR FOR SELECT n FROM t WHERE id > who ORDER BY id;\n"
      "  DECLARE CONTINUE HANDLER FOR NOT FOUND SET done = TRUE;\n"
      "  START TRANSACTION;\n"
      "  OPEN c;\n"
      "  rows_of_it: LOOP\n"
      "    FETCH c INTO i;\n"
      "    IF done THEN LEAVE rows_of_it; END IF;\n"
      "    IF i = 5 THEN ITERATE rows_of_it; ELSEIF i = 6 THEN SET total = 1;\n"
      "    ELSE SET total = total + i; END IF;\n"
      "  END LOOP rows_of_it;\n"
      "  CLOSE c;\n"
      "  WHILE i < 3 DO SET i = i + 1; END WHILE;\n"
      "  REPEAT SET i = i - 1; UNTIL i <= 0 END REPEAT;\n"
      "  CASE total WHEN 1 THEN SET total = 2; ELSE BEGIN END; END CASE;\n"
      "  IF total > 100 THEN SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = "
      "'much';\n"
      "  END IF;\n"
      "  COMMIT;\nEND"));
  EXPECT_EQ(all.routines[0].problem, nullptr);
  EXPECT_EQ(all.routines[0].cursors.size(), 1u);
}

TEST(Mysql, ReadsTriggers) {
  const Application all = read(
      kTables +
      "CREATE TABLE log (id INT AUTO_INCREMENT PRIMARY KEY, was INT, is_now "
      "INT);\n"
      "DELIMITER //\n"
      "CREATE TRIGGER second BEFORE UPDATE ON t FOR EACH ROW\n"
      "BEGIN IF NEW.n > 100 THEN SET NEW.n = 100; END IF; END//\n"
      "CREATE TRIGGER first AFTER UPDATE ON t FOR EACH ROW\n"
      "  INSERT INTO log (was, is_now) VALUES (OLD.n, NEW.n)//\n"
      "DELIMITER ;\n" +
      kSessions);
  const auto& triggers = all.schema.tables[0].triggers;
  ASSERT_EQ(triggers.size(), 2u);
  EXPECT_EQ(triggers[0].name, "second");
  EXPECT_TRUE(triggers[0].is_before);
  EXPECT_FALSE(triggers[1].is_before);
  EXPECT_TRUE(triggers[1].on_update);
}

TEST(Mysql, RefusesARoutineAndNotTheFile) {
  const Application all = read(kTables +
                               "DELIMITER $$\nCREATE PROCEDURE odd() BEGIN\n  "
                               "LOAD DATA INFILE 'f' INTO TABLE "
                               "t;\nEND$$\nDELIMITER ;\n" +
                               kSessions);
  ASSERT_NE(all.routines[0].problem, nullptr);
  EXPECT_EQ(all.routines[0].problem->where.line, 10u);
  EXPECT_NE(all.routines[0].problem->what.find("LOAD DATA"), std::string::npos);
}

TEST(Mysql, TellsAllMistakesOfAFileWithTheirLines) {
  std::vector<Error> others;
  const auto read = sql::read_sql(
      "f.sql",
      "CREATE TABLE `a` (id INT PRIMARY KEY, x NOTYPE);\n" + kTables +
          "INSERT INTO t (nothing) VALUES (1);\nUPDATE t SET;\n" + kSessions,
      true, &others);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().where.line, 1u);
  ASSERT_EQ(others.size(), 2u);
  EXPECT_EQ(others[0].where.line, 9u);
  EXPECT_EQ(others[1].where.line, 10u);
}

TEST(Mysql, WithoutDelimiterAProgramEndsWithItsBlocks) {
  const Application all = read(
      kTables +
      "CREATE PROCEDURE IF NOT EXISTS p() BEGIN IF 1 THEN UPDATE t SET n = 1; "
      "END IF; UPDATE t SET n = IF(n > 1, 2, 3); END;\n" +
      kSessions);
  EXPECT_EQ(all.routines.at(0).problem, nullptr);
}

TEST(Mysql, AnUnknownColumnOfARoutineIsAnErrorWhenItRuns) {
  const Application all = read(with_procedure(
      "BEGIN IF who = 5 THEN UPDATE t SET n = nothing; END IF; END"));
  EXPECT_EQ(all.routines[0].problem, nullptr);
  bool raises = false;
  sql::for_each_pl(all.routines[0].body, [&](const sql::PlStatement& s) {
    raises |= std::holds_alternative<sql::PlRaise>(s.what);
  });
  EXPECT_TRUE(raises);
}

TEST(Mysql, AFileOfPostgresqlStaysOne) {
  const Application all = read(
      "CREATE TABLE t (id int PRIMARY KEY, n int); INSERT INTO t VALUES (1, "
      "1);\n"
      "CREATE FUNCTION f() RETURNS int LANGUAGE plpgsql AS $$ BEGIN RETURN "
      "length('`'); END $$; -- `\n" +
      std::string("--@ session x: UPDATE t SET n = 2;\n--@ session y: DELETE "
                  "FROM t;\n--@ invariant ok: true\n"));
  for (const std::string& note : all.notes)
    EXPECT_EQ(note.find("MySQL"), std::string::npos) << note;
}

TEST(Mysql, WhatLooksLikePostgresqlCanBeCalledMysqls) {
  const std::string text =
      "CREATE TABLE t (id INT PRIMARY KEY, n INT);\n" + kSessions;
  EXPECT_TRUE(sql::read_sql("f.sql", text));
  const auto read =
      sql::read_sql_as("f.sql", text, true, sql::Dialect::Mariadb);
  EXPECT_TRUE(read);
}

TEST(Mysql, MistakesHavePlaces) {
  EXPECT_EQ(refused(kTables + "SELECT FROM;\n" + kSessions).where.line, 8u);
  EXPECT_EQ(refused("CREATE TABLE `t\n").where.column, 14u);
  EXPECT_EQ(refused(kTables + "INSERT INTO t VALUES ('a\n").where.line, 8u);
}

/// Why the procedure of a file cannot run; empty: it can.
std::string problem_of(const std::string& body) {
  const Application all =
      read(kTables + "DELIMITER $$\nCREATE PROCEDURE p(IN who INT)\n" + body +
           "$$\nDELIMITER ;\n" + kSessions);
  if (all.routines.empty()) return "not read";
  const auto& problem = all.routines[0].problem;
  return problem == nullptr ? "" : problem->what;
}

TEST(Mysql, PrepareNeedsATextThatIsKnownThere) {
  EXPECT_EQ(problem_of("BEGIN SET @q = 'DELETE FROM t'; PREPARE s FROM @q; "
                       "EXECUTE s; END"),
            "");
  // Two ways lead there, each with a text of its own.
  const std::string computed = "PREPARE of a text that is computed";
  EXPECT_EQ(problem_of("BEGIN SET @q = 'DELETE FROM t'; IF who = 1 THEN "
                       "SET @q = 'UPDATE t SET n = 1'; END IF; "
                       "PREPARE s FROM @q; EXECUTE s; END")
                .find(computed),
            0u);
  EXPECT_EQ(problem_of("BEGIN SELECT Name INTO @q FROM t WHERE id = who; "
                       "PREPARE s FROM @q; EXECUTE s; END")
                .find(computed),
            0u);
  // What a round before has left may be another one.
  EXPECT_EQ(problem_of("BEGIN SET @q = 'DELETE FROM t'; WHILE who > 0 DO "
                       "PREPARE s FROM @q; EXECUTE s; "
                       "SET @q = 'UPDATE t SET n = 1', who = who - 1; "
                       "END WHILE; END")
                .find(computed),
            0u);
  EXPECT_NE(problem_of("EXECUTE IMMEDIATE CONCAT('DELETE FROM t WHERE ', "
                       "(SELECT Name FROM t LIMIT 1))")
                .find("is computed"),
            std::string::npos);
  // What a function does would be done twice.
  EXPECT_EQ(problem_of("BEGIN SET @q = CONCAT('DELETE FROM t WHERE id = ', "
                       "ROUND(who)); PREPARE s FROM @q; EXECUTE s; END")
                .find(computed),
            0u);
  EXPECT_NE(problem_of("EXECUTE IMMEDIATE CONCAT('SELECT ', who, 'abc')")
                .find("is computed"),
            std::string::npos);
  EXPECT_NE(problem_of("EXECUTE IMMEDIATE CONCAT('DELETE FROM `', "
                       "CAST(who AS CHAR), '`')")
                .find("is computed"),
            std::string::npos);
}

TEST(Mysql, ManyRowsOfConstantsAreKeptAsValues) {
  std::string text = "CREATE TABLE `t` (id INT PRIMARY KEY, d DATE, s TEXT);\n";
  text += "INSERT INTO `t` VALUES (1,'2024-01-01','a')";
  for (int i = 2; i <= 40; ++i)
    text += ",(" + std::to_string(i) + ",'2024-01-02',NULL)";
  const Application all = read(text + ";\n" +
                               "--@ session x: DELETE FROM t WHERE id = 1;\n"
                               "--@ session y: DELETE FROM t WHERE id = 1;\n"
                               "--@ invariant ok: true\n");
  ASSERT_EQ(all.setup.size(), 1u);
  const auto& insert = std::get<sql::Insert>(all.setup[0].what);
  EXPECT_EQ(insert.rows.size(), 1u);
  ASSERT_NE(insert.constants, nullptr);
  ASSERT_EQ(insert.constants->size(), 39u * 3);
  EXPECT_EQ((*insert.constants)[0].integer(), 2);
  EXPECT_EQ((*insert.constants)[1].kind(), sql::Kind::Date);
  EXPECT_TRUE((*insert.constants)[2].is_null());
}

TEST(Mysql, TriggersFireWhereFollowsAndPrecedesSay) {
  const std::string update = " AFTER UPDATE ON t FOR EACH ROW ";
  const Application all = read(
      kTables + "CREATE TABLE log (x INT);\n" + "CREATE TRIGGER a" + update +
      "INSERT INTO log VALUES (1);\n" + "CREATE TRIGGER b" + update +
      "INSERT INTO log VALUES (2);\n" + "CREATE TRIGGER c" + update +
      "FOLLOWS a INSERT INTO log VALUES (3);\n" + "CREATE TRIGGER d" + update +
      "PRECEDES a INSERT INTO log VALUES (4);\n" + kSessions);
  std::string names;
  for (const sql::Trigger& trigger : all.schema.tables[0].triggers)
    names += trigger.name;
  EXPECT_EQ(names, "dacb");
}

TEST(Mysql, ATableIsMadeOfAQuery) {
  const Application all = read(
      kTables +
      "CREATE TABLE u AS SELECT id, n * 2 AS twice FROM t;\n"
      "CREATE TABLE v (id INT PRIMARY KEY, k INT DEFAULT 3) SELECT id FROM "
      "t;\n" +
      kSessions);
  ASSERT_EQ(all.schema.tables.size(), 3u);
  const sql::Table& u = all.schema.tables[1];
  ASSERT_EQ(u.columns.size(), 2u);
  EXPECT_EQ(u.columns[1].name, "twice");
  EXPECT_FALSE(u.has_primary_key);
  const sql::Table& v = all.schema.tables[2];
  ASSERT_EQ(v.columns.size(), 2u);
  EXPECT_TRUE(v.has_primary_key);
  EXPECT_EQ(all.setup.size(), 3u);
}

}  // namespace
}  // namespace txscope
