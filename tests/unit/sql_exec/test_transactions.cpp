// Sub-transactions in memory: what a handler catches, what is undone, what
// stays.  Expected values are PostgreSQL's documented behaviour (43.6.8, SQLSTATE
// classes of appendix A); the fuzzer compares random ones with the server.

#include <gtest/gtest.h>

#include <string>

#include "ran.h"

namespace txscope::sql {
namespace {

TEST(SubTransactions, AHandlerUndoesItsBlockAndNothingElse) {
  EXPECT_EQ(body("UPDATE t SET v = 11 WHERE id = 1; BEGIN UPDATE t SET v = 21 "
                 "WHERE id = 2; INSERT INTO t VALUES (1, 0); EXCEPTION WHEN "
                 "unique_violation THEN INSERT INTO t VALUES (3, 30); END;"),
            "1,11;2,20;3,30;");
}

TEST(SubTransactions, AnErrorInAHandlerIsNotItsOwn) {
  EXPECT_EQ(body("BEGIN INSERT INTO t VALUES (1, 0); EXCEPTION WHEN OTHERS "
                 "THEN INSERT INTO t VALUES (2, 0); END;"),
            "23505 1,10;2,20;");
  EXPECT_EQ(body("BEGIN BEGIN INSERT INTO t VALUES (1, 0); EXCEPTION WHEN "
                 "OTHERS THEN UPDATE t SET v = 0; RAISE; END; EXCEPTION WHEN "
                 "unique_violation THEN UPDATE t SET v = v + 1; END;"),
            "1,11;2,21;");
}

TEST(SubTransactions, ConditionsAreCodesAndTheirClasses) {
  const auto caught_by = [](const std::string& condition) {
    return body("BEGIN INSERT INTO t VALUES (1, 0); EXCEPTION WHEN " +
                condition + " THEN NULL; END;");
  };
  EXPECT_EQ(caught_by("unique_violation"), "1,10;2,20;");
  EXPECT_EQ(caught_by("integrity_constraint_violation"), "1,10;2,20;");
  EXPECT_EQ(caught_by("SQLSTATE '23505'"), "1,10;2,20;");
  EXPECT_EQ(caught_by("SQLSTATE '23000'"), "1,10;2,20;");
  EXPECT_EQ(caught_by("check_violation OR unique_violation"), "1,10;2,20;");
  EXPECT_EQ(caught_by("check_violation"), "23505 1,10;2,20;");
  EXPECT_EQ(caught_by("data_exception"), "23505 1,10;2,20;");
}

TEST(SubTransactions, OthersLeavesOutWhatPostgresqlLeavesOut) {
  const auto raised = [](const std::string& code) {
    return body("BEGIN RAISE EXCEPTION 'x' USING ERRCODE = '" + code +
                "'; EXCEPTION WHEN OTHERS THEN NULL; END;");
  };
  EXPECT_EQ(raised("P0001"), "1,10;2,20;");
  EXPECT_EQ(raised("57014"), "57014 1,10;2,20;");  // query_canceled
  EXPECT_EQ(raised("P0004"), "P0004 1,10;2,20;");  // assert_failure
}

TEST(SubTransactions, VariablesKeepTheirValuesAndHandlersKnowTheError) {
  const Ran ran(
      "CREATE PROCEDURE p(INOUT a text) LANGUAGE plpgsql AS $$ DECLARE n int "
      ":= 0; BEGIN BEGIN n := 7; RAISE EXCEPTION 'no %', n; EXCEPTION WHEN "
      "OTHERS THEN a := SQLSTATE || ' ' || SQLERRM || ' ' || n; END; END $$;\n"
      "--@ session a: CALL p('');\n");
  ASSERT_GT(ran.slots.size(), 1u) << ran.text;
  EXPECT_EQ(to_string(ran.slots[1]), "P0001 no 7 7");
}

TEST(SubTransactions, LeavingABlockByExitOrReturnKeepsWhatItDid) {
  EXPECT_EQ(body("FOR i IN 1..5 LOOP BEGIN UPDATE t SET v = v + 1; EXIT WHEN i "
                 "= 2; EXCEPTION WHEN OTHERS THEN NULL; END; END LOOP; INSERT "
                 "INTO t VALUES (3, 0);"),
            "1,12;2,22;3,0;");
  EXPECT_EQ(body("BEGIN UPDATE t SET v = 0; RETURN; EXCEPTION WHEN OTHERS THEN "
                 "NULL; END; UPDATE t SET v = 1;"),
            "1,0;2,0;");
}

TEST(SubTransactions, ACallInsideIsUndoneWithTheBlock) {
  EXPECT_EQ(
      Ran("CREATE PROCEDURE q() LANGUAGE plpgsql AS $$ BEGIN UPDATE t SET v = "
          "0; RAISE EXCEPTION 'x'; END $$;\n"
          "CREATE PROCEDURE p() LANGUAGE plpgsql AS $$ BEGIN BEGIN CALL q(); "
          "EXCEPTION WHEN raise_exception THEN INSERT INTO t VALUES (3, 1); "
          "END; END $$;\n--@ session a: CALL p();\n")
          .text,
      "1,10;2,20;3,1;");
}

TEST(SubTransactions, SavepointsOfASession) {
  EXPECT_EQ(script("UPDATE t SET v = 1 WHERE id = 1; SAVEPOINT p; UPDATE t SET "
                   "v = 2; ROLLBACK TO p; UPDATE t SET v = v + 1 WHERE id = 2;"),
            "1,1;2,21;");
  EXPECT_EQ(script("SAVEPOINT p; UPDATE t SET v = 2; RELEASE SAVEPOINT p;"),
            "1,2;2,2;");
  // An error goes on at the ROLLBACK TO; what stands before it fails, too.
  EXPECT_EQ(script("SAVEPOINT p; INSERT INTO t VALUES (1, 0); UPDATE t SET v = "
                   "7; ROLLBACK TO p; INSERT INTO t VALUES (3, 3);"),
            "1,10;2,20;3,3;");
  EXPECT_EQ(script("SAVEPOINT p; INSERT INTO t VALUES (1, 0); RELEASE p;"),
            "23505 1,10;2,20;");
  EXPECT_EQ(script("SAVEPOINT p; UPDATE t SET v = 1; SAVEPOINT p; UPDATE t SET "
                   "v = 2; ROLLBACK TO p; ROLLBACK TO p;"),
            "1,1;2,1;");
}

TEST(SubTransactions, ASavepointMustHaveBeenSet) {
  EXPECT_EQ(script("ROLLBACK TO p;"), "there is no savepoint 'p' here");
  EXPECT_EQ(script("SAVEPOINT p; RELEASE p; ROLLBACK TO p;"),
            "there is no savepoint 'p' here");
}

TEST(SubTransactions, AProcedureCommitsInTheMiddle) {
  EXPECT_EQ(body("UPDATE t SET v = 1; COMMIT; UPDATE t SET v = 2; ROLLBACK; "
                 "INSERT INTO t VALUES (1, 1);"),
            "23505 1,1;2,1;");
  EXPECT_EQ(body("BEGIN COMMIT; EXCEPTION WHEN invalid_transaction_termination "
                 "THEN UPDATE t SET v = 3; END;"),
            "1,3;2,3;");
}

}  // namespace
}  // namespace txscope::sql
