#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "explore/sql/universe.h"

namespace txscope::explore {

/// The rows that one statement reads, as far as the search has answered.  Every
/// open key is read at most once by a statement; those that are asked for and
/// not known yet are `wanted`, and the statement is run again when they are
/// known.  A scan asks for all keys that its Access leaves open, the absent
/// ones included, in the order of the key; which ones does not depend on the
/// answers.
class RowReads : public sql::Store {
 public:
  explicit RowReads(const Universe& universe)
      : universe_(universe), known_(universe.initial().size(), kUnknown) {}

  void know(KeyId key, std::int64_t version) { known_[key.index] = version; }
  /// These are wanted, too.
  void want(const std::vector<KeyId>& keys) {
    wanted_.insert(wanted_.end(), keys.begin(), keys.end());
  }
  /// In the order in which they are to be read.
  [[nodiscard]] const std::vector<KeyId>& wanted() const { return wanted_; }

  /// RowHandle::row is a position in Universe::keys().
  [[nodiscard]] bool scan(const sql::Access& access,
                          const OnRow& on_row) override;
  /// The version of one key; nothing if it is wanted now.
  [[nodiscard]] std::optional<std::int64_t> read(const Universe::Entry& entry);

 private:
  static constexpr std::int64_t kUnknown = -1;
  [[nodiscard]] std::pair<std::size_t, std::size_t> range(
      const sql::Access& access) const;
  [[nodiscard]] bool is_open(const sql::Access& access,
                             const sql::Row& key) const;

  const Universe& universe_;
  std::vector<std::int64_t> known_;  // by KeyId
  std::vector<KeyId> wanted_;
};

}  // namespace txscope::explore
