#include "repair/parents.h"

namespace txscope::repair {
namespace {

/// A column that is called as a table is, or as its key: order_id, order.
bool is_called_after(const std::string& column, const std::string& table) {
  return column == table || column + "s" == table || column == table + "_id" ||
         (column.ends_with("_id") &&
          column.substr(0, column.size() - 3) + "s" == table);
}

}  // namespace

std::optional<Parent> parent_of(const sql::Schema& schema,
                                const sql::Table& child, std::uint32_t column) {
  for (const sql::ForeignKey& key : child.foreign)
    if (key.columns.size() == 1 && key.columns.front() == column) {
      const sql::Table& parent = schema.at(key.parent);
      return Parent{&parent, parent.columns[key.parent_columns.front()].name,
                    true};
    }
  const sql::Column& named = child.columns[column];
  for (const sql::Table& parent : schema.tables) {
    if (&parent == &child || !parent.has_primary_key ||
        parent.unique.front().columns.size() != 1)
      continue;
    const sql::Column& key = parent.columns[parent.unique.front().columns[0]];
    if (is_called_after(named.name, parent.name) &&
        key.type.name == named.type.name)
      return Parent{&parent, key.name, false};
  }
  return std::nullopt;
}

}  // namespace txscope::repair
