#include "read/sql/schema/catalog.h"

#include <algorithm>
#include <utility>

#include "base/suggest.h"
#include "read/sql/text/tree.h"

namespace txscope::sql {

std::vector<Type> input_types(const Signature& signature) {
  std::vector<Type> types;
  for (const Signature::Parameter& parameter : signature.parameters) {
    if (parameter.is_in) types.push_back(bare(parameter.type));
  }
  return types;
}

bool Catalog::is_elsewhere(std::string_view name) const {
  const std::string_view plain = name.substr(name.rfind('.') + 1);
  if (to_come.contains(std::string(plain))) return false;
  const std::vector<std::string> all(to_come.begin(), to_come.end());
  return nearest(plain, all).empty();
}

std::string Catalog::creation_schema(std::string_view given) const {
  if (!given.empty()) return std::string(given);
  for (const std::string& one : path)
    if (one != "$user" && one != "pg_catalog") return one;
  return "public";
}

std::int64_t Catalog::setting(std::string_view name) const {
  const auto found = std::find(settings.begin(), settings.end(), name);
  const auto number = found - settings.begin();
  if (found == settings.end()) settings.emplace_back(name);
  return number;
}

std::string Catalog::relation(const QualifiedName& name) const {
  return relation(name.schema, name.name);
}

std::string Catalog::routine_key(const QualifiedName& name) const {
  return routine_names.find(name.schema, name.name, path);
}

std::string Catalog::new_relation(std::string_view in, std::string_view name) {
  SchemaNames::Added added =
      relation_names.add(creation_schema(in), std::string(name));
  for (const auto& [from, to] : added.others) rename_relation(from, to);
  return added.key;
}

void Catalog::rename_relation(const std::string& from, const std::string& to) {
  const auto rename = [&](auto& map) {
    if (auto entry = map.extract(from)) {
      entry.key() = to;
      map.insert(std::move(entry));
    }
  };
  if (const auto id = table(from)) schema.tables[id->index].name = to;
  if (const auto id = sequence_ids.find(from); id != sequence_ids.end())
    schema.sequences[id->second].name = to;
  rename(table_ids);
  rename(sequence_ids);
  rename(types);
  rename(views);
  rename(broken);
}

void Catalog::move_relation(const std::string& key, const std::string& to) {
  const std::string plain = relation_names.plain(key);
  relation_names.remove(key);
  const std::string made = new_relation(to, plain);
  if (made != key) rename_relation(key, made);
}

std::string Catalog::new_routine(std::string_view in, std::string_view name) {
  SchemaNames::Added added =
      routine_names.add(creation_schema(in), std::string(name));
  for (const auto& [from, to] : added.others) {
    for (TriggerText& trigger : triggers)
      if (trigger.function == from) trigger.function = to;
    auto entry = routine_ids.extract(from);
    if (!entry) continue;
    entry.key() = to;
    for (const RoutineId id : entry.mapped()) routines[id.index].name = to;
    routine_ids.insert(std::move(entry));
  }
  return added.key;
}

std::string hint_of_schemas(const Catalog& catalog, std::string_view name) {
  const auto schemas = catalog.relation_names.schemas_of(name);
  if (schemas.size() < 2) return {};
  std::string all;
  for (const std::string& schema : schemas)
    all += (all.empty() ? "" : ", ") + schema + "." + std::string(name);
  return "there are " + all +
         "; name the schema, or say --@ search_path: " + schemas[0];
}

void Catalog::add_table(Table table) {
  table_ids.emplace(table.name, TableId(schema.tables.size()));
  schema.tables.push_back(std::move(table));
}

void Catalog::add_routine(Signature signature) {
  routine_ids[signature.name].push_back(signature.id);
  routines.push_back(std::move(signature));
}

std::optional<TableId> Catalog::table(std::string_view name) const {
  const auto found = table_ids.find(std::string(name));
  if (found == table_ids.end()) return std::nullopt;
  return found->second;
}

const Signature* Catalog::routine(std::string_view name) const {
  const auto found = routine_ids.find(std::string(name));
  return found == routine_ids.end() ? nullptr
                                    : &routines[found->second[0].index];
}

std::vector<const Signature*> Catalog::routines_named(
    std::string_view name) const {
  std::vector<const Signature*> all;
  const auto found = routine_ids.find(std::string(name));
  if (found == routine_ids.end()) return all;
  for (const RoutineId id : found->second) all.push_back(&routines[id.index]);
  return all;
}

std::vector<const Signature*> Catalog::all_named(std::string_view name) const {
  std::vector<const Signature*> all;
  for (const std::string& key : routine_names.keys_of(name))
    for (const Signature* routine : routines_named(key)) all.push_back(routine);
  return all;
}

void Catalog::forget_routine(RoutineId id) {
  const auto found = routine_ids.find(routines[id.index].name);
  if (found == routine_ids.end()) return;
  std::erase(found->second, id);
  if (found->second.empty()) routine_ids.erase(found);
}

const TypeAlias* Catalog::type(std::string_view name) const {
  const auto found = types.find(std::string(name));
  return found == types.end() ? nullptr : &found->second;
}

std::vector<std::string> Catalog::table_names() const {
  std::vector<std::string> names;
  for (const Table& table : schema.tables) names.push_back(table.name);
  return names;
}

std::optional<std::uint32_t> column_of(const Table& table,
                                       std::string_view name) {
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    if (table.columns[i].name == name) return static_cast<std::uint32_t>(i);
  }
  return std::nullopt;
}

std::vector<std::string> column_names(const Table& table) {
  std::vector<std::string> names;
  for (const Column& column : table.columns) names.push_back(column.name);
  return names;
}

std::string hint_among(std::string_view word,
                       const std::vector<std::string>& candidates,
                       std::string_view what) {
  constexpr std::size_t kMost = 12;
  std::string hint = suggestion(word, candidates);
  if (!hint.empty() || what.empty() || candidates.empty() ||
      candidates.size() > kMost) {
    return hint;
  }
  hint = "the " + std::string(what) + " are ";
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    hint += (i == 0 ? "" : ", ") + candidates[i];
  }
  return hint;
}

}  // namespace txscope::sql
