// The lines of a log, and the file that they go to.

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>

#include "base/random.h"
#include "db/record/json_text.h"
#include "db/record/line_file.h"
#include "db/record/passwords.h"
#include "db/record/redact.h"
#include "db/record/write_log.h"
#include "support/run_command.h"

namespace txscope::db {
namespace {

LoggedTransaction example() {
  LoggedTransaction transaction;
  transaction.session = 3;
  transaction.id = "3-1";
  transaction.start = 10;
  transaction.end = 25;
  transaction.commit = 24;
  LoggedStatement read;
  read.sql = "SELECT name, price FROM things WHERE id = $1";
  read.params = {{"7", ColumnType::Integer}};
  read.start = 11;
  read.end = 12;
  read.has_rows = true;
  read.answer.columns = {{"name", sql::Kind::Text, ColumnType::Text},
                         {"price", sql::Kind::Numeric, ColumnType::Decimal}};
  read.answer.rows = {{"a \"pen\"", "1.50"}, {std::nullopt, std::nullopt}};
  LoggedStatement write;
  write.sql = "DELETE FROM things";
  write.start = 13;
  write.end = 14;
  write.has_count = true;
  write.answer.count = 2;
  transaction.statements = {read, write};
  return transaction;
}

TEST(Log, ALineHasWhatAClientSaw) {
  EXPECT_EQ(
      log_line(example()),
      R"({"session":3,"id":"3-1","status":"committed","start":10,"end":25,)"
      R"("commit":24,"statements":[{"sql":"SELECT name, price FROM things WHERE )"
      R"(id = $1","params":[7],"start":11,"end":12,"columns":["name","price"],)"
      R"("types":[null,"decimal"],"rows":[["a \"pen\"","1.50"],[null,null]]},)"
      R"({"sql":"DELETE FROM things","start":13,"end":14,"count":2}]})"
      "\n");
}

TEST(Log, AnUnknownTransactionHasNoEndAndAFailedStatementItsError) {
  LoggedTransaction transaction = example();
  transaction.status = LoggedTransaction::Status::Unknown;
  transaction.commit.reset();
  transaction.statements.resize(1);
  transaction.statements[0].answer = {};
  transaction.statements[0].answer.code = "1213";
  transaction.statements[0].answer.number = 1213;
  transaction.statements[0].answer.sqlstate = "40001";
  transaction.statements[0].answer.message = "Deadlock\nfound";
  const std::string line = log_line(transaction);
  EXPECT_EQ(line.find("\"end\":25"), std::string::npos);
  EXPECT_NE(line.find(R"("error":{"sqlstate":"40001","code":1213,)"
                      R"("message":"Deadlock\nfound"})"),
            std::string::npos)
      << line;
  EXPECT_EQ(line.find("rows"), std::string::npos);
}

TEST(Log, ValuesAreWrittenAsTheirTypeAsks) {
  const auto json = [](const Cell& cell, ColumnType type) {
    std::string out;
    append_json_cell(out, cell, type);
    return out;
  };
  EXPECT_EQ(json("-12", ColumnType::Integer), "-12");
  EXPECT_EQ(json("0012", ColumnType::Integer), "\"0012\"");
  EXPECT_EQ(json("1.5e-07", ColumnType::Double), "1.5e-07");
  EXPECT_EQ(json("NaN", ColumnType::Double), "\"NaN\"");
  EXPECT_EQ(json("1.50", ColumnType::Decimal), "\"1.50\"");
  EXPECT_EQ(json("t", ColumnType::Boolean), "true");
  EXPECT_EQ(json("0", ColumnType::Boolean), "false");
  EXPECT_EQ(json("\\x00ff", ColumnType::Bytes), "\"00ff\"");
  EXPECT_EQ(json(std::nullopt, ColumnType::Text), "null");
  EXPECT_EQ(json("caf\xc3\xa9\x01\xff\xed\xa0\x80", ColumnType::Text),
            "\"caf\xc3\xa9\\u0001\\ufffd\\ufffd\\ufffd\\ufffd\"");
}

TEST(Log, AHistoryHasOperations) {
  using Kind = LoggedOperation::Kind;
  LoggedTransaction transaction = example();
  transaction.operations = {{Kind::Read, 1, std::nullopt, {}},
                            {Kind::Write, 1, 5, {}},
                            {Kind::Append, 2, 6, {}},
                            {Kind::ReadList, 2, std::nullopt, {4, 6}}};
  EXPECT_EQ(history_line(transaction),
            R"({"session":3,"id":"3-1","status":"committed","start":10,"end":)"
            R"(25,"ops":[["r",1,null],["w",1,5],["append",2,6],["rl",2,[4,6]]])"
            "}\n");
}

TEST(LineFile, AFullDeviceIsTold) {
  auto file = LineFile::open("/dev/full");
  ASSERT_TRUE(file);
  file->write("line\n");
  EXPECT_FALSE(file->flush());
  EXPECT_FALSE(file->error().empty());
  EXPECT_FALSE(file->write("more\n"));
}

TEST(LineFile, WhatFitsEndsWithAWholeLine) {
  const test::TemporaryDirectory directory;
  const std::string path = directory.write("log", "");
  rlimit before{};
  ::getrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit small = before;
  small.rlim_cur = 1000;
  ::setrlimit(RLIMIT_FSIZE, &small);
  {
    auto file = LineFile::open(path);
    ASSERT_TRUE(file);
    std::string lines;
    for (int i = 0; i < 100; ++i) lines += "this line has 25 letters\n";
    file->write(lines);
    EXPECT_FALSE(file->flush());
    EXPECT_EQ(file->bytes(), 1000u);
  }
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, SIG_DFL);
  const std::string text = directory.read("log");
  EXPECT_EQ(text.size(), 1000u);
  EXPECT_EQ(text.back(), '\n');
}

LoggedTransaction with_text(const std::string& text) {
  LoggedTransaction transaction = example();
  transaction.statements[0].sql =
      "SELECT 'secret' || \"name\", 12 -- secret\n FROM t";
  transaction.statements[0].params = {{text, ColumnType::Text}};
  return transaction;
}

std::string token_of(const Redactor& redactor, const std::string& text) {
  LoggedTransaction transaction = with_text(text);
  redactor.redact(transaction);
  return *transaction.statements[0].params[0].value;
}

TEST(Redact, TokensAreEqualAndOrderedAsTheTextsWere) {
  const Redactor redactor(7);
  Random random(1);
  const auto some = [&] {
    std::string text = "x";
    const auto size = random.below(6);
    for (std::uint64_t i = 0; i < size; ++i)
      text += static_cast<char>(random.below(4) == 0 ? random.below(256)
                                                     : 'a' + random.below(3));
    return text;
  };
  for (int i = 0; i < 2000; ++i) {
    const std::string a = some();
    const std::string b = some();
    const std::string x = token_of(redactor, a);
    const std::string y = token_of(redactor, b);
    EXPECT_EQ(a == b, x == y);
    EXPECT_EQ(a < b, x < y) << a << " " << b;
  }
}

// Of statements in which a literal stands in every way that there is.
TEST(Redact, LiteralsInAllQuotesGo) {
  const Redactor redactor(7);
  for (const char* sql :
       {"SELECT $$secret$$ FROM t", "SELECT $tag$it's secret$tag$ FROM t",
        "SELECT E'it\\'s secret' FROM t", "SELECT U&'secret' FROM t",
        "SELECT 1 /* a /* b */ secret */ FROM t",
        "CREATE FUNCTION f(a text DEFAULT $$secret$$) RETURNS text AS $b$ "
        "SELECT v || 'secret' || $q$secret$q$ FROM t $b$ LANGUAGE sql",
        "DO $$ BEGIN UPDATE t SET v = 'secret'; PERFORM v FROM t; END $$"}) {
    LoggedTransaction transaction = example();
    transaction.statements[0].sql = sql;
    redactor.redact(transaction);
    const std::string& left = transaction.statements[0].sql;
    EXPECT_EQ(left.find("secret"), std::string::npos) << left;
    EXPECT_NE(left.find("FROM t"), std::string::npos) << left;
  }
}

TEST(Passwords, AreInNoLog) {
  for (const char* sql :
       {"ALTER ROLE ann WITH PASSWORD 'secret'",
        "create  user ann /* x */ encrypted password $$secret$$",
        "ALTER USER ann PASWORD 'secret'",
        "CREATE USER MAPPING FOR ann SERVER s OPTIONS (password 'secret')",
        "CREATE SUBSCRIPTION s CONNECTION 'password=secret' PUBLICATION p",
        "SET PASSWORD FOR ann = PASSWORD('secret')",
        "GRANT ALL ON *.* TO ann IDENTIFIED BY 'secret'",
        "DO $$ BEGIN ALTER ROLE ann PASSWORD 'secret'; END $$",
        "DO $$ BEGIN EXECUTE 'ALTER ROLE ann PASSWORD ''secret'''; END $$"}) {
    LoggedTransaction transaction = example();
    LoggedStatement& statement = transaction.statements[0];
    statement.sql = sql;
    statement.params.clear();
    statement.answer = {};
    statement.answer.code = statement.answer.sqlstate = "42601";
    statement.answer.message = "syntax error at or near \"'secret'\"";
    LogHeader header;
    header.setup = {sql};
    for (const std::string& line : {log_line(transaction), header_line(header)})
      EXPECT_EQ(line.find("secret"), std::string::npos) << line;
  }
}

TEST(Passwords, AreNotLookedForInData) {
  for (const char* sql :
       {"INSERT INTO users (name, password) VALUES ('ann', 'hash')",
        "UPDATE users SET password = 'hash' WHERE identified = 'x'",
        "INSERT INTO notes VALUES ('ALTER ROLE ann PASSWORD ''x''')",
        "SELECT $$create user x password 'y'$$",
        "ALTER TABLE role ADD COLUMN a text DEFAULT 'user'"})
    EXPECT_EQ(without_passwords(sql), std::nullopt) << sql;
}

TEST(Redact, NothingReadableIsLeft) {
  const Redactor redactor(7);
  LoggedTransaction transaction = with_text("secret");
  transaction.statements[0].answer.rows[0][0] = "secret";
  redactor.redact(transaction);
  const std::string line = log_line(transaction);
  EXPECT_EQ(line.find("secret"), std::string::npos) << line;
  EXPECT_NE(line.find("FROM t"), std::string::npos) << line;
  EXPECT_NE(line.find("1.50"), std::string::npos) << line;
}

}  // namespace
}  // namespace txscope::db
