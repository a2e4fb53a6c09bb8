#pragma once

#include <vector>

#include "engine/postgres/postgres.h"
#include "engine/server/product_rules.h"
#include "engine/server/versioned_statement.h"

namespace txscope::engine {

/// One statement on PostgreSQL; see postgres.h.  Private to postgres*.cpp.
class PostgresStatement : public VersionedStatement {
 public:
  PostgresStatement(const Surroundings& around, State& state, SessionNo me,
                    const sql::Request& request, Product product,
                    Isolation isolation, PostgresStatement* outer = nullptr);

  sql::StatementEnd run();
  [[nodiscard]] bool is_restarting() const { return is_restarting_; }

  [[nodiscard]] const sql::WriteRules& rules() const override {
    return rules_of(product_);
  }
  [[nodiscard]] bool scan(const sql::Access& access,
                          const OnRow& on_row) override;
  bool lock(sql::RowHandle at, sql::LockStrength strength, IfLocked if_locked,
            Locked& locked) override;
  [[nodiscard]] bool locks(const sql::Query& query) const override {
    // SQLite knows no row locks.
    return query.lock != sql::LockStrength::None && product_ != Product::Sqlite;
  }
  bool find_duplicate(TableId table, std::size_t key, const sql::Row& row,
                      sql::RowHandle self, Purpose purpose,
                      std::optional<Match>& found) override;
  bool may_meet(TableId table, std::size_t key, const sql::Row& row,
                sql::RowHandle self, bool& may) override;
  bool meet(sql::RowHandle at) override;
  bool lock_conflicting(sql::RowHandle at, sql::LockStrength strength,
                        sql::Row& there) override;
  bool find_parent(const sql::ForeignKey& key, const sql::Row& child,
                   bool& is_found) override;
  bool is_replaced(const sql::ForeignKey& key, const sql::Row& gone,
                   bool& is_found) override;
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
  bool enter_key(sql::RowHandle at, std::size_t key) override;
  [[nodiscard]] unsigned nesting() const override { return rank_ - 1u; }
  bool run_nested(const sql::Routines& routines, const sql::Request& request,
                  std::span<const sql::Value> slots, const Budget& budget,
                  sql::StatementResult& result,
                  std::optional<sql::SqlError>& error) override;
  bool lock_object(const sql::ExplicitLock& lock,
                   std::span<const std::int64_t> key, bool& is_done) override;
  [[nodiscard]] std::size_t depth() const override {
    return state_.sessions[me_].savepoints.size();
  }
  void keep_keys(sql::RowHandle at) override;

 private:
  /// All records of a table, as a look into the index of a key meets them;
  /// none: in any order.
  [[nodiscard]] std::vector<std::size_t> in_index_order(
      TableId table, const sql::UniqueKey& key) const;
  /// Who may be about to make or remove one; none: nobody.
  SessionSet look_for_duplicate(TableId table, std::size_t constraint,
                                const sql::Row& row, sql::RowHandle self,
                                std::optional<Match>& found);
  bool take_snapshot();
  // postgres_objects.cpp
  bool lock_tables();
  bool start();
  /// Locks a row that `snapshot_` showed.  `tip`: its latest version, none if
  /// it is gone (nothing is locked then).
  struct Tip {
    const StoredRow* row = nullptr;
    bool is_changed = false;  ///< since the snapshot, by others
  };
  bool lock_record(TableId table, std::size_t index, LockMode mode,
                   IfLocked if_locked, Tip& tip);
  /// Always says false.
  bool wait_for_row(TableId table, std::size_t index, LockMode mode,
                    SessionSet blockers);
  /// What SKIP LOCKED does about the next row that it asks for.
  bool decide_skip(bool is_locked);

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
  [[nodiscard]] bool has_waited_for_child();
  bool conflict_with_writer(bool is_deleted);

  const Product product_;
  const Isolation isolation_;
  Stamp snapshot_ = kNoSnapshot;
  /// Oracle: the statement met a row that was changed since its snapshot, and
  /// starts again with a new one.
  bool is_restarting_ = false;
};

}  // namespace txscope::engine
