#include "read/sql/schema/schema_reader.h"

#include <algorithm>

#include "base/suggest.h"
#include "read/sql/schema/types.h"

namespace txscope::sql {

bool has_subquery_or_call(const Expr& e) {
  if (e.query != nullptr || e.op == Op::Function) return true;
  return std::any_of(e.args.begin(), e.args.end(), has_subquery_or_call);
}

void SchemaReader::create_table(const PgQuery__CreateStmt& node) {
  const Span at = tree_.dotted_name(node.relation->location);
  plain_ = view(node.relation->relname);
  schema_ = catalog_.creation_schema(view(node.relation->schemaname));
  catalog_.schemas.insert(schema_);
  if (view(node.relation->relpersistence) == "t") {
    source_.unsupported(at, "temporary tables are");
  }
  if (node.partbound != nullptr) {
    source_.unsupported(at, "a partition as a table of its own is",
                        "name the table that it is a part of");
  }
  if (node.n_inh_relations > 0) source_.unsupported(at, "INHERITS is");
  if (node.of_typename != nullptr) source_.unsupported(at, "OF type is");
  const std::string name = catalog_.new_relation(schema_, plain_);
  if (catalog_.table(name)) {
    if (node.if_not_exists) return;
    source_.there_already(at, "table '" + name + "' is created twice");
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
      }
      column_constraints(def, column);
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
  const std::string name = catalog_.relation(qualified(*node.relation));
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
  if (source_.mysql() != nullptr) return copy_keys(catalog_.schema.at(*found));
  if (node.options != 0) {
    obstacle({"LIKE ... INCLUDING", tree_.at(node.relation->location)});
  }
}

/// MySQL's LIKE: all but foreign keys and triggers, and numbers of its own.
void SchemaReader::copy_keys(const Table& from) {
  table_.has_primary_key = from.has_primary_key;
  table_.unique = from.unique;
  table_.partial = from.partial;
  table_.indexes = from.indexes;
  table_.watched = from.watched;
  table_.checks = from.checks;
  for (std::uint32_t i = 0; i < table_.columns.size(); ++i)
    if (table_.columns[i].sequence) add_sequence(i, 1, 1);
}

void SchemaReader::add_column(const PgQuery__ColumnDef& node) {
  Column column;
  column.name = view(node.colname);
  column.at = tree_.at(node.location);
  if (table_.columns.size() >= kMostColumns) {
    source_.fail(column.at, "a table has at most 1600 columns");
  }
  if (column_of(table_, column.name)) {
    source_.there_already(column.at,
                          "column '" + column.name + "' is given twice");
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
  sequence.name = catalog_.new_relation(
      schema_, plain_ + "_" + table_.columns[column].name + "_seq");
  sequence.start = start;
  sequence.increment = increment;
  table_.columns[column].sequence =
      static_cast<std::uint32_t>(catalog_.schema.sequences.size());
  catalog_.sequence_ids[sequence.name] = *table_.columns[column].sequence;
  catalog_.schema.sequences.push_back(std::move(sequence));
}

/// DEFERRABLE and the like stand behind the constraint that they are about.
bool SchemaReader::has_attribute(NodeList behind,
                                 PgQuery__ConstrType attribute) {
  for (const Node* item : behind) {
    switch (item->constraint->contype) {
      case PG_QUERY__CONSTR_TYPE__CONSTR_ATTR_DEFERRABLE:
      case PG_QUERY__CONSTR_TYPE__CONSTR_ATTR_NOT_DEFERRABLE:
      case PG_QUERY__CONSTR_TYPE__CONSTR_ATTR_DEFERRED:
      case PG_QUERY__CONSTR_TYPE__CONSTR_ATTR_IMMEDIATE:
        if (item->constraint->contype == attribute) return true;
        break;
      default: return false;
    }
  }
  return false;
}

void SchemaReader::column_constraints(const PgQuery__ColumnDef& def,
                                      std::uint32_t column) {
  const auto all = list(def.n_constraints, def.constraints);
  for (std::size_t i = 0; i < all.size(); ++i) {
    PgQuery__Constraint node = *all[i]->constraint;
    const auto behind = all.subspan(i + 1);
    node.deferrable |=
        has_attribute(behind, PG_QUERY__CONSTR_TYPE__CONSTR_ATTR_DEFERRABLE);
    node.initdeferred |=
        has_attribute(behind, PG_QUERY__CONSTR_TYPE__CONSTR_ATTR_DEFERRED);
    column_constraint(node, column);
  }
}

void SchemaReader::column_constraint(const PgQuery__Constraint& node,
                                     std::uint32_t column) {
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
      add_generated(node, column);
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
    case PG_QUERY__CONSTR_TYPE__CONSTR_EXCLUSION: add_exclusion(node); return;
    case PG_QUERY__CONSTR_TYPE__CONSTR_ATTR_NOT_DEFERRABLE:
    case PG_QUERY__CONSTR_TYPE__CONSTR_ATTR_IMMEDIATE:
    case PG_QUERY__CONSTR_TYPE__CONSTR_ATTR_DEFERRABLE:
    case PG_QUERY__CONSTR_TYPE__CONSTR_ATTR_DEFERRED: return;
    default: source_.unsupported(at, "this constraint is");
  }
}

}  // namespace txscope::sql
