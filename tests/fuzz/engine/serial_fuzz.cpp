// "As if one after the other" against the definition: every outcome of the
// engine is compared with all orders of its committed transactions, run on
// tables in memory.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "base/random.h"
#include "engine/search/explore_profile.h"
#include "exec/sql/memory/database.h"
#include "read/sql/sql.h"
#include "support/fuzz.h"

namespace txscope::engine {
namespace {

std::string one_of(Random& random, std::initializer_list<const char*> all) {
  return *(all.begin() + static_cast<std::ptrdiff_t>(random.below(all.size())));
}

std::string random_statement(Random& random) {
  return one_of(
      random,
      {"UPDATE t SET a = a + 1 WHERE id = 1;",
       "UPDATE t SET a = v WHERE id = 2;",
       "UPDATE t SET a = a + 1 WHERE a > 0;",
       "SELECT a INTO v FROM t WHERE id = 1;",
       "SELECT a INTO v FROM t WHERE id = 2;", "SELECT sum(a) INTO v FROM t;",
       "SELECT a INTO v FROM t WHERE id = 1 FOR UPDATE;",
       "DELETE FROM t WHERE id = 2;",
       "INSERT INTO t VALUES (3, v) ON CONFLICT DO NOTHING;",
       "IF v > 1 THEN UPDATE t SET a = 0 WHERE id = 1; END IF;",
       "IF v = 1 THEN RAISE EXCEPTION 'no'; END IF;"});
}

std::string random_application(Random& random) {
  std::string text =
      "CREATE TABLE t (id int PRIMARY KEY, a int);"
      "INSERT INTO t VALUES (1, 0), (2, 1);\n";
  const std::uint64_t sessions = 2 + random.below(2);
  for (std::uint64_t s = 0; s < sessions; ++s) {
    const std::string name = "p" + std::to_string(s);
    text += "CREATE PROCEDURE " + name +
            "() LANGUAGE plpgsql AS $$ DECLARE v int := 0; BEGIN ";
    const std::uint64_t n = 1 + random.below(sessions == 2 ? 3 : 2);
    for (std::uint64_t i = 0; i < n; ++i) text += random_statement(random);
    text += " END $$;\n";
  }
  for (std::uint64_t s = 0; s < sessions; ++s) {
    const std::string name = "p" + std::to_string(s);
    text += "--@ session s" + std::to_string(s) + ": CALL " + name + "();";
    if (sessions == 2 && random.below(3) == 0) text += " CALL " + name + "();";
    text += "\n";
  }
  return text;
}

/// What the statements of a call gave.
using Results = std::vector<sql::StatementResult>;

/// Runs a call; none if it does not commit.
std::optional<Results> run_call(sql::MemoryDatabase& database,
                                const sql::Call& call, const Budget& budget) {
  const sql::MemoryDatabase before = database;
  sql::Process process(database.routines(), call);
  Results results;
  for (;;) {
    const sql::Request request = process.run(budget);
    if (request.kind == sql::Request::Kind::Returned) return results;
    if (request.kind != sql::Request::Kind::Statement) break;
    const auto result = database.execute(*request.statement, process.slots(),
                                         budget, request.max_rows);
    const auto* given = std::get_if<sql::StatementResult>(&result);
    if (given == nullptr) break;
    if (!request.statement->is_of_commit()) results.push_back(*given);
    process.answer(*given);
  }
  database.roll_back_to(before);
  return std::nullopt;
}

class Oracle {
 public:
  explicit Oracle(const sql::Application& application)
      : application_(application),
        routines_(application, 1000),
        initial_(std::get<sql::MemoryDatabase>(
            sql::MemoryDatabase::after_setup(routines_, budget_))) {}

  [[nodiscard]] bool is_serial(const ObservedOutcome& outcome) {
    std::map<CallRef, Results> told;
    for (const TraceStep& step : outcome.schedule) {
      Results& own = told[{step.session, step.call}];
      if (step.kind == TraceStep::Kind::RolledBack) own.clear();
      if (step.kind == TraceStep::Kind::Executed) {
        own.push_back({step.rows, step.count});
      }
    }
    std::vector<std::uint32_t> order;
    std::map<std::uint32_t, std::vector<std::uint32_t>> committed;
    for (std::uint32_t s = 0; s < outcome.ends.size(); ++s) {
      for (std::uint32_t c = 0; c < outcome.ends[s].size(); ++c) {
        if (!outcome.ends[s][c].is_committed) continue;
        order.push_back(s);
        committed[s].push_back(c);
      }
    }
    do {
      if (shows(order, committed, told, outcome)) return true;
    } while (std::next_permutation(order.begin(), order.end()));
    return false;
  }

 private:
  bool shows(const std::vector<std::uint32_t>& order,
             std::map<std::uint32_t, std::vector<std::uint32_t>>& committed,
             std::map<CallRef, Results>& told, const ObservedOutcome& outcome) {
    sql::MemoryDatabase database = initial_;
    std::map<std::uint32_t, std::size_t> next;
    for (const std::uint32_t s : order) {
      const std::uint32_t c = committed[s][next[s]++];
      const auto results =
          run_call(database, application_.sessions[s].calls[c], budget_);
      if (!results || *results != told[{s, c}]) return false;
    }
    return database.rows(TableId(0)) == outcome.final[0];
  }

  const sql::Application& application_;
  const Budget budget_ = Budget::unlimited();
  const sql::Routines routines_;
  const sql::MemoryDatabase initial_;
};

TEST(SerialFuzz, AsIfOneAfterTheOtherIsWhatTheDefinitionSays) {
  Random random(fuzz_seed(31));
  std::map<Outcome, int> seen;
  for (int round = 0; round < fuzz_rounds(150); ++round) {
    const std::string text = random_application(random);
    const auto application = sql::read_sql("fuzz.sql", text);
    ASSERT_TRUE(application) << application.error().what << "\n" << text;
    Oracle oracle(*application);
    for (const char* name :
         {"postgresql:read-committed", "postgresql:repeatable-read",
          "postgresql:serializable", "mariadb:repeatable-read", "sqlite"}) {
      bool all_serial = true;
      ProfileOptions options;
      options.all = true;
      options.explains = false;
      options.builtins = SerialSense::Outcome;
      options.on_outcome = [&](const ObservedOutcome& outcome) {
        all_serial = all_serial && oracle.is_serial(outcome);
      };
      const auto answer = explore_profile(*application, **parse_profile(name),
                                          options, Budget::unlimited());
      ASSERT_TRUE(answer) << text;
      ASSERT_EQ(answer->builtins[0].verdict,
                all_serial ? Outcome::Holds : Outcome::Violated)
          << name << "\n"
          << text;
      ++seen[answer->builtins[0].verdict];
    }
  }
  EXPECT_GT(seen[Outcome::Holds], 0);
  EXPECT_GT(seen[Outcome::Violated], 0);
}

}  // namespace
}  // namespace txscope::engine
