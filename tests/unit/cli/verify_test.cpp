// `txscope verify` as its users see it: exit statuses, messages, formats.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/run_command.h"

namespace txscope {
namespace {

using test::Ran;
using test::run_command;
using test::TemporaryDirectory;

constexpr char kCounter[] =
    "var x = ?\nvar x0 = ?\nassume x >= 0 && x <= 9 && x0 == x\n"
    "txn inc(n) { assume n >= 1 && n <= 3; a = read x; write x = a + n }\n"
    "session { inc(?) }\nsession { inc(2) }\n"
    "invariant \"grows\" x >= x0 + 3\n";

constexpr char kAccounts[] =
    "CREATE TABLE accounts (id int PRIMARY KEY, balance int NOT NULL);\n"
    "INSERT INTO accounts VALUES (1, 0);\n"
    "--@ open accounts.balance\n"
    "--@ assume start: NOT EXISTS (SELECT * FROM accounts WHERE balance < 0)\n"
    "CREATE PROCEDURE take(p_n int) LANGUAGE plpgsql AS $$ DECLARE b int; "
    "BEGIN SELECT balance INTO b FROM accounts WHERE id = 1; "
    "UPDATE accounts SET balance = b - p_n WHERE id = 1; END $$;\n"
    "--@ session ann: CALL take(?);\n"
    "--@ assume small: ann.take.p_n BETWEEN 0 AND 3\n"
    "--@ invariant kept: (SELECT balance FROM accounts) >= 0\n";

class VerifyCommand : public testing::Test {
 protected:
  VerifyCommand() {
    directory_.write("p.txn", kCounter);
    directory_.write("a.sql", kAccounts);
  }
  Ran verify(const std::string& arguments) const {
    return run_command("txscope verify " + arguments, directory_.path());
  }
  TemporaryDirectory directory_;
};

// It would be green for nothing.
TEST_F(VerifyCommand, AnApplicationWithoutARuleIsRefused) {
  const std::string all = kAccounts;
  directory_.write("none.sql", all.substr(0, all.find("--@ invariant")));
  const Ran ran = verify("none.sql 2>&1");
  EXPECT_EQ(ran.status, 2);
  EXPECT_TRUE(ran.said("no rule that could break")) << ran.output;
}

// A dump has many tables; what cannot be encoded matters where it is written.
TEST_F(VerifyCommand, TablesThatNobodyWritesMayHaveAnything) {
  const std::string others =
      "CREATE TABLE log (id int PRIMARY KEY, n int);\n"
      "CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN "
      "NEW; END $$;\n"
      "CREATE TRIGGER f BEFORE INSERT ON log EXECUTE FUNCTION "
      "f();\n"
      "CREATE UNIQUE INDEX one ON log (n) WHERE n > 0;\n"
      "CREATE TABLE child (log int REFERENCES log ON UPDATE CASCADE);\n";
  directory_.write("dump.sql", others + kAccounts);
  const Ran ran = verify("dump.sql --level causal");
  EXPECT_EQ(ran.status, 1) << ran.output;
  EXPECT_FALSE(ran.said("cannot encode"));
  directory_.write("writes.sql", others + kAccounts +
                                     "--@ session ben: BEGIN; INSERT INTO log "
                                     "VALUES (1, 1); COMMIT;\n");
  const Ran writes = verify("writes.sql 2>&1");
  EXPECT_EQ(writes.status, 2);
  EXPECT_NE(writes.output.find("cannot encode a trigger"), std::string::npos)
      << writes.output;
}

// COMMIT and ROLLBACK behind which nothing is asked are the ends of the call.
TEST_F(VerifyCommand, ACallMayEndItsTransactionItself) {
  const auto with = [&](const std::string& body) {
    directory_.write(
        "wallet.sql",
        "CREATE TABLE `w` (id INT PRIMARY KEY, n INT NOT NULL);\n"
        "INSERT INTO w VALUES (1, 10);\nDELIMITER $$\n"
        "CREATE PROCEDURE take(IN many INT) BEGIN DECLARE v INT; " +
            body +
            " END$$\nDELIMITER ;\n"
            "--@ session a: CALL take(6);\n--@ session b: CALL take(7);\n"
            "--@ invariant enough: (SELECT n FROM w WHERE id = 1) >= 0\n");
    return verify("wallet.sql --level serializable 2>&1");
  };
  const std::string looks =
      "START TRANSACTION; SELECT n INTO v FROM w WHERE id = 1 FOR UPDATE; ";
  const std::string takes = "UPDATE w SET n = n - many WHERE id = 1; ";
  const Ran safe = with(looks + "IF v < many THEN ROLLBACK; ELSE " + takes +
                        "COMMIT; END IF; SELECT 'done' AS message;");
  EXPECT_EQ(safe.status, 0) << safe.output;
  const Ran late =
      with(looks + takes + "IF v < 0 THEN ROLLBACK; ELSE COMMIT; END IF;");
  // What was found is not believed before it was run, which it cannot be here.
  EXPECT_EQ(late.status, 3) << late.output;
  // Each statement is a transaction.
  const Ran several = with(takes + takes);
  EXPECT_EQ(several.status, 2) << several.output;
  EXPECT_TRUE(several.said("several transactions in one call"))
      << several.output;
}

TEST_F(VerifyCommand, SaysWhereARuleHoldsAndShowsInputsWhereItBreaks) {
  EXPECT_EQ(verify("p.txn --level snapshot-isolation").status, 0);
  const Ran broken = verify("p.txn --level causal");
  EXPECT_EQ(broken.status, 1);
  EXPECT_NE(broken.output.find("It breaks for x = "), std::string::npos);
  EXPECT_NE(broken.output.find("a = read x"), std::string::npos)
      << broken.output;
}

TEST_F(VerifyCommand, ReadsApplicationsInSql) {
  const Ran ran = verify("a.sql --level serializable --format json");
  EXPECT_EQ(ran.status, 1);
  const auto json = nlohmann::json::parse(ran.output);
  const auto& result = json["results"][0];
  EXPECT_EQ(result["verdict"], "violated");
  const auto& inputs = result["counterexample"]["inputs"];
  EXPECT_LT(inputs["accounts.balance[1]"].get<int>(),
            inputs["ann.take.p_n"].get<int>());
}

TEST_F(VerifyCommand, NamesTheAssumptionsThatContradictEachOther) {
  directory_.write(
      "no.txn",
      "var x = ?\nassume \"low\" x < 3\nassume \"odd\" x % 2 == 1\n"
      "assume \"high\" x > 3\nsession { txn { a = read x } }\n"
      "invariant x == 0\n");
  const Ran ran = verify("no.txn");
  EXPECT_EQ(ran.status, 2);
  EXPECT_TRUE(ran.said("\"low\", \"high\" together")) << ran.output;
}

TEST_F(VerifyCommand, IsNeverSatisfiedWithNothing) {
  directory_.write("vacuous.txn",
                   "var x = ?\nsession { txn { a = read x; assume a != a } }\n"
                   "invariant x == 42\n");
  EXPECT_EQ(verify("vacuous.txn").status, 3);
}

TEST_F(VerifyCommand, ATimeThatIsUpIsUndecidedAtAnEnginesLevelToo) {
  for (const std::string level : {"postgresql", "snapshot-isolation"}) {
    const Ran ran = verify("a.sql --timeout 1ms --level " + level + " 2>&1");
    EXPECT_EQ(ran.status, 3) << ran.output;
  }
}

TEST_F(VerifyCommand, EvidenceOfWhatHoldsIsInJson) {
  const Ran ran = verify(
      "p.txn --level snapshot-isolation,causal --evidence --format json");
  const auto json = nlohmann::json::parse(ran.output);
  for (const auto& result : json["results"]) {
    EXPECT_EQ(result.contains("evidence"), result["verdict"] == "holds");
    if (!result.contains("evidence")) continue;
    EXPECT_NE(result["evidence"]["text"].get<std::string>().find("(check-sat)"),
              std::string::npos);
  }
}

TEST_F(VerifyCommand, RefusesWhatItDoesNotKnow) {
  EXPECT_EQ(verify("p.txn --level postgresql:read-committed").status, 2);
  directory_.write("bad.txn",
                   "var x = ?\nassume s1.t1.b == 1\n"
                   "session { txn { b = read x } }\n");
  const Ran local = verify("bad.txn");
  EXPECT_EQ(local.status, 2);
  EXPECT_NE(local.output.find("not a parameter"), std::string::npos)
      << local.output;
  directory_.write("bad.sql",
                   "CREATE TABLE t (id int PRIMARY KEY);\n--@ open t.b\n"
                   "--@ session s: BEGIN; DELETE FROM t; COMMIT;\n");
  const Ran column = verify("bad.sql");
  EXPECT_EQ(column.status, 2);
  EXPECT_NE(column.output.find("has no column 'b'"), std::string::npos)
      << column.output;
}

}  // namespace
}  // namespace txscope
