// Statements inside of statements, in memory.  Expected values are what the
// manual says of WITH (7.8.4); random ones are compared with the server.

#include <gtest/gtest.h>

#include <string>

#include "ran.h"

namespace txscope::sql {
namespace {

TEST(Parts, SeeTheRowsAsTheyWereBeforeTheStatement) {
  EXPECT_EQ(script("WITH m AS (UPDATE t SET v = v + 1 RETURNING v) "
                   "INSERT INTO t SELECT 3, sum(v) FROM t;"),
            "1,11;2,21;3,30;");
  EXPECT_EQ(script("WITH m AS (UPDATE t SET v = v + 1 RETURNING v) "
                   "INSERT INTO t SELECT 3, sum(v) FROM m;"),
            "1,11;2,21;3,32;");
}

TEST(Parts, MoveRowsFromOnePlaceToAnother) {
  EXPECT_EQ(script("WITH m AS (DELETE FROM t WHERE id = 1 RETURNING *) "
                   "INSERT INTO t SELECT id + 4, v FROM m;"),
            "2,20;5,10;");
}

TEST(Parts, RunThoughNobodyLooksAtTheirRows) {
  EXPECT_EQ(script("WITH m AS (INSERT INTO t VALUES (3, 30)) SELECT 1;"),
            "1,10;2,20;3,30;");
}

TEST(Parts, ChangeARowOnce) {
  // The second change of one row by one statement is passed over.
  EXPECT_EQ(script("WITH m AS (UPDATE t SET v = 0 WHERE id = 1 RETURNING id) "
                   "UPDATE t SET v = v + 5 FROM m;"),
            "1,0;2,25;");
  EXPECT_EQ(script("WITH m AS (UPDATE t SET v = 0 WHERE id = 1 RETURNING id) "
                   "DELETE FROM t USING m WHERE t.id <= 2;"),
            "1,0;");
}

TEST(Parts, FailAsOneStatement) {
  EXPECT_EQ(body("BEGIN WITH m AS (DELETE FROM t WHERE id = 1 RETURNING id) "
                 "INSERT INTO t SELECT id + 1, 0 FROM m; EXCEPTION WHEN "
                 "unique_violation THEN NULL; END;"),
            "1,10;2,20;");
}

TEST(Parts, ForeignKeysAreLookedAtWhenAllOfThemHaveRun) {
  const std::string child =
      "CREATE TABLE c (id int PRIMARY KEY, t int REFERENCES t);\n";
  EXPECT_EQ(Ran(child +
                "--@ session a: BEGIN; WITH m AS (INSERT INTO c VALUES (1, 3)) "
                "INSERT INTO t VALUES (3, 30); COMMIT;\n")
                .text,
            "1,10;2,20;3,30;");
  EXPECT_EQ(Ran(child +
                "--@ session a: BEGIN; WITH m AS (INSERT INTO c VALUES (1, 4)) "
                "INSERT INTO t VALUES (3, 30); COMMIT;\n")
                .text,
            "23503 1,10;2,20;");
}

TEST(Parts, LockingSubqueriesAreQueries) {
  EXPECT_EQ(script("UPDATE t SET v = 0 WHERE id = (SELECT id FROM t ORDER BY "
                   "v DESC LIMIT 1 FOR UPDATE SKIP LOCKED);"),
            "1,10;2,0;");
  EXPECT_EQ(script("UPDATE t SET v = p.v FROM (SELECT max(x.v) AS v FROM "
                   "(SELECT v FROM t FOR UPDATE) x) p WHERE id = 1;"),
            "1,20;2,20;");
  EXPECT_EQ(script("UPDATE t SET v = 0 WHERE id = (SELECT id FROM t FOR "
                   "SHARE);"),
            "21000 1,10;2,20;");
}

}  // namespace
}  // namespace txscope::sql
