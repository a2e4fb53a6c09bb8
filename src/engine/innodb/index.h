#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "engine/server/state.h"
#include "exec/sql/query/store.h"
#include "model/sql/schema.h"

namespace txscope::engine {

/// An index of a table as InnoDB keeps it: the primary key, every UNIQUE, those
/// that were asked for, and one for each foreign key that none of those serves.
/// One is clustered, it has the rows themselves: the primary key, or, without
/// one, a number that nobody sees.
struct IndexShape {
  std::vector<std::uint32_t> columns;
  bool is_unique = false;
  bool is_clustered = false;
  std::uint8_t number = 0;
};
/// The primary key is number 0 if there is one; else the clustered one is last.
[[nodiscard]] std::vector<IndexShape> indexes_of(const sql::Table& table);
[[nodiscard]] std::uint8_t clustered_index(const sql::Table& table);

/// Where a new row is in the clustered index.
[[nodiscard]] sql::Row place_of(const sql::Table& table,
                                const TableState& state, const sql::Row& row);
/// Where a row stands in an index: its columns, then its place.
[[nodiscard]] sql::Row entry_of(const IndexShape& index, const sql::Row& row,
                                const sql::Row& place);
/// The order of entries; NULL comes first.  The shorter one may be a prefix:
/// then they are equal.
[[nodiscard]] int compare_entries(const sql::Row& a, const sql::Row& b);

struct IndexEntry {
  sql::Row key;
  std::size_t record = 0;
  bool is_deleted = false;  ///< only marked: somebody may need it
};
/// Every entry that is in the index now, in its order: also of rows that are
/// not committed, and of those that some read view sees.
[[nodiscard]] std::vector<IndexEntry> entries_of(const TableState& state,
                                                 const IndexShape& index);
/// Of these the ones that begin with these values, and the next one behind
/// them: all that a lookup meets, which need not sort a large table.
[[nodiscard]] std::vector<IndexEntry> entries_at(const TableState& state,
                                                 const IndexShape& index,
                                                 const sql::Row& prefix);
/// Who has made or deleted this entry of a record and is not over.
[[nodiscard]] SessionNo maker_of(const IndexShape& index, const Record& record,
                                 const sql::Row& entry);
/// The row that the index shows now.
[[nodiscard]] const StoredRow* current_in(const IndexShape& index,
                                          const Record& record);

/// The part of an index that a statement examines, in its order.
struct Path {
  struct Place {
    IndexEntry entry;        ///< its key is empty: behind the last one
    bool has_entry = true;   ///< else only the gap before it
    bool locks_gap = false;  ///< also the gap before it
    bool is_beyond = false;  ///< where the range ends: looked at, not in it
  };
  std::uint8_t index = 0;
  std::vector<Place> places;
  /// By all columns of a unique key.
  bool is_point = false;
};

/// What a condition says of one column: between two values.
struct ColumnRange {
  std::uint32_t column = 0;
  std::optional<sql::Value> low;
  std::optional<sql::Value> high;
  bool has_low = false;            ///< low itself is in it
  bool has_high = false;           ///< high itself is in it
  std::vector<sql::Value> points;  ///< IN: these and no others

  [[nodiscard]] bool contains(const sql::Value& value) const;
};

/// Whether an index, with the primary key that its entries end with, has all
/// columns, so that the rows themselves need not be looked at.
[[nodiscard]] bool has_all_columns(const sql::Table& table,
                                   const IndexShape& index);

/// How MariaDB finds the rows of an access: by a full key, else by the first
/// columns of an index, else by a range of an index, else all of them; what is
/// only read in an index that has all columns, if there is one.
[[nodiscard]] Path choose_path(const sql::Table& table, const TableState& state,
                               const sql::Access& access,
                               const std::vector<ColumnRange>& ranges,
                               bool is_read);

/// The one entry of an index that min() (or max()) of its first column is, over
/// the rows in `range`, and those that are passed on the way since `is_there`
/// says that nobody sees them.  `from`: where the search goes on, if it is not
/// empty.
[[nodiscard]] Path path_to_end(
    const sql::Table& table, const TableState& state, std::uint8_t index,
    const ColumnRange& range, bool is_max, const sql::Row& from,
    const std::function<bool(std::size_t record)>& is_there);

}  // namespace txscope::engine
