#include <gtest/gtest.h>

#include <array>
#include <set>
#include <string>
#include <vector>

#include "model/sql/type.h"
#include "read/sql/sql.h"
#include "support/live_server.h"

// PostgreSQL is asked what it thinks of what we accept: whether it accepts it,
// too, and which type it gives to each expression.
namespace txscope {
namespace {

using sql::Type;

constexpr const char* kTable =
    "CREATE TABLE x (s smallint, i integer, b bigint, n numeric, "
    "n2 numeric(10,2), t text, v varchar, v5 varchar(5), d date, "
    "ts timestamp, o boolean);\n";

/// The type that we give to an expression over the table's columns, or why not.
std::string our_type(const std::string& expression) {
  const auto read = read_sql(
      "x.sql", kTable + ("--@ session a: SELECT " + expression) + " FROM x;");
  if (!read) return "error: " + read.error().what;
  const auto& execute =
      std::get<sql::PlExecute>(read->routines.back().body[0].what);
  const Type type =
      std::get<sql::Select>(execute.statement.what)->targets[0].expr.type;
  return to_string(Type{type.name, 0, 0});
}

class LiveTypes : public testing::Test {
 protected:
  void SetUp() override {
    test::LiveServer& live = test::live_postgresql();
    if (!live.server) GTEST_SKIP() << live.why;
    session_ = live.connect();
    ASSERT_NE(session_, nullptr);
    ASSERT_TRUE(session_
                    ->execute("DROP TABLE IF EXISTS x; " + std::string(kTable) +
                              "INSERT INTO x VALUES (NULL)")
                    .is_ok());
  }

  /// An aggregate or not: one row comes back.
  std::string their_type(const std::string& expression) {
    const db::Answer answer =
        session_->execute("SELECT pg_typeof(" + expression + ")::text FROM x");
    if (!answer.is_ok()) return "error: " + answer.message;
    return answer.rows.at(0).at(0).value_or("NULL");
  }

  /// Equal types; what they refuse we refuse; what we refuse and they do not is
  /// said to be not supported.
  void compare(const std::string& expression) {
    const std::string ours = our_type(expression);
    const std::string theirs = their_type(expression);
    ++compared_;
    const bool we_fail = ours.starts_with("error");
    const bool they_fail = theirs.starts_with("error");
    if (we_fail && they_fail) return;
    if (!we_fail && !they_fail) {
      // A literal whose type nothing decides is a text in a result.
      const std::string expected = theirs == "unknown" ? "text" : theirs;
      EXPECT_EQ(ours, expected) << expression;
      ++accepted_;
      return;
    }
    if (we_fail) {
      EXPECT_NE(ours.find("not supported"), std::string::npos)
          << expression << " is " << theirs << ", but we say " << ours;
      return;
    }
    // Some constants fail when they are evaluated.
    if (theirs.find("overflow") != std::string::npos ||
        theirs.find("out of range") != std::string::npos) {
      return;
    }
    ADD_FAILURE() << expression << " is " << ours << ", but PostgreSQL says "
                  << theirs;
  }

  std::unique_ptr<db::Session> session_;
  int compared_ = 0;
  int accepted_ = 0;
};

const std::vector<std::string> kOperands = {"s",
                                            "i",
                                            "b",
                                            "n",
                                            "n2",
                                            "t",
                                            "v",
                                            "v5",
                                            "d",
                                            "ts",
                                            "o",
                                            "1",
                                            "1.5",
                                            "NULL",
                                            "'1'",
                                            "true",
                                            "-3",
                                            "'a'",
                                            "'2024-01-31'",
                                            "3000000000"};

TEST_F(LiveTypes, BinaryOperatorsHaveTheTypesOfPostgresql) {
  for (const char* op : {"+", "-", "*", "/", "%", "||", "=", "<>", "<",
                         ">=", "LIKE", "IS DISTINCT FROM"}) {
    for (const std::string& a : kOperands) {
      for (const std::string& b : kOperands) {
        compare(a + " " + op + " " + b);
      }
    }
  }
  EXPECT_GT(accepted_, 1500);
}

TEST_F(LiveTypes, FunctionsAndAggregatesHaveTheTypesOfPostgresql) {
  for (const char* f :
       {"count", "sum", "min", "max", "avg", "bool_and", "bool_or", "every",
        "lower", "upper", "length", "char_length", "abs", "floor", "ceil",
        "round", "-", "count(DISTINCT i) + sum"}) {
    for (const std::string& a : kOperands) compare(f + ("(" + a + ")"));
  }
  for (const std::string& a : kOperands) {
    compare("round(" + a + ", 1)");
    compare("mod(" + a + ", 2)");
    compare("mod(7, " + a + ")");
    compare("(" + a + ") IS NULL");
    compare("(" + a + ") IS TRUE");
    compare("(SELECT " + a + ")");
    compare("NOT " + a);
  }
  EXPECT_GT(accepted_, 120);
}

TEST_F(LiveTypes, ChoicesHaveTheTypesOfPostgresql) {
  for (const std::string& a : kOperands) {
    for (const std::string& b : kOperands) {
      compare("coalesce(" + a + ", " + b + ")");
      compare("greatest(" + a + ", " + b + ")");
      compare("nullif(" + a + ", " + b + ")");
      compare("CASE WHEN o THEN " + a + " ELSE " + b + " END");
      compare("CASE " + a + " WHEN " + b + " THEN 1 END");
      compare(a + " IN (" + b + ", NULL)");
      compare(a + " BETWEEN " + b + " AND " + a);
      compare(a + " IN (SELECT " + b + ")");
    }
  }
  for (const std::string a : {"s", "i", "n", "t", "v", "d", "'1'"}) {
    for (const std::string b : {"s", "b", "n", "t", "v", "ts", "NULL"}) {
      for (const std::string c : {"b", "n", "t", "v5", "1.5", "'2024-01-31'"}) {
        compare("coalesce(" + a + ", " + b + ", " + c + ")");
        compare("CASE WHEN o THEN " + a + " WHEN NOT o THEN " + b + " ELSE " +
                c + " END");
      }
    }
  }
  EXPECT_GT(accepted_, 900);
}

TEST_F(LiveTypes, CastsExistWhereTheyDoInPostgresql) {
  for (const std::string& a : kOperands) {
    for (const char* type :
         {"smallint", "integer", "bigint", "numeric", "numeric(10,2)", "text",
          "varchar", "varchar(5)", "date", "timestamp", "boolean"}) {
      compare("(" + a + ")::" + type);
    }
  }
  EXPECT_GT(accepted_, 100);
}

}  // namespace
}  // namespace txscope
