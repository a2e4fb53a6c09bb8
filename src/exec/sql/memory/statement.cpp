#include "exec/sql/memory/statement.h"

#include <algorithm>
#include <cassert>

#include "exec/sql/writer/writer.h"

namespace txscope::sql {
namespace {

/// Puts `now` where `old` was, either of which may be no row.
void swap_rows(const Table& table, TableRows& rows, std::uint64_t number,
               const std::shared_ptr<const Row>& old,
               const std::shared_ptr<const Row>& now) {
  if (old != nullptr) rows.remove(table, {number, old});
  if (now != nullptr) rows.add(table, {number, now});
}

}  // namespace

MemoryStatement::~MemoryStatement() { undo_to(0); }

void MemoryStatement::undo_to(std::size_t count) {
  for (; changes_.size() > count; changes_.pop_back()) {
    const Change& change = changes_.back();
    const TableId table = change.at.table;
    swap_rows(schema_.at(table), writable(table), change.at.row, change.now,
              change.old);
  }
  for (auto& last : last_) last.clear();
  for (std::size_t i = 0; i < changes_.size(); ++i)
    last_[changes_[i].at.table.index][changes_[i].at.row] = i;
}

bool MemoryStatement::run_nested(const Routines& routines,
                                 const Request& request,
                                 std::span<const Value> slots,
                                 const Budget& budget, StatementResult& result,
                                 std::optional<SqlError>& error) {
  MemoryStatement inner(schema_, tables_, sequences_, numbers_);
  inner.inherit(*this);
  inner.nesting_ = nesting_ + 1;
  if (Writer(routines, inner, slots, budget)
          .run(*request.statement, request.max_rows)) {
    for (Change& change : inner.changes_) {
      last_[change.at.table.index][change.at.row] = changes_.size();
      changes_.push_back(std::move(change));
    }
    inner.keep();
    result = std::move(inner.end().result);
    return true;
  }
  if (inner.end().kind != StatementEnd::Kind::Failed) {
    end_ = inner.end();
    return false;
  }
  error = inner.end().error;
  return true;
}

bool MemoryStatement::nest(const Request& request) {
  if (request.kind == Request::Kind::RollBackTo)
    undo_to(saved_[request.depth - (request.reopens ? 1 : 0)]);
  saved_.resize(request.depth, changes_.size());
  return true;
}

TableRows& MemoryStatement::writable(TableId table) {
  auto& rows = tables_[table.index];
  if (rows.use_count() != 1) rows = std::make_shared<TableRows>(*rows);
  // Only this statement holds it, and it was made by make_shared<TableRows>.
  return const_cast<TableRows&>(*rows);
}

bool MemoryStatement::scan(const Access& access, const OnRow& on_row) {
  const Table& table = schema_.at(access.table);
  if (last_[access.table.index].empty()) {
    rows_of(access.table).scan(table, access, on_row);
    return true;
  }
  TableRows before = rows_of(access.table);
  for (auto c = changes_.rbegin(); c != changes_.rend(); ++c)
    if (c->at.table == access.table)
      swap_rows(table, before, c->at.row, c->now, c->old);
  before.scan(table, access, on_row);
  return true;
}

std::int64_t MemoryStatement::next(std::uint32_t sequence) {
  std::int64_t& value = sequences_[sequence];
  const std::int64_t taken = value;
  value += schema_.sequences[sequence].increment;
  if (numbers_ != nullptr && !schema_.sequences[sequence].name.empty())
    numbers_->note(sequence, taken);
  return taken;
}

RemembersNumbers::Remembered MemoryStatement::last_number(
    std::optional<std::uint32_t> sequence) {
  if (numbers_ == nullptr) return {};
  const auto number = numbers_->last(sequence);
  return {number.has_value(), number};
}

// An index is made where nobody else has the rows, so that nobody else reads
// what changes.
template <class By, class... How>
const RowIndex* MemoryStatement::index_by(TableId table, const By& by,
                                          How... how) {
  constexpr std::size_t kMany = 64;
  const TableRows& rows = rows_of(table);
  if (rows.entries.size() < kMany) return nullptr;
  if (rows.index != nullptr && rows.index->has(by)) return rows.index.get();
  if (tables_[table.index].use_count() != 1) return nullptr;
  TableRows& mine = writable(table);
  if (mine.index.use_count() != 1) mine.index = std::make_shared<RowIndex>();
  mine.index->index(by, mine.entries, std::move(how)...);
  return mine.index.get();
}

const RowIndex* MemoryStatement::index_of(TableId table,
                                          const Columns& columns) {
  const Table& shape = schema_.at(table);
  const bool is_primary =
      shape.has_primary_key && columns == shape.unique[0].columns;
  return is_primary ? nullptr : index_by(table, columns);
}

const RowIndex* MemoryStatement::index_of(TableId table, const UniqueKey& key) {
  const auto is_equal = [](const KeyPart& part) {
    return part.with == KeyPart::With::Equal;
  };
  if (std::none_of(key.parts.begin(), key.parts.end(), is_equal))
    return nullptr;
  const auto hash_of = [&routines = served(), &key](const Row& row) {
    const auto entry = index_entry(routines, key, row);
    RowIndex::Hash hash;
    if (!entry) return hash;
    hash = key.parts.size();
    for (std::size_t i = 0; i < entry->size(); ++i)
      if (key.parts[i].with == KeyPart::With::Equal)
        hash = (*hash ^ (*entry)[i].hash()) * 0x9e3779b97f4a7c15ull;
    return hash;
  };
  return index_by(table, key, hash_of);
}

std::optional<RowIndex::Entry> MemoryStatement::first_equal(
    TableId table, const Columns& columns, const Row& like,
    const Columns& in_like, const std::function<bool(const Entry&)>& is_it) {
  std::optional<Entry> found;
  const auto test = [&](const Entry& entry) {
    if (same_values(columns, *entry.row, in_like, like) && is_it(entry))
      found = entry;
    return !found;
  };
  if (const RowIndex* index = index_of(table, columns)) {
    index->each(columns, like, in_like, test);
  } else {
    for (const Entry& entry :
         rows_of(table).like(schema_.at(table), columns, like, in_like))
      if (!test(entry)) break;
  }
  return found;
}

bool MemoryStatement::has_equal(TableId table, const Columns& columns,
                                const Row& like, const Columns& in_like) {
  return first_equal(table, columns, like, in_like,
                     [](const Entry&) { return true; })
      .has_value();
}

bool MemoryStatement::find_duplicate(TableId table, std::size_t key,
                                     const Row& row, RowHandle self, Purpose,
                                     std::optional<Match>& found) {
  const UniqueKey& shape = schema_.at(table).key_at(key);
  const KeyConflict is_in_the_way(served(), shape, row);
  const auto test = [&](const Entry& other) {
    if (other.number != self.row && is_in_the_way(*other.row))
      found = Match{{table, other.number}, *other.row};
    return !found;
  };
  if (shape.parts.empty()) {
    (void)first_equal(table, shape.columns, row, shape.columns,
                      [&](const Entry& other) { return !test(other); });
  } else if (const RowIndex* index = index_of(table, shape)) {
    index->each(shape, row, test);
  } else {
    for (const Entry& other : rows_of(table).entries)
      if (!test(other)) break;
  }
  return true;
}

const TableRows::Entry* MemoryStatement::find(RowHandle at) const {
  for (const auto& entry : rows_of(at.table).entries)
    if (entry.number == at.row) return &entry;
  return nullptr;
}

bool MemoryStatement::lock_conflicting(RowHandle at, LockStrength, Row& there) {
  const TableRows::Entry* entry = find(at);
  assert(entry != nullptr && "a row that was met is there");
  there = *entry->row;
  return true;
}

bool MemoryStatement::find_parent(const ForeignKey& key, const Row& child,
                                  bool& is_found) {
  is_found = has_equal(key.parent, key.parent_columns, child, key.columns);
  return true;
}

bool MemoryStatement::is_replaced(const ForeignKey& key, const Row& gone,
                                  bool& is_found) {
  is_found =
      has_equal(key.parent, key.parent_columns, gone, key.parent_columns);
  return true;
}

bool MemoryStatement::find_children(TableId child, const ForeignKey& key,
                                    const Row& parent,
                                    std::vector<RowHandle>& children) {
  for (const TableRows::Entry& entry : rows_of(child).like(
           schema_.at(child), key.columns, parent, key.parent_columns))
    if (same_values(key.columns, *entry.row, key.parent_columns, parent))
      children.push_back({child, entry.number});
  return true;
}

bool MemoryStatement::lock_child(RowHandle at, const ForeignKey&, const Row&,
                                 LockStrength, std::optional<Row>& row) {
  if (const TableRows::Entry* entry = find(at)) row = *entry->row;
  return true;
}

std::optional<Row> MemoryStatement::latest(RowHandle at) {
  const auto& last = last_[at.table.index];
  if (const auto found = last.find(at.row); found != last.end()) {
    const SharedRow& now = changes_[found->second].now;
    return now ? std::optional(*now) : std::nullopt;
  }
  const TableRows::Entry* entry = find(at);
  return entry == nullptr ? std::nullopt : std::optional(*entry->row);
}

void MemoryStatement::change(RowHandle at, SharedRow old, SharedRow now) {
  swap_rows(schema_.at(at.table), writable(at.table), at.row, old, now);
  last_[at.table.index][at.row] = changes_.size();
  changes_.push_back({at, std::move(old), std::move(now)});
}

bool MemoryStatement::put(TableId table, const Row& row, RowHandle& at) {
  at = {table, writable(table).next++};
  change(at, nullptr, std::make_shared<const Row>(row));
  return true;
}

bool MemoryStatement::replace(RowHandle at, const Row& old, const Row& row) {
  change(at, std::make_shared<const Row>(old),
         std::make_shared<const Row>(row));
  return true;
}

bool MemoryStatement::erase(RowHandle at, const Row& old) {
  change(at, std::make_shared<const Row>(old), nullptr);
  return true;
}

}  // namespace txscope::sql
