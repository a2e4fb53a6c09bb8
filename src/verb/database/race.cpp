#include "txscope/race.h"

#include <algorithm>
#include <cstdlib>

#include "race/name/name_race.h"
#include "race/plan/case_file.h"
#include "race/repair/repair.h"
#include "race/start/copies.h"
#include "verb/answer/evidence.h"
#include "verb/database/race_notes.h"
#include "verb/input/wrong_call.h"

namespace txscope::verb {
namespace {

/// "name: rest"; without a name, `other`.
std::pair<std::string, std::string> named(const std::string& text,
                                          const std::string& other) {
  const std::size_t colon = text.find(": ");
  if (colon == std::string::npos || colon == 0) return {other, text};
  const std::string name = text.substr(0, colon);
  // A name is no command and no condition.
  if (name.find_first_of("()'\"=<>$|&;/") != std::string::npos)
    return {other, text};
  return {name, text.substr(colon + 2)};
}

Result<race::Plan> plan_of(const RaceRequest& request) {
  race::Plan plan;
  plan.recognises = true;
  for (std::uint64_t round = 0; round < request.times; ++round)
    for (const std::string& text : request.requests) {
      const std::string number = std::to_string(plan.requests.size() + 1);
      auto [name, command] = named(text, number);
      if (round > 0 && name != number) name += " " + std::to_string(round + 1);
      plan.requests.push_back({name, {"/bin/sh", "-c", command}});
    }
  if (plan.requests.size() < 2)
    return wrong_call("race needs two requests",
                      "say --request twice, or --times 2");
  if (plan.requests.size() > 5)
    return wrong_call("more than five requests have too many orders",
                      "two or three show nearly every race");
  for (const std::string& text : request.rules)
    plan.rules.push_back(
        named(text, "rule " + std::to_string(plan.rules.size() + 1)));
  if (!request.serve.empty()) plan.serve = {"/bin/sh", "-c", request.serve};
  if (!request.reset.empty()) plan.reset = {"/bin/sh", "-c", request.reset};
  for (const std::string& text : request.environment) {
    const std::size_t sign = text.find('=');
    if (sign == std::string::npos || sign == 0)
      return wrong_call("--env: '" + text + "' is not NAME=VALUE",
                        "say --env 'DB_URL={url}'");
    plan.environment.emplace_back(text.substr(0, sign), text.substr(sign + 1));
  }
  plan.ignored = request.ignored;
  plan.gave_up = request.gave_up;
  return plan;
}

Result<std::unique_ptr<race::Copies>> use_in_place(const db::Address& address,
                                                   RaceDetail& detail) {
  detail.database = detail.db + " itself";
  detail.plan.password = address.password();
  return race::Copies::in_place(address);
}

Result<std::unique_ptr<race::Copies>> copy_of(const RaceRequest& request,
                                              RaceDetail& detail) {
  const char* environment = std::getenv("TXSCOPE_DB");
  const bool is_given = !request.db.empty();
  const std::string uri = is_given                 ? request.db
                          : environment != nullptr ? environment
                                                   : "";
  if (uri.empty())
    return wrong_call("which database should the requests use?",
                      "say --db postgresql:///shop, or give a case.json");
  const auto address = db::Address::parse(uri, !is_given);
  if (!address) return address.error();
  detail.db = address->shown();
  detail.plan.product = address->product();
  if (request.in_place) return use_in_place(*address, detail);
  detail.database = "a private copy of " + detail.db;
  return race::Copies::from_database(*address);
}

Result<std::unique_ptr<race::Copies>> set_up(const RaceRequest& request,
                                             RaceDetail& detail) {
  if (request.input.empty()) {
    auto plan = plan_of(request);
    if (!plan) return plan.error();
    detail.plan = *std::move(plan);
    return copy_of(request, detail);
  }
  if (!request.requests.empty() || !request.db.empty() ||
      !request.serve.empty() || !request.reset.empty() ||
      !request.environment.empty() || request.in_place)
    return wrong_call("a case.json names its requests and its database",
                      "leave out --request, --db, --serve, --reset, --env and "
                      "--in-place, or the file");
  auto read = race::read_case(request.input);
  if (!read) return read.error();
  detail.plan = std::move(read->plan);
  detail.database = "a private " + std::string(title(detail.plan.product));
  return race::Copies::from_sql(read->schema, read->schema_file,
                                detail.plan.product);
}

Outcome outcome_of(bool is_violated, bool is_complete) {
  if (is_violated) return Outcome::Violated;
  return is_complete ? Outcome::Holds : Outcome::Undecided;
}

void fill_findings(const RaceDetail& detail, Report& report) {
  const race::Findings& found = detail.findings;
  const auto add = [&](std::string property, About about, bool is_violated,
                       std::string why) {
    Finding finding;
    finding.input = report.inputs.empty() ? "" : report.inputs.front();
    finding.property = std::move(property);
    finding.about = about;
    finding.outcome = outcome_of(is_violated, found.is_complete);
    finding.why = is_violated ? std::move(why) : found.why_incomplete;
    report.findings.push_back(std::move(finding));
  };
  add("serializable", About::Serial, found.has_anomaly(),
      "an outcome that no serial order has");
  const std::vector<std::string> broken = found.broken_rules();
  for (const auto& [name, condition] : detail.plan.rules)
    add(name, About::Rule,
        std::find(broken.begin(), broken.end(), name) != broken.end(),
        "is not true in the end");
  add("no error ends a request", About::Error, !found.uncaught.empty(),
      found.uncaught.empty() ? "" : "SQLSTATE " + found.uncaught.front());
  add("every request ends", About::Deadlock, !found.hung.empty(),
      found.hung.empty() ? "" : found.hung.front().problem);
}

bool is_unchanged(const race::Findings& found) {
  return std::all_of(
      found.serial.begin(), found.serial.end(),
      [&](const race::Outcome& one) { return one.state == found.initial; });
}

/// Every request fails, one after the other, too: "42P01".
std::optional<std::string> failure_of_all(const race::Findings& found) {
  std::string code;
  for (const race::Outcome& one : found.serial)
    for (const race::RequestEnd& end : one.requests) {
      if (end.status == 0) return std::nullopt;
      if (code.empty()) code = end.last_error;
    }
  return code;
}

constexpr const char* kNeverMeet =
    "no two requests meet on anything that one of them changes";

/// Why a race that was not found says nothing; empty: it says something.
std::string why_no_race(const race::Findings& found, bool never_meet,
                        bool has_rules) {
  const bool asks = std::any_of(
      found.serial.begin(), found.serial.end(),
      [](const race::Outcome& one) { return !one.example.events.empty(); });
  if (!asks) return "no request asked the database anything";
  if (found.has_anomaly() || !found.broken_rules().empty() ||
      !found.hung.empty() || found.serial.empty())
    return "";
  if (const auto code = failure_of_all(found))
    return "every request fails, also one after the other" +
           (code->empty() ? std::string() : " (" + *code + ")");
  return never_meet && (!has_rules || is_unchanged(found)) ? kNeverMeet : "";
}

void fill_checked(const RaceDetail& detail, bool reduces, Report& report) {
  const race::Findings& found = detail.findings;
  report.checked.rules = detail.plan.rules.size();
  report.checked.sessions = detail.plan.requests.size();
  report.checked.executions = found.schedules;
  if (!found.is_complete) report.checked.partly.push_back(found.why_incomplete);
  const bool never_meet = reduces && found.is_complete && found.schedules == 1;
  report.checked.vacuous_because =
      why_no_race(found, never_meet, !detail.plan.rules.empty());
  if (never_meet) report.checked.partly.emplace_back(kNeverMeet);
  for (std::size_t i = 0; i < found.waited_outside.size(); ++i)
    if (found.waited_outside[i])
      report.notes.push_back("request " + detail.plan.requests[i].name +
                             " waited for something outside the database");
  add_notes_of_failures(detail, report.notes);
  add_notes_of_origins(detail, report.notes);
  for (std::size_t i = 0; i < found.unrepeatable.size(); ++i)
    if (found.unrepeatable[i])
      report.notes.push_back("request " + detail.plan.requests[i].name +
                             " prints something else each time, so its "
                             "outcomes cannot be compared well");
}

}  // namespace

Result<Report> race(const RaceRequest& request, const Budget& budget) {
  if (request.times < 1)
    return wrong_call("--times: 0 is out of range", "say --times 2");
  RaceDetail detail;
  auto copies = set_up(request, detail);
  if (!copies) return copies.error();
  race::SearchOptions how;
  how.reduces = !request.no_reduction;
  how.jobs = request.jobs;
  how.max_schedules = request.schedules;
  how.time_limit = request.request_timeout;
  how.on_progress = [&](std::size_t schedules, std::size_t waiting) {
    if (request.listener.on_progress)
      request.listener.on_progress(std::to_string(schedules) + " schedules, " +
                                   std::to_string(waiting) +
                                   " more known so far");
  };
  auto found = race::search(detail.plan, **copies, how, budget);
  if (!found) return found.error();
  detail.findings = *std::move(found);
  const race::Findings& findings = detail.findings;
  for (const race::Outcome& one : findings.outcomes) {
    std::optional<Anomaly> name;
    if (one.kind == race::Outcome::Class::Anomaly)
      name = race::name_of_race(one.example, findings.catalog, budget);
    detail.names.push_back(name.value_or(Anomaly{}));
  }
  if (request.repairs &&
      (findings.has_anomaly() || !findings.broken_rules().empty())) {
    if (request.listener.on_progress)
      request.listener.on_progress("trying repairs");
    how.on_progress = nullptr;
    auto tried =
        race::try_repairs(detail.plan, **copies, findings, how, budget);
    if (!tried) return tried.error();
    detail.repairs = *std::move(tried);
  }
  Report report;
  report.verb = "race";
  if (!request.input.empty()) report.inputs = {request.input};
  fill_findings(detail, report);
  fill_checked(detail, how.reduces, report);
  conclude(report, std::move(detail));
  return report;
}

}  // namespace txscope::verb
