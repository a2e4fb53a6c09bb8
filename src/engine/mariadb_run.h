#pragma once

#include <vector>

#include "engine/innodb_index.h"
#include "engine/mariadb.h"
#include "engine/statement_run.h"

namespace txscope::engine {

/// One statement on MariaDB; see mariadb.h.  Private to mariadb*.cpp.
///
/// A scan that locks only notes what it examines, and shows the last committed
/// row where somebody else's is not committed.  When the statement has been
/// evaluated, what it examined is locked in that order, and rows are written as
/// their turn comes.  At the first lock that is not free the statement waits:
/// what was evaluated behind it does not count, as it runs again.
class MariaDbRun : public StatementRun {
 public:
  MariaDbRun(const Surroundings& around, State& state, SessionNo me,
             const sql::Request& request, Isolation isolation);

  Answer run();
  [[nodiscard]] bool scan(const sql::Access& access,
                          const OnRow& on_row) override;

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
    std::uint32_t index = 0;   ///< by which it was found
    std::uint8_t places = 1;   ///< of Lock
    bool is_last_gap = false;  ///< behind the last row of all
    const StoredRow* shown = nullptr;
    std::optional<GapLock> gap;
  };
  /// Kinds of lock objects.
  enum class Object : std::uint8_t { Table, NextKey, Row, Gap };

  bool raise(const sql::SqlError& error) override;
  [[nodiscard]] Reading reading_of(const sql::Access& access) const;
  [[nodiscard]] bool is_target(const sql::Access& access) const;
  [[nodiscard]] bool is_select() const {
    return request_.statement->is_select();
  }
  /// A condition that turned out to be NULL before any row was looked at: the
  /// server does not know that, and examines them all.
  bool examine_target(const sql::Relation& target,
                      const std::optional<sql::Expr>& where);
  bool scan_snapshot(const sql::Access& access, const OnRow& on_row);
  bool scan_locking(const sql::Access& access, Reading reading,
                    const OnRow& on_row);
  [[nodiscard]] bool locks_gaps() const {
    return isolation_ != Isolation::ReadUncommitted &&
           isolation_ != Isolation::ReadCommitted;
  }

  /// Rows that were deleted since the read view are still met.
  void examine_deleted(const sql::Access& access,
                       const std::vector<ColumnRange>& ranges, LockMode mode);
  /// What the statement's WHERE says of single columns of its target.
  [[nodiscard]] std::vector<ColumnRange> ranges_of(const sql::Access& access);
  void add_range(const sql::Expr& conjunct, std::vector<ColumnRange>& ranges);

  bool still_waits();
  bool run_once();
  bool select(const sql::Query& query);
  bool select_and_lock(const sql::Query& query);
  bool update(const sql::Update& update);
  bool remove(const sql::Delete& remove);
  bool insert_rows(const sql::Insert& insert);
  bool insert_row(const sql::Insert& insert, const sql::Row& row);
  bool insert_entry(TableId table, const sql::Row& row, std::size_t& index);
  bool update_duplicate(const sql::Insert& insert, std::size_t index,
                        const sql::Row& excluded);

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
  bool lock(TableId table, std::size_t index, Want want);
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
    return locks_gaps() || !examined.is_target || examined.is_beyond;
  }
  struct Duplicate {
    bool is_found = false;
    std::size_t index = 0;
  };
  bool find_duplicate(TableId table, std::size_t constraint,
                      const sql::Row& row, std::size_t self, bool is_exclusive,
                      Duplicate& duplicate);
  bool replace(TableId table, std::size_t index, const sql::Row& row);
  bool erase(TableId table, std::size_t index);
  bool change_entries(TableId table, std::size_t index, const sql::Row& old,
                      const sql::Row* row);
  bool check_parents(TableId table, const sql::Row& row, const sql::Row* old);
  bool check_children(TableId table, const sql::Row& old, const sql::Row* row);
  bool returning(const sql::Row& row);
  void drop_waiting();

  const Isolation isolation_;
  std::vector<Examined> examined_;
  bool is_same_wait_ = false;
  bool was_awaited_ = false;  ///< the lock that was granted last
};

}  // namespace txscope::engine
