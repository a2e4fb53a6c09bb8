// Enumerations, domains and composite types.

#include <algorithm>

#include "model/sql/value/composite.h"
#include "model/sql/value/enumeration.h"
#include "read/sql/schema/schema_reader.h"
#include "read/sql/schema/types.h"

namespace txscope::sql {
namespace {

/// VALUE of a domain's condition is this column.
void name_column(Expr& e, std::uint32_t column) {
  if (e.op == Op::Column) e.index = column;
  for (Expr& arg : e.args) name_column(arg, column);
}

}  // namespace

void SchemaReader::check_domain(const PgQuery__ColumnDef& node,
                                std::uint32_t column) {
  const PgQuery__TypeName& type = *node.type_name;
  const TypeAlias* alias = catalog_.type(
      catalog_.relation(qualified(list(type.n_names, type.names))));
  if (alias == nullptr) return;
  if (alias->is_not_null) table_.columns[column].is_nullable = false;
  for (const Expr& of_value : alias->checks) {
    Check check;
    check.name = plain_ + "_" + table_.columns[column].name + "_domain";
    check.condition = of_value;
    name_column(check.condition, column);
    check.at = tree_.at(node.location);
    table_.checks.push_back(std::move(check));
  }
  if (alias->has_more) {
    obstacle(
        {"the CHECK of the domain of '" + table_.columns[column].name + "'",
         tree_.at(node.location),
         true,
         true,
         false,
         {column}});
  }
}

void SchemaReader::add_type(const QualifiedName& name, TypeAlias alias) {
  catalog_.types[catalog_.new_relation(name.schema, name.name)] =
      std::move(alias);
}

void SchemaReader::create_enum(const PgQuery__CreateEnumStmt& node) {
  Enumeration enumeration;
  enumeration.name =
      std::string(string_of(node.type_name[node.n_type_name - 1]));
  for (const Node* item : list(node.n_vals, node.vals)) {
    enumeration.labels.emplace_back(string_of(item));
  }
  TypeAlias alias;
  alias.type = {TypeName::Enum};
  alias.type.of = number_of(std::move(enumeration));
  add_type(qualified(list(node.n_type_name, node.type_name)), alias);
}

/// ALTER TYPE ... ADD VALUE: columns of the old one are of the new one.
void SchemaReader::alter_enum(const PgQuery__AlterEnumStmt& node) {
  const std::string name =
      catalog_.relation(qualified(list(node.n_type_name, node.type_name)));
  const auto found = catalog_.types.find(name);
  if (found == catalog_.types.end() ||
      found->second.type.name != TypeName::Enum) {
    source_.fail(tree_.whole(), "unknown enum '" + name + "'");
  }
  const std::uint16_t old = found->second.type.of;
  Enumeration changed = enumeration(old);
  const auto label = [&changed](std::string_view wanted) {
    return std::find(changed.labels.begin(), changed.labels.end(), wanted);
  };
  if (!view(node.old_val).empty()) {
    source_.unsupported(tree_.whole(), "RENAME VALUE is");
  }
  if (label(view(node.new_val)) != changed.labels.end()) return;
  auto where = changed.labels.end();
  if (!view(node.new_val_neighbor).empty()) {
    where = label(view(node.new_val_neighbor));
    if (node.new_val_is_after && where != changed.labels.end()) ++where;
  }
  changed.labels.insert(where, std::string(view(node.new_val)));
  const std::uint16_t number = number_of(std::move(changed));
  found->second.type.of = number;
  for (Table& table : catalog_.schema.tables) {
    for (Column& column : table.columns) {
      const bool is_it = (column.type.name == TypeName::Enum ||
                          column.type.element == TypeName::Enum) &&
                         column.type.of == old;
      if (is_it) column.type.of = number;
    }
  }
}

void SchemaReader::create_composite(const PgQuery__CompositeTypeStmt& node) {
  TypeAlias alias;
  for (const Node* item : list(node.n_coldeflist, node.coldeflist)) {
    const PgQuery__ColumnDef& column = *item->column_def;
    alias.fields.emplace_back(view(column.colname),
                              read_type(tree_, catalog_, *column.type_name));
  }
  alias.type =
      composite_type({std::string(view(node.typevar->relname)), alias.fields});
  add_type(qualified(*node.typevar), std::move(alias));
}

void SchemaReader::create_domain(const PgQuery__CreateDomainStmt& node) {
  TypeAlias alias;
  alias.type = read_type(tree_, catalog_, *node.type_name);
  for (const Node* item : list(node.n_constraints, node.constraints)) {
    const PgQuery__Constraint& constraint = *item->constraint;
    alias.is_not_null |=
        constraint.contype == PG_QUERY__CONSTR_TYPE__CONSTR_NOTNULL;
    alias.has_more |=
        constraint.contype == PG_QUERY__CONSTR_TYPE__CONSTR_DEFAULT;
    if (constraint.contype != PG_QUERY__CONSTR_TYPE__CONSTR_CHECK) continue;
    try {
      Table value;
      value.columns.emplace_back();
      value.columns[0].name = "value";
      value.columns[0].type = alias.type;
      Analyzer analyzer(tree_, catalog_, nullptr);
      Expr condition = analyzer.of_row(*constraint.raw_expr, &value);
      alias.has_more |= has_subquery_or_call(condition) ||
                        !converts(condition.type, kBoolean);
      alias.checks.push_back(convert(source_, std::move(condition), kBoolean));
    } catch (const Failure&) {
      alias.has_more = true;
    }
  }
  add_type(qualified(list(node.n_domainname, node.domainname)),
           std::move(alias));
}

/// GENERATED ALWAYS AS (expression) STORED.

}  // namespace txscope::sql
