// CREATE TABLE and CREATE INDEX.

#include <algorithm>
#include <array>

#include "model/product/product.h"
#include "read/sql/mysql/parser.h"

namespace txscope::sql {

using Node = PgQuery__Node;

PgQuery__Constraint* MysqlParser::constraint(PgQuery__ConstrType kind,
                                             std::int32_t where) {
  auto* made = nodes_.make<PgQuery__Constraint>();
  made->contype = kind;
  made->location = where;
  return made;
}

Node* MysqlParser::create_table(bool is_temporary) {
  auto* made = nodes_.make<PgQuery__CreateStmt>();
  if (accept_all({"if", "not", "exists"})) {
    made->if_not_exists = 1;
    made_->if_not_exists = true;
  }
  made->relation = table_name();
  if (is_temporary) made->relation->relpersistence = nodes_.text("t");
  const auto like = [&] {
    auto* clause = nodes_.make<PgQuery__TableLikeClause>();
    clause->relation = table_name();
    clause->options = 0x7FFFFFFF;
    nodes_.set(made->n_table_elts, made->table_elts, {nodes_.wrap(clause)});
    return nodes_.wrap(made);
  };
  if (accept("like")) return like();
  List elements;
  if (is("(") && is("like", 1)) {
    at_ += 2;
    Node* copy = like();
    expect(")");
    return copy;
  }
  if (is("(") && !is_query_start()) {
    ++at_;
    do {
      table_element(*made, elements);
    } while (accept(","));
    expect(")");
  }
  table_collation_.clear();
  const auto start = table_options();
  if (is("partition")) partitions();
  if (is("as") || is_query_start() || is("replace") || is("ignore")) {
    auto* as = nodes_.make<PgQuery__CreateTableAsStmt>();
    as->into = nodes_.make<PgQuery__IntoClause>();
    as->into->rel = made->relation;
    skip_statement();
    return nodes_.wrap(as);
  }
  if (elements.empty()) fail("columns");
  for (Node* element : elements) {
    if (element->node_case != PG_QUERY__NODE__NODE_COLUMN_DEF) continue;
    PgQuery__ColumnDef& column = *element->column_def;
    if (column.type_name->type_oid == 0)
      collate(*column.type_name, table_collation_);
    if (start) {
      for (std::size_t i = 0; i < column.n_constraints; ++i) {
        PgQuery__Constraint& each = *column.constraints[i]->constraint;
        if (each.contype != PG_QUERY__CONSTR_TYPE__CONSTR_IDENTITY) continue;
        auto* option = nodes_.make<PgQuery__DefElem>();
        option->defname = nodes_.text("start");
        auto* number = nodes_.make<PgQuery__Integer>();
        number->ival = static_cast<std::int32_t>(
            std::min<std::int64_t>(*start, 2147483647));
        option->arg = nodes_.wrap(number);
        nodes_.set(each.n_options, each.options, {nodes_.wrap(option)});
      }
    }
  }
  nodes_.set(made->n_table_elts, made->table_elts, elements);
  return nodes_.wrap(made);
}

void MysqlParser::table_element(PgQuery__CreateStmt& table, List& elements) {
  if (table_constraint(elements, table.relation)) return;
  const std::int32_t where = location();
  if (!peek().is_name()) fail("a column");
  const std::string called = name("a column");
  elements.push_back(column(called, where));
}

Node* MysqlParser::column(const std::string& called, std::int32_t where) {
  auto* made = nodes_.make<PgQuery__ColumnDef>();
  made->colname = nodes_.text(called);
  made->location = where;
  const ColumnType type = column_type();
  made->type_name = type.type;
  List constraints;
  column_options(*made, type, constraints);
  type_checks(called, type, constraints, where);
  nodes_.set(made->n_constraints, made->constraints, constraints);
  return nodes_.wrap(made);
}

void MysqlParser::column_options(PgQuery__ColumnDef& column,
                                 const ColumnType& type, List& constraints) {
  bool is_not_null = false;
  bool has_default = false;
  const std::int32_t start = location();
  const auto add = [&](PgQuery__ConstrType kind) {
    PgQuery__Constraint* made = constraint(kind, location());
    constraints.push_back(nodes_.wrap(made));
    return made;
  };
  const auto number_itself = [&] {
    PgQuery__Constraint* made = add(PG_QUERY__CONSTR_TYPE__CONSTR_IDENTITY);
    made->generated_when = nodes_.text("d");
  };
  if (type.is_serial) {
    number_itself();
    add(PG_QUERY__CONSTR_TYPE__CONSTR_NOTNULL);
    add(PG_QUERY__CONSTR_TYPE__CONSTR_UNIQUE);
  }
  for (;;) {
    std::string given;
    if (is("constraint") && (is("check", 2) || is("check", 1))) {
      ++at_;
      if (!is("check")) given = name("a name");
    }
    if (accept_all({"not", "null"})) {
      is_not_null = true;
      add(PG_QUERY__CONSTR_TYPE__CONSTR_NOTNULL);
    } else if (accept("null")) {
    } else if (accept("default")) {
      has_default = true;
      PgQuery__Constraint* made =
          constraint(PG_QUERY__CONSTR_TYPE__CONSTR_DEFAULT, location());
      made->raw_expr = default_value();
      constraints.push_back(nodes_.wrap(made));
    } else if (accept_all({"on", "update"})) {
      (void)primary();
      column.storage = nodes_.text("now");  // see SchemaReader
    } else if (accept("auto_increment")) {
      number_itself();
    } else if (accept("unique")) {
      (void)accept("key");
      add(PG_QUERY__CONSTR_TYPE__CONSTR_UNIQUE);
    } else if (is("primary") || is("key")) {
      (void)accept("primary");
      expect("key");
      add(PG_QUERY__CONSTR_TYPE__CONSTR_PRIMARY);
    } else if (accept("comment")) {
      (void)literal();
    } else if (accept("collate")) {
      collate(*column.type_name, peek().word);
      ++at_;
    } else if (accept("charset") || accept_all({"character", "set"})) {
      ++at_;
    } else if (accept("check")) {
      PgQuery__Constraint* made =
          constraint(PG_QUERY__CONSTR_TYPE__CONSTR_CHECK, location());
      if (!given.empty()) made->conname = nodes_.text(given);
      expect("(");
      made->raw_expr = expr();
      expect(")");
      if (accept_all({"not", "enforced"})) continue;
      (void)accept("enforced");
      constraints.push_back(nodes_.wrap(made));
    } else if (is("references")) {
      PgQuery__Constraint* made =
          constraint(PG_QUERY__CONSTR_TYPE__CONSTR_FOREIGN, location());
      reference(*made);
      nodes_.set(made->n_fk_attrs, made->fk_attrs,
                 {nodes_.string(column.colname)});
      // MySQL reads such a reference over.
      if (!state_.is_oracles) constraints.push_back(nodes_.wrap(made));
    } else if (is("generated") || is("as")) {
      if (accept("generated")) expect("always");
      PgQuery__Constraint* made =
          constraint(PG_QUERY__CONSTR_TYPE__CONSTR_GENERATED, location());
      expect("as");
      expect("(");
      made->raw_expr = expr();
      expect(")");
      if (!accept("virtual") && !accept("stored")) (void)accept("persistent");
      made->generated_when = nodes_.text("a");
      constraints.push_back(nodes_.wrap(made));
    } else if (is("column_format") || is("storage") || is("srid")) {
      at_ += 2;
    } else if (!accept("visible") && !accept("invisible") &&
               !accept("compressed")) {
      break;
    }
  }
  // ENUM NOT NULL has its first label as its default.
  if (!type.labels.empty() && !type.is_set && is_not_null && !has_default) {
    PgQuery__Constraint* made =
        constraint(PG_QUERY__CONSTR_TYPE__CONSTR_DEFAULT, start);
    made->raw_expr = type.labels[0];
    constraints.push_back(nodes_.wrap(made));
  }
}

/// (expression), a value, or NOW().
Node* MysqlParser::default_value() {
  if (accept("(")) {
    Node* value = expr();
    expect(")");
    return value;
  }
  return unary();
}

/// What a type excludes beyond the one that stands for it.
void MysqlParser::type_checks(const std::string& column, const ColumnType& type,
                              List& constraints, std::int32_t where) {
  const auto self = [&] {
    auto* ref = nodes_.make<PgQuery__ColumnRef>();
    ref->location = where;
    nodes_.set(ref->n_fields, ref->fields, {nodes_.string(column)});
    return nodes_.wrap(ref);
  };
  const auto add = [&](Node* condition) {
    PgQuery__Constraint* made =
        constraint(PG_QUERY__CONSTR_TYPE__CONSTR_CHECK, where);
    made->conname = nodes_.text("values of " + column);
    made->raw_expr = condition;
    constraints.push_back(nodes_.wrap(made));
  };
  if (!type.labels.empty() && !type.is_set) {
    add(a_expr(PG_QUERY__A__EXPR__KIND__AEXPR_IN, "=", self(),
               nodes_.list(type.labels), where));
    return;
  }
  struct Range {
    std::string_view type;
    std::string_view least;
    std::string_view most;
    std::string_view most_unsigned;
  };
  constexpr std::array<Range, 8> kRanges = {{
      {"tinyint", "128", "127", "255"},
      {"int1", "128", "127", "255"},
      {"bool", "128", "127", "255"},
      {"boolean", "128", "127", "255"},
      {"smallint", "", "", "65535"},
      {"mediumint", "8388608", "8388607", "16777215"},
      {"int", "", "", "4294967295"},
      {"integer", "", "", "4294967295"},
  }};
  const Range* range = nullptr;
  for (const Range& each : kRanges)
    if (each.type == type.name) range = &each;
  if (type.is_unsigned) {
    if (range == nullptr) {
      add(op(">=", self(), integer_node(0, where), where));
      return;
    }
    add(a_expr(PG_QUERY__A__EXPR__KIND__AEXPR_BETWEEN, "BETWEEN", self(),
               nodes_.list({integer_node(0, where),
                            number_node(range->most_unsigned, where)}),
               where));
  } else if (range != nullptr && !range->least.empty()) {
    Node* least = op("-", nullptr, number_node(range->least, where), where);
    add(a_expr(PG_QUERY__A__EXPR__KIND__AEXPR_BETWEEN, "BETWEEN", self(),
               nodes_.list({least, number_node(range->most, where)}), where));
  }
}

/// USING BTREE, COMMENT 'x', VISIBLE and the like.
void MysqlParser::index_options() {
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
MysqlParser::List MysqlParser::key_parts() {
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
      if (is("(")) skip_parentheses();
      parts.push_back(nodes_.wrap(element));
    }
    if (!accept("asc")) (void)accept("desc");
  } while (accept(","));
  expect(")");
  if (has_expression) parts.clear();
  return parts;
}

Node* MysqlParser::index(PgQuery__RangeVar* table, const std::string& called,
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

Node* MysqlParser::create_index(bool is_unique) {
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
bool MysqlParser::table_constraint(List& elements, PgQuery__RangeVar* table) {
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
    made->raw_expr = expr();
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

void MysqlParser::reference(PgQuery__Constraint& made) {
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

/// ENGINE=InnoDB AUTO_INCREMENT=4 ...: the number.
std::optional<std::int64_t> MysqlParser::table_options() {
  std::optional<std::int64_t> start;
  for (;;) {
    (void)accept(",");
    if (at_ >= tokens_.size() || is("partition") || is("as") || is("select") ||
        is("(") || is("replace") || is("ignore") || is("with"))
      return start;
    (void)accept("default");
    if (peek().kind != TokenKind::Word) fail("an option of the table");
    const std::string option = peek().word;
    ++at_;
    if (option == "character" || option == "char") expect("set");
    if (option == "data" || option == "index") expect("directory");
    (void)accept("=");
    if (option == "union" && is("(")) {
      skip_parentheses();
      continue;
    }
    const Token& value = peek();
    if (at_ >= tokens_.size()) fail("a value");
    if (option == "auto_increment" && value.kind == TokenKind::Number &&
        value.word.size() < 18)
      start = std::stoll(value.word);
    if (option == "collate") table_collation_ = value.word;
    if (option == "engine" || option == "type") {
      const std::string engine = state_.name(value.word);
      if (engine != kStorageEngine)
        made_->notes.push_back(
            "tables of ENGINE=" + std::string(source_.text(span_of(value))) +
            " are taken as InnoDB's, with transactions");
    }
    ++at_;
  }
}

void MysqlParser::partitions() {
  made_->notes.emplace_back("partitions are left out");
  while (at_ < tokens_.size()) {
    if (is("(")) {
      skip_parentheses();
    } else {
      ++at_;
    }
  }
}

}  // namespace txscope::sql
