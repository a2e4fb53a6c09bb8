#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "exec/sql/writer/row_index.h"
#include "exec/sql/query/store.h"

namespace txscope::sql {

/// The rows of a table, in the order of the primary key, else of insertion.
/// Rows are added and removed where they belong in that order.
struct TableRows {
  using Entry = RowIndex::Entry;
  std::vector<Entry> entries;
  /// Of a table with many rows, once somebody has asked for it; who changes
  /// rows of a copy goes on without it.
  std::shared_ptr<RowIndex> index;
  std::uint64_t next = 1;

  void add(const Table& table, Entry entry);
  void remove(const Table& table, const Entry& entry);
  /// Among these are all rows whose `columns` equal those of `like`: by the
  /// primary key just those, else all.
  [[nodiscard]] std::span<const Entry> like(const Table& table,
                                            const Columns& columns,
                                            const Row& like,
                                            const Columns& in_like) const;
  /// Shows those that an access does not exclude by the key's first column.
  void scan(const Table& table, const Access& access,
            const Store::OnRow& on_row) const;
};

/// Compares `a` and `b` column by column; NULLs, which keys do not have, first.
[[nodiscard]] int compare_columns(const Row& a, const Columns& in_a,
                                  const Row& b, const Columns& in_b);

}  // namespace txscope::sql
