// What holds carries text that another solver can check.

#include <gtest/gtest.h>

#include "read/sql/sql.h"
#include "read/txn/txn.h"
#include "smt/solver.h"
#include "verify/sql/verify_sql.h"

namespace txscope::verify {
namespace {

const char* const kBank = R"(
var x = ?
var y = ?
assume "small" x >= 0 && y >= 0 && x <= 100 && y <= 100
txn take(n) {
  assume n >= 1 && n <= 100
  a = read x
  b = read y
  if a + b >= n { write x = a - n }
}
txn give(n) {
  assume n >= 1 && n <= 100
  b = read y
  write y = b + n
}
session { take(?) }
session { give(?) }
invariant "covered" x + y >= 0
)";

void expect_evidence(const VerifyResult& result) {
  std::size_t held = 0;
  for (const VerifyRow& row : result.rows) {
    if (!holds(row)) {
      EXPECT_EQ(row.evidence, nullptr) << row.level;
      continue;
    }
    ++held;
    ASSERT_NE(row.evidence, nullptr) << row.level << " " << row.property;
    EXPECT_EQ(smt::check_smt_lib(*row.evidence),
              smt::Satisfiability::Unsatisfiable)
        << row.level << " " << row.property;
  }
  EXPECT_GT(held, 0u);
}

TEST(VerifyEvidence, OfATxnProgramIsUnsatisfiable) {
  const auto program = read::read_txn("bank.txn", kBank);
  ASSERT_TRUE(program) << program.error().what;
  VerifyOptions options;
  options.levels = {Base::ReadCommitted, Base::SnapshotIsolation,
                    Base::Serializable};
  options.keeps_evidence = true;
  const auto result = verify(*program, options, Budget::unlimited());
  ASSERT_TRUE(result);
  expect_evidence(*result);
}

TEST(VerifyEvidence, OfAnApplicationIsUnsatisfiable) {
  const auto application = sql::read_open_sql("counter.sql", R"(
CREATE TABLE counters (id int PRIMARY KEY, n int NOT NULL);
INSERT INTO counters VALUES (1, 0);
CREATE PROCEDURE count_up(k int) LANGUAGE plpgsql AS $$
BEGIN UPDATE counters SET n = n + k WHERE id = 1; END $$;
--@ session ann: CALL count_up(?);
--@ session ben: CALL count_up(1);
--@ assume small: ann.count_up.k BETWEEN 1 AND 1000
--@ invariant both: (SELECT n FROM counters) > 1
)");
  ASSERT_TRUE(application) << application.error().what;
  VerifyOptions options;
  options.levels = {Base::ReadCommitted, Base::SnapshotIsolation};
  options.profiles = {*parse_profile("postgresql:read-committed")};
  options.keeps_evidence = true;
  const auto result = verify_sql(*application, options, Budget::unlimited());
  ASSERT_TRUE(result) << result.error().what;
  expect_evidence(*result);
  // Only what was asked for.
  options.keeps_evidence = false;
  const auto without = verify_sql(*application, options, Budget::unlimited());
  ASSERT_TRUE(without);
  for (const VerifyRow& row : without->rows) EXPECT_EQ(row.evidence, nullptr);
}

TEST(VerifyEvidence, WhatIsNoContradictionIsNotTakenForOne) {
  EXPECT_EQ(smt::check_smt_lib("(declare-const x Int)(assert (> x 1))"),
            smt::Satisfiability::Satisfiable);
  EXPECT_EQ(smt::check_smt_lib("(assert"), smt::Satisfiability::Unknown);
}

}  // namespace
}  // namespace txscope::verify
