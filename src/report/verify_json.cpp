#include <nlohmann/json.hpp>

#include "report/answer_report.h"
#include "report/verify_report.h"

namespace txscope::report {
namespace {

using Json = nlohmann::ordered_json;

Json inputs_json(const std::vector<verify::InputValue>& inputs) {
  Json json = Json::object();
  for (const verify::InputValue& input : inputs) {
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

Json example_json(const verify::VerifiedExample& shown) {
  Json json;
  json["inputs"] = inputs_json(shown.inputs);
  json.update(counterexample_json(shown.workload, shown.example));
  return json;
}

}  // namespace

Json bounds_json(const verify::VerifyBounds& bounds) {
  Json json;
  json["sessions"] = bounds.sessions;
  json["transactions"] = bounds.transactions;
  json["inputs"] = bounds.inputs;
  if (bounds.rounds > 0) json["loop_rounds"] = bounds.rounds;
  if (!bounds.keys.empty()) json["keys"] = bounds.keys;
  if (!bounds.numerics.empty()) json["numerics"] = bounds.numerics;
  return json;
}

nlohmann::ordered_json verify_json(const VerifyReport& report) {
  Json out = Json::array();
  for (const verify::VerifyRow& row : report.result->rows) {
    Json json;
    json["level"] = row.level;
    json["order"] = "session";
    json["property"] = row.property;
    json["kind"] = row.kind;
    json["verdict"] = verdict_word(row);
    json["method"] = row.method.empty() ? report.result->method : row.method;
    json["bounds"] = bounds_json(report.result->bounds);
    if (report.result->is_unbounded) json["integers"] = "unbounded";
    if (report.is_inductive) json["inductive"] = true;
    if (report.result->needed && report.result->needed->is_decided) {
      json["levels_needed"] = {{"others", name(report.result->needed->others)},
                               {"serializable", report.result->needed->sets}};
    }
    if (!row.why.empty()) json["why"] = row.why;
    if (row.evidence) {
      json["evidence"] = {{"format", "smt-lib 2"},
                          {"expected", "unsat"},
                          {"text", *row.evidence}};
    }
    if (row.counterexample) {
      json["counterexample"] = example_json(*row.counterexample);
    }
    out.push_back(std::move(json));
  }
  return out;
}

}  // namespace txscope::report
