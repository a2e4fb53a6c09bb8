#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>

#include "read/sql/sql.h"
#include "robust/proof/allocate.h"
#include "robust/proof/prover.h"
#include "robust/search_sql.h"
#include "support/paths.h"

namespace txscope::robust {
namespace {

sql::Application example(const std::string& name) {
  const std::string path =
      test::source_dir() + "/examples/robust/" + name + ".sql";
  std::ifstream in(path);
  std::stringstream text;
  text << in.rdbuf();
  auto application = sql::read_sql(path, text.str());
  EXPECT_TRUE(application) << path;
  return std::move(*application);
}

/// The largest robust sets of types, by name.
std::set<std::set<std::string>> robust_sets(const sql::Application& of,
                                            PivotLevel level) {
  const Budget budget = Budget::unlimited();
  Prover prover(of, transaction_types(of), Granularity::Result,
                level == PivotLevel::ReadCommitted, budget);
  std::set<std::set<std::string>> out;
  for (const auto& set :
       safe_sets(prover.names().size(), prover.open_triples(level))) {
    std::set<std::string> names;
    for (const std::size_t t : set) names.insert(prover.names()[t]);
    out.insert(names);
  }
  return out;
}

// Fekete et al., TODS 2005; Alomari et al., ICDE 2008.
TEST(RobustPublished, SmallBankAgainstSnapshotIsolation) {
  const auto all = example("smallbank");
  const std::set<std::set<std::string>> expected = {
      {"amalgamate", "balance", "deposit_checking", "transact_saving"},
      {"amalgamate", "balance", "deposit_checking", "write_check"},
      {"amalgamate", "deposit_checking", "transact_saving", "write_check"}};
  EXPECT_EQ(robust_sets(all, PivotLevel::Snapshot), expected);
}

// Vandevoort, Ketsman, Koch, Neven, VLDB 2021.
TEST(RobustPublished, SmallBankAgainstReadCommitted) {
  const auto all = example("smallbank");
  const std::set<std::set<std::string>> expected = {
      {"amalgamate", "deposit_checking", "transact_saving"},
      {"balance", "deposit_checking"},
      {"balance", "transact_saving"}};
  EXPECT_EQ(robust_sets(all, PivotLevel::ReadCommitted), expected);
}

// Vandevoort, Ketsman, Koch, Neven, EDBT 2023: with the buyer's row written by
// whoever touches his bid, both are robust together.
TEST(RobustPublished, AuctionOfBuyersAgainstReadCommitted) {
  const auto all = sql::read_sql("auction.sql", R"(
    CREATE TABLE buyer (id int PRIMARY KEY, calls int NOT NULL);
    CREATE TABLE bids (buyer int PRIMARY KEY REFERENCES buyer (id),
                       bid int NOT NULL);
    CREATE TABLE log (id serial PRIMARY KEY, buyer int, bid int);
    CREATE PROCEDURE find_bids(b int, t int) LANGUAGE plpgsql AS $$
    DECLARE n int; BEGIN
      UPDATE buyer SET calls = calls + 1 WHERE id = b;
      SELECT count(*) INTO n FROM bids WHERE bid >= t;
    END $$;
    CREATE PROCEDURE place_bid(b int, v int) LANGUAGE plpgsql AS $$
    DECLARE c int; BEGIN
      UPDATE buyer SET calls = calls + 1 WHERE id = b;
      SELECT bid INTO c FROM bids WHERE buyer = b;
      IF c < v THEN UPDATE bids SET bid = v WHERE buyer = b; END IF;
      INSERT INTO log (buyer, bid) VALUES (b, v);
    END $$;)",
                                 false);
  ASSERT_TRUE(all) << all.error().what;
  const std::set<std::set<std::string>> both = {{"find_bids", "place_bid"}};
  EXPECT_EQ(robust_sets(*all, PivotLevel::ReadCommitted), both);
  EXPECT_EQ(robust_sets(*all, PivotLevel::Snapshot), both);
}

// Beillahi, Bouajjani, Enea, CONCUR 2019, Table 1.
TEST(RobustPublished, TenApplicationsAgainstSnapshotIsolation) {
  const Budget budget = Budget::unlimited();
  for (const char* name :
       {"auction", "cassieq", "currency_exchange", "fusion_ticket", "playlist",
        "room_store", "shopping_cart", "tpcc"}) {
    const auto all = example(name);
    Prover prover(all, transaction_types(all), Granularity::Result, false,
                  budget);
    const auto open = prover.open_triples(PivotLevel::Snapshot);
    EXPECT_TRUE(open.empty()) << name << ": " << open.front().words;
    EXPECT_FALSE(prover.has_given_up());
  }
  for (const char* name : {"courseware", "smallbank"}) {
    const auto all = example(name);
    const auto found = search_sql(all, {}, budget);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->answer.answer, Outcome::Violated) << name;
  }
}

// Only the pivot, the one it misses and the one that misses it need the
// strongest level; what never reads before it writes needs none.
TEST(RobustAllocation, SmallBank) {
  const auto all = example("smallbank");
  const Budget budget = Budget::unlimited();
  Prover prover(all, transaction_types(all), Granularity::Result, true, budget);
  const auto rows = allocate(prover);
  std::map<std::string, std::string> levels;
  for (const auto& row : rows) levels[row.transaction] = row.level;
  EXPECT_EQ(levels["write_check"], "serializable");
  EXPECT_EQ(levels["transact_saving"], "serializable");
  EXPECT_EQ(levels["balance"], "serializable");
  EXPECT_EQ(levels["deposit_checking"], "read-committed");
}

}  // namespace
}  // namespace txscope::robust
