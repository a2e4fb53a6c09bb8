// DROP: what later statements do not find any more.

#include <algorithm>

#include "read/sql/file/reader.h"
#include "read/sql/schema/schema_reader.h"

namespace txscope::sql {

void FileReader::drop(const Tree& tree, const PgQuery__DropStmt& node) {
  const bool is_table = node.remove_type == PG_QUERY__OBJECT_TYPE__OBJECT_TABLE;
  const bool is_routine =
      node.remove_type == PG_QUERY__OBJECT_TYPE__OBJECT_FUNCTION ||
      node.remove_type == PG_QUERY__OBJECT_TYPE__OBJECT_PROCEDURE ||
      node.remove_type == PG_QUERY__OBJECT_TYPE__OBJECT_ROUTINE;
  for (const Node* object : list(node.n_objects, node.objects)) {
    QualifiedName name;
    if (object->node_case == PG_QUERY__NODE__NODE_LIST) {
      name = qualified(list(object->list->n_items, object->list->items));
    } else if (object->node_case == PG_QUERY__NODE__NODE_OBJECT_WITH_ARGS) {
      const PgQuery__ObjectWithArgs& routine = *object->object_with_args;
      name = qualified(list(routine.n_objname, routine.objname));
    }
    if (is_routine) drop_routine(tree, *object, catalog_.routine_key(name));
    if (is_table) drop_table(tree, catalog_.relation(name));
  }
  if (node.remove_type == PG_QUERY__OBJECT_TYPE__OBJECT_TRIGGER) {
    drop_trigger(node);
  }
  ++left_out_["DROP"];
}

/// Its rows go, and what refers to it; its place in the schema stays.
void FileReader::drop_table(const Tree& tree, std::string_view name) {
  catalog_.broken.erase(std::string(name));
  const auto id = catalog_.table(name);
  if (!id) return;
  Table& table = catalog_.schema.tables[id->index];
  Delete all;
  all.target.name = table.name;
  all.target.table = *id;
  all.target.columns = static_cast<std::uint32_t>(table.columns.size());
  all.target.at = tree.whole();
  DbStatement statement;
  statement.at = tree.whole();
  statement.what = std::move(all);
  application_.setup.push_back(std::move(statement));
  for (Table& other : catalog_.schema.tables) {
    std::erase_if(other.foreign,
                  [&](const ForeignKey& key) { return key.parent == *id; });
  }
  auto& taken = catalog_.constraint_names;
  for (const UniqueKey& key : table.unique) taken.erase(key.name);
  for (const UniqueKey& key : table.partial) taken.erase(key.name);
  for (const ForeignKey& key : table.foreign) taken.erase(key.name);
  for (const Check& check : table.checks) taken.erase(check.name);
  table.foreign.clear();
  table.name += " (dropped)";
  catalog_.table_ids.erase(std::string(name));
  catalog_.relation_names.remove(name);
  catalog_.obstacles.erase(id->index);
  std::erase_if(catalog_.triggers,
                [&](const TriggerText& t) { return t.table == *id; });
  application_.load.push_back(tree.whole());
}

/// Those of this name, and with the parameters that are given if any are; and
/// their triggers.
void FileReader::drop_routine(const Tree& tree, const Node& object,
                              std::string_view name) {
  const PgQuery__ObjectWithArgs& named = *object.object_with_args;
  std::vector<Type> types;
  for (const Node* item : list(named.n_objargs, named.objargs)) {
    if (item->node_case != PG_QUERY__NODE__NODE_TYPE_NAME) continue;
    try {
      types.push_back(bare(routine_type(tree, catalog_, *item->type_name)));
    } catch (const Failure&) {
      return;  // of a type that no routine here has
    }
  }
  for (const Signature* routine : catalog_.routines_named(name)) {
    if (!named.args_unspecified && input_types(*routine) != types) continue;
    // Nobody finds it by its name from here on; rows before may be its work.
    const std::string gone = routine->name;
    const bool is_trigger = routine->is_trigger;
    catalog_.routines[routine->id.index].is_dropped = true;
    catalog_.forget_routine(routine->id);
    application_.load.push_back(tree.whole());
    if (!is_trigger) continue;
    std::erase_if(catalog_.triggers,
                  [&](const TriggerText& t) { return t.function == gone; });
  }
}

void FileReader::drop_trigger(const PgQuery__DropStmt& node) {
  for (const Node* object : list(node.n_objects, node.objects)) {
    const PgQuery__List& parts = *object->list;
    if (parts.n_items == 1) {  // MySQL's have names of their own
      const std::string name(string_of(parts.items[0]));
      std::erase_if(catalog_.triggers, [&](const TriggerText& t) {
        return t.trigger.name == name;
      });
      if (const Signature* made = catalog_.routine(name)) {
        catalog_.routines[made->id.index].is_dropped = true;
        catalog_.forget_routine(made->id);
      }
      continue;
    }
    if (parts.n_items < 2) continue;
    const auto table = catalog_.table(
        catalog_.relation(qualified(list(parts.n_items - 1, parts.items))));
    if (!table) continue;
    const std::string what =
        "the trigger '" +
        std::string(string_of(parts.items[parts.n_items - 1])) + "'";
    std::erase_if(catalog_.obstacles[table->index],
                  [&](const Obstacle& o) { return o.what == what; });
    const std::string_view name = string_of(parts.items[parts.n_items - 1]);
    std::erase_if(catalog_.triggers, [&](const TriggerText& t) {
      return t.table == *table && t.trigger.name == name;
    });
  }
}

}  // namespace txscope::sql
