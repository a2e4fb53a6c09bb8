#include "tla/liveness.h"

namespace txscope::tla {

Labels::Labels(Worker& worker, const StateGraph& graph, const Budget& budget)
    : worker_(worker),
      graph_(graph),
      budget_(budget),
      known_(worker.behaviour().atoms().size()) {}

const std::vector<bool>& Labels::of_states(std::uint32_t atom) {
  auto& known = known_[atom];
  if (!known) known = states_where(worker_.behaviour().atoms()[atom].formula);
  return *known;
}

const std::vector<bool>& Labels::of_edges(std::uint32_t atom) {
  auto& known = known_[atom];
  const TemporalAtom& a = worker_.behaviour().atoms()[atom];
  if (!known)
    known = edges_where(a.formula, a.subscript,
                        a.kind == TemporalAtom::Kind::Kept, nullptr);
  return *known;
}

const std::vector<Labels::Fair>& Labels::fairness() {
  if (fairness_) return *fairness_;
  fairness_.emplace();
  for (const Fairness& f : worker_.behaviour().fairness) {
    Fair fair;
    fair.is_strong = f.is_strong;
    fair.enabled = states_where(f.enabled);
    fair.taken = edges_where(f.action, f.subscript, false, &fair.enabled);
    fairness_->push_back(std::move(fair));
  }
  return *fairness_;
}

std::vector<bool> Labels::states_where(const Formula& f) {
  std::vector<bool> result(graph_.size());
  for (Index s = 0; s < graph_.size(); ++s) {
    if (budget_.spent()) throw Stopped{};
    result[s] = worker_.evaluator().holds(*f.code, f.frame, graph_.state(s));
  }
  return result;
}

/// Steps that change the subscript and satisfy the action.  Where <<A>>_v is
/// not enabled, no step can be one.
std::vector<bool> Labels::edges_where(const Formula& action,
                                      const Formula& subscript, bool when_still,
                                      const std::vector<bool>* enabled) {
  Evaluator& evaluator = worker_.evaluator();
  std::vector<bool> result(graph_.edge_count(), when_still);
  std::vector<Value> subscripts(graph_.size());
  const auto subscript_of = [&](Index s) {
    if (subscripts[s].is_none())
      subscripts[s] = evaluator.sets().settle(evaluator.evaluate(
          *subscript.code, subscript.frame, graph_.state(s)));
    return subscripts[s];
  };
  for (Index s = 0; s < graph_.size(); ++s) {
    if (budget_.spent()) throw Stopped{};
    if (enabled != nullptr && !(*enabled)[s]) continue;
    std::size_t edge = graph_.first_edge(s);
    for (const Index t : graph_.next(s)) {
      if (t != s && subscript_of(t) != subscript_of(s))
        result[edge] = evaluator.holds(*action.code, action.frame,
                                       graph_.state(s), graph_.state(t));
      ++edge;
    }
  }
  return result;
}

}  // namespace txscope::tla
