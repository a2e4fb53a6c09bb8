#include "exec/sql/value/row_keys.h"

#include <algorithm>

#include "exec/sql/value/compare.h"

namespace txscope::sql {

bool differ(std::span<const std::uint32_t> columns, const Row& a,
            const Row& b) {
  return std::any_of(columns.begin(), columns.end(), [&](std::uint32_t c) {
    return canonical(a[c]) != canonical(b[c]);
  });
}

bool same_values(std::span<const std::uint32_t> columns, const Row& a,
                 std::span<const std::uint32_t> other_columns, const Row& b) {
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const Value& x = a[columns[i]];
    const Value& y = b[other_columns[i]];
    if (x.is_null() || y.is_null() || canonical(x) != canonical(y))
      return false;
  }
  return true;
}

bool has_null(std::span<const std::uint32_t> columns, const Row& row) {
  return std::any_of(columns.begin(), columns.end(),
                     [&](std::uint32_t c) { return row[c].is_null(); });
}

}  // namespace txscope::sql
