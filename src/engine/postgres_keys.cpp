#include <algorithm>

#include "engine/postgres_statement.h"

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

// Waits for those who are about to make or remove one.
bool PostgresStatement::find_duplicate(TableId table, std::size_t constraint,
                                       const sql::Row& row, sql::RowHandle self,
                                       Purpose purpose,
                                       std::optional<Match>& found) {
  const sql::UniqueKey& key = schema(table).key_at(constraint);
  const auto& records = state_.table(table).records;
  const bool has_self = self.table != kNone<TableId>;
  for (std::size_t i = 0; i < records.size(); ++i) {
    if (has_self && i == self.row) continue;
    const Record& other = records[i];
    const auto has_key = [&](const StoredRow* image) {
      return image != nullptr && same_key(key, image->row, row) &&
             is_indexed(key, image->row);
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
        return wait(only(pending.owner));
      }
    } else if (has_key(tip(other))) {
      found = Match{{table, i}, tip(other)->row};
    }
  }
  return !found || purpose == Purpose::Arbiter ||
         note_index_insert(table, constraint);
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
