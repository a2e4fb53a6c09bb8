// Logs that servers, drivers and ORMs write, read into one form.  The files in
// tests/logs are from real runs (its README); other formats are texts as their
// documentation shows them.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "read/logs/statements/statement_log.h"
#include "support/paths.h"

namespace formats_test {
namespace {

using namespace txscope;

sql::StatementLog log_of(Result<sql::StatementLog> log) {
  EXPECT_TRUE(log) << (log ? "" : log.error().what);
  return log ? std::move(*log) : sql::StatementLog{};
}
sql::StatementLog file(const std::string& name) {
  auto input = read::Input::open(test::source_dir() +
                                 std::string("/tests/logs/") + name);
  EXPECT_TRUE(input);
  return log_of(logs::read_statement_log(std::move(*input)));
}
sql::StatementLog text(const std::string& text) {
  return log_of(logs::read_statement_log(read::Input::of_text("log", text)));
}

using Lines = std::vector<std::string>;

/// "session: statement", the sessions numbered as they come.
Lines shown(const sql::StatementLog& log, bool with_sessions = true) {
  Lines lines;
  for (const sql::LoggedStatement& one : log.statements)
    lines.push_back((with_sessions ? std::to_string(one.session) + ": " : "") +
                    (one.ends_session ? "end" : one.text) +
                    (one.has_failed ? " !" : ""));
  return lines;
}

/// Without what only some of the formats have.
Lines statements(const sql::StatementLog& log) {
  Lines lines;
  for (const sql::LoggedStatement& one : log.statements)
    if (!one.ends_session && one.text.find("general_log") == std::string::npos)
      lines.push_back(std::to_string(one.session) + ": " + one.text);
  return lines;
}

TEST(LogFormats, TheThreeLogsOfPostgresqlSayTheSame) {
  const sql::StatementLog csv = file("../../examples/logs/shop.csv");
  const sql::StatementLog json = file("postgresql.json");
  const sql::StatementLog plain = file("postgresql.log");
  EXPECT_EQ(csv.format, "csvlog of PostgreSQL");
  EXPECT_EQ(json.format, "jsonlog of PostgreSQL");
  EXPECT_EQ(plain.format, "stderr log of PostgreSQL");
  ASSERT_GT(csv.statements.size(), 30U);
  EXPECT_EQ(shown(csv), shown(json));
  EXPECT_EQ(shown(csv), shown(plain));
  for (std::size_t i = 0; i < csv.statements.size(); ++i)
    EXPECT_EQ(csv.statements[i].time, json.statements[i].time);
}

TEST(LogFormats, DjangoSaysWhatItsServerSays) {
  const sql::StatementLog django = file("django.log");
  const sql::StatementLog server = file("../../examples/logs/shop.csv");
  EXPECT_EQ(django.dialect, sql::Dialect::Postgresql);
  EXPECT_TRUE(django.has_sessions);
  // Every statement that changes rows or reads them is in both.
  const auto of_shop = [](const sql::StatementLog& log) {
    Lines lines;
    for (const sql::LoggedStatement& one : log.statements)
      for (const char* verb : {"SELECT \"", "UPDATE \"", "INSERT "})
        if (one.text.starts_with(verb)) lines.push_back(one.text);
    return lines;
  };
  ASSERT_GT(of_shop(server).size(), 10U);
  EXPECT_EQ(of_shop(django), of_shop(server));
}

TEST(LogFormats, TheLogsOfMariadbSayTheSame) {
  const sql::StatementLog general = file("general.log");
  EXPECT_EQ(general.dialect, sql::Dialect::Mariadb);
  ASSERT_GT(statements(general).size(), 30U);
  EXPECT_EQ(statements(general), statements(file("general_log.tsv")));
  EXPECT_EQ(statements(general), statements(file("general_log.CSV")));
  const sql::StatementLog audit = file("server_audit.log");
  EXPECT_EQ(audit.format, "server audit log of MariaDB");
  EXPECT_EQ(statements(general), statements(audit));
}

// The values are beside the statement there, and in it here.
TEST(LogFormats, SqlalchemySaysWhatItsServerSays) {
  const auto changes = [](const sql::StatementLog& log) {
    Lines lines;
    for (const sql::LoggedStatement& one : log.statements)
      if (one.text.starts_with("UPDATE ") ||
          one.text.starts_with("INSERT INTO entry"))
        lines.push_back(one.text);
    return lines;
  };
  const Lines server = changes(file("general.log"));
  ASSERT_EQ(server.size(), 10U);
  EXPECT_EQ(changes(file("sqlalchemy.log")), server);
}

// Python's formats differ in what stands between the logger and its message.
TEST(LogFormats, SqlalchemyIsReadInAnyOfPythonsFormats) {
  const std::string time = "2026-01-02 10:00:00,000 ";
  for (const std::string& before :
       {std::string("INFO:sqlalchemy.engine.Engine:"),
        time + "INFO sqlalchemy.engine.Engine ",
        time + "sqlalchemy.engine.Engine INFO ",
        time + "- sqlalchemy.engine.Engine - INFO - ",
        time + "INFO  [sqlalchemy.engine.Engine] ",
        time + "INFO  [sqlalchemy.engine.Engine:1863] "}) {
    std::string log_text;
    for (const char* message :
         {"BEGIN (implicit)", "UPDATE t SET a=%(a)s WHERE id = %(id)s",
          "[generated in 0.00011s] {'a': 7, 'id': 1}", "COMMIT"})
      log_text += before + message + "\n";
    const sql::StatementLog log = text(log_text);
    ASSERT_EQ(log.statements.size(), 3U) << before;
    EXPECT_EQ(log.statements[1].text, "UPDATE t SET a=7 WHERE id = 1")
        << before;
  }
}

TEST(LogFormats, ASpanOfOpenTelemetryBelongsToItsTrace) {
  const sql::StatementLog log = file("opentelemetry.json");
  ASSERT_EQ(log.statements.size(), 4U);
  EXPECT_EQ(log.statements[0].text,
            "SELECT id, used, usage_limit FROM voucher WHERE code = 'SPRING'");
  EXPECT_EQ(log.statements[0].route, "/redeem");
  EXPECT_EQ(log.statements[0].request, log.statements[1].request);
  EXPECT_NE(log.statements[1].request, log.statements[2].request);
  EXPECT_FALSE(log.has_transactions);
}

TEST(LogFormats, OtlpLinesHaveTheirAttributesInLists) {
  const sql::StatementLog log = text(
      R"({"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"a1","spanId":"1","startTimeUnixNano":"2000","attributes":[{"key":"db.query.text","value":{"stringValue":"UPDATE t SET a = $1"}},{"key":"db.query.parameter.0","value":{"stringValue":"7"}}]},{"traceId":"a1","spanId":"2","startTimeUnixNano":"1000","attributes":[{"key":"http.route","value":{"stringValue":"/pay"}}]}]}]}]})");
  ASSERT_EQ(log.statements.size(), 1U);
  EXPECT_EQ(log.statements[0].text, "UPDATE t SET a = '7'");
  EXPECT_EQ(log.statements[0].route, "/pay");
}

TEST(LogFormats, ParametersOfPostgresqlAreInTheDetail) {
  const sql::StatementLog log = text(
      "2026-11-18 12:00:00.001 UTC [71] LOG:  execute <unnamed>: UPDATE t\n"
      "\tSET a = $1 WHERE b = $2 AND c = $10\n"
      "2026-11-18 12:00:00.001 UTC [71] DETAIL:  parameters: $1 = '6', $2 = "
      "NULL, $10 = 'it''s \\'\n"
      "2026-11-18 12:00:00.002 UTC [71] ERROR:  deadlock detected\n"
      "2026-11-18 12:00:00.002 UTC [71] STATEMENT:  UPDATE t\n"
      "2026-11-18 12:00:00.003 UTC [72] LOG:  duration: 0.10 ms  statement: "
      "SELECT 1\n");
  EXPECT_EQ(shown(log), (Lines{"0: UPDATE t\nSET a = '6' WHERE b = NULL AND c "
                               "= 'it''s \\' !",
                               "1: SELECT 1"}));
}

// pgaudit writes one entry per table, and those of functions inside.
TEST(LogFormats, PgauditHasAStatementOnce) {
  const sql::StatementLog log = text(
      "2026-11-18 12:00:00 UTC [7] LOG:  AUDIT: SESSION,1,1,READ,SELECT,TABLE,"
      "public.a,\"SELECT * FROM a, b WHERE x = $1\",5\n"
      "2026-11-18 12:00:00 UTC [7] LOG:  AUDIT: SESSION,1,1,READ,SELECT,TABLE,"
      "public.b,\"SELECT * FROM a, b WHERE x = $1\",5\n"
      "2026-11-18 12:00:00 UTC [7] LOG:  AUDIT: SESSION,2,1,WRITE,UPDATE,TABLE,"
      "public.a,UPDATE a SET y = 1,<none>\n");
  EXPECT_EQ(shown(log), (Lines{"0: SELECT * FROM a, b WHERE x = '5'",
                               "0: UPDATE a SET y = 1"}));
}

TEST(LogFormats, AGeneralLogGoesOnInLinesWithoutANumber) {
  const sql::StatementLog log = text(
      "161106  1:33:11\t  247 Connect\troot@localhost on shop\n"
      "\t\t  247 Query\tSELECT a\n"
      "\t\t\tFROM t\n"
      "161106  1:33:13\t  247 Query\tCOMMIT\n"
      "\t\t  247 Quit\t\n");
  EXPECT_EQ(shown(log), (Lines{"0: end", "0: SELECT a\n\t\t\tFROM t",
                               "0: COMMIT", "0: end"}));
  EXPECT_EQ(*log.statements[2].time - *log.statements[1].time, 2'000'000);
}

TEST(LogFormats, P6spyHasTheStatementWithItsValuesBehindTheOther) {
  const sql::StatementLog log = text(
      "1699000000000|3|statement|connection 4|url jdbc:postgresql:x|SELECT a "
      "|| "
      "? FROM t|SELECT a || 'b' FROM t\n"
      "1699000000009|0|commit|connection 4|url jdbc:postgresql:x||\n"
      "#1699000000010 | took 0ms | statement | connection 5| url jdbc:x\n"
      "UPDATE t SET a = ?\n"
      "UPDATE t SET a = 7;\n");
  EXPECT_EQ(shown(log), (Lines{"0: SELECT a || 'b' FROM t", "0: commit",
                               "1: UPDATE t SET a = 7;"}));
  EXPECT_TRUE(log.begins_implicitly);
}

TEST(LogFormats, RailsHasItsBindsBehindTheStatement) {
  const sql::StatementLog log = text(
      "Started POST \"/orders\" for 127.0.0.1\n"
      "Processing by OrdersController#create as HTML\n"
      "  \x1b[1m\x1b[35mTRANSACTION (0.1ms)\x1b[0m  \x1b[1mBEGIN\x1b[0m\n"
      "  User Load (0.3ms)  SELECT \"users\".* FROM \"users\" WHERE "
      "\"users\".\"id\" = $1 LIMIT $2  [[\"id\", 1], [\"LIMIT\", 1]]\n"
      "  CACHE User Load (0.0ms)  SELECT \"users\".* FROM \"users\"\n"
      "Completed 200 OK in 12ms\n");
  EXPECT_EQ(shown(log), (Lines{"0: BEGIN",
                               "0: SELECT \"users\".* FROM \"users\" WHERE "
                               "\"users\".\"id\" = 1 LIMIT 1"}));
  EXPECT_EQ(log.statements[1].route, "OrdersController#create");
}

TEST(LogFormats, HibernateBindsInLinesOfItsThread) {
  const std::string prefix = "2026-11-18T12:00:00.000Z DEBUG 9 --- [exec-";
  const sql::StatementLog log = text(
      prefix + "1] org.hibernate.SQL : update t set a=? where id=?\n" + prefix +
      "2] org.hibernate.SQL : select x from t where n=?\n" + prefix +
      "1] org.hibernate.orm.jdbc.bind : binding parameter (1:INTEGER) <- "
      "[5]\n" +
      prefix +
      "2] o.h.type.descriptor.sql.BasicBinder : binding parameter [1] "
      "as [VARCHAR] - [it's]\n" +
      prefix +
      "1] org.hibernate.orm.jdbc.bind : binding parameter (2:BIGINT) "
      "<- [1]\n");
  EXPECT_EQ(shown(log), (Lines{"0: update t set a=5 where id=1",
                               "1: select x from t where n='it''s'"}));
  EXPECT_FALSE(log.has_transactions);
}

TEST(LogFormats, TagsOfAStatementAreItsRequest) {
  const sql::StatementLog log = text(
      "2026-11-18 12:00:00 UTC [1] LOG:  statement: SELECT 1 "
      "/*action='create',controller='orders',traceparent='00-ab%2Fc-01'*/\n"
      "2026-11-18 12:00:00 UTC [1] LOG:  statement: "
      "/*application:shop,controller:carts,action:add*/ SELECT 2\n"
      "2026-11-18 12:00:00 UTC [1] LOG:  statement: SELECT 3 /* plain */\n");
  ASSERT_EQ(log.statements.size(), 3U);
  EXPECT_EQ(log.statements[0].request, "00-ab/c-01");
  EXPECT_EQ(log.statements[0].route, "orders#create");
  EXPECT_EQ(log.statements[1].route, "carts#add");
  EXPECT_EQ(log.statements[1].text, " SELECT 2");
  EXPECT_EQ(log.statements[2].text, "SELECT 3 /* plain */");
}

TEST(LogFormats, ACutLogSaysSo) {
  const auto read = [](const std::string& name) {
    auto input = read::Input::open(test::source_dir() +
                                   std::string("/tests/logs/") + name);
    EXPECT_TRUE(input);
    return std::string(input->head());
  };
  const std::string csv = read("../../examples/logs/shop.csv");
  const std::size_t quote = csv.rfind("\"statement: ");
  const sql::StatementLog log = text(csv.substr(0, quote + 15));
  EXPECT_TRUE(log.is_cut);
}

TEST(LogFormats, WhatIsNoLogIsRefused) {
  for (const std::string& bad :
       {std::string(), std::string("hello\n"), std::string("\0\1\2\3", 4),
        std::string("{\"a\": 1}\n"),
        std::string("CREATE TABLE t (a int);\n")}) {
    const auto log = logs::read_statement_log(read::Input::of_text("x", bad));
    ASSERT_FALSE(log) << bad;
    EXPECT_FALSE(log.error().what.empty());
  }
  const auto unknown =
      logs::read_statement_log(read::Input::of_text("x", "a"), "sybase");
  ASSERT_FALSE(unknown);
  EXPECT_NE(unknown.error().what.find("sybase"), std::string::npos);
}

// Bytes that are gone or wrong may cost statements, never the program.
TEST(LogFormats, DamagedLogsDoNoHarm) {
  for (const char* name :
       {"../../examples/logs/shop.csv", "postgresql.json", "postgresql.log",
        "general.log", "general_log.CSV", "server_audit.log", "django.log",
        "sqlalchemy.log", "opentelemetry.json"}) {
    auto input = read::Input::open(test::source_dir() +
                                   std::string("/tests/logs/") + name);
    ASSERT_TRUE(input);
    const std::string whole(input->head());
    for (std::size_t at = 0; at < whole.size(); at += whole.size() / 40 + 1) {
      (void)logs::read_statement_log(
          read::Input::of_text(name, whole.substr(0, at)));
      std::string changed = whole;
      changed[at] = static_cast<char>(0xff);
      (void)logs::read_statement_log(read::Input::of_text(name, changed));
      changed[at] = '"';
      (void)logs::read_statement_log(read::Input::of_text(name, changed));
    }
  }
}

}  // namespace
}  // namespace formats_test
