// Views and functions of the file in place of tables: writing through a simple
// view, and rows of a function in FROM.

#include <algorithm>

#include "model/sql/composite.h"
#include "read/sql/analyze/analyzer.h"

namespace txscope::sql {
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
Relation Analyzer::view_target(const PgQuery__RangeVar& node,
                               const View& written) {
  const Span at = tree_.dotted_name(node.location);
  const std::string name(view(node.relname));
  const auto refuse = [&](std::string_view why) {
    source().unsupported(at, "writing to the view '" + name + "', which " +
                                 std::string(why) + ", is");
  };
  const Node& statement = written.tree->statement();
  std::string_view why;
  if (statement.node_case != PG_QUERY__NODE__NODE_VIEW_STMT)
    refuse("is created with its schema");
  const PgQuery__RangeVar* base = base_of(*statement.view_stmt, why);
  if (base == nullptr) refuse(why);
  Analyzer of_view(*written.tree, catalog_, nullptr);
  of_view.path_ = &written.path;
  if (catalog_.views.contains(of_view.key_of(*base)))
    refuse("is a view of a view");
  const TableId id = of_view.table(*base);
  const Table& table = catalog_.schema.at(id);
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
  written_view_.emplace();
  if (query.where_clause != nullptr) {
    Table named = table;
    named.name = base->alias != nullptr ? view(base->alias->aliasname)
                                        : view(base->relname);
    written_view_->where = convert(
        source(), of_view.of_row(*query.where_clause, &named, id), kBoolean);
  }
  written_view_->shape = shape;
  written_view_->columns = std::move(shown);
  looks_at_tables_ = true;
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
  levels_.push_back(std::make_unique<Level>());
  level().relations.push_back(std::move(names));
  return relation;
}

/// The columns that a statement may name: those of the view, if it is one.
const Table& Analyzer::written_table(TableId id) const {
  return written_view_ ? *written_view_->shape : catalog_.schema.at(id);
}

/// A statement through a view meets only rows that the view shows.
std::optional<Expr> Analyzer::shown_rows(std::optional<Expr> where) {
  if (!written_view_ || !written_view_->where) return where;
  if (!where) return written_view_->where;
  const Span at = where->at;
  return make(Op::And, kBoolean, {*written_view_->where, std::move(*where)},
              at);
}

/// FROM f(...): a function that is one query stands for that query, over the
/// row of its arguments; one that gives a value is a row of it.
std::shared_ptr<Query> Analyzer::rows_of_own(const PgQuery__FuncCall& call) {
  const Signature* function = meant(call);
  if (function == nullptr || !function->is_function) return nullptr;
  check_runs(*function);
  const Span at = tree_.at(call.location);
  const std::string name = catalog_.routine_names.plain(function->name);
  if (!function->is_set) {
    levels_.push_back(std::make_unique<Level>());
    level().clause = Clause::Values;
    auto query = std::make_shared<Query>();
    query->at = at;
    const Expr value = own_function(call, *function, at);
    levels_.pop_back();
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
  if (depth_ + 1 > Program::kMaxNesting)
    source().fail(at, "functions are nested too deeply here");
  // Two queries around the arguments: that of the row, and its own.
  levels_.push_back(std::make_unique<Level>());
  levels_.push_back(std::make_unique<Level>());
  level().clause = Clause::Values;
  std::vector<Expr> given = arguments(call, *function);
  levels_.pop_back();
  levels_.pop_back();
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
  Analyzer body(*function->query, catalog_, nullptr);
  body.path_ = &function->query_path;
  body.depth_ = depth_ + 1;
  body.has_parameters_ = true;
  body.levels_.push_back(std::make_unique<Level>());
  body.level().relations.push_back(std::move(names));
  auto inner = body.subquery(&function->query->statement(), at);
  if (inner->lock != LockStrength::None || !body.parts_.empty())
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
  looks_at_tables_ = true;
  return outer;
}

}  // namespace txscope::sql
