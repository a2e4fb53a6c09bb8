#include "scenario.h"

#include <gtest/gtest.h>

#include "engine/search/rule_judge.h"
#include "read/sql/sql.h"

namespace txscope::engine::test {
namespace {

std::string text_of(const sql::Row& row) {
  std::string text = "(";
  for (std::size_t i = 0; i < row.size(); ++i)
    text += (i == 0 ? "" : ",") + sql::to_string(row[i]);
  return text + ")";
}

std::string answer_of(const TraceStep& step) {
  if (step.kind == TraceStep::Kind::Failed) return step.code;
  const bool is_select =
      step.statement != nullptr && step.statement->is_select();
  std::string text = is_select ? "" : std::to_string(step.count);
  for (const sql::Row& row : step.rows) text += text_of(row);
  return text;
}

class Runner {
 public:
  Runner(Server& machine, State state)
      : machine_(machine), state_(std::move(state)) {
    owed_.resize(state_.sessions.size());
  }

  void take(SessionNo s) {
    ++owed_[s];
    settle();
    pay(s);
  }
  void finish() {
    settle();
    while (!machine_.moves(state_).empty()) {
      const Move move = machine_.moves(state_).front();
      machine_.apply(state_, move, &steps_, happenings_);
      settle();
    }
  }
  [[nodiscard]] const State& state() const { return state_; }
  [[nodiscard]] const std::vector<TraceStep>& steps() const { return steps_; }
  [[nodiscard]] const Happenings& happenings() const { return happenings_; }

 private:
  // Victims and those that were woken come first.
  void settle() {
    for (auto moves = machine_.moves(state_);
         !moves.empty() && moves.front().kind != Move::Kind::Step;
         moves = machine_.moves(state_)) {
      machine_.apply(state_, moves.front(), &steps_, happenings_);
    }
    for (SessionNo s = 0; s < owed_.size(); ++s)
      if (owed_[s] > 0) pay(s);
  }
  void pay(SessionNo s) {
    while (owed_[s] > 0 && state_.sessions[s].status == Status::Ready) {
      --owed_[s];
      machine_.apply(state_, {Move::Kind::Step, s}, &steps_, happenings_);
      settle();
    }
  }

  Server& machine_;
  State state_;
  std::vector<int> owed_;
  std::vector<TraceStep> steps_;
  Happenings happenings_;
};

}  // namespace

bool Scenario::all_committed() const {
  for (const std::string& end : ends)
    if (end.find_first_not_of("committed ") != std::string::npos) return false;
  return is_over;
}

bool Scenario::sees(std::size_t session, std::size_t statement,
                    const std::string& part) const {
  return statement < answers[session].size() &&
         answers[session][statement].find(part) != std::string::npos;
}

Scenario run_scenario(const std::string& profile, const std::string& tables,
                      const std::vector<std::string>& sessions,
                      const std::string& schedule) {
  std::string text = tables + "\n";
  for (std::size_t s = 0; s < sessions.size(); ++s)
    text += "--@ session " + std::string(1, static_cast<char>('a' + s)) + ": " +
            sessions[s] + "\n";
  Scenario scenario;
  scenario.answers.resize(sessions.size());
  const auto application = sql::read_sql("scenario.sql", text);
  EXPECT_TRUE(application) << application.error().what << "\n" << text;
  const auto level = parse_profile(profile);
  EXPECT_TRUE(level) << profile;
  if (!application || !level) return scenario;
  const Budget budget = Budget::unlimited();
  const sql::Routines routines(*application);
  RowPool rows;
  const Surroundings around{routines, rows, budget};
  Server machine(around, **level);
  const auto database = sql::MemoryDatabase::after_setup(routines, budget);
  EXPECT_TRUE(std::holds_alternative<sql::MemoryDatabase>(database));
  Runner runner(machine,
                machine.initial(std::get<sql::MemoryDatabase>(database)));
  for (const char c : schedule)
    if (c >= 'a' && c <= 'z') runner.take(static_cast<SessionNo>(c - 'a'));
  runner.finish();
  EXPECT_EQ(runner.happenings().undecided, "");

  for (const TraceStep& step : runner.steps()) {
    if (step.kind == TraceStep::Kind::Waits) ++scenario.waits;
    if (step.kind == TraceStep::Kind::Executed ||
        step.kind == TraceStep::Kind::Failed)
      scenario.answers[step.session].push_back(answer_of(step));
  }
  scenario.is_over = true;
  for (const auto& session : machine.ends(runner.state())) {
    std::string text_of_ends;
    for (const CallEnd& end : session) {
      if (!text_of_ends.empty()) text_of_ends += " ";
      text_of_ends += end.is_committed ? "committed" : end.code;
    }
    scenario.ends.push_back(text_of_ends);
  }
  for (const SessionState& session : runner.state().sessions)
    scenario.is_over &= session.status == Status::Done;
  for (std::size_t t = 0; t < application->schema.tables.size(); ++t) {
    if (t > 0) scenario.final += "; ";
    scenario.final += application->schema.tables[t].name;
    for (const sql::Row& row :
         committed_rows(runner.state(), application->schema, TableId(t)))
      scenario.final += " " + text_of(row);
  }
  return scenario;
}

}  // namespace txscope::engine::test
