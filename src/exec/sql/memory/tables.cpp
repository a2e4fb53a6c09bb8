#include "exec/sql/memory/tables.h"

#include <algorithm>
#include <cassert>

#include "exec/sql/value/compare.h"

namespace txscope::sql {

int compare_columns(const Row& a, const Columns& in_a, const Row& b,
                    const Columns& in_b) {
  for (std::size_t i = 0; i < in_a.size(); ++i) {
    const Value& x = a[in_a[i]];
    const Value& y = b[in_b[i]];
    if (x.is_null() || y.is_null()) {
      if (x.is_null() != y.is_null()) return x.is_null() ? -1 : 1;
      continue;
    }
    if (const int order = compare(x, y); order != 0) return order;
  }
  return 0;
}

namespace {

/// The first place at which the entry's key, or number, is not before it.
auto place_of(const Table& table, std::span<const TableRows::Entry> entries,
              const TableRows::Entry& entry) {
  return std::partition_point(
      entries.begin(), entries.end(), [&](const TableRows::Entry& e) {
        if (!table.has_primary_key) return e.number < entry.number;
        const Columns& key = table.unique[0].columns;
        return compare_columns(*e.row, key, *entry.row, key) < 0;
      });
}

}  // namespace

void TableRows::add(const Table& table, Entry entry) {
  if (index.use_count() > 1) index.reset();
  if (index != nullptr) index->add(entry);
  const std::span<const Entry> all = entries;
  const auto place = place_of(table, all, entry) - all.begin();
  entries.insert(entries.begin() + place, std::move(entry));
}

// While a statement runs two rows may have one key.
void TableRows::remove(const Table& table, const Entry& entry) {
  if (index.use_count() > 1) index.reset();
  if (index != nullptr) index->remove(entry);
  const std::span<const Entry> all = entries;
  auto place = place_of(table, all, entry);
  while (place != all.end() && place->number != entry.number) ++place;
  assert(place != all.end() && "what is removed is there");
  entries.erase(entries.begin() + (place - all.begin()));
}

std::span<const TableRows::Entry> TableRows::like(
    const Table& table, const Columns& columns, const Row& like,
    const Columns& in_like) const {
  const std::span<const Entry> all = entries;
  if (!table.has_primary_key || columns != table.unique[0].columns) return all;
  const auto order = [&](const Entry& entry) {
    return compare_columns(*entry.row, columns, like, in_like);
  };
  const auto first = std::partition_point(
      all.begin(), all.end(), [&](const Entry& e) { return order(e) < 0; });
  const auto last = std::partition_point(
      first, all.end(), [&](const Entry& e) { return order(e) == 0; });
  return {first, last};
}

void TableRows::scan(const Table& table, const Access& access,
                     const Store::OnRow& on_row) const {
  auto first = entries.begin();
  auto last = entries.end();
  if (table.has_primary_key && !access.equal.empty()) {
    // The first column of the key narrows the range.
    const std::uint32_t column = table.unique[0].columns[0];
    for (const auto& [c, value] : access.equal) {
      if (c != column) continue;
      const Value& v = value;
      first = std::partition_point(first, last, [&](const Entry& entry) {
        return compare((*entry.row)[column], v) < 0;
      });
      last = std::partition_point(first, last, [&](const Entry& entry) {
        return compare((*entry.row)[column], v) == 0;
      });
    }
  }
  for (; first != last; ++first)
    on_row({access.table, first->number}, *first->row);
}

}  // namespace txscope::sql
