#pragma once

#include <span>

#include "symbolic/tables/tables.h"
#include "symbolic/write/writer.h"

namespace txscope::symbolic {

/// DEFERRABLE unique keys: two rows may have the same values for a while.  They
/// are looked at when a statement is over or, INITIALLY DEFERRED, by COMMIT.
class SymbolicDeferrableKeys {
 public:
  SymbolicDeferrableKeys(SymbolicPath& path, SymbolicTables& tables,
                         SymbolicWriter& writer)
      : path_(path), tables_(tables), writer_(writer), q_(path.q), t_(path.t) {}

  /// `changes` are those of the statement.
  void check(std::span<const RowChange> changes) { check(changes, false); }
  /// At COMMIT; `changes` are those of the transaction.
  void check_deferred(std::span<const RowChange> changes) {
    check(changes, true);
  }

 private:
  void check(std::span<const RowChange> changes, bool is_deferred);
  void check(const sql::UniqueKey& key, const RowChange& change);

  SymbolicPath& path_;
  SymbolicTables& tables_;
  SymbolicWriter& writer_;
  SqlTerms& q_;
  smt::Terms& t_;
};

}  // namespace txscope::symbolic
