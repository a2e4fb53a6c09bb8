#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/budget.h"
#include "model/program.h"
#include "model/sql/application.h"
#include "robust/question.h"

namespace txscope::robust {

/// A pivot, the one that it misses, and the one that misses it.
struct OpenTriple {
  std::size_t pivot = 0;
  std::size_t second = 0;
  std::size_t last = 0;
  std::string words;
};

/// At what levels the pivot of a cycle may run.
enum class PivotLevel : std::uint8_t {
  ReadCommitted,  ///< PostgreSQL's: every statement has a snapshot
  Snapshot,
};

/// Why a proof says nothing.
inline constexpr const char* kNobodyWrites =
    "no transaction can commit a write";

struct ProofStatistics {
  std::uint64_t obligations = 0;
  double solver_seconds = 0;
};

/// Which cycles of transaction types cannot be excluded, for any number of
/// sessions and instances and any arguments.
///
/// Definition.  Against snapshot isolation, trace: if there is an execution
/// with a cycle, there are transactions t1 (the pivot), t2 and tm with
///   (1) t1 -rw-> t2, (2) tm -rw-> t1, (3) a path of dependencies from t2 to
///   tm, (4) none of them writes a row that t1 writes
/// (Fekete et al., TODS 2005; Vandevoort, Ketsman, Koch, Neven, VLDB 2021).
/// Sessions are arbitrary, so t2 may precede tm in one, and (3) is always
/// possible.  Of all such triples the one whose t2 commits first has
///   (5) t1 and t2 read one state:
/// what somebody w wrote in between and both look at would be on a cycle, too,
/// with w in the place of t2, and w commits before t2.  Against read committed
/// with row versions (MVRC): t1 stops after the statement that reads in (1),
/// the others run, t1 goes on; (4) is about what t1 wrote so far, and in (2) tm
/// may also conflict in any way with what t1 does afterwards.  Where locks
/// count, (4) also excludes that one of them locks a row that the other writes.
/// Method.  Summaries of the types over unknown arguments and read values
/// (summary.h); each triple is a question to a solver.  Unsatisfiable is a
/// proof that no such instances exist.  Axioms: keys are unique, a row that
/// nobody inserts or deletes is there for all or for none, a column that nobody
/// updates has one value, a sequence gives different numbers, one transaction
/// sees one snapshot (not at read committed).
/// Granularity.  Row: a read is of all rows that its key condition leaves
/// open.  Column: only columns that are named.  Result: only if the row is one
/// that the statement looks for, and its named columns change.
class Prover {
 public:
  /// `has_locks`: SELECT .. FOR UPDATE is more than a read, as at an engine's
  /// levels.
  Prover(const sql::Application& application, std::vector<sql::RoutineId> types,
         Granularity granularity, bool has_locks, const Budget& budget);
  /// The transactions of a `.txn` program, in its order.
  Prover(const Program& program, Granularity granularity, const Budget& budget);
  ~Prover();

  [[nodiscard]] const std::vector<std::string>& names() const;
  /// All triples that the solver does not exclude, given the pivot's level.
  [[nodiscard]] std::vector<OpenTriple> open_triples(PivotLevel level);
  /// Some instance of some type commits a write, on some state.  If none does,
  /// a proof is about nothing.  Not counted as an obligation.
  [[nodiscard]] bool can_write();
  [[nodiscard]] ProofStatistics statistics() const;
  [[nodiscard]] bool has_given_up() const;  ///< the budget ended it

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

/// The transaction types of an application: its procedures, what sessions run,
/// and functions that write, unless others call them: those run inside of
/// transactions.
[[nodiscard]] std::vector<sql::RoutineId> transaction_types(
    const sql::Application& application);
/// Functions that write and are no such type, because others call them.
[[nodiscard]] std::vector<sql::RoutineId> functions_inside(
    const sql::Application& application);

/// What they are called in answers, each otherwise: a procedure by its name,
/// plain statements by their session, too (`ann.t1`).
[[nodiscard]] std::vector<std::string> type_names(
    const sql::Application& application,
    const std::vector<sql::RoutineId>& types);

/// The same of a `.txn` program: those in sessions are `session.label`.
[[nodiscard]] std::vector<std::string> type_names(const Program& program);

/// Pairs (a <= b) without an open triple among the two.
[[nodiscard]] std::vector<std::pair<std::size_t, std::size_t>> safe_pairs(
    std::size_t types, const std::vector<OpenTriple>& open);

/// The largest sets of types without an open triple, largest first; none if
/// there are too many to tell.
[[nodiscard]] std::vector<std::vector<std::size_t>> safe_sets(
    std::size_t types, const std::vector<OpenTriple>& open);

}  // namespace txscope::robust
