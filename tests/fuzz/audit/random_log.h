#pragma once

#include <cstdint>
#include <random>

#include "small_log.h"

namespace txscope::test {

using LogRandom = std::mt19937_64;

/// What a database would say that runs some transactions in some order on some
/// states; mostly explained by some level.
[[nodiscard]] SmallLog random_log(LogRandom& random,
                                  bool has_savepoints = false);

/// The same log with one value, row, count, status or order changed.
[[nodiscard]] SmallLog mutant(SmallLog log, LogRandom& random);

}  // namespace txscope::test
