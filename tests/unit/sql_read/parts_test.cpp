#include "model/sql/parts.h"

#include <gtest/gtest.h>

#include <set>

#include "model/sql/walk.h"
#include "read/sql/sql.h"

namespace txscope {
namespace {

constexpr const char* kShop = R"(
CREATE TABLE item (id int PRIMARY KEY, stock int NOT NULL);
INSERT INTO item SELECT n, 10 FROM generate_series(1, 3) AS n;
CREATE PROCEDURE buy(i int) LANGUAGE plpgsql AS $$
DECLARE left_over int;
BEGIN
  SELECT stock INTO left_over FROM item
   WHERE id = i AND EXISTS (SELECT 1 FROM item WHERE stock > 0);
  IF left_over > 1 THEN
    UPDATE item SET stock = left_over - 1 WHERE id = i;
    DELETE FROM item WHERE stock = (SELECT min(stock) FROM item) - 99;
  END IF;
END $$;
--@ session a: CALL buy(1);
--@ invariant some: EXISTS (SELECT 1 FROM item)
)";

/// The ids of the queries and changes of a block, one entry per node.
class Ids {
 public:
  explicit Ids(const sql::PlBlock& block) {
    sql::for_each_statement(block, [this](const sql::DbStatement& s) {
      if (!s.is_select()) ids.push_back(sql::part_of(s));
      sql::for_each_part(
          s, [this](const sql::Expr& e) { visit(e); },
          [this](const sql::Query& q) { visit(q); });
    });
  }

  std::vector<sql::PartId> ids;

 private:
  void visit(const sql::Expr& e) {
    sql::for_each_part(
        e, [this](const sql::Expr& arg) { visit(arg); },
        [this](const sql::Query& q) { visit(q); });
  }
  void visit(const sql::Query& q) {
    ids.push_back(q.part);
    sql::for_each_part(
        q, [this](const sql::Expr& e) { visit(e); },
        [this](const sql::Query& inside) { visit(inside); });
  }
};

TEST(SqlParts, HaveIdsOfTheirOwn) {
  const auto shop = sql::read_sql("shop.sql", kShop);
  ASSERT_TRUE(shop) << shop.error().what;
  const Ids found(shop->routines.front().body);
  // Two queries of the SELECT, the UPDATE, the DELETE and its subquery.
  EXPECT_EQ(found.ids.size(), 5u);
  EXPECT_EQ(std::set(found.ids.begin(), found.ids.end()).size(), 5u);
  for (const sql::PartId id : found.ids) EXPECT_LT(id.index, shop->parts);
}

TEST(SqlParts, StayWhenAChangedCopyIsNumberedAgain) {
  const auto shop = sql::read_sql("shop.sql", kShop);
  ASSERT_TRUE(shop) << shop.error().what;
  sql::Application changed = *shop;
  const std::vector<sql::PartId> before(Ids(shop->routines.front().body).ids);
  sql::DbStatement more = changed.setup.front();
  std::get<sql::Insert>(more.what).part = kNone<sql::PartId>;
  changed.setup.push_back(more);
  sql::number_parts(changed);
  EXPECT_EQ(Ids(changed.routines.front().body).ids, before);
  EXPECT_EQ(sql::part_of(changed.setup.back()).index, shop->parts);
  EXPECT_EQ(changed.parts, shop->parts + 1);
}

}  // namespace
}  // namespace txscope
