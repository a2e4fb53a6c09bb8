#include "exec/machine.h"

#include <gtest/gtest.h>

#include "read/txn/txn.h"

namespace txscope {
namespace {

/// Runs the only transaction of a program, alone, and says what it did:
/// "r x=1; w a[0]=2; commit".
std::string trace(const std::string& text, std::uint64_t loop_bound = 1000) {
  const auto program = read::read_txn("p.txn", text);
  if (!program) return program.error().what;
  const auto code = exec::compile(*program);
  if (!code) return code.error().what;
  const Budget budget = Budget::unlimited();
  exec::Machine machine(*code, loop_bound, budget);
  std::vector<std::int64_t> state = code->initial;
  std::vector<std::int64_t> slots(code->max_slots);
  std::string out;
  exec::Event event = machine.start(exec::InstanceId(1), slots.data());
  for (;;) {
    const std::string line =
        " at line " + std::to_string(code->places[event.pc].line);
    switch (event.stop) {
      case exec::Stop::Read: {
        const std::int64_t value = state[event.key.index];
        out += "r " + code->key_name(event.key) + "=" + std::to_string(value) +
               "; ";
        event = machine.answer(event.pc, value, slots.data());
        continue;
      }
      case exec::Stop::Write:
        state[event.key.index] = event.value;
        out += "w " + code->key_name(event.key) + "=" +
               std::to_string(event.value) + "; ";
        event = machine.resume(event.pc, slots.data());
        continue;
      case exec::Stop::Commit: {
        out += "commit";
        for (std::size_t i = 0; i < program->properties.size(); ++i) {
          if (slots[i / 64] >> (i % 64) & 1) {
            out += ", failed " + program->properties[i].name;
          }
        }
        return out;
      }
      case exec::Stop::Abort: return out + "abort";
      case exec::Stop::Assume: return out + "discarded";
      case exec::Stop::Fault:
        return out + std::string(describe(event.fault)) + line;
      case exec::Stop::Bound: return out + "bound";
    }
  }
}

std::string run(const std::string& body, std::uint64_t loop_bound = 1000) {
  return trace(
      "var x = 5\nvar a[3] = {1, 2, 3}\nsession { txn {\n" + body + "\n} }",
      loop_bound);
}

TEST(Machine, StopsAtEachDatabaseEvent) {
  EXPECT_EQ(run("v = read x\nwrite a[v - 4] = v * 2\nw = read a[1]"),
            "r x=5; w a[1]=10; r a[1]=10; commit");
}

TEST(Machine, BranchesAndLoops) {
  EXPECT_EQ(run("v = read x\nif v == 4 { abort } else if v == 5 { write x = "
                "1 } else { write x = 2 }"),
            "r x=5; w x=1; commit");
  EXPECT_EQ(run("for i in 0..3 { v = read a[i]; i = 7 }"),
            "r a[0]=1; r a[1]=2; r a[2]=3; commit");
  EXPECT_EQ(run("for i in 3..1 { write x = 9 }"), "commit");
  EXPECT_EQ(run("n = 2\nfor i in 0..n { n = 0; write x = i }"),
            "w x=0; w x=1; commit");
  EXPECT_EQ(run("c = 0\nwhile c < 2 { c = c + 1; write x = c }\nabort"),
            "w x=1; w x=2; abort");
}

TEST(Machine, AWhileLoopIsBoundedPerEntry) {
  const std::string twice =
      "for i in 0..2 { c = 0; while c < 3 { c = c + 1 } }";
  EXPECT_EQ(run(twice, 3), "commit");
  EXPECT_EQ(run(twice, 2), "bound");
  EXPECT_EQ(run("while 1 { v = 1 }"), "bound");
}

TEST(Machine, FaultsHaveAPlace) {
  EXPECT_EQ(run("v = read x\nw = 10 / (v - 5)"),
            "r x=5; division by zero at line 5");
  EXPECT_EQ(run("v = read x\nw = 10 % (v - 5)"),
            "r x=5; division by zero at line 5");
  EXPECT_EQ(run("v = 9223372036854775807\nv = v + 1"),
            "integer overflow at line 5");
  EXPECT_EQ(run("v = -9223372036854775808\nv = -v"),
            "integer overflow at line 5");
  EXPECT_EQ(run("v = -9223372036854775808\nv = abs(v)"),
            "integer overflow at line 5");
  EXPECT_EQ(run("v = -9223372036854775808\nw = -1\nv = v / w"),
            "integer overflow at line 6");
  EXPECT_EQ(run("v = 64\nv = 1 << v"),
            "shift distance outside 0..63 at line 5");
  EXPECT_EQ(run("v = read x\nw = read a[v]"),
            "r x=5; index out of range at line 5");
  EXPECT_EQ(run("v = -1\nwrite a[v] = 1"), "index out of range at line 5");
  EXPECT_EQ(run("v = read x\nif v == 0 { w = 1 }\nwrite x = w"),
            "r x=5; use of a local that was never assigned at line 6");
}

TEST(Machine, LazyOperatorsEvaluateOnlyWhatTheyNeed) {
  EXPECT_EQ(run("v = 0\nw = v && 1 / v\nwrite x = w"), "w x=0; commit");
  EXPECT_EQ(run("v = 0\nw = !v || 1 / v\nwrite x = w"), "w x=1; commit");
  EXPECT_EQ(run("v = 0\nw = v ? 1 / v : 7\nwrite x = w"), "w x=7; commit");
  EXPECT_EQ(run("v = 3\nv = v > 2 ? v + (v && 4) : v\nwrite x = v"),
            "w x=4; commit");
}

TEST(Machine, AFailedAssertIsRememberedAndAnAssumptionStops) {
  EXPECT_EQ(run("v = read x\nassert \"small\" v < 5\nassert v == 5"),
            "r x=5; commit, failed small");
  EXPECT_EQ(run("v = read x\nassume v < 5\nwrite x = 1"), "r x=5; discarded");
}

TEST(Machine, ConditionsSeeFinalValuesAndFinishedLocals) {
  const auto program = read::read_txn(
      "p.txn",
      "var x\nvar a[2] = 1\nsession s { t: txn { v = read x\n if v { w = 1 } "
      "} }\ninvariant a[x] == 1\ninvariant a[x + 1] == 1\n"
      "assert s.t.v == 0\nassert s.t.w == 7\nassert s.t.v == 1 || s.t.w == 7");
  ASSERT_TRUE(program);
  const auto code = exec::compile(*program);
  ASSERT_TRUE(code);
  const Budget budget = Budget::unlimited();
  exec::Machine machine(*code, 10, budget);
  std::vector<std::int64_t> slots(code->max_slots);
  std::vector<std::int64_t> scratch(code->max_slots);
  const exec::Event read = machine.start(exec::InstanceId(1), slots.data());
  ASSERT_EQ(machine.answer(read.pc, 0, slots.data()).stop, exec::Stop::Commit);
  const std::vector<const std::int64_t*> locals = {nullptr, slots.data()};
  const std::vector<std::int64_t> finals = {1, 1, 1};
  std::vector<bool> holds;
  for (std::size_t condition = 0; condition < code->conditions.size();
       ++condition) {
    holds.push_back(
        machine.holds(condition, finals, locals.data(), scratch.data()));
  }
  // The second looks outside the array; the last two mention a local that
  // never got a value.
  EXPECT_EQ(holds, (std::vector<bool>{true, false, true, true, true}));
}

TEST(Machine, AQuestionMarkIsRefused) {
  const auto program = read::read_txn("p.txn", "var x\nvar y = ?\nsession {}");
  ASSERT_TRUE(program);
  const auto code = exec::compile(*program);
  ASSERT_FALSE(code);
  EXPECT_EQ(to_string(code.error().where), "p.txn:2:9");
}

}  // namespace
}  // namespace txscope
