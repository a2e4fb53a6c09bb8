// What InnoDB looks at, and locks, for foreign keys.

#include <algorithm>
#include <utility>

#include "engine/innodb/statement.h"

namespace txscope::engine {
namespace {

// Of the index that serves a foreign key.
std::uint8_t serving_index(const sql::Table& table,
                           const std::vector<std::uint32_t>& columns) {
  const std::vector<IndexShape> indexes = indexes_of(table);
  for (const IndexShape& index : indexes) {
    if (index.columns.size() >= columns.size() &&
        std::equal(columns.begin(), columns.end(), index.columns.begin())) {
      return index.number;
    }
  }
  return clustered_index(table);
}

sql::Row values_of(const std::vector<std::uint32_t>& columns,
                   const sql::Row& row) {
  sql::Row values;
  for (const std::uint32_t c : columns) values.push_back(row[c]);
  return values;
}

}  // namespace

// The parent is locked for sharing; if there is none, the gap where it would be
// is, where the level locks gaps.
bool InnodbStatement::find_parent(const sql::ForeignKey& key,
                                  const sql::Row& child, bool& is_found) {
  intend(key.parent, LockMode::Share);
  const sql::Table& shape = schema(key.parent);
  const IndexShape index =
      indexes_of(shape)[serving_index(shape, key.parent_columns)];
  std::vector<sql::RowHandle> found;
  if (!lock_marked(key.parent, index, values_of(key.columns, child), false,
                   found)) {
    return false;
  }
  if (found.empty()) return true;
  const std::size_t record_no = found.front().row;
  const Want want{
      index.number,
      around_.rows.intern(
          entry_of(index, current_in(index, record(key.parent, record_no))->row,
                   record(key.parent, record_no).place->row)),
      LockMode::Share, Kind::Entry};
  if (!pass([&] { return lock_entry(key.parent, record_no, want); }))
    return false;
  is_found = true;
  return true;
}

// The rows with a key, in the order of an index.  Entries that are only marked
// are locked at once, and so is the gap behind, if there is no row, or all are
// looked at.
bool InnodbStatement::lock_marked(TableId table, const IndexShape& index,
                                  const sql::Row& key, bool is_all,
                                  std::vector<sql::RowHandle>& found) {
  const std::vector<IndexEntry> entries =
      entries_at(state_.table(table), index, key);
  auto e = std::find_if(entries.begin(), entries.end(),
                        [&](const IndexEntry& entry) {
                          return compare_entries(entry.key, key) >= 0;
                        });
  for (; e != entries.end() && compare_entries(e->key, key) == 0; ++e) {
    if (!e->is_deleted) {
      found.push_back({table, e->record});
      if (!is_all) return true;
      continue;
    }
    const Want want{index.number, intern(e->key), LockMode::Share,
                    locks_gaps() ? Kind::NextKey : Kind::Entry};
    if (!pass([&] { return lock_entry(table, e->record, want); })) return false;
  }
  if (!locks_gaps()) return true;
  const bool is_end = e == entries.end();
  const Want want{index.number, is_end ? nullptr : intern(e->key),
                  LockMode::Share, Kind::Gap};
  return pass(
      [&] { return lock_entry(table, is_end ? kNoRecord : e->record, want); });
}

bool InnodbStatement::find_children(TableId child, const sql::ForeignKey& key,
                                    const sql::Row& parent,
                                    std::vector<sql::RowHandle>& children) {
  // The row itself is changed before its children are looked at.
  if (!std::exchange(is_counted_, true)) ++session().writes;
  intend(child, LockMode::Share);
  const sql::Table& shape = schema(child);
  return lock_marked(child,
                     indexes_of(shape)[serving_index(shape, key.columns)],
                     values_of(key.parent_columns, parent),
                     key.on_delete != sql::OnDelete::NoAction, children);
}

bool InnodbStatement::lock_child(sql::RowHandle at, const sql::ForeignKey& key,
                                 const sql::Row&, sql::LockStrength strength,
                                 std::optional<sql::Row>& row) {
  const sql::Table& shape = schema(at.table);
  const IndexShape index = indexes_of(shape)[serving_index(shape, key.columns)];
  const Record& there = record(at.table, at.row);
  const StoredRow* image = current_in(index, there);
  if (image == nullptr) return true;
  const Want entry{
      index.number,
      around_.rows.intern(entry_of(index, image->row, there.place->row)),
      LockMode::Share, Kind::Entry};
  if (!pass([&] { return lock_entry(at.table, at.row, entry); })) return false;
  if (strength != sql::LockStrength::KeyShare) {
    intend(at.table, LockMode::Update);
    const Want whole{clustered_index(shape), record(at.table, at.row).place,
                     LockMode::Update, Kind::Entry};
    if (!pass([&] { return lock_entry(at.table, at.row, whole); }))
      return false;
  }
  if (const StoredRow* now = tip(record(at.table, at.row))) row = now->row;
  return true;
}

}  // namespace txscope::engine
