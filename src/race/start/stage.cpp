#include "race/start/stage.h"

#include <poll.h>

#include "db/keeper.h"
#include "race/run/environment.h"

namespace txscope::race {

Result<std::unique_ptr<Stage>> Stage::open(const Plan& plan, Copies& copies) {
  std::unique_ptr<Stage> stage(new Stage(plan, copies));
  if (!plan.serve.empty() || !plan.reset.empty() || copies.is_in_place())
    if (auto ok = stage->keep(); !ok) return ok.error();
  return stage;
}

// The user's own database is left as it was found.
Stage::~Stage() {
  application_.reset();
  if (!copies_.is_in_place() || !restorer_ || session_ == nullptr) return;
  if (restorer_->restore(*session_)) restorer_->forget(*session_);
}

Result<Done> Stage::keep() {
  auto copy = copies_.make();
  if (!copy) return copy.error();
  kept_.emplace(*std::move(copy));
  auto session = copies_.connect(kept_->name());
  if (!session) return session.error();
  session_ = *std::move(session);
  if (plan_.reset.empty() || copies_.is_in_place()) {
    auto restorer = Restorer::save(*session_, copies_.product());
    if (!restorer) return restorer.error();
    restorer_.emplace(*std::move(restorer));
  }
  if (plan_.serve.empty()) return Done{};
  if (!plan_.reset.empty())
    if (auto ok = run_reset(); !ok) return ok;
  auto application = Application::start(plan_, lane_plan());
  if (!application) return application.error();
  application_ = *std::move(application);
  return Done{};
}

Result<std::string> Stage::begin() {
  if (!kept_) {
    fresh_.reset();
    auto copy = copies_.make();
    if (!copy) return copy.error();
    fresh_.emplace(*std::move(copy));
    return fresh_->name();
  }
  if (application_)
    if (auto ok = application_->drain(*session_); !ok) return ok.error();
  if (restorer_)
    if (auto ok = restorer_->restore(*session_); !ok) return ok.error();
  if (!plan_.reset.empty())
    if (auto ok = run_reset(); !ok) return ok.error();
  return kept_->name();
}

LanePlan Stage::lane_plan() const {
  LanePlan lane;
  lane.product = copies_.product();
  lane.server = copies_.endpoint();
  if (kept_) lane.database = kept_->name();
  if (fresh_) lane.database = fresh_->name();
  // In place the client says itself who it is: it has to prove it.
  if (!copies_.is_in_place()) lane.user = copies_.user();
  lane.rewrites = plan_.rewrites.empty() ? nullptr : &plan_.rewrites;
  lane.isolation = plan_.isolation;
  return lane;
}

/// It is told where the copy really is: its statements are no steps.
Result<Done> Stage::run_reset() const {
  Process::Environment environment = plan_.environment;
  for (auto& one : client_environment(copies_.product(), copies_.endpoint(),
                                      kept_->name(), copies_.user()))
    environment.push_back(std::move(one));
  auto process = Process::start(plan_.reset, plan_.directory, environment);
  if (!process) return process.error();
  while (!process->has_ended()) {
    pollfd end = {process->end_descriptor(), POLLIN, 0};
    ::poll(&end, 1, 100);
    process->advance();
  }
  if (process->status() == 0) return Done{};
  return db::failure("the command of --reset fails with exit status " +
                         std::to_string(process->status()) + ": " +
                         process->complaint(),
                     "it has to make the beginning of every run again");
}

}  // namespace txscope::race
