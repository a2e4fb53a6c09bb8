#pragma once

#include <cstdlib>

namespace txscope {

/// How many rounds a random test takes: its default times the environment
/// variable TXSCOPE_FUZZ_ROUNDS, for longer runs.
[[nodiscard]] inline int fuzz_rounds(int rounds) {
  const char* factor = std::getenv("TXSCOPE_FUZZ_ROUNDS");
  const double times = factor != nullptr ? std::atof(factor) : 1;
  return times > 0 ? static_cast<int>(rounds * times) : rounds;
}

}  // namespace txscope
