#include <algorithm>

#include "model/sql/walk.h"
#include "read/sql/analyze/analyzer.h"

namespace txscope::sql {
namespace {

/// Without casts from varchar to text, which only give a value another name.
const Expr& unlabelled(const Expr& e) {
  const bool is_label = e.op == Op::Cast && e.type.name == TypeName::Text &&
                        e.args[0].type.name == TypeName::Varchar;
  return is_label ? unlabelled(e.args[0]) : e;
}

bool is_same(const Query& a, const Query& b);

template <class T, class Same>
bool all_same(const std::vector<T>& a, const std::vector<T>& b, Same same) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), same);
}

bool is_same(const std::optional<Expr>& a, const std::optional<Expr>& b) {
  return a.has_value() == b.has_value() && (!a || sql::is_same(*a, *b));
}

bool is_same(const Relation& a, const Relation& b) {
  if (a.table != b.table || (a.query == nullptr) != (b.query == nullptr)) {
    return false;
  }
  return a.query == nullptr || is_same(*a.query, *b.query);
}

bool is_same(const SortKey& a, const SortKey& b) {
  return sql::is_same(a.expr, b.expr) && a.is_descending == b.is_descending &&
         a.nulls_first == b.nulls_first;
}

bool is_same(const Aggregate& a, const Aggregate& b) {
  return a.kind == b.kind && a.is_distinct == b.is_distinct &&
         a.order == b.order && is_same(a.argument, b.argument);
}

bool is_same(const FrameBound& a, const FrameBound& b) {
  return a.kind == b.kind && is_same(a.offset, b.offset);
}

bool is_same(const Query& a, const Query& b) {
  const auto same_expr = [](const Expr& x, const Expr& y) {
    return sql::is_same(x, y);
  };
  return all_same(a.relations, b.relations,
                  [](const Relation& x, const Relation& y) {
                    return is_same(x, y);
                  }) &&
         all_same(a.joins, b.joins,
                  [](const Join& x, const Join& y) {
                    return x.kind == y.kind && is_same(x.on, y.on);
                  }) &&
         is_same(a.where, b.where) && a.is_grouped == b.is_grouped &&
         all_same(a.group_by, b.group_by, same_expr) &&
         all_same(a.aggregates, b.aggregates,
                  [](const Aggregate& x, const Aggregate& y) {
                    return is_same(x, y);
                  }) &&
         is_same(a.having, b.having) &&
         all_same(a.windows, b.windows,
                  [](const WindowCall& x, const WindowCall& y) {
                    return sql::is_same(x, y);
                  }) &&
         all_same(a.targets, b.targets,
                  [](const Target& x, const Target& y) {
                    return sql::is_same(x.expr, y.expr);
                  }) &&
         a.is_distinct == b.is_distinct &&
         all_same(a.order_by, b.order_by,
                  [](const SortKey& x, const SortKey& y) {
                    return is_same(x, y);
                  }) &&
         is_same(a.limit, b.limit) && is_same(a.offset, b.offset) &&
         a.distinct_on == b.distinct_on && a.set == b.set &&
         a.is_all == b.is_all && a.recursion == b.recursion &&
         all_same(
             a.parts, b.parts,
             [](const auto& x, const auto& y) { return is_same(*x, *y); }) &&
         all_same(a.values, b.values, [&](const auto& x, const auto& y) {
           return all_same(x, y, same_expr);
         });
}

/// The expressions of a query, with the number of queries around them up to
/// that which stands `level`s out of it; those of subqueries inside them are
/// the caller's.
template <class Visit>
void for_each_expr(const Query& query, std::uint32_t level, Visit visit) {
  for_each_part(
      query, [&](const Expr& e) { visit(e, level); },
      [&](const Query& inside) { for_each_expr(inside, level + 1, visit); });
}

}  // namespace

bool mentions_column(const Expr& e, std::uint32_t level) {
  if (e.op == Op::Column && e.level == level) return true;
  for (const Expr& arg : e.args) {
    if (mentions_column(arg, level)) return true;
  }
  bool is_found = false;
  if (e.query != nullptr) {
    for_each_expr(*e.query, level + 1,
                  [&is_found](const Expr& inner, std::uint32_t at_level) {
                    is_found = is_found || mentions_column(inner, at_level);
                  });
  }
  return is_found;
}

bool has_aggregate(const Expr& e) {
  return e.op == Op::Aggregate ||
         std::any_of(e.args.begin(), e.args.end(), has_aggregate);
}

bool has_window(const Expr& e) {
  return e.op == Op::Window ||
         std::any_of(e.args.begin(), e.args.end(), has_window);
}

bool has_query(const Expr& e) {
  return e.query != nullptr ||
         std::any_of(e.args.begin(), e.args.end(), has_query);
}

bool is_same(const Expr& x, const Expr& y) {
  const Expr& a = unlabelled(x);
  const Expr& b = unlabelled(y);
  if (a.op != b.op || a.type != b.type || a.level != b.level ||
      a.relation != b.relation || a.index != b.index || a.value != b.value ||
      (a.query == nullptr) != (b.query == nullptr)) {
    return false;
  }
  if (a.query != nullptr && a.query != b.query &&
      !is_same(*a.query, *b.query)) {
    return false;
  }
  return std::equal(a.args.begin(), a.args.end(), b.args.begin(), b.args.end(),
                    [](const Expr& p, const Expr& q) { return is_same(p, q); });
}

bool has_same_order(const WindowCall& a, const WindowCall& b) {
  return all_same(a.partition_by, b.partition_by,
                  [](const Expr& x, const Expr& y) { return is_same(x, y); }) &&
         all_same(
             a.order_by, b.order_by,
             [](const SortKey& x, const SortKey& y) { return is_same(x, y); });
}

bool is_same(const WindowCall& a, const WindowCall& b) {
  return a.function == b.function && is_same(a.aggregate, b.aggregate) &&
         all_same(a.args, b.args,
                  [](const Expr& x, const Expr& y) { return is_same(x, y); }) &&
         has_same_order(a, b) && a.frame.unit == b.frame.unit &&
         a.frame.exclusion == b.frame.exclusion &&
         is_same(a.frame.start, b.frame.start) &&
         is_same(a.frame.end, b.frame.end);
}

/// All columns of the relation's primary key are grouped by, so that all its
/// columns depend on the group.
bool Analyzer::is_key_grouped(const Query& query,
                              std::uint32_t relation) const {
  const TableId id = query.relations[relation].table;
  if (id == kNone<TableId>) return false;
  const Table& table = catalog_.schema.at(id);
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

void Analyzer::check_grouped(const Query& query, const Expr& e,
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

void Analyzer::check_grouped(const Query& query, const Query& inner,
                             std::uint32_t level) {
  for_each_expr(inner, level, [&](const Expr& e, std::uint32_t at_level) {
    check_grouped(query, e, at_level);
  });
}

void Analyzer::check_grouping(const Query& query) {
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
  if (!query.is_grouped || is_mysql(dialect_)) return;
  for (const Target& t : query.targets) check_grouped(query, t.expr, 0);
  if (query.having) check_grouped(query, *query.having, 0);
  for (const WindowCall& call : query.windows) {
    for_each_part(call, [&](const Expr& e) { check_grouped(query, e, 0); });
  }
  for (const SortKey& k : query.order_by) check_grouped(query, k.expr, 0);
}

}  // namespace txscope::sql
