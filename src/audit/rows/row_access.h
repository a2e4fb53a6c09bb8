#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "audit/attempt/answer.h"
#include "audit/tables/tables.h"

namespace txscope::audit {

/// What a statement sets a column to, as far as its text tells.
struct Change {
  enum class Kind : std::uint8_t {
    Constant,  ///< to `value`
    Add,       ///< to itself and `value`, a number
    Unknown,
  };
  std::uint32_t column = 0;
  Kind kind = Kind::Unknown;
  sql::Value value;
};

/// What one statement did to rows and saw of them, whatever the order of
/// transactions: what follows from its text, its parameters and its answer.
struct RowAccess {
  enum class Kind : std::uint8_t {
    Nothing,
    Insert,  ///< the row `key`, whose columns are `changes`
    Update,  ///< the row `key`
    Delete,
    WildUpdate,  ///< rows that are not known
    WildDelete,
    WildInsert,
    Seen,     ///< the row `key` was there with `columns`
    Exists,   ///< the row `key` was there
    Absent,   ///< it was not
    TooMany,  ///< more than one row had the key `key`
  };
  Kind kind = Kind::Nothing;
  TableId table;
  sql::Row key;
  std::vector<Change> changes;
  std::vector<std::pair<std::uint32_t, sql::Value>> columns;  ///< of Seen
};

class KnownRows;
using KnownTables = std::vector<KnownRows>;  // by table

/// A statement's row accesses, in order: an answer that lacks a known row that
/// fits did not see it.
[[nodiscard]] std::vector<RowAccess> row_accesses(
    const sql::Schema& schema, const Prepared& prepared,
    const sql::LogStatement& observed, const KnownTables& known);

/// The accesses of a statement that writes, in or outside of a routine.
void write_accesses(const sql::Schema& schema,
                    const sql::DbStatement& statement,
                    const sql::LogStatement& observed,
                    std::vector<RowAccess>& all);

/// Those of something that may change any rows of a table.
void add_any_write(const sql::Schema& schema, TableId table,
                   std::vector<RowAccess>& all);

/// Bounds of the rows that a query wants of one of its relations, as far as its
/// conjuncts compare columns of the primary key with constants and parameters.
[[nodiscard]] std::vector<KeyBound> key_bounds(
    const sql::Schema& schema, const sql::Query& query,
    const sql::Relation& relation, const sql::LogStatement& observed);

/// Of a query that shows the least or the greatest of a column of the key, or
/// as many of the first rows in its order as LIMIT lets it: what lies beyond
/// the last value that was seen cannot make it wrong.  `relation` is the number
/// of the one whose rows it bounds.
[[nodiscard]] std::optional<KeyBound> extreme_bound(
    const sql::Schema& schema, const sql::Query& query, std::size_t relation,
    const sql::LogStatement& observed);

}  // namespace txscope::audit
