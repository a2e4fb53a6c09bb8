#include <algorithm>
#include <deque>
#include <set>

#include "tla/liveness.h"
#include "tla/model_search.h"

namespace txscope::tla {

/// Whether there will be questions about the graph that the search can record:
/// with symmetry or a VIEW its states are not those of the graph.
bool ModelSearch::wants_record() const {
  Worker& worker = *workers_[0];
  const Behaviour& behaviour = worker.behaviour();
  return !request_.resume && !request_.simulate &&
         worker.symmetry().is_trivial() && behaviour.view == nullptr &&
         std::any_of(behaviour.properties.begin(), behaviour.properties.end(),
                     [](const Property& p) {
                       return p.kind == Property::Kind::Temporal;
                     });
}

/// Everything safe holds; now what is about infinite behaviours.
void ModelSearch::check_liveness(ModelResult& result) {
  Worker& worker = *workers_[0];
  const Behaviour& behaviour = worker.behaviour();
  std::vector<const Property*> open;
  for (const Property& property : behaviour.properties)
    if (property.kind == Property::Kind::Temporal) open.push_back(&property);
  if (open.empty()) return;
  result.outcome = Outcome::Undecided;
  for (auto& each : workers_) each->evaluator().set_counting(false);
  const StateGraph graph = worker.record() != nullptr
                               ? StateGraph(workers_)
                               : StateGraph(worker, budget_);
  if (!graph.is_complete()) throw Stopped{};
  Labels labels(worker, graph, budget_);
  std::deque<Automaton> automata;
  std::set<std::uint32_t> atoms;
  for (const Property* property : open) {
    const Temporal* wanted =
        worker.behaviour().with_assumed(property->negation);
    const Automaton& a = automata.emplace_back(*wanted, property->spot);
    for (Automaton::State q = 0; q < a.size(); ++q)
      for (const Automaton::Edge& edge : a.edges(q))
        for (const Automaton::Literal& l : edge.literals) atoms.insert(l.atom);
  }
  if (workers_.size() > 1)
    labels.prepare(workers_, {atoms.begin(), atoms.end()});
  for (std::size_t i = 0; i < open.size(); ++i) {
    const Property* property = open[i];
    const auto lasso =
        Liveness(graph, labels, budget_, automata[i], behaviour.atoms()).find();
    if (!lasso) continue;
    result.outcome = Outcome::Violated;
    result.violation = ModelViolation::Liveness;
    result.property = property->name;
    result.property_place = error_at(property->spot, {}).where;
    result.loop = lasso->loop;
    std::vector<std::vector<Value>> states;
    for (const StateGraph::Index s : lasso->states)
      states.emplace_back(graph.state(s),
                          graph.state(s) + worker.program().variables().size());
    return finish_trace(result, retrace(worker, std::move(states)));
  }
  result.outcome = Outcome::Holds;
}

}  // namespace txscope::tla
