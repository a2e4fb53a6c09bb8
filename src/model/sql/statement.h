#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "model/sql/expr.h"

namespace txscope::sql {

/// `column = value`; in a row of an INSERT no value means DEFAULT.
struct SetColumn {
  std::uint32_t column = 0;
  std::optional<Expr> value;
};

/// ON CONFLICT.  In `set` and `where` relation 0 is the row that is there, and
/// relation 1 is EXCLUDED, the row that was to be inserted.
struct OnConflict {
  /// The unique keys that decide, as Table::key_at() counts them; none: any.
  std::vector<std::uint32_t> arbiters;
  bool is_update = false;  ///< DO UPDATE; else DO NOTHING
  /// REPLACE of MySQL: all rows in the way are deleted instead.
  bool is_replace = false;
  std::vector<SetColumn> set;
  std::optional<Expr> where;

  [[nodiscard]] bool is_arbiter(std::size_t key) const {
    return arbiters.empty() ||
           std::find(arbiters.begin(), arbiters.end(), key) != arbiters.end();
  }
};

struct Insert {
  Relation target;
  /// The columns that the source gives, in its order; others get defaults.
  std::vector<std::uint32_t> columns;
  std::vector<std::vector<std::optional<Expr>>>
      rows;  ///< VALUES; none: DEFAULT
  /// Rows behind these that have nothing but constants, as dumps have them: a
  /// value for each of `columns`, row after row.
  std::shared_ptr<const std::vector<Value>> constants = {};
  /// or SELECT, whose values are cast to the columns' types as an assignment
  /// does it (all other values have their casts in the expression)
  std::shared_ptr<const Query> source;
  std::optional<OnConflict> on_conflict;
  PartId part = kNone<PartId>;
};

/// ORDER BY and LIMIT of MySQL's UPDATE and DELETE, over relation 0: in which
/// order rows are changed, and how many at most.
struct RowChoice {
  std::vector<SortKey> order_by;
  std::optional<Expr> limit;

  [[nodiscard]] bool exists() const { return limit || !order_by.empty(); }
};

struct Update {
  Relation target;  ///< relation 0
  std::vector<SetColumn> set;
  std::optional<Expr> where;
  PartId part = kNone<PartId>;
  RowChoice choice = {};
};

struct Delete {
  Relation target;  ///< relation 0
  std::optional<Expr> where;
  PartId part = kNone<PartId>;
  RowChoice choice = {};
};

using Select = std::shared_ptr<const Query>;

/// MERGE.  Each row of USING, joined by ON with the target, the last relation
/// of `joined` (NULLs: no row of it fits), goes to the first arm for it whose
/// condition holds.  Conditions and values are over the relations of `joined`.
struct Merge {
  using Nothing = std::monostate;  ///< DO NOTHING
  struct Arm {
    bool is_matched = false;  ///< WHEN MATCHED; else WHEN NOT MATCHED
    std::optional<Expr> condition;
    /// Of Insert `rows` has one; Update and Delete have no WHERE.
    std::variant<Nothing, Insert, Update, Delete> action;
  };
  Relation target;
  std::shared_ptr<const Query> joined;
  std::vector<Arm> arms;
  std::vector<SetColumn> set;  ///< by some arm; only the columns
  PartId part = kNone<PartId>;

  template <class Action>
  [[nodiscard]] bool does() const {
    return std::any_of(arms.begin(), arms.end(), [](const Arm& arm) {
      return std::holds_alternative<Action>(arm.action);
    });
  }
};

/// A lock that a statement asks for by itself: LOCK TABLE, or a function of
/// advisory locks.
struct ExplicitLock {
  /// PostgreSQL's modes of table locks, the weakest first; advisory locks are
  /// Share and Exclusive.
  enum class Mode : std::uint8_t {
    AccessShare,
    RowShare,
    RowExclusive,
    ShareUpdateExclusive,
    Share,
    ShareRowExclusive,
    Exclusive,
    AccessExclusive
  };
  Mode mode = Mode::AccessExclusive;
  std::vector<TableId> tables;
  std::vector<Expr> key;      ///< of an advisory lock: one or two numbers
  bool gives_up = false;      ///< NOWAIT, pg_try_...
  bool is_session = false;    ///< outlives the transaction
  bool is_released = false;   ///< pg_advisory_unlock
  bool releases_all = false;  ///< pg_advisory_unlock_all

  [[nodiscard]] bool is_advisory() const { return tables.empty(); }
};

/// What is left to COMMIT.
struct DeferredCheck {
  enum class Kind : std::uint8_t {
    Child,    ///< `row` names another one, which must be there
    Parent,   ///< `row` went away: no row of `table` may name it
    Unique,   ///< no other row may have what `row` has
    Trigger,  ///< fires, of `old` and `row`
  };
  TableId table;
  std::uint32_t key = 0;  ///< of Table::foreign, key_at() or triggers
  Kind kind = Kind::Child;
  std::optional<Row> row;
  std::optional<Row> old = {};

  friend bool operator==(const DeferredCheck&, const DeferredCheck&) = default;
};

struct DbStatement;

/// A statement inside of another one, which runs once and by itself: INSERT,
/// UPDATE and DELETE in WITH, and queries with FOR UPDATE or FOR SHARE.
struct StatementPart {
  std::shared_ptr<const DbStatement> statement;
  std::uint64_t max_rows = 0;  ///< as in Request: of EXISTS one; 0: all
};

/// One statement that goes to the database: an SQL statement, or an expression
/// of a routine that looks at tables (a Select without relations whose targets
/// hold the subqueries).
struct DbStatement {
  Span at;  ///< the statement as the user wrote it, INTO included
  std::optional<Span> into;  ///< INTO [STRICT] targets, to be cut out
  /// The text at `at` is an expression: it needs SELECT before it.
  bool is_expression = false;
  std::variant<Select, Insert, Update, Delete, Merge> what;
  std::vector<Target> returning;  ///< of INSERT, UPDATE, DELETE
  /// `what` is a Select of the value that this gives, or of nothing.
  std::shared_ptr<const ExplicitLock> locks;
  /// No statement of the user, but what COMMIT does first, or what SET
  /// CONSTRAINTS does; `what` is a Select of nothing.
  std::vector<DeferredCheck> checks;
  bool sets_constraints = false;
  /// START TRANSACTION WITH CONSISTENT SNAPSHOT; `what` is a Select of nothing.
  bool takes_snapshot = false;

  /// They see what the statement sees, and not what the others do, in the order
  /// in which they run.  The first `parts_before` give rows to the statement
  /// (SetKind::Given) and run before it, the others after it; foreign keys and
  /// AFTER triggers come when all is done.
  std::vector<StatementPart> parts;
  std::size_t parts_before = 0;

  /// Where variables are named in the text, to put values in their place; in
  /// ascending order.  `index` is the variable's slot.
  struct Mention {
    Span at;
    std::uint32_t index = 0;
  };
  std::vector<Mention> mentions;

  [[nodiscard]] bool is_select() const { return what.index() == 0; }
  /// What it inserts into, changes or deletes from; none: it is a SELECT.
  [[nodiscard]] const Relation* target() const {
    return std::visit(
        [](const auto& w) -> const Relation* {
          if constexpr (requires { w.target; })
            return &w.target;
          else
            return nullptr;
        },
        what);
  }
  [[nodiscard]] bool is_of_commit() const {
    return !checks.empty() && !sets_constraints;
  }
  /// Whether it, or a part of it, inserts, changes or deletes rows.
  [[nodiscard]] bool is_write() const {
    return !is_select() ||
           std::any_of(parts.begin(), parts.end(), [](const auto& part) {
             return part.statement->is_write();
           });
  }
  /// Whether it is a SELECT that locks rows, or has one as a part.
  [[nodiscard]] bool locks_rows() const {
    return (is_select() &&
            std::get<Select>(what)->lock != LockStrength::None) ||
           std::any_of(parts.begin(), parts.end(), [](const auto& part) {
             return part.statement->locks_rows();
           });
  }
};

/// Whether rows that its condition does not find decide which it writes: LIMIT
/// of UPDATE and DELETE, REPLACE with several keys.
[[nodiscard]] inline bool chooses_rows(const DbStatement& statement) {
  if (const auto* update = std::get_if<Update>(&statement.what))
    return update->choice.exists();
  if (const auto* remove = std::get_if<Delete>(&statement.what))
    return remove->choice.exists();
  const auto* insert = std::get_if<Insert>(&statement.what);
  return insert != nullptr && insert->on_conflict &&
         insert->on_conflict->is_replace;
}

}  // namespace txscope::sql
