// The same of verbs that prove, compare, resume and replay: random inputs of
// which nothing can be checked, and inputs of which a part cannot.
#include <gtest/gtest.h>

#include <string>

#include "base/random.h"
#include "support/fuzz.h"
#include "support/run_command.h"
#include "txscope/analyze.h"
#include "txscope/audit.h"
#include "txscope/explore.h"
#include "txscope/replay.h"
#include "txscope/robust.h"
#include "txscope/status.h"
#include "txscope/verify.h"
#include "txscope/write.h"

namespace txscope {
namespace {

using namespace verb;

const Budget kEndless = Budget::unlimited();

std::string drawn(Random& random, std::int64_t low, std::int64_t high) {
  return std::to_string(random.between(low, high));
}

/// Neither green nor, if it is undecided, without a word about why.
void expect_no_green(const Result<Report>& report, const std::string& input) {
  if (!report) return;  // the input is at fault: status 2
  EXPECT_NE(status_of(*report), kHolds) << input << "\n" << text(*report);
}

constexpr const char* kTwoTables =
    "CREATE TABLE t (id int PRIMARY KEY, v int NOT NULL);\n"
    "CREATE TABLE u (id int PRIMARY KEY, v int NOT NULL);\n"
    "INSERT INTO t VALUES (1, 0), (2, 5);\nINSERT INTO u VALUES (1, 0);\n";

std::string procedure(const std::string& name, const std::string& body) {
  return "CREATE PROCEDURE " + name +
         "(i int) LANGUAGE plpgsql AS $$ BEGIN\n  " + body + "\nEND $$;\n";
}

std::string writing(Random& random, const std::string& table) {
  switch (random.below(3)) {
    case 0:
      return "UPDATE " + table + " SET v = v + " + drawn(random, 1, 9) +
             " WHERE id = i;";
    case 1: return "DELETE FROM " + table + " WHERE id = i;";
    default:
      return "INSERT INTO " + table + " VALUES (i, " + drawn(random, 0, 9) +
             ");";
  }
}

/// Procedures of which none ever commits a write.
std::string idle_procedures(Random& random) {
  std::string out = kTwoTables;
  const auto count = random.between(1, 3);
  for (std::int64_t p = 0; p < count; ++p) {
    std::string body;
    switch (random.below(4)) {
      case 0: body = "PERFORM v FROM t WHERE id = i;"; break;
      case 1:
        body = writing(random, "t") + " RAISE EXCEPTION 'no " +
               drawn(random, 1, 9) + "';";
        break;
      case 2:
        body = "IF false THEN " + writing(random, "t") + " END IF;";
        break;
      default: body = "UPDATE t SET v = 1 WHERE id = i AND false;"; break;
    }
    out += procedure("p" + std::to_string(p), body);
  }
  return out;
}

TEST(VacuousFuzz, NoProofOfNothingIsGreen) {
  Random random(fuzz_seed(21));
  constexpr const char* kAgainst[] = {"", "postgresql:read-committed",
                                      "postgresql:repeatable-read"};
  for (int round = 0; round < fuzz_rounds(40); ++round) {
    RobustRequest request;
    request.input = "p.sql";
    request.text = idle_procedures(random);
    request.against = kAgainst[random.below(3)];
    if (random.chance(0.3))
      request.allocate = true;
    else
      request.method = random.chance(0.5) ? "proof" : "auto";
    expect_no_green(robust(request, kEndless), *request.text);
  }
}

TEST(VacuousFuzz, NoContradictionIsGreen) {
  Random random(fuzz_seed(22));
  constexpr const char* kMethods[] = {"search", "proof", "auto"};
  for (int round = 0; round < fuzz_rounds(30); ++round) {
    const std::string bound = drawn(random, 1, 9);
    const bool is_open = random.chance(0.5);
    const std::string source =
        kTwoTables + procedure("p", writing(random, "t")) +
        "--@ session a: CALL p(" + (is_open ? "?" : "1") +
        ");\n--@ session b: CALL p(1);\n--@ assume low: a.p.i < " + bound +
        "\n--@ assume high: a.p.i > " + bound +
        "\n--@ invariant ok: (SELECT count(*) FROM t) >= 0\n";
    RobustRequest asked;
    asked.input = "p.sql";
    asked.text = source;
    asked.method = kMethods[random.below(3)];
    EXPECT_FALSE(robust(asked, kEndless)) << source;
    VerifyRequest verified;
    verified.input = "p.sql";
    verified.text = source;
    verified.level = "snapshot-isolation";
    EXPECT_FALSE(verify(verified, kEndless)) << source;
  }
}

/// Files in which no two transactions meet, or none can be run.
std::string apart(Random& random) {
  std::string out = kTwoTables;
  switch (random.below(4)) {
    case 0: return out;
    case 1: return out + procedure("r", "PERFORM v FROM t WHERE id = i;");
    case 2:
      return out + procedure("x", "EXECUTE 'DROP TABLE t" +
                                      drawn(random, 1, 9) + "';");
    default:
      return out +
             procedure("e", writing(random, "t") + " RAISE EXCEPTION 'no';");
  }
}

TEST(VacuousFuzz, NoAnalysisOfNothingIsGreen) {
  Random random(fuzz_seed(23));
  const test::TemporaryDirectory directory;
  const std::string right = directory.write(
      "right.sql", kTwoTables + procedure("w",
                                          "UPDATE t SET v = v + 1 WHERE "
                                          "id = i;"));
  for (int round = 0; round < fuzz_rounds(40); ++round) {
    const std::string source = apart(random);
    const std::string file = directory.write("apart.sql", source);
    AnalyzeRequest request;
    request.repairs = false;
    request.inputs = {file};
    expect_no_green(analyze(request, kEndless), source);
    request.inputs = {right};
    request.before = {file};
    expect_no_green(analyze(request, kEndless), "before: " + source);
  }
}

TEST(VacuousFuzz, NothingIsMadeGreenByAState) {
  Random random(fuzz_seed(24));
  const test::TemporaryDirectory directory;
  for (int round = 0; round < fuzz_rounds(40); ++round) {
    std::string source =
        "{\"txscope\":\"log\",\"version\":1,\"dialect\":\"postgresql\","
        "\"level\":\"postgresql:read-committed\",\"setup\":[\"CREATE TABLE t "
        "(id int PRIMARY KEY, v int)\",\"INSERT INTO t VALUES (1, 0)\"]}\n";
    const std::string state =
        directory.path() + "/state" + std::to_string(round);
    const bool judges_aborted = random.chance(0.5);
    for (int visit = 0; visit < 3; ++visit) {
      for (auto more = random.between(0, 2); more > 0; --more) {
        const bool asks_nothing = random.chance(0.4);
        source += "{\"session\":1,\"id\":\"" + std::to_string(visit) + "-" +
                  std::to_string(more) + "\",\"status\":\"" +
                  (asks_nothing ? "committed" : "unknown") +
                  "\",\"statements\":[{\"sql\":\"SELECT " +
                  (asks_nothing ? "1" : "v FROM t") + "\",\"rows\":[[" +
                  (asks_nothing ? "1" : drawn(random, 0, 1)) + "]]}]}\n";
      }
      AuditRequest request;
      request.input = directory.write("log.jsonl", source);
      request.state = state;
      request.judge_aborted = judges_aborted;
      expect_no_green(audit(request, kEndless), source);
    }
  }
}

TEST(VacuousFuzz, NoReportWithoutACounterexampleIsReplayed) {
  Random random(fuzz_seed(25));
  const test::TemporaryDirectory directory;
  for (int round = 0; round < fuzz_rounds(20); ++round) {
    ExploreRequest explored;
    explored.input = directory.write(
        "p.sql", kTwoTables + procedure("p", writing(random, "t")) +
                     procedure("q", writing(random, "u")) +
                     "--@ session a: CALL p(1);\n--@ session b: CALL q(1);\n");
    explored.level = "postgresql:serializable";
    const auto report = explore(explored, kEndless);
    ASSERT_TRUE(report) << report.error().what;
    if (status_of(*report) == kViolated) continue;
    ReplayRequest request;
    request.input = directory.write("report.json", json(*report));
    EXPECT_FALSE(replay(request, kEndless)) << json(*report);
  }
}

/// Somebody who never commits stands beside two who do.
TEST(VacuousFuzz, WhoNeverCommitsIsNamedByExploreAndVerify) {
  Random random(fuzz_seed(26));
  for (int round = 0; round < fuzz_rounds(30); ++round) {
    const std::string source =
        kTwoTables +
        procedure("p", "UPDATE t SET v = v + " + drawn(random, 1, 3) +
                           " WHERE id = i;") +
        procedure("never", writing(random, "u") + " RAISE EXCEPTION 'no';") +
        "--@ session a: CALL p(1);\n--@ session b: CALL p(1);\n"
        "--@ session c: CALL never(" +
        drawn(random, 1, 3) +
        ");\n--@ invariant ok: (SELECT min(v) FROM t) >= 0\n";
    ExploreRequest explored;
    explored.input = "p.sql";
    explored.text = source;
    explored.level = "postgresql:serializable";
    VerifyRequest verified;
    verified.input = "p.sql";
    verified.text = source;
    verified.level = "snapshot-isolation";
    for (const auto& report :
         {explore(explored, kEndless), verify(verified, kEndless)}) {
      ASSERT_TRUE(report) << report.error().what;
      const std::string shown = text(*report);
      EXPECT_NE(shown.substr(0, shown.find('\n')).find("c.never never commits"),
                std::string::npos)
          << source << shown;
    }
  }
}

}  // namespace
}  // namespace txscope
