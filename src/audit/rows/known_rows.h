#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "audit/rows/row_access.h"

namespace txscope::audit {

/// The rows that a table ever had as far as the log tells, and which of their
/// columns are the same whenever they are there.
class KnownRows {
 public:
  struct KnownRow {
    sql::Row key;
    /// By column; none: it may change, or nobody told.
    std::vector<std::optional<sql::Value>> settled;
  };

  /// A row of the setup, with all its columns.
  void add(const sql::Table& table, const sql::Row& key, const sql::Row& row);
  /// What a statement writes to the table.
  void add(const sql::Table& table, const RowAccess& write);
  /// Something may have written any row in any way.
  void add_anything(const sql::Table& table);
  /// All were added.
  void finish(const sql::Table& table);

  [[nodiscard]] const std::vector<KnownRow>& all() const { return rows_; }
  /// Those that have a value in a settled column, by number; none: some row is
  /// not settled there.
  [[nodiscard]] const std::vector<std::uint32_t>* with(
      std::uint32_t column, const sql::Value& value) const;

 private:
  KnownRow& row(const sql::Table& table, const sql::Row& key);

  std::vector<KnownRow> rows_;
  std::map<sql::Row, std::uint32_t, KeyLess> numbers_;
  std::vector<bool> is_changed_;  // by column
  /// By column, unless it changes: rows by value.
  std::vector<std::map<sql::Row, std::vector<std::uint32_t>, KeyLess>>
      by_value_;
  std::vector<bool> is_indexed_;
  std::vector<std::uint32_t> nothing_;
};

}  // namespace txscope::audit
