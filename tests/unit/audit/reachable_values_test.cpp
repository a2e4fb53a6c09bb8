// A row that is only added to has values that can be listed, whatever the order
// of those who add: an answer outside of them is wrong at every level.

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <string>
#include <vector>

#include "audit/rows/value_set.h"
#include "support/audit_log.h"

namespace {

using namespace txscope;
using audit::ValueSet;

constexpr const char* kValueLevels[] = {"read-committed",
                                        "prefix",
                                        "snapshot-isolation",
                                        "serializable",
                                        "postgresql:read-committed",
                                        "postgresql:repeatable-read",
                                        "mariadb:read-committed",
                                        "mariadb:repeatable-read"};

std::string value_header() {
  return R"x({"txscope":"log","version":1,"dialect":"postgresql","setup":[)x"
         R"x("CREATE TABLE a (id INT PRIMARY KEY, balance INT NOT NULL)",)x"
         R"x("INSERT INTO a VALUES (1,100),(2,100)",)x"
         R"x("CREATE PROCEDURE move(f INT, t INT, n INT) LANGUAGE plpgsql AS )x"
         R"x($$ BEGIN UPDATE a SET balance = balance - n WHERE id = f; )x"
         R"x(UPDATE a SET balance = balance + n WHERE id = t; END $$",)x"
         R"x("CREATE PROCEDURE deposit(p INT, n INT) LANGUAGE plpgsql AS )x"
         R"x($$ DECLARE v INT; BEGIN SELECT balance INTO v FROM a WHERE id = p; )x"
         R"x(UPDATE a SET balance = v + n WHERE id = p; END $$",)x"
         R"x("CREATE PROCEDURE repeat(p INT, n INT) LANGUAGE plpgsql AS )x"
         R"x($$ BEGIN FOR i IN 1..n LOOP UPDATE a SET balance = balance + 1 )x"
         R"x(WHERE id = p; END LOOP; END $$",)x"
         R"x("CREATE FUNCTION balance_of(p INT) RETURNS INT LANGUAGE plpgsql )x"
         R"x(AS $$ DECLARE v INT; BEGIN SELECT balance INTO v FROM a )x"
         R"x(WHERE id = p; RETURN v; END $$"]})x"
         "\n";
}

std::string value_transaction(int number, const std::string& statements) {
  return R"x({"session":)x" + std::to_string(number % 2) + R"x(,"id":"t)x" +
         std::to_string(number) + R"x(","status":"committed","statements":[)x" +
         statements + "]}\n";
}

std::string value_shows(int balance) {
  return value_transaction(
      99, R"x({"sql":"SELECT balance FROM a WHERE id = 1","rows":[[)x" +
              std::to_string(balance) + "]]}");
}

std::string value_verdict(const std::string& log, const std::string& level) {
  const auto report = test::audit_text_log(value_header() + log, level);
  if (!report) return report.error().what;
  return test::verdict_of(report->results[0].found);
}

/// `count` transfers of 10 by plain statements, then the balance of the first.
std::string additions(int count, int shown) {
  std::string log;
  for (int i = 0; i < count; ++i)
    log += value_transaction(
        i, R"x({"sql":"UPDATE a SET balance = balance + 10 WHERE id = 2",)x"
           R"x("count":1},{"sql":"UPDATE a SET balance = balance - 10 )x"
           R"x(WHERE id = 1","count":1})x");
  return log + value_shows(shown);
}

std::string calls(int count, const std::string& call, int shown) {
  std::string log;
  for (int i = 0; i < count; ++i)
    log += value_transaction(i, R"x({"sql":"CALL )x" + call + R"x("})x");
  return log + value_shows(shown);
}

TEST(AuditReachableValues, WhatNoSumOfAdditionsGivesIsRefuted) {
  for (const char* level : kValueLevels)
    for (const int count : {2, 9, 19, 80})
      EXPECT_EQ(value_verdict(additions(count, 66), level), "violated")
          << level << ", " << count;
}

TEST(AuditReachableValues, WhatSomeSumGivesIsNot) {
  EXPECT_EQ(value_verdict(additions(4, 60), "serializable"), "holds");
  EXPECT_EQ(value_verdict(additions(4, 60), "postgresql:read-committed"),
            "holds");
  EXPECT_EQ(value_verdict(additions(4, 70), "read-committed"), "holds");
}

TEST(AuditReachableValues, CallsAreRefutedByWhatTheirStatementsAdd) {
  for (const char* level : kValueLevels) {
    for (const int count : {3, 10, 30}) {
      EXPECT_EQ(value_verdict(calls(count, "move(1, 2, 10)", 66), level),
                "violated")
          << level << ", " << count;
      EXPECT_EQ(value_verdict(calls(count, "deposit(1, 10)", 106), level),
                "violated")
          << level << ", " << count;
    }
  }
}

TEST(AuditReachableValues, CallsThatExplainAnAnswerAreNotRefuted) {
  for (const char* level : kValueLevels) {
    EXPECT_NE(value_verdict(calls(4, "move(1, 2, 10)", 60), level), "violated")
        << level;
    EXPECT_NE(value_verdict(calls(4, "deposit(1, 10)", 140), level), "violated")
        << level;
    // A loop adds as often as it likes.
    EXPECT_NE(value_verdict(calls(2, "repeat(1, 5)", 110), level), "violated")
        << level;
  }
}

TEST(AuditReachableValues, TheValueOfAFunctionIsHeldAgainstTheRow) {
  const auto asked = [](int balance) {
    return calls(14, "move(1, 2, 10)", 100) +
           value_transaction(98,
                             R"x({"sql":"SELECT balance_of(1)","rows":[[)x" +
                                 std::to_string(balance) + "]]}");
  };
  EXPECT_EQ(value_verdict(asked(55), "read-committed"), "violated");
  EXPECT_NE(value_verdict(asked(60), "read-committed"), "violated");
}

/// All sums, by trying all choices.
std::set<std::int64_t> all_sums(const std::vector<std::int64_t>& starts,
                                const std::vector<std::int64_t>& added) {
  std::set<std::int64_t> all;
  for (const std::int64_t start : starts)
    for (std::uint32_t chosen = 0; chosen < (1u << added.size()); ++chosen) {
      std::int64_t sum = start;
      for (std::size_t i = 0; i < added.size(); ++i)
        if ((chosen >> i & 1) != 0) sum += added[i];
      all.insert(sum);
    }
  return all;
}

TEST(AuditReachableValues, SetsHaveTheSumsAndNothingElse) {
  std::mt19937 random(7);
  const auto number = [&](int least, int most) {
    return std::uniform_int_distribution<int>(least, most)(random);
  };
  for (int round = 0; round < 200; ++round) {
    std::vector<std::int64_t> starts(static_cast<std::size_t>(number(1, 3)));
    for (std::int64_t& start : starts) start = number(-40, 40);
    std::vector<std::int64_t> added(static_cast<std::size_t>(number(0, 9)));
    for (std::int64_t& value : added) value = number(-12, 12) * 3;
    const auto all = all_sums(starts, added);
    audit::ValueEffort enough;
    audit::ValueEffort none{0};
    ValueSet exact, rough;
    for (ValueSet* set : {&exact, &rough}) {
      for (const std::int64_t start : starts) set->start(start);
      for (const std::int64_t value : added) set->add(value);
    }
    exact.finish(enough);
    rough.finish(none);
    for (std::int64_t value = -400; value <= 400; ++value) {
      EXPECT_EQ(exact.contains(value), all.count(value) == 1) << value;
      EXPECT_TRUE(all.count(value) == 0 || rough.contains(value)) << value;
    }
    EXPECT_FALSE(rough.contains(*all.rbegin() + 1));
  }
}

}  // namespace
