// What the program prints with --format json is what docs/json.md and its
// schema promise, for every verb that has such a report.

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>

#include "support/json_schema.h"
#include "support/paths.h"
#include "support/run_command.h"

namespace txscope {
namespace {

using Json = nlohmann::json;
using test::run_command;
using test::schema_problem;

std::string text_of(const std::string& file) {
  std::ifstream in(test::source_dir() + ("/" + file));
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

Json schema() {
  return Json::parse(text_of("docs/schema/txscope.schema.json"));
}

Json output_of(const std::string& call) {
  const auto ran = run_command("txscope " + call + " --format json 2>/dev/null",
                               test::source_dir());
  return Json::parse(ran.output);
}

class JsonOutput : public testing::TestWithParam<const char*> {};

TEST_P(JsonOutput, FitsTheSchema) {
  EXPECT_EQ(schema_problem(schema(), output_of(GetParam())), "") << GetParam();
}

INSTANTIATE_TEST_SUITE_P(
    Verbs, JsonOutput,
    testing::Values(
        "check examples/histories/lost-update.jsonl",
        "check examples/histories/lost-update.jsonl --all --evidence --certify",
        "check examples/histories/stale-read.jsonl --order realtime",
        "check examples/histories/lost-update.jsonl "
        "examples/histories/write-skew.jsonl",
        "check examples/histories/no-such-file.jsonl",
        "explore examples/bank/bank.sql",
        "explore examples/bank/bank.sql --all --certify",
        "explore examples/bank/bank.sql --level read-committed",
        "explore examples/programs/store_buffering.txn --outcomes --all",
        "explore examples/programs/lost_update.txn",
        "verify examples/verify/auction_v1.sql",
        "verify examples/verify/auction_v1.txn --evidence",
        "verify examples/verify/courseware_slots.sql --levels-needed "
        "read-committed",
        "robust examples/smallbank/smallbank.sql",
        "robust examples/robust/auction.sql --method proof",
        "robust examples/robust/auction.sql --allocate",
        "audit examples/logs/lost-update.jsonl",
        "audit examples/logs/lost-update.jsonl --level all --evidence "
        "--certify",
        "model examples/tla/TwoPhase.tla",
        "model examples/tla/TwoPhase.tla --config "
        "examples/tla/TwoPhaseCareless.cfg",
        "model examples/tla/SnapshotStore.tla --config "
        "examples/tla/SnapshotStoreSkew.cfg --coverage",
        "explain write-skew", "explain postgresql:read-committed", "explain",
        "explain no-such-word"));

TEST(JsonSchema, ADifferentReportDoesNotFit) {
  const Json right = output_of("check examples/histories/write-skew.jsonl");
  ASSERT_EQ(schema_problem(schema(), right), "");

  Json wrong = right;
  wrong["results"][0]["verdict"] = "maybe";
  EXPECT_NE(schema_problem(schema(), wrong), "");
  wrong = right;
  wrong["results"][0].erase("transactions");
  EXPECT_NE(schema_problem(schema(), wrong), "");
  wrong = right;
  wrong["time_ms"] = "short";
  EXPECT_NE(schema_problem(schema(), wrong), "");
  wrong = right;
  wrong["comment"] = "not in the schema";
  EXPECT_NE(schema_problem(schema(), wrong), "");
}

// A new field is written down where users read, or it is no contract.
TEST(JsonSchema, EveryFieldOfAResultIsInTheReference) {
  const Json all = schema();
  const std::string page = text_of("docs/json.md");
  for (const char* verb : {"check", "explore", "verify", "robust", "audit",
                           "model", "analyze", "race", "replay", "explain"}) {
    for (const auto& [field, unused] :
         all.at("$defs").at(verb).at("properties").items()) {
      EXPECT_NE(page.find("`" + field + "`"), std::string::npos)
          << "docs/json.md does not name " << field << " of " << verb;
    }
  }
}

}  // namespace
}  // namespace txscope
