#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "audit/attempt/execute.h"
#include "exec/sql/writer/database.h"

namespace txscope::audit {

/// A row is one life of a primary key: with another key it is another row.
/// `is_mysql`: INSERT meets rows in its way as MySQL's does.
[[nodiscard]] const sql::WriteRules& log_rules(bool is_mysql);

/// One statement of a logged transaction on versioned tables: scans show what
/// its Sight allows with what the transaction wrote over it, keys are looked up
/// in the state that constraints are held against, and what is written goes
/// into the transaction's own writes.  Nobody is waited for: where a product
/// would have waited, the version that it would have found then is there.
class AuditStatement final : public sql::Database {
 public:
  AuditStatement(const Prepared& prepared, const sql::LogStatement& observed,
                 const Tables& tables, OwnWrites& own, const Sight& sight,
                 GeneratedIds& ids);
  /// Of a routine that a logged statement calls.
  AuditStatement(const sql::LogStatement& observed, const Tables& tables,
                 OwnWrites& own, const Sight& sight, GeneratedIds& ids);
  ~AuditStatement() override;
  AuditStatement(const AuditStatement&) = delete;
  AuditStatement& operator=(const AuditStatement&) = delete;

  /// What it does is the same on whatever state has the rows that it visits.
  void settle() {
    if (number_) sight_.points->settle(*number_);
  }
  /// The last commit without which it would have ended otherwise: who left the
  /// version of a row that it took, a key free or taken, a parent there.
  [[nodiscard]] Position waited_for() const { return waited_for_; }
  /// It met a row whose key somebody may have changed; the tables do not tell
  /// which row that is now.
  [[nodiscard]] bool is_unsure() const { return is_unsure_; }
  /// An UPDATE passed rows in the way as if it had changed them already: it
  /// has.
  [[nodiscard]] bool has_changed_passed() const;

  [[nodiscard]] const sql::WriteRules& rules() const override {
    return log_rules(is_mysql_);
  }
  [[nodiscard]] unsigned nesting() const override { return nesting_; }
  bool run_nested(const sql::Routines& routines, const sql::Request& request,
                  std::span<const sql::Value> slots, const Budget& budget,
                  sql::StatementResult& result,
                  std::optional<sql::SqlError>& error) override;
  bool nest(const sql::Request& request) override;
  bool scan(const sql::Access& access, const OnRow& on_row) override;
  std::int64_t next(std::uint32_t sequence) override;
  bool lock(sql::RowHandle at, sql::LockStrength strength, IfLocked if_locked,
            Locked& locked) override;
  [[nodiscard]] bool locks(const sql::Query& query) const override;
  bool find_duplicate(TableId table, std::size_t key, const sql::Row& row,
                      sql::RowHandle self, Purpose purpose,
                      std::optional<Match>& found) override;
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
  [[nodiscard]] std::optional<sql::Row> latest(sql::RowHandle at) override;
  bool put(TableId table, const sql::Row& row, sql::RowHandle& at) override;
  void take_back(sql::RowHandle at) override;
  bool replace(sql::RowHandle at, const sql::Row& old,
               const sql::Row& row) override;
  bool erase(sql::RowHandle at, const sql::Row& old) override;

 private:
  /// It ends as it does because of who has these values, or has them no more.
  void depend_on(TableId table, std::span<const std::uint32_t> columns,
                 std::span<const sql::Value> values);
  [[nodiscard]] Position last_turn(TableId table,
                                   std::span<const std::uint32_t> columns,
                                   std::span<const sql::Value> values) const;
  struct Earlier {
    Match match;
    Position since = kSetup;  ///< it has the values; at the earliest its state
  };
  using InTheWay = std::function<bool(const sql::Row&)>;
  /// The first row that was in the way while it ran; it may be gone when its
  /// transaction ends.
  [[nodiscard]] std::optional<Earlier> find_first(
      const sql::Access& access, const InTheWay& is_in_the_way) const;
  /// For ON CONFLICT.  `found` is the row that is there now, and `turn` the
  /// last commit that made the key free or taken.
  bool find_arbiter(const sql::Access& access, const InTheWay& is_in_the_way,
                    Position turn, std::optional<Match>& found);
  bool find_partial(TableId table, const sql::UniqueKey& key,
                    const sql::Row& row, sql::RowHandle self, Purpose purpose,
                    std::optional<Match>& found);
  /// A lock of a row that its snapshot must have as it is now; false: see
  /// end().
  bool keep(sql::RowHandle at, sql::LockStrength strength);
  bool conflict_with_writer();
  bool find_seen_parent(const sql::ForeignKey& key, const sql::Row& values,
                        bool& is_found);
  /// FOR KEY SHARE keeps nobody from changing other columns: it takes the row
  /// in any version since the state that it sees.
  bool lock_key(sql::RowHandle at, Locked& locked);
  /// Whether who deleted a row has also inserted one.
  [[nodiscard]] bool may_be_moved(TableId table, RowNumber row) const;
  /// An UPDATE may come to its rows in another order: whether the row in the
  /// way of a key is changed by then, or was not yet.
  const OwnWrites& own_before();
  void pass_rows(TableId table, std::span<const std::uint32_t> columns,
                 std::span<const sql::Value> values, sql::RowHandle self,
                 std::optional<Match>& found);
  /// It takes this row in its last version.
  void depend_on(sql::RowHandle at);
  /// Whether a locked row is passed over: who held the lock, the log does not
  /// tell.
  [[nodiscard]] bool skips(sql::RowHandle at, IfLocked if_locked) const;

  const sql::LogStatement& observed_;
  bool is_mysql_ = false;
  const sql::Query* query_ = nullptr;  ///< of a SELECT, as it is run
  const sql::Query* asked_ = nullptr;  ///< and as it was asked
  const Tables& tables_;
  OwnWrites& own_;
  std::optional<std::size_t> number_;  ///< among Sight::points
  Sight sight_;
  GeneratedIds& ids_;
  std::size_t mark_;  ///< what the transaction had written before
  View view_;
  View latest_;
  /// The writes of before, once this statement has written itself.
  std::optional<OwnWrites> before_;
  std::vector<std::int64_t> shown_ids_;  ///< by RETURNING
  std::size_t next_shown_ = 0;
  Position waited_for_ = kSetup;
  bool is_unsure_ = false;
  std::vector<sql::RowHandle> passed_;
  unsigned nesting_ = 0;            ///< of triggers around it
  std::vector<std::size_t> saved_;  ///< sub-transactions of triggers
};

}  // namespace txscope::audit
