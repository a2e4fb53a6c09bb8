#include "tla/fingerprint_set.h"

#include <algorithm>
#include <bit>

namespace txscope::tla {
namespace {

constexpr std::uint64_t kLevelMask = 0xffff;
constexpr std::size_t kFirstSize = 256;
constexpr auto kRelaxed = std::memory_order_relaxed;

}  // namespace

FingerprintSet::FingerprintSet() {
  for (Part& part : parts_) resize(part, kFirstSize);
}

void FingerprintSet::resize(Part& part, std::size_t size) {
  part.entries = std::vector<Entry>(size);
  part.shift.store(65 - static_cast<unsigned>(std::bit_width(size)), kRelaxed);
  part.base.store(part.entries.data(), kRelaxed);
}

/// The first place to look at: bits below those that choose the part, so that
/// the high 48 bits alone find an entry.
std::size_t FingerprintSet::place(const Part& part, std::uint64_t fingerprint) {
  return (fingerprint << kPartBits) >> part.shift.load(kRelaxed);
}

void FingerprintSet::prefetch(std::uint64_t fingerprint) const {
  const Part& part = parts_[fingerprint >> (64 - kPartBits)];
  // Only a hint: a stale address does no harm.
  __builtin_prefetch(part.base.load(kRelaxed) + place(part, fingerprint), 1);
}

bool FingerprintSet::insert(std::uint64_t fingerprint, std::uint64_t parent,
                            std::uint32_t level) {
  const std::uint64_t link =
      (parent & ~kLevelMask) | std::min<std::uint64_t>(level, kLevelMask);
  Part& part = parts_[fingerprint >> (64 - kPartBits)];
  const std::lock_guard lock(part.mutex);
  const std::size_t mask = part.entries.size() - 1;
  std::size_t at = place(part, fingerprint);
  for (;; at = (at + 1) & mask) {
    Entry& entry = part.entries[at];
    if (entry.fingerprint == 0) break;
    if (entry.fingerprint != fingerprint) continue;
    // Found on this very level by another way: keep the least parent.
    if ((entry.link & kLevelMask) == (link & kLevelMask) && level < kLevelMask)
      entry.link = std::min(entry.link, link);
    return false;
  }
  part.entries[at] = {fingerprint, link};
  if (++part.count * 4 > part.entries.size() * 3) grow(part);
  return true;
}

void FingerprintSet::grow(Part& part) {
  const std::vector<Entry> old = std::move(part.entries);
  resize(part, old.size() * 2);
  const std::size_t mask = part.entries.size() - 1;
  for (const Entry& entry : old) {
    if (entry.fingerprint == 0) continue;
    std::size_t at = place(part, entry.fingerprint);
    while (part.entries[at].fingerprint != 0) at = (at + 1) & mask;
    part.entries[at] = entry;
  }
}

std::uint64_t FingerprintSet::size() const {
  std::uint64_t sum = 0;
  for (const Part& part : parts_) {
    const std::lock_guard lock(part.mutex);
    sum += part.count;
  }
  return sum;
}

std::uint64_t FingerprintSet::memory() const {
  std::uint64_t sum = 0;
  for (const Part& part : parts_) {
    const std::lock_guard lock(part.mutex);
    sum += part.entries.size() * sizeof(Entry);
  }
  return sum;
}

std::optional<FingerprintSet::Entry> FingerprintSet::find_prefix(
    std::uint64_t prefix) const {
  const Part& part = parts_[prefix >> (64 - kPartBits)];
  const std::size_t mask = part.entries.size() - 1;
  for (std::size_t at = place(part, prefix);; at = (at + 1) & mask) {
    const Entry& entry = part.entries[at];
    if (entry.fingerprint == 0) return std::nullopt;
    if ((entry.fingerprint & ~kLevelMask) == (prefix & ~kLevelMask))
      return entry;
  }
}

std::vector<std::uint64_t> FingerprintSet::path_to(
    std::uint64_t fingerprint) const {
  std::vector<std::uint64_t> path;
  std::uint64_t prefix = fingerprint;
  while (prefix >> 16u != 0) {
    const auto entry = find_prefix(prefix);
    if (!entry) break;
    path.push_back(entry->fingerprint);
    prefix = entry->link & ~kLevelMask;
  }
  std::reverse(path.begin(), path.end());
  return path;
}

}  // namespace txscope::tla
