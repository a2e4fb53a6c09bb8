#include "tla/liveness.h"

#include <algorithm>
#include <deque>
#include <unordered_map>

namespace txscope::tla {
namespace {

constexpr std::uint32_t kNobody = 0xffffffffu;

}  // namespace

Liveness::Liveness(const StateGraph& graph, Labels& labels,
                   const Budget& budget, const Automaton& automaton,
                   const std::deque<TemporalAtom>& atoms)
    : graph_(graph),
      labels_(labels),
      budget_(budget),
      automaton_(automaton),
      width_(automaton.size()),
      atom_labels_(atoms.size()),
      is_step_(atoms.size()),
      when_still_(atoms.size()) {
  for (Automaton::State q = 0; q < automaton.size(); ++q)
    for (const Automaton::Edge& edge : automaton.edges(q))
      for (const Automaton::Literal& l : edge.literals) {
        is_step_[l.atom] = atoms[l.atom].is_step();
        when_still_[l.atom] = atoms[l.atom].kind == TemporalAtom::Kind::Kept;
        atom_labels_[l.atom] = is_step_[l.atom] ? &labels.of_edges(l.atom)
                                                : &labels.of_states(l.atom);
      }
}

void Liveness::look_at_budget() {
  if ((++ticks_ & 0xffffu) == 0 && budget_.spent_now()) throw Stopped{};
}

bool Liveness::allows(const Automaton::Edge& edge, Index s,
                      std::size_t step) const {
  for (const Automaton::Literal& l : edge.literals) {
    const std::vector<bool>& label = *atom_labels_[l.atom];
    const bool v = !is_step_[l.atom] ? label[s]
                   : step == kStill  ? when_still_[l.atom]
                                     : label[step];
    if (v != l.is_true) return false;
  }
  return true;
}

bool Liveness::candidate(Node n, std::size_t k, Move& move) const {
  const Index s = state_of(n);
  const auto& edges = automaton_.edges(phase_of(n));
  const auto targets = graph_.next(s);
  const std::size_t i = k / std::max<std::size_t>(1, edges.size());
  if (edges.empty() || i > targets.size()) return false;
  const Automaton::Edge& edge = edges[k % edges.size()];
  move.edge = i == 0 ? kStill : graph_.first_edge(s) + i - 1;
  move.postponed = edge.postponed;
  move.to = allows(edge, s, move.edge)
                ? node(i == 0 ? s : targets[i - 1], edge.target)
                : kNowhere;
  return true;
}

template <class Visit>
void Liveness::for_each_move(Node n, const Visit& visit) const {
  Move move;
  for (std::size_t k = 0; candidate(n, k, move); ++k)
    if (move.to != kNowhere) visit(move);
}

/// Breadth-first from the initial states.
void Liveness::reach() {
  parent_.assign(graph_.size() * width_, kNobody);
  for (const Index s : graph_.initial()) {
    const Node n = node(s, 0);
    if (parent_[n] != kNobody) continue;
    parent_[n] = static_cast<std::uint32_t>(reached_.size());
    reached_.push_back(n);
  }
  for (std::size_t i = 0; i < reached_.size(); ++i)
    for_each_move(reached_[i], [&](const Move& move) {
      look_at_budget();
      if (parent_[move.to] != kNobody) return;
      parent_[move.to] = static_cast<std::uint32_t>(i);
      reached_.push_back(move.to);
    });
}

std::optional<Lasso> Liveness::find() {
  reach();
  part_.assign(parent_.size(), 0);
  std::vector<std::vector<Node>> todo = components(reached_);
  while (!todo.empty()) {
    std::vector<std::vector<Node>> again;
    for (const std::vector<Node>& component : todo)
      if (accepts(component, again)) return build(component);
    todo = std::move(again);
  }
  return std::nullopt;
}

/// Tarjan's strongly connected components (1972) of some nodes, without
/// recursion, those with the nearest states first.
std::vector<std::vector<Liveness::Node>> Liveness::components(
    const std::vector<Node>& among) {
  const std::uint32_t mine = ++parts_;
  for (const Node n : among) part_[n] = mine;
  std::unordered_map<Node, std::uint32_t> sparse;
  const bool is_sparse = among.size() * 16 < part_.size();
  std::vector<std::uint32_t> dense(is_sparse ? 0 : part_.size(), 0);
  // 0: not seen; else one more than its place in `order`, or kNobody if done.
  const auto number = [&](Node n) -> std::uint32_t& {
    return is_sparse ? sparse[n] : dense[n];
  };
  struct Call {
    Node node;
    std::size_t next;
    std::uint32_t number;
    std::uint32_t low;
  };
  std::vector<Call> calls;
  std::vector<Node> stack;
  std::vector<std::vector<Node>> result;
  std::uint32_t counter = 0;
  const auto enter = [&](Node n) {
    number(n) = ++counter;
    stack.push_back(n);
    calls.push_back({n, 0, counter, counter});
  };
  for (const Node root : among) {
    if (number(root) != 0) continue;
    enter(root);
    while (!calls.empty()) {
      look_at_budget();
      Call& call = calls.back();
      Move move;
      if (candidate(call.node, call.next, move)) {
        ++call.next;
        if (move.to == kNowhere || part_[move.to] != mine) continue;
        const std::uint32_t known = number(move.to);
        if (known == 0)
          enter(move.to);
        else if (known != kNobody)
          call.low = std::min(call.low, known);
        continue;
      }
      const Call done = call;
      calls.pop_back();
      if (!calls.empty())
        calls.back().low = std::min(calls.back().low, done.low);
      if (done.low != done.number) continue;
      std::vector<Node>& component = result.emplace_back();
      for (Node n = kNowhere; n != done.node;) {
        n = stack.back();
        stack.pop_back();
        number(n) = kNobody;
        component.push_back(n);
      }
      std::sort(component.begin(), component.end());
    }
  }
  std::sort(result.begin(), result.end());
  for (const auto& component : result) {
    ++parts_;
    for (const Node n : component) part_[n] = parts_;
  }
  return result;
}

/// Whether a behaviour that takes every step of the component for ever is one
/// that we look for.  What strong fairness leaves of an unfair component goes
/// to `again`.
bool Liveness::accepts(const std::vector<Node>& component,
                       std::vector<std::vector<Node>>& again) {
  const std::uint32_t mine = part_[component[0]];
  bool has_step = false;
  std::uint64_t always_postponed = ~std::uint64_t{0};
  if (automaton_.eventualities() < 64)
    always_postponed = (std::uint64_t{1} << automaton_.eventualities()) - 1;
  for (const Node n : component)
    for_each_move(n, [&](const Move& move) {
      look_at_budget();
      if (part_[move.to] != mine) return;
      has_step = true;
      always_postponed &= move.postponed;
    });
  if (!has_step || always_postponed != 0) return false;
  for (const Labels::Fair& fair : labels_.fairness()) {
    bool is_taken = false;
    bool is_ever_enabled = false;
    bool is_ever_disabled = false;
    for (const Node n : component) {
      const bool enabled = fair.enabled[state_of(n)];
      is_ever_enabled = is_ever_enabled || enabled;
      is_ever_disabled = is_ever_disabled || !enabled;
      if (!enabled || is_taken) continue;
      for_each_move(n, [&](const Move& move) {
        is_taken = is_taken || (part_[move.to] == mine && move.edge != kStill &&
                                fair.taken[move.edge]);
      });
    }
    look_at_budget();
    if (is_taken || !is_ever_enabled) continue;
    if (!fair.is_strong && is_ever_disabled) continue;
    if (!fair.is_strong) return false;  // no part of it can do better
    std::vector<Node> rest;
    for (const Node n : component)
      if (!fair.enabled[state_of(n)]) rest.push_back(n);
    for (auto& part : components(rest)) again.push_back(std::move(part));
    return false;
  }
  return true;
}

/// Prolongs a path inside its last node's component by a shortest walk to a
/// node that is a goal.
template <class Goal>
bool Liveness::walk(std::vector<Node>& path, const Goal& is_goal) {
  const Node from = path.back();
  if (is_goal(from)) return true;
  const std::uint32_t mine = part_[from];
  std::unordered_map<Node, Node> parent = {{from, from}};
  std::deque<Node> queue = {from};
  while (!queue.empty()) {
    const Node n = queue.front();
    queue.pop_front();
    Node found = kNowhere;
    for_each_move(n, [&](const Move& move) {
      look_at_budget();
      if (found != kNowhere || part_[move.to] != mine) return;
      if (!parent.emplace(move.to, n).second) return;
      if (is_goal(move.to)) found = move.to;
      queue.push_back(move.to);
    });
    if (found == kNowhere) continue;
    std::vector<Node> back;
    for (Node at = found; at != from; at = parent[at]) back.push_back(at);
    path.insert(path.end(), back.rbegin(), back.rend());
    return true;
  }
  return false;
}

Lasso Liveness::build(const std::vector<Node>& component) {
  const std::uint32_t mine = part_[component[0]];
  // The way there: to the node of the component that was reached first.
  std::size_t first = 0;
  while (part_[reached_[first]] != mine) ++first;
  std::vector<Node> path;
  for (std::size_t i = first;; i = parent_[reached_[i]]) {
    path.push_back(reached_[i]);
    if (parent_[reached_[i]] == i) break;
  }
  std::reverse(path.begin(), path.end());
  Lasso lasso;
  for (std::size_t i = 0; i < path.size(); ++i) {
    const Index s = state_of(path[i]);
    if (lasso.states.empty() || lasso.states.back() != s)
      lasso.states.push_back(s);
    if (automaton_.accepts_all(phase_of(path[i]))) return lasso;
  }
  // Around: a witness of everything that has to happen again and again.
  const Node home = path.back();
  std::vector<Node> cycle = {home};
  const auto take = [&](const auto& is_wanted) {
    Node to = kNowhere;
    const auto has_it = [&](Node n) {
      for_each_move(n, [&](const Move& move) {
        if (to == kNowhere && part_[move.to] == mine && is_wanted(move))
          to = move.to;
      });
      return to != kNowhere;
    };
    if (walk(cycle, has_it)) cycle.push_back(to);
  };
  for (std::size_t i = 0; i < automaton_.eventualities(); ++i)
    take([&](const Move& m) { return (m.postponed >> i & 1u) == 0; });
  for (const Labels::Fair& fair : labels_.fairness()) {
    const auto is_disabled = [&](Node n) { return !fair.enabled[state_of(n)]; };
    const bool is_never_enabled =
        std::all_of(component.begin(), component.end(), is_disabled);
    if (is_never_enabled) continue;
    if (!fair.is_strong &&
        std::any_of(component.begin(), component.end(), is_disabled)) {
      walk(cycle, is_disabled);
      continue;
    }
    take([&](const Move& m) { return m.edge != kStill && fair.taken[m.edge]; });
  }
  if (automaton_.eventualities() == 0 && cycle.size() == 1)
    take([](const Move&) { return true; });
  walk(cycle, [&](Node n) { return n == home; });
  lasso.loop = lasso.states.size() - 1;
  for (std::size_t i = 1; i < cycle.size(); ++i)
    if (state_of(cycle[i]) != lasso.states.back())
      lasso.states.push_back(state_of(cycle[i]));
  // Back home: the last state is the first of the loop, shown once.
  if (lasso.states.size() - 1 > *lasso.loop) lasso.states.pop_back();
  return lasso;
}

}  // namespace txscope::tla
