#include <nlohmann/json.hpp>

#include "report/check_report.h"
#include "report/model_report.h"

namespace txscope::report {
namespace {

using Json = nlohmann::ordered_json;

std::string_view violation_name(ModelViolation violation) {
  switch (violation) {
    case ModelViolation::None: return "none";
    case ModelViolation::Assumption: return "assumption";
    case ModelViolation::Invariant: return "invariant";
    case ModelViolation::ActionProperty: return "action-property";
    case ModelViolation::Liveness: return "liveness";
    case ModelViolation::Deadlock: return "deadlock";
    case ModelViolation::Postcondition: return "postcondition";
    case ModelViolation::Impossible: return "impossible";
    case ModelViolation::Assertion: return "assertion";
  }
  return "none";
}

Json messages(const std::vector<TraceMessage>& all) {
  Json json = Json::array();
  for (const TraceMessage& m : all)
    json.push_back({{"message", m.text}, {"sent_at", m.sent_at + 1}});
  return json;
}

Json state_json(const TraceState& state, std::size_t number) {
  Json json;
  json["state"] = number;
  json["action"] = state.action.empty() ? Json() : Json(state.action);
  json["place"] = state.place.line == 0 ? Json() : Json(to_string(state.place));
  if (state.source.line != 0) json["label"] = to_string(state.source);
  Json values = Json::object();
  for (const TraceState::Binding& b : state.values)
    values[b.variable] = b.value;
  json["values"] = std::move(values);
  if (!state.sent.empty()) json["sent"] = messages(state.sent);
  if (!state.received.empty()) json["received"] = messages(state.received);
  return json;
}

}  // namespace

nlohmann::ordered_json model_json(const ModelReport& report) {
  const ModelResult& r = *report.result;
  Json json;
  json["level"] = nullptr;
  json["order"] = nullptr;
  json["verdict"] = std::string(name(r.outcome));
  json["states_generated"] = r.generated;
  json["states_distinct"] = r.distinct;
  json["depth"] = r.depth;
  json["property"] =
      r.violation == ModelViolation::None ? Json() : Json(r.property);
  json["violation"] = r.violation == ModelViolation::None
                          ? Json()
                          : Json(std::string(violation_name(r.violation)));
  if (!r.message.empty()) json["assertion"] = r.message;
  json["assumptions"] = r.assumptions;
  json["assertions"] = r.assertions;
  json["deadlock_checked"] = r.checks_deadlock;
  if (r.is_cut_by_constraint) json["cut_by_constraint"] = true;
  json["collision_probability"] = r.collision_probability;
  if (!r.emptiness.empty()) {
    json["vacuous"] = true;
    json["vacuous_because"] = r.emptiness;
  }
  if (r.behaviours > 0) json["behaviours"] = r.behaviours;
  json["invariants"] = r.invariants;
  json["properties"] = r.properties;
  if (r.outcome == Outcome::Undecided)
    json["reason"] = r.is_cut_by_depth    ? std::string("depth")
                     : r.behaviours > 0   ? std::string("simulation")
                     : !r.trouble.empty() ? r.trouble
                                          : to_string(r.spent);
  json["trace"] = Json::array();
  for (std::size_t i = 0; i < r.trace.size(); ++i)
    json["trace"].push_back(state_json(r.trace[i], i + 1));
  if (r.history) {
    CheckReport check;
    check.history = r.history.get();
    for (const check::LadderRow& row : r.levels)
      check.rows.push_back({row.verdict, row.follows_from});
    json["history"] = check_json(check);
  }
  if (!r.checkpoint.empty()) json["checkpoint"] = r.checkpoint;
  for (const RankUse& rank : r.ranks)
    json["ranks"].push_back({{"generated", rank.generated},
                             {"distinct", rank.distinct},
                             {"states_sent", rank.states_sent},
                             {"states_spared", rank.states_spared},
                             {"bytes_sent", rank.bytes_sent},
                             {"messages_sent", rank.messages_sent}});
  if (r.coverage) {
    Json actions = Json::array();
    for (const ModelCoverage::Action& a : r.coverage->actions)
      actions.push_back({{"action", a.name},
                         {"place", to_string(a.place)},
                         {"generated", a.generated},
                         {"distinct", a.distinct}});
    Json lines = Json::array();
    for (const ModelCoverage::Line& line : r.coverage->lines)
      lines.push_back({{"file", line.place.file},
                       {"line", line.place.line},
                       {"count", line.count}});
    json["coverage"] = {{"actions", std::move(actions)},
                        {"lines", std::move(lines)}};
  }
  if (r.loop) json["loop"] = *r.loop + 1;
  if (!r.notes.empty()) json["notes"] = r.notes;
  if (!r.printed.empty()) json["printed"] = r.printed;
  return json;
}

}  // namespace txscope::report
