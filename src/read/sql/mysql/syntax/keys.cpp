// Keys, indexes and constraints, of CREATE TABLE, ALTER TABLE, CREATE INDEX.

#include "read/sql/mysql/syntax/rooms.h"

namespace txscope::sql::syntax {

PgQuery__Constraint* Keys::constraint(PgQuery__ConstrType kind,
                                      std::int32_t where) {
  auto* made = nodes_.make<PgQuery__Constraint>();
  made->contype = kind;
  made->location = where;
  return made;
}

/// USING BTREE, COMMENT 'x', VISIBLE and the like.
void Keys::index_options() {
  for (;;) {
    if (accept("using") || accept("comment") ||
        accept_all({"with", "parser"})) {
      ++at_;
    } else if (accept("key_block_size") || accept("algorithm") ||
               accept("lock")) {
      (void)accept("=");
      ++at_;
    } else if (!accept("visible") && !accept("invisible") &&
               !accept("ignored") && !accept_all({"not", "ignored"})) {
      return;
    }
  }
}

/// (a, b(10) DESC); empty: it has an expression.
List Keys::key_parts() {
  List parts;
  bool has_expression = false;
  expect("(");
  do {
    if (is("(")) {
      has_expression = true;
      skip_parentheses();
    } else {
      auto* element = nodes_.make<PgQuery__IndexElem>();
      element->name = nodes_.text(name("a column"));
      key_length();
      parts.push_back(nodes_.wrap(element));
    }
    if (!accept("asc")) (void)accept("desc");
  } while (accept(","));
  expect(")");
  if (has_expression) parts.clear();
  return parts;
}

Node* Keys::index(PgQuery__RangeVar* table, const std::string& called,
                  bool is_unique) {
  if (accept("using")) ++at_;
  auto* made = nodes_.make<PgQuery__IndexStmt>();
  made->relation = table;
  made->idxname = nodes_.text(called);
  made->unique = is_unique;
  const Span at = here();
  const List parts = key_parts();
  if (parts.empty() && is_unique)
    source_.unsupported(at, "a unique key on an expression is");
  nodes_.set(made->n_index_params, made->index_params, parts);
  index_options();
  return parts.empty() ? nullptr : nodes_.wrap(made);
}

Node* Keys::create_index(bool is_unique) {
  expect("index");
  (void)accept_all({"if", "not", "exists"});
  const std::string called = name("an index");
  if (accept("using")) ++at_;
  expect("on");
  PgQuery__RangeVar* table = table_name();
  Node* made = index(table, called, is_unique);
  if (made != nullptr) return made;
  auto* none = nodes_.make<PgQuery__VacuumStmt>();  // nothing that matters
  return nodes_.wrap(none);
}

/// A key or a constraint of a table, in CREATE TABLE or behind ADD; false: it
/// is a column.
bool Keys::table_constraint(List& elements, PgQuery__RangeVar* table) {
  const std::int32_t where = location();
  std::string given;
  const bool is_named = is("constraint");
  if (is_named) {
    ++at_;
    if (!is("primary") && !is("unique") && !is("foreign") && !is("check"))
      given = name("a name");
  }
  const auto key_name = [&] {
    if (is_name() && !is("using")) given = name("a name");
    if (accept("using")) ++at_;
  };
  const auto add = [&](PgQuery__Constraint* made) {
    if (!given.empty()) made->conname = nodes_.text(given);
    elements.push_back(nodes_.wrap(made));
  };
  if (accept_all({"primary", "key"})) {
    auto* made = constraint(PG_QUERY__CONSTR_TYPE__CONSTR_PRIMARY, where);
    key_name();
    nodes_.set(made->n_keys, made->keys, name_list());
    index_options();
    given.clear();
    add(made);
    return true;
  }
  if (accept("unique")) {
    auto* made = constraint(PG_QUERY__CONSTR_TYPE__CONSTR_UNIQUE, where);
    if (!accept("key")) (void)accept("index");
    key_name();
    if (is("(") && is("(", 1)) unsupported("a unique key on an expression is");
    nodes_.set(made->n_keys, made->keys, name_list());
    index_options();
    add(made);
    return true;
  }
  if (accept_all({"foreign", "key"})) {
    auto* made = constraint(PG_QUERY__CONSTR_TYPE__CONSTR_FOREIGN, where);
    (void)accept_all({"if", "not", "exists"});
    if (is_name()) {
      const std::string index = name("a name");
      if (given.empty()) given = index;
    }
    nodes_.set(made->n_fk_attrs, made->fk_attrs, name_list());
    reference(*made);
    add(made);
    return true;
  }
  if (accept("check")) {
    auto* made = constraint(PG_QUERY__CONSTR_TYPE__CONSTR_CHECK, where);
    expect("(");
    made->raw_expr = all_.expressions.expr();
    expect(")");
    if (accept_all({"not", "enforced"})) return true;
    (void)accept("enforced");
    add(made);
    return true;
  }
  if (is_named) fail("PRIMARY KEY, UNIQUE, FOREIGN KEY or CHECK");
  const bool is_odd = is("fulltext") || is("spatial");
  // KEY and INDEX are no names.
  if (!is_odd && !is("key") && !is("index")) return false;
  if (is_odd) {
    ++at_;
    if (!accept("key")) (void)accept("index");
    key_name();
    skip_parentheses();
    index_options();
    return true;
  }
  ++at_;
  (void)accept_all({"if", "not", "exists"});
  key_name();
  if (Node* made = index(table, given, false)) made_->more.push_back(made);
  return true;
}

void Keys::reference(PgQuery__Constraint& made) {
  expect("references");
  made.pktable = table_name();
  if (is("(")) nodes_.set(made.n_pk_attrs, made.pk_attrs, name_list());
  made.fk_matchtype = nodes_.text("s");
  if (accept("match")) ++at_;
  std::string_view on_delete = "r";
  std::string_view on_update = "r";
  while (accept("on")) {
    const bool is_delete = is("delete");
    if (!is_delete && !is("update")) fail("DELETE or UPDATE");
    ++at_;
    std::string_view action = "r";
    if (accept("cascade")) {
      action = "c";
    } else if (accept_all({"set", "null"})) {
      action = "n";
    } else if (is("set") && is("default", 1)) {
      unsupported("SET DEFAULT of a foreign key is");
    } else if (!accept("restrict")) {
      if (!accept_all({"no", "action"})) fail("CASCADE, SET NULL or RESTRICT");
    }
    (is_delete ? on_delete : on_update) = action;
  }
  made.fk_del_action = nodes_.text(on_delete);
  made.fk_upd_action = nodes_.text(on_update);
}

}  // namespace txscope::sql::syntax
