#pragma once

#include "robust/proof/query_reads.h"

namespace txscope::robust {

/// What INSERT, UPDATE and DELETE of a transaction type read and write, with
/// uniqueness, foreign keys and what else may stop them.
class ChangeAccesses {
 public:
  ChangeAccesses(TypeRun& run, QueryReads& reads)
      : run_(run), reads_(reads), symbols_(run.symbols), terms_(run.terms) {}

  Given execute(const sql::DbStatement& d);

 private:
  Given execute_insert(const sql::DbStatement& d, const sql::Insert& insert);
  /// UPDATE, or DELETE if nothing is set.
  Given execute_change(const sql::DbStatement& d, const sql::Relation& target,
                       const std::optional<sql::Expr>& where,
                       const std::vector<sql::SetColumn>* set);
  Given returning(const sql::DbStatement& d, smt::Term found,
                  const SymbolRow& row);
  [[nodiscard]] Access look_for(Access::Kind kind, TableId table,
                                const std::optional<sql::Expr>& where);
  [[nodiscard]] bool changes_keys(TableId table,
                                  const std::vector<bool>& columns,
                                  bool is_delete) const;
  void parents(TableId table, const SymbolRow& row,
               const std::vector<bool>& columns, smt::Term when);
  void unique_keys(TableId table, const SymbolRow& row,
                   const std::vector<bool>& columns, smt::Term when);
  void children(TableId table, const SymbolRow& row, smt::Term when,
                const std::vector<bool>* columns);
  void update_instead(const sql::OnConflict& conflict, TableId table,
                      const SymbolRow& excluded, smt::Term when);
  /// What BEFORE triggers make of a row.
  void fire_triggers(TableId table, SymbolRow& row, std::vector<bool>* columns);
  [[nodiscard]] Symbol default_of(const sql::Column& column);
  void insert_row(const sql::Insert& insert, TableId table,
                  const SymbolRow& row);
  [[nodiscard]] bool can_fail(const sql::Insert& insert, TableId table) const;
  [[nodiscard]] bool is_always_drawn(TableId table, std::uint32_t column) const;

  TypeRun& run_;
  QueryReads& reads_;
  Symbols& symbols_;
  smt::Terms& terms_;
  std::vector<TableId> above_;  ///< whose rows are deleted, outermost first
};

}  // namespace txscope::robust
