#include "verb/answer/observation.h"

#include <algorithm>
#include <set>
#include <utility>

#include "analysis/footprint.h"
#include "engine/explain/replay.h"
#include "engine/search/explore_profile.h"
#include "explore/explore.h"

namespace txscope::verb {
namespace {

constexpr std::size_t kMostReplayed = 8;  // runs whose rows are looked at
constexpr std::uint64_t kMostStates = 200'000;

/// Who uses which row.
class Meetings {
 public:
  void use(const std::string& row, std::uint32_t session, bool is_write) {
    Users& users = rows_[row];
    users.sessions.insert(session);
    users.is_written |= is_write;
    are_there_ |= users.is_written && users.sessions.size() > 1;
  }
  [[nodiscard]] bool are_there() const { return are_there_; }

 private:
  struct Users {
    std::set<std::uint32_t> sessions;
    bool is_written = false;
  };
  std::map<std::string, Users> rows_;
  bool are_there_ = false;
};

bool all_true(const std::map<CallRef, bool>& calls) {
  return std::all_of(calls.begin(), calls.end(),
                     [](const auto& call) { return call.second; });
}

bool all_true(const std::vector<bool>& flags) {
  return std::find(flags.begin(), flags.end(), false) == flags.end();
}

/// Tables that a session's routines may write, whatever happens.
std::vector<bool> written_tables(const sql::Application& application) {
  std::vector<bool> written(application.schema.tables.size(), false);
  std::set<std::uint32_t> done;
  for (const sql::Session& session : application.sessions)
    for (const sql::Call& call : session.calls) {
      if (!done.insert(call.routine.index).second) continue;
      const auto print = analysis::footprint_of(application, call.routine);
      for (std::size_t t = 0; t < written.size(); ++t)
        written[t] = written[t] || print.writes[t];
    }
  return written;
}

class SqlObserver {
 public:
  SqlObserver(const sql::Application& application, const Profile& profile,
              std::uint64_t loop_bound, const Budget& budget)
      : application_(application),
        profile_(profile),
        loop_bound_(loop_bound),
        budget_(budget) {
    for (const CallRef call : sql::workload_of(application).calls())
      seen_.commits[call] = false;
    seen_.is_moved = moved_rules(application);
    for (const sql::Property& property : application.properties)
      seen_.is_judged.push_back(property.variables.empty());
  }

  Observation run() {
    engine::ProfileOptions how;
    how.all = true;
    how.explains = false;
    how.loop_bound = loop_bound_;
    how.tells_rows = false;
    how.on_outcome = [&](const engine::ObservedOutcome& outcome) {
      look_at(outcome);
      if (is_all_seen() || seen_.executions >= Observation::kMostLooked)
        budget_.cancel();
    };
    how.on_progress = [&](const engine::ProfileProgress& now) {
      if (now.states > kMostStates) budget_.cancel();
    };
    const auto answer =
        engine::explore_profile(application_, profile_, how, budget_);
    seen_.is_complete = is_all_seen() || (answer && answer->is_complete);
    seen_.sessions_meet = meetings_.are_there();
    return std::move(seen_);
  }

 private:
  void look_at(const engine::ObservedOutcome& outcome) {
    ++seen_.executions;
    for (std::uint32_t s = 0; s < outcome.ends.size(); ++s)
      for (std::uint32_t c = 0; c < outcome.ends[s].size(); ++c) {
        const engine::CallEnd& end = outcome.ends[s][c];
        if (end.is_committed)
          seen_.commits[{s, c}] = true;
        else
          seen_.abort_codes.try_emplace({s, c}, end.code);
      }
    for (const engine::TraceStep& step : outcome.schedule) look_at(step);
    judge_rules(outcome);
    if (seen_.executions <= kMostReplayed && !meetings_.are_there())
      look_at_rows(outcome.path);
  }

  /// A rule over variables needs the commits of their transactions.
  void judge_rules(const engine::ObservedOutcome& outcome) {
    for (std::size_t p = 0; p < seen_.is_judged.size(); ++p) {
      const auto& variables = application_.properties[p].variables;
      if (std::all_of(variables.begin(), variables.end(), [&](const auto& v) {
            return outcome.ends[v.session][v.call].is_committed;
          }))
        seen_.is_judged[p] = true;
    }
  }

  void look_at(const engine::TraceStep& step) {
    if (step.kind != engine::TraceStep::Kind::Executed ||
        step.statement == nullptr)
      return;
    Observation::Ran& ran = seen_.statements[step.at.offset];
    ran.at = step.at;
    ran.is_write = !step.statement->is_select();
    ran.has_found |= step.count > 0 || !step.rows.empty();
  }

  void look_at_rows(const std::vector<engine::Move>& path) {
    const auto again = engine::replay(
        application_, profile_, engine::Selection::all(application_),
        engine::Question::about(Builtin::OneAfterTheOther), path, loop_bound_,
        budget_);
    for (const Step& step : again.steps) {
      for (const RowUse& use : step.reads)
        meetings_.use(use.key, step.call.session, false);
      for (const RowUse& use : step.writes)
        meetings_.use(use.key, step.call.session, true);
    }
  }

  [[nodiscard]] bool is_all_seen() const {
    const bool may_meet =
        meetings_.are_there() || application_.sessions.size() < 2;
    return may_meet && all_true(seen_.commits) && all_true(seen_.is_judged) &&
           std::all_of(seen_.statements.begin(), seen_.statements.end(),
                       [](const auto& one) { return one.second.has_found; });
  }

  const sql::Application& application_;
  const Profile& profile_;
  const std::uint64_t loop_bound_;
  const Budget budget_;
  Observation seen_;
  Meetings meetings_;
};

class ProgramObserver {
 public:
  ProgramObserver(const Program& program, const exec::Code& code)
      : program_(program), code_(code) {
    for (const CallRef call : workload_of(program).calls())
      seen_.commits[call] = false;
    seen_.is_moved.assign(program.properties.size(), false);
    for (const exec::Script::Condition& condition : code.conditions) {
      conditions_.push_back(&condition);
      // One over what transactions leave in their variables.
      if (condition.keys.empty())
        seen_.is_moved[condition.property.index] = true;
    }
    // What is asserted inside of transactions has no such condition.
    std::vector<bool> has_condition(program.properties.size(), false);
    for (const auto* c : conditions_) has_condition[c->property.index] = true;
    for (std::size_t p = 0; p < has_condition.size(); ++p)
      if (!has_condition[p]) seen_.is_moved[p] = true;
  }

  Observation run(Base level, std::uint64_t loop_bound, const Budget& budget) {
    const Budget own(budget);
    explore::ExploreOptions how;
    how.levels = {level};
    how.loop_bound = loop_bound;
    how.all = true;
    how.explains = false;
    how.on_history = [&](const explore::ExploredHistory& history) {
      look_at(history);
      if (is_all_seen() || seen_.executions >= Observation::kMostLooked)
        own.cancel();
    };
    const auto answers = explore::explore(program_, how, own);
    seen_.is_complete =
        is_all_seen() || (answers && answers->front().is_complete);
    seen_.sessions_meet = meetings_.are_there();
    judge_rules(level, loop_bound, budget);
    return std::move(seen_);
  }

 private:
  /// By the values that variables have in the end, where rules name some.
  void judge_rules(Base level, std::uint64_t loop_bound, const Budget& budget) {
    seen_.is_judged.assign(program_.properties.size(), true);
    const bool needs_values = std::any_of(
        code_.condition_code.begin(), code_.condition_code.end(),
        [](const auto& condition) { return !condition.local_refs.empty(); });
    if (!needs_values) return;
    explore::ExploreOptions how;
    how.levels = {level};
    how.loop_bound = loop_bound;
    how.all = true;
    how.explains = false;
    how.outcomes = true;
    const auto answers =
        explore::explore(program_, how, budget.at_most(kMostStates));
    if (!answers || !answers->front().is_complete) return;
    for (std::size_t i = 0; i < code_.conditions.size(); ++i) {
      const auto property = code_.conditions[i].property.index;
      if (!has_values(i, answers->front().ends))
        seen_.is_judged[property] = false;
    }
  }

  /// Some execution ends with a value of every variable that it names.
  [[nodiscard]] bool has_values(std::size_t condition,
                                const std::vector<SeenEnd>& ends) const {
    const auto is_set = [&](const SeenEnd& end, const std::string& name) {
      return std::any_of(end.values.begin(), end.values.end(),
                         [&](const NamedValue& value) {
                           return value.name == name && !value.value.is_null();
                         });
    };
    const auto& refs = code_.condition_code[condition].local_refs;
    return std::any_of(ends.begin(), ends.end(), [&](const SeenEnd& end) {
      return std::all_of(refs.begin(), refs.end(), [&](std::uint32_t ref) {
        return is_set(end, code_.local_refs[ref].name);
      });
    });
  }

  void look_at(const explore::ExploredHistory& history) {
    using Kind = explore::ExploredHistory::Event::Kind;
    ++seen_.executions;
    for (const explore::ExploredHistory::Txn& txn : history.txns) {
      const CallRef call = code_.call_of(txn.instance);
      if (txn.is_committed)
        seen_.commits[call] = true;
      else
        seen_.abort_codes.try_emplace(call, "abort");
      for (const explore::ExploredHistory::Event& event : txn.events) {
        const bool is_write = event.kind == Kind::Write && txn.is_committed;
        meetings_.use(std::to_string(event.key.index), call.session, is_write);
        if (is_write) moved(event.key.index);
      }
    }
  }

  void moved(std::uint32_t key) {
    for (const exec::Script::Condition* condition : conditions_)
      if (std::binary_search(condition->keys.begin(), condition->keys.end(),
                             key))
        seen_.is_moved[condition->property.index] = true;
  }

  [[nodiscard]] bool is_all_seen() const {
    const bool may_meet = meetings_.are_there() || program_.sessions.size() < 2;
    return may_meet && all_true(seen_.commits) && all_true(seen_.is_moved);
  }

  const Program& program_;
  const exec::Code& code_;
  std::vector<const exec::Script::Condition*> conditions_;
  Observation seen_;
  Meetings meetings_;
};

}  // namespace

/// A rule over variables moves with them; one over tables if one is written.
std::vector<bool> moved_rules(const sql::Application& application) {
  const std::vector<bool> written = written_tables(application);
  std::vector<bool> moved;
  for (const sql::Property& property : application.properties) {
    const auto print = analysis::footprint_of(application, property.condition);
    bool moves = !property.variables.empty();
    for (std::size_t t = 0; t < written.size(); ++t)
      moves |= print.reads[t] && written[t];
    moved.push_back(moves);
  }
  return moved;
}

std::uint64_t Observation::committing() const {
  return static_cast<std::uint64_t>(
      std::count_if(commits.begin(), commits.end(),
                    [](const auto& call) { return call.second; }));
}

bool Observation::finds_rows() const {
  return std::any_of(statements.begin(), statements.end(),
                     [](const auto& one) { return one.second.has_found; });
}

Observation observe(const Program& program, Base level,
                    std::uint64_t loop_bound, const Budget& budget) {
  const auto code = exec::compile(program);
  if (!code) return {};
  return ProgramObserver(program, *code).run(level, loop_bound, budget);
}

Observation observe(const sql::Application& application, const Profile& profile,
                    std::uint64_t loop_bound, const Budget& budget) {
  return SqlObserver(application, profile, loop_bound, budget).run();
}

}  // namespace txscope::verb
