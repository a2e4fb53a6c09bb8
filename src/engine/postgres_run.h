#pragma once

#include <vector>

#include "engine/postgres.h"
#include "engine/statement_run.h"

namespace txscope::engine {

/// One statement on PostgreSQL; see postgres.h.  Private to postgres*.cpp.
class PostgresRun : public StatementRun {
 public:
  PostgresRun(const Surroundings& around, State& state, SessionNo me,
              const sql::Request& request, Product product,
              Isolation isolation);

  Answer run();
  [[nodiscard]] bool is_restarting() const { return is_restarting_; }
  [[nodiscard]] bool scan(const sql::Access& access,
                          const OnRow& on_row) override;

 private:
  bool take_snapshot();
  bool run_once();
  /// Oracle: the statement met a row that was changed since its snapshot, and
  /// starts again with a new one.
  bool restart();

  // SELECT.
  bool select(const sql::Query& query);
  bool select_and_lock(const sql::Query& query);
  /// One row of a locking SELECT; `is_gone`: it does not match any more.
  bool lock_joined(const sql::Query& query, sql::JoinedRow& joined,
                   bool& is_gone);

  // UPDATE and DELETE.
  bool update(const sql::Update& update);
  bool remove(const sql::Delete& remove);
  bool update_row(const sql::Update& update, std::size_t index,
                  const sql::Row& shown);
  bool remove_row(const sql::Delete& remove, std::size_t index);
  /// Locks a row that `snapshot_` showed.  `tip`: its latest version, none if
  /// it is gone (nothing is locked then).
  struct Locked {
    const StoredRow* tip = nullptr;
    bool is_changed = false;  ///< since the snapshot, by others
  };
  bool lock(TableId table, std::size_t index, LockMode mode, Locked& locked,
            bool is_nowait = false);
  /// The row is locked: writes it, with unique checks and what foreign keys
  /// need to look at afterwards.
  bool replace(TableId table, std::size_t index, sql::Row row);
  bool erase(TableId table, std::size_t index);
  [[nodiscard]] LockMode mode_of_update(TableId table, const sql::Row& old,
                                        const sql::Row& row) const;
  bool check_row(TableId table, const sql::Row& row);
  bool returning(const sql::Row& row);

  // INSERT.
  bool insert_rows(const sql::Insert& insert);
  bool insert_row(const sql::Insert& insert, const sql::Row& row);
  bool update_conflicting(const sql::Insert& insert, std::size_t index,
                          const sql::Row& excluded);
  /// Looks for another row with the same key, against the latest versions,
  /// waiting for those who are about to make or remove one.
  bool find_duplicate(TableId table, std::size_t constraint,
                      const sql::Row& row, std::size_t self, bool& is_found,
                      std::size_t& found);
  bool check_unique(TableId table, std::size_t index, const sql::Row& row,
                    const sql::Row* old);

  // Foreign keys, at the end of the statement.
  struct Event {
    TableId table;
    std::size_t index = 0;
    const StoredRow* old = nullptr;  ///< none: inserted
    const StoredRow* row = nullptr;  ///< none: deleted
  };
  bool check_foreign_keys();
  bool check_parent(const sql::Table& child, const sql::ForeignKey& key,
                    const sql::Row& row);
  bool check_children(const Event& event);
  bool check_child(const Event& event, TableId child,
                   const sql::ForeignKey& key, std::size_t index);

  // Serializable transactions.
  [[nodiscard]] bool is_serializable() const {
    return product_ == Product::PostgreSql &&
           isolation_ == Isolation::Serializable;
  }
  bool note_scan(const sql::Access& access);
  /// A foreign key's query for rows with these values, on a snapshot.
  bool note_key_scan(TableId table, std::span<const std::uint32_t> columns,
                     std::span<const std::uint32_t> value_columns,
                     const sql::Row& values, Stamp snapshot);
  /// ON CONFLICT has read the row that it met.
  bool note_row(TableId table, std::size_t index);
  bool note_write(TableId table, const Record* record);
  bool note_index_insert(TableId table, std::size_t index);
  bool serialization_failure();

  [[nodiscard]] bool keeps_snapshot() const {
    return isolation_ != Isolation::ReadCommitted;
  }
  /// Another transaction's commit since the snapshot made this the last
  /// version.
  [[nodiscard]] bool is_written_since(const Record& record) const;
  bool conflict_with_writer(bool is_deleted);

  const Product product_;
  const Isolation isolation_;
  Stamp snapshot_ = kNoSnapshot;
  const std::vector<sql::Target>* returning_ = nullptr;
  std::vector<Event> events_;
  bool is_restarting_ = false;
};

}  // namespace txscope::engine
