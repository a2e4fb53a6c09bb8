#include "base/suggest.h"

#include <algorithm>
#include <vector>

namespace txscope {
namespace {

constexpr std::size_t kLongest = 64;  // longer words get no suggestion

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> now(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    now[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      now[j] = std::min({last[j] + 1, now[j - 1] + 1,
                         last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      const bool swapped =
          i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) now[j] = std::min(now[j], before[j - 2] + 1);
    }
    std::swap(before, last);
    std::swap(last, now);
  }
  return last[b.size()];
}

std::string nearest(std::string_view word,
                    std::span<const std::string> candidates) {
  if (word.size() > kLongest) return {};
  std::size_t best = word.size() <= 3 ? 2 : 3;
  std::string found;
  for (const std::string& candidate : candidates) {
    if (candidate.size() > kLongest || candidate == word) continue;
    const std::size_t distance = edit_distance(word, candidate);
    if (distance < best && distance < candidate.size()) {
      best = distance;
      found = candidate;
    }
  }
  return found;
}

std::string suggestion(std::string_view word,
                       std::span<const std::string> candidates) {
  const std::string near = nearest(word, candidates);
  return near.empty() ? "" : "did you mean '" + near + "'?";
}

}  // namespace txscope
