#pragma once

#include "exec/sql/value/compare.h"
#include "model/sql/expr.h"

namespace txscope::sql {

/// Where ORDER BY puts two values of one kind, with NULLs at one end: negative,
/// 0 or positive.
[[nodiscard]] inline int compare_sorted(const Value& a, const Value& b,
                                        bool is_descending, bool nulls_first) {
  if (a.is_null() || b.is_null()) {
    if (a.is_null() == b.is_null()) return 0;
    return a.is_null() == nulls_first ? -1 : 1;
  }
  const int order = compare(a, b);
  return is_descending ? -order : order;
}

/// The same of rows by `keys`, whose values they begin with.
[[nodiscard]] inline int compare_sorted(const std::vector<SortKey>& keys,
                                        const Row& a, const Row& b) {
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const int order =
        compare_sorted(a[i], b[i], keys[i].is_descending, keys[i].nulls_first);
    if (order != 0) return order;
  }
  return 0;
}

[[nodiscard]] inline Row canonical_row(const Row& row) {
  Row same;
  same.reserve(row.size());
  for (const Value& value : row) same.push_back(canonical(value));
  return same;
}

}  // namespace txscope::sql
