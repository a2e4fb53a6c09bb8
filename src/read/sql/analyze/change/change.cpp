#include <algorithm>
#include <array>

#include "base/suggest.h"
#include "read/sql/analyze/mariadb.h"
#include "read/sql/analyze/rooms.h"
#include "read/sql/mysql/statement.h"

namespace txscope::sql::analyzer {
/// Refuses to write to a table where something would have to happen that
/// cannot.
void Changes::check_writable(const PgQuery__RangeVar& node, TableId id,
                             Write write,
                             const std::vector<SetColumn>& set) const {
  const auto found = scope_.catalog.obstacles.find(id.index);
  if (found == scope_.catalog.obstacles.end()) return;
  for (const Obstacle& obstacle : found->second) {
    bool is_met = (write == Write::Insert && obstacle.on_insert) ||
                  (write == Write::Update && obstacle.on_update) ||
                  (write == Write::Delete && obstacle.on_delete);
    if (write == Write::Update && !obstacle.columns.empty()) {
      is_met &= std::any_of(set.begin(), set.end(), [&](const SetColumn& s) {
        return std::find(obstacle.columns.begin(), obstacle.columns.end(),
                         s.column) != obstacle.columns.end();
      });
    }
    if (is_met) {
      source().gap(scope_.tree.dotted_name(node.location),
                   obstacle.what + " of '" + scope_.catalog.schema.at(id).name +
                       "' (line " + std::to_string(obstacle.at.line) +
                       ") is not supported",
                   obstacle.why);
    }
  }
}

Relation Changes::target(const PgQuery__RangeVar& node) {
  scope_.written_view.reset();
  if (const auto found = scope_.catalog.views.find(scope_.key_of(node));
      found != scope_.catalog.views.end()) {
    return all_.from.view_target(node, found->second);
  }
  const TableId id = scope_.table(node);
  Relation relation;
  relation.table = id;
  relation.at = scope_.tree.dotted_name(node.location);
  relation.name =
      node.alias != nullptr ? view(node.alias->aliasname) : view(node.relname);
  RelationNames names = scope_.names_of(id, relation.name);
  relation.columns = static_cast<std::uint32_t>(names.columns.size());
  scope_.levels.push_back(std::make_unique<OpenQuery>());
  level().relations.push_back(std::move(names));
  return relation;
}

Expr Changes::assigned(Expr e, const Column& column) {
  if (is_mysql(scope_.dialect))
    return mariadb_assigned(source(), mariadb_strict(source(), std::move(e)),
                            column.type);
  if (!assigns(e.type, column.type)) {
    source().fail(e.at,
                  "column '" + column.name + "' is of type " +
                      to_string(column.type) +
                      " but the expression is of type " + to_string(e.type),
                  "add a cast if that is meant");
  }
  return assign(source(), std::move(e), column.type);
}

std::uint32_t Changes::column_named(const Table& table, std::string_view name,
                                    Span at) {
  const auto column = column_of(table, name);
  if (column) return *column;
  source().fail(
      at, "'" + table.name + "' has no column '" + std::string(name) + "'",
      hint_among(name, column_names(table), "columns"));
}

std::vector<std::uint32_t> Changes::insert_columns(const Table& table,
                                                   NodeList nodes) {
  std::vector<std::uint32_t> columns;
  for (const Node* node : nodes) {
    const PgQuery__ResTarget& item = *node->res_target;
    const std::string_view name = view(item.name);
    const Span at = scope_.tree.at(item.location);
    const std::uint32_t column = column_named(table, name, at);
    if (std::find(columns.begin(), columns.end(), column) != columns.end()) {
      source().fail(at, "column '" + std::string(name) + "' is given twice");
    }
    columns.push_back(column);
  }
  return columns;
}

/// NULL and 0 for an AUTO_INCREMENT column.
bool Changes::takes_next_number(const Node& value, const Column& column) const {
  if (!is_mysql(scope_.dialect) || !column.sequence) return false;
  if (value.node_case != PG_QUERY__NODE__NODE_A_CONST) return false;
  const PgQuery__AConst& given = *value.a_const;
  return given.isnull || (given.val_case == PG_QUERY__A__CONST__VAL_IVAL &&
                          given.ival->ival == 0);
}

void Changes::insert_rows(Insert& insert, const PgQuery__SelectStmt& node) {
  if (node.n_sort_clause > 0 || node.limit_count != nullptr ||
      node.limit_offset != nullptr || node.with_clause != nullptr) {
    source().unsupported(scope_.tree.whole(), "ORDER BY or LIMIT of VALUES is");
  }
  const Table& table = scope_.catalog.schema.at(insert.target.table);
  const auto rows = list(node.n_values_lists, node.values_lists);
  // VALUES (NEW.*)
  if (rows.size() == 1 && rows[0]->list->n_items == 1) {
    const Node& only = *rows[0]->list->items[0];
    const bool is_name = only.node_case == PG_QUERY__NODE__NODE_COLUMN_REF &&
                         only.column_ref->n_fields == 2;
    if (auto fields = is_name ? all_.rows.whole_row(only) : std::nullopt) {
      insert_fields(insert, std::move(*fields));
      return;
    }
  }
  const std::size_t width = rows[0]->list->n_items;
  if (insert.columns.empty()) {
    for (std::uint32_t i = 0; i < std::min(width, table.columns.size()); ++i) {
      insert.columns.push_back(i);
    }
  }
  check_width(insert, width);
  if (rows.size() > 1)
    ++scope_.conditional;  // calls would come before all rows
  for (const Node* item : rows) {
    const auto values = list(item->list->n_items, item->list->items);
    if (values.size() != width) {
      source().fail(scope_.tree.whole(),
                    "VALUES lists must all be the same length");
    }
    std::vector<std::optional<Expr>> row;
    for (std::size_t i = 0; i < width; ++i) {
      const Column& column = table.columns[insert.columns[i]];
      if (values[i]->node_case == PG_QUERY__NODE__NODE_SET_TO_DEFAULT ||
          takes_next_number(*values[i], column)) {
        row.emplace_back(std::nullopt);
      } else {
        row.emplace_back(assigned(all_.expressions.expr(values[i]), column));
      }
    }
    insert.rows.push_back(std::move(row));
  }
  if (rows.size() > 1) --scope_.conditional;
}

void Changes::insert_fields(Insert& insert, std::vector<Target> fields) {
  const Table& table = scope_.catalog.schema.at(insert.target.table);
  const std::size_t width = fields.size();
  for (std::uint32_t i = 0;
       insert.columns.size() < std::min(width, table.columns.size()); ++i) {
    insert.columns.push_back(i);
  }
  check_width(insert, width);
  std::vector<std::optional<Expr>> row;
  for (std::size_t i = 0; i < width; ++i) {
    row.emplace_back(
        assigned(std::move(fields[i].expr), table.columns[insert.columns[i]]));
  }
  insert.rows.push_back(std::move(row));
}

void Changes::insert_query(Insert& insert, const Node& node) {
  const Table& table = scope_.catalog.schema.at(insert.target.table);
  // A query of its own: nothing of the INSERT is around it.
  auto hidden = std::move(scope_.levels.back());
  scope_.levels.pop_back();
  auto rows = all_.queries.subquery(&node, scope_.tree.whole());
  scope_.levels.push_back(std::move(hidden));
  const std::size_t width = rows->targets.size();
  if (insert.columns.empty()) {
    for (std::uint32_t i = 0; i < std::min(width, table.columns.size()); ++i) {
      insert.columns.push_back(i);
    }
  }
  check_width(insert, width);
  const PgQuery__SelectStmt& select = *node.select_stmt;
  for (std::size_t i = 0; i < width; ++i) {
    const Column& column = table.columns[insert.columns[i]];
    // A NULL or a literal that nothing else decided is of the column's type.
    const Node* const value = select.n_target_list == width
                                  ? select.target_list[i]->res_target->val
                                  : nullptr;
    if (value != nullptr && value->node_case == PG_QUERY__NODE__NODE_A_CONST) {
      rows->targets[i].expr = assigned(all_.expressions.expr(value), column);
      continue;
    }
    // Only whether it can be: the cast comes after DISTINCT and ORDER BY.
    (void)assigned(rows->targets[i].expr, column);
  }
  if (is_mysql(scope_.dialect) && rows->where)
    rows->where = mariadb_strict(source(), *std::move(rows->where));
  insert.source = std::move(rows);
}

void Changes::check_width(const Insert& insert, std::size_t width) const {
  if (width == insert.columns.size()) return;
  source().fail(insert.target.at,
                width > insert.columns.size()
                    ? "INSERT has more expressions than target columns"
                    : "INSERT has more target columns than expressions");
}

/// GENERATED ALWAYS columns take no value but DEFAULT.
void Changes::check_generated(const Insert& insert) const {
  const Table& table = scope_.catalog.schema.at(insert.target.table);
  for (std::size_t i = 0; i < insert.columns.size(); ++i) {
    const Column& column = table.columns[insert.columns[i]];
    if (!column.is_always_generated) continue;
    const bool is_given =
        insert.source != nullptr ||
        std::any_of(insert.rows.begin(), insert.rows.end(),
                    [i](const auto& row) { return row[i].has_value(); });
    if (is_given) {
      source().fail(
          scope_.tree.whole(),
          "column '" + column.name + "' is GENERATED ALWAYS: it takes no value",
          "leave the column out, or use OVERRIDING SYSTEM VALUE");
    }
  }
}

DbStatement Changes::insert(const PgQuery__InsertStmt& node) {
  (void)all_.sets.open_with(node.with_clause);
  DbStatement result;
  Insert insert;
  insert.target = target(*node.relation);
  const Table& table = scope_.written_table(insert.target.table);
  insert.columns = insert_columns(table, list(node.n_cols, node.cols));
  if (scope_.written_view && node.n_cols == 0)
    insert.columns = scope_.written_view->columns;
  // VALUES and SELECT do not see the table's columns.
  RelationNames names = std::move(level().relations[0]);
  level().relations.clear();
  level().clause = Clause::Values;
  if (node.select_stmt == nullptr) {
    insert.columns.clear();
    const MysqlStatement* extra = scope_.tree.mysql();  // DEFAULT VALUES
    insert.rows.resize(
        extra == nullptr ? 1 : std::max<std::size_t>(extra->default_rows, 1));
  } else if (node.select_stmt->select_stmt->n_values_lists > 0) {
    insert_rows(insert, *node.select_stmt->select_stmt);
  } else {
    insert_query(insert, *node.select_stmt);
  }
  if (node.override == PG_QUERY__OVERRIDING_KIND__OVERRIDING_USER_VALUE) {
    source().unsupported(scope_.tree.whole(), "OVERRIDING USER VALUE is");
  }
  if (node.override != PG_QUERY__OVERRIDING_KIND__OVERRIDING_SYSTEM_VALUE) {
    check_generated(insert);
  }
  level().relations.push_back(std::move(names));
  if (node.on_conflict_clause != nullptr) {
    insert.on_conflict = on_conflict(*node.on_conflict_clause, insert.target);
  }
  if (const MysqlStatement* extra = scope_.tree.mysql();
      extra && extra->replaces)
    insert.on_conflict = replacement(insert.target);
  check_writable(*node.relation, insert.target.table, Write::Insert, {});
  if (insert.on_conflict && insert.on_conflict->is_update) {
    check_writable(*node.relation, insert.target.table, Write::Update,
                   insert.on_conflict->set);
  }
  level().clause = Clause::Returning;
  result.returning = all_.queries.target_list(
      list(node.n_returning_list, node.returning_list));
  scope_.levels.pop_back();
  result.what = std::move(insert);
  return result;
}

/// UPDATE ... FROM and DELETE ... USING as subqueries: a row of the target is
/// changed if there is a row of FROM that fits, by the values of the first.
std::shared_ptr<Query> Changes::joined_query(const OtherTables& others,
                                             const Node* value,
                                             const Column* into) {
  scope_.levels.push_back(std::make_unique<OpenQuery>());
  auto query = std::make_shared<Query>();
  query->at = scope_.tree.whole();
  level().clause = Clause::On;
  for (const Node* item : others.from)
    (void)all_.from.from_item(*query, *item, false);
  if (others.where != nullptr) {
    level().clause = Clause::Where;
    query->where = all_.expressions.boolean(others.where, "WHERE");
  }
  level().clause = Clause::Set;
  Expr target = value == nullptr
                    ? constant(Value::integer(1), kInteger, scope_.tree.whole())
                    : all_.expressions.expr(value);
  // What has no type of its own has that of the column.
  if (target.type.name == TypeName::Unknown && into != nullptr)
    target = assigned(std::move(target), *into);
  target = decided(source(), std::move(target));
  query->targets.push_back({"?column?", std::move(target)});
  query->limit =
      constant(Value::integer(1), {TypeName::BigInt}, scope_.tree.whole());
  scope_.levels.pop_back();
  scope_.looks_at_tables = true;
  return query;
}

Expr Changes::joined_exists(const OtherTables& others) {
  Expr e = make(Op::Exists, kBoolean, {}, scope_.tree.whole());
  e.query = joined_query(others, nullptr, nullptr);
  return e;
}

Expr Changes::joined_value(const OtherTables& others, const Node* value,
                           const Column& into) {
  auto query = joined_query(others, value, &into);
  Expr e =
      make(Op::Scalar, query->targets[0].expr.type, {}, scope_.tree.whole());
  e.query = std::move(query);
  return e;
}

/// SET (a, b) = (SELECT x, y ...): one of the columns.
Expr Changes::selected_column(const PgQuery__MultiAssignRef& multi, Span at) {
  const PgQuery__SubLink& link = *multi.source->sub_link;
  auto inner = all_.queries.subquery(link.subselect, at, 2);
  if (inner->targets.size() != static_cast<std::size_t>(multi.ncolumns)) {
    source().fail(at,
                  "the number of columns does not match the number of values");
  }
  if (inner->is_distinct || inner->set != SetKind::None) {
    source().unsupported(at, "SET (...) = (SELECT ...) of this kind is",
                         "set the columns one by one");
  }
  Target kept = std::move(inner->targets[multi.colno - 1]);
  inner->targets.clear();
  inner->targets.push_back(std::move(kept));
  Expr e = make(Op::Scalar, inner->targets[0].expr.type, {}, at);
  e.query = std::move(inner);
  return e;
}

std::vector<SetColumn> Changes::set_clause(NodeList nodes, const Table& table,
                                           const OtherTables* others) {
  std::vector<SetColumn> result;
  for (const Node* node : nodes) {
    const PgQuery__ResTarget& item = *node->res_target;
    const std::string_view name = view(item.name);
    const Span at = scope_.tree.at(item.location);
    const std::uint32_t column = column_named(table, name, at);
    for (const SetColumn& other : result) {
      if (other.column == column) {
        source().fail(at, "column '" + std::string(name) + "' is set twice");
      }
    }
    const Node* value = item.val;
    std::optional<Expr> selected;
    if (value->node_case == PG_QUERY__NODE__NODE_MULTI_ASSIGN_REF) {
      // SET (a, b) = (x, y)
      const PgQuery__MultiAssignRef& multi = *value->multi_assign_ref;
      const Node& row = *multi.source;
      if (row.node_case == PG_QUERY__NODE__NODE_SUB_LINK && others == nullptr)
        selected = selected_column(multi, at);
      else if (row.node_case != PG_QUERY__NODE__NODE_ROW_EXPR)
        source().unsupported(at, "SET (...) = of this kind is",
                             "set the columns one by one");
      else if (static_cast<std::size_t>(multi.ncolumns) !=
               row.row_expr->n_args) {
        source().fail(at,
                      "the number of columns does not match the number of "
                      "values");
      }
      if (!selected) value = row.row_expr->args[multi.colno - 1];
    }
    SetColumn set;
    set.column = column;
    const Column& into = table.columns[column];
    const bool is_default =
        value->node_case == PG_QUERY__NODE__NODE_SET_TO_DEFAULT;
    if (into.is_always_generated && !is_default) {
      source().fail(at, "column '" + into.name +
                            "' is GENERATED ALWAYS: it can only be set to "
                            "DEFAULT");
    }
    if (!is_default) {
      set.value =
          assigned(selected            ? std::move(*selected)
                   : others != nullptr ? joined_value(*others, value, into)
                                       : all_.expressions.expr(value),
                   into);
    }
    result.push_back(std::move(set));
  }
  return result;
}

std::optional<Expr> Changes::where_of(const Node* node) {
  if (node == nullptr) return std::nullopt;
  level().clause = Clause::Where;
  return all_.expressions.boolean(node, "WHERE");
}

std::vector<Target> Changes::returning_of(NodeList nodes) {
  level().clause = Clause::Returning;
  std::vector<Target> result = all_.queries.target_list(nodes);
  --scope_.conditional;
  scope_.levels.pop_back();
  return result;
}

/// The server looks for all rows before it changes the first one, so that it
/// does not meet them again, and while it looks it only warns.
bool Changes::is_found_first(const Update& update) const {
  const Table& table = scope_.catalog.schema.at(update.target.table);
  if (!update.choice.order_by.empty()) return true;
  if (!table.has_primary_key) return false;
  const auto& key = table.unique.front().columns;
  return std::any_of(
      update.set.begin(), update.set.end(), [&](const SetColumn& set) {
        return std::find(key.begin(), key.end(), set.column) != key.end();
      });
}

/// ORDER BY and LIMIT of MySQL's UPDATE and DELETE.
RowChoice Changes::row_choice() {
  RowChoice choice;
  const MysqlStatement* extra = scope_.tree.mysql();
  if (extra == nullptr) return choice;
  if (extra->ignores)
    source().unsupported(scope_.tree.whole(), "UPDATE or DELETE IGNORE is");
  level().clause = Clause::Where;
  for (const Node* node : extra->order_by) {
    const PgQuery__SortBy& item = *node->sort_by;
    choice.order_by.push_back(all_.queries.sort_key(
        item, decided(source(), all_.expressions.expr(item.node))));
  }
  if (extra->limit != nullptr)
    choice.limit = mariadb_assigned(
        source(), all_.expressions.expr(extra->limit), {TypeName::BigInt});
  return choice;
}

/// ON UPDATE CURRENT_TIMESTAMP.
void Changes::set_updated_columns(Update& update) const {
  const auto found =
      scope_.catalog.updated_columns.find(update.target.table.index);
  if (found == scope_.catalog.updated_columns.end()) return;
  const Table& table = scope_.catalog.schema.at(update.target.table);
  for (const std::uint32_t column : found->second) {
    const bool is_set =
        std::any_of(update.set.begin(), update.set.end(),
                    [&](const SetColumn& set) { return set.column == column; });
    if (is_set) continue;
    SetColumn set;
    set.column = column;
    set.value = all_.builtins.now(bare(table.columns[column].type),
                                  scope_.tree.whole());
    update.set.push_back(std::move(set));
  }
}

DbStatement Changes::update(const PgQuery__UpdateStmt& node) {
  (void)all_.sets.open_with(node.with_clause);
  const OtherTables others{list(node.n_from_clause, node.from_clause),
                           node.where_clause};
  const bool has_others = !others.from.empty();
  DbStatement result;
  Update update;
  update.target = target(*node.relation);
  const auto written = scope_.written_view;  // a part may have another
  const Table& table = scope_.written_table(update.target.table);
  level().clause = Clause::Set;
  ++scope_.conditional;
  update.set = set_clause(list(node.n_target_list, node.target_list), table,
                          has_others ? &others : nullptr);
  check_writable(*node.relation, update.target.table, Write::Update,
                 update.set);
  if (has_others) {
    update.where = joined_exists(others);
  } else {
    update.where = where_of(node.where_clause);
  }
  update.choice = row_choice();
  set_updated_columns(update);
  scope_.written_view = written;
  if (is_mysql(scope_.dialect) && update.where && !is_found_first(update))
    update.where = mariadb_strict(source(), *std::move(update.where));
  update.where = all_.from.shown_rows(std::move(update.where));
  result.returning =
      returning_of(list(node.n_returning_list, node.returning_list));
  result.what = std::move(update);
  return result;
}

DbStatement Changes::remove(const PgQuery__DeleteStmt& node) {
  (void)all_.sets.open_with(node.with_clause);
  DbStatement result;
  Delete remove;
  remove.target = target(*node.relation);
  const auto written = scope_.written_view;
  check_writable(*node.relation, remove.target.table, Write::Delete, {});
  ++scope_.conditional;
  if (node.n_using_clause > 0) {
    remove.where = joined_exists(
        {list(node.n_using_clause, node.using_clause), node.where_clause});
  } else {
    remove.where = where_of(node.where_clause);
  }
  remove.choice = row_choice();
  scope_.written_view = written;
  remove.where = all_.from.shown_rows(std::move(remove.where));
  result.returning =
      returning_of(list(node.n_returning_list, node.returning_list));
  result.what = std::move(remove);
  return result;
}

}  // namespace txscope::sql::analyzer
