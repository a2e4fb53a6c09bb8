#include <nlohmann/json.hpp>

#include "report/explore_report.h"
#include "report/sql_report.h"
#include "report/verify_report.h"

namespace txscope {
namespace {

using Json = nlohmann::ordered_json;

Json inputs_json(const std::vector<InputValue>& inputs) {
  Json json = Json::object();
  for (const InputValue& input : inputs) {
    if (input.number) {
      json[input.name] = *input.number;
    } else if (input.text == "NULL") {
      json[input.name] = nullptr;
    } else {
      json[input.name] = input.text;
    }
  }
  return json;
}

Json sql_counterexample_json(const SqlCounterexample& shown) {
  const SqlReport report = as_sql_report(shown);
  Json json;
  json["inputs"] = inputs_json(shown.inputs);
  const Json results = sql_json(report);
  if (results[0].contains("violation")) json.update(results[0]["violation"]);
  return json;
}

Json counterexample_json(const Counterexample& shown, Base level) {
  Json json;
  json["inputs"] = inputs_json(shown.inputs);
  Violation violation = shown.violation;
  violation.level = level;
  json.update(violation_json(shown.program, shown.code, violation));
  return json;
}

Json bounds_json(const VerifyBounds& bounds) {
  Json json;
  json["sessions"] = bounds.sessions;
  json["transactions"] = bounds.transactions;
  json["inputs"] = bounds.inputs;
  if (bounds.rounds > 0) json["loop_rounds"] = bounds.rounds;
  return json;
}

}  // namespace

nlohmann::ordered_json verify_json(const VerifyReport& report) {
  Json out = Json::array();
  for (const VerifyRow& row : report.result->rows) {
    Json json;
    json["level"] = name(row.level);
    json["order"] = "session";
    json["property"] = row.property;
    json["kind"] = row.kind;
    json["verdict"] = name(row.verdict);
    json["method"] = report.result->method;
    json["bounds"] = bounds_json(report.result->bounds);
    if (report.is_inductive) json["inductive"] = true;
    if (report.result->needed && report.result->needed->is_decided) {
      json["levels_needed"] = {{"others", name(report.result->needed->others)},
                               {"serializable", report.result->needed->sets}};
    }
    if (!row.why.empty()) json["why"] = row.why;
    if (row.counterexample) {
      json["counterexample"] =
          counterexample_json(*row.counterexample, row.level);
    }
    if (row.sql_counterexample) {
      json["counterexample"] = sql_counterexample_json(*row.sql_counterexample);
    }
    out.push_back(std::move(json));
  }
  return out;
}

}  // namespace txscope
