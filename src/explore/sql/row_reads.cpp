#include "explore/sql/row_reads.h"

#include "exec/sql/compare.h"

namespace txscope::sql {

std::optional<std::int64_t> RowReads::read(const Universe::Entry& entry) {
  if (!entry.open) return entry.initial;
  const std::int64_t version = known_[entry.open->index];
  if (version != kUnknown) return version;
  wanted_.push_back(*entry.open);
  return std::nullopt;
}

bool RowReads::scan(const Access& access, const OnRow& on_row) {
  const auto entries = universe_.keys(access.table);
  std::vector<std::pair<std::size_t, std::int64_t>> found;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (!is_open(access, entries[i].key)) continue;
    const auto version = read(entries[i]);
    if (version.value_or(Universe::kAbsent) != Universe::kAbsent) {
      found.emplace_back(i, *version);
    }
  }
  if (!wanted_.empty()) return false;
  for (const auto& [i, version] : found) {
    on_row({access.table, i}, universe_.row(version));
  }
  return true;
}

bool RowReads::is_open(const Access& access, const Row& key) const {
  const Table& table = universe_.schema().at(access.table);
  if (!table.has_primary_key) return true;
  const auto& columns = table.unique.front().columns;
  for (const auto& [column, value] : access.equal) {
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (columns[i] == column && compare(key[i], value) != 0) return false;
    }
  }
  return !access.may_match || access.may_match(key);
}

}  // namespace txscope::sql
