#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/profile.h"
#include "engine/state.h"
#include "exec/sql/evaluate.h"

namespace txscope::engine {

/// How a statement, or a COMMIT, ended.
struct Answer {
  enum class Kind : std::uint8_t {
    Done,
    Wait,       ///< for `blockers`; it keeps its locks and runs again later
    Fail,       ///< with `code`
    Undecided,  ///< `message` says why
  };
  Kind kind = Kind::Done;
  sql::StatementResult result;
  SessionSet blockers = 0;
  std::string code;
  std::string message;
};

/// What all runs of statements share.
struct Surroundings {
  const sql::Routines& routines;
  RowPool& rows;
  const Budget& budget;

  [[nodiscard]] const sql::Schema& schema() const {
    return routines.application().schema;
  }
};

/// One run of one statement on a state: what the products have in common.  What
/// it writes is fresh, and invisible to itself, until the statement is done.
class StatementRun : public sql::Store {
 protected:
  StatementRun(const Surroundings& around, State& state, SessionNo me,
               const sql::Request& request);

  // How it ended.  All return false, so that `return fail(...)` ends a
  // function that says whether to go on.
  bool fail(std::string code, std::string message);
  bool wait(SessionSet blockers);
  bool undecided(std::string why);
  [[nodiscard]] bool is_halted() const {
    return answer_.kind != Answer::Kind::Done;
  }
  /// The value, or false: halted.
  template <class T>
  [[nodiscard]] bool take(sql::Evaluated<T>&& evaluated, T& value) {
    if (is_halted()) return false;
    if (auto* found = std::get_if<T>(&evaluated)) {
      value = std::move(*found);
      return true;
    }
    if (auto* error = std::get_if<sql::SqlError>(&evaluated))
      return raise(*error);
    return undecided("the budget is spent");
  }
  /// Fails as the product does where PostgreSQL has this error.
  virtual bool raise(const sql::SqlError& error);

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
  [[nodiscard]] const StoredRow* latest(const Record& record) const {
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
  /// Grants a lock, or makes the one that is there stronger.
  void grant(TableId table, std::size_t index, LockMode mode);
  /// Others whose granted locks conflict.
  [[nodiscard]] SessionSet holders(const Record& record, LockMode mode) const;

  /// Rows of `table` that a scan shows, in order of the primary key.
  struct Shown {
    std::size_t index;
    const StoredRow* row;
  };
  void sort_by_key(TableId table, std::vector<Shown>& rows) const;

  const Surroundings& around_;
  State& state_;
  const SessionNo me_;
  const sql::Request& request_;
  sql::Evaluator evaluator_;
  Answer answer_;

 private:
  friend class DrawnNumbers;
};

/// Numbers of sequences; a statement that runs again gets the same ones again.
class DrawnNumbers : public sql::Sequences {
 public:
  DrawnNumbers(const sql::Schema& schema, State& state, SessionNo me)
      : schema_(schema), state_(state), me_(me) {}
  std::int64_t next(std::uint32_t sequence) override;

 private:
  const sql::Schema& schema_;
  State& state_;
  SessionNo me_;
  std::size_t used_ = 0;
};

// Keys.

/// Whether two rows have the same values there, as SQL compares them; a NULL
/// is equal to nothing.
[[nodiscard]] bool same_values(std::span<const std::uint32_t> columns,
                               const sql::Row& a,
                               std::span<const std::uint32_t> other_columns,
                               const sql::Row& b);
[[nodiscard]] inline bool same_key(const sql::UniqueKey& key, const sql::Row& a,
                                   const sql::Row& b) {
  return same_values(key.columns, a, key.columns, b);
}
/// Whether columns differ (NULL does not differ from NULL).
[[nodiscard]] bool differ(std::span<const std::uint32_t> columns,
                          const sql::Row& a, const sql::Row& b);
[[nodiscard]] bool has_null(std::span<const std::uint32_t> columns,
                            const sql::Row& row);
/// Whether the row has all the values that an access asks for.
[[nodiscard]] bool matches(const sql::Access& access, const sql::Row& row);
/// Whether `columns` all have a value in the access.
[[nodiscard]] bool covers(const sql::Access& access,
                          std::span<const std::uint32_t> columns);

}  // namespace txscope::engine
