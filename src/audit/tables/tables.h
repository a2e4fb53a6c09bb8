#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "exec/sql/query/store.h"
#include "model/sql/schema.h"

namespace txscope::audit {

/// A place in the commit order.  Only the order counts: there is room between
/// two for a transaction that turns out to belong there.
using Position = std::uint64_t;
inline constexpr Position kSetup = 0;
inline constexpr Position kGap = Position{1} << 24;
inline constexpr Position kNow = ~Position{0};

using RowPtr = std::shared_ptr<const sql::Row>;
using RowNumber = std::uint32_t;

/// What a commit does to one row.
struct Effect {
  TableId table;
  RowNumber row = 0;    ///< if `is_new` given when it is put
  bool is_new = false;  ///< a row that was not there, or is there again
  RowPtr now;           ///< none: deleted

  friend bool operator==(const Effect& a, const Effect& b) {
    return a.table == b.table && a.is_new == b.is_new &&
           (a.is_new || a.row == b.row) &&
           (a.now == b.now || (a.now && b.now && *a.now == *b.now));
  }
};
using Effects = std::vector<Effect>;

/// What a column of a primary key must not be less than, or not more.
struct KeyBound {
  std::uint32_t column = 0;
  bool is_lower = false;
  sql::Value value;
};

/// Another hash from a hash and what comes to it.
[[nodiscard]] constexpr std::uint64_t mixed(std::uint64_t a, std::uint64_t b) {
  a ^= b + 0x9e3779b97f4a7c15ull + (a << 6) + (a >> 2);
  return a * 0xff51afd7ed558ccdull;
}

/// SQL's order of keys.
struct KeyLess {
  using is_transparent = void;
  bool operator()(std::span<const sql::Value> a,
                  std::span<const sql::Value> b) const;
};

/// The tables of a database with every version that some transaction may still
/// see.  A row is one life of a key: deleted and inserted again it is another.
class Tables {
 public:
  struct Version {
    Position at = kSetup;
    RowPtr row;  ///< none: absent
  };

  explicit Tables(const sql::Schema& schema);

  [[nodiscard]] const sql::Schema& schema() const { return *schema_; }

  /// Makes the effects of a transaction visible from `at` on; gives new rows
  /// their numbers.
  void put(Effects& effects, Position at);
  /// Takes back what put() did.
  void undo(const Effects& effects, Position at);

  /// The version of a row in the state after `at`; none if absent.
  [[nodiscard]] const RowPtr* visible(TableId table, RowNumber row,
                                      Position at) const;
  [[nodiscard]] const std::vector<Version>& versions(TableId table,
                                                     RowNumber row) const {
    return tables_[table.index].chains[row];
  }
  /// Calls `on_row(row number)` for all rows, in any of their versions, that
  /// `access` may want within the bounds, each once.
  void each(const sql::Access& access, std::span<const KeyBound> bounds,
            const std::function<void(RowNumber)>& on_row) const;
  /// Whether some version of this primary key was made in (after, before).
  [[nodiscard]] bool is_key_written(TableId table,
                                    std::span<const sql::Value> key,
                                    Position after, Position before) const;
  [[nodiscard]] bool is_row_written(TableId table, RowNumber row,
                                    Position after, Position before) const;
  /// The last commit up to `until` since which these columns of a row have the
  /// values, or since which they do not have them any more.
  [[nodiscard]] Position last_turn(TableId table, RowNumber row,
                                   std::span<const std::uint32_t> columns,
                                   std::span<const sql::Value> values,
                                   Position until) const;
  /// The primary key of a row; of a table without one nothing.
  [[nodiscard]] sql::Row key_of(TableId table, const sql::Row& row) const;

  /// The versions of every row of a table, and a table from them.
  [[nodiscard]] std::vector<std::vector<Version>> rows(TableId table) const;
  void restore(TableId table, const std::vector<std::vector<Version>>& rows);

  /// Forgets versions that nobody can see who sees `oldest` or later.
  void forget_before(Position oldest);
  [[nodiscard]] std::size_t live_versions() const { return live_; }

  /// What the state after the last commit holds; the same for the same rows.
  [[nodiscard]] std::uint64_t state_hash() const { return hash_; }

 private:
  /// Rows by primary key, newest life last; without a key by number.
  using KeyOrder = std::map<sql::Row, std::vector<RowNumber>, KeyLess>;
  /// The same, with how many of their versions have certain values.
  using CountedOrder =
      std::map<sql::Row, std::vector<std::pair<RowNumber, std::uint32_t>>,
               KeyLess>;
  /// By the hash of the values.
  using ValueIndex = std::unordered_map<std::uint64_t, CountedOrder>;
  struct TableVersions {
    std::vector<std::vector<Version>> chains;
    std::vector<RowNumber> free;
    KeyOrder by_key;
    /// Per columns that were asked for together: rows that ever had values.
    std::map<std::vector<std::uint32_t>, ValueIndex> by_columns;
    std::vector<std::pair<Position, RowNumber>> touched;  ///< for forgetting
  };

  [[nodiscard]] sql::Row identity(TableId table, RowNumber number,
                                  const sql::Row& row) const;
  RowNumber add_row(TableId table, const sql::Row& row);
  void drop_row(TableId table, RowNumber number, const sql::Row& row);
  void index(TableId table, RowNumber number, const sql::Row& row);
  void unindex(TableId table, RowNumber number, const sql::Row& row);
  const ValueIndex& value_index(TableId table,
                                std::span<const std::uint32_t> columns) const;
  static std::uint64_t hash_of(TableId table, const RowPtr& row);

  const sql::Schema* schema_;
  mutable std::vector<TableVersions> tables_;  // indexes are made when asked
  std::size_t live_ = 0;
  std::uint64_t hash_ = 0;
};

}  // namespace txscope::audit
