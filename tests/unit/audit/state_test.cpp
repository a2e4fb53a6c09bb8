// An audit that goes on from a saved state says what one audit of the whole
// says.

#include <gtest/gtest.h>

#include <string>

#include "audit/saved_state.h"
#include "read/logs/log_reader.h"
#include "read/sql/log_statements.h"
#include "support/audit_log.h"

namespace {

using namespace txscope;

const std::string kHeader =
    R"x({"txscope":"log","version":1,"dialect":"postgresql","setup":[)x"
    R"x("CREATE TABLE t (k INT PRIMARY KEY, v NUMERIC(8,2), s TEXT)",)x"
    R"x("INSERT INTO t VALUES (0,0,'a'),(1,0,NULL),(2,0,'it''s')"]})x"
    "\n";

/// Transaction `n` of a log in which every one adds 1 to key n mod 3 and then
/// reads it; row 9 is there after an even number of them.
std::string line(int n, int seen) {
  const std::string key = std::to_string(n % 3);
  const std::string nine =
      n % 2 == 0 ? R"x({"sql":"INSERT INTO t VALUES (9, 1, 'x')","count":1})x"
                 : R"({"sql":"DELETE FROM t WHERE k = 9","count":1})";
  return R"({"session":)" + std::to_string(n % 4) + R"(,"id":"t)" +
         std::to_string(n) + R"(","status":"committed","start":)" +
         std::to_string(10 * n) + R"(,"end":)" + std::to_string(10 * n + 15) +
         R"(,"statements":[{"sql":"UPDATE t SET v = v + 1 WHERE k = $1",)" +
         R"("params":[)" + key + R"(],"count":1},)" + nine +
         R"(,{"sql":"SELECT v, s FROM t WHERE k = $1","params":[)" + key +
         R"(],"rows":[[")" + std::to_string(seen) + R"(.00",)" +
         (n % 3 == 0   ? R"("a")"
          : n % 3 == 1 ? "null"
                       : R"("it's")") +
         "]]}]}\n";
}

std::string lines(int from, int to) {
  std::string text;
  for (int n = from; n < to; ++n) text += line(n, n / 3 + 1);
  return text;
}

sql::Schema schema_of(const std::string& log) {
  auto reader = LogReader::open(Input::of_text("log.jsonl", log));
  return LogStatements::open("log.jsonl", reader->header())->setup().schema;
}

constexpr const char* kLevels =
    "serializable,snapshot-isolation,strict-serializable,"
    "postgresql:read-committed";

audit::SavedState state_after(const std::string& log) {
  audit::SavedState state;
  audit::AuditOptions options;
  options.to = &state;
  const auto report = test::audit_text_log(log, kLevels, options);
  EXPECT_TRUE(report);
  for (const auto& result : report->results)
    EXPECT_EQ(test::verdict_of(result.found), "holds") << result.level.name;
  // As a file has it.
  const std::string text = audit::state_text(state);
  auto read = audit::parse_state(text, schema_of(log), "state");
  EXPECT_TRUE(read);
  EXPECT_EQ(audit::state_text(*read), text);
  return *read;
}

TEST(AuditState, GoesOnWhereItStood) {
  const audit::SavedState state = state_after(kHeader + lines(0, 700));
  EXPECT_EQ(state.lines, 700u);
  audit::AuditOptions options;
  options.from = &state;
  const auto report =
      test::audit_text_log(kHeader + lines(0, 900), kLevels, options);
  ASSERT_TRUE(report) << report.error().what;
  EXPECT_EQ(report->transactions, 900u);
  for (const auto& result : report->results)
    EXPECT_EQ(test::verdict_of(result.found), "holds") << result.level.name;
}

TEST(AuditState, WhatComesLaterIsStillHeldAgainstWhatWasBefore) {
  const audit::SavedState state = state_after(kHeader + lines(0, 9));
  audit::AuditOptions options;
  options.from = &state;
  // It reads one less than there must be.
  const auto report = test::audit_text_log(
      kHeader + lines(0, 9) + line(9, 3), kLevels, options);
  ASSERT_TRUE(report) << report.error().what;
  for (const auto& result : report->results)
    EXPECT_EQ(test::verdict_of(result.found), "violated") << result.level.name;
}

TEST(AuditState, IsOfOneLog) {
  const audit::SavedState state = state_after(kHeader + lines(0, 30));
  audit::AuditOptions options;
  options.from = &state;
  EXPECT_FALSE(
      test::audit_text_log(kHeader + lines(0, 20), kLevels, options));
  EXPECT_FALSE(
      test::audit_text_log(kHeader + lines(1, 40), kLevels, options));
  EXPECT_FALSE(
      test::audit_text_log(kHeader + lines(0, 40), "prefix", options));
}

TEST(AuditState, DamagedOnesAreRefused) {
  const std::string log = kHeader + lines(0, 6);
  const std::string text = audit::state_text(state_after(log));
  const sql::Schema schema = schema_of(log);
  EXPECT_FALSE(audit::parse_state("", schema, "state"));
  EXPECT_FALSE(audit::parse_state("{}", schema, "state"));
  for (std::size_t cut = 1; cut < text.size(); cut += 97)
    EXPECT_FALSE(audit::parse_state(text.substr(0, cut), schema, "state"));
}

}  // namespace
