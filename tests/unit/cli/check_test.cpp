// The command line as its users see it: exit statuses, messages, formats.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/run_command.h"

namespace txscope {
namespace {

using test::Ran;
using test::run_command;
using test::TemporaryDirectory;

constexpr char kHeader[] = "{\"txscope\":\"history\",\"version\":1}\n";
constexpr char kWriteSkew[] =
    R"({"session":"a","id":"t1","ops":[["r","x",0],["r","y",0],["w","x",1]]}
{"session":"b","id":"t2","ops":[["r","x",0],["r","y",0],["w","y",2]]}
)";

class CheckCommand : public testing::Test {
 protected:
  CheckCommand() { directory_.write("h.jsonl", kWriteSkew); }
  Ran check(const std::string& arguments) const {
    return run_command("txscope check " + arguments, directory_.path());
  }
  nlohmann::json json(const std::string& arguments) const {
    return nlohmann::json::parse(check(arguments + " --format json").output);
  }
  TemporaryDirectory directory_;
};

TEST_F(CheckCommand, ExitsByTheVerdict) {
  EXPECT_EQ(check("h.jsonl --level snapshot-isolation").status, 0);
  EXPECT_EQ(check("h.jsonl --level serializable").status, 1);
  EXPECT_EQ(check("h.jsonl --level si,ser").status, 1);
  EXPECT_EQ(check("h.jsonl").status, 1);
}

TEST_F(CheckCommand, PutsTheVerdictFirst) {
  const std::string text = check("h.jsonl --level ser").output;
  EXPECT_EQ(text.rfind("h.jsonl: serializable (session order) is VIOLATED: "
                       "write skew (G2-item)",
                       0),
            0u)
      << text;
}

TEST_F(CheckCommand, KeepsTheJsonContract) {
  const auto report = json("h.jsonl --level si,ser --evidence");
  EXPECT_EQ(report["tool"], "txscope");
  EXPECT_EQ(report["verb"], "check");
  EXPECT_EQ(report["input"], "h.jsonl");
  EXPECT_TRUE(report["time_ms"].is_number_integer());
  EXPECT_TRUE(report["peak_memory_mb"].is_number_integer());
  ASSERT_EQ(report["results"].size(), 2u);
  const auto& si = report["results"][0];
  EXPECT_EQ(si["level"], "snapshot-isolation");
  EXPECT_EQ(si["order"], "session");
  EXPECT_EQ(si["verdict"], "holds");
  EXPECT_EQ(si["transactions"], 2);
  EXPECT_EQ(si["operations"], 6);
  ASSERT_EQ(si["commit_order"].size(), 3u);
  EXPECT_EQ(si["commit_order"][0], "init");
  const auto& ser = report["results"][1];
  EXPECT_EQ(ser["verdict"], "violated");
  EXPECT_EQ(ser["anomaly"], "G2-item");
  ASSERT_EQ(ser["cycle"].size(), 2u);
  for (const auto& edge : ser["cycle"]) {
    EXPECT_EQ(edge["kind"], "rw");
    EXPECT_TRUE(edge["from"] == "t1" || edge["from"] == "t2");
    EXPECT_TRUE(edge["key"] == "x" || edge["key"] == "y");
    EXPECT_FALSE(edge["reason"].get<std::string>().empty());
  }
}

TEST_F(CheckCommand, JsonSaysWhatTheTransactionsDidAndWhere) {
  const auto report = json("h.jsonl --level si,ser");
  EXPECT_FALSE(report["results"][0].contains("commit_order"));
  const auto& involved = report["results"][1]["involved"];
  ASSERT_EQ(involved.size(), 2u);
  EXPECT_EQ(involved[0]["id"], "t1");
  EXPECT_EQ(involved[0]["session"], "a");
  EXPECT_EQ(involved[0]["file"], "h.jsonl");
  EXPECT_EQ(involved[0]["line"], 1);
  EXPECT_EQ(involved[0]["status"], "committed");
  const auto& operations = involved[0]["operations"];
  ASSERT_EQ(operations.size(), 3u);
  EXPECT_EQ(operations[0]["kind"], "read");
  EXPECT_EQ(operations[0]["key"], "x");
  EXPECT_EQ(operations[0]["value"], 0);
  EXPECT_EQ(operations[0]["line"], 1);
  EXPECT_EQ(operations[2]["kind"], "write");
  EXPECT_EQ(operations[2]["text"], "w(x)=1");
}

// b's read is stale: serializable, but not in real time.
constexpr char kStale[] =
    R"({"session":"a","start":1,"end":2,"ops":[["w","x",1]]}
{"session":"b","start":3,"end":4,"ops":[["r","x",0]]}
)";

TEST_F(CheckCommand, TheLadderEndsInRealTimeWhereThereAreTimes) {
  directory_.write("stale.jsonl", kStale);
  const auto last = json("stale.jsonl")["results"].back();
  EXPECT_EQ(last["level"], "serializable");
  EXPECT_EQ(last["order"], "realtime");
  EXPECT_EQ(last["verdict"], "violated");
  EXPECT_EQ(check("stale.jsonl").status, 1);
  // A stale read is no snapshot of its time, either.
  EXPECT_TRUE(check("stale.jsonl")
                  .said("VIOLATED: stale read from strict-snapshot-isolation "
                        "up\n"));
  // An order that is asked for limits the ladder to it.
  EXPECT_EQ(check("stale.jsonl --order session").status, 0);
  EXPECT_EQ(json("stale.jsonl --order session")["results"].size(), 9u);
  // Without times it ends at session order.
  EXPECT_EQ(json("h.jsonl")["results"].size(), 9u);
}

TEST_F(CheckCommand, NothingCommittedIsSaid) {
  directory_.write(
      "none.jsonl",
      "{\"session\":\"a\",\"status\":\"aborted\",\"ops\":[[\"w\",\"x\",1]]}\n");
  EXPECT_NE(check("none.jsonl").output.find("nothing committed"),
            std::string::npos);
}

constexpr char kStartsAsZero[] =
    "{:type :invoke, :process 0, :index 0, :value [[:r :x nil] [:r :y nil]]}\n"
    "{:type :ok, :process 0, :index 1, :value [[:r :x 0] [:r :y 0]]}\n"
    "{:type :invoke, :process 1, :index 2, :value [[:w :x 0]]}\n"
    "{:type :fail, :process 1, :index 3, :value [[:w :x 0]]}\n";

TEST_F(CheckCommand, AReadIsNotBlamedOnALaterFailedWrite) {
  directory_.write("h.edn", kStartsAsZero);
  for (const std::string order : {"session", "realtime", "none"}) {
    const Ran ran = check("h.edn --level ser --certify --order " + order);
    EXPECT_EQ(ran.status, 1);
    EXPECT_FALSE(ran.said("G1a")) << ran.output;
    EXPECT_TRUE(ran.said("(thin-air-read)")) << ran.output;
  }
}

TEST_F(CheckCommand, InitialSaysHowKeysStart) {
  directory_.write("h.edn", kStartsAsZero);
  EXPECT_TRUE(check("h.edn --level ser").said("--initial '*=0'"));
  EXPECT_EQ(check("h.edn --level ser --certify --order realtime "
                  "--initial '*'=0")
                .status,
            0);
  EXPECT_EQ(check("h.edn --level ser --initial :x=0 --initial :y=0").status, 0);
  EXPECT_EQ(check("h.edn --level ser --initial x=0 --initial y=0").status, 0);
  EXPECT_EQ(check("h.edn --level ser --initial '*'=1 --initial x=0").status, 1);
  const Ran half = check("h.edn --level ser --initial x=0");
  EXPECT_EQ(half.status, 1);
  EXPECT_TRUE(half.said("--initial :y=0")) << half.output;
}

TEST_F(CheckCommand, InitialIsForEveryFormat) {
  directory_.write("p.txt", "r(1,7,1,1)\n");
  EXPECT_EQ(check("p.txt --level ser").status, 1);
  EXPECT_EQ(check("p.txt --level ser --initial 1=7").status, 0);
  directory_.write("j.jsonl", "{\"session\":1,\"ops\":[[\"r\",\"x\",7]]}\n");
  EXPECT_TRUE(check("j.jsonl --level ser").said("--initial x=7"));
  EXPECT_EQ(check("j.jsonl --level ser --initial x=7").status, 0);
  directory_.write("s.jsonl",
                   "{\"session\":1,\"ops\":[[\"r\",\"x\",\"7\"]]}\n");
  EXPECT_EQ(check("s.jsonl --level ser --initial x=7").status, 1);
  EXPECT_EQ(check("s.jsonl --level ser --initial 'x=\"7\"'").status, 0);
}

TEST_F(CheckCommand, InitialThatFitsNothingIsRefused) {
  const Ran unknown = check("h.jsonl --initial z=1");
  EXPECT_EQ(unknown.status, 2);
  EXPECT_TRUE(unknown.said("no history of the input has a key 'z'"));
  EXPECT_EQ(check("h.jsonl --initial z").status, 2);
  EXPECT_EQ(check("h.jsonl --initial x=").status, 2);
  EXPECT_EQ(check("h.jsonl --initial x=0 --initial x=1").status, 2);
  directory_.write("l.jsonl", "{\"session\":1,\"ops\":[[\"rl\",\"x\",[]]]}\n");
  EXPECT_TRUE(check("l.jsonl --initial x=1").said("is a list"));
}

TEST_F(CheckCommand, ConvertKeepsTheInitialValues) {
  directory_.write("h.edn", kStartsAsZero);
  const Ran made = run_command(
      "txscope convert h.edn --initial '*'=0 -o c.jsonl && "
      "txscope check c.jsonl --level ser",
      directory_.path());
  EXPECT_EQ(made.status, 0) << made.output;
}

TEST_F(CheckCommand, CertifySaysWhatItDid) {
  EXPECT_NE(check("h.jsonl --certify").output.find("re-checked"),
            std::string::npos);
  EXPECT_EQ(json("h.jsonl --certify")["results"][0]["certified"], true);
}

TEST_F(CheckCommand, SuggestsWhatWasMeant) {
  const auto says = [&](const std::string& call, const std::string& words) {
    const Ran ran = run_command("txscope " + call, directory_.path());
    EXPECT_EQ(ran.status, 2);
    EXPECT_TRUE(ran.said(words)) << ran.output;
  };
  says("chekc h.jsonl", "did you mean 'check'?");
  says("check h.jsonl --levle si", "did you mean '--level'?");
  says("check h.jsonl --level serialzable", "did you mean 'serializable'?");
  says("check h.jsonl --level postgres", "is a product");
  says("check h.jsonl --level mysql", "mariadb:read-committed promises");
  says("model M.cfg", "txscope model M.tla --config M.cfg");
  directory_.write("app.sql", "CREATE TABLE t (id int);\n");
  says("check app.sql", "txscope explore app.sql");
  says("audit app.sql", "txscope explore app.sql");
  says("model app.sql", "txscope explore app.sql");
  says("explore h.jsonl", "txscope check h.jsonl");
  says("model h.jsonl", "txscope check h.jsonl");
  directory_.write("log.jsonl", "{\"txscope\":\"log\",\"version\":1}\n");
  says("explore log.jsonl", "txscope audit log.jsonl");
  says("model log.jsonl", "txscope audit log.jsonl");
  says("record --proxy 6432 --clients 0", "--clients: 0 is out of range");
  says("verify h.jsonl", "txscope check h.jsonl");
  says("robust h.jsonl", "txscope check h.jsonl");
  directory_.write("app.py", "print(1)\n");
  says("check app.py", "txscope record --proxy");
  says("explore app.py", "txscope record --proxy");
  says("explore app.sql --level 'repeatable read'",
       "postgresql:repeatable-read, mariadb:repeatable-read");
  directory_.write("m.tla", "---- MODULE m ----\n====\n");
  says("explore m.tla", "txscope model m.tla");
  says("audit m.tla", "txscope model m.tla");
}

TEST_F(CheckCommand, DotIsOneGraph) {
  directory_.write("two.jsonl",
                   kHeader + std::string(kWriteSkew) + kHeader + kWriteSkew);
  const std::string dot = check("two.jsonl --level ser --format dot").output;
  EXPECT_EQ(dot.find("digraph"), dot.rfind("digraph"));
  EXPECT_NE(dot.find("r(x)=0|r(y)=0|w(x)=1"), std::string::npos) << dot;
  EXPECT_NE(dot.find("firebrick"), std::string::npos);
}

TEST_F(CheckCommand, NamesTheOrderAndRefusesAContradictingOne) {
  EXPECT_EQ(json("h.jsonl --level si --order none")["results"][0]["order"],
            "none");
  const Ran ran = check("h.jsonl --level strong-session-si --order none");
  EXPECT_EQ(ran.status, 2);
  EXPECT_TRUE(ran.said("session order")) << ran.output;
}

TEST_F(CheckCommand, AsksForTimesAtRealtimeOrder) {
  const Ran ran = check("h.jsonl --level strict-serializable");
  EXPECT_EQ(ran.status, 2);
  EXPECT_TRUE(ran.said("h.jsonl:1")) << ran.output;
}

TEST_F(CheckCommand, JudgesEveryHistoryOfAFile) {
  directory_.write("two.jsonl", std::string(kHeader) + kWriteSkew + kHeader +
                                    "{\"ops\":[[\"w\",\"x\",1]]}\n");
  const auto report = json("two.jsonl --level ser");
  ASSERT_EQ(report["results"].size(), 2u);
  EXPECT_EQ(report["results"][0]["history"], 1);
  EXPECT_EQ(report["results"][0]["verdict"], "violated");
  EXPECT_EQ(report["results"][1]["history"], 2);
  EXPECT_EQ(report["results"][1]["verdict"], "holds");
}

TEST_F(CheckCommand, WritesSeveralReportsInOneRun) {
  const Ran ran = check(
      "h.jsonl --level ser --format json -o a.json --format dot -o a.dot "
      "--format text");
  EXPECT_EQ(ran.status, 1);
  EXPECT_TRUE(ran.said("VIOLATED"));
  EXPECT_EQ(nlohmann::json::parse(directory_.read("a.json"))["verb"], "check");
  EXPECT_EQ(directory_.read("a.dot").rfind("digraph", 0), 0u);
}

TEST_F(CheckCommand, PointsAtWhatIsWrongInTheInput) {
  directory_.write("bad.jsonl",
                   "{\"ops\":[[\"w\",\"x\",1]]}\n"
                   "{\"ops\":[[\"write\",\"x\",1]]}\n");
  const Ran ran = check("bad.jsonl");
  EXPECT_EQ(ran.status, 2);
  EXPECT_EQ(ran.output.rfind("bad.jsonl:2:", 0), 0u) << ran.output;
  EXPECT_TRUE(ran.said("^")) << ran.output;
}

TEST_F(CheckCommand, RefusesWhatItDoesNotKnow) {
  directory_.write("empty.jsonl", "");
  directory_.write("folder/readme", "no history\n");
  for (const char* arguments :
       {"h.jsonl --level repeatable-read", "h.jsonl --level nonsense",
        "h.jsonl --order sideways", "h.jsonl --format pdf",
        "h.jsonl --timeout soon", "h.jsonl --memory lots", "h.jsonl --nonsense",
        "missing.jsonl", "empty.jsonl", "folder", "",
        "h.jsonl --format json -o no/such/folder/a.json"}) {
    const Ran ran = check(arguments);
    EXPECT_EQ(ran.status, 2) << arguments << "\n" << ran.output;
    EXPECT_FALSE(ran.output.empty()) << arguments;
  }
}

TEST_F(CheckCommand, LeavesAnExistingReportAloneWhenTheInputIsWrong) {
  directory_.write("bad.jsonl", "{");
  directory_.write("report.json", "precious");
  EXPECT_EQ(check("bad.jsonl --format json -o report.json").status, 2);
  EXPECT_EQ(directory_.read("report.json"), "precious");
}

TEST_F(CheckCommand, CertifiesItsVerdictsWhenAsked) {
  EXPECT_EQ(check("h.jsonl --certify").status, 1);
  EXPECT_EQ(check("h.jsonl --certify --level si").status, 0);
}

TEST_F(CheckCommand, GivesTheSameBytesEveryTime) {
  const std::string once = check("h.jsonl").output;
  EXPECT_EQ(check("h.jsonl").output, once);
}

TEST(CommandLine, HelpsWithExamples) {
  const TemporaryDirectory directory;
  const auto txscope = [&](const std::string& arguments) {
    return run_command("txscope " + arguments, directory.path());
  };
  const Ran general = txscope("--help");
  EXPECT_EQ(general.status, 0);
  for (const std::string verb : {"check", "convert", "generate", "explain"}) {
    EXPECT_NE(general.output.find(verb), std::string::npos) << verb;
    const Ran ran = txscope(verb + " --help");
    EXPECT_EQ(ran.status, 0) << verb;
    EXPECT_TRUE(ran.said("Example:")) << verb;
  }
  EXPECT_EQ(txscope("--version").status, 0);
  EXPECT_EQ(txscope("").status, 2);
  EXPECT_EQ(txscope("frobnicate").status, 2);
}

}  // namespace
}  // namespace txscope
