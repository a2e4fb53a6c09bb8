#include "symbolic/routine/known_order.h"

#include <cstddef>
#include <utility>

namespace txscope::symbolic {

using smt::Term;

void sort_known(SymbolicPath& path, const sql::Query& query,
                std::vector<ResultRow>& rows) {
  if (query.order_by.empty()) return;
  SymbolicQueries queries(path.q, path.slots, no_rows());
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::size_t to = order.size();
    while (to > 0) {
      const Term before = queries.is_before(query, rows, i, order[to - 1]);
      if (!path.t.is_true(before) && !path.t.is_false(before)) {
        throw Unsupported{path.at, "a FOR loop whose order depends on inputs"};
      }
      if (path.t.is_false(before)) break;
      --to;
    }
    order.insert(order.begin() + static_cast<std::ptrdiff_t>(to), i);
  }
  std::vector<ResultRow> sorted;
  sorted.reserve(order.size());
  for (const std::size_t i : order) sorted.push_back(std::move(rows[i]));
  rows = std::move(sorted);
}

}  // namespace txscope::symbolic
