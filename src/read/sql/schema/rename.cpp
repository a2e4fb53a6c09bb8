// ALTER ... RENAME: what was read before refers to things by number, so only
// names change.

#include "base/suggest.h"
#include "read/sql/schema/schema_reader.h"

namespace txscope::sql {
namespace {

void rename_constraint(Table& table, std::string_view from,
                       const std::string& to) {
  const auto rename = [&](auto& all) {
    for (auto& one : all)
      if (one.name == from) one.name = to;
  };
  rename(table.unique);
  rename(table.partial);
  rename(table.foreign);
  rename(table.checks);
}

/// The only one with this key.
void rename_routine(Catalog& catalog, const std::string& key,
                    const std::string& to) {
  const std::string schema = catalog.routine_names.schema_of(key);
  const RoutineId id = catalog.routine(key)->id;
  catalog.routine_names.remove(key);
  catalog.routine_ids.erase(key);
  const std::string made = catalog.new_routine(schema, to);
  catalog.routines[id.index].name = made;
  catalog.routine_ids[made].push_back(id);
  for (TriggerText& trigger : catalog.triggers)
    if (trigger.function == key) trigger.function = made;
}

}  // namespace

/// In the schema that it is in.
void SchemaReader::give_name(const std::string& key, const std::string& to) {
  const std::string schema = catalog_.relation_names.schema_of(key);
  const std::string made = catalog_.new_relation(schema, to);
  if (catalog_.table(made))
    source_.fail(tree_.whole(), "there is a table '" + to + "' already");
  catalog_.relation_names.remove(key);
  catalog_.rename_relation(key, made);
}

void SchemaReader::rename(const PgQuery__RenameStmt& node) {
  const std::string to(view(node.newname));
  const std::string_view part = view(node.subname);
  const std::string name = node.relation == nullptr
                               ? std::string()
                               : catalog_.relation(qualified(*node.relation));
  const auto found = catalog_.table(name);
  switch (node.rename_type) {
    case PG_QUERY__OBJECT_TYPE__OBJECT_INDEX:
      for (Table& table : catalog_.schema.tables)
        rename_constraint(table, name, to);
      catalog_.constraint_names.insert(to);
      return;
    case PG_QUERY__OBJECT_TYPE__OBJECT_SEQUENCE:
      if (catalog_.sequence_ids.contains(name)) give_name(name, to);
      return;
    case PG_QUERY__OBJECT_TYPE__OBJECT_TABLE:
    case PG_QUERY__OBJECT_TYPE__OBJECT_COLUMN:
    case PG_QUERY__OBJECT_TYPE__OBJECT_TABCONSTRAINT: break;
    case PG_QUERY__OBJECT_TYPE__OBJECT_TRIGGER:
      for (TriggerText& text : catalog_.triggers)
        if (found && text.table == *found && text.trigger.name == part)
          text.trigger.name = to;
      return;
    case PG_QUERY__OBJECT_TYPE__OBJECT_TYPE:
    case PG_QUERY__OBJECT_TYPE__OBJECT_DOMAIN: {
      const PgQuery__List& words = *node.object->list;
      const std::string key =
          catalog_.relation(qualified(list(words.n_items, words.items)));
      if (catalog_.types.contains(key)) give_name(key, to);
      return;
    }
    case PG_QUERY__OBJECT_TYPE__OBJECT_VIEW: {
      if (!catalog_.views.contains(name)) return;
      if (catalog_.views.size() == 1) return give_name(name, to);
      // Another view may have been written with the old name.
      source_.unsupported(tree_.whole(), "RENAME of one of several views is");
    }
    case PG_QUERY__OBJECT_TYPE__OBJECT_FUNCTION:
    case PG_QUERY__OBJECT_TYPE__OBJECT_PROCEDURE:
    case PG_QUERY__OBJECT_TYPE__OBJECT_ROUTINE: {
      const PgQuery__ObjectWithArgs& given = *node.object->object_with_args;
      const std::string key =
          catalog_.routine_key(qualified(list(given.n_objname, given.objname)));
      const std::size_t count = catalog_.routines_named(key).size();
      if (count > 1)
        source_.unsupported(tree_.whole(),
                            "RENAME of one of several routines is");
      if (count == 1) rename_routine(catalog_, key, to);
      return;
    }
    case PG_QUERY__OBJECT_TYPE__OBJECT_POLICY:
    case PG_QUERY__OBJECT_TYPE__OBJECT_ROLE:
    case PG_QUERY__OBJECT_TYPE__OBJECT_DATABASE: return;
    default: source_.unsupported(tree_.whole(), "this RENAME is");
  }
  // A view is kept as it was written, with the old names.
  if (!catalog_.views.empty())
    source_.unsupported(tree_.whole(), "RENAME in a file with views is");
  if (!found && (node.missing_ok || catalog_.broken.contains(name))) return;
  if (!found && catalog_.is_elsewhere(name))
    source_.gap(tree_.whole(), "unknown table '" + name + "'");
  if (!found) {
    source_.fail(tree_.dotted_name(node.relation->location),
                 "unknown table '" + name + "'",
                 hint_among(name, catalog_.table_names(), "tables"));
  }
  Table& table = catalog_.schema.tables[found->index];
  if (node.rename_type == PG_QUERY__OBJECT_TYPE__OBJECT_TABLE) {
    give_name(name, to);
    return;
  }
  if (node.rename_type == PG_QUERY__OBJECT_TYPE__OBJECT_TABCONSTRAINT) {
    rename_constraint(table, part, to);
    catalog_.constraint_names.insert(to);
    return;
  }
  const auto column = column_of(table, part);
  if (!column) {
    source_.fail(tree_.whole(),
                 "'" + name + "' has no column '" + std::string(part) + "'",
                 hint_among(part, column_names(table), "columns"));
  }
  if (column_of(table, to))
    source_.fail(tree_.whole(),
                 "'" + name + "' has a column '" + to + "' already");
  table.columns[*column].name = to;
}

}  // namespace txscope::sql
