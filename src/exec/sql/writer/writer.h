#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "exec/sql/value/row_keys.h"
#include "exec/sql/writer/database.h"

namespace txscope::sql {

/// Runs one statement on a database: the one place that knows what INSERT,
/// UPDATE, DELETE, ON CONFLICT, RETURNING and locking reads do in which order,
/// with defaults, CHECK, UNIQUE and foreign keys.
///
/// Definition.  PostgreSQL's order: a row is made and tested (NOT NULL, CHECK)
/// on what the statement saw, locked, made again if it has changed meanwhile,
/// put, and entered into the indexes one by one; foreign keys are looked at
/// when the statement is over, in the order in which rows were written, and
/// what they change is looked at likewise.  WriteRules has what other products
/// do in another order.
class Writer {
 public:
  Writer(const Routines& routines, Database& database,
         std::span<const Value> slots, const Budget& budget)
      : routines_(routines),
        schema_(routines.application().schema),
        rules_(database.rules()),
        db_(database),
        budget_(budget),
        evaluator_(routines, database, slots, budget) {
    database.serve(routines);
  }

  /// `max_rows` as in Request.  Afterwards the database's end() says how it
  /// went; whatever is not Done leaves it to the database to take back what was
  /// written.
  bool run(const DbStatement& statement, std::uint64_t max_rows);

 private:
  enum class Change : std::uint8_t { Insert, Update, Delete };

  static Change change_of(const std::optional<Row>& old,
                          const std::optional<Row>& now) {
    return !now ? Change::Delete : !old ? Change::Insert : Change::Update;
  }

  /// What is looked at when the statement is over: a row that appeared, changed
  /// or vanished; or, with `all`, that the last row of a table was written.
  struct Event {
    RowHandle at;
    std::optional<Row> old;
    std::optional<Row> now;
    std::optional<Change> all;
    std::span<const SetColumn> set;       ///< what UPDATE has set then
    std::vector<std::uint32_t> met = {};  ///< keys to look at again
  };

  bool raise(SqlError error) {
    return db_.end().fail(renamed(rules_, std::move(error)));
  }
  bool breaks(Broken what, std::string_view key, TableId table,
              std::string_view child = {});
  /// The value; false: it is the end of the statement.
  template <class T>
  bool take(Evaluated<T>&& evaluated, T& value) {
    if (!db_.end().is_done()) return false;
    if (auto* found = std::get_if<T>(&evaluated)) {
      value = std::move(*found);
      return true;
    }
    if (auto* error = std::get_if<SqlError>(&evaluated))
      return raise(std::move(*error));
    return db_.end().undecided("the budget is spent");
  }
  /// The same for what may have read tables.
  template <class T>
  bool take_read(Evaluated<T>&& evaluated, T& value) {
    return db_.keep_reads() && take(std::move(evaluated), value);
  }

  bool run_parts(const DbStatement& statement, std::size_t from,
                 std::size_t to);
  bool run_alone(const DbStatement& statement, std::uint64_t max_rows);
  /// Whether a part of the statement has written the row: no other one does.
  [[nodiscard]] bool is_own_change(RowHandle at) const;

  bool execute(const ExplicitLock& lock);
  bool execute(std::span<const DeferredCheck> checks);
  bool execute(const DeferredCheck& check);
  bool execute(const Select& query);
  bool execute(const Insert& insert);
  bool execute(const Update& update);
  bool execute(const Delete& remove);
  bool execute(const Merge& merge);
  bool select_and_lock(const Query& query);
  bool lock_and_sum(const Query& query);
  bool lock_joined(const Query& query, JoinedRow& joined, bool& is_gone);
  bool insert_rows(const Insert& insert);
  bool insert_row(const Insert& insert, Row row);
  /// One that is tested: beside, or instead of, those that are in its way.
  bool place_row(const Insert& insert, const Row& row);
  bool remove_duplicate(const Database::Match& there);
  bool find_arbiter(const Insert& insert, const Row& row,
                    std::optional<Database::Match>& found);
  bool conflict(const Insert& insert, const Database::Match& there,
                const Row& excluded);
  bool update_row(const Update& update, const FoundRow& target);
  bool remove_row(const Delete& remove, const FoundRow& target);
  bool give_back(const Row& row);
  bool check_row(TableId table, const Row& row);

  // writer_merge.cpp
  bool merge_row(const Merge& merge, JoinedRow& joined);
  /// The arm for these rows, if there is one.
  bool choose(const Merge& merge, const JoinedRow& joined, bool is_matched,
              const Merge::Arm*& chosen);
  /// `is_other`: the row has changed, and nothing was done.
  bool merge_into(const Merge& merge, const Merge::Arm& arm, JoinedRow& joined,
                  bool& is_other);
  bool lock_merged(RowHandle at, LockStrength strength, JoinedRow& joined,
                   bool& is_other);

  // Rows that are locked: with their keys, and what foreign keys need.
  bool put(const Insert& insert, const Row& row);
  bool replace(RowHandle at, const Row& old, const Row& row);
  bool erase(RowHandle at, const Row& old);
  // writer_keys.cpp
  /// False: the level has no such keys, and what then is undecided.
  bool follows(const UniqueKey& key);
  bool test_key(TableId table, std::size_t key, const Row& row, RowHandle self,
                Database::Purpose purpose,
                std::optional<Database::Match>& found);
  /// The same for a row that is put, which enters the index, too.
  bool pass_key(RowHandle self, std::size_t key, const Row& row,
                Database::Purpose purpose,
                std::optional<Database::Match>& found);
  bool duplicates(const UniqueKey& key, TableId table);
  /// DEFERRABLE, where products have that.
  [[nodiscard]] bool is_deferrable(const UniqueKey& key) const {
    return key.is_deferrable && rules_.deferral != Deferral::Ignored;
  }
  /// Again, when the statement is over, or by COMMIT.
  bool check_keys(const Event& event);
  bool check_key(TableId table, std::size_t key, const Row& row);
  bool enter_keys(RowHandle self, const Row& row, const Row& old,
                  std::size_t first);

  // Triggers.
  [[nodiscard]] bool fires(const Trigger& trigger, Change change) const;
  /// When triggers of a table fire, and how often.
  struct Firing {
    bool is_before = false;
    bool is_row = false;
  };
  static constexpr Firing kBeforeRow{true, true};
  static constexpr Firing kAfterRow{false, true};
  static constexpr Firing kAfterStatement{false, false};
  [[nodiscard]] bool has_triggers(TableId table, Change change,
                                  Firing when) const;
  /// All of one kind, in their order.  Of BEFORE ... FOR EACH ROW: `row` is
  /// what they make of it, `is_skipped` that one returned NULL.
  bool fire(TableId table, Change change, Firing when, const Row* old,
            Row* row, bool& is_skipped);
  bool fire(TableId table, const Trigger& trigger, Change change,
            const Row* old, Row* row, bool& is_skipped);
  bool fire_statement(TableId table, Change change, bool is_before);
  bool run_trigger(Process& process);
  [[nodiscard]] std::shared_ptr<const Database::Transition> written_rows(
      TableId table, Change change) const;
  bool is_untouched(RowHandle at, const Row& old, Change change);
  bool update_with_triggers(const Update& update, const FoundRow& target);
  /// BEFORE triggers, and then what is left of them to do.
  bool update_locked(RowHandle at, const Row& old, Row row);
  bool remove_locked(RowHandle at, const Row& row);

  // Foreign keys, and AFTER triggers, when the statement is over.
  void note(Event event) {
    event.set = set_;
    event.met = std::exchange(met_, {});
    events_.push_back(std::move(event));
  }
  /// What comes of a row that was written: at once, or when the statement is
  /// over.
  bool follow(Event event);
  /// A part of the statement, or it itself, has written its rows.
  bool end_rows(TableId table, Change change);
  bool finish_rows();
  bool finish(const Event& event);
  bool check_parents(TableId table, const Row& row, const Row* old);
  bool check_children(TableId table, const Row& old, const Row* row);
  bool check_child(TableId child, const ForeignKey& key, const Row& old,
                   const Row* row, OnDelete action);
  bool empty(RowHandle at, const Row& old, const Row& row);
  bool check_parent(const Table& child, const ForeignKey& key, const Row& row);
  /// Notes what COMMIT has to look at.
  void leave_to_commit(const Event& event);
  /// Whether COMMIT looks at the key and not the statement.
  [[nodiscard]] bool is_left(const ForeignKey& key) const {
    return db_.leaves_foreign_keys || is_deferred(key);
  }
  [[nodiscard]] ConstraintModes modes() const {
    return db_.modes != nullptr ? *db_.modes : ConstraintModes();
  }
  template <class Constraint>
  [[nodiscard]] bool is_deferred(const Constraint& constraint) const {
    return rules_.deferral != Deferral::Ignored &&
           modes().is_deferred(constraint);
  }

  const Routines& routines_;
  const Schema& schema_;
  const WriteRules& rules_;
  Database& db_;
  const Budget& budget_;
  Evaluator evaluator_;
  std::span<const Target> returning_;
  std::span<const SetColumn> set_;  ///< of UPDATE, DO UPDATE
  bool has_parts_ = false;
  bool has_nested_ = false;  ///< a trigger has run statements
  bool is_action_ = false;   ///< a foreign key writes, no statement
  std::uint64_t max_rows_ = 0;
  std::vector<Event> events_;
  /// Of triggers BEFORE ... FOR EACH STATEMENT, which fire once for all parts.
  std::vector<std::pair<TableId, Change>> fired_;
  std::vector<RowHandle> written_;  ///< by this statement
  std::vector<std::uint32_t> met_;  ///< Event::met of the row that is written
};

/// What columns that are set lock, whether their values change or not.
[[nodiscard]] LockStrength strength_of_set(const Table& table,
                                           std::span<const SetColumn> set);
/// What an UPDATE from `old` to `row` locks: Update if a unique key changes.
[[nodiscard]] LockStrength strength_of_update(const Table& table,
                                              const Row& old, const Row& row);

}  // namespace txscope::sql
