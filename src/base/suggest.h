#pragma once

#include <span>
#include <string>
#include <string_view>

namespace txscope {

/// Insertions, deletions, substitutions (Levenshtein), swaps of neighbours.
[[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b);

/// The candidate that `word` was probably meant to be: at most two edits away
/// (one for words of up to three letters), the first of the nearest.  Empty if
/// none is near.
[[nodiscard]] std::string nearest(std::string_view word,
                                  std::span<const std::string> candidates);

/// "did you mean 'x'?", or nothing.
[[nodiscard]] std::string suggestion(std::string_view word,
                                     std::span<const std::string> candidates);

}  // namespace txscope
