// SQL at the theoretical levels: rows are what transactions read, write and
// conflict on, and a row that is not there is a version, too.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "explore/sql/explore_sql.h"
#include "read/sql/sql.h"
#include "read/txn/txn.h"

namespace txscope::explore {
namespace {

const std::vector<Base>& levels() {
  static const std::vector<Base> all = {Base::ReadCommitted,
                                        Base::MonotonicAtomicView,
                                        Base::ReadAtomic,
                                        Base::Causal,
                                        Base::Prefix,
                                        Base::ParallelSnapshotIsolation,
                                        Base::SnapshotIsolation,
                                        Base::Serializable};
  return all;
}

/// An application and what explore says of it at all levels.
struct Explored {
  sql::Application application;
  std::unique_ptr<explore::SqlExploration> exploration;

  [[nodiscard]] const Answer& at(Base level) const {
    for (const Answer& r : exploration->answers()) {
      if (r.base == level) return r;
    }
    ADD_FAILURE() << "a level that was not asked for";
    return exploration->answers().front();
  }
  [[nodiscard]] std::uint64_t histories(Base level) const {
    return at(level).counts.histories;
  }
  [[nodiscard]] bool holds(Base level, std::size_t property = 0) const {
    return at(level).properties.at(property).verdict == Outcome::Holds;
  }
};

// The application must not move once explored: its statements are pointed at.
std::unique_ptr<Explored> explored(const std::string& text,
                                   ExploreOptions options = {}) {
  auto out = std::make_unique<Explored>();
  auto application = sql::read_sql("a.sql", text);
  EXPECT_TRUE(application) << application.error().what;
  if (!application) return nullptr;
  out->application = std::move(*application);
  if (options.levels.empty()) options.levels = levels();
  options.all = true;
  options.self_check = true;
  auto result =
      explore::explore_sql(out->application, options, Budget::unlimited());
  EXPECT_TRUE(result) << result.error().what;
  if (!result) return nullptr;
  out->exploration = std::move(*result);
  for (const Answer& level : out->exploration->answers()) {
    EXPECT_EQ(level.counts.duplicates, 0u);
    EXPECT_TRUE(level.is_complete);
    for (const Counterexample& v : level.counterexamples) {
      EXPECT_EQ(v.replay_problem.value_or(""), "");
      EXPECT_GE(v.steps.size(), v.calls.size());
    }
  }
  return out;
}

/// The counts of the same program in both languages, level by level.
void expect_same(const std::string& txn, const std::string& sql) {
  const auto program = read::read_txn("p.txn", txn);
  ASSERT_TRUE(program) << program.error().what;
  ExploreOptions options;
  options.levels = levels();
  options.all = true;
  const auto a = explore(*program, options, Budget::unlimited());
  ASSERT_TRUE(a);
  const auto b = explored(sql);
  for (const Answer& level : *a) {
    SCOPED_TRACE(level.level);
    EXPECT_EQ(b->histories(*level.base), level.counts.histories);
    for (std::size_t p = 0; p < level.properties.size(); ++p) {
      EXPECT_EQ(b->at(*level.base).properties.at(p).violating,
                level.properties[p].violating);
    }
  }
}

constexpr const char* kAccounts =
    "CREATE TABLE r (id int PRIMARY KEY, v int NOT NULL);\n"
    "INSERT INTO r VALUES (0, 0), (1, 0);\n";

TEST(SqlExplore, CountsALostUpdateAsTxnDoes) {
  expect_same(
      "var x\n"
      "txn t(n) { a = read x; b = read x; write x = a + n }\n"
      "session { t(1) }\nsession { t(2) }\ninvariant x == 3",
      std::string(kAccounts) +
          "CREATE PROCEDURE t(n int) LANGUAGE plpgsql AS $$\n"
          "DECLARE a int;\nBEGIN\n"
          "  SELECT v INTO a FROM r WHERE id = 0;\n"
          "  UPDATE r SET v = a + n WHERE id = 0;\nEND; $$;\n"
          "--@ session s: CALL t(1);\n--@ session u: CALL t(2);\n"
          "--@ invariant kept: (SELECT v FROM r WHERE id = 0) = 3\n");
}

TEST(SqlExplore, CountsAWriteSkewWithAScanAsTxnDoes) {
  expect_same(
      "var x\nvar y\n"
      "session { txn { a = read x; b = read y\n"
      "  if a + b == 0 { c = read x; write x = 1 } } }\n"
      "session { txn { a = read x; b = read y\n"
      "  if a + b == 0 { c = read y; write y = 1 } } }\n"
      "invariant x + y <= 1",
      std::string(kAccounts) +
          "CREATE PROCEDURE t(k int) LANGUAGE plpgsql AS $$\nBEGIN\n"
          "  IF (SELECT sum(v) FROM r) = 0 THEN\n"
          "    UPDATE r SET v = 1 WHERE id = k;\n  END IF;\nEND; $$;\n"
          "--@ session s: CALL t(0);\n--@ session u: CALL t(1);\n"
          "--@ invariant one: (SELECT sum(v) FROM r) <= 1\n");
}

TEST(SqlExplore, CountsALongForkAsTxnDoes) {
  expect_same(
      "var x\nvar y\n"
      "session { txn { a = read x; write x = 1 } }\n"
      "session { txn { a = read y; write y = 1 } }\n"
      "session { txn { a = read x; b = read y } }\n"
      "session { txn { a = read y; b = read x } }\n",
      std::string(kAccounts) +
          "--@ session a: BEGIN; UPDATE r SET v = 1 WHERE id = 0; COMMIT;\n"
          "--@ session b: BEGIN; UPDATE r SET v = 1 WHERE id = 1; COMMIT;\n"
          "--@ session c: BEGIN; SELECT v FROM r WHERE id = 0; SELECT v FROM r "
          "WHERE id = 1; COMMIT;\n"
          "--@ session d: BEGIN; SELECT v FROM r WHERE id = 1; SELECT v FROM r "
          "WHERE id = 0; COMMIT;\n");
}

// Each reads the key of its insert: from init, or from the other, and then it
// is a duplicate.  Both from init cannot be: the database lets one of them in.
TEST(SqlExplore, AnInsertReadsItsKey) {
  const auto e = explored(
      "CREATE TABLE q (id int PRIMARY KEY);\n"
      "--@ session a: BEGIN; INSERT INTO q VALUES (1); COMMIT;\n"
      "--@ session b: BEGIN; INSERT INTO q VALUES (1); COMMIT;\n"
      "--@ invariant one: (SELECT count(*) FROM q) = 1\n");
  EXPECT_EQ(e->histories(Base::Causal), 2u);
  EXPECT_EQ(e->histories(Base::SnapshotIsolation), 2u);
  EXPECT_EQ(e->histories(Base::Serializable), 2u);
  EXPECT_TRUE(e->holds(Base::ReadCommitted));
}

// Neither insert reads the other's key, but the counts do: absent rows are
// read, so a phantom is an anomaly like others.
TEST(SqlExplore, AScanReadsRowsThatAreNotThere) {
  const auto e = explored(
      "CREATE TABLE q (id int PRIMARY KEY);\n"
      "CREATE PROCEDURE add(k int) LANGUAGE plpgsql AS $$\nBEGIN\n"
      "  IF (SELECT count(*) FROM q) < 1 THEN\n"
      "    INSERT INTO q VALUES (k);\n  END IF;\nEND; $$;\n"
      "--@ session a: CALL add(1);\n--@ session b: CALL add(2);\n"
      "--@ invariant one: (SELECT count(*) FROM q) <= 1\n");
  EXPECT_EQ(e->histories(Base::Serializable), 2u);
  EXPECT_EQ(e->histories(Base::SnapshotIsolation), 3u);
  EXPECT_TRUE(e->holds(Base::Serializable));
  EXPECT_FALSE(e->holds(Base::SnapshotIsolation));
}

// A predicate on the key leaves the other key out: nothing is shared.
TEST(SqlExplore, AScanByKeyReadsOnlyWhatItsPredicateLeavesOpen) {
  const std::string start =
      "CREATE TABLE q (id int PRIMARY KEY);\n"
      "--@ session a: BEGIN; INSERT INTO q VALUES (1); COMMIT;\n"
      "--@ session b: BEGIN; SELECT count(*) FROM q WHERE ";
  EXPECT_EQ(explored(start + "id > 1; COMMIT;\n")->histories(Base::Causal), 1u);
  EXPECT_EQ(explored(start + "id < 5; COMMIT;\n")->histories(Base::Causal), 2u);
}

// Which numbers are inserted depends on what was read: 1 and 2, or 1 and 1,
// which the database refuses; a third key is found only when both earlier ones
// are.
TEST(SqlExplore, FindsKeysThatOnlySomeExecutionsInsert) {
  const auto e = explored(
      "CREATE TABLE q (id int PRIMARY KEY);\n"
      "CREATE PROCEDURE add() LANGUAGE plpgsql AS $$\nBEGIN\n"
      "  INSERT INTO q SELECT coalesce(max(id), 0) + 1 FROM q;\n"
      "END; $$;\n"
      "--@ session a: CALL add(); CALL add();\n--@ session b: CALL add();\n"
      "--@ invariant three: (SELECT max(id) FROM q) = 3\n");
  EXPECT_EQ(e->exploration->script().initial.size(), 3u);
  EXPECT_TRUE(e->holds(Base::Serializable));
  EXPECT_EQ(e->histories(Base::Serializable), 3u);
  EXPECT_EQ(e->histories(Base::Causal), 3u);
}

// Without the first transaction of its session `add` inserts another key, which
// no execution of the whole application has: it turns up when the violation is
// reduced to fewer transactions.
TEST(SqlExplore, FindsKeysThatOnlyPartsOfTheApplicationInsert) {
  ExploreOptions options;
  options.levels = {Base::Causal, Base::SnapshotIsolation};
  for (const unsigned jobs : {1u, 2u}) {
    options.jobs = jobs;
    const auto e = explored(
        "CREATE TABLE m (id int PRIMARY KEY);\n"
        "CREATE TABLE q (id int PRIMARY KEY);\n"
        "CREATE PROCEDURE add() LANGUAGE plpgsql AS $$\nBEGIN\n"
        "  IF (SELECT count(*) FROM q) = 0 THEN\n"
        "    INSERT INTO q SELECT count(*) + 5 FROM m;\n  END IF;\n"
        "END; $$;\n"
        "--@ session a: BEGIN; INSERT INTO m VALUES (1); COMMIT; CALL add();\n"
        "--@ session b: BEGIN; INSERT INTO q SELECT 9 WHERE NOT EXISTS (SELECT "
        "1 FROM q); COMMIT;\n"
        "--@ invariant one: (SELECT count(*) FROM q) <= 1\n",
        options);
    EXPECT_FALSE(e->holds(Base::SnapshotIsolation));
    const auto& violation =
        e->at(Base::SnapshotIsolation).counterexamples.at(0);
    EXPECT_EQ(violation.calls.size(), 2u);
  }
}

TEST(SqlExplore, SerialNumbersNeverCollide) {
  const auto e = explored(
      "CREATE TABLE q (id serial PRIMARY KEY, v int);\n"
      "INSERT INTO q (v) VALUES (7);\n"
      "--@ session a: BEGIN; INSERT INTO q (v) VALUES (1), (2); COMMIT;\n"
      "--@ session b: BEGIN; INSERT INTO q (v) VALUES (3); COMMIT;\n"
      "--@ invariant four: (SELECT count(*) FROM q) = 4\n");
  EXPECT_TRUE(e->holds(Base::ReadCommitted));
  EXPECT_EQ(e->histories(Base::ReadCommitted), 1u);
}

TEST(SqlExplore, RowsWithoutAKeyAreOnlyInserted) {
  const auto e = explored(
      "CREATE TABLE log (what text);\n"
      "--@ session a: BEGIN; INSERT INTO log VALUES ('x'); COMMIT;\n"
      "--@ session b: BEGIN; INSERT INTO log VALUES ('x'); COMMIT;\n"
      "--@ invariant two: (SELECT count(*) FROM log) = 2\n");
  EXPECT_TRUE(e->holds(Base::ReadCommitted));
}

TEST(SqlExplore, UniqueHoldsAtEveryLevel) {
  const auto e = explored(
      "CREATE TABLE q (id int PRIMARY KEY, name text UNIQUE);\n"
      "--@ session a: BEGIN; INSERT INTO q VALUES (1, 'x'); COMMIT;\n"
      "--@ session b: BEGIN; INSERT INTO q VALUES (2, 'x'); COMMIT;\n"
      "--@ invariant one: (SELECT count(*) FROM q) = 1\n");
  for (const Base level :
       {Base::ReadCommitted, Base::SnapshotIsolation, Base::Serializable}) {
    EXPECT_TRUE(e->holds(level));
    EXPECT_EQ(e->histories(level), 2u);  // either one gets 23505
  }
}

// As UNIQUE: who comes second gets 23505 or 23P01, whatever it has seen.
TEST(SqlExplore, KeysOfExpressionsAndExclusionsHoldAtEveryLevel) {
  const auto mails = explored(
      "CREATE TABLE q (id int PRIMARY KEY, name text);\n"
      "CREATE UNIQUE INDEX ON q (lower(name));\n"
      "--@ session a: BEGIN; INSERT INTO q VALUES (1, 'X'); COMMIT;\n"
      "--@ session b: BEGIN; INSERT INTO q VALUES (2, 'x'); COMMIT;\n"
      "--@ invariant one: (SELECT count(*) FROM q) = 1\n");
  const auto rooms = explored(
      "CREATE TABLE q (id int PRIMARY KEY, room int, during int4range, "
      "EXCLUDE USING gist (room WITH =, during WITH &&));\n"
      "--@ session a: BEGIN; INSERT INTO q VALUES (1, 1, '[1,5)'); COMMIT;\n"
      "--@ session b: BEGIN; INSERT INTO q VALUES (2, 1, '[4,9)'); COMMIT;\n"
      "--@ invariant one: (SELECT count(*) FROM q) = 1\n");
  const auto others = explored(
      "CREATE TABLE q (id int PRIMARY KEY, room int, during int4range, "
      "EXCLUDE USING gist (room WITH =, during WITH &&));\n"
      "--@ session a: BEGIN; INSERT INTO q VALUES (1, 1, '[1,5)'); COMMIT;\n"
      "--@ session b: BEGIN; INSERT INTO q VALUES (2, 1, '[5,9)'); COMMIT;\n"
      "--@ invariant two: (SELECT count(*) FROM q) = 2\n");
  for (const Base level : {Base::ReadCommitted, Base::Causal,
                           Base::SnapshotIsolation, Base::Serializable}) {
    EXPECT_TRUE(mails->holds(level));
    EXPECT_EQ(mails->histories(level), 2u);
    EXPECT_TRUE(rooms->holds(level));
    EXPECT_EQ(rooms->histories(level), 2u);
    EXPECT_TRUE(others->holds(level));
  }
}

TEST(SqlExplore, AKeyIsInsertedOnceAtEveryLevel) {
  const auto e = explored(
      "CREATE TABLE q (id int PRIMARY KEY);\n"
      "CREATE TABLE made (who int PRIMARY KEY);\n"
      "--@ session a: BEGIN; INSERT INTO q VALUES (1); INSERT INTO made VALUES "
      "(1); COMMIT;\n"
      "--@ session b: BEGIN; INSERT INTO q VALUES (1); INSERT INTO made VALUES "
      "(2); COMMIT;\n"
      "--@ invariant one: (SELECT count(*) FROM made) = 1\n");
  for (const Base level :
       {Base::ReadCommitted, Base::Causal, Base::Serializable}) {
    EXPECT_TRUE(e->holds(level));
    EXPECT_EQ(e->histories(level), 2u);
  }
}

TEST(SqlExplore, AKeyThatWasGivenBackMayBeTakenAgain) {
  const auto e = explored(
      "CREATE TABLE q (id int PRIMARY KEY, by_whom int);\n"
      "INSERT INTO q VALUES (1, 0);\n"
      "--@ session a: BEGIN; DELETE FROM q WHERE id = 1; COMMIT;\n"
      "--@ session b: BEGIN; INSERT INTO q VALUES (1, 2); COMMIT;\n"
      "--@ invariant old: (SELECT by_whom FROM q) = 0\n");
  // b fails on the old row, which a then deletes; or b comes after a.
  EXPECT_EQ(e->histories(Base::Serializable), 2u);
  EXPECT_FALSE(e->holds(Base::Serializable));
}

TEST(SqlExplore, AForeignKeyReadsTheParentAndTheChildren) {
  const auto e = explored(
      "CREATE TABLE p (id int PRIMARY KEY);\n"
      "CREATE TABLE c (id int PRIMARY KEY, parent int REFERENCES p (id));\n"
      "INSERT INTO p VALUES (1);\n"
      "--@ session a: BEGIN; INSERT INTO c VALUES (5, 1); COMMIT;\n"
      "--@ session b: BEGIN; DELETE FROM p WHERE id = 1; COMMIT;\n"
      "--@ invariant no_orphan: NOT EXISTS (SELECT 1 FROM c WHERE parent NOT "
      "IN "
      "(SELECT id FROM p))\n");
  EXPECT_EQ(e->histories(Base::Serializable), 2u);  // one of them aborts
  EXPECT_TRUE(e->holds(Base::Serializable));
  EXPECT_TRUE(e->holds(Base::SnapshotIsolation));  // no database ends there
}

TEST(SqlExplore, ACascadeDeletesChildrenItReads) {
  const auto e = explored(
      "CREATE TABLE p (id int PRIMARY KEY);\n"
      "CREATE TABLE c (id int PRIMARY KEY, parent int REFERENCES p (id) ON "
      "DELETE CASCADE);\n"
      "CREATE TABLE n (id int PRIMARY KEY, parent int REFERENCES p (id) ON "
      "DELETE SET NULL);\n"
      "INSERT INTO p VALUES (1), (2);\nINSERT INTO c VALUES (5, 1), (6, 2);\n"
      "INSERT INTO n VALUES (7, 1);\n"
      "--@ session b: BEGIN; DELETE FROM p WHERE id = 1; COMMIT;\n"
      "--@ invariant rest: (SELECT sum(id) FROM c) = 6\n"
      "--@ invariant emptied: (SELECT parent FROM n) IS NULL\n");
  EXPECT_TRUE(e->holds(Base::ReadCommitted, 0));
  EXPECT_TRUE(e->holds(Base::ReadCommitted, 1));
}

TEST(SqlExplore, AChangedKeyIsADeletionAndAnInsertion) {
  const auto e = explored(
      "CREATE TABLE q (id int PRIMARY KEY, v int);\n"
      "INSERT INTO q VALUES (1, 10);\n"
      "--@ session a: BEGIN; UPDATE q SET id = 2 WHERE id = 1; COMMIT;\n"
      "--@ session b: BEGIN; UPDATE q SET v = 11 WHERE id = 1; COMMIT;\n"
      "--@ invariant one: (SELECT count(*) FROM q) = 1\n");
  EXPECT_TRUE(e->holds(Base::Serializable));
  EXPECT_TRUE(e->holds(Base::SnapshotIsolation));
  EXPECT_FALSE(e->holds(Base::Causal));  // b's row comes back at the old key
}

TEST(SqlExplore, ForUpdateIsAPlainRead) {
  const auto text = [](const std::string& lock) {
    return std::string(kAccounts) +
           "CREATE PROCEDURE t(n int) LANGUAGE plpgsql AS $$\n"
           "DECLARE a int;\nBEGIN\n"
           "  SELECT v INTO a FROM r WHERE id = 0" +
           lock +
           ";\n  UPDATE r SET v = a + n WHERE id = 0;\nEND; $$;\n"
           "--@ session s: CALL t(1);\n--@ session u: CALL t(2);\n";
  };
  const auto plain = explored(text(""));
  const auto locking = explored(text(" FOR UPDATE"));
  for (const Base level : levels()) {
    EXPECT_EQ(plain->histories(level), locking->histories(level));
  }
}

TEST(SqlExplore, AnErrorOfSqlAbortsTheTransactionAndTheSessionGoesOn) {
  const auto e = explored(
      std::string(kAccounts) +
      "--@ session a: BEGIN; UPDATE r SET v = 5 WHERE id = 0; UPDATE r SET v = "
      "1 / (v - v) WHERE id = 0; COMMIT; BEGIN; UPDATE r SET v = v + 1 WHERE "
      "id = 1; COMMIT;\n"
      "--@ invariant undone: (SELECT v FROM r WHERE id = 0) = 0\n"
      "--@ invariant goes_on: (SELECT v FROM r WHERE id = 1) = 1\n");
  EXPECT_TRUE(e->holds(Base::ReadCommitted, 0));
  EXPECT_TRUE(e->holds(Base::ReadCommitted, 1));
}

TEST(SqlExplore, AnAssertionIsTrueIfItsTransactionDidNotCommit) {
  const auto e = explored(
      std::string(kAccounts) +
      "CREATE PROCEDURE look(k int) LANGUAGE plpgsql AS $$\n"
      "DECLARE a int;\nBEGIN\n  SELECT v INTO a FROM r WHERE id = 0;\n"
      "  IF a = k THEN RAISE EXCEPTION 'no'; END IF;\nEND; $$;\n"
      "--@ session s: CALL look(1);\n"
      "--@ session u: BEGIN; UPDATE r SET v = 1 WHERE id = 0; COMMIT;\n"
      "--@ assert never_one: s.look.a <> 1\n"
      "--@ assert never_zero: s.look.a <> 0\n");
  EXPECT_TRUE(e->holds(Base::ReadCommitted, 0));
  EXPECT_FALSE(e->holds(Base::Serializable, 1));
}

TEST(SqlExplore, NullViolatesAnInvariant) {
  const auto e = explored(
      "CREATE TABLE q (id int PRIMARY KEY);\nINSERT INTO q VALUES (1);\n"
      "--@ session a: BEGIN; DELETE FROM q; COMMIT;\n"
      "--@ invariant some: (SELECT max(id) FROM q) > 0\n");
  EXPECT_FALSE(e->holds(Base::Serializable));
}

TEST(SqlExplore, ALoopThatReachesItsBoundMakesTheAnswerUndecided) {
  auto application = sql::read_sql(
      "a.sql",
      std::string(kAccounts) +
          "CREATE PROCEDURE spin() LANGUAGE plpgsql AS $$\nBEGIN\n"
          "  WHILE (SELECT v FROM r WHERE id = 0) = 0 LOOP\n"
          "    UPDATE r SET v = 0 WHERE id = 1;\n  END LOOP;\nEND; $$;\n"
          "--@ session s: CALL spin();\n");
  ASSERT_TRUE(application) << application.error().what;
  ExploreOptions options;
  options.levels = {Base::Serializable};
  options.loop_bound = 3;
  const auto result =
      explore::explore_sql(*application, options, Budget::unlimited());
  ASSERT_TRUE(result);
  EXPECT_EQ((*result)->answers()[0].outcome, Outcome::Undecided);
  EXPECT_EQ((*result)->answers()[0].counts.cut, 1u);
}

TEST(SqlExplore, SeveralThreadsCountTheSame) {
  const std::string text =
      std::string(kAccounts) +
      "CREATE PROCEDURE t(k int) LANGUAGE plpgsql AS $$\nBEGIN\n"
      "  IF (SELECT sum(v) FROM r) < 3 THEN\n"
      "    UPDATE r SET v = v + 1 WHERE id = k;\n  END IF;\nEND; $$;\n"
      "--@ session a: CALL t(0); CALL t(1);\n"
      "--@ session b: CALL t(1);\n--@ session c: CALL t(0);\n"
      "--@ invariant few: (SELECT sum(v) FROM r) <= 3\n";
  ExploreOptions two;
  two.jobs = 2;
  const auto one = explored(text);
  const auto other = explored(text, two);
  for (const Base level : levels()) {
    EXPECT_EQ(one->histories(level), other->histories(level));
    EXPECT_EQ(one->at(level).properties[0].violating,
              other->at(level).properties[0].violating);
  }
}

// What a sub-transaction wrote and undid was never written: it conflicts with
// nobody.  What it wrote and kept is the transaction's.
TEST(SqlExplore, ASavepointThatIsUndoneWritesNothing) {
  const std::string tables =
      "CREATE TABLE t (id int PRIMARY KEY, n int);\n"
      "INSERT INTO t VALUES (1, 0);\n"
      "--@ session b: BEGIN; UPDATE t SET n = n + 1 WHERE id = 1; COMMIT;\n"
      "--@ invariant one: (SELECT n FROM t WHERE id = 1) = 1\n";
  const auto undone = explored(
      tables +
      "--@ session a: BEGIN; SAVEPOINT p; UPDATE t SET n = 99 WHERE id = 1; "
      "ROLLBACK TO p; COMMIT;\n");
  ASSERT_NE(undone, nullptr);
  for (const Base level : levels()) EXPECT_TRUE(undone->holds(level));
  const auto kept = explored(
      tables +
      "--@ session a: BEGIN; SAVEPOINT p; UPDATE t SET n = 99 WHERE id = 1; "
      "RELEASE p; COMMIT;\n");
  ASSERT_NE(kept, nullptr);
  for (const Base level : levels()) EXPECT_FALSE(kept->holds(level));
}

TEST(SqlExplore, AHandlerGoesOnAfterADuplicate) {
  const auto upserts = explored(
      "CREATE TABLE t (id int PRIMARY KEY, n int);\n"
      "CREATE PROCEDURE put(d int) LANGUAGE plpgsql AS $$ BEGIN BEGIN INSERT "
      "INTO t VALUES (1, d); EXCEPTION WHEN unique_violation THEN UPDATE t SET "
      "n = n + d WHERE id = 1; END; END $$;\n"
      "--@ session a: CALL put(1);\n--@ session b: CALL put(5);\n"
      "--@ invariant both: (SELECT n FROM t WHERE id = 1) = 6\n");
  ASSERT_NE(upserts, nullptr);
  EXPECT_TRUE(upserts->holds(Base::Serializable));
}

}  // namespace
}  // namespace txscope::explore
