// CREATE INDEX and EXCLUDE: keys that may hold more than columns.

#include <algorithm>

#include "base/suggest.h"
#include "read/sql/schema/schema_reader.h"
#include "read/sql/schema/types.h"

namespace txscope::sql {
namespace {

void sort_columns(std::vector<std::uint32_t>& columns) {
  std::sort(columns.begin(), columns.end());
  columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
}

/// PostgreSQL's operators of EXCLUDE, as far as they are followed.
std::optional<KeyPart::With> operator_of(std::string_view name) {
  if (name == "=") return KeyPart::With::Equal;
  if (name == "<>") return KeyPart::With::NotEqual;
  if (name == "&&") return KeyPart::With::Overlaps;
  return std::nullopt;
}

}  // namespace

/// What makes the name of an index that has none.
std::string SchemaReader::name_of(const PgQuery__IndexElem& element,
                                  std::vector<std::string>& before) {
  std::string name(view(element.name));
  if (name.empty()) name = title_of(*element.expr);
  if (name.empty()) name = "expr";
  std::string free = name;
  for (int i = 1; std::find(before.begin(), before.end(), free) != before.end();
       ++i) {
    free = name + std::to_string(i);
  }
  before.push_back(free);
  return free;
}

void SchemaReader::add_part(const PgQuery__IndexElem& element, Span at,
                            const Table& table, TableId id, KeyPart::With with,
                            UniqueKey& key) {
  const std::string_view name = view(element.name);
  KeyPart part;
  part.with = with;
  if (name.empty()) {
    Analyzer analyzer(tree_, catalog_, nullptr);
    part.value = decided(source_, analyzer.of_row(*element.expr, &table, id));
    if (has_subquery_or_call(part.value))
      source_.unsupported(part.value.at,
                          "a user-defined function in an index is");
    collect_columns(part.value, key.columns);
  } else {
    const auto number = column_of(table, name);
    if (!number) {
      source_.fail(
          at, "'" + table.name + "' has no column '" + std::string(name) + "'",
          hint_among(name, column_names(table), "columns"));
    }
    part.value.op = Op::Column;
    part.value.index = *number;
    part.value.type = table.columns[*number].type;
    part.value.at = at;
    key.columns.push_back(*number);
  }
  key.parts.push_back(std::move(part));
}

void SchemaReader::add_condition(const Node* where, const Table& table,
                                 TableId id, UniqueKey& key) {
  if (where == nullptr) return;
  Analyzer analyzer(tree_, catalog_, nullptr);
  Expr condition = analyzer.of_row(*where, &table, id);
  if (!converts(condition.type, kBoolean)) {
    source_.fail(condition.at, "the condition of an index must be boolean");
  }
  if (has_subquery_or_call(condition))
    source_.unsupported(condition.at, "a user-defined function in an index is");
  collect_columns(condition, key.condition_columns);
  sort_columns(key.condition_columns);
  key.where = convert(source_, std::move(condition), kBoolean);
}

void SchemaReader::create_index(const PgQuery__IndexStmt& node) {
  const Span at = tree_.dotted_name(node.relation->location);
  const std::string name = catalog_.relation(qualified(*node.relation));
  const auto found = catalog_.table(name);
  const bool has_no_rows =
      catalog_.broken.contains(name) || catalog_.views.contains(name);
  if (!found && has_no_rows) return;
  if (!found && catalog_.is_elsewhere(name))
    source_.gap(at, "unknown table '" + name + "'");
  if (!found) {
    source_.fail(at, "unknown table '" + name + "'",
                 hint_among(name, catalog_.table_names(), "tables"));
  }
  Table& table = catalog_.schema.tables[found->index];
  UniqueKey key;
  std::string made_name = catalog_.relation_names.plain(name);
  std::vector<std::string> names;
  const auto elements = list(node.n_index_params, node.index_params);
  const bool has_expressions = std::any_of(
      elements.begin(), elements.end(),
      [](const Node* item) { return view(item->index_elem->name).empty(); });
  try {
    add_condition(node.where_clause, table, *found, key);
    for (const Node* item : elements) {
      made_name += "_" + name_of(*item->index_elem, names);
      add_part(*item->index_elem, at, table, *found, KeyPart::With::Equal, key);
    }
  } catch (const Failure& failure) {
    if (!failure.is_gap && !has_expressions) throw;
    // It matters where a row is written, not before.
    if (!node.unique) return;
    obstacle({"the unique index (" + failure.error.what + ")",
              at,
              true,
              true,
              false,
              {}});
    keep_obstacles(*found);
    return;
  }
  if (!has_expressions) key.parts.clear();
  if (!node.unique) {
    // One on a condition or an expression is no index that InnoDB has.
    auto& watched = table.watched;
    if (key.is_partial()) {
      for (const auto* columns : {&key.columns, &key.condition_columns})
        watched.insert(watched.end(), columns->begin(), columns->end());
      sort_columns(watched);
    } else {
      table.indexes.push_back(std::move(key.columns));
    }
    return;
  }
  if (node.nulls_not_distinct) {
    obstacle({.what = "NULLS NOT DISTINCT", .at = at, .on_delete = false});
    keep_obstacles(*found);
    return;
  }
  if (has_expressions) sort_columns(key.columns);
  key.name = view(node.idxname);
  if (key.name.empty()) key.name = made_name + "_idx";
  (key.is_partial() ? table.partial : table.unique).push_back(std::move(key));
}

void SchemaReader::add_exclusion(const PgQuery__Constraint& node) {
  const Span at = tree_.at(node.location);
  UniqueKey key;
  key.is_exclusion = true;
  std::string label;
  std::vector<std::string> names;
  if (node.deferrable || node.initdeferred) {
    obstacle(
        {.what = "the DEFERRABLE constraint", .at = at, .on_delete = false});
    return;
  }
  try {
    for (const Node* item : list(node.n_exclusions, node.exclusions)) {
      const PgQuery__List& pair = *item->list;
      const PgQuery__IndexElem& element = *pair.items[0]->index_elem;
      const PgQuery__List& op = *pair.items[1]->list;
      const std::string_view name = string_of(op.items[op.n_items - 1]);
      const auto with = operator_of(name);
      if (!with) {
        source_.unsupported(at, "EXCLUDE WITH " + std::string(name) + " is",
                            "compared is with =, <> and &&");
      }
      label += name_of(element, names) + "_";
      add_part(element, at, table_, id_, *with, key);
      const Type& type = key.parts.back().value.type;
      if (*with == KeyPart::With::Overlaps && type.name != TypeName::Range) {
        source_.unsupported(at, "EXCLUDE WITH && of " + to_string(type) + " is",
                            "compared are ranges");
      }
    }
    add_condition(node.where_clause, table_, id_, key);
  } catch (const Failure& failure) {
    obstacle({"the EXCLUDE constraint (" + failure.error.what + ")",
              at,
              true,
              true,
              false,
              {}});
    return;
  }
  sort_columns(key.columns);
  key.name = free_name(node.conname, {}, label + "excl");
  table_.partial.push_back(std::move(key));
}

}  // namespace txscope::sql
