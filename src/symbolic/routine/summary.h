#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <span>
#include <vector>

#include "base/budget.h"
#include "symbolic/encoding/encoding.h"
#include "symbolic/query/query.h"
#include "symbolic/tables/open_keys.h"
#include "symbolic/tables/universe_keys.h"

namespace txscope::symbolic {

/// A row that a transaction leaves changed: what it saw there before its first
/// change, and what it leaves.
struct RowChange {
  TableId table;
  std::size_t row = 0;  ///< in the universe
  smt::Term guard;      ///< it is changed
  GuardedRow before;
  GuardedRow after;
};

/// A call for all inputs and everything that it may read.
struct SqlSummary {
  std::vector<GuardedRead> reads;
  std::vector<GuardedWrite> writes;
  std::vector<GuardedPin> pins;
  std::vector<RowChange> changes;
  smt::Term committed;
  smt::Term aborted;  ///< by RAISE or by an error of the database
  smt::Term cut;      ///< a loop has more rounds than were unrolled
  smt::Term beyond;   ///< it inserts a key that OpenKeys leaves out
  std::set<std::uint32_t> open_tables;  ///< whose keys these are
  std::vector<SqlTerm> slots;           ///< at the end
  /// Whatever an engine does with the call is among its executions (with
  /// SqlSummaryOptions::rereads where statements have their own snapshots).
  bool is_covered = true;
};

struct SqlSummaryOptions {
  std::uint64_t rounds = 8;
  std::size_t instance = 1;   ///< from 1
  std::size_t instances = 1;  ///< in all
  std::span<const std::int64_t> sequences;
  /// Statements have snapshots of their own, and rows that they write are read
  /// again.
  bool rereads = false;
  /// Reads are those of explore's executions, or more: not whole tables where
  /// keys say what is wanted, and not only what decides something.
  bool has_exact_reads = false;
  /// The row as the setup left it, if nobody else writes it.
  std::function<const GuardedRow*(TableId, std::size_t row)> fixed;
  const OpenKeys* keys = nullptr;  ///< must be there
};

/// The columns of a guarded row as the encoding sees them: presence, then for
/// each column whether it is NULL, and its value.
[[nodiscard]] std::vector<smt::Term> flattened(const GuardedRow& row);

/// Runs a call on a universe of rows.  What the universe lacks is added to
/// `wanted`; then the summary is not to be used.  Throws Unsupported.
[[nodiscard]] SqlSummary summarize_call(
    SqlTerms& terms, const sql::Application& application,
    const KeyUniverse& universe, const sql::Call& call,
    std::span<const SqlTerm> arguments, const SqlSummaryOptions& options,
    std::vector<std::pair<TableId, sql::Row>>& wanted, const Budget& budget);

}  // namespace txscope::symbolic
