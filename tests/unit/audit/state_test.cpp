// An audit that goes on from a saved state says what one audit of the whole
// says.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "audit/pass/saved_state.h"
#include "read/logs/log_reader.h"
#include "read/sql/file/log_statements.h"
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
  auto reader = logs::LogReader::open(read::Input::of_text("log.jsonl", log));
  return sql::LogStatements::open("log.jsonl", reader->header())
      ->setup()
      .schema;
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
  const auto report = test::audit_text_log(kHeader + lines(0, 9) + line(9, 3),
                                           kLevels, options);
  ASSERT_TRUE(report) << report.error().what;
  for (const auto& result : report->results)
    EXPECT_EQ(test::verdict_of(result.found), "violated") << result.level.name;
}

/// The states that an audit of a log tells on its way.
std::vector<audit::SavedState> states_within(const std::string& log) {
  std::vector<audit::SavedState> states;
  audit::AuditOptions options;
  options.wants_state = [] { return true; };
  options.keep_state = [&](const audit::SavedState& state) -> Result<Done> {
    // As it is read from a file.
    auto read = audit::parse_state(audit::state_text(state), schema_of(log),
                                   "state.json");
    if (!read) return read.error();
    states.push_back(*std::move(read));
    return Done{};
  };
  const auto report = test::audit_text_log(log, kLevels, options);
  EXPECT_TRUE(report);
  return states;
}

TEST(AuditState, OneFromTheMiddleHasWhoWaitsForAPlace) {
  const std::string log = kHeader + lines(0, 300);
  const auto states = states_within(log);
  ASSERT_EQ(states.size(), 300u);
  bool has_waiting = false;
  for (const std::size_t n : {0u, 50u, 150u, 299u}) {
    for (const audit::LevelState& level : states[n].levels)
      has_waiting |= !level.waiting.empty();
    audit::AuditOptions options;
    options.from = &states[n];
    const auto report = test::audit_text_log(log, kLevels, options);
    ASSERT_TRUE(report) << n << ": " << report.error().what;
    EXPECT_EQ(report->transactions, 300u);
    for (const audit::AuditResult& result : report->results)
      EXPECT_EQ(test::verdict_of(result.found), "holds")
          << result.level.name << " after " << n;
  }
  EXPECT_TRUE(has_waiting);
}

TEST(AuditState, WhoWaitedIsStillJudged) {
  // Nothing has its place when the wrong one has been read.
  const std::string log = kHeader + lines(0, 20) + line(20, 77) + lines(21, 60);
  const auto states = states_within(log);
  ASSERT_GT(states.size(), 30u);
  audit::AuditOptions options;
  options.from = &states[30];
  const auto report = test::audit_text_log(log, kLevels, options);
  ASSERT_TRUE(report) << report.error().what;
  for (const audit::AuditResult& result : report->results)
    EXPECT_EQ(test::verdict_of(result.found), "violated") << result.level.name;
}

TEST(AuditState, IsOfOneLog) {
  const audit::SavedState state = state_after(kHeader + lines(0, 30));
  audit::AuditOptions options;
  options.from = &state;
  EXPECT_FALSE(test::audit_text_log(kHeader + lines(0, 20), kLevels, options));
  EXPECT_FALSE(test::audit_text_log(kHeader + lines(1, 40), kLevels, options));
  EXPECT_FALSE(test::audit_text_log(kHeader + lines(0, 40), "prefix", options));
}

TEST(AuditState, IsOfOneInitialStateAndOneBeginning) {
  const audit::SavedState state = state_after(kHeader + lines(0, 30));
  audit::AuditOptions options;
  options.from = &state;
  const auto refused = [&](const std::string& log) {
    const auto report = test::audit_text_log(log, kLevels, options);
    return !report &&
           report.error().what.find("not the log") != std::string::npos;
  };
  std::string header = kHeader;
  header.replace(header.find("(0,0,'a')"), 9, "(0,7,'a')");
  EXPECT_TRUE(refused(header + lines(0, 40)));
  // The same ids, and something else in the middle.
  std::string log = kHeader + lines(0, 40);
  log.replace(log.find("\"3.00\""), 6, "\"9.00\"");
  EXPECT_TRUE(refused(log));
  EXPECT_FALSE(refused(kHeader + lines(0, 40)));
}

TEST(AuditState, IsOfOneSetOfOptions) {
  const audit::SavedState state = state_after(kHeader + lines(0, 30));
  for (int choice = 0; choice < 3; ++choice) {
    audit::AuditOptions options;
    options.from = &state;
    options.judge_aborted = choice == 0;
    options.skip_unsupported = choice == 1;
    options.own_levels = choice == 2;
    const auto report =
        test::audit_text_log(kHeader + lines(0, 40), kLevels, options);
    ASSERT_FALSE(report);
    EXPECT_NE(report.error().what.find("was made with"), std::string::npos);
  }
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
