// By columns and by results: an application whose statements name their rows is
// a `.txn` program over its cells, whose search is compared with all executions
// elsewhere.  A row is a place, too, which every writer of a cell writes: who
// writes one row conflicts.

#include <gtest/gtest.h>

#include <map>

#include "base/random.h"
#include "read/sql/sql.h"
#include "read/txn/txn.h"
#include "robust/search_sql.h"
#include "support/fuzz.h"

namespace txscope::robust {
namespace {

/// One set of sessions in both languages.
struct Both {
  std::string sql = R"(
CREATE TABLE t (id int PRIMARY KEY, a int NOT NULL, b int NOT NULL);
INSERT INTO t VALUES (1, 0, 1), (2, 1, 0);
)";
  std::string cells =
      "var a1 = 0\nvar b1 = 1\nvar a2 = 1\nvar b2 = 0\nvar r1\nvar r2\n";
};

void add_statement(Random& random, Both& to, std::string& locals) {
  const std::string column = random.chance(0.5) ? "a" : "b";
  const std::string row = random.chance(0.5) ? "1" : "2";
  const std::string local = random.chance(0.5) ? "v" : "w";
  const std::string where = " FROM t WHERE id = " + row + ";";
  if (random.chance(0.6)) {
    to.sql += " SELECT " + column + " INTO " + local + where;
    to.cells += local + " = read " + column + row + "; ";
    if (locals.find(local) == std::string::npos) locals += local;
    return;
  }
  const bool is_constant =
      random.chance(0.5) || locals.find(local) == std::string::npos;
  const std::string value =
      is_constant ? std::to_string(random.below(2)) : local + " + 1";
  to.sql +=
      " UPDATE t SET " + column + " = " + value + " WHERE id = " + row + ";";
  to.cells +=
      "write " + column + row + " = " + value + "; write r" + row + " = 1; ";
}

Both random_sessions(Random& random) {
  Both out;
  std::size_t left = 4;
  for (std::size_t s = 0; s < 2 + random.below(2); ++s) {
    out.sql += "--@ session s" + std::to_string(s) + ":";
    out.cells += "session s" + std::to_string(s) + " {\n";
    for (std::size_t t = 0; t < 1 + random.below(2) && left > 0; ++t, --left) {
      // INTO makes it a block of PL/pgSQL, of which it needs one.
      out.sql += " BEGIN; SELECT 0 INTO z;";
      out.cells += "txn { ";
      std::string locals;
      const std::size_t n = 2 + random.below(4);
      for (std::size_t i = 0; i < n; ++i) add_statement(random, out, locals);
      out.sql += " COMMIT;";
      out.cells += "}\n";
    }
    if (out.sql.back() == ':') {
      out.sql += " BEGIN; SELECT a FROM t WHERE id = 1; COMMIT;";
      out.cells += "txn { v = read a1 }\n";
    }
    out.sql += "\n";
    out.cells += "}\n";
  }
  return out;
}

TEST(RobustCellsFuzz, ColumnsAndResultsAreThoseOfAProgramOverCells) {
  const std::uint64_t seed = fuzz_seed(20260305);
  const int rounds = fuzz_rounds(600);
  std::map<std::string, int> robust;
  for (int round = 0; round < rounds; ++round) {
    Random random(seed + static_cast<std::uint64_t>(round));
    const Both both = random_sessions(random);
    const auto application = sql::read_sql("random.sql", both.sql);
    ASSERT_TRUE(application) << application.error().what << both.sql;
    const auto program = read::read_txn("random.txn", both.cells);
    ASSERT_TRUE(program) << program.error().what << both.cells;
    const auto code = exec::compile(*program);
    ASSERT_TRUE(code);
    for (const Granularity granularity :
         {Granularity::Column, Granularity::Result}) {
      // Who writes a row last is more than who writes its cells last: not View.
      for (const Notion notion :
           {Notion::Trace, Notion::History, Notion::Outcome, Notion::State}) {
        SearchQuestion asked;
        asked.notion = notion;
        asked.granularity = granularity;
        const auto rows = search_sql(*application, asked, Budget::unlimited());
        ASSERT_TRUE(rows);
        if (granularity == Granularity::Column)
          asked.granularity = Granularity::Row;
        const auto cells = search(*code, asked, Budget::unlimited());
        ASSERT_EQ(name(rows->answer.answer), name(cells.answer))
            << name(notion) << " by " << name(granularity) << ", seed "
            << seed + static_cast<std::uint64_t>(round) << both.sql
            << both.cells;
        if (notion == Notion::Trace)
          robust[std::string(name(granularity))] +=
              cells.answer == Outcome::Holds ? 1 : 0;
      }
    }
  }
  for (const auto& [granularity, n] : robust) {
    EXPECT_GT(n, rounds / 40) << granularity;
    EXPECT_LT(n, rounds - rounds / 40) << granularity;
  }
}

}  // namespace
}  // namespace txscope::robust
