#include "engine/server/row_pool.h"

#include <utility>

namespace txscope::engine {

Hash128 hash_of(const sql::Row& row) {
  Mixer mixer;
  mixer.add(row.size());
  for (const sql::Value& value : row) mixer.add(value.hash());
  return mixer.done();
}

const StoredRow* RowPool::intern(sql::Row row, std::vector<RowMark> marks) {
  const Hash128 hash = hash_of(row);
  // A text may be a mark in one table and not in another.
  Mixer key(hash);
  for (const RowMark& mark : marks) key.add(mark.column + 1);
  const std::lock_guard guard(mutex_);
  const StoredRow*& found = by_hash_[key.done()];
  if (found != nullptr) return found;
  StoredRow made{std::move(row), hash, std::move(marks), hash};
  if (!made.marks.empty()) {
    sql::Row rest = made.row;
    for (const RowMark& mark : made.marks) rest[mark.column] = sql::Value();
    made.unmarked = hash_of(rest);
  }
  found = &rows_.emplace_back(std::move(made));
  return found;
}

}  // namespace txscope::engine
