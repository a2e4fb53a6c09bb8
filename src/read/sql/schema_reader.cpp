#include "read/sql/schema_reader.h"

#include <algorithm>

#include "base/suggest.h"

namespace txscope::sql {
namespace {

/// The columns that an expression over one row names.
void collect_columns(const Expr& e, std::vector<std::uint32_t>& columns) {
  if (e.op == Op::Column) columns.push_back(e.index);
  for (const Expr& arg : e.args) collect_columns(arg, columns);
}

}  // namespace

bool has_subquery_or_call(const Expr& e) {
  if (e.query != nullptr || e.op == Op::Function) return true;
  return std::any_of(e.args.begin(), e.args.end(), has_subquery_or_call);
}

void SchemaReader::create_table(const PgQuery__CreateStmt& node) {
  const Span at = tree_.dotted_name(node.relation->location);
  const std::string name(view(node.relation->relname));
  if (view(node.relation->relpersistence) == "t") {
    source_.unsupported(at, "temporary tables are");
  }
  if (node.partbound != nullptr) {
    source_.unsupported(at, "a partition as a table of its own is",
                        "name the table that it is a part of");
  }
  if (node.n_inh_relations > 0) source_.unsupported(at, "INHERITS is");
  if (node.of_typename != nullptr) source_.unsupported(at, "OF type is");
  if (catalog_.table(name)) {
    if (node.if_not_exists) return;
    source_.fail(at, "table '" + name + "' is created twice");
  }
  table_ = Table();
  table_.name = name;
  table_.at = at;
  id_ = TableId(catalog_.schema.tables.size());
  const auto elements = list(node.n_table_elts, node.table_elts);
  for (const Node* element : elements) {
    if (element->node_case == PG_QUERY__NODE__NODE_COLUMN_DEF) {
      add_column(*element->column_def);
    } else if (element->node_case == PG_QUERY__NODE__NODE_TABLE_LIKE_CLAUSE) {
      copy_columns(*element->table_like_clause);
    }
  }
  if (table_.columns.empty()) {
    source_.unsupported(at, "a table without columns is");
  }
  // Constraints may name columns that come later.
  std::uint32_t column = 0;
  std::vector<std::pair<std::uint32_t, Span>> nullable;
  for (const Node* element : elements) {
    if (element->node_case == PG_QUERY__NODE__NODE_COLUMN_DEF) {
      const PgQuery__ColumnDef& def = *element->column_def;
      for (const Node* item : list(def.n_constraints, def.constraints)) {
        const PgQuery__Constraint& constraint = *item->constraint;
        if (constraint.contype == PG_QUERY__CONSTR_TYPE__CONSTR_NULL) {
          nullable.emplace_back(column, tree_.at(constraint.location));
        }
        column_constraint(constraint, column);
      }
      ++column;
    } else if (element->node_case == PG_QUERY__NODE__NODE_CONSTRAINT) {
      table_constraint(*element->constraint);
    }
  }
  for (const auto& [number, where] : nullable) {
    if (table_.columns[number].is_nullable) continue;
    source_.fail(where, "column '" + table_.columns[number].name +
                            "' is declared NULL and NOT NULL");
  }
  keep_obstacles(id_);
  catalog_.add_table(std::move(table_));
}

void SchemaReader::keep_obstacles(TableId table) {
  for (Obstacle& mine : obstacles_) {
    catalog_.obstacles[table.index].push_back(std::move(mine));
  }
  for (auto& [other, what] : others_) {
    catalog_.obstacles[other.index].push_back(std::move(what));
  }
}

void SchemaReader::copy_columns(const PgQuery__TableLikeClause& node) {
  const std::string name(view(node.relation->relname));
  const auto found = catalog_.table(name);
  if (!found) {
    source_.fail(tree_.dotted_name(node.relation->location),
                 "unknown table '" + name + "'");
  }
  for (const Column& column : catalog_.schema.at(*found).columns) {
    Column copy = column;
    constexpr std::uint32_t kDefaults =
        1u << (PG_QUERY__TABLE_LIKE_OPTION__CREATE_TABLE_LIKE_DEFAULTS - 1);
    if ((node.options & kDefaults) == 0) {
      copy.default_value.reset();
      copy.sequence.reset();
      copy.is_always_generated = false;
    }
    table_.columns.push_back(std::move(copy));
  }
  if (node.options != 0) {
    obstacle({"LIKE ... INCLUDING", tree_.at(node.relation->location)});
  }
}

void SchemaReader::add_column(const PgQuery__ColumnDef& node) {
  Column column;
  column.name = view(node.colname);
  column.at = tree_.at(node.location);
  if (table_.columns.size() >= kMostColumns) {
    source_.fail(column.at, "a table has at most 1600 columns");
  }
  if (column_of(table_, column.name)) {
    source_.fail(column.at, "column '" + column.name + "' is given twice");
  }
  const auto serial = serial_type(*node.type_name);
  column.type =
      serial ? Type{*serial} : read_type(tree_, catalog_, *node.type_name);
  if (column.type.name == TypeName::Void) {
    source_.fail(column.at, "a column cannot have type void");
  }
  table_.columns.push_back(std::move(column));
  const auto number = static_cast<std::uint32_t>(table_.columns.size() - 1);
  check_domain(node, number);
  if (serial) {
    table_.columns.back().is_nullable = false;
    add_sequence(number, 1, 1);
  }
}

void SchemaReader::add_sequence(std::uint32_t column, std::int64_t start,
                                std::int64_t increment) {
  Sequence sequence;
  sequence.name = table_.name + "_" + table_.columns[column].name + "_seq";
  sequence.start = start;
  sequence.increment = increment;
  table_.columns[column].sequence =
      static_cast<std::uint32_t>(catalog_.schema.sequences.size());
  catalog_.sequence_ids[sequence.name] = *table_.columns[column].sequence;
  catalog_.schema.sequences.push_back(std::move(sequence));
}

void SchemaReader::column_constraint(const PgQuery__Constraint& node,
                                     std::uint32_t column) {
  const Span at = tree_.at(node.location);
  switch (node.contype) {
    case PG_QUERY__CONSTR_TYPE__CONSTR_NULL: return;
    case PG_QUERY__CONSTR_TYPE__CONSTR_NOTNULL:
      table_.columns[column].is_nullable = false;
      return;
    case PG_QUERY__CONSTR_TYPE__CONSTR_DEFAULT:
      add_default(node, column);
      return;
    case PG_QUERY__CONSTR_TYPE__CONSTR_IDENTITY:
      add_identity(node, column);
      return;
    case PG_QUERY__CONSTR_TYPE__CONSTR_GENERATED:
      obstacle(
          {"the generated column '" + table_.columns[column].name + "'", at});
      return;
    case PG_QUERY__CONSTR_TYPE__CONSTR_PRIMARY:
    case PG_QUERY__CONSTR_TYPE__CONSTR_UNIQUE:
      add_unique(node, {column});
      return;
    case PG_QUERY__CONSTR_TYPE__CONSTR_FOREIGN:
      add_foreign(node, {column});
      return;
    default: table_constraint(node);
  }
}

void SchemaReader::table_constraint(const PgQuery__Constraint& node) {
  const Span at = tree_.at(node.location);
  switch (node.contype) {
    case PG_QUERY__CONSTR_TYPE__CONSTR_CHECK: add_check(node); return;
    case PG_QUERY__CONSTR_TYPE__CONSTR_PRIMARY:
    case PG_QUERY__CONSTR_TYPE__CONSTR_UNIQUE:
      add_unique(node, columns(list(node.n_keys, node.keys), table_, at));
      return;
    case PG_QUERY__CONSTR_TYPE__CONSTR_FOREIGN:
      add_foreign(node,
                  columns(list(node.n_fk_attrs, node.fk_attrs), table_, at));
      return;
    case PG_QUERY__CONSTR_TYPE__CONSTR_EXCLUSION:
      obstacle({"the EXCLUDE constraint", at, true, true, false, {}});
      return;
    case PG_QUERY__CONSTR_TYPE__CONSTR_ATTR_NOT_DEFERRABLE:
    case PG_QUERY__CONSTR_TYPE__CONSTR_ATTR_IMMEDIATE:
    case PG_QUERY__CONSTR_TYPE__CONSTR_ATTR_DEFERRABLE: return;
    case PG_QUERY__CONSTR_TYPE__CONSTR_ATTR_DEFERRED:
      obstacle({"the constraint that is INITIALLY DEFERRED", at});
      return;
    default: source_.unsupported(at, "this constraint is");
  }
}

std::vector<std::uint32_t> SchemaReader::columns(NodeList names,
                                                 const Table& table,
                                                 Span at) const {
  std::vector<std::uint32_t> result;
  for (const Node* node : names) {
    const std::string_view name = string_of(node);
    const auto column = column_of(table, name);
    if (!column) {
      source_.fail(
          at, "'" + table.name + "' has no column '" + std::string(name) + "'",
          hint_among(name, column_names(table), "columns"));
    }
    if (std::find(result.begin(), result.end(), *column) != result.end()) {
      source_.fail(at, "column '" + std::string(name) + "' is given twice");
    }
    result.push_back(*column);
  }
  return result;
}

std::string SchemaReader::free_name(const char* given,
                                    const std::vector<std::uint32_t>& columns,
                                    std::string_view label) {
  auto& taken = catalog_.constraint_names;
  if (!view(given).empty()) {
    taken.insert(given);
    return given;
  }
  std::string base = table_.name;
  for (const std::uint32_t column : columns) {
    base += "_" + table_.columns[column].name;
  }
  base += "_" + std::string(label);
  if (taken.insert(base).second) return base;
  for (int i = 1;; ++i) {
    std::string name = base + std::to_string(i);
    if (taken.insert(name).second) return name;
  }
}

void SchemaReader::add_unique(const PgQuery__Constraint& node,
                              std::vector<std::uint32_t> columns) {
  const Span at = tree_.at(node.location);
  if (node.deferrable || node.initdeferred) {
    obstacle({"the DEFERRABLE constraint", at, true, true, false, {}});
  }
  if (node.nulls_not_distinct) {
    obstacle({"NULLS NOT DISTINCT", at, true, true, false, {}});
  }
  UniqueKey key;
  key.columns = columns;
  if (node.contype == PG_QUERY__CONSTR_TYPE__CONSTR_UNIQUE) {
    key.name = free_name(node.conname, columns, "key");
    table_.unique.push_back(std::move(key));
    return;
  }
  if (table_.has_primary_key) {
    source_.fail(at, "'" + table_.name + "' has two primary keys");
  }
  key.name = free_name(node.conname, {}, "pkey");
  for (const std::uint32_t column : columns) {
    table_.columns[column].is_nullable = false;
  }
  table_.has_primary_key = true;
  table_.unique.insert(table_.unique.begin(), std::move(key));
}

void SchemaReader::add_check(const PgQuery__Constraint& node) {
  const Span at = tree_.at(node.location);
  Analyzer analyzer(tree_, catalog_, nullptr);
  Expr condition;
  try {
    condition = analyzer.of_row(*node.raw_expr, &table_, id_);
  } catch (const Failure& failure) {
    if (!failure.is_gap) throw;
    // It matters where a row is written, not before.
    obstacle(
        {"the CHECK (" + failure.error.what + ")", at, true, true, false, {}});
    return;
  }
  if (!converts(condition.type, kBoolean)) {
    source_.fail(condition.at, "the condition of CHECK must be boolean, not " +
                                   to_string(condition.type));
  }
  condition = convert(source_, std::move(condition), {TypeName::Boolean, 0, 0});
  if (has_subquery_or_call(condition)) {
    source_.unsupported(at, "a subquery or an own function in CHECK is");
  }
  std::vector<std::uint32_t> used;
  collect_columns(condition, used);
  std::sort(used.begin(), used.end());
  used.erase(std::unique(used.begin(), used.end()), used.end());
  if (used.size() != 1) used.clear();
  Check check;
  check.name = free_name(node.conname, used, "check");
  check.condition = std::move(condition);
  check.at = at;
  table_.checks.push_back(std::move(check));
}

void SchemaReader::add_default(const PgQuery__Constraint& node,
                               std::uint32_t column) {
  Column& into = table_.columns[column];
  const Span at = tree_.at(node.location);
  if (into.sequence || into.default_value) {
    source_.fail(at, "column '" + into.name + "' has two default values");
  }
  set_default(column, node.raw_expr, at);
}

void SchemaReader::set_default(std::uint32_t column, const Node* given,
                               Span at) {
  Column& into = table_.columns[column];
  if (add_generator(*given, column)) return;
  Analyzer analyzer(tree_, catalog_, nullptr);
  std::optional<Expr> read;
  try {
    read = analyzer.of_row(*given, nullptr);
  } catch (const Failure& failure) {
    // It matters where a row is inserted, not before.
    obstacle({"the default of '" + into.name + "' (" + failure.error.what + ")",
              at,
              true,
              false,
              false,
              {}});
    return;
  }
  Expr value = std::move(*read);
  if (has_subquery_or_call(value)) {
    obstacle({"the own function in the default of '" + into.name + "'",
              at,
              true,
              false,
              false,
              {}});
    return;
  }
  if (!assigns(value.type, into.type)) {
    source_.fail(value.at, "column '" + into.name + "' is of type " +
                               to_string(into.type) +
                               " but its default is of type " +
                               to_string(value.type));
  }
  into.default_value = assign(source_, std::move(value), into.type);
}

void SchemaReader::add_identity(const PgQuery__Constraint& node,
                                std::uint32_t column) {
  Column& into = table_.columns[column];
  const Span at = tree_.at(node.location);
  if (!is_integer(into.type.name)) {
    source_.fail(at, "an identity column must be of an integer type");
  }
  if (into.sequence || into.default_value) {
    source_.fail(at, "column '" + into.name + "' has two default values");
  }
  std::int64_t start = 1;
  std::int64_t increment = 1;
  for (const Node* item : list(node.n_options, node.options)) {
    const PgQuery__DefElem& option = *item->def_elem;
    const std::string_view name = view(option.defname);
    const bool is_number =
        option.arg != nullptr &&
        option.arg->node_case == PG_QUERY__NODE__NODE_INTEGER;
    if (name == "start" && is_number) {
      start = option.arg->integer->ival;
    } else if (name == "increment" && is_number) {
      increment = option.arg->integer->ival;
    } else if (name == "maxvalue" && is_number &&
               option.arg->integer->ival < kFewNumbers) {
      obstacle({"the sequence of few numbers", at});
    }
  }
  if (start < 1 || increment < 1) {
    source_.unsupported(at, "a sequence that starts below 1 or descends is");
  }
  into.is_nullable = false;
  into.is_always_generated = view(node.generated_when) == "a";
  add_sequence(column, start, increment);
}

void SchemaReader::add_foreign(const PgQuery__Constraint& node,
                               std::vector<std::uint32_t> columns_) {
  const Span at = tree_.at(node.location);
  if (node.initdeferred) {
    obstacle({"the foreign key that is INITIALLY DEFERRED", at});
  }
  if (view(node.fk_matchtype) == "f" && columns_.size() > 1) {
    obstacle({"MATCH FULL", at, true, true, false, {}});
  }
  const std::string_view on_update = view(node.fk_upd_action);
  const bool changes_children = on_update == "d";
  ForeignKey key;
  if (on_update == "c") key.on_update = OnDelete::Cascade;
  if (on_update == "n") key.on_update = OnDelete::SetNull;
  const std::string_view on_delete = view(node.fk_del_action);
  if (on_delete == "c") {
    key.on_delete = OnDelete::Cascade;
  } else if (on_delete == "n" && node.n_fk_del_set_cols == 0) {
    key.on_delete = OnDelete::SetNull;
  }
  const bool deletes_oddly =
      on_delete == "d" || (on_delete == "n" && node.n_fk_del_set_cols > 0);
  const std::string parent(view(node.pktable->relname));
  const bool is_self = parent == table_.name;
  if (is_self) {
    key.parent = id_;
  } else if (const auto found = catalog_.table(parent)) {
    key.parent = *found;
  } else if (catalog_.broken.contains(parent)) {
    obstacle({"the reference to '" + parent + "', which cannot be used,", at,
              true, true, false, std::move(columns_)});
    return;
  } else {
    source_.fail(tree_.dotted_name(node.pktable->location),
                 "unknown table '" + parent + "'",
                 hint_among(parent, catalog_.table_names(), "tables"));
  }
  const Table& referenced = is_self ? table_ : catalog_.schema.at(key.parent);
  if (node.n_pk_attrs > 0) {
    key.parent_columns =
        columns(list(node.n_pk_attrs, node.pk_attrs), referenced, at);
  } else if (referenced.has_primary_key) {
    key.parent_columns = referenced.unique[0].columns;
  } else {
    source_.fail(at, "'" + parent + "' has no primary key to refer to",
                 is_self ? "declare the primary key before the reference"
                         : "name the columns of a unique key");
  }
  key.columns = std::move(columns_);
  if (key.columns.size() != key.parent_columns.size()) {
    source_.fail(at, "the foreign key has " +
                         std::to_string(key.columns.size()) +
                         " columns, the key it refers to has " +
                         std::to_string(key.parent_columns.size()));
  }
  std::vector<std::uint32_t> sorted = key.parent_columns;
  std::sort(sorted.begin(), sorted.end());
  const bool is_unique =
      std::any_of(referenced.unique.begin(), referenced.unique.end(),
                  [&sorted](const UniqueKey& candidate) {
                    std::vector<std::uint32_t> other = candidate.columns;
                    std::sort(other.begin(), other.end());
                    return other == sorted;
                  });
  if (!is_unique) {
    source_.fail(at,
                 "there is no unique key on these columns of '" + parent + "'",
                 "a foreign key refers to a PRIMARY KEY or UNIQUE columns");
  }
  if (changes_children) {
    others_.emplace_back(key.parent,
                         Obstacle{"the foreign key with ON UPDATE SET DEFAULT", at,
                                  false, true, false, key.parent_columns});
  }
  if (deletes_oddly) {
    others_.emplace_back(key.parent,
                         Obstacle{"the foreign key with ON DELETE SET DEFAULT",
                                  at,
                                  false,
                                  false,
                                  true,
                                  {}});
  }
  for (std::size_t i = 0; i < key.columns.size(); ++i) {
    const Type a = table_.columns[key.columns[i]].type;
    const Type b = referenced.columns[key.parent_columns[i]].type;
    if (kind_of(a.name) != kind_of(b.name)) {
      source_.unsupported(at,
                          "a foreign key between " + to_string(a) + " and " +
                              to_string(b) + " is",
                          "give both columns the same type");
    }
  }
  key.name = free_name(node.conname, key.columns, "fkey");
  key.at = at;
  table_.foreign.push_back(std::move(key));
}

void SchemaReader::create_index(const PgQuery__IndexStmt& node) {
  const Span at = tree_.dotted_name(node.relation->location);
  const std::string name(view(node.relation->relname));
  const auto found = catalog_.table(name);
  const bool has_no_rows =
      catalog_.broken.contains(name) || catalog_.views.contains(name);
  if (!found && has_no_rows) return;
  if (!found) {
    source_.fail(at, "unknown table '" + name + "'",
                 hint_among(name, catalog_.table_names(), "tables"));
  }
  Table& table = catalog_.schema.tables[found->index];
  UniqueKey key;
  bool is_odd = node.nulls_not_distinct;
  if (node.where_clause != nullptr) {
    Analyzer analyzer(tree_, catalog_, nullptr);
    Expr where = analyzer.of_row(*node.where_clause, &table, *found);
    is_odd |= has_subquery_or_call(where) || !converts(where.type, kBoolean);
    if (!is_odd) key.where = convert(source_, std::move(where), kBoolean);
  }
  for (const Node* item : list(node.n_index_params, node.index_params)) {
    const PgQuery__IndexElem& element = *item->index_elem;
    const std::string_view column = view(element.name);
    if (column.empty()) {
      is_odd = true;
      continue;
    }
    const auto number = column_of(table, column);
    if (!number) {
      source_.fail(at,
                   "'" + name + "' has no column '" + std::string(column) + "'",
                   hint_among(column, column_names(table), "columns"));
    }
    key.columns.push_back(*number);
  }
  if (!node.unique) {
    // One on a condition or an expression is no index that InnoDB has.
    if (!is_odd && !key.where) table.indexes.push_back(std::move(key.columns));
    return;
  }
  if (is_odd) {
    obstacle({"the unique index on expressions",
              at,
              true,
              true,
              false,
              {}});
    keep_obstacles(*found);
    return;
  }
  key.name = view(node.idxname);
  if (key.name.empty()) {
    key.name = name;
    for (const std::uint32_t column : key.columns) {
      key.name += "_" + table.columns[column].name;
    }
    key.name += "_idx";
  }
  (key.where ? table.partial : table.unique).push_back(std::move(key));
}

}  // namespace txscope::sql
