// The unique keys of a row that is put or changed.

#include <algorithm>

#include "exec/sql/value/compare.h"
#include "exec/sql/writer/writer.h"

namespace txscope::sql {

// Said before anything of the key is touched: who has no such keys has no place
// for them.
bool Writer::follows(const UniqueKey& key) {
  const bool has_such =
      !key.is_partial() ||
      (rules_.has_arbiters &&
       (!key.is_exclusion || has_text(rules_, Broken::Excluded)));
  return has_such ||
         db_.end().undecided(std::string(key.what()) + " is not followed here");
}

bool Writer::test_key(TableId table, std::size_t key, const Row& row,
                      RowHandle self, Database::Purpose purpose,
                      std::optional<Database::Match>& found) {
  const UniqueKey& shape = schema_.at(table).key_at(key);
  if (!shape.is_partial()) {
    return has_null(shape.columns, row) ||
           db_.find_duplicate(table, key, row, self, purpose, found);
  }
  std::optional<Row> entry;
  return follows(shape) && take(evaluator_.entry(shape, row), entry) &&
         (!entry || db_.find_duplicate(table, key, row, self, purpose, found));
}

// EXCLUDE enters the row and then looks who is in the way, so that who waits
// for another is in the way itself; a unique index looks first.
bool Writer::pass_key(RowHandle self, std::size_t key, const Row& row,
                      Database::Purpose purpose,
                      std::optional<Database::Match>& found) {
  const TableId table = self.table;
  const UniqueKey& shape = schema_.at(table).key_at(key);
  if (!follows(shape)) return false;
  if (is_deferrable(shape)) {
    bool may = false;
    if (!has_null(shape.columns, row) &&
        !db_.may_meet(table, key, row, self, may)) {
      return false;
    }
    if (may) met_.push_back(static_cast<std::uint32_t>(key));
    return db_.enter_key(self, key);
  }
  if (shape.is_exclusion) {
    return db_.enter_key(self, key) &&
           test_key(table, key, row, self, purpose, found);
  }
  return test_key(table, key, row, self, purpose, found) &&
         (found || db_.enter_key(self, key));
}

bool Writer::duplicates(const UniqueKey& key, TableId table) {
  return breaks(key.is_exclusion ? Broken::Excluded : Broken::DuplicateKey,
                key.name, table);
}

bool Writer::enter_keys(RowHandle self, const Row& row, const Row& old,
                        std::size_t first) {
  const Table& shape = schema_.at(self.table);
  const auto is_changed = [&](std::size_t k) {
    const UniqueKey& key = shape.key_at(k);
    return differ(key.columns, old, row) ||
           ((key.is_exclusion || is_deferrable(key)) && !rules_.is_clustered) ||
           (key.where && !index_entry(routines_, key, old));
  };
  const std::size_t count = shape.key_count();
  bool is_any = false;
  bool looks_again = false;
  for (std::size_t k = 0; k < count; ++k) {
    const UniqueKey& key = shape.key_at(k);
    is_any |= differ(key.columns, old, row) ||
              differ(key.condition_columns, old, row);
    looks_again |= key.is_exclusion || is_deferrable(key);
  }
  // Only where nothing that an index looks at has changed the old entries serve
  // the new version; else each EXCLUDE and each DEFERRABLE key is looked at
  // again.
  const auto is_in = [&](const auto& columns) {
    return differ(columns, old, row);
  };
  is_any |= looks_again && !rules_.is_clustered &&
            (differ(shape.watched, old, row) ||
             std::any_of(shape.indexes.begin(), shape.indexes.end(), is_in));
  if (!is_any) {
    db_.keep_keys(self);
    return true;
  }
  for (std::size_t k = first; k < count; ++k) {
    std::optional<Database::Match> there;
    const bool goes_on =
        is_changed(k) ? pass_key(self, k, row, Database::Purpose::Enter, there)
                      : follows(shape.key_at(k)) && db_.enter_key(self, k);
    if (!goes_on) return false;
    if (there) return duplicates(shape.key_at(k), self.table);
  }
  return true;
}

// The key of a row that is still there with it.
bool Writer::check_keys(const Event& event) {
  const TableId table = event.at.table;
  for (const std::uint32_t k : event.met) {
    const UniqueKey& key = schema_.at(table).key_at(k);
    if (is_deferred(key)) continue;
    const std::optional<Row> now = db_.latest(event.at);
    if (!now || differ(key.columns, *now, *event.now)) continue;
    std::optional<Database::Match> there;
    if (!test_key(table, k, *now, event.at, Database::Purpose::Enter, there))
      return false;
    if (there) return duplicates(key, table);
  }
  return true;
}

// The row itself is one that has the key.
bool Writer::check_key(TableId table, std::size_t key, const Row& row) {
  std::optional<Database::Match> one;
  std::optional<Database::Match> other;
  const auto purpose = Database::Purpose::Enter;
  if (!db_.find_duplicate(table, key, row, {}, purpose, one)) return false;
  if (!one) return true;
  if (!db_.find_duplicate(table, key, row, one->at, purpose, other))
    return false;
  return !other || duplicates(schema_.at(table).key_at(key), table);
}

}  // namespace txscope::sql
