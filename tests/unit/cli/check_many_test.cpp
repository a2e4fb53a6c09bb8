// `check` of several inputs, of directories, and of every anomaly at once.

#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "support/run_command.h"

namespace txscope {
namespace {

using test::Ran;
using test::run_command;
using test::TemporaryDirectory;

constexpr char kSerial[] = R"({"session":"a","ops":[["w","x",1]]}
{"session":"a","ops":[["r","x",1]]}
)";
// Two lost updates, of keys x and y.
constexpr char kLostUpdates[] =
    R"({"session":"a","ops":[["r","x",0],["w","x",1]]}
{"session":"b","ops":[["r","x",0],["w","x",2]]}
{"session":"a","ops":[["r","y",0],["w","y",1]]}
{"session":"b","ops":[["r","y",0],["w","y",2]]}
)";
constexpr char kDirty[] =
    R"({"session":"a","ops":[["w","x",1]],"status":"aborted"}
{"session":"b","ops":[["r","x",1]]}
)";
constexpr char kJepsen[] =
    "{:type :invoke, :f :txn, :value [[:append 5 1] [:r 5 nil]], :process 0, "
    ":time 1, "
    ":index 0}\n"
    "{:type :ok, :f :txn, :value [[:append 5 1] [:r 5 [1]]], :process 0, "
    ":time 2, "
    ":index 1}\n";

class CheckMany : public testing::Test {
 protected:
  void file(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories(
        std::filesystem::path(directory_.path() + "/" + name).parent_path());
    directory_.write(name, text);
  }
  Ran check(const std::string& arguments) const {
    return run_command("txscope check " + arguments, directory_.path());
  }
  nlohmann::json json(const std::string& arguments) const {
    return nlohmann::json::parse(
        check(arguments + " --format json 2>/dev/null").output);
  }
  TemporaryDirectory directory_;
};

TEST_F(CheckMany, AllCountsEachKindWithItsSmallestInstance) {
  file("h.jsonl", kLostUpdates);
  const auto report = json("h.jsonl --all --certify");
  for (const auto& result : report["results"]) {
    const bool is_psi = result["level"] == "parallel-snapshot-isolation";
    EXPECT_TRUE(result["all_counted"]);
    EXPECT_EQ(result["committed"], 4);
    EXPECT_EQ(result["aborted"], 0);
    EXPECT_EQ(result["unknown"], 0);
    EXPECT_EQ(result["reads"], 4);
    EXPECT_EQ(result["writes"], 4);
    EXPECT_EQ(result["sessions"], 2);
    EXPECT_EQ(result["keys"], 2);
    ASSERT_EQ(result["anomalies"].size(), is_psi ? 1u : 0u) << result;
    if (!is_psi) continue;
    EXPECT_EQ(result["anomalies"][0]["anomaly_words"], "lost update");
    EXPECT_EQ(result["anomalies"][0]["count"], 2);
    EXPECT_EQ(result["anomalies"][0]["cycle"].size(), 2u);
  }
  const Ran text = check("h.jsonl --all");
  EXPECT_EQ(text.status, 1);
  EXPECT_TRUE(text.said("4 committed, 0 aborted, 0 of unknown outcome"))
      << text.output;
  EXPECT_TRUE(text.said("smallest of 2")) << text.output;
}

// What only a strict level forbids needs its order, and is called so.
TEST_F(CheckMany, AllNamesTheOrderThatIsNeeded) {
  ASSERT_EQ(run_command("txscope generate --sessions 5 --transactions 200 "
                        "--keys 10 --level read-committed --seed 3 -o g.jsonl",
                        directory_.path())
                .status,
            0);
  std::istringstream lines(check("g.jsonl --all").output);
  std::size_t strict = 0;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("  strict-") || line.back() != ')') continue;
    EXPECT_TRUE(line.ends_with("-realtime)")) << line;
    ++strict;
  }
  EXPECT_GT(strict, 0u);
}

TEST_F(CheckMany, WithoutAllNothingIsCounted) {
  file("h.jsonl", kLostUpdates);
  EXPECT_FALSE(json("h.jsonl")["results"][0].contains("anomalies"));
}

TEST_F(CheckMany, SaysThatNothingCommitted) {
  file("h.jsonl", R"({"session":"a","ops":[["w","x",1]],"status":"aborted"})");
  const Ran ran = check("h.jsonl");
  EXPECT_EQ(ran.status, 3);
  EXPECT_TRUE(ran.said("VACUOUS, nothing was checked: nothing committed"))
      << ran.output;
  EXPECT_EQ(json("h.jsonl")["results"][0]["nothing_committed"], true);
  // Also where only summary lines are read, and where outcomes are unknown.
  file("u.jsonl", R"({"session":"a","ops":[["w","x",1]],"status":"unknown"})");
  const Ran both = check("h.jsonl u.jsonl --level serializable");
  EXPECT_TRUE(
      both.said("  h.jsonl  VACUOUS, nothing was checked: nothing "
                "committed\n"))
      << both.output;
  EXPECT_TRUE(both.said("checked: nothing is known to have committed\n"))
      << both.output;
  // What is judged is not nothing.
  EXPECT_FALSE(check("h.jsonl --judge-aborted").said("othing committed"));
}

TEST_F(CheckMany, SumsUpSeveralFilesLineByLine) {
  file("a.jsonl", kSerial);
  file("b.jsonl", kDirty);
  for (const std::string jobs : {"", " --jobs 2"}) {
    const Ran ran = check("a.jsonl b.jsonl" + jobs);
    EXPECT_EQ(ran.status, 1);
    EXPECT_TRUE(
        ran.said("2 histories: 1 without a violation, 1 violated\n"
                 "  a.jsonl  every level asked for holds (session "
                 "order)\n"
                 "  b.jsonl  VIOLATED: aborted read from read-committed up "
                 "(session order)\n"))
        << ran.output;
    EXPECT_TRUE(ran.said("aborted read (G1a)")) << ran.output;
  }
  const auto report = json("a.jsonl b.jsonl --level read-committed");
  EXPECT_EQ(report["input"], nlohmann::json::array({"a.jsonl", "b.jsonl"}));
  ASSERT_EQ(report["results"].size(), 2u);
  EXPECT_EQ(report["results"][0]["input"], "a.jsonl");
  EXPECT_EQ(report["results"][0]["verdict"], "holds");
  EXPECT_EQ(report["results"][1]["input"], "b.jsonl");
  EXPECT_EQ(report["results"][1]["verdict"], "violated");
}

TEST_F(CheckMany, GoesOnAfterAFileThatIsNoHistory) {
  file("a.jsonl", "hello\n");
  file("b.jsonl", kSerial);
  const Ran ran = check("a.jsonl b.jsonl");
  EXPECT_EQ(ran.status, 2);
  EXPECT_TRUE(ran.said("1 file could not be read")) << ran.output;
  EXPECT_TRUE(ran.said("b.jsonl  every level asked for holds")) << ran.output;
  const auto report = json("a.jsonl b.jsonl --level rc");
  EXPECT_EQ(report["results"][0]["input"], "a.jsonl");
  EXPECT_TRUE(report["results"][0]["error"].contains("message"));
  EXPECT_EQ(report["results"][1]["verdict"], "holds");
}

TEST_F(CheckMany, FindsTheHistoriesBelowADirectory) {
  file("d/one.jsonl", kSerial);
  file("d/notes.txt", "nothing to see here\n");
  file("d/deeper/two.jsonl", kDirty);
  const Ran ran = check("d");
  EXPECT_EQ(ran.status, 1);
  EXPECT_TRUE(ran.said("2 histories: 1 without a violation, 1 violated"))
      << ran.output;
  file("e/notes.txt", "nothing to see here\n");
  EXPECT_EQ(check("e").status, 2);
}

// store/<test>/<time>/, and links to the latest run.
TEST_F(CheckMany, ReadsEachRunOfAJepsenStoreOnce) {
  for (const std::string run : {"20260101T1", "20260102T1"}) {
    file("store/append/" + run + "/history.edn", kJepsen);
    file("store/append/" + run + "/history.txt", "0 :invoke :txn\n");
    file("store/append/" + run + "/results.edn", "{:valid? true}\n");
    file("store/append/" + run + "/jepsen.log", "INFO started\n");
  }
  std::filesystem::create_directory_symlink(
      "20260102T1", directory_.path() + "/store/append/latest");
  const Ran ran = check("store");
  EXPECT_EQ(ran.status, 0) << ran.output;
  EXPECT_TRUE(
      ran.said("2 histories: 2 without a violation, 0 violated\n"
               "  store/append/20260101T1/history.edn  every level"))
      << ran.output;
  EXPECT_EQ(check("store/append/20260101T1").status, 0);
}

TEST_F(CheckMany, AdvisesWhoTestsADatabaseAboutTheDatabase) {
  file("h.edn",
       "{:type :ok, :f :txn, :value [[:r :x nil] [:w :x 1]], :process 0}\n"
       "{:type :ok, :f :txn, :value [[:r :x nil] [:w :x 2]], :process 1}\n");
  const Ran ran = check("h.edn");
  EXPECT_EQ(ran.status, 1);
  EXPECT_TRUE(ran.said("A database that promises")) << ran.output;
  EXPECT_FALSE(ran.said("FOR UPDATE")) << ran.output;
}

TEST_F(CheckMany, DrawsOneGraphOfAllInputs) {
  file("a.jsonl", kLostUpdates);
  file("b.jsonl", kDirty);
  const Ran ran = check("a.jsonl b.jsonl --format dot");
  EXPECT_EQ(ran.output.find("digraph"), ran.output.rfind("digraph"));
  std::size_t opened = 0;
  for (std::size_t at = 0;
       (at = ran.output.find("subgraph \"cluster_", at)) != std::string::npos;
       ++at)
    ++opened;
  EXPECT_EQ(opened, 2u) << ran.output;
}

// Histories of a file and levels of a large one side by side, reading ahead.
TEST_F(CheckMany, JobsGiveTheSameReport) {
  run_command(
      "for i in 1 2 3 4 5 6 7; do txscope generate --transactions 40 --keys 5 "
      "--level prefix --seed $i; done > many.jsonl; "
      "txscope generate --level snapshot-isolation --transactions 1500 --keys "
      "50 --no-times | gzip > large.jsonl.gz",
      directory_.path());
  for (const std::string file : {"many.jsonl", "large.jsonl.gz"}) {
    const Ran one = check(file);
    EXPECT_EQ(one.status, 1) << one.output;
    for (const std::string jobs : {"2", "5"})
      EXPECT_EQ(check(file + " --jobs " + jobs).output, one.output) << jobs;
  }
  // A mistake behind good histories, and a file that ends too early.
  run_command(
      "echo nonsense >> many.jsonl; head -c 9000 large.jsonl.gz > cut.gz",
      directory_.path());
  for (const std::string file : {"many.jsonl", "cut.gz"})
    EXPECT_EQ(check(file + " --jobs 4").output, check(file).output) << file;
}

}  // namespace
}  // namespace txscope
