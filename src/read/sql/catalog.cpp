#include "read/sql/catalog.h"

namespace txscope::sql {

std::optional<TableId> Catalog::table(std::string_view name) const {
  for (std::size_t i = 0; i < schema.tables.size(); ++i) {
    if (schema.tables[i].name == name) return TableId(i);
  }
  return std::nullopt;
}

const Signature* Catalog::routine(std::string_view name) const {
  for (const Signature& routine : routines) {
    if (routine.name == name) return &routine;
  }
  return nullptr;
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

}  // namespace txscope::sql
