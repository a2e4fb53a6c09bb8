#include "read/sql/catalog.h"

#include "base/suggest.h"

namespace txscope::sql {

std::vector<Type> input_types(const Signature& signature) {
  std::vector<Type> types;
  for (const Signature::Parameter& parameter : signature.parameters) {
    if (parameter.is_in) types.push_back(bare(parameter.type));
  }
  return types;
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
