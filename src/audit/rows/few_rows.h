#pragma once

#include <map>
#include <optional>
#include <span>
#include <vector>

#include "audit/attempt/load.h"
#include "audit/rows/named_rows.h"

namespace txscope::audit {

/// Refutes long logs by what happened to a few of their rows.
///
/// Definition.  The part of a log that belongs to a set of rows: of each
/// transaction the statements that name these rows and no others, on tables
/// that have only these rows.  Rows that something may have written without
/// naming them have none.
/// Method.  The part is searched as a log of its own.  Few transactions name
/// one row, so that all their orders can be tried where those of the whole
/// cannot. Rows of the transaction that the pass could not explain come first,
/// then each row alone, then rows that several transactions name together.
/// Where nobody may write what was written since its snapshot, the transactions
/// that update one row follow each other in it as if each ran alone: they are
/// searched at serializable, which remembers states and not how they were made.
/// Invariant.  An order that explains the log explains every part of it: its
/// statements see and leave the same in these rows, and constraints are held
/// against fewer rows.  So a part that no order explains refutes the log; one
/// that is explained proves nothing.  Not where the first statement that reads
/// makes a view for the others, which it may not be part of.
class FewRows {
 public:
  explicit FewRows(const LoadedLog& log);

  /// Violated, with the transactions that cannot be explained together; or
  /// nothing.  `stuck` is where the pass ended.
  [[nodiscard]] std::optional<Found> refute(
      const AuditLevel& level, const std::optional<FirstBad>& stuck,
      const Budget& budget) const;

  /// The same from all versions that the rows of single statements can have had
  /// (ReachableVersions), which must apply.
  [[nodiscard]] std::optional<Found> refute_by_versions(
      const std::optional<FirstBad>& stuck, const Budget& budget) const;

 private:
  using Rows = std::vector<std::uint32_t>;  // ascending
  /// A statement's rows.
  struct Mention {
    std::uint32_t statement = 0;
    bool is_write = false;
    Rows rows;
  };
  struct Row {
    TableId table;
    sql::Row key;
    std::vector<std::uint32_t> txns;
  };

  void add(std::uint32_t txn);
  [[nodiscard]] std::optional<WholeLog> part(const Rows& rows) const;
  /// The part of those that update one row; none: others write it, too.
  [[nodiscard]] std::optional<WholeLog> updates(std::uint32_t row) const;
  [[nodiscard]] Tables initial(const Rows& rows) const;
  [[nodiscard]] std::optional<Found> refute(const std::optional<WholeLog>& log,
                                            const Rows& rows,
                                            const AuditLevel& level,
                                            std::uint64_t most, bool& is_open,
                                            const Budget& budget) const;
  [[nodiscard]] std::vector<Rows> candidates(
      const std::optional<FirstBad>& stuck) const;
  [[nodiscard]] Rows rows_of(std::uint32_t txn) const;
  /// The number of the transaction where the pass ended.
  [[nodiscard]] std::optional<std::uint32_t> number_of(
      const std::optional<FirstBad>& stuck) const;

  const LoadedLog& log_;
  std::vector<std::map<sql::Row, std::uint32_t, KeyLess>> numbers_;
  std::vector<Row> rows_;
  std::vector<std::vector<Mention>> mentions_;  // by transaction
  std::vector<bool> is_wild_;                   // by table
};

}  // namespace txscope::audit
