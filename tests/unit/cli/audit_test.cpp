// `txscope audit` and `txscope record` as their users see them.

#include <gtest/gtest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/run_command.h"

namespace txscope {
namespace {

using test::Ran;
using test::run_command;
using test::TemporaryDirectory;

constexpr char kFirst[] =
    R"x({"txscope":"log","version":1,"dialect":"postgresql",)x"
    R"x("level":"snapshot-isolation","setup":[)x"
    R"x("CREATE TABLE t (k INT PRIMARY KEY, v INT)",)x"
    R"x("CREATE TABLE u (k INT PRIMARY KEY)",)x"
    R"x("INSERT INTO t VALUES (1,0),(2,0)"]})x"
    "\n";

std::string txn(const std::string& id, const std::string& statements) {
  return R"x({"session":")x" + id.substr(0, 1) + R"x(","id":")x" + id +
         R"x(","status":"committed","statements":[)x" + statements + "]}\n";
}
std::string sees(int k, int v) {
  return R"x({"sql":"SELECT v FROM t WHERE k = )x" + std::to_string(k) +
         R"x(","rows":[[)x" + std::to_string(v) + "]]}";
}
std::string sets(int k, int v) {
  return R"x({"sql":"UPDATE t SET v = )x" + std::to_string(v) +
         " WHERE k = " + std::to_string(k) + R"x(","count":1})x";
}

class AuditCommand : public testing::Test {
 protected:
  Ran audit(const std::string& arguments) const {
    return run_command("txscope audit " + arguments, directory_.path());
  }
  nlohmann::json json(const std::string& arguments) const {
    return nlohmann::json::parse(audit(arguments + " --format json").output);
  }
  TemporaryDirectory directory_;
  const std::string skew_ =
      kFirst + txn("a1", sees(1, 0) + "," + sees(2, 0) + "," + sets(1, 1)) +
      txn("b1", sees(1, 0) + "," + sees(2, 0) + "," + sets(2, 1));
};

TEST_F(AuditCommand, SaysThatNothingCommitted) {
  directory_.write("empty.jsonl", kFirst);
  const Ran empty = audit("empty.jsonl");
  EXPECT_EQ(empty.status, 3);
  EXPECT_TRUE(empty.said("nothing was checked: the log has no transactions\n"))
      << empty.output;
  EXPECT_EQ(json("empty.jsonl")["results"][0]["nothing_committed"], true);
  directory_.write("aborted.jsonl",
                   std::string(kFirst) +
                       R"x({"session":1,"id":"a","status":"aborted",)x" +
                       R"x("statements":[)x" + sees(1, 7) + "]}\n");
  const Ran ran = audit("aborted.jsonl");
  EXPECT_EQ(ran.status, 3);
  EXPECT_TRUE(ran.said("nothing was checked: nothing committed\n"))
      << ran.output;
  EXPECT_EQ(audit("aborted.jsonl --allow-vacuous").status, 0);
  EXPECT_EQ(audit("aborted.jsonl --judge-aborted").status, 1);
  directory_.write("one.jsonl", kFirst + txn("a1", sees(1, 0)));
  EXPECT_FALSE(audit("one.jsonl").said("nothing committed"));
}

// A setup that is one text, as a reader of the format may write it.
TEST_F(AuditCommand, SaysWhatASetupIs) {
  directory_.write("text.jsonl",
                   R"x({"txscope":"log","version":1,"setup":"SELECT 1"})x"
                   "\n");
  EXPECT_TRUE(audit("text.jsonl").said("setup must be a list of SQL texts"));
}

TEST_F(AuditCommand, AllLevelsAreAnsweredFromOnePass) {
  directory_.write("skew.jsonl", skew_);
  EXPECT_EQ(audit("skew.jsonl").status, 0);
  EXPECT_EQ(audit("skew.jsonl --level serializable").status, 1);
  const auto report = json("skew.jsonl --level all");
  std::map<std::string, std::string> verdicts;
  for (const auto& result : report["results"])
    verdicts[std::string(result["level"]) + "/" +
             std::string(result["order"])] = result["verdict"];
  EXPECT_EQ(verdicts["serializable/session"], "violated");
  EXPECT_EQ(verdicts["serializable/realtime"], "violated");
  EXPECT_EQ(verdicts["snapshot-isolation/session"], "holds");
  EXPECT_EQ(verdicts["prefix/session"], "holds");
  EXPECT_EQ(verdicts["read-committed/session"], "holds");
  EXPECT_EQ(audit("skew.jsonl --level all").status, 1);
}

TEST_F(AuditCommand, TellsWhatWouldHaveBeenShownWhere) {
  directory_.write("lost.jsonl", kFirst +
                                     txn("a1", sees(1, 0) + "," + sets(1, 5)) +
                                     txn("b1", sees(1, 0) + "," + sets(1, 7)));
  const auto bad = json("lost.jsonl")["results"][0]["first_bad"];
  ASSERT_EQ(bad["nearest"].size(), 2u) << bad;
  bool is_stale = false;
  bool is_other = false;
  for (const auto& one : bad["nearest"]) {
    if (one["after"].is_null())
      is_stale = one["why"] ==
                 "a row that it writes was written since its "
                 "snapshot";
    else
      is_other = one["statement"] == 1 && one["expected"] != "1 row: (0)";
  }
  EXPECT_TRUE(is_stale && is_other) << bad;
}

TEST_F(AuditCommand, UnsupportedStatementsAreNamedOrSkippedWithTheirTables) {
  const std::string log =
      kFirst + txn("a1", sets(1, 5)) +
      txn("a2", R"x({"sql":"DROP TABLE u"})x") +
      txn("a3", R"x({"sql":"SELECT count(*) FROM u","rows":[[77]]})x") +
      txn("a4", sees(1, 5));
  directory_.write("log.jsonl", log);
  const Ran refused = audit("log.jsonl");
  EXPECT_EQ(refused.status, 2);
  EXPECT_NE(refused.output.find("log.jsonl:3"), std::string::npos)
      << refused.output;
  // What is explained is less than the log, and the verdict line says so.
  const Ran skipped = audit("log.jsonl --skip-unsupported");
  EXPECT_EQ(skipped.status, 3) << skipped.output;
  EXPECT_TRUE(skipped.said("as far as it was understood (2 of 4 statements)"))
      << skipped.output;
  EXPECT_TRUE(skipped.said("1 statement could not be read")) << skipped.output;
  const auto told = json("log.jsonl --skip-unsupported")["results"][0];
  EXPECT_EQ(told["skipped"], 1);
  EXPECT_EQ(told["understood"], 2);
  EXPECT_EQ(told["partial"], true);
  const Ran wanted = audit("log.jsonl --allow-skipped");
  EXPECT_EQ(wanted.status, 0) << wanted.output;
  EXPECT_TRUE(wanted.said("as far as it was understood (2 of 4 statements)"))
      << wanted.output;
  // Other tables are judged all the same.
  directory_.write("bad.jsonl", log + txn("a5", sees(1, 6)));
  EXPECT_EQ(audit("bad.jsonl --skip-unsupported").status, 1);
}

// As drivers and ORMs begin; only what is of the tables was judged.
TEST_F(AuditCommand, QuestionsOfDriversNeedNoSwitch) {
  const std::string asked =
      R"x({"sql":"SELECT version()","rows":[["PostgreSQL 15.3"]]},)x"
      R"x({"sql":"SELECT set_config('TimeZone', 'UTC', false)","rows":[["UTC"]]},)x"
      R"x({"sql":"SELECT t.oid FROM pg_type AS t LEFT JOIN pg_range AS r ON )x"
      R"x(oid = rngtypid","rows":[[16],[17]]},)x"
      R"x({"sql":"SHOW standard_conforming_strings","rows":[["on"]]},)x"
      R"x({"sql":"SELECT current_schema()","rows":[["public"]]},)x"
      R"x({"sql":"DISCARD ALL"},{"sql":"LOCK TABLE u IN SHARE MODE"})x";
  directory_.write("orm.jsonl", kFirst + txn("a1", asked + "," + sets(1, 5)) +
                                    txn("a2", sees(1, 5)));
  const Ran ran = audit("orm.jsonl");
  EXPECT_EQ(ran.status, 0) << ran.output;
  EXPECT_FALSE(ran.said("understood")) << ran.output;
  directory_.write("wrong.jsonl", kFirst + txn("a1", asked + "," + sets(1, 5)) +
                                      txn("a2", sees(1, 6)));
  EXPECT_EQ(audit("wrong.jsonl").status, 1);
  directory_.write(
      "only.jsonl",
      kFirst + txn("a1", R"x({"sql":"SELECT version()","rows":[["15"]]})x"));
  const Ran only = audit("only.jsonl");
  EXPECT_EQ(only.status, 3) << only.output;
  EXPECT_TRUE(only.said("VACUOUS")) << only.output;
}

// Wherever the machine died.
TEST_F(AuditCommand, ALogThatIsCutIsAuditedUpToThere) {
  const std::string next = txn("c1", sees(1, 99));
  for (std::size_t length = 1; length + 2 < next.size(); length += 7) {
    directory_.write("cut.jsonl", skew_ + next.substr(0, length));
    const Ran ran = audit("cut.jsonl");
    EXPECT_EQ(ran.status, 0) << next.substr(0, length) << ran.output;
    EXPECT_TRUE(ran.said("The last line is cut")) << next.substr(0, length);
  }
  directory_.write("whole.jsonl", skew_ + next);
  EXPECT_EQ(audit("whole.jsonl").status, 1);
  // In the middle it is a mistake.
  directory_.write("middle.jsonl",
                   kFirst + next.substr(0, next.size() / 2) + "\n" + next);
  EXPECT_EQ(audit("middle.jsonl").status, 2);
}

TEST_F(AuditCommand, FollowsALogAndEndsAtWhatCannotBeExplained) {
  const std::string more = txn("a2", sees(1, 5));
  const std::string wrong = txn("a3", sees(1, 6));
  directory_.write("more", more);
  directory_.write("wrong", wrong);
  Ran goes_on;
  // On a busy machine the log may grow late.
  for (const char* time : {"2s", "8s", "30s"}) {
    directory_.write("log.jsonl", kFirst + txn("a1", sets(1, 5)));
    goes_on = run_command(
        "(sleep 0.5; cat more >> log.jsonl) & txscope audit log.jsonl --follow "
        "--timeout " +
            std::string(time) + "; echo status $?; wait",
        directory_.path());
    if (goes_on.output.find("2 transactions") != std::string::npos) break;
  }
  EXPECT_NE(goes_on.output.find("2 transactions"), std::string::npos)
      << goes_on.output;
  EXPECT_NE(goes_on.output.find("status 0"), std::string::npos);
  const Ran ends = run_command(
      "(sleep 0.5; cat wrong >> log.jsonl; for i in $(seq 9 200); do "
      "sed s/a2/a$i/ more; done >> log.jsonl) & "
      "txscope audit log.jsonl --follow --timeout 60s; echo status $?; wait",
      directory_.path());
  EXPECT_NE(ends.output.find("status 1"), std::string::npos) << ends.output;
  EXPECT_NE(ends.output.find("a3"), std::string::npos) << ends.output;
}

TEST_F(AuditCommand, AStateIsResumedAndForgetsNothing) {
  directory_.write("log.jsonl", kFirst + txn("a1", sets(1, 5)));
  EXPECT_EQ(audit("log.jsonl --state s").status, 0);
  directory_.write("log.jsonl",
                   kFirst + txn("a1", sets(1, 5)) + txn("b1", sees(1, 5)));
  EXPECT_EQ(audit("log.jsonl --state s").status, 0);
  directory_.write("log.jsonl", kFirst + txn("a1", sets(1, 5)) +
                                    txn("b1", sees(1, 5)) +
                                    txn("b2", sees(1, 0)));
  EXPECT_EQ(audit("log.jsonl --state s").status, 1);
  // Another log is not gone on with.
  directory_.write("log.jsonl", kFirst + txn("z1", sees(2, 0)));
  EXPECT_EQ(audit("log.jsonl --state s").status, 2);
}

TEST_F(AuditCommand, AStateIsAFileOfItsOwner) {
  directory_.write("log.jsonl", kFirst + txn("a1", sets(1, 5)));
  const Ran made =
      run_command("umask 0; txscope audit log.jsonl --state s && stat -c %a s",
                  directory_.path());
  EXPECT_TRUE(made.said("\n600\n")) << made.output;
  ASSERT_EQ(run_command("mkfifo pipe", directory_.path()).status, 0);
  for (const char* other : {".", "/dev/full", "/dev/zero", "pipe"}) {
    const Ran ran = audit("log.jsonl --state " + std::string(other));
    EXPECT_EQ(ran.status, 2) << other << ran.output;
    EXPECT_TRUE(ran.said("a state is a file")) << other << ran.output;
  }
  const Ran nowhere = audit("log.jsonl --state no/such/place");
  EXPECT_EQ(nowhere.status, 2) << nowhere.output;
  EXPECT_TRUE(nowhere.said("cannot write")) << nowhere.output;
  const Ran piped = audit("pipe");
  EXPECT_EQ(piped.status, 2) << piped.output;
}

std::string opaque(const std::string& sql, const std::string& why,
                   const std::string& more = "") {
  return R"x({"sql":")x" + sql + R"x(","opaque":")x" + why + "\"" + more + "}";
}

// Whatever it did, what is seen later may be because of it.
TEST_F(AuditCommand, WhatTheRecorderCouldNotKeepRefutesNothing) {
  const auto judged = [&](const std::string& lines) {
    directory_.write("log.jsonl", kFirst + lines);
    return audit("log.jsonl");
  };
  const std::string large = opaque("", "too large");
  for (const std::string& unknown :
       {large, opaque("UPDATE t SET v = length($1)", "too large"),
        opaque("UPDATE t SET v = $1", "binary parameter"),
        opaque("", "function call")}) {
    const std::string seen = txn("b1", sees(1, 77)) + txn("b2", sees(2, 78));
    const Ran ran = judged(txn("b0", sees(1, 0)) + txn("a1", unknown) + seen);
    EXPECT_EQ(ran.status, 3) << unknown << ran.output;
    EXPECT_TRUE(
        ran.said("explained      snapshot-isolation (session order) "
                 "as far as it was understood"))
        << ran.output;
    EXPECT_EQ(audit("log.jsonl --allow-skipped").status, 0) << unknown;
    EXPECT_TRUE(ran.said("1 statement could not be read")) << ran.output;
    // Where nothing else was seen nothing is explained.
    const Ran all = judged(txn("a1", unknown) + seen);
    EXPECT_EQ(all.status, 3) << unknown << all.output;
    EXPECT_TRUE(all.said("Not decided: what was left out")) << all.output;
  }
  // What is known of it is kept: which table, that it failed, that it was
  // rolled back.
  EXPECT_EQ(
      judged(txn("a1", opaque("DELETE FROM u WHERE k = $1", "too large")) +
             txn("b1", sees(1, 77)))
          .status,
      1);
  EXPECT_EQ(judged(txn("a1", opaque("", "too large",
                                    R"x(,"error":{"sqlstate":"54000"})x")) +
                   txn("b1", sees(1, 77)))
                .status,
            1);
  std::string aborted = txn("a1", large);
  aborted.replace(aborted.find("committed"), 9, "aborted");
  EXPECT_EQ(judged(aborted + txn("b1", sees(1, 77))).status, 1);
  std::string unknown = txn("a1", large);
  unknown.replace(unknown.find("committed"), 9, "unknown");
  EXPECT_EQ(judged(unknown + txn("b1", sees(1, 77))).status, 3);
}

// A log may have been made by a recorder that only looked for a word.
TEST_F(AuditCommand, AMarkOfTheCatalogueIsHeldAgainstTheText) {
  const auto judged = [&](const std::string& lines) {
    directory_.write("log.jsonl", kFirst + lines);
    return audit("log.jsonl");
  };
  const std::string writes =
      opaque("UPDATE t SET v = 5 WHERE k = 1 /* pg_catalog. */", "catalog",
             R"x(,"count":1)x");
  EXPECT_EQ(judged(txn("a1", writes) + txn("b1", sees(1, 5))).status, 0);
  EXPECT_EQ(
      judged(txn("a1", writes) + txn("b1", sees(1, 0)) + txn("b2", sees(1, 6)))
          .status,
      1);
  const std::string reads =
      opaque("SELECT v FROM t WHERE k = 1 -- information_schema.tables",
             "catalog", R"x(,"rows":[[9]])x");
  EXPECT_EQ(judged(txn("a1", reads)).status, 1);
  const std::string asks = opaque("SELECT c.relname FROM pg_catalog.pg_class c",
                                  "catalog", R"x(,"rows":[["t"]])x");
  EXPECT_EQ(judged(txn("a1", asks) + txn("b1", sees(1, 0))).status, 0);
}

TEST_F(AuditCommand, ALogBecomesAHistoryOfItsRows) {
  directory_.write("log.jsonl", kFirst +
                                    txn("a1", sees(1, 0) + "," + sets(1, 5)) +
                                    txn("b1", sees(1, 0) + "," + sets(1, 7)));
  const Ran ran = run_command(
      "txscope convert log.jsonl --to jsonl -o h.jsonl && "
      "txscope check h.jsonl --level read-committed && "
      "txscope check h.jsonl --level snapshot-isolation",
      directory_.path());
  EXPECT_EQ(ran.status, 1) << ran.output;
  EXPECT_TRUE(ran.said("read-committed (session order) holds")) << ran.output;
  EXPECT_TRUE(ran.said("lost update")) << ran.output;
}

TEST_F(AuditCommand, WhatRecordWritesIsExplained) {
  const Ran ran = run_command(
      "txscope record --workload bank --db sqlite --transactions 300 "
      "--clients 3 -o log.jsonl 2> /dev/null && txscope audit log.jsonl "
      "--certify",
      directory_.path());
  EXPECT_EQ(ran.status, 0) << ran.output;
  EXPECT_TRUE(ran.said("were run again")) << ran.output;
}

constexpr char kCounterLog[] = R"sql(
CREATE TABLE t (k INT PRIMARY KEY, v INT);
INSERT INTO t VALUES (1, 0), (2, 0);
CREATE PROCEDURE add(seen INT, written INT) LANGUAGE plpgsql AS $$
DECLARE x INT;
BEGIN
  SELECT v INTO x FROM t WHERE k = seen;
  UPDATE t SET v = x + 1 WHERE k = written;
END $$;
)sql";

struct Claim {
  const char* product;
  const char* level;     ///< that the transactions ran at
  const char* sessions;  ///< what they call
  const char* claimed;
  bool is_kept;
};

// Of what a product does not promise some run shows it, since clients come
// together on two rows; of what it does none, and that is run again.
TEST_F(AuditCommand, ProductsAreHeldAgainstMoreThanTheyPromise) {
  const std::string lost = "--@ session a: CALL add(1, 1);\n";
  const std::string skew =
      "--@ session a: CALL add(1, 2);\n--@ session b: CALL add(2, 1);\n";
  const std::vector<Claim> claims = {
      {"mariadb", "mariadb:repeatable-read", "lost", "snapshot-isolation",
       false},
      {"mariadb", "mariadb:repeatable-read+snapshot", "lost",
       "snapshot-isolation", true},
      {"postgresql", "postgresql:read-committed", "lost", "snapshot-isolation",
       false},
      {"postgresql", "postgresql:repeatable-read", "skew", "serializable",
       false},
      {"postgresql", "postgresql:repeatable-read", "skew", "snapshot-isolation",
       true},
  };
  for (const Claim& claim : claims) {
    const bool is_lost = std::string(claim.sessions) == "lost";
    directory_.write("app.sql", kCounterLog + (is_lost ? lost : skew));
    int status = 0;
    std::string told;
    const int most = claim.is_kept ? 1 : 8;
    for (int seed = 1; seed <= most && status == 0; ++seed) {
      const Ran recorded = run_command(
          "txscope record --workload app.sql --db " +
              std::string(claim.product) + " --level " + claim.level +
              " --transactions 300 --clients 6 -o log.jsonl --seed " +
              std::to_string(seed),
          directory_.path());
      if (recorded.status != 0) GTEST_SKIP() << recorded.output;
      const Ran ran = audit("log.jsonl --certify --timeout 20s --level " +
                            std::string(claim.claimed));
      status = ran.status;
      told = ran.output;
    }
    EXPECT_EQ(status, claim.is_kept ? 0 : 1)
        << claim.level << " as " << claim.claimed << "\n"
        << told;
  }
}

}  // namespace
}  // namespace txscope
