#include <nlohmann/json.hpp>

#include "race/wire/in_full.h"
#include "report/race/race_report.h"

namespace txscope::report {
namespace {

using Json = nlohmann::ordered_json;

Json results_of(const race::Outcome& outcome) {
  Json result = Json::array();
  for (const race::RequestEnd& end : outcome.requests)
    result.push_back(Json::array({end.printed, end.status}));
  return result;
}

Json orders_of(const std::vector<race::Order>& orders) {
  Json result = Json::array();
  for (const race::Order& order : orders) {
    Json one = Json::array();
    for (const std::size_t request : order) one.push_back(request + 1);
    result.push_back(std::move(one));
  }
  return result;
}

Json in_full(const std::vector<race::Statement>& statements) {
  Json result = Json::array();
  for (const race::Statement& one : statements)
    result.push_back(race::in_full(one));
  return result;
}

Json schedule_of(const race::RunTrace& trace) {
  Json result = Json::array();
  for (const race::Event& event : trace.events) {
    Json one = {{"request", event.choice.request + 1},
                {"connection", event.choice.lane + 1}};
    if (event.choice.kind == race::Choice::Kind::Victim) one["victim"] = true;
    Json statements = Json::array();
    for (const race::Statement& statement : event.statements)
      statements.push_back(race::shown(statement));
    one["statements"] = std::move(statements);
    one["before"] = in_full(event.before);
    one["sql"] = in_full(event.statements);
    one["waits"] = event.waits;
    for (const auto& [request, code] : event.errors)
      one["errors"].push_back({{"request", request + 1}, {"code", code}});
    result.push_back(std::move(one));
  }
  return result;
}

Json names_of(const race::BrokenRules& broken) {
  Json names = Json::array();
  for (const auto& [name, rule] : broken) names.push_back(name);
  return names;
}

/// The values that decide, of the rules of which they are known.
Json numbers_of(const race::BrokenRules& broken) {
  Json all = Json::object();
  for (const auto& [name, rule] : broken)
    if (!rule.numbers.empty()) all[name] = rule.numbers;
  return all;
}

Json outcome_json(const race::Outcome& outcome) {
  return {{"class", race::name_of(outcome.kind)},
          {"results", results_of(outcome)},
          {"state", outcome.state},
          {"broken_rules", names_of(outcome.broken_rules)},
          {"numbers", numbers_of(outcome.broken_rules)},
          {"state_is_serial", outcome.state_is_serial},
          {"orders", orders_of(outcome.orders)},
          {"schedules", outcome.schedules},
          {"example", schedule_lines(outcome.example)},
          {"schedule", schedule_of(outcome.example)}};
}

Json serial_json(const race::Outcome& outcome) {
  return {{"order", orders_of(outcome.orders).front()},
          {"results", results_of(outcome)},
          {"state", outcome.state},
          {"broken_rules", names_of(outcome.broken_rules)},
          {"numbers", numbers_of(outcome.broken_rules)}};
}

Json hung_json(const std::vector<race::RunTrace>& hung) {
  Json result = Json::array();
  for (const race::RunTrace& trace : hung)
    result.push_back({{"problem", trace.problem},
                      {"example", schedule_lines(trace)},
                      {"schedule", schedule_of(trace)}});
  return result;
}

Json repairs_json(const std::vector<race::TriedRepair>& repairs) {
  Json result = Json::array();
  for (const race::TriedRepair& one : repairs) {
    Json json = {{"kind", race::name_of(one.repair.kind)},
                 {"what", one.repair.what},
                 {"tried", true},
                 {"holds", one.holds},
                 {"schedules", one.schedules},
                 {"complete", one.is_complete},
                 {"uncaught", one.uncaught}};
    if (!one.remains.empty()) json["remains"] = one.remains;
    result.push_back(std::move(json));
  }
  return result;
}

std::string outcome_word(const race::Findings& found) {
  if (found.is_violated()) return "violated";
  return found.is_complete ? "holds" : "undecided";
}

}  // namespace

Json race_json(const RaceReport& report) {
  const race::Findings& found = *report.findings;
  Json outcomes = Json::array();
  for (std::size_t i = 0; i < found.outcomes.size(); ++i) {
    outcomes.push_back(outcome_json(found.outcomes[i]));
    if (report.names != nullptr && i < report.names->size() &&
        !(*report.names)[i].id.empty())
      outcomes.back()["anomaly"] = (*report.names)[i].id;
  }
  Json serial = Json::array();
  for (const race::Outcome& one : found.serial)
    serial.push_back(serial_json(one));
  Json requests = Json::array();
  for (const race::Request& one : report.plan->requests)
    requests.push_back({{"name", one.name}, {"command", one.command}});
  Json result = {{"verdict", outcome_word(found)},
                 {"non_serializable", found.has_anomaly()},
                 {"broken_rules", found.broken_rules()},
                 {"uncaught", found.uncaught},
                 {"caught", found.caught},
                 {"complete", found.is_complete},
                 {"schedules", found.schedules},
                 {"cut", found.cut}};
  if (!found.is_complete) result["why_incomplete"] = found.why_incomplete;
  result["checked"] = {{"granularity", "statement"},
                       {"schedules", found.schedules},
                       {"complete", found.is_complete},
                       {"rules", report.plan->rules.size()},
                       {"ignored", found.ignored}};
  result["database"] = report.database;
  result["requests"] = std::move(requests);
  if (!report.plan->serve.empty()) result["serve"] = report.plan->serve;
  if (!report.plan->reset.empty()) result["reset"] = report.plan->reset;
  if (!report.plan->environment.empty()) {
    Json variables = Json::object();
    for (const auto& [name, value] : report.plan->environment)
      variables[name] = value;
    result["env"] = std::move(variables);
  }
  Json rules = Json::object();
  for (const auto& [name, condition] : report.plan->rules)
    rules[name] = condition;
  result["rules"] = std::move(rules);
  result["ignore"] = found.ignored;
  result["follow"] = found.followed;
  if (!report.db.empty()) result["db"] = report.db;
  result["initial"] = found.initial;
  result["serial"] = std::move(serial);
  result["outcomes"] = std::move(outcomes);
  result["hung"] = hung_json(found.hung);
  if (report.repairs != nullptr)
    result["repairs"] = repairs_json(*report.repairs);
  result["seconds"] = report.seconds;
  return result;
}

Json replay_json(const ReplayReport& report) {
  Json result = {{"verdict", replay_word(report)},
                 {"times", report.times},
                 {"reproduced", report.reproduced},
                 {"prevented", report.prevented}};
  if (!report.difference.empty())
    result["first_difference"] = report.difference;
  result["checked"] = {{"granularity", "statement"},
                       {"schedules", report.times}};
  result["example"] = schedule_lines(*report.trace);
  return result;
}

}  // namespace txscope::report
