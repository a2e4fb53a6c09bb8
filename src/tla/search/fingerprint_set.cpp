#include "tla/search/fingerprint_set.h"

#include <algorithm>

namespace txscope::tla {
namespace {

constexpr std::uint64_t kLevelMask = 0xffff;

}  // namespace

bool FingerprintSet::insert(std::uint64_t fingerprint, std::uint64_t parent,
                            std::uint32_t level) {
  const std::uint64_t link =
      (parent & ~kLevelMask) | std::min<std::uint64_t>(level, kLevelMask);
  return table_.insert({fingerprint, link}, [&](Entry& there) {
    // Found on this very level by another way: keep the least parent.
    if ((there.link & kLevelMask) == (link & kLevelMask) && level < kLevelMask)
      there.link = std::min(there.link, link);
  });
}

std::vector<std::uint64_t> FingerprintSet::path_to(
    std::uint64_t fingerprint) const {
  std::vector<std::uint64_t> path;
  std::uint64_t prefix = fingerprint;
  while (prefix >> 16u != 0) {
    // The high 48 bits are enough to find the place.
    const auto entry = table_.find(prefix, [&](const Entry& e) {
      return (e.fingerprint & ~kLevelMask) == (prefix & ~kLevelMask);
    });
    if (!entry) break;
    path.push_back(entry->fingerprint);
    prefix = entry->link & ~kLevelMask;
  }
  std::reverse(path.begin(), path.end());
  return path;
}

}  // namespace txscope::tla
