#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "model/level.h"

namespace txscope::cli {

/// The levels that `--level` and `--order` name, weakest first and once each.
/// An empty or `all` level means all bases.  A level whose name fixes the
/// order (strict-serializable) contradicts a different --order.
[[nodiscard]] Result<std::vector<Level>> parse_levels(const std::string& names,
                                                      const std::string& order);

}  // namespace txscope::cli
