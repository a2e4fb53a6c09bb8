#include "explore/explore.h"

#include <gtest/gtest.h>

#include <array>

#include <cmath>

#include "explore/schedule.h"
#include "read/txn/txn.h"

namespace txscope::explore {
namespace {

Program parse(const std::string& text) {
  auto program = read::read_txn("p.txn", text);
  EXPECT_TRUE(program) << program.error().what;
  return std::move(*program);
}

Answer run(const Program& program, Base level, ExploreOptions options = {}) {
  options.levels = {level};
  const auto result = explore(program, options, Budget::unlimited());
  EXPECT_TRUE(result);
  return result->at(0);
}
Answer run(const std::string& text, Base level, ExploreOptions options = {}) {
  return run(parse(text), level, std::move(options));
}

std::string names(const Program& program, const std::vector<CallRef>& calls) {
  const Workload workload = workload_of(program);
  std::string out;
  for (const CallRef call : calls) {
    out += (out.empty() ? "" : " ") + workload.name(call);
  }
  return out;
}

/// Of a register.
std::int64_t value(const RowUse& use) { return use.row->at(0).integer(); }

// As printed, the algorithm's SWAPPED condition loses a history here: that in
// which b reads from the third session and a from the second transaction of
// the second.
TEST(Explore, FindsTheHistoryThatSwappedWouldLose) {
  const std::string text =
      "var x\nvar y\n"
      "session { txn { a = read y; b = read x } }\n"
      "session { txn { write x = 3 }\n txn { write y = 4 } }\n"
      "session { txn { write x = 5 } }";
  EXPECT_EQ(run(text, Base::MonotonicAtomicView).counts.histories, 6u);
  EXPECT_EQ(run(text, Base::Causal).counts.histories, 5u);
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
  EXPECT_EQ(run(text, Base::Causal).counts.histories, 17u);
}

// The read that fails the assumption is made before its writer runs.
TEST(Explore, AFailedAssumptionDoesNotHideOtherExecutions) {
  const Answer level = run(
      "var x\nsession { txn { a = read x; assume a == 1 }\n txn { write x = 2 "
      "} }\nsession { txn { write x = 1 } }",
      Base::Causal);
  EXPECT_EQ(level.counts.histories, 1u);
  EXPECT_GT(level.counts.discarded, 0u);
}

TEST(Explore, ABoundThatCutsMakesTheAnswerUndecided) {
  const std::string text =
      "var x\nsession { txn { v = read x\n while v == 0 { v = read x } } }\n"
      "session { txn { write x = 1 } }";
  ExploreOptions options;
  options.loop_bound = 2;
  const Answer level = run(text, Base::ReadCommitted, options);
  // The first read, or one of two in the loop, sees the write.
  EXPECT_EQ(level.counts.histories, 3u);
  EXPECT_EQ(level.counts.cut, 1u);
  EXPECT_FALSE(level.is_complete);
  EXPECT_EQ(level.outcome, Outcome::Undecided);
}

TEST(Explore, AViolationIsAViolationEvenIfABoundCut) {
  const Answer level =
      run("var x\nsession { txn { v = read x\n assert v == 0\n"
          " while v == 0 { v = read x } } }\nsession { txn { write x = 1 } }",
          Base::Causal);
  EXPECT_EQ(level.outcome, Outcome::Violated);
  EXPECT_GT(level.counts.cut, 0u);
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
  EXPECT_EQ((*result)[0].outcome, Outcome::Undecided);
  EXPECT_EQ((*result)[0].spent, Spent::Time);
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
  const Answer one = run(text, Base::ReadCommitted, options);
  EXPECT_GT(one.counts.histories, 50u);
  for (const unsigned jobs : {2u, 5u}) {
    options.jobs = jobs;
    options.self_check = true;
    const Answer many = run(text, Base::ReadCommitted, options);
    EXPECT_EQ(many.counts.histories, one.counts.histories);
    EXPECT_EQ(many.counts.duplicates, 0u);
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
    EXPECT_EQ(run(text, Base::Causal).counts.histories, 3u) << idle;
    EXPECT_EQ(run(text, Base::SnapshotIsolation).counts.histories, 3u) << idle;
    const Answer level = run(text, Base::Serializable);
    EXPECT_EQ(level.counts.histories, 2u) << idle;
    EXPECT_EQ(level.outcome, Outcome::Holds) << idle;
  }
}

TEST(Explore, TheEstimateIsRightOnTheAverage) {
  const Program program = parse(
      "var x\nsession { txn { a = read x; write x = 1 } }\n"
      "session { txn { a = read x; write x = 2 } }\n"
      "session { txn { a = read x; b = read x } }");
  const double actual =
      static_cast<double>(run(program, Base::ReadCommitted).counts.end_states);
  const auto guess = estimate_end_states(program, Base::ReadCommitted, 20000,
                                         10, 7, Budget::unlimited());
  ASSERT_TRUE(guess);
  EXPECT_NEAR(guess->mean, actual, actual * 0.1);
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
  const Answer level = run(program, Base::Causal);
  ASSERT_EQ(level.counterexamples.size(), 1u);
  const Counterexample& violation = level.counterexamples[0];
  // Not one of them alone: then x is 1 in every order, and nobody would
  // expect otherwise.
  EXPECT_EQ(names(program, violation.calls), "a.t b.u");
  EXPECT_TRUE(violation.is_avoided_serially);
  ASSERT_EQ(violation.finals.size(), 1u);
  EXPECT_EQ(value(violation.finals[0].rows.at(0)), 1);
  ASSERT_EQ(violation.serial.size(), 2u);
  for (const SerialRun& serial : violation.serial) {
    EXPECT_EQ(value(serial.finals.at(0).rows.at(0)), 2);
    EXPECT_FALSE(serial.is_violated);
  }
}

TEST(ExploreViolation, OfEverySerialOrderNeedsNoSecondSession) {
  const Program program = parse(
      "var x\nsession { txn { write x = 1 } }\n"
      "session { txn { write x = 2 } }\ninvariant x == 2");
  const Answer level = run(program, Base::Serializable);
  ASSERT_EQ(level.counterexamples.size(), 1u);
  // Before anybody runs x is 0: no transaction is needed at all.
  EXPECT_TRUE(level.counterexamples[0].calls.empty());
}

TEST(ExploreViolation, AnErrorOfTheProgramHasPlaceAndSchedule) {
  const Program program = parse(
      "var x = 1\nvar log[2]\nsession { txn { write x = 0 } }\n"
      "session r { t: txn {\n a = read x\n b = read x\n"
      " write log[a / (b - a + 1)] = 1\n } }");
  const Answer level = run(program, Base::ReadCommitted);
  ASSERT_EQ(level.outcome, Outcome::Violated);
  ASSERT_EQ(level.counterexamples.size(), 1u);
  const Counterexample& violation = level.counterexamples[0];
  EXPECT_EQ(violation.kind, Counterexample::Kind::Error);
  EXPECT_EQ(violation.name, "division by zero");
  EXPECT_EQ(violation.at.line, 7u);
  EXPECT_EQ(names(program, violation.calls), "s1.t1 r.t");
  // At causal both reads agree, and the error is out of reach.
  EXPECT_EQ(run(program, Base::Causal).outcome, Outcome::Holds);
}

TEST(ExploreViolation, WithoutAllOnlyTheFirstIsShown) {
  const std::string text =
      "var x\nsession { txn { a = read x; assert \"p\" a == 0 } }\n"
      "session { txn { write x = 1 } }\ninvariant \"q\" x == 0";
  ExploreOptions options;
  EXPECT_EQ(run(text, Base::Causal, options).counterexamples.size(), 1u);
  options.all = true;
  const Answer level = run(text, Base::Causal, options);
  ASSERT_EQ(level.counterexamples.size(), 2u);
  EXPECT_EQ(level.counterexamples[0].violating, 1u);
  EXPECT_EQ(level.counterexamples[1].violating, 2u);
}

TEST(ExploreSchedule, ASnapshotIsReadAtOneTime) {
  const Program program = parse(
      "var x\nvar y\n"
      "session { txn { a = read x; b = read y; if a + b < 1 { write x = 1 } } "
      "}\n"
      "session { txn { a = read x; b = read y; if a + b < 1 { write y = 1 } } "
      "}\n"
      "invariant x + y < 2");
  const Answer level = run(program, Base::SnapshotIsolation);
  ASSERT_EQ(level.counterexamples.size(), 1u);
  std::string events;
  for (const Step& step : level.counterexamples[0].steps) {
    for (const RowUse& read : step.reads) EXPECT_FALSE(read.is_stale);
    events += step.kind == Step::Kind::Read    ? 'r'
              : step.kind == Step::Kind::Write ? 'w'
                                               : 'c';
    events += std::to_string(step.call.session + 1);
  }
  EXPECT_EQ(events, "r2r2r1r1w1c1w2c2");
}

TEST(ExploreSchedule, AReadOfAnOldVersionIsMarkedStale) {
  const Answer level = run(
      "var x\nsession { txn { write x = 1 }\n txn { a = read x; assert a == 1 "
      "} }",
      Base::ReadCommitted);
  ASSERT_EQ(level.counterexamples.size(), 1u);
  const auto& steps = level.counterexamples[0].steps;
  ASSERT_EQ(steps.size(), 5u);
  EXPECT_EQ(steps[2].kind, Step::Kind::Read);
  EXPECT_TRUE(steps[2].reads.at(0).is_stale);
}

TEST(ExploreSchedule, AWrongScheduleIsNotReplayed) {
  const Program program = parse(
      "var x\nsession { txn { write x = 1 } }\n"
      "session { txn { a = read x; assert a == 0 } }");
  const auto code = exec::compile(program);
  std::vector<ScheduleStep> schedule(5);
  for (std::size_t i = 0; i < schedule.size(); ++i) {
    schedule[i].kind =
        std::array{ScheduleStep::Kind::Write, ScheduleStep::Kind::Commit,
                   ScheduleStep::Kind::Read, ScheduleStep::Kind::AssertFailed,
                   ScheduleStep::Kind::Commit}[i];
    schedule[i].instance = exec::InstanceId(i < 2 ? 1 : 2);
    schedule[i].value = i == 0 || i == 2 ? 1 : 0;
  }
  schedule[2].source = exec::InstanceId(1);
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
}  // namespace txscope::explore
