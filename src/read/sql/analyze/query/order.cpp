#include <algorithm>

#include "read/sql/analyze/expression/expression_shape.h"
#include "read/sql/analyze/rooms.h"

namespace txscope::sql::analyzer {

SortKey Queries::sort_key(const PgQuery__SortBy& item, Expr e) {
  if (item.sortby_dir == PG_QUERY__SORT_BY_DIR__SORTBY_USING) {
    source().unsupported(scope_.tree.at(item.location),
                         "ORDER BY ... USING is");
  }
  SortKey key;
  key.expr = std::move(e);
  key.is_descending = item.sortby_dir == PG_QUERY__SORT_BY_DIR__SORTBY_DESC;
  key.nulls_first =
      item.sortby_nulls == PG_QUERY__SORT_BY_NULLS__SORTBY_NULLS_DEFAULT
          ? key.is_descending == (scope_.dialect == Dialect::Postgresql)
          : item.sortby_nulls == PG_QUERY__SORT_BY_NULLS__SORTBY_NULLS_FIRST;
  return key;
}

void Queries::order_by(Query& query, NodeList nodes) {
  if (nodes.size() > kMostColumns) {
    source().fail(scope_.tree.whole(), "ORDER BY has too many columns");
  }
  for (const Node* node : nodes) {
    const PgQuery__SortBy& item = *node->sort_by;
    auto found = output_column(query, *item.node, "ORDER BY");
    SortKey key = sort_key(
        item, found ? std::move(*found)
                    : decided(source(), all_.expressions.expr(item.node)));
    const bool is_shown = std::any_of(
        query.targets.begin(), query.targets.end(),
        [&key](const Target& t) { return is_same(t.expr, key.expr); });
    if (query.is_distinct && !is_shown) {
      source().fail(key.expr.at,
                    "for SELECT DISTINCT, ORDER BY expressions must appear in "
                    "the select list");
    }
    query.order_by.push_back(std::move(key));
  }
}

/// ORDER BY has to begin with these, in any order; what it lacks is added.
void Queries::distinct_on(Query& query, NodeList nodes) {
  const auto refuse = [&](Span at) {
    source().fail(at,
                  "SELECT DISTINCT ON expressions must match initial ORDER BY "
                  "expressions");
  };
  std::vector<Expr> all;
  for (const Node* node : nodes) {
    auto found = output_column(query, *node, "DISTINCT ON");
    Expr e = found ? std::move(*found)
                   : decided(source(), all_.expressions.expr(node));
    const bool is_known = std::any_of(
        all.begin(), all.end(), [&](const Expr& x) { return is_same(x, e); });
    if (!is_known) all.push_back(std::move(e));
  }
  const std::size_t sorted = query.order_by.size();
  std::size_t matched = 0;
  std::vector<bool> is_matched(all.size());
  for (std::size_t i = 0; i < sorted; ++i) {
    for (std::size_t k = 0; k < all.size(); ++k) {
      if (is_matched[k] || !is_same(all[k], query.order_by[i].expr)) continue;
      if (matched != i) refuse(all[k].at);
      is_matched[k] = true;
      ++matched;
    }
  }
  for (std::size_t k = 0; k < all.size(); ++k) {
    if (is_matched[k]) continue;
    if (matched < sorted) refuse(all[k].at);
    query.order_by.push_back({std::move(all[k]), false, false});
  }
  query.is_distinct = true;
  query.distinct_on = static_cast<std::uint32_t>(all.size());
}

void Queries::limit(Query& query, const PgQuery__SelectStmt& node) {
  if (node.limit_option == PG_QUERY__LIMIT_OPTION__LIMIT_OPTION_WITH_TIES) {
    source().unsupported(scope_.tree.word({"ties"}), "WITH TIES is");
  }
  const auto count = [&](const Node* n,
                         std::string_view what) -> std::optional<Expr> {
    if (n == nullptr) return std::nullopt;
    Expr e = all_.expressions.expr(n);
    if (!assigns(e.type, {TypeName::BigInt})) {
      source().fail(e.at, std::string(what) + " must be a number, not " +
                              to_string(e.type));
    }
    if (mentions_column(e, 0)) {
      source().fail(e.at, std::string(what) + " must not contain columns");
    }
    return assign(source(), std::move(e), {TypeName::BigInt, 0, 0});
  };
  query.limit = count(node.limit_count, "LIMIT");
  query.offset = count(node.limit_offset, "OFFSET");
  if (query.limit && query.limit->op == Op::Constant &&
      query.limit->value.is_null()) {
    query.limit.reset();  // LIMIT ALL
  }
}

}  // namespace txscope::sql::analyzer
