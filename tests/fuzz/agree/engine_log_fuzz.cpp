// The engines and the auditor each have a definition of the levels of
// PostgreSQL and of InnoDB.  What a run of an engine shows its clients is
// explained at the engine's level; with a value that nobody ever wrote it is
// not.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "base/random.h"
#include "engine/search/explore_profile.h"
#include "read/sql/sql.h"
#include "support/audit_log.h"
#include "support/engine_log.h"
#include "support/fuzz.h"
#include "support/live_program.h"

namespace txscope {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostRuns = 3;  // per application

struct Tally {
  int explained = 0;
  int refuted = 0;
  int undecided = 0;
  int refused = 0;  ///< a statement that audit does not know

  [[nodiscard]] int judged() const { return explained + refuted + undecided; }
};

void note(const std::string& log, const Profile& profile, Tally& tally) {
  const auto report = test::audit_text_log(log, std::string(profile.name));
  if (!report || report->results.empty()) {
    ++tally.refused;
    return;
  }
  const std::string verdict = test::verdict_of(report->results.front().found);
  if (verdict == "holds")
    ++tally.explained;
  else if (verdict == "violated")
    ++tally.refuted;
  else
    ++tally.undecided;
}

/// Runs of one application, as logs.  A schedule does not tell savepoints, nor
/// what a block with an EXCEPTION takes back.
std::vector<std::string> logs_of(const test::LiveProgram& program,
                                 const Profile& profile) {
  std::vector<std::string> logs;
  for (const char* nested : {"SAVEPOINT", "EXCEPTION WHEN"})
    if (program.text().find(nested) != std::string::npos) return logs;
  const auto application = sql::read_sql("p.sql", program.text());
  if (!application) return logs;
  engine::ProfileOptions options;
  options.all = true;
  options.explains = false;
  const Budget budget = Budget::unlimited();
  options.on_outcome = [&](const engine::ObservedOutcome& outcome) {
    if (logs.size() < kMostRuns)
      logs.push_back(
          test::engine_log(*application, program.tables, profile, outcome));
  };
  (void)engine::explore_profile(*application, profile, options, budget);
  return logs;
}

/// A number that no statement can make, in a row that a committed transaction
/// was shown; empty if none was shown any.
std::string with_a_wrong_value(const std::string& log, Random& random) {
  std::istringstream lines(log);
  std::vector<Json> parsed;
  for (std::string line; std::getline(lines, line);)
    parsed.push_back(Json::parse(line));
  std::vector<Json*> cells;
  for (Json& txn : parsed) {
    if (!txn.contains("statements") || txn["status"] != "committed") continue;
    for (Json& statement : txn["statements"]) {
      if (!statement.contains("rows")) continue;
      for (Json& row : statement["rows"])
        for (Json& cell : row)
          if (cell.is_number()) cells.push_back(&cell);
    }
  }
  if (cells.empty()) return "";
  *cells[random.below(cells.size())] = 7654321;
  std::string out;
  for (const Json& line : parsed) out += line.dump() + "\n";
  return out;
}

void compare(Product product, std::uint64_t seed, int rounds) {
  Random random(fuzz_seed(seed));
  Tally right;
  Tally wrong;
  for (int round = 0; round < rounds; ++round) {
    const test::LiveProgram program =
        test::random_live_program(random, product);
    std::vector<const Profile*> levels;
    for (const Profile& profile : profiles())
      if (profile.product == product && profile.log_rule)
        levels.push_back(&profile);
    const Profile& profile = *levels[random.below(levels.size())];
    for (const std::string& log : logs_of(program, profile)) {
      const int refuted = right.refuted;
      note(log, profile, right);
      EXPECT_EQ(right.refuted, refuted) << profile.name << "\n" << log;
      const std::string mutant = with_a_wrong_value(log, random);
      if (mutant.empty()) continue;
      const int explained = wrong.explained;
      note(mutant, profile, wrong);
      EXPECT_EQ(wrong.explained, explained) << profile.name << "\n" << mutant;
    }
  }
  std::cout << "right: " << right.explained << " explained, " << right.undecided
            << " undecided, " << right.refused
            << " refused; wrong: " << wrong.refuted << " refuted, "
            << wrong.undecided << " undecided, " << wrong.refused
            << " refused\n";
  EXPECT_GE(right.explained, 0.97 * right.judged());
  // What is refused is what audit names: DEFERRABLE keys and triggers.
  EXPECT_LT(right.refused, 0.25 * right.judged());
  EXPECT_GE(wrong.refuted, 0.95 * wrong.judged());
  EXPECT_GT(wrong.refuted, 0);
}

TEST(AgreeFuzz, RunsOfPostgresqlsEngineAreExplainedAtItsLevel) {
  compare(Product::PostgreSql, 11, fuzz_rounds(900));
}

TEST(AgreeFuzz, RunsOfInnodbsEngineAreExplainedAtItsLevel) {
  compare(Product::MariaDb, 12, fuzz_rounds(660));
}

}  // namespace
}  // namespace txscope
