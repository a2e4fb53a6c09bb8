// Whatever word an answer uses, `explain` knows.  The words come from the
// answers themselves: levels, names of anomalies, codes of errors, notions,
// ways to decide, kinds of edges and of findings.
#include <algorithm>
#include <cctype>
#include <set>

#include "unit/reports/written.h"

namespace txscope {
namespace {

using nlohmann::json;
using test::Ran;
using test::run_command;
using test::TemporaryDirectory;

constexpr const char* kAnswered[] = {
    "check examples/histories/lost-update.jsonl",
    "check examples/histories/write-skew.jsonl",
    "check examples/histories/stale-read.jsonl",
    "explore examples/bank/bank.sql --all --level all",
    "explore examples/on-call/on-call.sql",
    "explore examples/tickets/tickets.sql --level all",
    "explore examples/mysql/wallet.sql",
    "explore examples/programs/long_fork.txn --all",
    "explore examples/programs/store_buffering.txn --all",
    "verify examples/verify/simplebank.sql --level snapshot-isolation",
    "verify examples/verify/courseware_slots.sql",
    "robust examples/bank/bank.sql",
    "robust examples/bank/bank.sql --method proof",
    "robust examples/smallbank/smallbank.sql --against "
    "postgresql:repeatable-read",
    "robust examples/programs/on_call.txn",
    "audit examples/logs/lost-update.jsonl",
    "audit examples/logs/exact-times.jsonl",
    "model examples/tla/TwoPhase.tla --config "
    "examples/tla/TwoPhaseCareless.cfg",
    "model examples/tla/Percolator.tla --config "
    "examples/tla/PercolatorImpatient.cfg",
    "analyze examples/bank/bank.sql",
    "analyze examples/shop/shop.sql",
};

/// Fields of JSON whose values are words of ours; what belongs to the user
/// (names of rules, statements, values) stands elsewhere.
const std::set<std::string> kWordFields = {
    "anomaly",   "anomaly_words", "granularity", "notion",   "method",
    "level",     "against",       "refused_by",  "error",    "follows_from",
    "safe_from", "strategy",      "verdict",     "retry_on", "fails",
    "code",      "weakest",
};

void collect_words(const json& value, const std::string& name,
                   std::set<std::string>& words) {
  if (value.is_string() && kWordFields.contains(name))
    words.insert(value.get<std::string>());
  if (value.is_array())
    for (const json& one : value) collect_words(one, name, words);
  if (!value.is_object()) return;
  const bool is_edge = value.contains("reason") && value.contains("from");
  for (const auto& [field, inner] : value.items()) {
    if (name == "aborts") words.insert(field);
    if (field == "kind" && is_edge) words.insert(inner.get<std::string>());
    collect_words(inner, field, words);
  }
}

std::string shell_word(const std::string& word) {
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? "'\\''" : std::string(1, c);
  return out + "'";
}

TEST(ExplainedWords, AreAllThatAnswersUse) {
  const TemporaryDirectory directory;
  std::set<std::string> words;
  for (const std::string call : kAnswered) {
    const Ran ran =
        run_command("txscope " + call + " --timeout 60s --format json -o " +
                        directory.path() + "/r.json --format sarif -o " +
                        directory.path() + "/r.sarif",
                    test::source_dir());
    ASSERT_TRUE(ran.status == 0 || ran.status == 1 || ran.status == 3)
        << call << "\n"
        << ran.output;
    collect_words(json::parse(directory.read("r.json"))["results"], "", words);
    const json sarif = json::parse(directory.read("r.sarif"));
    for (const json& rule : sarif["runs"][0]["tool"]["driver"]["rules"])
      words.insert(
          rule["id"].get<std::string>().substr(std::string("txscope/").size()));
  }
  words.erase("");
  EXPECT_GT(words.size(), 50u);
  std::string script;
  for (const std::string& word : words)
    script += "txscope explain " + shell_word(word) +
              " > /dev/null 2>&1 || echo " + shell_word(word) + "\n";
  directory.write("ask.sh", script);
  EXPECT_EQ(run_command("sh ask.sh", directory.path()).output, "")
      << "have no explanation";
}

}  // namespace
}  // namespace txscope
