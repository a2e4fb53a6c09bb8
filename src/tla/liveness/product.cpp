#include "tla/liveness/product.h"

#include <algorithm>
#include <bit>

#include "base/graph.h"

namespace txscope::tla {

Product::Product(const StateGraph& graph, Labels& labels,
                 const Automaton& automaton,
                 const std::deque<TemporalAtom>& atoms)
    : graph_(graph),
      automaton_(automaton),
      bits_(static_cast<unsigned>(std::bit_width(automaton.size() - 1))),
      labels_(atoms.size()),
      is_step_(atoms.size()),
      when_still_(atoms.size()) {
  for (const std::uint32_t atom : automaton.atoms()) {
    is_step_[atom] = atoms[atom].is_step();
    when_still_[atom] = atoms[atom].kind == TemporalAtom::Kind::Kept;
    labels_[atom] = &labels.of(atom);
  }
  find_live_phases();
  const auto& first = automaton.edges(0);
  can_wait_ = std::any_of(first.begin(), first.end(), [](const auto& edge) {
    return edge.target == 0 && edge.literals.empty();
  });
}

/// A cycle stays in phases that the automaton can go round in for ever; there
/// it must not be that every edge postpones the same eventuality.
void Product::find_live_phases() {
  std::vector<Arc> arcs;
  for (Phase q = 0; q < automaton_.size(); ++q)
    for (const Automaton::Edge& edge : automaton_.edges(q))
      arcs.push_back({q, edge.target});
  const Components parts = strong_components(Graph(automaton_.size(), arcs));
  std::vector<std::uint64_t> always(parts.count, ~std::uint64_t{0});
  std::vector<bool> has_edge(parts.count, false);
  for (Phase q = 0; q < automaton_.size(); ++q)
    for (const Automaton::Edge& edge : automaton_.edges(q))
      if (parts.of[q] == parts.of[edge.target]) {
        always[parts.of[q]] &= edge.postponed;
        has_edge[parts.of[q]] = true;
      }
  for (Phase q = 0; q < automaton_.size(); ++q)
    is_live_.push_back(has_edge[parts.of[q]] && always[parts.of[q]] == 0);
}

bool Product::is_true(std::uint32_t atom, Index s, std::size_t step) const {
  if (!is_step_[atom]) return (*labels_[atom])[s];
  return step == kStill ? when_still_[atom] : (*labels_[atom])[step];
}

bool Product::is_true(const Temporal& t, Index s, std::size_t step) const {
  const auto holds = [&](const Temporal* part) {
    return is_true(*part, s, step);
  };
  switch (t.kind) {
    case Temporal::Kind::True: return true;
    case Temporal::Kind::Atom: return is_true(t.atom, s, step) != t.is_negated;
    case Temporal::Kind::And:
      return std::all_of(t.parts.begin(), t.parts.end(), holds);
    case Temporal::Kind::Or:
      return std::any_of(t.parts.begin(), t.parts.end(), holds);
    case Temporal::Kind::False:
    case Temporal::Kind::Always:
    case Temporal::Kind::Eventually: return false;  // never asked
  }
  return false;
}

bool Product::allows(const Automaton::Edge& edge, Index s, bool of_steps,
                     std::size_t step) const {
  for (const Automaton::Literal& l : edge.literals)
    if (is_step_[l.atom] == of_steps && is_true(l.atom, s, step) != l.is_true)
      return false;
  return true;
}

bool Product::next_move(Node n, Cursor& at, Move& move) const {
  const Index s = state_of(n);
  const Phase phase = phase_of(n);
  const auto& edges = automaton_.edges(phase);
  const auto targets = graph_.next(s);
  for (; at.edge < edges.size(); ++at.edge, at.target = 0) {
    const Automaton::Edge& edge = edges[at.edge];
    if (at.leaves && edge.target == phase) continue;
    if (at.target == 0 && !allows(edge, s, false, kStill)) continue;
    const bool is_about_steps =
        std::any_of(edge.literals.begin(), edge.literals.end(),
                    [&](const auto& l) { return is_step_[l.atom]; });
    for (; at.target <= targets.size(); ++at.target) {
      const std::size_t step =
          at.target == 0 ? kStill : graph_.first_edge(s) + at.target - 1;
      if (is_about_steps && !allows(edge, s, true, step)) continue;
      move = {node(step == kStill ? s : targets[at.target - 1], edge.target),
              step, &edge};
      ++at.target;
      return true;
    }
  }
  return false;
}

std::uint64_t Product::postponed(Node n, const Move& move) const {
  std::uint64_t result = move.by->postponed;
  std::uint64_t open = move.by->recurring;
  for (std::size_t i = 0; open != 0; ++i, open >>= 1u)
    if ((open & 1u) != 0 &&
        !is_true(automaton_.recurring(i), state_of(n), move.edge))
      result |= std::uint64_t{1} << i;
  return result;
}

}  // namespace txscope::tla
