#pragma once

#include <span>
#include <vector>

#include "symbolic/tables/tables.h"
#include "symbolic/write/writer.h"

namespace txscope::symbolic {

/// Foreign keys of what a statement has changed: parents that must be there,
/// and what becomes of children that lose theirs.
class SymbolicForeignKeys {
 public:
  SymbolicForeignKeys(SymbolicPath& path, SymbolicTables& tables,
                      SymbolicWriter& writer)
      : path_(path), tables_(tables), writer_(writer), q_(path.q), t_(path.t) {}

  /// At the end of the statement.
  void check();
  /// At COMMIT: those that are INITIALLY DEFERRED.
  void check_deferred();
  /// What the transaction has changed, with cascades, and where that of its
  /// last statement begins.
  [[nodiscard]] std::span<const RowChange> changes() const { return all_; }
  [[nodiscard]] std::span<const RowChange> last_changes() const {
    return std::span(all_).subspan(last_);
  }
  /// What is changed from now on is undone where the block fails.
  void begin_block() { blocks_.push_back(all_.size()); }
  void end_block(smt::Term fails);

 private:
  /// Keys that are deferred, or the others.
  void check_parents(const RowChange& change, bool is_deferred);
  void check_children(const RowChange& change, bool is_deferred);
  /// Whether the change, if it is made, sets the key.
  [[nodiscard]] smt::Term sets(const sql::ForeignKey& key,
                               const RowChange& change);
  [[nodiscard]] smt::Term loses(const sql::ForeignKey& key,
                                const RowChange& change, const GuardedRow& now);
  void ask_for_replacements(const sql::ForeignKey& key, const RowChange& change,
                            smt::Term is_lost);
  [[nodiscard]] smt::Term may_hold(TableId table,
                                   const std::vector<std::uint32_t>& columns,
                                   const sql::Row& there,
                                   const std::vector<std::uint32_t>& others,
                                   const TermRow& row);
  [[nodiscard]] smt::Term is_parent(const sql::ForeignKey& key,
                                    const GuardedRow& parent,
                                    const TermRow& child);
  void adopt(const sql::ForeignKey& key, TableId child, std::size_t r,
             const GuardedRow& row, const GuardedRow& now, smt::Term orphan);

  SymbolicPath& path_;
  SymbolicTables& tables_;
  SymbolicWriter& writer_;
  SqlTerms& q_;
  smt::Terms& t_;
  std::vector<RowChange> all_;       ///< of the transaction
  std::size_t last_ = 0;             ///< all_ before the last statement
  std::vector<std::size_t> blocks_;  ///< that are open: all_ before each
};

}  // namespace txscope::symbolic
