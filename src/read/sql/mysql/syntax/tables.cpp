// CREATE TABLE: its columns and options.

#include <algorithm>
#include <array>

#include "model/product/product.h"
#include "read/sql/mysql/syntax/rooms.h"

namespace txscope::sql::syntax {

Node* Tables::create_table(bool is_temporary) {
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
  if (is("(") && !all_.queries.is_query_start()) {
    ++at_;
    do {
      table_element(*made, elements);
    } while (accept(","));
    expect(")");
  }
  table_collation_.clear();
  const auto start = table_options();
  if (is("partition")) partitions();
  if (is("as") || all_.queries.is_query_start() || is("replace") ||
      is("ignore"))
    return table_of_query(*made, elements);
  if (elements.empty()) fail("columns");
  finish_columns(elements, start);
  nodes_.set(made->n_table_elts, made->table_elts, elements);
  return nodes_.wrap(made);
}

/// [IGNORE | REPLACE] [AS] SELECT ...: the columns, if some are given, come
/// with it, and the query is its body.
Node* Tables::table_of_query(PgQuery__CreateStmt& table, const List& elements) {
  if (is("replace") || is("ignore"))
    unsupported("REPLACE or IGNORE before this SELECT is",
                "use CREATE TABLE and INSERT");
  (void)accept("as");
  auto* made = nodes_.make<PgQuery__CreateTableAsStmt>();
  made->into = nodes_.make<PgQuery__IntoClause>();
  made->into->rel = table.relation;
  made->objtype = PG_QUERY__OBJECT_TYPE__OBJECT_TABLE;
  const std::size_t first = at_;
  made->query = all_.queries.query_expression();
  made_->body = since(first);
  if (!elements.empty()) {
    finish_columns(elements, std::nullopt);
    nodes_.set(table.n_table_elts, table.table_elts, elements);
    made_->more.insert(made_->more.begin(), nodes_.wrap(&table));
  }
  return nodes_.wrap(made);
}

/// The collation of the table, and from where its numbers begin.
void Tables::finish_columns(const List& elements,
                            std::optional<std::int64_t> start) {
  for (Node* element : elements) {
    if (element->node_case != PG_QUERY__NODE__NODE_COLUMN_DEF) continue;
    PgQuery__ColumnDef& column = *element->column_def;
    if (column.type_name->type_oid == 0)
      all_.types.collate(*column.type_name, table_collation_);
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
}

void Tables::table_element(PgQuery__CreateStmt& table, List& elements) {
  if (all_.keys.table_constraint(elements, table.relation)) return;
  const std::int32_t where = location();
  if (!peek().is_name()) fail("a column");
  const std::string called = name("a column");
  elements.push_back(column(called, where));
}

Node* Tables::column(const std::string& called, std::int32_t where) {
  auto* made = nodes_.make<PgQuery__ColumnDef>();
  made->colname = nodes_.text(called);
  made->location = where;
  const ColumnType type = all_.types.column_type();
  made->type_name = type.type;
  List constraints;
  column_options(*made, type, constraints);
  type_checks(called, type, constraints, where);
  nodes_.set(made->n_constraints, made->constraints, constraints);
  return nodes_.wrap(made);
}

void Tables::column_options(PgQuery__ColumnDef& column, const ColumnType& type,
                            List& constraints) {
  bool is_not_null = false;
  bool has_default = false;
  const std::int32_t start = location();
  const auto add = [&](PgQuery__ConstrType kind) {
    PgQuery__Constraint* made = all_.keys.constraint(kind, location());
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
      PgQuery__Constraint* made = all_.keys.constraint(
          PG_QUERY__CONSTR_TYPE__CONSTR_DEFAULT, location());
      made->raw_expr = default_value();
      constraints.push_back(nodes_.wrap(made));
    } else if (accept_all({"on", "update"})) {
      (void)all_.expressions.primary();
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
      (void)all_.expressions.literal();
    } else if (accept("collate")) {
      all_.types.collate(*column.type_name, peek().word);
      ++at_;
    } else if (accept("charset") || accept_all({"character", "set"})) {
      skip_charset();
    } else if (accept("check")) {
      PgQuery__Constraint* made =
          all_.keys.constraint(PG_QUERY__CONSTR_TYPE__CONSTR_CHECK, location());
      if (!given.empty()) made->conname = nodes_.text(given);
      expect("(");
      made->raw_expr = all_.expressions.expr();
      expect(")");
      if (accept_all({"not", "enforced"})) continue;
      (void)accept("enforced");
      constraints.push_back(nodes_.wrap(made));
    } else if (is("references")) {
      PgQuery__Constraint* made = all_.keys.constraint(
          PG_QUERY__CONSTR_TYPE__CONSTR_FOREIGN, location());
      all_.keys.reference(*made);
      nodes_.set(made->n_fk_attrs, made->fk_attrs,
                 {nodes_.string(column.colname)});
      // MySQL reads such a reference over.
      if (!state_.is_oracles) constraints.push_back(nodes_.wrap(made));
    } else if (is("generated") || is("as")) {
      if (accept("generated")) expect("always");
      PgQuery__Constraint* made = all_.keys.constraint(
          PG_QUERY__CONSTR_TYPE__CONSTR_GENERATED, location());
      expect("as");
      expect("(");
      made->raw_expr = all_.expressions.expr();
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
        all_.keys.constraint(PG_QUERY__CONSTR_TYPE__CONSTR_DEFAULT, start);
    made->raw_expr = type.labels[0];
    constraints.push_back(nodes_.wrap(made));
  }
}

/// (expression), a value, or NOW().
Node* Tables::default_value() {
  if (accept("(")) {
    Node* value = all_.expressions.expr();
    expect(")");
    return value;
  }
  return all_.expressions.unary();
}

/// What a type excludes beyond the one that stands for it.
void Tables::type_checks(const std::string& column, const ColumnType& type,
                         List& constraints, std::int32_t where) {
  const auto self = [&] {
    auto* ref = nodes_.make<PgQuery__ColumnRef>();
    ref->location = where;
    nodes_.set(ref->n_fields, ref->fields, {nodes_.string(column)});
    return nodes_.wrap(ref);
  };
  const auto add = [&](Node* condition) {
    PgQuery__Constraint* made =
        all_.keys.constraint(PG_QUERY__CONSTR_TYPE__CONSTR_CHECK, where);
    made->conname = nodes_.text("values of " + column);
    made->raw_expr = condition;
    constraints.push_back(nodes_.wrap(made));
  };
  if (!type.labels.empty() && !type.is_set) {
    add(nodes_.a_expr(PG_QUERY__A__EXPR__KIND__AEXPR_IN, "=", self(),
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
      add(nodes_.op(">=", self(), nodes_.integer_node(0, where), where));
      return;
    }
    add(nodes_.a_expr(
        PG_QUERY__A__EXPR__KIND__AEXPR_BETWEEN, "BETWEEN", self(),
        nodes_.list({nodes_.integer_node(0, where),
                     nodes_.number_node(range->most_unsigned, where)}),
        where));
  } else if (range != nullptr && !range->least.empty()) {
    Node* least =
        nodes_.op("-", nullptr, nodes_.number_node(range->least, where), where);
    add(nodes_.a_expr(
        PG_QUERY__A__EXPR__KIND__AEXPR_BETWEEN, "BETWEEN", self(),
        nodes_.list({least, nodes_.number_node(range->most, where)}), where));
  }
}

namespace {

bool is_known_option(const Token& token) {
  constexpr std::array<std::string_view, 41> kOptions = {
      "engine",
      "type",
      "auto_increment",
      "avg_row_length",
      "character",
      "char",
      "charset",
      "checksum",
      "table_checksum",
      "collate",
      "comment",
      "connection",
      "data",
      "index",
      "delay_key_write",
      "insert_method",
      "key_block_size",
      "max_rows",
      "min_rows",
      "pack_keys",
      "password",
      "row_format",
      "stats_auto_recalc",
      "stats_persistent",
      "stats_sample_pages",
      "transactional",
      "page_checksum",
      "page_compressed",
      "page_compression_level",
      "encrypted",
      "encryption_key_id",
      "encryption",
      "union",
      "tablespace",
      "storage",
      "compression",
      "ietf_quotes",
      "sequence",
      "autoextend_size",
      "secondary_engine",
      "engine_attribute"};
  return token.kind == TokenKind::Word &&
         std::find(kOptions.begin(), kOptions.end(), token.word) !=
             kOptions.end();
}

}  // namespace

/// ENGINE=InnoDB AUTO_INCREMENT=4 ...: the number.
std::optional<std::int64_t> Tables::table_options() {
  std::optional<std::int64_t> start;
  for (;;) {
    (void)accept(",");
    if (at_ >= tokens_.size() || is("partition") || is("as") || is("select") ||
        is("(") || is("replace") || is("ignore") || is("with")) {
      if (!accept_all({"with", "system", "versioning"})) return start;
      made_->notes.emplace_back("system versioning is left out");
      continue;
    }
    (void)accept("default");
    if (!is_known_option(peek())) fail("an option of the table");
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
    if (at_ >= tokens_.size() ||
        (value.is_reserved && !is("default") && !is("binary")))
      fail("a value");
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

void Tables::partitions() {
  made_->notes.emplace_back("partitions are left out");
  while (at_ < tokens_.size()) {
    if (is("(")) {
      skip_parentheses();
    } else {
      ++at_;
    }
  }
}

}  // namespace txscope::sql::syntax
