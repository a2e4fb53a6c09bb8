#include <algorithm>
#include <array>
#include <utility>

#include "read/sql/analyze/mariadb.h"
#include "read/sql/analyze/rooms.h"

namespace txscope::sql::analyzer {
/// WITH name AS (SELECT ...): each becomes a subquery where it is named.
std::size_t Sets::open_with(const PgQuery__WithClause* with) {
  if (with == nullptr) return 0;
  const auto around = std::exchange(recursive_, std::nullopt);
  std::size_t count = 0;
  for (const Node* item : list(with->n_ctes, with->ctes)) {
    const PgQuery__CommonTableExpr& cte = *item->common_table_expr;
    const Span at = scope_.tree.at(cte.location);
    CommonTable table;
    table.name = view(cte.ctename);
    const bool is_select =
        cte.ctequery->node_case == PG_QUERY__NODE__NODE_SELECT_STMT;
    if (!is_select || cte.ctequery->select_stmt->n_locking_clause > 0) {
      table.query = all_.parts.part(*cte.ctequery, at, 0);
    } else {
      // It sees nothing of the queries around it.
      auto hidden = std::move(scope_.levels);
      scope_.levels.clear();
      if (with->recursive) open_recursive(cte);
      table.query = all_.queries.subquery(cte.ctequery, at);
      recursive_.reset();
      scope_.levels = std::move(hidden);
    }
    for (const Target& target : table.query->targets) {
      table.columns.push_back(target.name);
    }
    for (std::size_t i = 0; i < cte.n_aliascolnames; ++i) {
      if (i < table.columns.size()) {
        table.columns[i] = string_of(cte.aliascolnames[i]);
      }
    }
    common_tables_.push_back(std::move(table));
    ++count;
  }
  recursive_ = around;
  return count;
}

/// A name in FROM that is a WITH's or a view's; nothing: it is a table's.
std::optional<std::uint32_t> Sets::add_named_query(
    Query& query, const PgQuery__RangeVar& node) {
  const std::string name(view(node.relname));
  const Span at = scope_.tree.dotted_name(node.location);
  std::shared_ptr<const Query> inner;
  std::vector<std::string> columns;
  for (auto t = common_tables_.rbegin(); t != common_tables_.rend(); ++t) {
    if (t->name != name || !view(node.schemaname).empty()) continue;
    inner = t->query;
    all_.parts.look_at_part(inner.get());
    columns = t->columns;
    if (inner->set == SetKind::Working) use_recursive(*t, at);
    break;
  }
  if (inner == nullptr && scope_.variables != nullptr &&
      view(node.schemaname).empty()) {
    inner = scope_.variables->rows(name);
    if (inner != nullptr) {
      scope_.looks_at_tables = true;
      for (const Target& target : inner->targets)
        columns.push_back(target.name);
    }
  }
  if (inner == nullptr) {
    const auto found = scope_.catalog.views.find(scope_.key_of(node));
    if (found == scope_.catalog.views.end()) return std::nullopt;
    if (++scope_.depth > Program::kMaxNesting) {
      source().fail(at, "views are nested too deeply here");
    }
    Rooms of_view(*found->second.tree, scope_.catalog, nullptr, nullptr);
    of_view.scope.depth = scope_.depth;
    of_view.scope.path = &found->second.path;
    const Node* body = found->second.tree->statement().view_stmt->query;
    inner = of_view.queries.subquery(body, at);
    --scope_.depth;
    scope_.looks_at_tables = true;
    for (const Target& target : inner->targets) columns.push_back(target.name);
    for (std::size_t i = 0; i < found->second.columns.size(); ++i) {
      if (i < columns.size()) columns[i] = found->second.columns[i];
    }
  }
  RelationNames names;
  names.name = node.alias != nullptr ? view(node.alias->aliasname) : name;
  return add_query(query, std::move(inner), std::move(names), columns,
                   node.alias, at, false);
}

std::uint32_t Sets::add_query(Query& query, std::shared_ptr<const Query> inner,
                              RelationNames names,
                              std::vector<std::string> columns,
                              const PgQuery__Alias* alias, Span at,
                              bool is_lateral) {
  names.is_subquery = true;
  if (alias != nullptr) {
    for (std::size_t i = 0; i < alias->n_colnames && i < columns.size(); ++i) {
      columns[i] = string_of(alias->colnames[i]);
    }
  }
  for (std::size_t i = 0; i < inner->targets.size(); ++i) {
    names.columns.push_back({columns[i], inner->targets[i].expr.type, false});
  }
  Relation relation;
  relation.query = std::move(inner);
  relation.at = at;
  relation.is_lateral = is_lateral;
  const auto number = static_cast<std::uint32_t>(query.relations.size());
  all_.from.add_relation(query, std::move(relation), std::move(names));
  level().star_order.push_back({number, std::nullopt});
  return number;
}

/// UNION, INTERSECT, EXCEPT and VALUES: a relation of a SELECT * around it, so
/// that ORDER BY and LIMIT have their place.
std::shared_ptr<Query> Sets::set_operation(const PgQuery__SelectStmt& node) {
  const Span at = scope_.tree.whole();
  if (node.n_locking_clause > 0) {
    source().unsupported(at, "FOR UPDATE of a UNION is");
  }
  scope_.levels.push_back(std::make_unique<OpenQuery>());
  auto outer = std::make_shared<Query>();
  outer->at = at;
  // The level of the set itself, which has no names.
  scope_.levels.push_back(std::make_unique<OpenQuery>());
  auto set =
      node.n_values_lists > 0 ? values_query(node) : combined_query(node);
  scope_.levels.pop_back();
  RelationNames names;
  names.name = "";
  std::vector<std::string> columns;
  for (const Target& target : set->targets) columns.push_back(target.name);
  const std::vector<Target> shown = set->targets;
  (void)add_query(*outer, std::move(set), std::move(names), columns, nullptr,
                  at, false);
  for (std::uint32_t c = 0; c < shown.size(); ++c) {
    Expr e;
    e.op = Op::Column;
    e.type = shown[c].expr.type;
    e.index = c;
    e.at = at;
    outer->targets.push_back({shown[c].name, std::move(e)});
  }
  level().clause = Clause::OrderBy;
  all_.queries.order_by(*outer, list(node.n_sort_clause, node.sort_clause));
  if (level().has_aggregate || !level().windows.empty()) {
    source().fail(at, "ORDER BY of a UNION sorts by its columns only");
  }
  level().clause = Clause::Limit;
  all_.queries.limit(*outer, node);
  scope_.levels.pop_back();
  scope_.looks_at_tables = true;
  return outer;
}

std::shared_ptr<Query> Sets::combined_query(const PgQuery__SelectStmt& node) {
  const Span at = scope_.tree.whole();
  auto set = std::make_shared<Query>();
  set->at = at;
  set->set = node.op == PG_QUERY__SET_OPERATION__SETOP_UNION ? SetKind::Union
             : node.op == PG_QUERY__SET_OPERATION__SETOP_INTERSECT
                 ? SetKind::Intersect
                 : SetKind::Except;
  set->is_all = node.all;
  auto recursive = std::exchange(recursive_, std::nullopt);
  ++scope_.conditional;
  auto a = all_.queries.query(*node.larg);
  auto b = recursive ? recursive_part(node, std::move(*recursive), *set, *a)
                     : all_.queries.query(*node.rarg);
  --scope_.conditional;
  match_parts(*set, *a, *b);
  set->parts.push_back(std::move(a));
  set->parts.push_back(std::move(b));
  return set;
}

void Sets::match_parts(Query& set, Query& a, Query& b) {
  const Span at = set.at;
  if (a.targets.size() != b.targets.size()) {
    source().fail(at, "each UNION query must have the same number of columns");
  }
  for (std::size_t i = 0; i < a.targets.size(); ++i) {
    Target& x = a.targets[i];
    Target& y = b.targets[i];
    // MySQL's recursive queries have the types of what they begin with.
    if (set.set == SetKind::Recursive && is_mysql(scope_.dialect)) {
      x.expr = decided(source(), std::move(x.expr));
      y.expr = mariadb_assigned(source(), std::move(y.expr), x.expr.type);
    }
    const auto type = combined_type(x.expr.type, y.expr.type);
    if (!type) {
      source().fail(at, "UNION types " + to_string(bare(x.expr.type)) +
                            " and " + to_string(bare(y.expr.type)) +
                            " cannot be matched");
    }
    if (set.set == SetKind::Recursive) {
      const Type whole = x.expr.type == y.expr.type ? *type : bare(*type);
      if (whole != x.expr.type) {
        source().fail(at,
                      "recursive query column " + std::to_string(i + 1) +
                          " has type " + to_string(x.expr.type) +
                          " in non-recursive term but type " +
                          to_string(whole) + " overall",
                      "cast the output of the non-recursive term");
      }
    }
    const bool changes =
        bare(x.expr.type) != bare(*type) || bare(y.expr.type) != bare(*type);
    const auto is_odd = [](const Query& q) {
      return q.is_distinct || !q.order_by.empty();
    };
    if (changes && (is_odd(a) || is_odd(b))) {
      source().unsupported(at, "UNION of columns of different types here is",
                           "add casts");
    }
    x.expr = convert(source(), std::move(x.expr), bare(*type));
    y.expr = convert(source(), std::move(y.expr), bare(*type));
    set.targets.push_back({x.name, constant({}, bare(*type), at)});
  }
}

std::shared_ptr<Query> Sets::values_query(const PgQuery__SelectStmt& node) {
  const Span at = scope_.tree.whole();
  auto set = std::make_shared<Query>();
  set->at = at;
  set->set = SetKind::Values;
  level().clause = Clause::Values;
  ++scope_.conditional;
  for (const Node* item : list(node.n_values_lists, node.values_lists)) {
    set->values.push_back(
        all_.expressions.exprs(list(item->list->n_items, item->list->items)));
    if (set->values.back().size() != set->values[0].size()) {
      source().fail(at, "VALUES lists must all be the same length");
    }
  }
  --scope_.conditional;
  for (std::size_t c = 0; c < set->values[0].size(); ++c) {
    std::vector<Expr> column;
    for (auto& row : set->values) column.push_back(std::move(row[c]));
    const Type type = all_.expressions.match(column, "VALUES");
    for (std::size_t r = 0; r < column.size(); ++r) {
      set->values[r][c] = std::move(column[r]);
    }
    set->targets.push_back(
        {"column" + std::to_string(c + 1), constant({}, type, at)});
  }
  return set;
}

}  // namespace txscope::sql::analyzer
