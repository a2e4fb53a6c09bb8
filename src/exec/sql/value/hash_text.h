#pragma once

#include <cstdint>
#include <string_view>

namespace txscope::sql {

/// PostgreSQL's hash of a text, hashtextextended(); its lower half with seed 0
/// is hashtext().
///
/// Method.  Jenkins, "lookup3" (2006), with PostgreSQL's start and its mixing
/// of the seed, little-endian.
[[nodiscard]] std::uint64_t hash_of(std::string_view text, std::uint64_t seed);

}  // namespace txscope::sql
