// SELECT, with everything around it.

#include <algorithm>
#include <array>

#include "read/sql/mysql/syntax/aliases.h"
#include "read/sql/mysql/syntax/rooms.h"

namespace txscope::sql::syntax {

bool Queries::is_query_start() const {
  std::size_t ahead = 0;
  while (is("(", ahead)) ++ahead;
  return is("select", ahead) || is("with", ahead) ||
         (is("values", ahead) && (is("(", ahead + 1) || is("row", ahead + 1)));
}

Node* Queries::select_statement() {
  Node* made = query_expression();
  if (is("procedure")) unsupported("PROCEDURE ANALYSE is");
  return made;
}

Node* Queries::query_expression() {
  const Depth depth(all_);
  PgQuery__WithClause* with = is("with") ? with_clause() : nullptr;
  PgQuery__SelectStmt* made = query_term();
  order_and_limit(*made);
  if (with != nullptr) made->with_clause = with;
  return nodes_.wrap(made);
}

PgQuery__WithClause* Queries::with_clause() {
  auto* with = nodes_.make<PgQuery__WithClause>();
  with->location = location();
  expect("with");
  with->recursive = accept("recursive");
  List all;
  do {
    auto* cte = nodes_.make<PgQuery__CommonTableExpr>();
    cte->location = location();
    cte->ctename = nodes_.text(name("a name"));
    if (is("("))
      nodes_.set(cte->n_aliascolnames, cte->aliascolnames, name_list());
    expect("as");
    expect("(");
    cte->ctequery = query_expression();
    expect(")");
    all.push_back(nodes_.wrap(cte));
  } while (accept(","));
  nodes_.set(with->n_ctes, with->ctes, all);
  return with;
}

/// SELECT ... UNION SELECT ...; INTERSECT binds stronger.
PgQuery__SelectStmt* Queries::query_term() {
  const auto combine = [&](PgQuery__SelectStmt* a, PgQuery__SelectStmt* b,
                           PgQuery__SetOperation kind, bool is_all) {
    auto* set = nodes_.select();
    set->op = kind;
    set->all = is_all;
    set->larg = a;
    set->rarg = b;
    return set;
  };
  const auto quantifier = [&] {
    const bool is_all = accept("all");
    if (!is_all) (void)accept("distinct");
    return is_all;
  };
  const auto product = [&] {
    PgQuery__SelectStmt* left = query_primary();
    while (accept("intersect")) {
      const bool is_all = quantifier();
      left = combine(left, query_primary(),
                     PG_QUERY__SET_OPERATION__SETOP_INTERSECT, is_all);
    }
    return left;
  };
  PgQuery__SelectStmt* left = product();
  while (is("union") || is("except")) {
    const auto kind = is("union") ? PG_QUERY__SET_OPERATION__SETOP_UNION
                                  : PG_QUERY__SET_OPERATION__SETOP_EXCEPT;
    ++at_;
    const bool is_all = quantifier();
    left = combine(left, product(), kind, is_all);
  }
  return left;
}

PgQuery__SelectStmt* Queries::query_primary() {
  const Depth depth(all_);
  if (accept("(")) {
    PgQuery__WithClause* with = is("with") ? with_clause() : nullptr;
    PgQuery__SelectStmt* made = query_term();
    order_and_limit(*made);
    if (with != nullptr) made->with_clause = with;
    expect(")");
    return made;
  }
  if (accept("values")) return all_.changes.value_rows();
  return plain_select();
}

PgQuery__SelectStmt* Queries::plain_select() {
  expect("select");
  auto* made = nodes_.select();
  constexpr std::array<std::string_view, 8> kHints = {"all",
                                                      "high_priority",
                                                      "straight_join",
                                                      "sql_small_result",
                                                      "sql_big_result",
                                                      "sql_buffer_result",
                                                      "sql_cache",
                                                      "sql_no_cache"};
  for (;;) {
    if (accept("distinct") || accept("distinctrow")) {
      nodes_.set(made->n_distinct_clause, made->distinct_clause,
                 {nodes_.make<Node>()});
    } else if (is("sql_calc_found_rows")) {
      ++at_;
    } else if (std::any_of(kHints.begin(), kHints.end(),
                           [&](std::string_view hint) { return is(hint); })) {
      ++at_;
    } else {
      break;
    }
  }
  nodes_.set(made->n_target_list, made->target_list, select_items());
  if (is("into")) into();
  if (accept("from") && !accept("dual"))
    nodes_.set(made->n_from_clause, made->from_clause, from_list());
  if (accept("where")) made->where_clause = all_.expressions.expr();
  if (accept("group")) {
    expect("by");
    List keys;
    do {
      keys.push_back(all_.expressions.expr());
      if (!accept("asc")) (void)accept("desc");
    } while (accept(","));
    if (is("with") && is("rollup", 1)) unsupported("WITH ROLLUP is");
    nodes_.set(made->n_group_clause, made->group_clause, keys);
  }
  if (accept("having"))
    made->having_clause = Aliases(*made).put_into(all_.expressions.expr());
  if (accept("window")) {
    List windows;
    do {
      const std::string called = name("a window");
      expect("as");
      PgQuery__WindowDef* definition = all_.functions.window();
      definition->name = nodes_.text(called);
      windows.push_back(nodes_.wrap(definition));
    } while (accept(","));
    nodes_.set(made->n_window_clause, made->window_clause, windows);
  }
  return made;
}

List Queries::select_items() {
  List items;
  do {
    auto* item = nodes_.make<PgQuery__ResTarget>();
    item->location = location();
    if (is("*")) {
      if (!items.empty()) fail("an expression");
      auto* ref = nodes_.make<PgQuery__ColumnRef>();
      ref->location = location();
      nodes_.set(ref->n_fields, ref->fields,
                 {nodes_.wrap(nodes_.make<PgQuery__AStar>())});
      ++at_;
      item->val = nodes_.wrap(ref);
    } else {
      item->val = all_.expressions.expr();
      if (const PgQuery__Alias* given = alias(false)) {
        item->name = given->aliasname;
      } else if (peek().kind == TokenKind::String) {
        item->name = nodes_.text(state_.name(tokens_[at_++].word));
      }
    }
    items.push_back(nodes_.wrap(item));
  } while (accept(","));
  return items;
}

/// INTO a, @b
void Queries::into() {
  const std::size_t first = at_;
  expect("into");
  if (is("outfile") || is("dumpfile")) unsupported("SELECT INTO a file is");
  if (made_->into_at) source_.fail(here(), "INTO is given twice");
  do {
    MysqlStatement::Target target;
    target.at = here();
    if (!peek().is_name()) fail("a variable");
    target.name = known(tokens_[at_++]);
    if (accept(".")) target.name += "." + name("a column");
    made_->into.push_back(std::move(target));
  } while (accept(","));
  made_->into_at = since(first);
}

/// A number, a parameter or a variable.
Node* Queries::limit() {
  const bool may_be = peek().kind == TokenKind::Number || is("?") ||
                      is_name() || peek().word.starts_with('@');
  if (!may_be) fail("a number");
  return all_.expressions.primary();
}

void Queries::order_and_limit(PgQuery__SelectStmt& select) {
  if (is("order")) {
    const List keys = order_by();
    for (Node* key : keys) {
      // A name alone is looked for among the items anyway.
      Node*& by = key->sort_by->node;
      if (by->node_case != PG_QUERY__NODE__NODE_COLUMN_REF)
        by = Aliases(select).put_into(by);
    }
    nodes_.set(select.n_sort_clause, select.sort_clause, keys);
  }
  if (accept("limit")) {
    Node* first = limit();
    if (accept(",")) {
      select.limit_offset = first;
      select.limit_count = limit();
    } else {
      select.limit_count = first;
      if (accept("offset")) select.limit_offset = limit();
    }
    select.limit_option = PG_QUERY__LIMIT_OPTION__LIMIT_OPTION_COUNT;
  } else if (is("offset") || is("fetch")) {
    fetch_first(select);
  }
  if (is("into")) into();
  locking(select);
  if (is("into")) into();
}

/// OFFSET n ROWS FETCH FIRST m ROWS ONLY
void Queries::fetch_first(PgQuery__SelectStmt& select) {
  const auto rows = [&] {
    if (!accept("rows")) expect("row");
  };
  select.limit_option = PG_QUERY__LIMIT_OPTION__LIMIT_OPTION_COUNT;
  if (accept("offset")) {
    select.limit_offset = all_.expressions.expr();
    rows();
  }
  if (!accept("fetch")) return;
  if (!accept("first")) expect("next");
  select.limit_count = is("row") || is("rows")
                           ? nodes_.integer_node(1, location())
                           : all_.expressions.expr();
  rows();
  if (is("with")) unsupported("WITH TIES is");
  expect("only");
}

List Queries::order_by() {
  expect("order");
  expect("by");
  List keys;
  do {
    auto* key = nodes_.make<PgQuery__SortBy>();
    key->location = location();
    key->node = all_.expressions.expr();
    key->sortby_dir = PG_QUERY__SORT_BY_DIR__SORTBY_DEFAULT;
    key->sortby_nulls = PG_QUERY__SORT_BY_NULLS__SORTBY_NULLS_DEFAULT;
    if (accept("desc")) {
      key->sortby_dir = PG_QUERY__SORT_BY_DIR__SORTBY_DESC;
    } else if (accept("asc")) {
      key->sortby_dir = PG_QUERY__SORT_BY_DIR__SORTBY_ASC;
    }
    keys.push_back(nodes_.wrap(key));
  } while (accept(","));
  return keys;
}

/// FOR UPDATE, FOR SHARE, LOCK IN SHARE MODE.
void Queries::locking(PgQuery__SelectStmt& select) {
  const bool is_for = is("for") && (is("update", 1) || is("share", 1));
  const bool is_old = is("lock") && is("in", 1);
  if (!is_for && !is_old) return;
  auto* clause = nodes_.make<PgQuery__LockingClause>();
  if (is_old) {
    ++at_;
    expect("in");
    expect("share");
    expect("mode");
    clause->strength = PG_QUERY__LOCK_CLAUSE_STRENGTH__LCS_FORSHARE;
  } else {
    ++at_;
    clause->strength = is("update")
                           ? PG_QUERY__LOCK_CLAUSE_STRENGTH__LCS_FORUPDATE
                           : PG_QUERY__LOCK_CLAUSE_STRENGTH__LCS_FORSHARE;
    ++at_;
  }
  if (accept("of")) {
    List tables;
    do {
      tables.push_back(nodes_.wrap(table_name()));
    } while (accept(","));
    nodes_.set(clause->n_locked_rels, clause->locked_rels, tables);
  }
  clause->wait_policy = PG_QUERY__LOCK_WAIT_POLICY__LockWaitBlock;
  if (accept("nowait")) {
    clause->wait_policy = PG_QUERY__LOCK_WAIT_POLICY__LockWaitError;
  } else if (accept_all({"skip", "locked"})) {
    clause->wait_policy = PG_QUERY__LOCK_WAIT_POLICY__LockWaitSkip;
  } else if (accept("wait")) {
    // Nobody waits for a time here; WAIT 0 is NOWAIT.
    if (peek().word == "0")
      clause->wait_policy = PG_QUERY__LOCK_WAIT_POLICY__LockWaitError;
    (void)all_.expressions.literal();
  }
  nodes_.set(select.n_locking_clause, select.locking_clause,
             {nodes_.wrap(clause)});
}

List Queries::from_list() {
  List items;
  do {
    items.push_back(joined_table());
  } while (accept(","));
  return items;
}

Node* Queries::joined_table() {
  const Depth depth(all_);
  Node* left = table_factor();
  for (;;) {
    auto* join = nodes_.make<PgQuery__JoinExpr>();
    join->jointype = PG_QUERY__JOIN_TYPE__JOIN_INNER;
    join->is_natural = accept("natural");
    if (is("left") || is("right")) {
      join->jointype = is("left") ? PG_QUERY__JOIN_TYPE__JOIN_LEFT
                                  : PG_QUERY__JOIN_TYPE__JOIN_RIGHT;
      ++at_;
      (void)accept("outer");
      expect("join");
    } else if (accept("inner") || accept("cross")) {
      expect("join");
    } else if (!accept("join") && !accept("straight_join")) {
      if (join->is_natural) fail("JOIN");
      return left;
    }
    join->larg = left;
    join->rarg = table_factor();
    const bool may_wait = join->jointype == PG_QUERY__JOIN_TYPE__JOIN_INNER;
    if (accept("on")) {
      join->quals = all_.expressions.expr();
    } else if (accept("using")) {
      nodes_.set(join->n_using_clause, join->using_clause, name_list());
    } else if (!may_wait && !join->is_natural) {
      fail("ON or USING");
    }
    left = nodes_.wrap(join);
  }
}

/// ((SELECT ...) a JOIN b): what is in the parentheses is no query, but begins
/// with one in its own.
bool Queries::is_joined_query() const {
  if (!is("(", 1)) return false;
  std::size_t ahead = 1;
  int depth = 0;
  do {
    if (is("(", ahead)) ++depth;
    if (is(")", ahead)) --depth;
    ++ahead;
  } while (depth > 0 && at_ + ahead < tokens_.size());
  return !is(")", ahead) && !is("union", ahead) && !is("except", ahead) &&
         !is("intersect", ahead) && !is("order", ahead) && !is("limit", ahead);
}

Node* Queries::table_factor() {
  const Depth depth(all_);
  const bool is_lateral = accept("lateral");
  if (is("(") && is_query_start() && !is_joined_query()) {
    expect("(");
    auto* made = nodes_.make<PgQuery__RangeSubselect>();
    made->lateral = is_lateral;
    made->subquery = query_expression();
    expect(")");
    made->alias = alias(false);
    if (made->alias == nullptr) fail("an alias");
    if (is("("))
      nodes_.set(made->alias->n_colnames, made->alias->colnames, name_list());
    return nodes_.wrap(made);
  }
  if (accept("(")) {
    Node* inside = joined_table();
    while (accept(",")) {
      auto* join = nodes_.make<PgQuery__JoinExpr>();
      join->jointype = PG_QUERY__JOIN_TYPE__JOIN_INNER;
      join->larg = inside;
      join->rarg = joined_table();
      inside = nodes_.wrap(join);
    }
    expect(")");
    return inside;
  }
  if (is("json_table") && is("(", 1)) unsupported("JSON_TABLE is");
  PgQuery__RangeVar* table = table_name();
  if (accept("partition")) skip_parentheses();
  table->alias = alias(false);
  while ((is("use") || is("force") || is("ignore")) &&
         (is("index", 1) || is("key", 1))) {
    at_ += 2;
    if (accept("for")) {
      if (!accept("join")) {
        at_ += is("order") || is("group") ? 1u : 0u;
        expect("by");
      }
    }
    skip_parentheses();
  }
  return nodes_.wrap(table);
}

}  // namespace txscope::sql::syntax
