#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/budget.h"
#include "base/result.h"
#include "exec/sql/query/sql_error.h"
#include "exec/sql/query/store.h"
#include "model/sql/application.h"

namespace txscope::sql {

class Routines;
class Evaluation;

/// One row of FROM: per relation the row and its name.  The missing side of an
/// outer join is a row of NULLs without a handle; so is a subquery's handle.
struct JoinedRow {
  std::vector<RowHandle> handles;
  std::vector<Row> rows;
};

struct FoundRow {
  RowHandle handle;
  Row row;
};

/// What LIMIT and OFFSET say.
struct Window {
  std::uint64_t offset = 0;
  std::optional<std::uint64_t> limit;
};

/// Where serial and identity columns get their numbers.
class Sequences {
 public:
  virtual ~Sequences() = default;
  [[nodiscard]] virtual std::int64_t next(std::uint32_t sequence) = 0;
};

/// What the parts of one statement mean, over whatever rows a Store shows:
/// expressions, queries, the rows that DML finds and makes.  It never changes
/// anything; whoever asks locks, checks keys and writes.
///
/// Definition.  PostgreSQL 15 under the C locale: values, errors (SQLSTATE) and
/// laziness.  Rows without ORDER BY come in the order of nested loops over the
/// store's own order.
/// Method.  Expressions are walked as they are.  Joins are nested loops in the
/// order of FROM; each relation is scanned with what the conjuncts of WHERE and
/// ON that can be evaluated before say of its rows (Access).
///
/// One Evaluator serves one run of one statement: the store must not change
/// under it.  `slots` are the variables of the routine that runs it.
class Evaluator {
 public:
  Evaluator(const Routines& routines, Store& store,
            std::span<const Value> slots, const Budget& budget);
  ~Evaluator();
  Evaluator(const Evaluator&) = delete;
  Evaluator& operator=(const Evaluator&) = delete;

  /// The rows of the statement's next part.
  void give(std::vector<Row> rows);

  /// The value of an expression without columns.
  [[nodiscard]] Evaluated<Value> value(const Expr& expr);

  /// A whole SELECT, without its locks.  At most `max_rows` rows if that is not
  /// 0 (see Request::max_rows).
  [[nodiscard]] Evaluated<std::vector<Row>> select(const Query& query,
                                                   std::uint64_t max_rows = 0);

  // For SELECT ... FOR UPDATE (no grouping, no DISTINCT).
  /// FROM and WHERE, in the order of ORDER BY; LIMIT is not applied.
  [[nodiscard]] Evaluated<std::vector<JoinedRow>> candidates(
      const Query& query);
  /// LIMIT and OFFSET.
  [[nodiscard]] Evaluated<Window> window(const Query& query);
  /// Whether ON and WHERE hold on these very rows: then the targets' row.
  [[nodiscard]] Evaluated<std::optional<Row>> recheck(const Query& query,
                                                      const JoinedRow& rows);

  /// LIMIT of an UPDATE or DELETE.
  [[nodiscard]] Evaluated<Window> window(const RowChoice& choice);
  /// The rows of the target that WHERE finds, in the order of ORDER BY.
  [[nodiscard]] Evaluated<std::vector<FoundRow>> targets(const Update& update);
  [[nodiscard]] Evaluated<std::vector<FoundRow>> targets(const Delete& remove);
  /// Whether a condition (none: yes) is true where relation i is
  /// `relations[i]`.
  [[nodiscard]] Evaluated<bool> matches(const std::optional<Expr>& where,
                                        std::span<const Row> relations);
  /// The new row, with values cast to the columns' types; not yet check_row.
  /// `sequences` are for SET column = DEFAULT.
  [[nodiscard]] Evaluated<Row> updated(const Update& update, const Row& old,
                                       Sequences* sequences = nullptr) {
    return updated(update, std::span(&old, 1), old, sequences);
  }
  /// The same where relation i is `relations[i]`.
  [[nodiscard]] Evaluated<Row> updated(const Update& update,
                                       std::span<const Row> relations,
                                       const Row& old, Sequences* sequences);
  /// The rows of an INSERT with defaults filled in; not yet check_row.
  [[nodiscard]] Evaluated<std::vector<Row>> rows_to_insert(
      const Insert& insert, Sequences& sequences);
  /// The same row by row, until `on_row` says false: a row that fails keeps
  /// those behind it from taking numbers of sequences.
  [[nodiscard]] Evaluated<Done> each_row_to_insert(
      const Insert& insert, Sequences& sequences,
      const std::function<bool(Row)>& on_row);
  /// Of a MERGE: the one row of VALUES, where relation i is `relations[i]`.
  [[nodiscard]] Evaluated<Row> row_to_insert(const Insert& insert,
                                             std::span<const Row> relations,
                                             Sequences& sequences);
  /// DO UPDATE on the row that is `there`: its new row, or none if WHERE says
  /// no (the row stays, counts as not affected, but is locked).
  [[nodiscard]] Evaluated<std::optional<Row>> on_conflict(
      const Insert& insert, const Row& there, const Row& excluded,
      Sequences* sequences = nullptr);
  /// RETURNING for a row of the target.
  [[nodiscard]] Evaluated<Row> returning(std::span<const Target> targets,
                                         const Row& row);
  /// What the index of a key holds of a row; see index_entry.h.
  [[nodiscard]] Evaluated<std::optional<Row>> entry(const UniqueKey& key,
                                                    const Row& row);
  /// NOT NULL (23502), then CHECK in order of their names (23514).
  [[nodiscard]] std::optional<SqlError> check_row(const Table& table,
                                                  const Row& row);

 private:
  std::unique_ptr<Evaluation> evaluation_;
};

}  // namespace txscope::sql
