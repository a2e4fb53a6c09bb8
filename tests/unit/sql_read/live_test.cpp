#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "base/budget.h"
#include "exec/sql/memory/database.h"
#include "model/sql/type.h"
#include "read/sql/sql.h"
#include "support/live_server.h"
#include "support/paths.h"

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
  const auto read = sql::read_sql(
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

const std::vector<std::string> kOperands = {
    "s",  "i", "b",   "n2",   "t",   "v5",         "d",
    "ts", "o", "1.5", "NULL", "'1'", "3000000000", "'2024-01-31'"};

TEST_F(LiveTypes, BinaryOperatorsHaveTheTypesOfPostgresql) {
  for (const char* op : {"+", "-", "*", "/", "%", "||", "=", "<>", "<",
                         ">=", "LIKE", "IS DISTINCT FROM"}) {
    for (const std::string& a : kOperands) {
      for (const std::string& b : kOperands) {
        compare(a + " " + op + " " + b);
      }
    }
  }
  EXPECT_GT(accepted_, 700);
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
  EXPECT_GT(accepted_, 80);
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
  EXPECT_GT(accepted_, 500);
}

TEST_F(LiveTypes, CastsExistWhereTheyDoInPostgresql) {
  for (const std::string& a : kOperands) {
    for (const char* type :
         {"smallint", "integer", "bigint", "numeric", "numeric(10,2)", "text",
          "varchar", "varchar(5)", "date", "timestamp", "boolean"}) {
      compare("(" + a + ")::" + type);
    }
  }
  EXPECT_GT(accepted_, 60);
}

// ---------------------------------------------------------------------------

/// Every statement for the database in a block, nested ones too.
void collect(const sql::PlBlock& block,
             std::vector<const sql::DbStatement*>& all) {
  for (const sql::PlStatement& statement : block) {
    if (const auto* s = std::get_if<sql::PlExecute>(&statement.what)) {
      all.push_back(&s->statement);
    } else if (const auto* i = std::get_if<sql::PlIf>(&statement.what)) {
      for (const auto& arm : i->arms) {
        collect(arm.before, all);
        collect(arm.body, all);
      }
      collect(i->otherwise, all);
    } else if (const auto* l = std::get_if<sql::PlLoop>(&statement.what)) {
      collect(l->before, all);
      collect(l->body, all);
    } else if (const auto* f = std::get_if<sql::PlForRange>(&statement.what)) {
      collect(f->body, all);
    } else if (const auto* r = std::get_if<sql::PlForRows>(&statement.what)) {
      all.push_back(&r->query);
      collect(r->body, all);
    } else if (const auto* b = std::get_if<sql::PlLabelled>(&statement.what)) {
      collect(b->body, all);
    } else if (const auto* o = std::get_if<sql::PlOpen>(&statement.what)) {
      all.push_back(&o->query);
    }
  }
}

sql::Value some_value(sql::TypeName type) {
  switch (sql::kind_of(type)) {
    case sql::Kind::Null: return {};
    case sql::Kind::Bool: return sql::Value::boolean(true);
    case sql::Kind::Integer: return sql::Value::integer(1);
    case sql::Kind::Numeric: return sql::Value::numeric(15, 1);
    case sql::Kind::Text: return sql::Value::text("it's");
    case sql::Kind::Date: return sql::Value::date(8000);
    case sql::Kind::Timestamp: return sql::Value::timestamp(8000);
    default: break;
  }
  return {};
}

/// Errors that depend on values, not on what a statement means.
bool is_about_values(const std::string& code) {
  return code.starts_with("22") || code.starts_with("23") ||
         code.starts_with("21") || code.starts_with("20") ||
         code.starts_with("P0") || code.starts_with("ZZ");
}

class LiveFiles : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    test::LiveServer& live = test::live_postgresql();
    if (!live.server) GTEST_SKIP() << live.why;
    session_ = live.connect();
    ASSERT_NE(session_, nullptr);
    run("DROP SCHEMA IF EXISTS public CASCADE; CREATE SCHEMA public");
  }

  void run(const std::string& sql) {
    const db::Answer answer = session_->execute(sql);
    EXPECT_TRUE(answer.is_ok()) << sql << "\n" << answer.message;
  }

  /// What PostgreSQL makes of a statement with values for its variables: it
  /// accepts it, and its columns have the kinds that we gave them.
  void check(const sql::Application& application,
             const sql::DbStatement& statement,
             const std::vector<sql::Value>& slots) {
    const std::string text =
        sql::text_with_values(application, statement, slots);
    run("BEGIN");
    const db::Answer answer = session_->execute(text);
    if (!answer.is_ok()) {
      EXPECT_TRUE(is_about_values(answer.code))
          << text << "\n"
          << answer.message << " " << answer.code;
    } else {
      const auto* select = std::get_if<sql::Select>(&statement.what);
      const auto& targets =
          select != nullptr ? (*select)->targets : statement.returning;
      ASSERT_EQ(answer.columns.size(), targets.size()) << text;
      for (std::size_t i = 0; i < targets.size(); ++i) {
        EXPECT_EQ(answer.columns[i].kind,
                  sql::kind_of(targets[i].expr.type.name))
            << text << " column " << i;
        if (!statement.is_expression) {
          EXPECT_EQ(answer.columns[i].name, targets[i].name) << text;
        }
      }
      ++checked_;
    }
    run("ROLLBACK");
  }

  std::unique_ptr<db::Session> session_;
  int checked_ = 0;
};

std::string text_of(const std::string& path) {
  std::ifstream file(test::source_dir() + "/" + path);
  EXPECT_TRUE(file) << path;
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST_P(LiveFiles, WhatWeReadPostgresqlReads) {
  const auto read = sql::read_sql(GetParam(), text_of(GetParam()));
  ASSERT_TRUE(read) << to_string(read.error().where) << read.error().what;
  for (const Span span : read->load) run(std::string(read->text(span)));
  for (const sql::Routine& routine : read->routines) {
    std::vector<sql::Value> slots;
    for (const sql::Variable& variable : routine.variables) {
      slots.push_back(some_value(variable.type.name));
    }
    std::vector<const sql::DbStatement*> statements;
    collect(routine.body, statements);
    for (const auto* statement : statements) check(*read, *statement, slots);
  }
  for (const sql::Property& property : read->properties) {
    std::vector<sql::Value> slots;
    for (const sql::VariableRef& ref : property.variables) {
      const sql::Call& call = read->sessions[ref.session].calls[ref.call];
      slots.push_back(
          some_value(read->at(call.routine).variables[ref.slot].type.name));
    }
    check(*read, property.condition, slots);
  }
  EXPECT_GT(checked_, 0);
  // PL/pgSQL finds unknown names and wrong types only when it runs.
  for (const sql::Session& session : read->sessions) {
    for (const sql::Call& call : session.calls) {
      const std::string text(read->text(call.at));
      if (!text.starts_with("CALL")) continue;
      const db::Answer answer = session_->execute(text);
      EXPECT_TRUE(answer.is_ok() || is_about_values(answer.code))
          << text << "\n"
          << answer.message << " " << answer.code;
    }
  }
}

/// The same calls one after the other in our memory and on the server: the
/// same outcomes, the same rows in the end.
TEST_P(LiveFiles, SerialRunsEndAsOnPostgresql) {
  const auto read = sql::read_sql(GetParam(), text_of(GetParam()));
  ASSERT_TRUE(read) << to_string(read.error().where) << read.error().what;
  for (const Span span : read->load) run(std::string(read->text(span)));
  const sql::Routines routines(*read);
  const Budget budget = Budget::unlimited();
  auto setup = sql::MemoryDatabase::after_setup(routines, budget);
  ASSERT_TRUE(std::holds_alternative<sql::MemoryDatabase>(setup));
  auto& memory = std::get<sql::MemoryDatabase>(setup);
  for (const sql::Session& session : read->sessions) {
    for (const sql::Call& call : session.calls) {
      std::string text(read->text(call.at));
      for (std::size_t i = 0; (i = text.find("--@", i)) != std::string::npos;) {
        text.replace(i, 3, "   ");
      }
      const db::Answer answer = session_->execute(text);
      if (!answer.is_ok()) (void)session_->execute("ROLLBACK");
      const auto ran = memory.run(call, budget);
      ASSERT_TRUE(ran.kind == sql::Request::Kind::Returned ||
                  ran.kind == sql::Request::Kind::Failed);
      const std::string code = ran.kind == sql::Request::Kind::Failed
                                   ? ran.process.error().sqlstate
                                   : "";
      EXPECT_EQ(code == "00000" ? "" : code, answer.code) << text << "\n"
                                                          << answer.message;
      if (code == answer.code && !code.empty()) {
        EXPECT_EQ(ran.process.error().message, answer.message) << text;
      }
    }
  }
  for (std::uint32_t t = 0; t < read->schema.tables.size(); ++t) {
    const sql::Table& table = read->schema.tables[t];
    std::vector<std::string> ours;
    for (const sql::Row& row : memory.rows(TableId(t))) {
      std::string line;
      for (const sql::Value& value : row) line += to_string(value) + " | ";
      ours.push_back(line);
    }
    std::vector<std::string> theirs;
    for (const auto& row :
         session_->execute("SELECT * FROM " + table.name).rows) {
      std::string line;
      for (const db::Cell& cell : row) line += cell.value_or("NULL") + " | ";
      theirs.push_back(line);
    }
    std::sort(ours.begin(), ours.end());
    std::sort(theirs.begin(), theirs.end());
    EXPECT_EQ(ours, theirs) << table.name;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Files, LiveFiles,
    testing::Values(
        "tests/sql/read/everything.sql", "tests/sql/read/queries.sql",
        "tests/sql/read/plpgsql.sql", "tests/sql/booking_unique.sql",
        "tests/sql/delete_vs_update.sql", "tests/sql/shop_coupon.sql",
        "examples/auction/auction.sql", "examples/bank/bank.sql",
        "examples/courseware/courseware.sql", "examples/on-call/on-call.sql",
        "examples/playlist/playlist.sql", "examples/rubis/rubis.sql",
        "examples/seats/seats.sql", "examples/shop/shop.sql",
        "examples/smallbank/smallbank.sql", "examples/tickets/tickets.sql",
        "examples/tpcc/tpcc.sql", "examples/twitter/twitter.sql"),
    [](const auto& file) {
      std::string name = file.param.substr(file.param.rfind('/') + 1);
      for (char& c : name) {
        if (c == '.' || c == '-') c = '_';
      }
      return name;
    });

}  // namespace
}  // namespace txscope
