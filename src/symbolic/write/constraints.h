#pragma once

#include <vector>

#include "model/sql/schema.h"
#include "symbolic/value/term.h"

namespace txscope::symbolic {

/// The rows of all tables, by table.
using SymbolicState = std::vector<std::vector<GuardedRow>>;

/// What the tables' constraints say of a whole state.
class SymbolicConstraints {
 public:
  SymbolicConstraints(SqlTerms& terms, const sql::Schema& schema)
      : q_(terms), t_(terms.t), schema_(schema) {}

  /// UNIQUE and foreign keys of these tables hold, and CHECK if it is asked
  /// for.
  [[nodiscard]] smt::Term is_valid(const SymbolicState& state, bool checks_rows,
                                   const std::vector<TableId>& tables);
  /// Both rows are there and have the same values in the key.
  [[nodiscard]] smt::Term same_key(const sql::UniqueKey& key,
                                   const GuardedRow& a, const GuardedRow& b);

 private:
  void check_row(const sql::Table& table, const GuardedRow& row,
                 std::vector<smt::Term>& all);
  [[nodiscard]] smt::Term has_parent(const sql::ForeignKey& key,
                                     const GuardedRow& row,
                                     const SymbolicState& state);

  SqlTerms& q_;
  smt::Terms& t_;
  const sql::Schema& schema_;
};

}  // namespace txscope::symbolic
