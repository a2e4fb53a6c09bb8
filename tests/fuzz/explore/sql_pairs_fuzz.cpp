// The same program written twice, as `.txn` and in SQL: both must have the same
// histories at every level, and violate the same properties in as many of them.
// Registers are rows of a table `r`; rows of `q` come and go, which in `.txn`
// is a register that is -1 where there is no row.  Every transaction inserts a
// key of its own, at most once: that the database refuses a key that it holds
// already, whatever a transaction sees, is nothing that `.txn` could say.

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "base/random.h"
#include "explore/explore.h"
#include "explore/sql/explore_sql.h"
#include "read/sql/sql.h"
#include "read/txn/txn.h"
#include "support/fuzz.h"

namespace txscope {
namespace {

constexpr int kRegisters = 3;  // of r
constexpr int kRows = 5;       // of q: a key per transaction, and the last one
constexpr int kLocals = 2;

/// One statement in both languages.
struct Both {
  std::string txn;
  std::string sql;
};

struct Pair {
  std::vector<std::vector<std::vector<Both>>> sessions;
  std::vector<Both> invariants;

  [[nodiscard]] std::string txn() const {
    std::string out;
    for (int k = 0; k < kRegisters; ++k) out += "var r" + number(k) + "\n";
    for (int q = 0; q < kRows; ++q) {
      out += "var q" + number(q) + (q + 1 < kRows ? " = -1\n" : " = 1\n");
    }
    for (std::size_t s = 0; s < sessions.size(); ++s) {
      out += "session s" + number(s) + " {\n";
      for (const auto& txn : sessions[s]) {
        out += " txn {\n";
        for (int l = 0; l < kLocals; ++l) out += "  a" + number(l) + " = 0\n";
        for (const Both& op : txn) out += op.txn;
        out += " }\n";
      }
      out += "}\n";
    }
    for (const Both& i : invariants) out += "invariant " + i.txn + "\n";
    return out;
  }

  [[nodiscard]] std::string sql() const {
    std::string out =
        "CREATE TABLE r (id int PRIMARY KEY, v int NOT NULL);\n"
        "CREATE TABLE q (id int PRIMARY KEY, v int NOT NULL);\n"
        "INSERT INTO r VALUES (0, 0), (1, 0), (2, 0);\n"
        "INSERT INTO q VALUES (4, 1);\n";
    std::string calls;
    for (std::size_t s = 0; s < sessions.size(); ++s) {
      calls += "--@ session s" + number(s) + ":";
      for (std::size_t t = 0; t < sessions[s].size(); ++t) {
        const std::string name = "t" + number(s) + "_" + number(t);
        out +=
            "CREATE PROCEDURE " + name + "() LANGUAGE plpgsql AS $$\nDECLARE\n";
        for (int l = 0; l < kLocals; ++l) {
          out += "  a" + number(l) + " int := 0;\n";
        }
        out += "BEGIN\n";
        for (const Both& op : sessions[s][t]) out += op.sql;
        out += "END;\n$$;\n";
        calls += " CALL " + name + "();";
      }
      calls += "\n";
    }
    out += calls;
    for (std::size_t i = 0; i < invariants.size(); ++i) {
      out += "--@ invariant i" + number(i) + ": " + invariants[i].sql + "\n";
    }
    return out;
  }

  template <class Number>
  static std::string number(Number n) {
    return std::to_string(n);
  }
};

std::string number(std::int64_t n) { return std::to_string(n); }

class Generator {
 public:
  explicit Generator(Random& random) : random_(random) {}

  Pair pair() {
    Pair out;
    int left = 4;
    const auto sessions = random_.between(2, 3);
    for (std::int64_t s = 0; s < sessions && left > 0; ++s) {
      out.sessions.emplace_back();
      for (std::int64_t t = random_.between(1, 2); t > 0 && left > 0; --t) {
        own_key_ = number(--left);
        has_inserted_ = false;
        out.sessions.back().emplace_back();
        for (std::int64_t n = random_.between(1, 3); n > 0; --n) {
          out.sessions.back().back().push_back(statement(true));
        }
      }
    }
    const std::string c = number(random_.between(1, 4));
    out.invariants.push_back(
        {"r0 + r1 + r2 < " + c, "(SELECT sum(v) FROM r) < " + c});
    out.invariants.push_back(
        {count() + " <= 1", "(SELECT count(*) FROM q) <= 1"});
    return out;
  }

 private:
  /// How many rows q has, of registers or of locals that hold them.
  static std::string count(const std::string& prefix = "q") {
    std::string out;
    for (int q = 0; q < kRows; ++q) {
      if (q > 0) out += " + ";
      out += "(" + prefix + number(q) + " != -1)";
    }
    return out;
  }
  static std::string read_all() {
    std::string out;
    for (int q = 0; q < kRows; ++q) {
      out += "  h" + number(q) + " = read q" + number(q) + "\n";
    }
    return out;
  }
  std::string constant() { return number(random_.between(0, 2)); }
  std::string local() { return "a" + number(random_.between(0, kLocals - 1)); }

  Both statement(bool may_nest) {
    const std::string k = number(random_.between(0, kRegisters - 1));
    const std::string q = number(random_.between(0, kRows - 1));
    const std::string c = constant();
    const std::string a = local();
    const std::string b = local();
    switch (random_.below(may_nest ? 13 : 10)) {
      case 0:
      case 1:
        return {"  " + a + " = read r" + k + "\n",
                "  SELECT v INTO " + a + " FROM r WHERE id = " + k + ";\n"};
      case 2:
        return {"  h = read r" + k + "\n  write r" + k + " = h + " + c + "\n",
                "  UPDATE r SET v = v + " + c + " WHERE id = " + k + ";\n"};
      case 3:
        return {
            "  h = read r" + k + "\n  write r" + k + " = " + a + " + " + c +
                "\n",
            "  UPDATE r SET v = " + a + " + " + c + " WHERE id = " + k + ";\n"};
      case 4:
        return {"  h1 = read r1\n  h2 = read r2\n  " + a + " = h1 + h2\n",
                "  SELECT sum(v) INTO " + a + " FROM r WHERE id >= 1;\n"};
      case 5: {
        std::string txn;
        for (int i = 0; i < kRegisters; ++i) {
          txn += "  h" + number(i) + " = read r" + number(i) + "\n";
        }
        for (int i = 0; i < kRegisters; ++i) {
          txn += "  if h" + number(i) + " < " + c + " { write r" + number(i) +
                 " = h" + number(i) + " + 1 }\n";
        }
        return {txn, "  UPDATE r SET v = v + 1 WHERE v < " + c + ";\n"};
      }
      case 6: {
        if (has_inserted_) return {};
        has_inserted_ = true;
        const std::string& own = own_key_;
        return {
            "  h = read q" + own + "\n  if h != -1 { abort }\n  write q" + own +
                " = " + a + " + " + c + "\n",
            "  INSERT INTO q VALUES (" + own + ", " + a + " + " + c + ");\n"};
      }
      case 7:
        return {
            "  h = read q" + q + "\n  if h != -1 { write q" + q + " = -1 }\n",
            "  DELETE FROM q WHERE id = " + q + ";\n"};
      case 8:
        return {read_all() + "  " + a + " = " + count("h") + "\n",
                "  SELECT count(*) INTO " + a + " FROM q;\n"};
      case 9:
        return {"  h = read q" + q + "\n  " + a + " = max(h, 0)\n",
                "  SELECT coalesce(max(v), 0) INTO " + a +
                    " FROM q WHERE id = " + q + ";\n"};
      case 10:
        return {
            "  if " + a + " == " + c + " { abort }\n",
            "  IF " + a + " = " + c + " THEN RAISE EXCEPTION 'no'; END IF;\n"};
      case 11: {
        const Both then = statement(false);
        return {
            "  if " + a + " <= " + c + " {\n" + then.txn + "  }\n",
            "  IF " + a + " <= " + c + " THEN\n" + then.sql + "  END IF;\n"};
      }
      default: {
        std::string txn = read_all();
        for (int i = 0; i < kRows; ++i) {
          const std::string h = "h" + number(i);
          txn += "  if " + h + " != -1 && " + h + " < " + c + " { write q" +
                 number(i) + " = -1 }\n";
        }
        return {txn, "  DELETE FROM q WHERE v < " + c + ";\n"};
      }
    }
  }

  Random& random_;
  std::string own_key_;  // of the transaction that is made
  bool has_inserted_ = false;
};

/// What differs between the two, or nothing.
std::string difference(const Pair& pair) {
  const auto program = read::read_txn("p.txn", pair.txn());
  if (!program) return "txn: " + program.error().what;
  const auto application = sql::read_sql("p.sql", pair.sql());
  if (!application) return "sql: " + application.error().what;
  explore::ExploreOptions options;
  options.all = true;
  options.levels = {Base::ReadCommitted,
                    Base::MonotonicAtomicView,
                    Base::ReadAtomic,
                    Base::Causal,
                    Base::Prefix,
                    Base::ParallelSnapshotIsolation,
                    Base::SnapshotIsolation,
                    Base::Serializable};
  options.self_check = true;
  const Budget budget = Budget::unlimited();
  const auto sql = explore::explore_sql(*application, options, budget);
  if (!sql) return "sql: " + sql.error().what;
  options.explains = false;
  const auto txn = explore::explore(*program, options, budget);
  if (!txn) return "txn: " + txn.error().what;
  for (std::size_t i = 0; i < options.levels.size(); ++i) {
    const Answer& a = (*txn)[i];
    const Answer& b = (*sql)->answers()[i];
    const std::string at = a.level + ": ";
    if (a.counts.histories != b.counts.histories) {
      return at + number(a.counts.histories) + " histories in .txn, " +
             number(b.counts.histories) + " in SQL";
    }
    if (b.counts.duplicates != 0) return at + "a history twice";
    if (!b.is_complete) return at + "incomplete";
    for (std::size_t p = 0; p < a.properties.size(); ++p) {
      if (a.properties[p].violating != b.properties[p].violating) {
        return at + "property " + number(p) + " is violated in " +
               number(a.properties[p].violating) + " histories in .txn, in " +
               number(b.properties[p].violating) + " in SQL";
      }
    }
    for (const Counterexample& v : b.counterexamples) {
      if (v.replay_problem) return at + "no replay: " + *v.replay_problem;
      if (v.steps.size() < v.calls.size()) return at + "a short trace";
    }
  }
  return "";
}

/// Leaves out what is not needed for the two to differ.
Pair shrink(Pair pair) {
  for (bool changed = true; changed;) {
    changed = false;
    const auto attempt = [&](const std::function<void(Pair&)>& cut) {
      Pair smaller = pair;
      cut(smaller);
      if (difference(smaller).empty()) return false;
      pair = std::move(smaller);
      return changed = true;
    };
    for (std::size_t s = 0; s < pair.sessions.size(); ++s) {
      if (pair.sessions.size() > 1 && attempt([&](Pair& p) {
            p.sessions.erase(p.sessions.begin() +
                             static_cast<std::ptrdiff_t>(s));
          })) {
        break;
      }
      for (std::size_t t = 0; t < pair.sessions[s].size(); ++t) {
        if (pair.sessions[s].size() > 1 && attempt([&](Pair& p) {
              auto& txns = p.sessions[s];
              txns.erase(txns.begin() + static_cast<std::ptrdiff_t>(t));
            })) {
          break;
        }
        for (std::size_t o = 0; o < pair.sessions[s][t].size(); ++o) {
          if (attempt([&](Pair& p) {
                auto& ops = p.sessions[s][t];
                ops.erase(ops.begin() + static_cast<std::ptrdiff_t>(o));
              })) {
            break;
          }
        }
      }
    }
  }
  return pair;
}

TEST(SqlPairs, HaveTheSameHistoriesInBothLanguages) {
  const int rounds = fuzz_rounds(600);
  for (int round = 0; round < rounds; ++round) {
    Random random(fuzz_seed(4711) + static_cast<std::uint64_t>(round));
    const Pair pair = Generator(random).pair();
    const std::string wrong = difference(pair);
    if (wrong.empty()) continue;
    const Pair small = shrink(pair);
    FAIL() << "round " << round << ": " << wrong
           << "; smaller: " << difference(small) << "\n"
           << small.txn() << "\n"
           << small.sql();
  }
}

}  // namespace
}  // namespace txscope
