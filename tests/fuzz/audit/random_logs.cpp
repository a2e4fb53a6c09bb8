// Random small logs against an oracle that is written from the definitions
// alone: all orders, all snapshots, all choices of versions, over three keys.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "support/audit_log.h"
#include "support/fuzz.h"

namespace {

constexpr int kKeys = 3;
using State = std::array<int, kKeys>;

struct Statement {
  enum Kind { Read, Set, Add, Sum } kind = Read;
  int key = 0;
  int value = 0;  ///< set, added, or seen
};
struct Transaction {
  int session = 0;
  int start = 0;
  int end = 0;
  std::vector<Statement> statements;
};
using Log = std::vector<Transaction>;

// ---- the oracle ----------------------------------------------------------

struct Level {
  const char* name;
  enum Rule { Serializable, Snapshot, ReadCommitted } rule;
  bool is_strict;
};

class Oracle {
 public:
  Oracle(const Log& log, Level level) : log_(log), level_(level) {}

  bool explains() {
    placed_.assign(log_.size(), false);
    states_ = {State{0, 0, 0}};
    writes_ = {0};
    return next();
  }
  /// The orders and versions were more than can be tried; no verdict.
  bool gave_up() const { return steps_ > kMostSteps; }

 private:
  static constexpr std::uint64_t kMostSteps = 100'000;
  std::uint64_t steps_ = 0;

  bool may_come(std::size_t t) const {
    for (std::size_t u = 0; u < log_.size(); ++u) {
      if (placed_[u] || u == t) continue;
      if (u < t && log_[u].session == log_[t].session) return false;
      if (level_.is_strict && log_[u].end < log_[t].start) return false;
    }
    return true;
  }

  /// The number of states that the transaction's snapshot has to contain.
  std::size_t oldest(std::size_t t) const {
    std::size_t low = 0;
    for (std::size_t i = 0; i < order_.size(); ++i) {
      const Transaction& u = log_[order_[i]];
      if (u.session == log_[t].session ||
          (level_.is_strict && u.end < log_[t].start))
        low = i + 1;
    }
    return low;
  }

  bool next() {
    if (order_.size() == log_.size()) return true;
    for (std::size_t t = 0; t < log_.size(); ++t) {
      if (placed_[t] || !may_come(t)) continue;
      placed_[t] = true;
      const bool found = try_all(t);
      placed_[t] = false;
      if (found) return true;
    }
    return false;
  }

  bool try_all(std::size_t t) {
    if (level_.rule == Level::ReadCommitted) {
      State own{};
      return statement(t, 0, own, 0);
    }
    const std::size_t last = states_.size() - 1;
    const std::size_t first =
        level_.rule == Level::Serializable ? last : oldest(t);
    for (std::size_t s = first; s <= last; ++s) {
      State state = states_[s];
      unsigned written = 0;
      if (!run(t, state, written)) continue;
      unsigned since = 0;
      for (std::size_t i = s + 1; i <= last; ++i) since |= writes_[i];
      if (level_.rule == Level::Snapshot && (since & written) != 0) continue;
      if (commit(t, state, written)) return true;
    }
    return false;
  }

  bool run(std::size_t t, State& state, unsigned& written) const {
    for (const Statement& s : log_[t].statements) {
      int& value = state[static_cast<std::size_t>(s.key)];
      if (s.kind == Statement::Read && value != s.value) return false;
      if (s.kind == Statement::Sum && state[0] + state[1] + state[2] != s.value)
        return false;
      if (s.kind == Statement::Set) value = s.value;
      if (s.kind == Statement::Add) value += s.value;
      if (s.kind == Statement::Set || s.kind == Statement::Add)
        written |= 1u << s.key;
    }
    return true;
  }

  /// Read committed: each statement, each row, any version so far.
  bool statement(std::size_t t, std::size_t k, State own, unsigned written) {
    if (++steps_ > kMostSteps) return false;
    if (k == log_[t].statements.size()) return commit(t, own, written);
    const Statement& s = log_[t].statements[k];
    const auto key = static_cast<std::size_t>(s.key);
    const auto sees = [&](std::size_t row, std::size_t state) {
      return (written >> row & 1u) != 0 ? own[row] : states_[state][row];
    };
    if (s.kind == Statement::Set) {
      own[key] = s.value;
      return statement(t, k + 1, own, written | 1u << key);
    }
    if (s.kind == Statement::Add) {
      std::set<int> values;
      for (std::size_t a = 0; a < states_.size(); ++a)
        values.insert(sees(key, a) + s.value);
      return std::any_of(values.begin(), values.end(), [&](int value) {
        State now = own;
        now[key] = value;
        return statement(t, k + 1, now, written | 1u << key);
      });
    }
    // What a read saw changes nothing: one way to see it is enough.
    bool is_seen = false;
    for (std::size_t a = 0; a < states_.size(); ++a) {
      if (s.kind == Statement::Read) {
        is_seen = is_seen || sees(key, a) == s.value;
        continue;
      }
      for (std::size_t b = 0; b < states_.size(); ++b)
        for (std::size_t c = 0; c < states_.size(); ++c)
          is_seen = is_seen || sees(0, a) + sees(1, b) + sees(2, c) == s.value;
    }
    return is_seen && statement(t, k + 1, own, written);
  }

  bool commit(std::size_t t, const State& mine, unsigned written) {
    State state = states_.back();
    for (std::size_t key = 0; key < kKeys; ++key)
      if ((written >> key & 1u) != 0) state[key] = mine[key];
    states_.push_back(state);
    writes_.push_back(written);
    order_.push_back(t);
    const bool found = next();
    order_.pop_back();
    writes_.pop_back();
    states_.pop_back();
    return found;
  }

  const Log& log_;
  Level level_;
  std::vector<bool> placed_;
  std::vector<State> states_;
  std::vector<unsigned> writes_;
  std::vector<std::size_t> order_;
};

// ---- logs ----------------------------------------------------------------

using Random = std::mt19937_64;

int below(Random& random, int n) {
  return static_cast<int>(random() % static_cast<std::uint64_t>(n));
}

/// Mostly what a database would say that runs them in some order on some
/// states, with a wrong value now and then.
Log random_log(Random& random) {
  Log log;
  std::vector<State> states = {State{0, 0, 0}};
  int clock = 0;
  const int size = 2 + below(random, 4);
  for (int t = 0; t < size; ++t) {
    Transaction txn;
    txn.session = below(random, 3);
    State state = states[static_cast<std::size_t>(
        below(random, 3) == 0 ? below(random, static_cast<int>(states.size()))
                              : static_cast<int>(states.size()) - 1)];
    const int statements = 1 + below(random, 3);
    for (int k = 0; k < statements; ++k) {
      Statement s;
      s.kind = static_cast<Statement::Kind>(below(random, 4));
      s.key = below(random, kKeys);
      int& value = state[static_cast<std::size_t>(s.key)];
      if (s.kind == Statement::Set) value = s.value = below(random, 3);
      if (s.kind == Statement::Add) value += s.value = below(random, 3);
      if (s.kind == Statement::Read) s.value = value;
      if (s.kind == Statement::Sum) s.value = state[0] + state[1] + state[2];
      if (below(random, 12) == 0) s.value = below(random, 4);
      txn.statements.push_back(s);
    }
    states.push_back(state);
    // Sessions do not overlap with themselves.
    for (const Transaction& other : log)
      if (other.session == txn.session)
        txn.start = std::max(txn.start, other.end + 1);
    txn.start = std::max(txn.start, clock - below(random, 6));
    txn.end = txn.start + 1 + below(random, 6);
    clock = std::max(clock, txn.end);
    log.push_back(txn);
  }
  return log;
}

std::string text_of(const Log& log) {
  std::string text =
      R"x({"txscope":"log","version":1,"dialect":"postgresql","setup":[)x"
      R"x("CREATE TABLE kv (k INT PRIMARY KEY, v INT)",)x"
      R"x("INSERT INTO kv VALUES (0,0),(1,0),(2,0)"]})x"
      "\n";
  for (std::size_t t = 0; t < log.size(); ++t) {
    text += R"({"session":)" + std::to_string(log[t].session) + R"(,"id":"t)" +
            std::to_string(t) + R"(","status":"committed","start":)" +
            std::to_string(log[t].start) + R"(,"end":)" +
            std::to_string(log[t].end) + R"(,"statements":[)";
    for (std::size_t k = 0; k < log[t].statements.size(); ++k) {
      const Statement& s = log[t].statements[k];
      const std::string value = std::to_string(s.value);
      const std::string key = std::to_string(s.key);
      if (k > 0) text += ",";
      switch (s.kind) {
        case Statement::Read:
          text += R"({"sql":"SELECT v FROM kv WHERE k = $1","params":[)" + key +
                  R"(],"rows":[[)" + value + "]]}";
          break;
        case Statement::Set:
          text += R"({"sql":"UPDATE kv SET v = $1 WHERE k = $2","params":[)" +
                  value + "," + key + R"(],"count":1})";
          break;
        case Statement::Add:
          text +=
              R"({"sql":"UPDATE kv SET v = v + $1 WHERE k = $2","params":[)" +
              value + "," + key + R"(],"count":1})";
          break;
        case Statement::Sum:
          text +=
              R"x({"sql":"SELECT sum(v) FROM kv","rows":[[)x" + value + "]]}";
          break;
      }
    }
    text += "]}\n";
  }
  return text;
}

constexpr std::array<Level, 5> kLevels = {{
    {"serializable", Level::Serializable, false},
    {"strict-serializable", Level::Serializable, true},
    {"snapshot-isolation", Level::Snapshot, false},
    {"strict-snapshot-isolation", Level::Snapshot, true},
    {"read-committed", Level::ReadCommitted, false},
}};

TEST(AuditFuzz, VerdictsAreThoseOfTheDefinitions) {
  const auto rounds = static_cast<std::uint64_t>(txscope::fuzz_rounds(300));
  int holds = 0;
  int violated = 0;
  for (std::uint64_t seed = 1; seed <= rounds; ++seed) {
    Random random(seed);
    const Log log = random_log(random);
    const std::string text = text_of(log);
    std::string names;
    for (const Level& level : kLevels)
      names += (names.empty() ? "" : ",") + std::string(level.name);
    txscope::audit::AuditOptions options;
    options.certify = true;  // what does not stand is an error
    const auto report = txscope::test::audit_text_log(text, names, options);
    ASSERT_TRUE(report) << report.error().what << "\n" << text;
    for (std::size_t i = 0; i < kLevels.size(); ++i) {
      Oracle oracle(log, kLevels[i]);
      const bool expected = oracle.explains();
      if (oracle.gave_up()) continue;
      (expected ? holds : violated) += 1;
      ASSERT_EQ(txscope::test::verdict_of(report->results[i].found),
                expected ? "holds" : "violated")
          << kLevels[i].name << ", seed " << seed << "\n"
          << text;
    }
  }
  EXPECT_GT(holds, 0);
  EXPECT_GT(violated, 0);
}

}  // namespace
