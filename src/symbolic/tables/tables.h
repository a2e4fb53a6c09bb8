#pragma once

#include <functional>
#include <map>
#include <vector>

#include "symbolic/encoding/encoding.h"
#include "symbolic/query/query.h"
#include "symbolic/routine/path.h"
#include "symbolic/routine/summary.h"

namespace txscope::symbolic {

/// The tables as one call reads and writes them: one read of a row of others
/// per statement, own rows over them.
///
/// Where statements take snapshots of their own (SqlSummaryOptions::rereads)
/// the rows that a statement writes, locks or checks are read apart from those
/// that its conditions and subqueries look at: an engine takes their latest
/// versions.
///
/// Where it matters who read what (SqlSummaryOptions::has_exact_reads) a read
/// counts when it was asked for, and is free otherwise.
class SymbolicTables {
 public:
  SymbolicTables(SymbolicPath& path, const sql::Schema& schema,
                 const KeyUniverse& universe, const SqlSummaryOptions& options)
      : path_(path), schema_(schema), universe_(universe), options_(options) {}

  [[nodiscard]] const sql::Schema& schema() const { return schema_; }
  [[nodiscard]] const KeyUniverse& universe() const { return universe_; }

  void begin_statement() {
    views_.clear();
    view_reads_.clear();
    target_reads_.clear();
    changed_.clear();
  }

  /// What belongs to the statement at hand; another one runs inside of it.
  struct Suspended {
    std::map<std::uint32_t, std::vector<GuardedRow>> views;
    std::map<std::pair<TableId, std::size_t>, std::size_t> view_reads;
    std::map<std::pair<TableId, std::size_t>, std::size_t> target_reads;
    std::vector<RowChange> changed;
  };
  [[nodiscard]] Suspended suspend();
  void resume(Suspended statement);

  /// What a statement's conditions and subqueries see of a table.
  const std::vector<GuardedRow>& view(TableId table);
  [[nodiscard]] SeenRows rows();
  /// The rows that it may write or lock: one of them that it does is the last
  /// version until the transaction ends.
  [[nodiscard]] std::vector<GuardedRow> targets(TableId table);
  /// Of those, this is asked for.
  void ask_for_target(TableId table, std::size_t r, smt::Term when);
  /// One such row, with what the statement has changed itself, asked for
  /// `when`.
  [[nodiscard]] GuardedRow target(TableId table, std::size_t r,
                                  smt::Term when) {
    return asked(table, r, when, For::Target);
  }
  /// What a constraint is checked against, likewise.
  [[nodiscard]] GuardedRow checked(TableId table, std::size_t r,
                                   smt::Term when) {
    return asked(table, r, when, For::Check);
  }
  [[nodiscard]] bool has_exact_reads() const {
    return options_.has_exact_reads;
  }

  void write(TableId table, std::size_t r, smt::Term when,
             const GuardedRow& before, const GuardedRow& after);
  /// The row, as the statement read it for that, is locked.
  void pin(TableId table, std::size_t r, smt::Term when);

  /// What is written from now on is undone where the block fails.
  void begin_block() { blocks_.push_back({own_, writes_.size()}); }
  void end_block(smt::Term fails);

  /// Rows that the statement has changed so far.
  [[nodiscard]] std::vector<RowChange>& changed() { return changed_; }

  /// Reads, writes, pins and changes of the whole call.
  void finish(SqlSummary& out);

 private:
  struct OwnRow {
    smt::Term is_written;
    GuardedRow before;
    GuardedRow now;
  };
  using Place = std::pair<TableId, std::size_t>;
  enum class For : std::uint8_t { View, Target, Check };

  [[nodiscard]] GuardedRow asked(TableId table, std::size_t r, smt::Term when,
                                 For what);
  [[nodiscard]] GuardedRow current(TableId table, std::size_t r, For what);
  [[nodiscard]] GuardedRow with_own(TableId table, std::size_t r,
                                    GuardedRow row);
  GuardedRow read(TableId table, std::size_t r, smt::Term when, For what);
  [[nodiscard]] SqlTerm read_column(const sql::Table& shape, std::size_t c,
                                    const sql::Row& key);
  void ask(const std::map<Place, std::size_t>& reads, TableId table,
           std::size_t r, smt::Term when);
  [[nodiscard]] std::vector<bool> used_reads(const SqlSummary& out);
  void drop_unused_reads(SqlSummary& out);
  void spread(std::vector<smt::Term>& stack, std::vector<bool>& is_used) const;

  SymbolicPath& path_;
  const sql::Schema& schema_;
  const KeyUniverse& universe_;
  const SqlSummaryOptions& options_;
  std::vector<GuardedRead> reads_;
  /// By read, of exact ones: it is of another transaction's row.
  std::vector<smt::Term> is_external_;
  std::vector<GuardedWrite> writes_;
  std::vector<GuardedPin> pins_;
  std::map<std::uint32_t, std::vector<GuardedRow>> views_;  // of a statement
  // Of a statement, into reads_: what it sees, what it may write, what it
  // looked at last.
  std::map<Place, std::size_t> view_reads_;
  std::map<Place, std::size_t> target_reads_;
  std::map<Place, std::size_t> last_reads_;
  std::map<Place, OwnRow> own_;
  struct Block {
    std::map<Place, OwnRow> own;  ///< before it
    std::size_t writes = 0;
  };
  std::vector<Block> blocks_;  // that are open
  std::vector<RowChange> changed_;
};

}  // namespace txscope::symbolic
