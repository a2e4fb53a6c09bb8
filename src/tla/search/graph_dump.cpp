#include "tla/search/graph_dump.h"

#include <algorithm>

#include "tla/value/json_values.h"

namespace txscope::tla {
namespace {

/// Names the step to each successor by the actions that take it.
class StepNames : public StateSink {
 public:
  StepNames(const StateGraph& graph, Worker& worker, StateGraph::Index from)
      : names(graph.next(from).size()),
        graph_(graph),
        worker_(worker),
        targets_(graph.next(from)) {}
  bool state(const Value* values) override {
    const auto to = graph_.find(values);
    if (!to) return true;  // a constraint forbids it
    const auto at = std::lower_bound(targets_.begin(), targets_.end(), *to);
    if (at == targets_.end() || *at != *to) return true;
    auto& all = names[static_cast<std::size_t>(at - targets_.begin())];
    const std::string name = worker_.evaluator().action_name();
    if (std::find(all.begin(), all.end(), name) == all.end())
      all.push_back(name);
    return true;
  }

  std::vector<std::vector<std::string>> names;  // by target

 private:
  const StateGraph& graph_;
  Worker& worker_;
  std::span<const StateGraph::Index> targets_;
};

}  // namespace

ModelGraph dump_graph(Worker& worker, const Budget& budget) {
  const StateGraph graph(worker, budget);
  if (!graph.is_complete()) throw Stopped{};
  ModelGraph result;
  result.variables = worker.program().variables();
  const std::size_t width = result.variables.size();
  const Formula& next = worker.behaviour().next;
  for (StateGraph::Index s = 0; s < graph.size(); ++s) {
    if (budget.spent()) throw Stopped{};
    ModelGraph::State& state = result.states.emplace_back();
    for (std::size_t i = 0; i < width; ++i) {
      const Value v = graph.state(s)[i];
      state.values.push_back(to_string(v));
      state.json.push_back(json_of(v));
    }
    StepNames steps(graph, worker, s);
    worker.evaluator().enumerate_successors(next, graph.state(s), steps);
    const auto targets = graph.next(s);
    for (std::size_t i = 0; i < targets.size(); ++i)
      for (const std::string& name : steps.names[i])
        result.edges.push_back({s, targets[i], name});
  }
  for (const StateGraph::Index s : graph.initial())
    result.states[s].is_initial = true;
  return result;
}

}  // namespace txscope::tla
