#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/footprint.h"
#include "engine/identity/session_marks.h"
#include "engine/server/state.h"
#include "exec/sql/memory/database.h"
#include "exec/sql/writer/writer.h"
#include "model/product/error_class.h"
#include "model/product/profile.h"

namespace txscope::engine {

/// What all runs of statements share.
struct Surroundings {
  const sql::Routines& routines;
  RowPool& rows;
  const Budget& budget;
  /// Sequences that give each session numbers of its own (identifiers.h); one
  /// without a name, for any values that are never the same, always does.
  std::vector<bool> own_numbers = {};
  /// Whether currval() or lastval() is asked anywhere.
  bool remembers_numbers = analysis::remembers(routines.application());
  /// If sessions that are alike are exchanged: by what they can be told.
  const SessionMarks* marks = nullptr;
  /// The tables as all runs begin, once they were made (Server::initial).
  struct FirstTables {
    std::optional<sql::MemoryDatabase> of = {};
    Product product = Product::PostgreSql;
    std::vector<std::shared_ptr<const TableState>> tables;
  };
  std::shared_ptr<FirstTables> first = std::make_shared<FirstTables>();

  /// The same for other runs, in which no sessions are exchanged.
  [[nodiscard]] Surroundings with(const Budget& other) const {
    Surroundings same{routines, rows, other, own_numbers, remembers_numbers};
    if (marks == nullptr) same.first = first;  // else rows have marks
    return same;
  }

  [[nodiscard]] const sql::Schema& schema() const {
    return routines.application().schema;
  }
  [[nodiscard]] const StoredRow* intern(TableId table, sql::Row row) const {
    if (marks == nullptr) return rows.intern(std::move(row));
    auto found = marks->of_row(table, row);
    return rows.intern(std::move(row), std::move(found));
  }
  [[nodiscard]] bool has_own_numbers(std::uint32_t sequence) const {
    return schema().sequences[sequence].name.empty() ||
           (sequence < own_numbers.size() && own_numbers[sequence]);
  }
};

/// One run of one statement on a state: what the products have in common.  What
/// it writes is fresh, and invisible to itself, until the statement is done.
class VersionedStatement : public sql::Database, public sql::RemembersNumbers {
 public:
  /// Numbers of sequences; a statement that runs again gets the same ones
  /// again.
  std::int64_t next(std::uint32_t sequence) override;
  [[nodiscard]] Remembered last_number(
      std::optional<std::uint32_t> sequence) override;
  [[nodiscard]] std::optional<sql::Row> latest(sql::RowHandle at) override;
  /// As Server::nest: what a sub-transaction of a trigger wrote is undone by
  /// itself, and its locks are freed where the product does that.
  bool nest(const sql::Request& request) override;
  bool lock_object(const sql::ExplicitLock&, std::span<const std::int64_t>,
                   bool&) override {
    return undecided("LOCK TABLE and advisory locks are not followed here");
  }

 protected:
  /// InnoDB keeps the locks of what a savepoint undoes.
  [[nodiscard]] virtual bool keeps_undone_locks() const { return false; }

  VersionedStatement(const Surroundings& around, State& state, SessionNo me,
                     const sql::Request& request,
                     VersionedStatement* outer = nullptr)
      : around_(around),
        state_(state),
        me_(me),
        request_(request),
        outer_(outer),
        rank_(static_cast<std::uint8_t>(outer == nullptr ? 1
                                                         : outer->rank_ + 1)) {}

  /// Runs the statement from its start; false: see end().
  bool write_statement(std::span<const sql::Value> slots);
  /// How many of SessionState::nested_snapshots were used so far.
  [[nodiscard]] std::size_t& used_snapshots() {
    return outermost().used_snapshots_;
  }
  /// The same of SessionState::skips.
  [[nodiscard]] std::size_t& used_skips() { return outermost().used_skips_; }
  /// The one that its session has sent.
  [[nodiscard]] VersionedStatement& outermost() {
    return outer_ == nullptr ? *this : outer_->outermost();
  }

  // How it ended.  All return false, so that `return fail(...)` ends a
  // function that says whether to go on.
  bool fail(std::string code, std::string message);
  bool fail(const ErrorRow& error) {
    return fail(std::string(error.code), std::string(error.message));
  }
  bool wait(SessionSet blockers) { return end_.wait(blockers); }
  bool undecided(std::string why) { return end_.undecided(std::move(why)); }
  [[nodiscard]] bool is_halted() const { return !end_.is_done(); }

  [[nodiscard]] SessionState& session() { return state_.sessions[me_]; }
  [[nodiscard]] const sql::Table& schema(TableId table) const {
    return around_.schema().at(table);
  }
  [[nodiscard]] const Record& record(TableId table, std::size_t index) const {
    return state_.table(table).records[index];
  }
  [[nodiscard]] Record& change(TableId table, std::size_t index);

  /// Own rows as they were when the statement began, else those of `snapshot`.
  [[nodiscard]] const StoredRow* visible(const Record& record,
                                         Stamp snapshot) const;
  /// Own rows with what this statement wrote, else the last committed ones.
  [[nodiscard]] const StoredRow* tip(const Record& record) const {
    return record.pending.owner == me_ ? record.pending.row
                                       : record.committed();
  }
  /// Writes a row (none: deletes it).  The caller holds the lock.
  void write(TableId table, std::size_t index, const StoredRow* row);
  std::size_t insert(TableId table, const StoredRow* row);
  /// Takes back what an earlier run of this statement wrote before it waited.
  void undo_fresh();
  /// The statement is done: the transaction's later statements see its rows.
  void settle_fresh();
  /// How many sub-transactions are open.
  [[nodiscard]] std::uint8_t nested_in() const {
    return static_cast<std::uint8_t>(state_.sessions[me_].savepoints.size());
  }
  /// Grants a lock, or makes the one that is there stronger.
  void grant(TableId table, std::size_t index, LockMode mode);
  /// Others whose granted locks conflict.
  [[nodiscard]] SessionSet holders(const Record& record, LockMode mode) const;

  /// A lock on something that is no row; false: it waits.  `is_done`: it was
  /// got; else it gave up.
  bool acquire(ObjectLock wanted, bool gives_up, bool& is_done);
  /// `is_done`: it was held.
  bool release(const ObjectLock& wanted, bool& is_done);
  /// By one number or two, or all of the session.
  bool lock_advisory(const sql::ExplicitLock& lock,
                     std::span<const std::int64_t> key, bool& is_done);
  void wake_waiting();

  /// Rows of `table` that a scan shows, in order of the primary key.
  struct Shown {
    std::size_t index;
    const StoredRow* row;
  };
  void sort_by_key(TableId table, std::vector<Shown>& rows) const;
  /// What `snapshot` shows, by Spot.
  [[nodiscard]] std::vector<Shown> in_heap_order(TableId table,
                                                 std::vector<Shown> rows,
                                                 Stamp snapshot) const;

  const Surroundings& around_;
  State& state_;
  const SessionNo me_;
  const sql::Request& request_;
  VersionedStatement* const outer_;  ///< that fired the trigger that sent it
  const std::uint8_t rank_;          ///< as in Pending

 private:
  [[nodiscard]] Spot next_spot(TableId table);

  std::size_t used_snapshots_ = 0;
  std::size_t used_spots_ = 0;
  std::size_t used_skips_ = 0;
  std::size_t used_numbers_ = 0;
};

// Keys.

using sql::differ;
using sql::has_null;
using sql::same_values;

/// Whether the row has all the values that an access asks for.
[[nodiscard]] bool matches(const sql::Access& access, const sql::Row& row);
/// Whether `columns` all have a value in the access.
[[nodiscard]] bool covers(const sql::Access& access,
                          std::span<const std::uint32_t> columns);

}  // namespace txscope::engine
