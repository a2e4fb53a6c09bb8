#include "tla/search/fingerprint_set.h"

#include <algorithm>

namespace txscope::tla {
bool FingerprintSet::insert(std::uint64_t fingerprint, std::uint64_t parent,
                            std::uint32_t level) {
  const std::uint64_t link = link_of(parent, level);
  return table_.insert({fingerprint, link}, [&](Entry& there) {
    // Found on this very level by another way: keep the least parent.
    if ((there.link & kLevelMask) == (link & kLevelMask) && level < kLevelMask)
      there.link = std::min(there.link, link);
  });
}

bool FingerprintSet::update(std::uint64_t fingerprint, std::uint64_t link) {
  const auto is_it = [&](const Entry& e) {
    return e.fingerprint == fingerprint;
  };
  if (!table_.find(fingerprint, is_it)) return false;
  restore(fingerprint, link);
  return true;
}

std::uint64_t FingerprintSet::link_of(std::uint64_t parent,
                                      std::uint32_t level) {
  return (parent & ~kLevelMask) | std::min<std::uint64_t>(level, kLevelMask);
}

std::uint64_t FingerprintSet::first_of(std::uint64_t a, std::uint64_t b) {
  if (level_of(a) != level_of(b)) return level_of(a) < level_of(b) ? a : b;
  // Beyond the last level that can be told, the first way that was found.
  return level_of(a) < kLevelMask ? std::min(a, b) : a;
}

std::optional<FingerprintSet::Known> FingerprintSet::find(
    std::uint64_t prefix) const {
  // The high 48 bits are enough to find the place.
  prefix &= ~kLevelMask;
  const auto entry = table_.find(prefix, [&](const Entry& e) {
    return (e.fingerprint & ~kLevelMask) == prefix;
  });
  if (!entry) return std::nullopt;
  return Known{entry->fingerprint, entry->link & ~kLevelMask, entry->link};
}

std::vector<std::uint64_t> FingerprintSet::path_to(
    std::uint64_t fingerprint) const {
  std::vector<std::uint64_t> path;
  for (std::uint64_t prefix = fingerprint; prefix >> 16u != 0;) {
    const auto known = find(prefix);
    if (!known) break;
    path.push_back(known->fingerprint);
    prefix = known->parent;
  }
  std::reverse(path.begin(), path.end());
  return path;
}

}  // namespace txscope::tla
