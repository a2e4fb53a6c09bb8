#include "tla/liveness/automaton.h"

#include <algorithm>

namespace txscope::tla {
namespace {

constexpr std::size_t kMostStates = 2000;
constexpr std::size_t kMostEdges = 20'000;
constexpr std::size_t kMostEventualities = 64;

using Kind = Temporal::Kind;

bool has(const std::vector<const Temporal*>& set, const Temporal* t) {
  return std::find(set.begin(), set.end(), t) != set.end();
}

bool contradicts(const std::vector<Automaton::Literal>& literals,
                 const Automaton::Literal& l) {
  return std::any_of(literals.begin(), literals.end(), [&](const auto& other) {
    return other.atom == l.atom && other.is_true != l.is_true;
  });
}

bool is_timeless(const Temporal& t) {
  return t.kind != Kind::Always && t.kind != Kind::Eventually &&
         std::all_of(t.parts.begin(), t.parts.end(),
                     [](const Temporal* part) { return is_timeless(*part); });
}

/// []<>P where P is about a step alone.
bool recurs(const Temporal& t) {
  return t.kind == Kind::Always && t.parts[0]->kind == Kind::Eventually &&
         is_timeless(*t.parts[0]->parts[0]);
}

void collect(const Temporal& t, std::set<std::uint32_t>& atoms) {
  if (t.kind == Kind::Atom) atoms.insert(t.atom);
  for (const Temporal* part : t.parts) collect(*part, atoms);
}

/// Whether `a` allows every step that `b` allows, to the same end.
bool covers(const Automaton::Edge& a, const Automaton::Edge& b) {
  if (a.target != b.target || (a.postponed & ~b.postponed) != 0 ||
      (a.recurring & ~b.recurring) != 0)
    return false;
  return std::all_of(a.literals.begin(), a.literals.end(), [&](const auto& l) {
    return std::any_of(b.literals.begin(), b.literals.end(),
                       [&](const auto& m) {
                         return l.atom == m.atom && l.is_true == m.is_true;
                       });
  });
}

}  // namespace

/// A way of satisfying obligations that is being worked out.
struct Automaton::Partial {
  Set todo;
  Set done;
  Set next;
  Edge edge;
};

Automaton::Automaton(const Temporal& formula, const Spot& spot) : spot_(spot) {
  Set first;
  if (formula.kind != Kind::True) first.push_back(&formula);
  state_of(std::move(first));
  for (State q = 0; q < obligations_.size(); ++q) {
    Partial now;
    now.todo = obligations_[q];
    std::vector<Edge> out;
    expand(std::move(now), out);
    std::vector<Edge> kept;
    for (std::size_t i = 0; i < out.size(); ++i) {
      bool is_needed = true;
      for (std::size_t k = 0; k < out.size() && is_needed; ++k)
        is_needed = k == i || !covers(out[k], out[i]) ||
                    (k > i && covers(out[i], out[k]));
      if (is_needed) kept.push_back(out[i]);
    }
    edges_.push_back(std::move(kept));
  }
}

Automaton::State Automaton::state_of(Set obligations) {
  std::sort(obligations.begin(), obligations.end());
  const auto known =
      std::find(obligations_.begin(), obligations_.end(), obligations);
  if (known != obligations_.end())
    return static_cast<State>(known - obligations_.begin());
  if (obligations_.size() == kMostStates)
    fail(spot_, "this temporal formula is too large",
         "give its parts names of their own under PROPERTY");
  obligations_.push_back(std::move(obligations));
  return static_cast<State>(obligations_.size() - 1);
}

std::uint64_t Automaton::bit_of(const Temporal* eventuality) {
  std::size_t i = 0;
  while (i < eventualities_.size() && eventualities_[i] != eventuality) ++i;
  if (i == eventualities_.size()) {
    if (i == kMostEventualities)
      fail(spot_, "this temporal formula is too large",
           "give its parts names of their own under PROPERTY");
    eventualities_.push_back(eventuality);
  }
  return std::uint64_t{1} << i;
}

void Automaton::expand(Partial now, std::vector<Edge>& out) {
  while (!now.todo.empty()) {
    const Temporal* t = now.todo.back();
    now.todo.pop_back();
    if (has(now.done, t)) continue;
    now.done.push_back(t);
    switch (t->kind) {
      case Kind::True: break;
      case Kind::False: return;
      case Kind::Atom: {
        const Literal l{t->atom, !t->is_negated};
        if (contradicts(now.edge.literals, l)) return;
        const bool known = std::any_of(
            now.edge.literals.begin(), now.edge.literals.end(),
            [&](const Literal& other) { return other.atom == l.atom; });
        if (!known) now.edge.literals.push_back(l);
        break;
      }
      case Kind::And:
        now.todo.insert(now.todo.end(), t->parts.begin(), t->parts.end());
        break;
      case Kind::Or:
        for (const Temporal* part : t->parts) {
          Partial branch = now;
          branch.todo.push_back(part);
          expand(std::move(branch), out);
        }
        return;
      case Kind::Always:
        if (recurs(*t))
          now.edge.recurring |= bit_of(t);
        else
          now.todo.push_back(t->parts[0]);
        if (!has(now.next, t)) now.next.push_back(t);
        break;
      case Kind::Eventually: {
        Partial fulfilled = now;
        fulfilled.todo.push_back(t->parts[0]);
        expand(std::move(fulfilled), out);
        if (!has(now.next, t)) now.next.push_back(t);
        now.edge.postponed |= bit_of(t);
        break;
      }
    }
  }
  if (out.size() == kMostEdges)
    fail(spot_, "this temporal formula is too large",
         "give its parts names of their own under PROPERTY");
  now.edge.target = state_of(std::move(now.next));
  out.push_back(std::move(now.edge));
}

std::set<std::uint32_t> Automaton::atoms() const {
  std::set<std::uint32_t> atoms;
  for (const auto& edges : edges_)
    for (const Edge& edge : edges)
      for (const Literal& l : edge.literals) atoms.insert(l.atom);
  for (const Temporal* t : eventualities_)
    if (recurs(*t)) collect(*t, atoms);
  return atoms;
}

}  // namespace txscope::tla
