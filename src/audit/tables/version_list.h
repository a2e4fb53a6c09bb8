#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <unordered_map>
#include <vector>

#include "audit/rows/row_access.h"
#include "audit/rows/value_set.h"

namespace txscope::audit {

/// Who made what the setup left.
inline constexpr std::uint32_t kInitialTxn = 0xffffffffu;

/// A version that a transaction made of a row; `columns` as far as known.
struct RowVersion {
  std::uint32_t txn = kInitialTxn;
  bool is_deleted = false;
  bool is_aborted = false;
  bool is_never_seen = false;  ///< not even by its maker, who is not asked
  bool is_last = true;     ///< the transaction's last of this row
  bool is_certain = true;  ///< false: it may have been rolled back
  bool is_insert = false;
  bool is_void = false;  ///< inserted before by the same one: no write at all
  std::vector<Change> columns;
};

/// By column: what it can have where all that is written to it is known.
using ColumnRanges = std::vector<std::optional<ValueSet>>;

/// Versions of one row, or of no row in particular, that can be asked for what
/// a reader saw without looking at all of them.
class VersionList {
 public:
  std::uint32_t add(RowVersion version);
  [[nodiscard]] const RowVersion& at(std::uint32_t i) const {
    return versions_[i];
  }
  [[nodiscard]] RowVersion& at(std::uint32_t i) { return versions_[i]; }
  [[nodiscard]] const std::vector<RowVersion>& all() const { return versions_; }
  [[nodiscard]] bool empty() const { return versions_.empty(); }

  /// Calls `on_version` for those that a reader can have seen so, until it says
  /// false.  No version may be added afterwards.
  void each(const RowAccess& access, const ColumnRanges& ranges,
            const std::function<bool(const RowVersion&)>& on_version) const;

 private:
  /// Versions by what they set a column to; the others may have any value.
  struct ColumnIndex {
    std::unordered_multimap<std::uint64_t, std::uint32_t> set;
    std::vector<std::uint32_t> open;
  };
  [[nodiscard]] const ColumnIndex& index(std::uint32_t column) const;

  std::vector<RowVersion> versions_;
  std::vector<std::uint32_t> deleted_;
  mutable std::unordered_map<std::uint32_t, ColumnIndex> indexes_;
};

/// Whether a reader can have seen this version so.
[[nodiscard]] bool fits(const RowVersion& version, const RowAccess& access,
                        const ColumnRanges& ranges);

/// What a statement sets a column to; none: it does not.
[[nodiscard]] const Change* change_of(const std::vector<Change>& changes,
                                      std::uint32_t column);

}  // namespace txscope::audit
