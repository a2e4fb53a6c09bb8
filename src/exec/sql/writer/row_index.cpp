#include "exec/sql/writer/row_index.h"

#include "exec/sql/value/compare.h"
#include "exec/sql/value/row_keys.h"

namespace txscope::sql {

RowIndex::Hash RowIndex::hash_of(const Row& row, const Columns& columns) {
  if (has_null(columns, row)) return std::nullopt;
  std::uint64_t h = columns.size();
  for (const std::uint32_t c : columns)
    h = (h ^ canonical(row[c]).hash()) * 0x9e3779b97f4a7c15ull;
  return h;
}

void RowIndex::index(const Columns& columns,
                     const std::vector<Entry>& entries) {
  Map map{[columns](const Row& row) { return hash_of(row, columns); }};
  for (const Entry& entry : entries) map.add(entry);
  maps_.insert_or_assign({columns, nullptr}, std::move(map));
}

void RowIndex::index(const UniqueKey& key, const std::vector<Entry>& entries,
                     std::function<Hash(const Row&)> hash_of) {
  Map map{std::move(hash_of)};
  for (const Entry& entry : entries) map.add(entry);
  maps_.insert_or_assign({{}, &key}, std::move(map));
}

void RowIndex::add(const Entry& entry) {
  for (auto& [by, map] : maps_) map.add(entry);
}

void RowIndex::remove(const Entry& entry) {
  for (auto& [by, map] : maps_) {
    const Hash hash = map.hash_of(*entry.row);
    if (!hash) continue;
    auto [at, end] = map.entries.equal_range(*hash);
    while (at != end && at->second.number != entry.number) ++at;
    if (at != end) map.entries.erase(at);
  }
}

}  // namespace txscope::sql
