// The proof against the search: where it says robust, no small client with
// random arguments may show anything that is not serial.

#include <gtest/gtest.h>

#include <map>

#include "base/random.h"
#include "model/product/profile.h"
#include "random_types.h"
#include "read/sql/sql.h"
#include "robust/profile_search.h"
#include "robust/proof/allocate.h"
#include "robust/proof/caught_failures.h"
#include "robust/proof/prover.h"
#include "robust/search_sql.h"
#include "support/fuzz.h"

namespace txscope::robust {
namespace {

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

/// A cycle of what counts, or what statements give is that of no serial order.
bool is_odd(const sql::Application& sessions, PivotLevel level,
            Granularity granularity) {
  const Budget budget = Budget::unlimited();
  if (level == PivotLevel::Snapshot) {
    SearchQuestion asked;
    asked.granularity = granularity;
    const auto found = search_sql(sessions, asked, budget);
    if (found && found->answer.answer == Outcome::Violated) return true;
    asked.notion = Notion::Outcome;
    const auto shown = search_sql(sessions, asked, budget);
    if (shown && shown->answer.answer == Outcome::Violated) return true;
  }
  if (granularity == Granularity::Row) return false;
  const auto profile = parse_profile(level == PivotLevel::ReadCommitted
                                         ? "postgresql:read-committed"
                                         : "postgresql:repeatable-read");
  const auto found =
      search_profile(sessions, **profile, Notion::Outcome, 1000, budget);
  return found && found->answer == Outcome::Violated;
}

struct Tally {
  int asked = 0;
  int proved = 0;
};

/// A client that contradicts the proof, or nothing.
std::string contradiction(Random& random, PivotLevel level,
                          Granularity granularity, int clients, Tally& tally) {
  const std::size_t types = 1 + random.below(3);
  const std::string text = random_types(random, types);
  const auto read = sql::read_sql("random.sql", text, false);
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
    const auto sessions = sql::read_sql("random.sql", whole);
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
// What is robust by rows is so by columns and by results, and what is robust by
// dependencies is so by what clients are shown.
TEST(RobustProofFuzz, TheSearchIsFinerFromRowsToResults) {
  const std::uint64_t seed = fuzz_seed(20260304);
  std::map<std::string, int> robust;
  const int rounds = fuzz_rounds(250);
  for (int round = 0; round < rounds; ++round) {
    Random random(seed + static_cast<std::uint64_t>(round));
    const std::size_t types = 1 + random.below(3);
    const std::string whole =
        random_types(random, types, 6) + client(random, types);
    const auto sessions = sql::read_sql("random.sql", whole);
    ASSERT_TRUE(sessions) << whole;
    bool was_robust = false;
    for (const Granularity granularity :
         {Granularity::Row, Granularity::Column, Granularity::Result}) {
      bool above = was_robust;
      for (const Notion notion : kNotions) {
        SearchQuestion asked;
        asked.notion = notion;
        asked.granularity = granularity;
        const auto found = search_sql(*sessions, asked, Budget::unlimited());
        ASSERT_TRUE(found) << whole;
        const bool is_robust = found->answer.answer == Outcome::Holds;
        // Trace implies all others.
        ASSERT_TRUE(is_robust || !above)
            << name(notion) << " by " << name(granularity) << ", seed "
            << seed + static_cast<std::uint64_t>(round) << "\n"
            << whole;
        if (notion != Notion::Trace) continue;
        above = was_robust = is_robust;
        robust[std::string(name(granularity))] += is_robust ? 1 : 0;
      }
    }
  }
  for (const auto& [granularity, n] : robust)
    std::printf("%d of %d robust by %s\n", n, rounds, granularity.c_str());
  if (rounds >= 100) {
    EXPECT_GT(robust["result"], robust["row"]);
  }
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
  const auto profile = parse_profile("postgresql:read-committed");
  const std::uint64_t seed = fuzz_seed(20260303);
  std::map<std::string, int> given;
  for (int round = 0; round < fuzz_rounds(20); ++round) {
    Random random(seed + static_cast<std::uint64_t>(round));
    const std::size_t types = 2 + random.below(2);
    const std::string text = random_types(random, types);
    const auto read = sql::read_sql("random.sql", text, false);
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
      const auto sessions = sql::read_sql("random.sql", whole);
      ASSERT_TRUE(sessions) << sessions.error().what << "\n" << whole;
      const auto found =
          search_profile(*sessions, **profile, Notion::Outcome, 1000, budget);
      ASSERT_TRUE(found) << whole;
      ASSERT_NE(found->answer, Outcome::Violated)
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
