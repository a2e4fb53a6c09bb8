#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

namespace txscope::tla {

/// The states seen so far, as 64-bit fingerprints, each with the level it was
/// first reached at and the least predecessor on the level before: enough to
/// walk back to an initial state, and the same whatever order workers take.
///
/// 16 bytes for each place of an open hash table; 64 parts with a lock each.
class FingerprintSet {
 public:
  FingerprintSet();

  /// True if `fingerprint` is new.  `level` counts from 1, and never falls
  /// from call to call by more than the workers' being on one level allows.
  bool insert(std::uint64_t fingerprint, std::uint64_t parent,
              std::uint32_t level);
  void prefetch(std::uint64_t fingerprint) const;

  [[nodiscard]] std::uint64_t size() const;
  [[nodiscard]] std::uint64_t memory() const;
  /// The fingerprints from an initial state to this one, both included.
  [[nodiscard]] std::vector<std::uint64_t> path_to(
      std::uint64_t fingerprint) const;

 private:
  static constexpr unsigned kPartBits = 6;
  static constexpr unsigned kParentBits = 48;
  struct Entry {
    std::uint64_t fingerprint = 0;  // 0: empty
    std::uint64_t link = 0;         // high 48 bits of the parent, then level
  };
  struct alignas(64) Part {
    std::vector<Entry> entries;
    std::uint64_t count = 0;
    std::atomic<const Entry*> base = nullptr;
    std::atomic<unsigned> shift = 0;
    mutable std::mutex mutex;
  };
  static std::size_t place(const Part& part, std::uint64_t fingerprint);
  static void resize(Part& part, std::size_t size);
  static void grow(Part& part);
  [[nodiscard]] std::optional<Entry> find_prefix(std::uint64_t prefix) const;

  std::array<Part, 1u << kPartBits> parts_;
};

}  // namespace txscope::tla
