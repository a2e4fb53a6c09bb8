#include <algorithm>

#include "model/sql/walk.h"
#include "read/sql/analyze/expression/expression_shape.h"
#include "read/sql/analyze/rooms.h"

namespace txscope::sql::analyzer {
/// All columns of the relation's primary key are grouped by, so that all its
/// columns depend on the group.
bool Aggregates::is_key_grouped(const Query& query,
                                std::uint32_t relation) const {
  const TableId id = query.relations[relation].table;
  if (id == kNone<TableId>) return false;
  const Table& table = scope_.catalog.schema.at(id);
  if (!table.has_primary_key) return false;
  const auto& key = table.unique[0].columns;
  return std::all_of(key.begin(), key.end(), [&](std::uint32_t column) {
    return std::any_of(query.group_by.begin(), query.group_by.end(),
                       [&](const Expr& e) {
                         return e.op == Op::Column && e.level == 0 &&
                                e.relation == relation && e.index == column;
                       });
  });
}

void Aggregates::check_grouped(const Query& query, const Expr& e,
                               std::uint32_t level) {
  // Only at the query's own level does an expression look like one of GROUP BY.
  if (level == 0) {
    for (const Expr& key : query.group_by) {
      if (is_same(key, e)) return;
    }
  }
  if (e.op == Op::Column && e.level == level) {
    for (const Expr& key : query.group_by) {
      if (key.op == Op::Column && key.level == 0 &&
          key.relation == e.relation && key.index == e.index) {
        return;
      }
    }
    if (is_key_grouped(query, e.relation)) return;
    source().fail(e.at, "column '" + std::string(source().text(e.at)) +
                            "' must appear in the GROUP BY clause or be used "
                            "in an aggregate function");
  }
  for (const Expr& arg : e.args) check_grouped(query, arg, level);
  if (e.query != nullptr) check_grouped(query, *e.query, level + 1);
}

void Aggregates::check_grouped(const Query& query, const Query& inner,
                               std::uint32_t level) {
  for_each_expr(inner, level, [&](const Expr& e, std::uint32_t at_level) {
    check_grouped(query, e, at_level);
  });
}

void Aggregates::check_grouping(const Query& query) {
  // An aggregate of nothing but outer columns belongs to the outer query.
  for (const Aggregate& aggregate : query.aggregates) {
    if (!aggregate.argument) continue;
    bool has_outer = false;
    bool has_inner = false;
    const auto look = [&](auto& self, const Expr& e) -> void {
      if (e.op == Op::Column) (e.level > 0 ? has_outer : has_inner) = true;
      for (const Expr& arg : e.args) self(self, arg);
    };
    look(look, *aggregate.argument);
    if (has_outer && !has_inner) {
      source().unsupported(aggregate.argument->at,
                           "an aggregate of an outer query's columns is");
    }
  }
  // MariaDB takes any row of the group.
  if (!query.is_grouped || is_mysql(scope_.dialect)) return;
  for (const Target& t : query.targets) check_grouped(query, t.expr, 0);
  if (query.having) check_grouped(query, *query.having, 0);
  for (const WindowCall& call : query.windows) {
    for_each_part(call, [&](const Expr& e) { check_grouped(query, e, 0); });
  }
  for (const SortKey& k : query.order_by) check_grouped(query, k.expr, 0);
}

}  // namespace txscope::sql::analyzer
