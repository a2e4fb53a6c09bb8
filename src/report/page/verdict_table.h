#pragma once

#include <cstddef>
#include <string_view>

#include "model/verdict.h"

namespace txscope::report {

// The table of levels and properties that `explore` prints.
inline constexpr std::size_t kCountWidth = 10;
inline constexpr std::size_t kVerdictWidth = 11;
inline constexpr std::size_t kMaxSerial = 6;

/// What is wrong stands out.
[[nodiscard]] inline std::string_view shown(Outcome verdict) {
  return verdict == Outcome::Violated ? "VIOLATED" : name(verdict);
}

}  // namespace txscope::report
