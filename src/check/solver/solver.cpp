#include "check/solver/solver.h"

#include <algorithm>
#include <cassert>

namespace txscope::check::sat {
namespace {

// 1 1 2 1 1 2 4 ... (Luby, Sinclair and Zuckerman, IPL 1993), from 0.
std::uint64_t luby(std::uint64_t i) {
  std::uint64_t size = 1;
  std::uint64_t power = 1;
  while (size < i + 1) {
    size = 2 * size + 1;
    power *= 2;
  }
  while (size - 1 != i) {
    size = (size - 1) / 2;
    power /= 2;
    i %= size;
  }
  return power;
}

constexpr std::uint64_t kRestartUnit = 64;

}  // namespace

Solver::Solver(AcyclicGraph graph) : graph_(std::move(graph)) {}

Var Solver::add_variable(bool phase) {
  const auto v = static_cast<Var>(values_.size());
  values_.push_back(Value::Open);
  phases_.push_back(phase);
  levels_.push_back(0);
  reasons_.push_back(kNoClause);
  root_steps_.push_back(0);
  seen_.push_back(0);
  is_auxiliary_.push_back(0);
  watches_.resize(2 * values_.size());
  first_edge_.resize(2 * values_.size(), 0xffffffffu);
  queue_.add_variable();
  return v;
}

Var Solver::add_auxiliary() {
  const Var v = add_variable(false);
  is_auxiliary_[v] = 1;
  return v;
}

Solver::Ref Solver::store(std::span<const Lit> clause, std::uint32_t glue,
                          Proof::Step step) {
  const auto c = static_cast<Ref>(arena_.size());
  arena_.push_back(static_cast<std::uint32_t>(clause.size()));
  arena_.push_back(glue);
  arena_.push_back(step);
  for (const Lit l : clause) arena_.push_back(l.code);
  return c;
}

void Solver::watch(Ref c) {
  watches_[(~lit(c, 0)).code].push_back({c, lit(c, 1)});
  watches_[(~lit(c, 1)).code].push_back({c, lit(c, 0)});
}

void Solver::add_clause(std::span<const Lit> clause,
                        std::span<const AcyclicGraph::Node> nodes) {
  backtrack(0);
  if (is_refuted_) return;
  std::vector<Lit> lits(clause.begin(), clause.end());
  std::sort(lits.begin(), lits.end());
  lits.erase(std::unique(lits.begin(), lits.end()), lits.end());
  for (std::size_t i = 1; i < lits.size(); ++i)
    if (lits[i] == ~lits[i - 1]) return;
  // Literals that are not false come first, where they are watched.
  std::stable_partition(lits.begin(), lits.end(),
                        [&](Lit l) { return value(l) != Value::False; });
  const Ref c = store(lits, 0, proof_.add_axiom(lits, nodes));
  given_.push_back(c);
  if (lits.size() > 1) watch(c);
  if (lits.empty() || value(lits[0]) == Value::False) {
    refute(c);
  } else if ((lits.size() == 1 || value(lits[1]) == Value::False) &&
             value(lits[0]) == Value::Open) {
    assign(lits[0], c);
  }
}

void Solver::add_edge(Lit why, AcyclicGraph::Node from, AcyclicGraph::Node to) {
  backtrack(0);
  if (is_refuted_) return;
  // A literal that is true already has had its edges added, unless it still
  // waits for propagation; a second time does no harm.
  if (why == kTrue || value(why) == Value::True) {
    if (!graph_.add(from, to, why, cycle_)) refute(clause_of_cycle());
    if (why == kTrue) return;
  }
  edges_.push_back({from, to, first_edge_[why.code]});
  first_edge_[why.code] = static_cast<std::uint32_t>(edges_.size() - 1);
}

void Solver::assign(Lit l, Ref reason) {
  const Var v = l.var();
  values_[v] = l.is_negated() ? Value::False : Value::True;
  levels_[v] = level();
  reasons_[v] = reason;
  trail_.push_back(l);
  if (level() == 0) assign_at_root(l, reason);
}

// What holds without any decision is a clause of its own in the proof.
void Solver::assign_at_root(Lit l, Ref reason) {
  from_.clear();
  from_.push_back(step(reason));
  for (std::uint32_t i = 0; i < size(reason); ++i)
    if (lit(reason, i) != l) from_.push_back(root_steps_[lit(reason, i).var()]);
  root_steps_[l.var()] =
      from_.size() == 1 ? from_[0] : proof_.add_derived(from_);
}

Solver::Ref Solver::propagate() {
  for (;;) {
    Ref conflict = propagate_clauses();
    if (conflict != kNoClause) return conflict;
    if (graph_head_ == trail_.size()) return kNoClause;
    conflict = propagate_graph();
    if (conflict != kNoClause) return conflict;
  }
}

Solver::Ref Solver::propagate_clauses() {
  while (clause_head_ < trail_.size()) {
    const Lit p = trail_[clause_head_++];
    auto& list = watches_[p.code];
    std::size_t kept = 0;
    for (std::size_t i = 0; i < list.size(); ++i) {
      const Watch w = list[i];
      if (value(w.blocker) == Value::True) {
        list[kept++] = w;
        continue;
      }
      const Ref c = w.clause;
      if (lit(c, 0) == ~p) {
        set_lit(c, 0, lit(c, 1));
        set_lit(c, 1, ~p);
      }
      const Lit first = lit(c, 0);
      if (first != w.blocker && value(first) == Value::True) {
        list[kept++] = {c, first};
        continue;
      }
      bool moved = false;
      for (std::uint32_t k = 2; k < size(c) && !moved; ++k) {
        const Lit other = lit(c, k);
        if (value(other) == Value::False) continue;
        set_lit(c, 1, other);
        set_lit(c, k, ~p);
        watches_[(~other).code].push_back({c, first});
        moved = true;
      }
      if (moved) continue;
      list[kept++] = {c, first};
      if (value(first) == Value::False) {
        for (++i; i < list.size(); ++i) list[kept++] = list[i];
        list.resize(kept);
        return c;
      }
      assign(first, c);
    }
    list.resize(kept);
  }
  return kNoClause;
}

// Adds the edges of one more true literal.
Solver::Ref Solver::propagate_graph() {
  const Lit p = trail_[graph_head_++];
  for (std::uint32_t e = first_edge_[p.code]; e != 0xffffffffu;
       e = edges_[e].next)
    if (!graph_.add(edges_[e].from, edges_[e].to, p, cycle_))
      return clause_of_cycle();
  return kNoClause;
}

// Not every literal of the cycle can be true: a clause that is now false.
Solver::Ref Solver::clause_of_cycle() {
  for (Lit& l : cycle_) l = ~l;
  std::sort(cycle_.begin(), cycle_.end(), [&](Lit a, Lit b) {
    const auto la = levels_[a.var()];
    const auto lb = levels_[b.var()];
    return la != lb ? la > lb : a < b;
  });
  cycle_.erase(std::unique(cycle_.begin(), cycle_.end()), cycle_.end());
  const Ref c = store(cycle_, count_levels(cycle_) + 1,
                      proof_.add_axiom(cycle_, graph_.last_cycle()));
  learned_.push_back(c);
  if (cycle_.size() > 1) watch(c);
  return c;
}

std::uint32_t Solver::count_levels(std::span<const Lit> clause) {
  ++stamp_;
  if (level_stamp_.empty()) level_stamp_.resize(2);
  std::uint32_t count = 0;
  for (const Lit l : clause) {
    auto& mark = level_stamp_[levels_[l.var()]];
    if (mark != stamp_) ++count;
    mark = stamp_;
  }
  return count;
}

// Adds what a false clause, or the reason of a literal that is resolved, says
// to lemma_, but for literals of the current level, which it counts.  Auxiliary
// ones are replaced by their reasons at once.
std::size_t Solver::resolve(Ref c) {
  std::size_t open = 0;
  pending_.assign(1, c);
  while (!pending_.empty()) {
    c = pending_.back();
    pending_.pop_back();
    from_.push_back(step(c));
    for (std::uint32_t i = 0; i < size(c); ++i) {
      const Var v = lit(c, i).var();
      if (seen_[v]) continue;
      // The literal that c implied was seen already; what is left is false.
      if (levels_[v] == 0) {
        from_.push_back(root_steps_[v]);
        continue;
      }
      seen_[v] = 1;
      touched_.push_back(v);
      if (levels_[v] == level())
        ++open;
      else if (is_auxiliary_[v])
        pending_.push_back(reasons_[v]);
      else
        lemma_.push_back(lit(c, i));
    }
  }
  return open;
}

// Fills lemma_ with the clause of the first unique implication point.
void Solver::analyze(Ref conflict, std::uint32_t& back_level) {
  lemma_.assign(1, Lit());
  from_.clear();
  touched_.clear();
  std::size_t open = 0;
  std::size_t at = trail_.size();
  Ref c = conflict;
  for (;;) {
    open += resolve(c);
    while (!seen_[trail_[--at].var()]) {
    }
    const Var v = trail_[at].var();
    if (--open == 0 && !is_auxiliary_[v]) break;
    c = reasons_[v];
  }
  lemma_[0] = ~trail_[at];
  const auto redundant = std::remove_if(lemma_.begin() + 1, lemma_.end(),
                                        [&](Lit l) { return is_redundant(l); });
  lemma_.erase(redundant, lemma_.end());
  for (const Var v : touched_) seen_[v] = 0;
  queue_.bump(touched_);
  back_level = 0;
  for (std::size_t i = 1; i < lemma_.size(); ++i) {
    if (levels_[lemma_[i].var()] <= back_level) continue;
    back_level = levels_[lemma_[i].var()];
    std::swap(lemma_[1], lemma_[i]);
  }
}

// True if the rest of the clause implies that l is false, in one step.
bool Solver::is_redundant(Lit l) {
  const Ref c = reasons_[l.var()];
  if (c == kDecision) return false;
  for (std::uint32_t i = 0; i < size(c); ++i) {
    const Var v = lit(c, i).var();
    if (!seen_[v] && levels_[v] != 0) return false;
  }
  from_.push_back(step(c));
  for (std::uint32_t i = 0; i < size(c); ++i)
    if (levels_[lit(c, i).var()] == 0)
      from_.push_back(root_steps_[lit(c, i).var()]);
  return true;
}

void Solver::learn(std::uint32_t back_level) {
  const std::uint32_t joined = count_levels(lemma_);
  const Proof::Step proof = proof_.add_lemma(from_, lemma_);
  backtrack(back_level);
  const Ref c = store(lemma_, joined + 1, proof);
  learned_.push_back(c);
  if (lemma_.size() > 1) watch(c);
  assign(lemma_[0], c);
}

void Solver::refute(Ref conflict) {
  is_refuted_ = true;
  refutation_.assign(1, step(conflict));
  for (std::uint32_t i = 0; i < size(conflict); ++i)
    refutation_.push_back(root_steps_[lit(conflict, i).var()]);
}

void Solver::new_level() {
  level_begin_.push_back({trail_.size(), graph_.mark()});
  if (level_stamp_.size() <= level()) level_stamp_.resize(2 * level() + 2);
}

void Solver::backtrack(std::uint32_t to_level) {
  if (level() <= to_level) return;
  const LevelBegin begin = level_begin_[to_level];
  for (std::size_t i = trail_.size(); i-- > begin.trail;) {
    const Var v = trail_[i].var();
    phases_[v] = values_[v] == Value::True;
    values_[v] = Value::Open;
    queue_.insert(v);
  }
  trail_.resize(begin.trail);
  graph_.back_to(begin.edges);
  clause_head_ = graph_head_ = begin.trail;
  level_begin_.resize(to_level);
}

// The next literal to decide.  False if there is none left, or, with failed_
// filled, if an assumption is already false.
bool Solver::pick_branch(std::span<const Lit> assumptions, Lit& branch) {
  while (level() < assumptions.size()) {
    branch = assumptions[level()];
    switch (value(branch)) {
      case Value::Open: return true;
      case Value::True: new_level(); break;
      case Value::False: analyze_failed(branch); return false;
    }
  }
  while (!queue_.is_empty()) {
    const Var v = queue_.pop();
    if (values_[v] != Value::Open || is_auxiliary_[v]) continue;
    branch = Lit(v, phases_[v] == 0);
    return true;
  }
  return false;
}

// Which assumptions made this one false.
void Solver::analyze_failed(Lit assumption) {
  failed_.assign(1, assumption);
  std::vector<Var> touched(1, assumption.var());
  seen_[assumption.var()] = 1;
  for (std::size_t i = trail_.size(); i-- > 0;) {
    const Var v = trail_[i].var();
    if (!seen_[v] || levels_[v] == 0) continue;
    if (reasons_[v] == kDecision) {
      failed_.push_back(trail_[i]);
      continue;
    }
    const Ref c = reasons_[v];
    for (std::uint32_t k = 0; k < size(c); ++k) {
      const Var u = lit(c, k).var();
      if (seen_[u]) continue;
      seen_[u] = 1;
      touched.push_back(u);
    }
  }
  for (const Var v : touched) seen_[v] = 0;
}

bool Solver::is_locked(Ref c) const {
  const Var v = lit(c, 0).var();
  return values_[v] != Value::Open && reasons_[v] == c;
}

// Forgets the half of the learned clauses that join the most levels.
void Solver::reduce() {
  const auto is_kept = [&](Ref c) {
    return size(c) <= 2 || glue(c) <= 3 || is_locked(c);
  };
  std::vector<Ref> order;
  for (const Ref c : learned_)
    if (!is_kept(c)) order.push_back(c);
  std::stable_sort(order.begin(), order.end(), [&](Ref a, Ref b) {
    return glue(a) != glue(b) ? glue(a) < glue(b) : a > b;
  });
  std::vector<Ref> dropped(order.begin() + static_cast<long>(order.size() / 2),
                           order.end());
  std::sort(dropped.begin(), dropped.end());

  // Moves what stays into a new arena; old places forward to the new ones.
  std::vector<std::uint32_t> old;
  old.swap(arena_);
  arena_.reserve(old.size());
  const auto move = [&](std::vector<Ref>& list) {
    std::size_t kept = 0;
    for (const Ref c : list) {
      if (std::binary_search(dropped.begin(), dropped.end(), c)) continue;
      const auto to = static_cast<Ref>(arena_.size());
      arena_.insert(arena_.end(), old.begin() + c,
                    old.begin() + c + kHeader + old[c]);
      old[c + 2] = to;
      list[kept++] = to;
    }
    list.resize(kept);
  };
  move(given_);
  move(learned_);
  for (const Lit l : trail_)
    if (Ref& r = reasons_[l.var()]; r != kDecision && r != kNoClause)
      r = old[r + 2];
  for (auto& list : watches_) {
    std::size_t kept = 0;
    for (Watch& w : list) {
      if (std::binary_search(dropped.begin(), dropped.end(), w.clause))
        continue;
      list[kept++] = {old[w.clause + 2], w.blocker};
    }
    list.resize(kept);
  }
  learned_limit_ += learned_limit_ / 10;
}

Satisfiability Solver::solve(const Budget& budget,
                             std::span<const Lit> assumptions) {
  backtrack(0);
  failed_.clear();
  std::uint64_t restarts = 0;
  std::uint64_t left = kRestartUnit * luby(0);
  while (!is_refuted_) {
    const Ref conflict = propagate();
    if (conflict != kNoClause) {
      ++conflicts_;
      if (level() == 0) {
        refute(conflict);
        break;
      }
      std::uint32_t back_level = 0;
      analyze(conflict, back_level);
      learn(back_level);
      if (budget.spent() || conflicts_ >= most_conflicts_)
        return Satisfiability::Unknown;
      if (left > 0) --left;
      continue;
    }
    if (left == 0) {
      backtrack(0);
      left = kRestartUnit * luby(++restarts);
      if (learned_.size() > learned_limit_) reduce();
      continue;
    }
    if (budget.spent()) return Satisfiability::Unknown;
    Lit branch;
    if (!pick_branch(assumptions, branch))
      return failed_.empty() ? Satisfiability::Satisfiable
                             : Satisfiability::Unsatisfiable;
    new_level();
    assign(branch, kDecision);
  }
  return Satisfiability::Unsatisfiable;
}

std::vector<AcyclicGraph::Link> Solver::chosen_edges() const {
  std::vector<AcyclicGraph::Link> links;
  for (const Lit l : trail_)
    for (std::uint32_t e = first_edge_[l.code]; e != 0xffffffffu;
         e = edges_[e].next)
      links.push_back({edges_[e].from, edges_[e].to});
  return links;
}

bool Solver::is_true(Lit l) const {
  return l == kTrue || value(l) == Value::True;
}

}  // namespace txscope::check::sat
