// Reports in a real browser, and against the schemas of others.  Skipped, with
// a word, where there is none.
#include <gtest/gtest.h>

#include "unit/reports/written.h"

namespace txscope {
namespace {

using test::Ran;
using test::run_command;
using test::TemporaryDirectory;

constexpr int kSkipped = 77;

Ran node(const std::string& script, const std::string& arguments) {
  return run_command(
      "command -v node > /dev/null || { echo 'SKIP node is not "
      "installed'; exit 77; }; node tests/browser/" +
          script + " " + arguments,
      test::source_dir());
}

struct Page {
  const char* name;
  const char* call;
};

/// Of every verb; `race` where there is a server.
constexpr Page kPages[] = {
    {"analyze", "analyze examples/bank/bank.sql"},
    {"explore", "explore examples/bank/bank.sql"},
    {"program", "explore examples/programs/long_fork.txn"},
    {"verify",
     "verify examples/verify/simplebank.sql --level snapshot-isolation"},
    {"robust", "robust examples/bank/bank.sql"},
    {"audit", "audit examples/logs/lost-update.jsonl"},
    {"model",
     "model examples/tla/TwoPhase.tla --config "
     "examples/tla/TwoPhaseCareless.cfg"},
    {"holds",
     "model examples/tla/TwoPhase.tla --config "
     "examples/tla/TwoPhaseLive.cfg"},
    {"race", "race examples/race/oversell/case.json"},
};

TEST(Browser, OpensStepsPrintsAndSavesReports) {
  const TemporaryDirectory directory;
  const std::string at = directory.path() + "/";
  std::string script =
      "txscope generate --transactions 10000 --plant write-skew -o " + at +
      "h.jsonl; txscope check " + at + "h.jsonl --format html -o " + at +
      "check.html;";
  for (const Page& page : kPages)
    script += "txscope " + std::string(page.call) + " --format html -o " + at +
              page.name + ".html;";
  const Ran ran = run_command(script + "true", test::source_dir());
  std::string files = at + "check.html";
  for (const Page& page : kPages) {
    const bool is_there =
        run_command("test -s " + std::string(page.name) + ".html",
                    directory.path())
            .status == 0;
    EXPECT_TRUE(is_there || std::string(page.name) == "race") << ran.output;
    if (is_there) files += " " + at + page.name + ".html";
  }
  const Ran browser = node("report.mjs", files);
  if (browser.status == kSkipped) GTEST_SKIP() << browser.output;
  EXPECT_EQ(browser.status, 0) << ran.output << browser.output;
  // What the page saved is what --baseline reads.
  const Ran again = run_command(
      "txscope analyze examples/bank/bank.sql --format sarif --baseline " + at +
          "analyze.saved.html",
      test::source_dir());
  EXPECT_TRUE(again.said("\"suppressions\"")) << again.output;
  EXPECT_TRUE(again.said("agreed")) << again.output;
}

TEST(Schemas, AcceptSarifOfEveryVerb) {
  const TemporaryDirectory directory;
  const std::string at = directory.path();
  std::string arguments;
  int number = 0;
  for (const char* call :
       {"check examples/histories/lost-update.jsonl",
        "explore examples/bank/bank.sql --all --level all",
        "analyze examples/bank/bank.sql", "robust examples/bank/bank.sql",
        "verify examples/verify/simplebank.sql",
        "audit examples/logs/lost-update.jsonl",
        "model examples/tla/TwoPhase.tla --config "
        "examples/tla/TwoPhaseCareless.cfg",
        "explore examples/tpcc/tpcc.sql --timeout 1ms"}) {
    const std::string file = at + "/" + std::to_string(++number) + ".sarif";
    run_command(std::string("txscope ") + call + " --format sarif -o " + file,
                test::source_dir());
    arguments += " sarif-2.1.0 " + file;
  }
  const Ran ran = node("validate.mjs", arguments);
  if (ran.status == kSkipped) GTEST_SKIP() << ran.output;
  EXPECT_EQ(ran.status, 0) << ran.output;
}

TEST(Assets, AreFormattedAndLinted) {
  const Ran ran = run_command(
      "test -x build/tools/node_modules/.bin/prettier || exit 77; "
      "build/tools/node_modules/.bin/prettier --check --print-width 92 "
      "src/report/html/assets tests/browser && "
      "build/tools/node_modules/.bin/eslint -c tests/browser/eslint.config.mjs "
      "src/report/html/assets tests/browser",
      test::source_dir());
  if (ran.status == kSkipped) GTEST_SKIP() << "prettier is not installed";
  EXPECT_EQ(ran.status, 0) << ran.output;
}

}  // namespace
}  // namespace txscope
