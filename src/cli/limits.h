#pragma once

#include <string>

#include "base/budget.h"
#include "base/result.h"
#include "cli/options.h"

namespace txscope::cli {

/// The budget that --timeout and --memory ask for.
[[nodiscard]] Result<Budget::Limits> limits(const Options& options);

}  // namespace txscope::cli
