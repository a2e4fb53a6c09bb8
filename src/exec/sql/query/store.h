#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "model/sql/schema.h"

namespace txscope::sql {

/// Names one version of one row for as long as a statement runs; what the
/// number means is the store's.
struct RowHandle {
  TableId table = kNone<TableId>;  ///< none: no row (outer join, subquery)
  std::uint64_t row = 0;

  friend bool operator==(const RowHandle&, const RowHandle&) = default;
};

/// What is known of the rows wanted before they are read.
struct Access {
  TableId table;
  /// Which mention of the table in the statement this is (the evaluator never
  /// copies a Relation), so that a store can tell the target of an UPDATE from
  /// the same table in a subquery; engines lock them differently.
  const Relation* relation = nullptr;
  /// The values of columns that the rows must have (`column = value` in a
  /// conjunct that was evaluated before): (column, value), ascending, never
  /// NULL; equal as SQL compares (compare.h: 1.0 equals 1.00).  A store may use
  /// it; the caller tests its conditions all the same.
  std::vector<std::pair<std::uint32_t, Value>> equal;
  /// Whether a row with these key columns (of the primary key, in its order)
  /// can match, as far as the conjuncts that only mention the key tell; empty:
  /// any.
  std::function<bool(std::span<const Value> key)> may_match;
};

/// The rows that one statement may read, whatever decides that: a snapshot, the
/// choice of an exploration, a table in memory.
class Store {
 public:
  using OnRow = std::function<void(RowHandle, const Row&)>;

  virtual ~Store() = default;
  /// Shows every row of `access.table` that this reader sees and that
  /// `access` does not exclude (more may be shown), in an order that depends
  /// on nothing but the rows (by primary key where there is one).  False: the
  /// statement cannot go on now (it has to wait for a lock, or the answer to a
  /// read is not known yet); it will be run again from its start.
  [[nodiscard]] virtual bool scan(const Access& access,
                                  const OnRow& on_row) = 0;
  /// Builtin::Setting of who runs the statement; null: all are NULL.
  [[nodiscard]] virtual const std::vector<Value>* session_settings() const {
    return nullptr;
  }
  /// SetKind::Transition.
  [[nodiscard]] virtual std::span<const Row> transition(std::uint32_t) const {
    return {};
  }
};

/// Is told what statements look at: for answers that say who read what.
class ScanWatcher {
 public:
  virtual ~ScanWatcher() = default;
  /// A scan is over, and has shown these rows.
  virtual void scanned(const Access& access, std::span<const Row> shown) = 0;
};

}  // namespace txscope::sql
