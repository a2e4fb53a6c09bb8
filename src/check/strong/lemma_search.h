#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/budget.h"
#include "check/solver/solver.h"
#include "check/strong/case_world.h"
#include "model/evidence.h"

namespace txscope::check {

/// Writes down why an excerpt contradicts its level by lemmas (evidence.h),
/// where a tree of cases would be too large.
///
/// Method.  The solver once more, but over the atoms of evidence alone: the
/// order of two writers of a key, the writer of a read, an outcome.  Each edge
/// that a cycle of evidence can have hangs on a conjunction of atoms; that is
/// an auxiliary variable, which never is in a learned clause.  Where a cycle is
/// a contradiction only if it has at most one anti-dependency, these are no
/// edges for the solver: when it has found an order, paths back are looked for.
/// When it has refuted all, its cycles are the cases, and its learned clauses,
/// as far as the refutation needs them, the lemmas.
///
/// Invariant.  Auxiliary variables occur positively in their definition only,
/// so unit propagation over the cases finds what it finds over cycles and
/// definitions: every learned clause can be checked that way.
///
/// Nothing if the excerpt does not contradict the level, if it has open lists,
/// or if the budget ended.
class LemmaSearch {
 public:
  LemmaSearch(const Excerpt& excerpt, const Budget& budget);

  [[nodiscard]] std::optional<Refutation> run();
  /// Gives up after so many conflicts.
  void limit_conflicts(std::uint64_t most) { solver_.limit_conflicts(most); }
  [[nodiscard]] std::uint64_t conflicts() const { return solver_.conflicts(); }

 private:
  using Lit = sat::Lit;
  using Node = sat::AcyclicGraph::Node;
  using Index = Excerpt::Index;
  static constexpr Lit kTrue = sat::kTrue;

  /// An edge of evidence, while all of these are true.
  struct Arc {
    Edge edge;
    std::vector<Lit> all_of;
    Lit why;  ///< stands for all of them
  };
  /// Who may have written what was read.
  struct Source {
    TxnId writer;
    Lit chosen;
  };

  // lemma_encoding.cpp
  [[nodiscard]] bool encode();
  void encode_order();
  void encode_reads(TxnId reader);
  void encode_source(TxnId reader, const Facts::Read& read,
                     const Source& source);
  void encode_write_order(const Excerpt::Writers& key);
  void encode_bad_reads();
  [[nodiscard]] std::vector<Source> sources(TxnId reader,
                                            const Facts::Read& read);
  [[nodiscard]] std::optional<Lit> is_older(KeyId key, TxnId a, TxnId b,
                                            WriteOrderReason& reason);
  [[nodiscard]] Lit atom(const Assumption& assumption, bool phase);
  [[nodiscard]] Lit before(TxnId a, TxnId b);
  [[nodiscard]] Lit committed(TxnId t);
  [[nodiscard]] Lit conjunction(const std::vector<Lit>& all_of);
  void add_arc(const Edge& edge, std::initializer_list<Lit> all_of);
  void add_clause(std::initializer_list<Lit> clause);
  void add_case(std::vector<Lit> all_of, Case&& found);
  [[nodiscard]] bool is_in(TxnId t) const {
    return t != History::kInitial && x_.index_of[t.index] != Excerpt::kNobody;
  }

  // lemma_search.cpp
  [[nodiscard]] Node leaves(const Edge& edge) const;
  [[nodiscard]] Node arrives(const Edge& edge) const;
  [[nodiscard]] bool is_link(const Edge& edge) const;
  [[nodiscard]] bool is_premise(const Arc& arc, const Edge& rw) const;
  [[nodiscard]] bool holds(const Arc& arc) const;
  bool find_ways_back();
  [[nodiscard]] std::vector<const Arc*> way_back(
      const Arc& rw, const std::vector<std::vector<const Arc*>>& out) const;
  [[nodiscard]] Case case_of_cycle(const sat::Proof::Axiom& axiom) const;
  [[nodiscard]] Refutation tell() const;
  [[nodiscard]] bool is_choice(Lit lit) const;
  [[nodiscard]] Assumption assumption(Lit lit) const;
  [[nodiscard]] std::vector<Assumption> assumptions(
      std::vector<Lit> all_of) const;
  [[nodiscard]] Literal literal(Lit lit) const;

  const Excerpt& x_;
  const Budget& budget_;
  bool has_two_;          // nodes per transaction: start and commit
  bool has_rw_in_graph_;  // anti-dependencies are edges like others
  sat::Solver solver_;
  std::vector<Assumption> atoms_;  // by variable; of no use if auxiliary
  std::unordered_map<std::uint64_t, Lit> orders_;
  std::unordered_map<TxnId, Lit> outcomes_;
  std::map<std::vector<Lit>, Lit> conjunctions_;
  std::vector<Arc> arcs_;
  std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> arcs_between_;
  std::vector<Case> cases_;  // that are no cycles of the solver
};

}  // namespace txscope::check
