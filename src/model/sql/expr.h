#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/ids.h"
#include "model/span.h"
#include "model/sql/type.h"
#include "model/sql/value/value.h"

namespace txscope::sql {

struct Query;

/// A part of an application that is planned by itself: a query, a change of
/// rows, an expression of a routine (number_parts()).  A part that has none is
/// planned whenever it runs.
using PartId = Id<struct PartTag>;

enum class Op : std::uint8_t {
  Constant,   ///< `value`
  Column,     ///< column `index` of relation `relation`, `level` queries out
  Variable,   ///< slot `index` of the routine (parameters first)
  Aggregate,  ///< aggregate `index` of the query `level` queries out
  Window,     ///< window call `index` of the query it stands in
  // Three-valued logic.
  And,  ///< two or more operands
  Or,
  Not,
  IsNull,
  IsTrue,
  IsFalse,
  IsDistinct,  ///< IS DISTINCT FROM; NOT DISTINCT is Not of it
  // Comparisons of two operands of one type.
  Equal,
  NotEqual,
  Less,
  LessEqual,
  Greater,
  GreaterEqual,
  // Arithmetic; the node's type says in which type, and where it overflows.
  // Date + integer, date - integer and date - date are Add and Subtract, too.
  Add,
  Subtract,
  Multiply,
  Divide,
  Modulo,
  Negate,
  // Texts.
  Concat,
  Like,   ///< text, pattern [, escape]: one character or none
  Lower,  ///< functions of the same names
  Upper,
  Length,
  // Numbers.
  Abs,
  Floor,
  Ceil,
  Round,  ///< numeric [, integer]
  // Choice.
  Case,  ///< when, then, when, then, ..., [else]: odd count with else
  Coalesce,
  NullIf,
  Greatest,
  Least,
  Cast,  ///< to `type`; `index` 1: as an assignment, so that a text too long
         ///< for a varchar is an error; 0: an explicit one, which cuts it
  // Subqueries; operands before `query` belong to the outer query.
  Scalar,    ///< (SELECT ...): its one value, NULL without a row
  Exists,    ///< EXISTS (SELECT ...)
  InQuery,   ///< operands IN (SELECT ...); one operand per column
  InList,    ///< first operand IN (the others)
  Builtin,   ///< function `index` of builtin.h, of the operands
  Function,  ///< a call of own function `index`, which reads no tables or whose
             ///< statements use the caller's snapshot (STABLE, IMMUTABLE), or
             ///< which is VOLATILE and reads; operands are its arguments
};

/// A typed expression with all names resolved and all casts made explicit: both
/// operands of a comparison, both branches of a CASE have values of one kind.
/// (A cast that cannot change a value is left out: integer to bigint, varchar
/// to text, whose values are the same.) Names inside a subquery that mean
/// something outside count `level`s: one for every query around, also for that
/// whose FROM the subquery stands in, though its names cannot be seen there.
struct Expr {
  Op op = Op::Constant;
  Type type;
  std::uint32_t level = 0;
  std::uint32_t relation = 0;
  std::uint32_t index = 0;
  Value value;
  std::vector<Expr> args;
  std::shared_ptr<const Query> query;
  Span at;
  PartId part = kNone<PartId>;
};

/// Something named in FROM, or the target of an UPDATE, DELETE or INSERT.
struct Relation {
  std::string name;                    ///< its alias, else its own name
  TableId table = kNone<TableId>;      ///< or
  std::shared_ptr<const Query> query;  ///< a subquery in FROM
  std::uint32_t columns = 0;           ///< how many
  /// The query names relations before it, and is evaluated for each of their
  /// rows: LATERAL, and functions in FROM.
  bool is_lateral = false;
  Span at;
};

enum class JoinKind : std::uint8_t { Inner, Left, Full };

/// How relation number `i` joins all those before it.  CROSS JOIN, a comma, and
/// relation 0 are Inner without a condition.  (a RIGHT JOIN is turned around;
/// a nested join that this cannot say is refused.)  After the rows of all
/// before it, a Full one has its own that joined none, with NULLs for those.
struct Join {
  JoinKind kind = JoinKind::Inner;
  std::optional<Expr> on;
};

enum class AggregateKind : std::uint8_t {
  CountRows,
  Count,
  Sum,
  Min,
  Max,
  Avg,
  BoolAnd,
  BoolOr,
  // These take an array (MakeArray) of the value, then what `order` sorts by;
  // StringAgg the separator as its last item.
  ArrayAgg,
  StringAgg,
  JsonAgg,
  JsonObjectAgg,  ///< the value is (name, value)
};

struct Aggregate {
  AggregateKind kind = AggregateKind::CountRows;
  bool is_distinct = false;
  std::optional<Expr> argument;
  Type type;  ///< of the result
  /// ORDER BY inside the aggregate: descending, NULLs first.
  std::vector<std::pair<bool, bool>> order;
};

struct Target {
  std::string name;
  Expr expr;
};

struct SortKey {
  Expr expr;
  bool is_descending = false;
  bool nulls_first = false;
};

enum class WindowFunction : std::uint8_t {
  Aggregate,
  RowNumber,
  Rank,
  DenseRank,
  PercentRank,
  CumeDist,
  Ntile,       ///< (how many)
  Lag,         ///< (value [, rows [, otherwise]])
  Lead,        ///< the same
  FirstValue,  ///< (value), of the frame
  LastValue,
  NthValue,  ///< (value, which)
};

/// One end of a frame.  In units of the frame, or where the rows that are
/// equal by ORDER BY begin or end (CurrentRow, but for ROWS).
struct FrameBound {
  enum class Kind : std::uint8_t {
    UnboundedPreceding,
    Preceding,
    CurrentRow,
    Following,
    UnboundedFollowing,
  };
  Kind kind = Kind::UnboundedPreceding;
  std::optional<Expr> offset;  ///< of Preceding and Following: one per query
};

/// The rows that a window call looks at; the default is SQL's.
struct Frame {
  enum class Unit : std::uint8_t { Rows, Range, Groups };
  enum class Exclusion : std::uint8_t { Nothing, CurrentRow, Group, Ties };
  Unit unit = Unit::Range;
  FrameBound start;
  FrameBound end{FrameBound::Kind::CurrentRow, {}};
  Exclusion exclusion = Exclusion::Nothing;
};

/// function(...) OVER (...), evaluated for each row that WHERE, GROUP BY and
/// HAVING leave.  A named WINDOW is copied to each call that names it.
struct WindowCall {
  WindowFunction function = WindowFunction::Aggregate;
  Aggregate aggregate;     ///< of Aggregate: neither DISTINCT nor ORDER BY
  std::vector<Expr> args;  ///< of the others
  std::vector<Expr> partition_by;
  std::vector<SortKey> order_by;
  /// Calls of a query that have the same PARTITION BY and ORDER BY have the
  /// same number.
  std::uint32_t order = 0;
  Frame frame;
};

enum class LockStrength : std::uint8_t {
  None,
  KeyShare,
  Share,
  NoKeyUpdate,
  Update
};

/// What a Query gives that is no SELECT.
enum class SetKind : std::uint8_t {
  None,
  Union,  ///< of `parts`, which have the same columns
  Intersect,
  Except,
  Recursive,      ///< WITH RECURSIVE: part 0, then part 1 of what came last
  Working,        ///< in part 1: what came last
  Values,         ///< one row per item of `values`
  Series,         ///< generate_series: values[0] are the arguments
  Items,          ///< unnest(array, ...)
  JsonItems,      ///< json_array_elements(json)
  JsonItemsText,  ///< as texts
  JsonEach,       ///< json_each(json): name, value
  JsonEachText,
  Given,  ///< the rows that part `number` of the statement has given
  /// The rows that the statement has written which fired the trigger: as they
  /// are (`number` 0), or as they were (1).
  Transition,
};

/// A SELECT.  Stars are expanded.  In a grouped query a column outside an
/// aggregate is taken from any row of the group (PostgreSQL has checked that
/// they agree); a query with aggregates and no GROUP BY has one group.
struct Query {
  std::vector<Relation> relations;  ///< none: one empty row
  std::vector<Join> joins;          ///< one per relation
  std::optional<Expr> where;
  bool is_grouped = false;  ///< GROUP BY, HAVING or an aggregate
  std::vector<Expr> group_by;
  std::vector<Aggregate> aggregates;
  std::optional<Expr> having;
  std::vector<WindowCall> windows;
  std::vector<Target> targets;
  bool is_distinct = false;
  std::vector<SortKey> order_by;
  /// DISTINCT ON so many keys of `order_by`: of all rows that have the same
  /// ones the first.  0: DISTINCT is on all targets.
  std::uint32_t distinct_on = 0;
  std::optional<Expr> limit;
  std::optional<Expr> offset;
  LockStrength lock = LockStrength::None;
  bool is_nowait = false;
  bool skips_locked = false;
  std::vector<bool> is_locked;  ///< by relation, if `lock`
  /// Otherwise it is no SELECT, and only `targets` of the above mean something:
  /// the names and types of its columns.
  SetKind set = SetKind::None;
  bool is_all = false;  ///< [WITH RECURSIVE] UNION ALL; WITH ORDINALITY
  std::vector<std::shared_ptr<const Query>> parts;
  std::vector<std::vector<Expr>> values;
  std::uint32_t number = 0;  ///< of DbStatement::parts, if it is Given
  /// Of Recursive, and of each Working that means it.
  std::uint32_t recursion = 0;
  Span at;
  PartId part = kNone<PartId>;
};

}  // namespace txscope::sql
