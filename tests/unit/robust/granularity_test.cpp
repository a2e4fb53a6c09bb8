// What counts as read and written: rows, columns, or what statements give.

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

#include "read/sql/sql.h"
#include "read/txn/txn.h"
#include "robust/search_sql.h"
#include "support/paths.h"

namespace txscope::robust {
namespace {

Outcome by(const std::string& text, Notion notion, Granularity granularity) {
  const auto read = sql::read_sql("test.sql", text);
  EXPECT_TRUE(read) << read.error().what << "\n" << text;
  if (!read) return Outcome::Undecided;
  SearchQuestion question;
  question.notion = notion;
  question.granularity = granularity;
  const auto found = search_sql(*read, question, Budget::unlimited());
  EXPECT_TRUE(found);
  return found ? found->answer.answer : Outcome::Undecided;
}

Outcome trace_of(const std::string& program, Granularity granularity) {
  const auto read = read::read_txn("test.txn", program);
  EXPECT_TRUE(read) << read.error().what;
  const auto code = exec::compile(*read);
  EXPECT_TRUE(code);
  SearchQuestion question;
  question.granularity = granularity;
  return search(*code, question, Budget::unlimited()).answer;
}

/// TPC-C with sessions of its own.
std::string tpcc(const std::string& sessions) {
  std::ifstream in(test::source_dir() + "/examples/robust/tpcc.sql");
  std::stringstream text;
  text << in.rdbuf();
  const std::string whole = text.str();
  return whole.substr(0, whole.find("--@ session")) + sessions;
}

// Delivery scans for the oldest order; the newer one that NewOrder adds is a
// row that it reads, and nothing that it shows.
TEST(RobustGranularity, OutcomesAreWhatStatementsGiveAndNotTheRowsTheyRead) {
  const std::string text = tpcc(
      "--@ session ann: CALL new_order(1, 1, 1, 1);\n"
      "--@ session ben: CALL delivery(1, 1, 8);\n");
  EXPECT_EQ(by(text, Notion::Trace, Granularity::Row), Outcome::Violated);
  EXPECT_EQ(by(text, Notion::Outcome, Granularity::Row), Outcome::Holds);
  EXPECT_EQ(by(text, Notion::State, Granularity::Row), Outcome::Holds);
  EXPECT_EQ(by(text, Notion::Trace, Granularity::Result), Outcome::Holds);
  EXPECT_EQ(by(text, Notion::View, Granularity::Result), Outcome::Holds);
  EXPECT_EQ(by(text, Notion::History, Granularity::Result), Outcome::Holds);
}

// NewOrder reads the customer's discount, Delivery writes the balance, which
// OrderStatus reads.
TEST(RobustGranularity, ColumnsThatNobodyNamesTogetherAreNoCycle) {
  const std::string text = tpcc(
      "--@ session ann: CALL new_order(1, 1, 1, 1);\n"
      "--@ session ben: CALL delivery(1, 1, 8); "
      "CALL order_status(1, 1, 1);\n");
  EXPECT_EQ(by(text, Notion::Trace, Granularity::Row), Outcome::Violated);
  EXPECT_EQ(by(text, Notion::Trace, Granularity::Column), Outcome::Holds);
  EXPECT_EQ(by(text, Notion::Trace, Granularity::Result), Outcome::Holds);
}

const std::string kTable = R"(
CREATE TABLE t (id integer PRIMARY KEY, a integer NOT NULL, b integer NOT NULL);
INSERT INTO t VALUES (1, 0, 0), (2, 0, 0);
)";

// A column that is set to what it was is named, and shows nothing.
TEST(RobustGranularity, ASetThatChangesNothingCountsByColumnsOnly) {
  const std::string text = kTable + R"(
--@ session p: BEGIN; SELECT a FROM t WHERE id = 1; UPDATE t SET a = 0 WHERE id = 2; COMMIT;
--@ session q: BEGIN; SELECT a FROM t WHERE id = 2; UPDATE t SET a = 0 WHERE id = 1; COMMIT;
)";
  EXPECT_EQ(by(text, Notion::Trace, Granularity::Row), Outcome::Violated);
  EXPECT_EQ(by(text, Notion::Trace, Granularity::Column), Outcome::Violated);
  EXPECT_EQ(by(text, Notion::Trace, Granularity::Result), Outcome::Holds);
}

// A row that the condition finds neither before nor after a write.
TEST(RobustGranularity, RowsThatAConditionDoesNotFindShowNothing) {
  const std::string text = kTable + R"(
--@ session p: BEGIN; SELECT a FROM t WHERE b = 7; UPDATE t SET a = 1 WHERE id = 2; COMMIT;
--@ session q: BEGIN; SELECT a FROM t WHERE b = 7; UPDATE t SET a = 1 WHERE id = 1; COMMIT;
)";
  EXPECT_EQ(by(text, Notion::Trace, Granularity::Column), Outcome::Violated);
  EXPECT_EQ(by(text, Notion::Trace, Granularity::Result), Outcome::Holds);
}

// Real write skew is one by any granularity and notion.
TEST(RobustGranularity, WriteSkewIsSeenByAll) {
  const std::string text = kTable + R"(
--@ session p: BEGIN; SELECT a FROM t WHERE id = 1; UPDATE t SET a = 1 WHERE id = 2; COMMIT;
--@ session q: BEGIN; SELECT a FROM t WHERE id = 2; UPDATE t SET a = 1 WHERE id = 1; COMMIT;
)";
  for (const Granularity g :
       {Granularity::Row, Granularity::Column, Granularity::Result}) {
    for (const Notion notion :
         {Notion::Trace, Notion::View, Notion::History, Notion::Outcome}) {
      EXPECT_EQ(by(text, notion, g), Outcome::Violated)
          << name(g) << " " << name(notion);
    }
  }
}

// Two that each hide a row from the other's maximum: neither change alone
// would show, both together do.
TEST(RobustGranularity, AMaximumLooksForAllRowsThatHaveIt) {
  const std::string text = R"(
CREATE TABLE t (id integer PRIMARY KEY, v integer NOT NULL);
INSERT INTO t VALUES (1, 5), (2, 5);
--@ session p: BEGIN; SELECT max(v) FROM t; UPDATE t SET v = 1 WHERE id = 1; COMMIT;
--@ session q: BEGIN; SELECT max(v) FROM t; UPDATE t SET v = 1 WHERE id = 2; COMMIT;
)";
  EXPECT_EQ(by(text, Notion::Trace, Granularity::Result), Outcome::Violated);
}

// Rows without a primary key have no names: who inserted which does not show.
TEST(RobustGranularity, FinalStatesWithoutKeysAreBags) {
  const std::string text = R"(
CREATE TABLE flag (id integer PRIMARY KEY, v integer NOT NULL);
INSERT INTO flag VALUES (1, 0), (2, 0);
CREATE TABLE log (what integer NOT NULL);
CREATE PROCEDURE p() LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO log VALUES (1);
  UPDATE flag SET v = 1 WHERE id = 1;
END $$;
CREATE PROCEDURE q() LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO log VALUES (1);
  UPDATE flag SET v = 1 WHERE id = 2;
END $$;
--@ session a: CALL p();
--@ session b: CALL q();
)";
  EXPECT_EQ(by(text, Notion::State, Granularity::Row), Outcome::Holds);
}

TEST(RobustGranularity, AWriteOfTheSameValueIsNoneByResults) {
  const std::string text =
      "var x\nvar y\nsession { txn { a = read y; write x = 1 } }\n"
      "session { txn { b = read x; write y = 0 } }\n";
  EXPECT_EQ(trace_of(text, Granularity::Row), Outcome::Violated);
  EXPECT_EQ(trace_of(text, Granularity::Column), Outcome::Violated);
  EXPECT_EQ(trace_of(text, Granularity::Result), Outcome::Holds);
}

}  // namespace
}  // namespace txscope::robust
