#include "exec/sql/memory_tables.h"

#include <algorithm>

#include "exec/sql/compare.h"

namespace txscope::sql {

int compare_columns(const Row& a, const Columns& in_a, const Row& b,
                    const Columns& in_b) {
  for (std::size_t i = 0; i < in_a.size(); ++i) {
    const Value& x = a[in_a[i]];
    const Value& y = b[in_b[i]];
    if (x.is_null() || y.is_null()) {
      if (x.is_null() != y.is_null()) return x.is_null() ? -1 : 1;
      continue;
    }
    if (const int order = compare(x, y); order != 0) return order;
  }
  return 0;
}

bool has_null(const Row& row, const Columns& columns) {
  return std::any_of(columns.begin(), columns.end(),
                     [&row](std::uint32_t c) { return row[c].is_null(); });
}

bool TablesStore::scan(const Access& access, const OnRow& on_row) {
  const TableRows& rows = *tables_[access.table.index];
  auto first = rows.entries.begin();
  auto last = rows.entries.end();
  const Table& table = schema_.at(access.table);
  if (table.has_primary_key && !access.equal.empty()) {
    // The first column of the key narrows the range.
    const std::uint32_t column = table.unique[0].columns[0];
    for (const auto& [c, value] : access.equal) {
      if (c != column) continue;
      const Value& v = value;
      first = std::partition_point(first, last, [&](const auto& entry) {
        return compare((*entry.row)[column], v) < 0;
      });
      last = std::partition_point(first, last, [&](const auto& entry) {
        return compare((*entry.row)[column], v) == 0;
      });
    }
  }
  for (; first != last; ++first)
    on_row({access.table, first->number}, *first->row);
  return true;
}

}  // namespace txscope::sql
