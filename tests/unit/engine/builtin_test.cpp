// The rows that every application has at an engine's level.

#include <gtest/gtest.h>

#include <memory>

#include "engine/search/explore_profile.h"
#include "read/sql/sql.h"

namespace txscope::engine {
namespace {

Answer answer_of(const std::string& text, const std::string& profile) {
  static std::vector<std::unique_ptr<sql::Application>> kept;
  auto read = sql::read_sql("test.sql", text);
  EXPECT_TRUE(read) << read.error().what;
  kept.push_back(std::make_unique<sql::Application>(std::move(*read)));
  ProfileOptions options;
  options.builtins = SerialSense::Outcome;
  auto answer = explore_profile(*kept.back(), **parse_profile(profile), options,
                                Budget::unlimited());
  EXPECT_TRUE(answer);
  return std::move(*answer);
}

Outcome row(const Answer& answer, Builtin which) {
  for (const BuiltinAnswer& row : answer.builtins) {
    if (row.which == which) return row.verdict;
  }
  ADD_FAILURE() << "no such row";
  return Outcome::Undecided;
}

const Counterexample* example(const Answer& answer, Builtin which) {
  for (const Counterexample& e : answer.counterexamples) {
    if (e.builtin == which) return &e;
  }
  return nullptr;
}

const std::string kOnCall =
    "CREATE TABLE d (id int PRIMARY KEY, is_on boolean NOT NULL);"
    "INSERT INTO d VALUES (1, true), (2, true);"
    "CREATE PROCEDURE leave(me int) LANGUAGE plpgsql AS $$ BEGIN"
    "  IF (SELECT count(*) FROM d WHERE is_on) > 1 THEN"
    "    UPDATE d SET is_on = false WHERE id = me; END IF; END $$;\n"
    "--@ session a: CALL leave(1);\n"
    "--@ session b: CALL leave(2);\n";

// Write skew: snapshot isolation has it, no serial order does.
TEST(Builtin, WriteSkewIsAsNoSerialOrder) {
  const Answer weak = answer_of(kOnCall, "postgresql:repeatable-read");
  EXPECT_EQ(row(weak, Builtin::OneAfterTheOther), Outcome::Violated);
  EXPECT_EQ(row(weak, Builtin::NoDeadlock), Outcome::Holds);
  EXPECT_EQ(weak.outcome, Outcome::Violated) << "there is no other rule";
  const Counterexample* shown = example(weak, Builtin::OneAfterTheOther);
  ASSERT_NE(shown, nullptr);
  EXPECT_FALSE(shown->replay_problem);
  ASSERT_EQ(shown->serial.size(), 2u);
  // In both orders the second one counts one doctor, not two.
  for (const SerialRun& run : shown->serial) {
    EXPECT_NE(run.difference.find("f, not t"), std::string::npos)
        << run.difference;
  }
  const Answer strong = answer_of(kOnCall, "postgresql:serializable");
  EXPECT_EQ(row(strong, Builtin::OneAfterTheOther), Outcome::Holds);
  EXPECT_EQ(strong.outcome, Outcome::Holds);
}

TEST(Builtin, CountsForNothingWhereTheFileHasARule) {
  const Answer answer =
      answer_of(kOnCall + "--@ invariant two: (SELECT count(*) FROM d) = 2\n",
                "postgresql:repeatable-read");
  EXPECT_EQ(row(answer, Builtin::OneAfterTheOther), Outcome::Violated);
  EXPECT_EQ(answer.outcome, Outcome::Holds);
}

TEST(Builtin, ADeadlockIsShownWithItsVictim) {
  const Answer answer = answer_of(
      "CREATE TABLE t (id int PRIMARY KEY, n int NOT NULL);"
      "INSERT INTO t VALUES (1, 0), (2, 0);\n"
      "--@ session a: BEGIN; UPDATE t SET n = n + 1 WHERE id = 1;"
      " UPDATE t SET n = n + 1 WHERE id = 2; COMMIT;\n"
      "--@ session b: BEGIN; UPDATE t SET n = n + 1 WHERE id = 2;"
      " UPDATE t SET n = n + 1 WHERE id = 1; COMMIT;\n",
      "postgresql:read-committed");
  EXPECT_EQ(row(answer, Builtin::NoDeadlock), Outcome::Violated);
  EXPECT_EQ(row(answer, Builtin::OneAfterTheOther), Outcome::Holds);
  const Counterexample* shown = example(answer, Builtin::NoDeadlock);
  ASSERT_NE(shown, nullptr);
  EXPECT_TRUE(std::any_of(
      shown->steps.begin(), shown->steps.end(),
      [](const txscope::Step& step) { return step.code == "40P01"; }));
}

// One transaction gets number 1 and sees it, whoever of the two that is; and
// one that fails takes a number, too.
TEST(Builtin, NumbersOfSequencesAreNobodysDoing) {
  const Answer answer = answer_of(
      "CREATE TABLE o (id serial PRIMARY KEY, who int NOT NULL UNIQUE);"
      "CREATE PROCEDURE add(w int) LANGUAGE plpgsql AS $$ DECLARE n int; BEGIN"
      "  INSERT INTO o (who) VALUES (w) RETURNING id INTO n;"
      "  SELECT id INTO n FROM o WHERE who = w; END $$;\n"
      "--@ session a: CALL add(1);\n"
      "--@ session b: CALL add(1);\n"
      "--@ session c: CALL add(3);\n",
      "postgresql:read-committed");
  EXPECT_EQ(row(answer, Builtin::OneAfterTheOther), Outcome::Holds);
}

// A session's own numbers stay its own, from transaction to transaction,
// whatever others take in between; and who took none has none (55000).
TEST(SessionNumbers, AreOfTheSessionThatTookThem) {
  const std::string text =
      "CREATE SEQUENCE s; CREATE TABLE t (who text, n bigint);\n"
      "--@ session a: BEGIN; SELECT nextval('s'); COMMIT; BEGIN; INSERT INTO t "
      "VALUES ('a', currval('s')); COMMIT;\n"
      "--@ session b: BEGIN; INSERT INTO t VALUES ('b', nextval('s')); "
      "INSERT INTO t VALUES ('b', lastval()); COMMIT;\n"
      "--@ invariant own: (SELECT count(DISTINCT n) FROM t) = (SELECT "
      "count(DISTINCT who) FROM t)\n";
  const Answer answer = answer_of(text, "postgresql:read-committed");
  EXPECT_EQ(answer.properties[0].verdict, Outcome::Holds);
  EXPECT_TRUE(answer.counts.aborts.empty());
  const Answer none = answer_of(
      "CREATE SEQUENCE s;\n--@ session a: BEGIN; SELECT nextval('s'); COMMIT;\n"
      "--@ session b: BEGIN; SELECT currval('s'); COMMIT;\n",
      "postgresql:read-committed");
  ASSERT_EQ(none.counts.aborts.size(), 1u);
  EXPECT_EQ(none.counts.aborts.begin()->first, "55000");
}

}  // namespace
}  // namespace txscope::engine
