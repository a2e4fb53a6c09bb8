// Ranges.  What is expected was seen on PostgreSQL 15.

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "exec/sql/memory/database.h"
#include "read/sql/sql.h"

namespace txscope::sql {
namespace {

/// The one row of a SELECT, or its SQLSTATE.
std::string selected(const std::string& values) {
  const std::string text =
      "CREATE TABLE t (id int PRIMARY KEY);\n"
      "--@ session a: BEGIN; SELECT " +
      values + "; COMMIT;\n";
  auto read = sql::read_sql("test.sql", text);
  if (!read) return read.error().what;
  const Application application = std::move(*read);
  const Routines routines(application);
  const Budget budget = Budget::unlimited();
  auto database =
      std::get<MemoryDatabase>(MemoryDatabase::after_setup(routines, budget));
  const auto ran = database.run(application.sessions[0].calls[0], budget);
  if (ran.kind == Request::Kind::Failed) return ran.process.error().sqlstate;
  std::string shown;
  for (const Value& value : ran.last.rows.at(0))
    shown += (shown.empty() ? "" : "|") + to_string(value);
  return shown;
}

TEST(Ranges, OfIntegersAndDatesHaveOneForm) {
  EXPECT_EQ(selected("'[1,5]'::int4range, '(1,5]'::int8range, "
                     "'(1,2)'::int4range, '[3,3]'::int4range, "
                     "'[3,3)'::int4range, '(,5)'::int4range"),
            "[1,6)|[2,6)|empty|[3,4)|empty|(,5)");
  EXPECT_EQ(selected("'[2024-02-28,2024-02-29]'::daterange, "
                     "daterange('2024-01-01', '2024-01-01')"),
            "[2024-02-28,2024-03-01)|empty");
}

TEST(Ranges, OfOthersAreShownAsTheyWereGiven) {
  EXPECT_EQ(selected("'[1.50,2.0)'::numrange, '[,]'::numrange"),
            "[1.50,2.0)|(,)");
  EXPECT_EQ(selected("tsrange('2024-01-01 10:00', '2024-01-01 11:30'), "
                     "tstzrange('2024-01-01 10:00+02', NULL), "
                     "tsrange('2024-01-01', '2024-01-02', '[]')"),
            "[\"2024-01-01 10:00:00\",\"2024-01-01 11:30:00\")|"
            "[\"2024-01-01 08:00:00+00\",)|"
            "[\"2024-01-01 00:00:00\",\"2024-01-02 00:00:00\"]");
  EXPECT_EQ(selected("'[\"2024-01-01 10:00\",2024-01-02)'::tsrange, "
                     "' [ 1 , 5 ) '::int4range"),
            "[\"2024-01-01 10:00:00\",\"2024-01-02 00:00:00\")|[1,5)");
}

TEST(Ranges, OverlapWhereTheyShareAValue) {
  EXPECT_EQ(selected("int4range(1,5) && int4range(5,8), "
                     "int4range(1,5,'[]') && int4range(5,8), "
                     "'[1.0,5.0]'::numrange && '[5,8)'::numrange, "
                     "'[1,5)'::numrange && '[5,8)'::numrange"),
            "f|t|t|f");
  EXPECT_EQ(selected("'empty'::int4range && int4range(1,5), "
                     "'(,)'::int4range && int4range(1,5), "
                     "int4range(NULL,3) && int4range(2,NULL)"),
            "f|t|t");
}

TEST(Ranges, ContainElementsAndRanges) {
  EXPECT_EQ(selected("int4range(1,5) @> 4, int4range(1,5) @> 5, "
                     "int4range(1,9) @> int4range(2,9), 3 <@ int4range(1,5), "
                     "int4range(1,5) @> 'empty'::int4range, "
                     "'empty'::int4range @> int4range(1,2), "
                     "int4range(1,5) <@ '(,)'::int4range"),
            "t|f|t|t|t|f|t");
}

TEST(Ranges, TellTheirBounds) {
  EXPECT_EQ(selected("lower(int4range(1,5)), upper(int4range(1,5,'[]')), "
                     "lower('(,5)'::int4range), isempty(int4range(3,3)), "
                     "upper_inf('[1,)'::int4range), "
                     "lower_inc('(1,5)'::numrange), "
                     "upper_inc('[1,5]'::int4range)"),
            "1|6|NULL|t|t|f|f");
}

TEST(Ranges, AreOrderedByTheirBounds) {
  EXPECT_EQ(selected("'[1.5,2.50)'::numrange = '[1.50,2.5)'::numrange, "
                     "int4range(1,5) < int4range(1,6), "
                     "'empty'::int4range < '(,1)'::int4range, "
                     "'(,1)'::int4range < '[0,1)'::int4range, "
                     "'[1,)'::int4range > '[1,5)'::int4range, "
                     "int4range(1,3) << int4range(3,5), "
                     "'[1,3]'::numrange << '[3,5]'::numrange"),
            "t|t|t|t|t|t|f");
}

TEST(Ranges, WhatIsNoneIsAnError) {
  EXPECT_EQ(selected("int4range(5, 1)"), "22000");
  EXPECT_EQ(selected("int4range(1, 2, 'x')"), "42601");
  EXPECT_EQ(selected("int4range(1, 2, NULL)"), "22000");
  EXPECT_EQ(selected("int4range(1, 2147483647, '[]')"), "22003");
  EXPECT_EQ(selected("CAST('x' || '' AS int4range)"), "22P02");
  EXPECT_EQ(selected("CAST('[1,2' || '' AS int4range)"), "22P02");
  EXPECT_EQ(selected("CAST('[a,2)' || '' AS int4range)"), "22P02");
  EXPECT_EQ(selected("CAST('[5,1)' || '' AS int4range)"), "22000");
}

}  // namespace
}  // namespace txscope::sql
