#include "audit/shown_rows.h"

#include <algorithm>

#include "exec/sql/compare.h"

namespace txscope::audit {

using sql::Op;
using sql::Row;
using sql::Value;

bool shows_keys(const sql::Schema& schema, const sql::Query& query) {
  if (query.is_grouped || query.is_distinct || !query.windows.empty())
    return false;
  const sql::Table& table = schema.at(query.relations[0].table);
  if (!table.has_primary_key) return false;
  const auto& columns = table.unique[0].columns;
  return std::all_of(columns.begin(), columns.end(), [&](std::uint32_t c) {
    return std::any_of(query.targets.begin(), query.targets.end(),
                       [c](const sql::Target& t) {
                         return t.expr.op == Op::Column && t.expr.index == c;
                       });
  });
}

std::string wrong_in_itself(const sql::Schema& schema, const Prepared& prepared,
                            const sql::LogStatement& observed,
                            bool keys_may_repeat) {
  if (!prepared.is_select() || !observed.rows || observed.error) return {};
  const sql::Query& q = prepared.query();
  const auto& rows = *observed.rows;
  for (const Row& row : rows)
    if (row.size() != q.targets.size())
      return "a row has another number of columns than the query";
  // Keys of ORDER BY that are shown, from the first on.
  for (std::size_t i = 1; i < rows.size(); ++i) {
    for (const sql::SortKey& key : q.order_by) {
      const auto target = std::find_if(
          q.targets.begin(), q.targets.end(), [&](const sql::Target& t) {
            return t.expr.op == Op::Column && key.expr.op == Op::Column &&
                   t.expr.relation == key.expr.relation &&
                   t.expr.index == key.expr.index;
          });
      if (target == q.targets.end()) break;
      const auto c = static_cast<std::size_t>(target - q.targets.begin());
      const Value& a = rows[i - 1][c];
      const Value& b = rows[i][c];
      if (a.is_null() || b.is_null() || a.kind() != b.kind()) break;
      const int order = sql::compare(a, b);
      if (order == 0) continue;
      if ((order > 0) != key.is_descending)
        return "the rows are not in the order that was asked for";
      break;
    }
  }
  if (keys_may_repeat || q.is_grouped || q.relations.size() != 1 ||
      q.relations[0].query != nullptr)
    return {};
  const sql::Table& table = schema.at(q.relations[0].table);
  if (!table.has_primary_key) return {};
  std::vector<std::size_t> places;
  for (const std::uint32_t column : table.unique[0].columns) {
    const auto target = std::find_if(
        q.targets.begin(), q.targets.end(), [&](const sql::Target& t) {
          return t.expr.op == Op::Column && t.expr.index == column;
        });
    if (target == q.targets.end()) return {};
    places.push_back(static_cast<std::size_t>(target - q.targets.begin()));
  }
  std::vector<Row> keys;
  for (const Row& row : rows) {
    Row key;
    for (const std::size_t place : places) key.push_back(row[place]);
    keys.push_back(std::move(key));
  }
  std::sort(keys.begin(), keys.end(), KeyLess{});
  if (std::adjacent_find(keys.begin(), keys.end()) != keys.end())
    return "a primary key is there twice";
  return {};
}

}  // namespace txscope::audit
