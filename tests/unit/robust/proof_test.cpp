// What a statement does beyond its text must be known to the proof: each of
// these is not robust, and the proof must leave a cycle.

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "read/sql/sql.h"
#include "robust/proof/allocate.h"
#include "robust/proof/proof_run.h"
#include "robust/proof/prover.h"
#include "robust/search_sql.h"

namespace txscope::robust {
namespace {

/// The cycles that the proof leaves: pivot, whom it misses, who misses it.
std::set<std::string> cycles_of(const std::string& text) {
  const auto read = sql::read_sql("test.sql", text, false);
  EXPECT_TRUE(read) << read.error().what << "\n" << text;
  std::set<std::string> out;
  if (!read) return out;
  const Budget budget = Budget::unlimited();
  Prover prover(*read, transaction_types(*read), Granularity::Result, false,
                budget);
  const auto& names = prover.names();
  for (const OpenTriple& t : prover.open_triples(PivotLevel::Snapshot)) {
    out.insert(names[t.pivot] + " " + names[t.second] + " " + names[t.last]);
  }
  return out;
}

Outcome searched(const std::string& text) {
  const auto read = sql::read_sql("test.sql", text);
  EXPECT_TRUE(read) << read.error().what << "\n" << text;
  if (!read) return Outcome::Undecided;
  const auto found = search_sql(*read, {}, Budget::unlimited());
  EXPECT_TRUE(found);
  return found ? found->answer.answer : Outcome::Undecided;
}

const std::string kFlag = R"(
CREATE TABLE flag (id int PRIMARY KEY, v int NOT NULL);
INSERT INTO flag VALUES (1, 0);
CREATE PROCEDURE mark(n int) LANGUAGE plpgsql AS $$
BEGIN UPDATE flag SET v = n WHERE id = 1; END $$;
)";

// An UPDATE looks whether others have the value: `rename` fails because of a
// row that `pivot` changes.
TEST(RobustProof, AnUpdateReadsTheOtherRowsOfAUniqueKey) {
  const std::string text = kFlag + R"(
CREATE TABLE users (id int PRIMARY KEY, email text NOT NULL UNIQUE);
INSERT INTO users VALUES (1, 'a'), (2, 'b');
CREATE PROCEDURE pivot(e text) LANGUAGE plpgsql AS $$
DECLARE x int; BEGIN
  SELECT v INTO x FROM flag WHERE id = 1;
  IF x = 0 THEN UPDATE users SET email = e WHERE id = 2; END IF;
END $$;
CREATE PROCEDURE rename(e text) LANGUAGE plpgsql AS $$
BEGIN UPDATE users SET email = e WHERE id = 1; END $$;
--@ session p: CALL pivot('c');
--@ session q: CALL mark(1); CALL rename('b');
)";
  EXPECT_EQ(searched(text), Outcome::Violated);
  EXPECT_TRUE(cycles_of(text).contains("pivot mark rename"));
}

// `pivot` sees the flag nowhere but in what ORDER BY sorts by, or OVER counts.
TEST(RobustProof, SubqueriesOfOrderByAndOverAreReads) {
  for (const std::string query :
       {"SELECT id INTO x FROM y ORDER BY (id - 1) * (SELECT 1 - 2 * v FROM "
        "flag WHERE flag.id = 1) LIMIT 1",
        "SELECT lag(id, (SELECT v FROM flag WHERE flag.id = 1)) OVER () INTO x "
        "FROM y WHERE id = 1"}) {
    const std::string text = kFlag + R"(
CREATE TABLE y (id int PRIMARY KEY, v int);
INSERT INTO y VALUES (1, 0), (2, 0);
CREATE PROCEDURE pivot() LANGUAGE plpgsql AS $$
DECLARE x int; BEGIN )" + query +
                             R"(; UPDATE y SET v = x WHERE id = 1; END $$;
CREATE PROCEDURE look() LANGUAGE plpgsql AS $$
DECLARE x int; BEGIN SELECT v INTO x FROM y WHERE id = 1; END $$;
--@ session p: CALL pivot();
--@ session q: CALL mark(1); CALL look();
)";
    EXPECT_EQ(searched(text), Outcome::Violated) << query;
    EXPECT_TRUE(cycles_of(text).contains("pivot mark look")) << query;
  }
}

const std::string kChain = kFlag + R"(
CREATE TABLE a (id int PRIMARY KEY);
CREATE TABLE b (id int PRIMARY KEY, a int REFERENCES a ON DELETE CASCADE);
CREATE TABLE c (id int PRIMARY KEY, b int REFERENCES b ON DELETE CASCADE);
INSERT INTO a VALUES (1);
INSERT INTO b VALUES (1, 1);
INSERT INTO c VALUES (1, 1);
)";

TEST(RobustProof, ADeleteReachesTheChildrenOfChildren) {
  const std::string text = kChain + R"(
CREATE PROCEDURE pivot() LANGUAGE plpgsql AS $$
DECLARE n int; BEGIN
  SELECT v INTO n FROM flag WHERE id = 1;
  IF n = 0 THEN DELETE FROM a WHERE id = 1; END IF;
END $$;
CREATE PROCEDURE look() LANGUAGE plpgsql AS $$
DECLARE n int; BEGIN SELECT b INTO n FROM c WHERE id = 1; END $$;
--@ session p: CALL pivot();
--@ session q: CALL mark(1); CALL look();
)";
  EXPECT_EQ(searched(text), Outcome::Violated);
  EXPECT_TRUE(cycles_of(text).contains("pivot mark look"));
}

TEST(RobustProof, OnConflictUpdatesTheRowThatHasTheNamedKey) {
  const std::string text = kFlag + R"(
CREATE TABLE users (id int PRIMARY KEY, email text NOT NULL UNIQUE, n int);
INSERT INTO users VALUES (1, 'a', 0);
CREATE PROCEDURE pivot() LANGUAGE plpgsql AS $$
DECLARE x int; BEGIN
  SELECT v INTO x FROM flag WHERE id = 1;
  INSERT INTO users VALUES (5, 'a', x) ON CONFLICT (email) DO UPDATE SET n = x;
END $$;
CREATE PROCEDURE look() LANGUAGE plpgsql AS $$
DECLARE x int; BEGIN SELECT n INTO x FROM users WHERE id = 1; END $$;
--@ session p: CALL pivot();
--@ session q: CALL mark(1); CALL look();
)";
  EXPECT_EQ(searched(text), Outcome::Violated);
  EXPECT_TRUE(cycles_of(text).contains("pivot mark look"));
}

// Both write row 1 of `t`, so they would exclude each other; but one takes it
// back, or has committed it before, or a trigger keeps it away.
std::string both_write(const std::string& statements, const std::string& more) {
  return R"(
CREATE TABLE flag (id int PRIMARY KEY, v int NOT NULL);
INSERT INTO flag VALUES (1, 0);
CREATE TABLE t (id int PRIMARY KEY, v int NOT NULL);
INSERT INTO t VALUES (1, 0);
CREATE TABLE y (id int PRIMARY KEY, v int NOT NULL);
INSERT INTO y VALUES (1, 0);
)" + more +
         R"(
CREATE PROCEDURE pivot(d int) LANGUAGE plpgsql AS $$
DECLARE x int; BEGIN )" +
         statements + R"(
  SELECT v INTO x FROM flag WHERE id = 1;
  UPDATE y SET v = x WHERE id = 1;
END $$;
CREATE PROCEDURE other() LANGUAGE plpgsql AS $$
DECLARE x int; BEGIN
  UPDATE t SET v = v + 1 WHERE id = 1;
  IF NOT FOUND THEN RETURN; END IF;
  SELECT v INTO x FROM y WHERE id = 1;
  UPDATE flag SET v = x + 1 WHERE id = 1;
END $$;
)";
}

TEST(RobustProof, AWriteThatIsSureExcludesTheOther) {
  const std::string update = "UPDATE t SET v = 0 WHERE id = 1; ";
  const std::string sure = "IF NOT FOUND THEN RETURN; END IF; ";
  EXPECT_EQ(cycles_of(both_write(update + sure, "")).size(), 0u);
  const std::string cycle = "pivot other other";
  for (const std::string& text :
       {both_write(update + sure + "COMMIT;", ""),
        both_write("BEGIN " + update + sure +
                       "d := 1 / d; EXCEPTION WHEN OTHERS THEN d := 1; END;",
                   ""),
        both_write(update, R"(
CREATE FUNCTION keep() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN IF NEW.v = 0 THEN RETURN NULL; END IF; RETURN NEW; END $$;
CREATE TRIGGER keep BEFORE UPDATE ON t FOR EACH ROW EXECUTE FUNCTION keep();
)")}) {
    EXPECT_TRUE(cycles_of(text).contains(cycle)) << text;
  }
}

TEST(RobustProof, AFunctionThatCallsItselfImmutableMayReadTables) {
  const std::string text = kFlag + R"(
CREATE TABLE y (id int PRIMARY KEY, v int NOT NULL);
INSERT INTO y VALUES (1, 0);
CREATE FUNCTION liar() RETURNS int LANGUAGE sql IMMUTABLE
  AS $$ SELECT v FROM flag WHERE id = 1 $$;
CREATE PROCEDURE pivot() LANGUAGE plpgsql AS $$
BEGIN UPDATE y SET v = liar() WHERE id = 1; END $$;
CREATE PROCEDURE look() LANGUAGE plpgsql AS $$
DECLARE x int; BEGIN SELECT v INTO x FROM y WHERE id = 1; END $$;
)";
  EXPECT_TRUE(cycles_of(text).contains("pivot mark look"));
}

TEST(RobustProof, FoundIsFalseWhenACallBegins) {
  const std::string text = kFlag + R"(
CREATE TABLE y (id int PRIMARY KEY, v int NOT NULL);
INSERT INTO y VALUES (1, 0);
CREATE PROCEDURE inner_one() LANGUAGE plpgsql AS $$
DECLARE x int; BEGIN
  IF NOT FOUND THEN
    SELECT v INTO x FROM flag WHERE id = 1;
    UPDATE y SET v = x WHERE id = 1;
  END IF;
END $$;
CREATE PROCEDURE outer_one() LANGUAGE plpgsql AS $$
BEGIN CALL inner_one(); END $$;
CREATE PROCEDURE look() LANGUAGE plpgsql AS $$
DECLARE x int; BEGIN SELECT v INTO x FROM y WHERE id = 1; END $$;
)";
  EXPECT_TRUE(cycles_of(text).contains("outer_one mark look"));
}

// A row that is there and not found because of a condition beside its key: what
// is set then makes it found.
TEST(RobustProof, AConditionBesideTheKeyMayStartToHold) {
  const std::string text = R"(
CREATE TABLE t (id int PRIMARY KEY, v int NOT NULL, flag int NOT NULL);
INSERT INTO t VALUES (1, 0, 0), (2, 0, 0);
CREATE PROCEDURE p() LANGUAGE plpgsql AS $$
DECLARE a int; BEGIN
  SELECT v INTO a FROM t WHERE id = 1 AND flag = 1;
  IF NOT FOUND THEN UPDATE t SET v = 7 WHERE id = 2; END IF;
END $$;
CREATE PROCEDURE q() LANGUAGE plpgsql AS $$
DECLARE a int; BEGIN
  SELECT v INTO a FROM t WHERE id = 2;
  IF a = 0 THEN UPDATE t SET flag = 1 WHERE id = 1; END IF;
END $$;
--@ session a: CALL p();
--@ session b: CALL q();
)";
  EXPECT_EQ(searched(text), Outcome::Violated);
  EXPECT_TRUE(cycles_of(text).contains("p q q"));
}

// The same with an UPDATE that did nothing.
TEST(RobustProof, AnUpdateThatFoundNothingHasReadTheCondition) {
  const std::string text = R"(
CREATE TABLE t (id int PRIMARY KEY, v int NOT NULL, flag int NOT NULL);
INSERT INTO t VALUES (1, 0, 0), (2, 0, 0);
CREATE PROCEDURE p() LANGUAGE plpgsql AS $$ BEGIN
  UPDATE t SET v = 1 WHERE id = 1 AND flag = 1;
  IF NOT FOUND THEN UPDATE t SET v = 7 WHERE id = 2; END IF;
END $$;
CREATE PROCEDURE q() LANGUAGE plpgsql AS $$
DECLARE a int; BEGIN
  SELECT v INTO a FROM t WHERE id = 2;
  IF a = 0 THEN UPDATE t SET flag = 1 WHERE id = 1; END IF;
END $$;
--@ session a: CALL p();
--@ session b: CALL q();
)";
  EXPECT_EQ(searched(text), Outcome::Violated);
  EXPECT_TRUE(cycles_of(text).contains("p q q"));
}

// The sessions count their plain statements each from t1.
TEST(RobustProof, PlainStatementsAreCalledBySessionAndLabel) {
  const auto read = sql::read_sql("test.sql", R"(
CREATE TABLE savings (id int PRIMARY KEY, v int NOT NULL);
CREATE TABLE checking (id int PRIMARY KEY, v int NOT NULL);
INSERT INTO savings VALUES (1, 80);
INSERT INTO checking VALUES (1, 50);
--@ session ann: BEGIN; SELECT v FROM savings WHERE id = 1; UPDATE checking SET v = v - 100 WHERE id = 1; COMMIT;
--@ session ben: BEGIN; UPDATE savings SET v = v - 50 WHERE id = 1; COMMIT;
--@ session eve: BEGIN; SELECT v FROM savings WHERE id = 1; SELECT v FROM checking WHERE id = 1; COMMIT;
)");
  ASSERT_TRUE(read) << read.error().what;
  const Budget budget = Budget::unlimited();
  ProofRun proof(*read, nullptr, PivotLevel::Snapshot, 1000, budget);
  RobustResult asked;
  asked.granularity = Granularity::Result;
  RobustResult result = proof.prove(asked);
  ASSERT_EQ(result.open_cycles.size(), 1u);
  EXPECT_EQ(result.open_cycles[0],
            "ann.t1 reads something that ben.t1 overwrites, and eve.t1 reads "
            "something that ann.t1 overwrites");
  proof.find_client(result);
  EXPECT_EQ(result.answer, Outcome::Violated);
  ASSERT_TRUE(result.counterexample.has_value());
  const std::vector<std::string> expected = {"client1.ann.t1", "client2.ben.t1",
                                             "client2.eve.t1"};
  EXPECT_EQ(result.counterexample->transactions, expected);
  EXPECT_EQ(result.counterexample->steps.front().told.text, "BEGIN");
  Prover prover(*read, transaction_types(*read), Granularity::Result, true,
                budget);
  std::set<std::string> names;
  for (const Allocation& row : allocate(prover)) names.insert(row.transaction);
  EXPECT_EQ(names, (std::set<std::string>{"ann.t1", "ben.t1", "eve.t1"}));
}

}  // namespace
}  // namespace txscope::robust
