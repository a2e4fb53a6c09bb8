#include "tla/liveness.h"

#include <algorithm>
#include <deque>

namespace txscope::tla {
namespace {

constexpr StateGraph::Index kNobody = 0xffffffffu;

/// Stops at the first successor that changes the subscript.
class EnabledSink : public StateSink {
 public:
  EnabledSink(Worker& worker, const Formula& subscript, const Value* state)
      : worker_(worker), subscript_(subscript), state_(state) {
    before_ = value(state);
  }
  bool state(const Value* next) override {
    const std::size_t width = worker_.program().variables().size();
    // A variable that the action leaves open may well change.
    const bool is_partial =
        std::any_of(next, next + width, [](Value v) { return v.is_none(); });
    is_enabled = is_partial || value(next) != before_;
    return !is_enabled;
  }
  bool is_enabled = false;

 private:
  Value value(const Value* state) {
    Evaluator& evaluator = worker_.evaluator();
    return evaluator.sets().settle(
        evaluator.evaluate(*subscript_.code, subscript_.frame, state));
  }
  Worker& worker_;
  const Formula& subscript_;
  const Value* state_;
  Value before_;
};

}  // namespace

Liveness::Liveness(Worker& worker, const StateGraph& graph,
                   const Budget& budget)
    : worker_(worker), graph_(graph), budget_(budget) {
  for (const Fairness& f : worker.behaviour().fairness) {
    Step step;
    step.action = f.action;
    step.subscript = f.subscript;
    step.is_strong = f.is_strong;
    evaluate(step);
    fairness_.push_back(std::move(step));
  }
}

/// Where the step is enabled and which edges are such a step.
void Liveness::evaluate(Step& step) {
  Evaluator& evaluator = worker_.evaluator();
  step.enabled.assign(graph_.size(), false);
  step.taken.assign(graph_.edge_count(), false);
  const auto subscript = [&](const Value* state) {
    return evaluator.sets().settle(
        evaluator.evaluate(*step.subscript.code, step.subscript.frame, state));
  };
  for (Index s = 0; s < graph_.size() && !is_spent_; ++s) {
    if (budget_.spent()) is_spent_ = true;
    const Value* state = graph_.state(s);
    EnabledSink sink(worker_, step.subscript, state);
    evaluator.enumerate_enabled(*step.action.code, step.action.frame, state,
                                sink);
    step.enabled[s] = sink.is_enabled;
    if (!sink.is_enabled) continue;
    const Value before = subscript(state);
    std::size_t edge = graph_.first_edge(s);
    for (const Index t : graph_.next(s)) {
      step.taken[edge] = t != s && subscript(graph_.state(t)) != before &&
                         evaluator.holds(*step.action.code, step.action.frame,
                                         state, graph_.state(t));
      ++edge;
    }
  }
}

std::vector<bool> Liveness::satisfying(const Formula& p, bool wanted) {
  std::vector<bool> result(graph_.size());
  for (Index s = 0; s < graph_.size() && !is_spent_; ++s) {
    if (budget_.spent()) is_spent_ = true;
    result[s] =
        worker_.evaluator().holds(*p.code, p.frame, graph_.state(s)) == wanted;
  }
  return result;
}

std::optional<Lasso> Liveness::find_violation(const Property& property) {
  const std::vector<bool> everywhere(graph_.size(), true);
  std::vector<bool> initially(graph_.size(), false);
  for (const Index s : graph_.initial()) initially[s] = true;
  Region region;
  region.states = everywhere;
  switch (property.kind) {
    case Property::Kind::Initially:
    case Property::Kind::Always:
    case Property::Kind::AlwaysAction: return std::nullopt;  // safety
    case Property::Kind::Eventually:
      region.states = satisfying(property.p, false);
      return find_cycle(region, initially);
    case Property::Kind::ImpliesEventually: {
      const std::vector<bool> p = satisfying(property.p, true);
      for (Index s = 0; s < graph_.size(); ++s)
        initially[s] = initially[s] && p[s];
      region.states = satisfying(property.q, false);
      return find_cycle(region, initially);
    }
    case Property::Kind::AlwaysEventually:
      region.states = satisfying(property.p, false);
      return find_cycle(region, region.states);
    case Property::Kind::EventuallyAlways:
      region.witness = satisfying(property.p, false);
      return find_cycle(region, everywhere);
    case Property::Kind::LeadsTo:
      region.states = satisfying(property.q, false);
      return find_cycle(region, satisfying(property.p, true));
    case Property::Kind::Stays: return find_fall(property, everywhere);
    case Property::Kind::InitiallyStays: return find_fall(property, initially);
    case Property::Kind::AlwaysEventuallyAction:
    case Property::Kind::WeakFair:
    case Property::Kind::StrongFair: {
      Step step;
      step.action = property.p;
      step.subscript = property.q;
      evaluate(step);
      region.edges = step.taken;
      region.edges.flip();
      if (property.kind == Property::Kind::WeakFair)
        region.states = step.enabled;
      if (property.kind == Property::Kind::StrongFair)
        region.witness = step.enabled;
      return find_cycle(region, everywhere);
    }
  }
  return std::nullopt;
}

/// [](p => []q) fails where a state without q follows one with p.
std::optional<Lasso> Liveness::find_fall(const Property& property,
                                         const std::vector<bool>& from) {
  const std::vector<bool> p = satisfying(property.p, true);
  const std::vector<bool> bad = satisfying(property.q, false);
  Region region;
  region.states.assign(graph_.size(), true);
  for (Index s = 0; s < graph_.size(); ++s) {
    if (!p[s] || !from[s]) continue;
    const std::vector<Index> path = walk(region, region.states, s, bad);
    if (path.empty() && !bad[s]) continue;
    Lasso lasso;
    lasso.states = graph_.path_to(s);
    lasso.states.insert(lasso.states.end(), path.begin(), path.end());
    return lasso;
  }
  return std::nullopt;
}

/// Searches the region from the start states for a fair component.
std::optional<Lasso> Liveness::find_cycle(const Region& region,
                                          const std::vector<bool>& start) {
  std::vector<Index> parent(graph_.size(), kNobody);
  std::vector<bool> reached(graph_.size(), false);
  std::deque<Index> queue;
  for (Index s = 0; s < graph_.size(); ++s) {
    if (!start[s] || !region.states[s]) continue;
    reached[s] = true;
    parent[s] = s;
    queue.push_back(s);
  }
  while (!queue.empty()) {
    const Index s = queue.front();
    queue.pop_front();
    for (const Index t : graph_.next(s)) {
      if (reached[t] || !region.states[t]) continue;
      reached[t] = true;
      parent[t] = s;
      queue.push_back(t);
    }
  }
  std::vector<std::vector<Index>> todo = components(region, reached);
  while (!todo.empty() && !is_spent_) {
    if (budget_.spent_now()) is_spent_ = true;
    std::vector<std::vector<Index>> again;
    for (const std::vector<Index>& component : todo)
      if (is_fair(region, component, again))
        return build(region, component, parent);
    todo = std::move(again);
  }
  return std::nullopt;
}

/// Tarjan's strongly connected components (1972), without recursion, those
/// with the nearest states first.  A single state counts: it may stutter.
std::vector<std::vector<StateGraph::Index>> Liveness::components(
    const Region& region, const std::vector<bool>& among) {
  const std::size_t n = graph_.size();
  std::vector<Index> number(n, kNobody);
  std::vector<Index> low(n, 0);
  std::vector<bool> on_stack(n, false);
  std::vector<Index> stack;
  struct Call {
    Index state;
    std::size_t edge;
  };
  std::vector<Call> calls;
  std::vector<std::vector<Index>> result;
  Index counter = 0;
  for (Index root = 0; root < n; ++root) {
    if (!among[root] || number[root] != kNobody) continue;
    calls.push_back({root, 0});
    while (!calls.empty()) {
      const Index s = calls.back().state;
      if (calls.back().edge == 0) {
        number[s] = low[s] = counter++;
        stack.push_back(s);
        on_stack[s] = true;
      }
      const auto targets = graph_.next(s);
      bool descended = false;
      while (calls.back().edge < targets.size()) {
        const std::size_t i = calls.back().edge++;
        const Index t = targets[i];
        if (!among[t] || !is_allowed(region, graph_.first_edge(s) + i))
          continue;
        if (number[t] == kNobody) {
          calls.push_back({t, 0});
          descended = true;
          break;
        }
        if (on_stack[t]) low[s] = std::min(low[s], number[t]);
      }
      if (descended) continue;
      if (targets.empty()) calls.back().edge = 1;
      if (low[s] == number[s]) {
        std::vector<Index>& component = result.emplace_back();
        Index t = kNobody;
        do {
          t = stack.back();
          stack.pop_back();
          on_stack[t] = false;
          component.push_back(t);
        } while (t != s);
        std::sort(component.begin(), component.end());
      }
      calls.pop_back();
      if (!calls.empty())
        low[calls.back().state] = std::min(low[calls.back().state], low[s]);
    }
  }
  std::sort(result.begin(), result.end());
  return result;
}

/// Whether a behaviour that visits all of the component for ever is fair.
/// What strong fairness leaves of an unfair one goes to `again`.
bool Liveness::is_fair(const Region& region,
                       const std::vector<Index>& component,
                       std::vector<std::vector<Index>>& again) {
  std::vector<bool> inside(graph_.size(), false);
  for (const Index s : component) inside[s] = true;
  if (!region.witness.empty() &&
      std::none_of(component.begin(), component.end(),
                   [&](Index s) { return region.witness[s]; }))
    return false;
  for (const Step& step : fairness_) {
    bool is_taken = false;
    bool is_ever_enabled = false;
    bool is_ever_disabled = false;
    for (const Index s : component) {
      is_ever_enabled = is_ever_enabled || step.enabled[s];
      is_ever_disabled = is_ever_disabled || !step.enabled[s];
      std::size_t edge = graph_.first_edge(s);
      for (const Index t : graph_.next(s)) {
        is_taken = is_taken ||
                   (inside[t] && step.taken[edge] && is_allowed(region, edge));
        ++edge;
      }
    }
    if (is_taken || !is_ever_enabled) continue;
    if (!step.is_strong && is_ever_disabled) continue;
    if (!step.is_strong) return false;  // no part of it can do better
    std::vector<bool> rest(graph_.size(), false);
    for (const Index s : component) rest[s] = !step.enabled[s];
    for (auto& part : components(region, rest)) again.push_back(part);
    return false;
  }
  return true;
}

/// A shortest walk inside some states to a goal; without the start, empty if
/// the start is a goal or none is reached.
std::vector<StateGraph::Index> Liveness::walk(const Region& region,
                                              const std::vector<bool>& inside,
                                              Index from,
                                              const std::vector<bool>& goal) {
  if (goal[from]) return {};
  std::vector<Index> parent(graph_.size(), kNobody);
  parent[from] = from;
  std::deque<Index> queue = {from};
  while (!queue.empty()) {
    const Index s = queue.front();
    queue.pop_front();
    const std::size_t first = graph_.first_edge(s);
    const auto targets = graph_.next(s);
    for (std::size_t i = 0; i < targets.size(); ++i) {
      const Index t = targets[i];
      if (parent[t] != kNobody || !inside[t] || !is_allowed(region, first + i))
        continue;
      parent[t] = s;
      if (goal[t]) {
        std::vector<Index> path;
        for (Index at = t; at != from; at = parent[at]) path.push_back(at);
        std::reverse(path.begin(), path.end());
        return path;
      }
      queue.push_back(t);
    }
  }
  return {};
}

Lasso Liveness::build(const Region& region, const std::vector<Index>& component,
                      const std::vector<Index>& parent) {
  // To the component's first state: from the start states inside the region,
  // and before that from the initial states anywhere.
  std::vector<Index> approach = {component.front()};
  while (parent[approach.back()] != approach.back())
    approach.push_back(parent[approach.back()]);
  Lasso lasso;
  lasso.states = graph_.path_to(approach.back());
  lasso.states.insert(lasso.states.end(), approach.rbegin() + 1,
                      approach.rend());
  lasso.loop = lasso.states.size() - 1;
  const Index home = component.front();
  std::vector<bool> inside(graph_.size(), false);
  for (const Index s : component) inside[s] = true;
  const auto go = [&](const std::vector<bool>& goal) {
    for (const Index s : walk(region, inside, lasso.states.back(), goal))
      lasso.states.push_back(s);
  };
  if (!region.witness.empty()) {
    std::vector<bool> goal = region.witness;
    for (Index s = 0; s < graph_.size(); ++s) goal[s] = goal[s] && inside[s];
    go(goal);
  }
  for (const Step& step : fairness_) {
    // A state that disables a weak one will do; else its step is taken.
    std::vector<bool> goal(graph_.size(), false);
    bool has_goal = false;
    bool is_ever_enabled = false;
    for (const Index s : component) {
      goal[s] = !step.enabled[s];
      has_goal = has_goal || goal[s];
      is_ever_enabled = is_ever_enabled || step.enabled[s];
    }
    if (!is_ever_enabled) continue;
    if (!step.is_strong && has_goal) {
      go(goal);
      continue;
    }
    for (const Index s : component) {
      std::size_t edge = graph_.first_edge(s);
      Index found = kNobody;
      for (const Index t : graph_.next(s)) {
        if (found == kNobody && inside[t] && step.taken[edge] &&
            is_allowed(region, edge))
          found = t;
        ++edge;
      }
      if (found == kNobody) continue;
      std::fill(goal.begin(), goal.end(), false);
      goal[s] = true;
      go(goal);
      lasso.states.push_back(found);
      break;
    }
  }
  std::vector<bool> goal(graph_.size(), false);
  goal[home] = true;
  go(goal);
  // Back home: the last state is the first of the loop, shown once.
  if (lasso.states.size() - 1 > *lasso.loop) lasso.states.pop_back();
  return lasso;
}

}  // namespace txscope::tla
