#pragma once

#include <cstdint>
#include <cstdlib>

namespace txscope {

/// How many rounds a random test takes: its default times the environment
/// variable TXSCOPE_FUZZ_ROUNDS, for longer runs.  Sanitizers make everything
/// about ten times slower and look for other mistakes; there it is a tenth.
[[nodiscard]] inline int fuzz_rounds(int rounds) {
  const char* factor = std::getenv("TXSCOPE_FUZZ_ROUNDS");
  const double times = factor != nullptr ? std::atof(factor) : 1;
#ifdef __SANITIZE_ADDRESS__
  rounds /= 10;
#endif
  return times > 0 ? static_cast<int>(rounds * times) : rounds;
}

/// The seed of a random test; the environment variable TXSCOPE_FUZZ_SEED gives
/// another one, for runs that shall not repeat the last.
[[nodiscard]] inline std::uint64_t fuzz_seed(std::uint64_t seed) {
  const char* other = std::getenv("TXSCOPE_FUZZ_SEED");
  return other != nullptr ? seed + 1000 * std::strtoull(other, nullptr, 10)
                          : seed;
}

}  // namespace txscope
