#include "verb/database/replay_race.h"

#include "db/address.h"
#include "race/plan/case_file.h"
#include "race/search/trial.h"
#include "verb/answer/evidence.h"
#include "verb/database/race_script.h"
#include "verb/input/wrong_call.h"

namespace txscope::verb {
namespace {

using Saving = nlohmann::json;

/// A finding as `race` saved it.
struct Saved {
  race::Plan plan;
  std::string case_file;  ///< empty: a copy of `db`
  std::string db;
  Saving outcome;
  race::Schedule schedule;
  Saving result;  ///< that of the report
};

bool is_finding(const Saving& outcome) {
  if (outcome.value("class", "") == "anomaly") return true;
  if (!outcome.value("broken_rules", Saving::array()).empty()) return true;
  for (const Saving& one : outcome.value("results", Saving::array()))
    if (one.is_array() && one.size() == 2 && one[1] != 0) return true;
  return false;
}

race::Schedule schedule_of(const Saving& steps) {
  race::Schedule result;
  for (const Saving& step : steps)
    result.push_back({step.value("victim", false) ? race::Choice::Kind::Victim
                                                  : race::Choice::Kind::Step,
                      step.at("request").get<std::size_t>() - 1,
                      step.at("connection").get<std::size_t>() - 1});
  return result;
}

race::Plan plan_of(const Saving& result) {
  race::Plan plan;
  for (const Saving& one : result.at("requests"))
    plan.requests.push_back(
        {one.at("name"), one.at("command").get<std::vector<std::string>>()});
  const std::vector<std::string> none;
  plan.serve = result.value("serve", none);
  plan.reset = result.value("reset", none);
  const Saving variables = result.value("env", Saving::object());
  for (const auto& [name, value] : variables.items())
    plan.environment.emplace_back(name, value);
  for (const auto& [name, condition] : result.at("rules").items())
    plan.rules.emplace_back(name, condition);
  plan.ignored = result.at("ignore").get<std::vector<std::string>>();
  for (const auto& [from, to] : result.at("follow").items())
    plan.followed.emplace(from, to);
  return plan;
}

Result<Saved> saved_of(const Saving& report, const std::string& file) {
  const Saving& result = report["results"][0];
  Saved saved;
  for (const Saving& outcome : result.at("outcomes"))
    if (saved.outcome.is_null() && is_finding(outcome)) saved.outcome = outcome;
  if (saved.outcome.is_null())
    return Error{Place{file, 0, 0, {}}, "the report has no finding to replay",
                 "", "", 0};
  saved.result = result;
  saved.schedule = schedule_of(saved.outcome.at("schedule"));
  saved.plan = plan_of(result);
  saved.db = result.value("db", "");
  if (saved.db.empty()) saved.case_file = report.value("input", "");
  return saved;
}

Result<std::unique_ptr<race::Copies>> copies_of(Saved& saved,
                                                const ReplayRequest& request) {
  if (!request.db.empty()) saved.db = request.db;
  if (saved.db.empty()) {
    auto read = race::read_case(saved.case_file);
    if (!read) return read.error();
    saved.plan.directory = read->plan.directory;
    saved.plan.product = read->plan.product;
    return race::Copies::from_sql(read->schema, read->schema_file,
                                  read->plan.product);
  }
  const auto address = db::Address::parse(saved.db, false);
  if (!address) return address.error();
  saved.plan.product = address->product();
  return race::Copies::from_database(*address);
}

bool is_as_saved(const race::Outcome& outcome, const Saving& saved) {
  Saving results = Saving::array();
  for (const race::RequestEnd& end : outcome.requests)
    results.push_back({end.printed, end.status});
  return outcome.state == saved.at("state") && results == saved.at("results");
}

void judge_run(const race::TrialResult& result, const Saving& wanted,
               ReplayDetail& detail) {
  const race::RunTrace& trace = result.trace;
  ++detail.times;
  if (trace.end == race::RunTrace::End::Complete &&
      is_as_saved(result.outcome, wanted))
    ++detail.reproduced;
  else if (trace.is_blocked)
    ++detail.prevented;
  if (detail.difference.empty() && trace.end != race::RunTrace::End::Complete)
    detail.difference = trace.problem;
  else if (detail.difference.empty() && !is_as_saved(result.outcome, wanted))
    detail.difference = "the same steps end differently";
  detail.trace = trace;
}

Result<Report> emit_race(const Saved& saved, const ReplayRequest& request) {
  const auto form = report::parse_script_form(request.emit);
  if (!form) return form.error();
  std::string setup;
  Product product = Product::PostgreSql;
  if (saved.db.empty()) {
    auto read = race::read_case(saved.case_file);
    if (!read) return read.error();
    setup = std::move(read->schema);
    product = read->plan.product;
  } else if (const auto address = db::Address::parse(saved.db, false)) {
    product = address->product();
  }
  if (product != Product::PostgreSql &&
      (*form == report::ScriptForm::Psql ||
       *form == report::ScriptForm::IsolationTester))
    return wrong_call("--emit: this form runs on PostgreSQL only",
                      "say --emit sql");
  const report::SentScript script =
      race_script(saved.result, saved.outcome, setup);
  const std::string text = *form == report::ScriptForm::Pytest
                               ? race_pytest(request.input, script.title)
                               : written(script, *form);
  Report report;
  report.verb = "replay";
  report.inputs = {request.input};
  conclude(report, ScriptDetail{text, request.emit, "", script.condition_name});
  return report;
}

}  // namespace

Result<Report> replay_race(const ReplayRequest& request,
                           const nlohmann::json& from, const Budget& budget) {
  auto saved = saved_of(from, request.input);
  if (!saved) return saved.error();
  if (!request.emit.empty()) return emit_race(*saved, request);
  auto copies = copies_of(*saved, request);
  if (!copies) return copies.error();
  auto trial = race::Trial::open(saved->plan, **copies, 30, budget);
  if (!trial) return trial.error();
  ReplayDetail detail;
  detail.plan = saved->plan;
  race::ScheduleTree::Task task;
  task.prefix = saved->schedule;
  for (std::uint64_t i = 0; i < request.times && !budget.spent_now(); ++i) {
    const auto result = (*trial)->follow(task, nullptr);
    if (!result) return result.error();
    judge_run(*result, saved->outcome, detail);
  }
  Report report;
  report.verb = "replay";
  report.inputs = {request.input};
  Finding finding;
  finding.input = request.input;
  finding.property = "does not happen again";
  finding.about = About::Serial;
  if (detail.reproduced > 0)
    finding.outcome = Outcome::Violated;
  else if (detail.times > 0 && detail.prevented == detail.times)
    finding.outcome = Outcome::Holds;
  finding.why =
      detail.times == 0 ? "time ran out before it ran" : detail.difference;
  report.findings.push_back(std::move(finding));
  report.checked.executions = detail.times;
  conclude(report, std::move(detail));
  return report;
}

}  // namespace txscope::verb
