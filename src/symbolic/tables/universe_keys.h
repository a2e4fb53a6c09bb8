#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "exec/sql/memory/database.h"
#include "model/sql/application.h"

namespace txscope::symbolic {

/// The rows that the executions can have: by table the keys, in their order.
/// A key is the primary key, or a hidden number.  It is found by running the
/// transactions again until none of them writes a new one.
class KeyUniverse {
 public:
  struct Entry {
    sql::Row key;
    sql::Row initial;         ///< after the setup
    bool is_initial = false;  ///< the setup left such a row
  };

  KeyUniverse(const sql::Schema& schema, const sql::MemoryDatabase& initial);

  [[nodiscard]] std::span<const Entry> keys(TableId table) const {
    return tables_[table.index];
  }
  [[nodiscard]] std::optional<std::size_t> find(TableId table,
                                                const sql::Row& key) const;
  /// False if it was there.
  bool add(TableId table, const sql::Row& key);
  /// The rows of all tables, numbered one table after the other.
  [[nodiscard]] KeyId id(TableId table, std::size_t row) const;
  [[nodiscard]] std::size_t size() const;
  /// The first hidden number that the setup did not take.
  [[nodiscard]] std::int64_t first_hidden(TableId table) const {
    return static_cast<std::int64_t>(hidden_[table.index]);
  }

 private:
  std::vector<std::vector<Entry>> tables_;
  std::vector<std::size_t> hidden_;
};

}  // namespace txscope::symbolic
