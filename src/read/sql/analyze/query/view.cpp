// Views and functions of the file in place of tables: writing through a simple
// view, and rows of a function in FROM.

#include <algorithm>

#include "model/sql/value/composite.h"
#include "read/sql/analyze/rooms.h"

namespace txscope::sql::analyzer {
namespace {

/// The table that a view shows rows of, if PostgreSQL lets one write through
/// it; else why not.
const PgQuery__RangeVar* base_of(const PgQuery__ViewStmt& node,
                                 std::string_view& why) {
  if (node.query->node_case != PG_QUERY__NODE__NODE_SELECT_STMT) {
    why = "is no SELECT";
    return nullptr;
  }
  const PgQuery__SelectStmt& query = *node.query->select_stmt;
  const bool is_plain =
      query.op == PG_QUERY__SET_OPERATION__SETOP_NONE &&
      query.n_distinct_clause == 0 && query.n_group_clause == 0 &&
      query.having_clause == nullptr && query.with_clause == nullptr &&
      query.limit_count == nullptr && query.limit_offset == nullptr;
  if (!is_plain || query.n_from_clause != 1 ||
      query.from_clause[0]->node_case != PG_QUERY__NODE__NODE_RANGE_VAR) {
    why = "is not that of single rows of one table";
    return nullptr;
  }
  if (node.with_check_option != PG_QUERY__VIEW_CHECK_OPTION__NO_CHECK_OPTION) {
    why = "has a CHECK OPTION";
    return nullptr;
  }
  return query.from_clause[0]->range_var;
}

}  // namespace

/// The table under a view, with the view's names for its columns.
Relation FromClause::view_target(const PgQuery__RangeVar& node,
                                 const View& written) {
  const Span at = scope_.tree.dotted_name(node.location);
  const std::string name(view(node.relname));
  const auto refuse = [&](std::string_view why) {
    source().unsupported(at, "writing to the view '" + name + "', which " +
                                 std::string(why) + ", is");
  };
  if (written.has_triggers) refuse("has INSTEAD OF triggers");
  const Node& statement = written.tree->statement();
  std::string_view why;
  if (statement.node_case != PG_QUERY__NODE__NODE_VIEW_STMT)
    refuse("is created with its schema");
  const PgQuery__RangeVar* base = base_of(*statement.view_stmt, why);
  if (base == nullptr) refuse(why);
  Rooms of_view(*written.tree, scope_.catalog, nullptr, nullptr);
  of_view.scope.path = &written.path;
  if (scope_.catalog.views.contains(of_view.scope.key_of(*base)))
    refuse("is a view of a view");
  const TableId id = of_view.scope.table(*base);
  const Table& table = scope_.catalog.schema.at(id);
  auto shape = std::make_shared<Table>(table);
  shape->name = name;
  for (Column& column : shape->columns) column.name.clear();
  std::vector<std::uint32_t> shown;
  const PgQuery__SelectStmt& query = *statement.view_stmt->query->select_stmt;
  const auto show = [&](std::uint32_t column, std::string_view title) {
    if (!shown.empty() && column <= shown.back())
      refuse("shows columns in another order");
    const bool is_renamed = shown.size() < written.columns.size();
    shape->columns[column].name =
        is_renamed ? written.columns[shown.size()] : std::string(title);
    shown.push_back(column);
  };
  for (const Node* item : list(query.n_target_list, query.target_list)) {
    const PgQuery__ResTarget& target = *item->res_target;
    if (target.val->node_case != PG_QUERY__NODE__NODE_COLUMN_REF)
      refuse("has computed columns");
    const PgQuery__ColumnRef& ref = *target.val->column_ref;
    const Node* last = ref.fields[ref.n_fields - 1];
    if (last->node_case == PG_QUERY__NODE__NODE_A_STAR) {
      for (std::uint32_t i = 0; i < table.columns.size(); ++i)
        show(i, table.columns[i].name);
      continue;
    }
    const auto column = column_of(table, string_of(last));
    if (!column) refuse("has computed columns");
    show(*column,
         view(target.name).empty() ? string_of(last) : view(target.name));
  }
  scope_.written_view.emplace();
  if (query.where_clause != nullptr) {
    Table named = table;
    named.name = base->alias != nullptr ? view(base->alias->aliasname)
                                        : view(base->relname);
    scope_.written_view->where = convert(
        source(), of_view.expressions.of_row(*query.where_clause, &named, id),
        kBoolean);
  }
  scope_.written_view->shape = shape;
  scope_.written_view->columns = std::move(shown);
  scope_.looks_at_tables = true;
  Relation relation;
  relation.table = id;
  relation.at = at;
  relation.name =
      node.alias != nullptr ? view(node.alias->aliasname) : view(node.relname);
  RelationNames names;
  names.name = relation.name;
  names.table = id;
  for (const Column& column : shape->columns)
    names.columns.push_back({column.name, column.type, column.name.empty()});
  relation.columns = static_cast<std::uint32_t>(names.columns.size());
  scope_.levels.push_back(std::make_unique<OpenQuery>());
  level().relations.push_back(std::move(names));
  return relation;
}

/// The columns that a statement may name: those of the view, if it is one.
/// A statement through a view meets only rows that the view shows.
std::optional<Expr> FromClause::shown_rows(std::optional<Expr> where) {
  if (!scope_.written_view || !scope_.written_view->where) return where;
  if (!where) return scope_.written_view->where;
  const Span at = where->at;
  return make(Op::And, kBoolean,
              {*scope_.written_view->where, std::move(*where)}, at);
}

/// FROM f(...): a function that is one query stands for that query, over the
/// row of its arguments; one that gives a value is a row of it.
std::shared_ptr<Query> FromClause::rows_of_own(const PgQuery__FuncCall& call) {
  const Signature* function = all_.calls.meant(call);
  if (function == nullptr || !function->is_function) return nullptr;
  all_.calls.check_runs(*function);
  const Span at = scope_.tree.at(call.location);
  const std::string name = scope_.catalog.routine_names.plain(function->name);
  if (!function->is_set) {
    scope_.levels.push_back(std::make_unique<OpenQuery>());
    level().clause = Clause::Values;
    auto query = std::make_shared<Query>();
    query->at = at;
    const Expr value = all_.calls.own_function(call, *function, at);
    scope_.levels.pop_back();
    if (!function->returns_row()) {
      query->targets.push_back({name, value});
    } else {
      for (std::size_t i = 0; i < function->columns.size(); ++i)
        query->targets.push_back(
            {function->columns[i].first, field_of(value, i)});
    }
    return query;
  }
  if (function->query == nullptr || function->columns.empty()) return nullptr;
  if (scope_.depth + 1 > Program::kMaxNesting)
    source().fail(at, "functions are nested too deeply here");
  // Two queries around the arguments: that of the row, and its own.
  scope_.levels.push_back(std::make_unique<OpenQuery>());
  scope_.levels.push_back(std::make_unique<OpenQuery>());
  level().clause = Clause::Values;
  std::vector<Expr> given = all_.calls.arguments(call, *function);
  scope_.levels.pop_back();
  scope_.levels.pop_back();
  auto outer = std::make_shared<Query>();
  outer->at = at;
  auto row = std::make_shared<Query>();
  row->at = at;
  row->set = SetKind::Values;
  RelationNames names;
  names.name = name;
  std::vector<Expr> values;
  for (std::size_t i = 0; i < given.size(); ++i) {
    const Signature::Parameter& parameter = function->parameters[i];
    if (!parameter.is_in) continue;
    names.columns.push_back({parameter.name, parameter.type, false});
    row->targets.push_back({parameter.name, constant({}, parameter.type, at)});
    values.push_back(std::move(given[i]));
  }
  Rooms body(*function->query, scope_.catalog, nullptr, nullptr);
  body.scope.path = &function->query_path;
  body.scope.depth = scope_.depth + 1;
  body.scope.has_parameters = true;
  body.scope.levels.push_back(std::make_unique<OpenQuery>());
  body.scope.level().relations.push_back(std::move(names));
  auto inner = body.queries.subquery(&function->query->statement(), at);
  if (inner->lock != LockStrength::None || !body.scope.parts.empty())
    source().unsupported(at, "'" + name + "', which locks rows, in FROM is");
  if (inner->targets.size() != function->columns.size()) {
    source().fail(at, "'" + name + "' returns " +
                          std::to_string(function->columns.size()) +
                          " columns, its query has " +
                          std::to_string(inner->targets.size()));
  }
  row->values.push_back(std::move(values));
  const bool has_row = !row->values[0].empty();
  const auto add = [&](std::shared_ptr<const Query> rows) {
    Relation relation;
    relation.columns = static_cast<std::uint32_t>(rows->targets.size());
    relation.query = std::move(rows);
    relation.at = at;
    relation.is_lateral = true;
    outer->relations.push_back(std::move(relation));
    outer->joins.emplace_back();
  };
  if (!has_row) {  // a row of something
    row->targets.push_back({"", constant({}, kInteger, at)});
    row->values[0].push_back(constant({}, kInteger, at));
  }
  add(std::move(row));
  for (std::size_t i = 0; i < inner->targets.size(); ++i) {
    const auto& [title, type] = function->columns[i];
    Expr column = make(Op::Column, inner->targets[i].expr.type, {}, at);
    column.relation = 1;
    column.index = static_cast<std::uint32_t>(i);
    if (!assigns(column.type, type)) {
      source().fail(at, "'" + name + "' returns " + to_string(type) +
                            " but its query has " + to_string(column.type));
    }
    outer->targets.push_back(
        {title, assign(source(), std::move(column), type)});
  }
  add(std::move(inner));
  scope_.looks_at_tables = true;
  return outer;
}

}  // namespace txscope::sql::analyzer
