#pragma once

#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "audit/tables/tables.h"

namespace txscope::audit {

/// Handles of rows that a transaction inserted itself begin here.
inline constexpr std::uint64_t kOwnRow = std::uint64_t{1} << 32;

/// What a transaction has written so far, over whatever it sees.
class OwnWrites {
 public:
  struct Write {
    TableId table;
    std::uint64_t handle = 0;  ///< a RowNumber, or kOwnRow and more
    RowPtr before;             ///< as it was first seen; none: inserted
    RowPtr now;                ///< none: deleted
  };

  [[nodiscard]] const Write* find(TableId table, std::uint64_t handle) const {
    const auto found = places_.find(key(table, handle));
    return found == places_.end() ? nullptr : &writes_[found->second];
  }
  [[nodiscard]] const std::vector<Write>& all() const { return writes_; }
  [[nodiscard]] bool empty() const { return writes_.empty(); }

  /// A row of the tables in a new version; none: deleted.
  void set(TableId table, std::uint64_t handle, const RowPtr& before,
           RowPtr now) {
    const auto [found, is_new] =
        places_.try_emplace(key(table, handle), writes_.size());
    if (is_new) {
      writes_.push_back({table, handle, before, std::move(now)});
      journal_.push_back({found->second, true, nullptr});
    } else {
      Write& write = writes_[found->second];
      journal_.push_back({found->second, false, write.now});
      write.now = std::move(now);
    }
  }
  /// A row that was not there; its handle.
  std::uint64_t insert(TableId table, RowPtr row) {
    const std::uint64_t handle = kOwnRow + next_++;
    set(table, handle, nullptr, std::move(row));
    return handle;
  }

  /// A place to come back to.
  [[nodiscard]] std::size_t mark() const { return journal_.size(); }
  void roll_back(std::size_t mark) {
    while (journal_.size() > mark) {
      Change& change = journal_.back();
      Write& write = writes_[change.place];
      if (change.is_new) {
        places_.erase(key(write.table, write.handle));
        writes_.pop_back();
      } else {
        write.now = std::move(change.before);
      }
      journal_.pop_back();
    }
  }
  void clear() { *this = OwnWrites(); }

 private:
  struct Change {
    std::size_t place = 0;
    bool is_new = false;
    RowPtr before;
  };
  static std::uint64_t key(TableId table, std::uint64_t handle) {
    return handle ^ (std::uint64_t{table.index} << 40);
  }

  std::vector<Write> writes_;
  std::unordered_map<std::uint64_t, std::size_t> places_;
  std::vector<Change> journal_;
  std::uint64_t next_ = 0;
};

/// What a transaction that has written this does when it commits.
[[nodiscard]] inline Effects effects_of(const OwnWrites& own) {
  Effects effects;
  for (const OwnWrites::Write& write : own.all()) {
    const bool is_new = write.handle >= kOwnRow;
    if (is_new && write.now == nullptr) continue;
    Effect effect;
    effect.table = write.table;
    effect.is_new = is_new;
    if (!is_new) effect.row = static_cast<RowNumber>(write.handle);
    effect.now = write.now;
    effects.push_back(std::move(effect));
  }
  return effects;
}

}  // namespace txscope::audit
