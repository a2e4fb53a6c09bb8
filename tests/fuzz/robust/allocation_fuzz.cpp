// The allocation of levels against all allocations: of small applications each
// of the nine ways to give two types a level is tried with small clients on
// PostgreSQL's rules.  What --allocate says must be safe, and whatever is lower
// anywhere must show something that is not serial.

#include <gtest/gtest.h>

#include <array>

#include "base/random.h"
#include "model/product/profile.h"
#include "read/sql/sql.h"
#include "robust/profile_search.h"
#include "robust/proof/allocate.h"
#include "robust/proof/prover.h"
#include "support/fuzz.h"

namespace txscope::robust {
namespace {

constexpr std::array<const char*, 3> kHeights = {"postgresql:read-committed",
                                                 "postgresql:repeatable-read",
                                                 "postgresql:serializable"};
using Heights = std::array<std::size_t, 2>;  // into kHeights, by type

std::size_t height_of(const std::string& level) {
  return level == "read-committed" ? 0 : level == "snapshot-isolation" ? 1 : 2;
}

/// What is proved is proved of all rows that may be there at first; a lock on a
/// row that is not there keeps nobody away.
const std::vector<std::string> kFirstRows = {
    "INSERT INTO t VALUES (1, 10), (2, 20);\n",
    "INSERT INTO t VALUES (2, 20);\n", "INSERT INTO t VALUES (1, 10);\n"};

/// Reads and writes of rows that are named, so that the theorem is exact.  Two
/// updates of a row leave different values in different orders: a cycle in
/// which nothing but such an order is odd would not show otherwise.
std::string two_types(Random& random) {
  std::string out = "CREATE TABLE t (id int PRIMARY KEY, v int NOT NULL);\n";
  for (const char* name : {"p0", "p1"}) {
    out += "CREATE PROCEDURE " + std::string(name) +
           "(x int) LANGUAGE plpgsql AS $$ DECLARE a int := 0; b int := 0; "
           "BEGIN ";
    const std::size_t n = 1 + random.below(3);
    for (std::size_t i = 0; i < n; ++i) {
      const std::string row = std::to_string(1 + random.below(2));
      switch (random.below(4)) {
        case 0: out += "SELECT v INTO a FROM t WHERE id = " + row + "; "; break;
        case 1: out += "SELECT v INTO b FROM t WHERE id = " + row + "; "; break;
        case 2:
          out += "UPDATE t SET v = v * 3 + x WHERE id = " + row + "; ";
          break;
        default:
          out += "UPDATE t SET v = a + b + x WHERE id = " + row + "; ";
          break;
      }
    }
    out += "END $$;\n";
  }
  return out;
}

/// Sessions of two to four calls of the two types, each with its own argument.
std::vector<std::string> small_clients() {
  std::vector<std::string> out;
  const std::vector<std::vector<std::size_t>> shapes = {
      {1, 1}, {1, 2}, {1, 1, 1}, {2, 2}};
  for (const auto& shape : shapes) {
    std::size_t calls = 0;
    for (const std::size_t n : shape) calls += n;
    for (std::size_t choice = 0; choice < (std::size_t{1} << calls); ++choice) {
      std::string client;
      std::size_t call = 0;
      for (std::size_t s = 0; s < shape.size(); ++s) {
        client += "--@ session s" + std::to_string(s) + ":";
        for (std::size_t c = 0; c < shape[s]; ++c, ++call) {
          const int argument = call == 0   ? 1
                               : call == 1 ? 3
                               : call == 2 ? 7
                                           : 0;
          client += " CALL p" + std::to_string((choice >> call) & 1) + "(" +
                    std::to_string(100 + argument) + ");";
        }
        client += "\n";
      }
      out.push_back(std::move(client));
    }
  }
  return out;
}

/// A client that shows something that is not serial at these levels, or
/// nothing.
std::string odd_client(const std::string& text, const std::string& rows,
                       const Heights& heights) {
  const auto profile = parse_profile("postgresql:read-committed");
  for (const std::string& client : small_clients()) {
    std::string whole = text + rows + client;
    for (std::size_t t = 0; t < heights.size(); ++t) {
      const std::string name = "p" + std::to_string(t);
      if (client.find("CALL " + name) == std::string::npos) continue;
      whole += "--@ level " + name + ": " + kHeights[heights[t]] + "\n";
    }
    const auto sessions = sql::read_sql("random.sql", whole);
    EXPECT_TRUE(sessions) << sessions.error().what << "\n" << whole;
    if (!sessions) return whole;
    const auto found = search_profile(*sessions, **profile, Notion::Outcome,
                                      1000, Budget::unlimited());
    EXPECT_TRUE(found) << whole;
    if (found && found->answer == Outcome::Violated) return whole;
  }
  return "";
}

std::string odd_client(const std::string& text, const Heights& heights) {
  for (const std::string& rows : kFirstRows) {
    std::string found = odd_client(text, rows, heights);
    if (!found.empty()) return found;
  }
  return "";
}

TEST(RobustAllocationFuzz, IsSafeAndNothingLowerIs) {
  const std::uint64_t seed = fuzz_seed(20261101);
  int lower = 0;
  int refuted = 0;
  const int rounds = fuzz_rounds(12);
  for (int round = 0; round < rounds; ++round) {
    Random random(seed + static_cast<std::uint64_t>(round));
    const std::string text = two_types(random);
    const auto read = sql::read_sql("random.sql", text, false);
    ASSERT_TRUE(read) << read.error().what << "\n" << text;
    const Budget budget = Budget::unlimited();
    Prover prover(*read, transaction_types(*read), Granularity::Result, true,
                  budget);
    const auto rows = allocate(prover);
    const Heights ours = {height_of(rows[0].level), height_of(rows[1].level)};
    EXPECT_EQ(odd_client(text, ours), "") << "seed " << seed + round;
    for (std::size_t a = 0; a < 3; ++a) {
      for (std::size_t b = 0; b < 3; ++b) {
        if (a >= ours[0] && b >= ours[1]) continue;
        ++lower;
        refuted += odd_client(text, {a, b}).empty() ? 0 : 1;
        EXPECT_EQ(refuted, lower)
            << "not refuted: " << kHeights[a] << ", " << kHeights[b] << "\n"
            << text;
      }
    }
  }
  std::printf("%d of %d lower allocations are refuted by a small client\n",
              refuted, lower);
  // Few programs may all be safe.
  if (rounds >= 12) {
    EXPECT_GT(lower, 0);
  }
}

}  // namespace
}  // namespace txscope::robust
