// Unique indexes with conditions and expressions, and EXCLUDE, in memory.

#include <gtest/gtest.h>

#include <string>

#include "ran.h"

namespace txscope::sql {
namespace {

TEST(PartialIndex, OnlyRowsInsideItExcludeOneAnother) {
  const auto told = [](const std::string& session) {
    return Ran("CREATE UNIQUE INDEX u ON t (v) WHERE id < 10;\n"
               "--@ session a: BEGIN; " +
               session + " COMMIT;\n")
        .text;
  };
  EXPECT_EQ(told("INSERT INTO t VALUES (11, 10), (12, 10);"),
            "1,10;2,20;11,10;12,10;");
  EXPECT_EQ(told("INSERT INTO t VALUES (3, 10);"), "23505 1,10;2,20;");
  EXPECT_EQ(told("INSERT INTO t VALUES (11, 10); UPDATE t SET id = 3 WHERE id "
                 "= 11;"),
            "23505 1,10;2,20;");
}

TEST(ExpressionIndex, ComparesWhatItsExpressionsGive) {
  const auto told = [](const std::string& session) {
    return Ran("CREATE UNIQUE INDEX u ON t ((v / 20), (id % 2));\n"
               "--@ session a: BEGIN; " +
               session + " COMMIT;\n")
        .text;
  };
  EXPECT_EQ(told("INSERT INTO t VALUES (3, 19);"), "23505 1,10;2,20;");
  EXPECT_EQ(told("INSERT INTO t VALUES (4, 19);"), "1,10;2,20;4,19;");
  EXPECT_EQ(told("INSERT INTO t VALUES (3, NULL), (5, NULL);"),
            "1,10;2,20;3,NULL;5,NULL;");
  EXPECT_EQ(told("INSERT INTO t VALUES (3, 11) ON CONFLICT ((id % 2), (v / "
                 "20)) DO UPDATE SET v = excluded.v;"),
            "1,11;2,20;");
  EXPECT_EQ(told("UPDATE t SET v = 25 WHERE id = 2;"), "1,10;2,25;");
}

TEST(ExpressionIndex, TellsAnErrorOfItsExpression) {
  EXPECT_EQ(Ran("CREATE UNIQUE INDEX u ON t ((100 / v)) WHERE id < 9;\n"
                "--@ session a: INSERT INTO t VALUES (3, 0);\n")
                .text,
            "22012 1,10;2,20;");
  EXPECT_EQ(Ran("CREATE UNIQUE INDEX u ON t ((100 / v)) WHERE id < 9;\n"
                "--@ session a: INSERT INTO t VALUES (9, 0);\n")
                .text,
            "1,10;2,20;9,0;");
}

// As a dump writes it.
TEST(ExpressionIndex, IsFoundWithoutACastThatChangesNothing) {
  EXPECT_EQ(Ran("CREATE TABLE u (id int PRIMARY KEY, e varchar(9));\n"
                "CREATE UNIQUE INDEX i ON u USING btree (lower((e)::text));\n"
                "INSERT INTO u VALUES (1, 'Ab');\n"
                "--@ session a: INSERT INTO u VALUES (2, 'aB') ON CONFLICT "
                "(lower(e)) DO NOTHING;\n")
                .text,
            "1,10;2,20;");
}

TEST(PartialIndex, OnConflictNamesItByACondition) {
  const auto told = [](const std::string& condition) {
    return Ran("CREATE UNIQUE INDEX u ON t (v) WHERE id < 10 AND v IS NOT "
               "NULL;\n--@ session a: INSERT INTO t VALUES (3, 10) ON CONFLICT "
               "(v) WHERE " +
               condition + " DO UPDATE SET v = 11;\n")
        .text;
  };
  EXPECT_EQ(told("id < 10 AND v IS NOT NULL"), "1,11;2,20;");
  EXPECT_EQ(told("v > 5 AND id < 10"), "1,11;2,20;");
  EXPECT_EQ(told("id < 10"),
            "there is no unique constraint matching the ON CONFLICT "
            "specification");
}

TEST(Exclusion, RowsWhoseRangesOverlapExcludeOneAnother) {
  const auto told = [](const std::string& session) {
    return Ran("ALTER TABLE t ADD CONSTRAINT e EXCLUDE USING gist "
               "(int4range(id, v, '[]') WITH &&, (id % 2) WITH =) WHERE (v < "
               "100);\n--@ session a: BEGIN; " +
               session + " COMMIT;\n")
        .text;
  };
  EXPECT_EQ(told("INSERT INTO t VALUES (9, 11);"), "23P01 1,10;2,20;");
  EXPECT_EQ(told("INSERT INTO t VALUES (11, 12);"), "1,10;2,20;11,12;");
  EXPECT_EQ(told("INSERT INTO t VALUES (9, 100);"), "1,10;2,20;9,100;");
  EXPECT_EQ(told("INSERT INTO t VALUES (9, NULL);"), "1,10;2,20;9,NULL;");
  EXPECT_EQ(told("INSERT INTO t VALUES (11, 12); UPDATE t SET v = 11 WHERE id "
                 "= 1;"),
            "23P01 1,10;2,20;");
  EXPECT_EQ(told("INSERT INTO t VALUES (9, 11) ON CONFLICT DO NOTHING;"),
            "1,10;2,20;");
  EXPECT_EQ(told("INSERT INTO t VALUES (9, 8);"), "22000 1,10;2,20;");
}

// PostgreSQL 15 gave what is expected.

std::string deferrable(const std::string& when, const std::string& statements) {
  return Ran("ALTER TABLE t ADD CONSTRAINT u UNIQUE (v) DEFERRABLE " + when +
             ";\n--@ session a: BEGIN; " + statements + " COMMIT;\n")
      .text;
}

TEST(DeferrableKey, IsLookedAtWhenTheStatementIsOver) {
  EXPECT_EQ(deferrable("", "UPDATE t SET v = v + 10;"), "1,20;2,30;");
  EXPECT_EQ(deferrable("",
                       "UPDATE t SET v = 20 WHERE id = 1; UPDATE t SET v = "
                       "10 WHERE id = 2;"),
            "23505 1,10;2,20;");
  EXPECT_EQ(deferrable("",
                       "INSERT INTO t VALUES (3, 10) ON CONFLICT DO "
                       "NOTHING;"),
            "55000 1,10;2,20;");
}

TEST(DeferrableKey, IsLookedAtByCommit) {
  const std::string when = "INITIALLY DEFERRED";
  EXPECT_EQ(deferrable(when,
                       "UPDATE t SET v = 20 WHERE id = 1; UPDATE t SET v "
                       "= 10 WHERE id = 2;"),
            "1,20;2,10;");
  EXPECT_EQ(deferrable(when,
                       "INSERT INTO t VALUES (3, 10); DELETE FROM t WHERE "
                       "id = 3; INSERT INTO t VALUES (4, 20); UPDATE t "
                       "SET v = 5 WHERE id = 4;"),
            "1,10;2,20;4,5;");
  EXPECT_EQ(deferrable(when,
                       "INSERT INTO t VALUES (3, 10); UPDATE t SET id = 4 "
                       "WHERE id = 3;"),
            "23505 1,10;2,20;");
  EXPECT_EQ(deferrable(when,
                       "SAVEPOINT p; INSERT INTO t VALUES (3, 10); "
                       "ROLLBACK TO p; INSERT INTO t VALUES (3, 30);"),
            "1,10;2,20;3,30;");
}

TEST(DeferrableKey, SetConstraintsSaysWhen) {
  const std::string swap =
      "UPDATE t SET v = 20 WHERE id = 1; UPDATE t SET v = 10 WHERE id = 2;";
  EXPECT_EQ(deferrable("", "SET CONSTRAINTS u DEFERRED; " + swap),
            "1,20;2,10;");
  EXPECT_EQ(deferrable("", "SET CONSTRAINTS ALL DEFERRED; " + swap),
            "1,20;2,10;");
  EXPECT_EQ(deferrable("INITIALLY DEFERRED",
                       "SET CONSTRAINTS ALL IMMEDIATE; " + swap),
            "23505 1,10;2,20;");
  EXPECT_EQ(deferrable("INITIALLY DEFERRED",
                       "INSERT INTO t VALUES (3, 10); SAVEPOINT p; SET "
                       "CONSTRAINTS ALL IMMEDIATE; ROLLBACK TO p; DELETE FROM "
                       "t WHERE id = 1;"),
            "2,20;3,10;");
  EXPECT_EQ(deferrable("", "SET CONSTRAINTS w DEFERRED;"),
            "unknown constraint 'w'");
}

}  // namespace
}  // namespace txscope::sql
