#include <gtest/gtest.h>

#include <string>

#include "unit/sql_exec/loaded.h"

namespace txscope::sql {
namespace {

/// The rows of a query on sale(id, who, n): n is 10, 20, 20, 40 of a, then 5
/// and NULL of b.
std::string sales(const std::string& query) {
  Loaded loaded(
      "CREATE TABLE sale (id int PRIMARY KEY, who text, n int);\n"
      "INSERT INTO sale VALUES (1, 'a', 10), (2, 'a', 20), (3, 'a', 20), "
      "(4, 'a', 40), (5, 'b', 5), (6, 'b', NULL);\n"
      "--@ session s: BEGIN; " +
      query + "; COMMIT;\n");
  return loaded.said();
}

// Equal rows share a rank; the next one's counts them all, or one of them.
TEST(Windows, RanksCountRowsOrGroupsBefore) {
  EXPECT_EQ(sales("SELECT id, row_number() OVER w, rank() OVER w, dense_rank() "
                  "OVER w FROM sale WHERE who = 'a' WINDOW w AS (ORDER BY n) "
                  "ORDER BY id"),
            "1,1,1,1;2,2,2,2;3,3,2,2;4,4,4,3;");
  EXPECT_EQ(sales("SELECT id, percent_rank() OVER w, cume_dist() OVER w FROM "
                  "sale WHERE who = 'a' WINDOW w AS (ORDER BY n) ORDER BY id"),
            "1,0,0.25;2,0.3333333333333333,0.75;3,0.3333333333333333,0.75;"
            "4,1,1;");
  EXPECT_EQ(sales("SELECT id, ntile(4) OVER (ORDER BY id) FROM sale "
                  "ORDER BY id"),
            "1,1;2,1;3,2;4,2;5,3;6,4;");
}

// With ORDER BY the frame ends with the last equal row, without it with the
// partition.
TEST(Windows, TheDefaultFrameEndsWithTheLastPeer) {
  EXPECT_EQ(sales("SELECT id, sum(n) OVER (PARTITION BY who ORDER BY n) FROM "
                  "sale ORDER BY id"),
            "1,10;2,50;3,50;4,90;5,5;6,5;");
  EXPECT_EQ(sales("SELECT id, sum(n) OVER (PARTITION BY who), count(*) OVER () "
                  "FROM sale ORDER BY id"),
            "1,90,6;2,90,6;3,90,6;4,90,6;5,5,6;6,5,6;");
  EXPECT_EQ(sales("SELECT id, last_value(id) OVER (ORDER BY n) FROM sale WHERE "
                  "who = 'a' AND id <> 2 ORDER BY id"),
            "1,1;3,3;4,4;");
}

TEST(Windows, FramesCountRowsGroupsOrDistances) {
  EXPECT_EQ(sales("SELECT id, sum(id) OVER (ORDER BY id ROWS BETWEEN 1 "
                  "PRECEDING AND 1 FOLLOWING) FROM sale ORDER BY id"),
            "1,3;2,6;3,9;4,12;5,15;6,11;");
  EXPECT_EQ(sales("SELECT id, count(*) OVER (ORDER BY n GROUPS BETWEEN 1 "
                  "PRECEDING AND CURRENT ROW) FROM sale WHERE who = 'a' "
                  "ORDER BY id"),
            "1,1;2,3;3,3;4,3;");
  EXPECT_EQ(sales("SELECT id, count(*) OVER (ORDER BY n RANGE BETWEEN 10 "
                  "PRECEDING AND 10 FOLLOWING) FROM sale ORDER BY id"),
            "1,4;2,3;3,3;4,1;5,2;6,1;");
  EXPECT_EQ(sales("SELECT id, sum(id) OVER (ORDER BY n ROWS BETWEEN UNBOUNDED "
                  "PRECEDING AND UNBOUNDED FOLLOWING EXCLUDE TIES) FROM sale "
                  "WHERE who = 'a' ORDER BY id"),
            "1,10;2,7;3,8;4,10;");
  EXPECT_EQ(sales("SELECT id, sum(id) OVER (ORDER BY id ROWS BETWEEN 3 "
                  "PRECEDING AND 2 PRECEDING) FROM sale WHERE who = 'a' "
                  "ORDER BY id"),
            "1,NULL;2,NULL;3,1;4,3;");
}

TEST(Windows, NeighboursEndWithThePartition) {
  EXPECT_EQ(sales("SELECT id, lag(id) OVER w, lead(id, 2, 0) OVER w, "
                  "first_value(id) OVER w, nth_value(id, 2) OVER w FROM sale "
                  "WINDOW w AS (PARTITION BY who ORDER BY id) ORDER BY id"),
            "1,NULL,3,1,NULL;2,1,4,1,2;3,2,0,1,2;4,3,0,1,2;5,NULL,0,5,NULL;"
            "6,5,0,5,6;");
}

// They come after GROUP BY and HAVING, and before DISTINCT and LIMIT.
TEST(Windows, ComeAfterGroupsAndBeforeDistinct) {
  EXPECT_EQ(sales("SELECT who, sum(count(*)) OVER (ORDER BY who), rank() OVER "
                  "(ORDER BY sum(n) DESC) FROM sale GROUP BY who ORDER BY who"),
            "a,4,1;b,6,2;");
  EXPECT_EQ(sales("SELECT DISTINCT count(*) OVER (PARTITION BY who) AS c FROM "
                  "sale ORDER BY c"),
            "2;4;");
  EXPECT_EQ(sales("SELECT id, count(*) OVER () FROM sale ORDER BY id LIMIT 1"),
            "1,6;");
  EXPECT_EQ(sales("SELECT id FROM (SELECT id, row_number() OVER (PARTITION BY "
                  "who ORDER BY n DESC NULLS LAST) AS r FROM sale) s WHERE r = "
                  "1 ORDER BY row_number() OVER (ORDER BY id DESC)"),
            "5;4;");
  EXPECT_EQ(sales("SELECT id, sum(n) FILTER (WHERE n > 10) OVER (ORDER BY id) "
                  "FROM sale WHERE who = 'a' ORDER BY id"),
            "1,NULL;2,20;3,40;4,80;");
}

TEST(Windows, AnAggregateOfCollectedValuesHasAFrame) {
  EXPECT_EQ(sales("SELECT id, string_agg(id::text, '-') OVER (ORDER BY id) "
                  "FROM sale WHERE who = 'a' ORDER BY id"),
            "1,1;2,1-2;3,1-2-3;4,1-2-3-4;");
}

TEST(Windows, ArgumentsThatCountFailAsInPostgresql) {
  EXPECT_EQ(sales("SELECT ntile(0) OVER () FROM sale"), "22014");
  EXPECT_EQ(sales("SELECT nth_value(id, 0) OVER () FROM sale"), "22016");
  EXPECT_EQ(sales("SELECT sum(id) OVER (ROWS -1 PRECEDING) FROM sale"),
            "22013");
  EXPECT_EQ(sales("SELECT sum(id) OVER (ROWS NULL PRECEDING) FROM sale"),
            "22004");
  EXPECT_EQ(sales("SELECT sum(id) OVER (ORDER BY n RANGE -1 PRECEDING) FROM "
                  "sale"),
            "22013");
}

TEST(Recursion, GoesOnFromWhatCameLast) {
  EXPECT_EQ(sales("WITH RECURSIVE r(i, f) AS (SELECT 1, 1 UNION ALL SELECT i + "
                  "1, f * (i + 1) FROM r WHERE i < 5) SELECT * FROM r"),
            "1,1;2,2;3,6;4,24;5,120;");
  EXPECT_EQ(sales("WITH RECURSIVE r AS (SELECT id FROM sale WHERE id = 2 UNION "
                  "SELECT s.id FROM r JOIN sale s ON s.id IN (r.id + 2, r.id - "
                  "2)) SELECT id FROM r ORDER BY id"),
            "2;4;6;");
}

// UNION forgets rows that were there before: 1, 2, 0, 1, ... ends.
TEST(Recursion, UnionEndsACycleThatUnionAllDoesNot) {
  const std::string cycle = "SELECT (i + 1) % 3 FROM r) SELECT count(*) FROM r";
  EXPECT_EQ(sales("WITH RECURSIVE r(i) AS (SELECT 1 UNION " + cycle), "3;");
  EXPECT_EQ(sales("WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL " + cycle),
            "54000");
}

TEST(Recursion, EndsWithTheRowsThatAreWanted) {
  EXPECT_EQ(
      sales("WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM "
            "r) SELECT i FROM r LIMIT 3 OFFSET 1"),
      "2;3;4;");
  EXPECT_EQ(
      sales("WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM "
            "r) SELECT 5 IN (SELECT i FROM r LIMIT 9)"),
      "t;");
}

// A name that its own query does not use is no recursion.
TEST(Recursion, IsOnlyWhereANameIsUsedByItself) {
  EXPECT_EQ(sales("WITH RECURSIVE a AS (SELECT 1 AS x UNION SELECT 2 ORDER BY "
                  "1 DESC), b AS (SELECT x FROM a) SELECT * FROM b"),
            "2;1;");
}

TEST(FullJoin, HasTheRowsOfBothSidesThatJoinNothing) {
  const std::string from =
      " FROM (VALUES (1), (2)) AS a(x) FULL JOIN (VALUES (2), (3)) AS b(x) ";
  EXPECT_EQ(sales("SELECT a.x, b.x" + from + "ON a.x = b.x ORDER BY 1, 2"),
            "1,NULL;2,2;NULL,3;");
  EXPECT_EQ(sales("SELECT x, a.x, b.x" + from + "USING (x) ORDER BY 1"),
            "1,1,NULL;2,2,2;3,NULL,3;");
  EXPECT_EQ(sales("SELECT *" + from + "USING (x) WHERE a.x IS NULL"), "3;");
  // What WHERE says of a side comes after the join, not before.
  EXPECT_EQ(sales("SELECT a.x, b.x" + from +
                  "ON a.x = b.x WHERE a.x IS DISTINCT FROM 1 ORDER BY 1, 2"),
            "2,2;NULL,3;");
  EXPECT_EQ(sales("SELECT a.x, b.x, c.x" + from +
                  "ON a.x = b.x FULL JOIN (VALUES (3), (9)) AS c(x) ON c.x = "
                  "b.x ORDER BY 1, 2, 3"),
            "1,NULL,NULL;2,2,NULL;NULL,3,3;NULL,NULL,9;");
  EXPECT_EQ(sales("SELECT a.id, b.id FROM sale a FULL JOIN sale b ON false "
                  "WHERE a.id = 1 OR b.id = 2 ORDER BY 1, 2"),
            "1,NULL;NULL,2;");
}

/// What a session sees of a sequence in one transaction.
std::string numbers(const std::string& statements) {
  Loaded loaded(
      "CREATE SEQUENCE s START 5; CREATE TABLE t (id serial PRIMARY KEY, n "
      "bigint);\n--@ session a: BEGIN; " +
      statements + "; COMMIT;\n");
  return loaded.said();
}

TEST(SessionNumbers, AreTheLastThatASequenceGave) {
  EXPECT_EQ(numbers("SELECT nextval('s'), nextval('s'), currval('s'), "
                    "lastval()"),
            "5,6,6,6;");
  EXPECT_EQ(numbers("SELECT nextval('s'); INSERT INTO t (n) VALUES (7); "
                    "INSERT INTO t (n) VALUES (currval('t_id_seq')); SELECT n, "
                    "currval('s'), lastval() FROM t ORDER BY id"),
            "7,5,2;1,5,2;");
}

TEST(DistinctOn, KeepsTheFirstRowOfEach) {
  EXPECT_EQ(sales("SELECT DISTINCT ON (who) who, id, n FROM sale ORDER BY who, "
                  "n DESC NULLS LAST"),
            "a,4,40;b,5,5;");
  EXPECT_EQ(sales("SELECT DISTINCT ON (n) n FROM sale LIMIT 2 OFFSET 1"),
            "10;20;");
}

}  // namespace
}  // namespace txscope::sql
