#pragma once

#include <deque>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "engine/server/hash.h"
#include "model/sql/value/value.h"

namespace txscope::engine {

/// In this column is the `which`th value that only this session has.
struct RowMark {
  std::uint32_t column = 0;
  std::uint8_t session = 0;
  std::uint32_t which = 0;
};

/// A row's content.  Each content exists once, so states share rows and compare
/// them by address.
struct StoredRow {
  sql::Row row;
  Hash128 hash;
  /// Values by which a session can be told (SessionMarks), and the hash of the
  /// others.
  std::vector<RowMark> marks = {};
  Hash128 unmarked = {};
};

[[nodiscard]] Hash128 hash_of(const sql::Row& row);

/// Every row content that some state of a search has; grows only.
class RowPool {
 public:
  const StoredRow* intern(sql::Row row, std::vector<RowMark> marks = {});

 private:
  std::mutex mutex_;
  std::deque<StoredRow> rows_;
  std::unordered_map<Hash128, const StoredRow*, HashOfHash> by_hash_;
};

}  // namespace txscope::engine
