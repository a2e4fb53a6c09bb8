#include <algorithm>

#include "base/suggest.h"
#include "read/sql/analyze/analyzer.h"
#include "read/sql/analyze/expression/expression_shape.h"
#include "read/sql/analyze/rooms.h"

namespace txscope::sql {
namespace {

bool is_named(const Node& node, PgQuery__Node__NodeCase what) {
  return node.node_case == what;
}

/// The name that PostgreSQL gives to a column of the result that has none
/// (FigureColname): a weak one gives way to what is inside.
struct ColumnTitle {
  std::string name;
  bool is_weak = false;
};

ColumnTitle column_name(const Node& node) {
  const auto strong = [](std::string_view name) {
    return ColumnTitle{std::string(name), false};
  };
  switch (node.node_case) {
    case PG_QUERY__NODE__NODE_COLUMN_REF: {
      const PgQuery__ColumnRef& ref = *node.column_ref;
      return strong(string_of(ref.fields[ref.n_fields - 1]));
    }
    case PG_QUERY__NODE__NODE_FUNC_CALL: {
      const PgQuery__FuncCall& call = *node.func_call;
      return strong(string_of(call.funcname[call.n_funcname - 1]));
    }
    case PG_QUERY__NODE__NODE_A_EXPR:
      if (node.a_expr->kind == PG_QUERY__A__EXPR__KIND__AEXPR_NULLIF) {
        return strong("nullif");
      }
      return {};
    case PG_QUERY__NODE__NODE_TYPE_CAST: {
      ColumnTitle inner = column_name(*node.type_cast->arg);
      if (!inner.name.empty() && !inner.is_weak) return inner;
      const PgQuery__TypeName& type = *node.type_cast->type_name;
      return {std::string(string_of(type.names[type.n_names - 1])), true};
    }
    case PG_QUERY__NODE__NODE_CASE_EXPR: {
      ColumnTitle inner;
      if (node.case_expr->defresult != nullptr) {
        inner = column_name(*node.case_expr->defresult);
      }
      if (!inner.name.empty() && !inner.is_weak) return inner;
      return {"case", true};
    }
    case PG_QUERY__NODE__NODE_COALESCE_EXPR: return strong("coalesce");
    case PG_QUERY__NODE__NODE_MIN_MAX_EXPR:
      return strong(node.min_max_expr->op == PG_QUERY__MIN_MAX_OP__IS_GREATEST
                        ? "greatest"
                        : "least");
    case PG_QUERY__NODE__NODE_SUB_LINK: {
      const PgQuery__SubLink& link = *node.sub_link;
      if (link.sub_link_type == PG_QUERY__SUB_LINK_TYPE__EXISTS_SUBLINK) {
        return strong("exists");
      }
      if (link.sub_link_type != PG_QUERY__SUB_LINK_TYPE__EXPR_SUBLINK) {
        return {};
      }
      const PgQuery__SelectStmt& select = *link.subselect->select_stmt;
      if (select.n_target_list == 0) return {};
      const PgQuery__ResTarget& first = *select.target_list[0]->res_target;
      if (!view(first.name).empty()) return strong(view(first.name));
      return column_name(*first.val);
    }
    default: return {};
  }
}

}  // namespace

std::string title_of(const Node& node) { return column_name(node).name; }

namespace analyzer {

void Queries::refuse_clauses(const PgQuery__SelectStmt& node) {
  if (node.into_clause != nullptr) {
    source().unsupported(
        scope_.tree.word({"into"}), "SELECT INTO a new table is",
        "for a variable of a session's transaction write BEGIN; before it and "
        "COMMIT; at its end; for a table use INSERT INTO ... SELECT");
  }
  if (node.n_target_list == 0 && &node != bare_) {
    source().unsupported(scope_.tree.whole(), "a SELECT without columns is");
  }
}

std::shared_ptr<Query> Queries::subquery(const Node* node, Span at,
                                         std::uint64_t max_rows) {
  if (node == nullptr || !is_named(*node, PG_QUERY__NODE__NODE_SELECT_STMT)) {
    source().fail(at, "expected a subquery");
  }
  if (node->select_stmt->n_locking_clause > 0)
    return all_.parts.part_query(*node, at, max_rows);
  if (++scope_.depth > Program::kMaxNesting) {
    source().fail(at, "queries are nested too deeply here");
  }
  scope_.looks_at_tables = true;  // or at none, but by a query all the same
  if (max_rows == 1) bare_ = node->select_stmt;  // EXISTS asks for no columns
  auto result = query(*node->select_stmt);
  --scope_.depth;
  return result;
}

std::shared_ptr<Query> Queries::query(const PgQuery__SelectStmt& node) {
  const std::size_t named = all_.sets.open_with(node.with_clause);
  const bool is_set =
      node.op != PG_QUERY__SET_OPERATION__SETOP_NONE || node.n_values_lists > 0;
  if (is_set) {
    auto set = all_.sets.set_operation(node);
    all_.sets.close_with(named);
    return set;
  }
  refuse_clauses(node);
  scope_.levels.push_back(std::make_unique<OpenQuery>());
  auto result = std::make_shared<Query>();
  Query& query = *result;
  query.at = scope_.tree.whole();
  // What stands beside FROM or WHERE is evaluated per row.
  const bool has_rows = node.n_from_clause > 0 || node.where_clause != nullptr;
  if (has_rows) ++scope_.conditional;
  all_.from.from_clause(query, node);
  if (node.where_clause != nullptr) {
    level().clause = Clause::Where;
    query.where = all_.expressions.boolean(node.where_clause, "WHERE");
  }
  level().named_windows = list(node.n_window_clause, node.window_clause);
  level().clause = Clause::Target;
  level().query = &query;
  query.targets = target_list(list(node.n_target_list, node.target_list));
  if (query.targets.empty())
    query.targets.push_back(
        {"", constant(Value::integer(1), kInteger, query.at)});
  level().query = nullptr;
  level().clause = Clause::GroupBy;
  group_by(query, list(node.n_group_clause, node.group_clause));
  if (node.having_clause != nullptr) {
    level().clause = Clause::Having;
    query.having = all_.expressions.boolean(node.having_clause, "HAVING");
  }
  const NodeList distinct = list(node.n_distinct_clause, node.distinct_clause);
  const bool is_on = !distinct.empty() &&
                     distinct[0]->node_case != PG_QUERY__NODE__NODE__NOT_SET;
  query.is_distinct = !distinct.empty() && !is_on;
  level().clause = Clause::OrderBy;
  order_by(query, list(node.n_sort_clause, node.sort_clause));
  if (is_on) distinct_on(query, distinct);
  level().clause = Clause::Limit;
  limit(query, node);
  query.aggregates = std::move(level().aggregates);
  query.windows = std::move(level().windows);
  query.is_grouped = !query.group_by.empty() || query.having.has_value() ||
                     level().has_aggregate;
  if (level().gives_rows && (query.is_grouped || !query.windows.empty())) {
    source().unsupported(scope_.tree.whole(),
                         "a function that gives rows beside an aggregate is",
                         "call it in FROM");
  }
  all_.aggregates.check_grouping(query);
  all_.sets.check_recursive(query);
  locking(query, list(node.n_locking_clause, node.locking_clause));
  if (has_rows) --scope_.conditional;
  scope_.levels.pop_back();
  all_.sets.close_with(named);
  return result;
}

std::vector<Target> Queries::target_list(NodeList nodes) {
  std::vector<Target> targets;
  for (const Node* node : nodes) {
    if (targets.size() > kMostColumns) {
      source().fail(scope_.tree.whole(), "there are too many columns here",
                    "at most " + std::to_string(kMostColumns));
    }
    const PgQuery__ResTarget& item = *node->res_target;
    const Node& value = *item.val;
    if (is_named(value, PG_QUERY__NODE__NODE_COLUMN_REF)) {
      const PgQuery__ColumnRef& ref = *value.column_ref;
      if (is_named(*ref.fields[ref.n_fields - 1],
                   PG_QUERY__NODE__NODE_A_STAR)) {
        expand_star(ref, targets);
        continue;
      }
    }
    if (is_named(value, PG_QUERY__NODE__NODE_A_INDIRECTION)) {
      auto fields = all_.rows.whole_row(value);
      if (!fields) fields = all_.rows.all_fields(value);
      if (fields) {
        for (Target& field : *fields) targets.push_back(std::move(field));
        continue;
      }
    }
    if (auto given = all_.from.rows_target(value)) {
      if (!view(item.name).empty()) given->name = view(item.name);
      targets.push_back(std::move(*given));
      continue;
    }
    Target target;
    target.expr = decided(source(), all_.expressions.expr(&value));
    target.name = view(item.name);
    if (target.name.empty()) target.name = column_name(value).name;
    if (target.name.empty()) target.name = "?column?";
    targets.push_back(std::move(target));
  }
  return targets;
}

void Queries::expand_star(const PgQuery__ColumnRef& ref,
                          std::vector<Target>& targets) {
  const Span at = scope_.tree.dotted_name(ref.location);
  const std::string wanted(
      ref.n_fields > 1 ? string_of(ref.fields[ref.n_fields - 2]) : "");
  bool is_found = false;
  auto& items = level().star_order;
  const auto whole = std::count_if(
      items.begin(), items.end(),
      [](const StarItem& item) { return !item.column.has_value(); });
  if (level().relations.size() != static_cast<std::size_t>(whole)) {
    items.clear();
    for (std::uint32_t r = 0; r < level().relations.size(); ++r)
      items.push_back({r, std::nullopt});
  }
  for (const auto& [r, only] : items) {
    const RelationNames& relation = level().relations[r];
    if (!wanted.empty() && (relation.name != wanted || only)) continue;
    if (!relation.is_visible) continue;
    is_found = true;
    for (std::uint32_t c = only.value_or(0);
         c < (only ? *only + 1 : relation.columns.size()); ++c) {
      const ColumnName& column = relation.columns[c];
      if (wanted.empty() && (column.is_merged || (!only && column.is_moved))) {
        continue;
      }
      Expr e;
      e.op = Op::Column;
      e.type = relation.columns[c].type;
      e.relation = r;
      e.index = c;
      e.at = at;
      if (only) e = scope_.merged_column(0, r, c, at);
      targets.push_back({relation.columns[c].name, std::move(e)});
    }
  }
  if (is_found) return;
  if (wanted.empty()) {
    source().fail(at, "SELECT * needs a FROM");
  }
  if (auto fields = all_.rows.record_row(wanted, at)) {
    for (Target& field : *fields) targets.push_back(std::move(field));
    return;
  }
  source().fail(at, "unknown table '" + wanted + "'");
}

std::optional<Expr> Queries::output_column(const Query& query, const Node& node,
                                           std::string_view clause) {
  if (is_named(node, PG_QUERY__NODE__NODE_A_CONST)) {
    const PgQuery__AConst& number = *node.a_const;
    const Span at = scope_.tree.at(number.location);
    if (number.isnull || number.val_case != PG_QUERY__A__CONST__VAL_IVAL) {
      source().fail(at, "non-integer constant in " + std::string(clause));
    }
    const std::int32_t position = number.ival->ival;
    if (position < 1 ||
        static_cast<std::size_t>(position) > query.targets.size()) {
      source().fail(at, std::string(clause) + " position " +
                            std::to_string(position) +
                            " is not in the select list");
    }
    return query.targets[static_cast<std::size_t>(position) - 1].expr;
  }
  if (!is_named(node, PG_QUERY__NODE__NODE_COLUMN_REF)) return std::nullopt;
  const PgQuery__ColumnRef& ref = *node.column_ref;
  if (ref.n_fields != 1) return std::nullopt;
  const std::string name(string_of(ref.fields[0]));
  const Span at = scope_.tree.at(ref.location);
  // GROUP BY prefers columns of the tables, ORDER BY those of the output.
  if (clause == "GROUP BY") {
    const std::array<std::string, 1> plain = {name};
    const auto column = scope_.find_column(plain, at);
    if (column && column->level == 0) return std::nullopt;
  }
  std::optional<Expr> found;
  for (const Target& target : query.targets) {
    if (target.name != name) continue;
    if (found && !is_same(*found, target.expr)) {
      source().fail(at, std::string(clause) + " '" + name + "' is ambiguous");
    }
    found = target.expr;
  }
  return found;
}

void Queries::group_by(Query& query, NodeList nodes) {
  if (nodes.size() > kMostColumns) {
    source().fail(scope_.tree.whole(), "GROUP BY has too many columns");
  }
  for (const Node* node : nodes) {
    if (auto found = output_column(query, *node, "GROUP BY")) {
      if (has_aggregate(*found)) {
        source().fail(found->at,
                      "aggregate functions are not allowed in GROUP BY");
      }
      if (has_window(*found)) {
        source().fail(found->at,
                      "window functions are not allowed in GROUP BY");
      }
      query.group_by.push_back(std::move(*found));
    } else {
      query.group_by.push_back(decided(source(), all_.expressions.expr(node)));
    }
  }
}

void Queries::locking(Query& query, NodeList nodes) {
  if (nodes.empty()) return;
  const Span at = scope_.tree.word({"for"});
  if (nodes.size() > 1) {
    source().unsupported(at, "more than one locking clause is");
  }
  const PgQuery__LockingClause& clause = *nodes[0]->locking_clause;
  std::string name;
  switch (clause.strength) {
    case PG_QUERY__LOCK_CLAUSE_STRENGTH__LCS_FORKEYSHARE:
      query.lock = LockStrength::KeyShare;
      name = "FOR KEY SHARE";
      break;
    case PG_QUERY__LOCK_CLAUSE_STRENGTH__LCS_FORSHARE:
      query.lock = LockStrength::Share;
      name = "FOR SHARE";
      break;
    case PG_QUERY__LOCK_CLAUSE_STRENGTH__LCS_FORNOKEYUPDATE:
      query.lock = LockStrength::NoKeyUpdate;
      name = "FOR NO KEY UPDATE";
      break;
    default:
      query.lock = LockStrength::Update;
      name = "FOR UPDATE";
      break;
  }
  if (clause.wait_policy == PG_QUERY__LOCK_WAIT_POLICY__LockWaitSkip) {
    query.skips_locked = true;
  }
  query.is_nowait =
      clause.wait_policy == PG_QUERY__LOCK_WAIT_POLICY__LockWaitError;
  const bool is_summed =
      query.is_grouped || query.is_distinct || !query.windows.empty();
  if (is_summed && !is_mysql(scope_.dialect)) {
    source().fail(at,
                  name + " is not allowed with " +
                      (query.is_distinct         ? "DISTINCT"
                       : !query.is_grouped       ? "window functions"
                       : !query.group_by.empty() ? "GROUP BY"
                                                 : "aggregate functions"),
                  "lock the rows by a SELECT of their own");
  }
  query.is_locked.assign(query.relations.size(), clause.n_locked_rels == 0);
  for (const Node* node : list(clause.n_locked_rels, clause.locked_rels)) {
    const std::string_view wanted = view(node->range_var->relname);
    bool is_found = false;
    for (std::size_t i = 0; i < query.relations.size(); ++i) {
      if (query.relations[i].name != wanted) continue;
      query.is_locked[i] = true;
      is_found = true;
    }
    if (!is_found) {
      source().fail(
          scope_.tree.at(node->range_var->location),
          "'" + std::string(wanted) + "' of " + name + " is not in FROM");
    }
  }
  for (std::size_t i = 0; i < query.relations.size(); ++i) {
    if (!query.is_locked[i]) continue;
    const RelationNames& relation = level().relations[i];
    if (relation.is_nullable) {
      source().unsupported(at,
                           name + " of the nullable side of an outer join is",
                           "say which table to lock: " + name + " OF name");
    }
    if (relation.is_subquery) {
      source().unsupported(at, name + " of a subquery is",
                           "say which table to lock: " + name + " OF name");
    }
  }
}

}  // namespace analyzer
}  // namespace txscope::sql
