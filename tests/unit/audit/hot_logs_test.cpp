// Many clients on few rows: a server that is simulated here, one step of one
// client at a time, so that what it answers is right by construction.  Clients
// hear of their commits late, and nobody tells when these were visible.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "support/audit_log.h"

namespace {

using namespace txscope;

class HotBank {
 public:
  HotBank(std::uint32_t seed, std::size_t clients, std::size_t accounts)
      : random_(seed), clients_(clients), accounts_(accounts) {}

  /// The log of so many transactions at read committed, as their ends order it.
  std::string log(std::size_t transactions) {
    while (lines_.size() < transactions) step(below(clients_.size()));
    std::stable_sort(
        lines_.begin(), lines_.end(),
        [](const Line& a, const Line& b) { return a.end < b.end; });
    std::string text =
        R"x({"txscope":"log","version":1,"dialect":"postgresql","setup":[)x"
        R"x("CREATE TABLE t (k INT PRIMARY KEY, v INT)")x";
    for (std::size_t k = 0; k < accounts_.size(); ++k)
      text += R"x(,"INSERT INTO t VALUES ()x" + std::to_string(k) + R"x(,0)")x";
    text += "]}\n";
    for (const Line& line : lines_) text += line.text + "\n";
    return text;
  }

 private:
  struct Account {
    int value = 0;
    std::optional<std::size_t> locked_by;
  };
  struct Client {
    int stage = 0;  // 0: idle, 1: has read, 2: wrote, 3: committed
    std::size_t from = 0;
    std::size_t other = 0;
    int amount = 0;
    std::int64_t start = 0;
    std::string statements;
    std::size_t done = 0;
  };
  struct Line {
    std::int64_t end = 0;
    std::string text;
  };

  std::size_t below(std::size_t n) { return random_() % n; }

  void step(std::size_t c) {
    Client& client = clients_[c];
    Account& account = accounts_[client.from];
    clock_ += 10;
    switch (client.stage) {
      case 0: {
        client.from = below(accounts_.size());
        client.other = below(accounts_.size());
        client.amount = static_cast<int>(below(9)) + 1;
        client.start = clock_ - 5;
        const int sum =
            accounts_[client.from].value +
            (client.other == client.from ? 0 : accounts_[client.other].value);
        client.statements =
            R"x({"sql":"SELECT sum(v) FROM t WHERE k = $1 OR k = $2","params":[)x" +
            std::to_string(client.from) + "," + std::to_string(client.other) +
            R"x(],"end":)x" + std::to_string(clock_ + 3) + R"x(,"rows":[[)x" +
            std::to_string(sum) + "]]}";
        break;
      }
      case 1:
        if (account.locked_by) return;  // waits
        account.locked_by = c;
        client.statements +=
            R"x(,{"sql":"UPDATE t SET v = v + $1 WHERE k = $2","params":[)x" +
            std::to_string(client.amount) + "," + std::to_string(client.from) +
            R"x(],"end":)x" + std::to_string(clock_ + 3) + R"x(,"count":1})x";
        break;
      case 2:
        account.value += client.amount;
        account.locked_by.reset();
        break;
      default:
        lines_.push_back({clock_, R"x({"session":"c)x" + std::to_string(c) +
                                      R"x(","id":"c)x" + std::to_string(c) +
                                      "-" + std::to_string(++client.done) +
                                      R"x(","status":"committed","start":)x" +
                                      std::to_string(client.start) +
                                      R"x(,"end":)x" + std::to_string(clock_) +
                                      R"x(,"statements":[)x" +
                                      client.statements + "]}"});
        client.stage = 0;
        return;
    }
    ++client.stage;
  }

  std::mt19937 random_;
  std::vector<Client> clients_;
  std::vector<Account> accounts_;
  std::vector<Line> lines_;
  std::int64_t clock_ = 0;
};

audit::AuditOptions limited() {
  audit::AuditOptions options;
  options.search_steps = 500'000;
  return options;
}

TEST(AuditHotLogs, WhatAServerDidIsExplained) {
  for (const std::size_t accounts : {2, 5, 20})
    for (std::uint32_t seed = 1; seed <= 5; ++seed) {
      const std::string text = HotBank(seed, 8, accounts).log(300);
      const auto report =
          test::audit_text_log(text, "postgresql:read-committed", limited());
      ASSERT_TRUE(report) << report.error().what;
      EXPECT_EQ(test::verdict_of(report->results[0].found), "holds")
          << accounts << " accounts, seed " << seed;
    }
}

// One answer that no state had: sums are of what others added, so none is -1.
TEST(AuditHotLogs, WhatItDidNotDoIsNot) {
  std::string text = HotBank(1, 8, 5).log(300);
  const std::size_t at = text.rfind(R"x("rows":[[)x") + 9;
  text.replace(at, text.find(']', at) - at, "-1");
  const auto report =
      test::audit_text_log(text, "postgresql:read-committed", limited());
  ASSERT_TRUE(report) << report.error().what;
  EXPECT_NE(test::verdict_of(report->results[0].found), "holds");
}

/// Six clients in turn: each sees what the one before it left in its row, and
/// sets it, or adds to it without a look.  The last answer but three is
/// `shown`.
std::string chained(int transactions, int shown) {
  std::string text =
      R"x({"txscope":"log","version":1,"dialect":"postgresql","setup":[)x"
      R"x("CREATE TABLE t (k INT PRIMARY KEY, v INT)",)x"
      R"x("INSERT INTO t VALUES (0,0),(1,0)"]})x"
      "\n";
  int values[2] = {0, 0};
  for (int i = 0; i < transactions; ++i) {
    const int k = i % 2;
    const int seen = i == transactions - 4 ? shown : values[k];
    const bool is_blind = i % 5 == 3;
    const int left = values[k] + (is_blind ? 7 : 10);
    text += R"x({"session":"c)x" + std::to_string(i % 6) + R"x(","id":"t)x" +
            std::to_string(i) +
            R"x(","status":"committed","statements":[{"sql":)x"
            R"x("SELECT v FROM t WHERE k = $1","params":[)x" +
            std::to_string(k) + R"x(],"rows":[[)x" + std::to_string(seen) +
            R"x(]]},{"sql":"UPDATE t SET v = )x" +
            (is_blind ? "v + 7" : std::to_string(left)) +
            R"x( WHERE k = $1","params":[)x" + std::to_string(k) +
            R"x(],"count":1}]})x" + "\n";
    values[k] = left;
  }
  return text;
}

// 17 of an addition could be anywhere in the row; what the client and those it
// had read from have seen leaves it no place.
TEST(AuditHotLogs, AValueThatAnAdditionCouldHaveMadeElsewhereIsRefuted) {
  const int count = 300;
  int right = 0;
  for (int i = 0; i < count - 4; ++i)
    if (i % 2 == 0) right += i % 5 == 3 ? 7 : 10;
  for (const std::string level :
       {"postgresql:read-committed", "postgresql:repeatable-read",
        "snapshot-isolation", "serializable", "mariadb:read-committed",
        "mariadb:repeatable-read"}) {
    const auto verdict = [&](int shown) {
      const auto report =
          test::audit_text_log(chained(count, shown), level, limited());
      return report ? test::verdict_of(report->results[0].found)
                    : report.error().what;
    };
    EXPECT_EQ(verdict(right), "holds") << level;
    EXPECT_EQ(verdict(right + 7), "violated") << level;
    EXPECT_EQ(verdict(right - 1), "violated") << level;
  }
}

}  // namespace
