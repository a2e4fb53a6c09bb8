// Green for nothing, verb by verb: inputs of which nothing could be found
// wrong, because nothing of them was looked at.
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "support/run_command.h"
#include "txscope/analyze.h"
#include "txscope/audit.h"
#include "txscope/explore.h"
#include "txscope/robust.h"
#include "txscope/status.h"
#include "txscope/verify.h"
#include "txscope/write.h"

namespace {

using namespace txscope;
using namespace txscope::verb;

const Budget kAllTime = Budget::unlimited();

constexpr const char* kTable =
    "CREATE TABLE t (id int PRIMARY KEY, v int NOT NULL);\n"
    "INSERT INTO t VALUES (1, 0), (2, 0);\n";
constexpr const char* kIncrement =
    "CREATE PROCEDURE p(i int, n int) LANGUAGE plpgsql AS $$ BEGIN\n"
    "  UPDATE t SET v = v + n WHERE id = i;\nEND $$;\n";

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

// --- robust

Result<Report> asked_robust(const std::string& text, const std::string& method,
                            const std::string& name = "p.sql") {
  RobustRequest request;
  request.input = name;
  request.text = text;
  request.method = method;
  request.no_repairs = true;
  return robust(request, kAllTime);
}

TEST(NothingChecked, AnAssumptionThatNothingSatisfiesIsAMistakeForRobustToo) {
  const std::string start = std::string(kTable) + kIncrement;
  const std::string fixed =
      start +
      "--@ session a: CALL p(1, 1);\n--@ session b: CALL p(1, 2);\n"
      "--@ assume never: a.p.n > 5\n";
  const std::string open =
      start +
      "--@ session a: CALL p(1, ?);\n--@ session b: CALL p(1, 2);\n"
      "--@ assume much: a.p.n > 5\n--@ assume little: a.p.n < 5\n";
  for (const std::string& text : {fixed, open})
    for (const char* method : {"search", "proof", "auto"})
      EXPECT_FALSE(asked_robust(text, method)) << method << "\n" << text;
}

TEST(NothingChecked, AProofNeedsSomebodyWhoCommitsAWrite) {
  const std::string raises =
      std::string(kTable) +
      "CREATE PROCEDURE p(i int) LANGUAGE plpgsql AS $$ BEGIN\n"
      "  UPDATE t SET v = v + 1 WHERE id = i; RAISE EXCEPTION 'no';\nEND $$;\n"
      "CREATE PROCEDURE q() LANGUAGE plpgsql AS $$ BEGIN\n"
      "  PERFORM v FROM t;\nEND $$;\n";
  const std::string aborts =
      "var x\nsession { txn { r = read x\n write x = r + 1\n abort } }\n"
      "session { txn { r = read x\n write x = r + 1\n abort } }\n";
  const auto proved = asked_robust(raises, "proof");
  ASSERT_TRUE(proved) << proved.error().what;
  EXPECT_EQ(proved->checked.vacuous_because,
            "no transaction can commit a write");
  EXPECT_EQ(status_of(*proved), kUndecided);
  const auto program = asked_robust(aborts, "proof", "p.txn");
  ASSERT_TRUE(program) << program.error().what;
  EXPECT_EQ(status_of(*program), kUndecided) << text(*program);
  RobustRequest allocated;
  allocated.input = "p.sql";
  allocated.text = raises;
  allocated.allocate = true;
  const auto levels = robust(allocated, kAllTime);
  ASSERT_TRUE(levels) << levels.error().what;
  EXPECT_EQ(status_of(*levels), kUndecided) << text(*levels);
  const auto right = asked_robust(std::string(kTable) + kIncrement, "proof");
  ASSERT_TRUE(right) << right.error().what;
  EXPECT_EQ(status_of(*right), kHolds) << text(*right);
}

TEST(NothingChecked, TransactionsOfPlainStatementsHaveNamesOfTheirOwn) {
  const auto report =
      asked_robust(std::string(kTable) +
                       "--@ session a: UPDATE t SET v = v + 1 WHERE id = 1;\n"
                       "--@ session b: UPDATE t SET v = v + 2 WHERE id = 1;\n",
                   "proof");
  ASSERT_TRUE(report) << report.error().what;
  EXPECT_EQ(report->checked.considered,
            (std::vector<std::string>{"a.t1", "b.t1"}));
}

TEST(NothingChecked, ASearchThatTimeEndsIsUndecidedAndNotVacuous) {
  RobustRequest request;
  request.input = "p.sql";
  request.text = std::string(kTable) + kIncrement +
                 "--@ session a: CALL p(1, 1);\n--@ session b: CALL p(1, 2);\n";
  request.method = "search";
  const auto report = robust(request, kAllTime.at_most(1));
  ASSERT_TRUE(report) << report.error().what;
  ASSERT_EQ(report->findings.front().outcome, Outcome::Undecided);
  EXPECT_EQ(report->checked.vacuous_because, "");
  EXPECT_EQ(text(*report).find("VACUOUS"), std::string::npos) << text(*report);
}

// --- audit

class LogOfNothing : public testing::Test {
 protected:
  /// The header, and these lines.
  std::string log(const std::string& lines) {
    const std::string file = directory_.path() + "/log.jsonl";
    std::ofstream(file)
        << "{\"txscope\":\"log\",\"version\":1,\"dialect\":\"postgresql\","
           "\"level\":\"postgresql:read-committed\",\"setup\":[\"CREATE TABLE "
           "t (id int PRIMARY KEY, v int)\",\"INSERT INTO t VALUES (1, "
           "0)\"]}\n"
        << lines;
    return file;
  }
  static std::string line(const std::string& status, const std::string& sql,
                          const std::string& rows) {
    return "{\"session\":1,\"id\":\"a\",\"status\":\"" + status +
           "\",\"statements\":[{\"sql\":\"" + sql + "\",\"rows\":" + rows +
           "}]}\n";
  }
  [[nodiscard]] std::string state() const {
    return directory_.path() + "/state";
  }

 private:
  test::TemporaryDirectory directory_;
};

TEST_F(LogOfNothing, IsNoStateToGoOnFrom) {
  for (const std::string& lines :
       {std::string(), line("unknown", "SELECT v FROM t", "[[7]]")}) {
    AuditRequest request;
    request.input = log(lines);
    request.state = state();
    for (int time = 0; time < 2; ++time) {
      const auto report = audit(request, kAllTime);
      ASSERT_TRUE(report) << report.error().what;
      EXPECT_EQ(status_of(*report), kUndecided) << time << text(*report);
    }
  }
}

TEST_F(LogOfNothing, UnknownOutcomesAreJudgedByNoOption) {
  AuditRequest request;
  request.judge_aborted = true;
  request.input = log(line("unknown", "SELECT v FROM t", "[[7]]"));
  const auto unknown = audit(request, kAllTime);
  ASSERT_TRUE(unknown) << unknown.error().what;
  EXPECT_EQ(status_of(*unknown), kUndecided) << text(*unknown);
  request.input = log(line("aborted", "SELECT v FROM t", "[[7]]"));
  const auto aborted = audit(request, kAllTime);
  ASSERT_TRUE(aborted) << aborted.error().what;
  EXPECT_EQ(status_of(*aborted), kViolated) << text(*aborted);
}

TEST_F(LogOfNothing, IsOneThatLooksAtNoTable) {
  AuditRequest request;
  request.input = log(line("committed", "SELECT 1", "[[1]]"));
  const auto nothing = audit(request, kAllTime);
  ASSERT_TRUE(nothing) << nothing.error().what;
  EXPECT_EQ(nothing->checked.vacuous_because,
            "nothing that was shown is of the database's tables");
  request.input =
      log(line("committed", "SELECT (SELECT v FROM t WHERE id = 1)", "[[0]]"));
  const auto something = audit(request, kAllTime);
  ASSERT_TRUE(something) << something.error().what;
  EXPECT_EQ(status_of(*something), kHolds) << text(*something);
}

// --- explore and verify

TEST(NothingChecked, OnlyRulesCountAndThereIsNone) {
  ExploreRequest request;
  request.input = "p.sql";
  request.text =
      std::string(kTable) +
      "CREATE PROCEDURE lose() LANGUAGE plpgsql AS $$ DECLARE x int; BEGIN\n"
      "  SELECT v INTO x FROM t WHERE id = 1;\n"
      "  UPDATE t SET v = x + 1 WHERE id = 1;\nEND $$;\n"
      "--@ session a: CALL lose();\n--@ session b: CALL lose();\n";
  request.level = "postgresql:read-committed";
  const auto report = explore(request, kAllTime);
  ASSERT_TRUE(report) << report.error().what;
  EXPECT_EQ(status_of(*report), kViolated);
  StatusOptions rules;
  rules.fail_on = *parse_fail_on("rule");
  EXPECT_EQ(status_of(*report, rules), kUndecided);
  rules.fail_on = *parse_fail_on("rule,deadlock");
  EXPECT_EQ(status_of(*report, rules), kHolds);
}

TEST(NothingChecked, ARuleThatHoldsTakesNoRepairAway) {
  ExploreRequest request;
  request.input = "p.sql";
  request.text =
      std::string(kTable) +
      "CREATE PROCEDURE lose() LANGUAGE plpgsql AS $$ DECLARE x int; BEGIN\n"
      "  SELECT v INTO x FROM t WHERE id = 1;\n"
      "  UPDATE t SET v = x + 1 WHERE id = 1;\nEND $$;\n"
      "--@ session a: CALL lose();\n--@ session b: CALL lose();\n"
      "--@ invariant ok: (SELECT min(v) FROM t) >= 0\n";
  request.level = "postgresql:read-committed";
  const auto report = explore(request, kAllTime);
  ASSERT_TRUE(report) << report.error().what;
  EXPECT_NE(text(*report).find("SELECT .. FOR UPDATE at line 4"),
            std::string::npos)
      << text(*report);
}

TEST(NothingChecked, VerifyNamesThePartsThatExploreNames) {
  const auto verified = [](const std::string& sessions) {
    VerifyRequest request;
    request.input = "p.sql";
    request.text = std::string(kTable) + kIncrement + sessions +
                   "--@ invariant ok: (SELECT min(v) FROM t) >= 0\n";
    request.level = "snapshot-isolation";
    return verify(request, kAllTime);
  };
  const auto one = verified("--@ session a: CALL p(1, 1);\n");
  ASSERT_TRUE(one) << one.error().what;
  EXPECT_NE(first_line(text(*one)).find("one session, so nothing runs at the"),
            std::string::npos)
      << text(*one);
  const auto apart =
      verified("--@ session a: CALL p(1, 1);\n--@ session b: CALL p(2, 1);\n");
  ASSERT_TRUE(apart) << apart.error().what;
  EXPECT_NE(first_line(text(*apart)).find("no two sessions meet on a row"),
            std::string::npos)
      << text(*apart);
}

// --- analyze

class AnalyzedFiles : public testing::Test {
 protected:
  std::string file(const std::string& name, const std::string& text) {
    const std::string path = directory_.path() + "/" + name;
    std::ofstream(path) << text;
    return path;
  }
  static Result<Report> analysed_files(const std::string& now,
                                       const std::string& before = "") {
    AnalyzeRequest request;
    request.inputs = {now};
    if (!before.empty()) request.before = {before};
    request.repairs = false;
    return analyze(request, kAllTime);
  }

 private:
  test::TemporaryDirectory directory_;
};

TEST_F(AnalyzedFiles, AreNotGreenWhereNobodyMeets) {
  const auto report = analysed_files(
      file("reads.sql", std::string(kTable) +
                            "CREATE PROCEDURE q() LANGUAGE plpgsql AS $$ BEGIN "
                            "PERFORM v FROM t; END $$;\n"));
  ASSERT_TRUE(report) << report.error().what;
  EXPECT_EQ(status_of(*report), kUndecided) << text(*report);
  EXPECT_NE(first_line(text(*report)).find("NOTHING TO CHECK"),
            std::string::npos)
      << text(*report);
}

TEST_F(AnalyzedFiles, AreNotGreenWhereStatementsAreLeftOut) {
  const std::string sound = std::string(kTable) + kIncrement;
  const auto whole = analysed_files(file("sound.sql", sound));
  ASSERT_TRUE(whole) << whole.error().what;
  EXPECT_EQ(status_of(*whole), kHolds) << text(*whole);
  for (const std::string& more :
       {std::string("CREATE UNIQUE INDEX i ON t (nowhere);\n"),
        std::string("CREATE TABLE other (id int;\n"),
        std::string("INSERT INTO t SELECT v, v FROM t WHERE 1 / 0 = 1;\n"
                    "INSERT INTO nowhere VALUES (1);\n")}) {
    const auto report = analysed_files(file("part.sql", sound + more));
    ASSERT_TRUE(report) << report.error().what;
    EXPECT_EQ(status_of(*report), kUndecided) << more << text(*report);
  }
}

TEST_F(AnalyzedFiles, AreNotRepairedWhereNothingWasCheckedBefore) {
  const std::string now = file("now.sql", std::string(kTable) + kIncrement);
  const std::string refused = std::string(kTable) +
                              "CREATE PROCEDURE p(i int) LANGUAGE plpgsql AS "
                              "$$ BEGIN EXECUTE 'DROP TABLE t'; END $$;\n";
  for (const std::string& before :
       {std::string("-- nothing\n"), std::string(kTable), refused}) {
    const auto report = analysed_files(now, file("before.sql", before));
    ASSERT_TRUE(report) << report.error().what;
    EXPECT_EQ(status_of(*report), kUndecided) << text(*report);
    EXPECT_NE(text(*report).find("nothing was checked in"), std::string::npos)
        << text(*report);
  }
  const auto same = analysed_files(now, now);
  ASSERT_TRUE(same) << same.error().what;
  EXPECT_EQ(status_of(*same), kHolds) << text(*same);
}

}  // namespace
