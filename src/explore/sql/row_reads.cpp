#include "explore/sql/row_reads.h"

#include "exec/sql/value/compare.h"

namespace txscope::explore {

std::optional<std::int64_t> RowReads::read(const Universe::Entry& entry) {
  if (!entry.open) return entry.initial;
  const std::int64_t version = known_[entry.open->index];
  if (version != kUnknown) return version;
  wanted_.push_back(*entry.open);
  return std::nullopt;
}

bool RowReads::scan(const sql::Access& access, const OnRow& on_row) {
  const auto entries = universe_.keys(access.table);
  const auto [begin, end] = range(access);
  std::vector<std::pair<std::size_t, std::int64_t>> found;
  for (std::size_t i = begin; i < end; ++i) {
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

/// One key if the whole of it is given, else all.
std::pair<std::size_t, std::size_t> RowReads::range(
    const sql::Access& access) const {
  std::vector<std::uint32_t> columns;
  sql::Row values;
  for (const auto& [column, value] : access.equal) {
    columns.push_back(column);
    values.push_back(value);
  }
  const auto key = universe_.whole_key(access.table, columns, values);
  if (!key) return {0, universe_.keys(access.table).size()};
  const auto at = universe_.find(access.table, *key);
  return at ? std::pair(*at, *at + 1) : std::pair<std::size_t, std::size_t>();
}

bool RowReads::is_open(const sql::Access& access, const sql::Row& key) const {
  const sql::Table& table = universe_.schema().at(access.table);
  if (!table.has_primary_key) return true;
  const auto& columns = table.unique.front().columns;
  for (const auto& [column, value] : access.equal) {
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (columns[i] == column && compare(key[i], value) != 0) return false;
    }
  }
  return !access.may_match || access.may_match(key);
}

}  // namespace txscope::explore
