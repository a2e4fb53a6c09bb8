#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/server/record.h"

namespace txscope::engine {

/// Records of a large table that nobody has touched since the beginning, with
/// what can be said of all of them together.  A table has some of them.
struct AtRest {
  using Columns = std::vector<std::uint32_t>;

  std::vector<Record> records;
  std::vector<Hash128> hashes;  ///< of each, in any state
  /// Columns that find one row, if all of them are whole numbers; else empty.
  Columns key;
  std::unordered_map<Hash128, std::size_t, HashOfHash> by_key;

  /// The one with these values of `key`; none: there is none.
  [[nodiscard]] std::optional<std::size_t> find(
      std::span<const sql::Value> values) const;
};

/// The records of a table.  Of a large one, those that nobody has touched are
/// shared by all states, so that a state costs what its statements touch.
///
/// Indexes go from 0 to size(): first the records of the beginning, which keep
/// theirs also when they are gone, then those that came later, which move up.
class Records {
 public:
  /// A value that a column must have.
  using Equal = std::vector<std::pair<std::uint32_t, sql::Value>>;

  [[nodiscard]] std::size_t size() const { return first() + later_.size(); }
  [[nodiscard]] const Record& operator[](std::size_t i) const;
  /// To be changed: it is touched from now on.
  [[nodiscard]] Record& change(std::size_t i);
  Record& add() { return later_.emplace_back(); }

  /// Calls `on(index, record)` for all, or those that were touched.
  template <class On>
  void for_each(const On& on) const;
  template <class On>
  void for_each_touched(const On& on) const;
  template <class On>
  void change_touched(const On& on);
  /// For those that may have these values, those that were touched among them.
  template <class On>
  void for_each_that_may(const Equal& equal, const On& on) const;
  template <class Is>
  [[nodiscard]] bool is_any_touched(const Is& is) const;
  template <class Is>
  void erase_touched_if(const Is& is);

  /// From now on all are at rest, if they are many.  `key`: columns that find
  /// one row, or none; `hash`: of a record, the same in all states.
  void rest(AtRest::Columns key,
            const std::function<Hash128(const Record&)>& hash);
  /// Of those at rest: their hashes, and those of their rows, added up.
  [[nodiscard]] const Hash128& hash_at_rest() const { return hash_; }
  [[nodiscard]] const Hash128& rows_at_rest() const { return rows_; }

 private:
  /// A record of the beginning that was touched.
  struct Touched {
    bool is_gone = false;
    Record record;
  };
  [[nodiscard]] std::size_t first() const {
    return rest_ == nullptr ? 0 : rest_->records.size();
  }
  [[nodiscard]] std::optional<std::size_t> look_up(const Equal& equal,
                                                   bool& is_known) const;

  std::shared_ptr<const AtRest> rest_;  ///< null: none is at rest
  std::map<std::size_t, Touched>
      touched_;  // by index; they stay where they are
  std::vector<Record> later_;
  Hash128 hash_;
  Hash128 rows_;
};

// Implementation.

template <class On>
void Records::for_each(const On& on) const {
  auto touched = touched_.begin();
  for (std::size_t i = 0; i < first(); ++i) {
    if (touched == touched_.end() || touched->first != i) {
      on(i, rest_->records[i]);
      continue;
    }
    if (!touched->second.is_gone) on(i, touched->second.record);
    ++touched;
  }
  for (std::size_t i = 0; i < later_.size(); ++i) on(first() + i, later_[i]);
}

template <class On>
void Records::for_each_touched(const On& on) const {
  for (const auto& [i, one] : touched_)
    if (!one.is_gone) on(i, one.record);
  for (std::size_t i = 0; i < later_.size(); ++i) on(first() + i, later_[i]);
}

template <class On>
void Records::change_touched(const On& on) {
  for (auto& [i, one] : touched_)
    if (!one.is_gone) on(one.record);
  for (Record& record : later_) on(record);
}

template <class On>
void Records::for_each_that_may(const Equal& equal, const On& on) const {
  bool is_known = false;
  const auto found = look_up(equal, is_known);
  if (!is_known) return for_each(on);
  if (found) on(*found, rest_->records[*found]);
  for_each_touched(on);
}

template <class Is>
bool Records::is_any_touched(const Is& is) const {
  return std::any_of(touched_.begin(), touched_.end(),
                     [&](const auto& one) {
                       return !one.second.is_gone && is(one.second.record);
                     }) ||
         std::any_of(later_.begin(), later_.end(), is);
}

template <class Is>
void Records::erase_touched_if(const Is& is) {
  for (auto& [i, one] : touched_) {
    if (one.is_gone || !is(one.record)) continue;
    one.is_gone = true;
    one.record = Record();
  }
  std::erase_if(later_, is);
}

}  // namespace txscope::engine
