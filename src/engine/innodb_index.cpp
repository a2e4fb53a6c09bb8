#include "engine/innodb_index.h"

#include <algorithm>

#include "engine/versioned_statement.h"
#include "exec/sql/compare.h"

namespace txscope::engine {
namespace {

// An entry of an index, and whose it is.
struct Entry {
  sql::Row key;
  std::size_t record = 0;
};

// Every entry that is in the index now, of rows that are not committed, too.
std::vector<Entry> entries_of(const sql::Table& table, const TableState& state,
                              const IndexShape& index) {
  std::vector<Entry> entries;
  for (std::size_t i = 0; i < state.records.size(); ++i) {
    const Record& record = state.records[i];
    const auto add = [&](const StoredRow* row) {
      if (row == nullptr) return;
      Entry entry{entry_of(table, index, row->row), i};
      if (!entries.empty() && entries.back().record == i &&
          compare_entries(entries.back().key, entry.key) == 0) {
        return;
      }
      entries.push_back(std::move(entry));
    };
    add(record.committed());
    if (record.pending.exists()) add(record.pending.row);
    for (const Pending::Layer& layer : record.pending.below) add(layer.row);
  }
  std::stable_sort(entries.begin(), entries.end(),
                   [](const Entry& a, const Entry& b) {
                     return compare_entries(a.key, b.key) < 0;
                   });
  return entries;
}

// The values that an access gives for the first columns of an index.
sql::Row prefix_of(const sql::Access& access, const IndexShape& index) {
  sql::Row prefix;
  for (const std::uint32_t column : index.columns) {
    const auto found =
        std::find_if(access.equal.begin(), access.equal.end(),
                     [&](const auto& pair) { return pair.first == column; });
    if (found == access.equal.end()) break;
    prefix.push_back(found->second);
  }
  return prefix;
}

void add_place(Path& path, const std::vector<Entry>& entries, std::size_t i,
               bool locks_gap) {
  path.places.push_back({entries[i].record, locks_gap});
  path.entries.push_back(entries[i].key);
  path.before.push_back(i == 0 ? sql::Row() : entries[i - 1].key);
}

void lock_behind(Path& path, const std::vector<Entry>& entries,
                 std::size_t next) {
  path.locks_behind = true;
  if (next > 0) path.last = entries[next - 1].key;
  if (next < entries.size()) path.behind = entries[next].key;
}

// All entries that begin with these values.
Path by_prefix(const std::vector<Entry>& entries, const IndexShape& index,
               const sql::Row& prefix) {
  Path path;
  path.is_point = index.is_unique && prefix.size() == index.columns.size();
  std::size_t i = 0;
  while (i < entries.size() && compare_entries(entries[i].key, prefix) < 0) ++i;
  bool is_found = false;
  for (; i < entries.size() && compare_entries(entries[i].key, prefix) == 0;
       ++i) {
    // Of the primary key a full match is locked alone.
    add_place(path, entries, i, !(path.is_point && index.is_primary));
    is_found = true;
  }
  if (!path.is_point || !is_found) lock_behind(path, entries, i);
  return path;
}

// Where a range is looked up in an index other than the primary key, rows cost
// more; with more than these MariaDB reads the whole table instead.
constexpr std::size_t kMaxRowsByIndex = 3;

// A range of the first column.  The scan begins behind the lower bound and ends
// at the first entry beyond the upper one, which it has looked at, too.
Path by_range(const std::vector<Entry>& entries, const IndexShape& index,
              const ColumnRange& range) {
  Path path;
  std::size_t i = 0;
  const auto is_below = [&](const sql::Value& value) {  // NULL is below all
    return value.is_null() || (!range.contains(value) && range.low &&
                               sql::compare(value, *range.low) <= 0);
  };
  while (i < entries.size() && is_below(entries[i].key[0])) ++i;
  for (; i < entries.size() && range.contains(entries[i].key[0]); ++i) {
    const bool is_start = range.low && range.has_low && index.is_primary &&
                          index.columns.size() == 1 &&
                          sql::compare(entries[i].key[0], *range.low) == 0;
    add_place(path, entries, i, !is_start);
  }
  if (i < entries.size()) {
    add_place(path, entries, i, true);
    path.places.back().is_beyond = true;
  } else {
    lock_behind(path, entries, i);
  }
  return path;
}

// IN (...): one lookup after the other.
Path by_points(const std::vector<Entry>& entries, const IndexShape& index,
               const ColumnRange& range) {
  Path path;
  std::vector<sql::Value> points = range.points;
  std::sort(points.begin(), points.end(),
            [](const sql::Value& a, const sql::Value& b) {
              return sql::compare(a, b) < 0;
            });
  for (const sql::Value& point : points) {
    Path one = by_prefix(entries, index, {point});
    for (std::size_t i = 0; i < one.places.size(); ++i) {
      path.places.push_back(one.places[i]);
      path.entries.push_back(std::move(one.entries[i]));
      path.before.push_back(std::move(one.before[i]));
    }
  }
  return path;
}

Path all_of(const std::vector<Entry>& entries) {
  Path path;
  for (std::size_t i = 0; i < entries.size(); ++i)
    add_place(path, entries, i, true);
  lock_behind(path, entries, entries.size());
  return path;
}

}  // namespace

std::vector<IndexShape> indexes_of(const sql::Table& table) {
  std::vector<IndexShape> indexes;
  for (std::size_t k = 0; k < table.unique.size(); ++k) {
    indexes.push_back(
        {table.unique[k].columns, true, k == 0 && table.has_primary_key});
  }
  for (const auto& columns : table.indexes)
    indexes.push_back({columns, false, false});
  for (const sql::ForeignKey& key : table.foreign) {
    const bool is_served = std::any_of(
        indexes.begin(), indexes.end(), [&](const IndexShape& index) {
          return index.columns.size() >= key.columns.size() &&
                 std::equal(key.columns.begin(), key.columns.end(),
                            index.columns.begin());
        });
    if (!is_served) indexes.push_back({key.columns, false, false});
  }
  return indexes;
}

std::uint8_t place_of(const IndexShape& index, std::size_t i) {
  if (index.is_primary) return 1;
  return static_cast<std::uint8_t>(2u << std::min<std::size_t>(i, 6));
}

sql::Row entry_of(const sql::Table& table, const IndexShape& index,
                  const sql::Row& row) {
  sql::Row entry;
  for (const std::uint32_t c : index.columns) entry.push_back(row[c]);
  if (index.is_primary) return entry;
  if (!table.has_primary_key) {
    entry.insert(entry.end(), row.begin(), row.end());
    return entry;
  }
  for (const std::uint32_t c : table.unique.front().columns)
    entry.push_back(row[c]);
  return entry;
}

int compare_entries(const sql::Row& a, const sql::Row& b) {
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    if (a[i].is_null() != b[i].is_null()) return a[i].is_null() ? -1 : 1;
    if (a[i].is_null()) continue;
    if (const int order = sql::compare(a[i], b[i]); order != 0) return order;
  }
  return 0;
}

bool ColumnRange::contains(const sql::Value& value) const {
  if (value.is_null()) return false;
  if (!points.empty()) {
    return std::any_of(points.begin(), points.end(), [&](const auto& point) {
      return sql::compare(value, point) == 0;
    });
  }
  if (low) {
    const int order = sql::compare(value, *low);
    if (order < 0 || (order == 0 && !has_low)) return false;
  }
  if (high) {
    const int order = sql::compare(value, *high);
    if (order > 0 || (order == 0 && !has_high)) return false;
  }
  return true;
}

bool has_all_columns(const sql::Table& table, const IndexShape& index) {
  if (index.is_primary || !table.has_primary_key) return false;
  const auto& key = table.unique.front().columns;
  for (std::uint32_t c = 0; c < table.columns.size(); ++c) {
    if (std::count(index.columns.begin(), index.columns.end(), c) == 0 &&
        std::count(key.begin(), key.end(), c) == 0) {
      return false;
    }
  }
  return true;
}

Path choose_path(const sql::Table& table, const TableState& state,
                 const sql::Access& access,
                 const std::vector<ColumnRange>& ranges, bool is_read) {
  const std::vector<IndexShape> indexes = indexes_of(table);
  std::size_t best = indexes.size();
  std::size_t best_rank = 0;
  for (std::size_t i = 0; i < indexes.size(); ++i) {
    const std::size_t size = prefix_of(access, indexes[i]).size();
    if (size == 0) continue;
    const bool is_full = size == indexes[i].columns.size();
    const std::size_t rank =
        (is_full && indexes[i].is_unique ? 100 : 0) + (is_full ? 50 : 0) + size;
    if (rank > best_rank) {
      best = i;
      best_rank = rank;
    }
  }
  if (best < indexes.size()) {
    Path path = by_prefix(entries_of(table, state, indexes[best]),
                          indexes[best], prefix_of(access, indexes[best]));
    path.index = static_cast<std::uint32_t>(best);
    return path;
  }
  for (std::size_t i = 0; i < indexes.size(); ++i) {
    const auto range =
        std::find_if(ranges.begin(), ranges.end(), [&](const ColumnRange& r) {
          return r.column == indexes[i].columns.front();
        });
    if (range == ranges.end()) continue;
    const std::vector<Entry> entries = entries_of(table, state, indexes[i]);
    const auto count = static_cast<std::size_t>(std::count_if(
        entries.begin(), entries.end(),
        [&](const Entry& e) { return range->contains(e.key[0]); }));
    if (!indexes[i].is_primary && count > kMaxRowsByIndex) continue;
    Path path = range->points.empty() ? by_range(entries, indexes[i], *range)
                                      : by_points(entries, indexes[i], *range);
    path.index = static_cast<std::uint32_t>(i);
    return path;
  }
  for (std::size_t i = 0; is_read && i < indexes.size(); ++i) {
    if (!has_all_columns(table, indexes[i])) continue;
    Path path = all_of(entries_of(table, state, indexes[i]));
    path.index = static_cast<std::uint32_t>(i);
    return path;
  }
  const IndexShape whole{{}, false, false};
  const std::vector<Entry> entries =
      entries_of(table, state, table.has_primary_key ? indexes.front() : whole);
  return all_of(entries);
}

Path path_to_end(const sql::Table& table, const TableState& state,
                 std::uint32_t index, const ColumnRange& range, bool is_max,
                 const std::function<bool(std::size_t record)>& is_there) {
  const IndexShape shape = indexes_of(table)[index];
  Path all = by_range(entries_of(table, state, shape), shape, range);
  all.index = index;
  const auto ends = [&](std::size_t i) {
    return !all.places[i].is_beyond && is_there(all.places[i].record);
  };
  Path path;
  path.index = index;
  const auto take = [&](std::size_t i) {
    path.places.push_back(all.places[i]);
    path.entries.push_back(all.entries[i]);
    path.before.push_back(all.before[i]);
  };
  if (is_max) {
    path.locks_behind = all.locks_behind;
    path.last = all.last;
    path.behind = all.behind;
    for (std::size_t i = all.places.size(); i-- > 0;) {
      take(i);
      if (ends(i)) break;
    }
    return path;
  }
  for (std::size_t i = 0; i < all.places.size(); ++i) {
    take(i);
    if (ends(i)) return path;
  }
  path.locks_behind = all.locks_behind;
  path.last = all.last;
  path.behind = all.behind;
  return path;
}

}  // namespace txscope::engine
