#include "check/strong/lemma_search.h"

#include <algorithm>
#include <cassert>
#include <set>

namespace txscope::check {
namespace {

// What is easiest to see comes first.
std::pair<std::size_t, std::size_t> lemma_case_size(const Case& c) {
  const auto* cycle = std::get_if<Cycle>(&c.contradiction);
  return {c.assume.size(), cycle == nullptr ? 1 : cycle->size()};
}

// The search may let a read have two writers: that only adds edges.  A cycle of
// such edges is none, but that the read has only one of them says as much.
Lemma at_most_one_writer(std::span<const Assumption> assume) {
  for (const Assumption& a : assume)
    for (const Assumption& b : assume)
      if (a.kind == Assumption::Kind::Writer && b.kind == a.kind &&
          a.op == b.op && a.a < b.a)
        return {{a, true}, {b, true}};
  return {};
}

}  // namespace

std::optional<Refutation> LemmaSearch::run() {
  if (!encode()) return std::nullopt;
  for (;;) {
    switch (solver_.solve(budget_)) {
      case sat::Satisfiability::Unknown: return std::nullopt;
      case sat::Satisfiability::Unsatisfiable: return tell();
      case sat::Satisfiability::Satisfiable: break;
    }
    if (!find_ways_back()) return std::nullopt;
  }
}

LemmaSearch::Node LemmaSearch::leaves(const Edge& edge) const {
  const Index i = x_.index_of[edge.from.index];
  if (!has_two_) return i;
  return 2 * i + (edge.kind == EdgeKind::AntiDependency ? 0 : 1);
}

LemmaSearch::Node LemmaSearch::arrives(const Edge& edge) const {
  const Index i = x_.index_of[edge.to.index];
  if (!has_two_) return i;
  const bool to_commit =
      edge.kind == EdgeKind::AntiDependency ||
      (edge.kind == EdgeKind::WriteOrder && x_.level.base == Base::Prefix);
  return 2 * i + (to_commit ? 1 : 0);
}

bool LemmaSearch::is_link(const Edge& edge) const {
  return edge.kind != EdgeKind::AntiDependency || has_rw_in_graph_;
}

// Whether an edge can be on the way back from the end of an anti-dependency to
// its beginning, where there may be only one.
bool LemmaSearch::is_premise(const Arc& arc, const Edge& rw) const {
  switch (x_.level.base) {
    case Base::MonotonicAtomicView:
      return arc.edge.kind == EdgeKind::ReadsFrom && arc.edge.read < rw.read &&
             arc.edge.from == rw.to && arc.edge.to == rw.from;
    case Base::ReadAtomic:
      return arc.edge.kind != EdgeKind::WriteOrder && arc.edge.from == rw.to &&
             arc.edge.to == rw.from;
    case Base::Causal: return arc.edge.kind != EdgeKind::WriteOrder;
    default: return true;
  }
}

bool LemmaSearch::holds(const Arc& arc) const {
  return std::all_of(arc.all_of.begin(), arc.all_of.end(),
                     [&](Lit l) { return solver_.is_true(l); });
}

// Looks for cycles with one anti-dependency in what the solver has found, and
// forbids them.  False if there are none: it contradicts nothing.
bool LemmaSearch::find_ways_back() {
  if (has_rw_in_graph_) return false;
  std::vector<std::vector<const Arc*>> out(x_.txns.size());
  for (const Arc& arc : arcs_)
    if (is_link(arc.edge) && holds(arc)) out[leaves(arc.edge)].push_back(&arc);
  std::vector<std::pair<std::vector<Lit>, Cycle>> found;
  for (const Arc& rw : arcs_) {
    if (is_link(rw.edge) || !holds(rw)) continue;
    const auto way = way_back(rw, out);
    if (way.empty()) continue;
    auto& [all_of, cycle] = found.emplace_back(rw.all_of, Cycle());
    for (const Arc* arc : way) {
      all_of.insert(all_of.end(), arc->all_of.begin(), arc->all_of.end());
      cycle.push_back(arc->edge);
    }
    cycle.push_back(rw.edge);
  }
  for (auto& [all_of, cycle] : found)
    add_case(std::move(all_of), Case{{}, std::move(cycle)});
  return !found.empty();
}

// Breadth first.
std::vector<const LemmaSearch::Arc*> LemmaSearch::way_back(
    const Arc& rw, const std::vector<std::vector<const Arc*>>& out) const {
  const Node goal = leaves(rw.edge);
  std::vector<const Arc*> came(x_.txns.size(), nullptr);
  std::vector<Node> queue(1, arrives(rw.edge));
  for (std::size_t i = 0; i < queue.size() && came[goal] == nullptr; ++i) {
    for (const Arc* arc : out[queue[i]]) {
      const Node next = arrives(arc->edge);
      if (came[next] != nullptr || next == queue[0] ||
          !is_premise(*arc, rw.edge))
        continue;
      came[next] = arc;
      queue.push_back(next);
    }
  }
  std::vector<const Arc*> way;
  for (Node n = goal; came[n] != nullptr; n = leaves(came[n]->edge))
    way.push_back(came[n]);
  std::reverse(way.begin(), way.end());
  return way;
}

// The edges behind a cycle of the solver's graph.
Case LemmaSearch::case_of_cycle(const sat::Proof::Axiom& axiom) const {
  Cycle cycle;
  std::vector<Lit> all_of;
  for (std::size_t i = 0; i < axiom.nodes.size(); ++i) {
    const Node from = axiom.nodes[i];
    const Node to = axiom.nodes[(i + 1) % axiom.nodes.size()];
    const auto arcs =
        arcs_between_.find(static_cast<std::uint64_t>(from) << 32 | to);
    if (arcs == arcs_between_.end()) {
      assert(has_two_ && from / 2 == to / 2 && "a cycle is made of arcs");
      continue;
    }
    const auto arc = std::find_if(
        arcs->second.begin(), arcs->second.end(), [&](std::uint32_t a) {
          return arcs_[a].why == kTrue ||
                 std::find(axiom.clause.begin(), axiom.clause.end(),
                           ~arcs_[a].why) != axiom.clause.end();
        });
    assert(arc != arcs->second.end() && "a cycle has reasons");
    const auto& reasons = arcs_[*arc].all_of;
    all_of.insert(all_of.end(), reasons.begin(), reasons.end());
    cycle.push_back(arcs_[*arc].edge);
  }
  return {assumptions(std::move(all_of)), std::move(cycle)};
}

// The meaning of an atom counts only if the proof speaks of it.  Where nobody
// else speaks of a read, it is a lemma that it has one of its writers.
Refutation LemmaSearch::tell() const {
  Refutation refutation;
  const auto story = solver_.story();
  std::set<OpId> spoken_of;
  const auto lemma_of = [&](const std::vector<Lit>& clause) {
    Lemma lemma;
    for (const Lit l : clause) {
      lemma.push_back(literal(l));
      spoken_of.insert(lemma.back().atom.op);
    }
    return lemma;
  };
  std::vector<Lemma> lemmas;
  for (const auto& clause : story.lemmas) lemmas.push_back(lemma_of(clause));
  for (const auto& axiom : story.axioms) {
    if (axiom.nodes.empty()) continue;
    const bool is_cycle = axiom.nodes.size() > 1;
    Case found = is_cycle ? case_of_cycle(axiom) : cases_[axiom.nodes[0]];
    for (const Assumption& atom : found.assume) spoken_of.insert(atom.op);
    Lemma one_writer = at_most_one_writer(found.assume);
    if (one_writer.empty())
      refutation.cases.push_back(std::move(found));
    else if (std::find(refutation.lemmas.begin(), refutation.lemmas.end(),
                       one_writer) == refutation.lemmas.end())
      refutation.lemmas.push_back(std::move(one_writer));
  }
  for (const auto& axiom : story.axioms) {
    if (!axiom.nodes.empty()) continue;
    const auto chosen = std::find_if(axiom.clause.begin(), axiom.clause.end(),
                                     [&](Lit l) { return is_choice(l); });
    if (chosen != axiom.clause.end() &&
        !spoken_of.contains(atoms_[chosen->var()].op))
      refutation.lemmas.push_back(lemma_of(axiom.clause));
  }
  std::stable_sort(refutation.cases.begin(), refutation.cases.end(),
                   [](const Case& a, const Case& b) {
                     return lemma_case_size(a) < lemma_case_size(b);
                   });
  refutation.lemmas.insert(refutation.lemmas.end(), lemmas.begin(),
                           lemmas.end());
  refutation.lemmas.emplace_back();
  return refutation;
}

// Says who wrote what was read.
bool LemmaSearch::is_choice(Lit lit) const {
  return !lit.is_negated() && lit.var() < atoms_.size() &&
         atoms_[lit.var()].kind == Assumption::Kind::Writer;
}

Assumption LemmaSearch::assumption(Lit lit) const {
  Assumption found = atoms_[lit.var()];
  if (!lit.is_negated()) return found;
  if (found.kind == Assumption::Kind::Before)
    std::swap(found.a, found.b);
  else
    found.kind = Assumption::Kind::Aborted;
  return found;
}

std::vector<Assumption> LemmaSearch::assumptions(
    std::vector<Lit> all_of) const {
  std::sort(all_of.begin(), all_of.end());
  all_of.erase(std::unique(all_of.begin(), all_of.end()), all_of.end());
  std::vector<Assumption> found;
  for (const Lit l : all_of) found.push_back(assumption(l));
  return found;
}

Literal LemmaSearch::literal(Lit lit) const {
  const Assumption& atom = atoms_[lit.var()];
  if (atom.kind == Assumption::Kind::Writer) return {atom, lit.is_negated()};
  return {assumption(lit), false};
}

}  // namespace txscope::check
