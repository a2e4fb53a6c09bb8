// Where calls hurt somebody: files that are no files, closed outputs, signals,
// control characters.

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "support/run_command.h"

namespace txscope {
namespace {

namespace fs = std::filesystem;
using test::Ran;
using test::run_command;
using test::TemporaryDirectory;

constexpr char kGood[] =
    "{\"session\":\"a\",\"ops\":[[\"w\",\"x\",1]]}\n"
    "{\"session\":\"b\",\"ops\":[[\"r\",\"x\",1]]}\n";
constexpr char kProgram[] =
    "var x\nsession {\n  txn {\n    a = read x\n    write x = a + 1\n  }\n}\n";

class Edges : public testing::Test {
 protected:
  Edges() { directory_.write("h.jsonl", kGood); }
  Ran run(const std::string& command) const {
    return run_command(command, directory_.path());
  }
  [[nodiscard]] std::string path(const std::string& name) const {
    return directory_.path() + "/" + name;
  }
  [[nodiscard]] std::size_t files() const {
    std::size_t count = 0;
    for (const auto& entry : fs::directory_iterator(directory_.path())) {
      (void)entry;
      ++count;
    }
    return count;
  }
  TemporaryDirectory directory_;
};

using Files = Edges;

TEST_F(Files, OutputThroughALinkWritesItsTarget) {
  directory_.write("real.txt", "old");
  fs::create_symlink("real.txt", path("link.txt"));
  EXPECT_EQ(run("txscope check h.jsonl -o link.txt").status, 0);
  EXPECT_TRUE(fs::is_symlink(path("link.txt")));
  EXPECT_NE(directory_.read("real.txt"), "old");
}

TEST_F(Files, OutputThroughADanglingLinkCreatesItsTarget) {
  fs::create_symlink("new.txt", path("link.txt"));
  EXPECT_EQ(run("txscope check h.jsonl -o link.txt").status, 0);
  EXPECT_TRUE(fs::is_symlink(path("link.txt")));
  EXPECT_TRUE(fs::is_regular_file(path("new.txt")));
}

TEST_F(Files, AnExistingFileKeepsItsMode) {
  directory_.write("secret.txt", "old");
  fs::permissions(path("secret.txt"), fs::perms(0600));
  EXPECT_EQ(run("txscope check h.jsonl -o secret.txt").status, 0);
  struct stat status {};
  ASSERT_EQ(stat(path("secret.txt").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
}

TEST_F(Files, APipeIsWrittenNotReplaced) {
  for (const std::string call :
       {"check h.jsonl -o pipe", "convert h.jsonl --to jsonl -o pipe"}) {
    const Ran ran =
        run("rm -f pipe; mkfifo pipe && (timeout 20 cat pipe > got &"
            " txscope " +
            call + "; wait); test -p pipe");
    EXPECT_EQ(ran.status, 0) << ran.output;
    EXPECT_FALSE(directory_.read("got").empty()) << call;
  }
}

TEST_F(Files, HistoriesGoIntoAPipeToo) {
  directory_.write("p.txn", kProgram);
  const Ran ran =
      run("mkfifo pipe && (timeout 20 cat pipe > got & timeout 20 txscope "
          "explore p.txn "
          "--level causal --histories pipe >/dev/null; wait); test -p pipe");
  EXPECT_EQ(ran.status, 0) << ran.output;
}

TEST_F(Files, TheInputIsNeverOverwritten) {
  fs::create_symlink("h.jsonl", path("again.jsonl"));
  fs::create_hard_link(path("h.jsonl"), path("hard.jsonl"));
  for (const std::string output :
       {"h.jsonl", "./h.jsonl", "again.jsonl", "hard.jsonl"}) {
    EXPECT_EQ(run("txscope check h.jsonl -o " + output).status, 2) << output;
    EXPECT_EQ(run("txscope convert h.jsonl -o " + output).status, 2) << output;
    EXPECT_EQ(directory_.read("h.jsonl"), kGood);
  }
  directory_.write("p.txn", kProgram);
  EXPECT_EQ(
      run("txscope explore p.txn --level causal --histories p.txn").status, 2);
  EXPECT_EQ(directory_.read("p.txn"), kProgram);
}

TEST_F(Files, NoFileOfADirectoryThatIsReadIsOverwritten) {
  fs::create_directory(path("runs"));
  fs::copy_file(path("h.jsonl"), path("runs/h.jsonl"));
  EXPECT_EQ(run("txscope check runs -o runs/h.jsonl").status, 2);
  EXPECT_EQ(directory_.read("runs/h.jsonl"), kGood);
  EXPECT_EQ(run("txscope check runs -o runs/new.txt").status, 0);
}

TEST_F(Files, TheConfigurationBesideASpecificationIsNotOverwritten) {
  const std::string spec =
      "---- MODULE M ----\nVARIABLE x\nInit == x = 0\nNext == x' = x\n====\n";
  const std::string config = "INIT Init\nNEXT Next\n";
  directory_.write("M.tla", spec);
  directory_.write("M.cfg", config);
  for (const std::string option :
       {"-o M.cfg", "-o M.tla", "--dump M.tla", "--checkpoint M.cfg"}) {
    EXPECT_EQ(run("txscope model M.tla " + option).status, 2) << option;
    EXPECT_EQ(directory_.read("M.cfg"), config) << option;
    EXPECT_EQ(directory_.read("M.tla"), spec) << option;
  }
}

TEST_F(Files, TheSameFileIsNotWrittenTwice) {
  EXPECT_EQ(
      run("txscope check h.jsonl --format json -o a --format text -o a").status,
      2);
}

TEST_F(Files, AFullOrClosedStandardOutputIsTold) {
  for (const std::string call :
       {"--help", "check --help", "check h.jsonl", "convert h.jsonl --to edn",
        "generate --transactions 3", "explain write-skew"}) {
    EXPECT_EQ(run("txscope " + call + " > /dev/full").status, 2) << call;
    EXPECT_EQ(run("txscope " + call + " >&-").status, 2) << call;
  }
}

TEST_F(Files, AClosedStandardOutputIsNotTakenByAFile) {
  EXPECT_EQ(run("txscope convert h.jsonl --to jsonl -o out.jsonl >&-").status,
            0);
  EXPECT_EQ(run("txscope check out.jsonl").status, 0);
}

TEST_F(Files, ALinkToNothingIsNoMissingSession) {
  fs::create_directory(path("cobra"));
  fs::create_symlink("gone", path("cobra/T2.log"));
  const Ran ran = run("txscope check cobra --input-format cobra");
  EXPECT_EQ(ran.status, 2);
  EXPECT_TRUE(ran.said("symbolic link to nothing")) << ran.output;
}

using Values = Edges;

TEST_F(Values, NumbersThatDoNotFitAreRefused) {
  for (const std::string call :
       {"check h.jsonl --timeout 1e10h", "check h.jsonl --memory 1e15G",
        "generate --seed 18446744073709551616", "generate --keys 12x",
        "generate --sessions -1"})
    EXPECT_EQ(run("txscope " + call + " > out.txt").status, 2) << call;
  EXPECT_EQ(run("txscope generate --transactions 3 --seed 18446744073709551615"
                " > out.txt")
                .status,
            0);
}

TEST_F(Values, ControlCharactersDoNotReachTheTerminal) {
  directory_.write(
      "evil.jsonl",
      "{\"session\":\"a\\u001b[31m\",\"id\":\"t\\u0007\",\"ops\":[[\"r\","
      "\"x\\u009b1\",1]]}\n");
  for (const std::string file : {"evil.jsonl", "'no\033such'"}) {
    const Ran ran = run("txscope check " + file);
    for (const char c : ran.output)
      EXPECT_TRUE(c == '\n' || c == '\t' || (c & 0xe0) != 0 || c < 0)
          << static_cast<int>(c);
    EXPECT_FALSE(ran.said("\xc2\x9b"));
  }
}

TEST_F(Values, NamesOfFilesDoNotBreakTheLine) {
  directory_.write("a\nb.jsonl", kGood);
  const Ran ran = run("txscope check 'a\nb.jsonl' h.jsonl");
  EXPECT_TRUE(ran.said("a\\nb.jsonl: ")) << ran.output;
  EXPECT_FALSE(ran.said("\nb.jsonl")) << ran.output;
}

// A name could otherwise write a line of the report, even a verdict.
TEST_F(Values, NamesDoNotBreakTheLine) {
  directory_.write(
      "evil.jsonl",
      R"({"session":"a","id":"t\nevil.jsonl: serializable holds","ops":)"
      R"([["r","x\ny",null],["w","x\ny","1\t2"]]})"
      "\n"
      R"({"session":"b\n","ops":[["r","x\ny",null],["w","x\ny",3]]})"
      "\n");
  for (const std::string format : {"text", "dot"}) {
    const std::string output =
        run("txscope check evil.jsonl --all --format " + format).output;
    EXPECT_EQ(output.find("\nevil.jsonl: serializable holds"),
              std::string::npos)
        << output;
    EXPECT_EQ(output.find("x\ny"), std::string::npos) << output;
    EXPECT_EQ(output.find('\t'), std::string::npos) << output;
    EXPECT_NE(output.find("x\\"), std::string::npos) << output;
  }
  directory_.write("twice.jsonl", R"({"session":"a","id":"t\nu","ops":[]})"
                                  "\n"
                                  R"({"session":"a","id":"t\nu","ops":[]})"
                                  "\n");
  const Ran ran = run("txscope check twice.jsonl");
  EXPECT_EQ(ran.status, 2);
  EXPECT_TRUE(ran.said("id t\\nu is used twice")) << ran.output;
}

// Else "paid 10" could be shown as "01 diap".
TEST_F(Values, NamesDoNotTurnTheDirectionOfTheLine) {
  directory_.write("evil.jsonl",
                   "{\"session\":\"a\",\"id\":\"t\\u202e\",\"ops\":[[\"r\","
                   "\"x\\u2066\",1]]}\n");
  const std::string output = run("txscope check evil.jsonl").output;
  EXPECT_EQ(output.find("\xe2\x80\xae"), std::string::npos);
  EXPECT_NE(output.find("t\\u202e"), std::string::npos) << output;
  EXPECT_NE(output.find("r(x\\u2066)"), std::string::npos) << output;
}

// The column of lines stands where it does without the escape.
TEST_F(Values, EscapesHaveTheirWidth) {
  const auto column = [&](const std::string& session) {
    directory_.write("h.jsonl", "{\"session\":\"" + session +
                                    "\",\"ops\":[[\"r\",\"x\",1]]}\n");
    const std::string output = run("txscope check h.jsonl").output;
    const std::size_t line = output.find("\n", output.find("The trans"));
    return output.find("line 1", line) - line;
  };
  EXPECT_EQ(column("a\\u001b"), column("a"));
  EXPECT_EQ(column("a\\u202e"), column("a"));
}

TEST_F(Values, ASpecificationDoesNotComeFromStandardInput) {
  EXPECT_EQ(run("txscope model - < /dev/null").status, 2);
  EXPECT_EQ(run("txscope model --help").output.find("standard input"),
            std::string::npos);
}

using JsonErrors = Edges;

TEST_F(JsonErrors, AreOnStandardOutputForEveryVerb) {
  directory_.write("bad.jsonl",
                   "{\"session\":\"a\",\"ops\":[[\"z\",\"x\",1]]}\n");
  directory_.write("bad.txn", "session a {\n");
  directory_.write("bad.sql", "CREATE TABL t;\n");
  directory_.write("bad.tla", "MODULE\n");
  struct Row {
    std::string call;
    std::string file;
    bool has_line;
  };
  for (const Row& row :
       {Row{"check bad.jsonl", "bad.jsonl", true},
        Row{"explore bad.txn", "bad.txn", true},
        Row{"explore bad.sql", "bad.sql", true},
        Row{"model bad.tla", "bad.tla", true},
        Row{"explain nonsuch-anomaly-at-all", "txscope", false},
        Row{"check h.jsonl --level nonsense", "txscope", false},
        Row{"check h.jsonl --nonsense", "txscope", false},
        Row{"check none.jsonl", "none.jsonl", false}}) {
    const Ran ran = run("txscope " + row.call + " --format json 2>/dev/null");
    EXPECT_EQ(ran.status, 2) << row.call;
    const auto json = nlohmann::json::parse(ran.output, nullptr, false);
    ASSERT_TRUE(json.is_object()) << row.call << "\n" << ran.output;
    const auto& error = json["error"];
    EXPECT_FALSE(error["message"].get<std::string>().empty());
    EXPECT_EQ(error["file"], row.file);
    EXPECT_EQ(error["line"].is_number(), row.has_line) << ran.output;
    EXPECT_TRUE(error.contains("column"));
    EXPECT_TRUE(error.contains("hint"));
  }
}

TEST_F(JsonErrors, AreNotPrintedWhereTextIsWanted) {
  EXPECT_EQ(run("txscope check none.jsonl 2>/dev/null").output, "");
  EXPECT_EQ(run("txscope check none.jsonl --format json -o r.json 2>/dev/null")
                .output,
            "");
}

// Not even its first string is closed: there is no place in it to point at.
TEST_F(Edges, ALogThatEndsInItsFirstLineIsRefused) {
  directory_.write("log.jsonl", "{\"txscope\":\"log\",\"\n");
  const Ran ran = run("txscope audit log.jsonl --level serializable");
  EXPECT_EQ(ran.status, 2) << ran.output;
  EXPECT_TRUE(ran.said("log.jsonl:1:1: ")) << ran.output;
}

using Signals = Edges;

// A search that takes for ever.
constexpr char kEndless[] =
    "txscope generate --transactions 400000000 --sessions 3 --keys 3 ";

TEST_F(Signals, EndTheProgramWithTheirNumberAndLeaveNothing) {
  const std::size_t before = files();
  EXPECT_EQ(run("timeout -s INT 0.5 " + std::string(kEndless) +
                " -o out.jsonl; test $? = 124")
                .status,
            0);
  EXPECT_EQ(run("(" + std::string(kEndless) +
                " -o out.jsonl & sleep 1; kill -TERM $!; wait $!)")
                .status,
            143);
  EXPECT_EQ(files(), before);
}

// It has nothing to tell, so there is nothing to wait for.
TEST_F(Signals, AreHeardAtOnceByWhatWritesHistories) {
  // It would go on for minutes: that this returns at all is the point.
  const Ran ran = run("(" + std::string(kEndless) +
                      " -o out.jsonl & sleep 0.5; kill -TERM $!; wait $!)");
  EXPECT_EQ(ran.status, 143) << ran.output;
  EXPECT_TRUE(ran.said("interrupted")) << ran.output;
}

// More histories than anybody waits for.
std::string long_program() {
  std::string program = "var x\n";
  for (int i = 0; i < 9; ++i)
    program +=
        "session {\n  txn {\n    a = read x\n    write x = a + 1\n  }\n}\n";
  return program;
}

TEST_F(Signals, TellWhatIsKnownAndLeaveAnExistingReport) {
  directory_.write("long.txn", long_program());
  directory_.write("report.txt", "old");
  const Ran ran =
      run("(txscope explore long.txn --level causal -o report.txt & sleep 1.5;"
          " kill -TERM $!; wait $!)");
  EXPECT_EQ(ran.status, 143) << ran.output;
  EXPECT_TRUE(ran.said("interrupted")) << ran.output;
  EXPECT_TRUE(ran.said("causal")) << ran.output;
  EXPECT_EQ(directory_.read("report.txt"), "old");
}

TEST_F(Signals, TellWhatIsKnownOfAModelToo) {
  directory_.write("M.tla",
                   "---- MODULE M ----\nEXTENDS Naturals\nVARIABLE x\n"
                   "Init == x = 0\nNext == x' = x + 1\n====\n");
  directory_.write("M.cfg", "INIT Init\nNEXT Next\n");
  directory_.write("report.txt", "old");
  for (const std::string name : {"TERM", "INT"}) {
    // A shell's background jobs ignore SIGINT; timeout's children do not.  A
    // busy machine may need longer until there is something to tell.
    const auto after = [&](const std::string& seconds) {
      return run("timeout -s " + name + " " + seconds +
                 " txscope model M.tla -o report.txt; test $? = 124");
    };
    Ran ran = after("1.5");
    for (const std::string seconds : {"6", "24"})
      if (!ran.said("states generated")) ran = after(seconds);
    EXPECT_EQ(ran.status, 0) << ran.output;
    EXPECT_TRUE(ran.said("UNDECIDED: the search was interrupted"))
        << ran.output;
    EXPECT_TRUE(ran.said("states generated")) << ran.output;
    EXPECT_EQ(directory_.read("report.txt"), "old") << name;
  }
}

TEST_F(Signals, HistoriesOfASearchThatWasCutGetNoName) {
  directory_.write("long.txn", long_program());
  const std::string call =
      "txscope explore long.txn --level causal --histories all.jsonl";
  EXPECT_EQ(run(call + " --timeout 300ms").status, 3);
  EXPECT_FALSE(fs::exists(path("all.jsonl")));
  EXPECT_EQ(run("(" + call + " & sleep 1.5; kill -TERM $!; wait $!)").status,
            143);
  EXPECT_FALSE(fs::exists(path("all.jsonl")));
}

// What has not been read has no number of transactions.
TEST_F(Signals, AReadingThatWasInterruptedIsToldAsThat) {
  const Ran ran =
      run(R"((yes '{"session":1,"ops":[["w","x",1]]}' | txscope check - & )"
          "sleep 1.2; kill -TERM $!; wait $!)");
  EXPECT_EQ(ran.status, 143) << ran.output;
  EXPECT_FALSE(ran.said("0 transactions")) << ran.output;
  EXPECT_TRUE(ran.said("it was not read to its end")) << ran.output;
}

}  // namespace
}  // namespace txscope
