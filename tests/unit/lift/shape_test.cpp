// What a statement of a log is about, by its text alone.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "read/sql/shape/statement_shape.h"

namespace shape_test {
namespace {

using namespace txscope;
using sql::Dialect;
using sql::LiteralSlot;
using sql::StatementShape;
using Kind = StatementShape::Kind;
using Role = LiteralSlot::Role;

StatementShape shape(const std::string& text,
                     Dialect dialect = Dialect::Postgresql) {
  return sql::statement_shape(text, dialect);
}

/// "role table.column=value", as the text has them.
std::vector<std::string> slots(const StatementShape& one) {
  static const char* const kRoles[] = {"equals",   "compared", "assigned",
                                       "inserted", "computed", "other"};
  std::vector<std::string> all;
  for (const LiteralSlot& slot : one.slots)
    all.push_back(std::string(kRoles[static_cast<int>(slot.role)]) + " " +
                  slot.column.table + "." + slot.column.column + "=" +
                  (slot.is_unknown ? "?" : slot.value));
  return all;
}
using Slots = std::vector<std::string>;

TEST(StatementShape, EveryLiteralKnowsWhatItMeets) {
  EXPECT_EQ(slots(shape("UPDATE t SET a = 5, b = b - 3 WHERE id = 7 AND n >= "
                        "'x' LIMIT 2")),
            Slots{});  // PostgreSQL has no LIMIT there
  EXPECT_EQ(
      slots(shape("UPDATE t SET a = 5, b = b - 3 WHERE id = 7 AND n >= 'x'")),
      (Slots{"assigned t.a=5", "computed t.b=3", "equals t.id=7",
             "compared t.n=x"}));
  EXPECT_EQ(slots(shape("INSERT INTO t (a, b) VALUES (-1, $2)")),
            (Slots{"inserted t.a=-1", "inserted t.b=?"}));
  EXPECT_EQ(slots(shape("SELECT x.a FROM t AS x JOIN u ON u.t_id = x.id WHERE "
                        "3 = u.n LIMIT 21")),
            (Slots{"equals u.n=3", "other .=21"}));
}

TEST(StatementShape, OnlyTheFirstOfAListStays) {
  const StatementShape in = shape(
      "SELECT a FROM t WHERE id IN (4, 5, 6) AND b "
      "= 1");
  EXPECT_EQ(in.text, "SELECT a FROM t WHERE id IN (4) AND b = 1");
  const StatementShape rows =
      shape("INSERT INTO t (a, b) VALUES (1, 2), (3, 4), (5, 6) RETURNING a");
  EXPECT_EQ(rows.text, "INSERT INTO t (a, b) VALUES (1, 2) RETURNING a");
  EXPECT_EQ(in.print, shape("SELECT a FROM t WHERE id IN (9) AND b = 7").print);
}

TEST(StatementShape, WordsOfMysqlAreKnown) {
  const auto text = [](const std::string& of) {
    const StatementShape one = shape(of, Dialect::Mariadb);
    EXPECT_NE(one.kind, Kind::Unreadable) << of << ": " << one.problem;
    return one;
  };
  EXPECT_EQ(slots(text("INSERT INTO `t` SET a = '1', b = NOW(), c = 2")),
            (Slots{"inserted t.a=1", "inserted t.c=2"}));
  EXPECT_EQ(text("SELECT SQL_CALC_FOUND_ROWS a FROM t USE INDEX (x) LIMIT 5, "
                 "10")
                .kind,
            Kind::Selects);
  EXPECT_TRUE(text("SELECT a FROM t WHERE b = \"it\\'s\" LOCK IN SHARE MODE")
                  .tables[0]
                  .is_locked);
  EXPECT_EQ(text("INSERT IGNORE INTO t (a) VALUES (1)").kind, Kind::Inserts);
  EXPECT_EQ(text("REPLACE INTO t (a) VALUES (1)").kind, Kind::Inserts);
  EXPECT_EQ(text("INSERT INTO t (a, n) VALUES (1, 1) ON DUPLICATE KEY UPDATE n "
                 "= n + VALUES(n)")
                .kind,
            Kind::Inserts);
  EXPECT_EQ(
      slots(text("UPDATE `t` SET `t`.`a` = 1 WHERE `t`.`id` = 2 LIMIT 1")),
      (Slots{"assigned t.a=1", "equals t.id=2"}));
}

TEST(StatementShape, WhatSteersTransactionsIsKnownByItsWords) {
  EXPECT_EQ(shape("begin isolation level serializable").kind, Kind::Begin);
  EXPECT_EQ(shape("begin isolation level serializable").name, "serializable");
  EXPECT_EQ(
      shape("SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED").name,
      "read-committed");
  EXPECT_EQ(shape("set autocommit=0").kind, Kind::NoAutocommit);
  EXPECT_EQ(shape("SET @@session.autocommit = ON").kind, Kind::Autocommit);
  EXPECT_EQ(shape("ROLLBACK TO SAVEPOINT \"s1_x2\"").kind, Kind::RollbackTo);
  EXPECT_EQ(shape("ROLLBACK TO SAVEPOINT \"s1_x2\"").name, "s1_x2");
  EXPECT_EQ(shape("RELEASE SAVEPOINT \"s1_x2\"").name, "s1_x2");
  EXPECT_EQ(shape("SET NAMES utf8").kind, Kind::Nothing);
  EXPECT_EQ(shape("SHOW TABLES").kind, Kind::Nothing);
  EXPECT_EQ(shape("SELECT version()").kind, Kind::Calls);
  EXPECT_EQ(shape("SELECT c.relname FROM pg_catalog.pg_class c").kind,
            Kind::Nothing);
  EXPECT_EQ(shape("GRANT ALL ON t TO x").kind, Kind::Unreadable);
  EXPECT_EQ(shape("SELEC").kind, Kind::Unreadable);
}

TEST(StatementShape, ATableOfWithIsNone) {
  const StatementShape one = shape(
      "WITH x AS (SELECT id FROM t FOR UPDATE) UPDATE u SET a = 1 FROM x "
      "WHERE u.id = x.id");
  ASSERT_EQ(one.tables.size(), 2U);
  EXPECT_EQ(one.kind, Kind::Updates);
  EXPECT_FALSE(one.is_plain);
}

}  // namespace
}  // namespace shape_test
