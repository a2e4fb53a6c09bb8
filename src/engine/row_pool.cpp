#include "engine/row_pool.h"

#include <utility>

namespace txscope::engine {

Hash128 hash_of(const sql::Row& row) {
  Mixer mixer;
  mixer.add(row.size());
  for (const sql::Value& value : row) mixer.add(value.hash());
  return mixer.done();
}

const StoredRow* RowPool::intern(sql::Row row) {
  const Hash128 hash = hash_of(row);
  const std::lock_guard guard(mutex_);
  const StoredRow*& found = by_hash_[hash];
  if (found == nullptr)
    found = &rows_.emplace_back(StoredRow{std::move(row), hash});
  return found;
}

}  // namespace txscope::engine
