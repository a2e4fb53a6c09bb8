#pragma once

#include <memory>

#include "base/result.h"
#include "cli/options.h"
#include "read/histories/history_source.h"

namespace txscope::cli {

/// One input as `--input-format` and `--judge-aborted` want it read;
/// `budget`, if there is one, ends the reading, too.
[[nodiscard]] Result<std::unique_ptr<HistorySource>> open_input(
    const Options& options, const std::string& input,
    const Budget* budget = nullptr);

}  // namespace txscope::cli
