#include <nlohmann/json.hpp>

#include "report/explore_report.h"
#include "report/verify_report.h"

namespace txscope {
namespace {

using Json = nlohmann::ordered_json;

Json counterexample_json(const Counterexample& shown, Base level) {
  Json json;
  json["inputs"] = Json::object();
  for (const InputValue& input : shown.inputs) {
    json["inputs"][input.name] = input.value;
  }
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
    if (!row.why.empty()) json["why"] = row.why;
    if (row.counterexample) {
      json["counterexample"] =
          counterexample_json(*row.counterexample, row.level);
    }
    out.push_back(std::move(json));
  }
  return out;
}

}  // namespace txscope
