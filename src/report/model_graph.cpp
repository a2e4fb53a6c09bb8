#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "report/model_report.h"

namespace txscope::report {
namespace {

using Json = nlohmann::ordered_json;

/// Inside of quotes in DOT; a line break of a label is \\l, aligned left.
std::string dot_text(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

Json object_of(
    const std::vector<std::pair<std::string, std::string>>& members) {
  Json object = Json::object();
  for (const auto& [name, value] : members) object[name] = Json::parse(value);
  return object;
}

}  // namespace

std::string model_graph_dot(const ModelGraph& graph) {
  std::string text = "digraph states {\n  node [shape=box, fontname=mono];\n";
  for (std::size_t s = 0; s < graph.states.size(); ++s) {
    const ModelGraph::State& state = graph.states[s];
    std::string label;
    for (std::size_t i = 0; i < graph.variables.size(); ++i)
      label += dot_text(graph.variables[i] + " = " + state.values[i]) + "\\l";
    text += fmt::format("  {} [label=\"{}\"{}];\n", s + 1, label,
                        state.is_initial ? ", style=filled" : "");
  }
  for (const ModelGraph::Edge& edge : graph.edges)
    text += fmt::format("  {} -> {} [label=\"{}\"];\n", edge.from + 1,
                        edge.to + 1, dot_text(edge.action));
  return text + "}\n";
}

std::string model_graph_json(const ModelGraph& graph) {
  Json states = Json::array();
  for (std::size_t s = 0; s < graph.states.size(); ++s) {
    std::vector<std::pair<std::string, std::string>> values;
    for (std::size_t i = 0; i < graph.variables.size(); ++i)
      values.emplace_back(graph.variables[i], graph.states[s].json[i]);
    states.push_back({{"state", s + 1},
                      {"initial", graph.states[s].is_initial},
                      {"values", object_of(values)}});
  }
  Json steps = Json::array();
  for (const ModelGraph::Edge& edge : graph.edges)
    steps.push_back({{"from", edge.from + 1},
                     {"to", edge.to + 1},
                     {"action", edge.action}});
  const Json all = {{"states", std::move(states)}, {"steps", std::move(steps)}};
  return all.dump(1) + "\n";
}

std::string model_tlc_trace(const ModelResult& result) {
  const auto numbered = [&](std::size_t i) {
    return Json::array({i + 1, object_of(result.trace[i].json)});
  };
  const auto action = [](const TraceState& step) {
    Json parameters = Json::array();
    for (const auto& [name, value] : step.arguments) parameters.push_back(name);
    std::string module = step.place.file;
    module = module.substr(module.find_last_of('/') + 1);
    module = module.substr(0, module.rfind(".tla"));
    const std::string name = step.action.substr(0, step.action.find('('));
    return Json{{"name", name.empty() ? "Next" : name},
                {"location",
                 {{"beginLine", step.place.line},
                  {"beginColumn", step.place.column},
                  {"endLine", step.place.line},
                  {"endColumn", step.place.column},
                  {"module", module}}},
                {"context", object_of(step.arguments)},
                {"parameters", std::move(parameters)}};
  };
  Json states = Json::array();
  Json steps = Json::array();
  const std::size_t n = result.trace.size();
  for (std::size_t i = 0; i < n; ++i) {
    states.push_back(numbered(i));
    if (i + 1 < n)
      steps.push_back(Json::array(
          {numbered(i), action(result.trace[i + 1]), numbered(i + 1)}));
  }
  // A lasso is closed by a step that leads back.
  if (result.loop && n > 0)
    steps.push_back(Json::array(
        {numbered(n - 1),
         action(result.trace[*result.loop + 1 < n ? *result.loop + 1 : n - 1]),
         numbered(*result.loop)}));
  Json variables = Json::array();
  if (n > 0)
    for (const auto& [name, value] : result.trace[0].json)
      variables.push_back(name);
  const Json all = {
      {"counterexample", {{"action", std::move(steps)}, {"state", states}}},
      {"vars", std::move(variables)}};
  return all.dump() + "\n";
}

}  // namespace txscope::report
