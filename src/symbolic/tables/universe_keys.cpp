#include "symbolic/tables/universe_keys.h"

#include <algorithm>

#include "exec/sql/value/compare.h"

namespace txscope::symbolic {

KeyUniverse::KeyUniverse(const sql::Schema& schema,
                         const sql::MemoryDatabase& initial) {
  tables_.resize(schema.tables.size());
  hidden_.resize(schema.tables.size());
  for (std::size_t i = 0; i < tables_.size(); ++i) {
    const sql::Table& table = schema.tables[i];
    for (const sql::Row& row : initial.rows(TableId(i))) {
      sql::Row key;
      if (table.has_primary_key) {
        for (const std::uint32_t c : table.unique.front().columns) {
          key.push_back(canonical(row[c]));
        }
      } else {
        key.push_back(
            sql::Value::integer(static_cast<std::int64_t>(hidden_[i]++)));
      }
      tables_[i].push_back({std::move(key), row, true});
    }
    std::sort(tables_[i].begin(), tables_[i].end(),
              [](const Entry& a, const Entry& b) { return a.key < b.key; });
  }
}

std::optional<std::size_t> KeyUniverse::find(TableId table,
                                             const sql::Row& key) const {
  const auto& rows = tables_[table.index];
  const auto at = std::find_if(rows.begin(), rows.end(),
                               [&](const Entry& e) { return e.key == key; });
  if (at == rows.end()) return std::nullopt;
  return static_cast<std::size_t>(at - rows.begin());
}

bool KeyUniverse::add(TableId table, const sql::Row& key) {
  if (find(table, key)) return false;
  auto& rows = tables_[table.index];
  rows.push_back({key, {}, false});
  std::sort(rows.begin(), rows.end(),
            [](const Entry& a, const Entry& b) { return a.key < b.key; });
  return true;
}

KeyId KeyUniverse::id(TableId table, std::size_t row) const {
  std::size_t at = row;
  for (std::size_t i = 0; i < table.index; ++i) at += tables_[i].size();
  return KeyId(at);
}

std::size_t KeyUniverse::size() const {
  std::size_t n = 0;
  for (const auto& rows : tables_) n += rows.size();
  return n;
}

}  // namespace txscope::symbolic
