#include <algorithm>

#include "read/sql/schema/generated_columns.h"
#include "read/sql/schema/schema_reader.h"
#include "read/sql/schema/types.h"

namespace txscope::sql {
namespace {

/// In which of its passes over the table PostgreSQL carries a command out.
int pass_of(const PgQuery__AlterTableCmd& command) {
  switch (command.subtype) {
    case PG_QUERY__ALTER_TABLE_TYPE__AT_DropColumn:
    case PG_QUERY__ALTER_TABLE_TYPE__AT_DropConstraint: return 0;
    case PG_QUERY__ALTER_TABLE_TYPE__AT_AlterColumnType: return 1;
    case PG_QUERY__ALTER_TABLE_TYPE__AT_AddColumn: return 2;
    case PG_QUERY__ALTER_TABLE_TYPE__AT_AddConstraint: return 4;
    default: return 3;
  }
}

}  // namespace

void SchemaReader::alter_table(const PgQuery__AlterTableStmt& node, Uses uses) {
  uses_ = std::move(uses);
  const std::string name = catalog_.relation(qualified(*node.relation));
  const Span at = tree_.dotted_name(node.relation->location);
  const auto found = catalog_.table(name);
  const bool is_other = node.objtype == PG_QUERY__OBJECT_TYPE__OBJECT_INDEX ||
                        catalog_.sequence_ids.contains(name) ||
                        catalog_.views.contains(name) ||
                        catalog_.broken.contains(name) || node.missing_ok;
  if (!found && is_other) return;
  if (!found && catalog_.is_elsewhere(name))
    source_.gap(at, "unknown table '" + name + "'");
  if (!found) {
    source_.fail(at, "unknown table '" + name + "'",
                 hint_among(name, catalog_.table_names(), "tables"));
  }
  id_ = *found;
  table_ = catalog_.schema.at(id_);
  plain_ = catalog_.relation_names.plain(name);
  schema_ = catalog_.relation_names.schema_of(name);
  // As PostgreSQL does: what is dropped first, constraints last, so that they
  // may name what the same statement adds.
  std::vector<const PgQuery__AlterTableCmd*> commands;
  for (const Node* item : list(node.n_cmds, node.cmds))
    commands.push_back(item->alter_table_cmd);
  std::stable_sort(
      commands.begin(), commands.end(),
      [](const auto* a, const auto* b) { return pass_of(*a) < pass_of(*b); });
  for (const PgQuery__AlterTableCmd* command : commands) alter(*command);
  keep_obstacles(id_);
  catalog_.schema.tables[id_.index] = std::move(table_);
}

void SchemaReader::add_foreign_key(const PgQuery__RangeVar& table,
                                   const PgQuery__Constraint& node) {
  const std::string name = catalog_.relation(qualified(table));
  const auto found = catalog_.table(name);
  if (!found) return;
  id_ = *found;
  table_ = catalog_.schema.at(id_);
  plain_ = catalog_.relation_names.plain(name);
  schema_ = catalog_.relation_names.schema_of(name);
  add_foreign(node, columns(list(node.n_fk_attrs, node.fk_attrs), table_,
                            tree_.at(node.location)));
  keep_obstacles(id_);
  catalog_.schema.tables[id_.index] = std::move(table_);
}

void SchemaReader::alter(const PgQuery__AlterTableCmd& command) {
  const std::string_view name = view(command.name);
  const Span whole = tree_.whole();
  const auto column = [&]() -> std::uint32_t {
    const auto found = column_of(table_, name);
    if (!found) {
      source_.fail(
          whole,
          "'" + table_.name + "' has no column '" + std::string(name) + "'",
          hint_among(name, column_names(table_), "columns"));
    }
    return *found;
  };
  switch (command.subtype) {
    case PG_QUERY__ALTER_TABLE_TYPE__AT_AddConstraint: {
      const PgQuery__Constraint& constraint = *command.def->constraint;
      if (view(constraint.indexname).empty()) {
        table_constraint(constraint);
        return;
      }
      // ADD CONSTRAINT ... USING INDEX: the key is there already.
      return;
    }
    case PG_QUERY__ALTER_TABLE_TYPE__AT_AddColumn: {
      const PgQuery__ColumnDef& def = *command.def->column_def;
      if (column_of(table_, view(def.colname)) && command.missing_ok) return;
      add_column(def);
      const auto number = static_cast<std::uint32_t>(table_.columns.size() - 1);
      column_constraints(def, number);
      return;
    }
    case PG_QUERY__ALTER_TABLE_TYPE__AT_ColumnDefault: {
      const std::uint32_t number = column();
      table_.columns[number].default_value.reset();
      table_.columns[number].sequence.reset();
      if (command.def != nullptr) set_default(number, command.def, whole);
      return;
    }
    case PG_QUERY__ALTER_TABLE_TYPE__AT_SetNotNull:
      table_.columns[column()].is_nullable = false;
      return;
    case PG_QUERY__ALTER_TABLE_TYPE__AT_DropNotNull:
      table_.columns[column()].is_nullable = true;
      return;
    case PG_QUERY__ALTER_TABLE_TYPE__AT_AddIdentity:
      add_identity(*command.def->constraint, column());
      return;
    case PG_QUERY__ALTER_TABLE_TYPE__AT_AlterColumnType:
      alter_type(*command.def->column_def, column());
      return;
    case PG_QUERY__ALTER_TABLE_TYPE__AT_DropConstraint: {
      const auto is_it = [&](const auto& c) { return c.name == name; };
      std::erase_if(table_.checks, is_it);
      std::erase_if(table_.foreign, is_it);
      const bool was_primary = table_.has_primary_key &&
                               !table_.unique.empty() &&
                               table_.unique[0].name == name;
      std::erase_if(table_.unique, is_it);
      std::erase_if(table_.partial, is_it);
      if (was_primary) table_.has_primary_key = false;
      return;
    }
    case PG_QUERY__ALTER_TABLE_TYPE__AT_DropColumn:
      if (!column_of(table_, name) && command.missing_ok) return;
      return drop_column(column());
    case PG_QUERY__ALTER_TABLE_TYPE__AT_AddInherit:
    case PG_QUERY__ALTER_TABLE_TYPE__AT_DropExpression:
    case PG_QUERY__ALTER_TABLE_TYPE__AT_DropIdentity:
      source_.unsupported(whole, "this ALTER TABLE is");
    default: return;  // owner, storage, statistics, row security, partitions
  }
}

void SchemaReader::alter_type(const PgQuery__ColumnDef& node,
                              std::uint32_t column) {
  const Type to = read_type(tree_, catalog_, *node.type_name);
  Column& into = table_.columns[column];
  if (kind_of(to.name) != kind_of(into.type.name) &&
      !(is_number(to.name) && is_number(into.type.name))) {
    source_.unsupported(tree_.whole(),
                        "ALTER COLUMN from " + to_string(into.type) + " to " +
                            to_string(to) + " is",
                        "write the type in CREATE TABLE");
  }
  into.type = to;
}

void SchemaReader::add_generated(const PgQuery__Constraint& node,
                                 std::uint32_t column) {
  Column& into = table_.columns[column];
  const Span at = tree_.at(node.location);
  Expr value;
  try {
    Analyzer analyzer(tree_, catalog_, nullptr);
    value = analyzer.of_row(*node.raw_expr, &table_, id_);
  } catch (const Failure& failure) {
    obstacle({"the generated column '" + into.name + "' (" +
                  failure.error.what + ")",
              at});
    return;
  }
  if (has_subquery_or_call(value)) {
    obstacle({"the user-defined function in the generated column '" +
                  into.name + "'",
              at});
    return;
  }
  if (!assigns(value.type, into.type)) {
    source_.fail(value.at, "column '" + into.name + "' is of type " +
                               to_string(into.type) +
                               " but its expression is of type " +
                               to_string(value.type));
  }
  into.is_always_generated = true;
  const auto mine =
      std::find_if(catalog_.triggers.begin(), catalog_.triggers.end(),
                   [this](const TriggerText& t) {
                     return t.table == id_ && !t.generated.empty();
                   });
  if (mine != catalog_.triggers.end()) {
    mine->generated.emplace_back(column, std::move(value));
    return;
  }
  TriggerText text;
  text.table = id_;
  text.trigger.name = kGeneratesColumns;
  text.trigger.at = at;
  text.trigger.is_before = true;
  text.trigger.is_row = true;
  text.trigger.on_insert = true;
  text.trigger.on_update = true;
  text.generated.emplace_back(column, std::move(value));
  catalog_.triggers.push_back(std::move(text));
}

}  // namespace txscope::sql
