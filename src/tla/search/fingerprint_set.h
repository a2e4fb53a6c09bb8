#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/striped_table.h"

namespace txscope::tla {

/// The states seen so far, as 64-bit fingerprints, each with the level it was
/// first reached at and the least predecessor on the level before: enough to
/// walk back to an initial state, and the same whatever order workers take.
///
/// 16 bytes for each place of the table.
class FingerprintSet {
 public:
  /// True if `fingerprint` is new.  `level` counts from 1, and never falls
  /// from call to call by more than the workers' being on one level allows.
  bool insert(std::uint64_t fingerprint, std::uint64_t parent,
              std::uint32_t level);
  void prefetch(std::uint64_t fingerprint) const {
    table_.prefetch(fingerprint);
  }

  [[nodiscard]] std::uint64_t size() const { return table_.size(); }
  /// The fingerprints from an initial state to this one, both included.
  [[nodiscard]] std::vector<std::uint64_t> path_to(
      std::uint64_t fingerprint) const;

  /// The same if it is there; else false, and nothing changes.
  bool update(std::uint64_t fingerprint, std::uint64_t link);
  void clear() { table_.clear(); }

  /// Later levels cannot be told from it.
  static constexpr std::uint32_t kLastLevel = 0xffff;
  /// What is kept of a parent and a level.
  [[nodiscard]] static std::uint64_t link_of(std::uint64_t parent,
                                             std::uint32_t level);
  [[nodiscard]] static std::uint32_t level_of(std::uint64_t link) {
    return static_cast<std::uint32_t>(link & kLevelMask);
  }
  /// Of two links of one state the one that counts: that of the earlier level,
  /// or of the lesser parent on it.
  [[nodiscard]] static std::uint64_t first_of(std::uint64_t a, std::uint64_t b);

  /// What is known of a state of which the high 48 bits are.
  struct Known {
    std::uint64_t fingerprint = 0;
    std::uint64_t parent = 0;  ///< its high 48 bits; 0 of an initial state
    std::uint64_t link = 0;
  };
  [[nodiscard]] std::optional<Known> find(std::uint64_t prefix) const;

  /// Every fingerprint with what is known about it, to be restored.
  template <class Visit>
  void for_each(const Visit& visit) const {
    table_.for_each([&](const Entry& e) { visit(e.fingerprint, e.link); });
  }
  void restore(std::uint64_t fingerprint, std::uint64_t link) {
    table_.insert({fingerprint, link}, [link](Entry& there) {
      there.link = first_of(there.link, link);
    });
  }

 private:
  static constexpr std::uint64_t kLevelMask = kLastLevel;
  struct Entry {
    std::uint64_t fingerprint = 0;  // 0: empty
    std::uint64_t link = 0;         // high 48 bits of the parent, then level

    [[nodiscard]] bool is_empty() const { return fingerprint == 0; }
    [[nodiscard]] std::uint64_t place() const { return fingerprint; }
    [[nodiscard]] bool is_same(const Entry& other) const {
      return fingerprint == other.fingerprint;
    }
  };

  StripedTable<Entry> table_;
};

}  // namespace txscope::tla
