#pragma once

#include <functional>
#include <string_view>

#include "base/result.h"
#include "cli/options.h"
#include "txscope/report.h"

namespace txscope::cli {

using TextSink = std::function<void(std::string_view)>;

/// Runs a verb that writes histories: to `-o`, which appears whole or not at
/// all, or to standard output.  Returns the exit status.
int write_histories(
    const Options& options,
    const std::function<Result<verb::Report>(TextSink sink)>& run);

}  // namespace txscope::cli
