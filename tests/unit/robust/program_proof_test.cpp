// Proofs of `.txn` programs, for any number of sessions.

#include "robust/proof/program_proof.h"

#include <gtest/gtest.h>

#include <string>

#include "read/sql/sql.h"
#include "read/txn/txn.h"
#include "robust/proof/prover.h"

namespace txscope::robust {
namespace {

RobustResult proof_of(const std::string& text,
                      Granularity granularity = Granularity::Row) {
  const auto program = read::read_txn("test.txn", text);
  EXPECT_TRUE(program) << program.error().what << "\n" << text;
  RobustResult asked;
  asked.granularity = granularity;
  return prove_program(*program, asked, 1000, Budget::unlimited());
}

// Beillahi, Bouajjani, Enea, CAV 2019, Figure 5: at most one of the guards is
// true, whatever x and y are.
TEST(RobustProgramProof, FigureFiveIsRobustInAnyNumberOfSessions) {
  EXPECT_EQ(proof_of("var x = 2\nvar y = 1\n"
                     "session { txn { a = read x; b = read y; "
                     "if a > b { write x = b } } }\n"
                     "session { txn { a = read x; b = read y; "
                     "if b > a { write y = a } } }\n")
                .answer,
            Outcome::Holds);
}

TEST(RobustProgramProof, FigureFiveInSqlIsRobustAsWell) {
  const auto read = sql::read_sql("test.sql", R"(
CREATE TABLE v (name text PRIMARY KEY, n integer NOT NULL);
INSERT INTO v VALUES ('x', 2), ('y', 1);
CREATE PROCEDURE t1() LANGUAGE plpgsql AS $$
DECLARE x integer; y integer; BEGIN
  SELECT n INTO x FROM v WHERE name = 'x';
  SELECT n INTO y FROM v WHERE name = 'y';
  IF x > y THEN UPDATE v SET n = y WHERE name = 'x'; END IF;
END $$;
CREATE PROCEDURE t2() LANGUAGE plpgsql AS $$
DECLARE x integer; y integer; BEGIN
  SELECT n INTO x FROM v WHERE name = 'x';
  SELECT n INTO y FROM v WHERE name = 'y';
  IF y > x THEN UPDATE v SET n = x WHERE name = 'y'; END IF;
END $$;
)",
                                  false);
  ASSERT_TRUE(read) << read.error().what;
  const Budget budget = Budget::unlimited();
  for (const Granularity granularity :
       {Granularity::Row, Granularity::Column, Granularity::Result}) {
    Prover prover(*read, transaction_types(*read), granularity, false, budget);
    EXPECT_TRUE(prover.open_triples(PivotLevel::Snapshot).empty())
        << name(granularity);
  }
}

// With >= both guards are true where x and y are equal, which shows by rows.
TEST(RobustProgramProof, FigureFiveWithEqualityIsNot) {
  const RobustResult found = proof_of(
      "var x = 1\nvar y = 1\n"
      "session { txn { a = read x; b = read y; "
      "if a >= b { write x = b } } }\n"
      "session { txn { a = read x; b = read y; "
      "if b >= a { write y = a } } }\n");
  EXPECT_EQ(found.answer, Outcome::Violated);
  EXPECT_TRUE(found.counterexample.has_value());
}

// The second may write x, which the first writes; whether it does depends on
// what it reads.
TEST(RobustProgramProof, WhatMayBeWrittenIsNotWhatIsWritten) {
  EXPECT_EQ(proof_of("var x\nvar y\n"
                     "session { txn { a = read y; write x = 1 } }\n"
                     "session { txn { b = read x; "
                     "if b == 0 { write y = 1 } else { write x = 2 } } }\n")
                .answer,
            Outcome::Violated);
}

TEST(RobustProgramProof, CountersAreRobust) {
  EXPECT_EQ(proof_of("var x[4]\n"
                     "txn add(i, n) { a = read x[i]; write x[i] = a + n }\n"
                     "session { add(0, 1); add(1, 2) }\nsession { add(0, 3) }")
                .answer,
            Outcome::Holds);
}

TEST(RobustProgramProof, TransactionsAreCalledBySessionAndLabel) {
  const RobustResult found = proof_of(
      "var x\nvar y\nvar z\n"
      "session a { txn { v = read y; write x = 1 } }\n"
      "session b { txn { v = read x; write y = 1 } }\n"
      "session c { txn { v = read z; write z = v + 1 } }\n");
  EXPECT_EQ(found.answer, Outcome::Violated);
  ASSERT_FALSE(found.open_cycles.empty());
  EXPECT_EQ(found.open_cycles[0],
            "a.t1 reads something that b.t1 overwrites, and b.t1 reads "
            "something that a.t1 overwrites");
}

// x is 0 where the loop begins, so only an earlier round can have made it 5.
TEST(RobustProgramProof, ARoundReadsWhatEarlierRoundsWrote) {
  EXPECT_EQ(proof_of("var x\nvar y\nvar z\n"
                     "session { txn { c = read z; v = read x\n"
                     "if v == 0 { for i in 0..2 { u = read x\n"
                     "if u == 5 { write y = 1 }\nwrite x = 5 } } } }\n"
                     "session { txn { w = read y; write z = 1 } }\n")
                .answer,
            Outcome::Violated);
}

// Who writes all that it reads misses nobody.
TEST(RobustProgramProof, LoopsOverAllElementsAreRobust) {
  EXPECT_EQ(proof_of("var x[3]\n"
                     "session { txn { for i in 0..3 { v = read x[i]; "
                     "write x[i] = v + 1 } } }\n"
                     "session { txn { for i in 0..3 { v = read x[i]; "
                     "write x[i] = v + 2 } } }\n")
                .answer,
            Outcome::Holds);
}

// What is written twice with the same value: by results it is nothing.
TEST(RobustProgramProof, ByResultsAWriteOfTheSameValueIsNone) {
  const std::string text =
      "var x\nvar y\n"
      "session { txn { a = read y; b = read x; write x = b } }\n"
      "session { txn { a = read x; b = read y; write y = b } }\n";
  EXPECT_EQ(proof_of(text, Granularity::Row).answer, Outcome::Violated);
  EXPECT_EQ(proof_of(text, Granularity::Result).answer, Outcome::Holds);
}

}  // namespace
}  // namespace txscope::robust
