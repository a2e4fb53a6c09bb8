#include "tla/liveness/liveness.h"

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
    : product_(graph, labels, automaton, atoms),
      graph_(graph),
      budget_(budget),
      fairness_(labels.fairness()),
      enabling_(labels.enabling()),
      lasting_(labels.lasting()),
      lasting_count_(labels.lasting_count()),
      all_eventualities_(automaton.eventualities() == 64
                             ? ~std::uint64_t{0}
                             : (std::uint64_t{1} << automaton.eventualities()) -
                                   1) {}

void Liveness::look_at_budget() {
  if ((++ticks_ & 0xffffu) == 0 && budget_.spent_now()) throw Stopped{};
}

void Liveness::add(Node n, std::size_t parent) {
  if (parent_[n] != kNobody) return;
  parent_[n] = static_cast<std::uint32_t>(parent);
  reached_.push_back(n);
}

/// Breadth-first from the initial states.  If the first phase can be kept
/// whatever happens, every state is reached in it by its shortest way; only
/// what leads to other phases is looked for then.
void Liveness::reach() {
  parent_.assign(product_.size(), kNobody);
  if (!product_.can_wait()) {
    for (const Index s : graph_.initial())
      add(product_.node(s, 0), reached_.size());
    for (std::size_t i = 0; i < reached_.size(); ++i) reach_from(i, false);
    return;
  }
  std::vector<std::uint32_t> level(graph_.size(), 0);
  std::vector<std::uint32_t> place(graph_.size(), 0);  // in reached_
  std::vector<std::uint32_t> distance;                 // by index in reached_
  Index waiting = 0;
  const auto wait_until = [&](std::uint32_t most) {
    for (; waiting < graph_.size(); ++waiting) {
      const Index before = graph_.parent(waiting);
      if (before != waiting) level[waiting] = level[before] + 1;
      if (level[waiting] > most) return;
      place[waiting] = static_cast<std::uint32_t>(reached_.size());
      add(product_.node(waiting, 0), place[before]);
      distance.push_back(level[waiting]);
    }
  };
  wait_until(0);
  for (std::size_t i = 0; i < reached_.size(); ++i) {
    wait_until(distance[i] + 1);
    reach_from(i, product_.phase_of(reached_[i]) == 0);
    distance.resize(reached_.size(), distance[i] + 1);
  }
}

void Liveness::reach_from(std::size_t i, bool is_waiting) {
  const Node n = reached_[i];
  Product::Cursor at;
  at.leaves = is_waiting;
  Move move;
  while (product_.next_move(n, at, move)) {
    look_at_budget();
    add(move.to, i);
  }
}

std::optional<Lasso> Liveness::find() {
  part_.assign(product_.size(), 0);
  std::vector<Node> live;
  if (lasting_count_ * 4 < graph_.size()) {
    // There are few places where a behaviour can end: if none of them is what
    // we look for, how they are reached does not matter.
    for (Index s = 0; s < graph_.size(); ++s)
      for (Product::Phase q = 0; lasting_[s] && q < product_.automaton().size();
           ++q)
        if (product_.is_live(q)) live.push_back(product_.node(s, q));
    if (accepted_among(live).empty()) return std::nullopt;
    live.clear();
  }
  reach();
  for (const Node n : reached_)
    if (product_.is_live(product_.phase_of(n)) &&
        lasting_[product_.state_of(n)])
      live.push_back(n);
  const std::vector<Node> component = accepted_among(live);
  if (component.empty()) return std::nullopt;
  return build(component);
}

/// A component of these nodes that is what we look for, or nothing.
std::vector<Liveness::Node> Liveness::accepted_among(
    const std::vector<Node>& nodes) {
  std::vector<std::vector<Node>> todo = components(nodes);
  while (!todo.empty()) {
    std::vector<std::vector<Node>> again;
    for (std::vector<Node>& component : todo)
      if (accepts(component, again)) return std::move(component);
    todo = std::move(again);
  }
  return {};
}

/// Tarjan's strongly connected components (1972) of some nodes, without
/// recursion, those with the nearest states first.  Of those with one node only
/// what accepts() would accept.
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
    Product::Cursor next;
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
    calls.push_back({n, {}, counter, counter});
  };
  for (const Node root : among) {
    if (number(root) != 0) continue;
    enter(root);
    while (!calls.empty()) {
      look_at_budget();
      Call& call = calls.back();
      Move move;
      if (product_.next_move(call.node, call.next, move)) {
        if (move.to == call.node || part_[move.to] != mine) continue;
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
      if (stack.back() == done.node) {
        stack.pop_back();
        number(done.node) = kNobody;
        if (accepts_rest(done.node)) result.push_back({done.node});
        continue;
      }
      std::vector<Node>& component = result.emplace_back();
      for (Node n = Product::kNowhere; n != done.node;) {
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

/// Whether nothing but moves from n to n for ever is what we look for: such
/// steps change nothing, so fairness must not demand any.
bool Liveness::accepts_rest(Node n) const {
  if (enabling_[product_.state_of(n)]) return false;
  bool has_step = false;
  std::uint64_t always_postponed = all_eventualities_;
  product_.for_each_move(n, [&](const Move& move) {
    if (move.to != n) return;
    has_step = true;
    always_postponed &= product_.postponed(n, move);
  });
  return has_step && always_postponed == 0;
}

/// Whether a behaviour that takes every step of the component for ever is one
/// that we look for.  What strong fairness leaves of an unfair component goes
/// to `again`.
bool Liveness::accepts(const std::vector<Node>& component,
                       std::vector<std::vector<Node>>& again) {
  const std::uint32_t mine = part_[component[0]];
  bool has_step = false;
  std::uint64_t always_postponed = all_eventualities_;
  for (const Node n : component)
    product_.for_each_move(n, [&](const Move& move) {
      look_at_budget();
      if (part_[move.to] != mine) return;
      has_step = true;
      if (always_postponed != 0)
        always_postponed &= product_.postponed(n, move);
    });
  if (!has_step || always_postponed != 0) return false;
  for (const Labels::Fair& fair : fairness_) {
    bool is_taken = false;
    bool is_ever_enabled = false;
    bool is_ever_disabled = false;
    for (const Node n : component) {
      const bool enabled = fair.enabled[product_.state_of(n)];
      is_ever_enabled = is_ever_enabled || enabled;
      is_ever_disabled = is_ever_disabled || !enabled;
      if (!enabled || is_taken) continue;
      product_.for_each_move(n, [&](const Move& move) {
        is_taken =
            is_taken || (part_[move.to] == mine &&
                         move.edge != Product::kStill && fair.taken[move.edge]);
      });
    }
    look_at_budget();
    if (is_taken || !is_ever_enabled) continue;
    if (!fair.is_strong && is_ever_disabled) continue;
    if (!fair.is_strong) return false;  // no part of it can do better
    std::vector<Node> rest;
    for (const Node n : component)
      if (!fair.enabled[product_.state_of(n)]) rest.push_back(n);
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
    Node found = Product::kNowhere;
    product_.for_each_move(n, [&](const Move& move) {
      look_at_budget();
      if (found != Product::kNowhere || part_[move.to] != mine) return;
      if (!parent.emplace(move.to, n).second) return;
      if (is_goal(move.to)) found = move.to;
      queue.push_back(move.to);
    });
    if (found == Product::kNowhere) continue;
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
    const Index s = product_.state_of(path[i]);
    if (lasso.states.empty() || lasso.states.back() != s)
      lasso.states.push_back(s);
    if (product_.automaton().accepts_all(product_.phase_of(path[i])))
      return lasso;
  }
  // Around: a witness of everything that has to happen again and again.
  const Node home = path.back();
  std::vector<Node> cycle = {home};
  const Automaton& automaton = product_.automaton();
  const auto take = [&](const auto& is_wanted) {
    Node to = Product::kNowhere;
    const auto has_it = [&](Node n) {
      product_.for_each_move(n, [&](const Move& move) {
        if (to == Product::kNowhere && part_[move.to] == mine &&
            is_wanted(n, move))
          to = move.to;
      });
      return to != Product::kNowhere;
    };
    if (walk(cycle, has_it)) cycle.push_back(to);
  };
  for (std::size_t i = 0; i < automaton.eventualities(); ++i)
    take([&](Node n, const Move& m) {
      return (product_.postponed(n, m) >> i & 1u) == 0;
    });
  for (const Labels::Fair& fair : fairness_) {
    const auto is_disabled = [&](Node n) {
      return !fair.enabled[product_.state_of(n)];
    };
    const bool is_never_enabled =
        std::all_of(component.begin(), component.end(), is_disabled);
    if (is_never_enabled) continue;
    if (!fair.is_strong &&
        std::any_of(component.begin(), component.end(), is_disabled)) {
      walk(cycle, is_disabled);
      continue;
    }
    take([&](Node, const Move& m) {
      return m.edge != Product::kStill && fair.taken[m.edge];
    });
  }
  if (automaton.eventualities() == 0 && cycle.size() == 1)
    take([](Node, const Move&) { return true; });
  walk(cycle, [&](Node n) { return n == home; });
  lasso.loop = lasso.states.size() - 1;
  for (std::size_t i = 1; i < cycle.size(); ++i)
    if (product_.state_of(cycle[i]) != lasso.states.back())
      lasso.states.push_back(product_.state_of(cycle[i]));
  // Back home: the last state is the first of the loop, shown once.
  if (lasso.states.size() - 1 > *lasso.loop) lasso.states.pop_back();
  return lasso;
}

}  // namespace txscope::tla
