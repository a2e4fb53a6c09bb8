#pragma once

#include <string>

#include "base/result.h"
#include "explore/explore.h"

namespace txscope::cli {

struct Options;

/// `explore` of an application in SQL.  Returns the exit status.
int run_explore_sql(const Options& options, std::string text);

/// What --algorithm asks for.
[[nodiscard]] Result<Algorithm> algorithm_of(const Options& options);

}  // namespace txscope::cli
