#pragma once

#include <utility>
#include <vector>

#include "symbolic/routine/triggers.h"
#include "symbolic/tables/tables.h"

namespace txscope::symbolic {

/// INSERT, UPDATE and DELETE over guarded rows, with what they give back: the
/// same meaning as exec's Writer.  Foreign keys are checked behind it.  Throws
/// Unsupported.
class SymbolicWriter {
 public:
  SymbolicWriter(SymbolicPath& path, SymbolicTables& tables,
                 symbolic::SymbolicTriggers& triggers,
                 const SqlSummaryOptions& options,
                 std::vector<std::pair<TableId, sql::Row>>& wanted);

  /// How many rows it changes.
  [[nodiscard]] smt::Term execute(const sql::DbStatement& statement);
  /// Of RETURNING.
  [[nodiscard]] const std::vector<ResultRow>& returned() const {
    return returned_;
  }
  void give_back(std::vector<ResultRow> rows) { returned_ = std::move(rows); }
  /// How many rows the last UPDATE found that were so already.
  [[nodiscard]] smt::Term unchanged() const { return unchanged_; }
  /// NOT NULL and CHECK: fails unless they hold.
  void check_row(const sql::Table& table, const TermRow& row);
  /// Whether a row at this place of the universe can have the values that `row`
  /// has in the key.
  [[nodiscard]] smt::Term may_be_in_the_way(const sql::Table& table,
                                            const sql::UniqueKey& key,
                                            const sql::Row& there,
                                            const TermRow& row);

 private:
  [[nodiscard]] smt::Term execute(const sql::Insert& insert,
                                  const sql::DbStatement& statement);
  [[nodiscard]] smt::Term execute(const sql::Update& update,
                                  const sql::DbStatement& statement);
  [[nodiscard]] smt::Term execute(const sql::Delete& remove,
                                  const sql::DbStatement& statement);
  [[nodiscard]] smt::Term execute(const sql::Merge& merge,
                                  const sql::DbStatement& statement);
  [[nodiscard]] smt::Term execute(const sql::Select& select,
                                  const sql::DbStatement& statement);
  /// `old`: of a row that is changed.
  void check_unique(TableId table, std::size_t self, const TermRow& row,
                    const TermRow* old = nullptr);
  /// One row of MERGE's join; `rows` ends with that of the target.
  struct Merging {
    const sql::Merge& merge;
    const sql::DbStatement& statement;
    std::vector<const TermRow*> rows;
    smt::Term when;
  };
  [[nodiscard]] smt::Term merge_matched(const Merging& now, std::size_t r,
                                        const GuardedRow& there);
  [[nodiscard]] smt::Term merge_missing(const Merging& now);
  [[nodiscard]] smt::Term takes(const sql::Merge::Arm& arm,
                                const TermScope& scope, smt::Term& rest);
  [[nodiscard]] SqlTerm default_of(const sql::Column& column);
  [[nodiscard]] std::int64_t next(std::uint32_t sequence);
  [[nodiscard]] TermRow row_to_insert(const sql::Insert& insert,
                                      const sql::Table& shape, std::size_t i,
                                      const std::vector<ResultRow>& given,
                                      const TermScope& scope = {});
  [[nodiscard]] smt::Term insert_row(const sql::Insert& insert,
                                     const sql::DbStatement& statement,
                                     const sql::Table& shape,
                                     const TermRow& row, smt::Term when);
  struct KeyCase {
    sql::Row key;
    TermRow row;  ///< with that key
    smt::Term when;
  };
  [[nodiscard]] std::vector<KeyCase> key_cases(TableId table,
                                               const sql::Table& shape,
                                               const TermRow& row,
                                               smt::Term when);
  [[nodiscard]] smt::Term insert_at(const sql::Insert& insert,
                                    const sql::DbStatement& statement,
                                    const sql::Row& key, const TermRow& row,
                                    smt::Term when);
  [[nodiscard]] std::vector<smt::Term> in_the_way(
      TableId table, const sql::OnConflict& conflict, std::size_t self,
      const TermRow& row, const std::vector<GuardedRow>& there);
  [[nodiscard]] smt::Term insert_or(const sql::Insert& insert,
                                    const sql::DbStatement& statement,
                                    std::size_t self, const GuardedRow& made,
                                    smt::Term when);
  [[nodiscard]] TermRow with_changes(const sql::Table& shape,
                                     const std::vector<sql::SetColumn>& set,
                                     const TermScope& scope,
                                     const TermRow& old);
  [[nodiscard]] static bool counts_key(const sql::Table& shape,
                                       const std::vector<sql::SetColumn>& set);
  [[nodiscard]] bool keeps_key(const sql::Table& shape, const TermRow& old,
                               const TermRow& row);
  /// UPDATE of one row to these values, which are checked here.
  [[nodiscard]] smt::Term change_row(const sql::DbStatement& statement,
                                     const sql::Update& update, std::size_t r,
                                     const GuardedRow& before, GuardedRow after,
                                     smt::Term when);
  [[nodiscard]] smt::Term remove_row(const sql::DbStatement& statement,
                                     TableId table, std::size_t r,
                                     const GuardedRow& before, smt::Term when);
  [[nodiscard]] smt::Term move_row(const sql::DbStatement& statement,
                                   TableId table, std::size_t r,
                                   const GuardedRow& before,
                                   const TermRow& after, smt::Term when);
  [[nodiscard]] std::vector<smt::Term> matching(
      const sql::Relation& target, const std::vector<GuardedRow>& rows,
      const std::optional<sql::Expr>& where);
  void give_back(const sql::DbStatement& statement, const TermRow& row,
                 smt::Term guard);
  [[nodiscard]] SymbolicQueries queries() {
    return {path_.q, path_.slots, tables_.rows()};
  }

  SymbolicPath& path_;
  SymbolicTables& tables_;
  symbolic::SymbolicTriggers& triggers_;
  SqlTerms& q_;
  smt::Terms& t_;
  const SqlSummaryOptions& options_;
  std::vector<std::pair<TableId, sql::Row>>& wanted_;
  std::vector<ResultRow> returned_;
  smt::Term unchanged_;
  std::vector<std::uint64_t> drawn_;   // by sequence
  std::vector<std::uint64_t> hidden_;  // by table
};

}  // namespace txscope::symbolic
