#include "exec/sql/row_index.h"

#include "exec/sql/compare.h"
#include "exec/sql/row_keys.h"

namespace txscope::sql {

std::uint64_t RowIndex::hash_of(const Row& row, const Columns& columns) {
  std::uint64_t h = columns.size();
  for (const std::uint32_t c : columns)
    h = (h ^ canonical(row[c]).hash()) * 0x9e3779b97f4a7c15ull;
  return h;
}

void RowIndex::index(const Columns& columns,
                     const std::vector<Entry>& entries) {
  Map& map = maps_[columns];
  for (const Entry& entry : entries)
    if (!has_null(columns, *entry.row))
      map.emplace(hash_of(*entry.row, columns), entry);
}

void RowIndex::add(const Entry& entry) {
  for (auto& [columns, map] : maps_)
    if (!has_null(columns, *entry.row))
      map.emplace(hash_of(*entry.row, columns), entry);
}

void RowIndex::remove(const Entry& entry) {
  for (auto& [columns, map] : maps_) {
    auto [at, end] = map.equal_range(hash_of(*entry.row, columns));
    while (at != end && at->second.number != entry.number) ++at;
    if (at != end) map.erase(at);
  }
}

}  // namespace txscope::sql
