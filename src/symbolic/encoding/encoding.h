#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "base/id.h"
#include "model/level.h"
#include "model/notion.h"
#include "smt/terms.h"

namespace txscope::symbolic {

/// A read that takes a version from another transaction.  The row may depend
/// on unknowns; of each row that it can be it says when.
struct GuardedRead {
  struct Place {
    KeyId key;
    smt::Term guard;  ///< it happens, of this row
  };
  std::vector<Place> places;
  std::vector<smt::Term> values;  ///< what it is given, column by column
};

struct GuardedWrite {
  KeyId key;
  smt::Term guard;
  std::vector<smt::Term> values;
};

/// A version that stays the last one until the transaction ends: it locked the
/// row when it read it.
struct GuardedPin {
  std::size_t read = 0;  ///< of the transaction
  smt::Term guard;
};

/// What the encoding sees of a transaction.
struct GuardedTxn {
  std::uint32_t session = 0;
  std::vector<GuardedRead> reads;    ///< in program order
  std::vector<GuardedWrite> writes;  ///< in program order
  std::vector<GuardedPin> pins;
  smt::Term committed;
  /// It came to its end; else its session stops with it.
  smt::Term finished;
  /// It does what the formulas leave out; such executions are not asked for.
  smt::Term beyond = smt::Term(0);
};

/// Whether two versions of a row are the same, column by column.
using SameRow = std::function<smt::Term(std::span<const smt::Term>,
                                        std::span<const smt::Term>)>;

/// All executions of some transactions, as formulas.
///
/// Definition.  A history has a level iff a total order co contains session
/// order and reads-from, and for every read of x by t3 from t1 and every
/// committed t2 != t1 that writes x: if t3 sees t2, then t2 precedes t1 in co.
/// The levels differ in what t3 must see (docs/levels.md; certify states the
/// same on given histories):
///   read-committed               nothing
///   monotonic-atomic-view        whom it read from before this read
///   read-atomic                  so + wr
///   causal                       (so + wr)+
///   prefix                       co* ; (so + wr)
///   parallel-snapshot-isolation  causal, and of two writers of a row one sees
///                                the other
///   snapshot-isolation           prefix, and likewise
///   serializable                 co
///
/// Method.  `precedes` is one Boolean per pair, made total and transitive;
/// `sees` one per ordered pair, at least what the level demands and closed as
/// it demands.  More sight only forbids more, so some `sees` fits iff the least
/// one does.  A read has one Boolean per possible source.  Writes count by
/// guard, never by value.  Transactions that abort have no writes; their reads
/// count.  Transaction 0 is the initial one and comes first.
class HistoryEncoding {
 public:
  /// `initial` has the columns of every row.
  HistoryEncoding(smt::Terms& terms, std::vector<GuardedTxn> txns,
                  std::vector<std::vector<smt::Term>> initial);

  /// What every execution satisfies, whatever the level.
  [[nodiscard]] std::vector<smt::Term> executions();
  /// What a level adds, if every transaction runs at it.
  [[nodiscard]] std::vector<smt::Term> axioms(Base level);
  /// Mixed: the transaction i (from 1) runs at levels[i - 1].
  [[nodiscard]] std::vector<smt::Term> axioms(const std::vector<Base>& levels);

  /// What locks add: nobody else writes a pinned row between the version that
  /// was read and the transaction's commit.  No level has this; engines do.
  [[nodiscard]] std::vector<smt::Term> pins();

  /// Every transaction ran and came to its end.
  [[nodiscard]] smt::Term is_complete();
  /// Transaction t runs: those before it in its session have finished.
  [[nodiscard]] smt::Term runs(std::size_t t) const { return runs_[t]; }
  /// The columns of a row at the end.
  [[nodiscard]] std::vector<smt::Term> final_values(KeyId key);
  /// It runs, commits and writes the row.
  [[nodiscard]] smt::Term writes(std::size_t t, KeyId key) const;
  /// It runs and commits.
  [[nodiscard]] smt::Term commits(std::size_t t) const;
  /// It runs, commits and writes some row.
  [[nodiscard]] smt::Term changes(std::size_t t) const;
  /// Two sessions use a row that one of them changes.
  [[nodiscard]] smt::Term sessions_meet();
  /// t comes before u in the commit order.
  [[nodiscard]] smt::Term precedes(std::size_t t, std::size_t u) const;
  /// Where read number `read` of t takes its values from; false where it
  /// cannot.
  [[nodiscard]] smt::Term is_source(std::size_t t, std::size_t read,
                                    std::size_t source) const;
  /// Whether that read happens.
  [[nodiscard]] smt::Term reads(std::size_t t, std::size_t read) const;
  /// Some transactions depend on each other in a circle: so, wr, ww (the commit
  /// order on writers of a row) and rw (who read a version, on the writers of
  /// later ones).  Then the execution is not conflict serializable.
  [[nodiscard]] smt::Term has_cycle();
  /// By a notion weaker than trace: no serial order gives what this execution
  /// does.  Nothing if there are too many orders.
  ///
  /// Method.  A serial execution is a function of the inputs: for each order
  /// that keeps sessions the transactions are put one behind the other, what
  /// one reads being what those before it left, and the two are compared.
  [[nodiscard]] std::optional<smt::Term> is_unlike_serial(Notion notion,
                                                          const SameRow& same);
  /// Identical sessions may be renamed: their first transactions come in order.
  [[nodiscard]] std::vector<smt::Term> order_of(
      const std::vector<std::vector<std::uint32_t>>& identical_sessions);

  [[nodiscard]] std::size_t size() const { return txns_.size(); }
  [[nodiscard]] std::size_t read_count(std::size_t t) const {
    return txns_[t].reads.size();
  }

 private:
  friend class SerialOrders;
  struct Version {
    std::size_t txn = 0;
    smt::Term guard;
    std::vector<smt::Term> values;
  };
  struct Source {
    std::size_t txn = 0;
    smt::Term chosen;
  };

  void make_runs();
  void make_versions();
  void make_orders();
  void make_sources();
  void add_reads(std::vector<smt::Term>& out);
  [[nodiscard]] bool is_session_before(std::size_t a, std::size_t b) const;
  [[nodiscard]] smt::Term reads_from(std::size_t t, std::size_t source);
  [[nodiscard]] const Version* version(std::size_t t, KeyId key) const;
  [[nodiscard]] smt::Term conflict(std::size_t a, std::size_t b);
  [[nodiscard]] smt::Term uses_what_changes(std::size_t a, std::size_t b);
  [[nodiscard]] smt::Term depends(std::size_t on, std::size_t t);
  [[nodiscard]] smt::Term is_last(const Version& version, KeyId key);
  void add_sight(Base level, std::size_t t, std::vector<smt::Term>& out);
  void add_past(std::vector<smt::Term>& out, bool sees_conflicts);
  void add_freshness(Base level, std::size_t t, std::vector<smt::Term>& out);

  smt::Terms& t_;
  std::vector<GuardedTxn> txns_;  // 0 is the initial one
  std::vector<std::vector<smt::Term>> initial_;
  std::vector<smt::Term> runs_;
  std::vector<std::vector<Version>> versions_;  // by key, ascending by txn
  std::vector<std::vector<smt::Term>> precedes_;
  std::vector<std::vector<smt::Term>> sees_;
  std::vector<std::vector<smt::Term>> past_;  // (so + wr)+ of mixed levels
  std::vector<std::vector<std::vector<Source>>> sources_;  // by txn and read
  std::vector<std::vector<std::optional<smt::Term>>> reads_from_;
};

}  // namespace txscope::symbolic
