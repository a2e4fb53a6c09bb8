#include "read/sql/analyze/expression/expression_shape.h"

#include <algorithm>

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

}  // namespace txscope::sql
