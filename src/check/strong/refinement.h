#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/budget.h"
#include "check/facts/facts.h"
#include "check/solver/solver.h"
#include "check/strong/known_graph.h"
#include "check/strong/pair_set.h"
#include "check/strong/saturate.h"
#include "check/weak/order.h"
#include "model/history.h"
#include "model/verdict.h"

namespace txscope::check {

/// Decides any level for any history, by guessing a commit order and refining
/// the guess where it is wrong.
///
/// Definition.  A history has the level iff some outcomes, writers of reads
/// and per-key write orders leave the graph of KnownGraph without a cycle (and
/// without a forbidden path, where anti-dependencies are no edges).
///
/// Method.  Start from schedule().  Walk along each key in the guessed order
/// and find writers and reads for which the axiom fails; state the axiom for
/// just those, as edges that hang on the literal "a before b", or as clauses
/// over literals "r reads from w" and "t committed"; let the solver repair its
/// order; walk along the keys that moved; and so on.  So most of the n^2 pairs
/// of a hot key never become a variable.
///
/// Invariant.  Every clause and conditional edge is an instance of the
/// definition.  Hence unsatisfiable means violated, and an order in which the
/// walk finds nothing wrong is a witness.  Each round states something new, of
/// which there is a finite number: the loop ends.
///
/// Cost.  O(operations) for the first walk, if the guess is right.
class Refinement {
 public:
  Refinement(const History& history, const Facts& facts,
             const OrderIndex& order, Level level, const Budget& budget);

  [[nodiscard]] Verdict run();
  /// A verdict only if that many conflicts are enough; go_on() takes up again
  /// where they were not.
  [[nodiscard]] std::optional<Verdict> run_for(std::uint64_t max_conflicts);
  [[nodiscard]] Verdict go_on();
  /// A verdict only if the level holds and that is easy to see.
  [[nodiscard]] std::optional<Verdict> try_to_hold();
  /// The same, beginning with the order of these times, by transaction.
  [[nodiscard]] std::optional<Verdict> try_to_hold(std::vector<double> times);
  /// True if it is certain after that many conflicts; shows nothing.
  [[nodiscard]] bool is_violated(std::uint64_t max_conflicts);

 private:
  using Lit = sat::Lit;
  using Node = KnownGraph::Node;
  using Version = KnownGraph::Version;
  static constexpr Lit kTrue = sat::kTrue;
  static constexpr Lit kFalse = ~sat::kTrue;

  /// A read of which the writer, or the fact that it counts, is open.
  struct OpenRead {
    TxnId reader;
    KeyId key;
    OpId op;
    struct Candidate {
      TxnId writer;
      Lit chosen;
    };
    std::vector<Candidate> candidates;
  };
  /// A read as the current assignment has it.
  struct LooseReader {
    Version version;
    std::uint32_t read;       // of open_reads_
    std::uint32_t candidate;  // of its candidates
    friend auto operator<=>(const LooseReader&, const LooseReader&) = default;
  };

  /// A read and its writer, and the literal that says so.
  struct ChosenRead {
    OpId op;
    KeyId key;
    TxnId writer;
    Lit chosen;
  };
  /// Where the current order contradicts the definition: if all premises are
  /// true and each pair is in this order, then the conclusion.
  struct Finding {
    enum class Conclusion : std::uint8_t {
      Impossible,   ///< that cannot be
      Overwrite,    ///< a, b and the readers of both are properly ordered
      Before,       ///< a is before b
      ReadsBefore,  ///< a starts before b commits
    };
    Conclusion conclusion = Conclusion::Impossible;
    KeyId key = kNone<KeyId>;
    TxnId a;
    TxnId b;
    std::vector<Lit> premises;
    std::vector<std::pair<TxnId, TxnId>> orders;
    std::vector<Node> about;  ///< nodes that it speaks of besides
  };

  // refinement.cpp: the loop
  [[nodiscard]] std::vector<Node> guess();
  void guess_again();
  [[nodiscard]] std::vector<Node> schedule_by(
      std::span<const KnownGraph::Link> links) const;
  [[nodiscard]] std::optional<Verdict> conclude(std::uint64_t max_conflicts);
  Outcome refine(std::uint64_t max_conflicts);
  [[nodiscard]] Verdict holds();

  // explain.cpp: from an unsatisfiable core to a refutation
  [[nodiscard]] Verdict violated();
  [[nodiscard]] Verdict violated_by_known(std::span<const Node> scheduled);
  [[nodiscard]] Verdict explain(std::vector<TxnId> txns,
                                std::span<const sat::Var> vars);
  [[nodiscard]] Verdict explain_by_lemmas(Refutation lemmas) const;
  /// A tree that needs as few reads as can be, where there are no lemmas: those
  /// that choose among many writers make it long.
  [[nodiscard]] std::optional<Verdict> explain_less(
      std::span<const TxnId> txns);  // shrink.cpp
  [[nodiscard]] std::vector<TxnId> txns_behind(
      std::vector<std::vector<Node>> paths) const;

  // encoding.cpp: literals and what they mean
  void start_solver(std::span<const Node> order);
  Lit committed(TxnId t) const;
  Lit before(TxnId a, TxnId b);
  Lit reads_before(TxnId reader, TxnId writer);
  void overwrite(KeyId key, TxnId writer, TxnId later);
  Lit new_literal(bool phase, TxnId a, TxnId b, OpId read = kNone<OpId>);
  void add_clause(std::initializer_list<Lit> clause, TxnId about);
  void add_clause(std::vector<Lit> clause, std::span<const Node> about);
  void open_outcomes();
  void open_reads();
  void open_read(TxnId reader, const Facts::Read& read);
  [[nodiscard]] TxnId likely_writer(TxnId reader,
                                    const Facts::Read& read) const;
  void open_overwrites();
  void open_overwrite(KeyId key, TxnId writer, TxnId later);

  // open_lists.cpp
  class OpenList;
  void open_lists();
  [[nodiscard]] bool contradicts_own_append(OpId list_read) const;

  // walk.cpp: where the current order is wrong
  void walk();
  void walk_along(KeyId key);
  void walk_reads(TxnId t);
  void line_up(KeyId key);
  void look_at_pair(KeyId key, TxnId a, TxnId b);
  void look_at_path(TxnId a, TxnId b, TxnId reader, Lit chosen);
  void look_at_order(TxnId t, const ChosenRead& read);
  void collect_loose_readers();
  void collect_dirty_keys();
  void state(const Finding& finding);
  [[nodiscard]] std::span<const LooseReader> loose_readers(Version v) const;
  [[nodiscard]] std::vector<ChosenRead> chosen_reads(TxnId t) const;
  [[nodiscard]] bool counts(TxnId t) const;
  [[nodiscard]] std::uint32_t commit_position(TxnId t) const {
    return solver_->graph().position(known_.commit(t));
  }
  [[nodiscard]] std::uint32_t start_position(TxnId t) const {
    return solver_->graph().position(known_.start(t));
  }

  const History& history_;
  const Facts& facts_;
  const OrderIndex& order_;
  Level level_;
  const Budget& budget_;
  KnownGraph known_;
  std::vector<ForcedLink> forced_;
  std::vector<double> times_;  // by transaction, if somebody guessed them
  std::optional<sat::Solver> solver_;

  std::unordered_map<std::uint64_t, sat::Var> pairs_;
  std::unordered_map<std::uint64_t, sat::Var> read_pairs_;
  PairSet overwrites_;  // versions and those who overwrote them
  std::unordered_map<TxnId, Lit> outcomes_;
  std::vector<OpenRead> open_reads_;  // by reader, in program order
  /// What a variable speaks of: two transactions, or one twice, or a reader, a
  /// writer and the read.
  struct Meaning {
    TxnId a;
    TxnId b;
    OpId read;
  };
  std::vector<Meaning> meanings_;  // by variable

  std::size_t stated_ = 0;  // pairs, overwrites and clauses
  bool is_first_walk_ = true;
  bool is_shrunk_ = false;  // no read can be left out any more
  std::vector<Finding> findings_;
  std::vector<KeyId> dirty_keys_;
  std::vector<LooseReader> loose_;
  std::vector<TxnId> line_;  // the writers of a key, in the current order
  std::vector<TxnId> next_writer_;  // by version; parallel-snapshot only
};

}  // namespace txscope::check
