// INSERT, REPLACE, UPDATE, DELETE.

#include <functional>

#include "read/sql/mysql/syntax/rooms.h"

namespace txscope::sql::syntax {

/// (1, 2), (3, DEFAULT)
PgQuery__SelectStmt* Changes::value_rows() {
  auto* made = nodes_.select();
  List rows;
  do {
    (void)accept("row");
    expect("(");
    List row;
    if (!is(")")) row = all_.expressions.expr_list();
    expect(")");
    rows.push_back(nodes_.list(row));
  } while (accept(","));
  nodes_.set(made->n_values_lists, made->values_lists, rows);
  return made;
}

Node* Changes::insert(bool replaces) {
  auto* made = nodes_.make<PgQuery__InsertStmt>();
  made_->replaces = replaces;
  made->override = PG_QUERY__OVERRIDING_KIND__OVERRIDING_SYSTEM_VALUE;
  for (;;) {
    if (accept("ignore")) {
      made_->ignores = true;
    } else if (!accept("low_priority") && !accept("delayed") &&
               !accept("high_priority")) {
      break;
    }
  }
  (void)accept("into");
  made->relation = table_name();
  if (accept("partition")) skip_parentheses();
  List columns;
  const auto add_column = [&] {
    auto* column = nodes_.make<PgQuery__ResTarget>();
    column->location = location();
    std::string called = name("a column");
    while (accept(".")) called = name("a column");
    column->name = nodes_.text(called);
    columns.push_back(nodes_.wrap(column));
  };
  bool has_no_columns = false;
  if (is("(") && !all_.queries.is_query_start()) {
    ++at_;
    has_no_columns = is(")");
    if (!has_no_columns) {
      do {
        add_column();
      } while (accept(","));
    }
    expect(")");
  }
  if (accept("set")) {
    List row;
    do {
      add_column();
      if (!accept(":=")) expect("=");
      row.push_back(all_.expressions.expr());
    } while (accept(","));
    auto* rows = nodes_.select();
    nodes_.set(rows->n_values_lists, rows->values_lists, {nodes_.list(row)});
    made->select_stmt = nodes_.wrap(rows);
  } else if (accept("values") || accept("value")) {
    const bool is_empty = is("(") && is(")", 1);
    PgQuery__SelectStmt* rows = value_rows();
    made_->default_rows = is_empty ? rows->n_values_lists : 0;
    // VALUES (): all defaults.
    if (!is_empty) made->select_stmt = nodes_.wrap(rows);
  } else {
    made->select_stmt = all_.queries.query_expression();
  }
  nodes_.set(made->n_cols, made->cols, columns);
  if (accept("as")) {
    made_->new_row = name("a name for the new row");
    if (is("("))
      unsupported("columns of an alias for the new row are",
                  "use VALUES(column)");
  }
  if (is("on")) made->on_conflict_clause = on_duplicate();
  returning(made->n_returning_list, made->returning_list);
  if (made_->ignores && made->on_conflict_clause == nullptr) {
    made->on_conflict_clause = nodes_.make<PgQuery__OnConflictClause>();
    made->on_conflict_clause->location = made->relation->location;
    made->on_conflict_clause->action =
        PG_QUERY__ON_CONFLICT_ACTION__ONCONFLICT_NOTHING;
  }
  return nodes_.wrap(made);
}

PgQuery__OnConflictClause* Changes::on_duplicate() {
  auto* made = nodes_.make<PgQuery__OnConflictClause>();
  made->location = location();
  made->action = PG_QUERY__ON_CONFLICT_ACTION__ONCONFLICT_UPDATE;
  expect("on");
  expect("duplicate");
  expect("key");
  expect("update");
  all_.in_on_duplicate = true;
  nodes_.set(made->n_target_list, made->target_list, set_items());
  all_.in_on_duplicate = false;
  return made;
}

/// a = 1, t.b = DEFAULT
List Changes::set_items() {
  List items;
  do {
    auto* item = nodes_.make<PgQuery__ResTarget>();
    item->location = location();
    std::string called = name("a column");
    std::string table;
    while (accept(".")) {
      table = called;
      called = name("a column");
    }
    item->name = nodes_.text(called);
    if (!table.empty())
      nodes_.set(item->n_indirection, item->indirection,
                 {nodes_.string(table)});
    if (!accept(":=")) expect("=");
    item->val = all_.expressions.expr();
    items.push_back(nodes_.wrap(item));
  } while (accept(","));
  return items;
}

void Changes::returning(std::size_t& count, Node**& items) {
  if (!accept("returning")) return;
  nodes_.set(count, items, all_.queries.select_items());
}

namespace {

std::string_view known_as(const PgQuery__RangeVar& table) {
  return table.alias != nullptr ? table.alias->aliasname : table.relname;
}

}  // namespace

Node* Changes::all_of(const List& conditions) {
  if (conditions.empty()) return nullptr;
  if (conditions.size() == 1) return conditions[0];
  return nodes_.bool_node(PG_QUERY__BOOL_EXPR_TYPE__AND_EXPR, conditions, -1);
}

/// USING (a, b) of two tables as the condition that it is.
bool Changes::name_columns(PgQuery__JoinExpr& join) {
  if (join.larg->node_case != PG_QUERY__NODE__NODE_RANGE_VAR ||
      join.rarg->node_case != PG_QUERY__NODE__NODE_RANGE_VAR)
    return false;
  const auto column_of = [&](const Node* table, const Node* column) {
    auto* ref = nodes_.make<PgQuery__ColumnRef>();
    ref->location = table->range_var->location;
    nodes_.set(ref->n_fields, ref->fields,
               {nodes_.string(known_as(*table->range_var)),
                nodes_.string(column->string->sval)});
    return nodes_.wrap(ref);
  };
  List equal;
  for (std::size_t i = 0; i < join.n_using_clause; ++i)
    equal.push_back(nodes_.op("=", column_of(join.larg, join.using_clause[i]),
                              column_of(join.rarg, join.using_clause[i]), -1));
  join.n_using_clause = 0;
  join.quals = all_of(equal);
  return true;
}

/// Each with each; of none a row without columns that matter.
Node* Changes::all_joined(const List& tables) {
  if (tables.empty()) {
    auto* select = nodes_.select();
    auto* target = nodes_.make<PgQuery__ResTarget>();
    target->val = nodes_.integer_node(1, -1);
    nodes_.set(select->n_target_list, select->target_list,
               {nodes_.wrap(target)});
    auto* made = nodes_.make<PgQuery__RangeSubselect>();
    made->subquery = nodes_.wrap(select);
    made->alias = nodes_.make<PgQuery__Alias>();
    made->alias->aliasname = nodes_.text("one row");
    return nodes_.wrap(made);
  }
  Node* all = tables[0];
  for (std::size_t i = 1; i < tables.size(); ++i) {
    auto* join = nodes_.make<PgQuery__JoinExpr>();
    join->jointype = PG_QUERY__JOIN_TYPE__JOIN_INNER;
    join->larg = all;
    join->rarg = tables[i];
    all = nodes_.wrap(join);
  }
  return all;
}

/// Takes the table that is changed out of joins: the others are left in
/// `others`, and what joins them in `conditions`.
Node* Changes::split_target(Node* tables, std::string_view wanted, List& others,
                            List& conditions) {
  if (tables->node_case == PG_QUERY__NODE__NODE_RANGE_VAR &&
      known_as(*tables->range_var) == wanted)
    return tables;
  if (tables->node_case != PG_QUERY__NODE__NODE_JOIN_EXPR) {
    others.push_back(tables);
    return nullptr;
  }
  PgQuery__JoinExpr& join = *tables->join_expr;
  List left_others;
  List left_conditions;
  Node* left = split_target(join.larg, wanted, left_others, left_conditions);
  List right_others;
  List right_conditions;
  Node* right = split_target(join.rarg, wanted, right_others, right_conditions);
  if (left == nullptr && right == nullptr) {
    others.push_back(tables);
    return nullptr;
  }
  if (join.is_natural) return nullptr;
  if (join.n_using_clause > 0 && !name_columns(join)) return nullptr;
  if (join.jointype == PG_QUERY__JOIN_TYPE__JOIN_LEFT && left != nullptr) {
    // Whether or not there is a row beside it.
    join.larg = all_joined(left_others);
    others.push_back(tables);
    conditions.insert(conditions.end(), left_conditions.begin(),
                      left_conditions.end());
    return left;
  }
  if (join.jointype != PG_QUERY__JOIN_TYPE__JOIN_INNER) return nullptr;
  for (const List* list : {&left_others, &right_others})
    others.insert(others.end(), list->begin(), list->end());
  for (const List* list : {&left_conditions, &right_conditions})
    conditions.insert(conditions.end(), list->begin(), list->end());
  if (join.quals != nullptr) conditions.push_back(join.quals);
  return left != nullptr ? left : right;
}

/// Which of the tables has the column, as it is known there; empty: none, or
/// several.
std::string_view Changes::table_with(const List& tables,
                                     std::string_view column) const {
  std::string_view found;
  std::size_t count = 0;
  const std::function<void(const Node*)> look = [&](const Node* node) {
    if (node->node_case == PG_QUERY__NODE__NODE_JOIN_EXPR) {
      look(node->join_expr->larg);
      look(node->join_expr->rarg);
      return;
    }
    const bool has_it = node->node_case == PG_QUERY__NODE__NODE_RANGE_VAR &&
                        state_.has_column != nullptr &&
                        state_.has_column(node->range_var->relname, column);
    if (!has_it) return;
    ++count;
    found = known_as(*node->range_var);
  };
  for (const Node* table : tables) look(table);
  return count == 1 ? found : std::string_view();
}

Node* Changes::update() {
  auto* made = nodes_.make<PgQuery__UpdateStmt>();
  const std::size_t first = at_;
  (void)accept("low_priority");
  if (accept("ignore")) made_->ignores = true;
  const List tables = all_.queries.from_list();
  expect("set");
  const List items = set_items();
  Node* where = accept("where") ? all_.expressions.expr() : nullptr;
  if (is("order")) made_->order_by = all_.queries.order_by();
  if (accept("limit")) made_->limit = all_.queries.limit();
  returning(made->n_returning_list, made->returning_list);
  nodes_.set(made->n_target_list, made->target_list, items);
  const bool is_one = tables.size() == 1 &&
                      tables[0]->node_case == PG_QUERY__NODE__NODE_RANGE_VAR;
  if (is_one) {
    made->relation = tables[0]->range_var;
    made->where_clause = where;
    return nodes_.wrap(made);
  }
  // The table that is changed is the one that SET names.
  const Span at = source_.span(tokens_[first].offset, tokens_[first].length);
  std::string_view wanted;
  for (const Node* item : items) {
    const PgQuery__ResTarget& target = *item->res_target;
    const std::string_view table =
        target.n_indirection > 0
            ? std::string_view(target.indirection[0]->string->sval)
            : table_with(tables, target.name);
    if (table.empty())
      source_.unsupported(at,
                          "UPDATE of several tables whose SET does not say "
                          "which is",
                          "write table.column = ...");
    if (!wanted.empty() && table != wanted)
      source_.unsupported(at, "an UPDATE that changes several tables is",
                          "write one UPDATE for each");
    wanted = table;
  }
  List others;
  List conditions;
  Node* found = nullptr;
  for (Node* each : tables) {
    Node* target = split_target(each, wanted, others, conditions);
    if (target != nullptr) found = target;
  }
  if (found == nullptr)
    source_.unsupported(at, "this UPDATE of several tables is",
                        "the changed table has to be joined by JOIN ... ON");
  if (where != nullptr) conditions.push_back(where);
  made->relation = found->range_var;
  nodes_.set(made->n_from_clause, made->from_clause, others);
  made->where_clause = all_of(conditions);
  return nodes_.wrap(made);
}

/// DELETE FROM t, DELETE t FROM t JOIN u, DELETE FROM t USING t JOIN u.
Node* Changes::remove() {
  auto* made = nodes_.make<PgQuery__DeleteStmt>();
  const Span at = source_.span(peek().offset, peek().length);
  for (;;) {
    if (accept("ignore")) {
      made_->ignores = true;
    } else if (!accept("low_priority") && !accept("quick")) {
      break;
    }
  }
  const auto target_names = [&] {
    std::vector<std::string> names;
    do {
      std::string called = name("a table");
      while (accept(".")) {
        if (accept("*")) break;
        called = name("a table");
      }
      names.push_back(called);
    } while (accept(","));
    return names;
  };
  std::vector<std::string> wanted;
  List tables;
  if (accept("from")) {
    const std::size_t before = at_;
    PgQuery__RangeVar* table = table_name();
    if (is("using") || is(",") || is(".")) {
      at_ = before;
      wanted = target_names();
      expect("using");
      tables = all_.queries.from_list();
    } else {
      if (accept("partition")) skip_parentheses();
      table->alias = alias(false);
      made->relation = table;
    }
  } else {
    wanted = target_names();
    expect("from");
    tables = all_.queries.from_list();
  }
  Node* where = accept("where") ? all_.expressions.expr() : nullptr;
  if (is("order")) made_->order_by = all_.queries.order_by();
  if (accept("limit")) made_->limit = all_.queries.limit();
  returning(made->n_returning_list, made->returning_list);
  if (made->relation != nullptr) {
    made->where_clause = where;
    return nodes_.wrap(made);
  }
  if (wanted.size() > 1)
    source_.unsupported(at, "a DELETE from several tables is",
                        "write one DELETE for each");
  List others;
  List conditions;
  Node* found = nullptr;
  for (Node* each : tables) {
    Node* target = split_target(each, wanted[0], others, conditions);
    if (target != nullptr) found = target;
  }
  if (found == nullptr)
    source_.unsupported(at, "this DELETE from several tables is",
                        "the table has to be joined by JOIN ... ON");
  if (where != nullptr) conditions.push_back(where);
  made->relation = found->range_var;
  if (others.empty()) {
    made->where_clause = all_of(conditions);
    return nodes_.wrap(made);
  }
  nodes_.set(made->n_using_clause, made->using_clause, others);
  made->where_clause = all_of(conditions);
  return nodes_.wrap(made);
}

}  // namespace txscope::sql::syntax
