// Budgets end what they are meant to end, wherever the program is at that
// moment: at most a tenth and half a second late, with at most a tenth more
// memory.

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "support/run_command.h"

namespace txscope {
namespace {

namespace fs = std::filesystem;
using test::Ran;
using test::run_command;
using test::TemporaryDirectory;

double processor_seconds() {
  rusage used{};
  getrusage(RUSAGE_CHILDREN, &used);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) +
           static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

class Budgets : public testing::Test {
 protected:
  Ran run(const std::string& command) const {
    return run_command("timeout 60 " + command, directory_.path());
  }
  /// The call under these limits.  Late is measured in processor time, which a
  /// busy machine does not lengthen; `others` is what a pipe before it may use.
  nlohmann::json limited(const std::string& call, int milliseconds,
                         int megabytes, double others = 0) const {
    const double before = processor_seconds();
    const Ran ran = run_command(
        call + " --timeout " + std::to_string(milliseconds) + "ms --memory " +
            std::to_string(megabytes) + "M --format json 2>/dev/null",
        directory_.path());
    const double late = 1.1 * milliseconds / 1000.0 + 0.5 + others;
    EXPECT_LE(processor_seconds() - before, late) << call;
    auto json = nlohmann::json::parse(ran.output, nullptr, false);
    if (!json.is_object()) {
      ADD_FAILURE() << call << ": " << ran.status << " " << ran.output;
      return nlohmann::json::object();
    }
    EXPECT_LE(json["peak_memory_mb"].get<double>(), 1.1 * megabytes) << call;
    return json;
  }
  TemporaryDirectory directory_;
};

constexpr char kLine[] = "'{\"session\":\"a\",\"ops\":[[\"w\",\"x\",1]]}'";

TEST_F(Budgets, HoldWhileReading) {
  const std::string lines = "yes " + std::string(kLine) + " | ";
  EXPECT_EQ(
      limited(lines + "txscope check -", 300, 500, 0.6)["results"][0]["budget"],
      "time");
  EXPECT_EQ(
      limited(lines + "txscope check -", 20000, 60)["results"][0]["budget"],
      "memory");
  limited(lines + "head -n 2000000 | gzip -1 | txscope check -", 20000, 60);
}

// The writers of 4,000 reads are open, and how many there are is quadratic.
TEST_F(Budgets, HoldWhereValuesRepeat) {
  std::string chain;
  std::string open;
  for (int i = 0; i < 4000; ++i) {
    const std::string session = "{\"session\":" + std::to_string(i % 20);
    chain += session + ",\"ops\":[[\"r\",\"x\",1],[\"w\",\"x\",1]]}\n";
    open += session + ",\"ops\":[[\"r\",\"x\"," + std::to_string(i * 7 % 3) +
            "],[\"r\",\"y\"," + std::to_string(i * 5 % 3) + "],[\"w\",\"" +
            (i % 2 == 0 ? "x" : "y") + "\"," + std::to_string(i % 3) + "]]}\n";
  }
  directory_.write("chain.jsonl", chain);
  directory_.write("open.jsonl", open);
  EXPECT_EQ(limited("txscope check chain.jsonl --level read-committed", 1000,
                    200)["results"][0]["verdict"],
            "violated");
  for (const std::string file : {"chain.jsonl", "open.jsonl"})
    for (const std::string level : {"all", "snapshot-isolation"})
      limited("txscope check " + file + " --level " + level, 500, 200);
}

// A cycle through all of them, and every one is part of the explanation.
TEST_F(Budgets, HoldWhileACycleIsExplained) {
  constexpr int kLength = 100'000;
  std::string text;
  for (int i = 0; i < kLength; ++i)
    text += "{\"session\":" + std::to_string(i) + ",\"ops\":[[\"r\",\"k" +
            std::to_string(i) + "\",1],[\"w\",\"k" +
            std::to_string((i + 1) % kLength) + "\",1]]}\n";
  directory_.write("cycle.jsonl", text);
  for (const std::string level : {"read-committed", "serializable", "all"})
    limited("txscope check cycle.jsonl --level " + level, 200, 500);
  limited("txscope check cycle.jsonl --all", 200, 500);
}

// The same of anti-dependencies; there is none that is shorter.
TEST_F(Budgets, LetALongCycleBeTold) {
  constexpr int kLength = 20'000;
  std::string text;
  for (int i = 0; i < kLength; ++i)
    text += "{\"session\":" + std::to_string(i) + ",\"ops\":[[\"r\",\"k" +
            std::to_string(i) + "\",0],[\"w\",\"k" +
            std::to_string((i + 1) % kLength) + "\",1]]}\n";
  directory_.write("cycle.jsonl", text);
  const auto result =
      limited("txscope check cycle.jsonl --level serializable --certify", 20000,
              300)["results"][0];
  EXPECT_EQ(result["verdict"], "violated");
  EXPECT_EQ(result["cycle"].size(), std::size_t{kLength});
}

TEST_F(Budgets, AreOneForAllHistoriesOfAFile) {
  std::string text;
  for (int i = 0; i < 300000; ++i)
    text +=
        "{\"txscope\":\"history\",\"version\":1}\n"
        "{\"session\":\"a\",\"ops\":[[\"w\",\"x\",1]]}\n";
  directory_.write("many.jsonl", text);
  EXPECT_EQ(run("txscope check many.jsonl --timeout 50ms").status, 3);
  limited("txscope check many.jsonl --level causal", 20000, 200);
}

TEST_F(Budgets, LeaveTheCheapestLevelDecided) {
  std::string text;
  for (int i = 0; i < 3000; ++i)
    text += "{\"session\":" + std::to_string(i % 20) +
            ",\"ops\":[[\"r\",\"x\",1],[\"w\",\"x\",1]]}\n";
  text += "{\"session\":\"z\",\"ops\":[[\"w\",\"x\",1]]}\n";
  directory_.write("many.jsonl", text);
  const auto json = limited("txscope check many.jsonl", 2000, 300);
  EXPECT_EQ(json["results"][0]["level"], "read-uncommitted");
  EXPECT_EQ(json["results"][0]["verdict"], "holds");
}

TEST_F(Budgets, HoldForGenerate) {
  const std::string endless =
      "txscope generate --transactions 400000000 --sessions 3 --keys 3 ";
  for (const std::string limit : {"--timeout 200ms", "--memory 60M"}) {
    EXPECT_EQ(run(endless + limit + " -o out.jsonl").status, 3) << limit;
    EXPECT_FALSE(fs::exists(directory_.path() + "/out.jsonl")) << limit;
  }
}

// Each of these would take minutes and gigabytes in one operator.
TEST_F(Budgets, HoldInsideOperatorsOfASpecification) {
  const auto model = [&](const std::string& expression) {
    directory_.write(
        "M.tla",
        "---- MODULE M ----\nEXTENDS Naturals, Sequences, FiniteSets, TLC\n"
        "VARIABLE x\nInit == x = 0\nNext == x' = " +
            expression + "\n====\n");
    directory_.write("M.cfg", "INIT Init\nNEXT Next\n");
    const auto json = limited("txscope model M.tla", 300, 100);
    EXPECT_EQ(json["results"][0]["verdict"], "undecided") << expression;
  };
  model("Cardinality({s \\in SUBSET (1..40) : s # {}})");
  model("Cardinality({f : f \\in [1..9 -> 1..9]})");
  model("Cardinality({t : t \\in (1..3000) \\X (1..3000)})");
  model(
      "Len(SortSeq([i \\in 1..3000000 |-> 3000000 - i], "
      "LAMBDA a, b : a < b))");
  model("Len(ToString(SUBSET (1..24)))");
  model("Cardinality(UNION {SUBSET (1..i) : i \\in 1..24})");
  EXPECT_EQ(run("txscope model /dev/zero --memory 60M").status, 3);
  EXPECT_EQ(run("txscope model /dev/zero --timeout 200ms").status, 3);
}

// The run that shows a violation is told although the time is up.
TEST_F(Budgets, LeaveAViolationOfSqlTold) {
  std::string text =
      "CREATE TABLE t (id int PRIMARY KEY, n int NOT NULL);\n"
      "INSERT INTO t VALUES (1, 0);\n"
      "CREATE PROCEDURE p() LANGUAGE plpgsql AS $$\nDECLARE v int;\nBEGIN\n"
      "  SELECT n INTO v FROM t WHERE id = 1;\n"
      "  UPDATE t SET n = v + 1 WHERE id = 1;\nEND $$;\n";
  for (const char session : {'a', 'b', 'c', 'd'})
    text += "--@ session " + std::string(1, session) +
            ": CALL p(); CALL p(); CALL p();\n";
  text += "--@ invariant counted: (SELECT n FROM t WHERE id = 1) = 12\n";
  directory_.write("four.sql", text);
  EXPECT_EQ(limited("txscope explore four.sql --level causal", 1000,
                    500)["results"][0]["verdict"],
            "violated");
  for (const std::string level :
       {"all", "causal", "postgresql", "mariadb:repeatable-read",
        "read-committed,postgresql:serializable"})
    for (const int milliseconds : {1, 5, 20, 100})
      limited("txscope explore four.sql --all --level " + level, milliseconds,
              500);
}

}  // namespace
}  // namespace txscope
