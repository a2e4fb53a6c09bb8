#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "exec/sql/memory/database.h"

namespace txscope::explore {

/// The values of PRIMARY KEY and UNIQUE constraints, and who holds them.
///
/// Definition.  A database tests uniqueness against the latest committed rows,
/// whatever a transaction sees: of two that insert the same key at once one
/// fails, at every level.  So an execution exists only if its commits can be
/// ordered such that every value is free when it is taken; which needs that the
/// values taken and not given back, with those the setup left, are at most one
/// row's each, and none of two rows that EXCLUDE each other.  (That this
/// suffices is not claimed: where rows with the same key are deleted twice and
/// inserted twice, an execution may be kept that no database has.  A state that
/// breaks a constraint is never taken for a final one: Transactions::holds().)
class Claims {
 public:
  /// How a transaction changes the number of rows that hold a value.
  struct Change {
    std::uint32_t value = 0;
    std::int32_t rows = 0;
  };
  using Changes = std::vector<Change>;  ///< ascending by value, never 0

  Claims(const sql::Schema& schema, const sql::MemoryDatabase& initial);

  /// Adds what replacing `before` by `after` (none: no row) changes.
  void add(TableId table, const sql::Row* before, const sql::Row* after,
           Changes& to);

  static void merge(const Changes& from, Changes& to);

  /// Whether these transactions can all have committed.
  [[nodiscard]] bool allow(const std::vector<const Changes*>& all) const;

 private:
  struct Key {
    TableId table;
    std::uint32_t constraint = 0;
    sql::Row values;
    auto operator<=>(const Key&) const = default;
  };
  static void add(Change change, Changes& to);
  std::uint32_t number(const Key& key);
  /// Whether rows with these two values of EXCLUDE cannot both be there.
  [[nodiscard]] bool are_rivals(const Key& a, const Key& b) const;

  const sql::Schema& schema_;
  const sql::Routines& routines_;
  mutable std::mutex mutex_;  // guards what follows
  std::map<Key, std::uint32_t> numbers_;
  std::vector<std::int32_t> initial_;  // rows, by number
  /// By number, of EXCLUDE: the values that it excludes, itself where it does.
  std::vector<std::vector<std::uint32_t>> rivals_;
  std::vector<bool> is_unique_;  // by number: at most one row has it
};

}  // namespace txscope::explore
