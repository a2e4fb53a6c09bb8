#pragma once

#include <cstdint>

namespace txscope::verb {

/// To try all repairs, at most, in steps (about ten seconds); less if the
/// user's budget ends before.
inline constexpr std::uint64_t kRepairSteps = 1'500'000;

}  // namespace txscope::verb
