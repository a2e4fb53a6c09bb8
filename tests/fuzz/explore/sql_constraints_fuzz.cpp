// Applications whose transactions fight for keys, at the theoretical levels.
// Two opinions that share no code with the search: at serializable a property
// breaks iff it breaks in some serial order, run in memory; and what a
// constraint forbids happens at no level.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/random.h"
#include "exec/sql/memory/database.h"
#include "explore/sql/explore_sql.h"
#include "read/sql/sql.h"
#include "support/fuzz.h"

namespace txscope {
namespace {

std::string random_statement(Random& random) {
  const auto number = [&](std::uint64_t below) {
    return std::to_string(1 + random.below(below));
  };
  switch (random.below(6)) {
    case 0:
    case 1:
      return "INSERT INTO q VALUES (" + number(3) + ", " + number(2) + ", 1); ";
    case 2: return "DELETE FROM q WHERE id = " + number(3) + "; ";
    case 3:
      return "UPDATE q SET u = " + number(2) + " WHERE id = " + number(3) +
             "; ";
    case 4:
      return random.chance(0.5) ? "DELETE FROM p WHERE id = 1; "
                                : "INSERT INTO p VALUES (1); ";
    default: return "UPDATE q SET p = 1 WHERE id = " + number(3) + "; ";
  }
}

std::string random_application(Random& random) {
  std::string text =
      "CREATE TABLE p (id int PRIMARY KEY);\nINSERT INTO p VALUES (1);\n"
      "CREATE TABLE q (id int PRIMARY KEY, u int UNIQUE, p int REFERENCES "
      "p";
  if (random.chance(0.4)) text += " DEFERRABLE INITIALLY DEFERRED";
  text += ");\n";
  if (random.chance(0.5)) text += "INSERT INTO q VALUES (1, 1, NULL);\n";
  for (const char* name : {"a", "b", "c"}) {
    text += std::string("--@ session ") + name + ": BEGIN; ";
    for (std::uint64_t n = 1 + random.below(2); n > 0; --n)
      text += random_statement(random);
    text += "COMMIT;\n";
  }
  text +=
      "--@ invariant unique_u: NOT EXISTS (SELECT 1 FROM q GROUP BY u "
      "HAVING count(*) > 1)\n"
      "--@ invariant no_orphan: NOT EXISTS (SELECT 1 FROM q WHERE p IS NOT "
      "NULL AND p NOT IN (SELECT id FROM p))\n"
      "--@ invariant size: (SELECT count(*) FROM q) <> " +
      std::to_string(random.below(3)) + "\n";
  return text;
}

/// Whether each property breaks in some serial order.
std::vector<bool> breaks_serially(const sql::Application& application) {
  const Budget budget = Budget::unlimited();
  const sql::Routines routines(application, 1000);
  const auto initial = sql::MemoryDatabase::after_setup(routines, budget);
  std::vector<bool> breaks(application.properties.size());
  std::vector<std::uint32_t> order = {0, 1, 2};
  do {
    const auto run = sql::run_serially(std::get<sql::MemoryDatabase>(initial),
                                       application, order, budget);
    for (std::size_t p = 0; p < breaks.size(); ++p) {
      const auto value =
          run.database.holds(application.properties[p], {}, budget);
      breaks[p] = breaks[p] || !std::get<sql::Value>(value).is_true();
    }
  } while (std::next_permutation(order.begin(), order.end()));
  return breaks;
}

TEST(SqlConstraints, SerializableIsWhatSerialOrdersDoAndNoLevelBreaksThem) {
  Random random(fuzz_seed(4711));
  int broken = 0;
  int kept = 0;
  for (int round = 0; round < fuzz_rounds(600); ++round) {
    const std::string text = random_application(random);
    const auto application = sql::read_sql("a.sql", text);
    ASSERT_TRUE(application) << application.error().what << "\n" << text;
    explore::ExploreOptions options;
    options.levels = {Base::ReadCommitted, Base::Causal,
                      Base::SnapshotIsolation, Base::Serializable};
    options.all = true;
    options.self_check = true;
    const auto result =
        explore::explore_sql(*application, options, Budget::unlimited());
    ASSERT_TRUE(result) << result.error().what;
    const std::vector<bool> serial = breaks_serially(*application);
    for (const Answer& level : (*result)->answers()) {
      EXPECT_EQ(level.counts.duplicates, 0u) << text;
      for (const std::size_t constraint : {0u, 1u}) {
        EXPECT_EQ(level.properties[constraint].verdict, Outcome::Holds)
            << level.level << "\n"
            << text;
      }
      const bool is_violated = level.properties[2].verdict == Outcome::Violated;
      if (level.base == Base::Serializable) {
        EXPECT_EQ(is_violated, serial[2]) << text;
        ++(is_violated ? broken : kept);
      } else if (serial[2]) {
        EXPECT_TRUE(is_violated) << level.level << "\n" << text;
      }
    }
    if (HasFailure()) return;
  }
  EXPECT_GT(broken, 0);
  EXPECT_GT(kept, 0);
}

}  // namespace
}  // namespace txscope
