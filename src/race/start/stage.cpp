#include "race/start/stage.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>

#include "db/keeper.h"
#include "race/run/environment.h"
#include "race/run/waits.h"

namespace txscope::race {

Result<std::unique_ptr<Stage>> Stage::open(const Plan& plan, Copies& copies) {
  std::unique_ptr<Stage> stage(new Stage(plan, copies));
  const auto ok = stage->must_keep() ? stage->keep() : stage->keep_if_quick();
  if (!ok) return ok.error();
  return stage;
}

// The user's own database is left as it was found.
Stage::~Stage() {
  application_.reset();
  if (!copies_.is_in_place() || !restorer_ || session_ == nullptr) return;
  if (restorer_->restore(*session_)) restorer_->forget(*session_);
}

Result<Done> Stage::take_copy() {
  session_.reset();
  copy_.reset();
  auto copy = copies_.make();
  if (!copy) return copy.error();
  copy_.emplace(*std::move(copy));
  return Done{};
}

Result<db::Session*> Stage::session() {
  if (session_ == nullptr) {
    auto session = copies_.connect(copy_->name());
    if (!session) return session.error();
    session_ = *std::move(session);
  }
  return session_.get();
}

Result<Done> Stage::keep() {
  if (auto ok = take_copy(); !ok) return ok;
  if (auto ok = session(); !ok) return ok.error();
  is_kept_ = true;
  if (plan_.reset.empty() || copies_.is_in_place()) {
    auto restorer = Restorer::save(*session_, copies_.product());
    if (!restorer) return restorer.error();
    restorer_.emplace(*std::move(restorer));
  }
  if (plan_.serve.empty()) return Done{};
  if (!plan_.reset.empty())
    if (auto ok = run_reset(); !ok) return ok;
  auto application = Application::start(plan_, lane_plan(), copies_.user());
  if (!application) return application.error();
  application_ = *std::move(application);
  return Done{};
}

/// What cannot be saved is no error here: then each run has a copy of its own.
Result<Done> Stage::keep_if_quick() {
  if (auto ok = take_copy(); !ok) return ok;
  if (auto ok = session(); !ok) return ok.error();
  if (!Restorer::is_quick(*session_, copies_.product())) return Done{};
  auto restorer = Restorer::save(*session_, copies_.product());
  if (!restorer) return Done{};
  auto guard = SchemaGuard::set(*session_, copies_.product());
  if (!guard) return Done{};
  restorer_.emplace(*std::move(restorer));
  guard_.emplace(*std::move(guard));
  is_kept_ = true;
  return Done{};
}

Result<std::string> Stage::begin() {
  if (!is_kept_) return begin_afresh();
  if (!must_keep() && !put_back()) return begin_afresh();
  if (application_)
    if (auto ok = application_->drain(*session_); !ok) return ok.error();
  if (must_keep() && restorer_)
    if (auto ok = restorer_->restore(*session_); !ok) return ok.error();
  if (!plan_.reset.empty())
    if (auto ok = run_reset(); !ok) return ok.error();
  return copy_->name();
}

Result<std::string> Stage::begin_afresh() {
  is_kept_ = false;
  if (auto ok = take_copy(); !ok) return ok.error();
  return copy_->name();
}

bool Stage::put_back() { return end_others() && restorer_->restore(*session_); }

/// A run that was given up leaves connections that wait for each other.
bool Stage::end_others() {
  const bool is_postgresql = copies_.product() == Product::PostgreSql;
  const char* const others =
      is_postgresql
          ? "SELECT pid FROM pg_stat_activity WHERE pid <> pg_backend_pid()"
            " AND datname = current_database()"
          : "SELECT id FROM information_schema.processlist"
            " WHERE id <> connection_id() AND db = database()";
  constexpr int kTries = 500;
  for (int i = 0; i < kTries; ++i) {
    const db::Answer left = session_->execute(others);
    if (!left.is_ok()) return false;
    if (left.rows.empty()) return true;
    if (i == 0)
      for (const auto& row : left.rows)
        end_by_force(*session_, copies_.product(),
                     std::atoll(row[0].value_or("0").c_str()), false);
    ::usleep(10'000);
  }
  return false;
}

void Stage::note(const std::vector<Event>& events) {
  if (!guard_ || !is_kept_) return;
  std::vector<Statement> statements;
  for (const Event& event : events)
    statements.insert(statements.end(), event.statements.begin(),
                      event.statements.end());
  is_kept_ = guard_->is_as_before(*session_, statements);
}

LanePlan Stage::lane_plan() const {
  LanePlan lane;
  lane.product = copies_.product();
  lane.server = copies_.endpoint();
  if (copy_) lane.database = copy_->name();
  // In place the client says itself who it is: it has to prove it.
  if (!copies_.is_in_place()) lane.user = copies_.user();
  lane.rewrites = plan_.rewrites.empty() ? nullptr : &plan_.rewrites;
  lane.roles = &copies_.options();
  lane.isolation = plan_.isolation;
  return lane;
}

/// It is told where the copy really is: its statements are no steps.
Result<Done> Stage::run_reset() const {
  const Process::Environment environment =
      environment_of(plan_, copies_.endpoint(), copy_->name(), copies_.user());
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
