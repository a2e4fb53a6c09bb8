#include "audit/attempt/shown_rows.h"

#include <algorithm>
#include <optional>

#include "audit/rows/key_condition.h"
#include "audit/rows/select_access.h"
#include "exec/sql/value/compare.h"

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

bool locks_all(const sql::Schema& schema, const Prepared& prepared,
               const sql::LogStatement& observed, std::size_t rows) {
  const sql::Query& q = prepared.query();
  // SKIP LOCKED leaves some out.
  if (observed.rows && observed.rows->size() != rows) return false;
  if (!q.limit && !q.offset) return true;
  if (!observed.rows || q.offset) return false;
  // One row at most, or it came to the end before it had enough.
  std::vector<const sql::Expr*> rest;
  const bool is_one =
      rows == 1 && q.relations.size() == 1 && q.relations[0].query == nullptr &&
      key_of(schema.at(q.relations[0].table), q.where, observed, rest);
  const auto limit = constant(*q.limit, observed);
  const bool is_at_end =
      limit && limit->kind() == sql::Kind::Integer &&
      static_cast<std::int64_t>(observed.rows->size()) < limit->integer();
  return is_one || is_at_end;
}

namespace {

/// How many rows a statement shows whatever the state is; none: that depends.
std::optional<std::size_t> rows_shown(const Prepared& prepared,
                                      const sql::LogStatement& observed) {
  if (prepared.is_select()) {
    const sql::Query& q = prepared.query();
    const bool is_one = q.is_grouped && q.group_by.empty() && !q.having &&
                        !q.limit && !q.offset;
    return is_one ? std::optional<std::size_t>(1) : std::nullopt;
  }
  if (prepared.statement->returning.empty()) return std::nullopt;
  if (observed.count) return *observed.count;
  const auto* insert = std::get_if<sql::Insert>(&prepared.statement->what);
  if (insert == nullptr || insert->source != nullptr || insert->on_conflict)
    return std::nullopt;
  return insert->rows.size();
}

}  // namespace

std::string wrong_in_itself(const sql::Schema& schema, const Prepared& prepared,
                            const sql::LogStatement& observed,
                            bool keys_may_repeat) {
  if (!prepared.is_sql() || !observed.rows || observed.error) return {};
  const auto& rows = *observed.rows;
  for (const Row& row : rows)
    if (row.size() != prepared.shown_columns())
      return "a row has another number of columns than the statement";
  const auto shown = rows_shown(prepared, observed);
  if (shown && rows.size() != *shown)
    return "it shows " + std::to_string(*shown) +
           (*shown == 1 ? " row" : " rows") + " whatever there is";
  if (!prepared.is_select()) return {};
  const sql::Query& q = prepared.query();
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
  if (keys_may_repeat || q.is_grouped || q.set != sql::SetKind::None) return {};
  auto keys = keys_of_rows(schema, q, observed);
  const auto is_less = [](const std::vector<Row>& a,
                          const std::vector<Row>& b) {
    return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(),
                                        KeyLess{});
  };
  std::sort(keys.begin(), keys.end(), is_less);
  if (std::adjacent_find(keys.begin(), keys.end()) == keys.end()) return {};
  return q.relations.size() == 1 ? "a primary key is there twice"
                                 : "the same rows are joined twice";
}

}  // namespace txscope::audit
