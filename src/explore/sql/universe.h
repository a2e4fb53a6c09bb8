#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "exec/code.h"
#include "exec/sql/memory/database.h"
#include "explore/sql/claims.h"
#include "transport/group.h"

namespace txscope::explore {

/// The rows that the executions of an application can have, and their versions.
///
/// Definition.  A row's key is its primary key, or a hidden number.  The keys
/// that some execution writes are *open*: what they hold is an answer of the
/// search, and "absent" is one of their versions.  All other rows are as the
/// setup left them.  Since a key that nobody writes has one possible source,
/// leaving its reads out changes no count.
///
/// Method.  Nobody knows the open keys beforehand: an execution that writes
/// another one asks for it (want()) and is given up, and the search starts
/// again on the grown universe, until nothing is asked for.
///
/// Invariant.  Between two calls of grow() everything but the interned
/// versions is constant, so threads may read it; want(), version() and row()
/// lock.
class Universe {
 public:
  struct Entry {
    sql::Row key;                    ///< canonical values
    std::optional<KeyId> open;       ///< or constant:
    std::int64_t initial = kAbsent;  ///< the version after the setup
  };
  static constexpr std::int64_t kAbsent = 0;

  Universe(const sql::Routines& routines, const sql::MemoryDatabase& initial,
           std::size_t instances);

  [[nodiscard]] const sql::Schema& schema() const {
    return application_.schema;
  }
  /// All keys of a table that is open or has a row, in the order of the key.
  [[nodiscard]] std::span<const Entry> keys(TableId table) const {
    return tables_[table.index].entries;
  }
  /// The position of a key in keys(); nothing if it can have no row.
  [[nodiscard]] std::optional<std::size_t> find(TableId table,
                                                const sql::Row& key) const;
  [[nodiscard]] std::optional<KeyId> open_key(TableId table,
                                              const sql::Row& key) const {
    const auto at = find(table, key);
    return at ? keys(table)[*at].open : std::nullopt;
  }
  /// The primary key that rows with these values of `columns` have; nothing if
  /// they leave it open.
  [[nodiscard]] std::optional<sql::Row> whole_key(
      TableId table, std::span<const std::uint32_t> columns,
      std::span<const sql::Value> values) const;
  /// A row's key, canonical; of a table with a primary key.
  [[nodiscard]] sql::Row key_of(TableId table, const sql::Row& row) const;

  [[nodiscard]] std::int64_t version(const sql::Row& row);
  [[nodiscard]] const sql::Row& row(std::int64_t version) const;

  [[nodiscard]] Claims& claims() { return claims_; }

  /// Asks for a key to be open.
  void want(TableId table, const sql::Row& key);
  [[nodiscard]] bool is_outgrown() const { return is_outgrown_.load(); }
  /// Asks for what any of these ranks has asked for; all have to call it.
  void share_wants(transport::Group& ranks);
  /// Opens what was asked for.  False if nothing was.
  bool grow();

  // By KeyId, for Code.
  [[nodiscard]] const std::vector<std::int64_t>& initial() const {
    return initial_;
  }
  [[nodiscard]] TableId table_of(KeyId key) const {
    return open_[key.index].first;
  }
  /// accounts(1), history(row 3).
  [[nodiscard]] std::string name(KeyId key) const;

  /// Numbers that no two transactions share: the `k`-th one that an instance
  /// takes from a sequence, or as a hidden key.
  [[nodiscard]] std::int64_t number(std::uint32_t sequence,
                                    exec::InstanceId instance,
                                    std::uint64_t k) const;
  [[nodiscard]] sql::Row hidden_key(TableId table, exec::InstanceId instance,
                                    std::uint64_t k) const;

 private:
  struct Table {
    std::vector<Entry> entries;
    std::int64_t hidden = 0;  ///< numbers taken by the setup
  };
  struct RowHash {
    std::size_t operator()(const sql::Row& row) const;
  };
  std::size_t place_for(TableId table, const sql::Row& key) const;

  const sql::Application& application_;
  std::size_t instances_;
  std::vector<std::int64_t> sequences_;  // the next number of each
  std::vector<Table> tables_;
  std::vector<std::pair<TableId, sql::Row>> open_;  // by KeyId
  std::vector<std::int64_t> initial_;

  Claims claims_;

  mutable std::mutex mutex_;   // guards what follows
  std::deque<sql::Row> rows_;  // by version, minus 1
  std::unordered_map<sql::Row, std::int64_t, RowHash> versions_;
  std::vector<std::pair<TableId, sql::Row>> wanted_;
  std::atomic<bool> is_outgrown_{false};
};

}  // namespace txscope::explore
