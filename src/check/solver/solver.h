#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/budget.h"
#include "check/solver/acyclic_graph.h"
#include "check/solver/literal.h"
#include "check/solver/proof.h"
#include "check/solver/variable_queue.h"

namespace txscope::check::sat {

enum class Satisfiability : std::uint8_t {
  Satisfiable,
  Unsatisfiable,
  Unknown
};

/// Finds an assignment that satisfies all clauses and keeps a graph acyclic,
/// where some edges exist only while a literal is true.
///
/// Source.  Conflict-driven clause learning as in Marques-Silva and Sakallah
/// (IEEE ToC 1999) and MiniSat (Een and Sorensson, SAT 2003): two watched
/// literals, first unique implication points, saved phases, Luby
/// restarts; clauses are kept by how many decision levels they join (Audemard
/// and Simon, IJCAI 2009).  Acyclicity as a theory: Gebser, Janhunen and
/// Rintanen, ECAI 2014.
///
/// Method.  A literal that becomes true adds its edges to the graph at once; a
/// cycle is a conflict whose clause negates the literals on it.  Variables,
/// clauses and edges may be added between calls of solve(), which go on with
/// what was learned.
///
/// Invariant.  Before each decision no clause is false or unit, and the graph
/// holds exactly the edges of the true literals, without a cycle.
class Solver {
 public:
  explicit Solver(AcyclicGraph graph);

  /// A new variable; `phase` is the value that is tried first.
  Var add_variable(bool phase);
  /// A variable that is never decided, only implied, and in no learned clause:
  /// it stands for a conjunction of others.
  Var add_auxiliary();
  /// Learned clauses are remembered, for story().
  void keep_lemmas() { proof_.keep_lemmas(); }
  [[nodiscard]] std::size_t variable_count() const { return values_.size(); }
  void set_phase(Var v, bool phase) { phases_[v] = phase; }
  /// `nodes` are those that the clause speaks of, for core().
  void add_clause(std::span<const Lit> clause,
                  std::span<const AcyclicGraph::Node> nodes = {});
  void add_clause(std::initializer_list<Lit> clause) {
    add_clause(std::span(clause.begin(), clause.size()));
  }
  /// While `why` is true (always, if kTrue), there is an edge.
  void add_edge(Lit why, AcyclicGraph::Node from, AcyclicGraph::Node to);
  AcyclicGraph::Node add_node() { return graph_.add_node(); }

  /// Unknown only if the budget ended, or after so many conflicts in all.
  void limit_conflicts(std::uint64_t most) { most_conflicts_ = most; }
  [[nodiscard]] Satisfiability solve(const Budget& budget,
                                     std::span<const Lit> assumptions = {});
  /// After Satisfiable: the assignment, and a graph that shows it.
  [[nodiscard]] bool is_true(Lit lit) const;
  [[nodiscard]] const AcyclicGraph& graph() const { return graph_; }
  /// The same, to ask for paths and moved nodes.
  [[nodiscard]] AcyclicGraph& graph() { return graph_; }
  /// The edges that exist because of it.
  [[nodiscard]] std::vector<AcyclicGraph::Link> chosen_edges() const;
  /// After Unsatisfiable: variables and nodes of clauses and cycles that
  /// already are, on their own; and the assumptions that failed, if any were
  /// needed.
  [[nodiscard]] Proof::Core core() const { return proof_.core(refutation_); }
  /// The same as a proof: what was given, and in which order what was learned.
  [[nodiscard]] Proof::Story story() const { return proof_.story(refutation_); }
  [[nodiscard]] const std::vector<Lit>& failed() const { return failed_; }
  /// Forgets the last assignment; done by every addition.
  void restart() { backtrack(0); }

  [[nodiscard]] std::uint64_t conflicts() const { return conflicts_; }

 private:
  using Ref = std::uint32_t;  // where a clause begins in arena_
  static constexpr Ref kNoClause = 0xffffffffu;
  static constexpr Ref kDecision = 0xfffffffeu;
  // A clause in arena_: size, learned-bit and glue, proof step, literals.
  static constexpr Ref kHeader = 3;
  struct Watch {
    Ref clause;
    Lit blocker;
  };
  struct EdgeOf {
    AcyclicGraph::Node from;
    AcyclicGraph::Node to;
    std::uint32_t next;
  };

  [[nodiscard]] std::uint32_t size(Ref c) const { return arena_[c]; }
  [[nodiscard]] bool is_learned(Ref c) const { return arena_[c + 1] != 0; }
  [[nodiscard]] std::uint32_t glue(Ref c) const { return arena_[c + 1]; }
  [[nodiscard]] Proof::Step step(Ref c) const { return arena_[c + 2]; }
  [[nodiscard]] Lit lit(Ref c, std::uint32_t i) const {
    Lit l;
    l.code = arena_[c + kHeader + i];
    return l;
  }
  void set_lit(Ref c, std::uint32_t i, Lit l) {
    arena_[c + kHeader + i] = l.code;
  }
  [[nodiscard]] Value value(Lit l) const {
    const Value v = values_[l.var()];
    if (v == Value::Open) return v;
    return (v == Value::True) != l.is_negated() ? Value::True : Value::False;
  }
  [[nodiscard]] std::uint32_t level() const {
    return static_cast<std::uint32_t>(level_begin_.size());
  }

  Ref store(std::span<const Lit> clause, std::uint32_t glue, Proof::Step step);
  void watch(Ref c);
  void assign(Lit l, Ref reason);
  void assign_at_root(Lit l, Ref reason);
  Ref propagate();
  Ref propagate_clauses();
  Ref propagate_graph();
  Ref clause_of_cycle();
  void analyze(Ref conflict, std::uint32_t& back_level);
  std::size_t resolve(Ref c);
  bool is_redundant(Lit l);
  void learn(std::uint32_t back_level);
  void refute(Ref conflict);
  void analyze_failed(Lit assumption);
  void new_level();
  void backtrack(std::uint32_t to_level);
  [[nodiscard]] bool pick_branch(std::span<const Lit> assumptions, Lit& branch);
  void reduce();
  [[nodiscard]] bool is_locked(Ref c) const;
  std::uint32_t count_levels(std::span<const Lit> clause);

  AcyclicGraph graph_;
  std::vector<std::uint32_t> first_edge_;  // by literal, into edges_
  std::vector<EdgeOf> edges_;

  std::vector<std::uint32_t> arena_;
  std::vector<Ref> given_;
  std::vector<Ref> learned_;
  std::vector<std::vector<Watch>> watches_;  // by literal that became false
  Proof proof_;

  std::vector<Value> values_;
  std::vector<std::uint8_t> phases_;
  std::vector<std::uint32_t> levels_;
  std::vector<Ref> reasons_;
  std::vector<Proof::Step> root_steps_;  // of variables assigned at level 0
  VariableQueue queue_;

  std::vector<Lit> trail_;
  std::size_t clause_head_ = 0;
  std::size_t graph_head_ = 0;
  struct LevelBegin {
    std::size_t trail;
    std::size_t edges;
  };
  std::vector<LevelBegin> level_begin_;

  std::vector<std::uint8_t> is_auxiliary_;  // by variable
  std::vector<std::uint8_t> seen_;
  std::vector<Var> touched_;  // those that are seen
  std::vector<Ref> pending_;  // reasons that are still to be resolved with
  std::vector<Lit> lemma_;    // the clause being learned; [0] is asserted
  std::vector<Lit> cycle_;
  std::vector<Proof::Step> from_;
  std::vector<std::uint64_t> level_stamp_;
  std::uint64_t stamp_ = 0;

  bool is_refuted_ = false;
  std::vector<Proof::Step> refutation_;
  std::vector<Lit> failed_;
  std::uint64_t conflicts_ = 0;
  std::uint64_t most_conflicts_ = ~std::uint64_t{0};
  std::size_t learned_limit_ = 4000;
};

}  // namespace txscope::check::sat
