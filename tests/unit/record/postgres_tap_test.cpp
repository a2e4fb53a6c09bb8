// What the proxy makes of conversations, written out message by message.

#include "db/proxy/postgres_tap.h"

#include <gtest/gtest.h>

#include "base/random.h"
#include "db/record/write_log.h"

namespace txscope::db {
namespace {

std::string be16(unsigned n) {
  return {static_cast<char>(n >> 8), static_cast<char>(n & 255)};
}
std::string be32(std::uint32_t n) { return be16(n >> 16) + be16(n & 0xffff); }
std::string z(const std::string& text) { return text + '\0'; }
std::string m(char type, const std::string& body = "") {
  return type + be32(static_cast<std::uint32_t>(body.size() + 4)) + body;
}

std::string query(const std::string& sql) { return m('Q', z(sql)); }
std::string parse(const std::string& name, const std::string& sql) {
  return m('P', z(name) + z(sql) + be16(1) + be32(23));
}
/// One parameter, a binary integer; results in text.
std::string bind(const std::string& statement, std::uint32_t value) {
  return m('B', z("") + z(statement) + be16(1) + be16(1) + be16(1) + be32(4) +
                    be32(value) + be16(0));
}
std::string describe() { return m('D', "P" + z("")); }
std::string execute(std::uint32_t limit = 0) {
  return m('E', z("") + be32(limit));
}
std::string sync() { return m('S'); }

std::string columns() {
  return m('T', be16(1) + z("v") + be32(0) + be16(0) + be32(23) + be16(4) +
                    be32(0xffffffff) + be16(0));
}
std::string row(const std::string& text) {
  return m('D', be16(1) + be32(static_cast<std::uint32_t>(text.size())) + text);
}
std::string done(const std::string& tag) { return m('C', z(tag)); }
std::string ready(char status) { return m('Z', std::string(1, status)); }
std::string error(const std::string& code, const std::string& severity) {
  return m('E', "S" + z(severity) + "V" + z(severity) + "C" + z(code) + "M" +
                    z("no") + '\0');
}

class TapTest : public testing::Test {
 protected:
  void client(const std::string& bytes) { tap_.client(bytes); }
  void server(const std::string& bytes) { tap_.server(bytes); }
  /// Status and statements, without times: "committed: sql #1 [v 5] !40001".
  std::string told() {
    std::string text;
    for (const LoggedTransaction& transaction : transactions_) {
      constexpr const char* kNames[] = {"committed", "aborted", "unknown"};
      text += kNames[static_cast<int>(transaction.status)];
      text += ":";
      for (const LoggedStatement& statement : transaction.statements) {
        text += " <" + statement.sql + ">";
        for (const LoggedValue& value : statement.params)
          text += " $" + value.value.value_or("null");
        if (statement.has_count)
          text += " #" + std::to_string(statement.answer.count);
        if (statement.has_rows) {
          text += " [";
          for (const auto& cells : statement.answer.rows)
            text += cells[0].value_or("null") + " ";
          text += "]";
        }
        if (!statement.opaque.empty()) text += " ~" + statement.opaque;
        if (!statement.answer.is_ok()) text += " !" + statement.answer.code;
      }
      if (transaction.error) text += " commit !" + transaction.error->code;
      text += "; ";
    }
    transactions_.clear();
    return text;
  }

  Clock clock_;
  std::vector<LoggedTransaction> transactions_;
  PostgresTap tap_{clock_, 1, TapLimits{1000, 4000, 1000},
                   [this](LoggedTransaction transaction) {
                     transactions_.push_back(std::move(transaction));
                   }};
};

TEST_F(TapTest, SeveralStatementsInOneMessageAreOneTransaction) {
  client(query("UPDATE t SET v = 1; SELECT v FROM t"));
  server(done("UPDATE 2") + columns() + row("1") + row("1") + done("SELECT 2") +
         ready('I'));
  EXPECT_EQ(told(),
            "committed: <UPDATE t SET v = 1> #2 <SELECT v FROM t> [1 1 ]; ");
}

TEST_F(TapTest, AnExplicitTransactionLastsToItsEnd) {
  client(query("BEGIN"));
  server(done("BEGIN") + ready('T'));
  client(query("SELECT v FROM t"));
  server(columns() + done("SELECT 0") + ready('T'));
  EXPECT_EQ(told(), "");
  client(query("COMMIT"));
  server(done("COMMIT") + ready('I'));
  EXPECT_EQ(told(), "committed: <SELECT v FROM t> []; ");
}

TEST_F(TapTest, CommitOfAFailedTransactionIsARollback) {
  client(query("BEGIN; INSERT INTO t VALUES (1)"));
  server(done("BEGIN") + error("23505", "ERROR") + ready('E'));
  client(query("SELECT 1"));
  server(error("25P02", "ERROR") + ready('E'));
  client(query("COMMIT"));
  server(done("ROLLBACK") + ready('I'));
  EXPECT_EQ(told(), "aborted: <INSERT INTO t VALUES (1)> !23505; ");
}

TEST_F(TapTest, AFailedStatementAloneIsAborted) {
  client(query("SELECT 1/0"));
  server(error("22012", "ERROR") + ready('I'));
  EXPECT_EQ(told(), "aborted: <SELECT 1/0> !22012; ");
}

TEST_F(TapTest, AFailingCommitIsTheTransactionsError) {
  client(query("BEGIN; DELETE FROM t"));
  server(done("BEGIN") + done("DELETE 1") + ready('T'));
  client(query("COMMIT"));
  server(error("40001", "ERROR") + ready('I'));
  EXPECT_EQ(told(), "aborted: <DELETE FROM t> #1 commit !40001; ");
}

TEST_F(TapTest, RollbackToASavepointIsAStatement) {
  client(query("BEGIN; SAVEPOINT s; DELETE FROM t; ROLLBACK TO s; COMMIT"));
  server(done("BEGIN") + done("SAVEPOINT") + done("DELETE 1") +
         done("ROLLBACK") + done("COMMIT") + ready('I'));
  EXPECT_EQ(told(),
            "committed: <SAVEPOINT s> <DELETE FROM t> #1 <ROLLBACK TO s>; ");
}

TEST_F(TapTest, PreparedStatementsAreBoundAgainWithoutADescription) {
  client(parse("p", "SELECT v FROM t WHERE k = $1") + bind("p", 7) +
         describe() + execute() + sync());
  server(m('1') + m('2') + columns() + row("5") + done("SELECT 1") +
         ready('I'));
  client(bind("p", 8) + execute() + sync());
  server(m('2') + row("6") + done("SELECT 1") + ready('I'));
  EXPECT_EQ(told(),
            "committed: <SELECT v FROM t WHERE k = $1> $7 [5 ]; "
            "committed: <SELECT v FROM t WHERE k = $1> $8 [6 ]; ");
}

TEST_F(TapTest, AnErrorSkipsToTheNextSync) {
  client(parse("p", "SELECT v FROM t WHERE k = $1") + bind("p", 1) + execute() +
         bind("p", 2) + execute() + sync());
  client(query("SELECT v FROM t"));
  server(m('1') + m('2') + error("40001", "ERROR") + ready('I'));
  server(columns() + row("3") + done("SELECT 1") + ready('I'));
  EXPECT_EQ(told(),
            "aborted: <SELECT v FROM t WHERE k = $1> $1 !40001; "
            "committed: <SELECT v FROM t> [3 ]; ");
}

TEST_F(TapTest, APortalIsReadInPiecesOrNotToItsEnd) {
  client(parse("", "SELECT v FROM t WHERE k = $1") + bind("", 1) + describe() +
         execute(1) + execute(1) + execute(1) + sync());
  server(m('1') + m('2') + columns() + row("1") + m('s') + row("2") + m('s') +
         done("SELECT 0") + ready('I'));
  EXPECT_EQ(told(), "committed: <SELECT v FROM t WHERE k = $1> $1 [1 2 ]; ");
  client(bind("", 1) + describe() + execute(1) + sync());
  server(m('2') + columns() + row("1") + m('s') + ready('I'));
  EXPECT_EQ(told(), "committed: <SELECT v FROM t WHERE k = $1> $1; ");
}

TEST_F(TapTest, CopyHasItsRowsAndSettingsAreLeftOut) {
  const std::string text = std::string(1, '\0') + be16(0);
  client(query("SET x = 1; COPY t TO STDOUT"));
  server(done("SET") + m('H', text) + m('d', "1\n") + m('d', "\\N\n") + m('c') +
         done("COPY 2") + ready('I'));
  EXPECT_EQ(told(), "committed: <COPY t TO STDOUT> [1 null ]; ");
  client(query("COPY t (k, \"V\") FROM STDIN"));
  server(m('G', text));
  client(m('d', "1\tit's") + m('d', "\n02\t\\N\n") + m('c'));
  server(done("COPY 2") + ready('I'));
  EXPECT_EQ(told(),
            "committed: <INSERT INTO t (k, \"V\") VALUES (1, 'it''s'), "
            "('02', NULL)> #2; ");
}

TEST_F(TapTest, CopyInBinaryOrFromAProgramIsOpaque) {
  client(query("COPY t TO STDOUT WITH (FORMAT binary)"));
  server(m('H', std::string(1, '\1') + be16(0)) + m('d', "1\n") + m('c') +
         done("COPY 1") + ready('I'));
  EXPECT_EQ(told(),
            "committed: <COPY t TO STDOUT WITH (FORMAT binary)> ~copy; ");
  client(query("COPY t FROM STDIN WHERE k > 1"));
  server(m('G', std::string(1, '\0') + be16(0)));
  client(m('d', "1\n") + m('c'));
  server(done("COPY 0") + ready('I'));
  EXPECT_EQ(told(), "committed: <COPY t FROM STDIN WHERE k > 1> ~copy; ");
  client(query("SHOW x"));
  server(columns() + row("1") + done("SHOW") + ready('I'));
  EXPECT_EQ(told(), "");
}

TEST_F(TapTest, ALostCommitIsUnknownALostClientIsNot) {
  client(query("BEGIN; DELETE FROM t"));
  server(done("BEGIN") + done("DELETE 1") + ready('T'));
  client(query("COMMIT"));
  tap_.closed(true);
  EXPECT_EQ(told(), "unknown: <DELETE FROM t> #1; ");
  PostgresTap other(clock_, 2, TapLimits{},
                    [this](LoggedTransaction transaction) {
                      transactions_.push_back(std::move(transaction));
                    });
  other.client(query("BEGIN; DELETE FROM t"));
  other.server(done("BEGIN") + done("DELETE 1") + ready('T'));
  other.closed(false);
  EXPECT_EQ(told(), "aborted: <DELETE FROM t> #1; ");
}

TEST_F(TapTest, RowsThatAreTooManyAreNotObserved) {
  client(query("SELECT v FROM t"));
  server(columns());
  for (int i = 0; i < 1000; ++i) server(row("12345"));
  server(done("SELECT 1000") + ready('I'));
  EXPECT_EQ(told(), "committed: <SELECT v FROM t>; ");
  client(query("SELECT v FROM t"));
  server(columns() + row(std::string(5000, '1')) + done("SELECT 1") +
         ready('I'));
  EXPECT_EQ(told(), "committed: <SELECT v FROM t>; ");
}

TEST_F(TapTest, StatementsThatAreTooLargeAreSaidToBe) {
  const std::string much(5000, 'x');
  client(query("INSERT INTO t VALUES ('" + much + "'); DELETE FROM t"));
  server(done("INSERT 0 1") + done("DELETE 1") + ready('I'));
  EXPECT_EQ(told(), "committed: <> #1 ~too large <> #1 ~too large; ");
  // A prepared statement of that name is known to be unknown; others stay.
  client(parse("small", "SELECT v FROM t WHERE v = $1") +
         parse("s", "SELECT '" + much + "' FROM t WHERE v = $1") +
         bind("s", 7) + execute() + bind("small", 7) + execute() + sync());
  server(m('1') + m('1') + m('2') + done("SELECT 0") + m('2') +
         done("SELECT 0") + ready('I'));
  EXPECT_EQ(told(),
            "committed: <> ~too large <SELECT v FROM t WHERE v = $1> $7; ");
  // Of large parameters the text is known.
  client(m('B', z("") + z("small") + be16(0) + be16(1) + be32(5000) + much +
                    be16(0)) +
         execute() + sync());
  server(m('2') + done("UPDATE 3") + ready('I'));
  EXPECT_EQ(told(),
            "committed: <SELECT v FROM t WHERE v = $1> #3 ~too large; ");
  EXPECT_EQ(tap_.unknown(), 4u);
}

TEST_F(TapTest, ALargeMessageThatRollsBackLeavesTheEndOpen) {
  const std::string much(5000, 'x');
  client(query("BEGIN; DELETE FROM t"));
  server(done("BEGIN") + done("DELETE 1") + ready('T'));
  client(query("SELECT '" + much + "'; ROLLBACK TO s; COMMIT"));
  server(done("SELECT 1") + done("ROLLBACK") + done("COMMIT") + ready('I'));
  EXPECT_EQ(told(),
            "committed: <DELETE FROM t> #1 <> ~too large <> ~too large; ");
  client(query("BEGIN; DELETE FROM t"));
  server(done("BEGIN") + done("DELETE 1") + ready('T'));
  client(query("SELECT '" + much + "'; ROLLBACK"));
  server(done("SELECT 1") + done("ROLLBACK") + ready('I'));
  EXPECT_EQ(told(),
            "unknown: <DELETE FROM t> #1 <> ~too large <> ~too large; ");
}

TEST_F(TapTest, ACallWithoutSqlIsThere) {
  client(m('F', be32(1) + be16(0) + be16(0) + be16(0)));
  server(m('V', be32(0xffffffff)) + ready('I'));
  EXPECT_EQ(told(), "committed: <> ~function call; ");
}

TEST_F(TapTest, QuestionsAboutTheServerAreMarkedByWhatTheyAsk) {
  client(query("SELECT rolpassword FROM pg_catalog.pg_authid"));
  server(columns() + row("1") + done("SELECT 1") + ready('I'));
  EXPECT_EQ(told(),
            "committed: <SELECT rolpassword FROM pg_catalog.pg_authid> "
            "~catalog; ");
  client(query("UPDATE t SET v = 1 -- pg_catalog.pg_class"));
  server(done("UPDATE 1") + ready('I'));
  EXPECT_EQ(told(),
            "committed: <UPDATE t SET v = 1 -- pg_catalog.pg_class> #1; ");
}

TEST_F(TapTest, LevelsAreThoseThatWereAskedFor) {
  client(query("BEGIN ISOLATION LEVEL REPEATABLE READ; DELETE FROM t; COMMIT"));
  server(done("BEGIN") + done("DELETE 0") + done("COMMIT") + ready('I'));
  ASSERT_EQ(transactions_.size(), 1u);
  EXPECT_EQ(transactions_[0].level, "postgresql:repeatable-read");
}

// Whatever comes, in whatever order: it neither crashes nor grows.
TEST_F(TapTest, NonsenseIsSurvived) {
  Random random(5);
  const std::string types = "QPBDECSFXHdcfp123tTnIsEZGHWVRKN";
  for (int i = 0; i < 20'000; ++i) {
    std::string body;
    for (std::uint64_t n = random.below(30); n > 0; --n)
      body += static_cast<char>(random.below(3) == 0 ? 0 : random.below(256));
    const std::string message = m(types[random.below(types.size())], body);
    if (random.chance(0.5))
      client(message);
    else
      server(message);
    transactions_.clear();
  }
  tap_.closed(true);
  SUCCEED();
}

}  // namespace
}  // namespace txscope::db
