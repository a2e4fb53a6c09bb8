#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "model/sql/schema.h"

namespace txscope::sql {

using Columns = std::vector<std::uint32_t>;

/// Finds the rows of a table by the values of some columns: for keys that the
/// order of the rows does not serve.
class RowIndex {
 public:
  struct Entry {
    std::uint64_t number = 0;  ///< of the row in its table; never used again
    std::shared_ptr<const Row> row;
  };
  /// Rows that are found together have the same; none: it is never found.
  using Hash = std::optional<std::uint64_t>;
  /// Whether these columns are indexed.
  [[nodiscard]] bool has(const Columns& columns) const {
    return maps_.contains({columns, nullptr});
  }
  /// From now on they are; `entries` are all rows.
  void index(const Columns& columns, const std::vector<Entry>& entries);
  /// The same for what is equal under a unique key on expressions, of which
  /// `hash_of` must know.
  [[nodiscard]] bool has(const UniqueKey& key) const {
    return maps_.contains({{}, &key});
  }
  void index(const UniqueKey& key, const std::vector<Entry>& entries,
             std::function<Hash(const Row&)> hash_of);
  void add(const Entry& entry);
  void remove(const Entry& entry);
  /// Calls `on(Entry)` for rows that may have these values, all that do among
  /// them, until it says false.  A NULL is equal to nothing.
  template <class On>
  void each(const Columns& columns, const Row& like, const Columns& in_like,
            const On& on) const {
    maps_.at({columns, nullptr}).each(hash_of(like, in_like), on);
  }
  template <class On>
  void each(const UniqueKey& key, const Row& like, const On& on) const {
    const Map& map = maps_.at({{}, &key});
    map.each(map.hash_of(like), on);
  }

 private:
  struct Map {
    std::function<Hash(const Row&)> hash_of;
    std::unordered_multimap<std::uint64_t, Entry> entries = {};

    void add(const Entry& entry) {
      if (const Hash hash = hash_of(*entry.row)) entries.emplace(*hash, entry);
    }
    template <class On>
    void each(Hash hash, const On& on) const {
      if (!hash) return;
      const auto [from, to] = entries.equal_range(*hash);
      for (auto at = from; at != to; ++at)
        if (!on(at->second)) return;
    }
  };
  [[nodiscard]] static Hash hash_of(const Row& row, const Columns& columns);

  std::map<std::pair<Columns, const UniqueKey*>, Map> maps_;
};

}  // namespace txscope::sql
