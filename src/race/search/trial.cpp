#include "race/search/trial.h"

#include <algorithm>

#include "race/reduce/reader.h"

namespace txscope::race {
namespace {

/// Whom the last event belongs to goes on if it can, else the next in turn.
std::optional<Choice> preferred(const std::vector<Event>& so_far,
                                const std::vector<Choice>& enabled,
                                const Sleep& sleep) {
  std::optional<Choice> first;
  for (const Choice& choice : enabled) {
    if (is_asleep(sleep, choice)) continue;
    if (!so_far.empty() && choice.request == so_far.back().choice.request)
      return choice;
    if (!first) first = choice;
  }
  return first;
}

/// Follows the prefix, then goes on with what does not sleep.
class Guide {
 public:
  Guide(const ScheduleTree::Task& task, const Catalog* catalog)
      : task_(task), reader_(catalog), sleep_(task.sleep) {}

  std::optional<Choice> choose(const std::vector<Event>& so_far,
                               const std::vector<Choice>& enabled) {
    read(so_far);
    if (so_far.size() < task_.prefix.size()) return task_.prefix[so_far.size()];
    return preferred(so_far, enabled, sleep_);
  }

  void read(const std::vector<Event>& so_far) {
    while (steps_.size() < so_far.size()) {
      steps_.push_back(reader_.read(so_far[steps_.size()]));
      if (steps_.size() >= task_.prefix.size())
        sleep_ = still_asleep(sleep_, steps_.back());
    }
  }
  [[nodiscard]] std::vector<Step> take_steps() { return std::move(steps_); }

 private:
  const ScheduleTree::Task& task_;
  FootprintReader reader_;
  Sleep sleep_;
  std::vector<Step> steps_;
};

}  // namespace

Result<std::unique_ptr<Trial>> Trial::open(const Plan& plan, Copies& copies,
                                           double time_limit,
                                           const Budget& budget) {
  auto control = copies.connect();
  if (!control) return control.error();
  auto stage = Stage::open(plan, copies);
  if (!stage) return stage.error();
  return std::unique_ptr<Trial>(new Trial(plan, copies, time_limit, budget,
                                          *std::move(control),
                                          *std::move(stage)));
}

RunWorld Trial::world() const {
  RunWorld result;
  result.lane = stage_->lane_plan();
  result.user = copies_.user();
  result.control = control_.get();
  result.time_limit = time_limit_;
  result.patience = patience_;
  result.application = stage_->application();
  result.shares_machine =
      !copies_.is_in_place() && copies_.product() == Product::PostgreSql;
  result.is_interrupted = [this] { return budget_.spent_now(); };
  return result;
}

void Trial::note_outside(const RunTrace& trace) {
  constexpr double kKnown = 0.4;
  if (std::find(trace.waited_outside.begin(), trace.waited_outside.end(),
                true) != trace.waited_outside.end())
    patience_ = kKnown;
}

Result<Done> Trial::look(Outcome& outcome) {
  auto session = stage_->session();
  if (!session) return session.error();
  auto state = read_state(**session, plan_);
  if (!state) return state.error();
  outcome.state = *std::move(state);
  auto broken = broken_rules(**session, plan_);
  if (!broken) return broken.error();
  outcome.broken_rules = *std::move(broken);
  return Done{};
}

Result<TrialResult> Trial::serial(const std::vector<std::size_t>& order) {
  const auto database = stage_->begin();
  if (!database) return database.error();
  TrialResult result;
  result.outcome.requests.resize(plan_.requests.size());
  result.outcome.orders = {order};
  const Chooser chooser = [](const std::vector<Event>& so_far,
                             const std::vector<Choice>& enabled) {
    return preferred(so_far, enabled, {});
  };
  for (const std::size_t request : order) {
    std::vector<bool> participates(plan_.requests.size(), false);
    participates[request] = true;
    auto trace = run_requests(plan_, participates, world(), chooser);
    if (!trace) return trace.error();
    note_outside(*trace);
    stage_->note(trace->events);
    result.outcome.requests[request] = trace->requests[request];
    result.trace.end = trace->end;
    result.trace.problem = trace->problem;
    std::move(trace->events.begin(), trace->events.end(),
              std::back_inserter(result.trace.events));
    if (trace->end != RunTrace::End::Complete) return result;
  }
  if (auto ok = look(result.outcome); !ok) return ok.error();
  return result;
}

Result<Catalog> Trial::read_catalog() {
  const auto database = stage_->begin();
  if (!database) return database.error();
  auto session = stage_->session();
  if (!session) return session.error();
  return Catalog::read(**session, copies_.product());
}

Result<TrialResult> Trial::follow(const ScheduleTree::Task& task,
                                  const Catalog* catalog) {
  const auto database = stage_->begin();
  if (!database) return database.error();
  Guide guide(task, catalog);
  const Chooser chooser = [&](const std::vector<Event>& so_far,
                              const std::vector<Choice>& enabled) {
    return guide.choose(so_far, enabled);
  };
  const std::vector<bool> all(plan_.requests.size(), true);
  auto trace = run_requests(plan_, all, world(), chooser);
  if (!trace) return trace.error();
  note_outside(*trace);
  stage_->note(trace->events);
  TrialResult result;
  result.trace = *std::move(trace);
  guide.read(result.trace.events);
  result.steps = guide.take_steps();
  result.outcome.requests = result.trace.requests;
  if (result.trace.end != RunTrace::End::Complete) return result;
  if (auto ok = look(result.outcome); !ok) return ok.error();
  return result;
}

}  // namespace txscope::race
