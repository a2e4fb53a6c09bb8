// What txscope does on a terminal: progress while it reads and searches, and
// colour; and that it does neither elsewhere.

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "support/paths.h"
#include "support/run_command.h"

namespace txscope {
namespace {

using test::Ran;
using test::run_command;
using test::TemporaryDirectory;

class Terminal : public testing::Test {
 protected:
  /// With standard output and standard error on a terminal of its own.
  Ran on_terminal(const std::string& call) const {
    return run_command("script -qec '" + call + "' /dev/null < /dev/null",
                       directory_.path());
  }
  /// Written in pieces, so that reading takes its time.
  static std::string slow_lines() {
    return "(for i in 1 2 3 4; do echo "
           "{\\\"session\\\":$i,\\\"ops\\\":[[\\\"w\\\",\\\"x\\\",$i],"
           "[\\\"r\\\",\\\"y\\\",0]]}; sleep 0.3; done)";
  }
  TemporaryDirectory directory_;
};

constexpr char kClearLine[] = "\r\033[K";

TEST_F(Terminal, ReadingShowsProgressAndTakesItAwayAgain) {
  directory_.write("run", slow_lines() + " | txscope check - --level causal\n");
  const Ran ran = on_terminal("sh run");
  const std::size_t shown =
      ran.output.find(std::string(kClearLine) + "reading -, ");
  ASSERT_NE(shown, std::string::npos) << ran.output;
  // The line is cleared before the answer comes.
  const std::size_t answer = ran.output.find("holds");
  ASSERT_NE(answer, std::string::npos) << ran.output;
  EXPECT_LT(shown, answer);
  EXPECT_EQ(ran.output.substr(0, answer).rfind("reading"),
            ran.output.rfind("reading"));
}

TEST_F(Terminal, SearchingShowsProgressToo) {
  // 300 transactions whose writers, order and outcomes are all open.
  run_command(
      "txscope generate --transactions 300 --sessions 20 --keys 4 --values 3 "
      "--operations 4 --unknown 0.2 --no-times --seed 3 -o open.jsonl",
      directory_.path());
  const Ran ran = on_terminal(
      "txscope check open.jsonl --level serializable "
      "--timeout 1500ms");
  EXPECT_TRUE(ran.said("checking open.jsonl, 300 transactions, "))
      << ran.output;
}

TEST_F(Terminal, ThereIsNoProgressElsewhere) {
  const Ran ran = run_command(
      slow_lines() + " | txscope check - --level causal", directory_.path());
  EXPECT_FALSE(ran.said("reading")) << ran.output;
  EXPECT_FALSE(ran.said("\033")) << ran.output;
}

TEST_F(Terminal, VerdictsHaveColourUnlessItIsUnwanted) {
  directory_.write("h.jsonl", R"({"session":"a","ops":[["r","x",7]]})"
                              "\n");
  EXPECT_TRUE(on_terminal("txscope check h.jsonl").said("\033["));
  EXPECT_FALSE(on_terminal("NO_COLOR=1 txscope check h.jsonl 2>/dev/null")
                   .said("\033["));
}

TEST_F(Terminal, ColourCanBeAskedForAndForbidden) {
  directory_.write("h.jsonl", R"({"session":"a","ops":[["r","x",7]]})"
                              "\n");
  const auto run = [&](const std::string& call) {
    return run_command(call, directory_.path());
  };
  EXPECT_TRUE(run("txscope check h.jsonl --color always").said("\033[1;31m"));
  EXPECT_FALSE(run("txscope check h.jsonl --color auto").said("\033["));
  EXPECT_FALSE(
      on_terminal("txscope check h.jsonl --color never").said("\033[3"));
  EXPECT_EQ(run("txscope check h.jsonl --color sometimes").status, 2);
}

// A row of a table has a verdict per column, and none of them is the other.
TEST_F(Terminal, EveryVerdictOfARowHasItsColour) {
  const std::string red = "\033[1;31m", green = "\033[32m", plain = "\033[0m";
  const Ran rows =
      run_command("txscope explore examples/bank/bank.sql --color always",
                  test::source_dir());
  EXPECT_TRUE(rows.said("postgresql:repeatable-read  6         " + green +
                        "holds" + plain + "      " + red + "VIOLATED" + plain +
                        "   " + red + "VIOLATED" + plain + "   " + green +
                        "holds" + plain + "\n"))
      << rows.output;
  const Ran robust =
      run_command("txscope robust examples/bank/bank.sql --color always",
                  test::source_dir());
  EXPECT_TRUE(robust.said(": " + red + "NOT robust" + plain + " against"))
      << robust.output;
}

TEST_F(Terminal, ChangesOfTheSourceHaveColour) {
  const Ran ran =
      run_command("txscope analyze examples/bank/bank.sql --color always",
                  test::source_dir());
  EXPECT_TRUE(ran.said("\033[1;31m        - 37: ")) << ran.output;
  EXPECT_TRUE(ran.said("\033[32m        + 37: ")) << ran.output;
}

/// Of the lines of lanes; what is to be copied keeps its width.
std::size_t widest(const std::string& text) {
  std::size_t most = 0;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (line.find('|') != std::string::npos) most = std::max(most, line.size());
  return most;
}

TEST_F(Terminal, LanesUseTheColumnsThatThereAre) {
  const std::string call = "txscope explore examples/bank/bank.sql";
  const auto wide = [&](const std::string& columns) {
    return run_command("COLUMNS=" + columns + " " + call, test::source_dir());
  };
  EXPECT_LE(widest(wide("80").output), 80u);
  EXPECT_GT(widest(wide("180").output), 140u);
  EXPECT_LE(widest(wide("180").output), 180u);
  EXPECT_LE(widest(wide("9999").output), 200u);
  // A whole statement in one line, where it fits.
  EXPECT_TRUE(
      wide("180").said("SELECT balance FROM accounts WHERE id = 1 -> "
                       "100"));
  for (const char* nonsense : {"0", "x", "-5", "''"})
    EXPECT_LE(widest(wide(nonsense).output), 200u) << nonsense;
}

TEST_F(Terminal, ATableThatFitsIsOneTable) {
  const Ran ran =
      run_command("txscope explore examples/bank/bank.sql", test::source_dir());
  EXPECT_TRUE(ran.said("[1]        [2]        [3]        [4]\n")) << ran.output;
}

// Six rules, more than 80 columns have room for.
TEST_F(Terminal, AWideTerminalHasAllRulesSideBySide) {
  std::string text =
      "CREATE TABLE t (id integer PRIMARY KEY, n integer);\n"
      "INSERT INTO t VALUES (1, 0);\n"
      "--@ session a: UPDATE t SET n = 1 WHERE id = 1;\n";
  for (int i = 1; i <= 6; ++i)
    text += "--@ invariant r" + std::to_string(i) + ": (SELECT n FROM t) < " +
            std::to_string(i + 5) + "\n";
  directory_.write("six.sql", text);
  const auto wide = [&](const std::string& columns) {
    return run_command("COLUMNS=" + columns + " txscope verify six.sql",
                       directory_.path());
  };
  EXPECT_TRUE(wide("160").said("[5]        [6]\n")) << wide("160").output;
  EXPECT_TRUE(wide("80").said("[3]        [4]\n")) << wide("80").output;
}

TEST_F(Terminal, TheVerdictComesFirst) {
  for (const char* call :
       {"explore examples/bank/bank.sql", "verify examples/bank/bank.sql"}) {
    const Ran ran =
        run_command(std::string("txscope ") + call, test::source_dir());
    EXPECT_EQ(ran.output.find("examples/bank/bank.sql: VIOLATED: "), 0u)
        << ran.output;
  }
}

TEST_F(Terminal, NumbersThatBreakARuleHaveColour) {
  const Ran ran = run_command(
      "txscope explore examples/on-call/on-call.sql --color always "
      "--level postgresql:repeatable-read",
      test::source_dir());
  EXPECT_TRUE(ran.said("is false: \033[1;31m0 >= 1.\033[0m")) << ran.output;
}

TEST_F(Terminal, TheFixComesBeforeTheRun) {
  const Ran ran =
      run_command("txscope explore examples/bank/bank.sql", test::source_dir());
  const std::size_t fix = ran.output.find("What to do");
  const std::size_t lanes = ran.output.find("  line|");
  ASSERT_NE(fix, std::string::npos);
  EXPECT_LT(fix, lanes);
  EXPECT_TRUE(ran.said("is false: 270 = 120.")) << ran.output;
}

TEST_F(Terminal, AStatementByItselfIsToldOnce) {
  directory_.write("t.sql",
                   "CREATE TABLE t (id integer PRIMARY KEY, n integer);\n"
                   "INSERT INTO t VALUES (1, 0);\n"
                   "--@ session a: UPDATE t SET n = n + 1 WHERE id = 1;\n"
                   "--@ session b: UPDATE t SET n = 5 WHERE id = 1;\n"
                   "--@ invariant same: (SELECT n FROM t) = 5\n");
  const Ran ran = run_command(
      "COLUMNS=160 txscope explore t.sql --level postgresql:read-committed",
      directory_.path());
  ASSERT_EQ(ran.status, 1) << ran.output;
  const std::string statement = "| UPDATE t SET n = n + 1 WHERE id = 1";
  const std::size_t first = ran.output.find(statement);
  ASSERT_NE(first, std::string::npos) << ran.output;
  EXPECT_EQ(ran.output.find(statement, first + 1), std::string::npos)
      << ran.output;
}

// Of two variables one changes: its value is coloured, in the second state.
TEST_F(Terminal, ChangedValuesHaveColour) {
  directory_.write("M.tla",
                   "---- MODULE M ----\nEXTENDS Naturals\nVARIABLES x, y\n"
                   "Init == x = 0 /\\ y = 0\nNext == x' = x + 1 /\\ y' = y\n"
                   "Small == x < 1\n====\n");
  directory_.write("M.cfg", "INIT Init\nNEXT Next\nINVARIANT Small\n");
  const Ran ran = on_terminal("txscope model M.tla --all-values");
  EXPECT_TRUE(ran.said("       x = 0")) << ran.output;
  EXPECT_TRUE(ran.said("       \033[36mx = 1\033[0m")) << ran.output;
  EXPECT_FALSE(ran.said("\033[36my")) << ran.output;
}

// A tree whose large parts random walks miss.
TEST_F(Terminal, AnEstimateThatIsNotSureIsNotShown) {
  const auto program = [](const std::string& body) {
    std::string text = "var x\nvar y\nvar z\n";
    for (const char session : {'a', 'b', 'c', 'd'})
      text += "session " + std::string(1, session) + " { txn { " + body +
              " }; txn { " + body + " } }\n";
    return text;
  };
  directory_.write("uneven.txn",
                   program("p = read x; q = read y; r = read z; write x = p; "
                           "write y = q; write z = r"));
  const Ran ran =
      on_terminal("txscope explore uneven.txn --level causal --timeout 1s");
  EXPECT_TRUE(ran.said("end states, ")) << ran.output;
  EXPECT_FALSE(ran.said("in all")) << ran.output;
}

}  // namespace
}  // namespace txscope
