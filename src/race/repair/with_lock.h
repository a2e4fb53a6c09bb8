#pragma once

#include <optional>
#include <string>
#include <vector>

#include "race/reduce/catalog.h"
#include "race/wire/flight.h"

namespace txscope::race {

/// A SELECT of the rows of one table that takes no lock.
struct PlainSelect {
  std::string table;   ///< on MariaDB it may be empty: any
  std::string locked;  ///< the same with FOR UPDATE
  /// Columns that its condition compares with a value by "=".
  std::vector<std::string> equal;
};
/// None: another statement, or one that cannot lock (it counts, groups, ..).
[[nodiscard]] std::optional<PlainSelect> plain_select(
    const Statement& statement, const Catalog& catalog);

/// The columns that an INSERT into this table fills; none: another statement.
[[nodiscard]] std::optional<std::vector<std::string>> inserted_columns(
    const Statement& statement, const std::string& table,
    const Catalog& catalog);

}  // namespace txscope::race
