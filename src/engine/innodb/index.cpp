#include "engine/innodb/index.h"

#include <algorithm>
#include <optional>

#include "engine/server/versioned_statement.h"
#include "exec/sql/value/compare.h"

namespace txscope::engine {
namespace {

// A change comes to one index after the other: there the old entry is marked
// first, then the new one is made.  Pending::entered counts both.
bool has_come_to(const IndexShape& index, const Pending& pending) {
  return index.is_clustered || !pending.is_fresh() ||
         pending.entered > 2 * index.number + 1;
}
bool is_marked_only(const IndexShape& index, const Pending& pending) {
  return !index.is_clustered && pending.is_fresh() &&
         pending.entered == 2 * index.number + 1;
}

// Texts that are equal by their collation have one key.
sql::Value in_key(const sql::Value& value) {
  if (value.kind() != sql::Kind::Text) return value;
  return sql::canonical(value).collated(
      static_cast<std::uint16_t>(value.scale()));
}

int compare_values(const sql::Value& a, const sql::Value& b) {
  if (a.is_null() || b.is_null())
    return static_cast<int>(b.is_null()) - static_cast<int>(a.is_null());
  return sql::compare(a, b);
}

const StoredRow* before(const Record& record) {
  const auto& below = record.pending.below;
  return below.empty() ? record.committed() : below.back().row;
}

// Whatever of a record is in an index, the current row first.
std::vector<const StoredRow*> images_of(const IndexShape& index,
                                        const Record& record) {
  std::vector<const StoredRow*> images;
  const auto add = [&](const StoredRow* row) {
    if (row != nullptr) images.push_back(row);
  };
  const Pending& pending = record.pending;
  if (pending.exists() && has_come_to(index, pending)) add(pending.row);
  for (auto l = pending.below.rbegin(); l != pending.below.rend(); ++l)
    add(l->row);
  for (const StoredRow* row : pending.given_up) add(row);
  for (auto v = record.versions.rbegin(); v != record.versions.rend(); ++v)
    add(v->row);
  return images;
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

void add_place(Path& path, const IndexEntry& entry, bool locks_gap) {
  path.places.push_back({entry, true, locks_gap, false});
}

// The gap before the entry where a scan has ended.
void lock_behind(Path& path, const std::vector<IndexEntry>& entries,
                 std::size_t next) {
  Path::Place place;
  if (next < entries.size()) place.entry = entries[next];
  place.has_entry = false;
  place.locks_gap = true;
  path.places.push_back(place);
}

// All entries that begin with these values.
Path by_prefix(const std::vector<IndexEntry>& entries, const IndexShape& index,
               const sql::Row& prefix) {
  Path path;
  path.is_point = index.is_unique && prefix.size() == index.columns.size();
  std::size_t i = 0;
  while (i < entries.size() && compare_entries(entries[i].key, prefix) < 0) ++i;
  bool is_found = false;
  for (; i < entries.size() && compare_entries(entries[i].key, prefix) == 0;
       ++i) {
    // Of the primary key a full match is locked alone.
    add_place(path, entries[i], !(path.is_point && index.is_clustered));
    is_found |= index.is_clustered || !entries[i].is_deleted;
    if (path.is_point && is_found) return path;
  }
  lock_behind(path, entries, i);
  return path;
}

// Where a range is looked up in an index other than the primary key, rows cost
// more; with more than these MariaDB reads the whole table instead.
constexpr std::size_t kMaxRowsByIndex = 3;

// A range of the first column.  The scan begins behind the lower bound and ends
// at the first entry beyond the upper one, which it has looked at, too.
Path by_range(const std::vector<IndexEntry>& entries, const IndexShape& index,
              const ColumnRange& range) {
  Path path;
  std::size_t i = 0;
  const auto is_below = [&](const sql::Value& value) {  // NULL is below all
    return value.is_null() || (!range.contains(value) && range.low &&
                               sql::compare(value, *range.low) <= 0);
  };
  while (i < entries.size() && is_below(entries[i].key[0])) ++i;
  for (; i < entries.size() && range.contains(entries[i].key[0]); ++i) {
    const bool is_start = range.low && range.has_low && index.is_clustered &&
                          index.columns.size() == 1 &&
                          sql::compare(entries[i].key[0], *range.low) == 0;
    add_place(path, entries[i], !is_start);
  }
  if (i == entries.size()) {
    lock_behind(path, entries, i);
    return path;
  }
  // Those that are only marked are passed.
  do {
    add_place(path, entries[i], true);
    path.places.back().is_beyond = true;
  } while (entries[i].is_deleted && ++i < entries.size());
  if (i == entries.size()) lock_behind(path, entries, i);
  return path;
}

// IN (...): one lookup after the other.
Path by_points(const std::vector<IndexEntry>& entries, const IndexShape& index,
               const ColumnRange& range) {
  Path path;
  std::vector<sql::Value> points = range.points;
  std::sort(points.begin(), points.end(),
            [](const sql::Value& a, const sql::Value& b) {
              return sql::compare(a, b) < 0;
            });
  for (const sql::Value& point : points) {
    const Path one = by_prefix(entries, index, {point});
    path.places.insert(path.places.end(), one.places.begin(), one.places.end());
  }
  return path;
}

Path all_of(const std::vector<IndexEntry>& entries) {
  Path path;
  for (const IndexEntry& entry : entries) add_place(path, entry, true);
  lock_behind(path, entries, entries.size());
  return path;
}

/// Adds an entry that is not among those from `first` on.
void add_once(std::vector<IndexEntry>& entries, std::size_t first,
              IndexEntry entry) {
  const bool is_there =
      std::any_of(entries.begin() + static_cast<std::ptrdiff_t>(first),
                  entries.end(), [&](const IndexEntry& other) {
                    return compare_entries(other.key, entry.key) == 0;
                  });
  if (!is_there) entries.push_back(std::move(entry));
}

void sort_by_key(std::vector<IndexEntry>& entries) {
  std::stable_sort(entries.begin(), entries.end(),
                   [](const IndexEntry& a, const IndexEntry& b) {
                     return compare_entries(a.key, b.key) < 0;
                   });
}

}  // namespace

std::vector<IndexShape> indexes_of(const sql::Table& table) {
  std::vector<IndexShape> indexes;
  for (std::size_t k = 0; k < table.unique.size(); ++k) {
    indexes.push_back(
        {table.unique[k].columns, true, k == 0 && table.has_primary_key, 0});
  }
  for (const auto& columns : table.indexes) indexes.push_back({columns});
  for (const sql::ForeignKey& key : table.foreign) {
    const bool is_served = std::any_of(
        indexes.begin(), indexes.end(), [&](const IndexShape& index) {
          return index.columns.size() >= key.columns.size() &&
                 std::equal(key.columns.begin(), key.columns.end(),
                            index.columns.begin());
        });
    if (!is_served) indexes.push_back({key.columns});
  }
  if (!table.has_primary_key) indexes.push_back({{}, false, true, 0});
  for (std::size_t i = 0; i < indexes.size(); ++i)
    indexes[i].number = static_cast<std::uint8_t>(i);
  return indexes;
}

std::uint8_t clustered_index(const sql::Table& table) {
  if (table.has_primary_key) return 0;
  return static_cast<std::uint8_t>(indexes_of(table).size() - 1);
}

sql::Row place_of(const sql::Table& table, const TableState& state,
                  const sql::Row& row) {
  sql::Row place;
  if (table.has_primary_key) {
    for (const std::uint32_t c : table.unique.front().columns)
      place.push_back(in_key(row[c]));
    return place;
  }
  // The same row again comes behind the others.
  place = row;
  place.push_back(sql::Value::integer(0));
  for (std::int64_t n = 1;; ++n) {
    bool is_taken = false;
    state.records.for_each([&](std::size_t, const Record& record) {
      is_taken =
          is_taken || (record.place != nullptr && record.place->row == place);
    });
    if (!is_taken) return place;
    place.back() = sql::Value::integer(n);
  }
}

sql::Row entry_of(const IndexShape& index, const sql::Row& row,
                  const sql::Row& place) {
  if (index.is_clustered) return place;
  sql::Row entry;
  for (const std::uint32_t c : index.columns) entry.push_back(in_key(row[c]));
  entry.insert(entry.end(), place.begin(), place.end());
  return entry;
}

std::vector<IndexEntry> entries_of(const TableState& state,
                                   const IndexShape& index) {
  std::vector<IndexEntry> entries;
  state.records.for_each([&](std::size_t i, const Record& record) {
    const std::size_t first = entries.size();
    for (const StoredRow* image : images_of(index, record)) {
      IndexEntry entry{entry_of(index, image->row, record.place->row), i,
                       image != current_in(index, record)};
      add_once(entries, first, std::move(entry));
    }
  });
  sort_by_key(entries);
  return entries;
}

namespace {

// Whether an entry is before (negative), at or behind these first values.
int compare_with(const IndexShape& index, const sql::Row& row,
                 const sql::Row& place, const sql::Row& prefix) {
  for (std::size_t i = 0; i < prefix.size(); ++i) {
    const sql::Value& own =
        index.is_clustered ? place[i] : row[index.columns[i]];
    if (const int order = compare_values(own, prefix[i]); order != 0)
      return order;
  }
  return 0;
}

}  // namespace

std::vector<IndexEntry> entries_at(const TableState& state,
                                   const IndexShape& index,
                                   const sql::Row& prefix) {
  std::vector<IndexEntry> entries;
  std::optional<IndexEntry> next;
  state.records.for_each([&](std::size_t i, const Record& record) {
    const std::size_t first = entries.size();
    for (const StoredRow* image : images_of(index, record)) {
      const int order =
          compare_with(index, image->row, record.place->row, prefix);
      if (order < 0) continue;
      IndexEntry entry{entry_of(index, image->row, record.place->row), i,
                       image != current_in(index, record)};
      if (order > 0) {
        if (!next || compare_entries(entry.key, next->key) < 0)
          next = std::move(entry);
        continue;
      }
      add_once(entries, first, std::move(entry));
    }
  });
  sort_by_key(entries);
  if (next) entries.push_back(std::move(*next));
  return entries;
}

const StoredRow* current_in(const IndexShape& index, const Record& record) {
  const Pending& pending = record.pending;
  if (!pending.exists()) return record.committed();
  if (has_come_to(index, pending)) return pending.row;
  return is_marked_only(index, pending) ? nullptr : before(record);
}

SessionNo maker_of(const IndexShape& index, const Record& record,
                   const sql::Row& entry) {
  const Pending& pending = record.pending;
  if (!pending.exists()) return kNobody;
  if (index.is_clustered) return pending.owner;
  const auto has_it = [&](const StoredRow* image) {
    return image != nullptr &&
           compare_entries(entry_of(index, image->row, record.place->row),
                           entry) == 0;
  };
  const bool was_there = has_it(record.committed());
  bool is_changed =
      has_come_to(index, pending) && has_it(pending.row) != was_there;
  is_changed |= is_marked_only(index, pending) && has_it(before(record));
  for (const Pending::Layer& layer : pending.below)
    is_changed |= has_it(layer.row) != was_there;
  for (const StoredRow* row : pending.given_up)
    is_changed |= has_it(row) != was_there;
  return is_changed ? pending.owner : kNobody;
}

int compare_entries(const sql::Row& a, const sql::Row& b) {
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    if (const int order = compare_values(a[i], b[i]); order != 0) return order;
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
  if (index.is_clustered || !table.has_primary_key) return false;
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
    const sql::Row prefix = prefix_of(access, indexes[best]);
    Path path = by_prefix(entries_at(state, indexes[best], prefix),
                          indexes[best], prefix);
    path.index = static_cast<std::uint8_t>(best);
    return path;
  }
  for (std::size_t i = 0; i < indexes.size(); ++i) {
    if (indexes[i].columns.empty()) continue;
    const auto range =
        std::find_if(ranges.begin(), ranges.end(), [&](const ColumnRange& r) {
          return r.column == indexes[i].columns.front();
        });
    if (range == ranges.end()) continue;
    const std::vector<IndexEntry> entries = entries_of(state, indexes[i]);
    const auto count = static_cast<std::size_t>(std::count_if(
        entries.begin(), entries.end(),
        [&](const IndexEntry& e) { return range->contains(e.key[0]); }));
    if (!indexes[i].is_clustered && count > kMaxRowsByIndex) continue;
    Path path = range->points.empty() ? by_range(entries, indexes[i], *range)
                                      : by_points(entries, indexes[i], *range);
    path.index = static_cast<std::uint8_t>(i);
    return path;
  }
  for (std::size_t i = 0; is_read && i < indexes.size(); ++i) {
    if (!has_all_columns(table, indexes[i])) continue;
    Path path = all_of(entries_of(state, indexes[i]));
    path.index = static_cast<std::uint8_t>(i);
    return path;
  }
  const std::uint8_t clustered = clustered_index(table);
  Path path = all_of(entries_of(state, indexes[clustered]));
  path.index = clustered;
  return path;
}

Path path_to_end(const sql::Table& table, const TableState& state,
                 std::uint8_t index, const ColumnRange& range, bool is_max,
                 const sql::Row& from,
                 const std::function<bool(std::size_t record)>& is_there) {
  const IndexShape shape = indexes_of(table)[index];
  const Path all = by_range(entries_of(state, shape), shape, range);
  Path path;
  path.index = index;
  const auto ends = [&](const Path::Place& place) {
    return place.has_entry && !place.is_beyond && !place.entry.is_deleted &&
           is_there(place.entry.record);
  };
  if (is_max) {
    // Only the gap before the entry at which it begins.
    const auto first = std::find_if(
        all.places.begin(), all.places.end(),
        [](const Path::Place& p) { return !p.has_entry || p.is_beyond; });
    path.places.push_back(*first);
    path.places.back().has_entry = false;
    for (auto place = std::make_reverse_iterator(first);
         place != all.places.rend(); ++place) {
      if (compare_entries(place->entry.key, from) > 0) continue;
      path.places.push_back(*place);
      if (ends(*place)) break;
    }
    return path;
  }
  for (const Path::Place& place : all.places) {
    if (compare_entries(place.entry.key, from) < 0) continue;
    path.places.push_back(place);
    if (ends(place)) break;
  }
  return path;
}

}  // namespace txscope::engine
