#include <algorithm>

#include "engine/postgres_run.h"

namespace txscope::engine {
namespace {

constexpr std::size_t kNoRecord = ~std::size_t{0};

}  // namespace

bool PostgresRun::insert_rows(const sql::Insert& insert) {
  DrawnNumbers numbers(around_.schema(), state_, me_);
  std::vector<sql::Row> rows;
  if (!take(evaluator_.rows_to_insert(insert, numbers), rows)) return false;
  return std::all_of(rows.begin(), rows.end(), [&](const sql::Row& row) {
    return insert_row(insert, row);
  });
}

bool PostgresRun::insert_row(const sql::Insert& insert, const sql::Row& row) {
  const TableId table = insert.target.table;
  if (!check_row(table, row)) return false;
  const auto& keys = schema(table).unique;
  if (insert.on_conflict) {
    const sql::OnConflict& conflict = *insert.on_conflict;
    for (std::size_t k = 0; k < keys.size(); ++k) {
      if (conflict.constraint && *conflict.constraint != k) continue;
      bool is_found = false;
      std::size_t found = 0;
      if (!find_duplicate(table, k, row, kNoRecord, is_found, found))
        return false;
      if (!is_found) continue;
      if (conflict.is_update) return update_conflicting(insert, found, row);
      if (keeps_snapshot() && is_written_since(record(table, found)))
        return conflict_with_writer(false);
      return note_row(table, found);
    }
  }
  if (!note_write(table, nullptr)) return false;
  const StoredRow* stored = around_.rows.intern(row);
  const std::size_t index = StatementRun::insert(table, stored);
  if (!check_unique(table, index, row, nullptr)) return false;
  events_.push_back({table, index, nullptr, stored});
  return returning(row);
}

// The latest version is updated, even if the snapshot does not have it.
bool PostgresRun::update_conflicting(const sql::Insert& insert,
                                     std::size_t index,
                                     const sql::Row& excluded) {
  const TableId table = insert.target.table;
  const Record& there = record(table, index);
  if (there.pending.owner == me_ && there.pending.is_fresh) {
    return fail("21000",
                "ON CONFLICT DO UPDATE command cannot affect row a second "
                "time");
  }
  // The columns that are set decide, not whether their values change.
  const auto& keys = schema(table).unique;
  const bool sets_key = std::any_of(
      insert.on_conflict->set.begin(), insert.on_conflict->set.end(),
      [&](const sql::SetColumn& set) {
        return std::any_of(
            keys.begin(), keys.end(), [&](const sql::UniqueKey& key) {
              return std::count(key.columns.begin(), key.columns.end(),
                                set.column) != 0;
            });
      });
  const LockMode mode = sets_key ? LockMode::Update : LockMode::NoKeyUpdate;
  if (const SessionSet blockers = holders(there, mode)) return wait(blockers);
  if (keeps_snapshot() && is_written_since(there))
    return conflict_with_writer(false);
  grant(table, index, mode);
  if (!note_row(table, index)) return false;
  const sql::Row old = latest(record(table, index))->row;
  std::optional<sql::Row> row;
  if (!take(evaluator_.on_conflict(insert, old, excluded), row)) return false;
  if (!row) return true;
  if (!check_row(table, *row)) return false;
  return replace(table, index, *row) && returning(*row);
}

bool PostgresRun::find_duplicate(TableId table, std::size_t constraint,
                                 const sql::Row& row, std::size_t self,
                                 bool& is_found, std::size_t& found) {
  const sql::UniqueKey& key = schema(table).unique[constraint];
  is_found = false;
  if (has_null(key.columns, row)) return true;
  const auto& records = state_.table(table).records;
  for (std::size_t i = 0; i < records.size(); ++i) {
    if (i == self) continue;
    const Record& other = records[i];
    const auto has_key = [&](const StoredRow* image) {
      return image != nullptr && same_key(key, image->row, row);
    };
    if (other.pending.exists() && other.pending.owner != me_) {
      const Pending& pending = other.pending;
      const bool is_entered = !pending.is_fresh || constraint < pending.entered;
      if (has_key(other.committed()) || has_key(pending.previous) ||
          (is_entered && has_key(pending.row)) ||
          std::any_of(pending.given_up.begin(), pending.given_up.end(),
                      has_key)) {
        return wait(only(pending.owner));
      }
    } else if (has_key(latest(other))) {
      is_found = true;
      found = i;
    }
  }
  return true;
}

bool PostgresRun::check_unique(TableId table, std::size_t index,
                               const sql::Row& row, const sql::Row* old) {
  const auto& keys = schema(table).unique;
  const bool is_hot =
      old != nullptr &&
      std::none_of(keys.begin(), keys.end(), [&](const sql::UniqueKey& key) {
        return differ(key.columns, *old, row);
      });
  const auto enter = [&](std::size_t indexes) {
    change(table, index).pending.entered = static_cast<std::uint16_t>(indexes);
  };
  if (is_hot) {
    enter(keys.size());
    return true;
  }
  for (std::size_t k = 0; k < keys.size(); ++k) {
    if (old == nullptr || differ(keys[k].columns, *old, row)) {
      bool is_found = false;
      std::size_t found = 0;
      if (!find_duplicate(table, k, row, index, is_found, found)) return false;
      if (is_found && !note_index_insert(table, k)) return false;
      if (is_found) {
        if (product_ == Product::Oracle)
          return fail("ORA-00001", "unique constraint violated");
        return fail("23505",
                    "duplicate key value violates unique constraint \"" +
                        keys[k].name + "\"");
      }
    }
    if (!note_index_insert(table, k)) return false;
    enter(k + 1);
  }
  return true;
}

}  // namespace txscope::engine
