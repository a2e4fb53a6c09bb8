#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

#include "model/sql/value.h"

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
  /// Whether these columns are indexed.
  [[nodiscard]] bool has(const Columns& columns) const {
    return maps_.contains(columns);
  }
  /// From now on they are; `entries` are all rows.
  void index(const Columns& columns, const std::vector<Entry>& entries);
  void add(const Entry& entry);
  void remove(const Entry& entry);
  /// Calls `on(Entry)` for rows that may have these values, all that do among
  /// them, until it says false.  A NULL is equal to nothing.
  template <class On>
  void each(const Columns& columns, const Row& like, const Columns& in_like,
            const On& on) const {
    const Map& map = maps_.at(columns);
    const auto [from, to] = map.equal_range(hash_of(like, in_like));
    for (auto at = from; at != to; ++at)
      if (!on(at->second)) return;
  }

 private:
  using Map = std::unordered_multimap<std::uint64_t, Entry>;
  [[nodiscard]] static std::uint64_t hash_of(const Row& row,
                                             const Columns& columns);

  std::map<Columns, Map> maps_;
};

}  // namespace txscope::sql
