// The proof against the search: where it says robust, no small client with
// random arguments may show anything that is not serial.

#include <gtest/gtest.h>

#include <map>

#include "base/random.h"
#include "engine/profile.h"
#include "read/sql/sql.h"
#include "robust/profile_search.h"
#include "robust/proof/allocate.h"
#include "robust/proof/caught_failures.h"
#include "robust/proof/prover.h"
#include "robust/search_sql.h"
#include "support/fuzz.h"

namespace txscope::robust {
namespace {

const char* const kTables = R"(
CREATE TABLE t (id int PRIMARY KEY CHECK (id > 0), a int NOT NULL CHECK (a < 4),
                b int NOT NULL CHECK (b >= 0));
INSERT INTO t VALUES (1, 1, 5), (2, 2, 6);
CREATE TABLE u (id int PRIMARY KEY, k int UNIQUE);
INSERT INTO u VALUES (1, 2);
CREATE TABLE c (id int PRIMARY KEY, t int REFERENCES t (id) ON DELETE CASCADE);
CREATE TABLE d (id int PRIMARY KEY, c int REFERENCES c (id) ON DELETE CASCADE);
INSERT INTO c VALUES (1, 1);
INSERT INTO d VALUES (1, 1);
CREATE FUNCTION f(i int) RETURNS int LANGUAGE sql STABLE
  AS $$ SELECT b FROM t WHERE id = i $$;
CREATE FUNCTION g(i int) RETURNS int LANGUAGE sql IMMUTABLE AS $$ SELECT i + 1 $$;
)";

std::string statement(Random& random, int depth);

std::string block(Random& random, int depth, std::size_t most) {
  std::string out;
  const std::size_t n = 1 + random.below(most);
  for (std::size_t i = 0; i < n; ++i) out += statement(random, depth) + " ";
  return out;
}

std::string statement(Random& random, int depth) {
  const auto pick = [&](std::initializer_list<const char*> all) {
    return std::string(*(all.begin() + random.below(all.size())));
  };
  const std::string key = pick({"x", "y", "v", "1"});
  const std::string value = pick({"x", "y", "v", "0"});
  switch (random.below(depth > 0 ? 26 : 20)) {
    case 0: return "SELECT a INTO v FROM t WHERE id = " + key + ";";
    case 1:
      return "SELECT a + b INTO v FROM t WHERE id = " + key +
             pick({";", " FOR UPDATE;", " FOR SHARE;"});
    case 2: return "SELECT sum(b) INTO v FROM t WHERE a = " + value + ";";
    case 3: return "SELECT max(id) INTO v FROM u;";
    case 4: return "SELECT count(*) INTO v FROM u WHERE k = " + value + ";";
    case 5:
      return "UPDATE t SET a = " + pick({"x", "y", "a + 1", "b"}) +
             " WHERE id = " + key + ";";
    case 6: return "UPDATE t SET b = b + 1 WHERE a = " + value + ";";
    case 7: return "UPDATE t SET b = coalesce(v, 3) WHERE id = " + key + ";";
    case 8:
      return "INSERT INTO u VALUES (" + pick({"x", "y", "v + 1"}) + ", " +
             value + ");";
    case 9: return "DELETE FROM u WHERE id = " + key + ";";
    case 10: return "DELETE FROM u WHERE k = " + value + ";";
    case 11: return "INSERT INTO c VALUES (" + key + ", " + value + ");";
    case 12:
      return "SELECT t.b INTO v FROM t " + pick({"JOIN", "LEFT JOIN"}) +
             " u ON u.k = t.a WHERE t.id = " + key + ";";
    case 13: return "UPDATE u SET k = " + value + " WHERE id = " + key + ";";
    case 14: return "DELETE FROM t WHERE id = " + key + ";";
    case 15: return "SELECT count(*) INTO v FROM d WHERE id = " + key + ";";
    case 16:
      return "INSERT INTO d VALUES (" + key + ", " + pick({"1", "v"}) + ");";
    case 17: return "UPDATE u SET id = " + value + " WHERE id = " + key + ";";
    case 18:
      return "INSERT INTO u VALUES (x + 4, y) ON CONFLICT (k) DO " +
             pick({"NOTHING;", "UPDATE SET k = x;",
                   "UPDATE SET k = excluded.k WHERE u.id = 1;"});
    case 19: return "v := " + pick({"f(x);", "g(y);", "f(1) + g(x);"});
    case 20:
      return "IF v = " + value + " THEN " + block(random, depth - 1, 2) +
             "ELSE " + block(random, depth - 1, 1) + "END IF;";
    case 21:
      return "IF EXISTS (SELECT 1 FROM u WHERE id = " + key + ") THEN " +
             block(random, depth - 1, 2) + "END IF;";
    case 22:
      return "IF NOT FOUND THEN " + pick({"RETURN;", "RAISE EXCEPTION 'no';"}) +
             " END IF;";
    case 23:
      return "FOR i IN 1..2 LOOP " +
             pick({"UPDATE t SET a = a + 1 WHERE id = i;",
                   "SELECT b INTO v FROM t WHERE id = i;",
                   "EXIT WHEN v = x; UPDATE t SET b = v WHERE id = i;"}) +
             " END LOOP;";
    case 24:
      return "BEGIN " + block(random, depth - 1, 2) +
             "EXCEPTION WHEN OTHERS THEN " + block(random, depth - 1, 1) +
             "END;";
    default:
      return "INSERT INTO u VALUES (x, y) ON CONFLICT (id) DO " +
             pick({"NOTHING;", "UPDATE SET k = y;"});
  }
}

std::string application(Random& random, std::size_t types) {
  std::string out = kTables;
  if (random.chance(0.3)) {
    const std::string at_once = "t (id) ON DELETE CASCADE";
    out.replace(out.find(at_once), at_once.size(),
                "t (id) DEFERRABLE INITIALLY DEFERRED");
  }
  for (std::size_t p = 0; p < types; ++p) {
    out += "CREATE PROCEDURE p" + std::to_string(p) +
           "(x int, y int) LANGUAGE plpgsql AS $$ DECLARE v int; BEGIN " +
           block(random, 1, 3) + "END $$;\n";
  }
  return out;
}

std::string client(Random& random, std::size_t types) {
  std::string out;
  const std::size_t sessions = 2 + random.below(2);
  std::size_t left = 4;
  for (std::size_t s = 0; s < sessions; ++s) {
    out += "--@ session s" + std::to_string(s) + ":";
    const std::size_t calls = 1 + (left > sessions ? random.below(2) : 0);
    for (std::size_t c = 0; c < calls && left > 0; ++c, --left) {
      out += " CALL p" + std::to_string(random.below(types)) + "(" +
             std::to_string(1 + random.below(2)) + ", " +
             std::to_string(1 + random.below(2)) + ");";
    }
    if (out.back() == ':') out += " CALL p0(1, 1);";
    out += "\n";
  }
  return out;
}

/// By rows: a cycle.  Else: what statements give is that of no serial order.
/// (The search by rows sees whole rows, so it cannot tell what a result hides.)
bool is_odd(const sql::Application& sessions, PivotLevel level,
            Granularity granularity) {
  const Budget budget = Budget::unlimited();
  if (granularity == Granularity::Row) {
    const auto found = search_sql(sessions, SearchQuestion{}, budget);
    return found && found->answer.answer == Answer::NotRobust;
  }
  const auto profile = engine::parse_profile(
      level == PivotLevel::ReadCommitted ? "postgresql:read-committed"
                                         : "postgresql:repeatable-read");
  const auto found =
      search_profile(sessions, **profile, Notion::Outcome, 1000, budget);
  return found && found->answer == Answer::NotRobust;
}

struct Tally {
  int asked = 0;
  int proved = 0;
};

/// A client that contradicts the proof, or nothing.
std::string contradiction(Random& random, PivotLevel level,
                          Granularity granularity, int clients, Tally& tally) {
  const std::size_t types = 1 + random.below(3);
  const std::string text = application(random, types);
  const auto read = read_sql("random.sql", text, false);
  EXPECT_TRUE(read) << read.error().what << "\n" << text;
  if (!read) return "";
  const Budget budget = Budget::unlimited();
  Prover prover(*read, transaction_types(*read), granularity,
                granularity != Granularity::Row, budget);
  ++tally.asked;
  if (!prover.open_triples(level).empty()) return "";
  ++tally.proved;
  for (int i = 0; i < clients; ++i) {
    const std::string whole = text + client(random, types);
    const auto sessions = read_sql("random.sql", whole);
    EXPECT_TRUE(sessions) << whole;
    if (!sessions) return "";
    if (is_odd(*sessions, level, granularity)) return whole;
  }
  return "";
}

void run(PivotLevel level, Granularity granularity, int rounds, int clients) {
  rounds = fuzz_rounds(rounds);
  const std::uint64_t seed = fuzz_seed(20260302);
  Tally tally;
  for (int round = 0; round < rounds; ++round) {
    Random random(seed + static_cast<std::uint64_t>(round));
    const std::string wrong =
        contradiction(random, level, granularity, clients, tally);
    ASSERT_EQ(wrong, "") << "seed " << seed + static_cast<std::uint64_t>(round);
  }
  std::printf("proved %d of %d, %d left open\n", tally.proved, tally.asked,
              tally.asked - tally.proved);
  // A few rounds may prove nothing.
  if (rounds >= 20) {
    EXPECT_GT(tally.proved, rounds / 20);
  }
}

TEST(RobustProofFuzz, NoClientContradictsAProofByRows) {
  run(PivotLevel::Snapshot, Granularity::Row, 40, 8);
}
TEST(RobustProofFuzz, NoClientContradictsAProofByColumns) {
  run(PivotLevel::Snapshot, Granularity::Column, 40, 8);
}
TEST(RobustProofFuzz, NoClientContradictsAProofByResults) {
  run(PivotLevel::Snapshot, Granularity::Result, 40, 8);
}
TEST(RobustProofFuzz, NoClientContradictsAProofForReadCommitted) {
  run(PivotLevel::ReadCommitted, Granularity::Result, 40, 4);
}

/// `--@ level` for every type, as allocated.
std::string levels_of(const std::vector<Allocation>& allocation,
                      const std::string& clients) {
  std::string out;
  for (const Allocation& row : allocation) {
    if (clients.find("CALL " + row.transaction + "(") == std::string::npos) {
      continue;
    }
    const std::string level =
        row.level == "snapshot-isolation" ? "repeatable-read" : row.level;
    out += "--@ level " + row.transaction + ": postgresql:" + level + "\n";
  }
  return out;
}

// PostgreSQL runs a mix of its levels; what it shows must be serial.
TEST(RobustProofFuzz, NoClientContradictsAnAllocation) {
  const auto profile = engine::parse_profile("postgresql:read-committed");
  const std::uint64_t seed = fuzz_seed(20260303);
  std::map<std::string, int> given;
  for (int round = 0; round < fuzz_rounds(20); ++round) {
    Random random(seed + static_cast<std::uint64_t>(round));
    const std::size_t types = 2 + random.below(2);
    const std::string text = application(random, types);
    const auto read = read_sql("random.sql", text, false);
    ASSERT_TRUE(read) << read.error().what << "\n" << text;
    const Budget budget = Budget::unlimited();
    Prover prover(*read, transaction_types(*read), Granularity::Result, true,
                  budget);
    const auto allocation = allocate(prover);
    for (const Allocation& row : allocation) ++given[row.level];
    // Who catches such failures is told that no level helps.
    const auto all = transaction_types(*read);
    if (std::any_of(all.begin(), all.end(), [&](sql::RoutineId t) {
          return caught_failure(*read, t).has_value();
        })) {
      continue;
    }
    for (int i = 0; i < 4; ++i) {
      const std::string clients = client(random, types);
      const std::string whole = text + clients + levels_of(allocation, clients);
      const auto sessions = read_sql("random.sql", whole);
      ASSERT_TRUE(sessions) << sessions.error().what << "\n" << whole;
      const auto found =
          search_profile(*sessions, **profile, Notion::Outcome, 1000, budget);
      ASSERT_TRUE(found) << whole;
      ASSERT_NE(found->answer, Answer::NotRobust)
          << "seed " << seed + static_cast<std::uint64_t>(round) << "\n"
          << whole;
    }
  }
  for (const auto& [level, n] : given) {
    std::printf("%d at %s\n", n, level.c_str());
  }
  EXPECT_GT(given["read-committed"], 0);
  EXPECT_GT(given["serializable"], 0);
}

}  // namespace
}  // namespace txscope::robust
