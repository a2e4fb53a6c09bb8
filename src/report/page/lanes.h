#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/workload.h"

namespace txscope::report {

/// A space at which a lane's text is not broken.
inline constexpr char kHardSpace = '\x1f';

/// One thing in one lane; time goes down.
struct LaneRow {
  std::size_t lane = 0;
  std::uint32_t line = 0;  ///< of the user's file; 0: none
  std::string text;
};

/// Side by side, one lane per name, as wide as reports are; below each other, each row
/// with its name, if that would be too narrow.
[[nodiscard]] std::string draw_lanes(const std::vector<std::string>& names,
                                     const std::vector<LaneRow>& rows);

}  // namespace txscope::report
