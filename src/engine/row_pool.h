#pragma once

#include <deque>
#include <mutex>
#include <unordered_map>

#include "engine/hash.h"
#include "model/sql/value.h"

namespace txscope::engine {

/// A row's content.  Each content exists once, so states share rows and compare
/// them by address.
struct StoredRow {
  sql::Row row;
  Hash128 hash;
};

[[nodiscard]] Hash128 hash_of(const sql::Row& row);

/// Every row content that some state of a search has; grows only.
class RowPool {
 public:
  const StoredRow* intern(sql::Row row);

 private:
  std::mutex mutex_;
  std::deque<StoredRow> rows_;
  std::unordered_map<Hash128, const StoredRow*, HashOfHash> by_hash_;
};

}  // namespace txscope::engine
