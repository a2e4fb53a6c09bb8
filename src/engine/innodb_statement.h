#pragma once

#include <vector>

#include "engine/innodb_index.h"
#include "engine/mariadb.h"
#include "engine/product_rules.h"
#include "engine/versioned_statement.h"

namespace txscope::engine {

/// One statement on MariaDB; see mariadb.h.  Private to mariadb*.cpp.
///
/// A scan that locks only notes what it examines, and shows the last committed
/// row where somebody else's is not committed.  When the statement has been
/// evaluated, what it examined is locked in that order, and rows are written as
/// their turn comes.  At the first lock that is not free the statement waits:
/// what was evaluated behind it does not count, as it runs again.
class InnodbStatement : public VersionedStatement {
 public:
  InnodbStatement(const Surroundings& around, State& state, SessionNo me,
                  const sql::Request& request, Isolation isolation);

  sql::StatementEnd run();

  [[nodiscard]] const sql::WriteRules& rules() const override {
    return rules_of(Product::MariaDb);
  }
  [[nodiscard]] bool scan(const sql::Access& access,
                          const OnRow& on_row) override;
  bool each_target(
      const sql::Relation& target, const std::optional<sql::Expr>& where,
      const std::vector<sql::FoundRow>* found,
      const std::function<bool(const sql::FoundRow&)>& on_target) override;
  bool keep_reads() override { return acquire_all(); }
  [[nodiscard]] bool locks(const sql::Query& query) const override;
  bool lock_examined(const sql::Query& query,
                     const std::vector<sql::JoinedRow>* found,
                     const sql::Window& window) override;
  bool find_duplicate(TableId table, std::size_t key, const sql::Row& row,
                      sql::RowHandle self, Purpose purpose,
                      std::optional<Match>& found) override;
  bool lock_conflicting(sql::RowHandle at, sql::LockStrength strength,
                        sql::Row& there) override;
  bool find_parent(const sql::ForeignKey& key, const sql::Row& child,
                   bool& is_found) override;
  bool is_replaced(const sql::ForeignKey&, const sql::Row&, bool&) override {
    return true;  // rows are looked at one by one, each when it goes
  }
  bool find_children(TableId child, const sql::ForeignKey& key,
                     const sql::Row& parent,
                     std::vector<sql::RowHandle>& children) override;
  bool lock_child(sql::RowHandle at, const sql::ForeignKey& key,
                  const sql::Row& parent, sql::LockStrength strength,
                  std::optional<sql::Row>& row) override;
  bool put(TableId table, const sql::Row& row, sql::RowHandle& at) override;
  bool replace(sql::RowHandle at, const sql::Row& old,
               const sql::Row& row) override;
  bool erase(sql::RowHandle at, const sql::Row& old) override;
  bool leave(sql::RowHandle at, const sql::Row& old) override;
  bool move(sql::RowHandle at, const sql::Row& old, const sql::Row& row,
            sql::RowHandle& now) override;
  void take_back(sql::RowHandle at) override;
  bool finish_keys(sql::RowHandle at, const sql::Row& row,
                   const sql::Row* old) override;

 private:
  enum class Reading : std::uint8_t { Plain, Shared, Exclusive };
  struct Examined {
    TableId table;
    std::size_t record = 0;
    bool has_record = true;  ///< else only the gap
    LockMode mode = LockMode::Share;
    bool is_target = false;  ///< of an UPDATE, DELETE or locking SELECT
    bool is_point = false;
    bool is_beyond = false;    ///< ends a range
    bool is_early = false;     ///< before the statement's own scan began
    std::uint32_t index = 0;   ///< by which it was found
    std::uint8_t places = 1;   ///< of Lock
    bool is_last_gap = false;  ///< behind the last row of all
    const StoredRow* shown = nullptr;
    std::optional<GapLock> gap;
  };
  /// Kinds of lock objects.
  enum class Object : std::uint8_t { Table, NextKey, Row, Gap };

  [[nodiscard]] Reading reading_of(const sql::Access& access) const;
  [[nodiscard]] bool is_target(const sql::Access& access) const;
  [[nodiscard]] bool is_select() const {
    return request_.statement->is_select();
  }
  /// A condition that turned out to be NULL before any row was looked at: the
  /// server does not know that, and examines them all.
  bool examine_target(const sql::Relation& target,
                      const std::optional<sql::Expr>& where);
  [[nodiscard]] bool changes_scanned_key(
      const std::vector<Examined>& examined) const;
  /// A DELETE that looks at its own table elsewhere: rows are found first, then
  /// deleted.
  [[nodiscard]] bool finds_first() const;
  bool scan_snapshot(const sql::Access& access, const OnRow& on_row);
  bool scan_locking(const sql::Access& access, Reading reading,
                    const OnRow& on_row);
  [[nodiscard]] bool locks_gaps() const {
    return isolation_ != Isolation::ReadUncommitted &&
           isolation_ != Isolation::ReadCommitted;
  }

  [[nodiscard]] std::optional<Path> path_to_extreme(
      const sql::Access& access, const std::vector<ColumnRange>& ranges);
  /// Rows that were deleted since the read view are still met.
  void examine_deleted(const sql::Access& access,
                       const std::vector<ColumnRange>& ranges, LockMode mode);
  /// What the statement's WHERE says of single columns of its target.
  [[nodiscard]] std::vector<ColumnRange> ranges_of(const sql::Access& access);
  void add_range(const sql::Expr& conjunct, std::vector<ColumnRange>& ranges);

  bool still_waits();
  bool insert_entry(TableId table, const sql::Row& row, std::size_t& index);

  /// Locks one thing that was examined.  `is_kept`: it matched, or the level
  /// keeps all.
  bool acquire(const Examined& examined, bool is_kept);
  bool acquire_all();
  struct Want {
    LockMode mode = LockMode::Share;
    std::uint8_t places = 1;
  };
  /// The primary key shows a row's last change; the entry of another index does
  /// not, and then nobody looks.
  bool lock_record(TableId table, std::size_t index, Want want);
  /// Others who hold, or asked before for, what conflicts.
  [[nodiscard]] SessionSet blockers(const Record& record, Want want) const;
  [[nodiscard]] SessionSet blockers(const Examined& e) const {
    return blockers(record(e.table, e.record), {e.mode, e.places});
  }
  bool wait_for(TableId table, std::size_t index, Want want,
                SessionSet blockers);
  void grant_at(TableId table, std::size_t index, Want want);
  /// How many of `examined` lie before the row that the statement waited for:
  /// what it did not keep there it does not look at again.
  [[nodiscard]] std::size_t passed(const std::vector<Examined>& examined) const;
  [[nodiscard]] bool is_passed(const Examined& e, std::size_t position,
                               std::size_t passed) const;
  void note_object(TableId table, std::uint32_t index, Object kind,
                   LockMode mode);
  bool check_unchanged(const Record& record);
  /// Nobody else has a gap there: in the primary key, or in other indexes.
  bool check_gaps(TableId table, const sql::Row& row, const sql::Row* old,
                  bool is_first);
  /// The level keeps a lock on what was examined, matching or not.
  [[nodiscard]] bool keeps(const Examined& examined) const {
    return locks_gaps() || !examined.is_target || examined.is_beyond ||
           finds_first();
  }
  bool change_entries(TableId table, std::size_t index, const sql::Row& old,
                      const sql::Row* row);
  void drop_waiting();

  const Isolation isolation_;
  std::vector<Examined> examined_;
  bool is_same_wait_ = false;
  bool was_awaited_ = false;  ///< the lock that was granted last
};

}  // namespace txscope::engine
