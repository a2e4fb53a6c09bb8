// What is explained is run again, and what the evidence does not explain is
// not.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/audit_log.h"

namespace {

using namespace txscope;
using Kind = audit::Certificate::Kind;

std::string header(const std::string& more = "") {
  return R"x({"txscope":"log","version":1,"dialect":"postgresql",)x"
         R"x("level":"serializable","setup":["CREATE TABLE t (k INT PRIMARY )x"
         R"x(KEY, v INT)","INSERT INTO t VALUES (1,10),(2,20)")x" +
         more + "]}\n";
}

std::string line(const std::string& session, const std::string& id,
                 const std::string& statements, const std::string& more = "") {
  return R"x({"session":")x" + session + R"x(","id":")x" + id +
         R"x(","status":"committed")x" + more + R"x(,"statements":[)x" +
         statements + "]}\n";
}

std::string add(int key) {
  return R"x({"sql":"UPDATE t SET v = v + 1 WHERE k = )x" +
         std::to_string(key) + R"x(","count":1})x";
}

std::string sees(int key, int value) {
  return R"x({"sql":"SELECT v FROM t WHERE k = )x" + std::to_string(key) +
         R"x(","rows":[[)x" + std::to_string(value) + "]]}";
}

audit::AuditResult explained(const std::string& log, const std::string& level,
                             audit::AuditOptions options = {}) {
  options.certify = true;
  const auto report = test::audit_text_log(log, level, options);
  EXPECT_TRUE(report);
  if (!report) return {};
  EXPECT_EQ(test::verdict_of(report->results[0].found), "holds");
  EXPECT_NE(report->results[0].certified.find("were run again"),
            std::string::npos)
      << report->results[0].certified;
  return report->results[0];
}

/// The reader's first statement saw what was before the change.
std::string changing() {
  return header() + line("w", "w1", add(1)) +
         line("r", "r1", sees(1, 10) + "," + sees(1, 11));
}

TEST(AuditCertificate, EachStatementIsRunOnTheStateThatItSaw) {
  for (const std::string level :
       {"read-committed", "postgresql:read-committed"}) {
    const audit::AuditResult result = explained(changing(), level);
    ASSERT_EQ(result.found.order.size(), 2u);
    EXPECT_EQ(result.found.order[1].seen, (std::vector<std::uint32_t>{0, 1}));
  }
}

TEST(AuditCertificate, AStateThatDoesNotAnswerSoFails) {
  audit::AuditResult result =
      explained(changing(), "postgresql:read-committed");
  result.found.order[1].seen = {1, 1};
  auto certificate = test::certify_text_log(changing(), result);
  ASSERT_TRUE(certificate);
  EXPECT_EQ(certificate->kind, Kind::Fails);
  EXPECT_EQ(certificate->words,
            "transaction r1 does not give the answer of its statement 1");
}

// Read committed of logs has no order of what one sees; PostgreSQL's has.
TEST(AuditCertificate, SnapshotsOfStatementsGrow) {
  const std::string log = header() + line("w", "w1", add(1)) +
                          line("r", "r1", sees(1, 11) + "," + sees(1, 10));
  const audit::AuditResult result = explained(log, "read-committed");
  auto other = result;
  other.level.rule = audit::Rule::PostgresReadCommitted;
  const auto certificate = test::certify_text_log(log, other);
  ASSERT_TRUE(certificate);
  EXPECT_EQ(certificate->kind, Kind::Fails);
  EXPECT_EQ(certificate->words, "transaction r1 sees less than before");
}

std::string why_not(const std::string& log, const audit::AuditResult& result) {
  const auto certificate = test::certify_text_log(log, result);
  if (!certificate) return certificate.error().what;
  return certificate->kind == Kind::Fails ? certificate->words : "it stands";
}

TEST(AuditCertificate, ReadViewsOfMariaDbAreRunAgain) {
  (void)explained(changing(), "mariadb:read-committed");
  // A lost update: what was read is old, what is written is not.
  const std::string lost =
      header() + line("a", "a1", sees(1, 10) + "," + add(1)) +
      line("b", "b1", sees(1, 10) + "," + add(1) + "," + sees(1, 12)) +
      line("a", "a2", sees(1, 12) + "," + sees(2, 20));
  audit::AuditResult result = explained(lost, "mariadb:repeatable-read");
  ASSERT_EQ(result.found.order.size(), 3u);
  EXPECT_EQ(result.found.order[1].seen, (std::vector<std::uint32_t>{0, 1, 0}));
  auto other = result;
  other.found.order[2].seen = {2, 1};
  EXPECT_EQ(why_not(lost, other),
            "transaction a2 leaves the read view that it has made");
  other = result;
  other.found.order[1].seen = {0, 0, 0};
  EXPECT_EQ(why_not(lost, other),
            "transaction b1 writes what was written since its statement 2 ran");
  other = result;
  other.level.rule = audit::Rule::MariadbSnapshot;
  EXPECT_EQ(why_not(lost, other),
            "transaction b1 writes what was written since its read view");
}

// One statement sees the first row from before a change, the second from after.
TEST(AuditCertificate, RowsOfSeveralStatesAreRunAgain) {
  const std::string log =
      header(R"x(,"INSERT INTO t VALUES (3,30)")x") +
      line("w", "w1", add(1) + "," + add(2)) +
      line("w", "w2", R"x({"sql":"DELETE FROM t WHERE k = 3","count":1})x") +
      line("r", "r1",
           R"x({"sql":"SELECT k, v FROM t","rows":[[1,10],[2,21],[3,30]]})x");
  audit::AuditResult result = explained(log, "read-committed");
  const auto reader = [&](audit::AuditResult& of) -> audit::Placed& {
    return of.found.order[2];
  };
  ASSERT_EQ(result.found.order.size(), 3u);
  EXPECT_EQ(reader(result).seen,
            std::vector<std::uint32_t>{audit::Placed::kMixed});
  ASSERT_EQ(reader(result).picked.size(), 3u);
  auto other = result;
  reader(other).picked[0].state = 1;
  EXPECT_EQ(why_not(log, other),
            "transaction r1 does not give the answer of its statement 1");
  other = result;
  reader(other).picked[0].is_absent = true;
  EXPECT_EQ(why_not(log, other),
            "transaction r1 does not see a row that is always there");
  other = result;
  reader(other).picked.push_back(reader(other).picked[0]);
  EXPECT_EQ(why_not(log, other), "transaction r1 sees two versions of one row");
  other = result;
  reader(other).picked[0].state = 7;
  EXPECT_EQ(why_not(log, other), "transaction r1 sees no state so far");
}

// Both saw 10 in the row; the second was written after the first had committed.
TEST(AuditCertificate, ARowIsTestedAgainAsItIsByThen) {
  const std::string rise =
      R"x({"sql":"UPDATE t SET v = v + 1 WHERE v = 10","count":1})x";
  const std::string in_vain =
      R"x({"sql":"UPDATE t SET v = v + 1 WHERE v = 10","count":0})x";
  (void)explained(header() + line("a", "a1", rise) + line("b", "b1", in_vain),
                  "postgresql:read-committed");
  const std::string both =
      header() + line("a", "a1", rise) + line("b", "b1", rise);
  const audit::AuditResult result = explained(both, "read-committed");
  auto other = result;
  other.level.rule = audit::Rule::PostgresReadCommitted;
  const auto certificate = test::certify_text_log(both, other);
  ASSERT_TRUE(certificate);
  EXPECT_EQ(certificate->kind, Kind::Fails);
}

TEST(AuditCertificate, CallsAreRunAgain) {
  const std::string routine =
      R"x(,"CREATE PROCEDURE more(p integer) LANGUAGE plpgsql AS $$ BEGIN )x"
      R"x(UPDATE t SET v = v + 1 WHERE k = p; END; $$")x";
  const std::string call = R"x({"sql":"CALL more(1)"})x";
  for (const std::string level :
       {"serializable", "snapshot-isolation", "postgresql:repeatable-read",
        "read-committed", "postgresql:read-committed"})
    (void)explained(header(routine) + line("a", "a1", call) +
                        line("b", "b1", call) + line("b", "b2", sees(1, 12)),
                    level);
  audit::AuditResult result = explained(
      header(routine) + line("a", "a1", call) + line("b", "b1", sees(1, 11)),
      "serializable");
  const auto certificate = test::certify_text_log(
      header() + line("a", "a1", sees(1, 10)) + line("b", "b1", sees(1, 11)),
      result);
  ASSERT_TRUE(certificate);
  EXPECT_EQ(certificate->kind, Kind::Fails);
}

TEST(AuditCertificate, EachTransactionIsHeldAgainstItsOwnLevel) {
  const auto at = [](const std::string& level) {
    return R"x(,"level":")x" + level + R"x(")x";
  };
  // Write skew, which the level of the second and third allows.
  const std::string log =
      header() + line("a", "a1", add(2), at("serializable")) +
      line("b", "b1", sees(2, 21) + "," + add(1), at("snapshot-isolation")) +
      line("c", "c1", sees(1, 10) + "," + add(2), at("snapshot-isolation")) +
      line("d", "d1", sees(1, 10) + "," + sees(1, 11),
           at("postgresql:read-committed"));
  audit::AuditOptions own;
  own.own_levels = true;
  (void)explained(log, "serializable", own);
}

/// Ten that change each of two hundred rows.
std::string wide() {
  std::string log =
      R"x({"txscope":"log","version":1,"dialect":"postgresql",)x"
      R"x("level":"postgresql:read-committed","setup":["CREATE TABLE t )x"
      R"x((k INT PRIMARY KEY, v INT)",)x"
      R"x("INSERT INTO t SELECT g, 0 FROM generate_series(1,200) AS g"]})x"
      "\n";
  for (int i = 0; i < 10; ++i)
    log += line("s", "t" + std::to_string(i),
                R"x({"sql":"UPDATE t SET v = v + 1","count":200})x");
  return log;
}

// Wherever the budget ends, that is no answer, and no error either.
TEST(AuditCertificate, AStatementThatTheBudgetCutsShortIsNoError) {
  const std::string log = wide();
  const audit::AuditResult result = explained(log, "postgresql:read-committed");
  int ended = 0;
  for (std::uint64_t steps = 256; steps < 40'000; steps += 512) {
    const auto certificate =
        test::certify_text_log(log, result, {}, Budget({{}, {}, steps}));
    if (!certificate) continue;  // it ended in the setup
    EXPECT_NE(certificate->kind, Kind::Fails)
        << steps << " steps: " << certificate->words;
    ended += certificate->kind == Kind::NotDone ? 1 : 0;
  }
  EXPECT_GT(ended, 0);
}

}  // namespace
