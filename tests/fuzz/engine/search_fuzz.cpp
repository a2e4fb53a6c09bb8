// The search over states, with its reduction, finds exactly the outcomes that
// all interleavings of the statements have.

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "engine/search/explore_profile.h"
#include "engine/search/rule_judge.h"
#include "engine/server/server.h"
#include "read/sql/sql.h"
#include "support/fuzz.h"
#include "support/live_program.h"

namespace txscope::engine {
namespace {

using Outcomes = std::set<std::string>;

std::string text_of(const sql::Row& row) {
  std::string text = "(";
  for (const sql::Value& value : row) text += sql::to_string(value) + ",";
  return text + ")";
}

// What each session was told, and the rows in the end.
std::string text_of(const std::vector<TraceStep>& steps,
                    const std::vector<std::vector<sql::Row>>& final) {
  std::vector<std::string> told(8);
  for (const TraceStep& step : steps) {
    std::string& text = told[step.session];
    if (step.kind == TraceStep::Kind::Executed) {
      text += " #" + std::to_string(step.count);
      for (const sql::Row& row : step.rows) text += text_of(row);
    } else if (step.kind == TraceStep::Kind::Failed) {
      // Of a RAISE that is caught nobody is told; it is a step only where there
      // is something to undo, so of two runs that are told alike it may be in
      // one.
      if (!step.is_caught || step.statement != nullptr)
        text += (step.is_caught ? " !" : " ") + step.code;
    } else if (step.kind == TraceStep::Kind::Committed) {
      text += " committed";
    }
  }
  std::string text;
  for (const std::string& session : told) text += session + ";";
  for (const auto& table : final) {
    text += " |";
    for (const sql::Row& row : table) text += text_of(row);
  }
  return text;
}

struct Summary {
  Outcomes outcomes;
  std::set<std::string> aborts;
  std::set<std::size_t> broken_between;
};

// Every path of moves, one by one: no state is remembered, none left out.
class AllPaths {
 public:
  AllPaths(Server& machine, RuleJudge& judge)
      : machine_(machine), judge_(judge) {}

  // Recursive; the programs are a few steps long.  False: too many.
  bool run(const State& state) {
    const std::vector<Move> moves = machine_.moves(state);
    if (moves.empty()) {
      std::vector<std::vector<sql::Row>> final;
      const sql::Schema& schema = machine_.around().schema();
      for (std::size_t t = 0; t < schema.tables.size(); ++t)
        final.push_back(committed_rows(state, schema, TableId(t)));
      summary_.outcomes.insert(text_of(steps_, final));
      note_broken(state);
      return ++paths_ < 3000;
    }
    for (const Move& move : moves) {
      const std::size_t before = steps_.size();
      State next = state;
      Happenings happenings;
      machine_.apply(next, move, &steps_, happenings);
      EXPECT_EQ(happenings.undecided, "");
      for (const auto& [code, count] : happenings.aborts)
        summary_.aborts.insert(code);
      if (happenings.commits > 0) note_broken(next);
      if (!run(next)) return false;
      steps_.resize(before);
    }
    return true;
  }
  [[nodiscard]] const Summary& summary() const { return summary_; }

 private:
  void note_broken(const State& state) {
    const auto& violated = judge_.violated(state, false);
    for (std::size_t p = 0; p < violated.size(); ++p)
      if (violated[p]) summary_.broken_between.insert(p);
  }

  Server& machine_;
  RuleJudge& judge_;
  std::vector<TraceStep> steps_;
  Summary summary_;
  int paths_ = 0;
};

std::optional<Summary> all_paths(const sql::Application& application,
                                 const Profile& profile) {
  const Budget budget = Budget::unlimited();
  const sql::Routines routines(application);
  RowPool rows;
  const Surroundings around{routines, rows, budget};
  Server machine(around, profile);
  RuleJudge judge(routines, machine.selection(), budget);
  const auto database = sql::MemoryDatabase::after_setup(routines, budget);
  AllPaths paths(machine, judge);
  if (!paths.run(machine.initial(std::get<sql::MemoryDatabase>(database))))
    return std::nullopt;
  return paths.summary();
}

Summary searched(const sql::Application& application, const Profile& profile,
                 bool reduces) {
  Summary summary;
  ProfileOptions options;
  options.all = true;
  options.explains = false;
  options.judges_every_commit = true;
  options.reduces = reduces;
  options.on_outcome = [&](const ObservedOutcome& outcome) {
    summary.outcomes.insert(text_of(outcome.schedule, outcome.final));
  };
  const auto result =
      explore_profile(application, profile, options, Budget::unlimited());
  EXPECT_TRUE(result && result->is_complete);
  for (const auto& [code, count] : result->counts.aborts)
    summary.aborts.insert(code);
  for (const PropertyAnswer& property : result->properties)
    if (property.at_every_commit == Outcome::Violated)
      summary.broken_between.insert(property.property.index);
  return summary;
}

// Random statements, cut into one or two transactions per session.
std::string random_program(Random& random, Product product) {
  const txscope::test::LiveProgram program =
      txscope::test::random_live_program(random, product);
  std::string text = program.tables;
  for (std::size_t s = 0; s < program.sessions.size(); ++s) {
    text += "--@ session s" + std::to_string(s + 1) + ": BEGIN; ";
    const auto& statements = program.sessions[s];
    for (std::size_t i = 0; i < statements.size(); ++i) {
      if (i > 0 && random.chance(0.3)) text += "COMMIT; BEGIN; ";
      text += statements[i] + "; ";
    }
    text += "COMMIT;\n";
  }
  return text +
         "--@ invariant few: (SELECT count(*) FROM t) <= 3\n"
         "--@ invariant low: (SELECT coalesce(max(n), 0) FROM t) <= 25\n";
}

TEST(EngineSearchFuzz, FindsTheOutcomesOfAllInterleavings) {
  Random random(fuzz_seed(5));
  int compared = 0;
  const int rounds = fuzz_rounds(60);
  for (int round = 0; round < rounds; ++round) {
    for (const Profile& profile : profiles()) {
      // Triggers and PostgreSQL's locks are its own.
      const Product dialect = profile.product == Product::PostgreSql
                                  ? Product::PostgreSql
                                  : Product::MariaDb;
      const std::string text = random_program(random, dialect);
      const auto application = sql::read_sql("random.sql", text);
      ASSERT_TRUE(application) << application.error().what << "\n" << text;
      const auto expected = all_paths(*application, profile);
      if (!expected) continue;
      ++compared;
      for (const bool reduces : {false, true}) {
        const Summary found = searched(*application, profile, reduces);
        ASSERT_EQ(found.outcomes, expected->outcomes)
            << profile.name << (reduces ? ", reduced" : "") << "\n"
            << text;
        ASSERT_EQ(found.aborts, expected->aborts) << profile.name << "\n"
                                                  << text;
        ASSERT_EQ(found.broken_between, expected->broken_between)
            << profile.name << (reduces ? ", reduced" : "") << "\n"
            << text;
      }
    }
  }
  EXPECT_GT(compared, rounds * 5);
  RecordProperty("compared", compared);
}

}  // namespace
}  // namespace txscope::engine
