#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "audit/attempt/load.h"
#include "audit/search/search.h"

namespace txscope::audit {

/// Every version that the transactions of a log can have made, whatever their
/// order, and who cannot have been answered from them.
///
/// Definition.  The least set of versions that has the setup's and, with each
/// transaction that can be explained by picking of every row any version of the
/// set but its own, all that it can leave behind then.  The transactions before
/// it in its session come first.
/// Method.  Transactions are run until nobody leaves anything new, those whose
/// tables changed again.  Keys are held against nothing, and a SELECT with more
/// choices than are tried counts as explained.
/// Invariant.  In every explanation, by induction along its order, what a
/// transaction sees and leaves is in the set: each level shows a statement one
/// version of a row.  So one that cannot be explained from the set refutes the
/// log; nothing follows if all can.
/// Cost.  Transactions that add to a row may do so to what they made of each
/// other's, again and again, so that rows which several add to without naming a
/// value soon have more versions than are kept: nothing is said then.
class ReachableVersions {
 public:
  /// Of a part of a log, over tables that have its rows.
  ReachableVersions(const LoadedLog& log, const WholeLog& part,
                    const Tables& initial, std::uint64_t most_runs,
                    const Budget& budget);

  /// Whether everything that the definition asks for is seen by one statement
  /// as one version of a row.
  [[nodiscard]] static bool applies(const LoadedLog& log, Rule rule);

  /// One that cannot be explained, by its number in the part; none: all can, or
  /// it was too much to find out.
  [[nodiscard]] const std::optional<std::pair<std::uint32_t, Mismatch>>& bad()
      const {
    return bad_;
  }
  /// How often statements were run.
  [[nodiscard]] std::uint64_t runs() const { return runs_; }

 private:
  struct Progress {
    bool is_explained = false;
    std::uint64_t run_at = 0;           ///< the number of changes by then
    std::vector<std::uint32_t> tables;  ///< that it names
    std::set<std::pair<TableId, RowNumber>> rows;  ///< that it has looked at
    std::map<std::pair<std::uint32_t, sql::Row>, RowNumber> inserted;
    std::set<Position> made;  ///< where its versions are, which it cannot see
  };

  [[nodiscard]] bool run(std::uint32_t txn);
  /// Adds what is new of the versions that a transaction can leave behind.
  void add(std::uint32_t txn, const Effects& effects);
  /// Whether there is such a version that everybody can see who could see this
  /// one.
  [[nodiscard]] bool is_known(std::uint32_t txn, const Effect& effect) const;
  [[nodiscard]] bool is_due(std::uint32_t txn) const;

  const WholeLog& part_;
  std::uint64_t most_runs_;
  const Budget& budget_;
  NextIds ids_;
  Tables tables_;
  Position last_ = kSetup;
  std::vector<Progress> progress_;
  std::vector<std::uint64_t> grown_at_;  // by table, the last new row
  std::map<std::pair<TableId, RowNumber>, std::uint64_t> changed_at_;
  std::uint64_t changes_ = 1;
  std::uint64_t runs_ = 0;
  bool is_too_much_ = false;
  std::optional<std::pair<std::uint32_t, Mismatch>> bad_;
};

/// Violated, with those that cannot be explained together from all reachable
/// versions; none: all can, or it was too much to find out.  What it has run is
/// added to `runs`.
[[nodiscard]] std::optional<Found> find_unreachable(
    const LoadedLog& log, const WholeLog& part, const Tables& initial,
    std::uint64_t most_runs, std::uint64_t& runs, const Budget& budget);

}  // namespace txscope::audit
