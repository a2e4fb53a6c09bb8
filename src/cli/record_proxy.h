#pragma once

#include "cli/options.h"

namespace txscope::cli {

/// `record --proxy`; returns the exit status.
int run_proxy(const Options& options);

}  // namespace txscope::cli
