#include <algorithm>

#include "engine/postgres/statement.h"

namespace txscope::engine {
bool PostgresStatement::meet(sql::RowHandle at) {
  if (keeps_snapshot() && is_written_since(record(at.table, at.row)))
    return conflict_with_writer(false);
  return note_row(at.table, at.row);
}

// The latest version is updated, even if the snapshot does not have it.
bool PostgresStatement::lock_conflicting(sql::RowHandle at,
                                         sql::LockStrength strength,
                                         sql::Row& there) {
  const LockMode mode = strength == sql::LockStrength::Update
                            ? LockMode::Update
                            : LockMode::NoKeyUpdate;
  const Record& row = record(at.table, at.row);
  if (const SessionSet blockers = holders(row, mode))
    return wait_for_row(at.table, at.row, mode, blockers);
  if (keeps_snapshot() && is_written_since(row))
    return conflict_with_writer(false);
  grant(at.table, at.row, mode);
  if (!note_row(at.table, at.row)) return false;
  there = tip(record(at.table, at.row))->row;
  return true;
}

// At most one row is in the way of a unique key; EXCLUDE stops at the first
// that it comes to.
std::vector<std::size_t> PostgresStatement::in_index_order(
    TableId table, const sql::UniqueKey& key) const {
  const TableState& rows = state_.table(table);
  if (!key.is_exclusion || !rows.has_spots) return {};
  std::vector<std::size_t> order;
  rows.records.for_each(
      [&](std::size_t i, const Record&) { order.push_back(i); });
  const auto spot = [&](std::size_t i) {
    const Record& record = rows.records[i];
    const Version* last = record.last();
    return last != nullptr ? last->spot : record.pending.spot;
  };
  std::stable_sort(
      order.begin(), order.end(),
      [&](std::size_t a, std::size_t b) { return spot(a) < spot(b); });
  return order;
}

// Waits for those who are about to make or remove one.
bool PostgresStatement::find_duplicate(TableId table, std::size_t constraint,
                                       const sql::Row& row, sql::RowHandle self,
                                       Purpose purpose,
                                       std::optional<Match>& found) {
  if (const SessionSet owner =
          look_for_duplicate(table, constraint, row, self, found)) {
    return wait(owner);
  }
  return !found || purpose == Purpose::Arbiter ||
         note_index_insert(table, constraint);
}

bool PostgresStatement::may_meet(TableId table, std::size_t constraint,
                                 const sql::Row& row, sql::RowHandle self,
                                 bool& may) {
  std::optional<Match> found;
  may = look_for_duplicate(table, constraint, row, self, found) != 0 || found;
  return true;
}

SessionSet PostgresStatement::look_for_duplicate(TableId table,
                                                 std::size_t constraint,
                                                 const sql::Row& row,
                                                 sql::RowHandle self,
                                                 std::optional<Match>& found) {
  const sql::UniqueKey& key = schema(table).key_at(constraint);
  const sql::KeyConflict is_in_the_way(served(), key, row);
  const Records& records = state_.table(table).records;
  // Where rows of the key are many, those that are there for good come first.
  SessionSet owner = 0;
  bool is_over = false;
  const auto look_at = [&](std::size_t i, const Record& other) {
    if (is_over || self == sql::RowHandle{table, i}) return;
    const auto has_key = [&](const StoredRow* image) {
      return image != nullptr && is_in_the_way(image->row);
    };
    if (other.pending.exists() && other.pending.owner != me_) {
      const Pending& pending = other.pending;
      const bool is_entered =
          !pending.is_fresh() || constraint < pending.entered;
      const auto has_layer_key = [&](const Pending::Layer& layer) {
        return has_key(layer.row);
      };
      if (has_key(other.committed()) ||
          std::any_of(pending.below.begin(), pending.below.end(),
                      has_layer_key) ||
          (is_entered && has_key(pending.row)) ||
          std::any_of(pending.given_up.begin(), pending.given_up.end(),
                      has_key)) {
        if (!key.is_deferrable) found.reset();
        if (owner == 0 || !key.is_deferrable) owner = only(pending.owner);
        is_over = !key.is_deferrable;
      }
    } else if (has_key(tip(other))) {
      found = Match{{table, i}, tip(other)->row};
      is_over = key.is_exclusion;
    }
  };
  if (const auto order = in_index_order(table, key); !order.empty()) {
    for (const std::size_t i : order) look_at(i, records[i]);
  } else {
    Records::Equal equal;
    if (constraint < schema(table).unique.size() && !key.is_exclusion)
      for (const std::uint32_t c : key.columns) equal.emplace_back(c, row[c]);
    records.for_each_that_may(equal, look_at);
  }
  return found ? 0 : owner;
}

bool PostgresStatement::enter_key(sql::RowHandle at, std::size_t key) {
  if (!note_index_insert(at.table, key)) return false;
  change(at.table, at.row).pending.entered =
      static_cast<std::uint16_t>(key + 1);
  return true;
}

void PostgresStatement::keep_keys(sql::RowHandle at) {
  change(at.table, at.row).pending.entered =
      static_cast<std::uint16_t>(schema(at.table).key_count());
}

}  // namespace txscope::engine
