#pragma once

#include <utility>
#include <vector>

#include "symbolic/tables.h"
#include "symbolic/triggers.h"

namespace txscope::sql {

/// INSERT, UPDATE and DELETE over guarded rows, with what they give back: the
/// same meaning as exec's Writer.  Foreign keys are checked behind it.  Throws
/// Unsupported.
class SymbolicWriter {
 public:
  SymbolicWriter(SymbolicPath& path, SymbolicTables& tables,
                 SymbolicTriggers& triggers, const SqlSummaryOptions& options,
                 std::vector<std::pair<TableId, Row>>& wanted);

  /// How many rows it changes.
  [[nodiscard]] smt::Term execute(const DbStatement& statement);
  /// Of RETURNING.
  [[nodiscard]] const std::vector<ResultRow>& returned() const {
    return returned_;
  }
  void give_back(std::vector<ResultRow> rows) { returned_ = std::move(rows); }
  /// NOT NULL and CHECK: fails unless they hold.
  void check_row(const Table& table, const TermRow& row);
  /// Whether a row at this place of the universe can have the values that `row`
  /// has in the key.
  [[nodiscard]] smt::Term may_be_in_the_way(const Table& table,
                                            const UniqueKey& key,
                                            const Row& there,
                                            const TermRow& row);

 private:
  [[nodiscard]] smt::Term execute(const Insert& insert,
                                  const DbStatement& statement);
  [[nodiscard]] smt::Term execute(const Update& update,
                                  const DbStatement& statement);
  [[nodiscard]] smt::Term execute(const Delete& remove,
                                  const DbStatement& statement);
  [[nodiscard]] smt::Term execute(const Merge& merge,
                                  const DbStatement& statement);
  [[nodiscard]] smt::Term execute(const Select& select,
                                  const DbStatement& statement);
  /// `old`: of a row that is changed.
  void check_unique(TableId table, std::size_t self, const TermRow& row,
                    const TermRow* old = nullptr);
  /// One row of MERGE's join; `rows` ends with that of the target.
  struct Merging {
    const Merge& merge;
    const DbStatement& statement;
    std::vector<const TermRow*> rows;
    smt::Term when;
  };
  [[nodiscard]] smt::Term merge_matched(const Merging& now, std::size_t r,
                                        const GuardedRow& there);
  [[nodiscard]] smt::Term merge_missing(const Merging& now);
  [[nodiscard]] smt::Term takes(const Merge::Arm& arm, const TermScope& scope,
                                smt::Term& rest);
  [[nodiscard]] SqlTerm default_of(const Column& column);
  [[nodiscard]] std::int64_t next(std::uint32_t sequence);
  [[nodiscard]] TermRow row_to_insert(const Insert& insert, const Table& shape,
                                      std::size_t i,
                                      const std::vector<ResultRow>& given,
                                      const TermScope& scope = {});
  [[nodiscard]] smt::Term insert_row(const Insert& insert,
                                     const DbStatement& statement,
                                     const Table& shape, const TermRow& row,
                                     smt::Term when);
  struct KeyCase {
    Row key;
    TermRow row;  ///< with that key
    smt::Term when;
  };
  [[nodiscard]] std::vector<KeyCase> key_cases(TableId table,
                                               const Table& shape,
                                               const TermRow& row,
                                               smt::Term when);
  [[nodiscard]] smt::Term insert_at(const Insert& insert,
                                    const DbStatement& statement,
                                    const Row& key, const TermRow& row,
                                    smt::Term when);
  [[nodiscard]] std::vector<smt::Term> in_the_way(
      TableId table, const OnConflict& conflict, std::size_t self,
      const TermRow& row, const std::vector<GuardedRow>& there);
  [[nodiscard]] smt::Term insert_or(const Insert& insert,
                                    const DbStatement& statement,
                                    std::size_t self, const GuardedRow& made,
                                    smt::Term when);
  [[nodiscard]] TermRow with_changes(const Table& shape,
                                     const std::vector<SetColumn>& set,
                                     const TermScope& scope,
                                     const TermRow& old);
  [[nodiscard]] static bool counts_key(const Table& shape,
                                       const std::vector<SetColumn>& set);
  [[nodiscard]] bool keeps_key(const Table& shape, const TermRow& old,
                               const TermRow& row);
  /// UPDATE of one row to these values, which are checked here.
  [[nodiscard]] smt::Term change_row(const DbStatement& statement,
                                     const Update& update, std::size_t r,
                                     const GuardedRow& before, GuardedRow after,
                                     smt::Term when);
  [[nodiscard]] smt::Term remove_row(const DbStatement& statement,
                                     TableId table, std::size_t r,
                                     const GuardedRow& before, smt::Term when);
  [[nodiscard]] smt::Term move_row(const DbStatement& statement, TableId table,
                                   std::size_t r, const GuardedRow& before,
                                   const TermRow& after, smt::Term when);
  [[nodiscard]] std::vector<smt::Term> matching(
      const Relation& target, const std::vector<GuardedRow>& rows,
      const std::optional<Expr>& where);
  void give_back(const DbStatement& statement, const TermRow& row,
                 smt::Term guard);
  [[nodiscard]] SymbolicQueries queries() {
    return {path_.q, path_.slots, tables_.rows()};
  }

  SymbolicPath& path_;
  SymbolicTables& tables_;
  SymbolicTriggers& triggers_;
  SqlTerms& q_;
  smt::Terms& t_;
  const SqlSummaryOptions& options_;
  std::vector<std::pair<TableId, Row>>& wanted_;
  std::vector<ResultRow> returned_;
  std::vector<std::uint64_t> drawn_;   // by sequence
  std::vector<std::uint64_t> hidden_;  // by table
};

/// Rows are worked on in an order that must be known.
void sort_known(SymbolicPath& path, const Query& query,
                std::vector<ResultRow>& rows);

/// For expressions that look at no table.
[[nodiscard]] SeenRows no_rows();

}  // namespace txscope::sql
