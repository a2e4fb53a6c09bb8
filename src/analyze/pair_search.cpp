#include "analyze/pair_search.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace txscope::analyze {

Result<std::unique_ptr<CallRunner>> CallRunner::make(
    sql::Application application, std::uint64_t loop_bound,
    const Budget& budget, const std::vector<sql::Call>& before) {
  for (const sql::Call& call : before) {
    sql::SetupStep step;
    step.before = application.setup.size();
    step.call = call;
    application.steps.push_back(std::move(step));
  }
  // What names variables of given sessions cannot be asked of others.
  std::erase_if(application.properties, [](const sql::Property& property) {
    return !property.variables.empty() ||
           property.kind != PropertyKind::Invariant;
  });
  application.sessions.clear();
  std::unique_ptr<CallRunner> runner(
      new CallRunner(std::move(application), loop_bound));
  auto ready =
      sql::ReadyApplication::make(runner->application_, loop_bound, budget);
  if (!ready) return ready.error();
  if (*ready == nullptr)
    return Error{Place{runner->application_.file, 0, 0, {}},
                 "the time was up before the setup had run",
                 "give it more: --timeout 60s", ""};
  runner->ready_ = std::move(*ready);
  return runner;
}

void CallRunner::ask_also(const std::vector<sql::Property>& rules) {
  application_.properties.insert(application_.properties.end(), rules.begin(),
                                 rules.end());
}

engine::ProfileOptions CallRunner::options() const {
  engine::ProfileOptions how;
  how.all = true;
  how.loop_bound = loop_bound_;
  how.builtins = engine::SerialSense::Outcome;
  return how;
}

void CallRunner::call(const std::vector<Part>& parts) {
  application_.sessions.clear();
  for (std::size_t i = 0; i < parts.size(); ++i) {
    sql::Session session;
    session.name = std::string(1, static_cast<char>('A' + i));
    sql::Call call =
        call_with(application_, parts[i].type->routine, *parts[i].arguments);
    call.label = parts[i].type->name;
    session.at = call.at;
    session.calls.push_back(std::move(call));
    application_.sessions.push_back(std::move(session));
  }
}

Result<Answer> CallRunner::explore(const std::vector<Part>& parts,
                                   const Profile& profile,
                                   const Budget& budget) {
  call(parts);
  return engine::explore_profile(*ready_, profile, options(), budget);
}

std::set<CallRunner::Failure> CallRunner::failures(const std::string& code,
                                                   const Profile& profile,
                                                   const Budget& budget) {
  std::set<Failure> all;
  engine::ProfileOptions how = options();
  how.explains = false;
  how.tells_rows = false;
  how.on_outcome = [&](const engine::ObservedOutcome& outcome) {
    for (const engine::TraceStep& step : outcome.schedule)
      if (step.kind == engine::TraceStep::Kind::Failed && step.code == code &&
          !step.is_caught)
        all.insert({step.session, step.at});
  };
  // What it shows counts, also if it does not come to its end.
  const auto answer = engine::explore_profile(*ready_, profile, how, budget);
  if (!answer) all.clear();
  return all;
}

std::set<std::string> CallRunner::serial_errors(const Budget& budget) const {
  std::set<std::string> codes;
  std::vector<std::uint32_t> order(application_.sessions.size());
  std::iota(order.begin(), order.end(), 0);
  do {
    const auto run = sql::run_serially(initial(), application_, order, budget);
    for (const auto& ran : run.ran)
      if (ran.kind == sql::Request::Kind::Failed)
        codes.insert(ran.process.error().sqlstate);
  } while (std::next_permutation(order.begin(), order.end()));
  return codes;
}

}  // namespace txscope::analyze
