#include "explore/explore.h"

#include <gtest/gtest.h>

#include <cmath>

#include "explore/schedule.h"
#include "read/txn/txn.h"

namespace txscope {
namespace {

Program parse(const std::string& text) {
  auto program = read_txn("p.txn", text);
  EXPECT_TRUE(program) << program.error().what;
  return std::move(*program);
}

LevelResult run(const Program& program, Base level,
                ExploreOptions options = {}) {
  options.levels = {level};
  const auto result = explore(program, options, Budget::unlimited());
  EXPECT_TRUE(result);
  return result->levels.at(0);
}
LevelResult run(const std::string& text, Base level,
                ExploreOptions options = {}) {
  return run(parse(text), level, std::move(options));
}

std::string names(const Program& program, const std::vector<InstanceId>& list) {
  const auto code = compile(program);
  std::string out;
  for (const InstanceId i : list) {
    out += (out.empty() ? "" : " ") + instance_name(program, *code, i);
  }
  return out;
}

// As printed, the algorithm's SWAPPED condition loses a history here: that in
// which b reads from the third session and a from the second transaction of
// the second.
TEST(Explore, FindsTheHistoryThatSwappedWouldLose) {
  const std::string text =
      "var x\nvar y\n"
      "session { txn { a = read y; b = read x } }\n"
      "session { txn { write x = 3 }\n txn { write y = 4 } }\n"
      "session { txn { write x = 5 } }";
  EXPECT_EQ(run(text, Base::MonotonicAtomicView).histories, 6u);
  EXPECT_EQ(run(text, Base::Causal).histories, 5u);
}

// Without the test whether the read may read from the later writer, one of
// these is lost.
TEST(Explore, LatestMeansTheLatestThatMayBeRead) {
  const std::string text =
      "var x\nvar y\n"
      "session { txn { write x = 1 } }\n"
      "session { txn { write x = 2; write y = 1 } }\n"
      "session { txn { a = read y; b = read x }\n txn { c = read x } }\n"
      "session { txn { write x = 3 } }";
  EXPECT_EQ(run(text, Base::Causal).histories, 17u);
}

// The read that fails the assumption is made before its writer runs.
TEST(Explore, AFailedAssumptionDoesNotHideOtherExecutions) {
  const LevelResult level = run(
      "var x\nsession { txn { a = read x; assume a == 1 }\n txn { write x = 2 "
      "} }\nsession { txn { write x = 1 } }",
      Base::Causal);
  EXPECT_EQ(level.histories, 1u);
  EXPECT_GT(level.discarded, 0u);
}

TEST(Explore, ABoundThatCutsMakesTheAnswerUndecided) {
  const std::string text =
      "var x\nsession { txn { v = read x\n while v == 0 { v = read x } } }\n"
      "session { txn { write x = 1 } }";
  ExploreOptions options;
  options.loop_bound = 2;
  const LevelResult level = run(text, Base::ReadCommitted, options);
  // The first read, or one of two in the loop, sees the write.
  EXPECT_EQ(level.histories, 3u);
  EXPECT_EQ(level.cut, 1u);
  EXPECT_FALSE(level.is_complete);
  EXPECT_EQ(level.verdict, Outcome::Undecided);
}

TEST(Explore, AViolationIsAViolationEvenIfABoundCut) {
  const LevelResult level =
      run("var x\nsession { txn { v = read x\n assert v == 0\n"
          " while v == 0 { v = read x } } }\nsession { txn { write x = 1 } }",
          Base::Causal);
  EXPECT_EQ(level.verdict, Outcome::Violated);
  EXPECT_GT(level.cut, 0u);
}

TEST(Explore, ABudgetThatEndsMakesTheAnswerUndecided) {
  std::string text = "var x\n";
  for (int s = 0; s < 8; ++s) {
    text +=
        "session { txn { a = read x; write x = a + 1 }\n"
        " txn { b = read x; write x = b * 2 } }\n";
  }
  ExploreOptions options;
  options.levels = {Base::ReadCommitted};
  const Budget budget({std::chrono::milliseconds(30), std::nullopt});
  const auto result = explore(parse(text), options, budget);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->levels[0].verdict, Outcome::Undecided);
  EXPECT_EQ(result->levels[0].spent, Spent::Time);
}

TEST(Explore, ManyJobsFindWhatOneFinds) {
  const std::string text =
      "var x\nvar y\n"
      "session { txn { a = read x; write y = a + 1 }\n txn { b = read y } }\n"
      "session { txn { a = read y; write x = a + 1 }\n txn { b = read x } }\n"
      "session { txn { a = read x; b = read y; write x = a + b } }\n"
      "invariant x <= y + 2";
  ExploreOptions options;
  options.all = true;
  const LevelResult one = run(text, Base::ReadCommitted, options);
  EXPECT_GT(one.histories, 50u);
  for (const unsigned jobs : {2u, 5u}) {
    options.jobs = jobs;
    options.self_check = true;
    const LevelResult many = run(text, Base::ReadCommitted, options);
    EXPECT_EQ(many.histories, one.histories);
    EXPECT_EQ(many.duplicates, 0u);
    EXPECT_EQ(many.properties[0].violating, one.properties[0].violating);
  }
}

TEST(Explore, ProgramsWiderThanOneWordWorkTheSameWay) {
  for (const int idle : {0, 60, 130, 300}) {
    std::string text =
        "var x\nvar y\nvar z\n"
        "session { txn { a = read x; write y = 1 } }\n"
        "session { txn { b = read y; write x = 1 } }\n";
    text += "session {\n";
    for (int i = 0; i < idle; ++i) text += "txn { write z = 1 }\n";
    text += "}\ninvariant x + y == 2\nassert !(s1.t1.a == 0 && s2.t1.b == 0)";
    EXPECT_EQ(run(text, Base::Causal).histories, 3u) << idle;
    EXPECT_EQ(run(text, Base::SnapshotIsolation).histories, 3u) << idle;
    const LevelResult level = run(text, Base::Serializable);
    EXPECT_EQ(level.histories, 2u) << idle;
    EXPECT_EQ(level.verdict, Outcome::Holds) << idle;
  }
}

TEST(Explore, TheEstimateIsRightOnTheAverage) {
  const Program program = parse(
      "var x\nsession { txn { a = read x; write x = 1 } }\n"
      "session { txn { a = read x; write x = 2 } }\n"
      "session { txn { a = read x; b = read x } }");
  const double actual =
      static_cast<double>(run(program, Base::ReadCommitted).end_states);
  const auto guess = estimate_end_states(program, Base::ReadCommitted, 20000,
                                         10, 7, Budget::unlimited());
  ASSERT_TRUE(guess);
  EXPECT_NEAR(*guess, actual, actual * 0.1);
}

TEST(Explore, RefusesAQuestionMarkWithItsPlace) {
  ExploreOptions options;
  options.levels = {Base::Causal};
  const auto result = explore(parse("var x = ?\nsession { txn {} }"), options,
                              Budget::unlimited());
  ASSERT_FALSE(result);
  EXPECT_EQ(to_string(result.error().where), "p.txn:1:9");
}

TEST(ExploreViolation, IsReducedToTheTransactionsThatShowIt) {
  const Program program = parse(
      "var x\nvar y\nvar z\n"
      "session a { t: txn { v = read x; write x = v + 1 }\n"
      "            u: txn { w = read y } }\n"
      "session b { t: txn { write z = 1 }\n"
      "            u: txn { v = read x; write x = v + 1 } }\n"
      "session c { t: txn { w = read z; write y = w } }\n"
      "invariant \"both count\" x == 2");
  const LevelResult level = run(program, Base::Causal);
  ASSERT_EQ(level.violations.size(), 1u);
  const Violation& violation = level.violations[0];
  // Not one of them alone: then x is 1 in every order, and nobody would
  // expect otherwise.
  EXPECT_EQ(names(program, violation.instances), "a.t b.u");
  EXPECT_TRUE(violation.is_avoided_serially);
  ASSERT_EQ(violation.finals.size(), 1u);
  EXPECT_EQ(violation.finals[0].value, 1);
  ASSERT_EQ(violation.serial.size(), 2u);
  for (const SerialRun& serial : violation.serial) {
    EXPECT_EQ(serial.finals.at(0).value, 2);
    EXPECT_FALSE(serial.is_violated);
  }
}

TEST(ExploreViolation, OfEverySerialOrderNeedsNoSecondSession) {
  const Program program = parse(
      "var x\nsession { txn { write x = 1 } }\n"
      "session { txn { write x = 2 } }\ninvariant x == 2");
  const LevelResult level = run(program, Base::Serializable);
  ASSERT_EQ(level.violations.size(), 1u);
  // Before anybody runs x is 0: no transaction is needed at all.
  EXPECT_TRUE(level.violations[0].instances.empty());
}

TEST(ExploreViolation, AnErrorOfTheProgramHasPlaceAndSchedule) {
  const Program program = parse(
      "var x = 1\nvar log[2]\nsession { txn { write x = 0 } }\n"
      "session r { t: txn {\n a = read x\n b = read x\n"
      " write log[a / (b - a + 1)] = 1\n } }");
  const LevelResult level = run(program, Base::ReadCommitted);
  ASSERT_EQ(level.verdict, Outcome::Violated);
  ASSERT_EQ(level.violations.size(), 1u);
  const Violation& violation = level.violations[0];
  EXPECT_EQ(violation.kind, Violation::Kind::Fault);
  EXPECT_EQ(violation.name, "division by zero");
  EXPECT_EQ(violation.at.line, 7u);
  EXPECT_EQ(names(program, violation.instances), "s1.t1 r.t");
  // At causal both reads agree, and the error is out of reach.
  EXPECT_EQ(run(program, Base::Causal).verdict, Outcome::Holds);
}

TEST(ExploreViolation, WithoutAllOnlyTheFirstIsShown) {
  const std::string text =
      "var x\nsession { txn { a = read x; assert \"p\" a == 0 } }\n"
      "session { txn { write x = 1 } }\ninvariant \"q\" x == 0";
  ExploreOptions options;
  EXPECT_EQ(run(text, Base::Causal, options).violations.size(), 1u);
  options.all = true;
  const LevelResult level = run(text, Base::Causal, options);
  ASSERT_EQ(level.violations.size(), 2u);
  EXPECT_EQ(level.violations[0].violating, 1u);
  EXPECT_EQ(level.violations[1].violating, 2u);
}

TEST(ExploreSchedule, ASnapshotIsReadAtOneTime) {
  const Program program = parse(
      "var x\nvar y\n"
      "session { txn { a = read x; b = read y; if a + b < 1 { write x = 1 } } "
      "}\n"
      "session { txn { a = read x; b = read y; if a + b < 1 { write y = 1 } } "
      "}\n"
      "invariant x + y < 2");
  const LevelResult level = run(program, Base::SnapshotIsolation);
  ASSERT_EQ(level.violations.size(), 1u);
  std::string events;
  for (const ScheduleStep& step : level.violations[0].schedule) {
    EXPECT_FALSE(step.is_stale);
    events += step.kind == ScheduleStep::Kind::Read    ? 'r'
              : step.kind == ScheduleStep::Kind::Write ? 'w'
                                                       : 'c';
    events += std::to_string(step.instance.index);
  }
  EXPECT_EQ(events, "r2r2r1r1w1c1w2c2");
}

TEST(ExploreSchedule, AReadOfAnOldVersionIsMarkedStale) {
  const LevelResult level = run(
      "var x\nsession { txn { write x = 1 }\n txn { a = read x; assert a == 1 "
      "} }",
      Base::ReadCommitted);
  ASSERT_EQ(level.violations.size(), 1u);
  const auto& schedule = level.violations[0].schedule;
  ASSERT_EQ(schedule.size(), 5u);
  EXPECT_EQ(schedule[2].kind, ScheduleStep::Kind::Read);
  EXPECT_TRUE(schedule[2].is_stale);
}

TEST(ExploreSchedule, AWrongScheduleIsNotReplayed) {
  const Program program = parse(
      "var x\nsession { txn { write x = 1 } }\n"
      "session { txn { a = read x; assert a == 0 } }");
  const auto code = compile(program);
  const LevelResult level = run(program, Base::Causal);
  ASSERT_EQ(level.violations.size(), 1u);
  std::vector<ScheduleStep> schedule = level.violations[0].schedule;
  EXPECT_FALSE(replay_error(*code, schedule, 10));
  for (std::size_t i = 0; i < schedule.size(); ++i) {
    auto wrong = schedule;
    wrong.erase(wrong.begin() + static_cast<std::ptrdiff_t>(i));
    if (schedule[i].kind == ScheduleStep::Kind::AssertFailed) continue;
    EXPECT_TRUE(replay_error(*code, wrong, 10)) << i;
    wrong = schedule;
    wrong[i].value += 1;
    const bool has_value = schedule[i].kind == ScheduleStep::Kind::Read ||
                           schedule[i].kind == ScheduleStep::Kind::Write;
    EXPECT_EQ(replay_error(*code, wrong, 10).has_value(), has_value) << i;
  }
}

}  // namespace
}  // namespace txscope
