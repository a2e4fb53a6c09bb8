#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "exec/sql/query/evaluate.h"
#include "exec/sql/value/index_entry.h"
#include "exec/sql/writer/statement_end.h"
#include "exec/sql/writer/write_rules.h"

namespace txscope::sql {

/// All that a database is to a statement: rows to show, keys to look up, locks,
/// places for rows, numbers.  The Writer knows the order of the steps; a
/// Database knows what one step finds and does: tables in memory, the answers
/// of a search, the versions and locks of a product.
///
/// One Database serves one run of one statement.  What the statement wrote is
/// invisible to scan(), and visible to everything else.  Every step says
/// whether to go on; if not, end() says why.
class Database : public Store, public Sequences {
 public:
  [[nodiscard]] const StatementEnd& end() const { return end_; }
  [[nodiscard]] StatementEnd& end() { return end_; }
  [[nodiscard]] virtual const WriteRules& rules() const = 0;

  // Statements that triggers run, inside of this one.

  /// Said by who writes: what the expressions of indexes are evaluated with.
  void serve(const Routines& routines) { served_ = &routines; }
  /// Which statement of the setup runs; triggers that come later do not fire.
  std::size_t setup_position = static_cast<std::size_t>(-1);
  /// All foreign keys are left to who runs the statements, not just those that
  /// are INITIALLY DEFERRED.
  bool leaves_foreign_keys = false;
  /// What SET CONSTRAINTS said; none: nothing.
  const ConstraintModes* modes = nullptr;
  const std::vector<Value>* settings = nullptr;  ///< of the session
  /// What the triggers see that this statement fires now (SetKind::Transition).
  using Transition = std::array<std::vector<Row>, 2>;
  std::shared_ptr<const Transition> firing;
  [[nodiscard]] std::span<const Row> transition(
      std::uint32_t which) const override {
    return transition_ == nullptr ? std::span<const Row>()
                                  : std::span<const Row>((*transition_)[which]);
  }
  [[nodiscard]] const std::vector<Value>* session_settings() const override {
    return settings;
  }
  /// It is a trigger's statement, inside of `outer`.
  void inherit(const Database& outer) {
    setup_position = outer.setup_position;
    modes = outer.modes;
    settings = outer.settings;
    transition_ = outer.firing;
  }
  /// How deep triggers have fired one another.
  [[nodiscard]] virtual unsigned nesting() const { return 0; }
  /// Runs a statement that sees what this one has done so far.  False: see
  /// end().  `error`: it failed, and nothing of it remains.
  virtual bool run_nested(const Routines& routines, const Request& request,
                          std::span<const Value> slots, const Budget& budget,
                          StatementResult& result,
                          std::optional<SqlError>& error);
  /// A sub-transaction of a trigger; its depth counts from depth() on.
  virtual bool nest(const Request& request);
  [[nodiscard]] virtual std::size_t depth() const { return 0; }

  // What a statement found.

  /// Calls `on_target` for the rows that WHERE found, each in its turn, as many
  /// as `window` allows; ORDER BY has sorted them. `found` is null if
  /// evaluating WHERE failed; who locks what it examined does that here, and
  /// the error counts only then.
  virtual bool each_target(
      const Relation& target, const std::optional<Expr>& where,
      const std::vector<FoundRow>* found, const Window& window,
      const std::function<bool(const FoundRow&)>& on_target);
  /// What an expression has read is to be kept from changing, if the level
  /// does that.
  virtual bool keep_reads() { return true; }

  // Locks.

  /// Of a row that scan() showed.
  struct Locked {
    bool is_gone = false;
    bool is_changed = false;  ///< by others since it was shown; `row` is now
    Row row;
  };
  /// What to do about a row that another transaction has locked.
  enum class IfLocked : std::uint8_t {
    Wait,
    Fail,
    Skip  ///< it is as good as gone; so it is when the statement runs again
  };
  virtual bool lock(RowHandle at, LockStrength strength, IfLocked if_locked,
                    Locked& locked);
  /// LOCK TABLE, or an advisory lock with these numbers.  `is_done`: it was
  /// got, or given back.  Where nobody else is there is nothing to do.
  virtual bool lock_object(const ExplicitLock&, std::span<const std::int64_t>,
                           bool& is_done) {
    is_done = true;
    return true;
  }
  /// Whether SELECT locks the rows that it returns.
  [[nodiscard]] virtual bool locks(const Query& query) const;
  /// Before the rows of a locking SELECT are taken one by one; `found` as
  /// above.
  virtual bool lock_examined(const Query& query,
                             const std::vector<JoinedRow>* found,
                             const Window& window);

  // Keys, always among the latest rows.

  struct Match {
    RowHandle at;
    Row row;
  };
  enum class Purpose : std::uint8_t {
    Arbiter,   ///< ON CONFLICT looks whether a row is there
    Enter,     ///< the row is about to get this key
    Exclusive  ///< the same, and what is found will be changed
  };
  /// A row other than `self` that is in the way of `row` under unique key `key`
  /// (of Table::key_at), in whose index `row` belongs.
  virtual bool find_duplicate(TableId table, std::size_t key, const Row& row,
                              RowHandle self, Purpose purpose,
                              std::optional<Match>& found) = 0;
  /// Whether another row may be in the way: nobody waits, nothing is read.
  virtual bool may_meet(TableId, std::size_t, const Row&, RowHandle,
                        bool& may) {
    may = true;
    return true;
  }
  /// DO NOTHING because of this row.
  virtual bool meet(RowHandle) { return true; }
  /// DO UPDATE will change this row: it as it is now.
  virtual bool lock_conflicting(RowHandle at, LockStrength strength,
                                Row& there) = 0;
  /// Whether the row that `child` names is there, and stays.
  virtual bool find_parent(const ForeignKey& key, const Row& child,
                           bool& is_found) = 0;
  /// Whether another row has by now what `gone` had of the key's parent
  /// columns.
  virtual bool is_replaced(const ForeignKey& key, const Row& gone,
                           bool& is_found) = 0;
  /// Rows that may name `parent`, before they are locked.
  virtual bool find_children(TableId child, const ForeignKey& key,
                             const Row& parent,
                             std::vector<RowHandle>& children) = 0;
  /// One of them: as it is, none if it does not name `parent` after all.
  /// `strength` is what will be done to it; KeyShare: nothing.
  virtual bool lock_child(RowHandle at, const ForeignKey& key,
                          const Row& parent, LockStrength strength,
                          std::optional<Row>& row) = 0;
  /// The latest row there, as the statement left it.
  [[nodiscard]] virtual std::optional<Row> latest(RowHandle at) = 0;

  // Rows.

  /// A new row.
  virtual bool put(TableId table, const Row& row, RowHandle& at) = 0;
  virtual bool replace(RowHandle at, const Row& old, const Row& row) = 0;
  virtual bool erase(RowHandle at, const Row& old) = 0;
  /// Clustered: a row leaves its primary key, and is put at another one.
  virtual bool leave(RowHandle at, const Row& old) { return erase(at, old); }
  virtual bool move(RowHandle at, const Row& old, const Row& row,
                    RowHandle& now);
  /// Takes back a put of this statement, since ON CONFLICT found another row.
  virtual void take_back(RowHandle) {}
  /// The row is now found by this key; `key` counts Table::unique.
  virtual bool enter_key(RowHandle, std::size_t) { return true; }
  /// An UPDATE changes no key: no index is touched.
  virtual void keep_keys(RowHandle) {}
  /// The row has all its keys.
  virtual bool finish_keys(RowHandle, const Row&, const Row*) { return true; }

 protected:
  [[nodiscard]] const Routines& served() const { return *served_; }
  StatementEnd end_;

 private:
  const Routines* served_ = nullptr;
  std::shared_ptr<const Transition> transition_;
};

}  // namespace txscope::sql
