#include "verb/database/replay_schedule.h"

#include <unistd.h>

#include <map>

#include "db/address.h"
#include "db/database.h"
#include "db/live/follow_schedule.h"
#include "db/mariadb.h"
#include "db/postgresql.h"
#include "db/user_server.h"
#include "report/replay/emit.h"
#include "verb/answer/evidence.h"
#include "verb/database/saved_schedule.h"
#include "verb/input/wrong_call.h"

namespace txscope::verb {
namespace {

/// The servers that schedules run on, each started when it is first needed.
class Servers {
 public:
  Result<db::LiveDatabase*> of(Product product,
                               const std::optional<db::Address>& address) {
    const auto known = databases_.find(product);
    if (known != databases_.end()) return &known->second;
    auto server =
        address ? db::open_user_server(
                      *address, "txscope_replay_" + std::to_string(::getpid()))
        : product == Product::PostgreSql ? db::start_postgresql()
                                         : db::start_mariadb();
    if (!server) return server.error();
    servers_.push_back(*std::move(server));
    auto database = db::LiveDatabase::on(product, *servers_.back());
    if (!database) return database.error();
    const std::string version = db::version_of(database->control(), product);
    shown_.push_back(address ? version + ", in a database of its own on " +
                                   address->shown()
                             : "a private " + version);
    return &databases_.emplace(product, *std::move(database)).first->second;
  }

  /// "a private PostgreSQL 15.18 and a private MariaDB 10.11"
  [[nodiscard]] std::string shown() const {
    std::string text;
    for (const std::string& one : shown_)
      text += (text.empty() ? "" : " and ") + one;
    return text;
  }

 private:
  std::vector<std::unique_ptr<db::Server>> servers_;
  std::map<Product, db::LiveDatabase> databases_;
  std::vector<std::string> shown_;
};

Result<report::ReplayedSchedule> run_schedule(StatementSchedule schedule,
                                      db::LiveDatabase& database,
                                      std::uint64_t times,
                                      const Budget& budget) {
  if (std::string why = database.load(schedule.setup, schedule.tables);
      !why.empty())
    return Error{{},
                 "the setup does not run on " +
                     std::string(schedule.profile->name) + ": " + why,
                 "",
                 "",
                 0};
  report::ReplayedSchedule result;
  for (std::uint64_t i = 0; i < times && !budget.spent_now(); ++i) {
    auto followed = db::follow_schedule(database, schedule);
    if (!followed) return followed.error();
    ++result.times;
    using End = FollowedSchedule::End;
    if (followed->end == End::Reproduced) ++result.reproduced;
    if (followed->end == End::Prevented) ++result.prevented;
    const bool is_told =
        result.times > 1 && result.example.end != End::Reproduced;
    if (!is_told) result.example = *std::move(followed);
  }
  result.schedule = std::move(schedule);
  return result;
}

Finding replay_finding(const report::ReplayedSchedule& one, const std::string& input) {
  Finding finding;
  finding.input = input;
  finding.level = one.schedule.level;
  finding.property = one.schedule.name;
  finding.about = About::Serial;
  if (one.reproduced > 0)
    finding.outcome = Outcome::Violated;
  else if (one.times > 0 && one.prevented == one.times)
    finding.outcome = Outcome::Holds;
  finding.why = one.example.what;
  return finding;
}

/// Time ended before it could run: nobody knows.
void add_unrun(StatementSchedule schedule, const std::string& input,
               FollowDetail& detail, Report& report) {
  report::ReplayedSchedule unrun;
  unrun.schedule = std::move(schedule);
  report.findings.push_back(replay_finding(unrun, input));
  report.findings.back().why = "time ran out before it ran";
  detail.replayed.push_back(std::move(unrun));
}

Result<Report> emit_script(const ReplayRequest& request,
                           const SavedSchedules& saved) {
  const auto form = report::parse_script_form(request.emit);
  if (!form) return form.error();
  const auto script = report::emitted(saved.schedules.front(), *form);
  if (!script) return script.error();
  Report report;
  report.verb = "replay";
  report.inputs = {request.input};
  report.notes = saved.notes;
  if (saved.schedules.size() > 1)
    report.notes.push_back("the report has " +
                           std::to_string(saved.schedules.size()) +
                           " schedules; this is the first");
  conclude(report,
           ScriptDetail{*script, request.emit, saved.schedules.front().level,
                        saved.schedules.front().name});
  return report;
}

Result<SavedChoice> choice_of(const ReplayRequest& request,
                              const std::optional<db::Address>& address) {
  SavedChoice choice;
  if (address) choice.product = address->product();
  if (request.level.empty()) return choice;
  const auto profile = parse_profile(request.level);
  if (!profile) return profile.error();
  choice.profile = *profile;
  const bool is_run = choice.profile->product == Product::PostgreSql ||
                      choice.profile->product == Product::MariaDb;
  if (!is_run || (address && choice.profile->product != address->product()))
    return wrong_call("--level: the database does not have " +
                          std::string(choice.profile->name),
                      "say a level of PostgreSQL or MariaDB");
  return choice;
}

}  // namespace

Result<Report> replay_schedules(const ReplayRequest& request,
                                const nlohmann::json& from,
                                const Budget& budget) {
  std::optional<db::Address> address;
  if (!request.db.empty()) {
    auto parsed = db::Address::parse(request.db, false);
    if (!parsed) return parsed.error();
    address = *std::move(parsed);
  }
  const auto choice = choice_of(request, address);
  if (!choice) return choice.error();
  auto saved = saved_schedules(from, request.input, *choice);
  if (!saved) return saved.error();
  if (!request.emit.empty()) return emit_script(request, *saved);
  Servers servers;
  Report report;
  report.verb = "replay";
  report.inputs = {request.input};
  report.notes = saved->notes;
  FollowDetail detail;
  for (StatementSchedule& schedule : saved->schedules) {
    if (budget.spent_now()) {
      add_unrun(std::move(schedule), request.input, detail, report);
      continue;
    }
    const auto database = servers.of(schedule.profile->product, address);
    if (!database) return database.error();
    auto replayed =
        run_schedule(std::move(schedule), **database, request.times, budget);
    if (!replayed) return replayed.error();
    report.checked.executions += replayed->times;
    report.findings.push_back(replay_finding(*replayed, request.input));
    detail.replayed.push_back(*std::move(replayed));
  }
  detail.database = servers.shown();
  conclude(report, std::move(detail));
  return report;
}

}  // namespace txscope::verb
