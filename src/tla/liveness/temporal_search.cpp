#include <algorithm>
#include <atomic>
#include <deque>
#include <mutex>
#include <set>

#include "base/big_thread.h"
#include "tla/liveness/liveness.h"
#include "tla/search/model_search.h"

namespace txscope::tla {
namespace {

/// Each job searches the product for one property after the other; the first
/// of those that are violated counts, whoever finds it.
std::pair<std::size_t, std::optional<Lasso>> first_violated(
    const StateGraph& graph, Labels& labels,
    const std::deque<Automaton>& automata,
    const std::deque<TemporalAtom>& atoms, const Budget& budget,
    std::size_t jobs) {
  std::atomic<std::size_t> next = 0;
  std::atomic<std::size_t> first = automata.size();
  std::optional<Lasso> lasso;
  std::mutex mutex;
  bool is_stopped = false;
  std::optional<Error> error;
  const auto work = [&] {
    try {
      for (std::size_t i; (i = next++) < automata.size() && i < first;) {
        auto found = Liveness(graph, labels, budget, automata[i], atoms).find();
        const std::lock_guard lock(mutex);
        if (!found || i > first) continue;
        first = i;
        lasso = std::move(found);
      }
    } catch (const Stopped&) {
      const std::lock_guard lock(mutex);
      is_stopped = true;
    } catch (const Fault& fault) {
      const std::lock_guard lock(mutex);
      error = fault.error;
    }
  };
  jobs = std::min(jobs, automata.size());
  if (jobs < 2) {
    work();
  } else {
    labels.lasting();
    std::vector<BigThread> threads;
    for (std::size_t i = 0; i < jobs; ++i) threads.emplace_back(work);
  }
  if (error) throw Fault{*error};
  if (is_stopped) throw Stopped{};
  return {first, std::move(lasso)};
}

}  // namespace

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
    atoms.merge(automata.emplace_back(*wanted, property->spot).atoms());
  }
  labels.prepare(workers_, {atoms.begin(), atoms.end()});
  const auto [property, lasso] = first_violated(
      graph, labels, automata, behaviour.atoms(), budget_, workers_.size());
  if (!lasso) {
    result.outcome = Outcome::Holds;
    return;
  }
  result.outcome = Outcome::Violated;
  result.violation = ModelViolation::Liveness;
  result.property = open[property]->name;
  result.property_place = error_at(open[property]->spot, {}).where;
  result.loop = lasso->loop;
  std::vector<std::vector<Value>> states;
  for (const StateGraph::Index s : lasso->states)
    states.emplace_back(graph.state(s),
                        graph.state(s) + worker.program().variables().size());
  finish_trace(result, retrace(worker, std::move(states)));
}

}  // namespace txscope::tla
