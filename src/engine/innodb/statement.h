#pragma once

#include <vector>

#include "engine/innodb/index.h"
#include "engine/innodb/key_order.h"
#include "engine/innodb/locks.h"
#include "engine/innodb/mariadb.h"
#include "engine/server/product_rules.h"
#include "engine/server/versioned_statement.h"

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
                  const sql::Request& request, Isolation isolation,
                  InnodbStatement* outer = nullptr);

  sql::StatementEnd run();

  [[nodiscard]] unsigned nesting() const override { return rank_ - 1u; }
  bool run_nested(const sql::Routines& routines, const sql::Request& request,
                  std::span<const sql::Value> slots, const Budget& budget,
                  sql::StatementResult& result,
                  std::optional<sql::SqlError>& error) override;
  [[nodiscard]] std::size_t depth() const override {
    return state_.sessions[me_].savepoints.size();
  }
  bool lock_object(const sql::ExplicitLock& lock,
                   std::span<const std::int64_t> key, bool& is_done) override;

  [[nodiscard]] const sql::WriteRules& rules() const override {
    return rules_of(Product::MariaDb);
  }
  [[nodiscard]] bool scan(const sql::Access& access,
                          const OnRow& on_row) override;
  bool each_target(
      const sql::Relation& target, const std::optional<sql::Expr>& where,
      const std::vector<sql::FoundRow>* found, const sql::Window& window,
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
  bool enter_key(sql::RowHandle at, std::size_t key) override;
  bool finish_keys(sql::RowHandle at, const sql::Row& row,
                   const sql::Row* old) override;

 private:
  [[nodiscard]] bool keeps_undone_locks() const override { return true; }

  enum class Reading : std::uint8_t { Plain, Shared, Exclusive };
  using Kind = PageLock::Kind;
  using Want = PageLocks::Want;
  static constexpr std::size_t kNoRecord = static_cast<std::size_t>(-1);
  /// Where a row belongs in the clustered index.
  struct Place {
    const StoredRow* key = nullptr;
    std::size_t record = 0;  ///< behind the last: none is there
  };
  [[nodiscard]] Place find_place(TableId table, const sql::Row& row) const;
  struct Examined {
    TableId table;
    std::size_t record = 0;
    bool has_record = true;  ///< else only the gap
    bool is_target = false;  ///< of an UPDATE, DELETE or locking SELECT
    bool is_point = false;
    bool is_beyond = false;   ///< ends a range
    bool is_early = false;    ///< before the statement's own scan began
    bool is_outside = false;  ///< of a subquery, and not what it asks for
    bool needs_row = false;   ///< not only the entry
    Want want;
    const StoredRow* shown = nullptr;  ///< none: the entry is only marked
  };

  [[nodiscard]] Reading reading_of(const sql::Access& access) const;
  /// Of what is not the target of a statement that changes rows.
  [[nodiscard]] Reading reading_beside(const sql::Access& access) const;
  [[nodiscard]] bool is_target(const sql::Access& access) const;
  [[nodiscard]] bool is_select() const {
    return request_.statement->is_select();
  }
  /// A condition that turned out to be NULL before any row was looked at: the
  /// server does not know that, and examines them all.
  bool examine_target(const sql::Relation& target,
                      const std::optional<sql::Expr>& where);
  [[nodiscard]] bool compares_key(const sql::Relation& target,
                                  const sql::Expr& where) const;
  bool acquire_set_reads(bool is_early);
  [[nodiscard]] bool changes_scanned_key(
      const std::vector<Examined>& examined) const;
  [[nodiscard]] bool finds_first() const;
  /// Puts what was examined in the order of the scan; None: rows are sorted
  /// behind it.
  KeyOrder turn(KeyOrder order, bool is_ordered,
                std::vector<Examined>& examined) const;
  bool scan_snapshot(const sql::Access& access, const OnRow& on_row);
  bool scan_locking(const sql::Access& access, Reading reading,
                    const OnRow& on_row);
  [[nodiscard]] bool locks_gaps() const {
    return isolation_ != Isolation::ReadUncommitted &&
           isolation_ != Isolation::ReadCommitted;
  }

  [[nodiscard]] std::optional<Path> path_to_extreme(
      const sql::Access& access, const std::vector<ColumnRange>& ranges);
  /// What the statement's WHERE says of single columns of its target.
  [[nodiscard]] std::vector<ColumnRange> ranges_of(const sql::Access& access);
  void add_range(const sql::Expr& conjunct, std::vector<ColumnRange>& ranges);

  bool insert_row(TableId table, const sql::Row& row, std::size_t& index);

  /// Locks one thing that was examined.  `is_kept`: it matched, or the level
  /// keeps all.
  bool acquire(const Examined& examined, bool is_kept);
  bool acquire_all();
  [[nodiscard]] PageLocks page_locks(TableId table);
  /// Locks an entry, of that record if it is one.  `is_new`: it had no lock
  /// there.
  bool lock_entry(TableId table, std::size_t record_no, const Want& want,
                  bool& is_new);
  bool lock_entry(TableId table, std::size_t record_no, const Want& want) {
    bool is_new = false;
    return lock_entry(table, record_no, want, is_new);
  }
  /// A change by somebody who is not over counts as a lock.
  void make_explicit(TableId table, std::size_t record_no, const Want& want);
  /// Whether locking it would have to wait.
  [[nodiscard]] bool is_blocked(const Examined& examined);
  bool wait_at(TableId table, const Want& want);
  /// How many of `examined` lie before the row that the statement waited for:
  /// what it did not keep there it does not look at again.
  [[nodiscard]] std::size_t passed(const std::vector<Examined>& examined) const;
  [[nodiscard]] bool is_passed(const Examined& e, std::size_t position,
                               std::size_t passed);
  /// The lock on a table that goes before those on its rows.
  void intend(TableId table, LockMode mode);
  bool check_unchanged(const Record& record);
  /// The level keeps a lock on what was examined, matching or not.
  [[nodiscard]] bool keeps(const Examined& examined) const {
    return locks_gaps() || examined.is_beyond ||
           (examined.is_target ? finds_first() : !examined.is_outside);
  }

  /// A lock that is needed to change something; `ask` says whether it is there.
  /// A statement that runs again does not ask for those that it got.
  template <class Ask>
  bool pass(const Ask& ask) {
    std::uint32_t& changes = first().changes_;
    if (changes++ < session().passed_changes) return true;
    if (!ask()) return false;
    session().passed_changes = changes;
    return true;
  }
  void write_row(sql::RowHandle at, const StoredRow* row);
  bool enter_at(TableId table, const IndexShape& index, const StoredRow* entry,
                std::size_t record_no);
  bool mark_entry(sql::RowHandle at, const IndexShape& index,
                  const StoredRow* row);
  bool mark_in(sql::RowHandle at, const IndexShape& index);
  void come_to(sql::RowHandle at, const IndexShape& index, bool is_all);
  bool enter_index(sql::RowHandle at, const IndexShape& index);
  /// Besides `self`, which may be no record yet.
  bool scan_duplicates(sql::RowHandle self, const IndexShape& index,
                       const sql::Row& row, LockMode mode,
                       std::optional<Match>& found);
  bool lock_marked(TableId table, const IndexShape& index, const sql::Row& key,
                   bool is_all, std::vector<sql::RowHandle>& found);
  [[nodiscard]] const StoredRow* intern(const sql::Row& entry) {
    return entry.empty() ? nullptr : around_.rows.intern(entry);
  }

  /// The one that its session has sent; the others are those of triggers.
  [[nodiscard]] InnodbStatement& first() {
    return invoker_ == nullptr ? *this : invoker_->first();
  }
  [[nodiscard]] const InnodbStatement& first() const {
    return invoker_ == nullptr ? *this : invoker_->first();
  }
  /// A statement around this one writes the table that the other is to write.
  [[nodiscard]] bool is_in_use(const sql::DbStatement& other) const;

  const Isolation isolation_;
  InnodbStatement* const invoker_;
  std::span<const sql::Value> slots_;  ///< of the routine that sends it
  std::vector<Examined> examined_;
  std::size_t scans_ = 0;      ///< without locks
  std::uint32_t changes_ = 0;  ///< how many locks were needed to change things
  bool is_counted_ = false;    ///< the next change is counted already
  static constexpr std::uint8_t kNoIndex = 0xff;
  std::uint8_t scanned_ =
      kNoIndex;  ///< for duplicates of what comes there next
  struct Left {
    sql::RowHandle at;
    sql::RowHandle now;
  };
  std::optional<Left> left_;  ///< the last row that moved in the primary key
};

}  // namespace txscope::engine
